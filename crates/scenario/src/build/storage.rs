//! What lies below a file system: its queue, what may lie between, and the disks.
//!
//! ```text
//!  host ─▶ throttle ─▶ queue (plugging, scheduler, flushes) ─▶ fabric ─▶ RAID ─▶ disks
//! ```
//!
//! All but the queue and the disks may be missing.

use crate::catalogue::Device;
use crate::check::HolderKind;
use crate::load::Loaded;
use crate::placed::{PlacedDisk, PlacedFileSystem};
use crate::run::RunFailure;
use petrio_colours::{BlockRequest, FileOp, SECTOR_BYTES};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::block::fabric::fabric_page;
use petrio_models::block::queue::{DeviceFeatures, QueueParameters, queue_page};
use petrio_models::block::raid::{StripeError, StripeParameters, stripe_page};
use petrio_models::block::throttle::throttle_page;
use petrio_models::cluster::replication::{Replicas, ReplicationPorts, Sight, replication_page};
use petrio_models::device::analytic_disk::{Arm, analytic_disk_page};
use petrio_models::device::constant_rate::constant_rate_page;
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_models::device::disk::{Drive, Queueing, disk_page};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The disks of a net, each list in the order of [`Loaded::disks`].
#[derive(Default)]
pub(super) struct Devices {
    pub(super) requests: Vec<Place<BlockRequest>>,
    /// Where each puts what is complete; empty where all share a port.
    pub(super) completions: Vec<Place<BlockRequest>>,
    /// Sizes in blocks of 512 bytes.
    pub(super) blocks: Vec<u64>,
    /// What each can do about durability.
    pub(super) features: Vec<DeviceFeatures>,
    /// Requests that each accepts at a time.
    pub(super) depths: Vec<u32>,
    pub(super) stages: Vec<Stage>,
    /// The arms of those that tell what a request would meet, by their position in the lists.
    pub(super) arms: BTreeMap<usize, Place<Arm>>,
    /// The drive compiled last: disks of one part follow each other and share it.
    compiled: Option<(Arc<Device>, Arc<Drive>)>,
    /// The replications, by their position in [`Loaded::storage`].
    pub(super) replications: BTreeMap<usize, BuiltReplication>,
}

/// A replication in the net.
#[derive(Clone, Copy)]
pub(super) struct BuiltReplication {
    /// Where it is told what files go through.
    pub(super) operations: Place<FileOp>,
    pub(super) replicas: Place<Replicas>,
}

/// What a file system is connected to.
pub(super) struct Wired {
    pub(super) requests: Place<BlockRequest>,
    pub(super) completions: Place<BlockRequest>,
    pub(super) stages: Vec<Stage>,
    /// Bytes of the largest request.
    pub(super) largest_request: u64,
}

/// Puts a device's page into the net.
pub(super) fn device_page(
    page: &mut PageBuilder<'_>,
    disk: &PlacedDisk,
    completions: Place<BlockRequest>,
    devices: &mut Devices,
) -> Result<(), RunFailure> {
    let refuse = |message: String| RunFailure::Device { disk: disk.name.clone(), message };
    let requests = page.fifo(&format!("{}-requests", disk.name));
    let (blocks, write_cache, depth, mut stages) = match &*disk.device {
        Device::Disk(parameters) => {
            let drive = match &devices.compiled {
                Some((device, drive)) if Arc::ptr_eq(device, &disk.device) => Arc::clone(drive),
                _ => Arc::new(Drive::new(parameters).map_err(|error| refuse(error.to_string()))?),
            };
            devices.compiled = Some((Arc::clone(&disk.device), Arc::clone(&drive)));
            let queueing = Queueing { scheduler: disk.scheduler.0, depth: disk.queue_depth };
            let stages = disk_page(page, &disk.name, &drive, queueing, requests, completions);
            let depth = disk.queue_depth.unwrap_or(drive.queue().depth).max(1);
            (drive.blocks(), drive.write_cache(), depth, stages)
        }
        Device::AnalyticDisk(parameters) => {
            let discipline = by_cylinder(disk).map_err(refuse)?;
            let built = analytic_disk_page(page, &disk.name, (parameters, discipline), requests, completions);
            devices.arms.insert(devices.requests.len(), built.arm);
            (parameters.blocks.get(), parameters.write_cache(), 1, built.stages)
        }
        Device::ConstantRate(parameters) => {
            serves_in_order(disk).map_err(refuse)?;
            let stages = constant_rate_page(page, &disk.name, parameters, requests, completions);
            (parameters.blocks.get(), parameters.write_cache(), 1, stages)
        }
    };
    devices.requests.push(requests);
    devices.blocks.push(blocks);
    // ATA disks don't offer it to Linux, and a flush does the same; a device that offers it can say so one day.
    devices.features.push(DeviceFeatures { write_cache, force_unit_access: false });
    devices.depths.push(depth);
    devices.stages.append(&mut stages);
    Ok(())
}

