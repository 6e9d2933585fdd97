//! The experiments of the dissertation's chapters 3.3 and 7.
//!
//! Its curves are pictures without numbers, of machines that can't be had: what is compared is what it says of them. Its
//! servers have RAID 5 of five disks (its table 3 and section 3.3.1), and so have these.
//!
//! Processes wake up after a random time, so each experiment is run with several seeds, as its simulations were "run
//! several times" (7.3).

use super::error::PvfsGridError;
use super::measured::Moves;
use super::outcome::{Clients, Outcome};
use crate::side_by_side::{Progress, Set, quoted, side_by_side, simulated};
use petrio_scenario::report::Sinks;
use petrio_units::numbers::{as_index, nearest_whole};
use serde::Serialize;
use std::collections::BTreeSet;

const CLUSTER: &str = include_str!("dissertation.toml");

/// Blocks of figures 55 to 70, KiB.
pub const BLOCKS_KIB: [u64; 9] = [8, 16, 32, 64, 128, 256, 512, 1_024, 2_048];
/// Most clients of figures 55 to 70.
pub const MOST_CLIENTS: u32 = 8;
/// Servers of figures 17, 18 and 55 to 70.
pub const SERVERS: u32 = 4;
/// Clients, and servers, of clusters of all sizes.
pub const COUNTS: [u32; 4] = [1, 2, 4, 8];
/// Block of clusters of all sizes, KiB: 97.95 % of what the dissertation saw was large and sequential.
pub(super) const CLUSTER_BLOCK_KIB: u64 = 1_024;
/// Sizes of files of figures 17 and 18, KiB: 4 KiB to 1 GiB, and 2 MiB, from which on rates are said to be at their peak.
pub(super) const FILES_KIB: [u64; 11] =
    [4, 16, 64, 256, 1_024, 2_048, 4_096, 16_384, 65_536, 262_144, 1_048_576];
/// Blocks of figures 17 and 18, KiB: 4 KiB to 16 MiB.
pub(super) const RECORDS_KIB: [u64; 7] = [4, 16, 64, 256, 1_024, 4_096, 16_384];
/// What each client of figures 55 to 70 moves, KiB.
const FILE_KIB: u64 = 16 << 10;
/// What all runs of an experiment move for each client, KiB, where that isn't more than ten runs.
const RUNS_KIB: u64 = 80 << 10;
/// What a client writes before its time is taken, KiB: a stripe on each of four servers.
const ROUND_KIB: u64 = 256;
/// What a piece costs that waits in the receive queue, µs, in the cluster's scenario.
const SEARCH_US: u64 = 2;
/// The same where it costs so much that it shows, µs.
pub(super) const SLOW_SEARCH_US: u64 = 60;
/// Drives of a server (3.3.1).
const DRIVES: u32 = 5;
/// Memory of a server, MiB (table 3).
const MEMORY_MIB: u64 = 4_096;
/// Memory of a server where files are to reach it, MiB: a cliff needs files as large as memory, and not that they are large.
pub(super) const SMALL_MEMORY_MIB: u64 = 64;
/// What all clients' files have there of the servers' memory, of one.
pub(super) const OF_MEMORY: [f64; 5] = [0.25, 0.5, 1.0, 1.5, 2.0];
/// Block of these files, KiB.
const CLIFF_BLOCK_KIB: u64 = 256;
/// Blocks for which receive queues are compared, KiB.
pub(super) const QUEUE_BLOCKS_KIB: [u64; 5] = [8, 32, 128, 512, 2_048];

/// A run of the dissertation's cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Experiment {
    /// Which way data move.
    pub moves: Moves,
    /// Clients.
    pub clients: u32,
    /// Servers.
    pub servers: u32,
    /// Bytes of a call, KiB.
    pub block_kib: u64,
    /// Bytes of each client's file, KiB.
    pub file_kib: u64,
    /// What each piece that waits in the receive queue adds to the cost of taking one, µs: none where it is constant.
    pub waiting_us: u64,
    /// Memory of each server, MiB.
    pub memory_mib: u64,
    /// Drives of each server: five in RAID 5, or one.
    pub drives: u32,
}

impl Experiment {
    /// A point of figures 55 to 70.
    pub const fn of(moves: Moves, clients: u32, block_kib: u64) -> Self {
        Self {
            moves,
            clients,
            servers: SERVERS,
            block_kib,
            file_kib: FILE_KIB,
            waiting_us: SEARCH_US,
            memory_mib: MEMORY_MIB,
            drives: DRIVES,
        }
    }

    /// So many clients who read files again that together have so much of the servers' memory, of one (3.3.3).
    pub fn beyond_memory(clients: u32, of_memory: f64) -> Self {
        let memory_kib = (SMALL_MEMORY_MIB << 10) * u64::from(SERVERS);
        let file_kib = nearest_whole(memory_kib as f64 * of_memory / f64::from(clients));
        let file_kib = file_kib.next_multiple_of(CLIFF_BLOCK_KIB);
        Self { file_kib, memory_mib: SMALL_MEMORY_MIB, ..Self::of(Moves::Read, clients, CLIFF_BLOCK_KIB) }
    }

    /// The same where each server has one drive instead of its array.
    #[must_use]
    pub const fn on_one_drive(self) -> Self {
        Self { drives: 1, ..self }
    }

    /// Whether what is read was read before, and lies in the servers' memory as far as that goes; else all of it lies there.
    const fn is_read_again(&self) -> bool {
        self.memory_mib != MEMORY_MIB
    }

    /// So many clients on so many servers.
    pub const fn cluster(moves: Moves, clients: u32, servers: u32) -> Self {
        Self { servers, ..Self::of(moves, clients, CLUSTER_BLOCK_KIB) }
    }

