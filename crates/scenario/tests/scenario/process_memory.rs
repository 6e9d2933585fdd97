//! Processes with memory of their own beside files: what they have more than there is goes to swap space, and they wait for it.

use crate::common::{once, once_of, problem};
use petrio_scenario::report::Report;
use petrio_scenario::{Claim, load_text};
use proptest::prelude::*;
use std::path::Path;

/// Two processes that read 4 KiB at random of files in memory, and use memory of their own before each; sizes in MiB.
fn processes(kernel: &str, host: u64, swap: u64, memory: &str) -> String {
    let family = if kernel.starts_with("linux-2") { "ext3" } else { "ext4" };
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive.latency = "5 ms"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "{kernel}"
memory = "{host} MiB"
swap = "{swap} MiB"
[fs.data]
type = "{family}"
on = "d"
[workload.w]
kind = "files"
on = "data"
operation = "read"
pattern = "random"
record = "4 KiB"
file_size = "4 MiB"
cached = true
processes = 2
operations = 200
memory = {memory}
"#
    )
}

fn own(size: u64, uses: u64, more: &str) -> String {
    format!("{{ size = \"{size} MiB\", uses = \"{uses} KiB\", {more} }}")
}

fn thrashes(report: &Report) -> bool {
    report.warnings.iter().any(|warning| warning.claim == Claim::Thrashing)
}

#[test]
fn who_has_more_than_there_is_waits_for_it_and_is_told_so_under_each_kernel() {
    for kernel in ["linux-2.6.24", "linux-2.6.27", "linux-3.2", "linux-6.18"] {
        let short = once(&processes(kernel, 64, 256, &own(48, 64, "")));
        let enough = once(&processes(kernel, 256, 256, &own(48, 64, "")));
        assert!(thrashes(&short) && !thrashes(&enough), "{kernel}: {:?}", short.warnings);
        let swap = |report: &Report| {
            let rows = report.traffic.iter().flat_map(|device| &device.purposes);
            let rows = rows.filter(|row| row.purpose == "swap");
            rows.fold([0, 0], |[out, back], row| [out + row.writes.bytes, back + row.reads.bytes])
        };
        let memory = &short.memory[0];
        let [written, read] = swap(&short);
        // All that has gone is written, and what comes back was read; what is under way at the end is neither.
        assert!(
            memory.swapped_in_bytes > 0 && memory.swapped_in_bytes <= memory.swapped_out_bytes,
            "{memory:?}"
        );
        assert!(
            (memory.swapped_in_bytes..memory.swapped_in_bytes + (1 << 20)).contains(&read),
            "{kernel}: {read}, {memory:?}"
        );
        assert!(
            (written..written + (1 << 20)).contains(&memory.swapped_out_bytes),
            "{kernel}: {written}, {memory:?}"
        );
        assert_eq!((swap(&enough), enough.memory[0].swapped_out_bytes), ([0, 0], 0), "{kernel}");
        assert!(short.simulated_s > 5.0 * enough.simulated_s, "{kernel}");
    }
}

#[test]
fn what_processes_share_is_there_once() {
    let apart = once(&processes("linux-6.18", 64, 256, &own(48, 64, "")));
    let shared = once(&processes("linux-6.18", 64, 256, &own(48, 64, "shared = true")));
    assert!(thrashes(&apart) && !thrashes(&shared));
    assert_eq!(shared.memory[0].swapped_out_bytes, 0);
}

/// A window of eight slots is read at once: who goes through memory in order waits less often than who jumps.
#[test]
fn memory_used_in_order_comes_back_sooner_than_the_same_at_random() {
    let waits = |order: &str| {
        let memory = own(48, 64, &format!("piece = \"4 KiB\", order = \"{order}\""));
        once(&processes("linux-6.18", 64, 256, &memory)).memory[0].waited_for_swap_ms
    };
    let [random, sequential] = ["random", "sequential"].map(waits);
    assert!(random > 2 * sequential, "{random} ms and {sequential} ms");
}

#[test]
fn memory_that_is_nowhere_is_refused() {
    let cases = [
        (processes("linux-6.18", 64, 16, &own(48, 64, "")), "one of them would be killed"),
        (processes("linux-6.18", 64, 256, &own(0, 64, "")), "size is 0"),
        (processes("linux-6.18", 64, 256, &own(8, 64, "piece = \"9 MiB\"")), "can't be used of a memory of"),
        (processes("linux-6.18", 64, 256, &own(8, 64, "order = \"up\"")), "\"up\" is not known here"),
    ];
    for (text, expected) in cases {
        assert!(problem(&text).contains(expected), "{}", problem(&text));
    }
    // The same with all of it shared fits.
    assert!(!thrashes(&once(&processes("linux-6.18", 64, 16, &own(48, 64, "shared = true")))));
}

