//! What would need more than there is, or would never end, is refused with figure and key; what takes days of model
//! time is not.

use miette::Diagnostic;
use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::RunFailure;
use petrio_scenario::{Loaded, Problem, Problems, load_text, run};
use std::path::Path;

const DISK: &str = r#"
[disk.d]
model = "constant-rate"
drive = { latency = "50 us", rate = "2 GB/s" }
"#;

const HOST: &str = r#"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.f]
type = "ext4"
host = "h"
on = "d"
"#;

fn generator(inter_arrival: &str) -> String {
    format!(
        r#"{DISK}
[workload.w]
kind = "synthetic"
on = "d"
requests = 5
[[workload.w.generators]]
read_fraction = 1
inter_arrival = {{ constant = "{inter_arrival}" }}
size = {{ constant = "4 KiB" }}
"#
    )
}

fn script(more: &str, text: &str) -> String {
    format!(
        "{DISK}{HOST}\n[workload.w]\nkind = \"script\"\non = \"f\"\n{more}\nscript = \"\"\"\n{text}\n\"\"\"\n"
    )
}

fn read(text: &str) -> Result<Loaded, Problems> {
    load_text("test.toml", text, None, &[])
}

fn report_of(loaded: &Loaded) -> Result<Report, RunFailure> {
    run::simulate(loaded, &System::build(loaded)?, Sinks::default())
}

fn report(text: &str) -> Report {
    report_of(&read(text).unwrap()).unwrap()
}

/// The one mistake of a text.
fn mistake(text: &str) -> Problem {
    let problems = read(text).unwrap_err();
    assert_eq!(problems.iter().count(), 1, "{problems:?}");
    problems.iter().next().unwrap().clone()
}

#[test]
fn thinking_for_more_than_a_day_is_no_fault() {
    let found = report(&generator("25 h"));
    assert_eq!(found.served.requests.completed, 5);
    assert!(found.simulated_s > 5.0 * 25.0 * 3_600.0);
}

#[test]
fn two_users_may_think_for_a_week() {
    let text =
        script("processes = 2", "file a 64 KiB\nrepeat 3 { think 168 h; read a 0 4 KiB; write a 0 4 KiB }");
    let found = report(&text);
    assert_eq!(found.served.requests.completed, 12);
    assert!(found.simulated_s > 3.0 * 7.0 * 86_400.0);
}

#[test]
fn a_trace_may_have_a_gap_of_more_than_a_day() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gap.trace"), "0.0 0 100 8 1\n86500000.0 0 200 8 1\n").unwrap();
    for replay in ["open", "closed"] {
        let text = format!(
            "{DISK}[workload.w]\nkind = \"trace\"\non = \"d\"\nreplay = \"{replay}\"\nformat = \"disksim-ascii\"\nfiles = [\"gap.trace\"]\n"
        );
        let loaded = load_text("test.toml", &text, Some(Path::new(folder.path())), &[]).unwrap();
        assert_eq!(report_of(&loaded).unwrap().served.requests.completed, 2, "{replay}");
    }
}

#[test]
fn what_never_comes_within_model_time_is_refused_with_its_key() {
    let error = report_of(&read(&generator("212 d")).unwrap()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("inter_arrival") && message.contains("213 days"), "{message}");
    assert!(error.help().unwrap().to_string().contains("duration"));
    // A run that ends before needs none of it.
    let ended = format!("{}\n[measure.stop]\ntime = \"1 s\"\n", generator("212 d"));
    let found = report(&ended);
    assert_eq!(found.served.requests.completed, 0);
    assert!(
        found.warnings.iter().any(|warning| warning.contains("nothing to report")),
        "{:?}",
        found.warnings
    );
}

#[test]
fn a_timer_that_no_kernel_has_is_refused_at_its_key() {
    let text = script("", "create a").replace(
        "kernel = \"linux-6.18\"",
        "kernel = \"linux-6.18\"\nchange.kernel.write_back.wake_up = \"1 ps\"",
    );
    let problem = mistake(&text);
    assert_eq!(problem.pointed_at(), Some("\"1 ps\""));
    assert!(problem.message().contains("wake_up"), "{problem:?}");
    assert!(problem.advice().unwrap().contains("10 ms"));
}

