//! bfq against shares by weight, and hand-worked sequences.

#![allow(clippy::unwrap_used)]
mod raised;

use super::super::SchedulerParameters;
use super::super::tests::closed_loop::{Process as Loop, Served, blocks_of, changes, serve};
use super::super::tests::{FAR, Order, classed, dispatched, of, read, write};
use super::*;

/// Without raised weights, which have tests of their own (`tests/raised.rs`).
fn plain() -> BfqParameters {
    BfqParameters { low_latency: false, ..BfqParameters::default() }
}

fn bfq() -> SchedulerParameters {
    plain().into()
}

fn elevator(depth: u32) -> Box<dyn Elevator> {
    plain().elevator(&QueueLimits { depth, ..QueueLimits::default() })
}

/// Readers at these priorities, with several requests each, so that all are busy all the time.
fn greedy(priorities: &[u8]) -> Vec<Loop> {
    let reader = |(index, &priority)| {
        let mut reader = Loop::reader(index as u64 * FAR);
        (reader.priority, reader.at_once, reader.think) = (priority, 4, Time::ZERO);
        // Gaps keep requests from being merged, and let each be charged for itself.
        (reader.stride, reader.blocks) = (65, 64);
        reader
    };
    priorities.iter().enumerate().map(reader).collect()
}

fn shares(served: &[Served], processes: u32) -> Vec<f64> {
    let all: u64 = (0..processes).map(|process| blocks_of(served, process)).sum();
    (0..processes).map(|process| blocks_of(served, process) as f64 / all as f64).collect()
}

#[test]
fn service_is_shared_two_to_one_by_weights_of_two_to_one() {
    // Priorities 0 and 4 weigh 80 and 40.
    let served = serve(&bfq(), 1, &greedy(&[0, 4]), Time::from_whole_seconds(60));
    let shares = shares(&served, 2);
    assert!((shares[0] / shares[1] - 2.0).abs() < 0.06, "{shares:?}");
}

#[test]
fn service_is_shared_by_weight_among_many() {
    let priorities = [0, 2, 4, 6, 7];
    let served = serve(&bfq(), 1, &greedy(&priorities), Time::from_whole_seconds(200));
    let shares = shares(&served, 5);
    let whole: u64 = priorities.iter().map(|&priority| Queue::weight(priority)).sum();
    for (share, priority) in shares.iter().zip(priorities) {
        let fair = Queue::weight(priority) as f64 / whole as f64;
        assert!((share / fair - 1.0).abs() < 0.06, "priority {priority}: {share} of {fair}");
    }
}

#[test]
fn sequential_readers_that_think_share_by_weight_too() {
    let mut readers = [Loop::reader(0), Loop::reader(FAR)];
    readers[0].priority = 0;
    let served = serve(&bfq(), 1, &readers, Time::from_whole_seconds(60));
    let shares = shares(&served, 2);
    assert!((shares[0] / shares[1] - 2.0).abs() < 0.1, "{shares:?}");
    assert!(changes(&served) < served.len() / 20, "{} of {}", changes(&served), served.len());
}

#[test]
fn a_real_time_process_goes_first_and_an_idle_one_last() {
    let mut order = Order::new(&bfq());
    order.add(of(1, classed(IoClass::Idle, read(10))), Time::ZERO);
    order.add(of(2, read(20_000)), Time::ZERO);
    order.add(of(3, classed(IoClass::RealTime, read(30_000))), Time::ZERO);
    assert_eq!(order.next(Time::ZERO), Some(30_000));
    // Its process is waited for, 8 ms; then the next one's.
    assert_eq!(order.next(Time::from_millis(7)), None);
    assert_eq!(order.next(Time::from_millis(8)), Some(20_000));
    assert_eq!(order.next(Time::from_millis(15)), None);
    assert_eq!(order.next(Time::from_millis(16)), Some(10));
}

#[test]
fn the_idle_class_gets_a_request_every_fifth_of_a_second() {
    let mut processes = greedy(&[4, 4]);
    processes[1].class = IoClass::Idle;
    let served = serve(&bfq(), 1, &processes, Time::from_whole_seconds(10));
    let idle = served.iter().filter(|one| one.process == 1).count();
    // The clock is looked at between turns only, which last 125 ms here: every second turn.
    assert!((25..=50).contains(&idle), "{idle}");
    let runs = served.chunk_by(|a, b| a.process == b.process);
    assert!(runs.filter(|run| run[0].process == 1).all(|run| run.len() == 1));
}

