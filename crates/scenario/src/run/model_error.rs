//! How sure a run's figures are: the classes of parts on the way of its average request or operation, each with its share of the time, and
//! the ranges that follow from what validations of these classes missed by ([`sure`](petrio_report::sure)).
//!
//! Of operations on files the report says where the time went, by cause. What calls, caches and copies take is the host's; what they wait for
//! devices is the file system's, which decides what is asked of these, and that of everything below; what the network and its servers
//! take is the mount's. Time below is divided among kinds of devices as their stages have requests waiting or served. Of block requests all
//! time is of devices and of what lies on them. A device of constant rate, a throttle and a network's links are as they are written: nothing
//! was modelled of which an error is known.

use crate::classes::Classes;
use crate::host::FileSystemKind;
use crate::levers::is_open;
use crate::loaded::Loaded;
use crate::report::sure::{Bound, Class, Conditions, Depth, Moves, Of, OnPath, Path, Residuals};
use crate::report::{
    ClassFigures, Estimate, ModelErrorFigures, Narrows, RangeFigures, RangeOf, Report, Served, StageFigures,
    Subject,
};
use petrio_colours::FileCause;
use petrio_models::device::Device;

/// A class on which less than this part of the time is spent isn't told.
const LEAST: f64 = 0.02;
/// Of reads and writes, what is less than this part of both doesn't count.
const FEW: f64 = 0.1;
/// More requests under way on average than this are several.
const ONE_AT_A_TIME: f64 = 1.5;
/// More parts of a class than these aren't named.
const NAMED: usize = 3;

/// Adds to a report how sure its figures are, where it is asked for and something completed.
pub(super) fn tell(loaded: &Loaded, report: &mut Report) {
    report.model_error = match Residuals::shipped() {
        Ok(residuals) if loaded.scenario.measure.model_error => {
            report.each().filter_map(|served| of(loaded, report, served, residuals)).collect()
        }
        _ => Vec::new(),
    };
}

fn of(loaded: &Loaded, report: &Report, served: &Served, residuals: &Residuals) -> Option<ModelErrorFigures> {
    let latency = served.latency.as_ref()?;
    let path = path(loaded, report, served);
    if path.classes.is_empty() {
        return None;
    }
    let range = |of: RangeOf, figure: Of, estimate: Estimate| {
        let Estimate { value, half_width } = estimate;
        let seeds = half_width.map_or(0.0, |half_width| libm::log1p(half_width / value));
        let wide = libm::exp(path.half_width(residuals, figure, seeds));
        (value > 0.0 && wide.is_finite()).then(|| RangeFigures {
            of,
            value,
            low: value / wide,
            high: value * wide,
        })
    };
    let mut ranges = Vec::new();
    // How much comes is the load's to say, where that doesn't wait.
    if !is_open(loaded, served.subject) {
        ranges.extend(match served.bytes {
            0 => range(RangeOf::Rate, Of::Throughput, served.requests_per_s),
            _ => range(RangeOf::Throughput, Of::Throughput, served.throughput_bytes_per_s),
        });
    }
    ranges.extend(range(RangeOf::MeanLatency, Of::MeanLatency, latency.mean_ms));
    // Of several kinds together, percentiles say little.
    if !served.is_mixed() {
        ranges.extend(range(RangeOf::P99, Of::Percentile, latency.p99_ms));
    }
    let classes = classes(&path, residuals);
    let outside = path.classes.iter().zip(&classes).filter_map(|(on, class)| {
        let unseen = residuals.unseen(on.class, path.conditions_of(on.class));
        match (class.cases, unseen.as_slice()) {
            (0, _) => Some(named(on)),
            (_, []) => None,
            (_, unseen) => Some(format!("{}, {}", named(on), unseen.join(", "))),
        }
    });
    let outside = outside.collect();
    let widest =
        classes.iter().enumerate().max_by(|a, b| a.1.part_of_variance.total_cmp(&b.1.part_of_variance));
    let narrows = widest.map(|(index, _)| narrows(&path.classes[index]));
    (!ranges.is_empty()).then_some(ModelErrorFigures {
        subject: served.subject,
        ranges,
        classes,
        outside,
        narrows,
    })
}

/// "Lustre (lustre.l)".
fn named(on: &OnPath) -> String {
    let parts = match on.parts.len() {
        0 => return on.class.words().to_owned(),
        count if count <= NAMED => on.parts.join(", "),
        count => format!("{} and {} more", on.parts[..NAMED].join(", "), count - NAMED),
    };
    format!("{} ({parts})", on.class.words())
}

