//! A run that somebody interrupts ends by itself, soon, tells what had been by then, and leaves nothing half-written.

use crate::support::{Folder, RANDOM};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A debug build on a busy machine included.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn an_interrupted_run_ends_tells_what_had_been_by_then_and_leaves_no_file() {
    let folder = Folder::with(&RANDOM.replace("requests = 2000", "requests = 2000000000"));
    let arguments = ["run", "scenario.toml", "--json", "report.json", "--parquet", "rows.parquet"];
    let mut run = folder.command(&[&arguments[..], &["--set", "measure.replications=4"]].concat());
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    // Its rows are under way as soon as something else than the scenario lies there.
    while folder.names().len() < 2 && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(folder.names().len() > 1 && run.try_wait().unwrap().is_none());
    let told = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(told.unwrap().success());
    let began = Instant::now();
    while run.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < PATIENCE, "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("the run was interrupted at") && told.contains("requests"), "{told}");
    assert_eq!(String::from_utf8(output.stderr).unwrap().trim(), "interrupted");
    assert_eq!(folder.names(), ["scenario.toml"]);
}
