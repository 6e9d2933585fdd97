//! Where hosts are put into the net: what a family of hosts leaves there, and what it stands on.

mod below;
mod foundation;

pub(crate) use below::{BelowDisk, BelowQueue, QueueBefore, RequestPorts, listener, queue_before};
pub(crate) use foundation::{FilesOfOthers, Foundation};

use crate::claim::Sentence;
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::{PageBuilder, Place, Probe, Watch};
use petrio_models::Stage;
use petrio_models::cluster::beegfs::RpcsOf;
use petrio_models::cluster::lustre::LustreClient;
use petrio_models::cluster::nfs::Carrier;
use petrio_models::cluster::pvfs::PvfsEnd;
use petrio_models::host::HostMemory;
use petrio_models::host::nfs::MountOptions;
use petrio_models::processor::Processors;
use petrio_workload::program::PlannedFile;
use std::collections::BTreeMap;
use std::ops::Range;

/// A link by which a host receives as much as comes, at a level that doesn't know more of it.
#[derive(Clone, Debug)]
pub(crate) struct UnheldLink {
    /// The network's name.
    pub(crate) network: String,
    /// The host's.
    pub(crate) host: String,
    /// For how many seconds its link would have been busy.
    pub(crate) busy: Probe,
}

/// Where a family of hosts puts its pages, and what it finds there.
pub(crate) struct HostSite<'s, 'p> {
    pub(crate) page: &'s mut PageBuilder<'p>,
    /// What the hosts stand on.
    pub(crate) foundation: &'s mut dyn Foundation,
    /// Where the scenario's random numbers begin.
    pub(crate) seed: u64,
    /// Whether it is still wanted.
    pub(crate) watch: &'s Watch,
    /// Where hosts put the operations that are complete.
    pub(crate) completions: Place<FileOp>,
    /// The rows of the hosts.
    pub(crate) stages: Vec<Stage>,
    /// The rows of what lies between hosts and devices.
    pub(crate) upper_stages: Vec<Stage>,
    /// Where hosts' memory is found in a run.
    pub(crate) memory: Vec<HostMemory>,
    /// Where what the calls of each mount of NFS came to is found in a run, behind its name.
    pub(crate) carriers: Vec<(String, Place<Carrier>)>,
    /// Where what failing servers cost is found, of each client and server of a PVFS behind its name.
    pub(crate) of_pvfs: Vec<(String, PvfsEnd)>,
    /// Where what the RPCs of each mount of a Lustre came to is found, behind its name.
    pub(crate) lustre_clients: Vec<(String, Place<LustreClient>)>,
    /// What the requests of each mount and server of a BeeGFS came to, likewise.
    pub(crate) of_beegfs: Vec<(String, RpcsOf)>,
    /// What comes to hosts whose links aren't held to their rate.
    pub(crate) unheld: Vec<UnheldLink>,
    /// What should be known before the results are trusted.
    pub(crate) warnings: Vec<Sentence>,
    /// Where the operations of each host arrive.
    pub(crate) entrances: Vec<Place<FileOp>>,
    /// The hosts that may be on the networks of another family, by name.
    pub(crate) guests: BTreeMap<String, Guest>,
}

/// A host on the networks of another family, which builds these before the host is built.
#[derive(Debug, Default)]
pub(crate) struct Guest {
    /// How many processors it has.
    pub(crate) count: u32,
    /// They, once others use them.
    pub(crate) processors: Option<Processors>,
    /// What it mounts of others.
    pub(crate) mounts: Vec<GuestMount>,
    /// What others ask it for, if any do.
    pub(crate) served: Option<Served>,
}

/// What servers on such a host ask it for.
#[derive(Debug)]
pub(crate) struct Served {
    /// Where they ask it.
    pub(crate) asked: Place<FileOp>,
    /// Where it puts all that is complete.
    pub(crate) completions: Place<FileOp>,
    /// As which processes they ask.
    pub(crate) processes: Vec<Range<u32>>,
    /// Of each of its file systems, by its number there, the files of others that are on it.
    pub(crate) files: BTreeMap<u32, Vec<PlannedFile>>,
}

/// An export that such a host mounts.
#[derive(Debug)]
pub(crate) struct GuestMount {
    pub(crate) name: String,
    /// What operations call it.
    pub(crate) number: u32,
    pub(crate) options: MountOptions,
    /// Its size in blocks of 512 bytes.
    pub(crate) blocks: u64,
    pub(crate) files: Vec<PlannedFile>,
    /// Where its calls go, and where they come back.
    pub(crate) requests: Place<BlockRequest>,
    pub(crate) completions: Place<BlockRequest>,
}

impl HostSite<'_, '_> {
    /// Where the next host of the family takes its operations from: its own port. Where copies of its files are kept,
    /// they pass a transition before it that tells the replication of each operation that begins: what its volumes lie on
    /// is in the net already.
    pub(crate) fn host(&mut self, name: &str) -> Place<FileOp> {
        let operations = self.page.fifo(&format!("{name}-operations"));
        let entrance = self.announced(name, operations);
        self.entrances.push(entrance);
        operations
    }

    /// Where the last host of [`host`](Self::host) hears of operations first: servers on it ask it there, too.
    pub(crate) fn entrance(&self) -> Option<Place<FileOp>> {
        self.entrances.last().copied()
    }

    /// Programs' operations for that host arrive elsewhere: some of them aren't for its own file systems.
    pub(crate) fn enter_at(&mut self, entrance: Place<FileOp>) {
        if let Some(last) = self.entrances.last_mut() {
            *last = entrance;
        }
    }

    fn announced(&mut self, host: &str, operations: Place<FileOp>) -> Place<FileOp> {
        let told = self.foundation.told_of(self.entrances.len());
        if told.iter().all(Vec::is_empty) {
            return operations;
        }
        let arrivals = self.page.fifo(&format!("{host}-arrivals"));
        let mut announce = self.page.transition(&format!("{host}-announce"));
        let arriving = announce.take(arrivals);
        let onward = announce.put(operations);
        let told: Vec<Vec<_>> = (told.iter())
            .map(|places| places.iter().map(|&place| announce.may_put(place, 1)).collect())
            .collect();
        announce.action(move |f| {
            let operation: FileOp = f.take(arriving);
            for &place in told.get(operation.file_system as usize).into_iter().flatten() {
                f.put(place, operation.clone());
            }
            f.put(onward, operation);
        });
        arrivals
    }
}
