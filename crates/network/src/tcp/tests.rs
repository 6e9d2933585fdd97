//! Senders and receivers without a net: against sequences worked out by hand, and against any losses.
#![allow(clippy::unwrap_used)]

use super::receiver::{Answer, Receiver};
use super::round_trip::RoundTrip;
use super::sender::Sender;
use super::{Rules, TcpParameters};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::VecDeque;

fn rules() -> Rules {
    TcpParameters::default().rules(1_000, None)
}

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Where the segments begin that a sender sends now.
fn sends(sender: &mut Sender<u32>, now: Time, rules: &Rules) -> Vec<u64> {
    std::iter::from_fn(|| sender.next_segment(now, rules)).map(|segment| segment.from).collect()
}

/// A sender that has had so many bytes to send at the beginning, and has sent what it may.
fn begun(bytes: u64) -> (Sender<u32>, Rules) {
    let rules = rules();
    let mut sender = Sender::new(&rules);
    sender.push(bytes, 0, at(0), &rules);
    let expected: Vec<u64> = (0..10).map(|segment| segment * 1_000).filter(|&from| from < bytes).collect();
    assert_eq!(sends(&mut sender, at(0), &rules), expected, "ten segments begin a connection");
    (sender, rules)
}

#[test]
fn slow_start_sends_two_segments_for_each_that_is_acknowledged() {
    let (mut sender, rules) = begun(100_000);
    sender.acknowledge(2_000, true, at(1), &rules);
    assert_eq!(sender.window(), 12_000);
    assert_eq!(sends(&mut sender, at(1), &rules), [10_000, 11_000, 12_000, 13_000]);
}

#[test]
fn a_third_duplicate_sends_the_segment_again_and_halves_the_window() {
    let (mut sender, rules) = begun(100_000);
    // The segment at 2000 is lost.
    sender.acknowledge(2_000, true, at(1), &rules);
    sends(&mut sender, at(1), &rules);
    for _ in 0..2 {
        sender.acknowledge(2_000, true, at(2), &rules);
        assert!(sends(&mut sender, at(2), &rules).is_empty());
    }
    // What brings data isn't a duplicate.
    sender.acknowledge(2_000, false, at(2), &rules);
    assert!(sends(&mut sender, at(2), &rules).is_empty());
    // 12 segments are under way; half of them and the three that have left.
    sender.acknowledge(2_000, true, at(2), &rules);
    assert_eq!(sends(&mut sender, at(2), &rules), [2_000]);
    assert_eq!(sender.window(), 9_000);
    for _ in 0..3 {
        sender.acknowledge(2_000, true, at(3), &rules);
        assert!(sends(&mut sender, at(3), &rules).is_empty());
    }
    sender.acknowledge(2_000, true, at(3), &rules);
    assert_eq!(sends(&mut sender, at(3), &rules), [14_000], "as if it had left the network");
    // All that was sent before the loss was noticed is there.
    sender.acknowledge(14_000, true, at(4), &rules);
    assert_eq!(sender.window(), 2_000);
    assert_eq!(sends(&mut sender, at(4), &rules), [15_000]);
}

#[test]
fn a_partial_acknowledgement_sends_the_next_one_that_was_lost() {
    let (mut sender, rules) = begun(10_000);
    // The segments at 0 and at 4000 are lost.
    for _ in 0..3 {
        sender.acknowledge(0, true, at(1), &rules);
    }
    assert_eq!(sends(&mut sender, at(1), &rules), [0]);
    sender.acknowledge(4_000, true, at(2), &rules);
    assert_eq!(sends(&mut sender, at(2), &rules), [4_000]);
    sender.acknowledge(10_000, true, at(3), &rules);
    assert!(sends(&mut sender, at(3), &rules).is_empty());
    assert_eq!(sender.deadline(), None, "nothing is under way");
}

#[test]
fn time_outs_double_and_begin_with_one_segment() {
    let (mut sender, rules) = begun(5_000);
    assert_eq!(sender.deadline(), Some(at(200)));
    sender.time_out(at(200), &rules);
    assert_eq!(sends(&mut sender, at(200), &rules), [0]);
    assert_eq!((sender.deadline(), sender.window()), (Some(at(600)), 1_000));
    sender.time_out(at(600), &rules);
    assert_eq!(sends(&mut sender, at(600), &rules), [0]);
    assert_eq!(sender.deadline(), Some(at(1_400)));
    sender.acknowledge(1_000, true, at(601), &rules);
    assert_eq!(sends(&mut sender, at(601), &rules), [1_000, 2_000]);
    assert_eq!((sender.deadline(), sender.window()), (Some(at(801)), 2_000));
    // The others had arrived the first time.
    sender.acknowledge(5_000, true, at(602), &rules);
    assert!(sends(&mut sender, at(602), &rules).is_empty());
    assert_eq!(sender.deadline(), None);
}

#[test]
fn a_rest_longer_than_the_time_out_begins_anew() {
    for (rest, window) in [(100, 12_000), (10_000, 10_000)] {
        let (mut sender, rules) = begun(10_000);
        sender.acknowledge(10_000, true, at(1), &rules);
        assert_eq!(sender.window(), 12_000);
        sender.push(1, 1, at(rest), &rules);
        assert_eq!(sender.window(), window, "after {rest} ms");
    }
}

#[test]
fn a_receiver_has_room_for_its_window() {
    let rules = TcpParameters::default().rules(1_000, Some(Bytes(3_500)));
    let mut sender = Sender::new(&rules);
    sender.push(100_000, 0, at(0), &rules);
    assert_eq!(sends(&mut sender, at(0), &rules), [0, 1_000, 2_000]);
    sender.acknowledge(2_000, true, at(1), &rules);
    assert_eq!(sends(&mut sender, at(1), &rules), [3_000, 4_000]);
}

