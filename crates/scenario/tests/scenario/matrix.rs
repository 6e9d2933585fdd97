//! Everything that blocks lie on × every kind of drive × every kind of workload: what holds of all of them, whatever they are.
//!
//! `make test` runs pairs that cover the table; with PETRIO_FULL_MATRIX=1 (`make test-all`) the whole of it. The laws: what is asked comes back
//! and nothing is under way at the end; what was written and made durable has reached devices; no figure is negative, none faster than
//! the drives' interfaces; percentiles are in order; nothing is busier than it can be; N = X·R of closed loads (Little, "A proof for the
//! queuing formula L = λW", 1961); and a second system that shares nothing changes nothing.

use crate::common::laws::{Broken, kept};
use crate::common::once;

/// Drives: a name, the model, and what its interface or its medium moves at most, bytes a second.
const DRIVES: [(&str, f64); 7] = [
    ("constant-rate", 200e6),
    ("simple-ssd-32gb-slc", 300e6),
    ("analytic-nearline-7200", 300e6),
    ("seagate-exos-x16-16tb", 600e6),
    ("seagate-savvio-10k4", 600e6),
    ("seagate-st3146707lc", 320e6),
    ("hp-c2247a", 20e6),
];

/// What blocks lie on, by the name under which it is asked, how many drives it has, and what is written of it.
const HOLDERS: [(&str, u32, &str); 14] = [
    ("d", 1, ""),
    ("r", 3, "[raid.r]\nlevel = 0\non = \"d*\"\n"),
    ("r", 2, "[raid.r]\nlevel = 1\nuse = \"linux-md\"\non = \"d*\"\n"),
    ("r", 4, "[raid.r]\nlevel = \"1+0\"\nuse = \"linux-md\"\non = \"d*\"\n"),
    ("r", 3, "[raid.r]\nlevel = 4\non = \"d*\"\n"),
    ("r", 4, "[raid.r]\nlevel = 5\nuse = \"linux-md\"\nstripe_unit = \"64 KiB\"\non = \"d*\"\n"),
    ("r", 5, "[raid.r]\nlevel = 6\nuse = \"linux-md\"\nstripe_unit = \"64 KiB\"\non = \"d*\"\n"),
    ("r", 4, "[raid.r]\nlevel = 5\nuse = \"perc-h700\"\non = \"d*\"\n"),
    ("r", 5, "[raid.r]\nlevel = 6\nuse = \"perc-h700\"\non = \"d*\"\n"),
    ("c", 2, "[concat.c]\non = \"d*\"\n"),
    ("p", 1, "[partition.p]\non = \"d\"\nfrom = \"25 %\"\nsize = \"50 %\"\n"),
    ("f", 1, "[fabric.f]\non = \"d\"\nadapter = \"10 us\"\nlatency = \"40 us\"\nrate = \"1 GB/s\"\n"),
    ("t", 1, "[throttle.t]\non = \"d\"\nread_iops = 500\nwrite_rate = \"20 MiB/s\"\n"),
    ("m", 1, "[rearrangement.m]\non = \"d\"\npiece = \"64 KiB\"\nevery = \"1 s\"\n"),
];

/// Workloads of block requests on `ON`: how many requests, how many are always under way where that is said, and what is written.
const ON_BLOCKS: [(u64, Option<f64>, &str); 4] = [
    (
        80,
        Some(4.0),
        "[workload.w]\nkind = \"synthetic\"\non = \"ON\"\nrequests = 80\n\
         generators = [CLOSED, CLOSED, CLOSED, CLOSED]\n",
    ),
    (
        60,
        None,
        "[workload.w]\nkind = \"synthetic\"\non = \"ON\"\nrequests = 60\n\
         generators = [{ read_fraction = 0.5, time_critical_fraction = 0.5, inter_arrival = { exponential = { mean = \"20 ms\" } }, size = \"4 KiB\" }]\n",
    ),
    (
        60,
        Some(1.0),
        "[workload.w]\nkind = \"synthetic\"\non = \"ON\"\nrequests = 60\n\
         generators = [{ read_fraction = 0, sequential_fraction = 1, time_critical_fraction = 1, inter_arrival = { constant = \"0 s\" }, size = { constant = \"64 KiB\" } }]\n",
    ),
    (
        60,
        None,
        "[workload.w]\nkind = \"synthetic\"\non = \"ON\"\nrequests = 60\n\
         generators = [{ read_fraction = 0.3, time_critical_fraction = 0, inter_arrival = { constant = \"1 ms\" }, size = { constant = \"16 KiB\" } }]\n",
    ),
];
const CLOSED: &str = "{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = { constant = \"0 s\" }, size = { constant = \"8 KiB\" } }";

