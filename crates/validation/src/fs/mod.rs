//! What a Linux file system does, predicted beside measured.
//!
//! ```text
//!                     ┌─ load, build, simulate ─────────────────────────▶ predicted ─┐
//!  point ─ scenario ──┤                                                              ├─▶ row
//!                     └─ rig: ext3, throttle, memory and dirty limits ─▶ measured ───┘
//! ```
//!
//! Each experiment repeats a figure or a table of the dissertation on the machine at hand. The simulation and the real
//! run come from one scenario: its file system and limits are set up for real, and its programs make the same accesses.
//! Which of the predictions prove something is said with each ([`Label`]).
//!
//! Left out: mechanical disks, arrays and fabrics (figures 11 and 12), which a loop device can't stand for; and copy
//! times by themselves (figures 13, 14 and 30), which a machine's calibration shows.

mod error;
mod experiment;
pub mod html;
mod judge;
mod label;
mod measure;
mod point;
mod predict;
mod requests;
mod row;

pub use error::FsValidationError;
pub use experiment::{EXPERIMENTS, Experiment, Paced, Unit};
pub use label::Label;
pub use measure::Clock;
pub use point::{Point, Profile, Setting};
pub use row::{CLIFF_AIM_PERCENT, Cliff, FsRow, FsSummary};

use measure::{Bench, Ground};
use petrio_files::temporary::TemporaryFolder;
use petrio_live::drive::Spread;
use petrio_live::rig::Facilities;
use petrio_scenario::Loaded;
use petrio_scenario::catalogue::MACHINES;
use predict::{Speed, load, predict};
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FsQuestion {
    /// A directory to measure in. Left out, an ext3 of its own, and where that isn't possible a temporary directory.
    pub directory: Option<PathBuf>,
    /// The machine's profile, as `petrio calibrate` writes it; left out, the machine of the catalogue that is most
    /// alike.
    pub machine: Option<PathBuf>,
    /// The kernel's profile, of the catalogue or a file; left out, that of the youngest kernel of the catalogue.
    pub kernel: Option<String>,
    /// Names of experiments; none for all of them.
    pub only: Vec<String>,
    /// Fewer points, fewer repetitions.
    pub quick: bool,
}

/// An experiment, or a point, that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The experiment's name.
    pub experiment: &'static str,
    /// How many of its points.
    pub points: usize,
    /// Why.
    pub why: String,
}

