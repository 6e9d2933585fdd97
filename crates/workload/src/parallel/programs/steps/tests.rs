//! Steps: who does what of them, what is counted, and what is refused.

#![allow(clippy::unwrap_used)]
use crate::parallel::ParallelParameters;
use crate::parallel::testing::{carry_out, pieces, planned, tile};
use petrio_colours::{FileId, Operation};
use petrio_time::Time;
use proptest::prelude::*;

fn program(steps: &str) -> String {
    format!(r#"{{ "kind": "steps", "steps": [{steps}] }}"#)
}

fn refused(ranks: u32, steps: &str) -> String {
    let json = format!(r#"{{ "ranks": {ranks}, "program": {} }}"#, program(steps));
    let parameters: ParallelParameters = serde_json::from_str(&json).unwrap();
    parameters.validate().unwrap_err().to_string()
}

#[test]
fn a_ping_pong_is_two_messages_a_time_between_two_ranks() {
    let steps = r#"{ "repeat": { "times": 50, "measure": "ping-pong", "steps": [
        { "send": [{ "from": 2, "to": 1, "bytes": "8 B" }] },
        { "send": [{ "from": 1, "to": 2, "bytes": "3 B" }] } ] } }"#;
    let done = carry_out(&planned(&program(steps), &[0, 1, 2, 3]));
    assert_eq!(done.sent, [0, 150, 400, 0]);
    assert_eq!(done.exchanges, [0, 100, 100, 0]);
    let [phase] = &done.phases[..] else { panic!("{:?}", done.phases) };
    // How often is counted once, though the rank that says it has no part in it.
    assert_eq!((phase.amount.operations, phase.amount.bytes), (50, 550));
    assert_eq!(&*phase.phase.name, "ping-pong");
}

#[test]
fn repetitions_of_what_is_measured_are_told_apart() {
    let steps = r#"{ "repeat": { "times": 3, "steps": [
        { "compute": "2 s" },
        { "repeat": { "times": 4, "measure": "swap", "rate": "bytes", "steps": [{ "pairs": { "bytes": "10 B" } }] } } ] } }"#;
    let done = carry_out(&planned(&program(steps), &[0; 5]));
    let told: Vec<_> = done.phases.iter().map(|phase| (phase.phase.repetition, phase.amount.bytes)).collect();
    // Two pairs; the fifth rank has no partner.
    assert_eq!(told, [(0, 160), (1, 160), (2, 160)]);
    assert_eq!(done.computed, [Time::from_whole_seconds(6); 5]);
    assert_eq!(done.exchanges, [12, 12, 12, 12, 0]);
}

#[test]
fn a_stencil_sends_its_borders_and_writes_its_state() {
    // Three by two, round along both: with two along a dimension both neighbours are the same rank.
    for (periodic, sent) in [("false", 4 * 2 * 10 + 3 * 2 * 100), ("true", 6 * 2 * 10 + 6 * 2 * 100)] {
        let steps = format!(
            r#"{{ "repeat": {{ "times": 2, "steps": [
                {{ "halo": {{ "ranks": [3, 2], "bytes": ["10 B", "100 B"], "periodic": {periodic} }} }},
                {{ "write": {{ "file": "state", "bytes": "4 KiB", "transfer": "1 KiB", "layout": "n-1", "fsync": true }} }} ] }} }},
              "barrier", {{ "read": {{ "file": "state", "bytes": "4 KiB", "layout": "n-1", "collective": true }} }}"#
        );
        let plan = planned(&program(&steps), &[0, 0, 0, 1, 1, 1]);
        let done = carry_out(&plan);
        // The rest are words of opening together.
        let payload: u64 = done.sent.iter().sum::<u64>();
        assert!(payload >= 2 * sent && payload < 2 * sent + 1000, "{payload} {sent}");
        let all = |operation| pieces(&done, operation)[&FileId(3)].clone();
        assert!(tile(&all(Operation::Read), 6 * 4096));
        let written = all(Operation::Write);
        let once: Vec<_> = written.chunks(2).map(|same| same[0]).collect();
        assert!(tile(&once, 6 * 4096) && written.chunks(2).all(|same| same[0] == same[1]));
        let count = |operation| done.calls.iter().flatten().filter(|op| op.operation == operation).count();
        assert_eq!((count(Operation::Create), count(Operation::Fsync)), (1, 12));
    }
}

#[test]
fn what_is_read_before_it_is_written_is_there() {
    let steps = r#"{ "read": { "file": "in", "bytes": "1 MiB" } }, { "write": { "file": "out", "bytes": "2 MiB" } },
        { "write": { "file": "out", "bytes": "2 MiB", "transfer": "1 MiB" } }"#;
    let plan = planned(&program(steps), &[0; 2]);
    let table = plan.table().unwrap();
    let files: Vec<_> = table.entries().iter().map(|entry| (entry.name.as_str(), entry.size)).collect();
    assert_eq!(
        files,
        [
            ("job.in.000000", 1 << 20),
            ("job.in.000001", 1 << 20),
            ("job.out.000000", 0),
            ("job.out.000001", 0)
        ]
    );
    let done = carry_out(&plan);
    let lengths: Vec<u64> =
        done.calls[1].iter().filter(|op| op.length > 0).map(|op| op.length >> 20).collect();
    assert_eq!(lengths, [1, 2, 1, 1]);
}

