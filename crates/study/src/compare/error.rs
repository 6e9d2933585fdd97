//! Why a comparison can't be made.

use crate::WithoutLive;
use miette::Diagnostic;
#[cfg(feature = "live")]
use petrio_live::drive::DriveError;
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use petrio_workload::measurement::MeasurementError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A comparison that can't be made.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Fewer than two.
    #[error("a comparison needs two scenarios or more, and there {}", if *.given == 1 { "is one" } else { "is none" })]
    #[diagnostic(help(
        "name another one, or the same with a setting: petrio compare A.toml A.toml@disk.d.scheduler=sptf"
    ))]
    TooFew {
        /// How many there are.
        given: usize,
    },
    /// An argument that is neither a file nor a file with settings.
    #[error("\"{text}\": {why}")]
    Input {
        /// The argument.
        text: String,
        /// What is wrong with it.
        why: String,
        /// What to do about it.
        #[help]
        help: Option<String>,
    },
    /// A scenario that can't be read.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Scenario(Box<Problems>),
    /// A saved report that can't be read.
    #[error("{} is no report of petrio run --json: {why}", .path.display())]
    #[diagnostic(help("name a scenario (TOML), or what `petrio run SCENARIO --json FILE` has written"))]
    Report {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        why: String,
    },
    /// A file that can't be read.
    #[error("{} can't be read: {source}", .path.display())]
    #[diagnostic(help("{}", near_file(path)))]
    File {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// No measure of that name.
    #[error("there is no measure \"{name}\" here")]
    #[diagnostic(help("{}", like(near.as_deref(), known)))]
    UnknownMeasure {
        /// What was asked for.
        name: String,
        /// The name that is most like it.
        near: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// A measure that one of them doesn't have.
    #[error("{letter} ({name}) has no \"{measure}\"")]
    #[diagnostic(help("choose a --measure that all of them have, or leave that one out"))]
    NoFigure {
        /// The measure.
        measure: String,
        /// Who lacks it.
        letter: String,
        /// Its name.
        name: String,
    },
    /// A sum of costs that one of them doesn't have.
    #[error("{letter} ({name}) has no sum of costs: {why}")]
    #[diagnostic(help(
        "give each part a price: disk.NAME.drive.cost.price, host.NAME.change.machine.cost.price = \"0 USD\" of what costs nothing (docs/cost.md)"
    ))]
    NoCost {
        /// Who lacks it.
        letter: String,
        /// Its name.
        name: String,
        /// What is missing.
        why: String,
    },
    /// Costs in several currencies.
    #[error("the costs of {one} are in {first} and those of {other} in {second}")]
    #[diagnostic(help("give prices in one currency: nothing is converted"))]
    Currencies {
        /// Whose are in the first.
        one: String,
        /// It.
        first: String,
        /// Whose are in the second.
        other: String,
        /// It.
        second: String,
    },
    /// Block requests beside file operations.
    #[error(
        "{requests} counts requests to block devices and {operations} counts operations on files, so \"{measure}\" means another thing in each: one operation makes many requests or none"
    )]
    #[diagnostic(help(
        "compare them by --measure throughput or --measure makespan, which mean the same of both"
    ))]
    Subjects {
        /// The measure asked for.
        measure: String,
        /// A contender of block requests.
        requests: String,
        /// One of file operations.
        operations: String,
    },
    /// A measurement that can't be read.
    #[error("{}: {error}", .path.display())]
    #[diagnostic(forward(error))]
    Measurement {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        error: MeasurementError,
    },
    /// A measurement of which a scenario plays nothing.
    #[error(
        "no workload of {letter} ({name}) does what was measured: measured are {tests}, and there are {workloads}"
    )]
    #[diagnostic(help(
        "give a workload the name of fio's job, or the operation, file size, record and processes of iozone's test; \
         petrio init --from {file} writes a scenario that does the same"
    ))]
    Unmatched {
        /// Which scenario.
        letter: String,
        /// Its name.
        name: String,
        /// What was measured.
        tests: String,
        /// The scenario's workloads.
        workloads: String,
        /// Where the measurement lies.
        file: String,
    },
    /// A measurement that isn't said to be one.
    #[error("{} is a measurement: {what}", .path.display())]
    #[diagnostic(help("write measured:{} to hold it against a scenario", .path.display()))]
    IsMeasured {
        /// The file.
        path: PathBuf,
        /// Whose output it is.
        what: &'static str,
    },
    /// A simulation that failed.
    #[error("{letter} ({name}): {failure}")]
    #[diagnostic(forward(failure))]
    Simulation {
        /// Which one.
        letter: String,
        /// Its name.
        name: String,
        /// Why.
        failure: Box<RunFailure>,
    },
    /// A run on a real directory that failed.
    #[cfg(feature = "live")]
    #[error("{letter} ({name}): {failure}")]
    #[diagnostic(forward(failure))]
    Drive {
        /// Which one.
        letter: String,
        /// Its name.
        name: String,
        /// Why.
        failure: Box<DriveError>,
    },
    /// A run on a real directory, of which this petrio knows nothing.
    #[error(transparent)]
    #[diagnostic(transparent)]
    WithoutLive(#[from] WithoutLive),
    /// A scenario that can't be run on a real directory.
    #[error("{letter} ({name}) can't be run on a real directory: {why}")]
    #[diagnostic(help(
        "name a scenario with one workload of kind \"files\", \"script\" or \"file-trace\" on one file system"
    ))]
    NotReal {
        /// Which one.
        letter: String,
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// A scenario is to be run for real, and nobody says where; or a directory is given, and there is nothing to run in
    /// it.
    #[error("{why}")]
    Directory {
        /// What is wrong.
        why: String,
        /// What to do about it.
        #[help]
        help: String,
    },
}

fn like(near: Option<&str>, known: &[String]) -> String {
    match near {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("there are: {}", known.join(", ")),
    }
}

fn near_file(path: &std::path::Path) -> String {
    let near = path.file_name().and_then(|name| name.to_str()).and_then(|name| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(std::path::Path::new("."));
        let files = std::fs::read_dir(folder).ok()?;
        let mut names: Vec<String> =
            files.flatten().filter_map(|file| file.file_name().into_string().ok()).collect();
        names.sort();
        let near = petrio_units::nearest(name, names.iter().map(String::as_str))?.to_owned();
        Some(path.with_file_name(near))
    });
    match near {
        Some(near) => format!("did you mean {}?", near.display()),
        None => "name a scenario (TOML), or a report that petrio run --json has written".to_owned(),
    }
}

impl From<Problems> for CompareError {
    fn from(problems: Problems) -> Self {
        Self::Scenario(Box::new(problems))
    }
}
