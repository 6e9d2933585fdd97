//! Hosts at work, against what kernels were seen to do.
#![allow(clippy::unwrap_used)]

mod device_requests;
mod failures;
mod locks;
mod rig;
