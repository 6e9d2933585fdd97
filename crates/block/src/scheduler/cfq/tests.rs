//! cfq against hand-worked sequences: slices, classes, priorities, idling, expiry.

#![allow(clippy::unwrap_used)]
use super::super::tests::closed_loop::{Process as Loop, Served, blocks_of, changes, serve};
use super::super::tests::{FAR, Order, classed, dispatched, of, read, write};
use super::super::{NoopParameters, SchedulerParameters};
use super::*;
use petrio_colours::Direction;

fn cfq() -> SchedulerParameters {
    CfqParameters::default().into()
}

fn elevator() -> Box<dyn Elevator> {
    CfqParameters::default().elevator(&QueueLimits::default())
}

/// How long each turn lasted, from its first completion to its last.
fn turns(served: &[Served]) -> Vec<(u32, Time)> {
    let runs = served.chunk_by(|a, b| a.process == b.process);
    runs.map(|run| (run[0].process, run.last().unwrap().done - run[0].done)).collect()
}

#[test]
fn two_sequential_readers_have_the_head_for_a_slice_each() {
    let readers = [Loop::reader(0), Loop::reader(FAR)];
    let noop = serve(&NoopParameters::default().into(), 1, &readers, Time::from_whole_seconds(2));
    let served = serve(&cfq(), 1, &readers, Time::from_whole_seconds(2));
    let both = |served: &[Served]| blocks_of(served, 0) + blocks_of(served, 1);
    assert!(both(&served) > 4 * both(&noop), "{} and {}", both(&served), both(&noop));
    // A slice is 100 ms from the first completion on, and ends with the completion at or after that.
    let turns = turns(&served);
    for &(_, length) in &turns[..turns.len() - 1] {
        assert!(length >= Time::from_millis(98) && length <= Time::from_millis(102), "{turns:?}");
    }
    assert!(blocks_of(&served, 0).abs_diff(blocks_of(&served, 1)) < 64 * 60);
}

#[test]
fn slices_are_a_fifth_longer_or_shorter_for_each_priority() {
    let slices = |priority| {
        let mut reader = Loop::reader(0);
        reader.priority = priority;
        let served = serve(&cfq(), 1, &[reader, Loop::reader(FAR)], Time::from_whole_seconds(4));
        turns(&served).iter().find(|turn| turn.0 == 0).unwrap().1
    };
    for (priority, millis) in [(0, 180), (2, 140), (4, 100), (7, 40)] {
        let slice = slices(priority);
        let most = Time::from_millis(millis + 2);
        assert!(slice + Time::from_millis(2) >= Time::from_millis(millis) && slice <= most, "{slice}");
    }
}

#[test]
fn many_processes_get_shorter_slices_where_a_latency_is_aimed_at() {
    let aimed = CfqParameters {
        target_latency: Some(Duration::from(Time::from_millis(300))),
        ..CfqParameters::default()
    };
    let readers: Vec<Loop> = (0..6).map(|index| Loop::reader(index * FAR)).collect();
    let served = serve(&aimed.into(), 1, &readers, Time::from_whole_seconds(4));
    // Six slices of 100 ms fit into 300 ms when they are half as long. The queue whose turn it is has one request at a
    // time, and isn't busy at its completion: five are, so a slice is 300/5 ms.
    let turns = turns(&served);
    for &(_, length) in &turns[12..turns.len() - 1] {
        assert!(length.as_millis().round() >= 58.0 && length.as_millis().round() <= 62.0, "{turns:?}");
    }
}

#[test]
fn a_real_time_process_goes_first_and_an_idle_one_last() {
    let mut order = Order::new(&cfq());
    order.add(of(1, classed(IoClass::Idle, read(10))), Time::ZERO);
    order.add(of(2, read(20_000)), Time::ZERO);
    order.add(of(3, classed(IoClass::RealTime, read(30_000))), Time::ZERO);
    assert_eq!(order.next(Time::ZERO), Some(30_000));
    // Its process is waited for; it doesn't come back within 8 ms.
    assert_eq!(order.next(Time::ZERO), None);
    assert_eq!(order.next(Time::from_millis(8)), Some(20_000));
    // The idle class waits for a tenth of a second without others.
    assert_eq!(order.next(Time::from_millis(16)), None);
    assert_eq!(order.next(Time::from_millis(107)), None);
    assert_eq!(order.next(Time::from_millis(108)), Some(10));
}

