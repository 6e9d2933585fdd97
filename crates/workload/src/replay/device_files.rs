//! Traces of device requests on file systems: a file stands for each device, and past the cache it is read and written
//! where the device was.
//!
//! So the requests of one machine's disk can be tried on another machine's file system, simulated or real, without the
//! disk itself: on a real directory the file lies on what is to be measured. A device may be larger than the room for
//! its file: addresses then wrap round, which keeps runs of neighbouring requests but for the one across the end, and
//! brings far places nearer together.

use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_trace::event::{Event, EventKind, FileKey};

/// The inode by which the file for a device is known; its device number tells it from the others.
const INODE: u64 = 1;

/// A request to a device as a call on the file that stands for it, which has room for `room` bytes; `None` of what
/// isn't the queueing of a request.
pub(super) fn as_file_call(event: &Event, room: u64) -> Option<Event> {
    if event.kind != EventKind::Queue {
        return None;
    }
    let extent = event.extents.first().copied().unwrap_or_default();
    let kind = match event.direction? {
        Direction::Read => EventKind::Read,
        Direction::Write => EventKind::Write,
        Direction::Flush => EventKind::Fsync,
        // No call on a file says it.
        Direction::Discard => return None,
    };
    // Whole sectors, as direct access wants it.
    let room = room / SECTOR_BYTES * SECTOR_BYTES;
    let length = (u64::from(extent.blocks) * SECTOR_BYTES).min(room);
    let mut offset = extent.address.saturating_mul(SECTOR_BYTES);
    if offset.saturating_add(length) > room {
        offset = (offset / SECTOR_BYTES % (room / SECTOR_BYTES).max(1) * SECTOR_BYTES).min(room - length);
    }
    Some(Event {
        process: event.process,
        file: FileKey { device: extent.device, inode: INODE, generation: 0 },
        offset: Some(offset),
        length,
        service: event.service,
        synchronous: event.force_unit_access,
        ..Event::new(event.time, kind)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::program::Placement;
    use crate::replay::{FileRecords, ThinkPer, TraceFiles};
    use petrio_colours::Operation;
    use petrio_time::Time;
    use petrio_trace::event::Extent;
    use std::sync::Arc;

    fn request(address: u64, blocks: u32, direction: Direction) -> Event {
        let mut event = Event::new(Time::from_millis(3), EventKind::Queue);
        event.extents.push(Extent { device: 8 << 20, address, blocks, hit: false });
        (event.process, event.direction) = (7, Some(direction));
        (event.synchronous, event.force_unit_access) = (true, false);
        event
    }

    #[test]
    fn a_request_is_a_call_at_the_same_place() {
        let call = as_file_call(&request(80, 16, Direction::Write), u64::MAX).unwrap();
        assert_eq!((call.kind, call.offset, call.length), (EventKind::Write, Some(40_960), 8_192));
        assert_eq!((call.file.device, call.process, call.time), (8 << 20, 7, Time::from_millis(3)));
        // That somebody waits for a device doesn't make a write of a file synchronous; that it must be on the medium
        // does.
        assert!(!call.synchronous);
        let flush = as_file_call(&request(0, 0, Direction::Flush), u64::MAX).unwrap();
        assert_eq!((flush.kind, flush.length), (EventKind::Fsync, 0));
        let mut completed = request(80, 16, Direction::Read);
        completed.kind = EventKind::Complete;
        assert_eq!(as_file_call(&completed, u64::MAX), None);
    }

    #[test]
    fn addresses_beyond_the_room_wrap_round_and_stay_within_it() {
        let room = 100 * SECTOR_BYTES + 5;
        let at = |address, blocks| {
            let call = as_file_call(&request(address, blocks, Direction::Read), room).unwrap();
            (call.offset.unwrap() / SECTOR_BYTES, call.length / SECTOR_BYTES)
        };
        assert_eq!(at(92, 8), (92, 8));
        assert_eq!(at(100, 8), (0, 8));
        assert_eq!(at(1_050, 8), (50, 8));
        // One that would lie across the end is moved to it; one that is longer than the room is cut.
        assert_eq!(at(196, 8), (92, 8));
        assert_eq!(at(40, 200), (0, 100));
        assert_eq!(at(u64::MAX / SECTOR_BYTES, 8), (u64::MAX / SECTOR_BYTES % 100, 8).min((92, 8)));
    }

    #[test]
    fn a_trace_of_requests_has_a_file_for_each_device_as_long_as_it_needs() {
        let mut other = request(8, 8, Direction::Read);
        other.extents[0].device = 9 << 20;
        let trace = || {
            let first = request(80, 16, Direction::Write);
            [first, request(16, 8, Direction::Read), other.clone(), request(0, 0, Direction::Flush)]
                .map(Ok)
                .into_iter()
        };
        let files = Arc::new(TraceFiles::of(trace()).unwrap());
        let sizes: Vec<(bool, u64)> = files.files().iter().map(|file| (file.present, file.size)).collect();
        assert_eq!(sizes, [(true, 96 * SECTOR_BYTES), (true, 16 * SECTOR_BYTES)]);
        let records = FileRecords::new(trace(), files, ThinkPer::Process, Placement::new("w"));
        let calls: Vec<_> = records
            .map(Result::unwrap)
            .map(|record| (record.operation, record.file.0, record.offset / SECTOR_BYTES, record.direct))
            .collect();
        use Operation::{Fdatasync, Read, Write};
        assert_eq!(
            calls,
            [(Write, 1, 80, true), (Read, 1, 16, true), (Read, 2, 8, true), (Fdatasync, 1, 0, true)]
        );
    }

    #[test]
    fn where_calls_on_files_are_known_the_device_requests_follow_from_them() {
        let call = Event {
            file: FileKey { device: 8 << 20, inode: 12, generation: 0 },
            length: 10,
            offset: Some(0),
            ..Event::new(Time::from_millis(4), EventKind::Read)
        };
        let trace = || [request(80, 16, Direction::Write), call.clone()].map(Ok).into_iter();
        let files = Arc::new(TraceFiles::of(trace()).unwrap());
        assert_eq!(files.files().len(), 1);
        let records: Vec<_> = FileRecords::new(trace(), files, ThinkPer::File, Placement::new("w"))
            .map(Result::unwrap)
            .collect();
        assert_eq!((records.len(), records[0].length, records[0].direct), (1, 10, false));
    }
}
