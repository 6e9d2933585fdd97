//! What a kind of mount is: as it is written, once all of it is found, and while its pages are put into the net.

use super::{CheckSite, Connections, MountPoint, PlaceSite};
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::family::{TellLevers, Volume};
use crate::parts::{PartKind, Pool};
use crate::schema::Names;
use crate::site::HostSite;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::Stage;
use petrio_models::host::{LaidOut, LayoutOf, Mount};
use petrio_units::Bytes;
use petrio_workload::parallel::Mounted;
use petrio_workload::program::PlannedFile;
use serde::Serialize;
use std::ops::Range;
use std::sync::Arc;

/// A kind of what hosts mount or share, as a part of it is written.
pub(crate) trait MountKind: Sized + Serialize {
    /// What is known of a part once names are found.
    type Checked;
    /// What is known of it once sizes are found.
    type Placed: PlacedMount;

    /// Its key, and which parts its own keys name.
    const KIND: PartKind;
    /// What one is called in messages: "file system".
    const WHAT: &'static str;
    /// What the table of one holds at least.
    const EXAMPLE: &'static str;

    /// Reads the table of a part.
    fn read(table: &Table<'_>, sources: &Sources) -> Result<Self, Vec<Problem>>;

    /// The hosts that mount it by a name of their own, and the file systems of hosts on which it lies, if it lies on such.
    fn between(&self) -> Option<(&Names, Option<&Names>)> {
        None
    }

    /// Finds what names stand for, and tells all that makes no sense. Its name is looked at already.
    fn check(&self, name: &str, site: &mut CheckSite<'_, '_, '_>) -> Option<Self::Checked>;

    /// Finds the sizes, and tells what can't be had.
    fn place(&self, name: &str, checked: Self::Checked, site: &mut PlaceSite<'_>) -> Option<Self::Placed>;
}

/// The kind of a part that hosts share under a key, and which parts its own keys name.
pub(crate) const fn shared_part(key: &'static str, references: &'static [(&'static str, Pool)]) -> PartKind {
    PartKind { references, is_around: true, ..PartKind::of(key, Pool::Shared) }
}

/// What has been written and closed and is on no disk, in words.
pub(crate) struct LeftInMemory {
    /// Whose memory it is in.
    pub(crate) whose: &'static str,
    /// What would have it on disk.
    pub(crate) instead: &'static str,
}

/// A mount, or something else that hosts share, of which everything is found.
pub(crate) trait PlacedMount {
    /// Its name.
    fn name(&self) -> &str;

    /// Its volumes: what workloads on files may go to. Their spaces are found [from what it lies on](Self::lies_on).
    fn volumes(&self) -> Vec<Volume<'_>>;

    /// The file systems of hosts on which its files lie, by their numbers: all number their files together with its volumes.
    fn lies_on(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The hosts whose processes' messages to each other it carries.
    fn carries_messages_of(&self) -> &[usize] {
        &[]
    }

    /// The network on which it puts disks and arrays by themselves, and their names.
    fn targets(&self) -> Option<(usize, Vec<String>)> {
        None
    }

    /// Whether its messages and calls are set to cost no processor's time.
    fn costs_nothing(&self, _linux: &PlacedLinux) -> bool {
        false
    }

    /// Where what programs have written and closed may be in memory of others alone: whose memory that is, and what would have it on disk
    /// instead, in words.
    fn left_in_memory(&self) -> Option<LeftInMemory> {
        None
    }

    /// The most bytes of a call, where each call of a program goes to others by itself.
    fn ungathered_calls(&self) -> Option<Bytes> {
        None
    }

    /// What it is, in a few words.
    fn words(&self, linux: &PlacedLinux) -> String;

    /// What a person could change about it to make it better; it is written at `path`.
    fn levers(&self, path: &str, linux: &PlacedLinux, tell: TellLevers<'_>);

    /// What puts its pages into the net; its volumes have these numbers in its family.
    ///
    /// # Errors
    /// Files of its programs that can't be planned.
    fn pages<'l>(
        &'l self,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Result<Box<dyn MountPages + 'l>, RunFailure>;
}

/// Who asks a host's file systems as a process, or as several.
#[derive(Clone, Debug)]
pub(crate) struct Asks {
    /// The host.
    pub(crate) host: usize,
    /// What the place is called where it is answered.
    pub(crate) place: String,
    /// How many processes.
    pub(crate) processes: u32,
}

/// Lays out the files of a volume of a mount, by its position among these, with what others keep there.
pub(crate) type LayOut<'l> =
    dyn Fn(&HostSite<'_, '_>, usize, LayoutOf) -> Result<Arc<LaidOut>, RunFailure> + 'l;

/// How a mount's pages are put into the net.
pub(crate) trait MountPages {
    /// Its mounts whose operations it takes itself, past their hosts' page caches.
    fn points(&self) -> &[MountPoint] {
        &[]
    }

    /// Who asks hosts for it.
    fn asks(&self) -> Vec<Asks> {
        Vec::new()
    }

    /// What differs between layouts of its files on what it [lies on](PlacedMount::lies_on), as numbers.
    fn figures(&self) -> Vec<u64> {
        Vec::new()
    }

    /// What lies of a file on one of those, by its position among them.
    fn stored(&self, _position: usize, _file: &PlannedFile) -> Option<PlannedFile> {
        None
    }

    /// What else it keeps on one of those.
    fn own_file(&self, _position: usize) -> Option<PlannedFile> {
        None
    }

    /// The mounts under their hosts' page caches, by the hosts' numbers, where they are such: their files are laid out by `lay_out`. Those of a
    /// host follow each other as its mounts are numbered.
    ///
    /// # Errors
    /// What keeps it from being built.
    fn under_page_cache(
        &self,
        _site: &mut HostSite<'_, '_>,
        _lay_out: &LayOut<'_>,
    ) -> Result<Vec<(usize, Mount)>, RunFailure> {
        Ok(Vec::new())
    }

    /// Puts its pages into the net, once those of hosts are there; their rows.
    ///
    /// # Errors
    /// What keeps them from being built.
    fn build(
        &self,
        _site: &mut HostSite<'_, '_>,
        _wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        Ok(Vec::new())
    }
}

/// Volumes of the mounts of one thing, each of which has all of its blocks of 512 bytes.
pub(crate) fn volumes_at(points: &[MountPoint], blocks: u64, mounted: Mounted) -> Vec<Volume<'_>> {
    (points.iter())
        .map(|MountPoint { name, host, mount }| {
            let (host, mount) = (*host, *mount);
            Volume { name, host, mount, on: None, blocks, space: 0, mounted }
        })
        .collect()
}
