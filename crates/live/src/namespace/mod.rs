//! The files of a user specification in real directories: made, resumed, verified and removed.
//!
//! A *manifest* in the directory says what is being made: specification, users and seed, from which every name and size follows. So
//! a creation that was killed goes on where it was, a finished one can be verified, and exactly what was made is removed.
//! Nothing is written outside the directories given.

mod cool;
mod create;
mod error;
mod manifest;
mod remove;
mod room;
mod scan;
mod site;
mod verify;

pub use cool::cool_down;
pub use create::{Created, create};
pub use error::NamespaceError;
pub use manifest::{MANIFEST, Manifest};
pub(crate) use remove::clear_made;
pub use remove::{Removed, remove, remove_made, remove_made_in};
pub use scan::{Scanned, scan};
pub use site::{Directories, Site};
pub use verify::{Verified, verify};
