//! Beside a live system: what iostat, sar, node_exporter or a table tell of disks over time, beside what a scenario's disks do with such a load.
//!
//! ```text
//!  measured:FILE ─ OverTime ─ intervals of a device ─ bins of load ─┐
//!                                                                   ├─ bin by bin ─▶ residuals ─▶ where they part
//!  SCENARIO ─ the disk alone ─ each bin's load, replicated ─────────┘
//!                   └─ its parameters, fitted to every second interval ─▶ patch, tried on the others
//! ```
//!
//! A live system isn't told what to do, so that what is compared is how long requests take at the load that there was. The disk is run alone:
//! what is measured is what reached it. Intervals are put in bins by their requests a second, and each bin is run with its mean load.
//!
//! Left out: where requests lie (taken to be anywhere on the disk), how sizes vary around an interval's mean, and load that changes within an
//! interval; [`Arrivals`] says how requests are taken to come.

mod bins;
mod calibrate;
mod keys;
mod matching;
mod page;
mod parting;
mod patch;
mod read;
mod rig;
mod solve;
mod text;

pub use bins::{Point, PointOf};
pub use calibrate::{Calibration, Fitted, NotFitted, OnHeldOut};
pub use page::{over_time_page, write_over_time_html};
pub use parting::{Part, Parting};
pub use patch::patch_text;
pub use read::{OverTimeSource, is_over_time};
pub use text::over_time_text;

use super::entrant::{Entrant, Origin, entrants};
use super::error::CompareError;
use super::note::{Note, NoteClaim};
use super::run::{CompareProgress, OnStep};
use super::{Question, one_seed};
use bins::Bins;
use petrio_scenario::{Loaded, PlacedDisk};
use petrio_workload::over_time::{DeviceOverTime, Interval};
use rig::Rig;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// How requests are taken to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// Whenever they like (a Poisson process), but for intervals in which the device was hardly ever without: these as `Closed`.
    #[default]
    Poisson,
    /// By as many processes as had requests under way, each of which waits for its own and then thinks for as long as it must to ask as often
    /// as was measured.
    Closed,
}

/// What is asked beyond what every comparison is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverTimeQuestion {
    /// How long intervals are where the measurement doesn't say it, seconds.
    pub interval_s: Option<f64>,
    /// Which measured device is which disk of the scenario; of those left out by their names, or the only ones.
    pub disks: Vec<(String, String)>,
    /// Predictions that are off by more than this part are said to part from what was measured; left out, [`WITHIN`].
    pub within: Option<f64>,
    /// How requests come.
    pub arrivals: Arrivals,
    /// How many requests each replication of a bin has; left out, [`REQUESTS`].
    pub requests: Option<u64>,
    /// Whether the disks' parameters are fitted.
    pub calibrate: bool,
}

/// A tenth: a prediction that is nearer is within what repeated measurements of a disk differ by.
pub const WITHIN: f64 = 0.1;
/// So many that the mean wait of a device that is busy for nine tenths of the time is known to some per cent in four replications.
pub const REQUESTS: u64 = 20_000;
/// Replications of each bin.
pub const REPLICATIONS: u32 = 4;

/// A scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predictor {
    /// `A`, `B` …
    pub letter: String,
    /// Its file, its settings.
    pub name: String,
    /// Its title.
    pub title: String,
}

/// A moment of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// When the interval began, seconds from the first one on.
    pub begin_s: f64,
    /// How long it was, seconds.
    pub length_s: f64,
    /// Requests a second.
    pub per_s: f64,
    /// How long one took, seconds; absent where none completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_s: Option<f64>,
    /// How long one takes at the load of the interval's bin, seconds; absent where none came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted_s: Option<f64>,
}

