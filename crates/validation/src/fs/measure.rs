//! The real side of a point: a file system of its own with its limits, or a directory that is there.
//!
//! Everything is prepared before the limits come into force, durable, and cached or not as the workload says. What is
//! measured begins with a throttle that has just been set, as it does in the model.

use super::error::FsValidationError;
use super::experiment::Paced;
use super::point::{Setting, WORKLOAD};
use super::predict::Speed;
use petrio_colours::Operation;
use petrio_live::drive::{Measured, Workplace, run_prepared, touch_memory};
use petrio_live::rig::{
    Facilities, Hierarchy, Image, LoopRig, MemoryGroup, RigError, RigParameters, Throttle, ThrottleLimits,
};
use petrio_scenario::Loaded;
use petrio_scenario::workload::Workload;
use petrio_units::Bytes;
use petrio_workload::program::{FileTable, FileWorkload, Placement, Prepared};
use std::path::{Path, PathBuf};

/// Where is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// On an ext3 of one's own, with whatever limits there are to be.
    Rig(Box<Facilities>),
    /// In a directory of a file system that is there.
    Directory(PathBuf),
}

impl Ground {
    /// What is in the way of a setting; none where it can be measured.
    pub(super) fn obstacle(&self, setting: &Setting) -> Option<String> {
        match self {
            Self::Directory(_) => {
                setting.special().then(|| "it needs an ext3 of its own, with limits, and so root".to_owned())
            }
            Self::Rig(facilities) => {
                let needs = [
                    (true, &facilities.ext3),
                    (setting.throttled(), &facilities.throttle),
                    (setting.memory.is_some(), &facilities.memory_limit),
                    (setting.dirty_limit.is_some(), &facilities.dirty_limit),
                    (true, &facilities.drop_caches),
                ];
                let missing = needs.iter().filter(|(needed, _)| *needed);
                missing.filter_map(|(_, availability)| availability.reason()).next().map(str::to_owned)
            }
        }
    }
}

/// The file system of a setting, for as long as points need the same.
pub(super) struct Bench {
    ground: Ground,
    setting: Option<Setting>,
    // In order of taking down.
    prepared: Option<(Workplace, FileTable)>,
    rig: Option<LoopRig>,
}

/// Which clock a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// The wall's: from the first access to the end of the last.
    Wall,
    /// The thread's: time in calls for which it had a processor.
    Processor,
}

impl Bench {
    pub(super) const fn new(ground: Ground) -> Self {
        Self { ground, setting: None, prepared: None, rig: None }
    }

    /// Measures a point once.
    pub(super) fn measure(
        &mut self,
        (loaded, setting): (&Loaded, &Setting),
        paced: Paced,
    ) -> Result<Speed, FsValidationError> {
        self.provide(loaded, setting)?;
        let (workload, prepared) = programs(loaded)?;
        self.prepare(&workload, &prepared)?;
        let Some((workplace, _)) = &self.prepared else {
            return Err(FsValidationError::from(petrio_live::drive::DriveError::Process {
                process: 0,
                why: "its files were not prepared".to_owned(),
            }));
        };
        touch_memory(bytes_made(&workload));
        let measured = {
            let _throttle = self.rig.as_ref().map(|rig| throttle(rig, setting)).transpose()?;
            let _group = self.rig.as_ref().and_then(LoopRig::memory).map(MemoryGroup::enter).transpose()?;
            run_prepared(workplace, prepared)?
        };
        if makes_files(&workload) || setting.dirty_limit.is_some() {
            self.prepared = None;
        }
        Ok(speed(&measured, clock(paced)))
    }

    /// A file system like this, taken over from the point before if it is the same. With a dirty limit each run gets a
    /// fresh one: the kernel remembers how fast a device was.
    fn provide(&mut self, loaded: &Loaded, setting: &Setting) -> Result<(), FsValidationError> {
        if self.setting.as_ref() == Some(setting) && setting.dirty_limit.is_none() {
            return Ok(());
        }
        self.prepared = None;
        self.rig = None;
        self.setting = None;
        if let Ground::Rig(_) = self.ground {
            self.rig = Some(LoopRig::set_up(&rig_parameters(loaded, setting))?);
        }
        self.setting = Some(*setting);
        Ok(())
    }

    /// The files as the workload wants to find them.
    fn prepare(&mut self, workload: &FileWorkload, prepared: &Prepared) -> Result<(), FsValidationError> {
        let there = self.prepared.as_ref().is_some_and(|(_, table)| *table == prepared.files);
        if !there {
            // The old files go before the new ones come.
            self.prepared = None;
            let workplace = match (&self.rig, &self.ground) {
                (Some(rig), _) => Workplace::itself(rig.directory())?,
                (None, Ground::Directory(directory)) => Workplace::inside(directory)?,
                (None, Ground::Rig(_)) => Workplace::inside(Path::new("."))?,
            };
            workplace.prepare(&prepared.files)?;
            self.prepared = Some((workplace, prepared.files.clone()));
        }
        if let Some(rig) = &self.rig {
            if prepared.files.entries().iter().all(|entry| entry.cached) && !makes_files(workload) {
                rig.sync()?;
            } else {
                // The first time frees the journal's hold on metadata blocks that it has written (jbd2's shrinker), and
                // only the second time these blocks themselves.
                rig.drop_caches()?;
                rig.drop_caches()?;
            }
        }
        Ok(())
    }
}

