//! tmpfs: files in memory alone, as fast as memory while there is some, and in swap space when there isn't.

use crate::common::{loaded, once, problem};
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run;
use proptest::prelude::*;

const KERNELS: [&str; 4] = ["linux-2.6.24", "linux-2.6.27", "linux-3.2", "linux-6.18"];

/// One process on files on a tmpfs or on a disk; sizes in MiB.
fn on(file_system: &str, kernel: &str, host: &str, work: &str) -> String {
    let family = if kernel.starts_with("linux-2") { "ext3" } else { "ext4" };
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive.latency = "100 us"
drive.rate = "200 MiB/s"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "{kernel}"
{host}
[fs.memory]
type = "tmpfs"
size = "64 MiB"
[fs.disk]
type = "{family}"
on = "d"
[workload.other]
kind = "files"
on = "{other}"
operation = "read"
record = "4 KiB"
file_size = "4 KiB"
cached = true
[workload.w]
kind = "files"
on = "{file_system}"
{work}
"#,
        other = if file_system == "disk" { "memory" } else { "disk" },
    )
}

fn work(operation: &str, record: u64, file: u64, more: &str) -> String {
    format!("operation = \"{operation}\"\nrecord = \"{record} KiB\"\nfile_size = \"{file} MiB\"\n{more}")
}

/// Requests at the devices of one purpose: how many, and their bytes, of reads and writes.
fn requests(report: &Report, purpose: &str) -> [(u64, u64); 2] {
    let rows = report.traffic.iter().flat_map(|device| &device.purposes);
    rows.filter(|row| row.purpose == purpose).fold([(0, 0); 2], |[reads, writes], row| {
        let add = |(count, bytes), (more, long)| (count + more, bytes + long);
        [
            add(reads, (row.reads.requests, row.reads.bytes)),
            add(writes, (row.writes.requests, row.writes.bytes)),
        ]
    })
}

#[test]
fn it_is_never_slower_than_a_disks_file_system_with_everything_in_memory_and_asks_no_device() {
    for kernel in KERNELS {
        for (operation, record, more) in [
            ("write", 64, ""),
            ("write", 4, "pattern = \"random\""),
            ("read", 64, "cached = true"),
            ("read", 4, "pattern = \"random\"\ncached = true"),
            ("write", 64, "sync = true"),
        ] {
            // Its pages are single ones; a disk's file system of the newest kernel may have folios of many, which are found at once.
            let single = "change.kernel.page_cache.largest_folio = \"4 KiB\"";
            let play =
                |file_system| once(&on(file_system, kernel, single, &work(operation, record, 16, more)));
            let (memory, disk) = (play("memory"), play("disk"));
            let what = format!("{kernel}: {operation} {record} {more}");
            assert_eq!(memory.served.requests.completed, disk.served.requests.completed, "{what}");
            assert!(
                memory.simulated_s <= disk.simulated_s,
                "{what}: {} {}",
                memory.simulated_s,
                disk.simulated_s
            );
            for purpose in ["data", "metadata", "journal", "swap"] {
                assert_eq!(requests(&memory, purpose), [(0, 0); 2], "{what}: {purpose}");
            }
            // A ceiling: nothing but copying and looking up, which take some time.
            assert!(memory.simulated_s > 0.0, "{what}");
        }
    }
}

#[test]
fn nobody_is_held_back_for_what_will_never_be_written() {
    // 16 MiB may be dirty of 512, and 48 are written.
    let host = "memory = \"512 MiB\"\ndirty_background = \"4 MiB\"\ndirty_limit = \"16 MiB\"";
    let report = once(&on("memory", "linux-6.18", host, &work("write", 64, 48, "")));
    assert!(
        report.served.breakdown.iter().all(|share| share.cause != "dirty throttle"),
        "{:?}",
        report.served.breakdown
    );
    assert_eq!(report.memory[0].most_unwritten_bytes, 0);
    assert!((48 << 20..50 << 20).contains(&report.memory[0].in_use_bytes), "{:?}", report.memory);
}