/// Workloads of file operations on `ON`: bytes that they write and make durable, and what is written.
const ON_FILES: [(u64, &str); 5] = [
    (
        4 << 20,
        "[workload.w]\nkind = \"files\"\non = \"ON\"\noperation = \"write\"\nrecord = \"256 KiB\"\nfile_size = \"2 MiB\"\n\
         processes = 2\nfsync = \"at-end\"\n",
    ),
    (
        0,
        "[workload.w]\nkind = \"files\"\non = \"ON\"\noperation = \"read\"\nrecord = \"64 KiB\"\nfile_size = \"1 MiB\"\nprocesses = 3\n",
    ),
    (
        20 * (68 << 10),
        "[workload.w]\nkind = \"script\"\non = \"ON\"\nscript = \"\"\"file a 1 MiB\nrepeat 10 { read a 0 4 KiB; write a 0 4 KiB; \
         write a 128 KiB 64 KiB; fsync a; think 1 ms }\"\"\"\nprocesses = 2\n",
    ),
    (
        0,
        "[workload.w]\nkind = \"files\"\non = \"ON\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\nfile_size = \"8 MiB\"\noperations = 20\n",
    ),
    (
        0,
        "[workload.w]\nkind = \"parallel\"\non = \"ON\"\nranks = 2\nprogram = { kind = \"ior\", command = \"ior -a POSIX -F -w -r -b 1m -t 256k\" }\n",
    ),
];

/// Where files lie: where workloads go, and what is written beside disks and what holds them, which are `ON`.
const MOUNTS: [(&str, &str); 7] = [
    (
        "data",
        "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.27\"\n[fs.data]\ntype = \"ext3\"\nLIES",
    ),
    (
        "data",
        "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-3.2\"\n[fs.data]\ntype = \"ext3\"\nLIES",
    ),
    (
        "data",
        "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.1\"\n[fs.data]\ntype = \"ext4\"\nLIES",
    ),
    (
        "data",
        "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.data]\ntype = \"ext4\"\nLIES",
    ),
    (
        "client/work",
        "CLIENT[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-3.2\"\n[fs.data]\nhost = \"h\"\ntype = \"ext3\"\nLIES\
                     [share.work]\nclients = \"client\"\nservers = \"data\"\n",
    ),
    (
        "client/work",
        "CLIENT[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.data]\nhost = \"h\"\ntype = \"ext4\"\nLIES\
                     [pvfs.work]\nclients = \"client\"\nservers = \"data\"\n",
    ),
    ("client/work", "FABRIC[san.work]\nclients = \"client\"\non = \"ON\"\n"),
];
const LIES: &str = "on = \"ON\"\nsize = \"480 MiB\"\n";
const CLIENT: &str = "[network.lan]\nuse = \"gigabit-ethernet\"\n[host.client]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n";

/// The pairs of three dimensions that stand for all: each of the second with each of the third, and the first in turn.
fn cells(first: usize, second: usize, third: usize) -> Vec<[usize; 3]> {
    let whole = std::env::var_os("PETRIO_FULL_MATRIX").is_some();
    let mut cells = Vec::new();
    for b in 0..second {
        for c in 0..third {
            match whole {
                true => cells.extend((0..first).map(|a| [a, b, c])),
                // Steps without a common divisor with the dimension visit all of it.
                false => cells.push([(b * third + c) % first, b, c]),
            }
        }
    }
    cells
}

fn disks((model, _): (&str, f64), count: u32) -> String {
    let count = if count > 1 { format!("count = {count}\n") } else { String::new() };
    format!("[disk.d]\nmodel = \"{model}\"\n{count}")
}

