//! Hosts at work, against what kernels were seen to do.
#![allow(clippy::unwrap_used)]

mod device_requests;
mod locks;
mod rig;
