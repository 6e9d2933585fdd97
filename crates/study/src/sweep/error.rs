//! Why a study of many cases can't be made.

use crate::compare::CompareError;
use miette::Diagnostic;
use petrio_scenario::Problems;
use petrio_scenario::run::RunFailure;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A study that can't be made.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// Values that can't be read.
    #[error("--vary \"{text}\": {why}")]
    Vary {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
        /// What to write.
        #[help]
        help: &'static str,
    },
    /// No key is varied.
    #[error("nothing is varied")]
    #[diagnostic(help(
        "name a key and its values, for example --vary disk.d.count=1..8, or a table of cases with --cases FILE.csv"
    ))]
    Nothing,
    /// A key that stands twice.
    #[error("{path} is varied twice")]
    #[diagnostic(help("give all of its values in one --vary"))]
    Twice {
        /// The key.
        path: String,
    },
    /// A range without steps in a design that has to have some.
    #[error("{path} may take anything between two values, and a grid needs to know which")]
    #[diagnostic(help(
        "say how many, as lin(LOW, HIGH, NUMBER), or draw points with --sample latin-hypercube, sobol or saltelli"
    ))]
    NoSteps {
        /// The key.
        path: String,
    },
    /// Columns of unlike length.
    #[error("{} takes {} values and {} takes {}", .first.0, .first.1, .other.0, .other.1)]
    #[diagnostic(help(
        "--together takes the first with the first and so on: give all keys equally many values"
    ))]
    Unlike {
        /// A key and how many it takes.
        first: (String, u64),
        /// Another one.
        other: (String, u64),
    },
    /// More cases than anybody runs.
    #[error("{product} are {count} cases, and {} are the most", super::CASES_MAX)]
    #[diagnostic(help("vary fewer keys or fewer values, or draw points with --sample sobol --points 1000"))]
    TooMany {
        /// How many.
        count: u128,
        /// Where they come from.
        product: String,
    },
    /// More points than a sequence has.
    #[error("a Sobol sequence has at most {most} points here")]
    #[diagnostic(help("ask for fewer --points"))]
    Points {
        /// How many there are.
        most: u64,
    },
    /// More keys than a design has room for.
    #[error("Saltelli's design has at most {most} keys here")]
    #[diagnostic(help("vary fewer keys at a time"))]
    Factors {
        /// How many there may be.
        most: usize,
    },
    /// A constraint that can't be understood.
    #[error("--where \"{text}\": {why}")]
    #[diagnostic(help(
        "write a comparison of keys and values, such as 'host.server.count <= host.client.count' or 'memory >= \"1 GiB\" || journal != \"ordered\"'"
    ))]
    Constraint {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A constraint that leaves nothing.
    #[error("no case is left: of {count}, the constraints leave out all")]
    #[diagnostic(help("say less with --where"))]
    NoneLeft {
        /// How many cases there would be.
        count: u64,
    },
    /// Cases that are no scenarios.
    #[error("{}", illegal(.cases, *.more))]
    #[diagnostic(help("leave them out with --where, or vary other values; nothing was run"))]
    Illegal {
        /// Each with its settings and what is wrong with it.
        cases: Vec<(String, Box<Problems>)>,
        /// How many more there are.
        more: usize,
    },
    /// A setting that is none.
    #[error("{0}")]
    Setting(Box<petrio_scenario::Problem>),
    /// The scenario itself can't be read.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Scenario(Box<Problems>),
    /// A run that fails.
    #[error("the case {settings}: {failure}")]
    #[diagnostic(help("what was done before it is kept: the same command goes on from there"))]
    Run {
        /// The case.
        settings: String,
        /// Why.
        failure: Box<RunFailure>,
    },
    /// A System whose cost isn't known.
    #[error("the case {settings}: {why}")]
    #[diagnostic(help("give it one in the scenario (docs/cost.md), or a formula of the keys (--cost)"))]
    NoCost {
        /// The case.
        settings: String,
        /// What has no price.
        why: String,
    },
    /// A table of cases that can't be read.
    #[error("{}: {why}", .path.display())]
    #[diagnostic(help(
        "its first line names keys, and each further line has a value for each: disk.d.count,disk.d.model"
    ))]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        why: String,
    },
    /// A measure that there isn't.
    #[error("{0}")]
    #[diagnostic(transparent)]
    Measure(Box<CompareError>),
    /// A folder of another study.
    #[error("{} holds another study: {differs}", .folder.display())]
    #[diagnostic(help(
        "name another folder with --out, or ask what that one asks; what is in it stays as it is"
    ))]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What is different.
        differs: String,
    },
    /// A study of another petrio.
    #[error("the study is of petrio {there}, and this is {here}")]
    #[diagnostic(help("have the same version wherever cases are run: others may predict otherwise"))]
    OtherVersion {
        /// The version that was asked to run it.
        here: &'static str,
        /// That of the study.
        there: String,
    },
    /// A folder that somebody else writes to.
    #[error("another petrio sweep writes to {}", .folder.display())]
    #[diagnostic(help(
        "wait until it has ended, or give each a part of the cases: --shard 1/2 and --shard 2/2"
    ))]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that is none of a sweep's.
    #[error("{} is no folder of petrio sweep: {why}", .folder.display())]
    #[diagnostic(help("name the folder that petrio sweep --out made"))]
    NoStudy {
        /// The folder.
        folder: PathBuf,
        /// What is missing or wrong.
        why: String,
    },
    /// A file that can't be read or written.
    #[error("{}: {cause}", .path.display())]
    #[diagnostic(help("what was done before is kept: the same command goes on from there"))]
    File {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        cause: io::Error,
    },
    /// It was stopped.
    #[error("stopped after {done} of {of} cases")]
    #[diagnostic(help("the same command goes on from there"))]
    Stopped {
        /// Cases that are done.
        done: u64,
        /// Of how many.
        of: u64,
    },
}

impl From<CompareError> for SweepError {
    fn from(error: CompareError) -> Self {
        Self::Measure(Box::new(error))
    }
}

impl SweepError {
    pub(super) fn vary(text: &str, why: String, help: &'static str) -> Self {
        Self::Vary { text: text.to_owned(), why, help }
    }

    pub(super) fn setting(problem: petrio_scenario::Problem) -> Self {
        Self::Setting(Box::new(problem))
    }

    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::File { path, cause }
    }
}

/// Every mistake of a scenario with where it is and what to do.
fn in_words(problems: &Problems) -> String {
    let words = problems.iter().map(|problem| {
        let at = problem.location().map_or_else(String::new, |at| format!(" ({at})"));
        let advice = problem.advice().map_or_else(String::new, |advice| format!("; {advice}"));
        format!("{}{at}{advice}", problem.message())
    });
    words.collect::<Vec<_>>().join("\n    ")
}

fn illegal(cases: &[(String, Box<Problems>)], more: usize) -> String {
    let told: Vec<String> =
        cases.iter().map(|(settings, problems)| format!("  {settings}: {}", in_words(problems))).collect();
    let rest = if more > 0 { format!("\n… and {more} more") } else { String::new() };
    let count = cases.len() + more;
    let what = if count == 1 { "one case is no scenario" } else { "some cases are no scenarios" };
    format!("{what} ({count}):\n{}{rest}", told.join("\n"))
}
