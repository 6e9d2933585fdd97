//! Pages of the storage path.

pub mod block;
pub mod cluster;
pub mod device;
pub mod host;

mod stage;

pub use stage::Stage;
