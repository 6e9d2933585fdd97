//! A measurement beside the predictions of scenarios: for each test or job what was measured, what each scenario predicts, and how far
//! apart these are.
//!
//! ```text
//!  measured:FILE ─ Measurement ─ rows, repeated ones as one ─┐
//!                                                            ├─ row by row, the workload that plays it ─▶ Beside
//!  FILE@settings ─ scenario ─ replications ─ each workload ──┘
//! ```
//!
//! A row finds its workload by what is done where the measurement says it (iozone's tests: operation, file size, record, processes), else
//! by its name (fio's jobs, and saved reports). What finds none is told, and nothing is held against another load in silence.
//!
//! What is compared is what both mean alike: bytes and requests a second over a test's own time, and latencies from submission to
//! completion. iozone's total of several processes adds up what each got over its own time, which is more than all over the whole time where some end
//! sooner.

mod matching;
mod observed;
mod page;
mod predicted;
mod text;

pub use page::{measured_page, write_measured_html};
pub use text::measured_text;

use super::entrant::{Contender, Entrant, Origin, entrants};
use super::error::CompareError;
use super::note::{Note, NoteClaim};
use super::run::{FIRST, OnStep, replicators, simulate};
use super::{Question, USUAL_REPLICATIONS, one_seed};
use matching::Matching;
use observed::Observed;
use petrio_scenario::report::{Estimate, Report, mean_report};
use petrio_scenario::{Claim, Loaded};
use petrio_workload::measurement::{Figure, Format, Kind};
use serde::Serialize;
use std::path::PathBuf;

/// What was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The file.
    pub file: PathBuf,
    /// Whose output it is.
    pub format: Format,
    /// How many figures it has.
    pub figures: usize,
}

/// A figure of a test or a job, measured and predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideRow {
    /// iozone's test or fio's job.
    pub name: String,
    /// Which of its requests.
    pub kind: Kind,
    /// Bytes of a file, where it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size: Option<u64>,
    /// Bytes of an access, where it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// How many processes, where it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// What was measured: `throughput`, `rate`, `mean latency`, `p99 latency`.
    pub figure: String,
    /// In which unit both are: bytes/s, 1/s, s.
    pub unit: &'static str,
    /// How often it was measured.
    pub runs: u64,
    /// What was measured; of several runs their mean with its interval.
    pub measured: Estimate,
    /// What each scenario predicts, in their order; nothing where none of its workloads does the same.
    pub predicted: Vec<Option<Prediction>>,
    #[serde(skip)]
    what: Option<Figure>,
}

impl BesideRow {
    /// Which figure it is.
    pub fn what(&self) -> Figure {
        self.what.unwrap_or(Figure::Throughput)
    }
}

/// What a scenario predicts of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// The workload that does the same.
    pub workload: String,
    /// The figure, in the row's unit.
    pub value: Estimate,
    /// Predicted by measured, with the interval that follows from both.
    pub ratio: Estimate,
}

/// How well a scenario predicts all rows of one figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Which scenario.
    pub letter: String,
    /// Which figure.
    pub figure: String,
    /// How many rows.
    pub rows: usize,
    /// The geometric mean of the ratios: whether predictions are too high or too low as a whole.
    pub mean_ratio: f64,
    /// The mean of how far predictions are from what was measured, as a part of it.
    pub mean_error: f64,
    /// Rows that are off by no more than a tenth.
    pub within_10: usize,
    /// Rows that are off by no more than a fifth.
    pub within_20: usize,
    /// The ratio that is furthest from one.
    pub worst_ratio: f64,
    /// Its row, in words.
    pub worst: String,
}

/// A measurement beside predictions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// What was measured.
    pub sources: Vec<Source>,
    /// Who predicts.
    pub contenders: Vec<Contender>,
    /// The seed of what was simulated; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The level of the intervals, 0 to 1.
    pub confidence: f64,
    /// Every figure.
    pub rows: Vec<BesideRow>,
    /// How well all of it is predicted, by scenario and figure.
    pub summaries: Vec<Summary>,
    /// What to know of the whole.
    pub notes: Vec<Note>,
}

