//! What each writer writes, our own reader reads back: everything, or what the format can hold.

use super::support::options;
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use petrio_trace::event::{Access, Ages, Event, EventKind, Extent, FileKey, Totals};
use petrio_trace::native::About;
use petrio_trace::write::{OutputFormat, TraceWriter, Written};
use petrio_trace::{EventReader, TraceError, TraceOptions};
use proptest::prelude::*;

/// Writes events and reads them back, with their own times.
fn through(format: OutputFormat, events: &[Event]) -> (Written, Result<Vec<Event>, TraceError>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let mut writer = TraceWriter::create(&path, &Inputs::none(), format, &About::default()).unwrap();
    for event in events {
        writer.push(event).unwrap();
    }
    let written = writer.finish().unwrap();
    let kept = TraceOptions { rebase: false, ..options(format.format()) };
    let read = EventReader::open(&path, &kept).and_then(Iterator::collect);
    // What it is, is told without a word too.
    if written.written > 0 {
        assert_eq!(EventReader::open(&path, &TraceOptions::default()).unwrap().format(), format.format());
    }
    (written, read)
}

fn in_order(mut events: Vec<Event>, unit: u64) -> Vec<Event> {
    let mut now = 0;
    for event in &mut events {
        now += event.time.as_picos();
        event.time = Time::from_picos(now * unit);
    }
    events
}

prop_compose! {
    /// A request that knows its response, as block traces of other formats become.
    fn request()(
        gap in 0_u64..1 << 30,
        direction in prop::sample::select(vec![Direction::Read, Direction::Write]),
        address in 0_u64..1 << 40,
        blocks in 1_u32..1 << 20,
        device in prop::sample::select(vec![0, 3, 8 << 20 | 16]),
        service in 0_u64..1 << 30,
        flags in any::<(bool, bool, bool)>(),
        process in any::<u32>(),
    ) -> Event {
        let mut event = Event::new(Time::from_picos(gap), EventKind::Queue);
        event.extents.push(Extent { device, address, blocks, hit: false });
        event.direction = Some(direction);
        event.length = u64::from(blocks) * 512;
        event.service = Some(Time::from_nanos(service));
        event.process = process;
        (event.synchronous, event.force_unit_access, event.metadata) = flags;
        event
    }
}

