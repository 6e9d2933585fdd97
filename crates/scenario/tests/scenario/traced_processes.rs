//! Processes of replayed traces are known by their commands, where the trace has them.

use crate::common::once_of;
use petrio_files::inputs::Inputs;
use petrio_scenario::load_text;
use petrio_scenario::report::{Report, mean_report, terminal_text, write_csv};
use std::fmt::Write;

/// What `perf script` prints of two commands, one of them with blanks in its name.
fn perf() -> String {
    let mut text = String::new();
    for number in 0..20 {
        let (process, command) = if number % 3 == 0 { (7, "Web Content") } else { (1_001, "postgres") };
        let (at, block) = (number * 1_000, 2_048 + number * 64);
        for (after, event, bytes) in [(0, "block_bio_queue", ""), (3, "block_rq_issue", "4096 () ")] {
            let micros = at + after;
            let _ = writeln!(
                text,
                "{command} {process} [001]  1.{micros:06}:  block:{event}: 8,0 R {bytes}{block} + 8 [{command}]"
            );
        }
        let _ = writeln!(
            text,
            "swapper 0 [001]  1.{:06}:  block:block_rq_complete: 8,0 R () {block} + 8 [0]",
            at + 500
        );
    }
    text
}

fn replayed(trace: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("requests.trace"), trace).unwrap();
    let text = "[disk.d]\nmodel = \"constant-rate\"\n[workload.replay]\nkind = \"trace\"\non = \"d\"\nfiles = [\"requests.trace\"]\n";
    let loaded = load_text("test.toml", text, Some(folder.path()), &[]).unwrap();
    once_of(&loaded)
}

#[test]
fn processes_of_a_trace_are_named_by_their_commands_in_every_form_of_the_report() {
    let report = replayed(&perf());
    let rows: Vec<(u32, Option<&str>, u64)> = (report.served.processes.iter())
        .map(|row| (row.process, row.name.as_deref(), row.completed))
        .collect();
    assert_eq!(rows, [(7, Some("Web Content"), 7), (1_001, Some("postgres"), 13)]);
    let text = terminal_text(&report, None, 120);
    assert!(text.contains("replay 1001 (postgres)") && text.contains("replay 7 (Web Content)"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.csv");
    write_csv(&report, &file, &Inputs::none()).unwrap();
    assert!(std::fs::read_to_string(file).unwrap().contains(",process,replay,1001 (postgres),"));
    let mean = mean_report(&[report.clone(), report], 0.95).unwrap();
    assert_eq!(mean.served.processes[1].name.as_deref(), Some("postgres"));
}

/// DiskSim's ASCII knows neither processes nor commands.
#[test]
fn what_has_no_commands_has_no_names_and_what_is_in_a_name_does_nothing_to_a_terminal() {
    let nameless = replayed("0.0 0 1024 8 1\n1.0 0 8 8 1\n");
    assert!(nameless.served.processes.is_empty());
    let report = replayed(&perf().replace("postgres", "a\u{1b}[31m"));
    let text = terminal_text(&report, None, 120);
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

/// Two traces of two machines have processes of the same number, each with its own command.
#[test]
fn processes_of_two_traces_keep_their_numbers_and_names() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.trace"), perf()).unwrap();
    std::fs::write(folder.path().join("b.trace"), perf().replace("postgres", "mysqld")).unwrap();
    let workload =
        |name: &str| format!("[workload.{name}]\nkind = \"trace\"\non = \"d\"\nfiles = [\"{name}.trace\"]\n");
    let text = format!("[disk.d]\nmodel = \"constant-rate\"\n{}{}", workload("a"), workload("b"));
    let report = once_of(&load_text("test.toml", &text, Some(folder.path()), &[]).unwrap());
    let mut rows: Vec<(&str, u32, Option<&str>, u64)> = (report.served.processes.iter())
        .map(|row| (row.workload.as_str(), row.process, row.name.as_deref(), row.completed))
        .collect();
    rows.sort_unstable();
    let [both, busy] = [7, 13];
    assert_eq!(
        rows,
        [
            ("a", 7, Some("Web Content"), both),
            ("a", 1_001, Some("postgres"), busy),
            ("b", 7, Some("Web Content"), both),
            ("b", 1_001, Some("mysqld"), busy),
        ]
    );
}
