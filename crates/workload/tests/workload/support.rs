//! What several tests need: the validation data, and small traces of every format.

use petrio_colours::Direction;
use petrio_kernel::Time;
use petrio_workload::trace::event::{Event, EventKind, Extent};
use petrio_workload::trace::native::{About, EventWriter};
use petrio_workload::trace::{BlockRecord, FormatName, TraceError, TraceOptions, TraceReader};
use std::io::Cursor;
use std::path::PathBuf;

/// A file of the validation data, or `None` with a word on what is skipped.
pub(crate) fn data(test: &str, file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PETRIO_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join(file);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: {test} needs {}", path.display());
    None
}

/// All records of a trace that is sound.
pub(crate) fn read(path: &PathBuf) -> (TraceReader, Vec<BlockRecord>) {
    let mut reader = TraceReader::open(path, &TraceOptions::default()).unwrap();
    let records = reader.by_ref().collect::<Result<_, _>>().unwrap();
    (reader, records)
}

pub(crate) fn options(format: FormatName) -> TraceOptions {
    TraceOptions { format: Some(format), ..TraceOptions::default() }
}

/// Reads bytes to their end, or to the first error.
pub(crate) fn read_bytes(bytes: &[u8], options: &TraceOptions) -> Result<Vec<BlockRecord>, TraceError> {
    TraceReader::from_reader("memory", Cursor::new(bytes.to_vec()), options)?.collect()
}

/// Three requests in petrio's own trace file: one with its completion, one without, one that knows its response.
fn native() -> Vec<u8> {
    let event = |nanoseconds, kind, request| {
        let mut event = Event::new(Time::from_nanos(nanoseconds), kind);
        event.extents.push(Extent { device: 8 << 20, address: 2_048, blocks: 8, hit: false });
        Event { direction: Some(Direction::Read), request, synchronous: true, process: 7, ..event }
    };
    let measured = Event { service: Some(Time::from_nanos(90)), ..event(500, EventKind::Queue, None) };
    let events = [
        event(0, EventKind::Queue, Some(1)),
        Event { path: Some("/a/file".into()), ..Event::new(Time::from_nanos(10), EventKind::Open) },
        event(20, EventKind::Issue, Some(1)),
        event(120, EventKind::Complete, Some(1)),
        event(300, EventKind::Queue, Some(2)),
        measured,
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    let mut writer = EventWriter::create(&path, &About::default()).unwrap();
    for event in &events {
        writer.push(event).unwrap();
    }
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}

/// A small sound trace of each format.
pub(crate) fn sound(format: FormatName) -> Vec<u8> {
    let text = match format {
        FormatName::Native => return native(),
        FormatName::Petrio => {
            "# petrio block trace, version 1\ntime_us,response_us,process,device,operation,address_blocks,length_blocks\n\
             0,135.25,1042,0,RS,54280192,8\n210.5,,1042,1,WU,332922936,16\n300,9,7,0,F,0,0\n"
        }
        FormatName::DisksimAscii => "13.191135 30 0 5 1\n17.829285 20 576560 6 1\n24.314779 17 0 24 0\n",
        FormatName::Measured => {
            "R Hit 11392096 12 1686.00000 40961.00000\nW Miss 7563004 4 14368.0 28778.0\nR Doub 1 4 8.5 3.0\n"
        }
        FormatName::CloudphysicsCsv => {
            "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633898,28,6656,40409911\n1,5633899,12,36,0\n"
        }
        FormatName::Vscsi => {
            let mut bytes = Vec::new();
            for (index, opcode) in [0x2a_u16, 0x28, 0x35].into_iter().enumerate() {
                let number = index as u32;
                for word in [number, 4096, 1] {
                    bytes.extend_from_slice(&word.to_le_bytes());
                }
                bytes.extend_from_slice(&opcode.to_le_bytes());
                bytes.extend_from_slice(&0x0100_u16.to_le_bytes());
                bytes.extend_from_slice(&u64::from(number * 8).to_le_bytes());
                bytes.extend_from_slice(&(5_633_898_000_000 + u64::from(number) * 250).to_le_bytes());
            }
            return bytes;
        }
        FormatName::Mqsim => {
            "938513000 4 264719034 16 0\n938828000 3 197570570 16 1\n938944000 13 93230992 32 0\n"
        }
        FormatName::Spc => "0,20941264,8192,W,0.551706\n1,20939840,8192,r,0.554041,more\n0, 3, 512, w, 0.6\n",
        FormatName::Msr => {
            "128166372003061629,hm,1,Read,383496192,32768,113736\n128166372016382155,hm,1,Write,2822144,4096,7\n"
        }
        FormatName::Blkparse => {
            "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n\
             \x20 8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n\
             \x20 8,0    3        3     0.000002197   697  P   N [kjournald]\n\
             \x20 8,0    3        4     0.000009507   697  D   W 223490 + 8 [kjournald]\n\
             \x20 8,0    1        1     0.018081811     0  C   W 223490 + 8 [0]\n\
             CPU0 (8,0):\n Reads Queued:           0,        0KiB\n"
        }
        FormatName::TraceEvents => {
            "  dd 10700 [001]  2123.073911:   block:block_bio_queue: 254,0 WS 54280192 + 4096 [dd]\n\
             Web Content 10700 [001]  2123.073927:  block:block_rq_issue: 254,0 WS 2097152 () 54280192 + 4096 0x2,0,4 [dd]\n\
             \x20 x-24400 [001] d.h2.  2123.074918: block_rq_complete: 254,0 WS () 54280192 + 4096 0x2,0,4 [0]\n"
        }
    };
    text.as_bytes().to_vec()
}
