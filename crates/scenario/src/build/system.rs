//! The System as a net.

use crate::build::block_targets::{BlockTargets, below_hosts};
use crate::build::hosts::ClientHosts;
use crate::build::hosts::hosts;
use crate::build::storage::{Devices, bus_stages, device_page};
use crate::claim::{Claim, Sentence};
use crate::classes::Classes;
use crate::failure::RunFailure;
use crate::holder::{BuiltArray, BuiltCeph, BuiltPaths, BuiltReplication};
use crate::host::PlacedFamily;
use crate::loaded::Loaded;
use crate::report::Subject;
use crate::site::UnheldLink;
use crate::text::Copies;
use crate::workload::Workload;
use petrio_engine::{Ports, System as Driven};
use petrio_kernel::{NetBuilder, Place, Time};
use petrio_models::Stage;
use petrio_models::block::raid::{Array, Cache};
use petrio_models::cluster::beegfs::RpcsOf;
use petrio_models::cluster::lustre::LustreClient;
use petrio_models::cluster::nfs::Carrier;
use petrio_models::cluster::pvfs::PvfsEnd;
use petrio_models::cluster::replication::Replicas;
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_models::device::throttle::Credits;
use petrio_models::device::{Counted, HeldWrites};
use petrio_models::host::HostMemory;
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A System, and what the report shows of it.
///
/// A loop of one's own drives it instead of the scenario's workloads, whose files are there:
///
/// ```
/// use petrio_colours::{FileId, FileOp, Operation};
/// use petrio_engine::Engine;
/// use petrio_kernel::Time;
/// use petrio_scenario::{build::System, load_text};
///
/// let text = r#"
///     [disk.d]
///     model = "seagate-cheetah-9lp"
///     [host.h]
///     machine = "poweredge-1850"
///     kernel = "linux-2.6.24"
///     [fs.data]
///     type = "ext3"
///     on = "d"
///     [workload.w]
///     kind = "script"
///     on = "data"
///     script = "file table 1 MiB; read table 0 4 KiB"
/// "#;
/// let loaded = load_text("mine.toml", text, None, &[])?;
/// let mut engine = Engine::new(&System::build(&loaded)?.driven, 1, 0);
///
/// // A log that is made durable after each record, until a second is over.
/// let (program, log) = (engine.program(0)?, engine.new_file());
/// let of = |operation, offset, length| FileOp { operation, file: log, offset, length, ..FileOp::default() };
/// engine.submit(program, FileOp { parent: FileId::ROOT, ..of(Operation::Create, 0, 0) }, Time::ZERO)?;
/// let (mut records, mut writes) = (0, true);
/// while let Some(done) = engine.advance(Time::NEVER)?.pop() {
///     if done.at > Time::from_whole_seconds(1) {
///         break;
///     }
///     let next = if writes { of(Operation::Write, 512 * records, 512) } else { of(Operation::Fsync, 0, 0) };
///     records += u64::from(writes);
///     writes = !writes;
///     engine.submit(program, next, done.at)?;
/// }
/// // A journal's commit takes turns of the platter, 6 ms each.
/// assert!((30..120).contains(&records), "{records}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct System {
    /// The net with the ports of its programs.
    pub driven: Arc<Driven>,
    /// The System in a line: "one Seagate Cheetah 9LP, C-LOOK".
    pub line: String,
    /// Size of each disk in blocks, in the order of [`Loaded::disks`].
    pub blocks: Vec<u64>,
    /// The rows of the stage table.
    pub stages: Vec<Stage>,
    /// Its devices with those of their figures that were assumed.
    pub assumptions: Vec<Sentence>,
    /// What should be known before the results are trusted.
    pub warnings: Vec<Sentence>,
    /// The state of each replication.
    pub(crate) replications: Vec<Replicated>,
    /// The state of each array with redundancy.
    pub(crate) arrays: Vec<Redundant>,
    /// Several paths to one part, each with its class.
    pub(crate) paths: Vec<(String, BuiltPaths)>,
    /// Pools of Ceph, each with its class.
    pub(crate) ceph: Vec<(String, BuiltCeph)>,
    /// Where each host's memory is found in a run, behind the host's class.
    pub(crate) memory: Vec<(String, HostMemory)>,
    /// What the calls of each mount of NFS came to, behind the mount's class.
    pub(crate) carriers: Vec<(String, Place<Carrier>)>,
    /// What failing servers cost, of each client and server of a PVFS behind its name.
    pub(crate) of_pvfs: Vec<(String, PvfsEnd)>,
    /// What the RPCs of each mount of a Lustre came to, behind the mount's class.
    pub(crate) lustre_clients: Vec<(String, Place<LustreClient>)>,
    /// What the requests of each mount and server of a BeeGFS came to, likewise.
    pub(crate) of_beegfs: Vec<(String, RpcsOf)>,
    /// The drives' write caches, each behind its drive's class.
    pub(crate) caches: Vec<(String, HeldWrites)>,
    /// The same by the number of the drive.
    pub(crate) held: Vec<(usize, HeldWrites)>,
    /// What drives count of themselves, each behind its drive's class.
    pub(crate) counted: Vec<(String, Counted)>,
    /// What may pass parts for a while only, each behind its part's class.
    pub(crate) credits: Vec<(String, Credits)>,
    /// Links that aren't held to their rate.
    pub(crate) unheld: Vec<UnheldLink>,
    /// The hosts that programs run on.
    pub(crate) clients: ClientHosts,
    /// The class of each disk.
    pub(crate) device_classes: Vec<String>,
    /// Whether what reaches the disks can be for more than the data of who asks: somebody keeps files on them, or makes
    /// something of them, or a trace says what its requests are for.
    pub(crate) has_purposes: bool,
}