#[test]
fn what_is_beyond_its_size_is_refused_before_the_run_or_by_the_write() {
    let planned = problem(&on("memory", "linux-6.18", "", &work("write", 64, 65, "")));
    assert!(planned.contains("the files of \"w\" are 65 MiB"), "{planned}");
    let fits = once(&on("memory", "linux-6.18", "", &work("write", 64, 64, "")));
    assert_eq!(fits.served.requests.writes, 1_024);
    // Files of 20 MiB that a script makes, as many as fit; one that is removed leaves its room to the next.
    let script = |steps: &str| {
        let text = on("memory", "linux-6.18", "", "")
            .replace("[workload.w]\nkind = \"files\"", "[workload.w]\nkind = \"script\"");
        run::run(&loaded(&format!("{text}script = \"\"\"\n{steps}\n\"\"\"\n")), Sinks::default())
    };
    let make = |name: &str| format!("create {name}\nrepeat 5 {{ append {name} 4 MiB }}\n");
    let three = [make("a"), make("b"), make("c")].concat();
    let full = script(&format!("{three}{}", make("e"))).unwrap_err().to_string();
    assert!(full.contains("the volume is full (ENOSPC)"), "{full}");
    assert_eq!(script(&format!("{three}unlink b\n{}", make("e"))).unwrap().served.requests.writes, 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// What doesn't fit goes to swap space, and what is read has to come back: never less than doesn't fit, never more than was asked for.
    #[test]
    fn what_memory_has_no_room_for_goes_to_swap_space_and_comes_back(
        memory in 24_u64..96,
        kernel in prop::sample::select(&KERNELS[..]),
        random in any::<bool>(),
    ) {
        let host = format!("memory = \"{memory} MiB\"\nswap = \"128 MiB\"");
        let pattern = if random { "pattern = \"random\"\n" } else { "" };
        let report = once(&on("memory", kernel, &host, &work("read", 64, 48, pattern)));
        let [(_, back), (_, out)] = requests(&report, "swap");
        let all = 48_u64 << 20;
        let usable = report.memory[0].usable_bytes;
        // What is there when the run begins has gone before.
        let least = all.saturating_sub(usable);
        prop_assert!(back >= least, "{back} of at least {least}");
        prop_assert!(back <= 16 * all, "{back}");
        if usable > all + (8 << 20) {
            prop_assert_eq!((back, out), (0, 0));
        }
        let floor = back as f64 / f64::from(200 << 20);
        prop_assert!(report.simulated_s >= floor, "{} {floor}", report.simulated_s);
    }

    /// Memory for all is faster than memory for less.
    #[test]
    fn what_fits_is_read_faster_than_what_does_not(memory in 24_u64..40) {
        let play = |memory| {
            let host = format!("memory = \"{memory} MiB\"\nswap = \"128 MiB\"");
            once(&on("memory", "linux-6.18", &host, &work("read", 64, 48, "passes = 2"))).simulated_s
        };
        let (less, all) = (play(memory), play(96));
        prop_assert!(less > 5.0 * all, "{less} {all}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let text = on("memory", "linux-6.18", "", &work("read", 64, 1, ""));
    let with = |from: &str, to: &str| problem(&text.replace(from, to));
    let on = with("size = \"64 MiB\"", "size = \"64 MiB\"\non = \"d\"");
    assert!(on.contains("unknown key \"on\""), "{on}");
    let barriers = with("size = \"64 MiB\"", "size = \"64 MiB\"\nbarriers = false");
    assert!(barriers.contains("unknown key \"barriers\""), "{barriers}");
    let large = with("kernel = \"linux-6.18\"", "kernel = \"linux-6.18\"\nmemory = \"48 MiB\"");
    assert!(large.contains("may be 64 MiB, and it has"), "{large}");
    let swap = text.replace("\n\n[fs.memory]", "\nswap = \"1 GiB\"\n[fs.memory]\nhost = \"h\"");
    let other = "[host.g]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.disk]\nhost = \"g\"";
    let swap = problem(&swap.replace("[fs.disk]", other));
    assert!(swap.contains("all of \"h\" lie in memory"), "{swap}");
    let missing = with("on = \"d\"\n", "");
    assert!(missing.contains("\"on\" is missing"), "{missing}");
}
