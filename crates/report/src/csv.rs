//! The report as one tidy CSV table, for spreadsheets and data frames: a row a figure, and its keys before it.
//!
//! `scenario` and `replication` say of which run the row is (the title; no number where it is of several), `part` what it is about, `name` which
//! one (a kind of operation, a stage's path or its class, a workload), `item` what of that, where it has several (a rank, a cause, a purpose).
//! `quantity` and `unit` say what the `value` is; `docs/reference.md` lists them. `half_width` is that of the confidence interval and empty
//! for a single run. Where programs of both sorts ran, the parts of those that sent block requests begin with `beside`. The distribution
//! and the series are in the JSON report.

use crate::error::ReportError;
use crate::figure::{Row, Value};
use crate::summary::Report;
use crate::whole_file::write_text;
use petrio_files::inputs::Inputs;
use std::path::Path;

const HEADINGS: [&str; 9] =
    ["scenario", "replication", "part", "name", "item", "quantity", "value", "half_width", "unit"];

/// Writes the summary, the stages and the sections, in the place of none of those `inputs`. The file is complete or absent.
///
/// # Errors
/// When the file can't be written.
pub fn write_csv(report: &Report, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &table(report))
}

/// The table. Any field may hold a comma: kinds of time and of memory are told in words.
fn table(report: &Report) -> String {
    let mut table = csv::Writer::from_writer(Vec::new());
    // As many fields each, written to memory: that can't fail.
    let mut write = |fields: [&str; HEADINGS.len()]| drop(table.write_record(fields));
    write(HEADINGS);
    let only = (report.replications <= 1).then_some(1);
    for Row { part, name, item, replication, quantity, unit, better: _, value } in report.rows() {
        let or_nothing = |of: Option<String>| of.unwrap_or_default();
        let replication = or_nothing(replication.or(only).map(|number: u64| number.to_string()));
        let (value, half_width) = match value {
            Value::Count(count) => (count.to_string(), None),
            Value::Measured(figure) => (figure.value.to_string(), figure.half_width),
        };
        let half_width = or_nothing(half_width.map(|width| width.to_string()));
        let keys = [&report.title, &replication, &part, &name, &item].map(String::as_str);
        let [scenario, replication, part, name, item] = keys;
        write([scenario, replication, part, name, item, quantity, &value, &half_width, unit.symbol()]);
    }
    String::from_utf8(table.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_all_fields_whatever_the_words() {
        let mut report = crate::example::example();
        report.stages[0].name = "d, \"x\"".to_owned();
        report.served.closing_s = Some(1.0);
        let text = table(&report);
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> =
            rows.records().collect::<Result<_, _>>().expect("all rows have as many");
        assert!(rows.iter().all(|row| row.len() == HEADINGS.len()), "{text}");
        assert!(rows.iter().any(|row| &row[3] == "d, \"x\""), "{text}");
        assert!(rows.iter().any(|row| &row[5] == "closing, not counted"), "{text}");
    }
}
