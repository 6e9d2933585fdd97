//! The parameters of accesses, as a scenario writes them.

use super::flow::FlowShare;
use super::search::LatencyTarget;
use super::sizes::{Extent, Sizes, Skip};
use super::steady::SteadyState;
use super::zones::{Strides, ZoneLog};
use crate::popularity::Popularity;
use crate::program::pattern::FileOrder;
use petrio_colours::Submission;
use petrio_persist::Persist;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processes that read and write as fio's jobs do: in a row or at random places, of sizes that may be drawn, several accesses in
/// flight, at rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessParameters {
    /// What is done.
    pub operation: AccessKind,
    /// How many of the accesses are reads; needed with `operation = "mixed"`, and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_share: Option<Fraction>,
    /// In which order.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: AccessOrder,
    /// Bytes of an access: a size, a range, or sizes with their shares.
    pub record: Sizes,
    /// Those of a write, where they are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_record: Option<Sizes>,
    /// Whether drawn sizes need not be multiples of the smallest.
    #[serde(default, skip_serializing_if = "is_default")]
    pub any_size: bool,
    /// Random accesses begin at multiples of this; left out, of the smallest record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Bytes>,
    /// From the end of an access to the next in a row: `"8 KiB"` leaves holes, `"-8 KiB"` goes backwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Skip>,
    /// Accesses in a row from each random place on.
    #[serde(default = "one_access", skip_serializing_if = "is_one_access")]
    pub run: u64,
    /// How many of the accesses of `order = "random"` are at random places, the others following the one before; left out, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random_share: Option<Fraction>,
    /// Whether a random place may come again before all others have come.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repetition: bool,
    /// Random places that are asked for more often than others. They may come again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<Popularity>,
    /// Random places in this order, again and again, counted in the smallest records (fio's `sequence:2,0,1`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<PlaceSequence>,
    /// Areas that are gone through one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strides: Option<Strides>,
    /// Zones that are written from their beginning only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZoneLog>,
    /// Processes.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub processes: u32,
    /// Files of each process. Of disks, each process has all that the workload is on.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub files: u32,
    /// Whether all processes work on the same files. Of disks they do.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shared_files: bool,
    /// How a process goes through several files.
    #[serde(default = "in_turn", skip_serializing_if = "is_in_turn")]
    pub file_order: FileOrder,
    /// Accesses to a file before the next has its turn.
    #[serde(default = "one_access", skip_serializing_if = "is_one_access")]
    pub file_turn: u64,
    /// How large each file is; left out, as large as `offset` and `area` say. Of disks the disk says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_size: Option<Bytes>,
    /// How much of each file is accessed; left out, what lies behind `offset`. A part ("10 %") is of the file or disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<Extent>,
    /// Where in each file that begins.
    #[serde(default, skip_serializing_if = "Extent::is_nothing")]
    pub offset: Extent,
    /// So much further in for each process after the first.
    #[serde(default, skip_serializing_if = "Extent::is_nothing")]
    pub offset_step: Extent,
    /// Bytes that each process accesses in a pass; left out, its areas once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Bytes>,
    /// Accesses of each process in all; left out, no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accesses: Option<u64>,
    /// How often it is all done.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub passes: u32,
    /// For how long each process issues accesses at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
    /// Whether it begins anew where all is done, until `duration` or the run is over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub keep_on: bool,
    /// For how long at its beginning accesses don't count; `duration` comes after it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub warm_up: Duration,
    /// How long each process waits before its first access.
    #[serde(default, skip_serializing_if = "is_default")]
    pub starts_after: Duration,
    /// Accesses that a process may have in flight.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub in_flight: u32,
    /// How they are asked for. One that waits for each has one in flight, whatever `in_flight` says.
    #[serde(default, skip_serializing_if = "is_default")]
    pub engine: Engine,
    /// When and how many are waited for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub submitting: Submitting,
    /// Its share beside other jobs: who is ahead waits for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowShare>,
    /// How long accesses may take: as many are in flight as that allows, and `in_flight` at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_target: Option<LatencyTarget>,
    /// It ends when this is steady.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_steady: Option<SteadyState>,
    /// How fast reads are issued at most; without `write_pace`, writes too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// How fast writes are issued at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_pace: Option<Pace>,
    /// How long a process computes where it rests: it keeps a processor busy.
    #[serde(default, skip_serializing_if = "is_default")]
    pub compute_time: Duration,
    /// How long it rests, with nothing in flight.
    #[serde(default, skip_serializing_if = "is_default")]
    pub think_time: Duration,
    /// After how many accesses that are done and taken back each time; 0, whatever their number.
    #[serde(default = "one_access", skip_serializing_if = "is_one_access")]
    pub think_every: u64,
    /// Whether that is of accesses that are submitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub think_by_issue: bool,
    /// How long after it has rested it rests again, whatever the number of accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_after: Option<Duration>,
    /// O_DIRECT: past the page cache.
    #[serde(default, skip_serializing_if = "is_default")]
    pub direct: bool,
    /// O_SYNC: a write returns when data and metadata are durable. One to a disk is there when it ends (force unit access), and where it is
    /// waited for a flush follows.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sync: bool,
    /// O_DSYNC: a write returns when its data are durable.
    #[serde(default, skip_serializing_if = "is_default")]
    pub data_sync: bool,
    /// Whether files are cut off, or grow, at the place of each write instead of its being written (fio's engine `ftruncate`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub truncates: bool,
    /// By loads and stores in a mapping of the file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mapped: bool,
    /// Whether the files are new: empty, without blocks. Otherwise they are there as large as they become.
    #[serde(default, skip_serializing_if = "is_default")]
    pub new_files: bool,
    /// Whether the files are in the page cache when the run begins.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cached: bool,
    /// After how many writes an fsync makes them durable; 0, none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fsync_every: u64,
    /// After how many writes an fdatasync does.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fdatasync_every: u64,
    /// Whether each file is made durable when all is done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fsync_at_end: bool,
    /// Whether what was written in a pass is read back after it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reads_back: bool,
    /// fio's `randseed`: the accesses of the first replication are those that fio makes of it; left out, drawn from the scenario's
    /// seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// With `seed`: the number of the first process among all of a job file, from 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub job_number: u32,
    /// With `seed`: whether each pass makes the same accesses as the first (fio's `randrepeat`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub same_passes: bool,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both, each access by chance one or the other.
    Mixed,
    /// Each file is made, opened with it, and closed (fio's `filecreate`).
    Create,
    /// Each file is asked for its attributes (`filestat`).
    Stat,
    /// Each file is removed (`filedelete`).
    Remove,
    /// As many directories are made (`dircreate`).
    MakeDirectory,
    /// As many directories are asked for their attributes (`dirstat`).
    StatDirectory,
    /// As many directories are removed (`dirdelete`).
    RemoveDirectory,
}

