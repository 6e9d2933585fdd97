//! Block requests as rows.

use super::{LedgerColumns, Tabular, picoseconds};
use crate::subject::Reported;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_kernel::Time;
use petrio_trace::columns;
use petrio_trace::table::{Column, Word};

columns! {
    /// The columns of block requests.
    pub struct RequestGroup of "request": (&'a BlockRequest, Time) as (request, at) => {
        id: Column<u64> = request.id.0,
        process: Column<u32> = request.process,
        device: Column<u32> = request.device,
        direction: Column<Word> = BlockRequest::KINDS[request.kind()].name,
        address: Column<u64> = request.address,
        blocks: Column<u32> = request.blocks,
        priority: Column<i32> = i32::from(request.priority),
        synchronous: Column<bool> = request.synchronous,
        force_unit_access: Column<bool> = request.force_unit_access,
        from_cache: Column<bool> = request.status == Status::DoneFromCache,
        issued_ps: Column<i64> = picoseconds(request.issued),
        completed_ps: Column<i64> = picoseconds(at),
        causes: LedgerColumns<Cause> = &request.ledger,
    }
}

impl Tabular for BlockRequest {
    type Columns = RequestGroup;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parquet::ParquetRows;
    use crate::sink::RequestSink;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;
    use petrio_colours::{BlockRequest, Cause, RequestId};
    use petrio_files::inputs::Inputs;
    use petrio_kernel::Time;
    use petrio_trace::table::GROUP_ROWS;

    #[test]
    fn every_request_is_a_row_that_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.parquet");
        let mut rows = ParquetRows::create(&path, &Inputs::none()).unwrap();
        let count = GROUP_ROWS as u64 + 10;
        for n in 0..count {
            let mut request = BlockRequest {
                id: RequestId(n),
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
        let footer = reader.metadata().file_metadata().key_value_metadata().unwrap();
        let units = footer.iter().find(|entry| entry.key == "units").and_then(|entry| entry.value.as_deref());
        assert!(units.is_some_and(|units| units.contains(r#""blocks":"512 B""#)), "{units:?}");
        let mut seen = 0;
        for (n, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let (n, row) = (n as u64, row.unwrap());
            assert_eq!(row.get_ulong(0).unwrap(), n);
            assert_eq!(row.get_string(3).unwrap(), "read");
            assert_eq!(row.get_ulong(4).unwrap(), u64::MAX - n);
            assert_eq!(row.get_long(11).unwrap() - row.get_long(10).unwrap(), 5_000_000);
            assert_eq!(row.get_long(12 + Cause::Seek as usize).unwrap(), n as i64 * 1_000);
            seen += 1;
        }
        assert_eq!(seen, count);
    }

    #[test]
    fn a_run_that_ends_early_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = ParquetRows::create(&folder.path().join("requests.parquet"), &Inputs::none()).unwrap();
        rows.completed(&BlockRequest::default(), Time::ZERO).unwrap();
        drop(rows);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
