//! Volumes of clouds, instances and throttles with bursts in scenarios: what the example's comment says, what is refused, and what is told
//! of what comes behind a burst.

use crate::common::{loaded, once, once_of, problem};
use petrio_scenario::catalogue::adapter_summaries;
use petrio_scenario::report::{CreditUnit, Report};
use petrio_scenario::run::{look_further, run};
use petrio_scenario::{Claim, Override, load};
use std::path::Path;

fn example(set: &[&str]) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/database-on-a-cloud-volume.toml");
    let overrides: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    let loaded = load(&path, &overrides).unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut report = once_of(&loaded);
    look_further(&loaded, &mut report).unwrap();
    report
}

fn per_s(report: &Report) -> f64 {
    report.served.requests_per_s.value
}

fn told(report: &Report) -> Option<&str> {
    report.warnings.iter().find(|warning| warning.claim == Claim::Burst).map(|warning| warning.text.as_str())
}

#[test]
fn a_new_gp2_volume_gives_ten_times_what_it_keeps_up_and_the_report_says_until_when() {
    let burst = example(&[]);
    assert!((per_s(&burst) / 3_000.0 - 1.0).abs() < 0.01, "{}", per_s(&burst));
    let words = told(&burst).unwrap();
    for part in
        ["gone after 33 min 20 s", "gets 300 operations a second", "not 3,000", "full again after 5 h"]
    {
        assert!(words.contains(part), "{part}: {words}");
    }
    let credits = burst.credits.iter().find(|credits| credits.part == "v").unwrap();
    assert_eq!((credits.unit, credits.parts), (CreditUnit::Requests, 1));
    assert!((credits.dry_after_s.unwrap() - 2_000.0).abs() < 1.0);
    // What is left is what there was, less what passed, and what came back.
    let passed = 32_032.0;
    let left = credits.room - passed + credits.lasting_per_s * burst.simulated_s;
    assert!((credits.left / left - 1.0).abs() < 1e-4, "{} and {left}", credits.left);
    let behind = burst.behind_credits.unwrap();
    let later = example(&["disk.v.drive.credits=\"0 %\"", "workload.backends.operations=200"]);
    assert!((per_s(&later) / behind.requests_per_s - 1.0).abs() < 0.02, "{} and {behind:?}", per_s(&later));
    // What begins without credits rests on none.
    assert_eq!(told(&later), None);
}

#[test]
fn a_gp3_volume_keeps_it_up_and_a_small_instance_holds_it_back() {
    let gp3 = example(&["disk.v.model=gp3"]);
    assert!((per_s(&gp3) / 3_000.0 - 1.0).abs() < 0.01, "{}", per_s(&gp3));
    assert_eq!((told(&gp3), gp3.credits.len()), (None, 2), "the instance has bursts, and they don't decide");
    // A small instance's own burst runs out first: 3,000 a second are more than its 2,000.
    let small = example(&["disk.v.model=gp3", "hba.instance.use=ec2-t3.medium"]);
    let words = told(&small).unwrap();
    assert!(words.contains("\"instance\"") && words.contains("2,000"), "{words}");
    let later = example(&[
        "disk.v.model=gp3",
        "hba.instance.use=ec2-t3.medium",
        "hba.instance.limits.credits=\"0 %\"",
    ]);
    assert!((per_s(&later) / 2_000.0 - 1.0).abs() < 0.01, "{}", per_s(&later));
}

#[test]
fn a_burst_that_is_over_within_the_run_is_told_with_its_time() {
    let report = example(&["disk.v.drive.credits=\"0.1 %\""]);
    let words = told(&report).unwrap();
    // 5,400 credits at 3,000 less 300 a second.
    assert!(words.contains("was over after 2.00 s") || words.contains("was over after 1.99 s"), "{words}");
}

#[test]
fn what_would_help_is_what_the_provider_sells() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/database-on-a-cloud-volume.toml");
    let set: Vec<Override> =
        vec!["disk.v.model=gp3".parse().unwrap(), "workload.backends.operations=100".parse().unwrap()];
    let report = run(&load(&path, &set).unwrap(), petrio_scenario::report::Sinks::default()).unwrap();
    let what_if = report.bottleneck.unwrap().what_if.unwrap();
    assert!(what_if.set.iter().any(|set| set == "disk.v.drive.iops=6000"), "{what_if:?}");
}

