//! The subcommands, a file each.

pub(crate) mod alike;
mod asked;
pub(crate) mod bench;
pub(crate) mod catalogue;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
#[cfg(feature = "live")]
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod fs;
pub(crate) mod init;
pub(crate) mod load;
pub(crate) mod loss;
pub(crate) mod man;
pub(crate) mod net;
pub(crate) mod place;
mod reading;
pub(crate) mod run;
pub(crate) mod scenario;
pub(crate) mod schema;
pub(crate) mod search;
#[cfg(feature = "studio")]
pub(crate) mod studio;
pub(crate) mod sweep;
pub(crate) mod trace;
pub(crate) mod users;
pub(crate) mod validate;
mod validate_ceph;
mod validate_disks;
mod validate_dissertation;
mod validate_ivy;
mod validate_nfs;
mod validate_nfs_kao;
mod validate_pariosim;
mod validate_pvfs;
mod validate_raid;
mod validate_residuals;
mod validate_streaming;
mod validate_syncs;
