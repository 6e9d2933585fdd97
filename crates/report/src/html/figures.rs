//! The figures of a report's page.

use crate::latency::Bin;
use crate::series::Series as Intervals;
use crate::served::{KindHistogram, Served, Share};
use crate::subject::Subject;
use petrio_page::figure::{Annotation, Axis, Figure, Quantity, Series};
use petrio_page::numbers::{per_cent, rate_unit, significant, time};

/// More decades than this leave no room for what matters. What is faster, flushes of an idle drive for instance, stands at
/// the left edge.
const DECADES_MAX: f64 = 1e7;

/// A page has no more histograms of kinds, and none of fewer requests.
const KINDS_MAX: usize = 6;
const KIND_MIN: u64 = 20;

fn latency_axis(first: &Bin, last: &Bin) -> Axis {
    let lowest = first.from_ms.max(last.to_ms / DECADES_MAX);
    Axis::new("latency", Quantity::Duration).logarithmic().between(lowest / 1e3, last.to_ms / 1e3)
}

/// The latency histogram of each kind that is worth one.
pub(super) fn by_kind(served: &Served) -> Vec<Figure> {
    let total = |bins: &[Bin]| bins.iter().map(|bin| bin.count).sum::<u64>();
    let mut kinds: Vec<&KindHistogram> = served.kinds.iter().collect();
    // Those of which there are most; of a few, or of one length, a histogram says nothing.
    kinds.sort_by_key(|kind| std::cmp::Reverse(total(&kind.histogram)));
    let is_worth = |kind: &&KindHistogram| total(&kind.histogram) >= KIND_MIN && kind.histogram.len() > 1;
    let worth = kinds.into_iter().filter(is_worth).take(KINDS_MAX);
    worth.filter_map(|kind| bars(&kind.histogram, &format!("Latency of {}", kind.kind), &kind.kind)).collect()
}

/// The latency histogram: the part of the requests in each bin, over latency on a logarithmic axis.
pub(super) fn histogram(served: &Served) -> Option<Figure> {
    bars(&served.histogram, "Latency", served.subject.many())
}

fn bars(bins: &[Bin], title: &str, many: &str) -> Option<Figure> {
    let (first, last) = (bins.first()?, bins.last()?);
    let total: u64 = bins.iter().map(|bin| bin.count).sum();
    let parts: Vec<f64> = bins.iter().map(|bin| bin.count as f64 / total.max(1) as f64).collect();
    let alternative = format!(
        "Histogram of {} from {} to {}; the fullest bin holds {} of the {many}",
        title.to_lowercase(),
        time(first.from_ms),
        time(last.to_ms),
        per_cent(parts.iter().copied().fold(0.0, f64::max)),
    );
    let share = Axis::new(format!("of {many}"), Quantity::Share).from(0.0);
    let mut figure = Figure::new(title, alternative, latency_axis(first, last), share);
    let edges = bins.iter().map(|bin| bin.from_ms).chain([last.to_ms]);
    let counts = bins.iter().map(|bin| bin.count as f64).collect();
    let bars = Series::bars(many, edges.map(|ms| ms / 1e3).collect(), parts);
    figure.push(bars.also(many, Quantity::Number, counts));
    Some(figure)
}

/// The distribution function of latency, with the usual percentiles marked.
pub(super) fn distribution(served: &Served) -> Option<Figure> {
    let latency = served.latency.as_ref()?;
    let many = served.subject.many();
    let alternative = format!(
        "Distribution of latency: half the {many} within {}, nine in ten within {}, 99 in a hundred within {}",
        time(latency.p50_ms.value),
        time(latency.p90_ms.value),
        time(latency.p99_ms.value)
    );
    let across = latency_axis(served.histogram.first()?, served.histogram.last()?);
    let up = Axis::new(format!("of {many} within"), Quantity::Share).between(0.0, 1.0);
    let mut figure = Figure::new("Latency, cumulative", alternative, across, up);
    let points = &served.quantiles;
    let x = points.iter().map(|point| point.latency_ms / 1e3).collect();
    figure.push(Series::line(many, x, points.iter().map(|point| point.probability).collect()));
    for (name, ms, y) in [
        ("p50", latency.p50_ms.value, 0.5),
        ("p90", latency.p90_ms.value, 0.9),
        ("p99", latency.p99_ms.value, 0.99),
    ] {
        let words = format!("{name} {}", time(ms));
        figure.annotations.push(Annotation::Point { x: ms / 1e3, y, words });
    }
    Some(figure)
}

/// So many steps are as many as the eye tells apart in a figure of this width.
const STEPS_MAX: usize = 200;

/// One step of a figure over time: some intervals of the series joined.
#[derive(Default)]
struct JoinedIntervals {
    begin_s: f64,
    length_s: f64,
    completed: u64,
    bytes: u64,
    outstanding: f64,
    latency_ms: f64,
}