const LOAD: &str = "[workload.w]\nkind = \"synthetic\"\non = \"v\"\nrequests = 10\n\
    generators = [{ read_fraction = 1, inter_arrival = { constant = \"1 s\" }, size = \"4 KiB\" }]\n";

#[test]
fn what_a_provider_does_not_sell_is_refused_with_rule_and_source() {
    for (disk, rule) in [
        ("model = \"gp3\"\ndrive.iops = 90000", "90000 IOPS are not within 3000 IOPS to 80000 IOPS"),
        ("model = \"gp3\"\ndrive = { size = \"10 GiB\", iops = 8000 }", "more than 500 IOPS for each GiB"),
        ("model = \"st1\"\ndrive.size = \"100 GiB\"", "not within 125 GiB to 16 TiB"),
        ("model = \"gp2\"\ndrive.throughput = \"250 MiB/s\"", "can't be provisioned"),
    ] {
        let problem = problem(&format!("[disk.v]\n{disk}\n{LOAD}")).to_string();
        assert!(problem.contains(rule) && problem.contains("docs.aws.amazon.com"), "{problem}");
    }
}

#[test]
fn volumes_hang_on_instances_and_drives_on_adapters() {
    let volume = "[disk.v]\nmodel = \"gp3\"\nbus = \"a\"\n";
    let drive = "[disk.v]\nmodel = \"samsung-980-pro-1tb\"\nbus = \"a\"\n";
    for (text, reason) in [
        (format!("[hba.a]\nuse = \"ultra-wide-scsi\"\n{volume}{LOAD}"), "hangs on nothing but an instance"),
        (format!("[hba.a]\nuse = \"ec2-m5.large\"\n{drive}{LOAD}"), "which only volumes pass"),
        (format!("[hba.a]\nlimits = {{ burst_iops = 5 }}\n{volume}{LOAD}"), "they limit nothing"),
        (format!("[hba.a]\nlimits = {{ iops = 5, burst_iops = 9 }}\n{volume}{LOAD}"), "a burst has a length"),
    ] {
        let problem = problem(&text).to_string();
        assert!(problem.contains(reason), "{problem}");
    }
    for adapter in adapter_summaries().unwrap().iter().filter(|one| one.rate.contains("IOPS")) {
        loaded(&format!("[hba.a]\nuse = \"{}\"\n{volume}{LOAD}", adapter.key));
    }
}

/// A guest's drive that QEMU limits, on fast storage.
fn guest(limits: &str, requests: u32) -> String {
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"20 us\", rate = \"2 GB/s\" }}\n\
         [throttle.limit]\non = \"d\"\nkept_by = \"qemu\"\n{limits}\n\
         [workload.w]\nkind = \"synthetic\"\non = \"limit\"\nrequests = {requests}\n\
         generators = [{{ read_fraction = 0.5, time_critical_fraction = 1, inter_arrival = \"0 s\", size = \"4 KiB\" }}]\n"
    )
}

#[test]
fn a_guest_that_qemu_limits_bursts_for_its_length_and_the_report_says_what_comes_behind() {
    let text = guest("iops = 200\niops_max = 2000\niops_max_length = \"60 s\"", 20_000);
    let mut report = once(&text);
    look_further(&loaded(&text), &mut report).unwrap();
    assert!((per_s(&report) / 2_000.0 - 1.0).abs() < 0.05, "{}", per_s(&report));
    let words = told(&report).unwrap();
    // 120,000 at 1,800 a second more than leak.
    assert!(words.contains("\"limit\"") && words.contains("66.7 s"), "{words}");
    let behind = report.behind_credits.unwrap().requests_per_s;
    assert!((behind / 200.0 - 1.0).abs() < 0.05, "{behind}");
    let steady = once(&guest("iops = 200", 4_000));
    assert!((per_s(&steady) / 200.0 - 1.0).abs() < 0.02, "{}", per_s(&steady));
}

#[test]
fn limits_that_qemu_would_refuse_are_refused() {
    for (limits, reason) in [
        ("iops = 5\nread_iops = 3", "together"),
        ("iops_max = 9", "without the limit itself"),
        ("credits = 2", "0"),
    ] {
        let problem = problem(&guest(limits, 10)).to_string();
        assert!(problem.contains(reason), "{problem}");
    }
    let group = guest("iops = 5", 10).replace("kept_by = \"qemu\"\n", "");
    assert!(problem(&group).to_string().contains("knows no iops"));
}
