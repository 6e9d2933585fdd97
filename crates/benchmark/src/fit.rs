//! The speed of fitting: a million values by three shifted gamma stages, beside the cost of merely sorting them, and
//! the nine test densities of the field.

use petrio_distribution::fit::{
    DensityFit, FitError, FitFamily, FitOptions, area_difference, fit, fit_density, test_densities,
};
use petrio_distribution::{Distribution, DistributionError, Gamma, Mixture};
use petrio_random::generator;
use serde::Serialize;
use std::hint::black_box;
use std::time::Instant;
use thiserror::Error;

/// Values that are fitted.
pub const VALUES: usize = 1_000_000;

/// What the values are drawn from: three stages that overlap.
const TRUTH: [(f64, f64, f64, f64); 3] =
    [(0.5, 1.5, 800.0, 0.0), (0.3, 6.0, 500.0, 4_096.0), (0.2, 2.0, 3_000.0, 9_000.0)];

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct FitSpeed {
    /// Values.
    pub values: usize,
    /// Wall-clock time of the fit, with its statistics over all values, seconds.
    pub seconds: f64,
    /// Values a second.
    pub values_per_s: f64,
    /// Wall-clock time of sorting the values, which any fit has to do, seconds.
    pub sort_seconds: f64,
    /// The fit's time over the sort's.
    pub times_sort: f64,
    /// ∫ |f − f̂| between the fit and what the values were drawn from: a check that something was fitted.
    pub area_to_truth: f64,
}

impl FitSpeed {
    /// Headings of [`FitSpeed::cells`].
    pub const HEADINGS: [&str; 6] =
        ["values", "seconds", "values/s", "sorting them, s", "× sorting", "area to the truth"];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.values.to_string(),
            format!("{:.2}", self.seconds),
            format!("{:.0}", self.values_per_s),
            format!("{:.3}", self.sort_seconds),
            format!("{:.1}", self.times_sort),
            format!("{:.4}", self.area_to_truth),
        ]
    }
}

/// One of the nine densities, fitted twice.
#[derive(Clone, Debug, Serialize)]
pub struct DensityRow {
    /// Its name in the benchmark of Bobbio and Telek (1994).
    pub density: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Area difference of a fit by three shifted gamma stages.
    pub gamma_area: f64,
    /// Its mean over the density's, less one.
    pub gamma_mean_error: f64,
    /// Its second moment over the density's, less one.
    pub gamma_second_moment_error: f64,
    /// Area difference of a fit by a hyper-Erlang distribution of eight phases.
    pub erlang_area: f64,
    /// Its mean over the density's, less one.
    pub erlang_mean_error: f64,
    /// Its second moment over the density's, less one.
    pub erlang_second_moment_error: f64,
}

impl DensityRow {
    /// Headings of [`DensityRow::cells`].
    pub const HEADINGS: [&str; 8] = [
        "density",
        "",
        "3 gamma stages: area",
        "mean",
        "2nd moment",
        "8 Erlang phases: area",
        "mean",
        "2nd moment",
    ];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        let error = |error: f64| format!("{:+.2} %", 100.0 * error);
        vec![
            self.density.to_owned(),
            self.what.to_owned(),
            format!("{:.4}", self.gamma_area),
            error(self.gamma_mean_error),
            error(self.gamma_second_moment_error),
            format!("{:.4}", self.erlang_area),
            error(self.erlang_mean_error),
            error(self.erlang_second_moment_error),
        ]
    }
}

/// Everything measured.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The fit of many values.
    pub speed: FitSpeed,
    /// The nine densities.
    pub densities: Vec<DensityRow>,
}

/// Why there is no figure; a bug.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A distribution is wrong.
    #[error(transparent)]
    Distribution(#[from] DistributionError),
    /// The values can't be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
}

/// Fits so many values and the nine densities.
///
/// # Errors
/// [`BenchError`], which is a bug.
pub fn measure(values: usize) -> Result<Found, BenchError> {
    Ok(Found { speed: speed(values)?, densities: densities()? })
}

fn speed(values: usize) -> Result<FitSpeed, BenchError> {
    let stages = TRUTH.map(|(weight, shape, scale, offset)| Ok((weight, Gamma::new(shape, scale, offset)?)));
    let stages = stages.into_iter().collect::<Result<Vec<_>, DistributionError>>()?;
    let truth = Distribution::from(Mixture::new(stages)?);
    let mut random = generator(1, 0, "bench", "fit");
    let drawn: Vec<f64> = (0..values).map(|_| truth.sample(&mut random)).collect();

    let mut copy = drawn.clone();
    let began = Instant::now();
    copy.sort_unstable_by(f64::total_cmp);
    let sort_seconds = began.elapsed().as_secs_f64();
    black_box(&copy);

    let options =
        FitOptions { families: vec![FitFamily::Gamma], stages: Some(TRUTH.len()), ..FitOptions::default() };
    let began = Instant::now();
    let report = fit(&drawn, &options, &|_| {})?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(FitSpeed {
        values,
        seconds,
        values_per_s: values as f64 / seconds,
        sort_seconds,
        times_sort: seconds / sort_seconds,
        area_to_truth: area_difference(&truth, &report.chosen().distribution),
    })
}

fn densities() -> Result<Vec<DensityRow>, BenchError> {
    let row = |density: petrio_distribution::fit::TestDensity| {
        let target = &density.distribution;
        let gamma = fit_density(target, DensityFit::Gamma(3))?;
        let erlang = fit_density(target, DensityFit::HyperErlang(8))?;
        let error = |fit: &Distribution, k: u32| fit.moment(k) / target.moment(k) - 1.0;
        Ok(DensityRow {
            density: density.name,
            what: density.what,
            gamma_area: area_difference(target, &gamma),
            gamma_mean_error: error(&gamma, 1),
            gamma_second_moment_error: error(&gamma, 2),
            erlang_area: area_difference(target, &erlang),
            erlang_mean_error: error(&erlang, 1),
            erlang_second_moment_error: error(&erlang, 2),
        })
    };
    test_densities()?.into_iter().map(row).collect()
}
