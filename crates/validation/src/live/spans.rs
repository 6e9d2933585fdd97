//! When a device had something to do, and which part of a time that makes the I/O's.

use super::bed::Served;
use petrio_kernel::Time;
use std::io;
use std::path::Path;

/// What is longer than a turn of the platters (7200 rpm) without a request is no I/O: a program computes, sleeps or ends meanwhile. What is
/// shorter belongs to it: where the platters stand when the next request comes follows from it.
const TURN: Time = Time::from_micros(8_334);

/// From when to when each request was under way.
pub(super) type Spans = Vec<(Time, Time)>;

/// Of an emulated device.
pub(super) fn of(served: &[Served]) -> Spans {
    served.iter().map(|one| (one.arrived, one.arrived.saturating_add(one.took))).collect()
}

/// Of simulated ones: a log of devices (`--device-log`) as CSV.
pub(super) fn of_log(log: &Path) -> io::Result<Spans> {
    let text = std::fs::read_to_string(log)?;
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name| heads.iter().position(|head| *head == name);
    let (Some(begin), Some(end)) = (column("time_s"), column("completed_s")) else {
        return Err(io::Error::other("a device log without times"));
    };
    let time = |cells: &[&str], at: usize| {
        let seconds = cells.get(at).and_then(|cell| cell.parse::<f64>().ok());
        seconds
            .map(Time::from_seconds)
            .ok_or_else(|| io::Error::other("a device log with a line without times"))
    };
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            Ok((time(&cells, begin)?, time(&cells, end)?))
        })
        .collect()
}

/// For how much of a time a device had something to do.
pub(super) fn busy(spans: &Spans, within: (Time, Time)) -> Time {
    merged(spans, within)
        .iter()
        .fold(Time::ZERO, |sum, (begin, end)| sum.saturating_add(end.saturating_sub(*begin)))
}

/// The I/O's part of a time: from the first request in it to the end of the last, without what was longer than a turn without any.
pub(super) fn io_part(spans: &Spans, within: (Time, Time)) -> Time {
    let merged = merged(spans, within);
    let between =
        merged.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].1)).filter(|gap| *gap <= TURN);
    between.fold(busy(spans, within), Time::saturating_add)
}

/// What lies in a time, those that overlap as one.
fn merged(spans: &Spans, (from, to): (Time, Time)) -> Spans {
    let mut spans: Spans = spans.iter().map(|(begin, end)| ((*begin).max(from), (*end).min(to))).collect();
    spans.retain(|(begin, end)| begin < end);
    spans.sort();
    let mut all = Spans::new();
    for (begin, end) in spans {
        match all.last_mut() {
            Some((_, last)) if begin <= *last => *last = (*last).max(end),
            _ => all.push((begin, end)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn span((from, to): (u64, u64)) -> (Time, Time) {
        (Time::from_millis(from), Time::from_millis(to))
    }

    #[test]
    fn a_disk_is_busy_once_for_requests_that_overlap_and_only_within_the_time_asked_for() {
        // Before, over the beginning, within another, over the end.
        let spans = [(0, 5), (20, 50), (8, 12), (25, 30), (90, 140)].map(span).to_vec();
        assert_eq!(busy(&spans, span((10, 100))), Time::from_millis(2 + 30 + 10));
    }

    #[test]
    fn what_is_longer_than_a_turn_without_a_request_is_not_the_ios() {
        // 4 ms of thinking are, 30 aren't, nor is what comes before the first or after the last.
        let spans = [(10, 12), (16, 20), (50, 51)].map(span).to_vec();
        assert_eq!(io_part(&spans, span((0, 100))), Time::from_millis(2 + 4 + 4 + 1));
        assert_eq!(io_part(&Spans::new(), span((0, 100))), Time::ZERO);
    }

    #[test]
    fn a_log_of_devices_tells_its_spans_by_the_names_of_its_columns() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.csv");
        std::fs::write(&log, "device,time_s,blocks,completed_s\nd,0.010,8,0.012\nd,0.016,8,0.020\n").unwrap();
        assert_eq!(of_log(&log).unwrap(), [(10, 12), (16, 20)].map(span));
        std::fs::write(&log, "device,time_s,completed_s\nd,0.010\n").unwrap();
        assert!(of_log(&log).is_err());
    }
}
