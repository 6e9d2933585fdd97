//! One row a request, in a Parquet file, written in row groups so that memory stays bounded.
//!
//! What the columns are is said by each colour, a file each: [`requests`] for block requests, [`operations`] for file
//! operations, [`device_log`] for what reaches the devices. Times are in picoseconds.

mod device_log;
mod operations;
mod requests;

pub(super) use device_log::{DeviceGroup as DeviceColumns, DeviceRow};

use crate::error::ReportError;
use crate::sink::RequestSink;
use crate::subject::Reported;
use crate::whole_file::WholeFile;
use ::parquet::errors::ParquetError;
use petrio_colours::{BlockRequest, Causes, Ledger};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_trace::table::{Column, Columns, Encoded, Open, Table, TableFile, properties};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A colour whose requests are rows.
pub trait Tabular: Reported {
    /// The columns.
    type Columns: for<'a> Table<Row<'a> = (&'a Self, Time)> + Send;
}

/// What a column of quantities counts, which the footer of a file says under `units`.
fn unit(column: &str) -> Option<&'static str> {
    match column {
        "address" | "blocks" => Some("512 B"),
        "offset" | "length" => Some("B"),
        name if name.ends_with("_ps") => Some("ps"),
        _ => None,
    }
}

/// A file of rows.
pub(super) struct Rows<C> {
    path: PathBuf,
    file: Option<TableFile<C>>,
}

/// Writes completed requests as rows of a Parquet file.
pub struct ParquetRows<R: Tabular = BlockRequest>(Rows<R::Columns>);

impl<C: Table> Rows<C> {
    pub(super) fn create(path: &Path, inputs: &Inputs) -> Result<Self, ReportError> {
        let whole = WholeFile::create(path, inputs)?.into_inner();
        let file = TableFile::<C>::new(whole, properties().build());
        let mut file = file.map_err(|error| refused(path, error))?;
        let names = file.schema().columns().iter().map(|column| column.name());
        let units: BTreeMap<_, _> = names.filter_map(|name| Some((name, unit(name)?))).collect();
        let units = serde_json::json!(units).to_string();
        file.describe("units", units);
        Ok(Self { path: path.to_owned(), file: Some(file) })
    }

    pub(super) fn push(&mut self, row: C::Row<'_>) -> Result<(), ReportError> {
        let pushed = self.file.as_mut().map_or(Ok(()), |file| file.push(row));
        pushed.map_err(|error| refused(&self.path, error))
    }

    pub(super) fn finish(&mut self) -> Result<(), ReportError> {
        let finished = self.file.take().map_or(Ok(()), TableFile::finish);
        finished.map_err(|error| refused(&self.path, error))
    }
}

impl<R: Tabular> ParquetRows<R> {
    /// Begins the file, in the place of none of those `inputs`.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path, inputs: &Inputs) -> Result<Self, ReportError> {
        Rows::create(path, inputs).map(Self)
    }
}

impl<R: Tabular> RequestSink<R> for ParquetRows<R> {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        self.0.push((request, at))
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.0.finish()
    }
}

fn refused(path: &Path, error: ParquetError) -> ReportError {
    let plain = |message: String| ReportError::Parquet { path: path.to_owned(), message };
    match error {
        // The system's own answer, without the library's word around it.
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => ReportError::write(path, *cause),
            Err(other) => plain(other.to_string()),
        },
        other => plain(other.to_string()),
    }
}

fn picoseconds(time: Time) -> i64 {
    i64::from_ne_bytes(time.as_picos().to_ne_bytes())
}

/// The columns of a ledger: a cause each.
struct LedgerColumns<C: Causes>(Vec<Column<i64>>, std::marker::PhantomData<C>);

impl<C: Causes> Default for LedgerColumns<C> {
    fn default() -> Self {
        Self(C::ALL.iter().map(|_| Column::default()).collect(), std::marker::PhantomData)
    }
}

impl<C: Causes> LedgerColumns<C> {
    fn push(&mut self, ledger: &Ledger<C>) {
        for (column, cause) in self.0.iter_mut().zip(C::ALL) {
            column.push(picoseconds(ledger.of(*cause)));
        }
    }
}

impl<C: Causes> Columns for LedgerColumns<C> {
    fn declared(_: &str) -> String {
        let name = |cause: &C| format!("{}_ps", cause.name().replace(' ', "_"));
        C::ALL.iter().map(|cause| Column::<i64>::declared(&name(cause))).collect()
    }

    fn encode(&mut self, open: &mut std::slice::IterMut<'_, Open>) -> Encoded {
        self.0.iter_mut().try_for_each(|column| column.encode(open))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use ::parquet::basic::Type;
    use petrio_colours::FileOp;

    /// What numbers of these columns count, or which one they name, is in the name.
    const NAMES: [&str; 7] = ["id", "process", "device", "file_system", "file", "directory", "priority"];

    fn without_unit<C: Table>(folder: &Path) -> Vec<String> {
        let rows = Rows::<C>::create(&folder.join("rows.parquet"), &Inputs::none()).unwrap();
        let columns = rows.file.as_ref().unwrap().schema().columns();
        let lacking = columns.iter().filter(|column| {
            matches!(column.physical_type(), Type::INT32 | Type::INT64) && unit(column.name()).is_none()
        });
        lacking
            .map(|column| column.name().to_owned())
            .filter(|name| !NAMES.contains(&name.as_str()))
            .collect()
    }

    #[test]
    fn every_quantity_of_a_row_has_its_unit_in_the_footer() {
        let folder = tempfile::tempdir().unwrap();
        let all = [
            without_unit::<<BlockRequest as Tabular>::Columns>(folder.path()),
            without_unit::<<FileOp as Tabular>::Columns>(folder.path()),
            without_unit::<DeviceColumns>(folder.path()),
        ];
        assert_eq!(all.concat(), Vec::<String>::new());
    }
}
