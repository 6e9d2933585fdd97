//! Requests a second through the page of a request queue, before a device that answers at once.
//!
//! `cargo bench -p petrio-models`
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use petrio_colours::{BlockRequest, Direction, RequestId};
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use petrio_models::block::queue::{QueueParameters, queue_page};
use petrio_models::block::scheduler::SchedulerParameters;

/// A queue whose device completes what it gets.
fn queue(scheduler: &str) -> (Simulation, Place<BlockRequest>, Place<BlockRequest>) {
    let mut net = NetBuilder::new("bench");
    let mut page = net.top();
    let [requests, completions, device] = ["requests", "completions", "device"].map(|name| page.fifo(name));
    let scheduler = SchedulerParameters::named(scheduler).unwrap();
    let parameters = QueueParameters { scheduler, ..QueueParameters::default() };
    queue_page(&mut page, "queue", &parameters, (requests, completions), (device, device));
    let net = net.build().unwrap();
    (Simulation::new(&net, 1, 0), requests, completions)
}

/// `batch` requests come at each microsecond: alone at random places, or in a row.
fn serve(scheduler: &str, batch: u64, sequential: bool, total: u64) -> u64 {
    let (mut run, requests, completions) = queue(scheduler);
    let (mut done, mut place) = (0, 1u64);
    for round in 0..total / batch {
        let now = Time::from_micros(round);
        run.run_until(now).unwrap();
        for index in 0..batch {
            place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let address = if sequential { index * 8 } else { (place >> 40) * 16 };
            let request = BlockRequest {
                id: RequestId(round * batch + index),
                address,
                blocks: 8,
                direction: Direction::Write,
                issued: now,
                ..BlockRequest::default()
            };
            run.inject(requests, request, now).unwrap();
        }
        run.run_until(now).unwrap();
        done += run.drain(completions).count() as u64;
    }
    done
}

fn requests_through_a_queue(criterion: &mut Criterion) {
    const TOTAL: u64 = 100_000;
    let mut group = criterion.benchmark_group("block queue");
    group.throughput(Throughput::Elements(TOTAL)).sample_size(10);
    for scheduler in ["noop", "deadline", "mq-deadline"] {
        for (name, batch, sequential) in
            [("one by one", 1, false), ("32 at random", 32, false), ("32 in a row", 32, true)]
        {
            group.bench_function(format!("{scheduler}, {name}"), |bencher| {
                bencher.iter(|| assert_eq!(serve(scheduler, batch, sequential, TOTAL), TOTAL));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, requests_through_a_queue);
criterion_main!(benches);
