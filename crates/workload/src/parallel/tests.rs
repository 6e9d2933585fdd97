//! Parallel programs as a scenario has them: what is refused, where ranks and files are, how computing is scaled.

#![allow(clippy::unwrap_used)]
use super::testing::{carry_out, planned};
use super::{JobPlacement, ParallelParameters};
use crate::program::{FileProgram, Placement, Step};
use petrio_colours::{FileOp, Operation};

fn parameters(json: &str) -> Result<ParallelParameters, serde_json::Error> {
    serde_json::from_str(json)
}

#[test]
fn unknown_keys_and_impossible_programs_are_refused() {
    for json in [
        r#"{ "ranks": 4 }"#,
        r#"{ "ranks": 4, "program": { "kind": "bt-io", "class": "A" } }"#,
        r#"{ "ranks": 4, "program": { "kind": "seis", "chunk": "2 KiB" } }"#,
        r#"{ "ranks": 4, "program": { "kind": "seis" }, "hints": { "cb_buffer": "2 KiB" } }"#,
        r#"{ "ranks": 4, "program": { "kind": "ior", "command": "ior -y" } }"#,
    ] {
        assert!(parameters(json).is_err(), "{json}");
    }
    for (json, words) in [
        (r#"{ "ranks": 0, "program": { "kind": "seis" } }"#, "ranks"),
        (
            r#"{ "ranks": 5, "program": { "kind": "bt-io", "class": "S", "subtype": "full" } }"#,
            "square, such as 9",
        ),
        (
            r#"{ "ranks": 169, "program": { "kind": "bt-io", "class": "S", "subtype": "full" } }"#,
            "more than class S",
        ),
        (
            r#"{ "ranks": 4, "program": { "kind": "seis", "read_chunk": "3 KiB", "write_chunk": "8 KiB" } }"#,
            "no part",
        ),
        (r#"{ "ranks": 4, "program": { "kind": "seis" }, "hints": { "cb_nodes": 0 } }"#, "cb_nodes"),
        (r#"{ "ranks": 4, "program": { "kind": "seis" }, "compute_scale": -1.0 }"#, "compute_scale"),
    ] {
        let problem = parameters(json).unwrap().validate().unwrap_err().to_string();
        assert!(problem.contains(words), "{json}: {problem}");
    }
}

#[test]
fn a_placement_of_other_ranks_is_refused() {
    let parameters = parameters(r#"{ "ranks": 4, "program": { "kind": "seis" } }"#).unwrap();
    let placed = |hosts: usize, systems: usize| {
        parameters.plan(&JobPlacement::new(Placement::new("p"), vec![0; systems], vec![0; hosts])).map(|_| ())
    };
    assert!(placed(4, 4).is_ok());
    assert!(placed(3, 4).is_err() && placed(4, 5).is_err());
}

#[test]
fn a_rank_asks_the_same_whether_it_is_made_alone_or_with_the_others() {
    let plan = planned(r#"{ "kind": "ior", "command": "ior -z -b 64k -t 4k -i 2" }"#, &[0, 0, 1, 1]);
    let all = carry_out(&plan);
    let mut alone = plan.programs(0, 2..3, &std::sync::Arc::default()).unwrap();
    let mut calls: Vec<FileOp> = Vec::new();
    while let Step::Operation(op) = alone[0].next(petrio_time::Time::ZERO).unwrap() {
        if op.operation != Operation::Exchange {
            calls.push(op);
        }
    }
    assert_eq!(calls, all.calls[2]);
    let mut other = plan.programs(1, 2..3, &std::sync::Arc::default()).unwrap();
    let mut differs = false;
    for call in &calls {
        let mut step = other[0].next(petrio_time::Time::ZERO).unwrap();
        while matches!(&step, Step::Operation(op) if op.operation == Operation::Exchange) {
            step = other[0].next(petrio_time::Time::ZERO).unwrap();
        }
        differs |= step != Step::Operation(call.clone());
    }
    assert!(differs, "another replication draws another order");
    assert!(plan.programs(0, 3..5, &std::sync::Arc::default()).is_err());
}

#[test]
fn each_rank_finds_its_files_where_its_host_has_them() {
    let parameters = parameters(r#"{ "ranks": 2, "program": { "kind": "seis", "data": "1 MB" } }"#).unwrap();
    let job = JobPlacement::new(Placement::new("run 1"), vec![4, 2], vec![0, 1]);
    let plan = parameters.plan(&job).unwrap();
    let tables = plan.tables().unwrap();
    assert_eq!(tables.keys().copied().collect::<Vec<_>>(), [2, 4]);
    assert_eq!(tables[&2], tables[&4]);
    assert_eq!(tables[&2].entries()[1].name, "run 1.seis.0001");
    let mut programs = plan.programs(0, 0..2, &std::sync::Arc::default()).unwrap();
    let systems: Vec<u32> = programs
        .iter_mut()
        .filter_map(|program| match program.next(petrio_time::Time::ZERO) {
            Ok(Step::Operation(op)) => Some(op.file_system),
            _ => None,
        })
        .collect();
    assert_eq!(systems, [4, 2]);
}

#[test]
fn computing_is_scaled_to_the_machine() {
    let json = |scale: &str| {
        format!(
            r#"{{ "ranks": 1, "compute_scale": {scale}, "program":
                {{ "kind": "bt-io", "class": "S", "subtype": "simple", "steps": 3, "step_time": "1 s", "read_back": false }} }}"#
        )
    };
    let seconds = |scale: &str| {
        let plan = parameters(&json(scale)).unwrap();
        let placement = Placement { first_process: 7, first_file: 3, ..Placement::new("job") };
        let plan = plan.plan(&JobPlacement::new(placement, vec![0], vec![0])).unwrap();
        carry_out(&plan).computed[0].as_seconds()
    };
    assert!((seconds("1.0") - 3.0).abs() < 1e-9 && (seconds("2.5") - 7.5).abs() < 1e-9);
    assert!(seconds("0.0").abs() < 1e-12);
}
