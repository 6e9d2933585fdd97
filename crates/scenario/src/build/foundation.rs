//! What hosts stand on in a System: its devices, and what its workloads need to be there.

use crate::build::block_targets::BlockTargets;
use crate::build::operations::{Needed, file_tables};
use crate::build::storage::{
    Devices, before_queue, disks_of, entrance, holder, is_of_host, knows_files, replications_below,
};
use crate::claim::Sentence;
use crate::failure::RunFailure;
use crate::holder::Member;
use crate::loaded::Loaded;
use crate::site::{BelowQueue, FilesOfOthers, Foundation, QueueBefore, RequestPorts};
use petrio_colours::{BlockRequest, FileId, FileOp, PlacedExtent};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::cluster::replication::{FileLayout, Sight};
use petrio_models::host::{LaidOut, LayoutOf};
use petrio_workload::program::{FileTable, PlannedFile};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What hosts stand on in a System.
pub(super) struct OfSystem<'s> {
    pub(super) loaded: &'s Loaded,
    pub(super) needed: &'s Needed<'s>,
    pub(super) asked: Option<&'s mut BlockTargets>,
    pub(super) devices: &'s mut Devices,
    /// Queues that want to know of processes of a host that have ended.
    pub(super) listeners: Vec<(usize, Place<u32>)>,
    /// How many volumes and hosts other families have before.
    pub(super) first_volume: usize,
    pub(super) first_host: usize,
}

impl Foundation for OfSystem<'_> {
    fn next_family(&mut self, hosts: usize, volumes: usize) {
        self.first_host += hosts;
        self.first_volume += volumes;
    }

    fn told_of(&self, host: usize) -> Vec<Vec<Place<FileOp>>> {
        if self.devices.replications.is_empty() {
            return Vec::new();
        }
        let volumes = self.loaded.hosts.volumes().filter(|volume| volume.host == host);
        let told = volumes.filter_map(|volume| volume.on).map(|on| {
            let below = replications_below(self.devices, self.loaded, on);
            let places = below.iter().filter_map(|number| self.devices.replications.get(number));
            places.map(|built| built.operations).collect()
        });
        told.collect()
    }

    fn files(&self, volume: usize) -> Result<Vec<PlannedFile>, RunFailure> {
        self.needed.files(self.first_volume + volume)
    }

    fn tables(&self, volumes: Range<usize>) -> Result<Vec<FileTable>, RunFailure> {
        let (tables, _) = file_tables(self.loaded)?;
        Ok(tables.into_iter().skip(self.first_volume + volumes.start).take(volumes.len()).collect())
    }

    fn extents(&self, volume: usize) -> (BTreeMap<FileId, Vec<PlacedExtent>>, Vec<Sentence>) {
        self.needed.extents(self.first_volume + volume)
    }

    fn laid_out(
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

    fn hosts_of_processes(&self) -> Vec<usize> {
        let own = |host: usize| host.checked_sub(self.first_host).unwrap_or(usize::MAX);
        self.needed.hosts_of_processes().into_iter().map(own).collect()
    }

    fn next_file(&self) -> Result<u32, RunFailure> {
        self.needed.next_file()
    }

    fn device(
        &mut self,
        page: &mut PageBuilder<'_>,
        on: usize,
        files: &Arc<FileLayout>,
        stages: &mut Vec<Stage>,
    ) -> Result<RequestPorts, RunFailure> {
        let ports = holder(page, self.loaded, (on, files), self.devices, None, stages, None)?;
        Ok((ports.0, self.beside(page, on, ports)))
    }

    fn listens(&mut self, host: usize, listener: Option<Place<u32>>) {
        let host = self.first_host + host;
        let below = self.devices.listeners.drain(..);
        self.listeners.extend(below.chain(listener).map(|listener| (host, listener)));
    }

    fn knows_files(&self, on: usize) -> bool {
        knows_files(self.loaded, on)
    }

    fn below_queue(
        &mut self,
        page: &mut PageBuilder<'_>,
        on: usize,
        files: &Arc<FileLayout>,
        queues: Option<QueueBefore<'_>>,
    ) -> Result<(BelowQueue, RequestPorts, Vec<Stage>), RunFailure> {
        let (before, top) = before_queue(self.loaded, on);
        let mut stages = Vec::new();
        let ports = holder(page, self.loaded, (top, files), self.devices, None, &mut stages, queues)?;
        let disks = disks_of(self.loaded, self.devices, top);
        let is_of_host = queues.is_some() && is_of_host(self.loaded, top);
        Ok((BelowQueue { before, disks, is_of_host }, ports, stages))
    }

    fn before_queue(
        &self,
        page: &mut PageBuilder<'_>,
        below: &BelowQueue,
        (requests, completions): RequestPorts,
        blocks: u64,
    ) -> Result<(Place<BlockRequest>, Vec<Stage>), RunFailure> {
        let is_rotational = below.disks.iter().any(|disk| disk.is_rotational);
        let queue =
            Member { requests, completions, blocks, is_rotational, alone: false, sight: Sight::Counted };
        entrance(page, self.loaded, below.before, queue)
    }

    fn beside(&mut self, page: &mut PageBuilder<'_>, on: usize, ports: RequestPorts) -> Place<BlockRequest> {
        let processes = self.processes();
        match &mut self.asked {
            Some(asked) => asked.beside(page, self.loaded, (on, processes), ports),
            None => ports.1,
        }
    }
}
