//! Drives whose parameters are known: a simulated one in the model's time, and the same by the wall clock.
//!
//! The simulated drive is [`Replay`], one command at a time, which agrees with the net's page to the picosecond. The
//! paced one completes each request when the wall clock has come as far as the model's time, so that whoever times it
//! has the noise of a real machine: late wake-ups, other processes.

use super::{TimedDrive, Timing};
use petrio_models::device::disk::{Demand, Drive, Replay};
use petrio_time::Time;
use std::io;
use std::time::{Duration, Instant};

/// What is asked of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DriveRequest {
    Read,
    Write,
    /// A write that must be on the medium before it is reported.
    WriteThrough,
}

impl DriveRequest {
    const fn write(through: bool) -> Self {
        if through { Self::WriteThrough } else { Self::Write }
    }
}

/// A simulated drive.
#[derive(Debug)]
pub struct Simulated<'a> {
    sectors: u64,
    replay: Replay<'a>,
    now: Time,
}

impl<'a> Simulated<'a> {
    /// A drive that has just been switched on.
    pub fn new(drive: &'a Drive) -> Self {
        Self { sectors: drive.blocks(), replay: Replay::new(drive), now: Time::ZERO }
    }

    fn serve(&mut self, asked: DriveRequest, block: u64, blocks: u64) -> Timing {
        let begin = self.now;
        let (write, force_unit_access) = (asked != DriveRequest::Read, asked == DriveRequest::WriteThrough);
        let demand = Demand { write, block, blocks, force_unit_access };
        self.now = self.replay.serve(demand, begin);
        Timing { begin: begin.as_seconds(), end: self.now.as_seconds() }
    }
}

impl TimedDrive for Simulated<'_> {
    fn sectors(&self) -> u64 {
        self.sectors
    }

    fn sector_bytes(&self) -> u64 {
        512
    }

    fn physical_sectors(&self) -> u64 {
        self.replay.drive().physical_sector()
    }

    fn now(&mut self) -> f64 {
        self.now.as_seconds()
    }

    fn wait(&mut self, seconds: f64) {
        self.now += Time::from_seconds(seconds.max(0.0));
    }

    fn read(&mut self, sector: u64, sectors: u64) -> io::Result<Timing> {
        Ok(self.serve(DriveRequest::Read, sector, sectors))
    }

    // A simulated drive has no data.
    fn keep(&mut self, _: &[(u64, u64)]) -> io::Result<()> {
        Ok(())
    }

    fn rewrite(&mut self, sector: u64, sectors: u64, through: bool) -> io::Result<Timing> {
        Ok(self.serve(DriveRequest::write(through), sector, sectors))
    }
}

/// A simulated drive that takes its time by the wall clock.
#[derive(Debug)]
pub struct Paced<'a> {
    simulated: Simulated<'a>,
    start: Instant,
}

impl<'a> Paced<'a> {
    /// A drive that has just been switched on.
    pub fn new(drive: &'a Drive) -> Self {
        Self { simulated: Simulated::new(drive), start: Instant::now() }
    }

    /// The drive gets a request when the wall clock says, and the answer is given when it says so.
    fn timed(&mut self, asked: DriveRequest, sector: u64, sectors: u64) -> Timing {
        let begin = self.now();
        self.simulated.now = self.simulated.now.max(Time::from_seconds(begin));
        let done = self.simulated.serve(asked, sector, sectors).end;
        self.until(done);
        Timing { begin, end: self.now() }
    }

    /// Sleeps most of the time, and looks at the clock for the rest: a sleep ends late.
    fn until(&mut self, seconds: f64) {
        const LATE: f64 = 0.000_3;
        let left = seconds - self.now();
        if left > LATE {
            std::thread::sleep(Duration::from_secs_f64(left - LATE));
        }
        while self.now() < seconds {
            std::hint::spin_loop();
        }
    }
}

impl TimedDrive for Paced<'_> {
    fn sectors(&self) -> u64 {
        self.simulated.sectors()
    }

    fn sector_bytes(&self) -> u64 {
        self.simulated.sector_bytes()
    }

    fn physical_sectors(&self) -> u64 {
        self.simulated.physical_sectors()
    }

    fn now(&mut self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn wait(&mut self, seconds: f64) {
        let until = self.now() + seconds.max(0.0);
        self.until(until);
    }

    fn read(&mut self, sector: u64, sectors: u64) -> io::Result<Timing> {
        Ok(self.timed(DriveRequest::Read, sector, sectors))
    }

    // A simulated drive has no data.
    fn keep(&mut self, _: &[(u64, u64)]) -> io::Result<()> {
        Ok(())
    }

    fn rewrite(&mut self, sector: u64, sectors: u64, through: bool) -> io::Result<Timing> {
        Ok(self.timed(DriveRequest::write(through), sector, sectors))
    }
}