/// The order in which an analytic disk serves: it knows cylinders, and not where the platter stands.
fn by_cylinder(disk: &PlacedDisk) -> Result<QueueDiscipline, String> {
    match disk.scheduler.0 {
        QueueDiscipline::ShortestPositioning | QueueDiscipline::AgedShortestPositioning { .. } => {
            Err("it doesn't know where the platter stands; take fcfs, sstf, look, c-look or cscan".to_owned())
        }
        _ if disk.queue_depth.is_some_and(|depth| depth != 1) => {
            Err("it serves one request at a time; leave out queue_depth".to_owned())
        }
        discipline => Ok(discipline),
    }
}

/// The simplest device has no position that a scheduler could order by, and takes one request at a time.
fn serves_in_order(disk: &PlacedDisk) -> Result<(), String> {
    if disk.scheduler.0 != QueueDiscipline::FirstCome || disk.queue_depth.is_some_and(|depth| depth != 1) {
        return Err(
            "it serves one request after the other, first come, first served; leave out scheduler and \
                    queue_depth"
                .to_owned(),
        );
    }
    Ok(())
}

/// Puts the pages between a file system and its disks into the net.
pub(super) fn below(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    file_system: &PlacedFileSystem,
    devices: &mut Devices,
) -> Result<Wired, RunFailure> {
    let name = &file_system.name;
    let place = loaded.scenario.fs.get(name).map(|file_system| &file_system.place);
    let mut top = file_system.on;
    let throttle = loaded.storage.get(top).filter(|storage| storage.kind == HolderKind::Throttle);
    if let Some(throttle) = throttle {
        top = throttle.over.first().copied().unwrap_or(top);
    }
    let mut stages = Vec::new();
    let (down, up) = holder(page, loaded, top, devices, &mut stages)?;
    let disks = disks_below(loaded, top);
    let features = DeviceFeatures {
        write_cache: disks.iter().any(|&disk| devices.features[disk].write_cache),
        force_unit_access: disks.iter().all(|&disk| devices.features[disk].force_unit_access),
    };
    let accepted = disks.iter().map(|&disk| devices.depths[disk]).fold(0, u32::saturating_add).max(1);
    let depth = place.and_then(|place| place.queue_depth).unwrap_or(accepted);
    let rotational = disks.iter().any(|&disk| !matches!(*loaded.disks[disk].device, Device::ConstantRate(_)));
    let kernel = &loaded.hosts[file_system.host].kernel.block;
    let scheduler = place.and_then(|place| place.scheduler.clone());
    let mut queue =
        QueueParameters::of_kernel(kernel, scheduler, features, depth, rotational).map_err(|error| {
            RunFailure::Host { host: loaded.hosts[file_system.host].name.clone(), message: error.to_string() }
        })?;
    if let Some(requests) = place.and_then(|place| place.queue_requests) {
        queue.limits.requests = requests;
    }
    // A file system may have the name of the disk that it lies on.
    let requests = page.fifo(&format!("{name}-queue-requests"));
    let completions = page.fifo(&format!("{name}-queue-completions"));
    let mut above = queue_page(page, &format!("{name}-queue"), &queue, (requests, completions), (down, up));
    let limits = throttle.and_then(|storage| loaded.scenario.throttle.get_key_value(&storage.name));
    let mut entrance = requests;
    if let Some((name, throttle)) = limits {
        entrance = page.fifo(&format!("{name}-requests"));
        let mut held = throttle_page(page, name, &throttle.parameters, entrance, requests);
        held.append(&mut above);
        above = held;
    }
    above.append(&mut stages);
    let largest_request = u64::from(queue.limits.largest_request) * SECTOR_BYTES;
    Ok(Wired { requests: entrance, completions, stages: above, largest_request })
}

