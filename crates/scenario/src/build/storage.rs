//! Disks and what is made of them.

use crate::chance::device;
use crate::failure::RunFailure;
use crate::holder::{
    BuiltArray, BuiltCeph, BuiltPaths, BuiltReplication, Holder, HolderPorts, Member, Stands,
};
use crate::loaded::Loaded;
use crate::placed::{Storage, disks_below};
use crate::site::{BelowDisk, QueueBefore, listener, queue_before};
use crate::wires::Wire;
use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Place, PlaceId, Probe};
use petrio_models::Stage;
use petrio_models::block::queue::{QueueParameters, queue_page_told};
use petrio_models::cluster::replication::{FileLayout, Sight};
use petrio_models::device::analytic_disk::Arm;
use petrio_models::device::throttle::Credits;
use petrio_models::device::{
    Counted, DeviceFeatures, DevicePorts, FreeBus, HeldWrites, InstanceAccounts, SharedBus,
};
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The disks of a net, each list in the order of [`Loaded::disks`].
#[derive(Default)]
pub(super) struct Devices {
    pub(super) requests: Vec<Place<BlockRequest>>,
    /// Where each puts what is complete.
    pub(super) completions: Vec<Place<BlockRequest>>,
    /// Sizes in blocks of 512 bytes.
    pub(super) blocks: Vec<u64>,
    /// What each can do about durability.
    pub(super) features: Vec<DeviceFeatures>,
    /// Requests that each accepts at a time.
    pub(super) depths: Vec<u32>,
    pub(super) stages: Vec<Stage>,
    /// Bursts of devices, instances and throttles, by whose they are.
    pub(super) credits: Vec<(String, Credits)>,
    /// The write caches of those that have one, by their position in the lists.
    pub(super) caches: Vec<(usize, HeldWrites)>,
    /// What devices count of themselves, likewise.
    pub(super) counted: Vec<(usize, Counted)>,
    /// The arms of those that tell what a request would meet, by their position in the lists.
    pub(super) arms: BTreeMap<usize, Place<Arm>>,
    /// The replications, by their position in [`Loaded::storage`].
    pub(super) replications: BTreeMap<usize, BuiltReplication>,
    /// The arrays, likewise.
    pub(super) arrays: BTreeMap<usize, BuiltArray>,
    /// Several paths, likewise.
    pub(super) paths: BTreeMap<usize, BuiltPaths>,
    /// Pools of Ceph, likewise.
    pub(super) ceph: BTreeMap<usize, BuiltCeph>,
    /// Ports of what is made of others, by its position in [`Loaded::storage`]: what several lie on is built once.
    holders: BTreeMap<usize, (Place<BlockRequest>, Place<BlockRequest>)>,
    /// Queues before parts that want to know when processes end, until their host is known.
    pub(super) listeners: Vec<Place<u32>>,
    /// The buses that several disks may share, by whose they are.
    buses: BTreeMap<String, Buses>,
}

/// The channels of an adapter, or a bus without one.
struct Buses {
    /// Seconds for which somebody has had one of them.
    busy: Probe,
    free: BTreeMap<u64, (Place<FreeBus>, Place<u32>)>,
    /// The accounts of an instance's limits, which all its channels share.
    limits: Option<InstanceAccounts>,
}

