//! NFS on a cluster: nothing is lost, and what is lost is found.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
