//! The System as a net.

use crate::build::name_in;
use crate::build::operations::Needed;
use crate::build::program_page::{
    PROGRAMS, ProgramPorts, REQUEST_PROGRAMS, named_programs_page, programs_page,
};
use crate::build::shared::shared_page;
use crate::build::storage::{Devices, Wired, asked_directly, below, device_page, holder, replications_below};
use crate::classes::Classes;
use crate::holder::BuiltReplication;
use crate::loaded::Loaded;
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
use petrio_models::host::{HostParameters, LayoutOf, Mount, host_page};
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

/// Where the programs of a scenario meet its System: they ask devices, or file systems, or some these and some those.
pub(crate) enum Ports {
    /// Block requests to devices.
    Requests(ProgramPorts<BlockRequest>),
    /// File operations to hosts.
    Operations(ProgramPorts<FileOp>),
    /// Both side by side.
    Both(ProgramPorts<FileOp>, ProgramPorts<BlockRequest>),
}

impl System {
    /// Builds the net of a scenario.
    ///
    /// # Errors
    /// A drive, a host or a file system whose parameters contradict each other.
    pub fn build(loaded: &Loaded) -> Result<Self, RunFailure> {
        let mut net = NetBuilder::new(loaded.scenario.title.clone());
        let mut page = net.top();
        let mut parts = Parts::default();
        let [on_files, to_devices] = [Subject::FileOperations, Subject::BlockRequests]
            .map(|subject| loaded.subjects().contains(&subject));
        let mut asked = to_devices.then(|| Asked::of(&mut page, loaded, on_files));
        for (number, disk) in loaded.disks.iter().enumerate() {
            let up = asked.as_ref().and_then(|asked| asked.completions_of(number));
            let up = up.unwrap_or_else(|| page.fifo(&format!("{}-completions", disk.name)));
            device_page(&mut page, disk, up, &mut parts.devices);
        }
        let operations =
            on_files.then(|| hosts(&mut page, loaded, asked.as_mut(), &mut parts)).transpose()?;
        let requests = asked.map(|asked| asked.ports(&mut page, loaded, &mut parts)).transpose()?;
        let programs = match (operations, requests) {
            (Some(operations), Some(requests)) => Ports::Both(operations, requests),
            (Some(operations), None) => Ports::Operations(operations),
            (None, Some(requests)) => Ports::Requests(requests),
            (None, None) => return Err(RunFailure::NoWorkload),
        };
        let Parts { mut stages, mut devices } = parts;
        stages.append(&mut devices.stages);
        Classes::of(loaded).assign(&mut stages);
        Ok(Self {
            net: net.build()?,
            line: line(loaded),
            blocks: devices.blocks,
            stages,
            programs,
            devices: devices.requests,
            replications: replications(loaded, &devices.replications),
        })
    }
}

/// What a net is made of, as far as it is there.
#[derive(Default)]
struct Parts {
    /// The rows of what lies above the devices.
    stages: Vec<Stage>,
    devices: Devices,
}

/// Whatever holds blocks and is asked by programs themselves.
struct Asked {
    /// By number of [`Loaded::storage`], those that a file system lies on too.
    targets: BTreeMap<usize, bool>,
    /// Where what they have asked for is complete.
    completions: Place<BlockRequest>,
    /// Where to ask those that are in the net.
    entrances: BTreeMap<usize, Place<BlockRequest>>,
    page: &'static str,
}

impl Asked {
    fn of(page: &mut PageBuilder<'_>, loaded: &Loaded, beside_others: bool) -> Self {
        let asked = loaded.workloads_of(Subject::BlockRequests);
        let targets = asked.filter_map(|(name, _)| loaded.targets.get(name)).flatten();
        let below: BTreeSet<usize> = loaded.volumes().map(|volume| volume.on).collect();
        let targets = targets.map(|&target| target as usize);
        // A dot is in no part's name.
        let (completions, name) = match beside_others {
            true => ("completions.requests", REQUEST_PROGRAMS),
            false => ("completions", PROGRAMS),
        };
        Self {
            targets: targets.map(|target| (target, beside_others && below.contains(&target))).collect(),
            completions: page.fifo(completions),
            entrances: BTreeMap::new(),
            page: name,
        }
    }

    /// Where it puts what is complete, if it is asked and nobody else asks it.
    fn completions_of(&self, number: usize) -> Option<Place<BlockRequest>> {
        (self.targets.get(&number) == Some(&false)).then_some(self.completions)
    }

