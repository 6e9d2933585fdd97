//! Distributions fitted to values: which family, how many stages, with which parameters, and how well.
//!
//! ```text
//!  values ─ Sample (checked, sorted, atoms apart) ─ Points (some thousand, weighted)
//!                                │                     ├─ single    families of one or two parameters
//!                                │                     ├─ shifts    gamma and exponential stages: search over offsets, EM, polish
//!                                │                     └─ erlang    hyper-Erlang branches
//!                                └──── all values ──▶ goodness: likelihood, BIC, KS, A², area ──▶ the family of least BIC
//!                                                     bootstrap: intervals of its parameters
//! ```
//!
//! Kao's workload generator (1991, §5.1) describes files and their use by multi-stage gamma and phase-type exponential
//! distributions. Their likelihood has singularities (a stage of shape below 1 that begins at a value, a stage that
//! gathers about one), so densities are bounded (`points`), and its maximum depends on where each stage begins, so
//! offsets are searched.
//!
//! ```
//! use petrio_distribution::fit::{FitOptions, fit};
//! let values: Vec<f64> = (1..=400).map(|i| -8.0 * (1.0 - (f64::from(i) - 0.5) / 400.0).ln()).collect();
//! let report = fit(&values, &FitOptions::default(), &|_| {})?;
//! let chosen = report.chosen();
//! assert_eq!(chosen.label, "exponential");
//! assert!((chosen.distribution.mean() - 8.0).abs() < 0.1);
//! # Ok::<(), petrio_distribution::fit::FitError>(())
//! ```

mod bobbio_telek;
mod bootstrap;
mod density;
mod erlang;
mod error;
mod family;
mod goodness;
mod model;
mod points;
mod polish;
mod progress;
mod report;
mod sample;
mod shifts;
mod single;
mod stages;

#[cfg(test)]
mod tests;

pub use bobbio_telek::{TestDensity, test_densities};
pub use bootstrap::{Interval, Intervals};
pub use density::{DensityFit, area_difference, fit_density};
pub use error::FitError;
pub use family::FitFamily;
pub use goodness::{Distances, Goodness};
pub use model::Parameter;
pub use progress::Progress;
pub use report::{Attempt, FitReport, Fitted};
pub use sample::Sample;

use model::Model;
use points::{ALL, COARSE, FINE, Points};
use rayon::prelude::*;
use stages::Kind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How parameters are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The parameters under which the values are most likely.
    #[default]
    Likelihood,
    /// Those with the values' mean and variance (for a gamma stage the skewness too); one stage at most.
    Moments,
}

/// What to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// The families to try.
    pub families: Vec<FitFamily>,
    /// How many gamma stages and exponential phases; `None`: one to [`FitOptions::STAGES_TRIED`], the best by BIC.
    pub stages: Option<usize>,
    /// How many phases a hyper-Erlang distribution has, over all its branches.
    pub phases: u32,
    /// How parameters are found.
    pub method: Method,
    /// How many resamples the intervals are made of; 0: none.
    pub bootstrap: usize,
    /// Of the resamples.
    pub seed: u64,
}

impl FitOptions {
    /// The most stages that are tried where their number is to be chosen.
    pub const STAGES_TRIED: usize = 4;
    /// The most stages that can be asked for.
    pub const STAGES_MAX: usize = 12;
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            families: FitFamily::ALL.to_vec(),
            stages: None,
            phases: 8,
            method: Method::Likelihood,
            bootstrap: 0,
            seed: 1,
        }
    }
}

/// One thing to try.
#[derive(Clone, Copy, Debug)]
struct Plan {
    family: FitFamily,
    stages: usize,
}

impl Plan {
    fn label(self, phases: u32) -> String {
        match self.family {
            family if family.has_stages() => {
                let plural = if self.stages == 1 { "" } else { "s" };
                format!("{}, {} stage{plural}", family.name(), self.stages)
            }
            FitFamily::HyperErlang => format!("hyper-erlang, {phases} phases"),
            family => family.name().to_owned(),
        }
    }
}