impl AccessKind {
    /// Whether files are read or written, and not only named.
    pub const fn moves_data(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Mixed)
    }

    /// Whether what is named are directories.
    pub const fn names_directories(self) -> bool {
        matches!(self, Self::MakeDirectory | Self::StatDirectory | Self::RemoveDirectory)
    }

    /// Whether anything is written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Mixed)
    }
}

/// Places in an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct PlaceSequence {
    /// Which, from 0.
    pub places: Vec<u64>,
    /// Whether each time through it lies behind the time before by as many places as it has (`random_sequence_stride`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub advances: bool,
}

/// In which order places come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum AccessOrder {
    /// Each behind the one before.
    #[default]
    Sequential,
    /// Anywhere.
    Random,
}

/// How accesses are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// A call that returns when the access is done (read, pread, readv …).
    #[default]
    Waits,
    /// io_submit (libaio). Of direct accesses it returns when they are on their way; of buffered ones, of writes that make their
    /// file longer, and of what has to wait for metadata or the journal, when they are done.
    NativeAio,
    /// io_uring: what would wait is done by the kernel's threads.
    IoUring,
    /// aio_read and aio_write of the C library (glibc): threads, one for each file, twenty at most.
    PosixAio,
}

impl Engine {
    /// How the kernel is asked.
    pub const fn submission(self) -> Submission {
        match self {
            Self::Waits => Submission::Waits,
            Self::NativeAio => Submission::Native,
            Self::IoUring => Submission::Ring,
            Self::PosixAio => Submission::Threads,
        }
    }
}

