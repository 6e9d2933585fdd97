//! Ivy's System: a Unix host of 1990 with a file system on several disks, and what a made-up trace does to it.

use super::error::IvyError;
use petrio_colours::{BlockRequest, FileId, FileOp, PlacedExtent};
use petrio_engine::{Engine, EngineError, Lane, Listener, OfSource, Onlooker, System, programs_page};
use petrio_kernel::{NetBuilder, Simulation, Time, Watch};
use petrio_models::block::rearrangement::{RearrangementParameters, RearrangementPorts, rearrangement_page};
use petrio_models::cluster::replication::{
    ReplicationParameters, ReplicationPorts, ReplicationStatistics, Sight, replication_page,
};
use petrio_models::device::analytic_disk::{AnalyticDiskParameters, analytic_disk_page};
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_models::host::unix_1990::{
    RecordedReads, UnixFile, UnixFileSystem, UnixParameters, UnixPorts, UnixVolume, unix_1990_layout,
    unix_1990_page,
};
use petrio_trace::TraceError;
use petrio_trace::event::Event;
use petrio_workload::file_lives::FileLives;
use petrio_workload::program::Placement;
use petrio_workload::replay::{FileRecords, TraceFile, TraceFiles};
use petrio_workload::{ClosedReplay, ClosedReplayOptions, ThinkPer};
use std::sync::Arc;

/// A System, and what drives it.
#[derive(Clone, Debug)]
pub struct IvySystem {
    /// The work.
    pub lives: FileLives,
    /// Each disk.
    pub disk: AnalyticDiskParameters,
    /// The order in which each disk serves.
    pub discipline: QueueDiscipline,
    /// How many disks.
    pub disks: usize,
    /// Copies of files.
    pub replication: ReplicationParameters,
    /// Data laid out by use, if they are; copies lie at the same place on all disks.
    pub rearrangement: Option<RearrangementParameters>,
    /// Factor on the trace's times: below 1 the load is heavier.
    pub time_scale: f64,
    /// Factor on the addresses of the trace, for a disk that is so many times larger than the one it was made for.
    pub stretch: u64,
    /// The memory of the host, a tenth of which is its buffer cache.
    pub memory: petrio_units::Bytes,
    /// Whether its run is still wanted.
    pub watch: Watch,
}

/// What is played on it.
pub(super) struct Played {
    /// The files of the trace.
    pub(super) files: Arc<TraceFiles>,
    /// Its events, once more.
    pub(super) events: Box<dyn Iterator<Item = Result<Event, TraceError>> + Send>,
    /// Which reads reach the disks.
    pub(super) reads: RecordedReads,
    /// For whom think times are kept.
    pub(super) think_per: ThinkPer,
}

/// Runs its made-up work. As the paper's traces, it tells of reads that missed the cache, and knows no processes.
///
/// # Errors
/// Parameters that contradict each other, or a run that fails.
pub fn run(system: &IvySystem, seed: u64) -> Result<ReplicationStatistics, IvyError> {
    let files = Arc::new(TraceFiles::of(system.lives.events(seed)?)?);
    let events = Box::new(system.lives.events(seed)?);
    let (reads, think_per) = (RecordedReads::Missed, ThinkPer::File);
    run_played(system, seed, Played { files, events, reads, think_per })
}

