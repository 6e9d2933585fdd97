//! The parameters of a pattern, as a scenario writes them, and what makes them sound.

use super::super::ProgramError;
use super::open_close::OpenClose;
use super::thinking::Thinking;
use crate::popularity::{PlacePicker, Popularity};
use petrio_distribution::Draw;
use petrio_persist::Persist;
use petrio_units::{Amount, Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Processes that each go through files of their own, as iozone and fio do: in which order, by what calls, how often,
/// and what they do to make it durable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternParameters {
    /// In which order the places of a file are visited.
    #[serde(default)]
    pub pattern: Pattern,
    /// What is done at each place.
    pub operation: Access,
    /// How many of the accesses are reads; needed with `operation = "mixed"`, and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_share: Option<Fraction>,
    /// `read_share` is one of processes: the first of them only read, the others only overwrite (iozone -i 8).
    #[serde(default, skip_serializing_if = "is_false")]
    pub share_by_process: bool,
    /// Bytes of one access. The last one of a file is shorter where the file's size is no multiple of it.
    pub record: Bytes,
    /// Bytes of each file: as long as it is when it is read or overwritten, and as long as it becomes when it is
    /// written.
    pub file_size: Bytes,
    /// From one record to the next, in records, with `pattern = "strided"`: 2 visits every second record first. Needed
    /// there, and only there. (iozone -j; its default is 17.)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<u64>,
    /// Random accesses begin at multiples of this. Left out, at multiples of the record, as iozone's and fio's do; less
    /// lets them overlap (fio's `blockalign`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Bytes>,
    /// Whether a random place may come again before all others have come (fio's `norandommap`). Without, a pass visits
    /// each place once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repetition: bool,
    /// Random places that are asked for more often than others (fio's `random_distribution`). They may come again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<Popularity>,
    /// Processes, each with files of its own.
    #[serde(default = "one")]
    pub processes: u32,
    /// Files of each process.
    #[serde(default = "one")]
    pub files: u32,
    /// How a process goes through several files.
    #[serde(default)]
    pub file_order: FileOrder,
    /// Accesses of each process in a pass; beyond the end of its files the pattern begins again. Left out: once through
    /// all of its files, unless `amount` says how much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// Bytes that each process accesses in a pass, rounded up to whole records; instead of `operations`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Bytes>,
    /// How often it is all done. A second pass finds what the first one left in the cache.
    #[serde(default = "one")]
    pub passes: u32,
    /// Whether there is a first pass more, which isn't measured.
    #[serde(default, skip_serializing_if = "is_false")]
    pub warm_up_pass: bool,
    /// Whether the files are in the page cache when the run begins.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cached: bool,
    /// How long a process computes after each access: it keeps a processor of its host busy for so long (fio's
    /// `thinktime_spin`).
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub compute_time: Duration,
    /// How long a process rests after each access, and after computing: a time, or a distribution that it is drawn from,
    /// such as `{ exponential = { mean = "100 ms" } }`. Processes that all rest equally long stay in step.
    #[serde(default = "no_time", skip_serializing_if = "never_varies_from_zero")]
    pub think_time: Draw<Duration>,
    /// Each process begins its first measured access at a random instant within so long, all equally likely; left out,
    /// all begin at once.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub starts_within: Duration,
    /// By which calls.
    #[serde(default)]
    pub interface: Interface,
    /// O_DIRECT: past the page cache. Record, file size and alignment must be multiples of 512 B.
    #[serde(default, skip_serializing_if = "is_false")]
    pub direct: bool,
    /// O_SYNC: a write returns when data and metadata are durable.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sync: bool,
    /// O_DSYNC: a write returns when its data are durable, and what is needed to find them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub data_sync: bool,
    /// O_APPEND: a write goes to where its file ends when its turn comes, and the file grows by it. Of files that are there
    /// (`rewrite`) as of new ones.
    #[serde(default, skip_serializing_if = "is_false")]
    pub append: bool,
    /// Whether all processes go through the same files, instead of each through its own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shared_files: bool,
    /// When written data are made durable by a call.
    #[serde(default, skip_serializing_if = "Durability::is_never")]
    pub fsync: Durability,
    /// By which call.
    #[serde(default)]
    pub fsync_call: FsyncCall,
    /// Whether a process opens its files (creates them, where they are new) and closes them, as operations of their own:
    /// all of them before the first access and after the last (true), or each before and after its own ("each-file").
    /// Without, the files are open, and new ones are there and empty.
    #[serde(default, skip_serializing_if = "OpenClose::is_never")]
    pub open_close: OpenClose,
    /// What the measured time includes besides the accesses. A report can show both; this says which one counts.
    #[serde(default)]
    pub timing: Timing,
    /// Where processes wait for each other.
    #[serde(default)]
    pub barrier: BarrierAt,
}

