//! Pages of the storage path

pub mod device;

mod stage;

pub use stage::Stage;