/// So many megabytes of memory for two users of the thesis, or for four ranks, each with 40 of their own.
fn host(memory: u64) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive.latency = "1 ms"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "{memory} MiB"
swap = "512 MiB"
[fs.data]
type = "ext4"
on = "d"
size = "8 GiB"
"#
    )
}

/// Users touch their memory before each call: two of them who have more than there is wait for it, and in more sessions more.
#[test]
fn users_with_more_memory_than_there_is_wait_for_it_as_they_work() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users");
    let run = |memory: u64, sessions: u32, uses: &str| {
        let text = format!(
            "{}[workload.u]\nkind = \"users\"\non = \"data\"\nspecification = \"thesis.toml\"\nusers = 2\nsessions = {sessions}\n\
             memory = {{ size = \"80 MiB\", {uses} }}\n",
            host(memory)
        );
        let loaded = load_text("test.toml", &text, Some(&folder), &[]);
        once_of(&loaded.unwrap_or_else(|problems| panic!("{problems:?}")))
    };
    let uses = "uses = \"64 KiB\"";
    let [short, longer, enough] =
        [run(120, 2, uses), run(120, 5, uses), run(512, 2, uses)].map(|report| report.memory[0].clone());
    assert!(short.swapped_in_bytes > 0 && short.waited_for_swap_ms > 0, "{short:?}");
    assert!(longer.swapped_in_bytes > short.swapped_in_bytes, "{short:?} and {longer:?}");
    assert_eq!((enough.swapped_out_bytes, enough.swapped_in_bytes, enough.waited_for_swap_ms), (0, 0, 0));
    // Memory that nobody touches again goes, and doesn't come back.
    let untouched = run(120, 2, "piece = \"64 KiB\"").memory[0].clone();
    assert!(untouched.swapped_out_bytes > 0 && untouched.swapped_in_bytes == 0, "{untouched:?}");
}

/// Ranks meet at barriers: the memory of one that has gone to swap space is waited for by all of them, and the report warns.
#[test]
fn ranks_with_more_memory_than_there_is_thrash_and_are_told_so() {
    let run = |memory: u64, shared: &str| {
        once(&format!(
            "{}[workload.p]\nkind = \"parallel\"\non = \"data\"\nranks = 4\nmemory = {{ size = \"40 MiB\", uses = \"256 KiB\"{shared} }}\n\
             program.kind = \"steps\"\nprogram.steps = [{{ repeat = {{ times = 20, measure = \"steps\", steps = [\n\
             {{ compute = \"100 us\" }}, {{ all-reduce = {{ bytes = \"8 B\" }} }},\n\
             {{ write = {{ file = \"state\", bytes = \"256 KiB\", transfer = \"64 KiB\" }} }} ] }} }}]\n",
            host(memory)
        ))
    };
    let (short, enough, shared) = (run(96, ""), run(512, ""), run(96, ", shared = true"));
    assert!(thrashes(&short) && !thrashes(&enough) && !thrashes(&shared), "{:?}", short.warnings);
    let seconds = |report: &Report| report.jobs[0].phases[0].seconds;
    assert!(seconds(&short) > 5.0 * seconds(&enough), "{} s and {} s", seconds(&short), seconds(&enough));
    assert!(short.memory[0].swapped_in_bytes > 0 && enough.memory[0].swapped_out_bytes == 0);
    // What all share is there once.
    assert!(seconds(&shared) < 1.5 * seconds(&enough), "{} s and {} s", seconds(&shared), seconds(&enough));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn more_memory_is_never_slower_and_using_less_neither(
        size in 8u64..60, uses in 1u64..64, host in 64u64..160, sequential: bool, kernel in 0usize..4,
    ) {
        let kernel = ["linux-2.6.24", "linux-2.6.27", "linux-3.2", "linux-6.18"][kernel];
        let order = if sequential { "order = \"sequential\"" } else { "" };
        let took = |host, uses| once(&processes(kernel, host, 256, &own(size, 4 * uses, order))).simulated_s;
        let [less, more] = [host, 2 * host].map(|host| took(host, uses));
        prop_assert!(more <= less * 1.03 + 1e-4, "{host} MiB {less} s, twice that {more} s");
        // Pieces are of 64 KiB: what is more than one of them takes another.
        let little = took(host, uses.div_ceil(2));
        prop_assert!(little <= less * 1.1 + 1e-3, "{uses}: {less} s, half of it {little} s");
    }
}
