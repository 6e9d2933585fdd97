//! Hosts at work, against what kernels were seen to do.
#![allow(clippy::unwrap_used)]

mod access_times;
mod append;
mod databases;
mod device_requests;
mod durable;
mod failures;
mod locks;
mod log_apart;
mod lustre;
mod mapped;
mod nfs;
mod promises;
mod rare;
mod rig;
mod schedulers;
mod streams;
mod touch;
mod xfs;