#[test]
fn an_idle_process_gets_nothing_while_another_reads() {
    let mut idler = Loop::reader(0);
    idler.class = IoClass::Idle;
    let mut late = Loop::reader(FAR);
    late.start = Time::from_millis(500);
    let served = serve(&cfq(), 1, &[idler, late], Time::from_whole_seconds(2));
    let last_idle = served.iter().rposition(|one| one.process == 0).unwrap();
    assert!(served[last_idle].done <= Time::from_millis(502), "{:?}", served[last_idle]);
    assert!(last_idle > 150, "it has the device to itself at first: {last_idle}");
}

#[test]
fn a_real_time_request_ends_a_slice_only_in_later_kernels() {
    for (real_time_preempts, expected) in [(false, 6_400), (true, 30_000)] {
        let parameters = CfqParameters { quantum: Some(1), real_time_preempts, ..CfqParameters::default() };
        let mut elevator = parameters.elevator(&QueueLimits::default());
        for index in 0..8 {
            elevator.add(of(1, read(index * 1_600)), Time::ZERO);
        }
        // A queue without others may have four times the quantum on the list and in the device.
        for address in [0, 1_600, 3_200, 4_800] {
            let io = dispatched(&mut *elevator, Time::from_millis(1));
            assert_eq!(io.address, address);
            elevator.completed(&io, Time::from_millis(1));
        }
        elevator.add(of(2, classed(IoClass::RealTime, read(30_000))), Time::from_millis(2));
        assert_eq!(dispatched(&mut *elevator, Time::from_millis(2)).address, expected);
    }
}

#[test]
fn the_idle_window_is_eight_milliseconds() {
    let mut elevator = elevator();
    elevator.add(of(1, read(1_000)), Time::ZERO);
    elevator.add(of(2, read(FAR)), Time::ZERO);
    let first = dispatched(&mut *elevator, Time::ZERO);
    assert_eq!(
        elevator.next(Time::ZERO),
        Next::Empty,
        "the queue is kept while its request is in the device"
    );
    elevator.completed(&first, Time::from_millis(5));
    assert_eq!(elevator.next(Time::from_millis(5)), Next::IdleUntil(Time::from_millis(13)));
    let mut asked = elevator.clone_box();
    asked.add(of(1, read(1_008)), Time::from_millis(12));
    assert_eq!(dispatched(&mut *asked, Time::from_millis(12)).address, 1_008);
    assert_eq!(dispatched(&mut *elevator, Time::from_millis(13)).address, FAR);
}

#[test]
fn a_process_that_thinks_long_has_no_idle_window() {
    let idles = |think| {
        let mut reader = Loop::reader(0);
        reader.think = Time::from_millis(think);
        let served = serve(&cfq(), 1, &[reader, Loop::reader(FAR)], Time::from_whole_seconds(3));
        // After its first three requests its habit is known: does the device do nothing before another is served?
        let after: Vec<Time> = served
            .windows(2)
            .skip(400)
            .filter(|pair| (pair[0].process, pair[1].process) == (0, 1))
            .map(|pair| pair[1].begun - pair[0].done)
            .collect();
        assert!(!after.is_empty());
        after.iter().any(|&gap| gap > Time::ZERO)
    };
    assert!(!idles(20), "one that thinks for 20 ms is waited for");
}

#[test]
fn seekers_are_waited_for_only_two_milliseconds() {
    let mut elevator = elevator();
    let mut now = Time::ZERO;
    for index in 0..12 {
        elevator.add(of(1, read(index % 2 * FAR + index * 8)), now);
        let io = dispatched(&mut *elevator, now);
        now += Time::from_millis(5);
        elevator.completed(&io, now);
    }
    elevator.add(of(2, read(5_000)), now);
    assert_eq!(elevator.next(now), Next::IdleUntil(now + Time::from_millis(2)));
}

#[test]
fn writes_nobody_waits_for_stand_back_behind_reads() {
    let served = serve(&cfq(), 1, &[Loop::reader(0), Loop::writer(FAR)], Time::from_whole_seconds(2));
    let (reads, writes) = (blocks_of(&served, 0), blocks_of(&served, 1));
    assert!(reads > 3 * writes && writes > 0, "{reads} read, {writes} written");
    // A read that comes during writes waits for what is on the dispatch list: sixteen writes of 11 ms at most.
    let waits = served.iter().filter(|one| one.process == 0).map(|one| one.begun - one.arrived);
    let longest = waits.max().unwrap();
    assert!(longest > Time::from_millis(44) && longest <= Time::from_millis(176), "{longest}");
}

