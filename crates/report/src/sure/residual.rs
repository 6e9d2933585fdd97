//! What a validation missed by, and under which conditions: rows of a table.

use super::class::Class;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What figure a residual is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Bytes, requests or operations a second.
    Throughput,
    /// Mean time of a request or operation.
    MeanLatency,
    /// A quantile of these times: a median, p99, the longest.
    Percentile,
}

/// Which way data went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moves {
    /// Read alone.
    Read,
    /// Written alone.
    Write,
    /// Both, or neither.
    Both,
}

/// What sets the pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Memory and processors: what was asked was cached, or went to a cache.
    Memory,
    /// Devices or links.
    Device,
}

/// How many requests were under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Depth {
    /// One at a time.
    One,
    /// Several.
    Several,
}

/// Under which conditions a figure was measured, or is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Conditions {
    /// Which way data go.
    pub moves: Moves,
    /// What sets the pace.
    pub bound: Bound,
    /// How many requests are under way.
    pub depth: Depth,
}

/// What a prediction missed a measurement by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// Of which class of parts.
    pub class: Class,
    /// Of which figure.
    pub figure: Of,
    /// Which way data went.
    pub moves: Moves,
    /// What set the pace.
    pub bound: Bound,
    /// How many requests were under way.
    pub depth: Depth,
    /// The validation that it is from.
    pub study: String,
    /// What was measured, in words.
    pub case: String,
    /// Whether parameters were fitted to this measurement: then it says nothing about others.
    pub in_sample: bool,
    /// The natural logarithm of predicted over measured.
    pub ln_ratio: f64,
}

/// The columns of a file, in their order.
const COLUMNS: [&str; 9] =
    ["class", "figure", "moves", "bound", "depth", "study", "case", "in_sample", "ln_ratio"];

/// Why a file isn't such a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ResidualsError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and what to do.
    pub message: String,
}

impl Residual {
    /// Of what was predicted and measured, in the same unit; nothing where either is no number above zero.
    pub fn of(
        (class, figure): (Class, Of),
        Conditions { moves, bound, depth }: Conditions,
        (study, case): (&str, String),
        [predicted, measured]: [f64; 2],
    ) -> Option<Self> {
        let ln_ratio = libm::log(predicted / measured);
        let case = case.replace([',', '"', '\n'], ";");
        let (study, in_sample) = (study.to_owned(), false);
        let is_told = predicted > 0.0 && measured > 0.0 && ln_ratio.is_finite();
        is_told.then_some(Self { class, figure, moves, bound, depth, study, case, in_sample, ln_ratio })
    }

    /// The same of a measurement to which something was fitted.
    #[must_use]
    pub fn fitted(self) -> Self {
        Self { in_sample: true, ..self }
    }

    /// The conditions.
    pub const fn conditions(&self) -> Conditions {
        Conditions { moves: self.moves, bound: self.bound, depth: self.depth }
    }

    /// The head of a file, behind its comments.
    pub fn heading() -> String {
        COLUMNS.join(",")
    }

    /// Reads a file: lines that begin with # are comments, then a heading, then a row a residual.
    ///
    /// # Errors
    /// The first line that is none.
    pub fn read(text: &str) -> Result<Vec<Self>, ResidualsError> {
        let mut all = Vec::new();
        let mut is_headed = false;
        for (number, line) in text.lines().enumerate() {
            let refused = |message: String| ResidualsError { line: number + 1, message };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if !is_headed {
                if line != Self::heading() {
                    return Err(refused(format!(
                        "\"{line}\" isn't the heading {}; write it anew with petrio validate residuals",
                        Self::heading()
                    )));
                }
                is_headed = true;
                continue;
            }
            all.push(Self::row(line).map_err(refused)?);
        }
        Ok(all)
    }

    fn row(line: &str) -> Result<Self, String> {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != COLUMNS.len() {
            return Err(format!("{} cells, where there are {} columns", cells.len(), COLUMNS.len()));
        }
        let word = |index: usize| serde_json::Value::from(cells[index]);
        let told = |index: usize| format!("\"{}\" is no {}", cells[index], COLUMNS[index]);
        let ln_ratio: f64 = cells[8].parse().map_err(|_| told(8))?;
        if !ln_ratio.is_finite() {
            return Err(told(8));
        }
        Ok(Self {
            class: serde_json::from_value(word(0)).map_err(|_| told(0))?,
            figure: serde_json::from_value(word(1)).map_err(|_| told(1))?,
            moves: serde_json::from_value(word(2)).map_err(|_| told(2))?,
            bound: serde_json::from_value(word(3)).map_err(|_| told(3))?,
            depth: serde_json::from_value(word(4)).map_err(|_| told(4))?,
            study: cells[5].to_owned(),
            case: cells[6].to_owned(),
            in_sample: cells[7].parse().map_err(|_| told(7))?,
            ln_ratio,
        })
    }
}

impl fmt::Display for Residual {
    /// As a row of a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |value: serde_json::Result<serde_json::Value>| {
            value.ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
        };
        write!(
            f,
            "{},{},{},{},{},{},{},{},{:.6}",
            self.class.name(),
            word(serde_json::to_value(self.figure)),
            word(serde_json::to_value(self.moves)),
            word(serde_json::to_value(self.bound)),
            word(serde_json::to_value(self.depth)),
            self.study,
            self.case,
            self.in_sample,
            self.ln_ratio
        )
    }
}
