//! What ends before a cache has filled says so, whatever wrote and wherever the cache is.

use crate::common::{loaded, once, once_of};
use petrio_scenario::report::Report;
use petrio_scenario::run::look_behind;
use petrio_scenario::{Claim, load_text};
use std::fmt::Write;

fn behind(text: &str) -> Report {
    let mut report = once(text);
    look_behind(&loaded(text), &mut report).unwrap();
    report
}

fn told(report: &Report) -> Option<&str> {
    report.warnings.iter().find(|warning| warning.claim == Claim::Burst).map(|warning| warning.text.as_str())
}

/// Two clients that write to a server's memory faster than its disk takes it.
fn pvfs(server: &str, rate: &str) -> String {
    format!(
        "[network.lan]\nuse = \"gigabit-ethernet\"\n[host.client]\ncount = 2\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"{server}\"\n\
         [host.server]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"{server}\"\nmemory = \"128 MiB\"\n\
         [disk.d]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"100 us\", rate = \"{rate}\" }}\n\
         [fs.data]\nhost = \"server\"\ntype = \"ext3\"\non = \"d\"\nsize = \"400 MiB\"\n\
         [pvfs.work]\nclients = \"client*\"\nservers = \"data\"\n\
         [workload.w]\nkind = \"files\"\non = \"client*/work\"\noperation = \"write\"\nrecord = \"64 KiB\"\nfile_size = \"4 MiB\"\n"
    )
}

#[test]
fn what_servers_of_a_cluster_hold_counts() {
    for kernel in ["linux-2.6.24", "linux-6.18"] {
        let slow = behind(&pvfs(kernel, "20 MB/s"));
        assert!(told(&slow).is_some(), "{kernel}: {:?}", slow.warnings);
        let fast = behind(&pvfs(kernel, "1 GB/s"));
        assert_eq!(told(&fast), None, "{kernel}");
    }
}

#[test]
fn a_run_that_shows_little_of_a_cache_is_followed_by_one_a_hundred_times_as_long_at_most() {
    let report = behind(
        "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\nmemory = \"8 GiB\"\n\
         [disk.d]\nmodel = \"constant-rate\"\ndrive = { latency = \"100 us\", rate = \"20 MB/s\" }\n\
         [fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"2 GiB\"\n\
         [workload.w]\nkind = \"files\"\non = \"data\"\noperation = \"write\"\nrecord = \"64 KiB\"\nfile_size = \"2 MiB\"\n",
    );
    let sustained = report.sustained.as_ref().unwrap();
    assert!(sustained.filled < 0.005, "{sustained:?}");
    assert_eq!((sustained.times_as_long, sustained.requests_per_s), (100.0, None));
    let words = told(&report).unwrap();
    assert!(
        words.contains("it filled on in a run 100 times as long, and only a longer one tells"),
        "{words}"
    );
}

/// IOR on a file system of a disk of this rate.
fn ior(command: &str, rate: &str) -> String {
    format!(
        "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\nmemory = \"256 MiB\"\n\
         [disk.d]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"100 us\", rate = \"{rate}\" }}\n\
         [fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"400 MiB\"\n\
         [workload.w]\nkind = \"parallel\"\non = \"data\"\nranks = 2\n\
         program = {{ kind = \"ior\", command = \"ior -b 4m -t 256k -w -F {command}\" }}\n"
    )
}

#[test]
fn a_benchmark_of_memory_is_told_as_one_and_what_it_makes_durable_is_none() {
    let memory = behind(&ior("", "20 MB/s"));
    let words = told(&memory).unwrap();
    assert!(words.contains("8.00 MiB of 8.00 MiB that were written reached no medium"), "{words}");
    // So it is: with a tenth of the data a second at the disk, the same with more of them gets no more than that.
    let rate = |text: &str| once(text).served.throughput_bytes_per_s.value;
    let more = ior("", "20 MB/s").replace("-b 4m", "-b 64m");
    assert!(rate(&more) < 0.5 * rate(&ior("", "20 MB/s")), "{words}");
    let durable = behind(&ior("-e", "20 MB/s"));
    assert_eq!(told(&durable), None);
}

/// A program that writes and flushes nothing, as strace shows it.
fn written(mib: u64) -> String {
    let mut text =
        String::from("7 1.000000 openat(AT_FDCWD, \"/a\", O_WRONLY|O_CREAT, 0644) = 3 <0.000010>\n");
    for number in 0..mib {
        let _ =
            writeln!(text, "7 1.{:06} write(3, \"\"..., 1048576) = 1048576 <0.000010>", 100 + number * 100);
    }
    text
}

#[test]
fn a_replay_whose_writes_stay_in_memory_says_so_where_that_is_a_good_part_of_what_may_wait_there() {
    let of = |mib| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("calls.strace"), written(mib)).unwrap();
        let text = ior("", "20 MB/s");
        let at = text.find("[workload.w]").unwrap();
        let text = format!(
            "{}[workload.w]\nkind = \"events\"\non = \"data\"\nfile = \"calls.strace\"\n",
            &text[..at]
        );
        let loaded = load_text("test.toml", &text, Some(folder.path()), &[]).unwrap();
        let mut report = once_of(&loaded);
        look_behind(&loaded, &mut report).unwrap();
        report
    };
    assert!(told(&of(10)).is_some());
    assert_eq!(told(&of(1)), None);
}
