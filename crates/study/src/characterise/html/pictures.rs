//! Offsets over time: a stroke a request, from its first byte to its last.

use petrio_page::figure::{Axis, Figure, Marks, Quantity, Series};
use petrio_page::numbers::grouped;
use petrio_page::thin::strokes;
use petrio_trace::characterise::OffsetsOverTime;

/// Strokes of a page's pictures together: more would take more of a page than they show.
const STROKES_MAX: usize = 1_200;

/// The picture of one file or device, on a page of so many.
pub(super) fn picture(of: &OffsetsOverTime, pictures: usize) -> Option<Figure> {
    let lowest = of.points.iter().map(|point| point.offset).min()? as f64;
    let highest = of.points.iter().map(|point| point.offset.saturating_add(point.length)).max()? as f64;
    // From zero, unless all lies far from it.
    let lowest = if lowest < highest / 2.0 { 0.0 } else { lowest };
    let all: Vec<(f64, f64, f64)> = of
        .points
        .iter()
        .map(|point| {
            let end = point.offset.saturating_add(point.length);
            (point.time_s, point.offset as f64, end as f64)
        })
        .collect();
    let kept = strokes(&all, STROKES_MAX / pictures.max(1));
    let drawn = kept.len() as u64;
    let mut figure = Figure::new(
        of.name.as_str(),
        format!("Offsets of {} requests over time, {} of them drawn", grouped(of.requests), grouped(drawn)),
        Axis::new("time", Quantity::Duration),
        Axis::new("offset", Quantity::Bytes).between(lowest, highest),
    );
    for (write, name) in [(false, "reads"), (true, "writes")] {
        let mine = || kept.iter().filter(|index| of.points[**index].write == write).map(|index| all[*index]);
        let marks = Marks::Strokes {
            x: mine().map(|stroke| stroke.0).collect(),
            low: mine().map(|stroke| stroke.1).collect(),
            length: mine().map(|stroke| stroke.2 - stroke.1).collect(),
        };
        figure.push(Series::new(name, marks));
    }
    let sampled =
        (of.requests > drawn).then(|| format!("{} of {} requests", grouped(drawn), grouped(of.requests)));
    let late = (of.not_followed > 0).then(|| format!("without its first {}", grouped(of.not_followed)));
    let words: Vec<String> = [sampled, late].into_iter().flatten().collect();
    if !words.is_empty() {
        figure.note(words.join(", "));
    }
    Some(figure)
}
