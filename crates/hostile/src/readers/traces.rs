//! Traces: each format by its name, and the detection.

use super::{Reader, Verdict, reason};
use crate::samples::seed;
use petrio_capture::journal_trace::{JournalArea, Recording, TagFormat, requests_text};
use petrio_time::Time;
use petrio_trace::{
    ColumnUnits, EventReader, FormatName, LengthUnit, NamedColumns, OwnTable, TimeUnit, TraceOptions,
    TraceReader,
};
use petrio_workload::{ClosedReplay, ClosedReplayOptions, Due, RequestSource};
use std::collections::VecDeque;
use std::io::Cursor;

/// What is packed may hold far more than its bytes; the beginning is enough.
const RECORDS_MAX: usize = 100_000;

fn read_as(bytes: &[u8], options: &TraceOptions) -> Verdict {
    // A trace of calls has no requests; every trace has events.
    if let Ok(reader) = TraceReader::from_reader("hostile", Cursor::new(bytes.to_vec()), options) {
        let times: Vec<_> =
            reader.take(RECORDS_MAX).map_while(Result::ok).map(|record| record.time).collect();
        assert!(times.is_sorted(), "requests out of order");
    }
    let reader = EventReader::from_reader("hostile", Cursor::new(bytes.to_vec()), options)
        .map_err(|error| reason(&error))?;
    let mut last = Time::ZERO;
    for event in reader.take(RECORDS_MAX) {
        let event = event.map_err(|error| reason(&error))?;
        assert!(event.time >= last, "events out of order");
        last = event.time;
    }
    Ok(())
}

/// A reader for each format.
macro_rules! formats {
    ($($target:literal $format:ident $seed:literal),+ $(,)?) => {
        vec![$(Reader {
            name: $target,
            read: |bytes| read_as(bytes, &TraceOptions { format: Some(FormatName::$format), ..TraceOptions::default() }),
            samples: || vec![seed($seed)],
        }),+]
    };
}

pub(super) fn readers() -> Vec<Reader> {
    let mut readers = formats! {
        "trace_alibaba" Alibaba "alibaba",
        "trace_biosnoop" Biosnoop "biosnoop",
        "trace_blkparse" Blkparse "blkparse",
        "trace_blktrace" Blktrace "blktrace",
        "trace_cloudphysics_csv" CloudphysicsCsv "cloudphysics-csv",
        "trace_darshan_dxt" DarshanDxt "darshan-dxt",
        "trace_darshan_log" DarshanDxt "darshan-log",
        "trace_disksim_ascii" DisksimAscii "disksim-ascii",
        "trace_etw" Etw "etw",
        "trace_events_csv" EventsCsv "events-csv",
        "trace_fio_iolog" FioIolog "fio-iolog",
        "trace_fiu" Fiu "fiu",
        "trace_hp_srt" HpSrt "hp-srt",
        "trace_measured" Measured "measured",
        "trace_mqsim" Mqsim "mqsim",
        "trace_msr" Msr "msr",
        "trace_native" Native "native",
        "trace_oracle_general" OracleGeneral "oracle-general",
        "trace_perf_trace" PerfTrace "perf-trace",
        "trace_petrio" Petrio "petrio",
        "trace_requests" Requests "requests",
        "trace_spc" Spc "spc",
        "trace_strace" Strace "strace",
        "trace_systor" Systor "systor",
        "trace_tencent" Tencent "tencent",
        "trace_thesios" Thesios "thesios",
        "trace_trace_events" TraceEvents "trace-events",
        "trace_vscsi" Vscsi "vscsi",
    };
    readers.extend([
        Reader {
            name: "trace_detect",
            read: |bytes| read_as(bytes, &TraceOptions::default()),
            samples: || FormatName::ALL.iter().map(|format| seed(&format.to_string())).collect(),
        },
        Reader { name: "trace_own_table", read: own_table, samples: || vec![seed("own-table")] },
        Reader { name: "replay_closed", read: replay_closed, samples: || vec![seed("petrio")] },
        Reader { name: "capture_trace", read: capture_trace, samples: || vec![seed("trace-pages")] },
    ]);
    readers
}

/// A table whose columns are named by whoever reads it.
fn own_table(bytes: &[u8]) -> Verdict {
    let name = str::to_owned;
    let columns = NamedColumns {
        time: name("ts"),
        operation: name("rw"),
        offset: name("lba"),
        length: name("size"),
        read: None,
        write: None,
        response: Some(name("took")),
        process: Some(name("pid")),
        device: None,
    };
    let (time, offset, length) = (TimeUnit::Ms, LengthUnit::Sectors, LengthUnit::Bytes);
    let units = ColumnUnits { time, offset, length, response: Some(TimeUnit::Us) };
    read_as(bytes, &TraceOptions { own: Some(OwnTable { columns, units }), ..TraceOptions::default() })
}

/// A trace of petrio's own format replayed closed, on a device whose speed its length says.
fn replay_closed(bytes: &[u8]) -> Verdict {
    let options = TraceOptions { format: Some(FormatName::Petrio), ..TraceOptions::default() };
    let reader = TraceReader::from_reader("hostile", Cursor::new(bytes.to_vec()), &options)
        .map_err(|error| reason(&error))?;
    let mut source =
        ClosedReplay::of_trace(reader, ClosedReplayOptions::default()).map_err(|error| reason(&error))?;
    let mut in_flight = VecDeque::new();
    let mut now = Time::ZERO;
    let mut service = Time::from_nanos(bytes.len() as u64 * 1_000);
    loop {
        let due = match source.due() {
            Ok(Due::At(time)) => Some(time.max(now)),
            Ok(Due::AfterCompletion) => None,
            Ok(Due::Never) => return Ok(()),
            Err(error) => return Err(reason(&error)),
        };
        match (due, in_flight.front().copied()) {
            (Some(time), Some((end, _))) if time < end => now = time,
            (_, Some((end, id))) => {
                now = now.max(end);
                in_flight.pop_front();
                source.complete(id, now).map_err(|error| reason(&error))?;
                continue;
            }
            (Some(time), None) => now = time,
            (None, None) => panic!("waits for a completion with nothing in flight"),
        }
        match source.issue(now) {
            Ok(Some(item)) => {
                in_flight.push_back((now + service, item.request.id));
                service = Time::from_picos(service.as_picos() / 2 + 1);
            }
            Ok(None) => {}
            Err(error) => return Err(reason(&error)),
        }
    }
}

/// Pages of the kernel's trace of a block device, and a journal's superblock and descriptor.
fn capture_trace(bytes: &[u8]) -> Verdict {
    let format = TagFormat::of_superblock(bytes).unwrap_or_default();
    if let Some(blocks) = format.blocks_logged(bytes) {
        assert!(blocks.len() <= bytes.len() / 8);
    }
    let recording = Recording::of_pages(bytes).map_err(|error| reason(&error))?;
    let text = requests_text(recording.issued(), &JournalArea::default());
    assert_eq!(text.split_whitespace().count(), recording.issued().count());
    Ok(())
}
