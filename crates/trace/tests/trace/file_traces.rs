//! File-level traces against what is known of them: counts by other programs, and one trace in two formats.

use super::support::{data, options, sound};
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind};
use petrio_trace::native::{About, EventWriter};
use petrio_trace::{EventReader, FormatName, TraceOptions, TraceReader};
use std::path::Path;

fn events(path: &Path) -> (EventReader, Vec<Event>) {
    let mut reader = EventReader::open(path, &TraceOptions::default()).unwrap();
    let events = reader.by_ref().collect::<Result<_, _>>().unwrap();
    (reader, events)
}

fn count(events: &[Event], wanted: impl Fn(&Event) -> bool) -> usize {
    events.iter().filter(|event| wanted(event)).count()
}

#[test]
fn every_line_of_the_strace_sample_is_understood_and_its_counts_are_those_of_grep() {
    let test = "every_line_of_the_strace_sample_is_understood_and_its_counts_are_those_of_grep";
    let Some(path) = data(test, "traces/local/strace_mix.txt.xz") else { return };
    let (reader, events) = events(&path);
    assert_eq!(reader.format(), FormatName::Strace);
    let of = |kind| events.iter().filter(move |event| event.kind == kind);
    // grep -c of each call, unfinished and resumed ones once: 29 execve and 4 of them resumed; 15 rename; 30 mkdir and
    // 2 mkdirat; 96 unlinkat and 11 unlink.
    assert_eq!(of(EventKind::Exec).count(), 29);
    assert_eq!(of(EventKind::Rename).count(), 15);
    assert_eq!(of(EventKind::Mkdir).count(), 32);
    assert_eq!(of(EventKind::Unlink).count(), 107);
    // 1,585 openat and one creat.
    assert_eq!(of(EventKind::Open).count() + of(EventKind::Create).count(), 1_586);
    // access, faccessat2, newfstatat, readlink: 166 + 2 + 1,750 + 2,077, less the stats of pipes.
    let stats = of(EventKind::Stat).count();
    assert!((3_900..=3_995).contains(&stats), "{stats}");
    // Each of the two calls copies the file that is read and the file that is written.
    let copied = of(EventKind::Write).filter(|event| event.length == 8_388_608).count();
    assert_eq!(copied, 1);
    assert_eq!(count(&events, |event| event.path.is_none()), 0);
    assert!(events.is_sorted_by_key(|event| event.time));
    let summary = reader.summary();
    assert_eq!(summary.left_out.unmatched_completions, 0);
    // Calls on pipes and memory, signals and ends of processes are no events; everything else is one.
    let lines = 9_628 - 59;
    assert!(summary.left_out.other_events + summary.events > lines * 99 / 100, "{summary:?}");
    // Where a program reads a file from its beginning to its end, offsets follow each other.
    let known = count(&events, |event| event.kind == EventKind::Read && event.offset.is_some());
    assert!(known * 10 > of(EventKind::Read).count() * 8, "{known} of {}", of(EventKind::Read).count());
}

#[test]
fn the_fio_log_has_its_requests_and_its_file() {
    let test = "the_fio_log_has_its_requests_and_its_file";
    let Some(path) = data(test, "traces/local/fio_v3.iolog.xz") else { return };
    let (reader, events) = events(&path);
    assert_eq!(reader.format(), FormatName::FioIolog);
    // Counted with awk.
    assert_eq!(count(&events, |event| event.kind == EventKind::Read), 356);
    assert_eq!(count(&events, |event| event.kind == EventKind::Write), 387);
    assert_eq!(reader.summary().left_out.other_events, 1);
    let close = events.last().unwrap();
    assert_eq!(
        (close.kind, close.totals.unwrap().reads, close.totals.unwrap().writes),
        (EventKind::Close, 356, 387)
    );
}

#[test]
fn block_traces_are_events_and_replay_from_petrios_own_file_as_from_their_own() {
    let folder = tempfile::tempdir().unwrap();
    for format in super::support::block_formats() {
        let bytes = sound(format);
        let path = folder.path().join(format!("{format}.parquet"));
        let mut writer = EventWriter::create(&path, &Inputs::none(), &About::default()).unwrap();
        let reader =
            EventReader::from_reader("memory", std::io::Cursor::new(bytes.clone()), &options(format))
                .unwrap();
        for event in reader {
            writer.push(&event.unwrap()).unwrap();
        }
        writer.finish().unwrap();
        let own: Vec<_> = TraceReader::from_reader("memory", std::io::Cursor::new(bytes), &options(format))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut reader = TraceReader::open(&path, &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::Native);
        let converted: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
        assert_eq!(converted.len(), own.len(), "{format}");
        for (converted, own) in converted.iter().zip(&own) {
            assert_eq!(converted, own, "{format}");
        }
    }
}

#[test]
fn one_device_can_be_asked_for_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    std::fs::write(&path, sound(FormatName::Native)).unwrap();
    let one = |device: &str| TraceOptions { only_device: Some(device.to_owned()), ..TraceOptions::default() };
    assert_eq!(TraceReader::open(&path, &one("8,0")).unwrap().map(Result::unwrap).count(), 3);
    // As blkparse's: numbers in order of first appearance, which a scenario sends to its first disk, its second …
    let mut reader = TraceReader::open(&path, &TraceOptions::default()).unwrap();
    assert!(reader.by_ref().all(|record| record.unwrap().device == 0));
    assert_eq!(reader.device_name(0).as_deref(), Some("8,0"));
    let error = TraceReader::open(&path, &one("8,16")).unwrap().find_map(Result::err).unwrap();
    assert!(error.to_string().contains("device 8,16"), "{error}");
    let events = EventReader::open(&path, &one("8,0")).unwrap().map(Result::unwrap);
    assert_eq!(events.filter(|event| event.kind.is_of_device()).count(), 5);
}

#[test]
fn requests_of_petrios_own_file_are_joined_by_their_number() {
    let records: Vec<_> =
        super::support::read_bytes(&sound(FormatName::Native), &TraceOptions::default()).unwrap();
    let measured: Vec<_> = records.iter().map(|record| record.measured).collect();
    // 120 − 20 ns, issue to completion; never completed; told by the event itself.
    assert_eq!(measured, [Some(Time::from_nanos(100)), None, Some(Time::from_nanos(90))]);
}
