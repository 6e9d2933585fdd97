//! Replays against what must hold whatever the trace: at the traced speed a closed replay gives the trace back.

use miette::Diagnostic;
use petrio_colours::{Direction, RequestId};
use petrio_time::Time;
use petrio_trace::{BlockRecord, TraceError, TraceOptions, TraceReader};
use petrio_workload::{
    ClosedReplay, ClosedReplayOptions, Due, OpenReplay, Processes, RequestSource, SourceError, SourceItem,
    Sources,
};
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file of the validation data, or `None` with a word on what is skipped.
fn data(test: &str, file: &str) -> Option<PathBuf> {
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

/// Drives a source on a device that serves every request at once, each for a time of its own. Gives issue times and
/// items.
pub(crate) fn drive(
    source: &mut dyn RequestSource,
    mut service: impl FnMut(&SourceItem) -> Time,
) -> Result<Vec<(Time, SourceItem)>, SourceError> {
    let mut completions: BinaryHeap<Reverse<(Time, RequestId)>> = BinaryHeap::new();
    let mut issued = Vec::new();
    let mut now = Time::ZERO;
    loop {
        let due = source.due()?;
        let completion = completions.peek().map(|Reverse((time, _))| *time);
        let at = match (due, completion) {
            (Due::At(at), Some(completion)) if at.max(now) < completion => at,
            (_, Some(completion)) => {
                let Some(Reverse((_, id))) = completions.pop() else { unreachable!() };
                now = completion;
                source.complete(id, now)?;
                continue;
            }
            (Due::At(at), None) => at,
            (Due::AfterCompletion, None) => panic!("waits for a completion with nothing in flight"),
            (Due::Never, None) => return Ok(issued),
        };
        now = now.max(at);
        if let Some(item) = source.issue(now)? {
            assert_eq!(item.request.issued, now);
            completions.push(Reverse((now + service(&item), item.request.id)));
            issued.push((now, item));
        }
    }
}

type Records = std::vec::IntoIter<Result<BlockRecord, TraceError>>;

fn records(records: &[BlockRecord]) -> Records {
    records.iter().map(|record| Ok(*record)).collect::<Vec<_>>().into_iter()
}

fn record(micros: u64, measured_micros: Option<u64>, process: u32, address: u64) -> BlockRecord {
    BlockRecord {
        time: Time::from_micros(micros),
        measured: measured_micros.map(Time::from_micros),
        process,
        ..BlockRecord::new(Direction::Read, address, 8)
    }
}

fn micros(issued: &[(Time, SourceItem)]) -> Vec<u64> {
    issued.iter().map(|(time, _)| time.as_picos() / 1_000_000).collect()
}

fn closed(trace: &[BlockRecord], options: ClosedReplayOptions) -> ClosedReplay<Records> {
    ClosedReplay::new(records(trace), options).unwrap()
}

const TOGETHER: ClosedReplayOptions = ClosedReplayOptions {
    time_scale: 1.0,
    processes: Processes::Together,
    outstanding: None,
    look_ahead: 1_000_000,
};

#[test]
fn an_open_replay_keeps_arrivals_however_slow_the_device() {
    let trace = [record(0, None, 0, 1), record(100, None, 0, 2), record(250, None, 0, 3)];
    let mut source = OpenReplay::new(records(&trace), 2.0).unwrap();
    let issued = drive(&mut source, |_| Time::from_millis(900)).unwrap();
    assert_eq!(micros(&issued), [0, 200, 500]);
    assert_eq!(issued[2].1.request.id, RequestId(2));
}

#[test]
fn a_closed_replay_thinks_from_the_completion_on() {
    // Responses of 50 µs, think times of 50 and 100 µs.
    let trace = [record(0, Some(50), 0, 1), record(100, Some(50), 0, 2), record(250, Some(50), 0, 3)];
    let issued = drive(&mut closed(&trace, TOGETHER), |_| Time::from_micros(500)).unwrap();
    assert_eq!(micros(&issued), [0, 550, 1_150]);
    let halved = ClosedReplayOptions { time_scale: 0.5, ..TOGETHER };
    let issued = drive(&mut closed(&trace, halved), |_| Time::from_micros(500)).unwrap();
    assert_eq!(micros(&issued), [0, 525, 1_075]);
}

#[test]
fn a_process_that_kept_four_requests_in_flight_keeps_four() {
    // Every 10 µs one completes and the next is issued at once; each takes 40 µs.
    let trace: Vec<_> =
        (0..200).map(|i| record(if i < 4 { 0 } else { 10 * (i - 3) + 30 }, Some(40), 0, i)).collect();
    let trace: Vec<_> = trace
        .into_iter()
        .enumerate()
        .map(|(i, mut record)| {
            if i < 4 {
                record.measured = Some(Time::from_micros(40 + 10 * i as u64));
            }
            record
        })
        .collect();
    let mut in_flight_max = 0;
    let mut ends: Vec<Time> = Vec::new();
    let mut source = closed(&trace, TOGETHER);
    let issued = drive(&mut source, |item| {
        let now = item.request.issued;
        ends.retain(|end| *end > now);
        ends.push(now + Time::from_micros(120));
        in_flight_max = in_flight_max.max(ends.len());
        Time::from_micros(120)
    })
    .unwrap();
    assert_eq!(in_flight_max, 4);
    // Three times as slow with the same depth takes about three times as long: 200 requests of 120 µs, four at a time.
    assert!((micros(&issued)[199] as f64 / (196.0 / 4.0 * 120.0) - 1.0).abs() < 0.05, "{:?}", issued[199].0);
}

#[test]
fn without_response_times_requests_keep_their_distance_and_wait_for_each_other() {
    let trace =
        [record(0, None, 0, 1), record(100, None, 0, 2), record(110, None, 0, 3), record(400, None, 0, 4)];
    let fast = drive(&mut closed(&trace, TOGETHER), |_| Time::from_micros(5)).unwrap();
    assert_eq!(micros(&fast), [0, 100, 110, 400]);
    let slow = drive(&mut closed(&trace, TOGETHER), |_| Time::from_micros(150)).unwrap();
    assert_eq!(micros(&slow), [0, 150, 300, 590]);
    let two = ClosedReplayOptions { outstanding: Some(2), ..TOGETHER };
    let slow = drive(&mut closed(&trace, two), |_| Time::from_micros(150)).unwrap();
    assert_eq!(micros(&slow), [0, 100, 150, 440]);
}

#[test]
fn each_process_waits_for_itself() {
    // Process 1 asks for slow blocks, process 2 for fast ones.
    let trace = [
        record(0, Some(10), 1, 1_000),
        record(5, Some(10), 2, 1),
        record(20, Some(10), 1, 1_000),
        record(25, Some(10), 2, 1),
        record(45, Some(10), 2, 1),
    ];
    let mut source = closed(&trace, ClosedReplayOptions::default());
    let issued =
        drive(&mut source, |item| Time::from_micros(if item.request.address == 1_000 { 300 } else { 1 }))
            .unwrap();
    let seen: Vec<_> =
        issued.iter().map(|(time, item)| (time.as_micros() as u64, item.request.process)).collect();
    assert_eq!(seen, [(0, 1), (5, 2), (16, 2), (27, 2), (310, 1)]);
}

#[test]
fn one_process_is_replayed_without_reading_ahead() {
    let pulled = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&pulled);
    let endless = (0..50_000).map(move |i| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(record(i * 20, Some(10), 0, i))
    });
    let mut source = ClosedReplay::new(endless, TOGETHER).unwrap();
    let mut issued = 0;
    // A device a hundred times as slow: the trace is over long before the replay.
    drive(&mut source, |_| {
        issued += 1;
        assert!(pulled.load(Ordering::Relaxed) <= issued + 1);
        Time::from_millis(1)
    })
    .unwrap();
    assert_eq!(issued, 50_000);
}

