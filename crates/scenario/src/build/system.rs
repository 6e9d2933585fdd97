//! The System as a net.

use crate::build::name_in;
use crate::build::operations::Needed;
use crate::build::program_page::{ProgramPorts, programs_page};
use crate::build::storage::{Devices, Wired, asked_directly, below, device_page, holder, replications_below};
use crate::classes::Classes;
use crate::holder::BuiltReplication;
use crate::load::Loaded;
use crate::parts::Copies;
use crate::placed::PlacedHost;
use crate::report::Subject;
use crate::run::RunFailure;
use crate::schema::USUAL_SWAPPINESS;
use petrio_colours::{BlockRequest, FileId, FileOp, PlacedExtent};
use petrio_kernel::{Net, NetBuilder, PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::cluster::replication::Replicas;
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_models::host::unix_1990::{UnixFile, UnixPorts, unix_1990_page};
use petrio_models::host::{HostParameters, Mount, PreparedFile, host_page};
use petrio_workload::program::PlannedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A System: its net, the ports of its programs, and what the report shows of it.
pub struct System {
    /// The net.
    pub net: Arc<Net>,
    /// The System in a line: "one Seagate Cheetah 9LP, C-LOOK".
    pub line: String,
    /// Size of each disk in blocks, in the order of [`Loaded::disks`].
    pub blocks: Vec<u64>,
    /// The rows of the stage table.
    pub stages: Vec<Stage>,
    pub(crate) programs: Ports,
    /// The state of each replication, by name.
    pub(crate) replications: Vec<(String, Place<Replicas>)>,
    /// The request port of each disk.
    pub(crate) devices: Vec<Place<BlockRequest>>,
}

/// Where the programs of a scenario meet its System: they ask devices, or file systems.
pub(crate) enum Ports {
    /// Block requests to devices.
    Requests(ProgramPorts<BlockRequest>),
    /// File operations to hosts.
    Operations(ProgramPorts<FileOp>),
}

impl System {
    /// Builds the net of a scenario.
    ///
    /// # Errors
    /// A drive, a host or a file system whose parameters contradict each other.
    pub fn build(loaded: &Loaded) -> Result<Self, RunFailure> {
        let mut system = match loaded.subject() {
            Subject::BlockRequests => of_storage(loaded),
            Subject::FileOperations => of_hosts(loaded),
        }?;
        Classes::of(loaded).assign(&mut system.stages);
        Ok(system)
    }
}

/// Programs ask whatever holds blocks.
fn of_storage(loaded: &Loaded) -> Result<System, RunFailure> {
    let mut net = NetBuilder::new(loaded.scenario.title.clone());
    let mut page = net.top();
    let completions = page.fifo("completions");
    let targets: BTreeSet<usize> = loaded.targets.values().flatten().map(|&target| target as usize).collect();
    let mut devices = Devices::default();
    for (number, disk) in loaded.disks.iter().enumerate() {
        let up = match targets.contains(&number) {
            true => completions,
            false => page.fifo(&format!("{}-completions", disk.name)),
        };
        device_page(&mut page, disk, up, &mut devices);
    }
    let mut stages = Vec::new();
    let mut entrances = Vec::new();
    // What a request is for is a number of `storage`.
    let mut entrance_of = vec![usize::MAX; loaded.storage.len()];
    for &number in &targets {
        let (entrance, mut above) = asked_directly(&mut page, loaded, number, &mut devices, completions)?;
        entrance_of[number] = entrances.len();
        entrances.push(entrance);
        stages.append(&mut above);
    }
    let route =
        move |request: &BlockRequest| entrance_of.get(request.device as usize).copied().unwrap_or(usize::MAX);
    let programs = programs_page(&mut page, (&entrances, "device"), route, completions);
    stages.append(&mut devices.stages);
    Ok(System {
        net: net.build()?,
        line: line(loaded),
        blocks: devices.blocks,
        stages,
        programs: Ports::Requests(programs),
        devices: devices.requests,
        replications: replications(loaded, &devices.replications),
    })
}

/// The replications by name, each with the place of its copies.
fn replications(
    loaded: &Loaded,
    built: &BTreeMap<usize, BuiltReplication>,
) -> Vec<(String, Place<Replicas>)> {
    built.iter().map(|(&number, built)| (loaded.storage[number].name.clone(), built.replicas)).collect()
}

/// Programs ask the hosts' file systems, and these the disks.
fn of_hosts(loaded: &Loaded) -> Result<System, RunFailure> {
    let mut net = NetBuilder::new(loaded.scenario.title.clone());
    let mut page = net.top();
    let completions = page.fifo("completions");
    let Needed { mut files, extents, hosts_of_processes } = Needed::of(loaded)?;
    let mut devices = Devices::default();
    let mut mounts: Vec<Vec<Mount>> = vec![Vec::new(); loaded.hosts.len()];
    let mut upper_stages = Vec::new();
    for disk in &loaded.disks {
        let up = page.fifo(&format!("{}-completions", disk.name));
        device_page(&mut page, disk, up, &mut devices);
    }
    let mut hosts = Vec::new();
    for (number, file_system) in loaded.file_systems.iter().enumerate() {
        let Wired { requests, completions, mut stages, largest_request } =
            below(&mut page, loaded, file_system, &mut devices)?;
        upper_stages.append(&mut stages);
        mounts[file_system.host].push(Mount {
            name: name_in(&file_system.name, &loaded.hosts[file_system.host].name).to_owned(),
            parameters: file_system.parameters.clone(),
            device_blocks: file_system.blocks,
            largest_request,
            dirty_limit: loaded.scenario.fs.get(&file_system.name).and_then(|fs| fs.place.dirty_limit),
            files: prepared(std::mem::take(&mut files[number])),
            watch: loaded.watch.clone(),
            seed: loaded.scenario.seed,
            requests,
            completions,
        });
    }
    let mut stages = Vec::new();
    for (host, mounts) in loaded.hosts.iter().zip(&mounts) {
        let operations = page.fifo(&format!("{}-operations", host.name));
        hosts.push(announced(&mut page, loaded, (hosts.len(), &host.name), operations, &devices));
        let parameters = host_parameters(loaded, host);
        stages.extend(
            host_page(&mut page, &host.name, &parameters, mounts, operations, completions)
                .map_err(|error| RunFailure::Host { host: host.name.clone(), message: error.to_string() })?,
        );
    }
    let before = loaded.file_systems.len();
    for (unix, (files, extents)) in loaded.unix.iter().zip(files.iter().zip(&extents).skip(before)) {
        let operations = page.fifo(&format!("{}-operations", unix.name));
        let (requests, request_completions) =
            holder(&mut page, loaded, unix.on, &mut devices, None, &mut upper_stages)?;
        hosts.push(announced(&mut page, loaded, (hosts.len(), &unix.name), operations, &devices));
        let ports = UnixPorts { operations, completions, requests, request_completions };
        let files = unix_files(files, extents);
        let built = unix_1990_page(&mut page, &unix.name, &unix.parameters, (unix.blocks, &files), ports);
        stages.extend(
            built
                .map_err(|error| RunFailure::Host { host: unix.name.clone(), message: error.to_string() })?,
        );
    }
    let replications = replications(loaded, &devices.replications);
    stages.append(&mut upper_stages);
    stages.append(&mut devices.stages);
    let route = move |operation: &FileOp| {
        hosts_of_processes.get(operation.process as usize).copied().unwrap_or(usize::MAX)
    };
    let programs = programs_page(&mut page, (&hosts, "host"), route, completions);
    Ok(System {
        net: net.build()?,
        line: line(loaded),
        blocks: devices.blocks,
        stages,
        programs: Ports::Operations(programs),
        devices: devices.requests,
        replications,
    })
}

/// Where the operations of a host arrive: at its own port, or, where copies of its files are kept, at a transition that tells the
/// replication of each operation that begins.
fn announced(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    (number, host): (usize, &str),
    operations: Place<FileOp>,
    devices: &Devices,
) -> Place<FileOp> {
    // By the number of the file system on the host.
    let mut told: Vec<Vec<Place<FileOp>>> = Vec::new();
    for volume in loaded.volumes().filter(|volume| volume.host == number) {
        let below = replications_below(devices, loaded, volume.on);
        let places = below.iter().filter_map(|number| devices.replications.get(number));
        told.push(places.map(|built| built.operations).collect());
    }
    if told.iter().all(Vec::is_empty) {
        return operations;
    }
    let arrivals = page.fifo(&format!("{host}-arrivals"));
    let mut announce = page.transition(&format!("{host}-announce"));
    let arriving = announce.take(arrivals);
    let onward = announce.put(operations);
    let told: Vec<Vec<_>> =
        told.iter().map(|places| places.iter().map(|&place| announce.may_put(place, 1)).collect()).collect();
    announce.action(move |f| {
        let operation: FileOp = f.take(arriving);
        for &place in told.get(operation.file_system as usize).into_iter().flatten() {
            f.put(place, operation.clone());
        }
        f.put(onward, operation);
    });
    arrivals
}

/// The files of a Unix host: those that are there, and those of which a trace tells where they will lie.
fn unix_files(files: &[PlannedFile], extents: &BTreeMap<FileId, Vec<PlacedExtent>>) -> Vec<UnixFile> {
    let unix_file = |entry: &PlannedFile| UnixFile {
        file: entry.file,
        parent: entry.parent,
        directory: entry.is_directory,
        present: entry.present,
        size: entry.size,
        extents: extents.get(&entry.file).cloned().unwrap_or_default(),
    };
    files.iter().filter(|entry| entry.present || extents.contains_key(&entry.file)).map(unix_file).collect()
}

/// What a host of the scenario is made of.
pub(crate) fn host_parameters(loaded: &Loaded, placed: &PlacedHost) -> HostParameters {
    let written = loaded.scenario.host.get(&placed.name);
    HostParameters {
        machine: placed.machine.clone(),
        kernel: placed.kernel.clone(),
        memory: written.and_then(|host| host.memory),
        dirty_background: written.and_then(|host| host.dirty_background),
        dirty_limit: written.and_then(|host| host.dirty_limit),
        anonymous: written.and_then(|host| host.anonymous),
        swap: written.and_then(|host| host.swap),
        swappiness: written.map_or(USUAL_SWAPPINESS, |host| host.swappiness),
    }
}

/// The files that are there when the run begins.
fn prepared(files: Vec<PlannedFile>) -> Vec<PreparedFile> {
    let prepared = |entry: PlannedFile| PreparedFile {
        file: entry.file,
        parent: entry.parent,
        directory: entry.is_directory,
        size: entry.size,
        cached: entry.cached,
    };
    files.into_iter().filter(|entry| entry.present).map(prepared).collect()
}

/// The System in a line: "ext3 (data) with ordered journal by cfq under Linux 2.6.24; one Seagate Cheetah 9LP, FCFS".
fn line(loaded: &Loaded) -> String {
    let copies = Repeated::of(loaded);
    let mut parts: Vec<String> = Vec::new();
    for mounted in &loaded.file_systems {
        parts.extend(copies.times(&format!("fs.{}", mounted.name), || mounted.words(loaded)));
    }
    for unix in &loaded.unix {
        parts.extend(copies.times(&format!("unix.{}", unix.name), || "a Unix host of 1990".to_owned()));
    }
    for (number, storage) in loaded.storage.iter().enumerate() {
        if let Some(words) = loaded.holder(number).and_then(|part| part.words(storage.over.len())) {
            parts.extend(copies.times(&format!("{}.{}", storage.key, storage.name), || words));
        }
    }
    for (part, disk) in &loaded.scenario.disk {
        let Some(times) = copies.count(&format!("disk.{part}")) else { continue };
        let count = match u64::from(disk.count) * times {
            1 => "one".to_owned(),
            count => count.to_string(),
        };
        let Some(placed) = loaded.disks.iter().find(|placed| placed.part == *part) else { continue };
        let name = placed.device.parameters().name();
        // The simple devices have no order but that of arrival.
        let discipline = match (loaded.file_systems.is_empty(), placed.queueing.scheduler) {
            (false, QueueDiscipline::FirstCome) => String::new(),
            (_, discipline) => format!(", {}", discipline_words(discipline)),
        };
        parts.push(format!("{count} {name}{discipline}"));
    }
    parts.join("; ")
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
