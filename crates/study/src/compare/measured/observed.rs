//! What was measured, of all files together: what was measured several times is one row of several runs.

use super::Source;
use crate::compare::Question;
use crate::compare::error::CompareError;
use crate::compare::note::{Note, NoteClaim};
use petrio_page::numbers::counted;
use petrio_scenario::report::Estimate;
use petrio_workload::measurement::{BYTES_MAX, Figure, Format, Kind, Measurement};
use petrio_workload::over_time;
use std::collections::HashMap;

/// What a row is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) file_size: Option<u64>,
    pub(super) record: Option<u64>,
    pub(super) processes: Option<u32>,
    /// Whether it is a test of iozone's, whose name says what is done.
    pub(super) is_test: bool,
}

/// A row with what each run gave.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    pub(super) key: Key,
    pub(super) figures: Vec<(Figure, Vec<f64>)>,
}

/// Reads all measurements of a question.
pub(super) fn read(
    question: &Question,
    notes: &mut Vec<Note>,
) -> Result<(Vec<Observed>, Vec<Source>), CompareError> {
    let mut rows: Vec<Observed> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut sources = Vec::new();
    for input in question.inputs.iter().filter(|input| input.measured) {
        let path = &input.file;
        let bytes = question
            .files
            .read(path, BYTES_MAX)
            .map_err(|source| CompareError::File { path: path.clone(), source })?;
        let measured = Measurement::read(&bytes).map_err(|mut error| {
            if std::str::from_utf8(&bytes).ok().and_then(Format::of).is_none() {
                let over_time = over_time::formats_in_words();
                error.help = error.help.map(|help| format!("{help}; and over time: {over_time}"));
            }
            CompareError::Measurement { path: path.clone(), error }
        })?;
        let name = petrio_files::shown::path(path).to_string();
        let told = measured.remarks.iter().map(|remark| format!("{name}: {remark}"));
        notes.extend(told.map(|text| NoteClaim::Measured.says(text)));
        let figures = measured.rows.iter().map(|row| row.figures.len()).sum();
        sources.push(Source { file: path.clone(), format: measured.format, figures });
        for row in measured.rows {
            let key = Key {
                is_test: row.kind == Kind::Accesses,
                name: row.name,
                kind: row.kind,
                file_size: row.file_size,
                record: row.record,
                processes: row.processes,
            };
            let place = *places.entry(key.clone()).or_insert_with(|| {
                rows.push(Observed { key, figures: Vec::new() });
                rows.len() - 1
            });
            let known = &mut rows[place].figures;
            for (figure, value) in row.figures {
                match known.iter_mut().find(|(of, _)| *of == figure) {
                    Some((_, values)) => values.push(value),
                    None => known.push((figure, vec![value])),
                }
            }
        }
    }
    let runs = rows.iter().flat_map(|row| &row.figures).map(|(_, values)| values.len()).max().unwrap_or(0);
    if runs > 1 {
        let runs = counted(runs as u64, "run", "runs");
        notes.push(NoteClaim::SeveralRuns.says(format!(
            "what was measured more than once ({runs} at most) is told as its mean, with its interval"
        )));
    }
    Ok((rows, sources))
}

/// The mean of what was measured, with its interval where there are several runs.
pub(super) fn estimate(values: &[f64], level: f64) -> Estimate {
    match values {
        [one] => (*one).into(),
        several => Estimate::of(several.iter().copied(), level),
    }
}