/// Runs what is played.
pub(super) fn run_played(
    system: &IvySystem,
    seed: u64,
    played: Played,
) -> Result<ReplicationStatistics, IvyError> {
    let files = played.files;
    let mut net = NetBuilder::new("ivy");
    let mut page = net.top();
    let mut disks = Vec::new();
    for number in 0..system.disks {
        let down = page.fifo::<BlockRequest>(&format!("disk{number}-requests"));
        let up = page.fifo::<BlockRequest>(&format!("disk{number}-completions"));
        let disk = (&system.disk, system.discipline);
        let built = analytic_disk_page(&mut page, &format!("disk{number}"), disk, down, up);
        disks.push((down, up, Sight::Arm(built.arm)));
    }
    let ports = ReplicationPorts {
        operations: page.fifo::<FileOp>("file-events"),
        requests: page.fifo("requests"),
        completions: page.fifo("request-completions"),
        disks,
        memories: Vec::new(),
    };
    let blocks = system.disk.blocks.get();
    let host = UnixParameters {
        memory: system.memory,
        metadata: false,
        reads: played.reads,
        ..UnixParameters::default()
    };
    let (requests, request_completions) = match &system.rearrangement {
        None => (ports.requests, ports.completions),
        Some(parameters) => {
            let (requests, completions) = (page.fifo("laid-out-requests"), page.fifo("laid-out-completions"));
            let (down, up) = (ports.requests, ports.completions);
            let wiring = RearrangementPorts { requests, completions, down, up };
            rearrangement_page(&mut page, "by-use", parameters, blocks, wiring)?;
            (requests, completions)
        }
    };
    let (operations, completions) = (page.fifo("operations"), page.fifo("completions"));
    let host_ports = UnixPorts { operations, completions, servers: Vec::new() };
    let there: Vec<UnixFile> = (0..)
        .zip(files.files())
        .map(|(position, file)| unix_file(files.file_id(position, 1), file, system.stretch))
        .collect();
    let layout = Arc::new(unix_1990_layout(&host, blocks, &there)?);
    let (replicas, _) = replication_page(&mut page, "copies", &system.replication, (blocks, layout), &ports)?;
    let file_system = UnixFileSystem { name: "files", device_blocks: blocks, files: &there, over: None };
    let volume = UnixVolume { file_system, requests, request_completions };
    unix_1990_page(&mut page, "host", &host, &[volume], (host_ports, None))?;
    let programs = programs_page(&mut page, (&[operations], "host"), |_| 0, completions);
    let net = net.build().map_err(|error| IvyError::Net(error.to_string()))?;

    let records = FileRecords::new(played.events, files.clone(), played.think_per, Placement::new("ivy"));
    let records = match played.reads {
        RecordedReads::Missed => records.only_misses(),
        RecordedReads::Simulated => records,
    };
    let options = ClosedReplayOptions { time_scale: system.time_scale, ..ClosedReplayOptions::default() };
    // The replication hears of what happens to files.
    let told = [ports.operations];
    let arms = ports.disks.iter().map(|(down, up, ..)| (*down, *up)).collect();
    let watch = &system.watch;
    let built = Arc::new(System::new(net, programs, arms));
    let mut engine = Engine::new(&built, seed, 0);
    engine.set_watch(watch);
    let replay = OfSource(ClosedReplay::new(records, options)?);
    engine.run(&mut Lane::at(&built, replay)?.told(&told), &mut Nobody)?;
    let run = engine.simulation_mut();
    // What has been delayed is written still.
    let rest = run.now() + Time::from_millis(120_000);
    run.run_until(rest)?;
    let mut tally = ReplicationStatistics::default();
    run.for_each_token(replicas, |replicas| tally = replicas.tally().clone());
    Ok(tally)
}

/// Nothing is measured but what the replication itself counts.
struct Nobody;

impl Onlooker for Nobody {}

impl Listener<FileOp> for Nobody {
    fn completed(&mut self, _: usize, _: &FileOp, _: &mut Simulation) -> Result<(), EngineError> {
        Ok(())
    }
}

fn unix_file(number: FileId, file: &TraceFile, stretch: u64) -> UnixFile {
    // A file stays in one piece: its beginning is moved.
    let first = file.extents.first().map_or(0, |extent| extent.address);
    let moved = first.saturating_mul(stretch) - first;
    let extent = |extent: &PlacedExtent| PlacedExtent { address: extent.address + moved, ..*extent };
    UnixFile {
        file: number,
        parent: FileId::ROOT,
        directory: false,
        present: file.present,
        size: file.size,
        cached: false,
        extents: file.extents.iter().map(extent).collect(),
    }
}
