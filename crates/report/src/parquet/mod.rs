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
use arrow_array::builder::{
    BooleanBuilder, Int32Builder, Int64Builder, StringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use petrio_colours::{BlockRequest, Causes, Ledger};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_trace::record_batches::{BatchFile, GROUP_ROWS, properties};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The columns of a row group.
pub(super) trait Columns: Default {
    /// What a row is made from.
    type Row<'a>;

    /// What a row is called in the file.
    const ROW: &'static str;

    /// The columns' names and types.
    fn fields() -> Vec<Field>;

    /// Adds a row.
    fn push(&mut self, row: Self::Row<'_>);

    /// The columns in the order of [`Columns::fields`], which are empty then.
    fn finish(&mut self) -> Vec<ArrayRef>;
}

/// What builds a column.
trait Builds {
    /// The column's type.
    const OF: DataType;

    fn array(&mut self) -> ArrayRef;
}

macro_rules! builds {
    ($($builder:ty => $of:expr,)*) => {
        $(impl Builds for $builder {
            const OF: DataType = $of;

            fn array(&mut self) -> ArrayRef {
                Arc::new(self.finish())
            }
        })*
    };
}

builds! {
    BooleanBuilder => DataType::Boolean,
    Int32Builder => DataType::Int32,
    Int64Builder => DataType::Int64,
    StringBuilder => DataType::Utf8,
    UInt32Builder => DataType::UInt32,
    UInt64Builder => DataType::UInt64,
}

/// Declares columns: their names in the file, what builds them, and, with a question mark, whether they may be null. A
/// ledger's causes come after them.
macro_rules! columns {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident of $row:literal from $from:ty {
            $($column:ident: $builder:ty $([$null:literal])?,)*
        }
        $(causes: $causes:ty)?
    ) => {
        $(#[$about])*
        #[derive(Default)]
        $visible struct $name {
            $($column: $builder,)*
            $(causes: $crate::parquet::LedgerColumns<$causes>,)?
        }

        impl $crate::parquet::Columns for $name {
            type Row<'a> = $from;

            const ROW: &'static str = $row;

            fn fields() -> Vec<arrow_schema::Field> {
                #[allow(unused_mut, reason = "not all columns have causes behind them")]
                let mut fields = vec![$(arrow_schema::Field::new(
                    stringify!($column),
                    <$builder as $crate::parquet::Builds>::OF,
                    false $(|| $null)?,
                ),)*];
                $(fields.extend($crate::parquet::LedgerColumns::<$causes>::fields());)?
                fields
            }

            fn push(&mut self, row: Self::Row<'_>) {
                self.add(row);
            }

            fn finish(&mut self) -> Vec<arrow_array::ArrayRef> {
                use $crate::parquet::Builds as _;
                #[allow(unused_mut, reason = "not all columns have causes behind them")]
                let mut arrays = vec![$(self.$column.array(),)*];
                $(arrays.extend($crate::parquet::LedgerColumns::<$causes>::arrays(&mut self.causes));)?
                arrays
            }
        }
    };
}
use columns;

/// A colour whose requests are rows.
pub trait Tabular: Reported {
    /// The columns.
    #[expect(private_bounds, reason = "columns are this module's own business")]
    type Columns: RequestColumns<Self> + Send;
}

/// Columns that take completed requests.
pub(super) trait RequestColumns<R>: for<'a> Columns<Row<'a> = (&'a R, Time)> {}

impl<R, C: for<'a> Columns<Row<'a> = (&'a R, Time)>> RequestColumns<R> for C {}

/// A column of quantities with its unit in the schema of record batches, under `unit`; the footer of a file has all of them.
fn with_unit(column: Field) -> Field {
    let unit = match column.name().as_str() {
        "address" | "blocks" => "512 B",
        "offset" | "length" => "B",
        name if name.ends_with("_ps") => "ps",
        _ => return column,
    };
    column.with_metadata([("unit".to_owned(), unit.to_owned())])
}

/// Rows that become record batches.
pub(super) struct Batches<C> {
    schema: SchemaRef,
    columns: C,
    rows: usize,
}

impl<C: Columns> Batches<C> {
    fn new() -> Self {
        let fields: Vec<Field> = C::fields().into_iter().map(with_unit).collect();
        Self { schema: Arc::new(Schema::new(fields)), columns: C::default(), rows: 0 }
    }

    /// Adds a row; the batch that it completes.
    fn push(&mut self, row: C::Row<'_>) -> Result<Option<RecordBatch>, ArrowError> {
        self.columns.push(row);
        self.rows += 1;
        if self.rows >= GROUP_ROWS { self.rest() } else { Ok(None) }
    }

    /// The rows since the last batch, where there are any.
    fn rest(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(None);
        }
        RecordBatch::try_new(self.schema.clone(), self.columns.finish()).map(Some)
    }
}

/// Hands on completed requests as record batches: who asked for what, when, and where the time went, in picoseconds.
pub struct RequestBatches<R: Tabular, F> {
    batches: Batches<R::Columns>,
    hand_on: F,
}

impl<R: Tabular, F: FnMut(RecordBatch) -> Result<(), ReportError> + Send> RequestBatches<R, F> {
    /// To whoever takes them.
    pub fn new(hand_on: F) -> Self {
        Self { batches: Batches::new(), hand_on }
    }

    fn give(&mut self, batch: Result<Option<RecordBatch>, ArrowError>) -> Result<(), ReportError> {
        match batch.map_err(|error| refused(Path::new("a record batch"), error.into()))? {
            Some(batch) => (self.hand_on)(batch),
            None => Ok(()),
        }
    }
}

impl<R: Tabular, F: FnMut(RecordBatch) -> Result<(), ReportError> + Send> RequestSink<R>
    for RequestBatches<R, F>
{
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        let batch = self.batches.push((request, at));
        self.give(batch)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let batch = self.batches.rest();
        self.give(batch)
    }
}

/// A file of rows.
pub(super) struct Rows<C> {
    path: PathBuf,
    file: Option<BatchFile>,
    batches: Batches<C>,
}

/// Writes completed requests as rows of a Parquet file.
pub struct ParquetRows<R: Tabular = BlockRequest>(Rows<R::Columns>);

impl<C: Columns> Rows<C> {
    pub(super) fn create(path: &Path, inputs: &Inputs) -> Result<Self, ReportError> {
        let batches = Batches::<C>::new();
        let whole = WholeFile::create(path, inputs)?.into_inner();
        let file = BatchFile::new(whole, batches.schema.clone(), C::ROW, properties().build());
        let mut file = file.map_err(|error| refused(path, error))?;
        let unit =
            |column: &Arc<Field>| Some((column.name().clone(), column.metadata().get("unit")?.clone()));
        let units: BTreeMap<String, String> = batches.schema.fields().iter().filter_map(unit).collect();
        file.describe("units", serde_json::json!(units).to_string());
        Ok(Self { path: path.to_owned(), file: Some(file), batches })
    }

    pub(super) fn push(&mut self, row: C::Row<'_>) -> Result<(), ReportError> {
        let batch = self.batches.push(row);
        self.write(batch)
    }

    fn write(&mut self, batch: Result<Option<RecordBatch>, ArrowError>) -> Result<(), ReportError> {
        let written = match (batch, &mut self.file) {
            (Ok(Some(batch)), Some(file)) => file.write(&batch),
            (Err(error), _) => Err(error.into()),
            _ => Ok(()),
        };
        written.map_err(|error| refused(&self.path, error))
    }

    pub(super) fn finish(&mut self) -> Result<(), ReportError> {
        let batch = self.batches.rest();
        self.write(batch)?;
        let finished = self.file.take().map_or(Ok(()), BatchFile::finish);
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
struct LedgerColumns<C: Causes>(Vec<Int64Builder>, std::marker::PhantomData<C>);

impl<C: Causes> Default for LedgerColumns<C> {
    fn default() -> Self {
        Self(C::ALL.iter().map(|_| Int64Builder::default()).collect(), std::marker::PhantomData)
    }
}

impl<C: Causes> LedgerColumns<C> {
    fn fields() -> Vec<Field> {
        let name = |cause: &C| format!("{}_ps", cause.name().replace(' ', "_"));
        C::ALL.iter().map(|cause| Field::new(name(cause), DataType::Int64, false)).collect()
    }

    fn push(&mut self, ledger: &Ledger<C>) {
        for (column, cause) in self.0.iter_mut().zip(C::ALL) {
            column.append_value(picoseconds(ledger.of(*cause)));
        }
    }

    fn arrays(&mut self) -> Vec<ArrayRef> {
        self.0.iter_mut().map(Builds::array).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_colours::FileOp;

    /// What numbers of these columns count, or which one they name, is in the name.
    const NAMES: [&str; 7] = ["id", "process", "device", "file_system", "file", "directory", "priority"];

    fn without_unit<C: Columns>() -> Vec<String> {
        let schema = Batches::<C>::new().schema;
        let quantities = schema.fields().iter().filter(|column| column.data_type().is_numeric());
        let lacking = quantities.filter(|column| !column.metadata().contains_key("unit"));
        lacking.map(|column| column.name().clone()).filter(|name| !NAMES.contains(&name.as_str())).collect()
    }

    #[test]
    fn every_quantity_of_a_row_has_its_unit_in_the_schema() {
        let all = [
            without_unit::<<BlockRequest as Tabular>::Columns>(),
            without_unit::<<FileOp as Tabular>::Columns>(),
            without_unit::<DeviceColumns>(),
        ];
        assert_eq!(all.concat(), Vec::<String>::new());
    }
}
