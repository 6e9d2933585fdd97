//! Random scenarios from a grammar, valid by construction: a drive, what holds its blocks, where files lie or none do, and a workload.
//! The laws of every run hold, what makes a part better makes no run longer (`laws.rs`), and what reports advise comes true
//! (`advice.rs`).
//!
//! `make test` runs some dozens under a fixed seed, `make test-all` thousands under new ones (PETRIO_RANDOM_SCENARIOS); what fails is shrunk,
//! and printed with its text. Times are held against each other within 3 %: with another drive or more members requests meet other angles,
//! so that a run of few requests may be longer by a revolution a request; such laws are of drives that don't turn.

mod advice;
mod laws;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt::Debug;

/// A drive; of the first, which doesn't turn, the latency in µs and the rate in MB/s.
#[derive(Clone, Debug)]
enum Drive {
    Constant { latency: u32, rate: u32 },
    Model(&'static str),
}

/// What holds blocks.
#[derive(Clone, Copy, Debug)]
enum Holder {
    Disk,
    Array { level: &'static str, members: u32, unit_kib: u32, profile: Option<&'static str> },
    Concatenation { members: u32 },
    Partition { from: u32 },
    Fabric { rate: u32 },
    Throttle { iops: u32 },
}

/// Where files lie; nowhere, for block requests.
#[derive(Clone, Copy, Debug)]
enum Mount {
    Blocks,
    Local { kernel: &'static str, ext4: bool, mode: &'static str, memory_mib: u32 },
    Share { on_close: bool },
    Pvfs,
}

/// What is asked for, by as many.
#[derive(Clone, Copy, Debug)]
struct Load {
    processes: u32,
    kib: u32,
    writes: bool,
    random: bool,
    durable: u32,
    gap_us: u32,
}

#[derive(Clone, Debug)]
struct Scenario {
    drive: Drive,
    holder: Holder,
    mount: Mount,
    asked: Load,
    seed: u32,
}

/// Accesses of each process.
const ACCESSES: u32 = 24;
/// No fsync: what closes a file on a share with `writes = "on-close"` makes it durable, and nothing else.
const NEVER: u32 = 1_000;

impl Scenario {
    fn members(&self) -> u32 {
        match self.holder {
            Holder::Array { members, .. } | Holder::Concatenation { members } => members,
            _ => 1,
        }
    }

    /// The text, with what comes on top of it.
    fn text(&self) -> String {
        let model = match &self.drive {
            Drive::Constant { latency, rate } => {
                format!(
                    "model = \"constant-rate\"\ndrive = {{ latency = \"{latency} us\", rate = \"{rate} MB/s\" }}\n"
                )
            }
            Drive::Model(model) => format!("model = \"{model}\"\n"),
        };
        let count = match self.members() {
            1 => String::new(),
            members => format!("count = {members}\n"),
        };
        let (on, holder) = match self.holder {
            Holder::Disk => ("d", String::new()),
            Holder::Array { level, unit_kib, profile, .. } => {
                let profile = profile.map_or(String::new(), |profile| format!("use = \"{profile}\"\n"));
                let unit =
                    if level == "1" { String::new() } else { format!("stripe_unit = \"{unit_kib} KiB\"\n") };
                let level = if level == "1+0" { "\"1+0\"" } else { level };
                ("r", format!("[raid.r]\n{profile}level = {level}\n{unit}on = \"d*\"\n"))
            }
            Holder::Concatenation { .. } => ("c", "[concat.c]\non = \"d*\"\n".to_owned()),
            Holder::Partition { from } => {
                ("p", format!("[partition.p]\non = \"d\"\nfrom = \"{from} %\"\nsize = \"40 %\"\n"))
            }
            Holder::Fabric { rate } => (
                "f",
                format!(
                    "[fabric.f]\non = \"d\"\nadapter = \"10 us\"\nlatency = \"20 us\"\nrate = \"{rate} MB/s\"\n"
                ),
            ),
            Holder::Throttle { iops } => {
                ("t", format!("[throttle.t]\non = \"d\"\nread_iops = {iops}\nwrite_iops = {iops}\n"))
            }
        };
        let lies = format!("on = \"{on}\"\nsize = \"380 MiB\"\n");
        let server = format!("{CLIENT}[host.h]\n{SERVER}[fs.data]\nhost = \"h\"\ntype = \"ext4\"\n{lies}");
        let (to, mount) = match self.mount {
            Mount::Blocks => (on, String::new()),
            Mount::Local { kernel, ext4, mode, memory_mib } => {
                let family = if ext4 { "ext4" } else { "ext3" };
                let host = format!(
                    "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"{kernel}\"\nmemory = \"{memory_mib} MiB\"\n"
                );
                (
                    "data",
                    format!(
                        "{host}[fs.data]\ntype = \"{family}\"\njournal = {{ mode = \"{mode}\" }}\n{lies}"
                    ),
                )
            }
            Mount::Share { on_close } => {
                let writes = if on_close { "writes = \"on-close\"\n" } else { "" };
                (
                    "client/work",
                    format!("{server}[share.work]\nclients = \"client\"\nservers = \"data\"\n{writes}"),
                )
            }
            Mount::Pvfs => {
                ("client/work", format!("{server}[pvfs.work]\nclients = \"client\"\nservers = \"data\"\n"))
            }
        };
        format!("seed = {}\n[disk.d]\n{model}{count}{holder}{mount}{}", self.seed, self.workload(to))
    }

