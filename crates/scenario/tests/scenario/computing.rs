//! Programs that compute keep processors busy; who rests doesn't. Of either no report says that it is an operation.

use crate::common::once_of;
use petrio_scenario::load_text;
use petrio_scenario::report::Report;

const DISK: &str = "
    [disk.d]
    model = \"constant-rate\"
    drive.latency = \"100 us\"
    drive.rate = \"100 MiB/s\"
";

/// Hosts with so many processors.
fn hosts(processors: u32) -> [String; 2] {
    let linux = format!(
        "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nchange.machine.processors = {processors}\nkernel = \"linux-6.18\"\n\
         [fs.data]\ntype = \"ext4\"\non = \"d\"\n"
    );
    [linux, format!("[unix.data]\non = \"d\"\nprocessors = {processors}\n")]
}

fn simulate(host: &str, workload: &str) -> Report {
    let text = format!("{DISK}\n{host}\n[workload.w]\non = \"data\"\n{workload}");
    let loaded = load_text("test.toml", &text, None, &[]).unwrap_or_else(|problems| panic!("{problems:?}"));
    once_of(&loaded)
}

fn busy(report: &Report) -> f64 {
    let of_processors = report.stages.iter().find(|stage| stage.name.ends_with("/processor")).unwrap();
    of_processors.utilisation.unwrap()
}

/// Each of four processes computes (or rests) ten times ten milliseconds, and writes.
fn script(verb: &str) -> String {
    let text = format!("create a; repeat 10 {{ {verb} 10 ms; append a 4 KiB }}");
    format!("kind = \"script\"\nprocesses = 4\nscript = \"{text}\"\n")
}

#[test]
fn who_computes_shares_processors_and_who_rests_does_not() {
    for number in 0..2 {
        for (processors, seconds) in [(1, 0.4), (2, 0.2), (4, 0.1)] {
            let host = &hosts(processors)[number];
            let report = simulate(host, &script("compute"));
            let took = report.simulated_s;
            assert!((seconds..seconds * 1.05).contains(&took), "{host}: {took} s with {processors}");
            assert!(busy(&report) > 0.95, "{host}: {}", busy(&report));
            // A create and ten writes each.
            assert_eq!(report.served.requests.completed, 4 * 11, "computing is no operation");
            let rests = simulate(host, &script("think"));
            assert!((0.1..0.12).contains(&rests.simulated_s), "{host}: {}", rests.simulated_s);
            assert!(busy(&rests) < 0.5, "{host}: {}", busy(&rests));
        }
    }
}

#[test]
fn patterns_and_fio_jobs_compute_between_their_accesses() {
    let [host, _] = hosts(1);
    let pattern = "kind = \"files\"\nprocesses = 2\noperation = \"write\"\nrecord = \"4 KiB\"\nfile_size = \"40 KiB\"\n";
    let plain = simulate(&host, pattern).simulated_s;
    let computes = simulate(&host, &format!("{pattern}compute_time = \"5 ms\"\n")).simulated_s;
    let rests = simulate(&host, &format!("{pattern}think_time = \"5 ms\"\n")).simulated_s;
    // Nobody computes after the last access for longer than the others take: the run ends with an access.
    assert!((0.09..0.102).contains(&(computes - plain)), "{computes} {plain}");
    assert!((0.044..0.052).contains(&(rests - plain)), "{rests} {plain}");
}

#[test]
fn others_wait_for_the_processor_behind_who_computes() {
    let [host, _] = hosts(1);
    let reader =
        "kind = \"files\"\noperation = \"read\"\nrecord = \"4 KiB\"\nfile_size = \"64 MiB\"\ncached = true\n";
    let alone = simulate(&host, reader);
    let beside = format!(
        "{reader}\n[workload.sums]\nkind = \"script\"\non = \"data\"\nprocesses = 3\nscript = \"compute 1 s; create done\"\n"
    );
    let beside = simulate(&host, &beside);
    let mean = |report: &Report| report.served.latency.as_ref().unwrap().mean_ms.value;
    let times = mean(&beside) / mean(&alone);
    assert!((3.5..4.5).contains(&times), "a quarter of the processor: {times} times as long");
}