#[test]
fn a_process_is_waited_for_eight_milliseconds_and_a_seeker_for_two() {
    for (stride, idle) in [(8, 8), (FAR, 2)] {
        let mut elevator = elevator(1);
        let mut now = Time::ZERO;
        for index in 0..40 {
            elevator.add(of(1, read(1_000 + index % 20 * stride)), now);
            let io = dispatched(&mut *elevator, now);
            now += Time::from_micros(100);
            elevator.completed(&io, now);
        }
        elevator.add(of(2, read(5_000_000)), now);
        assert_eq!(elevator.next(now), Next::IdleUntil(now + Time::from_millis(idle)));
    }
}

#[test]
fn a_device_without_arm_that_queues_is_not_left_idle_for_equals() {
    let limits = QueueLimits { depth: 32, rotational: false, ..QueueLimits::default() };
    for (priority, idles) in [(4, false), (5, true)] {
        let mut elevator = plain().elevator(&limits);
        elevator.add(of(1, read(1_000)), Time::ZERO);
        elevator.add(of(2, BlockRequest { priority, ..read(9_000) }), Time::ZERO);
        let first = dispatched(&mut *elevator, Time::ZERO);
        assert_eq!(first.address, 1_000);
        elevator.completed(&first, Time::from_micros(100));
        // A lower weight of the other must not get the first one's share.
        let next = elevator.next(Time::from_micros(100));
        assert_eq!(matches!(next, Next::IdleUntil(_)), idles, "{next:?}");
    }
}

#[test]
fn a_turn_ends_after_an_eighth_of_a_second() {
    let fixed = BfqParameters { max_budget: Blocks(16_384), ..plain() };
    let served = serve(&fixed.into(), 1, &greedy(&[4, 4]), Time::from_whole_seconds(4));
    let runs = served.chunk_by(|a, b| a.process == b.process);
    let lengths: Vec<Time> = runs.map(|run| run.last().unwrap().done - run[0].begun).collect();
    // The budget, 16,384 blocks, would last for a quarter of a second and more.
    for &length in &lengths[1..lengths.len() - 1] {
        assert!(length >= Time::from_millis(125) && length <= Time::from_millis(136), "{lengths:?}");
    }
}

/// A reader in order without a pause, and one that seeks for each of its requests.
fn stream_and_seeker() -> [Loop; 2] {
    let stream = Loop { think: Time::ZERO, ..Loop::reader(0) };
    [stream.clone(), Loop { stride: 1 << 20, ..Loop { from: FAR, ..stream } }]
}

#[test]
fn a_reader_in_order_has_half_of_the_time_beside_one_that_seeks() {
    let served = serve(&bfq(), 1, &stream_and_seeker(), Time::from_whole_seconds(30));
    let time = |process| {
        let mine = served.iter().filter(|one| one.process == process);
        mine.map(|one| (one.done - one.begun).as_seconds()).sum::<f64>()
    };
    // The seeker is charged for the whole of each of its turns, however little it was served (bfq_bfqq_charge_time).
    let share = time(0) / (time(0) + time(1));
    assert!((0.4..=0.6).contains(&share), "{share}");
}

#[test]
fn nobody_waits_for_more_than_a_few_turns_of_others() {
    let once_in_a_while = Loop { think: Time::from_millis(700), from: 3 * FAR, ..Loop::reader(0) };
    let mut processes = stream_and_seeker().to_vec();
    processes.push(once_in_a_while);
    let served = serve(&bfq(), 1, &processes, Time::from_whole_seconds(60));
    for process in 0..3 {
        let mine = served.iter().filter(|one| one.process == process);
        let longest = mine.map(|one| one.begun - one.arrived).max().unwrap();
        assert!(longest < Time::from_millis(500), "process {process} waited {longest}");
    }
}

#[test]
fn a_process_that_has_ended_is_not_waited_for() {
    for before in [true, false] {
        let mut elevator = elevator(1);
        elevator.add(of(1, read(1_000)), Time::ZERO);
        let io = dispatched(&mut *elevator, Time::ZERO);
        elevator.add(of(2, read(900_000)), Time::ZERO);
        if before {
            elevator.exited(1, Time::ZERO);
        }
        elevator.completed(&io, Time::from_millis(1));
        if !before {
            assert!(matches!(elevator.next(Time::from_millis(1)), Next::IdleUntil(_)));
            elevator.exited(1, Time::from_millis(2));
        }
        assert_eq!(dispatched(&mut *elevator, Time::from_millis(2)).address, 900_000);
    }
}

