//! anticipatory against hand-worked sequences: whom it waits for, how long, and when it doesn't.

#![allow(clippy::unwrap_used)]
use super::super::tests::closed_loop::{Process as Loop, blocks_of, changes, serve};
use super::super::tests::{FAR, dispatched, of, read, write};
use super::super::{NoopParameters, SchedulerParameters};
use super::*;

fn elevator() -> Box<dyn Elevator> {
    AnticipatoryParameters::default().elevator(&QueueLimits::default())
}

#[test]
fn two_sequential_readers_interleave_with_noop_and_take_turns_with_anticipation() {
    let readers = [Loop::reader(0), Loop::reader(FAR)];
    let second = Time::from_whole_seconds(2);
    let noop = serve(&NoopParameters::default().into(), 1, &readers, second);
    let scheduler: SchedulerParameters = AnticipatoryParameters::default().into();
    let anticipatory = serve(&scheduler, 1, &readers, second);
    // noop seeks for each: 11 ms a request. While one is anticipated, a request takes 1 ms and its process thinks for
    // another.
    assert!(changes(&noop) + 1 == noop.len(), "{} of {}", changes(&noop), noop.len());
    let both = |served: &[_]| blocks_of(served, 0) + blocks_of(served, 1);
    // The very first one lies under the head.
    assert_eq!(both(&noop), 64 * (1 + 1_999u64.div_ceil(11)));
    assert!(both(&anticipatory) > 4 * both(&noop), "{} and {}", both(&anticipatory), both(&noop));
    // A turn ends when the waiting read has expired. That is looked at every 125 ms, and the first time it waits for a
    // little less: a turn lasts for two looks, and two seconds have eight turns.
    assert!((6..=8).contains(&changes(&anticipatory)), "{}", changes(&anticipatory));
}

#[test]
fn it_waits_for_the_last_reader_and_no_longer_than_the_limit() {
    let mut elevator = elevator();
    elevator.add(of(1, read(1_000)), Time::ZERO);
    let first = dispatched(&mut *elevator, Time::ZERO);
    elevator.add(of(2, read(FAR)), Time::from_millis(1));
    // The first is in the device: its completion is waited for, then its process.
    assert_eq!(elevator.next(Time::from_millis(1)), Next::Empty);
    elevator.completed(&first, Time::from_millis(5));
    let limit = Time::from_micros(11_667);
    assert_eq!(elevator.next(Time::from_millis(5)), Next::IdleUntil(limit));
    assert_eq!(elevator.next(Time::from_millis(11)), Next::IdleUntil(limit));
    assert_eq!(dispatched(&mut *elevator, limit).address, FAR);
}

#[test]
fn the_expected_process_goes_first_when_it_asks_in_time() {
    let mut elevator = elevator();
    elevator.add(of(1, read(1_000)), Time::ZERO);
    let first = dispatched(&mut *elevator, Time::ZERO);
    elevator.add(of(2, read(FAR)), Time::ZERO);
    elevator.completed(&first, Time::from_millis(5));
    assert!(matches!(elevator.next(Time::from_millis(5)), Next::IdleUntil(_)));
    elevator.add(of(1, read(1_008)), Time::from_millis(6));
    assert_eq!(dispatched(&mut *elevator, Time::from_millis(6)).address, 1_008);
}

#[test]
fn a_near_request_of_another_process_is_taken() {
    // Within 8,192 blocks ahead at once; twice as far with each millisecond.
    for (at, address, goes) in [
        (5, 1_008 + 8_192, true),
        (5, 1_008 + 8_193, false),
        (7, 1_008 + 32_768, true),
        (7, 1_008 + 32_769, false),
    ] {
        let mut elevator = elevator();
        elevator.add(of(1, read(1_000)), Time::ZERO);
        let first = dispatched(&mut *elevator, Time::ZERO);
        elevator.add(of(3, read(FAR)), Time::ZERO);
        elevator.completed(&first, Time::from_millis(5));
        assert!(matches!(elevator.next(Time::from_millis(5)), Next::IdleUntil(_)));
        elevator.add(of(2, read(address)), Time::from_millis(at));
        let next = elevator.next(Time::from_millis(at));
        assert_eq!(matches!(next, Next::Dispatch(_)), goes, "{address} at {at} ms");
    }
}