/// In which order the places of a file are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// From the first record to the last.
    #[default]
    Sequential,
    /// Each place as likely as any other.
    Random,
    /// From the last record to the first (iozone -i 3).
    Reverse,
    /// Every `stride`-th record from the first one on, then every `stride`-th from the second one on, until all were
    /// visited (iozone -i 5).
    Strided,
    /// The first record again and again (iozone -i 4).
    Same,
}

/// What is done at each place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Files that are there are read.
    Read,
    /// New files are written.
    Write,
    /// Files that are there are overwritten.
    Rewrite,
    /// Files that are there are read and overwritten, each access by chance one or the other (fio's `rwmixread`).
    Mixed,
}

/// How a process goes through several files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum FileOrder {
    /// Through the first one to its end, then the next.
    #[default]
    OneAfterAnother,
    /// One access to each in turn (fio's `file_service_type=roundrobin`).
    RoundRobin,
    /// Each access to any of them, all equally likely, where the one before in that file ended
    /// (`file_service_type=random`).
    Random,
}

/// By which calls files are read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// pread and pwrite.
    #[default]
    System,
    /// fread and fwrite, through the C library's buffer.
    Stdio,
    /// Loads and stores in a mapping of the file (mmap). It is as long as its file, so new files are written by calls.
    Mapped,
}

/// When written data are made durable by a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// By no call.
    #[default]
    Never,
    /// Each file, when all passes are over (fio's `end_fsync`), or with `open_close = "each-file"` before it is closed.
    AtEnd,
    /// The file just written, after every so many writes of a process (fio's `fsync`); nothing at the end.
    Every(u64),
}

impl Durability {
    fn is_never(&self) -> bool {
        *self == Self::Never
    }
}

/// The call that makes written data durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FsyncCall {
    /// Data and metadata.
    #[default]
    Fsync,
    /// Data, and what is needed to find them.
    Fdatasync,
    /// msync with MS_SYNC, of a mapped file: does what fdatasync does.
    Msync,
}

/// What the measured time includes besides the accesses (and the calls of [`Durability::Every`] between them, which it
/// always includes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// Nothing (iozone without -e and -c).
    Accesses,
    /// The closing fsync (iozone -e; fio).
    #[default]
    WithFsync,
    /// The closing fsync, and closing the files (iozone -e -c).
    WithClose,
}

/// Where processes wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum BarrierAt {
    /// Nowhere.
    Never,
    /// Before the first measured access: the measured part begins at the same time in all.
    #[default]
    Start,
    /// Before each measured pass.
    Passes,
}

const fn one() -> u32 {
    1
}

const fn no_time() -> Draw<Duration> {
    Draw::constant(Amount::ZERO)
}

fn never_varies_from_zero(think: &Draw<Duration>) -> bool {
    *think == no_time()
}

fn is_no_time(time: &Duration) -> bool {
    *time == Duration::ZERO
}

fn is_false(value: &bool) -> bool {
    !*value
}

impl PatternParameters {
    /// Places and accesses of one file in one time through it.
    pub(super) fn places_and_accesses(&self) -> (u64, u64) {
        let (record, size) = (self.record.get(), self.file_size.get());
        let records = size.div_ceil(record);
        match self.alignment.map(Bytes::get) {
            Some(alignment) if alignment != record => {
                let places = (size - record) / alignment + 1;
                // Where the places are fewer than the records, each is visited once; otherwise as many as a file has
                // records.
                (places, if self.places_repeat() { records } else { records.min(places) })
            }
            _ => (records, records),
        }
    }