/// Fits every family that was asked for, and chooses the one of least BIC.
///
/// `progress` hears of every family tried and every resample fitted, from several threads. The result depends on values
/// and options alone.
///
/// # Errors
/// No value; a value that is no finite number, with its position; no family that can explain the values, with each
/// one's reason; a number of stages that can't be, or that nothing has.
pub fn fit(
    values: &[f64],
    options: &FitOptions,
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<FitReport, FitError> {
    let sample = Sample::new(values)?;
    if options.stages.is_some_and(|stages| !(1..=FitOptions::STAGES_MAX).contains(&stages)) {
        let stages = options.stages.unwrap_or_default();
        return Err(FitError::Stages { stages, most: FitOptions::STAGES_MAX });
    }
    if options.stages.is_some() {
        if options.method == Method::Moments {
            return Err(FitError::NoStages { what: "the method of moments".to_owned() });
        }
        if !options.families.iter().any(|family| family.has_stages()) {
            let families: Vec<&str> = options.families.iter().map(|family| family.name()).collect();
            return Err(FitError::NoStages { what: format!("the family {}", families.join(", ")) });
        }
    }
    if sample.rest.is_empty() {
        return Ok(FitReport::of_atoms(sample));
    }
    let spread = sample.spread();
    let (coarse, fine) = (Points::of_sorted(&spread, COARSE), Points::of_sorted(&spread, FINE));
    let all = Points::of_sorted(&spread, ALL);
    let plans = plans(options);
    let done = AtomicUsize::new(0);
    let attempts: Vec<Attempt> = plans
        .par_iter()
        .map(|plan| {
            let outcome = attempt(*plan, &sample, [&coarse, &fine, &all], options);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(&Progress { what: "families".to_owned(), done, of: plans.len() });
            Attempt { label: plan.label(options.phases), outcome }
        })
        .collect();
    let fitted = |attempt: &Attempt| attempt.outcome.as_ref().ok().map(|fitted| fitted.goodness.bic);
    let best = (0..attempts.len())
        .filter_map(|i| fitted(&attempts[i]).map(|bic| (bic, i)))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, chosen)) = best else {
        let reasons = attempts.iter().filter_map(|attempt| {
            attempt.outcome.as_ref().err().map(|reason| format!("{}: {reason}", attempt.label))
        });
        return Err(FitError::NoFamily { reasons: reasons.collect::<Vec<_>>().join("; ") });
    };
    let mut report = FitReport::new(sample, attempts, chosen);
    if options.bootstrap > 0
        && options.method == Method::Likelihood
        && let Some(model) = report.chosen().model.clone()
    {
        let points = Points::of_sorted(&report.sample.spread(), 2 * COARSE);
        let (n, lowest) = (report.sample.rest.len(), report.sample.lowest());
        report.intervals =
            bootstrap::intervals(&points, n, &model, lowest, options.bootstrap, options.seed, progress)
                .map(|intervals| intervals.beside(&report.sample.atoms));
    }
    Ok(report)
}

/// Everything to try, the longest first so that threads end together.
fn plans(options: &FitOptions) -> Vec<Plan> {
    let mut plans = Vec::new();
    for &family in &options.families {
        let stages = match (family.has_stages(), options.stages, options.method) {
            (false, ..) | (_, _, Method::Moments) => 1..=1,
            (true, Some(stages), _) => stages..=stages,
            (true, None, _) => 1..=FitOptions::STAGES_TRIED,
        };
        plans.extend(stages.map(|stages| Plan { family, stages }));
    }
    plans
}

fn attempt(
    plan: Plan,
    sample: &Sample,
    points: [&Points; 3],
    options: &FitOptions,
) -> Result<Fitted, String> {
    let [_, fine, _] = points;
    if let Some(reason) = plan.family.refusal(sample) {
        return Err(reason);
    }
    let model = match options.method {
        Method::Moments => single::by_moments(fine, plan.family, sample.lowest())?,
        Method::Likelihood => by_likelihood(plan, points, sample.lowest(), options.phases),
    };
    // Each free number needs a few values, or it only repeats them.
    const VALUES_PER_PARAMETER: usize = 3;
    let (freedom, n) = (model.freedom(), sample.rest.len());
    if freedom > 2 && n < VALUES_PER_PARAMETER * freedom {
        return Err(format!("{freedom} parameters need at least {} values", VALUES_PER_PARAMETER * freedom));
    }
    Fitted::new(plan.label(options.phases), plan.family, model, sample, fine.resolution)
}

fn by_likelihood(plan: Plan, [coarse, fine, all]: [&Points; 3], lowest: f64, phases: u32) -> Model {
    match plan.family {
        FitFamily::Gamma => {
            Model::Gamma(shifts::fit_shifted(coarse, fine, plan.stages, Kind::Gamma, lowest).0)
        }
        FitFamily::PhaseType => {
            Model::PhaseType(shifts::fit_shifted(coarse, fine, plan.stages, Kind::FixedShapes, lowest).0)
        }
        FitFamily::HyperErlang => Model::HyperErlang(erlang::fit_hyper_erlang(coarse, fine, phases).0),
        FitFamily::Exponential => single::exponential(all),
        FitFamily::Normal => single::normal(all),
        FitFamily::Uniform => single::uniform(all),
        FitFamily::Lognormal => single::lognormal(all),
        FitFamily::Pareto => single::pareto(all),
        FitFamily::Weibull => single::weibull(all),
    }
}