/// Reads the measurements of a question, runs its scenarios, and puts both side by side.
///
/// # Errors
/// A measurement or a scenario that can't be read, a run that fails, a question that has a meaning for scenarios alone, and a measurement
/// of which no scenario plays anything.
pub fn beside(question: &Question, on_step: &OnStep<'_>) -> Result<Beside, CompareError> {
    makes_sense(question)?;
    let mut notes = Vec::new();
    let (observed, sources) = observed::read(question, &mut notes)?;
    let of_scenarios = Question {
        inputs: question.inputs.iter().filter(|input| !input.measured).cloned().collect(),
        ..question.clone()
    };
    let (mut entrants, mut scenarios): (Vec<Entrant>, Vec<Option<Loaded>>) =
        entrants(&of_scenarios)?.into_iter().unzip();
    for loaded in scenarios.iter_mut().flatten() {
        loaded.tells_each = true;
    }
    let seed = one_seed(&of_scenarios, &entrants, &mut scenarios, &mut notes);
    let level = question.confidence.unwrap_or_else(|| {
        let first = scenarios.iter().flatten().next();
        first.map_or(0.95, |loaded| loaded.scenario.measure.confidence.get())
    });
    let names: Vec<&str> = observed.iter().map(|row| row.key.name.as_str()).collect();
    let matchings: Vec<Matching> = (entrants.iter().zip(&scenarios))
        .map(|(entrant, loaded)| Matching::of(loaded.as_ref(), entrant.reports.first(), &names))
        .collect();
    // Before the long part: whether there is anything to compare.
    let plays_nothing =
        |matching: &Matching| observed.iter().all(|row| matching.workload(&row.key).is_none());
    if let Some(at) = matchings.iter().position(plays_nothing) {
        return Err(unmatched(question, &entrants[at], &matchings[at], &names));
    }
    let replicators = replicators(&entrants, &scenarios, question.from.as_deref())?;
    let wanted = u64::from(question.replications.unwrap_or(USUAL_REPLICATIONS)).max(FIRST);
    simulate(&mut entrants, &replicators, FIRST, on_step)?;
    simulate(&mut entrants, &replicators, wanted, on_step)?;

    for report in entrants.iter_mut().flat_map(|entrant| &mut entrant.reports) {
        // Rates of all together, which that is about, aren't told here.
        report.warnings.retain(|warning| warning.claim != Claim::EndedEarly);
    }
    let reports: Vec<Option<Report>> =
        entrants.iter().map(|entrant| mean_report(&entrant.reports, level)).collect();
    let rows = rows(&observed, &matchings, &reports, level);
    for ((entrant, matching), number) in entrants.iter().zip(&matchings).zip(0..) {
        let left_out = left_out(&rows, number, entrant);
        notes.extend(left_out.map(|text| NoteClaim::NotPredicted.says(text)));
        let otherwise = matching.otherwise(&observed).map(|what| format!("{}: {what}", entrant.letter));
        notes.extend(otherwise.map(|text| NoteClaim::OtherLoad.says(text)));
    }
    let summaries = summaries(&rows, &entrants);
    let contenders = entrants.iter().filter_map(|entrant| entrant.shown(level)).collect();
    Ok(Beside { sources, contenders, seed, confidence: level, rows, summaries, notes })
}

/// What is asked must have a meaning beside a measurement.
pub(super) fn makes_sense(question: &Question) -> Result<(), CompareError> {
    let refused = |why: &str, help: &str| {
        Err(CompareError::Input {
            text: "measured:".to_owned(),
            why: why.to_owned(),
            help: Some(help.to_owned()),
        })
    };
    if question.candidates.is_empty() && question.inputs.iter().all(|input| input.measured) {
        return refused(
            "there is a measurement, and no scenario to hold against it",
            "name a scenario, too: petrio compare SCENARIO.toml measured:FILE; petrio init --from FILE writes one of iozone's output",
        );
    }
    if question.directory.is_some() || question.inputs.iter().any(|input| input.real) {
        return refused(
            "what is run for real is a measurement itself",
            "compare it with the scenario in a command of its own: petrio compare SCENARIO.toml real:SCENARIO.toml --dir DIR",
        );
    }
    let sense = [
        ("--measure", question.measure.is_some()),
        ("--precision", question.precision.is_some()),
        ("--relevant", question.relevant.is_some()),
    ];
    match sense.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => refused(
            &format!("{option} says how scenarios are put in order, and a measurement is in none"),
            "leave it out: every figure that was measured is held against its prediction",
        ),
        None => Ok(()),
    }
}

fn unmatched(question: &Question, entrant: &Entrant, matching: &Matching, names: &[&str]) -> CompareError {
    let mut tests: Vec<&str> = Vec::new();
    for name in names {
        if !tests.contains(name) {
            tests.push(name);
        }
    }
    let file =
        question.inputs.iter().find(|input| input.measured).map(|input| input.file.display().to_string());
    CompareError::Unmatched {
        letter: entrant.letter.clone(),
        name: entrant.name.clone(),
        tests: words(&tests),
        workloads: words(&matching.names()),
        file: file.unwrap_or_default(),
    }
}

/// So many names are named.
const NAMES_MAX: usize = 8;

fn words(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMES_MAX);
    let named = names[..names.len().min(NAMES_MAX)].join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

