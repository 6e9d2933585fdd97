//! `petrio record`, and what is recorded run on a simulated System.

use crate::support::{Folder, unwrapped};
use serde_json::Value;

/// One disk with a file system, and a recording.
const ONE_DISK: &str = "\
[disk.d]
model = \"seagate-st3146707lc\"
[host.h]
machine = \"epyc-9005-2vcpu\"
kernel = \"linux-6.18\"
[fs.f]
type = \"ext4\"
on = \"d\"
[workload.w]
kind = \"recording\"
on = \"f\"
recording = \"load\"
";

/// Four nodes that reach an array behind one server over a network.
const NAS: &str = "\
[network.lan]
use = \"fast-ethernet\"
[host.node]
count = 4
machine = \"epyc-9005-2vcpu\"
kernel = \"linux-6.18\"
[host.server]
machine = \"epyc-9005-2vcpu\"
kernel = \"linux-6.18\"
[host.server.disk.d]
model = \"seagate-st3146707lc\"
[host.server.fs.data]
type = \"ext4\"
on = \"d\"
[share.work]
clients = \"node*\"
servers = \"server/data\"
[mpi.m]
network = \"lan\"
hosts = \"node*\"
[workload.w]
kind = \"recording\"
on = \"node*/work\"
recording = \"job\"
";

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// The program that a report tells of, thread by thread.
fn ranks(report: &Value) -> Vec<Value> {
    report["jobs"][0]["ranks"].as_array().cloned().unwrap_or_else(|| panic!("no ranks in {report:#}"))
}

fn sum(ranks: &[Value], figure: &str) -> f64 {
    ranks.iter().map(|rank| rank[figure].as_f64().unwrap()).sum()
}

#[test]
fn what_dd_did_is_recorded_told_and_run_on_a_disk() {
    let folder = Folder::with(ONE_DISK);
    let data = folder.path("data");
    std::fs::create_dir(&data).unwrap();
    let line = format!("dd if=/dev/zero of={}/out bs=64k count=8 conv=fsync", data.display());
    let answer = folder.petrio(&["record", "--out", "load", "--", "sh", "-c", &line]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.talk.contains("wrote 512 KiB"), "{}", answer.talk);
    let info = folder.petrio(&["trace", "info", "load"]);
    assert_eq!(info.code, Some(0), "{}", info.talk);
    assert!(info.out.contains("write") && info.out.contains("dd if=/dev/zero"), "{}", info.out);
    let below = format!("workload.w.below=[\"{}\"]", data.display());
    let run = ["run", "scenario.toml", "--set", &below, "--json", "report.json"];
    let answer = folder.petrio(&run);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let first = folder.json("report.json");
    let all = ranks(&first);
    assert!((sum(&all, "written_bytes") - 524_288.0).abs() < 0.5, "{all:?}");
    assert!(sum(&all, "computing_s") > 0.0 && sum(&all, "writing_s") > 0.0, "{all:?}");
    // Where computing takes a thousand times as long, nothing else does.
    let slower = [&run[..], &["--set", "workload.w.compute_scale=1000"]].concat();
    assert_eq!(folder.petrio(&slower).code, Some(0));
    let slow = ranks(&folder.json("report.json"));
    assert!(sum(&slow, "computing_s") > 500.0 * sum(&all, "computing_s"));
    assert!((sum(&slow, "written_bytes") - 524_288.0).abs() < 0.5);
}

#[test]
fn a_commands_exit_code_is_that_of_its_recording_and_mistakes_are_told() {
    let folder = Folder::new();
    let answer = folder.petrio(&["record", "--out", "load", "--", "sh", "-c", "exit 9"]);
    assert_eq!(answer.code, Some(9), "{}", answer.talk);
    let answer = folder.petrio(&["record", "--out", "load", "--", "true"]);
    assert_eq!(answer.code, Some(2));
    assert!(unwrapped(&answer.talk).contains("in it already"), "{}", answer.talk);
    let answer = folder.petrio(&["record", "--out", "other", "--", "petrio-no-such-program"]);
    assert_eq!(answer.code, Some(2));
    assert!(unwrapped(&answer.talk).contains("can't be started"), "{}", answer.talk);
    assert_eq!(folder.names(), ["load"]);
    assert_eq!(std::fs::read_dir(folder.path("load")).unwrap().count(), 1);
}

