//! What hosts stand on.

use super::{BelowQueue, QueueBefore, RequestPorts};
use crate::claim::Sentence;
use crate::failure::RunFailure;
use petrio_colours::{BlockRequest, FileId, FileOp, PlacedExtent};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::cluster::replication::FileLayout;
use petrio_models::host::{LaidOut, LayoutOf};
use petrio_units::numbers::as_number;
use petrio_workload::program::{FileTable, PlannedFile};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Files of other volumes of which something lies on a volume.
pub(crate) struct FilesOfOthers<'s> {
    /// The volumes.
    pub(crate) volumes: Range<usize>,
    /// What lies there of a file, if anything does.
    pub(crate) share: &'s dyn Fn(&PlannedFile) -> Option<PlannedFile>,
}

/// What hosts stand on: the devices below them, which are in the net already, the files that are there, and the processes of
/// programs. Volumes and hosts are those of the family that is built, counted from its first; `on` is an index of
/// [`Loaded::storage`](crate::Loaded::storage).
pub(crate) trait Foundation {
    /// Goes on to the next family: the one that was built has so many hosts and volumes.
    fn next_family(&mut self, hosts: usize, volumes: usize);

    /// Of each file system of a host, which is counted among those of all families, where replications below it hear of its
    /// operations.
    fn told_of(&self, host: usize) -> Vec<Vec<Place<FileOp>>>;

    /// The files of a volume.
    fn files(&self, volume: usize) -> Result<Vec<PlannedFile>, RunFailure>;

    /// The files of volumes with their names.
    fn tables(&self, volumes: Range<usize>) -> Result<Vec<FileTable>, RunFailure>;

    /// Where those files of a volume lie whose place a trace tells, and what should be known of places that don't count.
    fn extents(&self, volume: usize) -> (BTreeMap<FileId, Vec<PlacedExtent>>, Vec<Sentence>);

    /// A volume with its files on it, and with what lies there of the files of others and of servers' `own`.
    fn laid_out(
        &self,
        volume: usize,
        of: LayoutOf,
        others_and_own: (Vec<FilesOfOthers<'_>>, &[PlannedFile]),
    ) -> Result<Arc<LaidOut>, RunFailure>;

    /// The number of the host that each process runs on, among the family's own; of another family's hosts, none that it
    /// has.
    fn hosts_of_processes(&self) -> Vec<usize>;

    /// How many processes there are.
    fn processes(&self) -> u32 {
        as_number(self.hosts_of_processes().len())
    }

    /// One more than the number of any file that is planned.
    fn next_file(&self) -> Result<u32, RunFailure>;

    /// The ports of what a volume lies on, for a host without a queue of its own: `files` lie there. Its rows are added to
    /// `stages`.
    fn device(
        &mut self,
        page: &mut PageBuilder<'_>,
        on: usize,
        files: &Arc<FileLayout>,
        stages: &mut Vec<Stage>,
    ) -> Result<RequestPorts, RunFailure>;

    /// Those who want to know when processes of a host end: this one, and the queues that were put before parts since the
    /// last call.
    fn listens(&mut self, host: usize, listener: Option<Place<u32>>);

    /// Whether anything that a volume lies on wants to know where its files lie.
    fn knows_files(&self, on: usize) -> bool;

    /// What a host's queue asks for a volume, of which `files` lie there, with its ports and the rows of its stages. What
    /// the host makes of others has `queues` before each of these, if there are any at all.
    fn below_queue(
        &mut self,
        page: &mut PageBuilder<'_>,
        on: usize,
        files: &Arc<FileLayout>,
        queues: Option<QueueBefore<'_>>,
    ) -> Result<(BelowQueue, RequestPorts, Vec<Stage>), RunFailure>;

    /// Where requests go that first pass what stands before the queue, which has these ports and offers so many blocks
    /// of 512 bytes.
    fn before_queue(
        &self,
        page: &mut PageBuilder<'_>,
        below: &BelowQueue,
        ports: RequestPorts,
        blocks: u64,
    ) -> Result<(Place<BlockRequest>, Vec<Stage>), RunFailure>;

    /// Where a host finds what is complete of what it asks by these ports: programs may ask it too.
    fn beside(&mut self, page: &mut PageBuilder<'_>, on: usize, ports: RequestPorts) -> Place<BlockRequest>;
}
