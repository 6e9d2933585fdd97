//! How a trace is to be read.

use super::format::FormatName;
use super::named::OwnTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a trace is to be read. The default suits almost every trace: the format is told from the content, and the first
/// request is at time zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// The format; left out, it is told from the content (never from the file's name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<FormatName>,
    /// Bring the first request to time zero. Turned off, the trace's own clock is kept, which must then stay below
    /// 213 days.
    pub rebase: bool,
    /// How many records out of place a record may be; those within are sorted and counted, one beyond is an error. Left
    /// out, 0, or 1,024 for formats collected per processor (blkparse, trace-events).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reorder_window: Option<usize>,
    /// Read only the requests to this device: its number in the trace, or major and minor number such as "8,16" for
    /// blkparse and trace-events. A stacked device (device mapper, loop) shows each request once per layer; name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_device: Option<String>,
    /// Which columns of a table of one's own mean what, and in which units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnTable>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self { format: None, rebase: true, reorder_window: None, only_device: None, own: None }
    }
}

/// The largest reorder window: sorting is for records slightly out of place, not for whole files.
pub(crate) const REORDER_WINDOW_MAX: usize = 1 << 16;
