//! Several programs as one source: closed loops, think times, barriers and phases.

use petrio_colours::{FileId, FileOp, Operation, RequestId};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::Bytes;
use petrio_workload::program::pattern::{Access, BarrierAt, Durability, OpenClose, Pattern};
use petrio_workload::program::{
    FileEntry, FileProgram, FilePrograms, FileTable, PatternParameters, Placement, ProgramError,
    ScriptParameters, Step,
};
use petrio_workload::{Due, Phase, RequestSource, SourceError};

/// One operation as it was issued: when, by whom, what, in which phase.
type Issued = (Time, u32, &'static str, Phase);

/// Serves every operation in a time of its process's own, all processes side by side.
fn drive(source: &mut FilePrograms, service: impl Fn(u32) -> Time) -> Vec<Issued> {
    let mut issued = Vec::new();
    let mut in_flight: Vec<(Time, RequestId)> = Vec::new();
    let mut now = Time::ZERO;
    loop {
        let due = match source.due().unwrap() {
            Due::At(time) => Some(time.max(now)),
            Due::AfterCompletion => None,
            Due::Never => {
                assert!(in_flight.is_empty(), "ended with operations in flight");
                return issued;
            }
        };
        in_flight.sort_unstable();
        match (due, in_flight.first().copied()) {
            (due, Some((end, id))) if due.is_none_or(|due| end <= due) => {
                now = end;
                in_flight.remove(0);
                source.complete(id, now).unwrap();
            }
            (Some(due), _) => {
                now = due;
                let item = source.issue(now).unwrap().expect("it was due");
                assert_eq!(item.request.id, RequestId(issued.len() as u64));
                assert_eq!(item.request.issued, now);
                in_flight.push((now + service(item.request.process), item.request.id));
                issued.push((now, item.request.process, item.request.operation.name(), item.phase));
            }
            (None, None) => panic!("waits for a completion with nothing in flight"),
            (None, Some(_)) => unreachable!(),
        }
    }
}

fn millis(count: u64) -> Time {
    Time::from_millis(count)
}

fn scripts(texts: &[&str]) -> FilePrograms {
    let programs = texts
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let placement = Placement { first_process: number as u32, ..Placement::new("test") };
            ScriptParameters::new(*text).prepare(&placement).unwrap().programs.remove(0)
        })
        .collect();
    FilePrograms::new(programs).unwrap()
}

#[test]
fn each_process_waits_for_its_operation_and_thinks() {
    let mut source = scripts(&["stat .; think 5 ms; stat .; stat .", "think 1 ms; sync; sync"]);
    let found = drive(&mut source, |process| millis(10 * u64::from(process + 1)));
    let times: Vec<_> = found.iter().map(|&(time, process, name, _)| (time, process, name)).collect();
    let expected = [
        (millis(0), 0, "stat"),
        (millis(1), 1, "sync"),
        (millis(15), 0, "stat"),
        (millis(21), 1, "sync"),
        (millis(25), 0, "stat"),
    ];
    assert_eq!(times, expected);
    assert_eq!(source.due().unwrap(), Due::Never);
}

#[test]
fn a_barrier_opens_when_the_last_process_comes_or_ends() {
    let mut source = scripts(&[
        "stat .; barrier; stat .; barrier; stat .",
        "think 2 ms; sync; barrier; think 3 ms; barrier; sync",
        "readdir .; readdir .; readdir .",
    ]);
    // Process 2 ends at 3 ms; the others come to the first barrier at 1 and 3 ms, to the second at 4 and 6 ms.
    let found = drive(&mut source, |_| millis(1));
    let of = |process| {
        found.iter().filter(|issued| issued.1 == process).map(|issued| issued.0).collect::<Vec<_>>()
    };
    assert_eq!(of(0), [millis(0), millis(3), millis(6)]);
    assert_eq!(of(1), [millis(2), millis(6)]);
    assert_eq!(of(2), [millis(0), millis(1), millis(2)]);
}

#[test]
fn barriers_without_operations_between_them_are_no_recursion() {
    let text = "stat .; repeat 1000000 { barrier; think 1 ps; repeat 1 { stat . } }";
    // A program that comes to a million barriers without asking for anything.
    #[derive(Persist)]
    struct Barriers(u32);
    impl FileProgram for Barriers {
        fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
            self.0 = self.0.saturating_sub(1);
            Ok(if self.0 == 0 { Step::End } else { Step::Barrier })
        }
    }
    let mut source =
        FilePrograms::new(vec![Box::new(Barriers(1_000_000)), Box::new(Barriers(500_000))]).unwrap();
    assert_eq!(source.due().unwrap(), Due::Never);
    assert!(ScriptParameters::new(text).validate().is_ok());
}

