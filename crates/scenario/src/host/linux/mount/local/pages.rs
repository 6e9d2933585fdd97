//! The pages of file systems of hosts, and of what lies between them and the disks.
//!
//! ```text
//!  host ─▶ throttle ─▶ queue (plugging, scheduler, flushes) ─▶ fabric ─▶ RAID of a controller ─▶ disks
//!  host ─▶ throttle ─▶ entrance ─▶ RAID of the host ─▶ a queue a member ─▶ disks
//! ```
//!
//! All but the queues and the disks may be missing.

use super::{PlacedFileSystem, PlacedLog};
use crate::failure::RunFailure;
use crate::host::linux::PlacedHost;
use crate::host::linux::mount::{LayOut, MountPages};
use crate::site::{BelowDisk, HostSite, listener};
use petrio_colours::{BlockRequest, SECTOR_BYTES};
use petrio_kernel::Place;
use petrio_models::block::queue::{QueueParameters, queue_page_told};
use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::cluster::replication::FileLayout;
use petrio_models::device::{DeviceFeatures, Discards};
use petrio_models::host::file_system::BLOCK_SIZE;
use petrio_models::host::{LaidOut, LayoutOf, LogDevice, Mount};
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// What a file system is connected to.
struct Wired {
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
    /// Bytes of the largest request.
    largest_request: u64,
}

/// What a queue is for: a file system, or its journal.
struct Queued<'q> {
    /// The name of its page.
    name: &'q str,
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    on: usize,
    blocks: u64,
    /// Where the files lie on it.
    files: &'q Arc<FileLayout>,
}

/// A file system while its pages are put into the net.
pub(super) struct LocalPages<'l> {
    pub(super) mounted: &'l PlacedFileSystem,
    pub(super) host: &'l PlacedHost,
    /// Its name on its host.
    pub(super) name: &'l str,
    /// Its number among the volumes of its family.
    pub(super) number: usize,
}

impl MountPages for LocalPages<'_> {
    fn under_page_cache(
        &self,
        site: &mut HostSite<'_, '_>,
        lay_out: &LayOut<'_>,
    ) -> Result<Vec<(usize, Mount)>, RunFailure> {
        let Self { mounted, host, name, number } = *self;
        let (format, seed) = (mounted.kind.format(), site.seed);
        let of = LayoutOf::new((&host.parameters, mounted.holds_swap), name, &format, mounted.blocks, seed);
        let laid_out = lay_out(site, 0, of)?;
        let wired = self.wire(site, &laid_out)?;
        let log = self.journal_device(site)?;
        let mount = Mount {
            name: name.to_owned(),
            position: as_number(number),
            largest_request: wired.largest_request,
            read_ahead: mounted.read_ahead,
            queue_requests: mounted.place.queue_requests,
            dirty_limit: mounted.place.dirty_limit,
            believed_rate: mounted.place.believed_rate,
            takes_discards: mounted.takes_discards,
            laid_out,
            watch: site.watch.clone(),
            requests: wired.requests,
            completions: wired.completions,
            log,
        };
        Ok(vec![(mounted.host, mount)])
    }
}