/// Puts the page of a device into the net, as it is in a replication.
pub(super) fn device_page(
    page: &mut PageBuilder<'_>,
    (loaded, number): (&Loaded, usize),
    completions: Place<BlockRequest>,
    devices: &mut Devices,
) {
    let disk = &loaded.disks[number];
    let requests = page.fifo(&format!("{}-requests", disk.name));
    let device = device(loaded, number);
    devices.blocks.push(device.blocks());
    devices.features.push(device.features());
    devices.depths.push(disk.queueing.depth.unwrap_or(device.depth()).max(1));
    let bus = disk.bus.as_ref().map(|Wire { owner, channel }| {
        let limits = loaded.scenario.hba.get(owner).and_then(|adapter| adapter.limits);
        let credits = &mut devices.credits;
        let buses = devices.buses.entry(owner.clone()).or_insert_with(|| {
            let instance = limits.map(|limits| limits.place(page, &format!("bus-{owner}.limits")));
            let found = instance.as_ref().map_or(&[][..], |instance| &instance.credits);
            credits.extend(found.iter().map(|credit| (owner.clone(), credit.clone())));
            let limits = instance.map(|instance| instance.accounts);
            Buses { busy: page.probe(&format!("{owner} busy")), free: BTreeMap::new(), limits }
        });
        let (free, line) = *buses.free.entry(*channel).or_insert_with(|| {
            let free = page.fifo(&format!("bus-{owner}.{channel}"));
            page.initial(free, [FreeBus::default()]);
            (free, page.fifo(&format!("bus-{owner}.{channel}-line")))
        });
        SharedBus { free, line, busy: buses.busy, limits: buses.limits }
    });
    let ports = DevicePorts { requests, completions, bus };
    let mut built = device.build(page, &disk.name, &disk.queueing, ports);
    if let Some(arm) = built.arm {
        devices.arms.insert(devices.requests.len(), arm);
    }
    devices.credits.extend(built.credits.into_iter().map(|credits| (disk.name.clone(), credits)));
    devices.caches.extend(built.caches.into_iter().map(|cache| (number, cache)));
    devices.counted.extend(built.counted.into_iter().map(|counted| (number, counted)));
    devices.stages.append(&mut built.stages);
    devices.requests.push(requests);
    devices.completions.push(completions);
}

/// Of what somebody asks, the part that stands before his queue, and what lies under that.
pub(super) fn before_queue(loaded: &Loaded, on: usize) -> (Option<usize>, usize) {
    let part = loaded.holder(on).filter(|part| part.stands() == Stands::BeforeQueue);
    match part.and_then(|_| loaded.storage[on].over.first()) {
        Some(&below) => (Some(on), below),
        None => (None, on),
    }
}

/// The rows of the buses that several disks may share: of each adapter one, with as many servers as it has channels.
pub(super) fn bus_stages(devices: &Devices) -> impl Iterator<Item = Stage> {
    devices.buses.iter().map(|(owner, Buses { busy, free, .. })| {
        let free: Vec<PlaceId> = free.values().map(|(free, _)| free.id()).collect();
        Stage::had(format!("{owner}/channel"), *busy, &free)
    })
}

/// Where requests go that first pass a part which stands before the queue, if there is one.
pub(super) fn entrance(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    before: Option<usize>,
    below: Member,
) -> Result<(Place<BlockRequest>, Vec<Stage>), RunFailure> {
    let Some((number, part)) = before.and_then(|number| Some((number, loaded.holder(number)?))) else {
        return Ok((below.requests, Vec::new()));
    };
    let name = &loaded.storage[number].name;
    let requests = page.fifo(&format!("{name}-requests"));
    let ports = HolderPorts {
        number: as_number(number),
        requests,
        completions: below.completions,
        members: vec![below],
        files: Arc::default(),
        network: None,
    };
    let built = part.build(page, name, &ports).map_err(|message| refused(name, message))?;
    Ok((requests, built.stages))
}

/// Puts what a workload of block requests goes to into the net; where its requests go, and the rows of its stages. What is complete goes
/// to `completions`.
pub(super) fn asked_directly(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    number: usize,
    devices: &mut Devices,
    completions: Place<BlockRequest>,
) -> Result<(Place<BlockRequest>, Vec<Stage>), RunFailure> {
    let (before, top) = before_queue(loaded, number);
    let mut stages = Vec::new();
    let (requests, completions) =
        holder(page, loaded, (top, &no_files()), devices, Some(completions), &mut stages, None)?;
    let blocks = loaded.storage[top].blocks;
    let is_rotational = turns(loaded, top);
    let ports = Member { requests, completions, blocks, is_rotational, alone: false, sight: Sight::Counted };
    let (entrance, mut first) = entrance(page, loaded, before, ports)?;
    first.append(&mut stages);
    Ok((entrance, first))
}

