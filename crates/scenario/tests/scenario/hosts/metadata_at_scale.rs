//! Names at scale on PVFS 2 and NFS: what more clients and more servers bring, where one server is full, and how several clients of one
//! export find each other's files.

use crate::common::once_of;
use crate::hosts::support::run_of;
use petrio_scenario::Override;
use petrio_scenario::report::Report;

const HOSTS: &str = r#"
[network.lan]
link = { rate = "1 Gbit/s", latency = "25 us" }

[host.client]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
count = 4
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
disk.d = { model = "intel-dc-p3700-800gb" }
fs.data = { type = "ext4", on = "d" }

[workload.w]
kind = "parallel"
on = "client*/work"
ranks = 4
program = { kind = "mdtest", command = "mdtest -F -N 1 OPTIONS" }
"#;

const PVFS: &str = r#"
[pvfs.work]
version = "pvfs2"
clients = "client*"
servers = "server*/data"
"#;

/// On one of the servers.
const NFS: &str = r#"
[nfs.work]
clients = "client*"
server = "server0/data"
"#;

fn text(mount: &str, options: &str) -> String {
    HOSTS.replace("OPTIONS", options) + mount
}

/// What so many clients' mdtest says of itself.
fn mdtest(mount: &str, clients: u32, options: &str, set: &[&str]) -> Report {
    let count = [format!("host.client.count={clients}"), format!("workload.w.ranks={clients}")];
    let set: Vec<&str> = count.iter().map(String::as_str).chain(set.iter().copied()).collect();
    run_of(&text(mount, options), &set)
}

/// A phase's rate, things a second.
fn rate(report: &Report, phase: &str) -> f64 {
    let phases = report.jobs.iter().flat_map(|job| &job.phases);
    let rates: Vec<f64> = phases.filter(|found| found.name == phase).map(|found| found.rate).collect();
    assert!(!rates.is_empty(), "no phase is called {phase}");
    rates.iter().sum::<f64>() / rates.len() as f64
}

#[test]
fn k_times_the_clients_are_never_more_than_k_times_as_fast() {
    for (mount, options) in [(PVFS, "-n 24"), (PVFS, "-n 24 -u"), (NFS, "-n 24"), (NFS, "-n 24 -u")] {
        let [one, four, sixteen] = [1, 4, 16].map(|clients| mdtest(mount, clients, options, &[]));
        for phase in ["file creation", "file removal"] {
            let rates = [&one, &four, &sixteen].map(|report| rate(report, phase));
            // What clients do in step may happen to wait for each other less.
            assert!(rates[1] < 4.0 * 1.02 * rates[0], "{mount} {options} {phase}: {rates:?}");
            assert!(rates[2] < 4.0 * 1.02 * rates[1], "{mount} {options} {phase}: {rates:?}");
        }
    }
}

#[test]
fn more_servers_are_never_slower_for_directories_of_their_own() {
    let by_servers = [1, 2, 4].map(|servers| {
        let set = format!("host.server.count={servers}");
        let servers = if servers == 1 { "pvfs.work.servers=server/data" } else { "" };
        let set: Vec<&str> = [&*set, servers].into_iter().filter(|set| !set.is_empty()).collect();
        let report = mdtest(PVFS, 16, "-n 24 -u", &set);
        ["file creation", "file removal"].map(|phase| rate(&report, phase))
    });
    for phase in [0, 1] {
        let rates = by_servers.map(|rates| rates[phase]);
        assert!(rates[1] > rates[0] && rates[2] > rates[1], "{rates:?}");
    }
}

#[test]
fn the_server_of_one_directory_is_full_and_others_help_only_with_a_part_of_it() {
    let created = |clients, set: &[&str]| rate(&mdtest(PVFS, clients, "-n 12", set), "file creation");
    let (few, many) = (created(16, &[]), created(64, &[]));
    assert!(many < 1.2 * few, "{few} by 16, {many} by 64");
    let spread = created(64, &["pvfs.work.directory_servers=4"]);
    assert!(spread > 1.15 * many && spread < 4.0 * many, "{many} on one server, {spread} on four");
}

/// Directories are made, worked in, emptied and removed by different clients, twice.
#[test]
fn clients_of_an_export_find_and_remove_what_others_have_made() {
    for version in ["3", "4.2"] {
        for options in ["-n 6 -i 2", "-n 6 -i 2 -u", "-n 6 -i 2 -u -R"] {
            let set = format!("nfs.work.options=\"vers={version}\"");
            let report = mdtest(NFS, 4, options, &[&set]);
            for phase in ["file creation", "file stat", "file removal", "tree removal"] {
                assert!(rate(&report, phase) > 0.0, "{version} {options} {phase}");
            }
        }
    }
    // Directories, too.
    let both = text(NFS, "-n 6 -i 2 -u").replace("mdtest -F ", "mdtest ");
    let report = run_of(&both, &["host.client.count=4"]);
    for phase in ["directory creation", "directory stat", "directory removal", "file removal"] {
        assert!(rate(&report, phase) > 0.0, "{phase}");
    }
}

/// Files that the example's clients make in a second, of a third of those that it makes.
fn made_by_example(clients: u32, options: &str, set: &[&str]) -> f64 {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/metadata-at-scale.toml");
    let own = [
        format!("host.client.count={clients}"),
        format!("workload.names.ranks={clients}"),
        format!("workload.names.program.command=\"mdtest -n 6 -F -N 1 {options}\""),
    ];
    let set = own.iter().map(String::as_str).chain(set.iter().copied());
    let overrides: Vec<Override> = set.map(|set| set.parse().unwrap()).collect();
    let loaded = petrio_scenario::load(std::path::Path::new(path), &overrides);
    rate(&once_of(&loaded.unwrap_or_else(|problems| panic!("{problems:?}"))), "file creation")
}

#[test]
fn what_the_example_says_holds() {
    let few = made_by_example(16, "-u", &[]);
    let more = made_by_example(64, "-u", &[]) / few;
    assert!((1.2..1.4).contains(&more), "{more}");
    let servers = made_by_example(64, "-u", &["host.server.count=16"]) / few / more;
    assert!((2.2..3.0).contains(&servers), "{servers}");
    let [shared, by_more] = [16, 64].map(|clients| made_by_example(clients, "", &[]) / few);
    assert!(
        (0.45..0.6).contains(&shared) && (0.95..1.05).contains(&(by_more / shared)),
        "{shared} {by_more}"
    );
}