fn classes(path: &Path, residuals: &Residuals) -> Vec<ClassFigures> {
    let widths = path.widths(residuals, Of::MeanLatency);
    let parts = path.classes.iter().zip(&widths).map(|(on, width)| on.share * width.ln);
    let squares: Vec<f64> = parts.map(|part| part * part).collect();
    let all: f64 = squares.iter().sum();
    (path.classes.iter().zip(widths).zip(squares))
        .map(|((on, width), square)| ClassFigures {
            class: on.class,
            parts: on.parts.clone(),
            share: on.share,
            factor: libm::exp(width.ln),
            cases: width.cases as u64,
            part_of_variance: if all > 0.0 { square / all } else { 0.0 },
        })
        .collect()
}

/// The classes on the way of what a report counts.
fn path(loaded: &Loaded, report: &Report, served: &Served) -> Path {
    let share = |of: &[FileCause]| -> f64 {
        let of = |cause: &str| of.iter().any(|one| petrio_colours::Causes::name(*one) == cause);
        served.breakdown.iter().filter(|share| of(&share.cause)).map(|share| share.fraction).sum()
    };
    let (memory, remote) = match served.subject {
        Subject::BlockRequests => (0.0, 0.0),
        Subject::FileOperations => (
            share(&[FileCause::Call, FileCause::Cache, FileCause::Copy, FileCause::Processor]),
            share(&[FileCause::Network, FileCause::Server]),
        ),
    };
    // What isn't attributed, and what hadn't ended, waits for what lies below.
    let below = (1.0 - memory - remote).max(0.0);
    let mut on = OnPaths::default();
    on.all(hosts(loaded), memory);
    if served.subject == Subject::FileOperations {
        on.all(file_systems(loaded), below);
        on.all(mounts(loaded), remote);
    }
    for (class, part) in holders(loaded) {
        on.add(class, part, below);
    }
    for (class, part, weight) in devices(loaded, &report.stages) {
        on.add(class, part, below * weight);
    }
    // Copies of files were validated together with the hosts of 1990 and the disks by formula that they lay on.
    let has_copies = on.0.iter().any(|on| on.class == Class::Copies);
    let is_told = |class: Class| !(has_copies && matches!(class, Class::Unix | Class::AnalyticDisk));
    let classes = on.0.into_iter().filter(|on| on.share >= LEAST && is_told(on.class)).collect();
    Path { classes, conditions: conditions(served, memory) }
}

fn conditions(served: &Served, memory: f64) -> Conditions {
    let (reads, writes) =
        (served.requests.reads as f64, (served.requests.writes + served.requests.flushes) as f64);
    let few = |these: f64, others: f64| these < FEW * (these + others);
    let moves = match (few(writes, reads), few(reads, writes)) {
        (true, false) => Moves::Read,
        (false, true) => Moves::Write,
        _ => Moves::Both,
    };
    let mean_s = served.latency.as_ref().map_or(0.0, |latency| latency.mean_ms.value / 1e3);
    let under_way = served.requests_per_s.value * mean_s;
    Conditions {
        moves,
        bound: if memory > 0.5 { Bound::Memory } else { Bound::Device },
        depth: if under_way > ONE_AT_A_TIME { Depth::Several } else { Depth::One },
    }
}

/// Classes with the parts and shares that they got.
#[derive(Default)]
struct OnPaths(Vec<OnPath>);

impl OnPaths {
    /// A part of a class on which so much time is spent, which counts once however many parts there are.
    fn add(&mut self, class: Class, part: String, share: f64) {
        match self.0.iter_mut().find(|on| on.class == class) {
            Some(on) => {
                on.share = on.share.max(share);
                if !on.parts.contains(&part) {
                    on.parts.push(part);
                }
            }
            None => self.0.push(OnPath { class, parts: vec![part], share }),
        }
    }

    /// Parts of one layer, whose classes share the time.
    fn all(&mut self, parts: Vec<(Class, String)>, share: f64) {
        let mut classes: Vec<Class> = parts.iter().map(|part| part.0).collect();
        classes.sort_unstable();
        classes.dedup();
        let each = share / classes.len().max(1) as f64;
        for (class, part) in parts {
            self.add(class, part, each);
        }
    }
}

/// Where a part is written: the path that `--set` takes.
fn written(loaded: &Loaded, kind: &str, name: &str) -> String {
    loaded.copies().written(&format!("{kind}.{name}")).to_owned()
}

fn hosts(loaded: &Loaded) -> Vec<(Class, String)> {
    let linux =
        loaded.scenario.hosts.linux.host.keys().map(|name| (Class::Memory, written(loaded, "host", name)));
    let unix = loaded.hosts.unix.0.iter().map(|host| (Class::Unix, written(loaded, "unix", &host.name)));
    linux.chain(unix).collect()
}

