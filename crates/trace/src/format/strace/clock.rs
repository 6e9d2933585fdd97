//! What the times at the beginning of lines mean: since 1970 (`-ttt`), of the day (`-t`, `-tt`), since the line before (`-r`), or
//! nothing, where strace wasn't asked for any.

use super::line::Line;
use petrio_time::Time;

const SECOND: u128 = 1_000_000_000_000;
const DAY: u128 = 86_400 * SECOND;
/// Times since 1970 are of this century or the last years of the one before.
const THE_YEAR_1973: u128 = 100_000_000 * SECOND;

/// What stands at the beginning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// A number of seconds, as picoseconds.
    Seconds(u128),
    /// Hours, minutes and seconds, as picoseconds since midnight.
    OfDay(u128),
    /// Nothing.
    Missing,
}

/// Brings the lines of a trace to one clock.
#[derive(Default)]
pub(super) struct Clock {
    /// Whether seconds are those since the line before.
    is_relative: bool,
    /// Whether a line had seconds since 1970.
    is_since_1970: bool,
    days: u128,
    of_day: u128,
    now: u128,
}

impl Clock {
    /// As the first lines of a trace tell it.
    pub(super) fn of(lines: &[&[u8]]) -> Self {
        let seconds = |line: &&[u8]| match Line::of(line)?.stamp {
            Stamp::Seconds(seconds) => Some(seconds),
            Stamp::OfDay(_) | Stamp::Missing => None,
        };
        let seconds: Vec<u128> = lines.iter().filter_map(seconds).collect();
        let small = seconds.iter().all(|seconds| *seconds < THE_YEAR_1973);
        // Nothing is at the beginning of 1970, and times that fall back aren't of one clock.
        let falls_back = seconds.windows(2).any(|pair| pair[1] < pair[0]);
        let is_relative = small && (seconds.first() == Some(&0) || falls_back);
        Self { is_relative, ..Self::default() }
    }

    /// When a line's call began, in picoseconds since some beginning.
    pub(super) fn at(&mut self, stamp: Stamp) -> u128 {
        match stamp {
            Stamp::Seconds(since) if self.is_relative => self.now = self.now.saturating_add(since),
            Stamp::Seconds(at) => {
                self.is_since_1970 = true;
                self.now = at;
            }
            Stamp::OfDay(of_day) => {
                // Lines of several processors may be out of order by a little, and a day has passed where by much.
                if of_day + DAY / 2 < self.of_day {
                    self.days += 1;
                } else if self.days > 0 && self.of_day + DAY / 2 < of_day {
                    // One of before midnight comes behind one of after it.
                    return (self.days - 1) * DAY + of_day;
                }
                self.of_day = of_day;
                self.now = self.days * DAY + of_day;
            }
            Stamp::Missing => {}
        }
        self.now
    }

    /// A call without a time is over: the next begins when it has taken its time.
    pub(super) fn passes(&mut self, service: Option<Time>) {
        self.now = self.now.saturating_add(service.unwrap_or_default().as_picos().into());
    }

    /// Whether it counts from 1970.
    pub(super) const fn is_since_1970(&self) -> bool {
        self.is_since_1970
    }
}

/// `10:00:00.000100` or `10:00:00` as picoseconds since midnight.
pub(super) fn of_day(text: &[u8]) -> Option<u128> {
    let two = |at: usize| {
        let digits = text.get(at..at + 2)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| u128::from(digits[0] - b'0') * 10 + u128::from(digits[1] - b'0'))
    };
    let (hours, minutes, seconds) = (two(0)?, two(3)?, two(6)?);
    if text.get(2) != Some(&b':') || text.get(5) != Some(&b':') || hours > 23 || minutes > 59 || seconds > 60
    {
        return None;
    }
    let fraction = match text.get(8..)? {
        [] => 0,
        [b'.', digits @ ..] if (1..=12).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) => {
            let value = digits.iter().fold(0_u128, |value, digit| value * 10 + u128::from(digit - b'0'));
            value * 10_u128.pow(12 - u32::try_from(digits.len()).ok()?)
        }
        _ => return None,
    };
    Some((hours * 3_600 + minutes * 60 + seconds) * SECOND + fraction)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_time_of_the_day_goes_on_after_midnight() {
        assert_eq!(of_day(b"10:00:00.000100"), Some(36_000 * SECOND + SECOND / 10_000));
        assert_eq!(of_day(b"23:59:59"), Some(86_399 * SECOND));
        for wrong in [&b"24:00:00"[..], b"10:60:00", b"10:00", b"10-00-00", b"10:00:00.", b"1:00:00", b""] {
            assert_eq!(of_day(wrong), None);
        }
        let mut clock = Clock::default();
        let at = |clock: &mut Clock, text: &[u8]| clock.at(Stamp::OfDay(of_day(text).unwrap())) / SECOND;
        let late = [&b"23:59:58"[..], b"23:59:59", b"00:00:01", b"23:59:59.9", b"00:00:02"];
        assert_eq!(late.map(|text| at(&mut clock, text)), [86_398, 86_399, 86_401, 86_399, 86_402]);
        assert!(!clock.is_since_1970());
    }
}