#[test]
fn those_due_at_the_same_time_go_in_order_of_their_numbers() {
    let mut source = scripts(&["stat .", "sync", "readdir ."]);
    let order: Vec<u32> = drive(&mut source, |_| millis(1)).iter().map(|issued| issued.1).collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn items_say_their_phase_and_the_measured_part_begins_together() {
    let parameters = PatternParameters {
        processes: 2,
        warm_up_pass: true,
        open_close: OpenClose::Together,
        fsync: Durability::AtEnd,
        barrier: BarrierAt::Start,
        ..PatternParameters::new(Access::Rewrite, Bytes(4096), Bytes(8192))
    };
    let mut source = parameters.prepare(&Placement::new("test")).unwrap().into_source().unwrap();
    let found = drive(&mut source, |process| millis(if process == 0 { 1 } else { 4 }));
    let of = |process, phase| -> Vec<_> {
        found
            .iter()
            .filter(|issued| issued.1 == process && issued.3 == phase)
            .map(|issued| (issued.0, issued.2))
            .collect()
    };
    for process in [0, 1] {
        assert_eq!(of(process, Phase::Preparation).len(), 3);
        let measured = of(process, Phase::Measured);
        // The slower one has opened its file and written two records by then.
        assert_eq!((measured.len(), measured[0]), (2, (millis(12), "write")));
        assert_eq!(of(process, Phase::Closing { counted: true })[0].1, "fsync");
        assert_eq!(of(process, Phase::Closing { counted: false })[0].1, "close");
    }
}

#[test]
fn counts_agree_with_the_closed_form_for_many_processes() {
    let parameters = PatternParameters {
        pattern: Pattern::Random,
        processes: 50,
        files: 3,
        passes: 2,
        ..PatternParameters::new(Access::Rewrite, Bytes(1_000), Bytes(9_500))
    };
    let mut source = parameters.prepare(&Placement::new("test")).unwrap().into_source().unwrap();
    let found = drive(&mut source, |process| Time::from_micros(u64::from(process % 7) + 1));
    assert_eq!(found.len() as u64, 50 * 2 * parameters.accesses());
    assert_eq!(parameters.accesses(), 3 * 10);
}

#[test]
fn a_program_knows_what_time_it_is() {
    /// Asks for as many bytes as milliseconds have gone by, thinks for one, and asks for one more.
    #[derive(Persist)]
    struct Clock(bool);
    impl FileProgram for Clock {
        fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
            self.0 = !self.0;
            if self.0 {
                return Ok(Step::Think(Time::from_millis(1)));
            }
            let length = now.as_picos() / 1_000_000_000;
            let step = FileOp { operation: Operation::Read, file: FileId(1), length, ..FileOp::default() };
            Ok(if length > 31 { Step::End } else { Step::Operation(step) })
        }
    }
    let mut source = FilePrograms::new(vec![Box::new(Clock(false))]).unwrap();
    let mut lengths = Vec::new();
    while let Due::At(now) = source.due().unwrap() {
        let item = source.issue(now).unwrap().unwrap();
        lengths.push(item.request.length);
        // Issued after as many milliseconds, and done after as many more.
        source.complete(item.request.id, now + millis(item.request.length)).unwrap();
    }
    assert_eq!(lengths, [1, 3, 7, 15, 31]);
}

#[test]
fn a_think_time_beyond_the_horizon_is_an_error_and_a_completion_of_nobody_is_none() {
    let mut source = scripts(&["think 200 d; think 200 d; stat ."]);
    assert!(matches!(source.due(), Err(SourceError::BeyondHorizon)));
    let mut source = scripts(&["stat ."]);
    source.complete(RequestId(7), Time::ZERO).unwrap();
    assert_eq!(source.due().unwrap(), Due::At(Time::ZERO));
}

#[test]
fn tables_of_two_workloads_join_unless_they_number_files_alike() {
    let parameters = PatternParameters::new(Access::Read, Bytes(4096), Bytes(4096));
    let first = parameters.prepare(&Placement::new("first")).unwrap().files;
    let next = Placement { first_file: first.next_file(), ..Placement::new("second") };
    let mut table = FileTable::new();
    table.join(parameters.prepare(&next).unwrap().files).unwrap();
    // Numbers may come in any order.
    table.join(first.clone()).unwrap();
    assert_eq!((table.len(), table.path(FileId(1)).unwrap().as_str()), (2, "first.0.0"));
    assert_eq!(table.path(FileId(2)).unwrap(), "second.0.0");
    let error = table.join(first).unwrap_err().to_string();
    assert_eq!(error, "file 1 is \"first.0.0\" and \"first.0.0\"");
    let root = FileEntry { file: FileId::ROOT, ..table.entries()[0].clone() };
    assert!(table.add(root).is_err());
    assert_eq!(table.name_after_rename(FileId(2), 3).unwrap(), "second.0.0~3");
}
