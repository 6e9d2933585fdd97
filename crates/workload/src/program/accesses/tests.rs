//! What processes ask for, held to counts, to each other, and to fio's own records where fio is there.
#![allow(clippy::unwrap_used)]

mod depths;

use super::*;
use crate::program::{FileProgram, Placement, Step};
use crate::source::RequestSource;
use crate::{Due, Popularity};
use petrio_colours::Operation;
use petrio_time::Time;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn of(operation: AccessKind, record: u64, size: u64) -> AccessParameters {
    AccessParameters {
        file_size: Some(Bytes(size)),
        ..AccessParameters::new(operation, Sizes::One(Bytes(record)))
    }
}

/// What a process asks for, told at once that it is done.
fn accesses(parameters: &AccessParameters) -> Vec<(bool, u64, u64)> {
    let mut prepared = parameters.prepare(&Placement::new("w")).unwrap();
    let mut found = Vec::new();
    loop {
        match prepared.programs[0].next(Time::ZERO).unwrap() {
            Step::Operation(op) | Step::Submit { op, .. } => match op.operation {
                Operation::Read => found.push((false, op.offset, op.length)),
                Operation::Write => found.push((true, op.offset, op.length)),
                _ => {}
            },
            Step::End => return found,
            _ => {}
        }
        assert!(found.len() < 1_000_000, "it never ends");
    }
}

#[test]
fn a_sequential_pass_goes_once_through_the_file() {
    let found = accesses(&of(AccessKind::Read, 4096, 40_960));
    let expected: Vec<_> = (0..10).map(|place| (false, place * 4096, 4096)).collect();
    assert_eq!(found, expected);
}

#[test]
fn backwards_and_holes_are_where_fio_has_them() {
    let skipping = |bytes| AccessParameters { skip: Some(Skip::new(bytes)), ..of(AccessKind::Read, 4, 40) };
    let places = |bytes| accesses(&skipping(bytes)).iter().map(|access| access.1).collect::<Vec<_>>();
    assert_eq!(places(-8)[..10], [0, 32, 28, 24, 20, 16, 12, 8, 4, 0]);
    assert_eq!(places(4)[..5], [0, 8, 16, 24, 32]);
}

#[test]
fn a_sync_takes_the_turn_of_a_file() {
    let parameters = AccessParameters {
        files: 4,
        file_order: crate::program::pattern::FileOrder::RoundRobin,
        fsync_every: 3,
        ..of(AccessKind::Write, 4096, 8192)
    };
    let mut prepared = parameters.prepare(&Placement::new("w")).unwrap();
    let first = prepared.files.entries()[0].file.0;
    let mut found = Vec::new();
    while found.len() < 8 {
        let (Step::Operation(op) | Step::Submit { op, .. }) = prepared.programs[0].next(Time::ZERO).unwrap()
        else {
            continue;
        };
        if matches!(op.operation, Operation::Write | Operation::Fsync) {
            found.push((op.operation == Operation::Fsync, op.file.0 - first));
        }
    }
    let file = |number: u32| (false, number);
    assert_eq!(found, [file(0), file(1), file(2), (true, 3), file(0), file(1), file(2), (true, 3)]);
}

