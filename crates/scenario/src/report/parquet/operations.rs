//! File operations as rows.

use super::{Columns, Group, LedgerColumns, Tabular, bits, bits32, column};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use petrio_colours::{FileCause, FileOp, Status};
use petrio_kernel::Time;

/// The columns of file operations.
#[derive(Default)]
pub struct OperationGroup {
    id: Vec<i64>,
    process: Vec<i32>,
    file_system: Vec<i32>,
    operation: Vec<ByteArray>,
    file: Vec<i32>,
    directory: Vec<i32>,
    offset: Vec<i64>,
    length: Vec<i64>,
    direct: Vec<bool>,
    sync: Vec<bool>,
    data_sync: Vec<bool>,
    stdio: Vec<bool>,
    priority: Vec<i32>,
    from_cache: Vec<bool>,
    issued: Vec<i64>,
    completed: Vec<i64>,
    causes: LedgerColumns<FileCause>,
}

impl Tabular for FileOp {
    type Columns = OperationGroup;
}

impl Columns for OperationGroup {
    type Row<'a> = (&'a FileOp, Time);

    fn schema() -> String {
        let causes = LedgerColumns::<FileCause>::schema();
        format!(
            "message operation {{
  REQUIRED INT64 id (INTEGER(64, false));
  REQUIRED INT32 process (INTEGER(32, false));
  REQUIRED INT32 file_system (INTEGER(32, false));
  REQUIRED BYTE_ARRAY operation (STRING);
  REQUIRED INT32 file (INTEGER(32, false));
  REQUIRED INT32 directory (INTEGER(32, false));
  REQUIRED INT64 offset (INTEGER(64, false));
  REQUIRED INT64 length (INTEGER(64, false));
  REQUIRED BOOLEAN direct;
  REQUIRED BOOLEAN sync;
  REQUIRED BOOLEAN data_sync;
  REQUIRED BOOLEAN stdio;
  REQUIRED INT32 priority;
  REQUIRED BOOLEAN from_cache;
  REQUIRED INT64 issued_ps;
  REQUIRED INT64 completed_ps;
{causes}}}"
        )
    }

    fn push(&mut self, (operation, at): (&FileOp, Time)) {
        self.id.push(bits(operation.id.0));
        self.process.push(bits32(operation.process));
        self.file_system.push(bits32(operation.file_system));
        self.operation.push(ByteArray::from(operation.operation.name()));
        self.file.push(bits32(operation.file.0));
        self.directory.push(bits32(operation.parent.0));
        self.offset.push(bits(operation.offset));
        self.length.push(bits(operation.length));
        self.direct.push(operation.flags.direct);
        self.sync.push(operation.flags.sync);
        self.data_sync.push(operation.flags.data_sync);
        self.stdio.push(operation.flags.stdio);
        self.priority.push(i32::from(operation.priority));
        self.from_cache.push(operation.status == Status::DoneFromCache);
        self.issued.push(bits(operation.issued.as_picos()));
        self.completed.push(bits(at.as_picos()));
        self.causes.push(&operation.ledger);
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        column!(group, Int64Type, self.id);
        column!(group, Int32Type, self.process);
        column!(group, Int32Type, self.file_system);
        column!(group, ByteArrayType, self.operation);
        column!(group, Int32Type, self.file);
        column!(group, Int32Type, self.directory);
        column!(group, Int64Type, self.offset);
        column!(group, Int64Type, self.length);
        column!(group, BoolType, self.direct);
        column!(group, BoolType, self.sync);
        column!(group, BoolType, self.data_sync);
        column!(group, BoolType, self.stdio);
        column!(group, Int32Type, self.priority);
        column!(group, BoolType, self.from_cache);
        column!(group, Int64Type, self.issued);
        column!(group, Int64Type, self.completed);
        self.causes.write(group)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::report::parquet::ParquetRows;
    use crate::report::sink::RequestSink;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;
    use petrio_colours::{FileCause, FileId, FileOp, Operation};
    use petrio_kernel::Time;

    #[test]
    fn an_operation_is_a_row_that_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("operations.parquet");
        let mut rows = ParquetRows::create(&path).unwrap();
        let mut op = FileOp { operation: Operation::Fdatasync, file: FileId(7), ..FileOp::default() };
        op.ledger.charge(FileCause::Throttle, Time::from_nanos(9));
        rows.completed(&op, Time::from_micros(3)).unwrap();
        rows.finish().unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
        assert_eq!(row.get_string(3).unwrap(), "fdatasync");
        assert_eq!(row.get_uint(4).unwrap(), 7);
        assert_eq!(row.get_long(15).unwrap(), 3_000_000);
        assert_eq!(row.get_long(16 + FileCause::Throttle as usize).unwrap(), 9_000);
        let names: Vec<&str> = row.get_column_iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.last(), Some(&"dirty_throttle_ps"));
    }
}
