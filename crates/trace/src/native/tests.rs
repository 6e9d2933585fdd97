//! What is written reads back, and what can't be is refused.
#![allow(clippy::unwrap_used)]

use super::{About, EventWriter, NativeReader, Wanted};
use crate::error::TraceError;
use crate::event::{Access, Ages, Event, EventKind, Extent, FileKey, Totals};
use parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("trace.parquet")
}

fn written(events: &[Event], about: &About) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let mut writer = EventWriter::create(&path, &Inputs::none(), about).unwrap();
    for event in events {
        writer.push(event).unwrap();
    }
    writer.finish().unwrap();
    (folder, path)
}

fn extents() -> impl Strategy<Value = Vec<Extent>> {
    let extent = (any::<u32>(), any::<u64>(), any::<u32>(), any::<bool>())
        .prop_map(|(device, address, blocks, hit)| Extent { device, address, blocks, hit });
    prop::collection::vec(extent, 0..4)
}

prop_compose! {
    fn file_part()(
        file in (any::<u32>(), any::<u64>(), any::<u32>()),
        path in prop::option::of("[a-zé/]{0,12}"),
        new_path in prop::option::of("[a-z]{0,3}"),
        offset in any::<Option<u64>>(),
        size in any::<Option<u64>>(),
        access in prop::option::of(prop::sample::select(vec![Access::Read, Access::Write, Access::ReadWrite])),
        hit in any::<Option<bool>>(),
        totals in any::<Option<(u64, u64, u64, u64)>>(),
        error in any::<u16>(),
        ages in any::<(Option<u64>, Option<u64>, Option<u64>)>(),
    ) -> Event {
        let (device, inode, generation) = file;
        Event {
            file: FileKey { device, inode, generation },
            path: path.map(Into::into),
            new_path: new_path.map(Into::into),
            offset,
            size,
            ages: (ages != <(Option<u64>, Option<u64>, Option<u64>)>::default())
                .then(|| Box::new(Ages { modified: ages.0, accessed: ages.1, changed: ages.2 })),
            access,
            hit,
            totals: totals.map(|(bytes_read, bytes_written, reads, writes)| Totals { bytes_read, bytes_written, reads, writes }),
            error,
            ..Event::new(Time::ZERO, EventKind::Stat)
        }
    }
}

prop_compose! {
    fn event()(
        part in file_part(),
        gap in 0_u64..1 << 50,
        kind in prop::sample::select(EventKind::ALL.to_vec()),
        process in any::<u32>(),
        length in any::<u64>(),
        service in prop::option::of(0_u64..1 << 62),
        extents in extents(),
        direction in prop::option::of(prop::sample::select(vec![Direction::Read, Direction::Write, Direction::Flush])),
        request in any::<Option<u64>>(),
        flags in any::<(bool, bool, bool)>(),
    ) -> Event {
        Event {
            time: Time::from_picos(gap),
            kind,
            process,
            length,
            service: service.map(Time::from_picos),
            extents: extents.into(),
            direction,
            request,
            synchronous: flags.0,
            force_unit_access: flags.1,
            metadata: flags.2,
            ..part
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_event_reads_back_as_it_was_in_order_of_time(mut events in prop::collection::vec(event(), 1..200)) {
        let (_folder, path) = written(&events, &About::default());
        events.sort_by_key(|event| event.time);
        let read: Vec<Event> = NativeReader::open(&path).unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(read, events);
    }
}

#[test]
fn what_is_known_of_the_trace_reads_back() {
    let about = About {
        origin_unix_ns: Some(1_700_000_000_123_456_789),
        machine: "a machine".to_owned(),
        command: "make -j4".to_owned(),
        compact: true,
        lost: 7,
        notes: vec!["no inodes".to_owned(), "no extents".to_owned()],
    };
    let (_folder, path) = written(&[Event::new(Time::ZERO, EventKind::Exec)], &about);
    let reader = NativeReader::open(&path).unwrap();
    assert_eq!((reader.about(), reader.len()), (&about, 1));
}

#[test]
fn events_of_several_row_groups_are_sorted_across_their_borders() {
    // Each second event is 60,000 events late: less than a row group.
    let count = 200_000_u64;
    let at = |index: u64| if index.is_multiple_of(2) { index } else { index.saturating_sub(60_000) };
    let events: Vec<Event> =
        (0..count).map(|index| Event::new(Time::from_nanos(at(index)), EventKind::Queue)).collect();
    let (_folder, path) = written(&events, &About::default());
    let read: Vec<Time> = NativeReader::open(&path).unwrap().map(|event| event.unwrap().time).collect();
    assert_eq!(read.len() as u64, count);
    assert!(read.is_sorted());
}

#[test]
fn an_event_that_is_too_late_stays_where_it_stands_and_is_noted() {
    let mut events: Vec<Event> =
        (1..200_000).map(|index| Event::new(Time::from_nanos(index), EventKind::Queue)).collect();
    events.push(Event::new(Time::ZERO, EventKind::Queue));
    let (_folder, path) = written(&events, &About::default());
    let reader = NativeReader::open(&path).unwrap();
    assert_eq!(reader.about().notes, ["1 events stand more than 65,536 events too late"]);
    assert_eq!(reader.filter(|event| event.as_ref().unwrap().time == Time::ZERO).count(), 1);
}

#[test]
fn an_unfinished_writer_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = EventWriter::create(&file(&folder), &Inputs::none(), &About::default()).unwrap();
    writer.push(&Event::new(Time::ZERO, EventKind::Exec)).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_time_that_the_file_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = EventWriter::create(&file(&folder), &Inputs::none(), &About::default()).unwrap();
    let error = writer.push(&Event::new(Time::from_picos(1 << 63), EventKind::Exec)).unwrap_err();
    assert!(error.to_string().contains("row 1: the time_ps is 9223372036854775808; at most"), "{error}");
}

#[test]
fn a_device_reader_has_the_requests_and_not_the_paths() {
    let mut event =
        Event { path: Some("/a".into()), request: Some(4), ..Event::new(Time::ZERO, EventKind::Issue) };
    event.extents.push(Extent { device: 1, address: 2, blocks: 3, hit: false });
    let (_folder, path) = written(std::slice::from_ref(&event), &About::default());
    let mut reader = NativeReader::open_for(&path, Wanted::DeviceRequests).unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), Event { path: None, ..event });
}

