//! One movement of data: a read or a write of a file, or a request to a device. What the statistics of both are made
//! from.

use petrio_time::Time;

/// Whether data are read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Read,
    Write,
}

/// One movement of data that succeeded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) time: Time,
    pub(super) process: u32,
    /// The file, or the device, by its number in order of appearance; `None` where the trace doesn't know the file.
    pub(super) subject: Option<u32>,
    pub(super) way: Way,
    /// First byte, where the trace knows.
    pub(super) offset: Option<u64>,
    pub(super) length: u64,
}

/// A figure for reads and one for writes.
#[derive(Clone, Debug, Default)]
pub(super) struct ByWay<T> {
    pub(super) read: T,
    pub(super) write: T,
}

impl<T> ByWay<T> {
    #[inline]
    pub(super) fn of(&mut self, way: Way) -> &mut T {
        match way {
            Way::Read => &mut self.read,
            Way::Write => &mut self.write,
        }
    }
}