/// A device beside a scenario's disk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceBeside {
    /// Which scenario.
    pub letter: String,
    /// The measured device.
    pub device: String,
    /// The scenario's disk.
    pub disk: String,
    /// What kind of device predicts: `constant-rate`, `ssd` …
    pub kind: String,
    /// How many intervals there were, and in how many of them something was asked for.
    pub intervals: usize,
    /// Those with something.
    pub busy_intervals: usize,
    /// By load.
    pub points: Vec<Point>,
    /// Where prediction and measurement part, in sentences, with what they are made of.
    pub parting: Vec<Parting>,
    /// By time.
    pub over_time: Vec<Moment>,
    /// What the disk's parameters are by the measurement, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// A measurement over time beside predictions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideOverTime {
    /// What was measured.
    pub sources: Vec<OverTimeSource>,
    /// Who predicts.
    pub contenders: Vec<Predictor>,
    /// The seed of the runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The level of the intervals, 0 to 1.
    pub confidence: f64,
    /// Predictions that are off by more than this part part from what was measured.
    pub within: f64,
    /// How requests are taken to come.
    pub arrivals: Arrivals,
    /// Replications of each bin.
    pub replications: u32,
    /// Each device beside each scenario's disk.
    pub devices: Vec<DeviceBeside>,
    /// What to know of the whole.
    pub notes: Vec<Note>,
}

/// Reads the measurements of a question, runs its scenarios' disks with their loads, and puts both side by side.
///
/// # Errors
/// A measurement or a scenario that can't be read, devices of which nobody says which disk they are, a measurement without times of requests,
/// a disk whose parameters can't be fitted, a run that fails.
pub fn beside_over_time(question: &Question, on_step: &OnStep<'_>) -> Result<BesideOverTime, CompareError> {
    read::check(question)?;
    let mut notes = Vec::new();
    let (measured, sources) = read::read(question, &mut notes)?;
    let scenarios_alone = Question {
        inputs: question.inputs.iter().filter(|input| !input.measured).cloned().collect(),
        ..question.clone()
    };
    let (all, mut scenarios): (Vec<Entrant>, Vec<Option<Loaded>>) =
        entrants(&scenarios_alone)?.into_iter().unzip();
    if let Some(saved) = all.iter().find(|entrant| entrant.origin == Origin::Saved) {
        return Err(read::refused(
            &saved.name,
            "it is a saved report, which can't be run at the loads that were measured",
            "name the scenario that it was made from",
        ));
    }
    let seed = one_seed(&scenarios_alone, &all, &mut scenarios, &mut notes);
    let level = question.confidence.unwrap_or_else(|| {
        scenarios.iter().flatten().next().map_or(0.95, |loaded| loaded.scenario.measure.confidence.get())
    });
    let own = &question.over_time;
    let replications = question.replications.unwrap_or(REPLICATIONS).max(2);
    // Before the long part: which device is which disk, and whether there is anything to compare.
    let asked = asked(question, &measured, &all, &scenarios, replications)?;
    let runs: usize = asked.iter().map(|one| one.bins.all.len()).sum();
    let (done, of) = (AtomicU64::new(0), (runs as u64) * u64::from(replications));
    let step = || on_step(CompareProgress { done: done.fetch_add(1, Ordering::Relaxed) + 1, of });
    let devices: Result<Vec<DeviceBeside>, CompareError> = asked
        .iter()
        .map(|one| one.beside(own, level, &step).map_err(|failure| failure.of(one.entrant)))
        .collect();
    let devices = devices?;
    notes.extend(told(&devices, own.arrivals));
    let contenders = all.iter().zip(&scenarios).map(|(entrant, loaded)| Predictor {
        letter: entrant.letter.clone(),
        name: entrant.name.clone(),
        title: loaded.as_ref().map(|loaded| loaded.scenario.title.clone()).unwrap_or_default(),
    });
    Ok(BesideOverTime {
        sources,
        contenders: contenders.collect(),
        seed,
        confidence: level,
        within: own.within.unwrap_or(WITHIN),
        arrivals: own.arrivals,
        replications,
        devices,
        notes,
    })
}

/// A device and the disk that it is held against.
struct Asked<'a> {
    entrant: &'a Entrant,
    loaded: &'a Loaded,
    device: &'a DeviceOverTime,
    disk: &'a PlacedDisk,
    bins: Bins,
    rig: Rig,
}

