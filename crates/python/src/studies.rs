//! Studies of one question each: which is better, how much load, what would change it, which distribution.

use crate::answer::Answer;
use crate::error::{self, wrong};
use crate::scenario::Scenario;
use crate::waiting::waited;
use petrio_distribution::fit::FitOptions;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_study as study;
use petrio_study::compare::{Candidate, CompareError, Measure, Question};
use petrio_study::explain::{ExplainError, ExplainQuestion};
use petrio_study::fit::Data;
use petrio_study::load::{LoadError, LoadQuestion};
use petrio_study::loss::{LossError, LossQuestion};
use petrio_trace::TraceOptions;
use petrio_units::Measured;
use pyo3::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

/// Columns of an answer's text.
const WIDTH: usize = 110;

fn json(found: &impl Serialize) -> PyResult<String> {
    serde_json::to_string_pretty(found).map_err(|cause| wrong(cause.to_string()))
}

/// What petrio compare does.
#[pyfunction]
#[pyo3(signature = (candidates, seed=None, replications=None, precision=None, confidence=None, relevant=None, measure=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of petrio.compare")]
pub(crate) fn compare(
    py: Python<'_>,
    candidates: Vec<(String, Scenario)>,
    seed: Option<u64>,
    replications: Option<u32>,
    precision: Option<f64>,
    confidence: Option<f64>,
    relevant: Option<f64>,
    measure: Option<String>,
) -> PyResult<Answer> {
    let watch = Watch::new();
    let found = waited(py, &watch, || {
        let loaded = candidates.iter().map(|(name, scenario)| {
            let loaded = scenario.load(&scenario.inputs(), None, &watch)?;
            Ok(Candidate { name: name.clone(), loaded, directory: None })
        });
        let candidates = loaded.collect::<Result<_, Box<_>>>().map_err(CompareError::Scenario)?;
        let question = Question {
            candidates,
            seed,
            replications,
            precision,
            confidence,
            relevant,
            measure,
            ..Question::default()
        };
        study::compare::compare(&question, &|_| ())
    })?;
    let raised = candidates.iter().try_for_each(|(_, scenario)| scenario.own.raised());
    raised?;
    let found = found.map_err(|failure| match failure {
        CompareError::Scenario(problems) => error::scenario(&problems),
        other => error::plain(&other),
    })?;
    Ok(Answer {
        text: study::compare::terminal_text(&found, WIDTH),
        json: json(&found)?,
        html: study::compare::comparison_page(&found).html(),
    })
}

/// What petrio load does.
#[pyfunction]
#[pyo3(signature = (scenario, metric, limit=None, over=Vec::new(), runs=study::load::USUAL_RUNS, seed=None))]
pub(crate) fn load(
    py: Python<'_>,
    scenario: &Scenario,
    metric: &str,
    limit: Option<String>,
    over: Vec<String>,
    runs: u32,
    seed: Option<u64>,
) -> PyResult<Answer> {
    if runs < study::load::LEAST_RUNS {
        return Err(wrong(format!(
            "{runs} runs find neither limit nor knee: allow {} at least",
            study::load::LEAST_RUNS
        )));
    }
    let watch = Watch::new();
    let question = LoadQuestion {
        scenario: scenario.path.clone(),
        files: scenario.inputs(),
        settings: scenario.settings(None),
        seed,
        metric: Measure::parse(metric).map_err(|cause| error::plain(&cause))?,
        limit,
        over,
        runs,
        watch: watch.clone(),
    };
    scenario.own.refused("load")?;
    let found = waited(py, &watch, || study::load::load(&question, &mut |_, _, _| ()))?;
    let found = found.map_err(|failure| match failure {
        LoadError::Scenario(problems) => error::scenario(&problems),
        other => error::plain(&other),
    })?;
    Ok(Answer {
        text: study::load::load_text(&found, WIDTH),
        json: json(&found)?,
        html: study::load::load_page(&found).html(),
    })
}

/// What petrio loss does.
#[pyfunction]
#[pyo3(signature = (scenario, years=1.0, age=0.0, scrubbed_every=None, precision=0.05, replications=study::loss::USUAL_REPLICATIONS, changes=true, seed=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of petrio.loss")]
pub(crate) fn loss(
    py: Python<'_>,
    scenario: &Scenario,
    years: f64,
    age: f64,
    scrubbed_every: Option<f64>,
    precision: f64,
    replications: u32,
    changes: bool,
    seed: Option<u64>,
) -> PyResult<Answer> {
    let mut times = [years].into_iter().chain(scrubbed_every);
    if !(times.all(|time| time.is_finite() && time > 0.0) && age.is_finite() && age >= 0.0) {
        return Err(wrong("years and scrubbed_every are more than zero, and age is zero or more".to_owned()));
    }
    if !(0.001..=0.5).contains(&precision) || replications == 0 {
        return Err(wrong(
            "precision is a part from 0.001 to 0.5, and replications are one or more".to_owned(),
        ));
    }
    let watch = Watch::new();
    let question = LossQuestion {
        scenario: scenario.path.clone(),
        files: scenario.inputs(),
        settings: scenario.settings(None),
        seed,
        years,
        age,
        scrubbed_every,
        precision,
        replications,
        with_changes: changes,
        watch: watch.clone(),
    };
    scenario.own.refused("loss")?;
    let found = waited(py, &watch, || study::loss::loss(&question, &mut |_| ()))?;
    let found = found.map_err(|failure| match failure {
        LossError::Scenario(problems) => error::scenario(&problems),
        other => error::plain(&other),
    })?;
    Ok(Answer {
        text: study::loss::loss_text(&found, WIDTH),
        json: json(&found)?,
        html: study::loss::loss_page(&found).html(),
    })
}