fn steps(series: &Intervals) -> Vec<JoinedIntervals> {
    let count = series.intervals.len();
    let joined = count.div_ceil(STEPS_MAX).max(1);
    let length = |index: usize| if index + 1 == count { series.last_interval_s } else { series.interval_s };
    let chunks = series.intervals.chunks(joined).enumerate();
    chunks
        .map(|(step, intervals)| {
            let first = step * joined;
            let mut sum = JoinedIntervals {
                begin_s: series.begin_s + first as f64 * series.interval_s,
                ..JoinedIntervals::default()
            };
            for (offset, interval) in intervals.iter().enumerate() {
                let length_s = length(first + offset);
                sum.length_s += length_s;
                sum.completed += interval.completed;
                sum.bytes += interval.bytes;
                sum.outstanding += interval.mean_outstanding * length_s;
                sum.latency_ms += interval.mean_latency_ms * interval.completed as f64;
            }
            sum.outstanding /= sum.length_s.max(1e-12);
            sum.latency_ms /= sum.completed.max(1) as f64;
            sum
        })
        .collect()
}

/// Throughput over model time.
pub(super) fn throughput(served: &Served) -> Option<Figure> {
    let rate = |step: &JoinedIntervals| step.bytes as f64 / step.length_s.max(1e-12);
    let steps = steps(&served.series);
    let highest = steps.iter().map(rate).fold(0.0, f64::max);
    let (unit, size) = rate_unit(highest);
    let alternative =
        format!("Throughput over time, at most {} {unit} in a step", significant(highest / size));
    let up = Axis::new("throughput", Quantity::Rate).from(0.0);
    let mut figure = Figure::new("Throughput over time", alternative, time_axis(), up);
    let many = served.subject.many();
    let completed = steps.iter().map(|step| step.completed as f64).collect();
    figure.push(over_time("throughput", &steps, rate)?.also(many, Quantity::Number, completed));
    Some(figure)
}

/// Requests outstanding over model time.
pub(super) fn outstanding(served: &Served) -> Option<Figure> {
    let steps = steps(&served.series);
    let many = served.subject.many();
    let highest = steps.iter().map(|step| step.outstanding).fold(0.0, f64::max);
    let alternative =
        format!("Outstanding {many} over time, at most {} on average in a step", significant(highest));
    let title = match served.subject {
        Subject::BlockRequests => "Requests outstanding over time",
        Subject::FileOperations => "Operations outstanding over time",
    };
    let up = Axis::new(format!("{many} outstanding"), Quantity::Number).from(0.0);
    let mut figure = Figure::new(title, alternative, time_axis(), up);
    let latency = steps.iter().map(|step| step.latency_ms / 1e3).collect();
    let series = over_time("outstanding", &steps, |step| step.outstanding)?;
    figure.push(series.also("mean latency", Quantity::Duration, latency));
    Some(figure)
}

fn time_axis() -> Axis {
    Axis::new("model time", Quantity::Duration)
}

/// Stairs, because each value is the mean of its step.
fn over_time(
    name: &str,
    steps: &[JoinedIntervals],
    value: impl Fn(&JoinedIntervals) -> f64,
) -> Option<Series> {
    let last = steps.last()?;
    let edges = steps.iter().map(|step| step.begin_s).chain([last.begin_s + last.length_s]);
    Some(Series::stairs(name, edges.collect(), steps.iter().map(value).collect()))
}

/// Where the time of an average request goes: a bar for each of `who`, divided by cause; all bars are equally long, or each is as long as
/// its time.
pub fn causes(title: &str, who: &[(&str, &[Share])], are_times: bool) -> Figure {
    let mut known: Vec<&str> = Vec::new();
    for share in who.iter().flat_map(|(_, breakdown)| *breakdown) {
        if !known.contains(&share.cause.as_str()) {
            known.push(&share.cause);
        }
    }
    let described = who.iter().map(|(name, breakdown)| {
        let words: Vec<String> = breakdown
            .iter()
            .map(|share| format!("{} {} ({})", share.cause, per_cent(share.fraction), time(share.mean_ms)))
            .collect();
        let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
        format!("{name}{}", words.join(", "))
    });
    let alternative = described.collect::<Vec<_>>().join("; ");
    let total = |breakdown: &[Share]| breakdown.iter().map(|share| share.mean_ms).sum::<f64>();
    let names = Axis::names("", who.iter().map(|(name, _)| (*name).to_owned()).collect());
    let ends = who.iter().map(|(_, breakdown)| time(total(breakdown))).collect();
    let across = match are_times {
        true => Axis::new("", Quantity::Duration).from(0.0),
        false => Axis::new("", Quantity::Share).between(0.0, 1.0),
    };
    let mut figure = Figure::new(title, alternative, across, names.with_ends(ends));
    for cause in known {
        let of = |value: fn(&Share) -> f64| -> Vec<f64> {
            let share =
                |breakdown: &[Share]| breakdown.iter().find(|share| share.cause == cause).map_or(0.0, value);
            who.iter().map(|(_, breakdown)| share(breakdown)).collect()
        };
        let (means, parts) = (of(|share| share.mean_ms / 1e3), of(|share| share.fraction));
        let series = match are_times {
            true => Series::stack(cause, means).also("of all", Quantity::Share, parts),
            false => Series::stack(cause, parts).also("mean", Quantity::Duration, means),
        };
        figure.push(series.colour(cause_colour(cause)));
    }
    figure
}

/// The colour of a cause of time, the same on every page.
pub fn cause_colour(cause: &str) -> usize {
    match cause {
        "seek" | "page cache" => 0,
        "service" | "device writes" => 1,
        "transfer" | "copy" => 2,
        "overhead" | "processor wait" => 3,
        "rotation" | "device reads" => 4,
        "bus" | "journal" => 5,
        "throttle" | "dirty throttle" | "network" => 6,
        "queue" | "system call" => 7,
        _ => 8,
    }
}