proptest! {
    #[test]
    fn random_accesses_visit_each_place_once(records in 1_u64..3_000, seed in any::<u64>()) {
        let parameters = AccessParameters {
            order: AccessOrder::Random,
            seed: Some(seed),
            ..of(AccessKind::Read, 4096, 4096 * records)
        };
        let found = accesses(&parameters);
        let places: BTreeSet<u64> = found.iter().map(|access| access.1 / 4096).collect();
        prop_assert_eq!(found.len() as u64, records);
        prop_assert_eq!(places.len() as u64, records);
        prop_assert!(places.iter().all(|&place| place < records));
    }

    #[test]
    fn nothing_lies_outside_of_the_area(
        offset in 0_u64..64, area in 64_u64..256, random in any::<bool>(), mixed in any::<bool>(),
        most in 1_u64..16, run in 1_u64..5,
    ) {
        let order = if random { AccessOrder::Random } else { AccessOrder::Sequential };
        let operation = if mixed { AccessKind::Mixed } else { AccessKind::Write };
        let parameters = AccessParameters {
            order,
            read_share: mixed.then_some(Fraction::new(0.5).unwrap()),
            record: Sizes::Range(SizeRange { from: Bytes(512), to: Bytes(512 * most) }),
            offset: Extent::Bytes(Bytes(offset * 512)),
            area: Some(Extent::Bytes(Bytes(area * 512))),
            run: if random { run } else { 1 },
            file_size: None,
            ..of(operation, 512, 1)
        };
        let found = accesses(&parameters);
        let (begin, end) = (offset * 512, (offset + area) * 512);
        for &(_, at, length) in &found {
            prop_assert!(at >= begin && at + length <= end && length > 0 && length % 512 == 0, "{at}+{length}");
        }
        let moved: u64 = found.iter().map(|access| access.2).sum();
        // Not less than half, and no more than one access beyond.
        prop_assert!(moved <= area * 512 + most * 512, "{moved}");
        prop_assert!(!found.is_empty());
    }
}

#[test]
fn a_mixture_keeps_its_share() {
    let parameters = AccessParameters {
        order: AccessOrder::Random,
        read_share: Fraction::new(0.7),
        ..of(AccessKind::Mixed, 4096, 4096 * 20_000)
    };
    let reads = accesses(&parameters).iter().filter(|access| !access.0).count();
    assert!((13_600..14_400).contains(&reads), "{reads}");
}

#[test]
fn popular_places_come_more_often() {
    let parameters = AccessParameters {
        order: AccessOrder::Random,
        popularity: Some(Popularity::Zipf(1.2)),
        ..of(AccessKind::Read, 4096, 4096 * 10_000)
    };
    let places: BTreeSet<u64> = accesses(&parameters).iter().map(|access| access.1).collect();
    assert!(places.len() < 5_000, "{}", places.len());
}

/// Issues all that is due on devices that take a millisecond for each; the most in flight, when all was done, and how many.
pub(super) fn on_a_disk(parameters: &AccessParameters, bytes: u64) -> (usize, Time, usize) {
    let mut source = parameters.on_devices(&[(0, bytes)], &Placement::new("w")).unwrap();
    let (mut flying, mut most, mut now, mut count) = (std::collections::VecDeque::new(), 0, Time::ZERO, 0);
    loop {
        match source.due().unwrap() {
            Due::At(time) if flying.front().is_none_or(|&(_, end)| time <= end) => {
                now = now.max(time);
                if let Some(item) = source.issue(now).unwrap() {
                    flying.push_back((item.request.id, now + Time::from_millis(1)));
                    (most, count) = (most.max(flying.len()), count + 1);
                }
            }
            Due::Never if flying.is_empty() => return (most, now, count),
            _ => {
                let (id, end) = flying.pop_front().unwrap();
                now = end;
                source.complete(id, now).unwrap();
            }
        }
    }
}

#[test]
fn as_many_are_in_flight_as_may_be() {
    for depth in [1, 2, 7, 32] {
        let parameters = AccessParameters {
            in_flight: depth,
            engine: Engine::NativeAio,
            file_size: None,
            ..of(AccessKind::Read, 4096, 1)
        };
        let (most, end, count) = on_a_disk(&parameters, 4096 * 320);
        assert_eq!((most, count), (depth as usize, 320));
        assert_eq!(end, Time::from_millis(320_u64.div_ceil(depth.into())));
    }
}