#[test]
fn what_is_no_trace_is_refused_and_damage_never_panics() {
    let refused = |bytes: &[u8]| match NativeReader::of_bytes("memory", bytes.to_vec(), Wanted::Everything) {
        Ok(reader) => reader.filter_map(Result::err).next(),
        Err(error) => Some(error),
    };
    assert!(matches!(refused(b"PAR1 and nothing else PAR1"), Some(TraceError::Damaged { .. })));
    let events: Vec<Event> = (0..50)
        .map(|index| Event {
            path: Some("/some/path".into()),
            ..Event::new(Time::from_nanos(index), EventKind::Read)
        })
        .collect();
    let (_folder, path) = written(&events, &About::default());
    let sound = std::fs::read(path).unwrap();
    assert!(refused(&sound).is_none());
    for cut in 0..sound.len() {
        assert!(refused(&sound[..cut]).is_some(), "cut at {cut}");
    }
    for at in 0..sound.len() {
        let mut changed = sound.clone();
        changed[at] ^= 0x55;
        // Damage in a value may go unseen; none may end the program.
        let _ = refused(&changed);
    }
}

/// A file of two queued requests of which others know the times in 32 bits and extents that may lack anything: the first
/// has two, the second an empty list. `hits` is how much of the first one's `hit`s is there; 4 is all.
fn made_elsewhere(hits: i16) -> Vec<u8> {
    let schema = "message other { optional int32 time_ps; optional binary kind; optional double heat;
        optional group more_extents (LIST) { repeated group list { optional group element {
            optional int32 device; optional int64 address; optional int32 blocks; optional boolean hit; } } } }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    fn next<T: DataType>(
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
        values: &[T::T],
        definition: &[i16],
    ) {
        let mut column = group.next_column().unwrap().unwrap();
        let repetition = (definition.len() == 3).then_some(&[0, 1, 0][..]);
        column.typed::<T>().write_batch(values, Some(definition), repetition).unwrap();
        column.close().unwrap();
    }
    next::<Int32Type>(&mut group, &[5, 7], &[1, 1]);
    next::<ByteArrayType>(&mut group, &["queue".into(), "queue".into()], &[1, 1]);
    next::<DoubleType>(&mut group, &[], &[0, 0]);
    next::<Int32Type>(&mut group, &[8, 9], &[4, 4, 1]);
    next::<Int64Type>(&mut group, &[80, -1], &[4, 4, 1]);
    next::<Int32Type>(&mut group, &[16, -1], &[4, 4, 1]);
    next::<BoolType>(&mut group, &[true, false][usize::from(hits < 4)..], &[hits, 4, 1]);
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[test]
fn a_table_made_elsewhere_is_a_trace_whatever_may_lack_in_its_lists() {
    let read = NativeReader::of_bytes("memory", made_elsewhere(4), Wanted::Everything).unwrap();
    let events: Vec<Event> = read.map(Result::unwrap).collect();
    let mut expected = [5, 7].map(|time| Event::new(Time::from_picos(time), EventKind::Queue));
    expected[0].extents.push(Extent { device: 8, address: 80, blocks: 16, hit: true });
    expected[0].extents.push(Extent { device: 9, address: u64::MAX, blocks: u32::MAX, hit: false });
    assert_eq!(events, expected);
}

#[test]
fn an_extent_that_lacks_something_is_refused() {
    let mut read = NativeReader::of_bytes("memory", made_elsewhere(3), Wanted::Everything).unwrap();
    let error = read.next().unwrap().unwrap_err();
    assert!(error.to_string().contains("\"more_extents\" is no list of extents"), "{error}");
}