fn rows(
    observed: &[Observed],
    matchings: &[Matching],
    reports: &[Option<Report>],
    level: f64,
) -> Vec<BesideRow> {
    let mut rows = Vec::new();
    for row in observed {
        let workloads: Vec<Option<&str>> =
            matchings.iter().map(|matching| matching.workload(&row.key)).collect();
        for (figure, values) in &row.figures {
            let measured = observed::estimate(values, level);
            let predicted =
                workloads.iter().zip(matchings).zip(reports).map(|((workload, matching), report)| {
                    let (workload, report) = ((*workload)?, report.as_ref()?);
                    let value = predicted::figure(
                        report,
                        workload,
                        matching.sole_kind(workload),
                        row.key.kind,
                        *figure,
                    )?;
                    Some(Prediction { workload: workload.to_owned(), value, ratio: ratio(value, measured) })
                });
            rows.push(BesideRow {
                name: row.key.name.clone(),
                kind: row.key.kind,
                file_size: row.key.file_size,
                record: row.key.record,
                processes: row.key.processes,
                figure: figure.to_string(),
                unit: unit(*figure),
                runs: values.len() as u64,
                measured,
                predicted: predicted.collect(),
                what: Some(*figure),
            });
        }
    }
    rows
}

fn unit(figure: Figure) -> &'static str {
    match figure {
        Figure::Throughput => "bytes/s",
        Figure::Rate => "1/s",
        Figure::MeanLatency | Figure::Latency(_) => "s",
    }
}

/// A ratio with its interval: to first order the parts of both add up by squares, as of independent errors.
fn ratio(predicted: Estimate, measured: Estimate) -> Estimate {
    let value = predicted.value / measured.value;
    let part = |estimate: Estimate| estimate.half_width.map(|width| width / estimate.value);
    let half_width = match (part(predicted), part(measured)) {
        (None, None) => None,
        (one, other) => Some(value * libm::hypot(one.unwrap_or(0.0), other.unwrap_or(0.0))),
    };
    Estimate { value, half_width: half_width.filter(|width| width.is_finite()) }
}

/// A row in words: "random-read, 64 MiB, 8 KiB records".
pub(super) fn row_in_words(row: &BesideRow) -> String {
    let mut words = vec![match row.kind {
        Kind::Accesses => row.name.clone(),
        kind => format!("{} {}", row.name, kind.word()),
    }];
    words.extend(row.file_size.map(petrio_page::numbers::bytes));
    words.extend(row.record.map(|record| format!("{} records", petrio_page::numbers::bytes(record))));
    words.extend(
        row.processes.filter(|processes| *processes > 1).map(|processes| format!("{processes} processes")),
    );
    words.join(", ")
}

/// What no workload of a scenario plays, in a sentence.
fn left_out(rows: &[BesideRow], number: usize, entrant: &Entrant) -> Option<String> {
    let without: Vec<&BesideRow> =
        rows.iter().filter(|row| row.predicted.get(number).is_none_or(Option::is_none)).collect();
    let first = without.first()?;
    let many = petrio_page::numbers::counted(without.len() as u64, "figure", "figures");
    Some(format!(
        "{} ({}) predicts nothing of {many}, such as {} of {}: it has no workload that does the same",
        entrant.letter,
        entrant.name,
        first.figure,
        row_in_words(first)
    ))
}

fn summaries(rows: &[BesideRow], entrants: &[Entrant]) -> Vec<Summary> {
    let mut figures: Vec<&str> = Vec::new();
    for row in rows {
        if !figures.contains(&row.figure.as_str()) {
            figures.push(&row.figure);
        }
    }
    let mut summaries = Vec::new();
    for (number, entrant) in entrants.iter().enumerate() {
        for figure in &figures {
            let of = rows.iter().filter(|row| row.figure == *figure);
            let ratios: Vec<(f64, &BesideRow)> = of
                .filter_map(|row| Some((row.predicted.get(number)?.as_ref()?.ratio.value, row)))
                .filter(|(ratio, _)| *ratio > 0.0 && ratio.is_finite())
                .collect();
            summaries.extend(summary(entrant, figure, &ratios));
        }
    }
    summaries
}

fn summary(entrant: &Entrant, figure: &str, ratios: &[(f64, &BesideRow)]) -> Option<Summary> {
    let off = |ratio: f64| libm::log(ratio).abs();
    let &(worst_ratio, worst) = ratios.iter().max_by(|one, other| off(one.0).total_cmp(&off(other.0)))?;
    let count = ratios.len() as f64;
    let within = |part: f64| ratios.iter().filter(|(ratio, _)| (ratio - 1.0).abs() <= part).count();
    Some(Summary {
        letter: entrant.letter.clone(),
        figure: figure.to_owned(),
        rows: ratios.len(),
        mean_ratio: libm::exp(ratios.iter().map(|(ratio, _)| libm::log(*ratio)).sum::<f64>() / count),
        mean_error: ratios.iter().map(|(ratio, _)| (ratio - 1.0).abs()).sum::<f64>() / count,
        within_10: within(0.1),
        within_20: within(0.2),
        worst_ratio,
        worst: row_in_words(worst),
    })
}

impl Beside {
    /// Whether all that is shown was simulated, and not saved earlier.
    fn is_simulated(&self) -> bool {
        self.contenders.iter().all(|contender| contender.origin == Origin::Simulated)
    }
}
