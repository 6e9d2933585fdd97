//! Who takes part: a simulated scenario, a saved report, or a scenario on a real directory; and all its reports so far.

use super::Question;
use super::error::CompareError;
use super::input::{Input, REAL};
use super::measure::Measure;
use super::statistics::Sample;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::report::{
    OLDEST_VERSION, REPORT_VERSION, Report, ReportDocument, Share, StageFigures, Subject, mean_report,
};
use petrio_scenario::run::RunFailure;
use petrio_scenario::workload::Workload;
use petrio_scenario::{Loaded, Override, load_on};
use petrio_units::numbers::as_index;
use petrio_workload::measurement::Format;
use petrio_workload::over_time;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Where the figures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The model.
    Simulated,
    /// A report that was saved earlier.
    Saved,
    /// A real file system, by the wall clock.
    Real,
}

/// A scenario that somebody has read already.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called.
    pub name: String,
    /// The scenario; of one that is run for real, its workload alone counts.
    pub loaded: Loaded,
    /// Where it is run for real; left out, it is simulated.
    pub directory: Option<PathBuf>,
}

/// One who takes part, as the result shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contender {
    /// `A`, `B` …, in the order in which they were named.
    pub letter: String,
    /// What it is called: its file, its settings, or both.
    pub name: String,
    /// The scenario's title.
    pub title: String,
    /// What was run, in a line; of the first replication.
    pub workload: String,
    /// On what, in a line.
    pub system: String,
    /// What is counted.
    pub subject: Subject,
    /// Where its figures come from.
    pub origin: Origin,
    /// How many replications there were.
    pub replications: u64,
    /// Whether its replications are the same: nothing in it is random.
    pub deterministic: bool,
    /// Where the time of the average request went; empty where nobody knows.
    pub breakdown: Vec<Share>,
    /// The stages of the storage path; empty where nobody knows.
    pub stages: Vec<StageFigures>,
    /// Things to check before the result is trusted.
    pub warnings: Vec<String>,
}

/// One who takes part, while the runs go on.
pub(super) struct Entrant {
    pub(super) letter: String,
    pub(super) name: String,
    pub(super) origin: Origin,
    /// Where a real one is run.
    pub(super) directory: Option<PathBuf>,
    /// One for each replication so far; a saved report is one that may stand for several.
    pub(super) reports: Vec<Report>,
    pub(super) deterministic: bool,
    pub(super) closed: Option<bool>,
    /// What its scenario was warned of when it was read.
    pub(super) warnings: Vec<String>,
}

/// Reads what was named: everybody who takes part, and their scenarios.
pub(super) fn entrants(question: &Question) -> Result<Vec<(Entrant, Option<Loaded>)>, CompareError> {
    let Question { inputs, directory, .. } = question;
    let all_real = directory.is_some() && inputs.iter().all(|input| !input.real);
    let named = named(question, all_real)?;
    let first = named.len();
    let read = question.candidates.iter().enumerate().map(|(number, candidate)| {
        let origin = if candidate.directory.is_some() { Origin::Real } else { Origin::Simulated };
        let entrant = Entrant {
            letter: letter(first + number),
            name: candidate.name.clone(),
            origin,
            directory: candidate.directory.clone(),
            reports: Vec::new(),
            deterministic: false,
            closed: Some(candidate.loaded.scenario.workload.values().all(Workload::is_closed)),
            warnings: warnings(&candidate.loaded),
        };
        (entrant, Some(candidate.loaded.clone()))
    });
    Ok(named.into_iter().chain(read).collect())
}

fn named(question: &Question, all_real: bool) -> Result<Vec<(Entrant, Option<Loaded>)>, CompareError> {
    let Question { inputs, files, settings, directory, from, .. } = question;
    let one_file = inputs.windows(2).all(|pair| pair[0].file == pair[1].file);
    inputs
        .iter()
        .enumerate()
        .map(|(number, input)| {
            let mut entrant = Entrant {
                letter: letter(number),
                name: name(input, one_file),
                origin: Origin::Simulated,
                directory: None,
                reports: Vec::new(),
                deterministic: false,
                closed: None,
                warnings: Vec::new(),
            };
            if let Some(report) = saved(files, &input.file)? {
                let settings = input.settings.first().map(|setting| setting.text().to_string());
                if let Some(what) = settings.or_else(|| input.real.then(|| REAL.to_owned())) {
                    return Err(CompareError::Input {
                        text: input.file.display().to_string(),
                        why: format!(
                            "a saved report can't be changed or run again, so \"{what}\" has no meaning"
                        ),
                        help: Some("name the scenario that it was made from".to_owned()),
                    });
                }
                entrant.origin = Origin::Saved;
                entrant.reports.push(report);
                return Ok((entrant, None));
            }
            if input.real || all_real {
                entrant.origin = Origin::Real;
                entrant.directory = directory.clone();
            }
            let changes: Vec<Override> = settings.iter().chain(&input.settings).cloned().collect();
            let loaded = load_on(files, &input.file, &changes, &Watch::default(), from.as_deref())?;
            entrant.closed = Some(loaded.scenario.workload.values().all(Workload::is_closed));
            entrant.warnings = warnings(&loaded);
            Ok((entrant, Some(loaded)))
        })
        .collect()
}