/// How far a validation has come.
#[derive(Clone, Copy, Debug)]
pub enum FsProgress<'a> {
    /// Something to know of the whole.
    Note(&'a str),
    /// These points of an experiment come next.
    Begin(&'static Experiment, usize),
    /// This one has been predicted, and is being measured.
    Point(&'a Point),
    /// A point is done.
    Row(&'a FsRow),
    /// Some were left out.
    LeftOut(&'a LeftOut),
}

/// What a validation found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FsValidation {
    /// The machine that was simulated.
    pub machine: String,
    /// What was measured.
    pub ground: String,
    /// The points.
    pub rows: Vec<FsRow>,
    /// The errors by experiment.
    pub summaries: Vec<FsSummary>,
    /// The places of cliffs.
    pub cliffs: Vec<Cliff>,
    /// What was not done, and why.
    pub left_out: Vec<LeftOut>,
}

/// Runs the experiments, really and in simulation.
///
/// # Errors
/// An experiment that isn't one, a machine profile that can't be read, a scenario that can't be simulated, a directory
/// that can't be used. What this machine can't do is no error: it is left out, and said so.
pub fn validate_fs(
    question: &FsQuestion,
    tell: &mut dyn FnMut(FsProgress<'_>),
) -> Result<FsValidation, FsValidationError> {
    let chosen = chosen(&question.only)?;
    let folder = TemporaryFolder::new()
        .map_err(FsValidationError::file("make a directory in", std::env::temp_dir()))?;
    let profile = profile(question, folder.path(), tell)?;
    let (ground, words) = ground(question, tell)?;
    let mut bench = Bench::new(ground.clone());
    let mut found =
        FsValidation { machine: profile.machine.clone(), ground: words, ..FsValidation::default() };
    for experiment in chosen {
        let (points, barred): (Vec<Point>, Vec<Point>) = (experiment.points(question.quick).into_iter())
            .partition(|point| ground.obstacle(&point.setting).is_none());
        if let Some(why) = barred.first().and_then(|point| ground.obstacle(&point.setting)) {
            let left_out = LeftOut { experiment: experiment.name, points: barred.len(), why };
            tell(FsProgress::LeftOut(&left_out));
            found.left_out.push(left_out);
        }
        if points.is_empty() {
            continue;
        }
        tell(FsProgress::Begin(experiment, points.len()));
        for (point, (loaded, predicted)) in
            points.iter().zip(predictions(experiment, &points, &profile, folder.path())?)
        {
            tell(FsProgress::Point(point));
            match measured(&mut bench, (experiment, point), &loaded) {
                Ok(spread) => {
                    let mut row = FsRow::new(experiment, point, spread, figure(experiment, predicted));
                    row.label = worth(experiment, point, &loaded);
                    tell(FsProgress::Row(&row));
                    found.rows.push(row);
                }
                // A full disk, a limit that can't be set: the other points don't suffer.
                Err(error) => {
                    let left_out = LeftOut { experiment: experiment.name, points: 1, why: error.to_string() };
                    tell(FsProgress::LeftOut(&left_out));
                    found.left_out.push(left_out);
                }
            }
        }
    }
    found.summaries = row::summaries(&found.rows);
    found.cliffs = row::cliffs(&found.rows);
    Ok(found)
}

fn chosen(only: &[String]) -> Result<Vec<&'static Experiment>, FsValidationError> {
    let known = |name: &String| EXPERIMENTS.iter().any(|experiment| experiment.name == *name);
    if let Some(name) = only.iter().find(|name| !known(name)) {
        return Err(FsValidationError::UnknownExperiment { name: name.clone() });
    }
    let wanted =
        |experiment: &&Experiment| only.is_empty() || only.iter().any(|name| name == experiment.name);
    Ok(EXPERIMENTS.iter().filter(wanted).collect())
}

/// Every point in simulation, before anything is measured: several at a time, which would disturb a measurement.
fn predictions(
    experiment: &Experiment,
    points: &[Point],
    profile: &Profile,
    folder: &Path,
) -> Result<Vec<(Loaded, Speed)>, FsValidationError> {
    points
        .par_iter()
        .enumerate()
        .map(|(number, point)| {
            let own = folder.join(format!("{}-{number}", experiment.name));
            std::fs::create_dir_all(&own).map_err(FsValidationError::file("make the directory", &own))?;
            let loaded = load(experiment.title, point, profile, &own)?;
            let speed = predict(&loaded)?;
            Ok((loaded, speed))
        })
        .collect()
}

fn measured(
    bench: &mut Bench,
    (experiment, point): (&Experiment, &Point),
    loaded: &Loaded,
) -> Result<Spread, FsValidationError> {
    let mut figures = Vec::new();
    for _ in 0..point.repetitions.max(1) {
        let speed = bench.measure((loaded, &point.setting), experiment.paced)?;
        figures.push(figure(experiment, speed));
    }
    Ok(Spread::of(figures).unwrap_or_default())
}

const fn figure(experiment: &Experiment, speed: Speed) -> f64 {
    match experiment.unit {
        Unit::MibPerSecond => speed.bytes / (1 << 20) as f64,
        Unit::AccessesPerSecond => speed.accesses,
    }
}

fn worth(experiment: &Experiment, point: &Point, loaded: &Loaded) -> Label {
    let sequential = experiment.unit == Unit::MibPerSecond;
    let machine = loaded.hosts.linux.hosts.first().map(|host| &host.parameters.machine);
    let curve = machine.and_then(|machine| label::curve(machine, experiment.paced));
    let jumps = machine.map_or(&[][..], |machine| &machine.cache.jumps);
    label::label((curve, jumps), experiment.paced, sequential, (point.record, point.file_size))
}

/// Where is measured, and that in words.
fn ground(
    question: &FsQuestion,
    tell: &mut dyn FnMut(FsProgress<'_>),
) -> Result<(Ground, String), FsValidationError> {
    let facilities = Facilities::probe();
    if question.directory.is_none() && facilities.ext3.is_there() {
        return Ok((Ground::Rig(Box::new(facilities)), "an ext3 of its own on a loop device".to_owned()));
    }
    if let Some(why) = facilities.ext3.reason() {
        tell(FsProgress::Note(&format!("no ext3 of its own is made: {why}")));
    }
    let directory = question.directory.clone().unwrap_or_else(std::env::temp_dir);
    let metadata = std::fs::metadata(&directory).map_err(FsValidationError::file("look at", &directory))?;
    if !metadata.is_dir() {
        let source = std::io::ErrorKind::NotADirectory.into();
        return Err(FsValidationError::file("measure in", &directory)(source));
    }
    let words = format!("the directory {}", directory.display());
    tell(FsProgress::Note(&format!(
        "measured in {words}, whatever file system that is; an ext3 is simulated"
    )));
    Ok((Ground::Directory(directory), words))
}

/// The profiles to simulate with.
fn profile(
    question: &FsQuestion,
    folder: &Path,
    tell: &mut dyn FnMut(FsProgress<'_>),
) -> Result<Profile, FsValidationError> {
    let kernel = question.kernel.clone().unwrap_or_else(|| "linux-6.18".to_owned());
    let machine = match &question.machine {
        Some(path) => {
            let path = path.canonicalize().map_err(FsValidationError::file("read", path))?;
            path.display().to_string()
        }
        None => {
            let near = nearest_machine(&kernel, folder)?;
            tell(FsProgress::Note(&format!(
                "the machine \"{near}\" of the catalogue is simulated, which isn't this one: what takes processor time will be off; measure a profile with petrio calibrate and give it with --machine"
            )));
            near
        }
    };
    Ok(Profile { machine, kernel })
}

/// The machine of the catalogue whose processors and memory are most like those here.
fn nearest_machine(kernel: &str, folder: &Path) -> Result<String, FsValidationError> {
    let processors = std::thread::available_parallelism().map_or(1.0, |count| count.get() as f64);
    let memory = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib * 1024.0)
    });
    let mut nearest: Option<(f64, &str)> = None;
    for name in MACHINES.names() {
        let profile = Profile { machine: name.to_owned(), kernel: kernel.to_owned() };
        let Some(point) = EXPERIMENTS.first().and_then(|first| first.points(true).into_iter().next()) else {
            continue;
        };
        let loaded = load(name, &point, &profile, folder)?;
        let Some(host) = loaded.hosts.linux.hosts.first() else { continue };
        let apart = |here: f64, there: f64| libm::log(here / there.max(1.0)).abs();
        let there = host.parameters.machine.memory.get() as f64;
        let distance = apart(processors, f64::from(host.parameters.machine.processors))
            + memory.map_or(0.0, |here| apart(here, there));
        if nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, name));
        }
    }
    Ok(nearest.map_or_else(|| "epyc-9005-2vcpu".to_owned(), |(_, name)| name.to_owned()))
}
