//! `[fs.NAME]`: a file system of a host, on a disk, an array or another part that holds blocks, or in its memory.

mod check;
mod kinds;
mod levers;
mod memory;
mod pages;
mod place;
mod words;

pub use kinds::{FileSystemKind, FileSystemPlace, RawParameters, RawType, TmpfsParameters, TmpfsType};
pub(crate) use memory::{beyond_memory, most_in_memory};
pub(crate) use place::PlacedSoFar;
pub(crate) use words::schedulers_of_other_kernels;

use super::{CheckSite, MountKind, MountPages, PlaceSite, PlacedMount};
use crate::checker::PlannedVolume;
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::family::{TellLevers, Volume};
use crate::host::linux::FILE_SYSTEM;
use crate::parts::{PartKind, Pool, name_in};
use crate::schema::read_apart;
use crate::site::HostSite;
use crate::text::tree::{Table, entry};
use crate::text::{Problem, Sources};
use check::PlannedMount;
use pages::LocalPages;
use petrio_models::host::file_system::FileSystemParameters;
use petrio_models::host::xfs::XfsParameters;
use petrio_units::Bytes;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The least that was measured of a file system with its share of a parallel one, by building some thousand, bytes.
const A_FILE_SYSTEM: u32 = 64 << 10;

/// A file system.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FileSystem {
    /// Where it lies, what mounts it, and the queue before it.
    #[serde(flatten)]
    pub place: FileSystemPlace,
    /// Which it is, how it was made and is mounted.
    #[serde(flatten)]
    pub kind: FileSystemKind,
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
    /// Whether all that it lies on takes discards.
    pub takes_discards: bool,
    /// The device that is its journal, where that is one of its own.
    pub log: Option<PlacedLog>,
    /// What is written of where it lies, and of the queue before that.
    pub place: FileSystemPlace,
    /// Which it is, how it was made and is mounted.
    pub kind: FileSystemKind,
    /// It is the first of its host that lies on a device: swap space lies behind its blocks.
    pub holds_swap: bool,
}

/// A device that is the journal of a file system on another.
#[derive(Clone, Copy, Debug)]
pub struct PlacedLog {
    /// Which, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// As much of it as is used, in blocks of 512 bytes.
    pub blocks: u64,
}

impl MountKind for FileSystem {
    type Checked = PlannedMount;
    type Placed = PlacedFileSystem;

    const KIND: PartKind = PartKind {
        references: &[("on", Pool::Holders), ("journal.on", Pool::Holders), ("host", Pool::Hosts)],
        least_bytes: A_FILE_SYSTEM,
        is_mounted: true,
        ..PartKind::of(FILE_SYSTEM, Pool::Volumes)
    };
    const WHAT: &'static str = "file system";
    const EXAMPLE: &'static str = "type = … and on = …";

    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>> {
        let written = entry(table.get_ref(), "type");
        if written.as_ref().is_some_and(|(_, value)| value.get_ref().as_str() == Some("tmpfs")) {
            let read = read_apart::<MemoryPlace, TmpfsParameters>(table, &["host", "size"], sources);
            return read.map(|(MemoryPlace { host, size }, parameters)| FileSystem {
                place: FileSystemPlace { host, size, ..FileSystemPlace::default() },
                kind: FileSystemKind::Tmpfs(parameters),
            });
        }
        let named =
            |name: &str| written.as_ref().is_some_and(|(_, value)| value.get_ref().as_str() == Some(name));
        let read = if named("raw") {
            read_apart::<FileSystemPlace, RawParameters>(table, &PLACE_KEYS, sources)
                .map(|(place, parameters)| FileSystem { place, kind: FileSystemKind::Raw(parameters) })
        } else if named("xfs") {
            read_apart::<FileSystemPlace, XfsParameters>(table, &PLACE_KEYS, sources)
                .map(|(place, parameters)| FileSystem { place, kind: FileSystemKind::Xfs(parameters) })
        } else {
            read_apart::<FileSystemPlace, FileSystemParameters>(table, &PLACE_KEYS, sources)
                .map(|(place, parameters)| FileSystem { place, kind: FileSystemKind::Ext(parameters) })
        };
        let mut problems = Vec::new();
        let mut missing = |key: &str, help: &str| {
            let problem = sources.error(table.span(), format!("\"{key}\" is missing")).label("in this part");
            problems.push(problem.help(help));
        };
        if written.is_none() {
            let all = "type = \"ext3\", type = \"ext4\", type = \"xfs\", type = \"tmpfs\" or type = \"raw\"";
            missing("type", &format!("say which file system it is: {all}"));
        }
        if entry(table.get_ref(), "on").is_none() {
            missing(
                "on",
                "name the disk, array or other part that it lies on, or make it one in memory: type = \"tmpfs\"",
            );
        }
        match read {
            Ok(read) if problems.is_empty() => Ok(read),
            read => Err(problems.into_iter().chain(read.err().into_iter().flatten()).collect()),
        }
    }

    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<PlannedMount> {
        let (host, on) = self.check_file_system(site, name);
        let log = self.check_log(site.checker, name);
        site.checker.volume(PlannedVolume {
            key: FILE_SYSTEM,
            what: Self::WHAT,
            name: name.to_owned(),
            part: name.to_owned(),
            on: on.flatten(),
            found: on.is_some(),
            is_beside_others: false,
        });
        let planned = (|| Some(PlannedMount { host: host?, on: on?, log: log.ok()? }))();
        site.mounted.push(planned.map(|planned| planned.host));
        planned
    }

    fn place(&self, name: &str, planned: PlannedMount, site: &mut PlaceSite<'_>) -> Option<PlacedFileSystem> {
        let placed = self.placed(name, planned, site);
        site.local.sizes.push((placed.host, placed.blocks));
        Some(placed)
    }
}

impl PlacedMount for PlacedFileSystem {
    fn name(&self) -> &str {
        &self.name
    }

    fn volumes(&self) -> Vec<Volume<'_>> {
        let &Self { ref name, host, mount, on, blocks, .. } = self;
        vec![Volume { name, host, mount, on, blocks, space: 0, mounted: Mounted::LOCAL }]
    }

    fn words(&self, linux: &PlacedLinux) -> String {
        self.in_words(linux)
    }

    fn levers(&self, path: &str, linux: &PlacedLinux, tell: TellLevers<'_>) {
        self.tell_levers(path, linux, tell);
    }

    fn pages<'l>(
        &'l self,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        _: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure> {
        let host = &linux.hosts[self.host];
        let name = name_in(&self.name, &host.name);
        Ok(Box::new(LocalPages { mounted: self, host, name, number: volumes.start }))
    }
}

const PLACE_KEYS: [&str; 9] = [
    "host",
    "on",
    "size",
    "scheduler",
    "queue_requests",
    "queue_depth",
    "write_back_latency",
    "dirty_limit",
    "believed_rate",
];

/// What is written of where a file system in memory lies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryPlace {
    host: Option<String>,
    size: Option<Bytes>,
}