#[test]
fn processes_that_drift_too_far_apart_are_an_error_not_a_full_memory() {
    let endless = (0..100_000).map(|i| Ok(record(i * 20, Some(10), i as u32 % 2, i)));
    let options = ClosedReplayOptions { look_ahead: 500, ..ClosedReplayOptions::default() };
    let error = drive(&mut ClosedReplay::new(endless, options).unwrap(), |item| {
        Time::from_micros(if item.request.process == 1 { 1_000 } else { 1 })
    })
    .unwrap_err();
    assert!(matches!(error, SourceError::LookAhead { held: 501, process: 1 }), "{error}");
    assert!(error.help().unwrap().to_string().contains("look_ahead"));
}

#[test]
fn a_measured_drive_at_its_measured_speed_gives_its_trace_back() {
    let test = "a_measured_drive_at_its_measured_speed_gives_its_trace_back";
    let Some(path) = data(test, "disks/cheetah9LP.trace") else { return };
    let arrivals: Vec<Time> = TraceReader::open(&path, &TraceOptions::default())
        .unwrap()
        .map(|record| record.unwrap().time)
        .collect();
    let trace = TraceReader::open(&path, &TraceOptions::default()).unwrap();
    let mut source = ClosedReplay::of_trace(trace, ClosedReplayOptions::default()).unwrap();
    let issued = drive(&mut source, |item| item.measured.unwrap()).unwrap();
    assert!(issued.iter().map(|(time, _)| *time).eq(arrivals));
}