    fn workload(&self, on: &str) -> String {
        let Load { processes, kib, writes, random, durable, gap_us } = self.asked;
        if matches!(self.mount, Mount::Blocks) {
            let (reads, sequential) = (u32::from(!writes), u32::from(!random));
            let one = format!(
                "{{ read_fraction = {reads}, sequential_fraction = {sequential}, time_critical_fraction = 1, \
                 inter_arrival = {{ constant = \"{gap_us} us\" }}, size = {{ constant = \"{kib} KiB\" }} }}"
            );
            let all = vec![one; processes as usize].join(", ");
            return format!(
                "[workload.w]\nkind = \"synthetic\"\non = \"{on}\"\nrequests = {}\ngenerators = [{all}]\n",
                processes * ACCESSES
            );
        }
        let operation = match (writes, random) {
            (true, true) => "rewrite",
            (true, false) => "write",
            (false, _) => "read",
        };
        let pattern = if random { "random" } else { "sequential" };
        let fsync = match (writes, durable) {
            (false, _) => String::new(),
            (true, NEVER) => "timing = \"with-close\"\nopen_close = true\n".to_owned(),
            (true, 0) => "fsync = \"at-end\"\n".to_owned(),
            (true, every) => format!("fsync = {{ every = {every} }}\n"),
        };
        format!(
            "[workload.w]\nkind = \"files\"\non = \"{on}\"\noperation = \"{operation}\"\npattern = \"{pattern}\"\nrecord = \"{kib} KiB\"\n\
             file_size = \"{} KiB\"\nprocesses = {processes}\nthink_time = \"{gap_us} us\"\n{fsync}",
            kib * ACCESSES
        )
    }

    fn logs_data(&self) -> bool {
        matches!(self.mount, Mount::Local { mode: "journal", .. })
    }

    /// Bytes that are made durable.
    fn durable(&self) -> u64 {
        let Load { processes, kib, writes, durable, .. } = self.asked;
        // Beyond the last fsync nothing is promised.
        let accesses = match (durable, self.mount) {
            (NEVER, Mount::Share { on_close: true }) => ACCESSES,
            (NEVER, _) => 0,
            (every, _) => ACCESSES.checked_div(every).map_or(ACCESSES, |times| times * every),
        };
        match (self.mount, writes) {
            (Mount::Blocks, _) | (_, false) => 0,
            _ => u64::from(processes * kib * accesses) << 10,
        }
    }
}

const CLIENT: &str = "[network.lan]\nuse = \"gigabit-ethernet\"\n[host.client]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n";
const SERVER: &str = "machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n";

fn drives() -> impl Strategy<Value = Drive> {
    let models = [
        "simple-ssd-32gb-slc",
        "intel-dc-s3700-400gb",
        "samsung-980-pro-1tb",
        "seagate-exos-x16-16tb",
        "seagate-st3146707lc",
        "western-digital-wd800bb",
        "hp-c2247a",
    ];
    prop_oneof![constant(), prop::sample::select(models.to_vec()).prop_map(Drive::Model),]
}

fn constant() -> impl Strategy<Value = Drive> {
    (50..5_000u32, 20..800u32).prop_map(|(latency, rate)| Drive::Constant { latency, rate })
}

fn holders() -> impl Strategy<Value = Holder> {
    let units = prop::sample::select(vec![16u32, 64, 256]);
    let profile = prop::sample::select(vec![None, Some("linux-md"), Some("perc-h700")]);
    let array = |level: &'static str, members: std::ops::Range<u32>| {
        (members, units.clone(), profile.clone()).prop_map(move |(members, unit_kib, profile)| {
            let members = if level == "1+0" { members / 2 * 2 } else { members };
            Holder::Array { level, members, unit_kib, profile }
        })
    };
    prop_oneof![
        Just(Holder::Disk),
        array("0", 2..6),
        array("1", 2..4),
        array("1+0", 4..7),
        array("5", 3..7),
        array("6", 4..7),
        (2..4u32).prop_map(|members| Holder::Concatenation { members }),
        (0..60u32).prop_map(|from| Holder::Partition { from }),
        (50..1_000u32).prop_map(|rate| Holder::Fabric { rate }),
        (50..2_000u32).prop_map(|iops| Holder::Throttle { iops }),
    ]
}

