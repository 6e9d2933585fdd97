//! Linux hosts and their file systems with everything that they need found.

use super::check::CheckedLinux;
use super::mpi::{MPI, PlacedMpi};
use super::network::{NETWORK, PlacedNetwork};
use super::profiles::Profile;
use super::pvfs::{PVFS, PlacedPvfs};
use super::san::{PlacedSan, SAN, targets_of_networks};
use super::share::{PlacedShare, SHARE};
use super::tmpfs::{beyond_memory, in_memory};
use super::{FILE_SYSTEM, FileSystem, FileSystemKind, FileSystemPlace, Linux};
use crate::claim::{Claim, Sentence};
use crate::host::family::{Ground, PlacedFamily, TellLevers, TellWords, Volume};
use crate::placed::Beneath;
use crate::text::tree::Places;
use crate::text::{Copies, Problem, Sources, refusal};
use petrio_colours::SECTOR_BYTES;
use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::host::HostParameters;
use petrio_models::host::file_system::{self, BLOCK_SIZE, Family, JournalMode};
use petrio_models::host::kernel_profile::{BlockLayerParameters, Throttling};
use petrio_models::host::xfs::XfsVolume;
use petrio_page::numbers::grouped;
use petrio_units::Bytes;
use petrio_workload::parallel::Mounted;
use std::collections::BTreeSet;

/// The least that a file system's own dirty limit may be.
const LEAST_DIRTY_LIMIT: Bytes = Bytes(1 << 20);

/// The least that a journal may be (JBD2_MIN_JOURNAL_BLOCKS, 1024 blocks).
const LEAST_LOG: Bytes = Bytes(4 << 20);

/// What a group of blocks takes at least: where its two maps, its inodes and its first block lie.
const BYTES_A_GROUP: u64 = 32;

/// The Linux hosts of a scenario and what they mount, each in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct PlacedLinux {
    /// The hosts.
    pub hosts: Vec<PlacedHost>,
    /// The file systems.
    pub file_systems: Vec<PlacedFileSystem>,
    /// The networks.
    pub networks: Vec<PlacedNetwork>,
    /// The parallel file systems.
    pub pvfs: Vec<PlacedPvfs>,
    /// What carries messages between processes.
    pub mpi: Vec<PlacedMpi>,
    /// The file services.
    pub shares: Vec<PlacedShare>,
    /// The file systems on storage networks.
    pub san: Vec<PlacedSan>,
}

/// A machine under a kernel.
#[derive(Clone, Debug)]
pub struct PlacedHost {
    /// Its name.
    pub name: String,
    /// Its machine and its kernel, with the scenario's changes and limits.
    pub parameters: HostParameters,
}

/// A file system that is mounted.
#[derive(Clone, Debug)]
pub struct PlacedFileSystem {
    /// Its name.
    pub name: String,
    /// Its host, by its number among the Linux hosts.
    pub host: usize,
    /// Its number among the file systems of its host.
    pub mount: u32,
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage); nothing where it lies in memory.
    pub on: Option<usize>,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// The largest window of read-ahead from there.
    pub read_ahead: Bytes,
    /// Whether all that it lies on has a queue for each processor (NVMe).
    pub has_many_queues: bool,
    /// The device that is its journal, where that is one of its own.
    pub log: Option<PlacedLog>,
    /// What is written of where it lies, and of the queue before that.
    pub place: FileSystemPlace,
    /// Which it is, how it was made and is mounted.
    pub kind: FileSystemKind,
}

/// A device that is the journal of a file system on another.
#[derive(Clone, Copy, Debug)]
pub struct PlacedLog {
    /// Which, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// As much of it as is used, in blocks of 512 bytes.
    pub blocks: u64,
}

