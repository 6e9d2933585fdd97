//! A block device whose requests take what a mechanical drive would: petrio's model of one, by the wall clock.
//!
//! ```text
//!  any program ─▶ loop device ─▶ kernel FUSE ─▶ the drive's page: arm, platters, cache ─▶ wait, then answer
//! ```
//!
//! Programs that measure disks can be held against a drive whose parameters are known, on a real block device. Writes
//! are on the medium before they are reported, as of a drive whose write cache is off, so a flush has nothing to do.
//! Left out: sectors of other sizes than the model's. What the kernel's way adds, some 0.1 ms, comes on top of each request.

use super::availability::Availability;
use super::error::RigError;
use super::facilities::Facilities;
use super::loop_device::{LoopDevice, make_image};
use super::slow_disk::SlowDisk;
use super::{MEMORY, possible};
use petrio_colours::{BlockRequest, SECTOR_BYTES, Status};
use petrio_engine::{System, programs_page};
use petrio_kernel::{NetBuilder, PageBuilder, Place};
use petrio_models::device::disk::{DiskParameters, Drive};
use petrio_models::device::{DeviceParameters, DevicePorts, Queueing};
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use std::io;
use std::path::Path;
use std::sync::Arc;

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

    /// A System of one disk of this pace.
    pub(super) fn system(&self) -> io::Result<Arc<System>> {
        let mut net = NetBuilder::new("a slow disk");
        let mut page = net.top();
        let (requests, completions) = (page.fifo::<BlockRequest>("requests"), page.fifo("completions"));
        match self {
            Self::Even(each) => one_after_the_other(&mut page, each.time(), (requests, completions)),
            Self::Drive(parameters) => {
                let off = parameters.with_write_cache(false);
                let compiled = match &off {
                    Some(device) => device.parameters().compile(),
                    None => parameters.compile(),
                };
                let drive = compiled.map_err(io::Error::other)?;
                let ports = DevicePorts { requests, completions, bus: None };
                drive.build(&mut page, "disk", &Queueing::default(), ports);
            }
        }
        let ports = programs_page(&mut page, (&[requests], "disk"), |_| 0, completions);
        let net = net.build().map_err(io::Error::other)?;
        Ok(Arc::new(System::new(net, ports, vec![(requests, completions)])))
    }

    /// What such a word says: nanoseconds, or a drive's parameters.
    pub(super) fn from_word(word: &str) -> io::Result<Self> {
        match word.parse() {
            Ok(nanoseconds) => Ok(Self::Even(Duration::new(Time::from_nanos(nanoseconds)))),
            Err(_) => Ok(Self::Drive(serde_json::from_str(word)?)),
        }
    }
}

/// A server that takes the same time for each request.
fn one_after_the_other(
    page: &mut PageBuilder<'_>,
    each: Time,
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
) {
    let (free, busy) = (page.fifo::<()>("free"), page.fifo::<BlockRequest>("busy"));
    page.initial(free, [()]);
    let mut begin = page.transition("begin");
    let request = begin.take(requests);
    begin.consume(free);
    let begun = begin.put(busy);
    begin.action(move |f| {
        let request = f.take(request);
        f.put_after(begun, request, each);
    });
    let mut end = page.transition("end");
    let request = end.take(busy);
    let (done, free) = (end.put(completions), end.put(free));
    end.action(move |f| {
        let mut request = f.take(request);
        request.status = Status::Done;
        f.put(done, request);
        f.put(free, ());
    });
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::Direction;
    use petrio_engine::Engine;

    #[test]
    fn each_request_takes_the_same_time_one_after_the_other() {
        let system = Pace::Even(Duration::new(Time::from_millis(5))).system().unwrap();
        let mut engine = Engine::new(&system, 1, 0);
        let program = engine.program(0).unwrap();
        for direction in [Direction::Read, Direction::Write, Direction::Flush] {
            let request = BlockRequest { direction, blocks: 1, ..BlockRequest::default() };
            engine.submit(program, request, Time::ZERO).unwrap();
        }
        let mut ends = Vec::new();
        while engine.under_way() > 0 {
            ends.extend(engine.advance(Time::NEVER).unwrap().into_iter().map(|done| done.at.as_millis()));
        }
        assert_eq!(ends, [5.0, 10.0, 15.0]);
    }
}
