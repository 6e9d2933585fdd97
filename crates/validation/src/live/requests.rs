//! A micro-benchmark on one disk: chunks of 1 to 16 blocks, the next 0 to 32 blocks behind, simulated and on the same disk emulated.
//!
//! Source of the load: the validation of ParIOSim's single disk (chunks of 1, 2, 4, 8 and 16 blocks, distances of 1 to 32 blocks, 1,000
//! requests); of its blocks the size isn't told, and they are of 4 KiB here.

use super::bed::{Bed, BedError, Emulated, Served};
use super::direct::{Aligned, DIRECT};
use crate::verdict::Judged;
use petrio_colours::{BlockRequest, Direction, SECTOR_BYTES};
use petrio_engine::{Engine, EngineError};
use petrio_kernel::Time;
use petrio_random::{generator, uniform_below};
use petrio_scenario::{Problems, load_text};
use petrio_units::numbers::{as_index, as_number};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::Instant;
use thiserror::Error;

/// A block of the benchmark.
const BLOCK_BYTES: u64 = 4_096;
/// Blocks of a chunk.
const CHUNKS: [u64; 5] = [1, 2, 4, 8, 16];
/// Blocks between one and the next.
const DISTANCES: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];
/// Requests that follow each other, before it goes on elsewhere: so many of all are contiguous or nearly.
const RUN: u32 = 4;
/// By how much the means may differ.
const PERCENT: f64 = 3.0;

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum RequestsError {
    /// The disk can't be emulated.
    #[error(transparent)]
    Bed(#[from] BedError),
    /// It makes no scenario.
    #[error("{0}")]
    Scenario(Box<Problems>),
    /// It can't be built.
    #[error(transparent)]
    Run(Box<petrio_scenario::run::RunFailure>),
    /// It can't be simulated.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A request failed.
    #[error("a request failed: {0}")]
    Failed(#[from] io::Error),
}

/// A load on the disk, simulated and emulated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestsRow {
    /// Reads, or writes that are on the medium before they are reported.
    pub direction: &'static str,
    /// How many.
    pub requests: u32,
    /// The mean time of one, simulated, in ms.
    pub simulated_ms: f64,
    /// On the disk that is emulated, as the program saw it.
    pub emulated_ms: f64,
    /// The emulated over the simulated, less one, per cent.
    pub error_percent: f64,
    /// Whether the emulation was on time.
    pub on_time: bool,
}

impl RequestsRow {
    /// By its bound.
    pub fn judged(&self) -> Judged {
        let what = format!(
            "{} {}, one after the other: {:.3} ms emulated, {:.3} ms simulated{}",
            self.requests,
            self.direction,
            self.emulated_ms,
            self.simulated_ms,
            super::void(self.on_time)
        );
        Judged::percent(what, if self.on_time { self.error_percent } else { f64::NAN }, PERCENT, None)
    }
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    offset: u64,
    length: u64,
}

/// The requests of a load.
fn accesses(count: u32, size: u64, seed: u64) -> Vec<Access> {
    let mut random = generator(seed, 0, "requests", "micro-benchmark");
    let blocks = size / BLOCK_BYTES;
    let (mut chunk, mut distance, mut at) = (1, 0, 0);
    let mut all = Vec::new();
    for number in 0..count {
        if number % RUN == 0 {
            let mut drawn = |among: &[u64]| among[as_index(uniform_below(&mut random, among.len() as u64))];
            (chunk, distance) = (drawn(&CHUNKS), drawn(&DISTANCES));
            at = uniform_below(&mut random, blocks - u64::from(RUN) * 48);
        }
        all.push(Access { offset: at * BLOCK_BYTES, length: chunk * BLOCK_BYTES });
        at += chunk + distance;
    }
    all
}

/// Reads and writes of a disk of the catalogue, one after the other.
///
/// # Errors
/// As of [`RequestsError`].
pub fn compare(drive: &str, count: u32, seed: u64) -> Result<Vec<RequestsRow>, RequestsError> {
    let text = format!(
        "title = \"one disk\"\nseed = {seed}\n[disk.d]\nmodel = \"{drive}\"\n[workload.w]\nkind = \"synthetic\"\non = \"d\"\n\
         requests = 1\ngenerators = [ {{ read_fraction = 1, inter_arrival = {{ constant = \"0 s\" }}, size = {{ constant = \"4 KiB\" }} }} ]\n"
    );
    let mut rows = Vec::new();
    for writes in [false, true] {
        let loaded = load_text("one-disk.toml", &text, None, &[])
            .map_err(|problems| RequestsError::Scenario(Box::new(problems)))?;
        let parts = loaded.emulated(&[0]).map_err(|error| RequestsError::Run(Box::new(error)))?;
        let size = parts.devices.first().map_or(0, |device| device.blocks * SECTOR_BYTES);
        let all = accesses(count, size, seed);
        let late = |(_, emulated, _): &(f64, Emulated, Vec<Time>)| (emulated.late, emulated.requests);
        let (emulated_ms, emulated, gaps) = super::on_time(|| emulated(&text, size, &all, writes), late)?;
        let mut engine = Engine::new(&parts.driven, seed, 0);
        let simulated_ms = simulated(&mut engine, &all, writes, &gaps)?;
        rows.push(RequestsRow {
            direction: if writes { "synchronous writes" } else { "reads" },
            requests: count,
            simulated_ms,
            emulated_ms,
            error_percent: (emulated_ms / simulated_ms - 1.0) * 100.0,
            on_time: emulated.valid,
        });
    }
    Ok(rows)
}

/// The mean time of a request, and of the flush behind a write, in ms; before each of them the program and its kernel take as long as
/// they did.
fn simulated(engine: &mut Engine, all: &[Access], writes: bool, gaps: &[Time]) -> Result<f64, RequestsError> {
    let program = engine.program(0)?;
    let mut now = Time::ZERO;
    let mut gaps = gaps.iter().copied();
    for Access { offset, length } in all {
        let mut asked = vec![BlockRequest {
            direction: if writes { Direction::Write } else { Direction::Read },
            address: offset / SECTOR_BYTES,
            blocks: as_number(length / SECTOR_BYTES),
            synchronous: true,
            ..BlockRequest::default()
        }];
        if writes {
            asked.push(BlockRequest { direction: Direction::Flush, blocks: 0, ..asked[0].clone() });
        }
        for request in asked {
            now = now.saturating_add(gaps.next().unwrap_or_default());
            engine.submit(program, request, now)?;
            now = engine.advance(Time::NEVER)?.last().map_or(now, |done| done.at);
        }
    }
    Ok(now.as_millis() / all.len().max(1) as f64)
}

fn emulated(
    text: &str,
    size: u64,
    all: &[Access],
    writes: bool,
) -> Result<(f64, Emulated, Vec<Time>), RequestsError> {
    let bed = Bed::start(text, ("d", size), |_| Ok(()))?;
    // Past the page cache: the kernel then asks for each as it stands.
    let file = OpenOptions::new().read(true).write(writes).custom_flags(DIRECT).open(bed.file())?;
    let mut buffer = Aligned::of(as_index(BLOCK_BYTES * CHUNKS[CHUNKS.len() - 1]));
    let begin = Instant::now();
    for Access { offset, length } in all {
        let bytes = &mut buffer.bytes()[..as_index(*length)];
        if writes {
            file.write_all_at(bytes, *offset)?;
            file.sync_data()?;
        } else {
            file.read_exact_at(bytes, *offset)?;
        }
    }
    let mean_ms = begin.elapsed().as_secs_f64() * 1e3 / all.len().max(1) as f64;
    drop(file);
    let (emulated, served) = bed.end_with_requests()?;
    Ok((mean_ms, emulated, gaps(&served)))
}

/// How long nothing was asked before each request, from the end of the one before.
fn gaps(served: &[Served]) -> Vec<Time> {
    let ends = served.iter().map(|request| request.arrived.saturating_add(request.took));
    let ends = std::iter::once(Time::ZERO).chain(ends);
    served.iter().zip(ends).map(|(request, end)| request.arrived.saturating_sub(end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_lie_on_the_disk_and_a_run_of_them_follows_itself() {
        let all = accesses(1_000, 1 << 30, 1);
        assert_eq!(all.len(), 1_000);
        assert!(all.iter().all(|access| access.offset + access.length <= 1 << 30));
        for run in all.chunks(as_index(u64::from(RUN))) {
            let step = run[1].offset - run[0].offset;
            assert!(run.windows(2).all(|pair| pair[1].offset - pair[0].offset == step));
            assert!(step >= run[0].length);
        }
        assert!(CHUNKS.iter().all(|chunk| all.iter().any(|access| access.length == chunk * BLOCK_BYTES)));
    }
}
