//! Where hosts are built: the devices below them, the files that are there, a port for each host's operations.

use crate::build::block_targets::BlockTargets;
use crate::build::operations::{FilesOfOthers, Needed};
use crate::build::storage::{
    Devices, QueueBefore, before_queue, disks_of, entrance, holder, is_of_host, knows_files,
    replications_below,
};
use crate::claim::Sentence;
use crate::failure::RunFailure;
use crate::holder::Member;
use crate::loaded::Loaded;
use petrio_colours::{BlockRequest, FileId, FileOp, PlacedExtent};
use petrio_kernel::{PageBuilder, Place, Probe};
use petrio_models::Stage;
use petrio_models::cluster::replication::{FileLayout, Sight};
use petrio_models::device::DeviceFeatures;
use petrio_models::host::{HostMemory, LaidOut, LayoutOf};
use petrio_workload::program::PlannedFile;
use std::collections::BTreeMap;
use std::sync::Arc;

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
    pub(crate) loaded: &'s Loaded,
    /// Where hosts put the operations that are complete.
    pub(crate) completions: Place<FileOp>,
    /// The rows of the hosts.
    pub(crate) stages: Vec<Stage>,
    /// The rows of what lies between hosts and devices.
    pub(crate) upper_stages: Vec<Stage>,
    /// Where hosts' memory is found in a run.
    pub(crate) memory: Vec<HostMemory>,
    /// What comes to hosts whose links aren't held to their rate.
    pub(crate) unheld: Vec<UnheldLink>,
    /// What should be known before the results are trusted.
    pub(crate) warnings: Vec<Sentence>,
    pub(super) needed: &'s Needed<'s>,
    pub(super) asked: Option<&'s mut BlockTargets>,
    pub(super) devices: &'s mut Devices,
    /// Where the operations of each host arrive.
    pub(super) entrances: Vec<Place<FileOp>>,
    /// Queues that want to know of processes of a host that have ended.
    pub(super) listeners: Vec<(usize, Place<u32>)>,
    /// How many volumes and hosts other families have before.
    pub(crate) first_volume: usize,
    pub(super) first_host: usize,
}

/// What lies below the queue of a host.
pub(crate) struct BelowQueue {
    /// What stands before the queue, as an index of [`Loaded::storage`].
    before: Option<usize>,
    disks: Vec<BelowDisk>,
    /// The host makes it of parts that have queues of their own.
    pub(crate) is_of_host: bool,
}

/// A disk below the queue of a host.
#[derive(Clone, Copy)]
pub(crate) struct BelowDisk {
    /// What it can do about durability.
    pub(crate) features: DeviceFeatures,
    /// Requests that it accepts at a time.
    pub(crate) depth: u32,
    /// Whether anything turns in it.
    pub(crate) is_rotational: bool,
    pub(crate) has_many_queues: bool,
}

impl BelowQueue {
    pub(crate) fn disks(&self) -> &[BelowDisk] {
        &self.disks
    }
}

