//! By hour: of the day where the trace's clock is known, otherwise since its beginning.

use super::transfer::{Transfer, Way};
use petrio_time::Time;
use petrio_units::numbers::as_index;
use serde::Serialize;

const HOUR_PS: u64 = 3_600_000_000_000_000;
const HOURS_A_DAY: usize = 24;

#[derive(Debug)]
pub(super) struct Hours {
    /// Picoseconds from the hour's beginning to the trace's origin.
    into_hour_ps: u64,
    /// The hour of the day of the origin, where the clock is known.
    first_of_day: Option<u64>,
    rows: Vec<Hour>,
}

/// What was asked for within an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Hour {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
}

/// Requests by hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ByHour {
    /// Whether the hours are those of the day, 24 of them from midnight; otherwise they are those since the trace
    /// began.
    pub of_day: bool,
    /// Each hour.
    pub hours: Vec<Hour>,
}

impl Hours {
    /// `origin_seconds` is the trace's time zero as seconds of the day, or of any clock that began at midnight.
    pub(super) fn new(origin_seconds: Option<u64>) -> Self {
        let of_hour = origin_seconds.unwrap_or(0) % 3_600;
        Self {
            into_hour_ps: Time::from_whole_seconds(of_hour).as_picos(),
            first_of_day: origin_seconds.map(|seconds| seconds / 3_600 % HOURS_A_DAY as u64),
            rows: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, transfer: &Transfer) {
        let since = (transfer.time.as_picos().saturating_add(self.into_hour_ps) / HOUR_PS) as usize;
        let row = match self.first_of_day {
            Some(first) => (since + as_index(first)) % HOURS_A_DAY,
            None => since,
        };
        if row >= self.rows.len() {
            // At most the 5,124 hours that petrio's time holds.
            self.rows.resize(row + 1, Hour::default());
        }
        let hour = &mut self.rows[row];
        let (requests, bytes) = match transfer.way {
            Way::Read => (&mut hour.reads, &mut hour.bytes_read),
            Way::Write => (&mut hour.writes, &mut hour.bytes_written),
        };
        *requests += 1;
        *bytes = bytes.saturating_add(transfer.length);
    }

    pub(super) fn finish(mut self) -> ByHour {
        let of_day = self.first_of_day.is_some();
        if of_day {
            self.rows.resize(HOURS_A_DAY, Hour::default());
        }
        ByHour { of_day, hours: self.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_at(seconds: u64) -> Transfer {
        let (time, process, subject, way) = (Time::from_whole_seconds(seconds), 0, None, Way::Write);
        Transfer { time, process, subject, way, offset: None, length: 10 }
    }

    #[test]
    fn without_a_clock_hours_count_from_the_beginning() {
        let mut hours = Hours::new(None);
        [0, 3_599, 7_200].into_iter().for_each(|seconds| hours.add(&write_at(seconds)));
        let found = hours.finish();
        assert_eq!(found.hours.iter().map(|hour| hour.writes).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!((found.of_day, found.hours[0].bytes_written), (false, 20));
    }

    #[test]
    fn with_a_clock_they_are_those_of_the_day() {
        // 1 September 1990, 23:30 (the epoch's midnight is one of the day's).
        let mut hours = Hours::new(Some(652_147_200 + 23 * 3_600 + 1_800));
        [0, 1_799, 1_800, 86_400].into_iter().for_each(|seconds| hours.add(&write_at(seconds)));
        let found = hours.finish();
        assert_eq!((found.of_day, found.hours.len()), (true, 24));
        assert_eq!((found.hours[23].writes, found.hours[0].writes), (3, 1));
    }
}
