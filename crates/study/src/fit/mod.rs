//! Distributions fitted to data: from a file of numbers or a trace to a table of families, the text to paste, JSON and
//! a page.

mod html;
mod json;
mod measure;
mod numbers;
pub mod table;

pub use html::write_html;
pub use json::{json_text, write_json};
pub use measure::Measure;
use miette::Diagnostic;
pub use numbers::{NumbersError, Unit};
use petrio_units::numbers::whole_part;

use petrio_distribution::Distribution;
use petrio_distribution::fit::{FitError, FitOptions, FitReport, Fitted, Progress, fit};
use petrio_files::inputs::Inputs;
use petrio_trace::{TraceError, TraceOptions};
use petrio_units::{Bytes, Duration};
use std::io::Read;
use std::path::Path;
use thiserror::Error;

/// Where the values are from.
pub enum Data<'a> {
    /// Text: a number a line, or a column of a table.
    Text {
        /// The name in messages.
        name: String,
        /// The text.
        source: Box<dyn Read + 'a>,
        /// Which column of a table, by its name or its number from 1.
        column: Option<&'a str>,
        /// What the numbers measure.
        unit: Unit,
    },
    /// A measure of a trace.
    Trace {
        /// Where it lies.
        inputs: &'a Inputs,
        /// The trace, in any format that petrio reads.
        path: &'a Path,
        /// What is measured.
        measure: Measure,
        /// How it is read.
        options: Box<TraceOptions>,
    },
}

/// Why nothing was fitted.
#[derive(Debug, Diagnostic, Error)]
pub enum FitStudyError {
    /// The text is no list of numbers.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Numbers(#[from] NumbersError),
    /// The trace can't be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] Box<TraceError>),
    /// The trace has nothing to measure.
    #[error("{name}: the trace tells nothing of {measure}")]
    #[diagnostic(help("measure something else: {}", Measure::ALL.map(Measure::name).join(", ")))]
    NothingMeasured {
        /// The trace.
        name: String,
        /// What was to be measured.
        measure: &'static str,
    },
    /// The values can't be fitted.
    #[error("{name}: {cause}{place}")]
    #[diagnostic(forward(cause))]
    Fit {
        /// The data.
        name: String,
        /// Where the value stands, if it is one value's fault.
        place: String,
        /// What is wrong.
        cause: FitError,
    },
}

/// Fitted data.
#[derive(Clone, Debug)]
pub struct FittedData {
    /// The data's name.
    pub name: String,
    /// What the numbers are, in words: `values`, `think times`.
    pub what: &'static str,
    /// The key under which the distribution is pasted.
    pub key: &'static str,
    /// What they measure.
    pub unit: Unit,
    /// Families, the choice, intervals.
    pub report: FitReport,
}

impl FittedData {
    /// A fitted distribution as TOML, ready to paste: `key = { … }`.
    pub fn toml(&self, fitted: &Fitted) -> String {
        let value = match self.unit {
            Unit::None => toml::Value::try_from(fitted.draw::<f64>()),
            Unit::Bytes => toml::Value::try_from(fitted.draw::<Bytes>()),
            Unit::Time => toml::Value::try_from(fitted.draw::<Duration>()),
        };
        // Numbers, texts and tables of them always have a TOML form.
        value.map(|value| format!("{} = {value}", self.key)).unwrap_or_default()
    }

    /// The chosen distribution's CDF as a file's lines: a point and the probability of as much or less, at equal steps of
    /// probability, the rarest in a million left out at both ends. A scenario reads it by
    /// `cumulative-table = { file = "…", interpolation = "linear" }`.
    pub fn table(&self) -> String {
        const STEPS: u32 = 256;
        // Of the last step each half is a step of its own, until the rest is that rare.
        const HALVES: u32 = 20;
        let unit = match self.unit {
            Unit::None => "",
            Unit::Bytes => " B",
            Unit::Time => " s",
        };
        let chosen = self.report.chosen();
        let of = &chosen.distribution;
        let half_so_often = |times: u32| 1.0 / f64::from(1_u32 << times);
        let rarest = half_so_often(HALVES);
        let equal = (0..STEPS).map(|step| (f64::from(step) / f64::from(STEPS)).max(rarest));
        let halves = (9..=HALVES).map(|half| 1.0 - half_so_often(half));
        let mut points: Vec<(f64, f64)> = Vec::new();
        for x in equal.chain(halves).map(|p| of.quantile(p)) {
            if points.last().is_none_or(|(last, _)| x > *last) {
                points.push((x, of.cdf(x)));
            }
        }
        if let Some((_, p)) = points.last_mut() {
            *p = 1.0;
        }
        let mut lines = format!("# {} of {}: {}\n", self.what, self.name, chosen.label);
        points.iter().for_each(|(x, p)| lines.push_str(&format!("{x}{unit}, {p}\n")));
        lines
    }

    /// A number of the data's unit, as a person reads it.
    pub fn figure(&self, value: f64) -> String {
        use petrio_page::numbers::{bytes, seconds, significant};
        match self.unit {
            Unit::None => significant(value),
            // Below a KiB the fraction counts.
            Unit::Bytes if value.abs() < 1024.0 => format!("{} B", significant(value)),
            Unit::Bytes => bytes(whole_part(value)),
            Unit::Time => seconds(value),
        }
    }

    /// The distributions of the best families, the chosen one first, with their names; at most so many.
    pub fn best(&self, most: usize) -> Vec<(&str, &Distribution)> {
        let chosen = self.report.chosen();
        let mut others: Vec<&Fitted> =
            self.report.attempts.iter().filter_map(|attempt| attempt.outcome.as_ref().ok()).collect();
        others.sort_by(|a, b| a.goodness.bic.total_cmp(&b.goodness.bic));
        let mut names = vec![(chosen.label.as_str(), &chosen.distribution)];
        // One of each family: its other numbers of stages look the same.
        let mut families = vec![chosen.family];
        for fitted in others {
            if !families.contains(&fitted.family) {
                families.push(fitted.family);
                names.push((&fitted.label, &fitted.distribution));
            }
        }
        names.truncate(most);
        names
    }
}

/// Reads the data and fits it. `progress` is told from several threads.
///
/// # Errors
/// [`FitStudyError`].
pub fn fit_data(
    data: Data<'_>,
    options: &FitOptions,
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<FittedData, FitStudyError> {
    let (name, what, key, unit, values, lines) = match data {
        Data::Text { name, source, column, unit } => {
            let numbers = numbers::read(&name, source, column, unit)?;
            (name, "values", "distribution", unit, numbers.values, numbers.lines)
        }
        Data::Trace { inputs, path, measure, options } => {
            let values = measure.of_trace(inputs, path, &options)?;
            let name = path.to_string_lossy().into_owned();
            if values.is_empty() {
                return Err(FitStudyError::NothingMeasured { name, measure: measure.plural() });
            }
            (name, measure.plural(), measure.key(), measure.unit(), values, vec![])
        }
    };
    let report = fit(&values, options, progress).map_err(|cause| {
        let place = match &cause {
            FitError::NotFinite { position, .. } | FitError::TooLarge { position, .. } => {
                lines.get(position - 1).map_or_else(String::new, |line| format!(" (line {line})"))
            }
            _ => String::new(),
        };
        FitStudyError::Fit { name: name.clone(), place, cause }
    })?;
    Ok(FittedData { name, what, key, unit, report })
}
