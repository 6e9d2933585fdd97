//! Scenarios driven by hand: programs that decide while they run, files that nobody planned, forks and checkpoints.

use super::common::{loaded, once};
use petrio_colours::{BlockRequest, Direction, FileId, FileOp, Operation, Request, Status};
use petrio_engine::{Answer, Completion, Engine, EngineError, Program};
use petrio_kernel::Time;
use petrio_scenario::build::System;

const ONE: &str = r#"
[disk.d]
model = "seagate-cheetah-9lp"

[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.24"

[fs.data]
type = "ext3"
on = "d"

[workload.w]
kind = "script"
on = "data"
script = "create a; write a 0 64 KiB; fsync a; close a; rename a b; unlink b; sync"
"#;

fn engine(text: &str) -> Engine {
    let loaded = loaded(text);
    Engine::new(&System::build(&loaded).unwrap().driven, loaded.scenario.seed, 0)
}

fn of(operation: Operation, file: FileId, length: u64) -> FileOp {
    FileOp { operation, file, parent: FileId::ROOT, length, ..FileOp::default() }
}

/// Asks and waits.
fn ask(engine: &mut Engine, program: Program, operation: FileOp) -> FileOp {
    let ticket = engine.submit(program, operation, engine.now()).unwrap();
    let done = engine.advance(Time::NEVER).unwrap();
    let [Completion { ticket: back, answer: Answer::Operation(operation), at }] = &done[..] else {
        panic!("{done:?}")
    };
    assert!(*back == ticket && *at == engine.now());
    operation.clone()
}

/// A file that nobody planned is made, written, made durable, renamed and removed.
fn life(engine: &mut Engine, program: Program) -> Vec<Time> {
    let file = engine.new_file();
    let steps = [
        (Operation::Create, 0),
        (Operation::Write, 64 << 10),
        (Operation::Fsync, 0),
        (Operation::Close, 0),
        (Operation::Rename, 0),
        (Operation::Unlink, 0),
        (Operation::Sync, 0),
    ];
    let step = |(operation, length)| {
        let began = engine.now();
        let done = ask(engine, program, of(operation, file, length));
        assert!(done.status().failure().is_none(), "{done:?}");
        engine.now() - began
    };
    steps.map(step).to_vec()
}

#[test]
fn a_program_that_decides_while_it_runs_takes_as_long_as_one_that_was_planned() {
    let mut engine = engine(ONE);
    let program = engine.program(0).unwrap();
    let times = life(&mut engine, program);
    engine.check().unwrap();
    let planned = once(ONE);
    let whole: Time = times.iter().fold(Time::ZERO, |sum, time| sum + *time);
    assert_eq!(whole.as_seconds(), planned.simulated_s, "{times:?}");
    // What waits for a disk: what makes it durable.
    assert!(times[2] > Time::from_millis(5) && times[3] < Time::from_micros(100), "{times:?}");
}

#[test]
fn files_grow_shrink_and_go_on_though_nobody_knew_of_them() {
    let mut engine = engine(ONE);
    let (program, file) = (engine.program(0).unwrap(), engine.new_file());
    let append = FileOp {
        flags: petrio_colours::AccessFlags { append: true, ..Default::default() },
        ..of(Operation::Write, file, 4096)
    };
    ask(&mut engine, program, of(Operation::Create, file, 0));
    for _ in 0..16 {
        ask(&mut engine, program, append.clone());
    }
    let read = |engine: &mut Engine| ask(engine, program, of(Operation::Read, file, 1 << 20)).length;
    assert_eq!(read(&mut engine), 64 << 10);
    ask(&mut engine, program, of(Operation::Truncate, file, 10_000));
    assert_eq!(read(&mut engine), 10_000);
    // A file that isn't there: refused as the kernel would, and nothing is lost.
    let gone = engine.new_file();
    let failed = ask(&mut engine, program, of(Operation::Open, gone, 0));
    assert!(matches!(failed.status, Status::Failed(_)), "{failed:?}");
    assert_eq!(read(&mut engine), 10_000);
    engine.check().unwrap();
}

#[test]
fn forks_go_on_alike_and_know_nothing_of_each_other() {
    let mut engine = engine(ONE);
    let program = engine.program(0).unwrap();
    life(&mut engine, program);
    let saved = engine.checkpoint();
    let mut fork = engine.fork();
    let first = life(&mut engine, program);
    assert_eq!(life(&mut fork, program), first);
    assert_eq!(engine.now(), fork.now());
    engine.restore(&saved).unwrap();
    assert_eq!(life(&mut engine, program), first);
    let other = self::engine(ONE);
    assert!(matches!(engine.restore(&other.checkpoint()), Err(EngineError::OtherSystem)));
}

#[test]
fn time_passes_without_anything_to_say_and_later_submissions_wait_for_theirs() {
    let mut engine = engine(ONE);
    let (program, file) = (engine.program(0).unwrap(), engine.new_file());
    assert!(engine.advance(Time::NEVER).unwrap().is_empty() && engine.now() == Time::ZERO);
    let at = Time::from_whole_seconds(3);
    engine.submit(program, of(Operation::Create, file, 0), at).unwrap();
    assert!(engine.advance(Time::from_whole_seconds(2)).unwrap().is_empty());
    assert_eq!((engine.now(), engine.under_way()), (Time::from_whole_seconds(2), 1));
    assert!(engine.next_time().unwrap().is_some_and(|next| next <= at));
    let done = engine.advance(Time::NEVER).unwrap();
    assert!(done.len() == 1 && done[0].issued() == Some(at) && engine.now() >= at);
    let (late, now) = (Time::from_whole_seconds(1), engine.now());
    let refused = engine.submit(program, of(Operation::Sync, file, 0), late).unwrap_err();
    assert!(matches!(refused, EngineError::Past { at, now: then } if at == late && then == now), "{refused}");
}

#[test]
fn new_processes_begin_on_any_host_and_parts_that_are_not_there_are_told() {
    let text = ONE.replace("[fs.data]", "[host.i]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n[disk.e]\nmodel = \"seagate-cheetah-9lp\"\n[fs.other]\ntype = \"ext3\"\non = \"e\"\nhost = \"i\"\n[fs.data]\nhost = \"h\"");
    let text = text.replace("on = \"data\"", "on = [\"data\", \"other\"]");
    let mut engine = engine(&text);
    let (one, two) = (engine.program(0).unwrap(), engine.program(1).unwrap());
    let (a, b) = (engine.new_file(), engine.new_file());
    let mut both = [(one, a, 0), (two, b, 1)]
        .map(|(program, file, file_system)| {
            let create = FileOp { file_system, ..of(Operation::Create, file, 0) };
            engine.submit(program, create, Time::ZERO).unwrap()
        })
        .to_vec();
    while !both.is_empty() {
        for done in engine.advance(Time::NEVER).unwrap() {
            assert!(done.status().unwrap().failure().is_none());
            both.retain(|ticket| *ticket != done.ticket);
        }
    }
    let told = |error: EngineError| error.to_string();
    assert_eq!(
        told(engine.program(2).unwrap_err()),
        "there is no host 2 in this System, which has 2, numbered from 0"
    );
    let far = FileOp { file_system: 7, ..of(Operation::Sync, a, 0) };
    assert!(told(engine.submit(one, far, engine.now()).unwrap_err()).contains("part 7 for file operations"));
    let block = BlockRequest { direction: Direction::Read, blocks: 8, ..BlockRequest::default() };
    let error = told(engine.submit(one, block, engine.now()).unwrap_err());
    assert_eq!(error, "there is no part that takes block requests in this System, which has file systems");
    engine.end(one).unwrap();
    engine.check().unwrap();
}
