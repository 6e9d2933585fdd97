//! What the matrix is made of.

use std::fmt::Write;
use std::path::Path;

/// Drives: a name, the model, and what its interface or its medium moves at most, bytes a second.
pub(super) const DRIVES: [(&str, f64); 8] = [
    ("constant-rate", 200e6),
    ("simple-ssd-32gb-slc", 300e6),
    ("samsung-970-evo-500gb", 3_742e6),
    ("analytic-nearline-7200", 300e6),
    ("seagate-exos-x16-16tb", 600e6),
    ("seagate-savvio-10k4", 600e6),
    ("seagate-st3146707lc", 320e6),
    ("hp-c2247a", 20e6),
];

/// What blocks lie on, by the name under which it is asked, how many drives it has, and what is written of it.
pub(super) const HOLDERS: [(&str, u32, &str); 23] = [
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
    (
        "x",
        1,
        "[multipath.x]\non = \"d\"\ngroups = \"multibus\"\ndetected_after = \"20 ms\"\npolling_interval = \"50 ms\"\n\
         link = { adapter = \"10 us\", latency = \"40 us\", rate = \"1 GB/s\" }\n\
         paths = [{ failures = [{ at = \"8 ms\", restored_after = \"100 ms\" }] }, {}]\n",
    ),
    ("t", 1, "[throttle.t]\non = \"d\"\nread_iops = 500\nwrite_rate = \"20 MiB/s\"\n"),
    ("m", 1, "[rearrangement.m]\non = \"d\"\npiece = \"64 KiB\"\nevery = \"1 s\"\n"),
    // Pools of Ceph: copies, shards, and an OSD that stops and comes back.
    (
        "e",
        3,
        "[network.n]\nlink = { rate = \"10 Gbit/s\", latency = \"5 us\" }\n\
         [ceph.e]\non = \"d*\"\nnodes = { network = \"n\" }\nimage = \"512 MiB\"\nsize = 2\n",
    ),
    (
        "e",
        3,
        "[network.n]\nlink = { rate = \"10 Gbit/s\", latency = \"5 us\" }\n\
         [ceph.e]\non = \"d*\"\nnodes = { network = \"n\" }\nimage = \"512 MiB\"\nerasure = { data = 2, coding = 1 }\n",
    ),
    (
        "e",
        4,
        "[network.n]\nlink = { rate = \"10 Gbit/s\", latency = \"5 us\" }\n\
         [ceph.e]\non = \"d*\"\nnodes = { network = \"n\" }\nimage = \"512 MiB\"\nsize = 3\n\
         recovery = { grace = \"20 ms\", down_out_interval = \"100 ms\" }\n\
         stops = [{ osd = 1, at = \"8 ms\", returns_after = \"60 ms\" }, { osd = 2, at = \"150 ms\" }]\n",
    ),
    // Members that are lost while they are asked, of arrays that do without: alone, filled anew on a spare, replaced, two of them.
    (
        "r",
        2,
        "[raid.r]\nlevel = 1\nuse = \"linux-md\"\non = \"d*\"\nfailures = [{ member = 0, at = \"8 ms\" }]\n",
    ),
    (
        "r",
        5,
        "[raid.r]\nlevel = 5\nuse = \"linux-md\"\non = \"d*\"\nspares = 1\nfailures = [{ member = 1, at = \"8 ms\" }]\n",
    ),
    (
        "r",
        5,
        "[raid.r]\nlevel = 6\nuse = \"linux-md\"\non = \"d*\"\nreplaced_after = \"20 ms\"\n\
         failures = [{ member = 0, at = \"8 ms\" }, { member = 3, at = \"30 ms\" }]\n",
    ),
    (
        "r",
        4,
        "[raid.r]\nlevel = 5\nuse = \"perc-h700\"\non = \"d*\"\nfailures = [{ member = 2, at = \"8 ms\" }]\n",
    ),
    (
        "r",
        4,
        "[raid.r]\nlevel = \"1+0\"\nuse = \"linux-md\"\non = \"d*\"\nfailures = [{ member = 1, at = \"8 ms\" }]\n",
    ),
];

