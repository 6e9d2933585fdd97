//! A fit as JSON: every figure of the table, the parameters with their intervals, and the text to paste.

use super::{FittedData, Unit};
use petrio_files::inputs::Inputs;
use petrio_scenario::report::{ReportError, WholeFile};
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::Path;

#[derive(Serialize)]
struct Found<'a> {
    data: &'a str,
    what: &'a str,
    /// Of every figure that has one: `bytes`, `seconds` or `none`.
    unit: &'a str,
    values: Values,
    notes: Vec<String>,
    families: Vec<Family<'a>>,
    chosen: Chosen<'a>,
}

#[derive(Serialize)]
struct Values {
    count: usize,
    different: usize,
    mean: f64,
    standard_deviation: f64,
    least: f64,
    median: f64,
    greatest: f64,
    /// Values with a probability of their own.
    atoms: Vec<Atom>,
}

#[derive(Serialize)]
struct Atom {
    value: f64,
    share: f64,
}

#[derive(Serialize)]
struct Family<'a> {
    family: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    fitted: Option<Figures>,
}

#[derive(Serialize)]
struct Figures {
    parameters: usize,
    log_likelihood: f64,
    bic: f64,
    kolmogorov_smirnov: f64,
    kolmogorov_smirnov_p: f64,
    anderson_darling: f64,
    anderson_darling_p: f64,
    area_difference: f64,
    mean: f64,
    toml: String,
}

#[derive(Serialize)]
struct Chosen<'a> {
    family: &'a str,
    parameters: Vec<Parameter<'a>>,
    mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resamples: Option<usize>,
    toml: String,
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    value: f64,
    /// 95 % of the resamples lie within.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

/// Writes every figure as JSON. The file is complete or absent; the same data and options give the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_json(data: &FittedData, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path, inputs)?;
    serde_json::to_writer_pretty(&mut file, &found(data))
        .map_err(io::Error::from)
        .and_then(|()| file.write_all(b"\n"))
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })?;
    file.finish()
}

/// Every figure as JSON, as [`write_json`] writes it.
///
/// # Errors
/// None that a fit could cause.
pub fn json_text(data: &FittedData) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&found(data))
}

fn found(data: &FittedData) -> Found<'_> {
    let (report, chosen) = (&data.report, data.report.chosen());
    let sorted = report.sample.sorted();
    let families = report.attempts.iter().map(|attempt| Family {
        family: &attempt.label,
        refused: attempt.outcome.as_ref().err().map(String::as_str),
        fitted: attempt.outcome.as_ref().ok().map(|fitted| Figures {
            parameters: fitted.freedom(),
            log_likelihood: fitted.goodness.log_likelihood,
            bic: fitted.goodness.bic,
            kolmogorov_smirnov: fitted.goodness.kolmogorov_smirnov,
            kolmogorov_smirnov_p: fitted.goodness.kolmogorov_smirnov_p,
            anderson_darling: fitted.goodness.anderson_darling,
            anderson_darling_p: fitted.goodness.anderson_darling_p,
            area_difference: fitted.goodness.area,
            mean: fitted.distribution.mean(),
            toml: data.toml(fitted),
        }),
    });
    let intervals = report.intervals.as_ref();
    let parameters = chosen.parameters.iter().enumerate().map(|(index, parameter)| Parameter {
        name: &parameter.name,
        value: parameter.value,
        interval: intervals.map(|all| [all.parameters[index].low, all.parameters[index].high]),
    });
    Found {
        data: &data.name,
        what: data.what,
        unit: match data.unit {
            Unit::None => "none",
            Unit::Bytes => "bytes",
            Unit::Time => "seconds",
        },
        values: Values {
            count: sorted.len(),
            different: report.sample.different(),
            mean: report.sample.mean(),
            standard_deviation: report.sample.deviation(),
            least: sorted[0],
            median: sorted[sorted.len() / 2],
            greatest: sorted[sorted.len() - 1],
            atoms: report.sample.atoms().iter().map(|&(value, share)| Atom { value, share }).collect(),
        },
        notes: report.notes(),
        families: families.collect(),
        chosen: Chosen {
            family: &chosen.label,
            parameters: parameters.collect(),
            mean: chosen.distribution.mean(),
            mean_interval: intervals.map(|all| [all.mean.low, all.mean.high]),
            resamples: intervals.map(|all| all.resamples),
            toml: data.toml(chosen),
        },
    }
}
