//! One generator's draws: where the next request goes, how long it is, what it waits for.

use super::error::SyntheticError;
use crate::popularity::PlacePicker;
use petrio_colours::Direction;
use petrio_distribution::{Distribution, uniform, uniform_below};
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, whole_part};
use rand_core::Rng;

/// A generator's parameters as plain numbers: times in picoseconds, places and lengths in units of the alignment where
/// not said otherwise.
#[derive(Clone, Debug, Persist)]
pub(super) struct Plan {
    /// Which generator, from 1, for messages.
    pub(super) number: usize,
    pub(super) devices: Vec<u32>,
    /// Units on each device.
    pub(super) units: u64,
    /// Blocks in a unit.
    pub(super) alignment: u64,
    /// Which units are asked for more often than others.
    pub(super) popularity: Option<PlacePicker>,
    pub(super) read: f64,
    pub(super) sequential: f64,
    pub(super) local: f64,
    pub(super) time_critical: f64,
    pub(super) time_limited: f64,
    #[persist(keep)]
    pub(super) time_limit: Distribution,
    /// Factor on think times.
    #[persist(keep)]
    pub(super) time_scale: f64,
    #[persist(keep)]
    pub(super) inter_arrival: Distribution,
    #[persist(keep)]
    pub(super) sequential_inter_arrival: Distribution,
    #[persist(keep)]
    pub(super) local_inter_arrival: Distribution,
    /// In blocks.
    #[persist(keep)]
    pub(super) local_distance: Distribution,
    /// In blocks.
    #[persist(keep)]
    pub(super) size: Distribution,
}

/// What a generator does once a request is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Urgency {
    /// Thinks on.
    NotCritical,
    /// Waits for it.
    Critical,
    /// Thinks on for so many picoseconds, then waits for it.
    Limited(u64),
}

/// A request drawn and not yet issued.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Drawn {
    /// Think time before it, in picoseconds.
    pub(super) think: u64,
    pub(super) device: u32,
    /// First unit and number of units.
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) direction: Direction,
    pub(super) urgency: Urgency,
}

/// So many draws in vain, and the distribution and the device don't go together.
const DRAWS_MAX: u32 = 100_000;

impl Plan {
    /// Whether it ever waits or thinks: otherwise it issues without end at one point of time.
    pub(super) fn lets_time_pass(&self) -> bool {
        let thinks = [
            (1.0 - self.sequential - self.local, &self.inter_arrival),
            (self.sequential, &self.sequential_inter_arrival),
            (self.local, &self.local_inter_arrival),
        ];
        self.time_critical + self.time_limited > 0.0
            || thinks.into_iter().any(|(share, think)| share > 0.0 && think.supremum() > 0.0)
    }

    /// The next request after `previous`; the first one is neither sequential nor local.
    pub(super) fn draw(
        &self,
        previous: Option<&Drawn>,
        random: &mut impl Rng,
    ) -> Result<Drawn, SyntheticError> {
        let Some(previous) = previous else { return self.anywhere(random) };
        let kind = uniform(random);
        let mut next = if kind < self.sequential {
            let start = previous.start + previous.length;
            if start + previous.length <= self.units {
                let think = self.time(
                    (&self.sequential_inter_arrival, self.time_scale),
                    "sequential_inter_arrival",
                    random,
                )?;
                Drawn { think, start, ..*previous }
            } else {
                // At the end of the device there is no next place.
                return self.anywhere(random);
            }
        } else if kind < self.sequential + self.local {
            self.near(previous, random)?
        } else {
            return self.anywhere(random);
        };
        next.urgency = self.urgency(random)?;
        Ok(next)
    }

    fn anywhere(&self, random: &mut impl Rng) -> Result<Drawn, SyntheticError> {
        let think = self.time((&self.inter_arrival, self.time_scale), "inter_arrival", random)?;
        let device = self.devices[as_index(uniform_below(self.devices.len() as u64, random))];
        let (start, length) = self.until("size", || {
            let start = match &self.popularity {
                Some(picker) => picker.pick(random),
                None => uniform_below(self.units, random),
            };
            let length = self.length(random)?;
            (start + length <= self.units).then_some((start, length))
        })?;
        let direction = self.direction(random);
        let urgency = self.urgency(random)?;
        Ok(Drawn { think, device, start, length, direction, urgency })
    }

    fn near(&self, previous: &Drawn, random: &mut impl Rng) -> Result<Drawn, SyntheticError> {
        let think = self.time((&self.local_inter_arrival, self.time_scale), "local_inter_arrival", random)?;
        let (start, length) = self.until("local_distance", || {
            // Truncated toward zero twice, as the C program does.
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the cast saturates: what is so far away is on no device"
            )]
            let distance =
                self.local_distance.sample(random) as i64 / self.alignment.min(i64::MAX as u64) as i64;
            let start = previous.start.checked_add_signed(distance);
            let length = self.length(random);
            let (start, length) = (start?, length?);
            (start <= self.units && length <= self.units - start).then_some((start, length))
        })?;
        Ok(Drawn { think, start, length, direction: self.direction(random), ..*previous })
    }

    /// A length in units, rounded up from whole blocks; `None` for a draw that is no request.
    fn length(&self, random: &mut impl Rng) -> Option<u64> {
        let blocks = self.size.sample(random);
        if blocks < 1.0 || blocks > f64::from(u32::MAX) {
            return None;
        }
        let length = whole_part(blocks).div_ceil(self.alignment);
        // The wire's lengths have 32 bits.
        let fits = length.checked_mul(self.alignment).is_some_and(|blocks| u32::try_from(blocks).is_ok());
        (fits && length <= self.units).then_some(length)
    }

    fn direction(&self, random: &mut impl Rng) -> Direction {
        if uniform(random) < self.read { Direction::Read } else { Direction::Write }
    }

    fn urgency(&self, random: &mut impl Rng) -> Result<Urgency, SyntheticError> {
        let class = uniform(random);
        Ok(if class < self.time_critical {
            Urgency::Critical
        } else if class < self.time_critical + self.time_limited {
            Urgency::Limited(self.time((&self.time_limit, 1.0), "time_limit", random)?)
        } else {
            Urgency::NotCritical
        })
    }

    /// A time in picoseconds; negative draws are drawn again. What is beyond the horizon means never.
    fn time(
        &self,
        (distribution, scale): (&Distribution, f64),
        parameter: &'static str,
        random: &mut impl Rng,
    ) -> Result<u64, SyntheticError> {
        self.until(parameter, || {
            let picoseconds = distribution.sample(random);
            // A cast from a float saturates.
            (picoseconds >= 0.0).then_some(whole_part(picoseconds * scale + 0.5))
        })
    }

    fn until<T>(
        &self,
        parameter: &'static str,
        mut attempt: impl FnMut() -> Option<T>,
    ) -> Result<T, SyntheticError> {
        (0..DRAWS_MAX).find_map(|_| attempt()).ok_or(SyntheticError::Redraws {
            generator: self.number,
            parameter,
            draws: DRAWS_MAX,
        })
    }
}
