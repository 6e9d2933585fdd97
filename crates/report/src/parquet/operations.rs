//! File operations as rows.

use super::{Tabular, columns, picoseconds};
use arrow_array::builder::{
    BooleanBuilder, Int32Builder, Int64Builder, StringBuilder, UInt32Builder, UInt64Builder,
};
use petrio_colours::{FileCause, FileOp, Status};
use petrio_kernel::Time;

columns! {
    /// The columns of file operations.
    pub struct OperationGroup of "operation" from (&'a FileOp, Time) {
        id: UInt64Builder,
        process: UInt32Builder,
        file_system: UInt32Builder,
        operation: StringBuilder,
        file: UInt32Builder,
        directory: UInt32Builder,
        offset: UInt64Builder,
        length: UInt64Builder,
        direct: BooleanBuilder,
        sync: BooleanBuilder,
        data_sync: BooleanBuilder,
        stdio: BooleanBuilder,
        priority: Int32Builder,
        from_cache: BooleanBuilder,
        issued_ps: Int64Builder,
        completed_ps: Int64Builder,
    }
    causes: FileCause
}

impl Tabular for FileOp {
    type Columns = OperationGroup;
}

impl OperationGroup {
    fn add(&mut self, (operation, at): (&FileOp, Time)) {
        self.id.append_value(operation.id.0);
        self.process.append_value(operation.process);
        self.file_system.append_value(operation.file_system);
        self.operation.append_value(operation.operation.name());
        self.file.append_value(operation.file.0);
        self.directory.append_value(operation.parent.0);
        self.offset.append_value(operation.offset);
        self.length.append_value(operation.length);
        self.direct.append_value(operation.flags.direct);
        self.sync.append_value(operation.flags.sync);
        self.data_sync.append_value(operation.flags.data_sync);
        self.stdio.append_value(operation.flags.stdio);
        self.priority.append_value(i32::from(operation.priority));
        self.from_cache.append_value(operation.status == Status::DoneFromCache);
        self.issued_ps.append_value(picoseconds(operation.issued));
        self.completed_ps.append_value(picoseconds(at));
        self.causes.push(&operation.ledger);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parquet::ParquetRows;
    use crate::sink::RequestSink;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;
    use petrio_colours::{FileCause, FileId, FileOp, Operation};
    use petrio_files::inputs::Inputs;
    use petrio_kernel::Time;

    #[test]
    fn an_operation_is_a_row_that_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("operations.parquet");
        let mut rows = ParquetRows::create(&path, &Inputs::none()).unwrap();
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
        assert_eq!(names.last(), Some(&"server_ps"));
    }
}