/// Workloads of block requests on `ON`: how many requests, how many are always under way where that is said, and what is written.
pub(super) const ON_BLOCKS: [(u64, Option<f64>, &str); 7] = [
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
    // Recorded requests, as they came and each after the one before.
    (
        RECORDED,
        None,
        "[workload.w]\nkind = \"trace\"\non = \"ON\"\nfiles = [\"blocks.trace\"]\nreplay = \"open\"\n",
    ),
    (
        RECORDED,
        None,
        "[workload.w]\nkind = \"trace\"\non = \"ON\"\nfiles = [\"blocks.trace\"]\nreplay = \"closed\"\n",
    ),
    // Beside a program that computes between its accesses, at random.
    (
        60 + RECORDED,
        None,
        "[workload.w]\nkind = \"synthetic\"\non = \"ON\"\nrequests = 60\ngenerators = [CLOSED]\n\
         [workload.v]\nkind = \"trace\"\non = \"ON\"\nfiles = [\"blocks.trace\"]\n",
    ),
];
pub(super) const CLOSED: &str = "{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = { constant = \"0 s\" }, size = { constant = \"8 KiB\" } }";

/// Workloads of file operations on `ON`: bytes that they write and make durable, and what is written.
pub(super) const ON_FILES: [(u64, &str); 11] = [
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
    // Recorded requests to files, calls, and requests to a device that a file stands for.
    (0, "[workload.w]\nkind = \"file-trace\"\non = \"ON\"\nfile = \"requests.csv\"\n"),
    (0, "[workload.w]\nkind = \"events\"\non = \"ON\"\nfile = \"calls.strace\"\n"),
    (0, "[workload.w]\nkind = \"events\"\non = \"ON\"\nfile = \"blocks.trace\"\ndevice_room = \"16 MiB\"\n"),
    (
        0,
        "[workload.w]\nkind = \"users\"\non = \"ON\"\nspecification = \"users.toml\"\nusers = 2\nsessions = 1\n",
    ),
    (
        2 << 20,
        "[workload.w]\nkind = \"parallel\"\non = \"ON\"\nranks = 2\nprogram = { kind = \"ior\", command = \"ior -a POSIX -F -w -e -b 1m -t 256k\" }\n",
    ),
    // Programs of two kinds side by side, on files; who is less urgent isn't of the idle class, whom cfq serves when a rebuild is over.
    (
        40 << 10,
        "[workload.w]\nkind = \"script\"\non = \"ON\"\nscript = \"file a 64 KiB; repeat 10 { write a 0 4 KiB; fsync a }\"\n\
         [workload.v]\nkind = \"files\"\non = \"ON\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"16 KiB\"\nfile_size = \"2 MiB\"\n\
         operations = 20\nthink_time = \"2 ms\"\nio_priority = 7\n",
    ),
];

/// Where files lie: where workloads go, and what is written beside disks and what holds them, which are `ON`.
pub(super) const MOUNTS: [(&str, &str); 10] = [
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
    (
        "client/work",
        "CLIENT[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.data]\nhost = \"h\"\ntype = \"ext4\"\nLIES\
                     [nfs.work]\nclients = \"client\"\nserver = \"data\"\noptions = \"vers=3\"\n",
    ),
    (
        "client/work",
        "CLIENT[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.data]\nhost = \"h\"\ntype = \"ext4\"\nLIES\
                     [disk.names]\nmodel = \"intel-dc-s3500-480gb\"\n[fs.names]\nhost = \"h\"\ntype = \"ext4\"\non = \"names\"\n\
                     [lustre.work]\nclients = \"client\"\nmdts = \"names\"\nosts = \"data\"\n",
    ),
    (
        "client/work",
        "CLIENT[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[fs.data]\nhost = \"h\"\ntype = \"ext4\"\nLIES\
                     [disk.names]\nmodel = \"intel-dc-s3500-480gb\"\n[fs.names]\nhost = \"h\"\ntype = \"ext4\"\non = \"names\"\n\
                     [beegfs.work]\nclients = \"client\"\nmetas = \"names\"\ntargets = \"data\"\ntargets_per_file = 1\n",
    ),
    ("client/work", "FABRIC[san.work]\nclients = \"client\"\non = \"ON\"\n"),
];
pub(super) const LIES: &str = "on = \"ON\"\nsize = \"480 MiB\"\n";
pub(super) const CLIENT: &str = "[network.lan]\nuse = \"gigabit-ethernet\"\n[host.client]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n";