#[test]
fn a_mpi_job_that_was_recorded_runs_on_a_nas_with_the_same_bytes_and_messages() {
    if !["mpicc", "mpirun", "objcopy"].into_iter().all(is_there) {
        println!(
            "skipped: a_mpi_job_that_was_recorded_runs_on_a_nas_with_the_same_bytes_and_messages needs MPI"
        );
        return;
    }
    let folder = Folder::with(NAS);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/bt_io.c");
    let program = folder.path("bt_io");
    let made = std::process::Command::new("mpicc")
        .args(["-O2", source, "-lm", "-o"])
        .arg(&program)
        .status()
        .unwrap();
    assert!(made.success());
    let data = folder.path("data");
    std::fs::create_dir(&data).unwrap();
    let settings =
        ["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_mpi_yield_when_idle=1"];
    let mut words = vec!["record", "--out", "job", "--", "env", "OMPI_MCA_rmaps_base_oversubscribe=1"];
    words.extend(settings);
    let (program, state) =
        (program.to_string_lossy().into_owned(), data.join("state").to_string_lossy().into_owned());
    words.extend(["mpirun", "-np", "4", &program, "12", "10", "simple", &state]);
    let answer = folder.petrio(&words);
    if answer.code != Some(0) {
        println!(
            "skipped: a_mpi_job_that_was_recorded_runs_on_a_nas_with_the_same_bytes_and_messages: mpirun fails"
        );
        return;
    }
    assert!(answer.out.contains("Verification successful"), "{}", answer.out);
    let below = format!("workload.w.below=[\"{}\"]", data.display());
    let answer = folder.petrio(&["run", "scenario.toml", "--set", &below, "--json", "report.json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let report = folder.json("report.json");
    let all = ranks(&report);
    // Two dumps of 12³ points of five doubles, written once and read once.
    let written: Vec<f64> =
        all.iter().map(|rank| rank["written_bytes"].as_f64().unwrap()).filter(|bytes| *bytes > 0.0).collect();
    assert_eq!(written, [34_560.0; 4], "{all:?}");
    assert!((sum(&all, "read_bytes") - 138_240.0).abs() < 0.5, "{all:?}");
    assert!(sum(&all, "messages_s") > 0.0);
    // A rank on each node.
    let hosts: std::collections::BTreeSet<_> =
        all.iter().map(|rank| rank["host"].as_str().unwrap().to_owned()).collect();
    assert_eq!(hosts.len(), 4);
    let answer = folder.petrio(&["run", "scenario.toml", "--set", "workload.w.ranks=9"]);
    assert_eq!(answer.code, Some(2));
    assert!(unwrapped(&answer.talk).contains("and 4 ranks were recorded"), "{}", answer.talk);
}

#[test]
fn what_ranks_posted_goes_on_while_they_compute_when_it_runs_elsewhere_too() {
    let test = "what_ranks_posted_goes_on_while_they_compute_when_it_runs_elsewhere_too";
    let Some(program_folder) = crate::exec_ranks::possible(test) else { return };
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/posted.c");
    let program = crate::exec_ranks::compiled(&program_folder, source, "posted");
    let folder = Folder::with(NAS);
    let mut words = vec!["record", "--out", "job", "--", "env", "OMPI_MCA_rmaps_base_oversubscribe=1"];
    words.extend(["OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]);
    words.extend(["OMPI_MCA_mpi_yield_when_idle=1", "mpirun", "-np", "4", &program]);
    let answer = folder.petrio(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let below = "workload.w.below=[\"/petrio-nothing\"]";
    let answer = folder.petrio(&["run", "scenario.toml", "--set", below, "--json", "report.json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let report = folder.json("report.json");
    // Its sleeps and computing, one after the other, are 7.8 s, of which one second would come twice if it was waited for where it was posted.
    let took = report["simulated_s"].as_f64().unwrap();
    assert!((7.79..8.6).contains(&took), "{took}");
}
