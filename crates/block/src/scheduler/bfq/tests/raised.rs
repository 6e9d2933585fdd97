//! Raised weights, what is let in beside them, and what places there are.

use super::*;

fn raising() -> SchedulerParameters {
    BfqParameters::default().into()
}

/// Reads all over the disk, one after the other.
fn random_reader() -> Loop {
    Loop { stride: 1 << 20, blocks: 8, think: Time::ZERO, ..Loop::reader(0) }
}

/// Writes on and on, in order, and nobody waits for it.
fn stream_writer() -> Loop {
    Loop { stride: 64, at_once: 64, ..Loop::writer(FAR) }
}

fn count(served: &[Served], process: u32, span: std::ops::Range<u64>) -> usize {
    let span = Time::from_whole_seconds(span.start)..Time::from_whole_seconds(span.end);
    served.iter().filter(|one| one.process == process && span.contains(&one.done)).count()
}

#[test]
fn a_reader_that_begins_beside_a_writer_keeps_most_of_its_rate_for_ten_seconds() {
    let until = Time::from_whole_seconds(40);
    for depth in [1, 32] {
        let alone = serve(&raising(), depth, &[random_reader()], until);
        let beside = serve(&raising(), depth, &[random_reader(), stream_writer()], until);
        // 7 s · 3/2, while nothing is known of the device.
        let (rate, alone) = (count(&beside, 0, 1..10), count(&alone, 0, 1..10));
        assert!(rate * 10 >= alone * 9, "depth {depth}: {rate} of {alone}");
        // Then it is one of two; the writer had hardly anything, but not nothing, and has the more now.
        let (before, after) = (count(&beside, 1, 1..10), count(&beside, 1, 20..29));
        assert!(before > 0 && after > 2 * before, "depth {depth}: {before} and {after} writes");
        assert!(count(&beside, 0, 20..29) > 0, "depth {depth}");
    }
}

#[test]
fn without_raised_weights_a_reader_has_no_such_start() {
    let until = Time::from_whole_seconds(10);
    let rate = |parameters: &SchedulerParameters| {
        count(&serve(parameters, 32, &[random_reader(), stream_writer()], until), 0, 1..10)
    };
    assert!(rate(&raising()) > 3 * rate(&bfq()), "{} and {}", rate(&raising()), rate(&bfq()));
}

#[test]
fn who_has_been_served_what_a_large_program_reads_is_not_interactive_any_longer() {
    // 64 blocks a millisecond: 120,000 blocks in two seconds.
    let stream = Loop { think: Time::ZERO, ..Loop::reader(0) };
    let other = Loop { from: FAR, start: Time::from_whole_seconds(4), ..stream.clone() };
    let served = serve(&raising(), 1, &[stream, other], Time::from_whole_seconds(12));
    let share = |span: std::ops::Range<u64>| {
        count(&served, 1, span.clone()) as f64
            / (count(&served, 0, span.clone()) + count(&served, 1, span)) as f64
    };
    assert!(share(4..5) > 0.9, "{}", share(4..5));
    assert!((share(9..12) - 0.5).abs() < 0.1, "{}", share(9..12));
}

#[test]
fn only_the_default_priority_is_raised_and_nothing_that_nobody_waits_for() {
    for (priority, synchronous) in [(3, true), (5, true), (4, false)] {
        let mut elevator = BfqParameters::default().elevator(&QueueLimits::default());
        let request = BlockRequest { priority, synchronous, ..write(1_000) };
        elevator.add(of(1, request), Time::ZERO);
        // A process with a raised weight would go before anything but its like.
        let io = dispatched(&mut *elevator, Time::ZERO);
        elevator.completed(&io, Time::from_millis(1));
        elevator.add(of(1, BlockRequest { priority, synchronous, ..write(1_008) }), Time::from_millis(1));
        elevator.add(of(2, read(900_000)), Time::from_millis(1));
        assert_eq!(dispatched(&mut *elevator, Time::from_millis(1)).address, 900_000, "{priority}");
    }
}