/// The ports of a part that holds blocks; its pages, and those below it, are put into the net. What is complete goes to `completions`, or
/// else to a place of its own; disks have their pages and places already. `files` are those that lie on the part when the run begins, as
/// [`knows_files`] wants to know. Where the part is the host's own work, `queues` come before what it is made of.
pub(super) fn holder(
    page: &mut PageBuilder<'_>,
    loaded: &Loaded,
    (number, files): (usize, &Arc<FileLayout>),
    devices: &mut Devices,
    completions: Option<Place<BlockRequest>>,
    stages: &mut Vec<Stage>,
    queues: Option<QueueBefore<'_>>,
) -> Result<(Place<BlockRequest>, Place<BlockRequest>), RunFailure> {
    if let (Some(&requests), Some(&completions)) =
        (devices.requests.get(number), devices.completions.get(number))
    {
        return Ok((requests, completions));
    }
    if let Some(&ports) = devices.holders.get(&number) {
        return Ok(ports);
    }
    let storage = &loaded.storage[number];
    let name = storage.name.as_str();
    let requests = page.fifo(&format!("{name}-requests"));
    let completions = completions.unwrap_or_else(|| page.fifo(&format!("{name}-completions")));
    let mut lower = Vec::new();
    let mut members = Vec::new();
    let queues = queues.filter(|_| is_of_host(loaded, number));
    for (member, &below) in storage.over.iter().enumerate() {
        let there = match loaded.holder(number).filter(|_| knows_files(loaded, below)) {
            Some(part) => Arc::new(part.files_on(files, member, storage.over.len())),
            None => no_files(),
        };
        let mut ports = holder(page, loaded, (below, &there), devices, None, &mut lower, queues)?;
        if let Some(queue) = queues.filter(|_| !is_of_host(loaded, below)) {
            let queue = queue(&disks_of(loaded, devices, below))?;
            ports = queued(page, (&loaded.storage[below].name, &queue), ports, devices, &mut lower);
        }
        let (requests, completions) = ports;
        let sight = devices.arms.get(&below).map_or(Sight::Counted, |&arm| Sight::Arm(arm));
        let blocks = loaded.storage[below].blocks;
        let (is_rotational, alone) = (turns(loaded, below), is_alone(loaded, (below, number)));
        members.push(Member { requests, completions, blocks, is_rotational, alone, sight });
    }
    if let Some(part) = loaded.holder(number) {
        let (number, files) = (as_number(number), Arc::clone(files));
        let network = part.inner_network().and_then(|inner| loaded.hosts.network(inner.network)).cloned();
        let ports = HolderPorts { number, requests, completions, members, files, network };
        let mut built = part.build(page, name, &ports).map_err(|message| refused(name, message))?;
        if let Some(replication) = built.replication {
            devices.replications.insert(number as usize, replication);
        }
        if let Some(array) = built.array {
            devices.arrays.insert(number as usize, array);
        }
        if let Some(paths) = built.paths {
            devices.paths.insert(number as usize, paths);
        }
        if let Some(ceph) = built.ceph {
            devices.ceph.insert(number as usize, ceph);
        }
        devices.credits.extend(built.credits.into_iter().map(|credits| (name.to_owned(), credits)));
        stages.append(&mut built.stages);
    }
    stages.append(&mut lower);
    devices.holders.insert(number, (requests, completions));
    Ok((requests, completions))
}

/// Puts a queue before a part into the net: the ports above it.
fn queued(
    page: &mut PageBuilder<'_>,
    (part, queue): (&str, &QueueParameters),
    below: (Place<BlockRequest>, Place<BlockRequest>),
    devices: &mut Devices,
    stages: &mut Vec<Stage>,
) -> (Place<BlockRequest>, Place<BlockRequest>) {
    let name = queue_before(part);
    let requests = page.fifo(&format!("{name}-requests"));
    let completions = page.fifo(&format!("{name}-completions"));
    let listener = listener(page, &name, queue);
    devices.listeners.extend(listener);
    stages.extend(queue_page_told(page, &name, (queue, listener), (requests, completions), below));
    (requests, completions)
}

