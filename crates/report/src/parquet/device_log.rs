//! What reaches the devices, as rows.

use super::{columns, picoseconds};
use crate::subject::Reported;
use arrow_array::builder::{BooleanBuilder, Int64Builder, StringBuilder, UInt32Builder, UInt64Builder};
use petrio_colours::{BlockRequest, Cause};
use petrio_engine::Visit;
use petrio_models::host::kernel_thread;

/// A request at a device.
#[derive(Clone, Copy)]
pub(crate) struct DeviceRow<'a> {
    pub(crate) device: &'a str,
    pub(crate) visit: &'a Visit,
}

columns! {
    /// The columns of a device log.
    pub(crate) struct DeviceGroup of "request" from DeviceRow<'a> {
        time_ps: Int64Builder,
        device: StringBuilder,
        direction: StringBuilder,
        address: UInt64Builder,
        blocks: UInt32Builder,
        flush_before: BooleanBuilder,
        force_unit_access: BooleanBuilder,
        synchronous: BooleanBuilder,
        process: UInt32Builder,
        thread: StringBuilder [true],
        purpose: StringBuilder,
        completed_ps: Int64Builder [true],
    }
    causes: Cause
}

impl DeviceGroup {
    fn add(&mut self, row: DeviceRow<'_>) {
        let Visit { request, arrived, completed, spent, .. } = row.visit;
        self.time_ps.append_value(picoseconds(*arrived));
        self.device.append_value(row.device);
        self.direction.append_value(BlockRequest::KINDS[request.kind()].name);
        self.address.append_value(request.address);
        self.blocks.append_value(request.blocks);
        self.flush_before.append_value(request.flush_before);
        self.force_unit_access.append_value(request.force_unit_access);
        self.synchronous.append_value(request.synchronous);
        self.process.append_value(request.process);
        self.thread.append_option(kernel_thread(request.process));
        self.purpose.append_value(request.purposes.to_string());
        self.completed_ps.append_option(completed.map(picoseconds));
        self.causes.push(spent);
    }
}
