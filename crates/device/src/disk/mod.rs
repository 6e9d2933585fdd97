//! The mechanical disk.
//!
//! [`parameters`] is what a catalogue file says; [`Drive`] is that compiled. What a drive is made of stands in files of
//! its own that know neither net nor queue: where blocks lie (`layout`), how the arm moves and the platters turn
//! (`mechanics`, `seek_curve`, `spin`), what the buffer keeps (`cache`, `held_writes`), what is read ahead as a function of
//! time (`read_ahead`), how bus and medium overlap (`pipeline`). [`disk_page`] puts them into the net; [`Replay`]
//! drives the same drive by a plain loop, and the two agree to the picosecond.
//!
//! How well it predicts measured drives stands in `validation/disks/README.md`.

mod block_device;
mod cache;
mod discipline;
mod drive;
mod estimate;
mod held_writes;
mod layout;
mod mechanics;
mod page;
pub mod parameters;
mod pipeline;
mod read_ahead;
mod replay;
mod seek_curve;
mod spin;

pub use drive::{Begun, Class, Demand, Drive, DriveError, DriveState, Transferred};
pub use layout::{Layout, LayoutError, PhysicalSector, Run, Track};
pub use mechanics::{Mechanics, MechanicsError};
pub use page::{disk_page, disk_page_on_bus};
pub use parameters::DiskParameters;
pub use replay::Replay;
pub use seek_curve::{SeekCurve, SeekCurveError};
pub use spin::Spin;