#[test]
fn a_process_that_thinks_long_is_not_waited_for() {
    for (think, waits) in [(3, true), (12, false)] {
        let mut elevator = elevator();
        let mut now = Time::ZERO;
        for index in 0..10 {
            elevator.add(of(1, read(1_000 + index * 8)), now);
            let io = dispatched(&mut *elevator, now);
            now += Time::from_millis(1);
            elevator.completed(&io, now);
            now += Time::from_millis(think);
        }
        elevator.add(of(1, read(2_000)), now);
        let io = dispatched(&mut *elevator, now);
        elevator.completed(&io, now);
        elevator.add(of(2, read(FAR)), now);
        assert_eq!(matches!(elevator.next(now), Next::IdleUntil(_)), waits, "thinks for {think} ms");
    }
}

#[test]
fn a_process_with_more_requests_is_not_waited_for() {
    let mut elevator = elevator();
    elevator.add(of(1, read(1_000)), Time::ZERO);
    let first = dispatched(&mut *elevator, Time::ZERO);
    elevator.add(of(2, read(FAR)), Time::ZERO);
    elevator.add(of(1, write(5_000)), Time::ZERO);
    elevator.completed(&first, Time::from_millis(5));
    assert_eq!(dispatched(&mut *elevator, Time::from_millis(5)).address, FAR);
}

#[test]
fn writes_wait_while_a_read_is_anticipated_but_not_longer_than_a_batch() {
    let processes = [Loop::reader(0), Loop::writer(FAR)];
    let scheduler: SchedulerParameters = AnticipatoryParameters::default().into();
    let served = serve(&scheduler, 1, &processes, Time::from_whole_seconds(5));
    // From the first read on: runs of reads of at least half a second, with batches of writes between them.
    let runs: Vec<(u32, Time)> = served
        .chunk_by(|a, b| a.process == b.process)
        .skip(1)
        .map(|run| (run[0].process, run.last().unwrap().done - run[0].begun))
        .collect();
    let reads: Vec<Time> = runs.iter().filter(|run| run.0 == 0).map(|run| run.1).collect();
    assert!(reads.len() >= 4, "{runs:?}");
    for &length in &reads[..reads.len() - 1] {
        assert!(length > Time::from_millis(450) && length < Time::from_millis(600), "{runs:?}");
    }
    // Batches of writes come down to what fits into 125 ms: eleven of 11 ms each.
    let writes: Vec<Time> = runs.iter().filter(|run| run.0 == 1).map(|run| run.1).collect();
    for &length in &writes[..writes.len() - 1] {
        assert!(length < Time::from_millis(170), "{runs:?}");
    }
}

#[test]
fn without_anticipation_readers_interleave() {
    let off = AnticipatoryParameters { antic_expire: Duration::ZERO, ..AnticipatoryParameters::default() };
    let readers = [Loop::reader(0), Loop::reader(FAR)];
    let served = serve(&off.into(), 1, &readers, Time::from_whole_seconds(1));
    assert!(changes(&served) + 2 > served.len());
}

#[test]
fn an_expired_read_goes_before_nearer_ones() {
    for (at, first) in [(125, 1_100), (126, 900)] {
        let mut elevator = elevator();
        // A sweep stands at 1,008; 900 lies behind, and 1,100 is nearer than the double way back.
        elevator.add(of(1, read(1_000)), Time::ZERO);
        let io = dispatched(&mut *elevator, Time::ZERO);
        elevator.add(of(2, read(900)), Time::ZERO);
        elevator.add(of(3, read(1_100)), Time::from_millis(1));
        elevator.completed(&io, Time::from_millis(2));
        assert_eq!(dispatched(&mut *elevator, Time::from_millis(at)).address, first, "after {at} ms");
    }
}