/// The schedulers that a mount's kernel has (block/Kconfig.iosched of each version); the first is its default.
const SCHEDULERS: [(&str, &[&str]); 4] = [
    ("linux-2.6.27", &["cfq", "deadline", "noop", "anticipatory"]),
    ("linux-3.2", &["cfq", "deadline", "noop"]),
    ("linux-6.1", &["mq-deadline", "bfq", "kyber", "none"]),
    ("linux-6.18", &["mq-deadline", "bfq", "kyber", "none"]),
];

/// As many as any kernel has.
pub(super) const MOST_SCHEDULERS: usize = 4;

/// The schedulers of a mount, by the kernel of the host whose file system lies on blocks; none where no host has a queue of its own.
pub(super) fn schedulers(mount: &str) -> &'static [&'static str] {
    let Some((_, host)) = mount.split_once("[host.h]") else { return &[] };
    let of = SCHEDULERS.iter().find(|(kernel, _)| host.contains(&format!("\"{kernel}\"")));
    of.map_or(&[], |(_, names)| names)
}

/// How many requests the recorded ones are.
pub(super) const RECORDED: u64 = 80;

/// Writes the files that workloads name into a folder: recorded requests and calls, made here by counting, and a specification of
/// users.
pub(super) fn write_inputs(folder: &Path) {
    let mut blocks = String::new();
    for number in 0..RECORDED {
        // Time in milliseconds, device, block, blocks, and whether it is a read (DiskSim's ASCII): bursts of four, near and far ones.
        let (burst, place) = (number / 4 * 9 + number % 4, number * 7_919 % 61);
        let _ = writeln!(
            blocks,
            "{burst}.0 0 {} {} {}",
            place * 1_024,
            8 << (number % 4),
            u8::from(number % 3 == 1)
        );
    }
    std::fs::write(folder.join("blocks.trace"), blocks).unwrap();
    let mut requests = "offset_bytes,length_bytes,operation,process,think_ms\n".to_owned();
    for number in 0..60 {
        let (process, step) = (number % 2, number / 2);
        let _ = match step % 5 {
            4 => writeln!(requests, "0,0,F,{process},1"),
            3 => writeln!(requests, "{},8192,W,{process},0", step * 37 % 64 * 8_192),
            _ => writeln!(requests, "{},4096,R,{process},2", step * 53 % 128 * 4_096),
        };
    }
    std::fs::write(folder.join("requests.csv"), requests).unwrap();
    let mut calls = String::new();
    let mut call = |process: u32, at: u32, what: &str| {
        let _ = writeln!(calls, "{process} 1795223276.{at:06} {what} <0.000050>");
    };
    for process in [7, 8] {
        let file = format!("3</x/file-{process}>");
        let first = process * 100;
        call(process, first, &format!("openat(AT_FDCWD</x>, \"file-{process}\", O_RDWR|O_CREAT) = {file}"));
        for number in 1..12 {
            let at = first + number * 2_000;
            call(process, at, &format!("write({file}, \"\"..., 12288) = 12288"));
            if number % 4 == 0 {
                call(process, at + 900, &format!("fsync({file}) = 0"));
            }
        }
        call(process, first + 26_000, &format!("pread64({file}, \"\"..., 4096, 8192) = 4096"));
        call(process, first + 28_000, &format!("close({file}) = 0", file = "3"));
        call(process, first + 30_000, &format!("unlink(\"/x/file-{process}\") = 0"));
    }
    let mut lines: Vec<&str> = calls.lines().collect();
    // In the order of their times, as strace writes them.
    lines.sort_by_key(|line| line.split(' ').nth(1).map(str::to_owned));
    std::fs::write(folder.join("calls.strace"), lines.join("\n") + "\n").unwrap();
    let users = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users/thesis.toml");
    let users = std::fs::read_to_string(users).unwrap().replace("count = 1000", "count = 60");
    std::fs::write(folder.join("users.toml"), users).unwrap();
}