#[test]
fn of_many_processes_that_begin_at_once_none_is_raised() {
    // Eight begin together, and a ninth a long time after: it goes before them for as long as it is raised.
    let mut processes: Vec<Loop> = (0..9).map(|index| Loop::reader(index * FAR)).collect();
    processes[8].start = Time::from_whole_seconds(3);
    let served = serve(&raising(), 1, &processes, Time::from_whole_seconds(5));
    let of_ninth = count(&served, 8, 3..5);
    let most = (0..8).map(|process| count(&served, process, 3..5)).max().unwrap();
    assert!(of_ninth > 4 * most, "{of_ninth} requests of the ninth, {most} at most of the others");
    // Seven are raised all alike, and so is who comes then.
    processes.remove(0);
    let served = serve(&raising(), 1, &processes, Time::from_whole_seconds(5));
    let most = (0..7).map(|process| count(&served, process, 3..5)).max().unwrap();
    assert!(count(&served, 7, 3..5) < 2 * most, "{} and {most}", count(&served, 7, 3..5));
}

#[test]
fn a_player_keeps_its_rate_beside_streams() {
    // 512 KiB every 400 ms: 2,560 blocks a second, fewer than 7,000.
    let player = Loop { blocks: 1_024, stride: 1_024, think: Time::from_millis(400), ..Loop::reader(0) };
    let stream = |index: u64| Loop { from: index * FAR, think: Time::ZERO, ..Loop::reader(0) };
    let processes = [player, stream(1), stream(2), stream(3), stream(4)];
    let longest = |parameters: &SchedulerParameters| {
        let served = serve(parameters, 1, &processes, Time::from_whole_seconds(60));
        let late = served.iter().filter(|one| one.process == 0 && one.arrived > Time::from_whole_seconds(30));
        late.map(|one| one.begun - one.arrived).max().unwrap()
    };
    let (with, without) = (longest(&raising()), longest(&bfq()));
    // One request of another's is in the device.
    assert!(with <= Time::from_millis(11), "{with}");
    assert!(without > Time::from_millis(60), "{without}");
}

/// How many writes that nobody waits for come in, of so many places, with or without a reader whose weight is raised.
fn places(requests: u32, with_reader: bool) -> usize {
    let mut elevator = BfqParameters::default().elevator(&QueueLimits { requests, ..QueueLimits::default() });
    if with_reader {
        elevator.add(of(7, read(1)), Time::ZERO);
    }
    for number in 0..1_000 {
        let request = of(3, write(1_000 + 100 * number));
        if !elevator.room(&request) {
            assert!(elevator.room(&of(9, read(5_000_000))), "reads have room");
            return number as usize;
        }
        elevator.add(request, Time::ZERO);
    }
    1_000
}

#[test]
fn what_nobody_waits_for_has_half_of_the_places_and_four_beside_a_raised_weight() {
    assert_eq!(places(64, false), 32);
    assert_eq!(places(256, false), 128);
    // 12 of 64, of which a weight of 40 beside one of 1,200 has less than a half.
    assert_eq!(places(64, true), 4);
    assert_eq!(places(256, true), 4);
}

#[test]
fn what_is_let_in_beside_one_that_thinks_long_fills_the_time() {
    // It asks for 64 blocks and thinks for 5 ms: it is waited for, as its class is another one's, and others may use the time.
    let mut thinker = Loop { think: Time::from_millis(5), ..Loop::reader(0) };
    thinker.class = IoClass::RealTime;
    let other = Loop { at_once: 8, think: Time::ZERO, ..Loop::reader(FAR) };
    let served = serve(&bfq(), 4, &[thinker.clone(), other], Time::from_whole_seconds(10));
    let alone = serve(&bfq(), 4, &[thinker], Time::from_whole_seconds(10));
    assert!(blocks_of(&served, 1) > 0, "nothing was let in");
    assert!(3 * blocks_of(&served, 0) > blocks_of(&alone, 0), "too much was let in");
}
