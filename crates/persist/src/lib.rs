//! A state as bytes, and back.
//!
//! What a System is made of (parameters, layouts, functions) isn't written: a state is restored *into* one that has been built again,
//! in its initial state. So four things a serialiser doesn't know are said of a field where they hold: that it is part of the
//! System and stays (`keep`), that it points to such a part (`shared`), that it points to a cell which others see, too (`inside`), that it is
//! scratch (`skip`). Pointers that several share (`Arc`) are written once, and those to what the initial state has already not at all
//! ([`SharedParts`]).
//!
//! ```
//! use petrio_persist::{SharedParts, Persist, Reader, Writer};
//! use std::sync::Arc;
//!
//! #[derive(Persist)]
//! struct Server {
//!     #[persist(keep)]
//!     rate: fn(u64) -> f64,
//!     waiting: Vec<Job>,
//! }
//!
//! #[derive(Persist, PartialEq, Debug)]
//! struct Job {
//!     blocks: u64,
//!     layout: Arc<Vec<u64>>,
//! }
//!
//! let layout = Arc::new(vec![1, 2, 3]);
//! let build = || Server { rate: |blocks| blocks as f64, waiting: vec![Job { blocks: 0, layout: Arc::clone(&layout) }] };
//! let mut server = build();
//! let known = SharedParts::of(&build());
//! server.waiting.push(Job { blocks: 8, layout: Arc::clone(&layout) });
//! let mut to = Writer::new(&known);
//! server.save(&mut to);
//! let bytes = to.finish()?;
//!
//! let mut again = build();
//! again.restore(&mut Reader::new(&known, &bytes))?;
//! assert_eq!(again.waiting, server.waiting);
//! assert!(Arc::ptr_eq(&again.waiting[1].layout, &layout), "the System's own, not a copy");
//! assert_eq!((again.rate)(3), 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod collections;
mod damage;
mod inside;
mod kept;
mod kinds;
mod known;
mod reader;
mod simple;
mod writer;

pub use damage::{Damage, Refusal};
pub use inside::Inside;
pub use kept::Kept;
pub use kinds::{AnyValue, Kinds};
pub use known::SharedParts;
pub use petrio_persist_derive::Persist;
pub use reader::Reader;
pub use writer::Writer;

// What the derivation writes names this crate, in this crate's own tests and documentation too.
extern crate self as petrio_persist;

/// What can be written and read again.
pub trait Persist: Sized {
    /// Whether a restored one keeps nothing of what it was: it is read like a new one then, and nothing is compiled for keeping.
    const PLAIN: bool = false;

    /// Writes it.
    fn save(&self, to: &mut Writer<'_>);

    /// Makes one of what was written.
    ///
    /// # Errors
    /// [`Damage`]: something else was written there, or what was written is no such value.
    fn load(from: &mut Reader<'_>) -> Result<Self, Damage>;

    /// Becomes what was written, and keeps what isn't written.
    ///
    /// # Errors
    /// As of [`load`](Self::load).
    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        *self = Self::load(from)?;
        Ok(())
    }
}
