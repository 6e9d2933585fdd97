//! The experiments of the dissertation's chapters 3.3 and 7, with verdicts on what it found.
//!
//! Its curves are pictures without numbers, of machines that can't be had: what is compared is what it says of them. Its
//! servers have RAID 5 of five disks; here the four that hold data are striped, so that parity costs nothing.

use super::error::PvfsGridError;
use super::measured::Moves;
use crate::verdict::Judged;
use petrio_colours::FileOp;
use petrio_kernel::Time;
use petrio_scenario::build::System;
use petrio_scenario::report::{ReportError, RequestSink, Sinks};
use petrio_scenario::run::simulate;
use petrio_scenario::{Override, load_text};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

const CLUSTER: &str = include_str!("dissertation.toml");

/// Blocks of figures 55 to 70, KiB.
pub const BLOCKS_KIB: [u64; 9] = [8, 16, 32, 64, 128, 256, 512, 1_024, 2_048];
/// Most clients of figures 55 to 70.
pub const MOST_CLIENTS: u32 = 8;
/// Sizes of files of figures 17 and 18, KiB: 4 KiB to 1 GiB.
pub const FILES_KIB: [u64; 10] = [4, 16, 64, 256, 1_024, 2_048, 4_096, 16_384, 131_072, 1_048_576];
/// What each client of figures 55 to 70 moves, KiB.
const FILE_KIB: u64 = 32 << 10;

/// A run of the dissertation's cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Experiment {
    /// Clients.
    pub clients: u32,
    /// Servers.
    pub servers: u32,
    /// Which way data move.
    pub moves: Moves,
    /// Bytes of a call, KiB.
    pub block_kib: u64,
    /// Bytes of each client's file, KiB.
    pub file_kib: u64,
    /// Whether the receive queue costs more, the longer it is.
    pub linear: bool,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Which.
    pub experiment: Experiment,
    /// KB (1024 bytes) a second of each client, in order.
    pub kb_per_s: Vec<f64>,
}

impl Outcome {
    /// The mean of the clients.
    pub fn mean(&self) -> f64 {
        self.kb_per_s.iter().sum::<f64>() / self.kb_per_s.len().max(1) as f64
    }
}

/// All experiments.
fn experiments() -> Vec<Experiment> {
    let of = |clients, servers, moves, block_kib, file_kib, linear| Experiment {
        clients,
        servers,
        moves,
        block_kib,
        file_kib,
        linear,
    };
    let mut all = Vec::new();
    for moves in [Moves::Read, Moves::Write] {
        for clients in 1..=MOST_CLIENTS {
            all.extend(BLOCKS_KIB.map(|block| of(clients, 4, moves, block, FILE_KIB, true)));
        }
        // Against one server, and with a queue of constant cost.
        all.extend([4, 8].map(|clients| of(clients, 1, moves, 256, FILE_KIB / 4, true)));
        all.extend([8, 2_048].map(|block| of(MOST_CLIENTS, 4, moves, block, FILE_KIB, false)));
        all.extend(FILES_KIB.map(|file| of(1, 4, moves, file.min(2_048), file, true)));
    }
    all
}

/// Runs all of them. `progress` is told how many of how many are done.
///
/// # Errors
/// A run that fails: a bug.
pub fn chapter_seven(progress: &mut (dyn FnMut(usize, usize) + Send)) -> Result<Vec<Outcome>, PvfsGridError> {
    let all = experiments();
    let count = all.len();
    let told = Mutex::new((0, progress));
    all.into_par_iter()
        .map(|experiment| {
            let outcome = run(&experiment);
            if let Ok(mut told) = told.lock() {
                told.0 += 1;
                let done = told.0;
                (told.1)(done, count);
            }
            outcome
        })
        .collect()
}

fn run(experiment: &Experiment) -> Result<Outcome, PvfsGridError> {
    let Experiment { clients, servers, moves, block_kib, file_kib, linear } = *experiment;
    let waiting = if linear { "2 us" } else { "0 us" };
    let set = [
        ("host.client.count", clients.to_string()),
        ("host.server.count", servers.to_string()),
        ("workload.w.operation", format!("\"{}\"", moves.word())),
        ("workload.w.record", format!("\"{block_kib} KiB\"")),
        ("workload.w.file_size", format!("\"{file_kib} KiB\"")),
        ("pvfs.work.receive_queue.waiting", format!("\"{waiting}\"")),
    ];
    let mut overrides: Vec<Override> = set.iter().map(|(path, value)| Override::new(path, value)).collect();
    if moves == Moves::Read {
        // What was written before is in the servers' memory, as iozone finds it.
        overrides.push(Override::new("workload.w.cached", "true"));
    }
    let loaded = load_text("the dissertation's cluster", CLUSTER, None, &overrides)?;
    let system = System::build(&loaded)?;
    let clients = Clients::default();
    let mut sinks = Sinks::default();
    sinks.push(clients.clone());
    simulate(&loaded, &system, sinks)?;
    let told = clients.0.lock().unwrap_or_else(PoisonError::into_inner);
    let rate = |&(bytes, last): &(u64, Time)| bytes as f64 / 1024.0 / last.as_seconds();
    Ok(Outcome { experiment: *experiment, kb_per_s: told.values().map(rate).collect() })
}

