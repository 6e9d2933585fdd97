//! Steps a second that programs of file operations make, alone and as a source.
//!
//! `cargo bench -p petrio-workload --bench file_programs`
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use petrio_units::{Bytes, Fraction};
use petrio_workload::program::pattern::{Access, Pattern};
use petrio_workload::program::{PatternParameters, Placement, ScriptParameters, Step};
use petrio_workload::{Due, RequestSource};
use std::hint::black_box;

const OPERATIONS: u64 = 1_000_000;

fn parameters(pattern: Pattern) -> PatternParameters {
    PatternParameters {
        pattern,
        stride: (pattern == Pattern::Strided).then_some(17),
        ..PatternParameters::new(Access::Read, Bytes(8 << 10), Bytes(OPERATIONS * (8 << 10)))
    }
}

fn programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("file_programs");
    group.throughput(Throughput::Elements(OPERATIONS)).sample_size(10);
    let placement = Placement::new("bench");
    let cases = [
        ("sequential", parameters(Pattern::Sequential)),
        ("strided", parameters(Pattern::Strided)),
        ("random", parameters(Pattern::Random)),
        ("random_with_repetition", PatternParameters { repetition: true, ..parameters(Pattern::Random) }),
        (
            "random_mixed",
            PatternParameters {
                operation: Access::Mixed,
                read_share: Fraction::new(0.7),
                ..parameters(Pattern::Random)
            },
        ),
    ];
    for (name, parameters) in cases {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut program = parameters.prepare(&placement).unwrap().programs.remove(0);
                while black_box(program.next(petrio_time::Time::ZERO).unwrap()) != Step::End {}
            });
        });
    }
    group.bench_function("script", |bencher| {
        let script = ScriptParameters::new("file a 1 MiB; repeat 500000 { read a 0 4 KiB; write a 0 4 KiB }");
        bencher.iter(|| {
            let mut program = script.prepare(&placement).unwrap().programs.remove(0);
            while black_box(program.next(petrio_time::Time::ZERO).unwrap()) != Step::End {}
        });
    });
    for processes in [1, 1_000] {
        let parameters = PatternParameters {
            processes,
            operations: Some(OPERATIONS / u64::from(processes)),
            ..parameters(Pattern::Random)
        };
        group.bench_function(format!("source_of_{processes}"), |bencher| {
            bencher.iter(|| {
                let mut source = parameters.prepare(&placement).unwrap().into_source().unwrap();
                while let Due::At(now) = source.due().unwrap() {
                    let item = black_box(source.issue(now).unwrap().unwrap());
                    source.complete(item.request.id, now).unwrap();
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, programs);
criterion_main!(benches);