/// The ports of a part that holds blocks; its pages, and those below it, are put into the net.
pub(super) fn holder(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    number: usize,
    devices: &mut Devices,
    stages: &mut Vec<Stage>,
) -> Result<(Place<BlockRequest>, Place<BlockRequest>), RunFailure> {
    if let (Some(&requests), Some(&completions)) =
        (devices.requests.get(number), devices.completions.get(number))
    {
        return Ok((requests, completions));
    }
    let storage = &loaded.storage[number];
    let requests = page.fifo(&format!("{}-requests", storage.name));
    let completions = page.fifo(&format!("{}-completions", storage.name));
    let mut lower = Vec::new();
    let mut members = Vec::new();
    for &below in &storage.over {
        members.push(holder(page, loaded, below, devices, &mut lower)?);
    }
    let name = storage.name.as_str();
    match storage.kind {
        HolderKind::Raid => {
            let unit = loaded.scenario.raid.get(name).map(|raid| raid.stripe_unit).unwrap_or_default();
            let parameters = StripeParameters { stripe_unit: unit };
            let made = stripe_page(page, name, &parameters, (requests, completions), &members);
            let failed = |error: StripeError| RunFailure::Storage {
                part: name.to_owned(),
                message: error.to_string(),
            };
            stages.append(&mut made.map_err(failed)?);
        }
        HolderKind::Fabric => {
            if let (Some(fabric), Some(&below)) = (loaded.scenario.fabric.get(name), members.first()) {
                let ports = (requests, completions);
                stages.append(&mut fabric_page(page, name, &fabric.parameters, ports, below));
            }
        }
        HolderKind::Replication => {
            if let Some(replication) = loaded.scenario.replication.get(name) {
                let sight =
                    |&below: &usize| devices.arms.get(&below).map_or(Sight::Counted, |&arm| Sight::Arm(arm));
                let sights: Vec<Sight> = storage.over.iter().map(sight).collect();
                let disks =
                    members.iter().zip(sights).map(|(&(down, up), sight)| (down, up, sight)).collect();
                let operations = page.fifo(&format!("{name}-file-events"));
                let ports = ReplicationPorts { operations, requests, completions, disks };
                let smallest = storage.over.iter().map(|&below| loaded.storage[below].blocks).min();
                let built =
                    replication_page(page, name, &replication.parameters, smallest.unwrap_or(0), &ports);
                let (replicas, mut rows) = built.map_err(|error| RunFailure::Storage {
                    part: name.to_owned(),
                    message: error.to_string(),
                })?;
                devices.replications.insert(number, BuiltReplication { operations, replicas });
                stages.append(&mut rows);
            }
        }
        // A disk has its page already, and a throttle stands before the queue.
        HolderKind::Throttle | HolderKind::Disk => {}
    }
    stages.append(&mut lower);
    Ok((requests, completions))
}

/// The disks that a part is made of in the end.
pub(super) fn disks_below(loaded: &Loaded, number: usize) -> Vec<usize> {
    match loaded.storage.get(number) {
        Some(storage) if storage.kind != HolderKind::Disk => {
            storage.over.iter().flat_map(|&below| disks_below(loaded, below)).collect()
        }
        _ => vec![number],
    }
}

/// The replications that a part is made of.
pub(super) fn replications_below(loaded: &Loaded, number: usize) -> Vec<usize> {
    let Some(storage) = loaded.storage.get(number) else { return Vec::new() };
    let own = (storage.kind == HolderKind::Replication).then_some(number);
    own.into_iter().chain(storage.over.iter().flat_map(|&below| replications_below(loaded, below))).collect()
}
