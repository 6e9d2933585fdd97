//! One row a request, in a Parquet file, written in row groups so that memory stays bounded.
//!
//! What the columns are is said by each colour, a file each: [`requests`] for block requests, [`operations`] for file
//! operations, [`device_log`] for what reaches the devices. Times are in picoseconds.

mod device_log;
mod operations;
mod requests;

pub(super) use device_log::{DeviceGroup as DeviceColumns, DeviceRow};

use crate::report::error::ReportError;
use crate::report::sink::RequestSink;
use crate::report::subject::Reported;
use crate::report::whole_file::WholeFile;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;
use petrio_colours::{BlockRequest, Causes, Ledger};
use petrio_kernel::Time;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows in a row group: some 8 MB of memory, and enough to compress well.
const GROUP_ROWS: usize = 65_536;

/// The columns of a row group.
pub(super) trait Columns: Default {
    /// What a row is made from.
    type Row<'a>;

    /// The schema, in the format's message syntax.
    fn schema() -> String;

    /// Adds a row.
    fn push(&mut self, row: Self::Row<'_>);

    /// Writes the columns in the schema's order and empties them.
    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError>;
}

/// A colour whose requests are rows.
pub trait Tabular: Reported {
    /// The columns.
    #[expect(private_bounds, reason = "columns are this module's own business")]
    type Columns: RequestColumns<Self> + Send;
}

/// Columns that take completed requests.
pub(super) trait RequestColumns<R>: for<'a> Columns<Row<'a> = (&'a R, Time)> {}

impl<R, C: for<'a> Columns<Row<'a> = (&'a R, Time)>> RequestColumns<R> for C {}

/// A row group being written.
pub(super) type Group<'a> = SerializedRowGroupWriter<'a, Shared>;

/// Writes the next column of a row group and empties it.
macro_rules! column {
    ($group:expr, $kind:ty, $values:expr) => {
        column!($group, $kind, $values, None)
    };
    ($group:expr, $kind:ty, $values:expr, $present:expr) => {
        if let Some(mut column) = $group.next_column()? {
            column.typed::<$kind>().write_batch(&$values, $present, None)?;
            column.close()?;
        }
        $values.clear();
    };
}
use column;

/// A file of rows.
pub(super) struct Rows<C> {
    path: PathBuf,
    file: Shared,
    writer: Option<SerializedFileWriter<Shared>>,
    columns: C,
    rows: usize,
}

/// Writes completed requests as rows: who asked for what, when, and where the time went, in picoseconds.
pub struct ParquetRows<R: Tabular = BlockRequest>(Rows<R::Columns>);

/// The format's writer wants to own what it writes to; the file takes its name only after the writer is done.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Option<WholeFile>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => file.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => file.flush(),
            None => Ok(()),
        }
    }
}

impl<C: Columns> Rows<C> {
    pub(super) fn create(path: &Path) -> Result<Self, ReportError> {
        let failed = |error: ParquetError| refused(path, &error);
        let file = Shared(Arc::new(Mutex::new(Some(WholeFile::create(path)?))));
        let schema = Arc::new(parse_message_type(&C::schema()).map_err(failed)?);
        let properties = WriterProperties::builder()
            .set_created_by("petrio".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let writer = SerializedFileWriter::new(file.clone(), schema, Arc::new(properties)).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, writer: Some(writer), columns: C::default(), rows: 0 })
    }

    pub(super) fn push(&mut self, row: C::Row<'_>) -> Result<(), ReportError> {
        self.columns.push(row);
        self.rows += 1;
        if self.rows >= GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), ReportError> {
        if let (Some(writer), true) = (&mut self.writer, self.rows > 0) {
            let columns = &mut self.columns;
            let mut write = || {
                let mut group = writer.next_row_group()?;
                columns.write(&mut group)?;
                group.close().map(drop)
            };
            write().map_err(|error| refused(&self.path, &error))?;
        }
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), ReportError> {
        self.write_group()?;
        if let Some(writer) = self.writer.take() {
            writer.close().map_err(|error| refused(&self.path, &error))?;
        }
        let file = self.file.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), WholeFile::finish)
    }
}

impl<R: Tabular> ParquetRows<R> {
    /// Begins the file.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        Rows::create(path).map(Self)
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

fn refused(path: &Path, error: &ParquetError) -> ReportError {
    ReportError::Parquet { path: path.to_owned(), message: error.to_string() }
}

/// Unsigned numbers keep their bits; the schema says that they are unsigned.
fn bits(number: u64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

fn bits32(number: u32) -> i32 {
    i32::from_ne_bytes(number.to_ne_bytes())
}

/// The columns of a ledger: a cause each.
struct LedgerColumns<C: Causes>(Vec<Vec<i64>>, std::marker::PhantomData<C>);

impl<C: Causes> Default for LedgerColumns<C> {
    fn default() -> Self {
        Self(C::ALL.iter().map(|_| Vec::new()).collect(), std::marker::PhantomData)
    }
}

impl<C: Causes> LedgerColumns<C> {
    fn schema() -> String {
        let name = |cause: &C| cause.name().replace(' ', "_");
        C::ALL.iter().map(|cause| format!("  REQUIRED INT64 {}_ps;\n", name(cause))).collect()
    }

    fn push(&mut self, ledger: &Ledger<C>) {
        for (column, cause) in self.0.iter_mut().zip(C::ALL) {
            column.push(bits(ledger.of(*cause).as_picos()));
        }
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        for column in &mut self.0 {
            column!(group, ::parquet::data_type::Int64Type, *column);
        }
        Ok(())
    }
}
