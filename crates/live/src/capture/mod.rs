//! What a block device is asked for, seen through the kernel's tracepoints.
//!
//! A [`Recorder`] owns a trace instance of its own (`tracefs/instances/petrio-…`), so it disturbs no other tracing and no
//! other tracing disturbs it. It listens to one device: requests as the file system hands them over, as they go to the device,
//! as they complete, and the journal's commits. Where tracefs isn't mounted it is mounted privately for as long.
//!
//! Source: Linux `Documentation/trace/ftrace.rst`, `Documentation/trace/events.rst`. Left out: function tracing, kprobes and BPF, which locked-down
//! kernels refuse; these tracepoints work there too.

mod descriptor;
mod error;
mod event;
mod notation;
mod recorder;

pub use descriptor::TagFormat;
pub use error::CaptureError;
pub use event::{Access, BlockAccess, Commit, DeviceNumber, Event, Happening, Line};
pub use notation::{JournalArea, commonest, requests_text};
pub(crate) use recorder::{Reach, clear_instance, make_instance, reach_tracing};
pub use recorder::{Recorder, Recording, trace_directory};
