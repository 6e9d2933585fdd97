//! Hosts: what lies between a process and its block devices. The modules are a Linux host's, but for [`unix_1990`].

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod copy_cost;
pub mod file_system;
pub mod journal;
pub mod jump_cost;
pub mod kernel_profile;
pub mod lustre;
pub mod machine;
pub mod nfs;
pub mod page_cache;
pub mod read_ahead;
pub mod stdio;
pub mod unix_1990;
pub mod write_back;
pub mod xfs;

mod below;
mod daemon;
mod ext;
mod file_layout;
mod kinds;
mod laid_out;
mod memory_use;
mod mount;
mod page;
mod parameters;
mod rarities;
mod raw;
mod shared_chunks;
mod shared_slots;
mod state;
mod tmpfs;

pub use daemon::kernel_thread;
pub use file_layout::{FileLayout, Ranges};
pub use kinds::Format;
pub use laid_out::{BYTES_OF_A_FILE, LaidOut, LayoutOf, PreparedFile};
pub use memory_use::{HostMemory, MemoryUse};
pub use mount::{LogDevice, Mount};
pub use page::{HostRest, OpenHost, host_page};
pub use parameters::{HostError, HostParameters};
