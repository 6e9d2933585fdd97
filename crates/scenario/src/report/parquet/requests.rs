//! Block requests as rows.

use super::{Columns, Group, LedgerColumns, Tabular, bits, bits32, column};
use crate::report::subject::Reported;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_kernel::Time;

/// The columns of block requests.
#[derive(Default)]
pub struct RequestGroup {
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
    causes: LedgerColumns<Cause>,
}

impl Tabular for BlockRequest {
    type Columns = RequestGroup;
}

impl Columns for RequestGroup {
    type Row<'a> = (&'a BlockRequest, Time);

    fn schema() -> String {
        let causes = LedgerColumns::<Cause>::schema();
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

    fn push(&mut self, (request, at): (&BlockRequest, Time)) {
        self.id.push(bits(request.id.0));
        self.parent_present.push(i16::from(request.parent.is_some()));
        self.parent.extend(request.parent.map(|parent| bits(parent.0)));
        self.process.push(bits32(request.process));
        self.device.push(bits32(request.device));
        self.direction.push(ByteArray::from(BlockRequest::KINDS[request.kind()].name));
        self.address.push(bits(request.address));
        self.blocks.push(bits32(request.blocks));
        self.priority.push(i32::from(request.priority));
        self.synchronous.push(request.synchronous);
        self.force_unit_access.push(request.force_unit_access);
        self.from_cache.push(request.status == Status::DoneFromCache);
        self.issued.push(bits(request.issued.as_picos()));
        self.completed.push(bits(at.as_picos()));
        self.causes.push(&request.ledger);
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        column!(group, Int64Type, self.id);
        column!(group, Int64Type, self.parent, Some(&self.parent_present));
        self.parent_present.clear();
        column!(group, Int32Type, self.process);
        column!(group, Int32Type, self.device);
        column!(group, ByteArrayType, self.direction);
        column!(group, Int64Type, self.address);
        column!(group, Int32Type, self.blocks);
        column!(group, Int32Type, self.priority);
        column!(group, BoolType, self.synchronous);
        column!(group, BoolType, self.force_unit_access);
        column!(group, BoolType, self.from_cache);
        column!(group, Int64Type, self.issued);
        column!(group, Int64Type, self.completed);
        self.causes.write(group)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::report::parquet::{GROUP_ROWS, ParquetRows};
    use crate::report::sink::RequestSink;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;
    use petrio_colours::{BlockRequest, Cause, RequestId};
    use petrio_kernel::Time;

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
