//! The plots of a report's page.

use super::axis::Axis;
use super::frame::{Frame, path};
use crate::report::Bin;
use crate::report::figures::{grouped, per_cent, rate_unit, seconds, significant, time, time_unit};
use crate::report::series::Series;
use crate::report::served::Served;
use std::fmt::Write;

/// More decades than this leave no room for what matters. What is faster, flushes of an idle drive for instance, stands at
/// the left edge.
const DECADES_MAX: f64 = 1e7;

fn latency_axis(first: &Bin, last: &Bin, size: f64, frame: &Frame) -> Axis {
    let lowest = first.from_ms.max(last.to_ms / DECADES_MAX);
    Axis::logarithmic(lowest / size, last.to_ms / size, frame.left, frame.right)
}

/// The latency histogram: the part of the requests in each bin, over latency on a logarithmic axis.
pub(super) fn histogram(served: &Served) -> Option<String> {
    let (first, last) = (served.histogram.first()?, served.histogram.last()?);
    let (unit, size) = time_unit(served.latency.as_ref()?.mean_ms.value);
    let total: u64 = served.histogram.iter().map(|bin| bin.count).sum();
    let part = |count: u64| count as f64 / total.max(1) as f64;
    let highest = served.histogram.iter().map(|bin| part(bin.count)).fold(0.0, f64::max);
    let mut frame = Frame::new(&format!(
        "Histogram of latency from {} to {}; the fullest bin holds {} of the {}",
        time(first.from_ms),
        time(last.to_ms),
        per_cent(highest),
        served.subject.many()
    ));
    let x = latency_axis(first, last, size, &frame);
    let y = Axis::linear(0.0, highest * 105.0, frame.bottom, frame.top);
    frame.across(&x, &format!("latency, {unit}"));
    frame.up(&y, &format!("% of {}", served.subject.many()));
    for bin in &served.histogram {
        let (left, right) = (x.at(bin.from_ms / size), x.at(bin.to_ms / size));
        let top = y.at(part(bin.count) * 100.0);
        // A bin that isn't empty stays visible.
        let height = if bin.count == 0 { 0.0 } else { (frame.bottom - top).max(1.0) };
        let mut bar = String::new();
        let _ = write!(
            bar,
            r#"<rect class="bar" x="{left:.1}" y="{:.1}" width="{:.1}" height="{height:.1}"/>"#,
            frame.bottom - height,
            (right - left - 0.6).max(0.6)
        );
        frame.add(&bar);
        let words = format!(
            "{} to {}: {} {}, {}",
            time(bin.from_ms),
            time(bin.to_ms),
            grouped(bin.count),
            served.subject.many(),
            per_cent(part(bin.count))
        );
        frame.strip(left, right, &words);
    }
    Some(frame.finish())
}