/// Where requests are put, and where they come back from.
type RequestPorts = (Place<BlockRequest>, Place<BlockRequest>);

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
        if self.devices.replications.is_empty() {
            return operations;
        }
        // By the number of the file system on the host.
        let number = self.entrances.len();
        let mut told: Vec<Vec<Place<FileOp>>> = Vec::new();
        for volume in self.loaded.hosts.volumes().filter(|volume| volume.host == number) {
            let Some(on) = volume.on else { continue };
            let below = replications_below(self.devices, self.loaded, on);
            let places = below.iter().filter_map(|number| self.devices.replications.get(number));
            told.push(places.map(|built| built.operations).collect());
        }
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

    /// The files of a volume of the family.
    pub(crate) fn files(&self, volume: usize) -> Result<Vec<PlannedFile>, RunFailure> {
        self.needed.files(self.first_volume + volume)
    }

    /// Where those files of a volume of the family lie whose place a trace tells; places that don't count are warned of.
    pub(crate) fn extents(&mut self, volume: usize) -> BTreeMap<FileId, Vec<PlacedExtent>> {
        let (extents, mut warnings) = self.needed.extents(self.first_volume + volume);
        self.warnings.append(&mut warnings);
        extents
    }

    /// A volume of the family with its files on it, and with what lies there of the files of others, whose volumes are
    /// counted from the family's first, and of servers' `own`.
    pub(crate) fn laid_out(
        &self,
        volume: usize,
        of: LayoutOf,
        (others, own): (Vec<FilesOfOthers<'_>>, &[PlannedFile]),
    ) -> Result<Arc<LaidOut>, RunFailure> {
        let first = self.first_volume;
        let others: Vec<FilesOfOthers<'_>> = (others.into_iter())
            .map(|FilesOfOthers { volumes, share }| {
                let volumes = first + volumes.start..first + volumes.end;
                FilesOfOthers { volumes, share }
            })
            .collect();
        self.needed.laid_out(first + volume, of, (&others, own))
    }

    /// The number of the host that each process runs on, among the family's own; of another family's hosts, none that it
    /// has.
    pub(crate) fn hosts_of_processes(&self) -> Vec<usize> {
        let own = |host: usize| host.checked_sub(self.first_host).unwrap_or(usize::MAX);
        self.needed.hosts_of_processes().into_iter().map(own).collect()
    }

    /// How many processes there are.
    pub(crate) fn processes(&self) -> u32 {
        self.needed.hosts_of_processes().len() as u32
    }

    /// One more than the number of any file that is planned.
    pub(crate) fn next_file(&self) -> Result<u32, RunFailure> {
        self.needed.next_file()
    }

    /// The ports of what a volume lies on, for a host without a queue of its own: `on` is an index of
    /// [`Loaded::storage`], and `files` lie there.
    pub(crate) fn device(&mut self, on: usize, files: &Arc<FileLayout>) -> Result<RequestPorts, RunFailure> {
        let stages = &mut self.upper_stages;
        let ports = holder(self.page, self.loaded, (on, files), self.devices, None, stages, None)?;
        Ok((ports.0, self.beside(on, ports)))
    }

    /// Those who want to know when processes of a host of the family end: this one, and the queues that were put before parts
    /// since the last call.
    pub(crate) fn listens(&mut self, host: usize, listener: Option<Place<u32>>) {
        let host = self.first_host + host;
        let below = self.devices.listeners.drain(..);
        self.listeners.extend(below.chain(listener).map(|listener| (host, listener)));
    }

    /// Whether anything that a volume lies on wants to know where its files lie.
    pub(crate) fn knows_files(&self, on: usize) -> bool {
        knows_files(self.loaded, on)
    }

    /// What a host's queue asks for a volume on `on`, on which `files` lie, with its ports and the rows of its stages. What
    /// the host makes of others has `queues` before each of these, if there are any at all.
    pub(crate) fn below_queue(
        &mut self,
        on: usize,
        files: &Arc<FileLayout>,
        queues: Option<QueueBefore<'_>>,
    ) -> Result<(BelowQueue, RequestPorts, Vec<Stage>), RunFailure> {
        let (before, top) = before_queue(self.loaded, on);
        let mut stages = Vec::new();
        let ports = holder(self.page, self.loaded, (top, files), self.devices, None, &mut stages, queues)?;
        let disks = disks_of(self.loaded, self.devices, top);
        let is_of_host = queues.is_some() && is_of_host(self.loaded, top);
        Ok((BelowQueue { before, disks, is_of_host }, ports, stages))
    }

    /// Where requests go that first pass what stands before the queue, which has these ports and offers so many blocks
    /// of 512 bytes.
    pub(crate) fn before_queue(
        &mut self,
        below: &BelowQueue,
        (requests, completions): RequestPorts,
        blocks: u64,
    ) -> Result<(Place<BlockRequest>, Vec<Stage>), RunFailure> {
        let is_rotational = below.disks.iter().any(|disk| disk.is_rotational);
        let queue =
            Member { requests, completions, blocks, is_rotational, alone: false, sight: Sight::Counted };
        entrance(self.page, self.loaded, below.before, queue)
    }

    /// Where a host finds what is complete of `on`, which it asks by these ports: programs may ask it too.
    pub(crate) fn beside(&mut self, on: usize, ports: RequestPorts) -> Place<BlockRequest> {
        let processes = self.processes();
        match &mut self.asked {
            Some(asked) => asked.beside(self.page, self.loaded, (on, processes), ports),
            None => ports.1,
        }
    }
}