fn told(broken: &[String]) {
    assert!(broken.is_empty(), "{} of them break laws:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn block_requests_keep_the_laws_on_whatever_holds_blocks_over_every_kind_of_drive() {
    let mut all = Vec::new();
    for [drive, holder, workload] in cells(DRIVES.len(), HOLDERS.len(), ON_BLOCKS.len()) {
        let (on, count, parts) = HOLDERS[holder];
        let (requests, closed, workload) = ON_BLOCKS[workload];
        let workload = workload.replace("ON", on).replace("CLOSED", CLOSED);
        let text = format!("seed = 7\n{}{parts}{workload}", disks(DRIVES[drive], count));
        let mut broken = Broken::default();
        let Some(report) = broken.run(&text) else {
            all.push(format!("{text}{}", broken.0));
            continue;
        };
        let served = &report.served;
        broken
            .unless(served.requests.completed == requests, || format!("{} done", served.requests.completed));
        if let Some(clients) = closed {
            let response = served.latency.as_ref().unwrap().mean_ms.value / 1e3;
            let there = served.requests_per_s.value * response;
            // At the end, fewer and fewer are left.
            broken.unless((0.8 * clients..1.001 * clients).contains(&there), || {
                format!("N is {clients}, X·R {there}")
            });
        }
        let fastest = DRIVES[drive].1 * f64::from(count);
        let rate = served.throughput_bytes_per_s.value;
        let cached = parts.contains("perc");
        broken.unless(cached || rate <= fastest, || format!("{rate} bytes/s of {fastest}"));
        if !broken.0.is_empty() {
            all.push(format!("{text}{}", broken.0));
        }
    }
    told(&all);
}

#[test]
fn files_keep_the_laws_on_every_mount_over_whatever_holds_blocks() {
    let mut all = Vec::new();
    for [holder, mount, workload] in cells(HOLDERS.len(), MOUNTS.len(), ON_FILES.len()) {
        let (on, count, parts) = HOLDERS[holder];
        let (to, mount) = MOUNTS[mount];
        let (durable, workload) = ON_FILES[workload];
        let fabric = CLIENT.replace("gigabit-ethernet", "fibre-channel-2g");
        let mount = mount
            .replace("CLIENT", CLIENT)
            .replace("FABRIC", &fabric)
            .replace("LIES", LIES)
            .replace("ON", on);
        let drive = DRIVES[(3 * holder + workload.len()) % DRIVES.len()];
        let workload = workload.replace("ON", to);
        let text = format!("seed = 7\n{}{parts}{mount}{workload}", disks(drive, count));
        let mut broken = Broken::default();
        let Some(report) = broken.run(&text) else {
            all.push(format!("{text}{}", broken.0));
            continue;
        };
        let kept = kept(&report, false);
        broken.unless(kept >= durable, || format!("{durable} bytes were made durable, {kept} are kept"));
        if !broken.0.is_empty() {
            all.push(format!("{text}{}", broken.0));
        }
    }
    told(&all);
}

#[test]
fn a_second_system_that_shares_nothing_changes_nothing_of_the_first() {
    let other = "[disk.other]\nmodel = \"seagate-st3146707lc\"\n[workload.beside]\nkind = \"synthetic\"\non = \"other\"\nrequests = 30\n\
                 generators = [{ read_fraction = 0.5, time_critical_fraction = 1, inter_arrival = \"5 ms\", size = \"4 KiB\" }]\n";
    for (number, (on, count, parts)) in HOLDERS.into_iter().enumerate() {
        let workload = ON_BLOCKS[1].2.replace("ON", on);
        let text = format!("seed = 7\n{}{parts}{workload}", disks(DRIVES[number % DRIVES.len()], count));
        let (alone, both) = (once(&text), once(&format!("{text}{other}")));
        let row = both.served.workloads.iter().find(|row| row.workload == "w").unwrap();
        assert_eq!(row.latency, alone.served.latency, "{text}");
        assert_eq!(
            (row.completed, row.bytes),
            (alone.served.requests.completed, alone.served.bytes),
            "{text}"
        );
    }
}
