//! The parts of a System with everything that they need found: devices, profiles, sizes.

use crate::catalogue::Device;
use crate::check::{PlannedFileSystem, PlannedHolder};
use crate::loaded::Loaded;
use crate::profiles::Profile;
use crate::schema::Scenario;
use crate::text::tree::Places;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_colours::SECTOR_BYTES;
use petrio_models::device::{BlockDevice, Queueing};
use petrio_models::host::file_system::{self, BLOCK_SIZE, Family, FileSystemParameters, JournalMode};
use petrio_models::host::kernel_profile::{KernelParameters, Throttling};
use petrio_models::host::machine::MachineParameters;
use petrio_models::host::unix_1990::UnixParameters;
use petrio_units::Bytes;
use std::sync::Arc;

/// The least that a file system's own dirty limit may be.
const LEAST_DIRTY_LIMIT: Bytes = Bytes(1 << 20);

/// What a group of blocks takes at least: where its two maps, its inodes and its first block lie.
const BYTES_A_GROUP: u64 = 32;

/// One disk of the system.
#[derive(Clone, Debug)]
pub struct PlacedDisk {
    /// Its name: the part's, with a number where there are several.
    pub name: String,
    /// The part that it is of: `d` for `[disk.d]`.
    pub part: String,
    /// The drive, with the scenario's changes.
    pub device: Arc<Device>,
    /// The drive, ready to be built; one for all disks of the part.
    pub compiled: Arc<dyn BlockDevice>,
    /// How requests wait for it.
    pub queueing: Queueing,
}

/// A part that holds blocks: a disk, or what is made of others.
#[derive(Clone, Debug)]
pub struct Storage {
    /// Its name.
    pub name: String,
    /// The key under which the scenario describes it.
    pub key: &'static str,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// What it is made of, as indices of [`Loaded::storage`](crate::Loaded::storage); all come before it.
    pub over: Vec<usize>,
}

/// A machine under a kernel.
#[derive(Clone, Debug)]
pub struct PlacedHost {
    /// Its name.
    pub name: String,
    /// Its machine, with the scenario's changes.
    pub machine: MachineParameters,
    /// Its kernel, with the scenario's changes.
    pub kernel: KernelParameters,
}

/// A file system that is mounted.
#[derive(Clone, Debug)]
pub struct PlacedFileSystem {
    /// Its name.
    pub name: String,
    /// Its host, as an index of [`Loaded::hosts`](crate::Loaded::hosts).
    pub host: usize,
    /// Its number among the file systems of its host.
    pub mount: u32,
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// How it was made and is mounted.
    pub parameters: FileSystemParameters,
}

impl PlacedFileSystem {
    /// What it is, in a few words: "ext3 with ordered journal under Linux 2.6.24".
    pub(crate) fn words(&self, loaded: &Loaded) -> String {
        let family = match self.parameters.family {
            Family::Ext3 => "ext3",
            Family::Ext4 => "ext4",
        };
        let journal = match self.parameters.journal {
            JournalMode::Ordered => "ordered data",
            JournalMode::WriteBack => "data written back",
            JournalMode::Journal => "data in the journal",
        };
        let host = &loaded.hosts[self.host];
        let written = loaded.scenario.fs.get(&self.name).and_then(|fs| fs.place.scheduler.as_ref());
        let scheduler = written.map_or(host.kernel.block.scheduler.as_str(), |scheduler| scheduler.name());
        format!("{family}, {journal}, {scheduler}, {} on {}", host.kernel.name, host.machine.name)
    }
}

/// A Unix host of 1990 and its file system.
#[derive(Clone, Debug)]
pub struct PlacedUnix {
    /// Its name.
    pub name: String,
    /// What its file system lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// What it is made of.
    pub parameters: UnixParameters,
}

/// What a workload that works on files goes to.
#[derive(Clone, Copy, Debug)]
pub struct Volume<'l> {
    /// Its name.
    pub name: &'l str,
    /// Its host: the hosts in the order of the file, then the Unix hosts.
    pub host: usize,
    /// Its number among the file systems of its host.
    pub mount: u32,
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

/// What file systems need.
#[derive(Default)]
pub(crate) struct Placed {
    pub(crate) storage: Vec<Storage>,
    pub(crate) hosts: Vec<PlacedHost>,
    pub(crate) file_systems: Vec<PlacedFileSystem>,
    pub(crate) unix: Vec<PlacedUnix>,
}