prop_compose! {
    /// A call on a file, with everything that one can have.
    fn call()(
        gap in 0_u64..1 << 30,
        kind in prop::sample::select(EventKind::ALL.to_vec()),
        path in prop::option::of("[a-zé/,\" \\\\\n\r]{0,12}"),
        new_path in prop::option::of("[a-z\"]{0,3}"),
        numbers in any::<(u32, u64, u32, Option<u64>, u64, Option<u64>, u16)>(),
        access in prop::option::of(prop::sample::select(vec![Access::Read, Access::Write, Access::ReadWrite])),
        hit in any::<Option<bool>>(),
        totals in any::<Option<(u64, u64, u64, u64)>>(),
        extents in prop::collection::vec(any::<(u32, u64, u32, bool)>(), 0..4),
        direction in prop::option::of(prop::sample::select(vec![Direction::Read, Direction::Write, Direction::Flush])),
        request in any::<Option<u64>>(),
        flags in any::<(bool, bool, bool)>(),
        ages in any::<(Option<u64>, Option<u64>, Option<u64>)>(),
    ) -> Event {
        let (device, inode, generation, offset, length, size, error) = numbers;
        let extent = |(device, address, blocks, hit)| Extent { device, address, blocks, hit };
        Event {
            process: generation,
            file: FileKey { device, inode, generation },
            path: path.map(Into::into),
            new_path: new_path.map(Into::into),
            offset,
            length,
            service: size.map(|size| Time::from_picos(size >> 2)),
            error,
            size,
            ages: (ages != <(Option<u64>, Option<u64>, Option<u64>)>::default())
                .then(|| Box::new(Ages { modified: ages.0, accessed: ages.1, changed: ages.2 })),
            access,
            hit,
            totals: totals.map(|(bytes_read, bytes_written, reads, writes)| Totals { bytes_read, bytes_written, reads, writes }),
            extents: extents.into_iter().map(extent).collect(),
            direction,
            request,
            synchronous: flags.0,
            force_unit_access: flags.1,
            metadata: flags.2,
            ..Event::new(Time::from_picos(gap), kind)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn petrios_own_formats_hold_everything(events in prop::collection::vec(call(), 1..40)) {
        let events = in_order(events, 1);
        for format in [OutputFormat::Native, OutputFormat::EventsCsv] {
            let (written, read) = through(format, &events);
            prop_assert_eq!(written, Written { written: events.len() as u64, left_out: 0 });
            prop_assert_eq!(read.unwrap(), events.clone());
        }
    }

    #[test]
    fn block_formats_hold_requests(events in prop::collection::vec(request(), 1..40)) {
        // Whole nanoseconds, which blkparse has.
        let events = in_order(events, 1_000);
        let (_, read) = through(OutputFormat::Petrio, &events);
        prop_assert_eq!(read.unwrap(), events.clone());

        // blkparse's pairing can't tell requests that overlap on one device while both are in flight: spread them out.
        let apart: Vec<Event> = events.iter().enumerate().map(|(index, event)| {
            let mut event = event.clone();
            event.extents[0].address = (index as u64) << 32;
            event
        }).collect();
        let (_, read) = through(OutputFormat::Blkparse, &apart);
        prop_assert_eq!(read.unwrap(), apart);

        let (_, read) = through(OutputFormat::OracleGeneral, &events);
        let reads = |event: &Event| (event.time.as_picos() / 1_000_000_000_000, event.extents[0].address, event.length);
        let read = read.unwrap();
        prop_assert_eq!(read.iter().map(reads).collect::<Vec<_>>(), events.iter().map(reads).collect::<Vec<_>>());
    }

    #[test]
    fn fios_log_holds_reads_writes_and_fsyncs_of_files(
        calls in prop::collection::vec((0_u64..1 << 20, 0..3_usize, 0..3_usize, 0_u64..1 << 40, 1_u64..1 << 20), 1..40)
    ) {
        let kinds = [EventKind::Read, EventKind::Write, EventKind::Fsync];
        let names = ["/a", "/b", "/c/d"];
        let events = in_order(calls.into_iter().map(|(gap, kind, name, offset, length)| {
            let moves = kinds[kind] != EventKind::Fsync;
            Event {
                path: Some(names[name].into()),
                offset: moves.then_some(offset),
                length: if moves { length } else { 0 },
                ..Event::new(Time::from_picos(gap), kinds[kind])
            }
        }).collect(), 1_000_000);
        let (written, read) = through(OutputFormat::FioIolog, &events);
        prop_assert_eq!(written.left_out, 0);
        let seen = |event: &Event| (event.time, event.kind, event.path.clone(), event.offset, event.length);
        // The log opens each file before it is used.
        let read: Vec<Event> = read.unwrap().into_iter().filter(|event| event.kind != EventKind::Open).collect();
        prop_assert_eq!(read.iter().map(seen).collect::<Vec<_>>(), events.iter().map(seen).collect::<Vec<_>>());
    }
}

#[test]
fn captured_requests_hold_reads_writes_and_syncs_with_the_time_between_them() {
    let event = |micros, kind, offset: Option<u64>| Event {
        process: 7,
        file: FileKey { device: 1, inode: 5, generation: 0 },
        path: Some("/data/a".into()),
        offset,
        length: if offset.is_some() { 4_096 } else { 0 },
        service: Some(Time::from_micros(10)),
        ..Event::new(Time::from_micros(micros), kind)
    };
    let failed = Event { error: 5, ..event(90, EventKind::Read, Some(0)) };
    let events = [
        event(0, EventKind::Open, None),
        event(20, EventKind::Write, Some(4_096)),
        event(35, EventKind::Fsync, None),
        failed,
        event(100, EventKind::Read, Some(8_192)),
    ];
    let (written, read) = through(OutputFormat::Requests, &events);
    assert_eq!(written, Written { written: 3, left_out: 2 });
    let read = read.unwrap();
    let seen: Vec<_> =
        read.iter().map(|event| (event.time, event.kind, event.offset, event.service)).collect();
    let took = Some(Time::from_micros(10));
    // From the first that is there; the failed one is time to think.
    assert_eq!(
        seen,
        [
            (Time::ZERO, EventKind::Write, Some(4_096), took),
            (Time::from_micros(15), EventKind::Fsync, None, took),
            (Time::from_micros(80), EventKind::Read, Some(8_192), took),
        ]
    );
}

#[test]
fn what_a_format_cannot_hold_is_counted() {
    let event = |kind| Event { path: Some("/a file".into()), ..Event::new(Time::ZERO, kind) };
    let events = [event(EventKind::Mkdir), event(EventKind::Open)];
    for format in
        [OutputFormat::Petrio, OutputFormat::Blkparse, OutputFormat::FioIolog, OutputFormat::OracleGeneral]
    {
        let (written, _) = through(format, &events);
        assert_eq!(written, Written { written: 0, left_out: 2 }, "{format:?}");
    }
}

#[test]
fn formats_are_told_from_names_and_words() {
    use std::path::Path;
    assert_eq!(OutputFormat::of_path(Path::new("a/b.parquet")), Some(OutputFormat::Native));
    assert_eq!(OutputFormat::of_path(Path::new("x.oracleGeneral")), Some(OutputFormat::OracleGeneral));
    assert_eq!(OutputFormat::of_path(Path::new("x")), None);
    for format in OutputFormat::ALL {
        assert_eq!(OutputFormat::named(format.name()), Some(format));
    }
}