/// The distribution function of latency, with the usual percentiles marked.
pub(super) fn distribution(served: &Served) -> Option<String> {
    let latency = served.latency.as_ref()?;
    let (first, last) = (served.histogram.first()?, served.histogram.last()?);
    let (unit, size) = time_unit(latency.mean_ms.value);
    let mut frame = Frame::new(&format!(
        "Distribution of latency: half the {} within {}, nine in ten within {}, 99 in a hundred within {}",
        served.subject.many(),
        time(latency.p50_ms.value),
        time(latency.p90_ms.value),
        time(latency.p99_ms.value)
    ));
    let x = latency_axis(first, last, size, &frame);
    let y = Axis::linear(0.0, 100.0, frame.bottom, frame.top);
    frame.across(&x, &format!("latency, {unit}"));
    frame.up(&y, &format!("% of {} within", served.subject.many()));
    let points: Vec<(f64, f64)> = served
        .quantiles
        .iter()
        .map(|point| (x.at(point.latency_ms / size), y.at(point.probability * 100.0)))
        .collect();
    frame.add(&format!(r#"<path class="line" d="{}"/>"#, path(&points)));
    // The words stand in the lower right corner, where a distribution function never is.
    for (line, (name, figure, probability)) in [
        ("p99", latency.p99_ms.value, 99.0),
        ("p90", latency.p90_ms.value, 90.0),
        ("p50", latency.p50_ms.value, 50.0),
    ]
    .into_iter()
    .enumerate()
    {
        let (at, height) = (x.at(figure / size), y.at(probability));
        let (text_x, text_y) = (frame.right - 8.0, frame.bottom - 12.0 - 17.0 * line as f64);
        frame.add(&format!(
            r#"<circle class="dot" cx="{at:.1}" cy="{height:.1}" r="3.5"/><text class="mark" x="{text_x}" y="{text_y}" text-anchor="end">{name}  {}</text>"#,
            time(figure)
        ));
    }
    let what = served.subject.many();
    for pair in served.quantiles.windows(2) {
        let (left, right) = (x.at(pair[0].latency_ms / size), x.at(pair[1].latency_ms / size));
        if right - left > 0.2 {
            let words =
                format!("{} of the {what} within {}", share(pair[1].probability), time(pair[1].latency_ms));
            frame.strip(left, right, &words);
        }
    }
    Some(frame.finish())
}

/// 0.9995 as "99.95 %": here the digits after the point matter.
fn share(probability: f64) -> String {
    let text = format!("{:.2}", probability * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// So many steps are as many as the eye tells apart in a plot of this width.
const STEPS_MAX: usize = 200;

/// One step of a plot over time: some intervals of the series joined.
#[derive(Default)]
struct Step {
    begin_s: f64,
    length_s: f64,
    completed: u64,
    bytes: u64,
    outstanding: f64,
    latency_ms: f64,
}

fn steps(series: &Series) -> Vec<Step> {
    let count = series.intervals.len();
    let joined = count.div_ceil(STEPS_MAX).max(1);
    let length = |index: usize| if index + 1 == count { series.last_interval_s } else { series.interval_s };
    let chunks = series.intervals.chunks(joined).enumerate();
    chunks
        .map(|(step, intervals)| {
            let first = step * joined;
            let mut sum =
                Step { begin_s: series.begin_s + first as f64 * series.interval_s, ..Step::default() };
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
pub(super) fn throughput(served: &Served) -> Option<String> {
    let rate = |step: &Step| step.bytes as f64 / step.length_s.max(1e-12);
    let what = served.subject.many();
    let steps = steps(&served.series);
    let highest = steps.iter().map(rate).fold(0.0, f64::max);
    let (unit, size) = rate_unit(highest);
    let label = format!("Throughput over time, at most {} {unit} in a step", significant(highest / size));
    over_time(
        &steps,
        &label,
        unit,
        |step| rate(step) / size,
        |step| format!("{} {unit}, {} {what}", significant(rate(step) / size), grouped(step.completed)),
    )
}

/// Requests outstanding over model time.
pub(super) fn outstanding(served: &Served) -> Option<String> {
    let steps = steps(&served.series);
    let what = served.subject.many();
    let highest = steps.iter().map(|step| step.outstanding).fold(0.0, f64::max);
    let label =
        format!("Outstanding {what} over time, at most {} on average in a step", significant(highest));
    over_time(
        &steps,
        &label,
        &format!("{what} outstanding"),
        |step| step.outstanding,
        |step| {
            format!("{} outstanding, mean latency {}", significant(step.outstanding), time(step.latency_ms))
        },
    )
}

fn over_time(
    steps: &[Step],
    label: &str,
    name: &str,
    figure: impl Fn(&Step) -> f64,
    words: impl Fn(&Step) -> String,
) -> Option<String> {
    let (begin, last) = (steps.first()?.begin_s, steps.last()?);
    let end = last.begin_s + last.length_s;
    let (unit, size) = time_unit(end * 1e3);
    let scale = 1e3 / size;
    let highest = steps.iter().map(&figure).fold(0.0, f64::max);
    let mut frame = Frame::new(label);
    let x = Axis::linear(begin * scale, end * scale, frame.left, frame.right);
    let y = Axis::linear(0.0, highest * 1.05, frame.bottom, frame.top);
    frame.across(&x, &format!("model time, {unit}"));
    frame.up(&y, name);
    // Stairs, because a figure is the mean of its step.
    let stairs: Vec<(f64, f64)> = steps
        .iter()
        .flat_map(|step| {
            let height = y.at(figure(step));
            [(x.at(step.begin_s * scale), height), (x.at((step.begin_s + step.length_s) * scale), height)]
        })
        .collect();
    let outline = path(&stairs);
    frame.add(&format!(
        r#"<path class="area" d="{outline}L{:.1} {b}L{:.1} {b}Z"/><path class="line" d="{outline}"/>"#,
        x.at(end * scale),
        x.at(begin * scale),
        b = frame.bottom
    ));
    for step in steps {
        let until = step.begin_s + step.length_s;
        let says = format!("{} to {}: {}", seconds(step.begin_s), seconds(until), words(step));
        frame.strip(x.at(step.begin_s * scale), x.at(until * scale), &says);
    }
    Some(frame.finish())
}
