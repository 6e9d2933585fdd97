//! cfq with service trees against shares of time, and hand-worked sequences.

#![allow(clippy::unwrap_used)]
use super::super::super::tests::closed_loop::{Process as Loop, blocks_of, serve};
use super::super::super::tests::{FAR, dispatched, of, read, write};
use super::super::super::{Scheduler, SchedulerParameters};
use super::*;
use petrio_colours::Hint;

fn parameters() -> CfqParameters {
    CfqParameters { service_trees: Some(true), ..CfqParameters::default() }
}

fn cfq() -> SchedulerParameters {
    parameters().into()
}

fn elevator(limits: QueueLimits) -> Box<dyn Elevator> {
    parameters().elevator(&limits)
}

/// A write of a journal, or of fsync.
fn awaited(process: u32, address: u64) -> BlockRequest {
    BlockRequest { synchronous: true, hint: Hint::NoIdle, ..of(process, write(address)) }
}

#[test]
fn two_readers_in_order_have_half_of_the_time_each() {
    let served = serve(&cfq(), 1, &[Loop::reader(0), Loop::reader(FAR)], Time::from_whole_seconds(10));
    let (one, other) = (blocks_of(&served, 0) as f64, blocks_of(&served, 1) as f64);
    assert!((one / other - 1.0).abs() < 0.05, "{one} {other}");
    // A slice of 100 ms, with a seek of 10 ms.
    let all = one + other;
    assert!(all > 0.85 * 10_000.0 / 2.0 * 64.0, "{all}");
}

#[test]
fn a_flash_drive_with_a_queue_is_never_left_idle() {
    let limits = QueueLimits { depth: 32, rotational: false, ..QueueLimits::default() };
    let mut elevator = elevator(limits);
    let mut now = Time::ZERO;
    for index in 0..100 {
        for process in 0..8 {
            elevator.add(of(process, read(FAR * u64::from(process) + index * 8)), now);
        }
        let mut sent = Vec::new();
        while elevator.waiting() > 0 {
            match elevator.next(now) {
                Next::Dispatch(io) => sent.push(io),
                // Their first small requests make them seekers, one after the other.
                other => {
                    assert!(other == Next::Empty && index < 10, "{other:?}");
                    elevator.completed(&sent.pop().unwrap(), now);
                }
            }
        }
        now += Time::from_micros(100);
        sent.iter().for_each(|io| elevator.completed(io, now));
    }
}

#[test]
fn seekers_fill_a_drives_queue_together() {
    let limits = QueueLimits { depth: 32, ..QueueLimits::default() };
    let mut elevator = elevator(limits);
    let mut now = Time::ZERO;
    let mut deepest = 0;
    for round in 0..200u64 {
        for process in 0..8u32 {
            elevator.add(of(process, read((round * 8 + u64::from(process)) * 7_919_000 % FAR)), now);
        }
        let mut sent = Vec::new();
        while sent.len() < 8 {
            match elevator.next(now) {
                Next::Dispatch(io) => sent.push(io),
                Next::IdleUntil(until) if sent.is_empty() => now = until,
                _ => {
                    if let Some(io) = sent.pop() {
                        now += Time::from_millis(5);
                        elevator.completed(&io, now);
                    }
                    if elevator.waiting() == 0 {
                        break;
                    }
                }
            }
            deepest = deepest.max(if round > 20 { sent.len() } else { 0 });
        }
        for io in sent {
            now += Time::from_millis(5);
            elevator.completed(&io, now);
        }
    }
    assert!(deepest >= 6, "{deepest}");
}

#[test]
fn a_journals_write_goes_before_while_the_one_who_syncs_is_waited_for() {
    let mut elevator = elevator(QueueLimits::default());
    let mut now = Time::ZERO;
    for index in 0..50 {
        elevator.add(awaited(1, 1_000 + index * 8), now);
        let data = dispatched(&mut *elevator, now);
        now += Time::from_millis(3);
        elevator.completed(&data, now);
        // Nobody else is there: the last queue of its tree is waited for, but this one is of the same tree.
        elevator.add(awaited(2, FAR + index * 8), now);
        let log = dispatched(&mut *elevator, now);
        assert_eq!(log.process, 2);
        now += Time::from_millis(3);
        elevator.completed(&log, now);
    }
}

#[test]
fn a_reader_that_asks_again_soon_is_waited_for_and_one_that_has_ended_is_not() {
    for ended in [false, true] {
        let mut elevator = elevator(QueueLimits::default());
        elevator.add(of(1, read(1_000)), Time::ZERO);
        let io = dispatched(&mut *elevator, Time::ZERO);
        elevator.add(of(2, read(FAR)), Time::ZERO);
        let now = Time::from_millis(1);
        elevator.completed(&io, now);
        if ended {
            elevator.exited(1, now);
            assert_eq!(dispatched(&mut *elevator, now).address, FAR);
        } else {
            assert_eq!(elevator.next(now), Next::IdleUntil(now + Time::from_millis(8)));
        }
    }
}

#[test]
fn what_nobody_waits_for_waits_for_what_somebody_does() {
    let served = serve(&cfq(), 1, &[Loop::reader(0), Loop::writer(FAR)], Time::from_whole_seconds(4));
    let (reads, writes) = (blocks_of(&served, 0), blocks_of(&served, 1));
    assert!(reads > 3 * writes && writes > 0, "{reads} read, {writes} written");
}