    /// One process that goes once through one file, sequentially, by system calls; everything else at its default.
    pub const fn new(operation: Access, record: Bytes, file_size: Bytes) -> Self {
        Self {
            pattern: Pattern::Sequential,
            operation,
            read_share: None,
            share_by_process: false,
            record,
            file_size,
            stride: None,
            alignment: None,
            repetition: false,
            popularity: None,
            processes: 1,
            files: 1,
            file_order: FileOrder::OneAfterAnother,
            operations: None,
            amount: None,
            passes: 1,
            warm_up_pass: false,
            cached: false,
            compute_time: Duration::ZERO,
            think_time: no_time(),
            starts_within: Duration::ZERO,
            interface: Interface::System,
            direct: false,
            sync: false,
            data_sync: false,
            append: false,
            shared_files: false,
            fsync: Durability::Never,
            fsync_call: FsyncCall::Fsync,
            open_close: OpenClose::Never,
            timing: Timing::WithFsync,
            barrier: BarrierAt::Start,
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that no program can have, or that would be ignored.
    pub fn validate(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        let (record, size) = (self.record.get(), self.file_size.get());
        let counts = [
            ("record", record),
            ("file_size", size),
            ("processes", self.processes.into()),
            ("files", self.files.into()),
            ("passes", self.passes.into()),
            ("operations", self.operations.unwrap_or(1)),
            ("amount", self.amount.map_or(1, Bytes::get)),
            ("alignment", self.alignment.map_or(1, Bytes::get)),
            ("stride", self.stride.unwrap_or(1)),
        ];
        if let Some((parameter, _)) = counts.into_iter().find(|&(_, count)| count == 0) {
            return refuse(parameter, "it is zero");
        }
        // Offsets are signed 64-bit numbers in every system call.
        if size > i64::MAX as u64 {
            return refuse("file_size", "a file can't be longer than 8 EiB");
        }
        if record > size {
            let problem =
                format!("the record ({}) is larger than the file ({})", self.record, self.file_size);
            return Err(ProgramError::parameter("record", problem));
        }
        if self.operations.is_some() && self.amount.is_some() {
            return refuse("amount", "`operations` says already how many accesses a pass has");
        }
        self.only_where_it_means_something()?;
        self.thinking()?;
        if self.direct {
            // The smallest logical block of a device; open(2), O_DIRECT.
            let unaligned = [("record", self.record), ("file_size", self.file_size)]
                .into_iter()
                .chain(self.alignment.map(|alignment| ("alignment", alignment)))
                .find(|(_, bytes)| bytes.get() % 512 != 0);
            if let Some((parameter, bytes)) = unaligned {
                let problem = format!("{bytes} is no multiple of 512 B, which `direct` needs");
                return Err(ProgramError::parameter(parameter, problem));
            }
        }
        Ok(())
    }

    /// Whether a random place may come again before all others have come.
    pub(super) fn places_repeat(&self) -> bool {
        self.repetition || self.popularity.is_some()
    }

    /// Draws of the places of a file, where they are unequal; of parameters that are sound.
    pub(super) fn picker(&self) -> Option<PlacePicker> {
        let (places, _) = self.places_and_accesses();
        self.popularity.as_ref().and_then(|popularity| popularity.picker(places).ok())
    }

    /// How long a process rests after each access.
    pub(super) fn thinking(&self) -> Result<Thinking, ProgramError> {
        Thinking::of(&self.think_time)
    }

    /// What can't be done in a mapping.
    fn check_mapping(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        if self.interface != Interface::Mapped {
            return match self.fsync_call {
                FsyncCall::Msync => refuse("fsync_call", "msync is of files with `interface = \"mapped\"`"),
                _ => Ok(()),
            };
        }
        if self.operation == Access::Write {
            return refuse(
                "interface",
                "a mapping is as long as its file; overwrite files: `operation = \"rewrite\"`",
            );
        }
        let flags = [
            ("direct", self.direct),
            ("sync", self.sync),
            ("data_sync", self.data_sync),
            ("append", self.append),
        ];
        match flags.into_iter().find(|(_, set)| *set) {
            Some((flag, _)) => refuse(flag, "stores into a mapping are no calls that this could be said of"),
            None => Ok(()),
        }
    }

    fn only_where_it_means_something(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        match (self.pattern, self.stride) {
            (Pattern::Strided, None) => return refuse("stride", "a strided pattern needs one"),
            (Pattern::Strided, Some(_)) | (_, None) => {}
            _ => return refuse("stride", "only a strided pattern has one"),
        }
        match (self.operation, self.read_share) {
            (Access::Mixed, None) => return refuse("read_share", "a mixture needs one"),
            (Access::Mixed, Some(_)) | (_, None) => {}
            _ => return refuse("read_share", "only `operation = \"mixed\"` has one"),
        }
        if self.share_by_process && self.operation != Access::Mixed {
            return refuse("share_by_process", "only `operation = \"mixed\"` has a share of reads");
        }
        if self.pattern != Pattern::Random {
            if self.alignment.is_some() {
                return refuse("alignment", "only a random pattern has one");
            }
            if self.repetition {
                return refuse("repetition", "only a random pattern has places that may come again");
            }
            if self.popularity.is_some() {
                return refuse(
                    "popularity",
                    "only a random pattern has places that are more popular than others",
                );
            }
        }
        if let Some(popularity) = &self.popularity {
            let (places, _) = self.places_and_accesses();
            popularity.picker(places).map_err(|problem| ProgramError::parameter("popularity", problem))?;
        }
        if self.operation == Access::Read {
            if self.fsync != Durability::Never {
                return refuse("fsync", "nothing is written that could be made durable");
            }
            if self.sync || self.data_sync {
                let parameter = if self.sync { "sync" } else { "data_sync" };
                return refuse(parameter, "nothing is written that could be made durable");
            }
        }
        check_durability((self.fsync, self.fsync_call), (self.sync, self.data_sync))?;
        check_interface(self.direct, self.interface)?;
        self.check_mapping()?;
        if self.append && !matches!(self.operation, Access::Write | Access::Rewrite) {
            return refuse("append", "only writes go to a file's end");
        }
        if self.append && self.pattern != Pattern::Sequential {
            return refuse("append", "wherever a pattern leads, an appended record goes to the file's end");
        }
        if self.shared_files && self.processes == 1 {
            return refuse("shared_files", "there is one process");
        }
        if self.shared_files && self.open_close.happens() && self.operation == Access::Write {
            return refuse("shared_files", "with `open_close` each process would create the files anew");
        }
        if self.cached && self.operation == Access::Write {
            return refuse("cached", "a new file has nothing that could be in the cache");
        }
        if self.timing == Timing::WithClose && !self.open_close.happens() {
            return refuse("timing", "without `open_close` no file is closed");
        }
        Ok(())
    }
}
/// How data are made durable, by calls and by how a file is opened, where that contradicts itself.
pub(in crate::program) fn check_durability(
    (fsync, fsync_call): (Durability, FsyncCall),
    (sync, data_sync): (bool, bool),
) -> Result<(), ProgramError> {
    let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
    if fsync == Durability::Every(0) {
        return refuse("fsync", "every 0 writes; use \"never\" for none");
    }
    if fsync == Durability::Never && fsync_call != FsyncCall::Fsync {
        return refuse("fsync_call", "`fsync` is \"never\"");
    }
    if sync && data_sync {
        return refuse("data_sync", "`sync` includes it");
    }
    Ok(())
}

/// Accesses past the cache by a library that has a buffer of its own.
pub(in crate::program) fn check_interface(direct: bool, interface: Interface) -> Result<(), ProgramError> {
    if direct && interface == Interface::Stdio {
        let problem = "the C library's buffer isn't aligned as O_DIRECT needs it";
        return Err(ProgramError::parameter("direct", problem));
    }
    Ok(())
}