/// How many accesses are submitted and waited for together; 0 is one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Submitting {
    /// Where all that may be are in flight, so many are waited for at least (fio's `iodepth_batch_complete_min`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub waits_for: u32,
    /// So many that are done are taken back at a time at most (`iodepth_batch_complete_max`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub takes: u32,
    /// So many go to the kernel in one call (`iodepth_batch_submit`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub together: u32,
    /// Further ones are issued only when so few are left (fio's `iodepth_low`); 0: as soon as there is room.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refills_at: u32,
}

/// How fast accesses are issued at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// Bytes in a time, or accesses in a second.
    pub limit: LimitOn,
    /// Whether the spans between them are drawn (exponentially: a Poisson process) and not equal.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drawn: bool,
}

/// What a pace is of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitOn {
    /// Bytes in a time: `"1 MiB/s"`.
    Bytes(Rate),
    /// Accesses in a second.
    PerSecond(f64),
}

const fn one() -> u32 {
    1
}

const fn one_access() -> u64 {
    1
}

const fn in_turn() -> FileOrder {
    FileOrder::RoundRobin
}

fn is_in_turn(order: &FileOrder) -> bool {
    *order == FileOrder::RoundRobin
}

fn is_one(number: &u32) -> bool {
    *number == 1
}

fn is_one_access(number: &u64) -> bool {
    *number == 1
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl AccessParameters {
    /// Sets of files that there are: one of each process, or one that all go through.
    pub const fn sets(&self) -> u32 {
        if self.shared_files { 1 } else { self.processes }
    }

    /// How many files that are.
    pub fn all_files(&self) -> u64 {
        u64::from(self.sets()) * u64::from(self.files)
    }

    /// One process that goes once through one file or disk, sequentially, waiting for each access.
    pub fn new(operation: AccessKind, record: Sizes) -> Self {
        Self {
            operation,
            read_share: None,
            order: AccessOrder::Sequential,
            record,
            write_record: None,
            any_size: false,
            alignment: None,
            skip: None,
            run: 1,
            random_share: None,
            repetition: false,
            popularity: None,
            sequence: None,
            truncates: false,
            strides: None,
            zones: None,
            processes: 1,
            files: 1,
            shared_files: false,
            file_order: in_turn(),
            file_turn: 1,
            file_size: None,
            area: None,
            offset: Extent::default(),
            offset_step: Extent::default(),
            amount: None,
            accesses: None,
            passes: 1,
            duration: None,
            keep_on: false,
            warm_up: Duration::ZERO,
            starts_after: Duration::ZERO,
            in_flight: 1,
            engine: Engine::Waits,
            submitting: Submitting::default(),
            flow: None,
            latency_target: None,
            until_steady: None,
            pace: None,
            write_pace: None,
            compute_time: Duration::ZERO,
            think_time: Duration::ZERO,
            think_every: 1,
            think_by_issue: false,
            think_after: None,
            direct: false,
            sync: false,
            data_sync: false,
            mapped: false,
            new_files: false,
            cached: false,
            fsync_every: 0,
            fdatasync_every: 0,
            fsync_at_end: false,
            reads_back: false,
            seed: None,
            job_number: 1,
            same_passes: false,
        }
    }

    /// The sizes of writes.
    pub(super) fn writes(&self) -> &Sizes {
        self.write_record.as_ref().unwrap_or(&self.record)
    }

    /// The smallest and the largest access that there may be.
    pub fn bounds(&self) -> (u64, u64) {
        let (read, write) = (self.record.bounds(), self.writes().bounds());
        match self.operation {
            AccessKind::Write => write,
            AccessKind::Mixed => (read.0.min(write.0), read.1.max(write.1)),
            _ => read,
        }
    }

    /// Whether nothing in it ends it: then the scenario must.
    pub const fn is_endless(&self) -> bool {
        self.keep_on && self.duration.is_none() && self.accesses.is_none() && self.until_steady.is_none()
    }
}
