//! Small traces through the whole characteriser, counted by hand.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::event::{Access, Extent, FileKey, Totals};
use proptest::prelude::*;

fn at(ms: u64, kind: EventKind, inode: u64) -> Event {
    let mut event = Event::new(Time::from_millis(ms), kind);
    event.process = 1;
    event.file = FileKey { device: 1, inode, generation: 0 };
    event
}

fn read(ms: u64, inode: u64, offset: u64, length: u64) -> Event {
    let mut event = at(ms, EventKind::Read, inode);
    (event.offset, event.length) = (Some(offset), length);
    event
}

fn characterised(events: &[Event]) -> Characterisation {
    let mut characteriser = Characteriser::new(&Characterise::default());
    events.iter().for_each(|event| characteriser.event(event));
    characteriser.finish()
}

/// A file is opened, read in two halves of which one misses, and closed; a scratch file is created, written and
/// unlinked.
fn full_trace() -> Vec<Event> {
    let mut open = at(0, EventKind::Open, 10);
    (open.access, open.size, open.path) = (Some(Access::Read), Some(8_192), Some("/data/a".into()));
    let mut first = read(10, 10, 0, 4_096);
    (first.hit, first.service) = (Some(false), Some(Time::from_millis(5)));
    let mut second = read(20, 10, 4_096, 4_096);
    (second.hit, second.service) = (Some(true), Some(Time::from_millis(1)));
    let mut close = at(30, EventKind::Close, 10);
    close.totals = Some(Totals { bytes_read: 8_192, reads: 2, ..Totals::default() });
    let mut create = at(40, EventKind::Create, 11);
    (create.access, create.path) = (Some(Access::Write), Some("/tmp/b".into()));
    let mut write = at(50, EventKind::Write, 11);
    (write.offset, write.length) = (Some(0), 100);
    let mut failed = at(55, EventKind::Write, 11);
    (failed.offset, failed.length, failed.error) = (Some(100), 1 << 30, 28);
    vec![
        open,
        first,
        second,
        close,
        create,
        write,
        failed,
        at(60, EventKind::Close, 11),
        at(90, EventKind::Unlink, 11),
    ]
}

#[test]
fn a_full_trace_counted_by_hand() {
    let found = characterised(&full_trace());
    assert_eq!((found.events, found.begin_s, found.end_s, found.compact_closes), (9, 0.0, 0.09, 0));
    let files = found.files.unwrap();
    assert_eq!((files.all.files.before_and_after, files.all.files.created_and_deleted), (1, 1));
    assert_eq!(files.all.read_only_opens_missed.before_and_after, 1);
    assert_eq!(files.all.lifetimes_s.unwrap().mean, 0.05);
    assert_eq!(files.all.sizes_bytes.unwrap().greatest, 8_192.0);
    // Written at 50 ms and unlinked at 90; read by nobody since it was made, at 40.
    let left_alone =
        [files.all.unwritten_at_unlink_s, files.all.unread_at_unlink_s, files.all.unchanged_at_unlink_s];
    assert_eq!(left_alone.map(|ages| ages.unwrap().mean), [0.04, 0.05, 0.04]);
    let requests = found.file_requests.unwrap();
    assert_eq!(
        (requests.mix.reads.requests, requests.mix.writes.requests, requests.mix.bytes()),
        (2, 1, 8_292)
    );
    assert_eq!(requests.sequentiality.of(StreamClass::SmallSequential).unwrap().streams, 1);
    assert_eq!(requests.runs.reads.lengths_bytes.unwrap().mean, 8_192.0);
    // 10, 5, 9, 10, 10, 5, 5 and 30 ms: the reads' service times are no thinking.
    assert_eq!(requests.timing.think_us.unwrap().mean, 84_000.0 / 8.0);
    assert_eq!(found.device_requests, None);
    let writes = found.kinds.iter().find(|kind| kind.kind == EventKind::Write).unwrap();
    assert_eq!((writes.count, writes.failed), (2, 1));
    let names: Vec<&str> = requests.offsets_over_time.iter().map(|picture| picture.name.as_str()).collect();
    assert_eq!(names, ["/data/a", "/tmp/b"]);
}

#[test]
fn the_compact_form_of_a_trace_moves_the_same_bytes_and_says_what_is_not_known() {
    let full = full_trace();
    // Ivy keeps no read that hit.
    let compact: Vec<Event> = full.iter().filter(|event| event.hit != Some(true)).cloned().collect();
    let (full, compact) = (characterised(&full), characterised(&compact));
    assert_eq!((full.compact_closes, compact.compact_closes), (0, 1));
    let (full_files, files) = (full.files.unwrap(), compact.files.unwrap());
    assert_eq!(files.all.bytes_read, full_files.all.bytes_read);
    assert_eq!(files.all.read_only_opens_missed, full_files.all.read_only_opens_missed);
    assert_eq!(files.directories, full_files.directories);
    let (full, compact) = (full.file_requests.unwrap(), compact.file_requests.unwrap());
    assert_eq!(compact.mix.bytes(), full.mix.bytes());
    assert_eq!((compact.mix.reads.requests, compact.mix.reads.unrecorded_requests), (1, 1));
    let unknown = compact.sequentiality.of(StreamClass::Unknown).unwrap();
    assert_eq!((unknown.streams, unknown.requests, unknown.bytes), (1, 2, 8_192));
}