    /// The same where each piece that waits costs so much, µs.
    #[must_use]
    pub const fn searched(self, waiting_us: u64) -> Self {
        Self { waiting_us, ..self }
    }

    /// A point of figures 17 and 18: one client's file of that size.
    pub const fn file(moves: Moves, file_kib: u64, block_kib: u64) -> Self {
        Self { file_kib, ..Self::of(moves, 1, block_kib) }
    }

    /// With how many seeds it is run: the less it moves, the more a single wake-up matters.
    pub fn seeds(&self) -> u64 {
        RUNS_KIB.div_ceil(self.file_kib).clamp(1, 10)
    }

    /// Whether each client writes a file before the one that counts: where a file is small, the round of
    /// [`Self::before_kib`] would be most of it.
    fn has_file_before(&self) -> bool {
        self.moves == Moves::Write && self.clients == 1 && self.file_kib <= FILE_KIB
    }

    /// What a client writes before its time is taken, KiB. The first write to a server reads a bitmap of its file system
    /// from the disk (4.3 ms), which in the dissertation the file before had done.
    fn before_kib(&self) -> u64 {
        match self.moves {
            Moves::Read => 0,
            Moves::Write if self.has_file_before() => self.file_kib,
            Moves::Write => ROUND_KIB,
        }
    }

    /// What is set for it in the scenario.
    pub(super) fn set(&self, seed: u64) -> Vec<Set> {
        let Self { clients, servers, moves, block_kib, file_kib, waiting_us, memory_mib, drives } = *self;
        let mut set = vec![
            ("seed", seed.to_string()),
            ("host.client.count", clients.to_string()),
            ("host.server.count", servers.to_string()),
            ("workload.w.operation", quoted(moves.word())),
            ("workload.w.record", quoted(format!("{block_kib} KiB"))),
            ("workload.w.file_size", quoted(format!("{file_kib} KiB"))),
            ("pvfs.work.receive_queue.waiting", quoted(format!("{waiting_us} us"))),
        ];
        if self.has_file_before() {
            set.push(("workload.w.files", "2".to_owned()));
        }
        if clients == 1 {
            // Its frames share no link with another client's, so they may go in trains, which take less time to simulate.
            set.push(("network.lan.train", quoted("64 KiB")));
        }
        if drives != DRIVES {
            set.push(("host.server.disk.d.count", drives.to_string()));
            set.push(("host.server.fs.data.on", quoted("d")));
            set.push(("host.server.raid", "{}".to_owned()));
        }
        if self.is_read_again() {
            set.push(("host.server.memory", quoted(format!("{memory_mib} MiB"))));
            set.push(("workload.w.warm_up_pass", "true".to_owned()));
        } else if moves == Moves::Read {
            // What was written before is in the servers' memory, as iozone finds it.
            set.push(("workload.w.cached", "true".to_owned()));
        }
        set
    }
}

/// All experiments.
pub(super) fn experiments() -> BTreeSet<Experiment> {
    let mut all = BTreeSet::new();
    for moves in [Moves::Read, Moves::Write] {
        for block in BLOCKS_KIB {
            all.extend((1..=MOST_CLIENTS).map(|clients| Experiment::of(moves, clients, block)));
        }
        for clients in COUNTS {
            all.extend(COUNTS.map(|servers| Experiment::cluster(moves, clients, servers)));
        }
        for file in FILES_KIB {
            let fits = |&&record: &&u64| record <= file;
            all.extend(RECORDS_KIB.iter().filter(fits).map(|&record| Experiment::file(moves, file, record)));
        }
    }
    for clients in [1, MOST_CLIENTS] {
        all.extend(OF_MEMORY.map(|of_memory| Experiment::beyond_memory(clients, of_memory)));
    }
    all.extend(OF_MEMORY.map(|part| Experiment::beyond_memory(MOST_CLIENTS, part).on_one_drive()));
    for block in QUEUE_BLOCKS_KIB {
        all.extend(
            [0, SLOW_SEARCH_US].map(|us| Experiment::of(Moves::Write, MOST_CLIENTS, block).searched(us)),
        );
    }
    all
}

/// Runs all of them. `progress` is told how many of how many runs are done.
///
/// # Errors
/// A run that fails: a bug.
pub fn chapter_seven(progress: &mut Progress<'_>) -> Result<Vec<Outcome>, PvfsGridError> {
    outcomes(&experiments(), progress)
}

/// Runs these.
pub(super) fn outcomes(
    experiments: &BTreeSet<Experiment>,
    progress: &mut Progress<'_>,
) -> Result<Vec<Outcome>, PvfsGridError> {
    let runs: Vec<(Experiment, u64)> = (experiments.iter())
        .flat_map(|&experiment| (1..=experiment.seeds()).map(move |seed| (experiment, seed)))
        .collect();
    let mut rates = side_by_side(&runs, progress, |(experiment, seed)| run(experiment, *seed))?.into_iter();
    let of = |&experiment: &Experiment| {
        let runs = rates.by_ref().take(as_index(experiment.seeds())).collect();
        Outcome { experiment, bytes_per_s: runs }
    };
    Ok(experiments.iter().map(of).collect())
}

/// Each client's rate, bytes a second.
pub(super) fn run(experiment: &Experiment, seed: u64) -> Result<Vec<f64>, PvfsGridError> {
    rates(experiment, &experiment.set(seed))
}

/// The same with these values set.
pub(super) fn rates(experiment: &Experiment, set: &[Set]) -> Result<Vec<f64>, PvfsGridError> {
    let clients = Clients::after(experiment.before_kib() << 10);
    let mut sinks = Sinks::default();
    sinks.push(clients.clone());
    simulated(("the dissertation's cluster", CLUSTER), None, set, sinks)?;
    Ok(clients.bytes_per_s())
}