fn letter(number: usize) -> String {
    let letter = ('A'..='Z').nth(number % 26).unwrap_or_default();
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

/// By the settings where there is but one file, by the file where there are several, and by both where there are both.
fn name(input: &Input, one_file: bool) -> String {
    let settings: Vec<&str> = input.settings.iter().map(|setting| setting.text().as_ref()).collect();
    let settings = settings.join(", ");
    let file = input.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = match (settings.is_empty(), one_file) {
        (true, true) => format!("{file} as it is"),
        (true, false) => file,
        (false, true) => settings,
        (false, false) => format!("{file} with {settings}"),
    };
    if input.real { format!("{REAL} {name}") } else { name }
}

/// A saved report has no more bytes.
const REPORT_BYTES_MAX: u64 = 256 << 20;

/// The report in a file, if that is one: a scenario never begins with a brace.
fn saved(files: &Inputs, path: &Path) -> Result<Option<Report>, CompareError> {
    let said = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let bytes = match files.read(path, REPORT_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(source) if said => return Err(CompareError::File { path: path.to_owned(), source }),
        // Whoever reads it as a scenario says it better.
        Err(_) => return Ok(None),
    };
    let text = std::str::from_utf8(&bytes).ok();
    let over_time = || text.and_then(over_time::Format::of).map(over_time::Format::what);
    if let Some(what) = text.and_then(Format::of).map(Format::what).or_else(over_time) {
        return Err(CompareError::IsMeasured { path: path.to_owned(), what });
    }
    if !said && bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Ok(None);
    }
    let ReportDocument { version, report } = serde_json::from_slice(&bytes)
        .map_err(|error| CompareError::Report { path: path.to_owned(), why: error.to_string() })?;
    if !(OLDEST_VERSION..=REPORT_VERSION).contains(&version) {
        let why = format!(
            "it is of form {version}, and forms {OLDEST_VERSION} to {REPORT_VERSION} are read here; write it again"
        );
        return Err(CompareError::Report { path: path.to_owned(), why });
    }
    let needed = report.replications > 1 && report.confidence.is_none();
    let level = report.confidence.unwrap_or(0.95);
    if needed || !(level > 0.0 && level < 1.0) {
        let why =
            "it is of several replications, and doesn't say at which confidence between 0 and 1".to_owned();
        return Err(CompareError::Report { path: path.to_owned(), why });
    }
    Ok(Some(report))
}

fn warnings(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

impl Entrant {
    /// How many replications its reports stand for.
    pub(super) fn replications(&self) -> u64 {
        match (self.origin, self.reports.first()) {
            (Origin::Saved, Some(report)) => report.replications.max(1).into(),
            _ => self.reports.len() as u64,
        }
    }

    /// A measure of all its replications, `count` of them where they are all the same; `None` where one lacks it.
    pub(super) fn sample(&self, measure: &Measure, count: u64) -> Option<Sample> {
        let first = self.reports.first()?;
        if self.origin == Origin::Saved {
            let level = first.confidence.unwrap_or(0.95);
            return Sample::of_estimate(measure.of(first)?, first.replications.into(), level);
        }
        if self.deterministic {
            return Sample::of(vec![measure.of(first)?.value; as_index(count.max(2))]);
        }
        let values: Option<Vec<f64>> =
            self.reports.iter().map(|report| measure.of(report).map(|estimate| estimate.value)).collect();
        Sample::of(values?)
    }

    /// That its simulation failed, and why.
    pub(super) fn failed(&self, failure: RunFailure) -> CompareError {
        let (letter, name) = (self.letter.clone(), self.name.clone());
        CompareError::Simulation { letter, name, failure: Box::new(failure) }
    }

    /// As the result shows it.
    pub(super) fn shown(&self, level: f64) -> Option<Contender> {
        let report = mean_report(&self.reports, level)?;
        let of_runs = report.warnings.into_iter().map(|warning| warning.text);
        let mut warnings = self.warnings.clone();
        warnings.extend(of_runs.filter(|warning| !self.warnings.contains(warning)));
        Some(Contender {
            letter: self.letter.clone(),
            name: self.name.clone(),
            title: report.title,
            workload: report.served.workload,
            system: report.system,
            subject: report.served.subject,
            origin: self.origin,
            replications: self.replications(),
            deterministic: self.deterministic,
            breakdown: report.served.breakdown,
            stages: report.stages,
            warnings,
        })
    }
}