#[test]
fn a_device_s_request_counts_when_it_is_queued_and_once() {
    let mut events = Vec::new();
    for (ms, kind) in [(0, EventKind::Queue), (1, EventKind::Issue), (3, EventKind::Complete)] {
        let mut event = Event::new(Time::from_millis(ms), kind);
        event.direction = Some(Direction::Write);
        event.extents.push(Extent { device: 8, address: 100, blocks: 16, hit: false });
        (event.length, event.request) = (8_192, Some(1));
        events.push(event);
    }
    let mut flush = Event::new(Time::from_millis(9), EventKind::Queue);
    flush.direction = Some(Direction::Flush);
    events.push(flush);
    let found = characterised(&events);
    let requests = found.device_requests.unwrap();
    assert_eq!((requests.mix.requests(), requests.mix.writes.bytes), (1, 8_192));
    // Blocks 100 to 115 are bytes 51,200 to 59,391: pages 12, 13 and 14.
    assert_eq!(requests.pages.unwrap().pages, 3);
    assert_eq!(requests.offsets_over_time[0].name, "device 8");
    assert_eq!(requests.offsets_over_time[0].points[0].offset, 51_200);
    assert_eq!((found.files, found.file_requests), (None, None));
    assert_eq!(found.kinds.iter().map(|kind| kind.count).sum::<u64>(), 4);
}

#[test]
fn nothing_gives_nothing() {
    let found = characterised(&[]);
    assert_eq!((found.events, found.files, found.file_requests), (0, None, None));
}

proptest! {
    #[test]
    fn whatever_comes_sums_agree_and_fractions_are_fractions(
        calls in prop::collection::vec((0_usize..15, 0_u64..6, 0_u32..3, 0_u64..1 << 22, 0_u64..1 << 18, any::<Option<bool>>()), 0..300)
    ) {
        let events: Vec<Event> = calls.iter().enumerate().map(|(number, &(kind, inode, process, offset, length, hit))| {
            let mut event = at(number as u64, EventKind::ALL[kind], inode);
            (event.process, event.offset, event.length, event.hit) = (process, Some(offset), length, hit);
            event.access = [Some(Access::Read), Some(Access::ReadWrite), None][inode as usize % 3];
            if event.kind.is_of_device() {
                event.direction = Some(if hit.is_some() { Direction::Read } else { Direction::Write });
                event.extents.push(Extent { device: process, address: offset, blocks: length as u32 % 64 + 1, hit: false });
            }
            event
        }).collect();
        let found = characterised(&events);
        prop_assert_eq!(found.kinds.iter().map(|kind| kind.count).sum::<u64>(), found.events);
        for requests in [&found.file_requests, &found.device_requests].into_iter().flatten() {
            let classes = &requests.sequentiality.classes;
            prop_assert_eq!(classes.iter().map(|class| class.streams).sum::<u64>(), requests.sequentiality.streams);
            let bytes: u64 = requests.mix.by_size.iter().map(|class| class.bytes_read + class.bytes_written).sum();
            prop_assert_eq!(bytes, requests.mix.bytes());
            let hours: u64 = requests.by_hour.hours.iter().map(|hour| hour.reads + hour.writes).sum();
            prop_assert_eq!(hours, requests.mix.requests());
            if let Some(pages) = &requests.pages {
                prop_assert_eq!(pages.miss_ratio.cold_misses, pages.pages);
                prop_assert_eq!(pages.working_set.windows.last().map(|window| window.pages_so_far), Some(pages.pages));
                prop_assert_eq!(pages.popularity.points.last().map(|point| point.fraction_of_uses), Some(1.0));
                prop_assert!(pages.miss_ratio.points.windows(2).all(|pair| pair[0].misses >= pair[1].misses));
            }
        }
        if let Some(files) = &found.files {
            let parts: u64 = files.file_systems.iter().map(|system| system.files.total()).sum();
            prop_assert_eq!(parts, files.all.files.total());
            let missed = files.all.read_only_opens_missed.total();
            prop_assert!(missed <= files.all.read_only_opens.total());
        }
    }
}

#[test]
fn what_a_trace_tells_of_an_unlinked_file_counts_before_what_it_saw() {
    let mut events = full_trace();
    let unlink = events.last_mut().unwrap();
    // Its times by Ivy's record: the file had been copied with the time of another.
    unlink.ages = Some(Box::new(crate::event::Ages {
        modified: Some(7_000_000),
        accessed: None,
        changed: Some(30_000),
    }));
    let all = characterised(&events).files.unwrap().all;
    assert_eq!(all.unwritten_at_unlink_s.unwrap().mean, 7.0);
    assert_eq!(all.unread_at_unlink_s.unwrap().mean, 0.05);
    assert_eq!(all.unchanged_at_unlink_s.unwrap().mean, 0.03);
}