/// Whether a host itself makes a part of others.
pub(super) fn is_of_host(loaded: &Loaded, number: usize) -> bool {
    match loaded.holder(number).map(Holder::stands) {
        Some(Stands::OfHost) => true,
        Some(Stands::AsBelow) => {
            loaded.storage[number].over.first().is_some_and(|&below| is_of_host(loaded, below))
        }
        Some(Stands::Below | Stands::BeforeQueue) | None => false,
    }
}

/// The queues of a file system on a part that its host makes of others, by the names of their pages; none on another part,
/// which has the file system's own.
pub(crate) fn queues_of(loaded: &Loaded, on: usize) -> Vec<String> {
    let (_, top) = before_queue(loaded, on);
    if !is_of_host(loaded, top) {
        return Vec::new();
    }
    let before = |&below: &usize| {
        let deeper = queues_of(loaded, below);
        if deeper.is_empty() { vec![queue_before(&loaded.storage[below].name)] } else { deeper }
    };
    loaded.storage[top].over.iter().flat_map(before).collect()
}

/// The disks that a part is made of in the end, as a queue before it knows them.
pub(super) fn disks_of(loaded: &Loaded, devices: &Devices, number: usize) -> Vec<BelowDisk> {
    let disk = |number: usize| BelowDisk {
        features: devices.features[number],
        depth: devices.depths[number],
        is_rotational: loaded.disks[number].compiled.is_rotational(),
        has_many_queues: loaded.disks[number].compiled.has_many_queues(),
    };
    disks_below(&loaded.storage, number).into_iter().map(disk).collect()
}

/// Whether a part, or one below it, wants to know where files lie.
pub(super) fn knows_files(loaded: &Loaded, number: usize) -> bool {
    let below = |storage: &Storage| storage.over.iter().any(|&below| knows_files(loaded, below));
    loaded.holder(number).is_some_and(Holder::knows_files) || loaded.storage.get(number).is_some_and(below)
}

/// What programs ask that work on no files.
fn no_files() -> Arc<FileLayout> {
    Arc::default()
}

fn refused(part: &str, message: String) -> RunFailure {
    RunFailure::Storage { part: part.to_owned(), message }
}

/// Whether a part is a disk that only one other part asks, and whose bus no disk shares but those under that part.
fn is_alone(loaded: &Loaded, (number, above): (usize, usize)) -> bool {
    let Some(disk) = loaded.disks.get(number) else { return false };
    let others = loaded.storage.iter().enumerate();
    let by_others = others.filter(|(other, part)| *other != above && part.over.contains(&number)).count() > 0;
    let by_programs = loaded.targets.values().flatten().any(|&target| target as usize == number);
    let by_hosts = loaded.hosts.volumes().any(|volume| volume.on == Some(number));
    let same_owner = |wire: &Wire| disk.bus.as_ref().is_some_and(|own| own.owner == wire.owner);
    let beside =
        loaded.disks.iter().enumerate().filter(|(_, disk)| disk.bus.as_ref().is_some_and(same_owner));
    let shares = beside.map(|(beside, _)| beside).any(|beside| !loaded.storage[above].over.contains(&beside));
    !(by_others || by_programs || by_hosts || shares)
}

/// Whether anything turns in a part.
pub(super) fn turns(loaded: &Loaded, number: usize) -> bool {
    disks_below(&loaded.storage, number).into_iter().any(|disk| loaded.disks[disk].compiled.is_rotational())
}

/// The replications that a part is made of.
pub(super) fn replications_below(devices: &Devices, loaded: &Loaded, number: usize) -> Vec<usize> {
    let Some(storage) = loaded.storage.get(number) else { return Vec::new() };
    let own = devices.replications.contains_key(&number).then_some(number);
    let below = storage.over.iter().flat_map(|&below| replications_below(devices, loaded, below));
    own.into_iter().chain(below).collect()
}
