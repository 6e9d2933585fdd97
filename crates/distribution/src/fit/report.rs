//! What a fit reports: every family tried, the one chosen, and what was taken apart before.

use super::bootstrap::Intervals;
use super::family::FitFamily;
use super::goodness::{Goodness, goodness};
use super::model::{Model, Parameter, with_atoms};
use super::sample::Sample;
use crate::{Distribution, Draw};
use petrio_units::Measurable;

/// A fitted distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Its family, with the number of stages.
    pub label: String,
    /// Its family; `None` where the values stand for themselves.
    pub family: Option<FitFamily>,
    /// Its parameters, in the order of its text.
    pub parameters: Vec<Parameter>,
    /// How well it fits the values that are not atoms.
    pub goodness: Goodness,
    /// The whole distribution, atoms included.
    pub distribution: Distribution,
    /// The distribution of the values that are not atoms.
    pub continuous: Option<Distribution>,
    pub(super) model: Option<Model>,
    atoms: Vec<(f64, f64)>,
}

impl Fitted {
    pub(super) fn new(
        label: String,
        family: FitFamily,
        model: Model,
        sample: &Sample,
        resolution: f64,
    ) -> Result<Self, String> {
        let model = model.rounded();
        let continuous = model.distribution().map_err(|error| format!("no such distribution: {error}"))?;
        let distribution = with_atoms::<f64>(Some(&model), &sample.atoms)
            .distribution()
            .map_err(|error| format!("no such distribution: {error}"))?;
        let goodness = goodness(&sample.rest, sample.lattice, &continuous, model.freedom(), resolution);
        if !goodness.log_likelihood.is_finite() {
            return Err("its likelihood can't be computed".to_owned());
        }
        Ok(Self {
            label,
            family: Some(family),
            parameters: model.parameters(),
            goodness,
            distribution,
            continuous: Some(continuous),
            model: Some(model),
            atoms: sample.atoms.clone(),
        })
    }

    /// How many numbers the fit chose.
    pub fn freedom(&self) -> usize {
        self.model.as_ref().map_or(0, Model::freedom)
    }

    /// As it is written, for values in the base unit of a quantity.
    pub fn draw<Q: Measurable>(&self) -> Draw<Q> {
        with_atoms(self.model.as_ref(), &self.atoms)
    }
}

/// A family that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Its name, with the number of stages.
    pub label: String,
    /// What came of it, or why it can't explain the values.
    pub outcome: Result<Fitted, String>,
}

/// A stage of a greater shape has a deviation of less than a hundredth of its mean.
const SHAPE_NOTED: f64 = 1e4;

/// Everything about a fit.
#[derive(Clone, Debug)]
pub struct FitReport {
    /// The values.
    pub sample: Sample,
    /// The families tried, in order. Empty where the values stand for themselves.
    pub attempts: Vec<Attempt>,
    /// Intervals of the chosen distribution's parameters, if they were asked for.
    pub intervals: Option<Intervals>,
    chosen: Fitted,
}

impl FitReport {
    pub(super) fn new(sample: Sample, attempts: Vec<Attempt>, chosen: usize) -> Self {
        let best = attempts[chosen].outcome.clone();
        // The caller chose among those that could be fitted.
        let chosen = best.unwrap_or_else(|_| of_atoms(&sample));
        Self { sample, attempts, intervals: None, chosen }
    }

    /// Of a sample in which nothing is continuous.
    pub(super) fn of_atoms(sample: Sample) -> Self {
        let chosen = of_atoms(&sample);
        Self { sample, attempts: vec![], intervals: None, chosen }
    }

    /// The best by BIC.
    pub fn chosen(&self) -> &Fitted {
        &self.chosen
    }

    /// What a reader has to know about how the values were treated, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (n, different) = (self.sample.sorted().len(), self.sample.different());
        match self.sample.atoms() {
            [] => {}
            [(value, _)] if self.attempts.is_empty() => {
                let all = if n == 1 {
                    "there is only one value".to_owned()
                } else {
                    format!("all {n} values are {value}")
                };
                notes.push(format!("{all}: a constant, and nothing to fit"));
            }
            _ if self.attempts.is_empty() => {
                notes.push(format!(
                    "{n} values, but only {different} different ones: they are taken as they are"
                ));
            }
            atoms => {
                for (value, share) in atoms {
                    notes.push(format!(
                        "{:.2} % of the values are exactly {value}: a constant part of the mixture; the figures are of the rest",
                        100.0 * share
                    ));
                }
            }
        }
        if !self.attempts.is_empty() {
            if self.sample.rest.len() < 30 {
                notes.push(format!(
                    "only {} values: many distributions fit them as well",
                    self.sample.rest.len()
                ));
            }
            if self.chosen.parameters.iter().any(|of| of.name.ends_with("shape") && of.value > SHAPE_NOTED) {
                notes.push(
                    "a stage is so narrow that its values are nearly one constant: look at them before you believe it"
                        .to_owned(),
                );
            }
            notes.push(
                "p-values are those of a distribution known beforehand; its parameters are from the same values, so they are too \
                 favourable"
                    .to_owned(),
            );
        }
        notes
    }
}

/// The values as they are.
fn of_atoms(sample: &Sample) -> Fitted {
    let distribution = with_atoms::<f64>(None, &sample.atoms)
        .distribution()
        .unwrap_or_else(|_| Distribution::constant(sample.sorted()[0]));
    Fitted {
        label: if sample.atoms.len() == 1 { "constant" } else { "empirical" }.to_owned(),
        family: None,
        parameters: vec![],
        goodness: Goodness {
            log_likelihood: 0.0,
            bic: 0.0,
            kolmogorov_smirnov: 0.0,
            kolmogorov_smirnov_p: 1.0,
            anderson_darling: 0.0,
            anderson_darling_p: 1.0,
            area: 0.0,
        },
        distribution,
        continuous: None,
        model: None,
        atoms: sample.atoms.clone(),
    }
}
