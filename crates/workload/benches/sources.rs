//! Requests a second that the sources give.
//!
//! `cargo bench -p petrio-workload --bench sources`
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use petrio_time::Time;
use petrio_trace::{TraceOptions, TraceReader};
use petrio_workload::synthetic::Synthetic;
use petrio_workload::{ClosedReplay, ClosedReplayOptions, Due, OpenReplay, RequestSource};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use std::fmt::Write;
use std::io::Cursor;

const RECORDS: u64 = 200_000;

/// A trace of `RECORDS` requests with numbers as long as those of real ones.
fn sample() -> Vec<u8> {
    let mut text =
        String::from("time_us,response_us,process,device,operation,address_blocks,length_blocks\n");
    for i in 0..RECORDS {
        let block = i.wrapping_mul(2_654_435_761) % 400_000_000;
        let letter = if i % 3 == 0 { "W" } else { "R" };
        writeln!(text, "{}.25,135.5,1042,0,{letter}S,{block},16", i * 210).unwrap();
    }
    text.into_bytes()
}

fn reader(bytes: &[u8]) -> TraceReader {
    TraceReader::from_reader("memory", Cursor::new(bytes.to_vec()), &TraceOptions::default()).unwrap()
}

/// Serves every request at once, each in a millisecond.
fn drain(source: &mut dyn RequestSource) -> u64 {
    let mut issued = 0;
    while let Due::At(now) = source.due().unwrap() {
        if let Some(item) = source.issue(now).unwrap() {
            issued += 1;
            source.complete(item.request.id, now + Time::from_millis(1)).unwrap();
        }
    }
    issued
}

fn sources(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("issue");
    group.throughput(Throughput::Elements(RECORDS)).sample_size(10);
    let bytes = sample();
    group.bench_function("open replay", |bench| {
        bench.iter(|| {
            assert_eq!(drain(&mut OpenReplay::new(reader(&bytes), 1.0).unwrap()), RECORDS);
        });
    });
    group.bench_function("closed replay", |bench| {
        bench.iter(|| {
            let trace = reader(&bytes);
            assert_eq!(
                drain(&mut ClosedReplay::of_trace(trace, ClosedReplayOptions::default()).unwrap()),
                RECORDS
            );
        });
    });
    let generator = r#"{ "capacity": "17783240 blocks", "read_fraction": 0.66,
        "inter_arrival": { "exponential": { "mean": "25 ms" } }, "size": { "exponential": { "mean": "8 blocks" } } }"#;
    let json =
        format!(r#"{{ "requests": {RECORDS}, "generators": [{generator}, {generator}, {generator}] }}"#);
    let workload: Synthetic = serde_json::from_str(&json).unwrap();
    group.bench_function("synthetic, three generators", |bench| {
        bench.iter(|| {
            let streams = (0..3).map(Xoshiro256PlusPlus::seed_from_u64).collect();
            assert_eq!(drain(&mut workload.source(streams).unwrap()), RECORDS);
        });
    });
    group.finish();
}

criterion_group!(benches, sources);
criterion_main!(benches);
