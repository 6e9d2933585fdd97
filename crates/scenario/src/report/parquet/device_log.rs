//! What reaches the devices, as rows.

use super::{Columns, Group, bits, bits32, column};
use crate::report::subject::Reported;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use petrio_colours::BlockRequest;
use petrio_kernel::Time;

/// A request at a device's port.
#[derive(Clone, Copy)]
pub(in crate::report) struct DeviceRow<'a> {
    pub(in crate::report) at: Time,
    pub(in crate::report) device: &'a str,
    pub(in crate::report) request: &'a BlockRequest,
}

/// The columns of a device log.
#[derive(Default)]
pub(in crate::report) struct DeviceGroup {
    at: Vec<i64>,
    device: Vec<ByteArray>,
    direction: Vec<ByteArray>,
    address: Vec<i64>,
    blocks: Vec<i32>,
    flush_before: Vec<bool>,
    force_unit_access: Vec<bool>,
    synchronous: Vec<bool>,
    process: Vec<i32>,
}

impl Columns for DeviceGroup {
    type Row<'a> = DeviceRow<'a>;

    fn schema() -> String {
        "message request {
  REQUIRED INT64 time_ps;
  REQUIRED BYTE_ARRAY device (STRING);
  REQUIRED BYTE_ARRAY direction (STRING);
  REQUIRED INT64 address (INTEGER(64, false));
  REQUIRED INT32 blocks (INTEGER(32, false));
  REQUIRED BOOLEAN flush_before;
  REQUIRED BOOLEAN force_unit_access;
  REQUIRED BOOLEAN synchronous;
  REQUIRED INT32 process (INTEGER(32, false));
}"
        .to_owned()
    }

    fn push(&mut self, row: DeviceRow<'_>) {
        let request = row.request;
        self.at.push(bits(row.at.as_picos()));
        self.device.push(ByteArray::from(row.device));
        self.direction.push(ByteArray::from(BlockRequest::KINDS[request.kind()].name));
        self.address.push(bits(request.address));
        self.blocks.push(bits32(request.blocks));
        self.flush_before.push(request.flush_before);
        self.force_unit_access.push(request.force_unit_access);
        self.synchronous.push(request.synchronous);
        self.process.push(bits32(request.process));
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        column!(group, Int64Type, self.at);
        column!(group, ByteArrayType, self.device);
        column!(group, ByteArrayType, self.direction);
        column!(group, Int64Type, self.address);
        column!(group, Int32Type, self.blocks);
        column!(group, BoolType, self.flush_before);
        column!(group, BoolType, self.force_unit_access);
        column!(group, BoolType, self.synchronous);
        column!(group, Int32Type, self.process);
        Ok(())
    }
}