/// Reads and overwrites that wait for nothing cost processor time. So do new files; the journal's thread, which works
/// for them too, isn't theirs.
pub(super) const fn clock(paced: Paced) -> Clock {
    match paced {
        Paced::ByReads | Paced::ByOverwrites | Paced::ByNewFiles => Clock::Processor,
        Paced::ByDevice => Clock::Wall,
    }
}

fn speed(measured: &Measured, clock: Clock) -> Speed {
    let time = match clock {
        Clock::Wall => measured.time(),
        Clock::Processor => measured.processor_time_in_operations(),
    };
    let seconds = time.as_secs_f64().max(1e-9);
    let accesses = [Operation::Read, Operation::Write]
        .iter()
        .filter_map(|operation| measured.operations.get(operation))
        .map(|times| times.latency_ns.len())
        .sum::<u64>();
    Speed { bytes: measured.bytes() as f64 / seconds, accesses: accesses as f64 / seconds }
}

/// The workload of a scenario, and its programs with the same random numbers as in the simulation.
fn programs(loaded: &Loaded) -> Result<(FileWorkload, Prepared), FsValidationError> {
    let workload = match loaded.scenario.workload.get(WORKLOAD) {
        Some(Workload::Files(load)) => FileWorkload::Pattern(load.parameters.clone()),
        Some(Workload::FileTrace(load)) => {
            let mut parameters = load.parameters.clone();
            parameters.file = loaded.path_of(&parameters.file);
            FileWorkload::Requests(parameters)
        }
        Some(Workload::Script(load)) => FileWorkload::Script(load.parameters.clone()),
        _ => {
            let error = loaded.error_at(
                "workload",
                "no workload here is a pattern, a record or a script of file operations",
            );
            return Err(petrio_scenario::Problems::new(&loaded.scenario.title, vec![error]).into());
        }
    };
    let placement = Placement { seed: loaded.scenario.seed, ..Placement::new(WORKLOAD) };
    let prepared = workload.prepare(&placement)?;
    Ok((workload, prepared))
}

/// Whether a second run finds other files than the first.
fn makes_files(workload: &FileWorkload) -> bool {
    use petrio_workload::program::pattern::Access;
    match workload {
        FileWorkload::Pattern(pattern) => pattern.operation == Access::Write,
        FileWorkload::Requests(_) => false,
        FileWorkload::Script(_) => true,
    }
}

/// Bytes that a run adds to the page cache.
fn bytes_made(workload: &FileWorkload) -> u64 {
    match workload {
        FileWorkload::Pattern(pattern) if makes_files(workload) => {
            pattern.file_size.get().saturating_mul(u64::from(pattern.files))
        }
        _ => 0,
    }
}

/// The real file system that a scenario describes. Its throttle comes later, when the files are there.
fn rig_parameters(loaded: &Loaded, setting: &Setting) -> RigParameters {
    let linux = &loaded.hosts.linux;
    let host = linux.hosts.first();
    RigParameters {
        xfs: false,
        file_system: linux.file_systems.first().and_then(|fs| fs.kind.ext().cloned()).unwrap_or_default(),
        size: setting.size,
        image: Image::Memory,
        mount_options: Vec::new(),
        read_ahead: host.map(|host| host.parameters.kernel.read_ahead.max),
        scheduler: host.map(|host| host.parameters.kernel.block.scheduler.clone()),
        throttle: ThrottleLimits::default(),
        memory_limit: setting.memory,
        dirty_limit: setting.dirty_limit,
    }
}

fn throttle(rig: &LoopRig, setting: &Setting) -> Result<Option<Throttle>, RigError> {
    if !setting.throttled() {
        return Ok(None);
    }
    let requests = setting.requests_per_second.map(u64::from);
    let bytes = setting.mib_per_second.map(|mib| Bytes::from_mib(u64::from(mib)).get());
    let limits = ThrottleLimits {
        read_requests: requests,
        write_requests: requests,
        read_bytes: bytes,
        write_bytes: bytes,
    };
    match Hierarchy::of("blkio") {
        Some(hierarchy) => Throttle::new(&hierarchy, rig.number(), limits).map(Some),
        None => Err(RigError::NotPossible {
            what: "a device throttle",
            why: "no block control group is mounted".to_owned(),
        }),
    }
}
