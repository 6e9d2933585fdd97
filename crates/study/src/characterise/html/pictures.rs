//! Offsets over time: a stroke a request, from its first byte to its last.

use crate::page::parts::key_of_lines;
use petrio_scenario::report::figures::{grouped, rate_unit, time_unit};
use petrio_scenario::report::html::{Axis, Frame};
use petrio_trace::characterise::OffsetsOverTime;
use std::fmt::Write;

/// A request is at least so high, in the page's units, or nobody sees it.
const STROKE_LEAST: f64 = 0.1;

/// The picture of one file or device, and its key.
pub(super) fn picture(of: &OffsetsOverTime) -> Option<(String, String)> {
    let (first, last) = (of.points.first()?, of.points.last()?);
    let lowest = of.points.iter().map(|point| point.offset).min()? as f64;
    let highest = of.points.iter().map(|point| point.offset.saturating_add(point.length)).max()? as f64;
    // From zero, unless all lies far from it.
    let lowest = if lowest < highest / 2.0 { 0.0 } else { lowest };
    let (unit, size) = rate_unit(highest - lowest);
    let (time, scale) = time_unit((last.time_s - first.time_s) * 1e3);
    let scale = scale / 1e3;
    let mut frame = Frame::new(&format!(
        "Offsets of {} requests over time, {} of them drawn",
        grouped(of.requests),
        grouped(of.points.len() as u64)
    ));
    let x = Axis::linear(first.time_s / scale, last.time_s / scale, frame.left, frame.right);
    let y = Axis::linear(lowest / size, highest / size, frame.bottom, frame.top);
    frame.across(&x, &format!("time, {time}"));
    frame.up(&y, &format!("offset, {}", unit.trim_end_matches("/s")));
    for (write, class) in [(false, "one"), (true, "two")] {
        let mut strokes = String::new();
        for point in of.points.iter().filter(|point| point.write == write) {
            let across = x.at(point.time_s / scale);
            let from = y.at(point.offset as f64 / size);
            let to = y.at(point.offset.saturating_add(point.length) as f64 / size);
            let _ = write!(strokes, "M{across:.1} {from:.1}v{:.1}", (to - from).min(-STROKE_LEAST));
        }
        if !strokes.is_empty() {
            frame.add(&format!(r#"<path class="point {class}" d="{strokes}"/>"#));
        }
    }
    Some((frame.finish(), key_of_lines(["reads", "writes"])))
}

/// What a picture leaves out.
pub(super) fn left_out(of: &OffsetsOverTime) -> Option<String> {
    let drawn = of.points.len() as u64;
    let sampled =
        (of.requests > drawn).then(|| format!("{} of {} requests", grouped(drawn), grouped(of.requests)));
    let late = (of.not_followed > 0).then(|| format!("without its first {}", grouped(of.not_followed)));
    let words: Vec<String> = [sampled, late].into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(", "))
}