/// An array in the net.
pub(crate) struct Redundant {
    /// Its name, or that of its class.
    pub(crate) class: String,
    /// Its level.
    pub(crate) level: String,
    /// What it lies on.
    pub(crate) members: Vec<String>,
    /// The same as numbers of [`Loaded::storage`].
    pub(crate) over: Vec<usize>,
    /// All of it that changes.
    pub(crate) array: Place<Array>,
    /// Its controller's cache.
    pub(crate) cache: Option<Place<Cache>>,
    /// When its members are to fail.
    pub(crate) failures: Vec<Time>,
}

/// A replication in the net.
pub(crate) struct Replicated {
    /// Its name.
    pub(crate) name: String,
    /// The names of what its copies lie on.
    pub(crate) members: Vec<String>,
    /// The place of its copies.
    pub(crate) replicas: Place<Replicas>,
}

impl System {
    /// Builds the net of a scenario, which serves all its replications.
    ///
    /// # Errors
    /// A drive, a host or a file system whose parameters contradict each other.
    pub fn build(loaded: &Loaded) -> Result<Self, RunFailure> {
        Self::built(loaded, None)
    }

    /// Builds the net of a scenario's disks and of what lies on them, of which these parts are asked by programs, past all hosts; what
    /// its workloads want is left out.
    ///
    /// # Errors
    /// A drive whose parameters contradict each other.
    pub fn of_parts(loaded: &Loaded, parts: &[usize]) -> Result<Self, RunFailure> {
        Self::built(loaded, Some(parts))
    }

