//! The client of Lustre: which RPCs a system call costs, and when.
//!
//! ```text
//!   system call ─▶ what may be believed (locks on names and attributes, on extents)     below/names.rs, below/data.rs, locks.rs
//!              ─▶ where data lie (components, stripes, objects, targets)                 layout.rs
//!              ─▶ requests of the mount                                                  carried.rs, procedure.rs
//! ```
//!
//! After Lustre 2.15 (lustre/llite, lov, osc, mdc, ldlm). It is a file system below a host's page cache ([`LustreMount`]): its calls are
//! requests that take as long as they take ([`Carried`]), which `petrio_cluster::lustre` carries to servers.

mod below;
mod carried;
mod layout;
mod locks;
mod procedure;

pub(crate) use below::Lustre;
pub use below::LustreMount;
pub use carried::{Asked, Call, Carried, Data, Told};
pub use layout::{Component, FILE_PAGES, Part, Striping, Target};
pub use procedure::{Bits, Procedure};
