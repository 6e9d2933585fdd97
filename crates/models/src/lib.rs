//! Pages of the storage path

pub mod device;
