//! What can be timed: a device that serves one request at a time, and a clock beside it.

mod simulated;

pub use simulated::{Paced, Simulated};

use std::io;

/// When a request was given to the device, and when it was done, in seconds of the device's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// When it was given.
    pub begin: f64,
    /// When it was done.
    pub end: f64,
}

impl Timing {
    /// How long it took.
    pub fn span(self) -> f64 {
        self.end - self.begin
    }
}

/// A device that can be timed. Addresses count its own sectors.
pub trait TimedDrive {
    /// Sectors that it offers.
    fn sectors(&self) -> u64;
    /// Bytes of a sector.
    fn sector_bytes(&self) -> u64;
    /// Sectors of those on the medium: a write of fewer takes a turn more, as the others are read first.
    fn physical_sectors(&self) -> u64;
    /// The time, in seconds.
    fn now(&mut self) -> f64;
    /// Nothing is asked of it for so many seconds.
    fn wait(&mut self, seconds: f64);
    /// Reads sectors, past all caches but the device's own.
    ///
    /// # Errors
    /// The system's.
    fn read(&mut self, sector: u64, sectors: u64) -> io::Result<Timing>;
    /// What is in these runs (first sector, sectors) will be written to some of them: it is remembered, where that needs to
    /// be, in place of what was before.
    ///
    /// # Errors
    /// The system's.
    fn keep(&mut self, runs: &[(u64, u64)]) -> io::Result<()>;
    /// Writes sectors, with what is in them already; `through` says that they must be on the medium before it is done.
    ///
    /// # Errors
    /// The system's, or that nothing may be written.
    fn rewrite(&mut self, sector: u64, sectors: u64, through: bool) -> io::Result<Timing>;
}
