//! The pages of Linux hosts, and of what lies between their file systems and the disks.
//!
//! ```text
//!  host ─▶ throttle ─▶ queue (plugging, scheduler, flushes) ─▶ fabric ─▶ RAID of a controller ─▶ disks
//!  host ─▶ throttle ─▶ entrance ─▶ RAID of the host ─▶ a queue a member ─▶ disks
//! ```
//!
//! All but the queues and the disks may be missing.

use super::place::{PlacedFileSystem, PlacedHost, PlacedLinux, PlacedLog};
use super::share::share_of;
use super::shared::{Ends, Shared, database, of_manager, share};
use crate::build::{BelowDisk, HostSite, Lodgers, listener, name_in};
use crate::claim::{Claim, Sentence};
use crate::host::HostPages;
use crate::run::RunFailure;
use petrio_colours::{BlockRequest, SECTOR_BYTES};
use petrio_kernel::Place;
use petrio_models::block::queue::{QueueParameters, queue_page_told};
use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::cluster::replication::FileLayout;
use petrio_models::cluster::share::Placement;
use petrio_models::device::DeviceFeatures;
use petrio_models::host::file_system::BLOCK_SIZE;
use petrio_models::host::{LaidOut, LayoutOf, LogDevice, Mount, OpenHost};
use petrio_units::Bytes;
use petrio_workload::program::PlannedFile;
use std::ops::Range;
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

impl PlacedHost {
    /// A warning where files are said to be cached for which there is no memory.
    fn cached_more_than_fits(&self, mounts: &[Mount]) -> Option<Sentence> {
        let cached = mounts.iter().map(|mount| mount.laid_out.cached_bytes()).fold(0, u64::saturating_add);
        let memory = self.parameters.usable_memory();
        let own = self.parameters.anonymous.unwrap_or(Bytes(0));
        let room = Bytes(memory.get().saturating_sub(own.get()));
        (cached > room.get()).then(|| {
            Claim::NotCached.says(format!(
                "the files that are said to be cached when the run begins are {}, and the host \"{}\" has {room} of \
                 memory for them: only what fits is cached, as if they had been read one after the other",
                Bytes(cached),
                self.name
            ))
        })
    }

    fn refused(&self, error: &impl ToString) -> RunFailure {
        RunFailure::Host { host: self.name.clone(), message: error.to_string() }
    }
}

impl HostPages for PlacedLinux {
    fn build(&self, site: &mut HostSite<'_, '_>) -> Result<(), RunFailure> {
        let mut mounts: Vec<Vec<Mount>> = vec![Vec::new(); self.hosts.len()];
        let shared = Shared::new(self, site)?;
        let metadata = shared.first_of_metadata(site)?;
        for (number, mounted) in self.file_systems.iter().enumerate() {
            let host = &self.hosts[mounted.host];
            let name = name_in(&mounted.name, &host.name);
            let is_first = mounts[mounted.host].is_empty();
            let of = LayoutOf::new(
                (&host.parameters, is_first),
                name,
                &mounted.parameters.clone().into(),
                mounted.blocks,
                site.loaded.scenario.seed,
            );
            let of = of.with_lodgers(shared.lodgers(number));
            let laid_out = self.laid_out(site, (number, of), (metadata, shared.placements()))?;
            let files = if site.knows_files(mounted.on) { laid_out.layout().into() } else { Arc::default() };
            let &PlacedFileSystem { name: ref queue, on, blocks, .. } = mounted;
            let wired = self.queue(site, mounted, &Queued { name: queue, on, blocks, files: &files })?;
            let log = self.journal_device(site, mounted)?;
            mounts[mounted.host].push(Mount {
                name: name.to_owned(),
                position: number as u32,
                largest_request: wired.largest_request,
                read_ahead: mounted.read_ahead,
                queue_requests: mounted.place.queue_requests,
                dirty_limit: mounted.place.dirty_limit,
                believed_rate: mounted.place.believed_rate,
                laid_out,
                watch: site.loaded.watch.clone(),
                requests: wired.requests,
                completions: wired.completions,
                log,
            });
        }
        let mut open_hosts = Vec::new();
        for (number, (host, mounts)) in self.hosts.iter().zip(&mounts).enumerate() {
            site.warnings.extend(host.cached_more_than_fits(mounts));
            let operations = site.host(&host.name);
            let Ends { completions, asked } = shared.ends(site, number, operations);
            let open =
                OpenHost::new(site.page, &host.name, &host.parameters, mounts, operations, completions);
            let open = open.map_err(|error| host.refused(&error))?;
            site.memory.push(open.memory().clone());
            if shared.is_open(number) {
                open_hosts.push((number, open, Ends { completions, asked }));
            } else {
                site.stages.extend(open.finish(site.page));
            }
        }
        shared.finish(site, open_hosts)
    }
}