fn file_systems(loaded: &Loaded) -> Vec<(Class, String)> {
    let linux = loaded.hosts.linux.file_systems.iter().filter_map(|system| {
        let class = match system.kind {
            FileSystemKind::Ext(_) => Class::FileSystem,
            FileSystemKind::Xfs(_) => Class::Xfs,
            FileSystemKind::Tmpfs(_) | FileSystemKind::Raw(_) => return None,
        };
        Some((class, written(loaded, "fs", &system.name)))
    });
    let unix = loaded.hosts.unix.0.iter().map(|host| (Class::Unix, written(loaded, "unix", &host.name)));
    linux.chain(unix).collect()
}

fn mounts(loaded: &Loaded) -> Vec<(Class, String)> {
    let class = |key: &str| match key {
        "nfs" => Some(Class::Nfs),
        "lustre" => Some(Class::Lustre),
        "beegfs" => Some(Class::Beegfs),
        "pvfs" => Some(Class::Pvfs),
        "share" => Some(Class::Share),
        "san" => Some(Class::SharedDisks),
        _ => None,
    };
    let mounts = loaded.hosts.linux.mounts();
    mounts.filter_map(|(key, mount)| Some((class(key)?, written(loaded, key, mount.name())))).collect()
}

/// What lies between hosts and disks. Throttles, partitions and disks one after the other are as they are written.
fn holders(loaded: &Loaded) -> Vec<(Class, String)> {
    let of = |storage: &crate::placed::Storage| {
        let class = match storage.key {
            "raid" => Class::Array,
            "fabric" | "multipath" => Class::Fabric,
            "rearrangement" => Class::Layout,
            "replication" => Class::Copies,
            "ceph" => Class::Ceph,
            _ => return None,
        };
        Some((class, written(loaded, storage.key, &storage.name)))
    };
    loaded.storage.iter().filter_map(of).collect()
}

/// The devices of a kind that has an error, each with its kind's part of all requests that are at devices.
fn devices(loaded: &Loaded, stages: &[StageFigures]) -> Vec<(Class, String, f64)> {
    let classes = Classes::of(loaded);
    let mut kinds: Vec<(Option<Class>, Vec<String>, f64)> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for disk in &loaded.disks {
        let class = match *disk.device {
            Device::Disk(_) => Some(Class::Disk),
            Device::AnalyticDisk(_) => Some(Class::AnalyticDisk),
            Device::SimpleSsd(_) | Device::Ssd(_) => Some(Class::Flash),
            Device::Volume(_) => Some(Class::CloudVolume),
            Device::ConstantRate(_) => None,
        };
        let name = classes.name(&disk.name);
        // A class of equal parts is a row; with `stages = "all"` each is one.
        let at = |row: &&StageFigures| {
            [&name, &disk.name]
                .iter()
                .any(|name| row.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        let there = if seen.contains(&name) { 0.0 } else { stages.iter().filter(at).map(there).sum() };
        if stages.iter().any(|row| row.name.starts_with(&format!("{name}/"))) {
            seen.push(name);
        }
        let part = written(loaded, "disk", &disk.part);
        match kinds.iter_mut().find(|kind| kind.0 == class) {
            Some((_, parts, all)) => {
                *all += there;
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            None => kinds.push((class, vec![part], there)),
        }
    }
    let all: f64 = kinds.iter().map(|kind| kind.2).sum();
    let count = kinds.len().max(1) as f64;
    let weight = |there: f64| if all > 0.0 { there / all } else { 1.0 / count };
    let of_kind = |(class, parts, there): (Option<Class>, Vec<String>, f64)| {
        let each = parts.into_iter().filter_map(move |part| Some((class?, part, weight(there))));
        each.collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

/// How many are waiting or served in a stage on average, in all the stages that a row stands for.
fn there(row: &StageFigures) -> f64 {
    let count = row.members.as_ref().map_or(1.0, |members| members.count as f64);
    let served = row.utilisation.unwrap_or_default() * f64::from(row.servers.unwrap_or(1));
    (row.mean_queue.unwrap_or_default() + served) * count
}

/// The measurement that tells most about a class.
fn narrows(on: &OnPath) -> Narrows {
    let class = on.class;
    let part = on.parts.first().map_or("", String::as_str);
    let name = part.rsplit('.').next().unwrap_or_default();
    let narrows = |command: String, set: Option<String>| Narrows { class, command, set };
    match class {
        Class::Disk | Class::AnalyticDisk => narrows(
            format!("petrio calibrate --device /dev/DEVICE --out {name}.toml"),
            Some(format!("{part}.file={name}.toml")),
        ),
        Class::Flash | Class::CloudVolume => narrows(
            format!("petrio calibrate --from fio.json --size SIZE --out {name}.toml"),
            Some(format!("{part}.file={name}.toml")),
        ),
        Class::Memory => narrows(
            format!("petrio calibrate --out {name}.toml"),
            Some(format!("{part}.machine={name}.toml")),
        ),
        // What of these is measured is the whole. Where the scenario stands is no part of a report.
        _ => narrows("petrio compare SCENARIO measured:fio.json".to_owned(), None),
    }
}
