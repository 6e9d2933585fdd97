//! Records a second that each trace format is read with, from memory.
//!
//! `cargo bench -p petrio-trace`
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, Extent};
use petrio_trace::native::{About, EventWriter, NativeReader, Wanted};
use petrio_trace::{FormatName, TraceOptions, TraceReader};
use std::fmt::Write;
use std::hint::black_box;
use std::io::Cursor;

const RECORDS: u64 = 200_000;

/// A trace of `RECORDS` requests with numbers as long as those of real ones.
fn sample(format: FormatName) -> Vec<u8> {
    let mut text = String::new();
    if format == FormatName::Vscsi {
        return (0..RECORDS).flat_map(vscsi_record).collect();
    }
    match format {
        FormatName::Native => return native(),
        FormatName::OracleGeneral => return (0..RECORDS).flat_map(oracle_record).collect(),
        FormatName::HpSrt => return (0..RECORDS).flat_map(srt_record).collect(),
        FormatName::Blktrace => return (0..RECORDS).flat_map(blktrace_records).collect(),
        _ => {}
    }
    if format == FormatName::Petrio {
        text.push_str("time_us,response_us,process,device,operation,address_blocks,length_blocks\n");
    }
    for i in 0..RECORDS {
        let block = i.wrapping_mul(2_654_435_761) % 400_000_000;
        let (letter, bit) = if i % 3 == 0 { ("W", 0) } else { ("R", 1) };
        match format {
            FormatName::Petrio => writeln!(text, "{}.25,135.5,1042,0,{letter}S,{block},16", i * 210),
            FormatName::DisksimAscii => writeln!(text, "{}.191135 {} {block} 16 {bit}", i * 5, i % 20),
            FormatName::Measured => {
                writeln!(text, "{letter} Hit {block:10} {:3} {:11}.00000 40961.00000", 16, 8_724)
            }
            FormatName::CloudphysicsCsv => {
                writeln!(text, "1,{},{},8192,{block}", 5_633_898 + i / 20, if bit == 1 { "28" } else { "2a" })
            }
            FormatName::Mqsim => writeln!(text, "{} {} {block} 16 {bit}", 938_513_000 + i * 62_000, i % 16),
            FormatName::Spc => writeln!(text, "{},{block},8192,{letter},{}.551706", i % 3, i / 100),
            FormatName::Msr => {
                let word = if bit == 1 { "Read" } else { "Write" };
                writeln!(
                    text,
                    "{},hm,1,{word},{},8192,113736",
                    128_166_372_003_061_629 + i * 5_000,
                    block * 512
                )
            }
            FormatName::Blkparse => {
                let head = |action, nanos| {
                    format!("  8,0    3 {:8} {:5}.{nanos:09}   697  {action}", i * 2, i / 1_000)
                };
                let nanos = i % 1_000 * 1_000_000;
                writeln!(text, "{}   {letter}S {block} + 16 [kjournald]", head('Q', nanos)).and_then(|()| {
                    writeln!(text, "{}   {letter}S {block} + 16 [0]", head('C', nanos + 400_000))
                })
            }
            FormatName::TraceEvents => {
                let head = |event, micros| {
                    format!("     dd 10700 [001] {:5}.{micros:06}: block:{event}: 254,0", i / 1_000)
                };
                let micros = i % 1_000 * 1_000;
                writeln!(text, "{} {letter}S {block} + 16 [dd]", head("block_bio_queue", micros)).and_then(
                    |()| {
                        writeln!(
                            text,
                            "{} {letter}S () {block} + 16 0x2,0,4 [0]",
                            head("block_rq_complete", micros + 400)
                        )
                    },
                )
            }
            _ => Ok(()),
        }
        .unwrap();
    }
    text.into_bytes()
}

