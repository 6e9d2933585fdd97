//! Bins of load: intervals with about as many requests a second, as one point each.

use super::Arrivals;
use super::rig::Predicted;
use petrio_kernel::statistics::student_t_quantile;
use petrio_scenario::report::Estimate;
use petrio_workload::over_time::{Interval, Requests};
use serde::Serialize;

/// Bins of what comes at any time, and of what was saturated.
const OPEN_MOST: usize = 8;
const SATURATED_MOST: usize = 2;
/// A bin has so many intervals, where there are enough of them.
const INTERVALS_LEAST: usize = 4;
/// From here on, and with a request under way, a device is taken to be saturated.
const SATURATED: f64 = 0.95;
/// A bin is run with the loads of no more parts of it.
pub(super) const PARTS_MOST: usize = 4;
/// Requests with a rate below this share of the most that a device did are its own, such as a flusher's now and then.
const IDLE: f64 = 1e-4;

/// A direction's requests in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flow {
    pub(super) per_s: f64,
    /// Bytes.
    pub(super) size: f64,
    /// Seconds; how long they took, where it was told.
    pub(super) taken: Option<Estimate>,
}

/// A bin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bin {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) members: Vec<usize>,
    pub(super) closed: bool,
    pub(super) together: bool,
    pub(super) reads: Flow,
    pub(super) writes: Flow,
    pub(super) both: Flow,
    pub(super) busy: Option<f64>,
    pub(super) in_flight: f64,
    /// What it is run with: the loads of parts of its intervals, as times grow faster than load.
    pub(super) parts: Vec<Load>,
}

/// A load, and how long it lasted beside the others of its bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) reads: Flow,
    pub(super) writes: Flow,
    pub(super) time_s: f64,
}

/// All bins of a device, from little load to much, saturated ones last.
pub(super) struct Bins {
    pub(super) all: Vec<Bin>,
}

/// A direction's requests in a bin, measured and predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PointOf {
    /// Measured requests a second.
    pub per_s: f64,
    /// Their mean length, bytes.
    pub size_bytes: f64,
    /// How long they took, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Estimate>,
    /// How long they take by the scenario, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Estimate>,
    /// Predicted by measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Estimate>,
}

/// A bin of load, measured and predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The least requests a second of its intervals.
    pub from_per_s: f64,
    /// The most.
    pub to_per_s: f64,
    /// How many intervals it is of.
    pub intervals: usize,
    /// Whether as many requests are kept under way as were measured; else they come at any time.
    pub closed: bool,
    /// Whether reads and writes were counted together.
    pub together: bool,
    /// Reads.
    pub reads: PointOf,
    /// Writes.
    pub writes: PointOf,
    /// Both.
    pub both: PointOf,
    /// The part of the time in which something was under way, measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_busy: Option<f64>,
    /// And predicted.
    pub predicted_busy: f64,
    /// How many were under way on average, measured.
    pub measured_in_flight: f64,
    /// And predicted.
    pub predicted_in_flight: f64,
    /// Requests a second that the scenario's disk serves of this load.
    pub predicted_per_s: f64,
    /// Whether more comes than it serves, so that how long requests take only says how long the run was.
    pub overloaded: bool,
}

/// One sort of a point's requests.
pub(super) type Of = fn(&Point) -> &PointOf;

