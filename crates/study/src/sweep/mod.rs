//! Many cases of one scenario: keys varied over values, each case run with the same random numbers, all rows in a folder from which a
//! killed study goes on.
//!
//! ```text
//!  --vary ─ Factor ─┐
//!  --where ─ Constraints ─┤─ Cases: number ─▶ values ─ Runner: load, check, replicate ─▶ rows ─ Folder: journal, Parquet
//!  --sample ─ Design ─┘       └──────── SweepPlan ────────┘                                 │
//!                                                                         Findings: best, effects, interactions, Sobol indices
//! ```
//!
//! A case's rows follow from the study and the case's number: on however many threads or shards it is run, and however often somebody kills
//! it, the folder holds the same at the end.
//!
//! Left out: designs that choose the next case by what came out of the last (that is a search); responses that are no single figure.

mod constraint;
mod design;
mod effects;
mod error;
mod factor;
mod folder;
mod html;
mod indices;
mod plan;
mod row;
mod runner;
mod study;
mod table;
mod text;

pub use constraint::Constraints;
pub use design::{CASES_MAX, Cases, Design};
pub use effects::{Case, Effect, Findings, Interaction, Level, findings};
pub use error::SweepError;
pub use factor::{Factor, Scale, Values};
pub use folder::{CASES_A_FILE, Shard};
pub use html::{page as sweep_page, write_html as write_sweep_html};
pub use indices::SobolIndex;
pub use plan::{Kept, SweepPlan};
pub use row::{Columns, Row};
pub use runner::OnStep as OnSweepStep;
pub use study::{Replications, Study};
pub use table::{factors_of_table, write_csv};
pub use text::{sentence as effect_sentence, sweep_text};

use crate::compare::Measure;
use folder::{rows_of, study_of};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::{Loaded, Override, load_in};
use runner::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What is kept of each report where nothing else is asked for; by the first, cases are put in order.
pub const USUAL_MEASURES: [&str; 7] =
    ["throughput", "rate", "mean-latency", "p50-latency", "p95-latency", "p99-latency", "makespan"];

/// What is asked.
#[derive(Clone, Debug)]
pub struct SweepQuestion {
    /// The scenario file.
    pub scenario: PathBuf,
    /// Where files are read from.
    pub files: Inputs,
    /// What is set in every case.
    pub settings: Vec<Override>,
    /// What is varied.
    pub factors: Vec<Factor>,
    /// How cases are chosen.
    pub design: Design,
    /// What has to be true of a case.
    pub constraints: Vec<String>,
    /// The seed; left out, the scenario's.
    pub seed: Option<u64>,
    /// How often each case is run; left out, as the scenario says.
    pub replications: Option<u32>,
    /// Replicate until half the interval of the first measure's mean is at most this part of it.
    pub precision: Option<f64>,
    /// What is kept of each report besides [`USUAL_MEASURES`]; the first of these comes first.
    pub measures: Vec<String>,
    /// Where results go.
    pub folder: PathBuf,
    /// Which part of the cases is run here.
    pub shard: Shard,
    /// How many cases are run at once; left out, as many as there are processors.
    pub threads: Option<usize>,
    /// Ends it early, with everything kept that is done.
    pub watch: Watch,
}

/// How far a study has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepProgress {
    /// Cases are read.
    Checked {
        /// How many were.
        done: u64,
        /// Of how many.
        of: u64,
    },
    /// Cases are run.
    Run {
        /// How many are done, those of earlier runs among them.
        done: u64,
        /// Of how many.
        of: u64,
    },
}

/// What became of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// Cases of the shard.
    pub cases: u64,
    /// Those of them that were there already.
    pub found: u64,
}

/// A study as its folder has it.
#[derive(Clone, Debug)]
pub struct SweepResults {
    /// What was asked.
    pub study: Study,
    /// Its cases.
    pub cases: Cases,
    /// The measures that rows have, in their order.
    pub measures: Vec<Measure>,
    /// The rows that there are, by case and replication.
    pub rows: Vec<Row>,
}

/// Runs what isn't done yet of a study.
///
/// # Errors
/// Whatever makes no sense is told before the first run; a run that fails, a folder that can't be written.
pub fn sweep(question: &SweepQuestion, tell: &OnSweepStep<'_>) -> Result<Swept, SweepError> {
    SweepPlan::new(question)?.sweep(&question.folder, question.shard, question.threads, tell)
}

/// Reads what a folder has by now.
///
/// # Errors
/// A folder of no study, files that can't be read.
pub fn results(folder: &Path) -> Result<SweepResults, SweepError> {
    let study = study_of(folder)?;
    let (cases, columns, measures) = cases_of(&study)?;
    let rows = rows_of(folder, &cases, &columns)?;
    Ok(SweepResults { study, cases, measures, rows })
}

/// Brings the folders of a study's shards into one; how many cases that has.
///
/// # Errors
/// Folders of different studies, a folder that holds another study, files that can't be read or written.
pub fn merge(to: &Path, from: &[PathBuf]) -> Result<u64, SweepError> {
    folder::merge(to, from, |study| cases_of(study).map(|(cases, columns, _)| (cases, columns)))
}

/// The settings of a case, each as `--set` has it.
pub fn settings(factors: &[Factor], values: &[String]) -> Vec<String> {
    factors.iter().zip(values).map(|(factor, value)| format!("{}={value}", factor.path)).collect()
}

