//! Programs on a real directory: what they do, what is counted, and that nothing of it stays.

#![allow(clippy::unwrap_used)]

use petrio_colours::Operation;
use petrio_live::drive::{DriveError, Measured, Workplace, repeat, run};
use petrio_workload::program::{FileWorkload, Placement, Prepared, ScriptParameters};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn script(text: &str) -> Prepared {
    ScriptParameters::new(text).prepare(&Placement::new("test")).unwrap()
}

fn run_in(directory: &Path, text: &str) -> Result<Measured, DriveError> {
    run(&Workplace::inside(directory)?, script(text))
}

fn count(measured: &Measured, operation: Operation) -> u64 {
    measured.operations.get(&operation).map_or(0, |times| times.latency_ns.len())
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

#[test]
fn every_operation_of_a_script_is_done_counted_and_gone_afterwards() {
    let directory = tempfile::tempdir().unwrap();
    let measured = run_in(
        directory.path(),
        "file a 64 KiB; file b 8 KiB cached; directory d\n\
         create d/new; append d/new 4 KiB; append d/new 4 KiB stdio; write a 4 KiB 8 KiB; read b 0 8 KiB; read a 0 1 KiB stdio\n\
         fsync a; fdatasync d/new; fsync .; fsync d; rename d/new c; truncate b 0; stat c; readdir d; unlink c\n\
         mkdir e; rmdir e; open a; close a; sync; rename b a",
    )
    .unwrap();
    let expected = [
        (Operation::Read, 2),
        (Operation::Write, 3),
        (Operation::Fsync, 3),
        (Operation::Fdatasync, 1),
        (Operation::Open, 1),
        (Operation::Create, 1),
        (Operation::Close, 1),
        (Operation::Truncate, 1),
        (Operation::Unlink, 1),
        (Operation::Mkdir, 1),
        (Operation::Rmdir, 1),
        (Operation::Rename, 2),
        (Operation::Readdir, 1),
        (Operation::Stat, 1),
        (Operation::Sync, 1),
    ];
    for (operation, times) in expected {
        assert_eq!(count(&measured, operation), times, "{}", operation.name());
    }
    assert_eq!(measured.count(), expected.iter().map(|(_, times)| times).sum::<u64>());
    assert_eq!(measured.bytes(), (4 + 4 + 8 + 8 + 1) << 10);
    assert!(is_empty(directory.path()));
}

#[test]
fn what_was_there_before_stays_and_what_was_made_goes() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("mine"), "1").unwrap();
    let workplace = Workplace::itself(directory.path()).unwrap();
    run(&workplace, script("file a 1 MiB; create b; mkdir d; create d/e; write a 0 4 KiB")).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 4);
    drop(workplace);
    let left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine"]);
}

#[test]
fn thinking_is_time_of_the_run_but_not_of_its_operations() {
    let directory = tempfile::tempdir().unwrap();
    let measured = run_in(directory.path(), "create a; think 30 ms; append a 4 KiB").unwrap();
    // A sleep never ends too early.
    assert!(measured.time() >= Duration::from_millis(30));
    assert!(measured.time_in_operations() <= measured.time().checked_sub(Duration::from_millis(30)).unwrap());
}

#[test]
fn waiting_is_no_processor_time() {
    let directory = tempfile::tempdir().unwrap();
    let measured = run_in(directory.path(), "create a; think 30 ms; append a 4 KiB").unwrap();
    // The thread's clock stands still while it sleeps.
    assert!(measured.watched >= Duration::from_millis(30));
    assert!(measured.on_processor <= measured.watched.checked_sub(Duration::from_millis(25)).unwrap());
    assert!(measured.processor_time_in_operations() <= measured.time_in_operations());
}

#[test]
fn preparation_never_counts_and_closing_stands_apart() {
    let directory = tempfile::tempdir().unwrap();
    let text = "file a 64 KiB\nphase preparation; read a 0 64 KiB; phase measured; write a 0 4 KiB; phase closing; think 10 ms; fsync a";
    let measured = run_in(directory.path(), text).unwrap();
    assert_eq!(count(&measured, Operation::Read), 0);
    assert_eq!(count(&measured, Operation::Write), 1);
    assert!(measured.time_with_closing() >= measured.time());
    assert!(measured.time_with_closing() >= Duration::from_millis(10));
}

#[test]
fn processes_meet_at_barriers_and_their_work_is_summed() {
    let directory = tempfile::tempdir().unwrap();
    let mut parameters =
        ScriptParameters::new("file a 64 KiB; read a 0 4 KiB; barrier; write a 0 4 KiB; barrier");
    parameters.processes = 3;
    parameters.repeat = 5;
    let workload = FileWorkload::Script(parameters);
    let runs =
        repeat(2, |_| Ok((Workplace::inside(directory.path())?, workload.prepare(&Placement::new("w"))?)))
            .unwrap();
    for measured in runs {
        assert_eq!((count(&measured, Operation::Read), count(&measured, Operation::Write)), (15, 15));
    }
    assert!(is_empty(directory.path()));
}

#[test]
fn a_read_of_nothing_is_an_error_that_names_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let workplace = Workplace::inside(directory.path()).unwrap();
    let prepared = script("file a 4 KiB; read a 0 4 KiB");
    workplace.prepare(&prepared.files).unwrap();
    let path = fs::read_dir(workplace.root()).unwrap().next().unwrap().unwrap().path();
    fs::write(&path, "").unwrap();
    let error = petrio_live::drive::run_prepared(&workplace, prepared).unwrap_err();
    assert!(matches!(&error, DriveError::Short { got: 0, .. }), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()));
}

#[test]
fn an_access_past_the_page_cache_is_aligned() {
    let directory = tempfile::tempdir().unwrap();
    let text = "file a 64 KiB; write a 4 KiB 8 KiB direct; read a 0 64 KiB direct; write a 0 4 KiB direct sync; write a 0 4 KiB data-sync";
    match run_in(directory.path(), text) {
        Ok(measured) => assert_eq!(measured.bytes(), (8 + 64 + 4 + 4) << 10),
        // Memory file systems of older kernels have no O_DIRECT at all.
        Err(DriveError::File { action: "open", source, .. }) if source.raw_os_error() == Some(22) => {
            #[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
            {
                println!("skipped: an_access_past_the_page_cache_is_aligned: {source}");
            }
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn who_computes_keeps_a_processor_busy_and_is_not_counted() {
    let directory = tempfile::tempdir().unwrap();
    let measured =
        run_in(directory.path(), "create a; compute 30 ms; append a 4 KiB; think 30 ms; stat a").unwrap();
    assert_eq!(measured.count(), 3, "a create, a write, a look");
    assert_eq!(count(&measured, Operation::Compute), 0);
    // Of the time in calls, what was computed is no part.
    assert!(measured.processor_time_in_operations() < Duration::from_millis(25));
}