    /// Where no parts are given, those that workloads ask.
    #[expect(clippy::too_many_lines, reason = "a System's parts, each after what it lies on")]
    fn built(loaded: &Loaded, parts: Option<&[usize]>) -> Result<Self, RunFailure> {
        let mut net = NetBuilder::new(loaded.scenario.title.clone());
        let mut page = net.top();
        // The rows of what lies above the devices.
        let mut stages: Vec<Stage> = Vec::new();
        let mut warnings = Vec::new();
        let mut devices = Devices::default();
        let [on_files, to_devices] = [Subject::FileOperations, Subject::BlockRequests]
            .map(|subject| parts.is_none() && loaded.subjects().contains(&subject));
        let below_hosts = if parts.is_none() { below_hosts(loaded) } else { None };
        let mut asked = match parts {
            Some(parts) => Some(BlockTargets::of_parts(&mut page, loaded, parts)),
            None => to_devices.then(|| BlockTargets::of(&mut page, loaded, below_hosts.as_ref())),
        };
        for (number, disk) in loaded.disks.iter().enumerate() {
            let up = asked.as_ref().and_then(|asked| asked.completions_of(number));
            let up = up.unwrap_or_else(|| page.fifo(&format!("{}-completions", disk.name)));
            device_page(&mut page, (loaded, number), up, &mut devices);
        }
        let (mut ports, mut clients) = (Ports::default(), ClientHosts::default());
        let (mut next_file, mut next_process) = (1, 0);
        let (mut memory, mut carriers, mut unheld) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lustre_clients, mut of_beegfs, mut of_pvfs) = (Vec::new(), Vec::new(), Vec::new());
        if below_hosts.is_some() {
            let built = hosts(&mut page, loaded, asked.as_mut(), &mut devices)?;
            stages.extend(built.stages);
            warnings.extend(built.warnings);
            clients = built.clients;
            (memory, carriers, unheld) = (built.memory, built.carriers, built.unheld);
            (lustre_clients, of_beegfs, of_pvfs) = (built.lustre_clients, built.of_beegfs, built.of_pvfs);
            (next_file, next_process) = (built.next_file, built.next_process);
            ports.operations = on_files.then_some(built.programs);
        }
        if let Some(asked) = asked {
            let (requests, mut above) = asked.ports(&mut page, loaded, &mut devices)?;
            stages.append(&mut above);
            ports.requests = Some(requests);
        }
        if ports.operations.is_none() && ports.requests.is_none() {
            return Err(RunFailure::NoWorkload);
        }
        stages.append(&mut devices.stages);
        stages.extend(bus_stages(&devices));
        let classes = Classes::of(loaded);
        classes.assign(&mut stages);
        let net = net.build()?;
        let places = devices.requests.into_iter().zip(devices.completions).collect();
        let driven = Driven {
            net,
            ports,
            devices: places,
            first_free_file: next_file,
            first_free_process: next_process,
            file_systems: as_number(loaded.hosts.volumes().count()),
            targets: as_number(loaded.storage.len()),
        };
        Ok(Self {
            driven: Arc::new(driven),
            line: line(loaded),
            blocks: devices.blocks,
            stages,
            assumptions: assumptions(loaded),
            warnings,
            held: devices.caches.clone(),
            caches: (devices.caches.into_iter())
                .map(|(number, cache)| (classes.name(&loaded.disks[number].name), cache))
                .collect(),
            counted: (devices.counted.into_iter())
                .map(|(number, counted)| (classes.name(&loaded.disks[number].name), counted))
                .collect(),
            credits: (devices.credits.into_iter())
                .map(|(part, credits)| (classes.name(&part), credits))
                .collect(),
            unheld,
            clients,
            device_classes: loaded.disks.iter().map(|disk| classes.name(&disk.name)).collect(),
            has_purposes: on_files || loaded.storage.len() > loaded.disks.len() || plays_traces(loaded),
            replications: replications(loaded, &devices.replications),
            arrays: arrays(loaded, &classes, &devices.arrays),
            paths: paths(loaded, &classes, &devices.paths),
            ceph: (devices.ceph.iter())
                .map(|(&number, built)| (classes.name(&loaded.storage[number].name), *built))
                .collect(),
            lustre_clients: (lustre_clients.into_iter())
                .map(|(mount, client)| (classes.name(&mount), client))
                .collect(),
            of_beegfs: (of_beegfs.into_iter())
                .map(|(mount, client)| (classes.name(&mount), client))
                .collect(),
            of_pvfs,
            carriers: (carriers.into_iter())
                .map(|(mount, carrier)| (classes.name(&mount), carrier))
                .collect(),
            memory: memory.into_iter().map(|host| (classes.name(&host.host), host)).collect(),
        })
    }
}

/// The replications, in the order of [`Loaded::storage`].
fn replications(loaded: &Loaded, built: &BTreeMap<usize, BuiltReplication>) -> Vec<Replicated> {
    let replicated = |(&number, built): (&usize, &BuiltReplication)| {
        let storage = &loaded.storage[number];
        let members = storage.over.iter().map(|&below| loaded.storage[below].name.clone()).collect();
        Replicated { name: storage.name.clone(), members, replicas: built.replicas }
    };
    built.iter().map(replicated).collect()
}

/// The arrays, in the order of [`Loaded::storage`].
fn arrays(loaded: &Loaded, classes: &Classes, built: &BTreeMap<usize, BuiltArray>) -> Vec<Redundant> {
    let redundant = |(&number, built): (&usize, &BuiltArray)| {
        let storage = &loaded.storage[number];
        Redundant {
            class: classes.name(&storage.name),
            level: built.level.clone(),
            members: storage.over.iter().map(|&below| loaded.storage[below].name.clone()).collect(),
            over: storage.over.clone(),
            array: built.array,
            cache: built.cache,
            failures: built.failures.clone(),
        }
    };
    built.iter().map(redundant).collect()
}

