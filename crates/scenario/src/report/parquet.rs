//! One row a request, in a Parquet file, written in row groups so that memory stays bounded.

use crate::report::error::ReportError;
use crate::report::sink::RequestSink;
use crate::report::whole_file::WholeFile;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use petrio_colours::{BlockRequest, Cause, Direction, Status};
use petrio_kernel::Time;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows in a row group: some 8 MB of memory, and enough to compress well.
const GROUP_ROWS: usize = 65_536;

/// Writes completed requests as rows: who asked for what, when, and where the time went, in picoseconds.
pub struct ParquetRows {
    path: PathBuf,
    file: Shared,
    writer: Option<SerializedFileWriter<Shared>>,
    group: Group,
}

/// The rows of a group, by column.
#[derive(Default)]
struct Group {
    id: Vec<i64>,
    parent: Vec<i64>,
    parent_present: Vec<i16>,
    process: Vec<i32>,
    device: Vec<i32>,
    direction: Vec<ByteArray>,
    address: Vec<i64>,
    blocks: Vec<i32>,
    priority: Vec<i32>,
    synchronous: Vec<bool>,
    force_unit_access: Vec<bool>,
    from_cache: Vec<bool>,
    issued: Vec<i64>,
    completed: Vec<i64>,
    causes: [Vec<i64>; Cause::ALL.len()],
}

/// The format's writer wants to own what it writes to; the file takes its name only after the writer is done.
#[derive(Clone)]
struct Shared(Arc<Mutex<Option<WholeFile>>>);

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

fn schema() -> String {
    let causes: String =
        Cause::ALL.iter().map(|cause| format!("  REQUIRED INT64 {}_ps;\n", cause.name())).collect();
    format!(
        "message request {{
  REQUIRED INT64 id (INTEGER(64, false));
  OPTIONAL INT64 parent (INTEGER(64, false));
  REQUIRED INT32 process (INTEGER(32, false));
  REQUIRED INT32 device (INTEGER(32, false));
  REQUIRED BYTE_ARRAY direction (STRING);
  REQUIRED INT64 address (INTEGER(64, false));
  REQUIRED INT32 blocks (INTEGER(32, false));
  REQUIRED INT32 priority;
  REQUIRED BOOLEAN synchronous;
  REQUIRED BOOLEAN force_unit_access;
  REQUIRED BOOLEAN from_cache;
  REQUIRED INT64 issued_ps;
  REQUIRED INT64 completed_ps;
{causes}}}"
    )
}

impl ParquetRows {
    /// Begins the file.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path) -> Result<Self, ReportError> {
        let failed = |error: ParquetError| refused(path, &error);
        let file = Shared(Arc::new(Mutex::new(Some(WholeFile::create(path)?))));
        let schema = Arc::new(parse_message_type(&schema()).map_err(failed)?);
        let properties = WriterProperties::builder()
            .set_created_by("petrio".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let writer = SerializedFileWriter::new(file.clone(), schema, Arc::new(properties)).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, writer: Some(writer), group: Group::default() })
    }

    fn write_group(&mut self) -> Result<(), ReportError> {
        if let (Some(writer), false) = (&mut self.writer, self.group.id.is_empty()) {
            self.group.write(writer).map_err(|error| refused(&self.path, &error))?;
        }
        Ok(())
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

impl Group {
    fn push(&mut self, request: &BlockRequest, at: Time) {
        self.id.push(bits(request.id.0));
        self.parent_present.push(i16::from(request.parent.is_some()));
        self.parent.extend(request.parent.map(|parent| bits(parent.0)));
        self.process.push(bits32(request.process));
        self.device.push(bits32(request.device));
        self.direction.push(ByteArray::from(match request.direction {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Flush => "flush",
        }));
        self.address.push(bits(request.address));
        self.blocks.push(bits32(request.blocks));
        self.priority.push(i32::from(request.priority));
        self.synchronous.push(request.synchronous);
        self.force_unit_access.push(request.force_unit_access);
        self.from_cache.push(request.status == Status::DoneFromCache);
        self.issued.push(bits(request.issued.as_picos()));
        self.completed.push(bits(at.as_picos()));
        for (column, cause) in self.causes.iter_mut().zip(Cause::ALL) {
            column.push(bits(request.ledger.of(cause).as_picos()));
        }
    }

    /// Writes the columns in the schema's order and empties them.
    fn write(&mut self, writer: &mut SerializedFileWriter<Shared>) -> Result<(), ParquetError> {
        let mut group = writer.next_row_group()?;
        macro_rules! column {
            ($kind:ty, $values:expr, $present:expr) => {
                if let Some(mut column) = group.next_column()? {
                    column.typed::<$kind>().write_batch(&$values, $present, None)?;
                    column.close()?;
                }
                $values.clear();
            };
        }
        column!(Int64Type, self.id, None);
        column!(Int64Type, self.parent, Some(&self.parent_present));
        self.parent_present.clear();
        column!(Int32Type, self.process, None);
        column!(Int32Type, self.device, None);
        column!(ByteArrayType, self.direction, None);
        column!(Int64Type, self.address, None);
        column!(Int32Type, self.blocks, None);
        column!(Int32Type, self.priority, None);
        column!(BoolType, self.synchronous, None);
        column!(BoolType, self.force_unit_access, None);
        column!(BoolType, self.from_cache, None);
        column!(Int64Type, self.issued, None);
        column!(Int64Type, self.completed, None);
        for cause in &mut self.causes {
            column!(Int64Type, *cause, None);
        }
        group.close()?;
        Ok(())
    }
}

impl RequestSink for ParquetRows {
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        self.group.push(request, at);
        if self.group.id.len() >= GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.write_group()?;
        if let Some(writer) = self.writer.take() {
            writer.close().map_err(|error| refused(&self.path, &error))?;
        }
        let file = self.file.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), WholeFile::finish)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;
    use petrio_colours::RequestId;

    #[test]
    fn every_request_is_a_row_that_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.parquet");
        let mut rows = ParquetRows::create(&path).unwrap();
        let count = GROUP_ROWS as u64 + 10;
        for n in 0..count {
            let mut request = BlockRequest {
                id: RequestId(n),
                parent: (n % 2 == 0).then_some(RequestId(n / 2)),
                address: u64::MAX - n,
                blocks: 8,
                issued: Time::from_micros(n),
                ..BlockRequest::default()
            };
            request.ledger.charge(Cause::Seek, Time::from_nanos(n));
            rows.completed(&request, Time::from_micros(n + 5)).unwrap();
        }
        assert!(!path.exists(), "the file has its name before it is complete");
        rows.finish().unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let mut seen = 0;
        for (n, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let (n, row) = (n as u64, row.unwrap());
            assert_eq!(row.get_ulong(0).unwrap(), n);
            assert_eq!(row.get_ulong(1).ok(), (n % 2 == 0).then_some(n / 2));
            assert_eq!(row.get_string(4).unwrap(), "read");
            assert_eq!(row.get_ulong(5).unwrap(), u64::MAX - n);
            assert_eq!(row.get_long(12).unwrap() - row.get_long(11).unwrap(), 5_000_000);
            assert_eq!(row.get_long(13 + Cause::Seek as usize).unwrap(), n as i64 * 1_000);
            seen += 1;
        }
        assert_eq!(seen, count);
    }

    #[test]
    fn a_run_that_ends_early_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = ParquetRows::create(&folder.path().join("requests.parquet")).unwrap();
        rows.completed(&BlockRequest::default(), Time::ZERO).unwrap();
        drop(rows);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