impl Linux {
    pub(super) fn placed(
        &self,
        CheckedLinux { mut profiles, mounts, networks, mut inner, traffic, pvfs, shares, san, mpi }: CheckedLinux,
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> PlacedLinux {
        let mut hosts = Vec::new();
        for (name, host) in &self.host {
            let Some(Profile { machine, kernel }) = profiles.swap_remove(name) else { continue };
            let parameters = HostParameters {
                machine,
                kernel,
                memory: host.memory,
                dirty_background: host.dirty_background,
                dirty_limit: host.dirty_limit,
                anonymous: host.anonymous,
                swap: host.swap,
                swappiness: host.swappiness,
            };
            hosts.push(PlacedHost { name: name.clone(), parameters });
        }
        let mut file_systems: Vec<PlacedFileSystem> = Vec::new();
        // Of thousands of copies one is tried out.
        let mut formatted: Option<(&FileSystemKind, u64)> = None;
        let mut next_mounts = vec![0; self.host.len()];
        for ((name, file_system), plan) in self.fs.iter().zip(mounts) {
            let FileSystem { place, kind } = file_system;
            let mount = next_mounts[plan.host];
            next_mounts[plan.host] += 1;
            let Some(on) = plan.on else {
                file_systems.push(in_memory(name, file_system, (plan.host, mount), &hosts));
                continue;
            };
            let there = ground.blocks(on);
            let blocks = place.size.map_or(there, |size| size.get() / SECTOR_BYTES);
            let is_known = formatted == Some((kind, blocks));
            problems.extend(impossible_size(name, file_system, (blocks, there), is_known, ground));
            if let (Some(limit), Some(host)) = (place.dirty_limit, hosts.get(plan.host)) {
                problems.extend(own_dirty_limit(limit, host, name, ground));
            }
            formatted = Some((kind, blocks));
            let log = plan.log.map(|log| {
                let there = ground.blocks(log);
                let blocks = kind
                    .log_apart()
                    .and_then(|(_, size)| size)
                    .map_or(there, |size| size.get() / SECTOR_BYTES);
                problems.extend(impossible_log(name, kind, (blocks, there), ground));
                PlacedLog { on: log as usize, blocks }
            });
            let Beneath { turns, has_many_queues, optimal_request, .. } = ground.beneath(on);
            let read_ahead = hosts
                .get(plan.host)
                .map_or(Bytes(0), |host| host.parameters.kernel.largest_window(turns, optimal_request));
            file_systems.push(PlacedFileSystem {
                name: name.clone(),
                host: plan.host,
                mount,
                on: Some(on as usize),
                blocks,
                read_ahead,
                has_many_queues,
                log,
                place: place.clone(),
                kind: kind.clone(),
            });
        }
        problems.extend(beyond_memory(&hosts, &file_systems, ground));
        let targets = targets_of_networks(networks.len(), &san);
        let ends: Vec<usize> = networks.iter().map(Vec::len).collect();
        let targets = self.network.keys().zip(targets).map(|(name, targets)| match inner.remove(name) {
            Some(ends) => (ends, true),
            None => (targets, false),
        });
        let found = networks.into_iter().zip(traffic).zip(targets);
        let networks = self.place_networks(found, ground, problems);
        let sizes: Vec<u64> = file_systems.iter().map(|placed| placed.blocks).collect();
        let pvfs = self.place_pvfs(pvfs, &sizes, &mut next_mounts, ground, problems);
        let shares = self.place_shares(shares, &sizes, &mut next_mounts);
        problems.extend(take_buffers(&pvfs, &file_systems, &mut hosts, ground));
        let san = self.place_san(san, (&mut next_mounts, &ends), ground, problems);
        let clients = pvfs.iter().map(|placed| (PVFS, &placed.name, placed.clients.len()));
        let clients = clients.chain(shares.iter().map(|placed| (SHARE, &placed.name, placed.clients.len())));
        let clients = clients.chain(san.iter().map(|placed| (SAN, &placed.name, placed.clients.len())));
        problems
            .extend(clients.filter_map(|(key, name, count)| too_many_clients((key, name), count, ground)));
        PlacedLinux { hosts, file_systems, networks, pvfs, shares, san, mpi }
    }
}

/// Takes the receive buffers of servers, one for each client, from the memory of their hosts.
fn take_buffers(
    pvfs: &[PlacedPvfs],
    file_systems: &[PlacedFileSystem],
    hosts: &mut [PlacedHost],
    ground: &Ground<'_>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for placed in pvfs {
        let each = placed.parameters.receive_buffer.get().saturating_mul(placed.clients.len() as u64);
        for &server in placed.servers.iter().filter(|_| each > 0) {
            let Some(host) = file_systems.get(server).and_then(|there| hosts.get_mut(there.host)) else {
                continue;
            };
            let memory = host.parameters.memory.unwrap_or(host.parameters.machine.memory);
            if each.saturating_mul(2) > memory.get() {
                let span = ground.places.value(&format!("{PVFS}.{}.receive_buffer", placed.name));
                let message = format!(
                    "the receive buffers of {} clients take {} of the {memory} of \"{}\"",
                    placed.clients.len(),
                    Bytes(each),
                    host.name
                );
                let help = "more than half isn't possible here: give smaller ones, or more memory";
                problems.push(ground.sources.error(span, message).help(help));
                break;
            }
            host.parameters.memory = Some(Bytes(memory.get() - each));
        }
    }
    problems
}