#[test]
fn a_rate_is_kept_and_a_rest_leaves_nothing_in_flight() {
    let limited = AccessParameters {
        pace: Some(Pace { limit: LimitOn::Bytes(Rate::new(4096.0 * 100.0).unwrap()), drawn: false }),
        file_size: None,
        ..of(AccessKind::Read, 4096, 1)
    };
    let (_, end, count) = on_a_disk(&limited, 4096 * 200);
    // The last one begins after 199 hundredths of a second.
    assert_eq!((count, end), (200, Time::from_millis(1_990) + Time::from_millis(1)));
    let drawn = AccessParameters { pace: limited.pace.map(|pace| Pace { drawn: true, ..pace }), ..limited };
    let (_, end, _) = on_a_disk(&drawn, 4096 * 2_000);
    assert!((18.0..22.0).contains(&end.as_seconds()), "{end:?}");
}

#[test]
fn what_runs_for_a_time_begins_anew_until_then() {
    let parameters = AccessParameters {
        keep_on: true,
        duration: Some(Duration::from(Time::from_millis(500))),
        order: AccessOrder::Random,
        file_size: None,
        ..of(AccessKind::Read, 4096, 1)
    };
    let (_, end, count) = on_a_disk(&parameters, 4096 * 30);
    assert_eq!((end, count), (Time::from_millis(500), 500));
}

#[test]
fn what_is_written_is_read_back() {
    let parameters = AccessParameters {
        order: AccessOrder::Random,
        reads_back: true,
        ..of(AccessKind::Write, 4096, 40_960)
    };
    let found = accesses(&parameters);
    assert_eq!(found.iter().filter(|access| access.0).count(), 10);
    let back: Vec<u64> = found.iter().filter(|access| !access.0).map(|access| access.1 / 4096).collect();
    assert_eq!(back, (0..10).collect::<Vec<u64>>());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let good = of(AccessKind::Read, 4096, 1 << 20);
    let bad = [
        AccessParameters { in_flight: 0, ..good.clone() },
        AccessParameters { fsync_every: 1, ..good.clone() },
        AccessParameters { read_share: Fraction::new(0.5), ..good.clone() },
        AccessParameters { repetition: true, ..good.clone() },
        AccessParameters { file_size: None, ..good.clone() },
        AccessParameters { record: Sizes::One(Bytes(2 << 20)), ..good.clone() },
    ];
    for parameters in bad {
        assert!(parameters.validate(false).is_err(), "{parameters:?}");
    }
    assert!(good.validate(false).is_ok());
    assert!(good.validate(true).is_err(), "a disk has no file size");
}

#[test]
fn jobs_that_share_issue_what_their_weights_say() {
    for rest_us in [0, 100] {
        let mut flows = Flows::default();
        let mut job = |weight| {
            let parameters = AccessParameters {
                in_flight: 4,
                engine: Engine::NativeAio,
                file_size: None,
                keep_on: true,
                duration: Some(Duration::from(Time::from_millis(2000))),
                flow: Some(FlowShare { weight, group: 0, rest: Duration::from(Time::from_micros(rest_us)) }),
                ..of(AccessKind::Read, 4096, 1)
            };
            parameters.on_devices_among(&[(0, 1 << 20)], &Placement::new("w"), &mut flows).unwrap()
        };
        let mut sources = [job(1), job(4)];
        let (mut flying, mut counts) = (std::collections::VecDeque::new(), [0_u64; 2]);
        loop {
            let due = [sources[0].due().unwrap(), sources[1].due().unwrap()];
            let first = due.iter().enumerate().filter_map(|(source, due)| match due {
                Due::At(time) => Some((*time, source)),
                _ => None,
            });
            match (first.min(), flying.front()) {
                (Some((time, source)), end) if end.is_none_or(|&(_, _, end)| time <= end) => {
                    if let Some(item) = sources[source].issue(time).unwrap() {
                        flying.push_back((source, item.request.id, time + Time::from_millis(1)));
                        counts[source] += 1;
                    }
                }
                (_, Some(_)) => {
                    let (source, id, end) = flying.pop_front().unwrap();
                    sources[source].complete(id, end).unwrap();
                }
                _ => break,
            }
        }
        let part = counts[1] as f64 / counts[0] as f64;
        assert!(counts[0] > 100 && (3.8..4.2).contains(&part), "{rest_us}: {counts:?}");
    }
}
