//! Why a distribution can't be, in words for the person who wrote it.

use thiserror::Error;

/// A distribution with a parameter that makes no sense. The message names the family, the parameter and its place, and
/// says what would do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.sentence())]
pub struct DistributionError {
    /// The family, as the text form names it: `gamma`.
    family: &'static str,
    /// Where the parameter stands in it: `stages.1.scale`; empty where it is the whole.
    parameter: String,
    /// What is wrong, and what to do.
    problem: String,
}

impl DistributionError {
    pub(crate) fn new(family: &'static str, parameter: &str, problem: impl Into<String>) -> Self {
        Self { family, parameter: parameter.to_owned(), problem: problem.into() }
    }

    /// The same, of a part of something larger: its path gets longer at the front, and the larger one names the family.
    pub(crate) fn within(self, family: &'static str, place: &str) -> Self {
        let own = if self.family == family { String::new() } else { format!("{}.", self.family) };
        let path = format!("{place}.{own}{}", self.parameter);
        Self { family, parameter: path.trim_end_matches('.').to_owned(), problem: self.problem }
    }

    /// The family, as the text form names it: `gamma`.
    pub const fn family(&self) -> &'static str {
        self.family
    }

    /// The path of the parameter within the distribution's text: `stages.1.scale`; empty where it is the whole.
    pub fn parameter(&self) -> &str {
        &self.parameter
    }

    /// What is wrong with it, and what would do.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    fn sentence(&self) -> String {
        match self.parameter.as_str() {
            "" => format!("{}: {}", self.family, self.problem),
            path => format!("{}: {path} {}", self.family, self.problem),
        }
    }
}

/// Refuses what isn't a finite number.
pub(crate) fn finite(family: &'static str, parameter: &str, value: f64) -> Result<(), DistributionError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(DistributionError::new(family, parameter, format!("is {value}; it must be a finite number")))
}

/// Refuses what isn't finite and more than zero.
pub(crate) fn positive(family: &'static str, parameter: &str, value: f64) -> Result<(), DistributionError> {
    finite(family, parameter, value)?;
    if value > 0.0 {
        return Ok(());
    }
    Err(DistributionError::new(family, parameter, format!("is {value}; it must be more than zero")))
}

/// Refuses what isn't finite and zero or more.
pub(crate) fn not_negative(
    family: &'static str,
    parameter: &str,
    value: f64,
) -> Result<(), DistributionError> {
    finite(family, parameter, value)?;
    if value >= 0.0 {
        return Ok(());
    }
    Err(DistributionError::new(family, parameter, format!("is {value}; it can't be negative")))
}
