//! The scenario file: one struct tree that is its schema, its documentation and what is read from it.
//!
//! The doc comment of a field is its help; `petrio schema` prints the tree as a JSON schema. What the types can't say
//! (a name that nothing has, a file that isn't there) is checked in [`crate::load`].

mod disk;
mod measure;
mod names;
mod scenario;
mod scheduler;
mod trace;
mod workload;

pub use disk::Disk;
pub use measure::{Measure, Stop, WarmUp};
pub use names::Names;
pub(crate) use names::fits;
pub use scenario::{Scenario, json_schema};
pub use scheduler::Scheduler;
pub use trace::{OutOfRange, Replay, TraceReplay};
pub(crate) use workload::{KINDS, read_workload};
pub use workload::{SyntheticLoad, Workload};
