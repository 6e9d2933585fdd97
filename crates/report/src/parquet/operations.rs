//! File operations as rows.

use super::{LedgerColumns, Tabular, picoseconds};
use petrio_colours::{FileCause, FileOp, Status};
use petrio_kernel::Time;
use petrio_trace::columns;
use petrio_trace::table::{Column, Word};

columns! {
    /// The columns of file operations.
    pub struct OperationGroup of "operation": (&'a FileOp, Time) as (operation, at) => {
        id: Column<u64> = operation.id.0,
        process: Column<u32> = operation.process,
        file_system: Column<u32> = operation.file_system,
        operation: Column<Word> = operation.operation.name(),
        file: Column<u32> = operation.file.0,
        directory: Column<u32> = operation.parent.0,
        offset: Column<u64> = operation.offset,
        length: Column<u64> = operation.length,
        direct: Column<bool> = operation.flags.direct,
        sync: Column<bool> = operation.flags.sync,
        data_sync: Column<bool> = operation.flags.data_sync,
        stdio: Column<bool> = operation.flags.stdio,
        priority: Column<i32> = i32::from(operation.priority),
        from_cache: Column<bool> = operation.status == Status::DoneFromCache,
        issued_ps: Column<i64> = picoseconds(operation.issued),
        completed_ps: Column<i64> = picoseconds(at),
        causes: LedgerColumns<FileCause> = &operation.ledger,
    }
}

impl Tabular for FileOp {
    type Columns = OperationGroup;
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
