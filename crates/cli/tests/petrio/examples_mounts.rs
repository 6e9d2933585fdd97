//! What the shipped examples of file systems on other hosts say, run.

use crate::examples::{rate_of, run};
use crate::support::figure;
use serde_json::Value;

#[test]
fn names_of_one_directory_wait_for_one_servers_processor_and_not_for_disks() {
    // Files made in a second, of a fifth of those that the example makes.
    let made = |set: &[&str]| {
        let fewer = "workload.names.program.command=\"mdtest -n 40 -F\"";
        let more: Vec<&str> = set.iter().chain([&fewer]).flat_map(|set| ["--set", set]).collect();
        figure(&run("metadata-servers.toml", &more), "/jobs/0/phases/1/rate")
    };
    let (one, four) = (made(&[]), made(&["pvfs.work.directory_servers=4"]));
    assert!((1.2..2.0).contains(&(four / one)), "{one} {four}");
    let unsynced = made(&["pvfs.work.sync_names=false"]) / one;
    assert!((0.97..1.1).contains(&unsynced), "{unsynced}");
    let faster = made(&["host.server.change.machine.speed=2"]) / one;
    assert!((1.6..2.0).contains(&faster), "{faster}");
}

#[test]
fn programs_wait_for_a_server_that_stops_on_a_hard_mount_and_are_told_on_a_soft_one() {
    let name = "nfs-server-stops.toml";
    let failed = |report: &Value| -> f64 {
        let failures = report.pointer("/failures").and_then(Value::as_array);
        failures.into_iter().flatten().filter_map(|failure| failure["failed"].as_f64()).sum()
    };
    let hard = run(name, &[]);
    let never = run(name, &["--set", "nfs.home.failures=[]"]);
    let span = |report: &Value| figure(report, "/simulated_s");
    assert_eq!((failed(&hard), failed(&never)), (0.0, 0.0));
    assert_eq!(figure(&hard, "/requests/completed"), figure(&never, "/requests/completed"));
    let longer = span(&hard) - span(&never);
    assert!(
        (59.0..62.0).contains(&longer),
        "until the client asks again for what the server had taken: {longer}"
    );
    let sooner = run(name, &["--set", "nfs.home.options=\"vers=3,noac,timeo=50\""]);
    let longer = span(&sooner) - span(&never);
    assert!((10.0..16.0).contains(&longer), "as long as the server is away, and 5 s at most: {longer}");
    let options = "nfs.home.options=\"vers=3,noac,proto=udp,soft,timeo=5,retrans=2\"";
    let soft = run(name, &["--set", options]);
    assert!(failed(&soft) > 0.0, "{soft}");
}

#[test]
fn a_server_of_pvfs_that_stops_fails_nothing_and_loses_what_it_had_in_memory_alone() {
    let name = "pvfs-server-stops.toml";
    let told = |what: &str| {
        let rest = format!("restored_after = \"10 s\", what = \"{what}\"");
        run(name, &["--set", &format!("pvfs.work.failures=[{{ server = 1, at = \"0.5 s\", {rest} }}]")])
    };
    let span = |report: &Value| figure(report, "/simulated_s");
    let of = |report: &Value, what: &str| figure(report, &format!("/retries/0/{what}"));
    let never = run(name, &["--set", "pvfs.work.failures=[]"]);
    let stops = run(name, &[]);
    let longer = span(&stops) - span(&never);
    assert!((20.0..25.0).contains(&longer), "a time-out, a reset, and a rest: {longer}");
    assert_eq!(figure(&stops, "/requests/completed"), figure(&never, "/requests/completed"));
    assert!(of(&stops, "retried") > 0.0 && of(&stops, "failed") == 0.0);
    let lost = of(&stops, "unsynced_bytes");
    assert!((1e6..105e6).contains(&lost), "a quarter of 400 MiB at most: {lost}");
    let exits = told("exits");
    let longer = span(&exits) - span(&never);
    assert!((9.5..12.5).contains(&longer), "as long as it is away, and a rest at most: {longer}");
    assert_eq!(of(&exits, "unsynced_bytes"), 0.0);
    let unreachable = told("unreachable");
    let longer = span(&unreachable) - span(&never);
    assert!((12.0..13.5).contains(&longer), "TCP's try after 0.2 s, 0.4 s and so on to 6.4 s: {longer}");
    assert_eq!((of(&unreachable, "sent_again"), of(&unreachable, "unsynced_bytes")), (0.0, 0.0));
    let gone = "pvfs.work.failures=[{ server = 1, at = \"0.1 s\", what = \"exits\" }]";
    let gone = run(name, &["--set", gone, "--set", "workload.work.file_size=\"24 MiB\""]);
    assert!(of(&gone, "failed") > 0.0, "{gone}");
}