/// Bytes that each process has moved, and when it ended.
#[derive(Clone, Debug, Default)]
struct Clients(Arc<Mutex<BTreeMap<u32, (u64, Time)>>>);

impl RequestSink<FileOp> for Clients {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = told.entry(op.process).or_default();
        *of = (of.0 + op.length, at);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// What is missing, or nothing; what is no number stays none, so that nothing holds of what wasn't run.
fn short(missing: f64) -> f64 {
    if missing <= 0.0 { 0.0 } else { missing }
}

/// What the dissertation found, judged. Each is how far it is missed, in per cent.
pub fn findings(outcomes: &[Outcome]) -> Vec<Judged> {
    let find = |wanted: &dyn Fn(&Experiment) -> bool| {
        outcomes.iter().find(|outcome| wanted(&outcome.experiment)).map_or(f64::NAN, Outcome::mean)
    };
    let grid = |clients: u32, moves: Moves, block: u64| {
        find(&|one| {
            (one.clients, one.servers, one.moves, one.block_kib, one.file_kib, one.linear)
                == (clients, 4, moves, block, FILE_KIB, true)
        })
    };
    let missing = |what: String, share: f64, least: f64| {
        Judged::percent(what, short((least - share) * 100.0), 0.0, None)
    };
    let mut judged = Vec::new();
    for moves in [Moves::Read, Moves::Write] {
        let word = moves.word();
        // The curves of an experiment's clients lie together.
        let apart = |clients: u32| {
            let of = |outcome: &Outcome| {
                let most = outcome.kb_per_s.iter().copied().fold(0.0, f64::max);
                let least = outcome.kb_per_s.iter().copied().fold(f64::INFINITY, f64::min);
                (most - least) / outcome.mean() * 100.0
            };
            let wanted = |one: &Experiment| (one.clients, one.servers, one.moves) == (clients, 4, moves);
            let found = outcomes.iter().filter(|outcome| wanted(&outcome.experiment));
            found.map(of).fold(0.0, f64::max)
        };
        let what = format!("{word}s: the curves of up to three clients lie together, at the worst block");
        judged.push(Judged::percent(what, apart(2).max(apart(3)), 10.0, None));
        let large = grid(8, moves, 1_024) / grid(1, moves, 1_024);
        let what = format!("{word}s: the stress of eight clients shows in blocks of 1 MiB");
        judged.push(Judged::percent(what, short((large - 0.8) * 100.0), 0.0, None));
        for clients in [4, 8] {
            let one = find(&|one| (one.clients, one.servers, one.moves) == (clients, 1, moves));
            let four = grid(clients, moves, 256);
            let what =
                format!("{word}s: {clients} clients on four servers are at least twice as fast as on one");
            judged.push(missing(what, four / one / 2.0, 1.0));
        }
        let slowed = |block: u64| {
            let constant = find(&|one| {
                (one.clients, one.servers, one.moves, one.block_kib, one.linear)
                    == (MOST_CLIENTS, 4, moves, block, false)
            });
            constant / grid(MOST_CLIENTS, moves, block)
        };
        if moves == Moves::Write {
            let what = "writes: a queue of linear cost slows blocks of 8 KiB more than of 2 MiB".to_owned();
            judged.push(missing(what, slowed(8) / slowed(2_048), 1.0));
            let what = "writes: a file of 64 KiB has less than half of the rate of one of 16 MiB".to_owned();
            let file = |kib: u64| find(&|one| (one.clients, one.moves, one.file_kib) == (1, moves, kib));
            judged.push(Judged::percent(what, short((file(64) / file(16_384) - 0.5) * 100.0), 0.0, None));
        }
        let file = |kib: u64| find(&|one| (one.clients, one.moves, one.file_kib) == (1, moves, kib));
        let what = format!("{word}s: a file of 2 MiB has nearly the rate of one of 16 MiB");
        judged.push(missing(what, file(2_048) / file(16_384), 0.8));
    }
    judged
}