    /// Where a file system's host finds what is complete, whose device has these ports: programs may ask it too.
    fn beside(
        &mut self,
        page: &mut PageBuilder<'_>,
        loaded: &Loaded,
        on: usize,
        (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    ) -> Place<BlockRequest> {
        if !self.targets.contains_key(&on) {
            return completions;
        }
        let name = &loaded.storage[on].name;
        let shared = shared_page(page, name, (requests, completions), self.completions);
        self.entrances.insert(on, shared.entrance);
        shared.completions
    }

    /// The programs, and whatever nobody else asks.
    fn ports(
        mut self,
        page: &mut PageBuilder<'_>,
        loaded: &Loaded,
        parts: &mut Parts,
    ) -> Result<ProgramPorts<BlockRequest>, RunFailure> {
        let mut entrances = Vec::new();
        // What a request is for is a number of `storage`.
        let mut entrance_of = vec![usize::MAX; loaded.storage.len()];
        for (number, _) in std::mem::take(&mut self.targets) {
            let entrance = match self.entrances.get(&number) {
                Some(&entrance) => entrance,
                None => {
                    let (entrance, mut above) =
                        asked_directly(page, loaded, number, &mut parts.devices, self.completions)?;
                    parts.stages.append(&mut above);
                    entrance
                }
            };
            entrance_of[number] = entrances.len();
            entrances.push(entrance);
        }
        let route = move |request: &BlockRequest| {
            entrance_of.get(request.device as usize).copied().unwrap_or(usize::MAX)
        };
        Ok(named_programs_page(page, self.page, (&entrances, "device"), route, self.completions))
    }
}

/// The replications by name, each with the place of its copies.
fn replications(
    loaded: &Loaded,
    built: &BTreeMap<usize, BuiltReplication>,
) -> Vec<(String, Place<Replicas>)> {
    built.iter().map(|(&number, built)| (loaded.storage[number].name.clone(), built.replicas)).collect()
}

/// The hosts with their file systems, and the programs that work on them.
fn hosts(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    mut asked: Option<&mut Asked>,
    parts: &mut Parts,
) -> Result<ProgramPorts<FileOp>, RunFailure> {
    let completions = page.fifo("completions");
    let needed = Needed::of(loaded)?;
    let Parts { stages, devices } = parts;
    let mut mounts: Vec<Vec<Mount>> = vec![Vec::new(); loaded.hosts.len()];
    let mut upper_stages = Vec::new();
    let mut hosts = Vec::new();
    for (number, file_system) in loaded.file_systems.iter().enumerate() {
        let Wired { requests, completions, mut stages, largest_request } =
            below(page, loaded, file_system, devices)?;
        let completions = match &mut asked {
            Some(asked) => asked.beside(page, loaded, file_system.on, (requests, completions)),
            None => completions,
        };
        upper_stages.append(&mut stages);
        let host = &loaded.hosts[file_system.host];
        let name = name_in(&file_system.name, &host.name);
        let is_first = mounts[file_system.host].is_empty();
        let of = LayoutOf::new(
            (&host_parameters(loaded, host), is_first),
            name,
            &file_system.parameters,
            file_system.blocks,
            loaded.scenario.seed,
        );
        mounts[file_system.host].push(Mount {
            name: name.to_owned(),
            position: number as u32,
            parameters: file_system.parameters.clone(),
            largest_request,
            dirty_limit: loaded.scenario.fs.get(&file_system.name).and_then(|fs| fs.place.dirty_limit),
            laid_out: needed.laid_out(number, of)?,
            watch: loaded.watch.clone(),
            requests,
            completions,
        });
    }
    for (host, mounts) in loaded.hosts.iter().zip(&mounts) {
        let operations = page.fifo(&format!("{}-operations", host.name));
        hosts.push(announced(page, loaded, (hosts.len(), &host.name), operations, devices));
        let parameters = host_parameters(loaded, host);
        stages.extend(
            host_page(page, &host.name, &parameters, mounts, operations, completions)
                .map_err(|error| RunFailure::Host { host: host.name.clone(), message: error.to_string() })?,
        );
    }
    for (there, unix) in (loaded.file_systems.len()..).zip(&loaded.unix) {
        let operations = page.fifo(&format!("{}-operations", unix.name));
        let (requests, request_completions) =
            holder(page, loaded, unix.on, devices, None, &mut upper_stages)?;
        let request_completions = match &mut asked {
            Some(asked) => asked.beside(page, loaded, unix.on, (requests, request_completions)),
            None => request_completions,
        };
        hosts.push(announced(page, loaded, (hosts.len(), &unix.name), operations, devices));
        let ports = UnixPorts { operations, completions, requests, request_completions };
        let files = unix_files(&needed.files(there)?, &needed.extents(there));
        let built = unix_1990_page(page, &unix.name, &unix.parameters, (unix.blocks, &files), ports);
        stages.extend(
            built
                .map_err(|error| RunFailure::Host { host: unix.name.clone(), message: error.to_string() })?,
        );
    }
    stages.append(&mut upper_stages);
    let hosts_of_processes = needed.hosts_of_processes();
    let route = move |operation: &FileOp| {
        hosts_of_processes.get(operation.process as usize).copied().unwrap_or(usize::MAX)
    };
    Ok(programs_page(page, (&hosts, "host"), route, completions))
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
