//! The mechanical disk.

mod cache;
mod discipline;
mod drive;
mod estimate;
mod layout;
mod mechanics;
mod page;
pub mod parameters;
mod pipeline;
mod read_ahead;
mod replay;
mod seek_curve;

pub use drive::{Begun, Class, Demand, Drive, DriveError, DriveState, Transferred};
pub use layout::{Layout, LayoutError, Place, Run, Track};
pub use mechanics::{Mechanics, MechanicsError};
pub use page::{Queueing, disk_page};
pub use parameters::DiskParameters;
pub use replay::Replay;
pub use seek_curve::{SeekCurve, SeekCurveError};
