//! What is told of an execution beside what storage did.

use crate::ranks::RankTold;
use petrio_kernel::Watch;
use petrio_time::Time;
use std::collections::BTreeMap;

/// What the program did, counted.
#[derive(Debug, Default)]
pub struct Told {
    /// Whether it is still wanted.
    pub(crate) watch: Watch,
    /// Calls that were seen, by the kernel's names.
    pub calls: BTreeMap<&'static str, u64>,
    /// What its threads computed, all together.
    pub computed: Time,
    /// How many processes and threads there were, and how many threads at one time at most.
    pub processes: u64,
    /// How often one became another program.
    pub programs: u64,
    /// Threads, the first of each process among them.
    pub threads: u64,
    /// At one time.
    pub most_threads: usize,
    /// Further threads that were refused.
    pub refused_threads: u64,
    /// Files of the simulated storage that were mapped into memory, whose pages are read and written unseen; and their bytes.
    pub mapped: (u64, u64),
    /// Reads of the host's files, which cost nothing, and their bytes.
    pub host_reads: (u64, u64),
    /// Writes that were refused because there was no more room for them.
    pub no_room: u64,
    /// Calls that the simulated file system had no room for.
    pub volume_full: u64,
    /// Calls that failed as the simulated device did.
    pub device_failures: u64,
    /// Writes that were refused because the disk of the scratch directory is full.
    pub scratch_full: u64,
    /// How often somebody computed for so long that who came first couldn't be known.
    pub uncertain: u64,
    /// Calls of MPI that aren't followed, by their names.
    pub unseen: BTreeMap<String, u64>,
    /// Timers that go by the real clock.
    pub real_timers: u64,
    /// What ranks of MPI did: the job's number, in the order in which jobs begin, and the rank's.
    pub ranks: BTreeMap<(u32, u32), RankTold>,
    /// How late its calls returned by the machine's clock, where that is the program's: the median, and of 99 of 100 at most,
    /// microseconds.
    pub late: Option<(u64, u64)>,
    /// Its exit code, once it has ended.
    pub code: Option<i32>,
    /// Why it couldn't go on, where it couldn't.
    pub failed: Option<String>,
    /// Whether that is because this machine lacks what executing needs, or withholds it.
    pub is_of_machine: bool,
}
