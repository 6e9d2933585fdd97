//! How a process of a pattern comes to its files: opened one by one, in random order, with rests that are drawn.

use crate::pattern_programs::{KIB, operations, placement, steps_of, thinking, words};
use petrio_colours::FileId;
use petrio_time::Time;
use petrio_units::Bytes;
use petrio_workload::program::pattern::{Access, BarrierAt, Durability, FileOrder, OpenClose};
use petrio_workload::program::{PatternParameters, Step};

#[test]
fn a_copy_loop_opens_and_closes_each_file_by_itself() {
    let base = PatternParameters {
        open_close: OpenClose::EachFile,
        files: 2,
        passes: 2,
        barrier: BarrierAt::Never,
        ..PatternParameters::new(Access::Read, Bytes(4 * KIB), Bytes(8 * KIB))
    };
    let pass = ["open 1", "read 1 0", "read 1 1", "close 1", "open 2", "read 2 0", "read 2 1", "close 2"];
    assert_eq!(words(&base), [&["measured"][..], &pass, &pass].concat());
    let durable = PatternParameters {
        operation: Access::Write,
        fsync: Durability::AtEnd,
        file_size: Bytes(4 * KIB),
        passes: 1,
        ..base
    };
    let pass = ["create 1", "write 1 0", "fsync 1", "close 1", "create 2", "write 2 0", "fsync 2", "close 2"];
    assert_eq!(words(&durable), [&["measured"][..], &pass].concat());
    let prepared = durable.prepare(&placement(1)).unwrap();
    assert!(prepared.files.entries().iter().all(|entry| !entry.present));
}

#[test]
fn files_in_random_order_are_each_gone_through_from_where_they_were_left() {
    let parameters = PatternParameters {
        file_order: FileOrder::Random,
        files: 5,
        operations: Some(1000),
        ..PatternParameters::new(Access::Read, Bytes(4 * KIB), Bytes(12 * KIB))
    };
    let all = operations(&parameters, 1);
    for file in 1..=5 {
        let places: Vec<u64> =
            all.iter().filter(|op| op.file == FileId(file)).map(|op| op.offset / (4 * KIB)).collect();
        assert!((150..=250).contains(&places.len()), "each is as likely: {}", places.len());
        assert!(places.iter().zip([0, 1, 2].into_iter().cycle()).all(|(place, expected)| *place == expected));
    }
    let turns = all.windows(2).filter(|pair| pair[0].file == pair[1].file).count();
    assert!((150..=250).contains(&turns), "one in five stays: {turns}");
}

#[test]
fn rests_and_beginnings_that_are_drawn_differ_between_processes_and_have_their_mean() {
    let parameters = PatternParameters {
        think_time: thinking(r#"{ "exponential": { "mean": "10 ms" } }"#),
        starts_within: "1 s".parse().unwrap(),
        processes: 2,
        operations: Some(2000),
        ..PatternParameters::new(Access::Read, Bytes(4 * KIB), Bytes(4 * KIB))
    };
    let rests = |process: usize| -> Vec<Time> {
        let mut prepared = parameters.prepare(&placement(3)).unwrap();
        let steps = steps_of(&mut prepared.programs[process]);
        steps
            .into_iter()
            .filter_map(|step| if let Step::Think(rest) = step { Some(rest) } else { None })
            .collect()
    };
    let (one, other) = (rests(0), rests(1));
    assert_eq!((one.len(), other.len()), (2001, 2001));
    assert!(one[0] < Time::from_whole_seconds(1) && one[0] != other[0]);
    assert!(one.iter().zip(&other).all(|(one, other)| one != other), "they don't rest in step");
    let mean = one[1..].iter().map(|rest| rest.as_seconds()).sum::<f64>() / 2000.0;
    assert!((mean - 0.01).abs() < 0.001, "{mean}");

    let negative = PatternParameters {
        think_time: thinking(r#"{ "normal": { "mean": "10 ms", "standard_deviation": "5 ms" } }"#),
        ..parameters
    };
    assert!(negative.validate().unwrap_err().to_string().starts_with("think_time: "));
}