#[test]
fn a_shared_queue_gives_way_after_its_requests() {
    let mut order = Order::new(&cfq());
    // Priority 7: 2·2·(8 − 7) = 4 requests a slice.
    for index in 0..12 {
        order.add(BlockRequest { priority: 7, ..write(100_000 + index * 100) }, Time::ZERO);
        order.add(BlockRequest { priority: 6, ..write(index * 100) }, Time::ZERO);
    }
    let first: Vec<bool> = order.addresses(Time::ZERO).iter().map(|&at| at >= 100_000).collect();
    let run = first.iter().position(|&lowest| lowest).unwrap();
    let lowest = first[run..].iter().take_while(|&&lowest| lowest).count();
    assert!(lowest == 4 || run + lowest == 24 && lowest == 12, "{first:?}");
}

#[test]
fn an_expired_request_goes_first_in_its_slice() {
    for (at, first) in [(249, 300), (250, 900)] {
        let mut order = Order::new(&CfqParameters { quantum: Some(1), ..CfqParameters::default() }.into());
        order.add(write(900), Time::ZERO);
        order.add(write(300), Time::from_millis(1));
        // Another queue, so that no more than one goes to the list, which would be sorted.
        order.add(BlockRequest { priority: 5, ..write(50_000) }, Time::from_millis(1));
        assert_eq!(order.next(Time::from_millis(at)), Some(first), "after {at} ms");
    }
}

#[test]
fn a_process_that_works_where_the_active_one_does_may_go_before() {
    let mut elevator = elevator();
    let mut now = Time::ZERO;
    for index in 0..12 {
        elevator.add(of(1, read(index * 1_000)), now);
        let io = dispatched(&mut *elevator, now);
        now += Time::from_millis(1);
        elevator.completed(&io, now);
    }
    // Process 1 seeks 992 blocks in the mean; its next request would be as far away as this one.
    elevator.add(of(2, read(FAR)), now);
    assert!(matches!(elevator.next(now), Next::IdleUntil(_)));
    elevator.add(of(3, read(11_500)), now);
    assert_eq!(dispatched(&mut *elevator, now).address, 11_500);
}

#[test]
fn requests_on_the_list_are_sorted_from_the_head_on() {
    let mut elevator = elevator();
    elevator.add(of(1, read(5_000)), Time::ZERO);
    let first = dispatched(&mut *elevator, Time::ZERO);
    for address in [9_000, 4_000, 6_000, 100, 7_000] {
        elevator.add(of(1, read(address)), Time::ZERO);
    }
    elevator.completed(&first, Time::from_millis(1));
    let order: Vec<u64> = (0..5)
        .map(|_| {
            let io = dispatched(&mut *elevator, Time::from_millis(1));
            elevator.completed(&io, Time::from_millis(1));
            io.address
        })
        .collect();
    // 6,000, 4,000, 7,000, 9,000 and 100 is how the sweep puts them on the list, which itself never goes back.
    assert_eq!(order, [6_000, 7_000, 9_000, 100, 4_000]);
}

#[test]
fn reads_and_awaited_writes_share_a_queue_but_no_request() {
    let mut elevator = elevator();
    elevator.add(of(1, read(0)), Time::ZERO);
    let awaited = BlockRequest { direction: Direction::Write, synchronous: true, ..read(8) };
    assert_eq!(elevator.add(of(1, awaited), Time::ZERO), Added::Queued);
    assert_eq!(elevator.add(of(2, read(16)), Time::ZERO), Added::Queued);
    assert!(elevator.would_merge(&of(2, read(24))) && !elevator.would_merge(&of(1, read(24))));
}

#[test]
fn turns_change_as_often_as_slices_end() {
    let served = serve(&cfq(), 1, &[Loop::reader(0), Loop::reader(FAR)], Time::from_whole_seconds(4));
    // A turn takes 10 ms for the seek, 1 ms for the first request, and a slice.
    assert!(changes(&served).abs_diff(4_000 / 111) <= 2, "{}", changes(&served));
}