#[test]
fn pages_of_processes_beyond_the_hosts_memory_are_refused_with_both_figures() {
    let with = |more: &str| {
        script("", "create a").replace("kernel = \"linux-6.18\"", &format!("kernel = \"linux-6.18\"\n{more}"))
    };
    let problem = mistake(&with("anonymous = \"1 TB\""));
    assert_eq!(problem.pointed_at(), Some("\"1 TB\""));
    assert!(problem.message().contains("1 TB") && problem.message().contains("16 GiB"), "{problem:?}");
    // What the host has, this machine may not have.
    let problem = mistake(&with("anonymous = \"1 EiB\"\nchange.machine.memory = \"2 EiB\""));
    assert!(problem.message().contains("at least 16.0 PiB of memory would be needed"), "{problem:?}");
}

#[test]
fn more_memory_than_a_machine_is_shipped_with_is_meant() {
    let more = script("", "create a")
        .replace("kernel = \"linux-6.18\"", "kernel = \"linux-6.18\"\nmemory = \"64 GiB\"");
    let memory = &read(&more).unwrap().hosts.linux.hosts[0].parameters.usable_memory();
    assert_eq!(memory.get(), 64 << 30);
}

#[test]
fn a_file_that_all_processes_read_takes_its_room_once() {
    let of = |shared: bool| {
        let load = "[workload.w]\nkind = \"files\"\non = \"f\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\n\
                    file_size = \"4 GiB\"\nprocesses = 16\noperations = 10\n";
        read(&format!("{DISK}{HOST}size = \"10 GiB\"\n{load}shared_files = {shared}\n"))
    };
    of(true).unwrap();
    let problems = of(false).unwrap_err();
    let first = problems.iter().next().unwrap().to_string();
    assert!(first.contains("64 GiB") && first.contains("10 GiB"), "{first}");
}

#[test]
fn results_that_no_memory_holds_are_refused_with_their_figure() {
    let problem = mistake(&format!("{}[measure]\nreplications = 4294967295\n", generator("1 ms")));
    assert_eq!(problem.pointed_at(), Some("4294967295"));
    assert!(problem.message().contains("TiB of memory would be needed"), "{problem:?}");
}

#[test]
fn a_queue_without_a_bound_is_one_that_is_never_full() {
    let disk = DISK
        .replace("constant-rate\"", "seagate-cheetah-9lp\"\nqueue_depth = 4294967295")
        .replace("drive = ", "#");
    let text = generator("1 ms").replace(DISK, &disk);
    assert_eq!(report(&text).served.requests.completed, 5);
    let text = script("", "create a; append a 4 KiB; fsync a");
    let text = text.replace("on = \"d\"", "on = \"d\"\nqueue_depth = 4294967295");
    assert_eq!(report(&text).served.requests.completed, 3);
}

#[test]
fn a_unix_file_system_of_1990_reaches_no_further_than_its_addresses() {
    let text = r#"
[disk.d]
model = "analytic-nearline-7200"
drive.blocks = "1000000000000 blocks"
[unix.u]
on = "d"
[workload.w]
kind = "script"
on = "u"
script = "create a"
"#;
    assert!(mistake(text).message().contains("1 TiB"), "{:?}", mistake(text));
}

#[test]
fn a_read_behind_the_end_of_a_file_is_refused_where_it_stands_in_the_scenario() {
    let problem = mistake(&script("", "file a 64 KiB\nread a 1 GiB 1 MiB"));
    assert!(problem.message().contains("the file ends at 64 KiB"), "{problem:?}");
}

#[test]
fn a_read_at_the_end_of_a_file_moves_what_is_there_and_one_of_nothing_is_told() {
    let found = report(&script("", "file a 10 KiB\nread a 8 KiB 4 KiB; read a 10 KiB 4 KiB"));
    assert_eq!((found.served.requests.reads, found.served.bytes), (2, 2_048));
    let warning = "1 read moved nothing: they begin at the end of their files or beyond it";
    let told: Vec<&str> = found.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert_eq!(told, [warning]);
}

#[test]
fn a_file_system_of_exbibytes_is_refused_before_its_groups_are_laid_out() {
    let text = script("", "create a").replace("2 GB/s\"", "2 GB/s\", blocks = \"9e17 blocks\"");
    let problem = mistake(&text);
    assert!(problem.message().contains("of memory would be needed"), "{problem:?}");
}