impl PlacedLinux {
    /// A file system with its files on it, and with what lies there of the files of what hosts share.
    fn laid_out(
        &self,
        site: &HostSite<'_, '_>,
        (there, of): (usize, LayoutOf),
        (metadata, placements): (u32, &[Arc<Placement>]),
    ) -> Result<Arc<LaidOut>, RunFailure> {
        type Share<'s> = Box<dyn Fn(&PlannedFile) -> Option<PlannedFile> + 's>;
        let mut shares: Vec<(Range<usize>, Share<'_>)> = Vec::new();
        let mut first = self.file_systems.len();
        for pvfs in &self.pvfs {
            let volumes = first..first + pvfs.clients.len();
            first = volumes.end;
            for (server, _) in (0..).zip(&pvfs.servers).filter(|(_, own)| **own == there) {
                shares.push((volumes.clone(), Box::new(move |file| share(pvfs, server, file))));
            }
            if pvfs.manager == there {
                shares.push((volumes, Box::new(move |file| of_manager(metadata, file))));
            }
        }
        for (on, placement) in self.shares.iter().zip(placements) {
            let volumes = first..first + on.clients.len();
            first = volumes.end;
            for (server, _) in (0..).zip(&on.servers).filter(|(_, own)| **own == there) {
                shares.push((volumes.clone(), Box::new(move |file| share_of(placement, server, file))));
            }
        }
        let serves = self.pvfs.iter().any(|pvfs| pvfs.servers.contains(&there) && pvfs.parameters.direct);
        let own: Vec<PlannedFile> = serves.then(|| database(metadata)).into_iter().collect();
        let lodgers = shares.iter().map(|(volumes, share)| Lodgers { volumes: volumes.clone(), share });
        site.laid_out(there, of, (lodgers.collect(), &own))
    }

    /// Puts the journal of a file system that has a device for it, with a queue of its own, into the net.
    fn journal_device(
        &self,
        site: &mut HostSite<'_, '_>,
        mounted: &PlacedFileSystem,
    ) -> Result<Option<LogDevice>, RunFailure> {
        let Some(PlacedLog { on, blocks }) = mounted.log else { return Ok(None) };
        // A dot is in no part's name.
        let name = format!("{}.journal", mounted.name);
        let Wired { requests, completions, .. } =
            self.queue(site, mounted, &Queued { name: &name, on, blocks, files: &Arc::default() })?;
        let blocks = blocks / (BLOCK_SIZE / SECTOR_BYTES);
        Ok(Some(LogDevice { blocks, requests, completions }))
    }

    /// The queue before what a file system lies on, or before a part of that.
    fn queue_before(
        &self,
        PlacedFileSystem { host, place, .. }: &PlacedFileSystem,
        disks: &[BelowDisk],
        files_apart: bool,
    ) -> Result<QueueParameters, RunFailure> {
        let features = DeviceFeatures {
            write_cache: disks.iter().any(|disk| disk.features.write_cache),
            force_unit_access: disks.iter().all(|disk| disk.features.force_unit_access),
        };
        let accepted = disks.iter().map(|disk| disk.depth).fold(0, u32::saturating_add).max(1);
        let depth = place.queue_depth.unwrap_or(accepted);
        let rotational = disks.iter().any(|disk| disk.is_rotational);
        let host = &self.hosts[*host];
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
        mounted: &PlacedFileSystem,
        &Queued { name, on, blocks, files }: &Queued<'_>,
    ) -> Result<Wired, RunFailure> {
        let files_apart = site.knows_files(on);
        let before = |disks: &[BelowDisk]| self.queue_before(mounted, disks, files_apart);
        let (below, (down, up), mut stages) = site.below_queue(on, files, Some(&before))?;
        let mut queue = before(below.disks())?;
        if below.is_of_host {
            queue = queue.entrance();
        }
        // A file system may have the name of the disk that it lies on.
        let requests = site.page.fifo(&format!("{name}-queue-requests"));
        let completions = site.page.fifo(&format!("{name}-queue-completions"));
        let page = format!("{name}-queue");
        let listener = listener(site.page, &page, &queue);
        site.listens(mounted.host, listener);
        let own = queue_page_told(site.page, &page, (&queue, listener), (requests, completions), (down, up));
        let (entrance, first) = site.before_queue(&below, (requests, completions), blocks)?;
        let completions = site.beside(on, (entrance, completions));
        stages.splice(0..0, first.into_iter().chain(own));
        site.upper_stages.append(&mut stages);
        let largest_request = u64::from(queue.limits.largest_request) * SECTOR_BYTES;
        Ok(Wired { requests: entrance, completions, largest_request })
    }
}