/// All that are to be held against each other.
fn asked<'a>(
    question: &Question,
    measured: &'a [DeviceOverTime],
    all: &'a [Entrant],
    scenarios: &'a [Option<Loaded>],
    replications: u32,
) -> Result<Vec<Asked<'a>>, CompareError> {
    let own = &question.over_time;
    let mut asked = Vec::new();
    for (entrant, loaded) in all.iter().zip(scenarios) {
        let Some(loaded) = loaded else { continue };
        for (device, disk) in matching::matched(measured, loaded, entrant, &own.disks)? {
            let bins = Bins::of(&device.intervals, own.arrivals).ok_or_else(|| {
                read::refused(
                    &device.name,
                    "in none of its intervals is told how long requests took",
                    "iostat -x, sar -d and node_exporter tell it; of a CSV it is read_await_ms, write_await_ms or await_ms",
                )
            })?;
            let rig =
                Rig::of(loaded, disk, own.requests.unwrap_or(REQUESTS), replications).map_err(|why| {
                    read::refused(&disk.name, &why, "hold the measurement against another disk")
                })?;
            asked.push(Asked { entrant, loaded, device, disk, bins, rig });
        }
    }
    if own.calibrate {
        let work: Vec<_> =
            asked.iter().map(|one| (one.entrant, one.device.name.as_str(), one.disk)).collect();
        patch::check(&work)?;
    }
    Ok(asked)
}

impl Asked<'_> {
    /// Runs the disk with the loads of the device.
    fn beside(
        &self,
        question: &OverTimeQuestion,
        level: f64,
        step: &(dyn Fn() + Sync),
    ) -> Result<DeviceBeside, rig::Failure> {
        let Self { entrant, loaded, device, disk, bins, rig } = self;
        let predicted = rig.predict(&bins.all, &[], level, step)?;
        let points = bins.points(&predicted, level);
        let fit = || calibrate::calibrate((loaded, disk), rig, &device.intervals, (question.arrivals, level));
        Ok(DeviceBeside {
            letter: entrant.letter.clone(),
            device: device.name.clone(),
            disk: disk.name.clone(),
            kind: rig.kind().to_owned(),
            intervals: device.intervals.len(),
            busy_intervals: bins.counted(),
            parting: parting::partings(&points, question.within.unwrap_or(WITHIN)),
            over_time: moments(&device.intervals, bins, &points),
            points,
            calibration: question.calibrate.then(fit).transpose()?,
        })
    }
}

/// What is assumed of every such comparison, and what of this one.
fn told(devices: &[DeviceBeside], arrivals: Arrivals) -> Vec<Note> {
    let mut told = vec![NoteClaim::Assumed.says(match arrivals {
        Arrivals::Poisson => {
            "requests are taken to come at any time (Poisson), to lie anywhere on the disk, and to be as long as the mean of their bin; the disk is run alone"
        }
        Arrivals::Closed => {
            "requests are taken to come from processes that wait for them, as many as had some under way, to lie anywhere on the disk, and to be as long as the mean of their bin; the disk is run alone"
        }
    })];
    let closed = devices.iter().flat_map(|device| &device.points).any(|point| point.closed);
    if closed && arrivals == Arrivals::Poisson {
        told.push(NoteClaim::Saturated.says(
            "where the device was busy for 95 % of the time or more, with one request or more under way, as many requests are kept under way as were measured: when they come there depends on when others are done",
        ));
    }
    let together = devices.iter().flat_map(|device| &device.points).any(|point| point.together);
    if together {
        told.push(NoteClaim::Together.says(
            "reads and writes were counted together: they are told apart by their bytes, as if both were of one length, and held against the prediction together",
        ));
    }
    told
}

/// The measurement by time, each interval with the prediction of its bin.
fn moments(intervals: &[Interval], bins: &Bins, points: &[Point]) -> Vec<Moment> {
    let mut moments = Vec::with_capacity(intervals.len());
    let mut begin = 0.0;
    let first =
        intervals.first().and_then(|interval| Some(interval.end_s? - interval.length_s.unwrap_or(0.0)));
    for (number, interval) in intervals.iter().enumerate() {
        let length_s = interval.length_s.unwrap_or(1.0);
        if let (Some(first), Some(end)) = (first, interval.end_s) {
            begin = end - length_s - first;
        }
        let point = bins.bin_of(number).and_then(|bin| points.get(bin));
        moments.push(Moment {
            begin_s: begin,
            length_s,
            per_s: interval.rate(),
            measured_s: interval.await_of_both(),
            predicted_s: point.and_then(|point| Some(point.both.predicted?.value)),
        });
        begin += length_s;
    }
    moments
}
