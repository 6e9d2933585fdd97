//! How large file systems of hosts are, and which can't be had.

use super::check::PlannedMount;
use super::memory::in_memory;
use super::{FileSystem, FileSystemKind, PlacedFileSystem, PlacedLog};
use crate::host::Beneath;
use crate::host::family::Ground;
use crate::host::linux::mount::PlaceSite;
use crate::host::linux::{FILE_SYSTEM, PlacedHost};
use crate::text::{Problem, refusal};
use petrio_colours::SECTOR_BYTES;
use petrio_models::host::file_system::{self, BLOCK_SIZE, FileSystemParameters};
use petrio_models::host::kernel_profile::{JournalGeneration, Throttling};
use petrio_models::host::xfs::XfsVolume;
use petrio_units::Bytes;
use std::collections::BTreeSet;

/// The least that a file system's own dirty limit may be.
const LEAST_DIRTY_LIMIT: Bytes = Bytes(1 << 20);

/// The least that a journal may be (JBD2_MIN_JOURNAL_BLOCKS, 1024 blocks).
const LEAST_LOG: Bytes = Bytes(4 << 20);

/// What a group of blocks takes at least: where its two maps, its inodes and its first block lie.
const BYTES_A_GROUP: u64 = 32;

/// The file systems of hosts that are placed so far.
#[derive(Debug, Default)]
pub(crate) struct PlacedSoFar {
    /// Of each, its host, and its size in blocks of 512 bytes: for what lies on it.
    pub(crate) sizes: Vec<(usize, u64)>,
    /// The last that was found possible, or not: of thousands of copies one is tried out.
    formatted: Option<(FileSystemKind, u64)>,
    /// Hosts whose swap space has a place.
    with_swap: BTreeSet<usize>,
}

impl FileSystem {
    pub(super) fn placed(
        &self,
        name: &str,
        PlannedMount { host, on, log }: PlannedMount,
        site: &mut PlaceSite<'_>,
    ) -> PlacedFileSystem {
        let Self { place, kind } = self;
        let mount = site.next_mount(host);
        let Some(on) = on else { return in_memory(name, self, (host, mount), site.hosts) };
        let there = site.ground.blocks(on);
        let blocks = place.size.map_or(there, |size| size.get() / SECTOR_BYTES);
        let is_known =
            site.local.formatted.as_ref().is_some_and(|(known, size)| known == kind && *size == blocks);
        if !is_known {
            site.local.formatted = Some((kind.clone(), blocks));
        }
        let ground = site.ground;
        site.problems.extend(impossible_size(name, self, (blocks, there), is_known, ground));
        let its_host = site.hosts.get(host);
        if let (Some(limit), Some(host)) = (place.dirty_limit, its_host) {
            site.problems.extend(own_dirty_limit(limit, host, name, ground));
        }
        let log = log.map(|log| {
            let there = ground.blocks(log);
            let size = kind.log_apart().and_then(|(_, size)| size);
            let blocks = size.map_or(there, |size| size.get() / SECTOR_BYTES);
            site.problems.extend(impossible_log(name, kind, (blocks, there), ground));
            PlacedLog { on: log as usize, blocks }
        });
        let Beneath { turns, has_many_queues, takes_discards, optimal_request, .. } = ground.beneath(on);
        if let Some(host) = its_host.filter(|_| kind.discards()) {
            site.problems.extend(vain_discards(name, self, host, takes_discards, ground));
        }
        let read_ahead =
            its_host.map_or(Bytes(0), |host| host.parameters.kernel.largest_window(turns, optimal_request));
        PlacedFileSystem {
            name: name.to_owned(),
            host,
            mount,
            on: Some(on as usize),
            blocks,
            read_ahead,
            has_many_queues,
            takes_discards,
            log,
            place: place.clone(),
            kind: kind.clone(),
            holds_swap: site.local.with_swap.insert(host),
        }
    }
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

/// Why discards of a file system come to nothing: its driver has none, or what it lies on takes none.
fn vain_discards(
    name: &str,
    FileSystem { place, kind }: &FileSystem,
    host: &PlacedHost,
    are_taken: bool,
    ground: &Ground<'_>,
) -> Option<Problem> {
    let span = ground.places.value(&format!("{FILE_SYSTEM}.{name}.discard"));
    let kernel = &host.parameters.kernel;
    let is_old =
        |parameters: &FileSystemParameters| kernel.journal_of(parameters.family) == JournalGeneration::Jbd;
    if kind.ext().is_some_and(is_old) {
        let message = format!("{}'s driver of ext3 knows no mount option discard", kernel.name);
        let help = "leave it out, or take ext4 or a younger kernel";
        return Some(ground.sources.error(span, message).help(help));
    }
    (!are_taken).then(|| {
        // The kernel's own words (fs/ext4/super.c).
        let message = format!(
            "mounting with \"discard\" option, but the device does not support discard: \"{}\" is told of nothing",
            place.on.as_deref().unwrap_or_default()
        );
        let help = "solid-state drives take discards, and pass through arrays of the host without parity";
        ground.sources.error(span, message).help(help).only_warns()
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
