//! What a block device is asked for, under a microscope: a [`Recorder`] listens to one device, to requests as the file
//! system hands them over, as they go to the device, as they complete, and to the journal's commits.

mod descriptor;
mod notation;
mod recorder;

pub use crate::recorder::CaptureError;
pub use crate::recorder::block::{Access, BlockAccess, Commit, DeviceNumber};
pub use descriptor::TagFormat;
pub use notation::{JournalArea, commonest, requests_text};
pub use recorder::{Event, Happening, Recorder, Recording};