/// The command that runs a scenario with settings, as a shell takes it.
pub(crate) fn run_command(scenario: &Path, settings: impl IntoIterator<Item = String>) -> String {
    let quoted = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,%+".contains(&byte);
        if text.bytes().all(plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    let mut command = format!("petrio run {}", quoted(&scenario.display().to_string()));
    for setting in settings {
        command.push_str(" --set ");
        command.push_str(&quoted(&setting));
    }
    command
}

/// What a question asks, read and checked as far as that needs no case.
fn study(question: &SweepQuestion) -> Result<(Study, Cases, Vec<Measure>), SweepError> {
    let inputs = &question.files;
    let names = measure_names(&question.measures);
    let measures = names.iter().map(|name| Measure::parse(name)).collect::<Result<Vec<_>, _>>()?;
    let names = measures.iter().map(ToString::to_string).collect();
    let text = inputs.read(&question.scenario, u64::MAX).map_err(SweepError::file(&question.scenario))?;
    let before = Cases::new(question.factors.clone(), question.design, 0, Constraints::default())?;
    let example = example(question, &before, inputs)?;
    let known = |path: &str| value_at(&example, path);
    let varied: Vec<&str> = question.factors.iter().map(|factor| factor.path.as_str()).collect();
    let constraints = Constraints::read(&question.constraints, &varied, &known)?;
    let measure = &example.scenario.measure;
    let seed = question.seed.unwrap_or(example.scenario.seed);
    let usual =
        if question.precision.is_some() { crate::compare::MOST_REPLICATIONS } else { measure.replications };
    let study = Study {
        form: study::FORM,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: question.scenario.clone(),
        text: String::from_utf8_lossy(&text).into_owned(),
        settings: question.settings.iter().map(|setting| setting.text().to_string()).collect(),
        inputs: hashes(question, inputs)?,
        factors: question.factors.clone(),
        design: question.design,
        constraints: question.constraints.clone(),
        fixed: constraints.fixed(),
        seed,
        measures: names,
        replications: Replications {
            count: question.replications.unwrap_or(usual).max(1),
            precision: question.precision,
            confidence: measure.confidence.get(),
        },
    };
    let cases = Cases::new(question.factors.clone(), question.design, seed, constraints)?;
    Ok((study, cases, measures))
}

/// The measures that are asked for, before those that are kept anyway.
fn measure_names(asked: &[String]) -> Vec<String> {
    let mut names: Vec<String> = asked.to_vec();
    names.extend(USUAL_MEASURES.map(str::to_owned));
    let mut seen = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    names
}

/// The first case that is a scenario: what else a scenario says, it says in all of them.
fn example(question: &SweepQuestion, cases: &Cases, inputs: &Inputs) -> Result<Loaded, SweepError> {
    let mut first = None;
    for case in 0..cases.count().min(EXAMPLES_MAX) {
        let Some(values) = cases.values(case)? else { continue };
        let mut all = question.settings.clone();
        all.extend(
            question.factors.iter().zip(&values).map(|(factor, value)| Override::new(&factor.path, value)),
        );
        match load_in(inputs, &question.scenario, &all, &question.watch) {
            Ok(loaded) => return Ok(loaded),
            Err(problems) => {
                let told = settings(&question.factors, &values).join(", ");
                first.get_or_insert((told, Box::new(problems)));
            }
        }
    }
    Err(match first {
        Some((told, problems)) => SweepError::Illegal { cases: vec![(told, problems)], more: 0 },
        None => SweepError::NoneLeft { count: cases.count() },
    })
}

/// So many cases are looked at for one that is a scenario.
const EXAMPLES_MAX: u64 = 64;

/// A scenario's value at a dotted path, as a scenario has it.
pub(crate) fn value_at(loaded: &Loaded, path: &str) -> Option<String> {
    let all = serde_json::to_value(&loaded.scenario).ok()?;
    let found = path.split('.').try_fold(&all, |table, key| match table {
        serde_json::Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        table => table.get(key.trim_matches('"')),
    })?;
    match found {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The files that the scenario reads, and those that values name, each with the hash of what it holds.
fn hashes(question: &SweepQuestion, inputs: &Inputs) -> Result<BTreeMap<PathBuf, String>, SweepError> {
    let folder = question.scenario.parent().unwrap_or(Path::new(""));
    let named = question.factors.iter().flat_map(|factor| match &factor.values {
        Values::Listed(values) => values.iter().map(|value| folder.join(value.trim_matches('"'))).collect(),
        Values::Between { .. } => Vec::new(),
    });
    let read = inputs.used().into_iter().filter(|path| *path != question.scenario);
    read.chain(named)
        .filter(|path| inputs.holds(path) || path.is_file())
        .map(|path| {
            let mut hash = Sha256::new();
            let mut file = inputs.open(&path).map_err(SweepError::file(&path))?;
            let mut buffer = vec![0; 1 << 16];
            loop {
                match file.read(&mut buffer).map_err(SweepError::file(&path))? {
                    0 => break,
                    count => hash.update(&buffer[..count]),
                }
            }
            Ok((path, hex(&hash.finalize()[..16])))
        })
        .collect()
}

fn columns(study: &Study, measures: &[Measure]) -> Columns {
    let measures = measures.iter().map(|measure| (measure.to_string(), measure.base_unit().to_owned()));
    Columns::new(&study.factors, measures.collect())
}

/// The cases that a study has, by what its folder says alone.
fn cases_of(study: &Study) -> Result<(Cases, Columns, Vec<Measure>), SweepError> {
    let measures = study.measures.iter().map(|name| Measure::parse(name)).collect::<Result<Vec<_>, _>>()?;
    let varied: Vec<&str> = study.factors.iter().map(|factor| factor.path.as_str()).collect();
    let constraints = Constraints::read(&study.constraints, &varied, &|path| study.fixed.get(path).cloned())?;
    let cases = Cases::new(study.factors.clone(), study.design, study.seed, constraints)?;
    Ok((cases, columns(study, &measures), measures))
}