/// Several paths to one part, in the order of [`Loaded::storage`].
fn paths(
    loaded: &Loaded,
    classes: &Classes,
    built: &BTreeMap<usize, BuiltPaths>,
) -> Vec<(String, BuiltPaths)> {
    built.iter().map(|(&number, built)| (classes.name(&loaded.storage[number].name), built.clone())).collect()
}

/// The System in a line: "ext3 (data) with ordered journal by cfq under Linux 2.6.24; one Seagate Cheetah 9LP, FCFS".
fn line(loaded: &Loaded) -> String {
    let copies = Repeated::of(loaded);
    let mut parts: Vec<String> = Vec::new();
    for family in loaded.hosts.families() {
        family.words(&mut |path, words| parts.extend(copies.times(path, words)));
    }
    for (number, storage) in loaded.storage.iter().enumerate() {
        if let Some(words) = loaded.holder(number).and_then(|part| part.words(storage.over.len())) {
            parts.extend(copies.times(&format!("{}.{}", storage.key, storage.name), || words));
        }
    }
    let by_hosts = loaded.hosts.families().any(PlacedFamily::orders_requests);
    for (part, disk) in &loaded.scenario.disk {
        let Some(times) = copies.count(&format!("disk.{part}")) else { continue };
        let count = match u64::from(disk.count) * times {
            1 => "one".to_owned(),
            count => count.to_string(),
        };
        let Some(placed) = loaded.disks.iter().find(|placed| placed.part == *part) else { continue };
        let name = placed.device.parameters().name();
        // Where a host or the drive itself puts requests in order, or no order is better than another, that of arrival says nothing.
        let takes_one = placed.queueing.depth.unwrap_or(placed.compiled.depth()) == 1;
        let waits_in_line = !by_hosts && takes_one && placed.compiled.is_rotational();
        let discipline = match placed.queueing.scheduler {
            QueueDiscipline::FirstCome if !waits_in_line => String::new(),
            discipline => format!(", {}", discipline_words(discipline)),
        };
        parts.push(format!("{count} {name}{discipline}"));
    }
    parts.join("; ")
}

/// Whether requests of traces are played.
fn plays_traces(loaded: &Loaded) -> bool {
    loaded.scenario.workload.values().any(|workload| matches!(workload, Workload::Trace(_)))
}

/// Each kind of device with those of its figures that no source tells.
fn assumptions(loaded: &Loaded) -> Vec<Sentence> {
    let mut all: Vec<Sentence> = Vec::new();
    for disk in &loaded.disks {
        let parameters = disk.device.parameters();
        let assumed = parameters.assumed();
        if assumed.is_empty() {
            continue;
        }
        let words = Claim::Assumed.says(format!("{}: {}", parameters.name(), assumed.join(", ")));
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all
}

/// How many copies there are of each part that has any, by the first one.
struct Repeated<'l> {
    copies: &'l Copies,
    counts: BTreeMap<&'l str, u64>,
}

impl<'l> Repeated<'l> {
    fn of(loaded: &'l Loaded) -> Self {
        let copies = loaded.copies();
        let mut counts = BTreeMap::new();
        copies.each().for_each(|first| *counts.entry(first).or_insert(1) += 1);
        Self { copies, counts }
    }

    /// How often a part is there; nothing is said of a copy for itself.
    fn count(&self, part: &str) -> Option<u64> {
        let is_first = self.copies.first(part).is_none();
        is_first.then(|| self.counts.get(part).copied().unwrap_or(1))
    }

    fn times(&self, part: &str, words: impl FnOnce() -> String) -> Option<String> {
        self.count(part).map(|count| match count {
            1 => words(),
            count => format!("{count} × {}", words()),
        })
    }
}

/// A queue discipline as people write it.
fn discipline_words(discipline: QueueDiscipline) -> &'static str {
    match discipline {
        QueueDiscipline::FirstCome => "FCFS",
        QueueDiscipline::ShortestSeek => "SSTF",
        QueueDiscipline::Look => "LOOK",
        QueueDiscipline::CircularLook => "C-LOOK",
        QueueDiscipline::CircularScan => "CSCAN",
        QueueDiscipline::ShortestPositioning => "SPTF",
        QueueDiscipline::AgedShortestPositioning { .. } => "aged SPTF",
    }
}
