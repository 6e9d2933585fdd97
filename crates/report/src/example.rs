//! A made-up report for tests: the figures of the design's sketch.

use crate::bottleneck::Bottleneck;
use crate::claim::Claim;
use crate::latency::{Latency, LatencyHistogram};
use crate::series::SeriesCollector;
use crate::served::{Requests, Served, Share};
use crate::subject::Subject;
use crate::summary::{Report, StageFigures};
use crate::what_if::{Measured, WhatIf};
use petrio_kernel::Time;

#[expect(clippy::too_many_lines, reason = "a report with every figure in it")]
pub(crate) fn example() -> Report {
    let mut histogram = LatencyHistogram::default();
    let mut series = SeriesCollector::new(Time::ZERO);
    for n in 0..2_000u64 {
        let latency = Time::from_micros(900 + (n * 7_919) % 9_973);
        let issued = Time::from_millis(n * 37);
        histogram.record(latency);
        series.record(issued, issued + latency, 20_480);
    }
    let share =
        |cause: &str, mean_ms: f64| Share { cause: cause.to_owned(), mean_ms, fraction: mean_ms / 4.31 };
    Report {
        title: "Database load recorded on a workstation".to_owned(),
        system: "one Seagate Cheetah 9LP, C-LOOK".to_owned(),
        seed: 1,
        simulated_s: 74.9,
        warm_up_s: 0.0,
        replications: 1,
        confidence: None,
        served: Served {
            subject: Subject::BlockRequests,
            workload: "48,213 requests · closed replay, think times kept".to_owned(),
            closing_s: None,
            requests: Requests { completed: 48_213, reads: 40_000, writes: 8_213, ..Requests::default() },
            bytes: 973_963_264,
            throughput_bytes_per_s: 13_002_342.4.into(),
            requests_per_s: 643.7.into(),
            latency: Some(Latency {
                mean_ms: 4.31.into(),
                p50_ms: 1.90.into(),
                p90_ms: 10.7.into(),
                p99_ms: 14.2.into(),
                p99_9_ms: 19.8.into(),
                max_ms: 31.0.into(),
                deviation_ms: 4.0.into(),
            }),
            waiting: None,
            read_latency: None,
            write_latency: None,
            flush_latency: None,
            workloads: Vec::new(),
            operations: Vec::new(),
            failures: Vec::new(),
            deadlines: Vec::new(),
            depths: Vec::new(),
            processes: Vec::new(),
            processes_left_out: 0,
            transactions: Vec::new(),
            breakdown: vec![
                share("queue", 0.905),
                share("seek", 1.638),
                share("rotation", 1.336),
                share("transfer", 0.431),
            ],
            series: series.finish(Time::ZERO),
            histogram: histogram.bins(),
            kinds: Vec::new(),
            quantiles: histogram.quantiles(),
        },
        beside: None,
        stages: vec![
            StageFigures {
                name: "d0/queue".to_owned(),
                arrivals: 48_213,
                mean_queue: Some(0.91),
                mean_wait_ms: Some(0.905),
                ..StageFigures::default()
            },
            StageFigures {
                name: "d0/mechanics".to_owned(),
                arrivals: 48_213,
                utilisation: Some(0.86),
                mean_service_ms: Some(3.405),
                ..StageFigures::default()
            },
        ],
        bottleneck: Some(Bottleneck {
            claims: vec![Claim::Limits],
            stage: "d0/mechanics".to_owned(),
            part: Some("seeks".to_owned()),
            utilisation: Some(0.86),
            busiest: None,
            most: None,
            mean_wait_ms: None,
            tried: 4,
            in_vain: Vec::new(),
            not_tried: Vec::new(),
            what_if: Some(WhatIf {
                change: "seeks twice as fast".to_owned(),
                set: vec!["disk.d0.drive.mechanics.seek_scale=50 %".to_owned()],
                factor: Some(2.0),
                price: None,
                subject: None,
                of: Measured::Throughput,
                gain: 1.4,
                interval: [1.38, 1.42],
                confidence: 0.95,
                replications: 3,
                before: 643.7,
                after: 901.2,
                overload: None,
                workloads: Vec::new(),
            }),
            together: None,
            also: None,
            or: None,
        }),
        ..Report::default()
    }
}