impl LocalPages<'_> {
    /// Puts the queue of a file system into the net, and what lies below it. One in memory has none: what it asks of swap space goes
    /// by the host's own ways.
    fn wire(&self, site: &mut HostSite<'_, '_>, laid_out: &LaidOut) -> Result<Wired, RunFailure> {
        let &PlacedFileSystem { ref name, on, blocks, .. } = self.mounted;
        let Some(on) = on else {
            return Ok(Wired {
                requests: site.page.fifo(&format!("{name}-swap-requests")),
                completions: site.page.fifo(&format!("{name}-swap-completions")),
                largest_request: self.host.parameters.kernel.block.largest_request.get(),
            });
        };
        let files = if site.foundation.knows_files(on) { laid_out.layout().into() } else { Arc::default() };
        self.queue(site, &Queued { name, on, blocks, files: &files })
    }

    /// Puts the journal of a file system that has a device for it, with a queue of its own, into the net.
    fn journal_device(&self, site: &mut HostSite<'_, '_>) -> Result<Option<LogDevice>, RunFailure> {
        let Some(PlacedLog { on, blocks }) = self.mounted.log else { return Ok(None) };
        // A dot is in no part's name.
        let name = format!("{}.journal", self.mounted.name);
        let Wired { requests, completions, .. } =
            self.queue(site, &Queued { name: &name, on, blocks, files: &Arc::default() })?;
        let blocks = blocks / (BLOCK_SIZE / SECTOR_BYTES);
        Ok(Some(LogDevice { blocks, requests, completions }))
    }

    /// The queue before what a file system lies on, or before a part of that.
    fn queue_before(&self, disks: &[BelowDisk], files_apart: bool) -> Result<QueueParameters, RunFailure> {
        let Self { host, mounted: PlacedFileSystem { place, .. }, .. } = self;
        let features = DeviceFeatures {
            write_cache: disks.iter().any(|disk| disk.features.write_cache),
            force_unit_access: disks.iter().all(|disk| disk.features.force_unit_access),
            discards: disks.iter().filter_map(|disk| disk.features.discards).reduce(Discards::of_both),
        };
        let accepted = disks.iter().map(|disk| disk.depth).fold(0, u32::saturating_add).max(1);
        let depth = place.queue_depth.unwrap_or(accepted);
        let rotational = disks.iter().any(|disk| disk.is_rotational);
        let kernel = &host.parameters.kernel.block;
        // elevator_init_mq chooses a scheduler for devices with one queue only, and NVMe drives before blk-mq had none at all.
        let many_queues = !disks.is_empty() && disks.iter().all(|disk| disk.has_many_queues);
        let scheduler = place.scheduler.clone().or_else(|| many_queues.then(SchedulerParameters::default));
        let mut queue = QueueParameters::of_kernel(kernel, scheduler, features, depth, rotational)
            .map_err(|error| host.refused(&error))?;
        queue.limits.files_apart = files_apart;
        if let Some(latency) = place.write_back_latency {
            queue.write_back_latency = latency.time();
        }
        if let Some(requests) = place.queue_requests {
            queue.limits.requests = requests;
        }
        Ok(queue)
    }

    /// Puts a queue of a file system, and what lies between that and the disks, into the net.
    fn queue(
        &self,
        site: &mut HostSite<'_, '_>,
        &Queued { name, on, blocks, files }: &Queued<'_>,
    ) -> Result<Wired, RunFailure> {
        let files_apart = site.foundation.knows_files(on);
        let before = |disks: &[BelowDisk]| self.queue_before(disks, files_apart);
        let (below, (down, up), mut stages) =
            site.foundation.below_queue(site.page, on, files, Some(&before))?;
        let mut queue = before(&below.disks)?;
        if below.is_of_host {
            queue = queue.entrance();
        }
        // A file system may have the name of the disk that it lies on.
        let requests = site.page.fifo(&format!("{name}-queue-requests"));
        let completions = site.page.fifo(&format!("{name}-queue-completions"));
        let page = format!("{name}-queue");
        let listener = listener(site.page, &page, &queue);
        site.foundation.listens(self.mounted.host, listener);
        let own = queue_page_told(site.page, &page, (&queue, listener), (requests, completions), (down, up));
        let (entrance, first) =
            site.foundation.before_queue(site.page, &below, (requests, completions), blocks)?;
        let completions = site.foundation.beside(site.page, on, (entrance, completions));
        stages.splice(0..0, first.into_iter().chain(own));
        site.upper_stages.append(&mut stages);
        let largest_request = u64::from(queue.limits.largest_request) * SECTOR_BYTES;
        Ok(Wired { requests: entrance, completions, largest_request })
    }
}
