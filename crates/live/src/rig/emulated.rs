//! A block device whose requests take what a mechanical drive would: petrio's model of one, by the wall clock.
//!
//! ```text
//!  any program ─▶ loop device ─▶ kernel FUSE ─▶ the drive's model: arm, platters, cache ─▶ wait, then answer
//! ```
//!
//! Programs that measure disks can be held against a drive whose parameters are known, on a real block device. Writes
//! are on the medium before they are reported, as of a drive whose write cache is off, so a flush has nothing to do.
//! Left out: more than one request at a time (FUSE's requests are served in the order of their arrival), sectors of other
//! sizes than the model's. What the kernel's way adds, some 0.1 ms, comes on top of each request.

use super::availability::Availability;
use super::error::RigError;
use super::facilities::Facilities;
use super::loop_device::{LoopDevice, make_image};
use super::slow_disk::{DiskRequest, SlowDisk};
use super::{MEMORY, possible};
use crate::timed::{Paced, TimedDrive};
use petrio_colours::SECTOR_BYTES;
use petrio_models::device::disk::{DiskParameters, Drive};
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use std::io;
use std::path::Path;

/// How long a disk's requests take.
#[derive(Debug)]
pub(super) enum Pace {
    /// Each the same.
    Even(Duration),
    /// As a drive's.
    Drive(Box<DiskParameters>),
}

impl Pace {
    /// As a word of a command line.
    pub(super) fn as_word(&self) -> io::Result<String> {
        Ok(match self {
            Self::Even(each) => (each.time().as_picos() / 1_000).to_string(),
            Self::Drive(drive) => serde_json::to_string(drive)?,
        })
    }

    /// What such a word says: nanoseconds, or a drive's parameters.
    pub(super) fn from_word(word: &str) -> io::Result<Self> {
        match word.parse() {
            Ok(nanoseconds) => Ok(Self::Even(Duration::new(Time::from_nanos(nanoseconds)))),
            Err(_) => Ok(Self::Drive(serde_json::from_str(word)?)),
        }
    }
}

/// A drive that serves by the wall clock.
pub(super) struct EmulatedDrive<'a>(Paced<'a>);

impl<'a> EmulatedDrive<'a> {
    pub(super) fn new(drive: &'a Drive) -> Self {
        Self(Paced::new(drive))
    }

    /// Returns when the drive would have done it.
    pub(super) fn take(&mut self, asked: DiskRequest) {
        let blocks = |offset: u64, length: u64| (offset / SECTOR_BYTES, length.div_ceil(SECTOR_BYTES).max(1));
        // The model answers everything that lies on the drive; the server asks for nothing else.
        let _ = match asked {
            DiskRequest::Read { offset, length } => {
                let (first, count) = blocks(offset, length);
                self.0.read(first, count)
            }
            DiskRequest::Write { offset, length } => {
                let (first, count) = blocks(offset, length);
                self.0.rewrite(first, count, true)
            }
            DiskRequest::Flush => return,
        };
    }
}

/// A block device with the times of a drive; gone when this is dropped.
#[derive(Debug)]
pub struct EmulatedDisk {
    // In order of taking down.
    device: LoopDevice,
    _slow: SlowDisk,
}

impl EmulatedDisk {
    /// Whether it is possible here.
    pub fn probe() -> Availability {
        Facilities::probe().slow_disk
    }

    /// Makes a device of a drive's size, full of zeros that lie in memory once they are written.
    ///
    /// # Errors
    /// Parameters that are no drive, a machine without FUSE or loop devices, no right to make them, no room in memory.
    pub fn set_up(parameters: &DiskParameters) -> Result<Self, RigError> {
        possible("an emulated disk", &Self::probe())?;
        let drive = Drive::new(parameters)
            .map_err(|error| RigError::Parameter { parameter: "drive", why: error.to_string() })?;
        let size = Bytes(drive.blocks() * SECTOR_BYTES);
        let (_, image, _until_unlinked) = make_image(Path::new(MEMORY), size, false)?;
        let slow = SlowDisk::serve(image, size, Pace::Drive(Box::new(parameters.clone())))?;
        Ok(Self { device: LoopDevice::attach(slow.file())?, _slow: slow })
    }

    /// The block device.
    pub const fn device(&self) -> &LoopDevice {
        &self.device
    }
}
