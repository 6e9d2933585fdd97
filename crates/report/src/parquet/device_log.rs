//! What reaches the devices, as rows.

use super::{LedgerColumns, picoseconds};
use crate::subject::Reported;
use petrio_colours::{BlockRequest, Cause};
use petrio_engine::Visit;
use petrio_models::host::kernel_thread;
use petrio_trace::columns;
use petrio_trace::table::{Column, Text, Word};

/// A request at a device.
#[derive(Clone, Copy)]
pub(crate) struct DeviceRow<'a> {
    pub(crate) device: &'a str,
    pub(crate) visit: &'a Visit,
}

columns! {
    /// The columns of a device log.
    pub(crate) struct DeviceGroup of "request": DeviceRow<'a> as
        DeviceRow { device, visit: Visit { request, arrived, completed, spent, .. } } => {
        time_ps: Column<i64> = picoseconds(*arrived),
        device: Column<Text> = device,
        direction: Column<Word> = BlockRequest::KINDS[request.kind()].name,
        address: Column<u64> = request.address,
        blocks: Column<u32> = request.blocks,
        flush_before: Column<bool> = request.flush_before,
        force_unit_access: Column<bool> = request.force_unit_access,
        synchronous: Column<bool> = request.synchronous,
        process: Column<u32> = request.process,
        thread: Column<Option<Text>> = kernel_thread(request.process),
        purpose: Column<Text> = &request.purposes.to_string(),
        completed_ps: Column<Option<i64>> = completed.map(picoseconds),
        causes: LedgerColumns<Cause> = spent,
    }
}