/// What petrio explain does.
#[pyfunction]
#[pyo3(signature = (scenario, replications=study::explain::USUAL_REPLICATIONS, seed=None))]
pub(crate) fn explain(
    py: Python<'_>,
    scenario: &Scenario,
    replications: u32,
    seed: Option<u64>,
) -> PyResult<Answer> {
    let watch = Watch::new();
    let question = ExplainQuestion {
        scenario: scenario.path.clone(),
        files: scenario.inputs(),
        settings: scenario.settings(None),
        seed,
        replications: replications.max(2),
        watch: watch.clone(),
    };
    scenario.own.refused("explain")?;
    let found = waited(py, &watch, || study::explain::explain(&question, &|_, _, _| ()))?;
    let found = found.map_err(|failure| match failure {
        ExplainError::Scenario(problems) => error::scenario(&problems),
        other => error::plain(&other),
    })?;
    Ok(Answer {
        text: study::explain::explain_text(&found, WIDTH),
        json: json(&found)?,
        html: study::explain::explain_page(&found).html(),
    })
}

/// What petrio fit does: of numbers, each on a line of `text`, or of a measure of a trace.
#[pyfunction]
#[pyo3(signature = (text=None, trace=None, measure=None, unit="none"))]
pub(crate) fn fit(
    py: Python<'_>,
    text: Option<String>,
    trace: Option<PathBuf>,
    measure: Option<&str>,
    unit: &str,
) -> PyResult<(String, String)> {
    let inputs = Inputs::here();
    let unit = match unit {
        "none" => study::fit::Unit::None,
        "bytes" => study::fit::Unit::Bytes,
        "seconds" => study::fit::Unit::Time,
        other => {
            return Err(wrong(format!("numbers are in \"none\", \"bytes\" or \"seconds\", not \"{other}\"")));
        }
    };
    let asked = measure.unwrap_or("inter-arrival");
    let measure = study::fit::Measure::ALL.into_iter().find(|known| known.name() == asked);
    let measure = measure.ok_or_else(|| {
        wrong(format!(
            "a trace has no \"{asked}\"; {}",
            study::fit::Measure::ALL.map(study::fit::Measure::name).join(", ")
        ))
    })?;
    let found = waited(py, &Watch::new(), || {
        let data = match (&text, &trace) {
            (_, Some(path)) => {
                Data::Trace { inputs: &inputs, path, measure, options: Box::new(TraceOptions::default()) }
            }
            (text, None) => Data::Text {
                name: "the values".to_owned(),
                source: Box::new(text.as_deref().unwrap_or_default().as_bytes()),
                column: None,
                unit,
            },
        };
        study::fit::fit_data(data, &FitOptions::default(), &|_| ())
    })?;
    let found = found.map_err(|cause| error::plain(&cause))?;
    let chosen = found.report.chosen();
    Ok((found.toml(chosen), study::fit::json_text(&found).map_err(|cause| wrong(cause.to_string()))?))
}

/// What a measure is called, and its unit.
#[pyfunction]
pub(crate) fn measure(name: &str) -> PyResult<(String, &'static str)> {
    let measure = Measure::parse(name).map_err(|cause| error::plain(&cause))?;
    Ok((measure.to_string(), measure.base_unit()))
}

/// A text with its unit, such as "20 ms", as a number in a measure's own unit.
#[pyfunction]
pub(crate) fn in_unit_of(measure: &str, text: &str) -> PyResult<f64> {
    let measure = Measure::parse(measure).map_err(|cause| error::plain(&cause))?;
    study::load::in_unit_of(&measure, text).map_err(|cause| error::plain(&cause))
}

/// A text with or without a unit as a number: bytes, seconds, and what else has no other unit; nothing where it is none.
#[pyfunction]
pub(crate) fn quantity(text: &str) -> Option<f64> {
    let read = Measured::read(text)?;
    // Times are whole picoseconds inside.
    Some(if read.base_unit() == "ps" { read.base() / 1e12 } else { read.base() })
}