/// The least that was measured of a host with what it takes to be a client of a service over a network, by building some
/// ten thousand, bytes.
const A_CLIENT: u64 = 40 << 10;

/// More clients than memory holds.
fn too_many_clients((key, name): (&str, &str), clients: usize, ground: &Ground<'_>) -> Option<Problem> {
    let cause = petrio_bounds::check(A_CLIENT.saturating_mul(clients as u64)).err()?;
    let span = ground.places.value(&format!("{key}.{name}.clients"));
    let message =
        format!("the {} clients of \"{name}\" are more than can be held: {cause}", grouped(clients as u64));
    Some(ground.sources.error(span, message).help("make the hosts' count smaller, or name fewer of them"))
}

/// Why a file system of so many blocks can't be made where so many are there. One of which the like is known to be
/// possible isn't tried.
fn impossible_size(
    name: &str,
    FileSystem { place, kind }: &FileSystem,
    (blocks, there): (u64, u64),
    is_known: bool,
    ground: &Ground<'_>,
) -> Option<Problem> {
    let on = place.on.as_deref().unwrap_or_default();
    let own_blocks = blocks / (BLOCK_SIZE / SECTOR_BYTES);
    let groups = match kind {
        FileSystemKind::Ext(parameters) => own_blocks / u64::from(parameters.blocks_per_group.max(1)),
        FileSystemKind::Xfs(_) | FileSystemKind::Tmpfs(_) | FileSystemKind::Raw(_) => 0,
    };
    if blocks > there {
        let span = ground.places.value(&format!("{FILE_SYSTEM}.{name}.size"));
        let holds = Bytes(there.saturating_mul(SECTOR_BYTES));
        let message = format!("the file system is larger than \"{on}\", which holds {holds}");
        return Some(ground.sources.error(span, message).help("leave it out to use all of it"));
    }
    let span = ground.places.key(&format!("{FILE_SYSTEM}.{name}"));
    if let Err(cause) = petrio_bounds::check(groups * BYTES_A_GROUP) {
        let size = Bytes(blocks.saturating_mul(SECTOR_BYTES));
        let message = format!("a file system of {size} is more than can be laid out here: {cause}");
        let help = "take a smaller disk, or give the file system a size";
        return Some(ground.sources.error(span, message).help(help));
    }
    if is_known {
        return None;
    }
    let error = match kind {
        FileSystemKind::Ext(parameters) => file_system::Volume::format(parameters, own_blocks).err()?,
        FileSystemKind::Xfs(parameters) => XfsVolume::format(parameters, own_blocks).err()?,
        FileSystemKind::Tmpfs(_) | FileSystemKind::Raw(_) => return None,
    };
    let words = format!("the file system \"{name}\" can't be made: {error}");
    Some(refusal(ground.sources, ground.places, &format!("{FILE_SYSTEM}.{name}"), &words))
}

/// Why a device of `there` blocks can't be a journal of `blocks`.
fn impossible_log(
    name: &str,
    kind: &FileSystemKind,
    (blocks, there): (u64, u64),
    ground: &Ground<'_>,
) -> Option<Problem> {
    let on = kind.log_apart().map_or("", |(on, _)| on);
    let is_ext = kind.ext().is_some();
    let (key, size_key) = if is_ext { ("journal", "journal_size") } else { ("log", "log_size") };
    if blocks > there {
        let span = ground.places.value(&format!("{FILE_SYSTEM}.{name}.{size_key}"));
        let holds = Bytes(there.saturating_mul(SECTOR_BYTES));
        let message = format!("the journal is larger than \"{on}\", which holds {holds}");
        return Some(ground.sources.error(span, message).help("leave it out to use all of it"));
    }
    let size = Bytes(blocks.saturating_mul(SECTOR_BYTES));
    (size < LEAST_LOG).then(|| {
        let span = ground.places.value(&format!("{FILE_SYSTEM}.{name}.{key}"));
        let maker = if is_ext { "mke2fs" } else { "mkfs.xfs" };
        let message = format!("a journal of {size} is smaller than {maker} makes one");
        ground.sources.error(span, message).help(format!("take a device of {LEAST_LOG} or more"))
    })
}

