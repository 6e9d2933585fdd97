//! What several tests need: the validation data, and small traces of every format.

use petrio_colours::Direction;
use petrio_kernel::Time;
use petrio_workload::trace::event::{Event, EventKind, Extent};
use petrio_workload::trace::native::{About, EventWriter};
use petrio_workload::trace::{BlockRecord, EventReader, FormatName, TraceError, TraceOptions, TraceReader};
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

/// The formats that a block trace can be in.
pub(crate) fn block_formats() -> impl Iterator<Item = FormatName> {
    FormatName::ALL.into_iter().filter(|format| !format.is_of_calls())
}

/// Reads bytes as events to their end, or to the first error.
pub(crate) fn read_events(bytes: &[u8], options: &TraceOptions) -> Result<Vec<Event>, TraceError> {
    EventReader::from_reader("memory", Cursor::new(bytes.to_vec()), options)?.collect()
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
        FormatName::Strace => {
            "7 1795223276.000000 execve(\"/bin/cat\", [\"cat\", \"a, b\"], 0x7f /* 3 vars */) = 0 <0.000300>\n\
             7 1795223276.000400 openat(AT_FDCWD</x>, \"a, b\", O_RDONLY|O_CLOEXEC) = 3</x/a, b> <0.000020>\n\
             7 1795223276.000500 read(3</x/a, b>,  <unfinished ...>\n\
             8 1795223276.000510 rename(\"/x/c\", \"/x/d\") = -1 ENOENT (No such file or directory) <0.000009>\n\
             7 1795223276.000700 <... read resumed>\"text\\n\"..., 4096) = 904 <0.000200>\n\
             7 1795223276.000800 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3</x/a, b>, 0) = 0x7f50 <0.000010>\n\
             7 1795223276.000900 clone(child_stack=NULL, flags=CLONE_FILES|SIGCHLD) = 9 <0.000200>\n\
             9 1795223276.001200 copy_file_range(3</x/a, b>, [0] => [64], 4</x/e>, NULL, 64, 0) = 64 <0.000010>\n\
             7 1795223276.001300 +++ exited with 0 +++\n"
        }
        FormatName::FioIolog => {
            "fio version 3 iolog\n16 /a add\n140 /a open\n147 /a read 4096 512\n200 /a write 0 1024\n210 /a sync 0 0\n\
             220 /a close\n"
        }
        FormatName::DarshanDxt => {
            "# exe: ./job\n# start_time: 1515172800\n# DXT, file_id: 77, file_name: /data/one\n\
             # DXT, rank: 0, hostname: node7\n\
             \x20X_POSIX       0  write        0               0       262144      0.5000      0.5032\n\
             \x20X_POSIX       0   read        0            4096          512      0.2000      0.2001  [3]\n\
             \x20X_MPIIO       0   read        0             N/A          512      0.1000      0.2001\n"
        }
        FormatName::EventsCsv => {
            "# petrio event trace, version 1\n\
             time_ps,kind,process,path,offset,length,extent_device,extent_address,extent_blocks,more_extents\n\
             0,open,7,\"/a, \"\"b\"\"\",,0,,,,\n500,read,7,/c,4096,512,8388608,64,8,8388608:128:8:1;8388608:256:8:0\n"
        }
        FormatName::Requests => {
            "offset_bytes,length_bytes,operation,process,think_ms,response_us\n0,512,R,1,5,90\n512,512,W,2,1,\n0,0,F,2,1,7\n"
        }
        FormatName::Blktrace => {
            let record = |time: u64, block: u64, bytes: u32, action: u32| {
                let mut record = Vec::new();
                for word in [0x6561_7407_u32, 1] {
                    record.extend(word.to_le_bytes());
                }
                record.extend(time.to_le_bytes());
                record.extend(block.to_le_bytes());
                for word in [bytes, action, 697, 8 << 20, 1, 0] {
                    record.extend(word.to_le_bytes());
                }
                record
            };
            let write = 1 << 17;
            return [
                record(1_000, 64, 4_096, write | 1),
                record(2_000, 64, 4_096, write | 7),
                record(9_000, 64, 4_096, write | 8),
                record(9_500, 96, 512, 1 << 16 | 1),
                record(9_600, 0, 0, 1 << 18 | 1),
            ]
            .concat();
        }
        FormatName::OracleGeneral => {
            let record = |time: u32, object: u64, size: u32, next: i64| {
                [&time.to_le_bytes()[..], &object.to_le_bytes(), &size.to_le_bytes(), &next.to_le_bytes()]
                    .concat()
            };
            return [
                record(5, 42_932_745, 512, 2),
                record(5, 1_000, 6_656, -1),
                record(7, 42_932_745, 512, -1),
            ]
            .concat();
        }
        FormatName::HpSrt => {
            let records: [&[u32]; 2] = [
                &[52, 1 << 16 | 1, 3, 500, 10, 8_010, 4_096, 1_000, 0x0700, 0, 12, 1, 0],
                &[56, 4 << 16 | 1, 4, 0, 10, 900, 1_024, 8, 0x0800, 0, 12, 0x100, 0, 2],
            ];
            return records.concat().into_iter().flat_map(u32::to_be_bytes).collect();
        }
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
