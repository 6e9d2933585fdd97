//! A Linux host: what lies between a process and its block devices.

pub mod copy_cost;
pub mod file_system;
pub mod journal;
pub mod jump_cost;
pub mod kernel_profile;
pub mod machine;
pub mod page_cache;
pub mod read_ahead;
pub mod stdio;
pub mod write_back;

mod fast_map;
mod net;
mod parameters;
mod state;

pub use net::host_page;
pub use parameters::{HostError, HostParameters, Mount, PreparedFile};
