//! Workloads of block requests: replayed traces, kept within their disks, and synthetic streams.

use crate::build::processes::apart;
use crate::build::programs::{Bounds, Programs};
use crate::build::turns::{Turns, in_turn, waits};
use crate::failure::RunFailure;
use crate::loaded::Loaded;
use crate::report::Subject;
use crate::workload::{OutOfRange, Replay, TraceReplay, Workload, access_words};
use petrio_colours::{BlockRequest, SECTOR_BYTES};
use petrio_persist::Persist;
use petrio_trace::{BlockRecord, DeviceMap, MergedRecord, MergedTraces, TraceError, TraceReader};
use petrio_units::numbers::as_number;
use petrio_workload::program::accesses::Flows;
use petrio_workload::program::{AccessParameters, Placement};
use petrio_workload::replay::{ClosedReplay, OpenReplay, Processes};
use petrio_workload::synthetic::Synthetic;
use petrio_workload::{RequestSource, SourceError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The programs of a scenario for one replication, and the number of the workload that each source is of.
pub(super) fn programs_of(
    loaded: &Loaded,
    replication: u64,
    turns: &Arc<Turns>,
) -> Result<(Programs<BlockRequest>, Vec<usize>), RunFailure> {
    let (mut kinds, mut bounds) = (Vec::new(), Vec::new());
    let mut sources: Vec<Box<dyn RequestSource>> = Vec::new();
    let mut workloads = Vec::new();
    let mut flows = Flows::default();
    for (number, (name, workload)) in loaded.workloads_of(Subject::BlockRequests).enumerate() {
        let targets = loaded.targets.get(name).map(Vec::as_slice).unwrap_or_default();
        match workload {
            Workload::Trace(trace) => {
                let (source, bound) = replay(loaded, name, trace, targets)?;
                kinds.push(trace_words(trace));
                bounds.push(bound);
                sources.push(in_turn(source, loaded, turns, name));
                workloads.push(number);
            }
            Workload::Synthetic(_) => {
                if let Some(synthetic) = loaded.generators.get(name) {
                    kinds.push("synthetic requests".to_owned());
                    let source = generate(loaded, name, synthetic, replication)?;
                    sources.push(in_turn(source, loaded, turns, name));
                    workloads.push(number);
                }
            }
            Workload::DeviceAccesses(load) => {
                kinds.push(access_words(&load.parameters));
                let source = accesses(loaded, name, &load.parameters, (targets, replication), &mut flows)?;
                sources.push(in_turn(source, loaded, turns, name));
                workloads.push(number);
            }
            // Others work on files, and have programs of their own.
            _ => {}
        }
    }
    let (sources, numbers) = apart(sources);
    Ok((Programs::new(sources, kinds, bounds).with_numbers(numbers), workloads))
}

/// Accesses to disks.
fn accesses(
    loaded: &Loaded,
    name: &str,
    parameters: &AccessParameters,
    (targets, replication): (&[u32], u64),
    flows: &mut Flows,
) -> Result<Box<dyn RequestSource>, RunFailure> {
    let disks: Vec<(u32, u64)> = targets
        .iter()
        .map(|&target| (target, loaded.storage[target as usize].blocks * SECTOR_BYTES))
        .collect();
    let placement = Placement { seed: loaded.scenario.seed, replication, ..Placement::new(name) };
    let source = match waits(loaded, name) {
        true => parameters.on_devices_later(&disks, &placement, flows),
        false => parameters.on_devices_among(&disks, &placement, flows),
    };
    Ok(Box::new(source.map_err(SourceError::from)?))
}

fn trace_words(trace: &TraceReplay) -> String {
    match trace.replay {
        Replay::Open => "open replay, arrival times kept".to_owned(),
        Replay::Closed => "closed replay, think times kept".to_owned(),
    }
}

/// A synthetic workload, with a stream of random numbers for each generator.
fn generate(
    loaded: &Loaded,
    name: &str,
    synthetic: &Synthetic,
    replication: u64,
) -> Result<Box<dyn RequestSource>, RunFailure> {
    let streams = (0..synthetic.generators.len())
        .map(|number| {
            petrio_random::generator(loaded.scenario.seed, replication, name, &format!("generator {number}"))
        })
        .collect();
    Ok(Box::new(synthetic.source(streams).map_err(SourceError::from)?))
}

fn replay(
    loaded: &Loaded,
    name: &str,
    trace: &TraceReplay,
    targets: &[u32],
) -> Result<(Box<dyn RequestSource>, Bounds), RunFailure> {
    let options = trace.options();
    let mut readers = Vec::new();
    for file in &trace.files {
        let reader = TraceReader::open_in(&loaded.inputs, file, &options).map_err(SourceError::from)?;
        readers.push((reader, DeviceMap::Same));
    }
    let tells_processes = readers.iter().all(|(reader, _)| reader.format().tells_processes());
    let merged = MergedTraces::new(readers, trace.alignment).map_err(SourceError::from)?;
    let bounds = Bounds {
        workload: name.to_owned(),
        commands: Arc::default(),
        rule: trace.out_of_range,
        changed: Arc::default(),
        refused: Arc::default(),
    };
    let records = Placed {
        records: Named { records: merged, last: None, commands: Arc::clone(&bounds.commands) },
        files: trace.files.iter().map(|file| (loaded.path_of(file).display().to_string(), 0)).collect(),
        workload: name.to_owned(),
        devices: device_table(loaded, trace),
        targets: targets.to_vec(),
        disks: targets
            .iter()
            .map(|&target| &loaded.storage[target as usize])
            .map(|part| (part.name.clone(), part.blocks))
            .collect(),
        rule: trace.out_of_range,
        changed: Arc::clone(&bounds.changed),
        refused: Arc::clone(&bounds.refused),
        left: trace.limit.unwrap_or(u64::MAX),
    };
    let source: Box<dyn RequestSource> = match trace.replay {
        Replay::Open => Box::new(OpenReplay::new(records, trace.time_scale)?.by_place()),
        Replay::Closed => {
            let mut options = trace.closed_options();
            if !tells_processes {
                options.processes = Processes::Together;
            }
            Box::new(ClosedReplay::new(records, options)?.by_place())
        }
    };
    Ok((source, bounds))
}

/// Disks by the trace's device numbers, where the scenario gives a table.
fn device_table(loaded: &Loaded, trace: &TraceReplay) -> BTreeMap<u32, u32> {
    let disk = |name: &str| loaded.storage.iter().position(|part| part.name == name);
    trace
        .devices
        .iter()
        .filter_map(|(device, name)| Some((device.parse().ok()?, as_number(disk(name)?))))
        .collect()
}

/// So many processes have their commands kept, those that come first; reports tell of no more.
const COMMANDS_MAX: usize = 64;

/// Notes the commands of a trace's processes as they come.
#[derive(Persist)]
struct Named {
    records: MergedTraces,
    last: Option<u32>,
    #[persist(keep)]
    commands: Arc<Mutex<BTreeMap<u32, String>>>,
}

impl Named {
    fn note(&mut self, process: u32) {
        self.last = Some(process);
        if let Ok(mut commands) = self.commands.lock()
            && commands.len() < COMMANDS_MAX
            && !commands.contains_key(&process)
            && let Some(name) = self.records.process_name(process)
        {
            commands.insert(process, name);
        }
    }
}

impl Iterator for Named {
    type Item = Result<MergedRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.records.next();
        if let Some(Ok(MergedRecord { record, .. })) = &next
            && self.last != Some(record.process)
        {
            self.note(record.process);
        }
        next
    }
}

