//! Devices: what serves block requests at the end of a storage path.

pub mod analytic_disk;
pub mod constant_rate;
pub mod disk;

mod one_at_a_time;