#[test]
fn a_turn_ends_with_the_budget() {
    let small = BfqParameters { max_budget: Blocks(1_024), ..plain() };
    let served = serve(&small.into(), 1, &greedy(&[4, 4]), Time::from_whole_seconds(4));
    let runs = served.chunk_by(|a, b| a.process == b.process);
    let lengths: Vec<usize> = runs.map(<[Served]>::len).collect();
    // Two thirds of 1,024 blocks at first, which are ten requests of 64; then all of them, which are sixteen.
    assert_eq!(lengths[..2], [10, 10]);
    let time_for_sixteen = Time::from_millis(11 * 16);
    assert!(time_for_sixteen > BfqParameters::default().timeout.time());
    for &length in &lengths[2..lengths.len() - 1] {
        assert!(length == 12 || length == 16, "{lengths:?}");
    }
}

#[test]
fn what_nobody_waits_for_is_charged_three_times() {
    // Readers and a writer of one priority: three times the service for the reader.
    let mut writer = Loop::writer(FAR);
    (writer.stride, writer.at_once) = (65, 8);
    let mut processes = greedy(&[4]);
    processes.push(writer);
    let parameters = BfqParameters { max_budget: Blocks(1_024), ..plain() };
    let served = serve(&parameters.into(), 1, &processes, Time::from_whole_seconds(60));
    let shares = shares(&served, 2);
    assert!((shares[0] / shares[1] - 3.0).abs() < 0.2, "{shares:?}");
}

#[test]
fn a_higher_weight_goes_before_at_once() {
    let mut elevator = elevator(1);
    for index in 0..5 {
        elevator.add(of(1, read(index * 1_000)), Time::ZERO);
    }
    let first = dispatched(&mut *elevator, Time::ZERO);
    elevator.completed(&first, Time::from_millis(1));
    elevator.add(of(2, BlockRequest { priority: 0, ..read(900_000) }), Time::from_millis(1));
    assert_eq!(dispatched(&mut *elevator, Time::from_millis(1)).address, 900_000);
}

#[test]
fn who_asks_again_soon_takes_up_its_turn() {
    for (after, goes_before) in [(24, true), (25, false)] {
        let mut elevator = elevator(1);
        elevator.add(of(1, read(1_000)), Time::ZERO);
        let first = dispatched(&mut *elevator, Time::ZERO);
        elevator.completed(&first, Time::ZERO);
        for index in 0..5 {
            elevator.add(of(2, read(9_000 + index * 1_000)), Time::ZERO);
        }
        // It is waited for 8 ms, in vain.
        assert_eq!(elevator.next(Time::ZERO), Next::IdleUntil(Time::from_millis(8)));
        let second = dispatched(&mut *elevator, Time::from_millis(8));
        assert_eq!(second.address, 9_000);
        elevator.add(of(1, read(1_008)), Time::from_millis(after));
        let next = dispatched(&mut *elevator, Time::from_millis(after)).address;
        assert_eq!(next == 1_008, goes_before, "after {after} ms");
    }
}

#[test]
fn the_turn_of_one_that_is_not_waited_for_ends_when_another_asks() {
    let limits = QueueLimits { depth: 32, rotational: false, ..QueueLimits::default() };
    let mut elevator = plain().elevator(&limits);
    for index in 0..5 {
        elevator.add(of(2, read(9_000 + index * 1_000)), Time::ZERO);
    }
    assert_eq!(dispatched(&mut *elevator, Time::ZERO).address, 9_000);
    elevator.add(of(1, read(1_000)), Time::ZERO);
    assert_eq!(dispatched(&mut *elevator, Time::ZERO).address, 1_000);
}

#[test]
fn strict_guarantees_let_one_request_into_the_device() {
    for (strict_guarantees, second) in [(true, false), (false, true)] {
        let parameters = BfqParameters { strict_guarantees, ..plain() };
        let mut elevator = parameters.elevator(&QueueLimits { depth: 32, ..QueueLimits::default() });
        for index in 0..3 {
            elevator.add(read(index * 1_000), Time::ZERO);
        }
        dispatched(&mut *elevator, Time::ZERO);
        assert_eq!(matches!(elevator.next(Time::ZERO), Next::Dispatch(_)), second);
    }
}

#[test]
fn an_expired_request_is_served_second_in_its_turn() {
    for (at, order) in [(249, [300, 600, 900]), (250, [300, 900, 600])] {
        let mut served = Order::new(&bfq());
        served.add(write(900), Time::ZERO);
        served.add(write(300), Time::from_millis(1));
        served.add(write(600), Time::from_millis(1));
        assert_eq!(served.addresses(Time::from_millis(at)), order, "after {at} ms");
    }
}
