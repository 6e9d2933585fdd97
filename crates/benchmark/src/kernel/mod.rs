//! The speed of the net kernel, beside hand-written event loops of the same systems.
//!
//! A net and its loop draw the same numbers from the same streams and keep the same tally, so that they give the same
//! answer to the last bit; what differs is what a net costs over code that can do nothing else. Both run in turns, and
//! medians are reported, because machines are noisy.

mod loops;
mod nets;

pub use loops::HandLoop;
use loops::SEED;

use petrio_kernel::{Net, NetError, RunError, Simulation};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use thiserror::Error;

/// Firings of each turn of a net.
pub const FIRINGS: u64 = 3_000_000;
/// Turns of each net and each loop.
const TURNS: usize = 7;

/// A system as a net and as a loop.
pub struct System {
    /// What it is.
    pub name: String,
    /// Firings that a job takes in the net.
    pub firings_per_job: u64,
    /// Firings before the first job.
    pub firings_before: u64,
    /// Builds the net.
    pub net: Box<dyn Fn() -> Result<Arc<Net>, NetError>>,
    /// Makes the loop.
    pub hand_loop: Box<dyn Fn() -> Box<dyn HandLoop>>,
    /// A figure of the net's run that [`HandLoop::answer`] must equal, and how many jobs are behind it.
    pub answer: fn(&Simulation) -> (u64, f64),
}

/// One row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct KernelSpeed {
    /// The system.
    pub system: String,
    /// Firings measured, all turns together.
    pub firings: u64,
    /// Millions of firings a second.
    pub million_firings_per_s: f64,
    /// Nanoseconds a firing.
    pub nanoseconds_per_firing: f64,
    /// Jobs a second in the net.
    pub jobs_per_s: f64,
    /// Jobs a second in the hand-written loop.
    pub hand_loop_jobs_per_s: f64,
    /// The net's jobs over the loop's.
    pub ratio: f64,
}

impl KernelSpeed {
    /// Headings of [`KernelSpeed::cells`].
    pub const HEADINGS: [&str; 7] =
        ["system", "firings", "M firings/s", "ns/firing", "jobs/s", "hand loop jobs/s", "ratio"];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.system.clone(),
            self.firings.to_string(),
            format!("{:.1}", self.million_firings_per_s),
            format!("{:.1}", self.nanoseconds_per_firing),
            format!("{:.0}", self.jobs_per_s),
            format!("{:.0}", self.hand_loop_jobs_per_s),
            format!("{:.2}", self.ratio),
        ]
    }
}

/// Why there is no figure; each is a bug.
#[derive(Debug, Error)]
pub enum KernelBenchError {
    /// A benchmark's net is wrong.
    #[error("a benchmark's net is wrong: {0}")]
    Net(#[from] NetError),
    /// A run failed.
    #[error("a benchmark's run failed: {0}")]
    Run(#[from] RunError),
}

/// All systems, in the order of the table.
pub fn systems() -> Vec<System> {
    let mut systems = vec![
        System {
            name: "M/M/1, net".into(),
            firings_per_job: 3,
            firings_before: 0,
            net: Box::new(nets::m_m_1),
            hand_loop: Box::new(|| Box::new(loops::OneServer::new("", "services"))),
            answer: nets::mean_sojourn,
        },
        System {
            name: "M/M/1, station".into(),
            firings_per_job: 2,
            firings_before: 0,
            net: Box::new(nets::m_m_1_station),
            hand_loop: Box::new(|| Box::new(loops::OneServer::new("station", "service"))),
            answer: nets::mean_sojourn,
        },
        System {
            name: "closed, 10 stations, 100 jobs".into(),
            firings_per_job: 1,
            firings_before: 0,
            net: Box::new(nets::closed),
            hand_loop: Box::new(|| Box::new(loops::Closed::new())),
            answer: nets::mean_sojourn,
        },
        System {
            name: "producer/consumer, buffer of 10".into(),
            firings_per_job: 3,
            firings_before: 0,
            net: Box::new(nets::producer_consumer),
            hand_loop: Box::new(|| Box::new(loops::ProducerConsumer::new())),
            answer: nets::mean_sojourn,
        },
    ];
    systems.extend([1_000, 10_000, 100_000, 1_000_000].map(|pending| System {
        name: format!("hold, {pending} pending"),
        firings_per_job: 1,
        firings_before: pending,
        net: Box::new(move || nets::hold(pending)),
        hand_loop: Box::new(move || Box::new(loops::Hold::new(pending))),
        answer: nets::clock,
    }));
    systems
}

/// Measures every system in turns of so many firings; `progress` is told each system's name before it runs.
///
/// # Errors
/// [`KernelBenchError`], which is a bug.
pub fn measure(firings: u64, progress: &mut dyn FnMut(&str)) -> Result<Vec<KernelSpeed>, KernelBenchError> {
    systems()
        .iter()
        .map(|system| {
            progress(&system.name);
            measure_one(system, firings)
        })
        .collect()
}

fn measure_one(system: &System, firings: u64) -> Result<KernelSpeed, KernelBenchError> {
    let net = (system.net)()?;
    let mut run = Simulation::new(&net, SEED, 0);
    let mut hand_loop = (system.hand_loop)();
    // A turn of everything pending, and of everything that is allocated once.
    let jobs = firings / system.firings_per_job;
    let warm_up = (system.firings_before * 3).max(firings / 4);
    run.run_firings(system.firings_before + warm_up)?;
    hand_loop.run(warm_up / system.firings_per_job);
    let (mut net_seconds, mut loop_seconds) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let began = Instant::now();
        run.run_firings(firings)?;
        net_seconds.push(began.elapsed().as_secs_f64());
        let began = Instant::now();
        hand_loop.run(jobs);
        loop_seconds.push(began.elapsed().as_secs_f64());
    }
    let (net_seconds, loop_seconds) = (median(net_seconds), median(loop_seconds));
    let jobs_per_s = jobs as f64 / net_seconds;
    let hand_loop_jobs_per_s = jobs as f64 / loop_seconds;
    Ok(KernelSpeed {
        system: system.name.clone(),
        firings: firings * TURNS as u64,
        million_firings_per_s: firings as f64 / net_seconds / 1e6,
        nanoseconds_per_firing: net_seconds * 1e9 / firings as f64,
        jobs_per_s,
        hand_loop_jobs_per_s,
        ratio: jobs_per_s / hand_loop_jobs_per_s,
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Otherwise the comparison would be one of two different systems.
    #[test]
    fn net_and_loop_give_the_same_answer_to_the_last_bit() {
        for system in systems().iter().filter(|system| system.firings_before <= 10_000) {
            let net = (system.net)().unwrap();
            let mut run = Simulation::new(&net, SEED, 0);
            run.run_firings(system.firings_before + 60_000).unwrap();
            let (jobs, answer) = (system.answer)(&run);
            let jobs = jobs - system.firings_before;
            assert!(jobs >= 60_000 / system.firings_per_job - 100, "{}: {jobs} jobs", system.name);
            let mut hand_loop = (system.hand_loop)();
            hand_loop.run(jobs);
            assert_eq!(hand_loop.answer(), answer, "{}", system.name);
        }
    }

    #[test]
    fn rows_have_a_cell_for_each_heading() {
        let system = &systems()[0];
        let row = measure_one(system, 3_000).unwrap();
        assert_eq!(row.cells().len(), KernelSpeed::HEADINGS.len());
        assert_eq!(row.firings, 3_000 * TURNS as u64);
        assert!(row.ratio > 0.0 && row.ratio.is_finite());
    }
}