/// What is wrong with a file system's own limit of dirty data.
fn own_dirty_limit(limit: Bytes, host: &PlacedHost, name: &str, ground: &Ground<'_>) -> Option<Problem> {
    let span = ground.places.value(&format!("{FILE_SYSTEM}.{name}.dirty_limit"));
    let kernel = &host.parameters.kernel;
    if kernel.write_back.throttling == Throttling::WriterWritesBack {
        let message = format!("{} has no dirty limit for one device", kernel.name);
        let help = format!("limit the host: dirty_limit in [host.{}], or take a younger kernel", host.name);
        return Some(ground.sources.error(span, message).help(help));
    }
    (limit < LEAST_DIRTY_LIMIT).then(|| {
        let message = format!("with a limit of {limit} nothing could be written");
        ground.sources.error(span, message).help(format!("write {LEAST_DIRTY_LIMIT} or more"))
    })
}

impl PlacedFileSystem {
    /// The name of the scheduler before it: the one that is written, else none before drives with a queue for each processor
    /// (elevator_init_mq), else the kernel's.
    pub(super) fn scheduler<'s>(&'s self, kernel: &'s BlockLayerParameters) -> &'s str {
        match &self.place.scheduler {
            Some(own) => own.name(),
            None if self.has_many_queues => "none",
            None => kernel.scheduler.as_str(),
        }
    }
}

/// Whether two names are of one scheduler: `none` is `noop` under blk-mq.
pub(super) fn is_same_scheduler(name: &str, other: &str) -> bool {
    match [name, other].map(SchedulerParameters::named) {
        [Some(one), Some(two)] => one.name() == two.name(),
        _ => name == other,
    }
}

impl PlacedLinux {
    /// Of each file system, the first of those with which it numbers its files together: all that a parallel one lies
    /// on, and what lies on the same with others.
    fn spaces(&self) -> Vec<usize> {
        let mut spaces: Vec<usize> = (0..self.file_systems.len()).collect();
        let of_pvfs =
            self.pvfs.iter().map(|pvfs| pvfs.servers.iter().copied().chain([pvfs.manager]).collect());
        let of_shares = self.shares.iter().map(|share| share.servers.clone());
        for all in of_pvfs.chain(of_shares) {
            let all: Vec<usize> = all;
            let together: BTreeSet<usize> =
                all.iter().filter_map(|&there| spaces.get(there).copied()).collect();
            let Some(&first) = together.first() else { continue };
            spaces.iter_mut().filter(|space| together.contains(space)).for_each(|space| *space = first);
        }
        spaces
    }

    /// What the files of a host's file systems in memory may take together, in bytes.
    pub(crate) fn most_in_memory(&self, host: usize) -> u64 {
        super::tmpfs::most_in_memory(host, &self.file_systems)
    }

    /// The schedulers that are written before file systems, and that their hosts' kernels never had.
    pub(super) fn schedulers_of_other_kernels(&self) -> Vec<Sentence> {
        let strange = self.file_systems.iter().filter_map(|mounted| {
            let kernel = &self.hosts[mounted.host].parameters.kernel;
            let name = mounted.place.scheduler.as_ref()?.name();
            let known = &kernel.block.schedulers;
            let unknown = !known.is_empty() && !known.iter().any(|known| is_same_scheduler(name, known));
            unknown.then_some((kernel.name.as_str(), name, known))
        });
        let each: BTreeSet<(&str, &str, &Vec<String>)> = strange.collect();
        let told = each.into_iter().map(|(kernel, name, known)| {
            Claim::NotOfThisKernel.says(format!(
                "{kernel} has no scheduler {name} (it has {}); the figures are as if it had one",
                known.join(", ")
            ))
        });
        told.collect()
    }