#[test]
fn what_is_written_to_a_server_of_1990_is_on_its_disk_with_its_inode_and_indirect_block() {
    let name = "nfs-1990.toml";
    let writes = |report: &Value| -> f64 {
        let devices = report["traffic"].as_array().unwrap().iter();
        let served = devices.filter(|device| device["name"] == "served");
        let rows = served.flat_map(|device| device["purposes"].as_array().unwrap());
        rows.filter_map(|row| row.pointer("/writes/requests").and_then(Value::as_f64)).sum()
    };
    let all = run(name, &[]);
    assert_eq!(writes(&all), 16.0 * (12.0 * 2.0 + 20.0 * 3.0));
    let twelve = run(name, &["--set", "workload.w.file_size=\"96 KiB\""]);
    assert_eq!(writes(&twelve), 16.0 * 12.0 * 2.0);
    let data = run(name, &["--set", "unix.server.metadata=false"]);
    assert_eq!(writes(&data), 16.0 * 32.0);
    let each = figure(&all, "/simulated_s") / writes(&all);
    let longer = figure(&all, "/simulated_s") / figure(&data, "/simulated_s");
    assert!((2.5..3.0).contains(&longer), "nearly three times as long: {longer}");
    assert!((0.014..0.016).contains(&each), "some 15 ms for each: {each}");
}

#[test]
fn stripes_over_all_targets_of_lustre_are_twice_as_fast_as_one_and_less_may_not_be_dirty() {
    let name = "lustre.toml";
    let one = run(name, &[]);
    let all = run(name, &["--set", "lustre.work.stripe_count=-1"]);
    let span = |report: &Value| figure(report, "/simulated_s");
    assert!((1.8..2.1).contains(&(span(&one) / span(&all))), "{} and {}", span(&one), span(&all));
    // Half of the targets have something to do, and all of them.
    let busy = |report: &Value| -> f64 {
        let stages = report["stages"].as_array().unwrap().iter();
        let services = stages.filter(|stage| {
            stage["name"].as_str().is_some_and(|name| name.starts_with("oss") && name.ends_with("/service"))
        });
        services.filter_map(|stage| stage["utilisation"].as_f64()).sum()
    };
    assert!(busy(&all) > 1.8 * busy(&one), "{} and {}", busy(&all), busy(&one));
    let dirty = run(name, &["--set", "lustre.work.max_dirty_mb=1"]);
    assert!((span(&dirty) / span(&one) - 1.0).abs() < 1e-9, "RPCs in flight carry as much");
}

#[test]
fn buffers_of_beegfs_save_requests_and_mirroring_costs_a_fifth_of_the_time() {
    let name = "beegfs.toml";
    let usual = run(name, &[]);
    let span = |report: &Value| figure(report, "/simulated_s");
    let writes = |report: &Value| -> f64 {
        let all = report["rpcs"].as_array().unwrap().iter();
        let own = all.filter(|own| own["procedure"] == "WriteLocalFile" && own["name"] == "client*/work");
        own.map(|own| figure(own, "/rpcs")).sum()
    };
    let none = run(name, &["--set", "beegfs.work.cache=none"]);
    assert_eq!(writes(&none), 4.0 * writes(&usual));
    assert!((1.01..1.1).contains(&(span(&none) / span(&usual))), "{} and {}", span(&none), span(&usual));
    let mirrored = ["--set", "beegfs.work.mirror=true", "--set", "beegfs.work.targets_per_file=2"];
    let mirrored = run(name, &mirrored);
    assert!((1.15..1.3).contains(&(span(&mirrored) / span(&usual))), "{}", span(&mirrored));
}

#[test]
fn clients_of_nfs_wait_for_the_servers_disk_where_it_promises_what_it_answers() {
    let report = run("nfs.toml", &[]);
    let spent = report["breakdown"].as_array().unwrap().iter();
    let server =
        spent.filter(|part| part["cause"] == "server").map(|part| figure(part, "/fraction")).sum::<f64>();
    assert!(server > 0.85, "{server}");
    let usual = rate_of("nfs.toml", &[]);
    let noac = usual / rate_of("nfs.toml", &["nfs.home.options=\"vers=3,noac\""]);
    assert!((20.0..30.0).contains(&noac), "{noac}");
    let promised = rate_of("nfs.toml", &["nfs.home.export=async"]) / usual;
    assert!((9.0..12.0).contains(&promised), "{promised}");
}
