//! The hand that asks: requests that are counted, places that aren't in the cache, and the platters' phase.
//!
//! The platters turn evenly, so the time at which a read from the medium completes tells at which angle its last sector
//! lies: where that time stands within the period (Gim & Won, "Extract and infer quickly: obtaining sector geometry of
//! modern hard disk drives", ACM TOS 6(2), 2010). A read is one from the medium if the drive has read elsewhere before it
//! and it takes longer than reads from the cache do. As the period is known to no more than so many digits, a sector is
//! looked at again and again, and the phase is kept by it.

use super::effort::Effort;
use super::error::DriveCalibrationError;
use crate::timed::{TimedDrive, Timing};

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// How long, in seconds, the phase is trusted without a look at the sector that it is kept by, at the least and at the most:
/// as the period is better known, for longer, but a drive's clock isn't this machine's.
const TRUSTED_S: [f64; 2] = [0.25, 2.0];
/// Part of the time over which the period was measured that the phase is trusted: what strays then is that much less than
/// in a single look.
const TRUSTED_PART: f64 = 1.0 / 32.0;
/// Fewest and most reads elsewhere by which a sector is driven out of the cache. However little is measured, a cache is no
/// reason to know nothing of what lies behind it: only one of more segments than drives have is.
const FEWEST: u64 = 4;
const MOST: u64 = 4096;

/// A device, and what is known of it so far.
pub(super) struct Probe<'a> {
    drive: &'a mut dyn TimedDrive,
    pub(super) effort: Effort,
    requests: u64,
    random: u64,
    /// What takes no longer comes from the cache; zero without one.
    pub(super) hit_below: f64,
    /// What a sector from the cache takes, in seconds.
    pub(super) hit: f64,
    /// Whether the cache has one segment.
    pub(super) lone: bool,
    /// Whether the drive goes on reading after a read.
    pub(super) reads_ahead: bool,
    /// Segments of the cache, once they are known.
    pub(super) segments: u64,
    /// Reads elsewhere that were enough, the last time, for a sector to be forgotten.
    enough: u64,
    /// Seconds of a turn; zero until it is known.
    pub(super) period: f64,
    /// By how much completions of the same sector stray, in turns.
    pub(super) stray: f64,
    /// By which part of a turn a write completes later than a read of its sector would have.
    pub(super) write_lag: f64,
    /// The sector that the phase is kept by, when it came first and last, and turns between.
    pub(super) anchor: Anchor,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Anchor {
    pub(super) sector: u64,
    pub(super) first: f64,
    pub(super) last: f64,
    pub(super) turns: f64,
}

impl<'a> Probe<'a> {
    pub(super) fn new(drive: &'a mut dyn TimedDrive, effort: &Effort) -> Self {
        Self {
            drive,
            effort: effort.clone(),
            requests: 0,
            random: effort.seed,
            hit_below: 0.0,
            hit: 0.0,
            lone: false,
            reads_ahead: false,
            segments: 0,
            enough: FEWEST,
            period: 0.0,
            stray: 0.0,
            write_lag: 0.0,
            anchor: Anchor::default(),
        }
    }

    pub(super) fn sectors(&self) -> u64 {
        self.drive.sectors()
    }

    pub(super) fn sector_bytes(&self) -> u64 {
        self.drive.sector_bytes()
    }

