//! Devices: what serves block requests at the end of a storage path.

pub mod disk;
