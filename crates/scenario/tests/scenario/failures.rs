//! What a System can't do comes back to the program that asked, which stops the run or is counted.

use miette::Diagnostic;
use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::RunFailure;
use petrio_scenario::{load_text, run};

/// Ten files of 20 MiB are to be written to a file system of 150 MiB, whose log takes 4 MiB.
const FULL: &str = r#"
[disk.d]
model = "constant-rate"
drive.latency = "1 ms"
drive.rate = "65536 kB/s"

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "1 GiB"

[fs.data]
type = "ext4"
on = "d"
size = "150 MiB"
journal_size = "4 MiB"
scheduler = "noop"

[workload.w]
kind = "script"
on = "data"
processes = 10
script = """
create f
repeat 5 { append f 4 MiB }
"""
"#;

fn outcome(text: &str) -> Result<Report, RunFailure> {
    let loaded = load_text("test.toml", text, None, &[]).unwrap();
    run::simulate(&loaded, &System::build(&loaded)?, Sinks::default())
}

#[test]
fn a_write_to_a_full_volume_ends_the_run_with_what_was_asked() {
    let failure = outcome(FULL).unwrap_err();
    let text = failure.to_string();
    assert!(text.contains("a write of 4194304 bytes at byte "), "{text}");
    assert!(text.contains("the volume is full (ENOSPC)"), "{text}");
    assert!(text.contains("/f by process"), "the file by its name: {text}");
    assert!(failure.help().unwrap().to_string().contains("on_error"));
}

#[test]
fn or_is_counted_and_the_rest_goes_on() {
    let report = outcome(&format!("{FULL}\n[measure]\non_error = \"count\"\n")).unwrap();
    let failed = &report.served.failures;
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(
        (failed[0].operation.as_str(), failed[0].failure.as_str()),
        ("write", "the volume is full (ENOSPC)")
    );
    let writes = report.served.operations.iter().find(|row| row.operation == "write").unwrap();
    assert_eq!(writes.completed + failed[0].failed, 50);
    assert_eq!(writes.bytes, writes.completed * (4 << 20), "what failed moved nothing");
    // What fails has filled pages before; 150 MiB less log and inode tables hold 35 writes of 4 MiB at most.
    assert!((25..=35).contains(&writes.completed), "{}", writes.completed);
    let warned = report.warnings.iter().any(|warning| warning.contains("writes failed: the volume is full"));
    assert!(warned, "{:?}", report.warnings);
}

#[test]
fn without_failures_the_key_changes_nothing() {
    let small = FULL.replace("repeat 5", "repeat 2");
    let counted = outcome(&format!("{small}\n[measure]\non_error = \"count\"\n")).unwrap();
    assert_eq!(counted.served, outcome(&small).unwrap().served);
}