/// The same requests as queued events that know their response.
fn native() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    let mut writer = EventWriter::create(&path, &Inputs::none(), &About::default()).unwrap();
    for i in 0..RECORDS {
        let address = i.wrapping_mul(2_654_435_761) % 400_000_000;
        let mut event = Event::new(Time::from_micros(i * 210), EventKind::Queue);
        event.extents.push(Extent { device: 8 << 20, address, blocks: 16, hit: false });
        event.direction = Some(if i % 3 == 0 { Direction::Write } else { Direction::Read });
        (event.process, event.length, event.request) = (1_042, 16 * 512, Some(i));
        event.service = Some(Time::from_nanos(135_500 + i % 977));
        event.synchronous = true;
        writer.push(&event).unwrap();
    }
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}

fn oracle_record(i: u64) -> Vec<u8> {
    let (second, next) = ((i / 100) as u32, -1_i64);
    [&second.to_le_bytes()[..], &(i * 7_919).to_le_bytes(), &8_192_u32.to_le_bytes(), &next.to_le_bytes()]
        .concat()
}

fn srt_record(i: u64) -> Vec<u8> {
    let (second, micros) = ((i / 1_000) as u32, (i % 1_000 * 1_000) as u32);
    let block = (i * 7_919 % 400_000_000) as u32;
    let words = [52, 1 << 16 | 1, second, micros, 10, 8_010, 8_192, block, 0x0700, 0, 12, 1, 0];
    words.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// A request queued, and completed.
fn blktrace_records(i: u64) -> Vec<u8> {
    let block = i * 7_919 % 400_000_000;
    let event = |time: u64, action: u32| {
        let mut record = Vec::with_capacity(48);
        record.extend([0x07, b't', b'a', b'e', 0, 0, 0, 0]);
        record.extend(time.to_le_bytes());
        record.extend(block.to_le_bytes());
        for word in [8_192, 1 << 16 | action, 697, 8 << 20, 0, 0] {
            record.extend(word.to_le_bytes());
        }
        record
    };
    [event(i * 1_000_000, 1), event(i * 1_000_000 + 400_000, 8)].concat()
}

fn vscsi_record(i: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(32);
    for word in [i as u32, 8_192, 1] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&0x28_u16.to_le_bytes());
    bytes.extend_from_slice(&0x0100_u16.to_le_bytes());
    bytes.extend_from_slice(&(i * 7_919 % 400_000_000).to_le_bytes());
    bytes.extend_from_slice(&(5_633_898_000_000 + i * 250).to_le_bytes());
    bytes
}

fn reader(bytes: &[u8], format: FormatName) -> TraceReader {
    let options = TraceOptions { format: Some(format), ..TraceOptions::default() };
    TraceReader::from_reader("memory", Cursor::new(bytes.to_vec()), &options).unwrap()
}

fn read_formats(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(RECORDS)).sample_size(10);
    for format in FormatName::ALL.into_iter().filter(|format| !format.is_of_calls()) {
        let bytes = sample(format);
        group.bench_function(BenchmarkId::from_parameter(format), |bench| {
            bench.iter(|| {
                let blocks: u64 =
                    reader(&bytes, format).map(|record| u64::from(record.unwrap().blocks)).sum();
                assert_eq!(blocks, RECORDS * 16);
            });
        });
    }
    let bytes = sample(FormatName::Native);
    group.bench_function("native, as events", |bench| {
        bench.iter(|| {
            let reader = NativeReader::of_bytes("memory", bytes.clone(), Wanted::Everything).unwrap();
            assert_eq!(reader.map(|event| event.unwrap().length / 512).sum::<u64>(), RECORDS * 16);
        });
    });
    let packed = zstd::encode_all(&sample(FormatName::Petrio)[..], 3).unwrap();
    group.bench_function("petrio, zstandard", |bench| {
        bench.iter(|| black_box(reader(&packed, FormatName::Petrio).count()));
    });
    group.finish();
}

criterion_group!(benches, read_formats);
criterion_main!(benches);