#[test]
fn the_shipped_database_load_at_its_recorded_speed_gives_its_trace_back() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces/database.csv.xz");
    let trace = TraceReader::open(path, &TraceOptions::default()).unwrap();
    let recorded: Vec<BlockRecord> = trace.map(Result::unwrap).collect();
    let mut source = closed(&recorded, ClosedReplayOptions::default());
    let issued = drive(&mut source, |item| item.measured.unwrap()).unwrap();
    assert_same(&recorded, &issued);
}

/// Every record was issued when the trace says; those of the same time may come in any order.
fn assert_same(trace: &[BlockRecord], issued: &[(Time, SourceItem)]) {
    let mut expected: Vec<_> = trace.iter().map(|r| (r.time, r.process, r.address, r.blocks)).collect();
    let mut seen: Vec<_> = issued
        .iter()
        .map(|(time, item)| (*time, item.request.process, item.request.address, item.request.blocks))
        .collect();
    expected.sort_unstable();
    seen.sort_unstable();
    assert_eq!(expected, seen);
}

#[test]
fn several_sources_are_one_numbered_in_order_of_issue() {
    let one = [record(0, Some(10), 1, 1), record(50, Some(10), 1, 2)];
    let two = [record(0, None, 2, 3), record(40, None, 2, 4)];
    let mut sources = Sources::new(vec![
        Box::new(closed(&one, TOGETHER)),
        Box::new(OpenReplay::new(records(&two), 1.0).unwrap()),
    ]);
    let issued = drive(&mut sources, |_| Time::from_micros(20)).unwrap();
    let seen: Vec<_> = issued
        .iter()
        .map(|(time, item)| (item.request.id.0, time.as_micros() as u64, item.request.address))
        .collect();
    assert_eq!(seen, [(0, 0, 1), (1, 0, 3), (2, 40, 4), (3, 60, 2)]);
}

#[test]
fn factors_and_depths_that_no_replay_can_have_are_refused() {
    for time_scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(OpenReplay::new(records(&[]), time_scale), Err(SourceError::TimeScale(_))));
        let options = ClosedReplayOptions { time_scale, ..TOGETHER };
        assert!(matches!(ClosedReplay::new(records(&[]), options), Err(SourceError::TimeScale(_))));
    }
    let none = ClosedReplayOptions { outstanding: Some(0), ..TOGETHER };
    assert!(matches!(ClosedReplay::new(records(&[]), none), Err(SourceError::NoneOutstanding)));
    let far = [record(0, None, 0, 1), record(86_400_000_000, None, 0, 2)];
    let mut source = OpenReplay::new(records(&far), 300.0).unwrap();
    let error = drive(&mut source, |_| Time::ZERO).unwrap_err();
    assert!(matches!(error, SourceError::BeyondHorizon), "{error}");
}

fn any_trace(processes: u32) -> impl Strategy<Value = Vec<BlockRecord>> {
    let step = (prop_oneof![Just(0_u64), 0..50_u64], 1..200_u64, 0..processes);
    prop::collection::vec(step, 1..120).prop_map(|steps| {
        let mut now = 0;
        steps
            .into_iter()
            .enumerate()
            .map(|(index, (gap, measured, process))| {
                now += gap;
                record(now, Some(measured), process, index as u64)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn at_the_traced_speed_a_closed_replay_gives_any_trace_back(trace in any_trace(5)) {
        for processes in [Processes::Apart, Processes::Together] {
            let options = ClosedReplayOptions { processes, ..ClosedReplayOptions::default() };
            let issued = drive(&mut closed(&trace, options), |item| item.measured.unwrap()).unwrap();
            assert_same(&trace, &issued);
        }
    }

    #[test]
    fn at_any_speed_every_request_is_issued_once_and_each_process_in_its_order(
        trace in any_trace(4),
        factors in prop::collection::vec(1..500_u64, 120),
        drop_responses in any::<bool>(),
    ) {
        let trace: Vec<_> = trace
            .into_iter()
            .map(|record| BlockRecord { measured: record.measured.filter(|_| !drop_responses), ..record })
            .collect();
        let issued = drive(&mut closed(&trace, ClosedReplayOptions::default()), |item| {
            Time::from_micros(factors[item.request.address as usize])
        })
        .unwrap();
        prop_assert_eq!(issued.len(), trace.len());
        prop_assert!(issued.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        for process in 0..4 {
            let order: Vec<u64> = issued
                .iter()
                .filter(|(_, item)| item.request.process == process)
                .map(|(_, item)| item.request.address)
                .collect();
            prop_assert!(order.is_sorted());
        }
    }
}
