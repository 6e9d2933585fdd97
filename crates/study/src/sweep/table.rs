//! Tables: cases read from CSV, and results written as CSV.

use super::SweepResults;
use super::error::SweepError;
use super::factor::Factor;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file::WholeFile;
use std::io::{self, Write};
use std::path::Path;

/// Rows of a table at most.
const ROWS_MAX: usize = 10_000_000;

/// The keys of a table's first line, each with the values of its column, a row a case.
///
/// # Errors
/// A file that can't be read, has no rows, or rows with values missing.
pub fn factors_of_table(path: &Path, inputs: &Inputs) -> Result<Vec<Factor>, SweepError> {
    let wrong = |why: String| SweepError::Table { path: path.to_owned(), why };
    let source = inputs.open(path).map_err(SweepError::file(path))?;
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(source);
    let keys: Vec<String> =
        reader.headers().map_err(|error| wrong(error.to_string()))?.iter().map(str::to_owned).collect();
    if keys.iter().any(String::is_empty) {
        return Err(wrong("a column of its first line has no name".to_owned()));
    }
    let mut columns = vec![Vec::new(); keys.len()];
    for (number, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        for (column, value) in columns.iter_mut().zip(&record) {
            if value.is_empty() {
                return Err(wrong(format!("a value is missing in line {line}")));
            }
            column.push(value.to_owned());
        }
        if number >= ROWS_MAX {
            return Err(wrong(format!("it has more than {ROWS_MAX} rows")));
        }
    }
    if columns.first().is_none_or(Vec::is_empty) {
        return Err(wrong("it has no rows".to_owned()));
    }
    Ok(keys.iter().zip(columns).map(|(key, values)| Factor::listed(key, values)).collect())
}

/// Writes all rows as CSV: numbers as they are, units in the heads.
///
/// # Errors
/// A file that can't be written.
pub fn write_csv(results: &SweepResults, path: &Path, inputs: &Inputs) -> Result<(), SweepError> {
    let mut file = WholeFile::create(path, inputs).map_err(SweepError::file(path))?;
    let written = csv_to(results, &mut file).map_err(io::Error::from);
    written.and_then(|()| file.finish()).map_err(SweepError::file(path))
}

fn csv_to(results: &SweepResults, to: impl Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    let mut heads = vec!["case".to_owned(), "replication".to_owned(), "key".to_owned()];
    heads.extend(results.study.factors.iter().map(|factor| factor.path.clone()));
    heads.extend(results.measures.iter().map(|measure| format!("{measure} ({})", measure.base_unit())));
    heads.extend(["busiest", "utilisation", "warnings"].map(str::to_owned));
    writer.write_record(&heads)?;
    for row in &results.rows {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let mut record = vec![row.case.to_string(), row.replication.to_string(), row.key.clone()];
        record.extend(row.values.iter().cloned());
        record.extend(row.figures.iter().map(|figure| number(*figure)));
        record.extend([
            row.busiest.clone().unwrap_or_default(),
            number(row.utilisation),
            row.warnings.join("; "),
        ]);
        writer.write_record(&record)?;
    }
    writer.flush()?;
    Ok(())
}
