//! Curves over a size, and bars, each with what was measured and what was predicted.

use super::{brief, escaped, short};
use crate::fs::FsRow;
use std::fmt::Write;

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 506.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 240.0;

fn begin(label: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">", escaped(label))
}

/// Logarithmic from `low` to `high`, in the page's units from `from` to `to`.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|value| *value > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        if high <= 0.0 {
            (low, high) = (1.0, 10.0);
        }
        if high / low < 1.5 {
            (low, high) = (low / 1.3, high * 1.3);
        }
        Self { low, high, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let part = libm::log(value.max(self.low) / self.low) / libm::log(self.high / self.low);
        self.from + (self.to - self.from) * part.clamp(0.0, 1.0)
    }

    /// 1, 2, 5, 10 and so on, within; only 1, 10, 100 where there are too many.
    fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = if self.high / self.low > 1e3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let mut ticks = Vec::new();
        let mut decade = libm::pow(10.0, libm::log10(self.low).floor());
        while decade <= self.high {
            let within = steps.iter().map(|step| step * decade);
            ticks.extend(within.filter(|tick| (self.low..=self.high).contains(tick)));
            decade *= 10.0;
        }
        ticks
    }
}

fn vertical(svg: &mut String, rows: &[&FsRow], unit: &str) -> Axis {
    let figures = rows.iter().flat_map(|row| [row.measured_least, row.measured_greatest, row.predicted]);
    let axis = Axis::of(figures, (BOTTOM, TOP));
    for tick in axis.ticks() {
        let y = axis.at(tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            brief(tick)
        );
    }
    let _ = write!(svg, "<text class=\"quiet\" x=\"4\" y=\"13\">{}</text>", escaped(unit));
    axis
}

fn says(row: &FsRow) -> String {
    escaped(&format!("{}, error {:+.1} %", row.cells()[1..8].join(" "), row.error_percent))
}

/// Figures over a size.
pub(super) fn over(rows: &[&FsRow], size: fn(&FsRow) -> u64, (name, unit): (&str, &str)) -> String {
    let mut svg = begin(&format!("{unit} over {name}, measured and predicted"));
    let y = vertical(&mut svg, rows, unit);
    let x = Axis::of(rows.iter().map(|row| size(row) as f64), (LEFT + 8.0, RIGHT - 8.0));
    let mut last = f64::NEG_INFINITY;
    for row in rows {
        let at = x.at(size(row) as f64);
        // Numbers only where there is room for them.
        if at - last >= 34.0 {
            let _ = write!(
                svg,
                "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                BOTTOM + 16.0,
                short(size(row))
            );
            last = at;
        }
    }
    let _ = write!(
        svg,
        "<text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{name}</text>",
        f64::midpoint(LEFT, RIGHT),
        BOTTOM + 34.0
    );
    for (class, of) in
        [("measured", (|row| row.measured) as fn(&FsRow) -> f64), ("predicted", |row| row.predicted)]
    {
        let mut path = String::new();
        for (number, row) in rows.iter().enumerate() {
            let step = if number == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{step}{:.1} {:.1}", x.at(size(row) as f64), y.at(of(row)));
        }
        let _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    for row in rows {
        point(&mut svg, row, x.at(size(row) as f64), &y);
    }
    svg.push_str("</svg>");
    svg
}

/// A dot with its range, and a ring.
fn point(svg: &mut String, row: &FsRow, at: f64, y: &Axis) {
    let _ = write!(
        svg,
        "<g><title>{}</title><line class=\"bar\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/><circle class=\"measured\" cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\"/><circle class=\"mark\" cx=\"{at:.1}\" cy=\"{:.1}\" r=\"5\"/></g>",
        says(row),
        y.at(row.measured_least),
        y.at(row.measured_greatest),
        y.at(row.measured),
        y.at(row.predicted)
    );
}

/// One figure for each row, side by side.
pub(super) fn bars(rows: &[&FsRow], unit: &str) -> String {
    let mut svg = begin(&format!("{unit} by journal mode, measured and predicted"));
    let y = vertical(&mut svg, rows, unit);
    let width = (RIGHT - LEFT) / rows.len().max(1) as f64;
    for (number, row) in rows.iter().enumerate() {
        let at = LEFT + width * (number as f64 + 0.5);
        let _ = write!(
            svg,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            BOTTOM + 16.0,
            escaped(row.journal)
        );
        point(&mut svg, row, at, &y);
    }
    svg.push_str("</svg>");
    svg
}