#[test]
fn messages_begin_segments_and_one_of_nothing_is_sent() {
    let rules = rules();
    let mut sender = Sender::new(&rules);
    for (number, bytes) in [1_500, 0, 10].into_iter().enumerate() {
        sender.push(bytes, number as u32, at(0), &rules);
    }
    let sent: Vec<_> = std::iter::from_fn(|| sender.next_segment(at(0), &rules))
        .map(|segment| (segment.from, segment.length, segment.bytes, segment.message))
        .collect();
    let expected = [
        (0, 1_000, 1_000, None),
        (1_000, 500, 500, Some(0)),
        (1_500, 1, 0, Some(1)),
        (1_501, 10, 10, Some(2)),
    ];
    assert_eq!(sent, expected);
}

#[test]
fn the_time_out_follows_the_round_trip() {
    // RFC 6298: the first variation is half the first round trip, and shrinks by a quarter while nothing varies.
    let rules = rules();
    let mut round_trip = RoundTrip::default();
    let spans = [300_000, 250_000, 212_500, 200_000].map(Time::from_micros);
    for span in spans {
        round_trip.measured(at(100));
        assert_eq!(round_trip.time_out(&rules), span);
    }
    (0..40).for_each(|_| round_trip.double());
    assert_eq!(round_trip.time_out(&rules), Time::from_whole_seconds(120));
    round_trip.answered();
    assert_eq!(round_trip.time_out(&rules), at(200));
}

#[test]
fn every_second_segment_is_acknowledged_and_one_alone_later() {
    let (rules, mut receiver) = (rules(), Receiver::<u32>::default());
    let mut arrive =
        |from, now| (receiver.arrive((from, 1_000), None, at(now), &rules, |_| ()), receiver.due());
    assert_eq!(arrive(0, 5), (Answer::Later, Some(at(45))));
    assert_eq!(arrive(1_000, 6).0, Answer::Now);
    assert_eq!(receiver.acknowledge(), 2_000);
    assert_eq!(receiver.due(), None);
}

#[test]
fn what_is_early_or_comes_again_is_answered_at_once_and_waits_for_the_gap() {
    let (rules, mut receiver, mut got) = (rules(), Receiver::default(), Vec::new());
    let mut arrive = |from, message| {
        let answer =
            receiver.arrive((from, 1_000), Some(message), at(0), &rules, |message| got.push(message));
        (answer, receiver.acknowledge())
    };
    assert_eq!(arrive(0, 0), (Answer::Later, 1_000));
    assert_eq!(arrive(3_000, 3), (Answer::Alone, 1_000));
    assert_eq!(arrive(2_000, 2), (Answer::Alone, 1_000));
    assert_eq!(arrive(2_000, 2), (Answer::Alone, 1_000));
    assert_eq!(arrive(1_000, 1), (Answer::Now, 4_000));
    assert_eq!(arrive(1_000, 1), (Answer::Alone, 4_000));
    assert_eq!(got, [0, 1, 2, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Frames of either direction are lost and swapped as it is said, and then no more.
    #[test]
    fn all_bytes_arrive_once_and_in_order_once_losses_end(
        messages in prop::collection::vec(0u64..30_000, 1..12),
        mut losses in prop::collection::vec_deque(any::<bool>(), 0..200),
        mut swaps in prop::collection::vec_deque(any::<bool>(), 0..200),
        window in prop::option::of(1_000u64..20_000),
    ) {
        let rules = TcpParameters::default().rules(1_000, window.map(Bytes));
        let (mut sender, mut receiver) = (Sender::new(&rules), Receiver::default());
        let (mut now, mut got, mut there) = (at(0), Vec::new(), 0);
        for (number, &bytes) in messages.iter().enumerate() {
            sender.push(bytes, number, now, &rules);
        }
        let total: u64 = messages.iter().map(|&bytes| bytes.max(1)).sum();
        let mut is_lost = move || losses.pop_front().unwrap_or(false);
        for _ in 0..100_000 {
            let mut under_way: VecDeque<_> =
                std::iter::from_fn(|| sender.next_segment(now, &rules)).collect();
            let mut answers = Vec::new();
            now += Time::from_micros(50);
            while let Some(first) = under_way.pop_front() {
                if !under_way.is_empty() && swaps.pop_front().unwrap_or(false) {
                    let next = under_way.pop_front();
                    under_way.push_front(first);
                    under_way.extend(next);
                    continue;
                }
                if is_lost() {
                    continue;
                }
                let segment = (first.from, first.length);
                let answer = receiver.arrive(segment, first.message, now, &rules, |message| got.push(message));
                if answer != Answer::Later {
                    answers.push(receiver.acknowledge());
                }
            }
            let is_due = receiver.due().is_some_and(|due| due <= now);
            answers.extend(is_due.then(|| receiver.acknowledge()));
            let is_quiet = answers.is_empty();
            for answer in answers {
                there = there.max(answer);
                if !is_lost() {
                    sender.acknowledge(answer, true, now, &rules);
                }
            }
            let next = [sender.deadline(), receiver.due()].into_iter().flatten().min();
            let Some(next) = next else {
                // Nothing is under way; there may be more to send.
                if there == total {
                    break;
                }
                continue;
            };
            if is_quiet {
                now = now.max(next);
            }
            if sender.deadline().is_some_and(|deadline| deadline <= now) {
                sender.time_out(now, &rules);
            }
        }
        prop_assert_eq!(there, total);
        prop_assert_eq!(got, (0..messages.len()).collect::<Vec<_>>());
        prop_assert_eq!(sender.deadline(), None);
    }
}
