//! One interval of a disk, and what is made whole of all of them.

use crate::observed::{Column, Row};

/// What was seen in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// When it ended, seconds of a clock that begins anywhere; where that is known.
    pub end_s: Option<f64>,
    /// How long it was, seconds; where that is known.
    pub length_s: Option<f64>,
    /// Its reads.
    pub reads: Requests,
    /// Its writes.
    pub writes: Requests,
    /// How long a request took from when it was queued to its completion, seconds, where it was told of reads and writes together.
    pub await_s: Option<f64>,
    /// How many were under way on average; where it was told.
    pub in_flight: Option<f64>,
    /// The part of the time in which something was under way, 0 to 1; where it was told.
    pub busy: Option<f64>,
    /// Whether reads and writes were counted together, and are told apart by their bytes.
    pub together: bool,
}

/// Requests of a direction in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Requests {
    /// How many a second.
    pub per_s: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// How long one took, from when it was queued to its completion, seconds; where it was told and there were any.
    pub await_s: Option<f64>,
}

impl Requests {
    /// The mean length of one, bytes; nothing where there were none, or no bytes.
    pub fn size(&self) -> Option<f64> {
        (self.per_s > 0.0 && self.bytes_per_s > 0.0).then(|| self.bytes_per_s / self.per_s)
    }
}

impl Interval {
    /// Requests a second.
    pub fn rate(&self) -> f64 {
        self.reads.per_s + self.writes.per_s
    }

    /// How long a request took, seconds, of reads and writes together.
    pub fn await_of_both(&self) -> Option<f64> {
        if self.await_s.is_some() || self.rate() <= 0.0 {
            return self.await_s.filter(|_| self.rate() > 0.0);
        }
        let of = |requests: &Requests| match requests.per_s {
            none if none <= 0.0 => Some(0.0),
            per_s => requests.await_s.map(|each| each * per_s),
        };
        Some((of(&self.reads)? + of(&self.writes)?) / self.rate())
    }

    /// How many requests were under way on average: as told, else by Little's law.
    pub fn under_way(&self) -> Option<f64> {
        self.in_flight.or_else(|| Some(self.await_of_both()? * self.rate()))
    }

    /// Of a row of iostat's or sar's.
    pub(super) fn of_row(row: &Row) -> Self {
        let milliseconds =
            |column: Column, per_s: f64| row.value(column).filter(|_| per_s > 0.0).map(|each| each / 1e3);
        let (read, written) = (row.bytes(true), row.bytes(false));
        let (reads, writes, together) = match (row.value(Column::Reads), row.value(Column::Requests)) {
            (Some(reads), _) => (reads, row.value(Column::Writes).unwrap_or(0.0), false),
            // Taken to be of one length.
            (None, Some(all)) if read + written > 0.0 => {
                (all * read / (read + written), all * written / (read + written), true)
            }
            _ => (0.0, 0.0, true),
        };
        Self {
            reads: Requests {
                per_s: reads,
                bytes_per_s: read,
                await_s: milliseconds(Column::ReadAwait, reads),
            },
            writes: Requests {
                per_s: writes,
                bytes_per_s: written,
                await_s: milliseconds(Column::WriteAwait, writes),
            },
            await_s: milliseconds(Column::Await, reads + writes),
            in_flight: row.value(Column::UnderWay),
            // Rounding, and an interval that is a little longer than asked for, make a little more than all of it.
            busy: row.value(Column::Busy).map(|percent| (percent / 100.0).min(1.0)),
            together,
            ..Self::default()
        }
    }
}

/// Fills in lengths where they aren't known: as long as the middle one, or as somebody says. Tells of gaps.
pub(super) fn completed(intervals: &mut [Interval], said_s: Option<f64>) -> Option<String> {
    let mut lengths: Vec<f64> = intervals.iter().filter_map(|interval| interval.length_s).collect();
    lengths.sort_by(f64::total_cmp);
    let usual = said_s.or_else(|| lengths.get(lengths.len() / 2).copied());
    let mut gaps = 0;
    let mut before: Option<f64> = None;
    for interval in intervals.iter_mut() {
        let begin = interval.end_s.zip(interval.length_s).map(|(end, length)| end - length);
        if let (Some(before), Some(begin), Some(usual)) = (before, begin, usual) {
            gaps += usize::from(begin - before > usual / 2.0);
        }
        before = interval.end_s;
        interval.length_s = interval.length_s.or(usual);
    }
    match gaps {
        0 => None,
        1 => Some("there is a gap between its intervals; nothing is known of that time".to_owned()),
        several => {
            Some(format!("there are {several} gaps between its intervals; nothing is known of these times"))
        }
    }
}
