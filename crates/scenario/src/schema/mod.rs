//! The scenario file: one struct tree that is its schema, its documentation and what is read from it.
//!
//! The doc comment of a field is its help; `petrio schema` prints the tree as a JSON schema. What the types can't say
//! (a name that nothing has, a file that isn't there) is checked in [`crate::load`].

mod adapter;
mod apart;
mod array;
mod disk;
mod measure;
mod names;
mod nesting;
mod partial;
pub mod reference;
mod scenario;
mod scheduler;

pub use crate::holder::{
    Concat, Extent, Fabric, Holders, Multipath, Partition, Raid, Rearrangement, Replication, Throttle,
};
pub use crate::host::{
    Change, FileSystem, FileSystemKind, FileSystemPlace, Host, Hosts, Linux, RawParameters, RawType,
    TmpfsParameters, TmpfsType, Unix, UnixHost,
};
pub use adapter::Adapter;
pub(crate) use apart::{read_apart, read_parts, values};
pub use array::Named;
pub(crate) use array::read_profile;
pub use disk::{Disk, Spindle, WriteCache};
pub use measure::{Measure, OnError, StageRows, Stop, WarmUp};
pub use names::Names;
pub(crate) use names::fits;
pub(crate) use partial::nothing_required;
pub(crate) use scenario::Head;
pub use scenario::{Scenario, json_schema, users_schema};
pub use scheduler::DiskScheduler;