/// Which sorts of requests times were told of: reads and writes, each that there was; both together where nobody told them apart.
pub(super) fn sorts(points: &[Point]) -> Vec<(&'static str, Of)> {
    let told = |of: Of| points.iter().any(|point| of(point).measured.is_some() && !point.together);
    let apart: [(&'static str, Of); 2] = [("reads", |point| &point.reads), ("writes", |point| &point.writes)];
    let found: Vec<(&'static str, Of)> = apart.into_iter().filter(|(_, of)| told(*of)).collect();
    if found.is_empty() { vec![("requests", |point| &point.both)] } else { found }
}

impl Bins {
    /// Of a device's intervals; nothing where none of them tells how long requests took.
    pub(super) fn of(intervals: &[Interval], arrivals: Arrivals) -> Option<Self> {
        let all: Vec<usize> = (0..intervals.len()).collect();
        Self::of_some(intervals, &all, (OPEN_MOST, SATURATED_MOST), arrivals)
    }

    /// Of some of them, in so many bins of each sort at most.
    pub(super) fn of_some(
        intervals: &[Interval],
        which: &[usize],
        (open_most, saturated_most): (usize, usize),
        arrivals: Arrivals,
    ) -> Option<Self> {
        let most = which.iter().map(|&number| intervals[number].rate()).fold(0.0, f64::max);
        let counts = |&number: &usize| {
            let interval = &intervals[number];
            interval.rate() > most * IDLE && interval.await_of_both().is_some_and(|taken| taken > 0.0)
        };
        let (saturated, open): (Vec<usize>, Vec<usize>) =
            which.iter().copied().filter(counts).partition(|&number| is_saturated(&intervals[number]));
        let mut bins = Vec::new();
        for (mut members, most, is_saturated) in [(open, open_most, false), (saturated, saturated_most, true)]
        {
            members.sort_by(|&a, &b| intervals[a].rate().total_cmp(&intervals[b].rate()));
            let count = (members.len() / INTERVALS_LEAST).clamp(1, most);
            let closed = is_saturated || arrivals == Arrivals::Closed;
            // As many in each, but for one.
            bins.extend((0..count).filter_map(|number| {
                let (from, to) = (members.len() * number / count, members.len() * (number + 1) / count);
                (from < to).then(|| bin(intervals, members[from..to].to_vec(), closed))
            }));
        }
        (!bins.is_empty()).then_some(Self { all: bins })
    }

    /// How many intervals are in them.
    pub(super) fn counted(&self) -> usize {
        self.all.iter().map(|bin| bin.members.len()).sum()
    }

    /// The bin of an interval.
    pub(super) fn bin_of(&self, number: usize) -> Option<usize> {
        self.all.iter().position(|bin| bin.members.contains(&number))
    }

    /// With what is predicted of each.
    pub(super) fn points(&self, predicted: &[Predicted], level: f64) -> Vec<Point> {
        self.all.iter().zip(predicted).map(|(bin, predicted)| bin.point(predicted, level)).collect()
    }
}

/// Whether a device hardly ever was without a request.
fn is_saturated(interval: &Interval) -> bool {
    interval.busy.is_some_and(|busy| busy >= SATURATED)
        && interval.under_way().is_some_and(|count| count >= 1.0)
}

/// A figure's mean over the time of some intervals.
fn mean(intervals: &[Interval], members: &[usize], of: &dyn Fn(&Interval) -> f64) -> f64 {
    let own = || members.iter().map(|&number| &intervals[number]);
    own().map(|interval| of(interval) * length(interval)).sum::<f64>() / own().map(length).sum::<f64>()
}

fn length(interval: &Interval) -> f64 {
    interval.length_s.unwrap_or(1.0)
}

/// Requests of a direction of some intervals.
fn flow(intervals: &[Interval], members: &[usize], of: fn(&Interval) -> Requests) -> Flow {
    let own = || members.iter().map(|&number| &intervals[number]);
    let per_s = mean(intervals, members, &|interval| of(interval).per_s);
    let bytes = mean(intervals, members, &|interval| of(interval).bytes_per_s);
    let times =
        own().map(|interval| (interval.rate(), of(interval).per_s * length(interval), of(interval).await_s));
    Flow { per_s, size: if per_s > 0.0 { bytes / per_s } else { 0.0 }, taken: taken(times) }
}

fn bin(intervals: &[Interval], members: Vec<usize>, closed: bool) -> Bin {
    let own = || members.iter().map(|&number| &intervals[number]);
    let (reads, writes) = (
        flow(intervals, &members, |interval| interval.reads),
        flow(intervals, &members, |interval| interval.writes),
    );
    let rate = reads.per_s + writes.per_s;
    let times =
        own().map(|interval| (interval.rate(), interval.rate() * length(interval), interval.await_of_both()));
    let both = Flow {
        per_s: rate,
        size: if rate > 0.0 { (reads.size * reads.per_s + writes.size * writes.per_s) / rate } else { 0.0 },
        taken: taken(times),
    };
    let told = own().all(|interval| interval.busy.is_some());
    let rates = || own().map(Interval::rate);
    let count = members.len().clamp(1, PARTS_MOST);
    let parts = (0..count).map(|number| {
        let part = &members[members.len() * number / count..members.len() * (number + 1) / count];
        Load {
            reads: flow(intervals, part, |interval| interval.reads),
            writes: flow(intervals, part, |interval| interval.writes),
            time_s: part.iter().map(|&number| length(&intervals[number])).sum(),
        }
    });
    Bin {
        from: rates().fold(f64::INFINITY, f64::min),
        to: rates().fold(0.0, f64::max),
        closed,
        together: own().any(|interval| interval.together),
        busy: told.then(|| mean(intervals, &members, &|interval| interval.busy.unwrap_or(0.0))),
        in_flight: mean(intervals, &members, &|interval| interval.under_way().unwrap_or(0.0)),
        parts: parts.collect(),
        reads,
        writes,
        both,
        members,
    }
}

/// The mean time of requests over intervals, each weighted by how many it had, with its standard error (of a ratio of two means: W. G. Cochran,
/// *Sampling Techniques*, section 6.3) as the half-width. Each is a rate, a weight and a time; that times grow with the rate is no error.
fn taken(values: impl Iterator<Item = (f64, f64, Option<f64>)>) -> Option<Estimate> {
    let known: Vec<(f64, f64, f64)> = values
        .filter(|(_, weight, _)| *weight > 0.0)
        .filter_map(|(rate, weight, each)| Some((rate, weight, each.filter(|each| *each > 0.0)?)))
        .collect();
    let whole: f64 = known.iter().map(|(_, weight, _)| weight).sum();
    if whole <= 0.0 {
        return None;
    }
    let mean = |of: fn(&(f64, f64, f64)) -> f64| known.iter().map(|one| one.1 * of(one)).sum::<f64>() / whole;
    let (rate, value) = (mean(|one| one.0), mean(|one| one.2));
    let count = known.len() as f64;
    // A straight line through them, where there are enough.
    let square = |value: f64| value * value;
    let spread: f64 = known.iter().map(|one| one.1 * square(one.0 - rate)).sum();
    let along: f64 = known.iter().map(|one| one.1 * (one.0 - rate) * (one.2 - value)).sum();
    let has_line = known.len() > 3 && spread > 0.0;
    let (slope, freedom) = if has_line { (along / spread, count - 2.0) } else { (0.0, count - 1.0) };
    let off = |one: &(f64, f64, f64)| one.1 * (one.2 - value - slope * (one.0 - rate));
    let squares: f64 = known.iter().map(|one| square(off(one))).sum();
    let error = libm::sqrt(squares * count / freedom) / whole;
    Some(Estimate { value, half_width: Some(error).filter(|error| error.is_finite()) })
}

impl Bin {
    fn point(&self, predicted: &Predicted, level: f64) -> Point {
        let overloaded = predicted.overloaded;
        // The half-width of a bin's measurement is its standard error by now.
        let freedom = self.members.len().saturating_sub(if self.members.len() > 3 { 2 } else { 1 }).max(1);
        let t = student_t_quantile(f64::midpoint(1.0, level), freedom as f64);
        let of = |flow: &Flow, predicted: Option<Estimate>| {
            let measured = flow
                .taken
                .map(|taken| Estimate { half_width: taken.half_width.map(|error| error * t), ..taken });
            PointOf {
                per_s: flow.per_s,
                size_bytes: flow.size,
                measured,
                predicted,
                ratio: measured
                    .zip(predicted)
                    .filter(|_| !overloaded)
                    .map(|(measured, predicted)| ratio(predicted, measured)),
            }
        };
        Point {
            from_per_s: self.from,
            to_per_s: self.to,
            intervals: self.members.len(),
            closed: self.closed,
            together: self.together,
            reads: of(&self.reads, predicted.reads),
            writes: of(&self.writes, predicted.writes),
            both: of(&self.both, predicted.both),
            measured_busy: self.busy,
            predicted_busy: predicted.busy,
            measured_in_flight: self.in_flight,
            predicted_in_flight: predicted.in_flight,
            predicted_per_s: predicted.per_s,
            overloaded,
        }
    }
}

/// Predicted by measured, with the interval of both: their parts add up by squares, as of independent errors.
fn ratio(predicted: Estimate, measured: Estimate) -> Estimate {
    let value = predicted.value / measured.value;
    let part = |estimate: Estimate| estimate.half_width.map(|width| width / estimate.value);
    let width = match (part(predicted), part(measured)) {
        (None, None) => None,
        (one, other) => Some(value * libm::hypot(one.unwrap_or(0.0), other.unwrap_or(0.0))),
    };
    Estimate { value, half_width: width }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn interval(rate: f64, taken: f64, busy: f64) -> Interval {
        Interval {
            length_s: Some(1.0),
            reads: Requests { per_s: rate, bytes_per_s: rate * 4096.0, await_s: Some(taken) },
            busy: Some(busy),
            ..Interval::default()
        }
    }

    #[test]
    fn every_interval_with_requests_is_in_one_bin_and_bins_are_in_the_order_of_load() {
        let intervals: Vec<Interval> =
            (0..100).map(|number| interval(f64::from(number * 37 % 100), 1e-3, 0.5)).collect();
        let bins = Bins::of(&intervals, Arrivals::Poisson).unwrap();
        assert_eq!((bins.all.len(), bins.counted()), (OPEN_MOST, 99), "one is idle");
        for (number, interval) in intervals.iter().enumerate() {
            let holding = bins.all.iter().filter(|bin| bin.members.contains(&number)).count();
            assert_eq!(holding, usize::from(interval.rate() > 0.0));
        }
        assert!(bins.all.windows(2).all(|pair| pair[0].to <= pair[1].from && !pair[1].closed));
    }

    #[test]
    fn a_saturated_interval_is_in_a_bin_of_its_own_sort_and_closed() {
        let mut intervals = vec![interval(100.0, 1e-3, 0.1); 8];
        intervals.extend(vec![interval(50.0, 0.1, 0.99); 4]);
        // Busy all the time by a clock of jiffies, and hardly ever with a request: no saturation.
        intervals.extend(vec![interval(100.0, 1e-3, 1.0); 4]);
        let bins = Bins::of(&intervals, Arrivals::Poisson).unwrap();
        let closed: Vec<(bool, usize)> = bins.all.iter().map(|bin| (bin.closed, bin.members.len())).collect();
        assert_eq!(closed, [(false, 4), (false, 4), (false, 4), (true, 4)]);
        assert!(Bins::of(&intervals, Arrivals::Closed).unwrap().all.iter().all(|bin| bin.closed));
    }

    #[test]
    fn a_mean_time_is_weighted_by_requests_and_one_interval_has_no_error() {
        let values = [(1.0, 1.0, Some(1.0)), (1.0, 3.0, Some(2.0)), (1.0, 5.0, None), (1.0, 0.0, Some(9.0))];
        let two = taken(values.into_iter()).unwrap();
        assert!((two.value - 1.75).abs() < 1e-12);
        // By hand: sqrt(2/1 × (0.75² + (3 × 0.25)²)) / 4.
        assert!((two.half_width.unwrap() - libm::sqrt(2.0 * 2.0 * 0.5625) / 4.0).abs() < 1e-12);
        assert_eq!(taken([(1.0, 1.0, Some(1.0))].into_iter()).unwrap().half_width, None);
        assert_eq!(taken([(1.0, 1.0, None)].into_iter()), None);
    }

    #[test]
    fn times_that_only_grow_with_load_are_known_without_an_error() {
        let grow = (1..=6).map(|rate| (f64::from(rate), f64::from(rate), Some(1.0 + 0.1 * f64::from(rate))));
        assert!(taken(grow).unwrap().half_width.unwrap() < 1e-12);
        let noise = (1..=6).map(|rate| (f64::from(rate), f64::from(rate), Some(1.0 + f64::from(rate % 2))));
        assert!(taken(noise).unwrap().half_width.unwrap() > 0.1);
    }
}