    /// What a file system is, in a few words: "ext3, ordered data, cfq, Linux 2.6.24 on a PowerEdge 1850".
    fn words_of(&self, mounted: &PlacedFileSystem) -> String {
        let HostParameters { machine, kernel, .. } = &self.hosts[mounted.host].parameters;
        let apart = if mounted.log.is_some() { " on a device of its own" } else { "" };
        let scheduler = mounted.scheduler(&kernel.block);
        let parameters = match &mounted.kind {
            FileSystemKind::Ext(parameters) => parameters,
            FileSystemKind::Xfs(_) => {
                let log = if apart.is_empty() { String::new() } else { format!(", log{apart}") };
                return format!("xfs{log}, {scheduler}, {} on {}", kernel.name, machine.name);
            }
            FileSystemKind::Tmpfs(_) => return format!("tmpfs, {} on {}", kernel.name, machine.name),
            FileSystemKind::Raw(_) => {
                return format!("the device itself, {scheduler}, {} on {}", kernel.name, machine.name);
            }
        };
        let family = match parameters.family {
            Family::Ext3 => "ext3",
            Family::Ext4 => "ext4",
        };
        let journal = match parameters.journal.mode {
            JournalMode::Ordered => "ordered data",
            JournalMode::WriteBack => "data written back",
            JournalMode::Journal => "data in the journal",
        };
        format!("{family}, {journal}{apart}, {scheduler}, {} on {}", kernel.name, machine.name)
    }
}

impl PlacedFamily for PlacedLinux {
    fn hosts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.hosts.iter().map(|host| host.name.as_str()))
    }

    fn volumes(&self) -> Box<dyn Iterator<Item = Volume<'_>> + '_> {
        let spaces = self.spaces();
        let own = self.file_systems.iter().zip(spaces.clone()).map(|(mounted, space)| {
            let &PlacedFileSystem { ref name, host, mount, on, blocks, .. } = mounted;
            Volume { name, host, mount, on, blocks, space, mounted: Mounted::LOCAL }
        });
        let space = |there: usize| spaces.get(there).copied().unwrap_or(0);
        let of_pvfs: Vec<usize> = self.pvfs.iter().map(|pvfs| space(pvfs.manager)).collect();
        let of_shares = self.shares.iter().map(|share| space(share.servers.first().copied().unwrap_or(0)));
        let of_shares: Vec<usize> = of_shares.collect();
        let pvfs = self.pvfs.iter().zip(of_pvfs).flat_map(|(pvfs, space)| pvfs.volumes(space));
        let shares = self.shares.iter().zip(of_shares).flat_map(|(share, space)| share.volumes(space));
        // The mounts of one on a storage network see the same files, by themselves.
        let mut first = self.file_systems.len()
            + self.pvfs.iter().map(|pvfs| pvfs.clients.len()).sum::<usize>()
            + self.shares.iter().map(|share| share.clients.len()).sum::<usize>();
        let on_disks = self.san.iter().flat_map(move |san| {
            let space = first;
            first += san.clients.len();
            san.volumes(space)
        });
        Box::new(own.chain(pvfs).chain(shares).chain(on_disks))
    }

    fn orders_requests(&self) -> bool {
        !self.file_systems.is_empty()
    }

    fn message_library(&self, host: usize) -> Option<usize> {
        self.mpi.iter().position(|mpi| mpi.hosts.contains(&host))
    }

    fn computing_speed(&self, host: usize) -> f64 {
        self.hosts.get(host).map_or(1.0, |host| host.parameters.machine.computing_speed)
    }

    fn impossible(&self, places: &Places, sources: &Sources) -> Vec<Problem> {
        self.hosts.iter().flat_map(|host| host.impossible(places, sources)).collect()
    }

    fn words(&self, tell: TellWords<'_>) {
        for mounted in &self.file_systems {
            tell(&format!("{FILE_SYSTEM}.{}", mounted.name), &|| self.words_of(mounted));
        }
        for pvfs in &self.pvfs {
            tell(&format!("{PVFS}.{}", pvfs.name), &|| pvfs.words());
        }
        for share in &self.shares {
            tell(&format!("{SHARE}.{}", share.name), &|| share.words());
        }
        for san in &self.san {
            tell(&format!("{SAN}.{}", san.name), &|| san.words());
        }
        for mpi in &self.mpi {
            tell(&format!("{MPI}.{}", mpi.name), &|| mpi.words());
        }
        for network in &self.networks {
            tell(&format!("{NETWORK}.{}", network.name), &|| network.words());
        }
    }

    fn levers(&self, copies: &Copies, tell: TellLevers<'_>) {
        self.tell_levers(copies, tell);
    }
}