fn mounts() -> impl Strategy<Value = Mount> {
    let kernels = prop::sample::select(vec!["linux-2.6.27", "linux-3.2", "linux-6.1", "linux-6.18"]);
    let modes = prop::sample::select(vec!["ordered", "write-back", "journal"]);
    let memory = prop::sample::select(vec![64u32, 256, 1024]);
    let local = (kernels, any::<bool>(), modes, memory).prop_map(|(kernel, ext4, mode, memory_mib)| {
        // ext4 is there from 2.6.28 on.
        Mount::Local { kernel, ext4: ext4 && kernel != "linux-2.6.27", mode, memory_mib }
    });
    prop_oneof![
        3 => Just(Mount::Blocks),
        3 => local,
        1 => any::<bool>().prop_map(|on_close| Mount::Share { on_close }),
        1 => Just(Mount::Pvfs),
    ]
}

fn asked() -> impl Strategy<Value = Load> {
    let sizes = prop::sample::select(vec![4u32, 12, 64, 256]);
    let gaps = prop::sample::select(vec![0u32, 100, 5_000]);
    (1..4u32, sizes, any::<bool>(), any::<bool>(), prop::sample::select(vec![0u32, 1, 7, NEVER]), gaps)
        .prop_map(|(processes, kib, writes, random, durable, gap_us)| Load {
            processes,
            kib,
            writes,
            random,
            durable,
            gap_us,
        })
}

/// Any of them.
fn scenarios() -> impl Strategy<Value = Scenario> {
    (drives(), holders(), mounts(), asked(), 0..1_000u32)
        .prop_map(|(drive, holder, mount, asked, seed)| Scenario { drive, holder, mount, asked, seed })
}

/// Those of drives that don't turn, without a throttle.
fn without_angles() -> impl Strategy<Value = Scenario> {
    (constant(), holders(), mounts(), asked(), 0..1_000u32)
        .prop_map(|(drive, holder, mount, asked, seed)| Scenario { drive, holder, mount, asked, seed })
}

/// Tries a law on so many scenarios, or as many as PETRIO_RANDOM_SCENARIOS says.
fn holds(
    cases: u32,
    strategy: impl Strategy<Value = Scenario>,
    law: impl Fn(&Scenario) -> Result<(), TestCaseError>,
) {
    holds_of("PETRIO_RANDOM_SCENARIOS", (cases, 200), strategy, law);
}

/// The same, or as many as this variable says.
fn holds_of<S: Debug>(
    variable: &str,
    (cases, shrinks): (u32, u32),
    strategy: impl Strategy<Value = S>,
    law: impl Fn(&S) -> Result<(), TestCaseError>,
) {
    let asked = std::env::var(variable).ok().and_then(|count| count.parse().ok());
    let seed: u64 = match std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed,
        None if asked.is_some() => std::process::id().into(),
        None => 1,
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: asked.unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: shrinks,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let ended = runner.run(&strategy, |scenario| law(&scenario));
    assert!(ended.is_ok(), "PROPTEST_RNG_SEED={seed}: {}", ended.unwrap_err());
}
