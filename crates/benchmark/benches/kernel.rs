//! The kernel's nets and the hand-written loops of the same systems, under criterion.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark, where a failure is a bug")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use petrio_benchmark::kernel::systems;
use petrio_kernel::Simulation;

/// Firings of one sample.
const FIRINGS: u64 = 60_000;

fn kernel(criterion: &mut Criterion) {
    for system in systems() {
        let jobs = FIRINGS / system.firings_per_job;
        let mut group = criterion.benchmark_group(&system.name);
        group.throughput(Throughput::Elements(jobs));
        let net = (system.net)().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.run_firings(system.firings_before * 4).unwrap();
        group.bench_function(BenchmarkId::from_parameter("net"), |bencher| {
            bencher.iter(|| run.run_firings(FIRINGS).unwrap());
        });
        let mut hand_loop = (system.hand_loop)();
        hand_loop.run(system.firings_before * 3);
        group.bench_function(BenchmarkId::from_parameter("loop"), |bencher| {
            bencher.iter(|| hand_loop.run(jobs));
        });
        group.finish();
    }
}

criterion_group!(benches, kernel);
criterion_main!(benches);