    /// Sectors that are written together, so that nothing need be read before.
    pub(super) fn written_together(&self) -> u64 {
        self.drive.physical_sectors().max(1)
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    pub(super) fn now(&mut self) -> f64 {
        self.drive.now()
    }

    pub(super) fn wait(&mut self, seconds: f64) {
        self.drive.wait(seconds);
    }

    fn count(&mut self) -> Result<()> {
        self.requests += 1;
        if self.requests > self.effort.requests {
            return Err(DriveCalibrationError::TooMany { requests: self.effort.requests });
        }
        Ok(())
    }

    pub(super) fn read(&mut self, sector: u64, sectors: u64) -> Result<Timing> {
        self.count()?;
        let sector = sector.min(self.sectors() - sectors);
        self.drive.read(sector, sectors).map_err(|source| DriveCalibrationError::Request {
            action: "read",
            sector,
            source,
        })
    }

    /// Writes the physical sector that ends with a sector, which must be on the medium before it is done.
    pub(super) fn rewrite_to(&mut self, last: u64) -> Result<Timing> {
        let together = self.written_together();
        self.rewrite((last + 1).saturating_sub(together), together, true)
    }

    /// The first sector from one on that ends a physical one.
    pub(super) fn physical_end(&self, sector: u64) -> u64 {
        let together = self.written_together();
        (sector + 1).next_multiple_of(together) - 1
    }

    /// `through` says that it must be on the medium before it is done.
    pub(super) fn rewrite(&mut self, sector: u64, sectors: u64, through: bool) -> Result<Timing> {
        self.count()?;
        let sector = sector.min(self.sectors() - sectors);
        let written = self.drive.rewrite(sector, sectors, through);
        written.map_err(|source| DriveCalibrationError::Request { action: "write", sector, source })
    }

    /// What is in these runs (first sector, sectors) will be written to some of them.
    pub(super) fn keep(&mut self, runs: &[(u64, u64)]) -> Result<()> {
        let Some((sector, _)) = runs.first().copied() else { return Ok(()) };
        self.count()?;
        self.drive.keep(runs).map_err(|source| DriveCalibrationError::Request {
            action: "read",
            sector,
            source,
        })
    }

    /// A pseudo-random number below a bound (SplitMix64, Steele et al., OOPSLA 2014).
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * u128::from(bound.max(1))) >> 64) as u64
    }

    /// A part of one, evenly.
    pub(super) fn part(&mut self) -> f64 {
        self.below(1 << 40) as f64 / (1u64 << 40) as f64
    }

    /// Reads a sector an eighth of the device away from here, so that reading ahead stops, and the arm comes from elsewhere.
    pub(super) fn elsewhere(&mut self, sector: u64) -> Result<Timing> {
        let all = self.sectors();
        let away = all / 12 + self.below(all / 12);
        let there = if sector + away < all { sector + away } else { sector.saturating_sub(away) };
        self.read(there, 1)
    }

    /// Reads from all over the device, until so many others are in the cache.
    pub(super) fn displace(&mut self, segments: u64) -> Result<()> {
        for _ in 0..segments {
            let place = self.below(self.sectors());
            self.read(place, 1)?;
        }
        Ok(())
    }

    /// Reads elsewhere until what was read before is most likely forgotten; twice as many each `time`.
    pub(super) fn forget(&mut self, time: u32) -> Result<()> {
        let least = self.enough.max(self.segments) + FEWEST;
        self.displace(least << time.saturating_sub(1).min(4))
    }

    /// Reads a sector from the medium, after the arm was elsewhere.
    pub(super) fn fresh(&mut self, sector: u64) -> Result<Timing> {
        // Each look takes the sector in again, so that what comes between two of them has to be enough by itself.
        let mut displaced = (self.enough / 2).max(FEWEST);
        loop {
            self.elsewhere(sector)?;
            let timing = self.read(sector, 1)?;
            if timing.span() > self.hit_below {
                return Ok(timing);
            }
            if displaced > MOST {
                return Err(DriveCalibrationError::AlwaysCached { sector });
            }
            self.displace(displaced)?;
            self.enough = displaced;
            displaced *= 2;
        }
    }

    /// The angle of a time, in turns from the phase's sector.
    pub(super) fn phase(&self, at: f64) -> f64 {
        let turns = (at - self.anchor.last) / self.period;
        turns - turns.floor()
    }

    /// Looks at the phase's sector, if that is long ago.
    pub(super) fn keep_phase(&mut self) -> Result<()> {
        let now = self.now();
        let trusted =
            ((self.anchor.last - self.anchor.first) * TRUSTED_PART).clamp(TRUSTED_S[0], TRUSTED_S[1]);
        if now - self.anchor.last < trusted {
            return Ok(());
        }
        let (mut best, mut least) = (0.0, f64::INFINITY);
        for _ in 0..3 {
            let end = self.fresh(self.anchor.sector)?.end;
            let turns = (end - self.anchor.last) / self.period;
            let off = (turns - turns.round()).abs();
            if off < least {
                (best, least) = (end, off);
            }
            if off <= self.stray.max(1e-6) {
                break;
            }
        }
        self.anchor.turns += ((best - self.anchor.last) / self.period).round();
        self.anchor.last = best;
        self.period = (self.anchor.last - self.anchor.first) / self.anchor.turns;
        Ok(())
    }

    /// At which angle a sector's end lies, in turns. Where completions stray, the earliest of two that agree.
    pub(super) fn angle(&mut self, sector: u64) -> Result<f64> {
        self.keep_phase()?;
        let end = self.fresh(sector)?.end;
        let mut found = self.phase(end);
        if self.stray < 1e-5 {
            return Ok(found);
        }
        let mut seen = vec![found];
        for _ in 0..6 {
            let end = self.fresh(sector)?.end;
            let again = self.phase(end);
            let near = seen.iter().copied().find(|other| difference(again, *other).abs() <= 2.0 * self.stray);
            if let Some(other) = near {
                found = if difference(again, other) < 0.0 { again } else { other };
                break;
            }
            seen.push(again);
        }
        Ok(found)
    }
}

/// `a − b` on a circle, from minus a half to a half.
pub(super) fn difference(a: f64, b: f64) -> f64 {
    let turns = a - b;
    turns - turns.round()
}
