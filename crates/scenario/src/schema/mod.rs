//! Parts of the scenario file that rest on no other, and how names and tables of all parts are read: structs that are schema,
//! documentation and what is read, at once.
//!
//! The doc comment of a field is its help; `petrio schema` prints the whole tree ([`Scenario`](crate::Scenario)) as a JSON schema. What the
//! types can't say (a name that nothing has, a file that isn't there) is checked in [`crate::load`].

mod adapter;
mod apart;
mod array;
mod disk;
mod measure;
mod names;
mod partial;
mod scheduler;

pub use adapter::Adapter;
pub(crate) use apart::{read_apart, read_parts, values};
pub use array::Named;
pub(crate) use array::read_profile;
pub use disk::{Disk, Spindle, WriteCache};
pub use measure::{Measure, OnError, StageRows, Stop, WarmUp};
pub use names::Names;
pub(crate) use names::fits;
pub(crate) use partial::nothing_required;
pub use scheduler::DiskScheduler;