proptest! {
    #[test]
    fn whatever_the_steps_no_rank_waits_for_ever_and_each_message_has_a_receiver(
        ranks in 1u32..9,
        steps in proptest::collection::vec((0usize..13, 0u64..100_000, 0u32..64, 1u64..4), 1..8),
    ) {
        let mut all = Vec::new();
        for (kind, bytes, number, times) in steps {
            let rank = number % ranks;
            let rooted = format!(r#"{{ "bytes": "{bytes} B", "root": {rank} }}"#);
            let step = match kind {
                0 => r#""barrier""#.to_owned(),
                1 => format!(r#"{{ "broadcast": {rooted} }}"#),
                2 => format!(r#"{{ "reduce": {rooted} }}"#),
                3 => format!(r#"{{ "gather": {rooted} }}"#),
                4 => format!(r#"{{ "scatter": {rooted} }}"#),
                5 => format!(r#"{{ "all-reduce": {{ "bytes": "{bytes} B" }} }}"#),
                6 => format!(r#"{{ "all-gather": {{ "bytes": "{bytes} B" }} }}"#),
                7 => format!(r#"{{ "all-to-all": {{ "bytes": "{bytes} B" }} }}"#),
                8 if ranks > 1 => {
                    let to = (rank + 1) % ranks;
                    format!(r#"{{ "send": [{{ "from": {rank}, "to": {to}, "bytes": "{bytes} B", "messages": {times} }}] }}"#)
                }
                9 if ranks > 1 => format!(r#"{{ "shift": {{ "by": {}, "bytes": "{bytes} B" }} }}"#, 1 + number % (ranks - 1)),
                10 if ranks > 1 => format!(r#"{{ "pairs": {{ "distance": {}, "bytes": "{bytes} B" }} }}"#, 1 + number % (ranks - 1)),
                11 => format!(r#"{{ "halo": {{ "ranks": [{ranks}, 1], "bytes": ["{bytes} B", "1 B"], "periodic": {} }} }}"#, number % 2 == 0),
                _ => r#"{ "compute": "1 ms" }"#.to_owned(),
            };
            all.push(format!(r#"{{ "repeat": {{ "times": {times}, "measure": "m", "steps": [{step}] }} }}"#));
        }
        // The harness fails where a rank waits for ever, or a message is left.
        let done = carry_out(&planned(&program(&all.join(", ")), &vec![0; ranks as usize]));
        let counted: u64 = done.phases.iter().map(|phase| phase.amount.bytes).sum();
        prop_assert_eq!(counted, done.sent.iter().sum::<u64>());
        prop_assert_eq!(done.phases.len(), all.len());
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_its_place() {
    for (ranks, steps, words) in [
        (2, "", "there are none"),
        (
            2,
            r#""barrier", { "broadcast": { "bytes": "1 B", "root": 2 } }"#,
            "step 2 (broadcast): `root` is 2, and ranks are 0 to 1",
        ),
        (2, r#"{ "send": [] }"#, "no message"),
        (2, r#"{ "send": [{ "from": 0, "to": 5, "bytes": "1 B" }] }"#, "`to` is 5"),
        (2, r#"{ "send": [{ "from": 1, "to": 1, "bytes": "1 B" }] }"#, "rank 1 sends to itself"),
        (4, r#"{ "shift": { "by": 8, "bytes": "1 B" } }"#, "each rank sends to itself"),
        (4, r#"{ "pairs": { "distance": 0, "bytes": "1 B" } }"#, "`distance` is zero"),
        (
            4,
            r#"{ "pairs": { "distance": 8, "bytes": "1 B" } }"#,
            "no numbers of 4 ranks differ by the bits of 8",
        ),
        (
            2,
            r#"{ "repeat": { "times": 2, "measure": "x", "steps": [{ "repeat": { "times": 2, "measure": "x", "steps": ["barrier"] } }] } }"#,
            "steps around it are measured as",
        ),
        (
            2,
            r#"{ "repeat": { "times": 2, "measure": "x", "steps": ["barrier"] } }, { "repeat": { "times": 2, "measure": "x", "rate": "bytes", "steps": ["barrier"] } }"#,
            "something else is counted",
        ),
        (4, r#"{ "halo": { "ranks": [2, 3], "bytes": ["1 B", "1 B"] } }"#, "product of `ranks` is 4"),
        (4, r#"{ "halo": { "ranks": [2, 2], "bytes": ["1 B"] } }"#, "a number for each dimension"),
        (4, r#"{ "all-gather": { "bytes": "4 EiB" } }"#, "more than 8 EiB"),
        (
            2,
            r#"{ "repeat": { "times": 2, "steps": [{ "repeat": { "times": 0, "steps": ["barrier"] } }] } }"#,
            "step 1.1 (repeat): `times` is zero",
        ),
        (
            2,
            r#"{ "repeat": { "times": 20000, "steps": [{ "repeat": { "times": 1, "measure": "m", "steps": ["barrier"] } }] } }"#,
            "measured 20000 times",
        ),
        (2, r#"{ "write": { "file": "a/b", "bytes": "1 B" } }"#, "one directory"),
        (
            2,
            r#"{ "write": { "file": "a", "bytes": "10 B", "transfer": "3 B" } }"#,
            "step 1 (write): `transfer`",
        ),
        (
            2,
            r#"{ "read": { "file": "a", "bytes": "10 B", "fsync": true } }"#,
            "`fsync` is of what is written",
        ),
        (
            2,
            r#"{ "write": { "file": "a", "bytes": "10 B" } }, { "read": { "file": "a", "bytes": "20 B" } }"#,
            "in a step before",
        ),
    ] {
        let problem = refused(ranks, steps);
        assert!(problem.contains(words), "{steps}: {problem}");
    }
}
