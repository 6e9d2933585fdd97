//! Heat maps over record and file size. Every cell has its figure as text, so that colour never carries meaning alone.

use super::{brief, escaped, short};
use crate::fs::FsRow;
use std::collections::BTreeSet;
use std::fmt::Write;

const CELL: (f64, f64) = (34.0, 20.0);
const LEFT: f64 = 48.0;
const TOP: f64 = 26.0;

/// What was measured, dark where it is fast.
pub(super) fn measured(rows: &[&FsRow], unit: &str) -> String {
    let most = rows.iter().map(|row| row.measured).fold(f64::MIN_POSITIVE, f64::max);
    let least = rows.iter().map(|row| row.measured).fold(most, f64::min).max(f64::MIN_POSITIVE);
    let span = libm::log(most / least).max(f64::MIN_POSITIVE);
    let colour = |row: &FsRow| {
        let part = (libm::log(row.measured.max(least) / least) / span).clamp(0.0, 1.0);
        (format!("hsl(210 60% {:.0}%)", 94.0 - 62.0 * part), part > 0.55)
    };
    map(rows, &format!("Measured {unit}"), &colour, &|row| brief(row.measured))
}

/// The model's errors: the deeper the colour, the larger, full at 40 %.
pub(super) fn errors(rows: &[&FsRow]) -> String {
    let colour = |row: &FsRow| {
        let part = (row.error_percent.abs() / 40.0).min(1.0);
        let hue = if row.error_percent > 0.0 { 10 } else { 215 };
        (format!("hsl({hue} 70% {:.0}%)", 96.0 - 50.0 * part), part > 0.8)
    };
    map(rows, "Errors of the model in per cent", &colour, &|row| format!("{:+.0}", row.error_percent))
}

fn map(
    rows: &[&FsRow],
    label: &str,
    colour: &dyn Fn(&FsRow) -> (String, bool),
    text: &dyn Fn(&FsRow) -> String,
) -> String {
    let records: Vec<u64> =
        rows.iter().map(|row| row.record_bytes).collect::<BTreeSet<_>>().into_iter().collect();
    let sizes: Vec<u64> =
        rows.iter().map(|row| row.file_size_bytes).collect::<BTreeSet<_>>().into_iter().collect();
    let width = LEFT + CELL.0 * records.len() as f64 + 8.0;
    let height = TOP + CELL.1 * sizes.len() as f64 + 40.0;
    let mut svg =
        format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">", escaped(label));
    let _ = write!(svg, "<text class=\"quiet\" x=\"2\" y=\"14\">file</text>");
    for (line, size) in sizes.iter().enumerate() {
        let y = TOP + CELL.1 * (line as f64 + 0.7);
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            short(*size)
        );
    }
    let below = TOP + CELL.1 * sizes.len() as f64;
    for (column, record) in records.iter().enumerate() {
        let x = LEFT + CELL.0 * (column as f64 + 0.5);
        let _ = write!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            below + 15.0,
            short(*record)
        );
    }
    let _ = write!(
        svg,
        "<text class=\"quiet\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">record</text>",
        f64::midpoint(LEFT, width),
        below + 32.0
    );
    for row in rows {
        let at = (records.binary_search(&row.record_bytes), sizes.binary_search(&row.file_size_bytes));
        let (Ok(column), Ok(line)) = at else { continue };
        let (x, y) = (LEFT + CELL.0 * column as f64, TOP + CELL.1 * line as f64);
        let (fill, dark) = colour(row);
        let ink = if dark { "#fff" } else { "#111" };
        let _ = write!(
            svg,
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" style=\"fill:{ink};font-size:10px\">{}</text></g>",
            escaped(&format!("{}, error {:+.1} %", row.cells()[1..8].join(" "), row.error_percent)),
            CELL.0 - 1.0,
            CELL.1 - 1.0,
            x + CELL.0 / 2.0,
            y + CELL.1 * 0.7,
            escaped(&text(row))
        );
    }
    svg.push_str("</svg>");
    svg
}