/// Sends the records of a trace to the disks of the System, and keeps them within.
#[derive(Persist)]
struct Placed<R> {
    records: R,
    /// Each file's name, and how many of its requests have come.
    files: Vec<(String, u64)>,
    #[persist(keep)]
    workload: String,
    #[persist(keep)]
    devices: BTreeMap<u32, u32>,
    #[persist(keep)]
    targets: Vec<u32>,
    /// Name and size of each target.
    #[persist(keep)]
    disks: Vec<(String, u64)>,
    #[persist(keep)]
    rule: OutOfRange,
    #[persist(keep)]
    changed: Arc<AtomicU64>,
    #[persist(keep)]
    refused: Arc<Mutex<Option<RunFailure>>>,
    left: u64,
}

impl<R> Placed<R> {
    /// Which of the targets a device of the trace is.
    fn target(&self, device: u32) -> Option<usize> {
        match (self.devices.get(&device), self.targets.len()) {
            (Some(disk), _) => self.targets.iter().position(|target| target == disk),
            (None, 1) if self.devices.is_empty() => Some(0),
            (None, count) if self.devices.is_empty() => {
                Some(device as usize).filter(|&device| device < count)
            }
            _ => None,
        }
    }

    fn place(&self, trace: u32, mut record: BlockRecord) -> Result<Option<BlockRecord>, RunFailure> {
        let came_from = || self.files.get(trace as usize).cloned().unwrap_or_default();
        let Some(target) = self.target(record.device) else {
            let disks = match self.disks.len() {
                1 => "one disk".to_owned(),
                count => format!("{count} disks"),
            };
            let (workload, (file, number)) = (self.workload.clone(), came_from());
            return Err(RunFailure::NoSuchDevice { workload, file, number, device: record.device, disks });
        };
        record.device = self.targets[target];
        let (disk, blocks) = &self.disks[target];
        let (first, length) = (record.address, u64::from(record.blocks));
        if first.checked_add(length).is_some_and(|end| end <= *blocks) {
            return Ok(Some(record));
        }
        match self.rule {
            OutOfRange::Error => {
                let (file, number) = came_from();
                Err(RunFailure::BeyondDevice {
                    workload: self.workload.clone(),
                    file,
                    number,
                    first,
                    last: first.saturating_add(length.saturating_sub(1)),
                    disk: disk.clone(),
                    blocks: *blocks,
                })
            }
            OutOfRange::Wrap if length <= *blocks => {
                self.changed.fetch_add(1, Ordering::Relaxed);
                // Kept whole: a request that would straddle the end is moved to end with the disk.
                record.address = (first % blocks).min(blocks - length);
                Ok(Some(record))
            }
            OutOfRange::Wrap | OutOfRange::Skip => {
                self.changed.fetch_add(1, Ordering::Relaxed);
                Ok(None)
            }
        }
    }
}

impl<R: Iterator<Item = Result<MergedRecord, TraceError>>> Iterator for Placed<R> {
    type Item = Result<BlockRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            let MergedRecord { trace, record } = match self.records.next()? {
                Ok(merged) => merged,
                Err(error) => return Some(Err(error)),
            };
            self.left -= 1;
            if let Some((_, number)) = self.files.get_mut(trace as usize) {
                *number += 1;
            }
            match self.place(trace, record) {
                Ok(Some(record)) => return Some(Ok(record)),
                Ok(None) => {}
                Err(failure) => {
                    // A trace error would be another thing; the stream ends here and the failure is fetched.
                    self.left = 0;
                    if let Ok(mut refused) = self.refused.lock() {
                        *refused = Some(failure);
                    }
                    return None;
                }
            }
        }
        None
    }
}