/// Finds the sizes of everything that holds blocks, and puts the file systems on it.
pub(crate) fn placed(
    scenario: &Scenario,
    disks: &[PlacedDisk],
    holders: &[PlannedHolder],
    (planned, planned_unix): (&[PlannedFileSystem], &[u32]),
    mut profiles: IndexMap<String, Profile>,
    (places, sources): (&Places, &Sources),
) -> Result<Placed, Vec<Problem>> {
    let mut problems = Vec::new();
    let sizes = sizes(scenario, disks, holders);
    let storage = (holders.iter().zip(&sizes))
        .map(|(holder, &blocks)| Storage {
            name: holder.name.clone(),
            key: holder.key,
            blocks,
            over: holder.over.iter().map(|&number| number as usize).collect(),
        })
        .collect();
    let hosts: Vec<PlacedHost> = (scenario.host.keys())
        .filter_map(|name| {
            let Profile { machine, kernel } = profiles.swap_remove(name)?;
            Some(PlacedHost { name: name.clone(), machine, kernel })
        })
        .collect();
    for PlacedHost { name, machine, .. } in &hosts {
        let most = machine.memory;
        if let Some(memory) = scenario.host.get(name).and_then(|host| host.memory)
            && memory > most
        {
            let span = places.value(&format!("host.{name}.memory"));
            let problem =
                sources.error(span, format!("the machine has {most} of memory, which is less than {memory}"));
            let help = "leave it out to use all, or change the machine: change.machine.memory = \"…\"";
            problems.push(problem.help(help));
        }
    }
    let mut file_systems: Vec<PlacedFileSystem> = Vec::new();
    // Of thousands of copies one is tried out.
    let mut formatted: Option<(&FileSystemParameters, u64)> = None;
    let mut mounts = vec![0; scenario.host.len()];
    for ((name, file_system), plan) in scenario.fs.iter().zip(planned) {
        let on = plan.on as usize;
        let there = sizes.get(on).copied().unwrap_or(0);
        let blocks = file_system.place.size.map_or(there, |size| size.get() / SECTOR_BYTES);
        if blocks > there {
            let span = places.value(&format!("fs.{name}.size"));
            let holds = Bytes(there.saturating_mul(SECTOR_BYTES));
            let message =
                format!("the file system is larger than \"{}\", which holds {holds}", file_system.place.on);
            problems.push(sources.error(span, message).help("leave it out to use all of it"));
        } else if let Err(cause) = petrio_bounds::check(
            blocks / (BLOCK_SIZE / SECTOR_BYTES) / u64::from(file_system.parameters.blocks_per_group.max(1))
                * BYTES_A_GROUP,
        ) {
            let span = places.key(&format!("fs.{name}"));
            let size = Bytes(blocks.saturating_mul(SECTOR_BYTES));
            let message = format!("a file system of {size} is more than can be laid out here: {cause}");
            problems.push(
                sources.error(span, message).help("take a smaller disk, or give the file system a size"),
            );
        } else if formatted != Some((&file_system.parameters, blocks))
            && let Err(error) =
                file_system::Volume::format(&file_system.parameters, blocks / (BLOCK_SIZE / SECTOR_BYTES))
        {
            let span = places.key(&format!("fs.{name}"));
            problems.push(sources.error(span, format!("the file system \"{name}\" can't be made: {error}")));
        }
        if let Some(limit) = file_system.place.dirty_limit
            && let Some(host) = hosts.get(plan.host)
        {
            problems.extend(own_dirty_limit(limit, host, name, (places, sources)));
        }
        formatted = Some((&file_system.parameters, blocks));
        let mount = mounts[plan.host];
        mounts[plan.host] += 1;
        file_systems.push(PlacedFileSystem {
            name: name.clone(),
            host: plan.host,
            mount,
            on,
            blocks,
            parameters: file_system.parameters.clone(),
        });
    }
    let mut unix = Vec::new();
    for ((name, host), &on) in scenario.unix.iter().zip(planned_unix) {
        let blocks = sizes.get(on as usize).copied().unwrap_or(0);
        if let Err(error) = host.parameters.check().and_then(|()| host.parameters.check_device(blocks)) {
            let span = places.key(&format!("unix.{name}"));
            problems.push(sources.error(span, format!("the Unix host \"{name}\" can't be made: {error}")));
        }
        let (name, parameters) = (name.clone(), host.parameters.clone());
        unix.push(PlacedUnix { name, on: on as usize, blocks, parameters });
    }
    if problems.is_empty() { Ok(Placed { storage, hosts, file_systems, unix }) } else { Err(problems) }
}

/// What is wrong with a file system's own limit of dirty data.
fn own_dirty_limit(
    limit: Bytes,
    host: &PlacedHost,
    name: &str,
    (places, sources): (&Places, &Sources),
) -> Option<Problem> {
    let span = places.value(&format!("fs.{name}.dirty_limit"));
    if host.kernel.write_back.throttling == Throttling::WriterWritesBack {
        let message = format!("{} has no dirty limit for one device", host.kernel.name);
        let help = format!("limit the host: dirty_limit in [host.{}], or take a younger kernel", host.name);
        return Some(sources.error(span, message).help(help));
    }
    (limit < LEAST_DIRTY_LIMIT).then(|| {
        let message = format!("with a limit of {limit} nothing could be written");
        sources.error(span, message).help(format!("write {LEAST_DIRTY_LIMIT} or more"))
    })
}

/// Blocks of everything that holds blocks. What something lies on comes before it.
fn sizes(scenario: &Scenario, disks: &[PlacedDisk], holders: &[PlannedHolder]) -> Vec<u64> {
    let mut sizes: Vec<u64> = disks.iter().map(|disk| disk.compiled.blocks()).collect();
    for holder in holders.iter().skip(disks.len()) {
        let members: Vec<u64> =
            holder.over.iter().filter_map(|&below| sizes.get(below as usize).copied()).collect();
        let part = scenario.holders.get(holder.key, &holder.name);
        sizes.push(part.map_or(0, |part| part.blocks(&members)));
    }
    sizes
}
