//! Writes every form of a report into a folder, from the requests of a made-up disk: a way to look at the forms
//! without a model. `cargo run -p petrio-report --example report_forms -- FOLDER`
#![allow(clippy::print_stdout)]

use petrio_colours::{BlockRequest, Cause, Direction, RequestId, Status};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_report::Claim;
use petrio_report::{
    Bottleneck, Collector, ParquetRows, PerfettoTrace, Report, Served, Sinks, StageFigures, WallClock,
    terminal_text, write_csv, write_html, write_json,
};
use std::error::Error;
use std::path::PathBuf;

/// A small generator, so that the pictures are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[expect(clippy::too_many_lines, reason = "an example is read from its beginning to its end")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    std::fs::create_dir_all(&folder)?;
    let inputs = Inputs::none();
    let mut sinks = Sinks::default();
    sinks.push(ParquetRows::<BlockRequest>::create(&folder.join("requests.parquet"), &inputs)?);
    sinks.push(PerfettoTrace::<BlockRequest>::create(
        (&folder.join("trace.json"), &inputs),
        vec!["d0".to_owned()],
        Vec::new(),
    )?);
    let mut collector = Collector::<BlockRequest>::new(Time::ZERO);

    let mut numbers = Numbers(1);
    let (mut issued, mut free) = (Time::ZERO, Time::ZERO);
    let mut busy = Time::ZERO;
    for n in 0..20_000u64 {
        // Arrivals come faster in the second third of the run.
        let mean_ms = if (7_000..14_000).contains(&n) { 5.3 } else { 8.0 };
        issued += Time::from_seconds(-libm::log(1.0 - numbers.next()) * mean_ms * 1e-3);
        let direction = if numbers.next() < 0.7 { Direction::Read } else { Direction::Write };
        let cached = numbers.next() < 0.3;
        let mut request =
            BlockRequest { id: RequestId(n), direction, blocks: 16, issued, ..BlockRequest::default() };
        request.status = if cached { Status::DoneFromCache } else { Status::Done };
        request.ledger.charge(Cause::Queue, free - issued);
        request.ledger.charge(Cause::Overhead, Time::from_micros(120));
        if !cached {
            request.ledger.charge(Cause::Seek, Time::from_seconds(libm::sqrt(numbers.next()) * 5e-3));
            request.ledger.charge(Cause::Rotation, Time::from_seconds(numbers.next() * 6e-3));
            request.ledger.charge(Cause::Transfer, Time::from_micros(600));
        }
        request.ledger.charge(Cause::Bus, Time::from_micros(100));
        let at = issued + request.ledger.total();
        busy += at - free.max(issued);
        free = at;
        sinks.completed(&request, at)?;
        collector.record(&request, at);
    }
    sinks.finish()?;

    let found = collector.finish(free);
    let waits = found.breakdown.iter().find(|share| share.cause == "queue").map(|share| share.mean_ms);
    let service = busy.as_millis() / found.requests.completed as f64;
    let report = Report {
        title: "A made-up load on a made-up disk".to_owned(),
        system: "one disk at 10,000 rpm, FCFS".to_owned(),
        seed: 1,
        simulated_s: free.as_seconds(),
        replications: 1,
        stages: vec![
            StageFigures {
                name: "d0/queue".to_owned(),
                arrivals: 20_000,
                mean_queue: waits.map(|ms| ms / 1e3 * found.requests_per_s.value),
                mean_wait_ms: waits,
                ..StageFigures::default()
            },
            StageFigures {
                name: "d0/mechanics".to_owned(),
                arrivals: 20_000,
                utilisation: Some(busy.as_seconds() / free.as_seconds()),
                mean_service_ms: Some(service),
                ..StageFigures::default()
            },
        ],
        bottleneck: Some(Bottleneck {
            claims: vec![Claim::Limits],
            stage: "d0/mechanics".to_owned(),
            part: Some("rotation".to_owned()),
            utilisation: Some(0.9),
            busiest: None,
            most: None,
            mean_wait_ms: None,
            tried: 1,
            in_vain: Vec::new(),
            not_tried: Vec::new(),
            what_if: None,
            together: None,
            also: None,
            or: None,
        }),
        warnings: vec![Claim::ColdCaches.says("the queue was still growing in the middle of the run")],
        served: Served { workload: "20,000 requests, more of them in the middle".to_owned(), ..found },
        ..Report::default()
    };
    write_json(&report, &folder.join("report.json"), &inputs)?;
    write_csv(&report, &folder.join("report.csv"), &inputs)?;
    write_html(&report, &folder.join("report.html"), &inputs)?;
    println!("{}", terminal_text(&report, Some(WallClock { seconds: 0.08 }), 100));
    Ok(())
}
