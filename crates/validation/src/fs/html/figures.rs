//! Curves over a size, figures by journal mode, and heat maps over record and file size: each with what was measured and predicted.

use super::super::FsRow;
use super::super::experiment::Unit;
use petrio_page::figure::{Axis, Figure, Marks, Quantity, Scale, Series, Shade};
use std::collections::BTreeSet;

/// Errors of this size have the full colour.
const ERROR_FULL: f64 = 0.4;

/// The axis of measured figures, and by how much they are told in its base unit.
fn rate(unit: Unit) -> (Axis, f64) {
    match unit {
        Unit::MibPerSecond => (Axis::new("throughput", Quantity::Rate).logarithmic(), 1_048_576.0),
        Unit::AccessesPerSecond => (Axis::new("accesses a second", Quantity::Number).logarithmic(), 1.0),
    }
}

/// Measured figures with their range, and predicted ones.
fn both(figure: &mut Figure, rows: &[&FsRow], x: &[f64], scale: f64) {
    let of = |value: fn(&FsRow) -> f64| rows.iter().map(|row| value(row) * scale).collect::<Vec<f64>>();
    let errors = rows.iter().map(|row| row.error_percent / 100.0).collect::<Vec<f64>>();
    let (measured, predicted) = (of(|row| row.measured), of(|row| row.predicted));
    let is_named = matches!(figure.across.scale, Scale::Names(_));
    let ranges = Marks::Intervals {
        x: x.to_vec(),
        low: of(|row| row.measured_least),
        y: measured.clone(),
        high: of(|row| row.measured_greatest),
        joined: !is_named,
    };
    let series = Series::new("measured", ranges).colour(0).dashed(false);
    figure.push(series.also("predicted", figure.up.quantity, predicted.clone()));
    let predicted = match is_named {
        true => {
            Marks::Intervals { x: x.to_vec(), low: Vec::new(), y: predicted, high: Vec::new(), joined: false }
        }
        false => Marks::Line { x: x.to_vec(), y: predicted, dots: true },
    };
    let series = Series::new("predicted", predicted).colour(1).dashed(true);
    figure.push(series.also("error", Quantity::Share, errors));
}

/// Figures over a size.
pub(super) fn over(
    title: String,
    rows: &[&FsRow],
    (size, name): (fn(&FsRow) -> u64, &str),
    unit: Unit,
) -> Figure {
    let (up, scale) = rate(unit);
    let alternative = format!("{title}: {} over {name}, measured and predicted", unit.name());
    let mut figure = Figure::new(title, alternative, Axis::new(name, Quantity::Bytes).logarithmic(), up);
    let x: Vec<f64> = rows.iter().map(|row| size(row) as f64).collect();
    both(&mut figure, rows, &x, scale);
    figure
}

/// One figure for each row, side by side.
pub(super) fn by_journal(rows: &[&FsRow], unit: Unit) -> Figure {
    let (up, scale) = rate(unit);
    let names = Axis::names("journal", rows.iter().map(|row| row.journal.to_owned()).collect());
    let alternative = format!("{} by journal mode, measured and predicted", unit.name());
    let mut figure = Figure::new("By journal mode", alternative, names, up);
    let x: Vec<f64> = (0..rows.len()).map(|number| number as f64).collect();
    both(&mut figure, rows, &x, scale);
    figure
}

/// What was measured, dark where it is fast.
pub(super) fn measured(rows: &[&FsRow], unit: Unit) -> Figure {
    let name = unit.name();
    let cells: Vec<f64> = rows.iter().map(|row| row.measured).collect();
    let title = format!("Measured {name}, by record and file size");
    map(&title, name, rows, cells, Quantity::Number, Shade::Ratios)
}

/// The model's errors: the deeper the colour, the larger.
pub(super) fn errors(rows: &[&FsRow]) -> Figure {
    let cells: Vec<f64> = rows.iter().map(|row| row.error_percent / 100.0).collect();
    let title = "Errors of the model in per cent: blue too slow, red too fast";
    map(title, "error", rows, cells, Quantity::Share, Shade::Around(ERROR_FULL))
}

fn map(
    title: &str,
    name: &str,
    rows: &[&FsRow],
    values: Vec<f64>,
    quantity: Quantity,
    shade: Shade,
) -> Figure {
    let sorted = |of: fn(&FsRow) -> u64| -> Vec<u64> {
        rows.iter().map(|row| of(row)).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (records, sizes) = (sorted(|row| row.record_bytes), sorted(|row| row.file_size_bytes));
    let names = |name: &str, of: &[u64]| Axis::names(name, of.iter().map(|bytes| short(*bytes)).collect());
    let mut figure = Figure::new(title, title, names("record", &records), names("file", &sizes));
    let place = |of: &[u64], bytes: u64| of.binary_search(&bytes).unwrap_or(0);
    let columns = rows.iter().map(|row| place(&records, row.record_bytes)).collect();
    let lines = rows.iter().map(|row| place(&sizes, row.file_size_bytes)).collect();
    let mut series = Series::new(name, Marks::Cells { columns, rows: lines, values, quantity, shade });
    if matches!(shade, Shade::Around(_)) {
        series = series
            .also("measured", Quantity::Number, rows.iter().map(|row| row.measured).collect())
            .also("predicted", Quantity::Number, rows.iter().map(|row| row.predicted).collect());
    }
    figure.push(series);
    figure
}

/// A power of two, short: `64K`.
fn short(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 20 => format!("{}M", bytes >> 20),
        _ if bytes >= 1 << 10 => format!("{}K", bytes >> 10),
        _ => bytes.to_string(),
    }
}
