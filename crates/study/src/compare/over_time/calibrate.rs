//! A disk's parameters from what was measured of it: those by which the times at all loads are met best, found on every second interval and
//! tried on the others.
//!
//! What is minimised are the logarithms of predicted by measured mean times, of reads and of writes of each bin, by how well each is known.
//! A parameter that the measurement doesn't tell keeps the scenario's value.

use super::Arrivals;
use super::bins::{Bin, Bins, Flow};
use super::keys::{of_kind, scaled, value, written};
use super::rig::{Failure, Predicted, Rig, Setting};
use super::solve::{Solved, solve};
use petrio_kernel::statistics::student_t_quantile;
use petrio_scenario::report::Estimate;
use petrio_scenario::{Loaded, PlacedDisk};
use petrio_workload::over_time::Interval;
use serde::Serialize;

/// With fewer intervals, a half of them is no load at several heights.
const INTERVALS_LEAST: usize = 16;
/// A device that was never busier shows nothing of how much it can do, and little of its times but their floor.
const BUSY_LEAST: f64 = 0.1;
/// What no model of a few parameters is nearer than.
const MODEL_ERROR: f64 = 0.02;
/// A parameter of which half the interval is more than this part of it isn't told.
const TOLD: f64 = 0.4;
/// Bins of each half.
const BINS: (usize, usize) = (8, 2);

/// A parameter that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// Its key, as `--set` takes it.
    pub key: String,
    /// What the scenario says.
    pub scenario: String,
    /// What the measurement says.
    pub fitted: String,
    /// The one by the other, with the interval of what is found.
    pub factor: Estimate,
}

/// A parameter that wasn't.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotFitted {
    /// Its key.
    pub key: String,
    /// Why it keeps the scenario's value.
    pub why: String,
}

/// How far predictions are off on the intervals that nothing was fitted to: the geometric mean of the ratios' distances from one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OnHeldOut {
    /// How many intervals.
    pub intervals: usize,
    /// With the scenario's parameters; a part of what was measured.
    pub before: f64,
    /// With those that were found.
    pub after: f64,
}

/// What a disk's parameters are by the measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// How long a request took at the least load, seconds: what no wait is in.
    pub floor_s: f64,
    /// The requests a second of that load.
    pub floor_per_s: f64,
    /// The most requests a second of an interval.
    pub ceiling_per_s: f64,
    /// The most bytes a second of an interval.
    pub ceiling_bytes_per_s: f64,
    /// The part of the time in which the device was busy at most, where it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest: Option<f64>,
    /// To how many intervals it was fitted.
    pub fitted_to: usize,
    /// What was found.
    pub fitted: Vec<Fitted>,
    /// What keeps the scenario's value.
    pub not_fitted: Vec<NotFitted>,
    /// How far off predictions are, on the intervals that weren't looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<OnHeldOut>,
    /// Why there is no patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Fits a disk's parameters.
pub(super) fn calibrate(
    (loaded, disk): (&Loaded, &PlacedDisk),
    rig: &Rig,
    intervals: &[Interval],
    (arrivals, level): (Arrivals, f64),
) -> Result<Calibration, Failure> {
    let counts = |&number: &usize| {
        let interval = &intervals[number];
        interval.rate() > 0.0 && interval.await_of_both().is_some_and(|taken| taken > 0.0)
    };
    let usable: Vec<usize> = (0..intervals.len()).filter(counts).collect();
    let half = |first: usize| -> Vec<usize> { usable.iter().copied().skip(first).step_by(2).collect() };
    let seen = seen(intervals, &usable, arrivals);
    let refused = |why: String| Ok(Calibration { refused: Some(why), ..seen.clone() });
    if let Some(why) = too_little(&seen, usable.len()) {
        return refused(why);
    }
    let keys = match of_kind(rig.kind()) {
        Ok(keys) => keys,
        Err(why) => return refused(format!("of a device of kind {}, {why}", rig.kind())),
    };
    let [to_fit, to_try] = [half(0), half(1)].map(|half| Bins::of_some(intervals, &half, BINS, arrivals));
    let (Some(to_fit), Some(to_try)) = (to_fit, to_try) else {
        return refused("half of its intervals have no requests".to_owned());
    };
    let quick = rig.with(rig.requests() / 2, 2);
    let path = loaded.written(&format!("disk.{}", disk.part)).to_owned();
    let mut fit =
        Fit { rig: &quick, bins: &to_fit.all, level, keys: Vec::new(), path, not_fitted: Vec::new() };
    for &key in keys {
        match value(rig.drive(), key) {
            Some(_) => fit.keys.push(key),
            None => fit.leave(key, "the scenario's drive doesn't have it"),
        }
    }
    let solved = fit.found()?;
    let settings = fit.settings(&solved.at);
    let t = student_t_quantile(f64::midpoint(1.0, level), (to_fit.counted().max(3) - 2) as f64);
    let fitted = fit.fitted(&solved, &settings, t);
    let not_fitted = fit.not_fitted;
    let silent = || ();
    let [before, after] = [&[][..], &settings[..]].map(|settings| {
        let predicted = rig.predict(&to_try.all, settings, level, &silent)?;
        Ok::<f64, Failure>(off(&to_try.all, &predicted))
    });
    let held_out = OnHeldOut { intervals: to_try.counted(), before: before?, after: after? };
    let refused = no_better(&fitted, held_out);
    Ok(Calibration {
        fitted_to: to_fit.counted(),
        fitted,
        not_fitted,
        held_out: Some(held_out),
        refused,
        ..seen
    })
}

/// Why what was measured tells too little of a device.
fn too_little(seen: &Calibration, usable: usize) -> Option<String> {
    if usable < INTERVALS_LEAST {
        return Some(format!(
            "there are {usable} intervals with requests, and {INTERVALS_LEAST} are needed: half of them to fit, half to try"
        ));
    }
    let busiest = seen.busiest.filter(|busiest| *busiest < BUSY_LEAST)?;
    Some(format!(
        "the device was never busier than {:.1} % of an interval, which tells nothing of how much it can do; measure it under load",
        busiest * 100.0
    ))
}

/// Why what was found is none the better.
fn no_better(fitted: &[Fitted], held_out: OnHeldOut) -> Option<String> {
    if fitted.is_empty() {
        return Some("the measurement tells none of the disk's parameters".to_owned());
    }
    (held_out.after >= held_out.before).then(|| {
        format!(
            "what was found predicts the other intervals no better than the scenario does: off by {:.1} % against {:.1} %",
            held_out.after * 100.0,
            held_out.before * 100.0
        )
    })
}

/// The floor and the ceiling that are seen.
fn seen(intervals: &[Interval], usable: &[usize], arrivals: Arrivals) -> Calibration {
    let most = |of: &dyn Fn(&Interval) -> f64| {
        usable.iter().map(|&number| of(&intervals[number])).fold(0.0, f64::max)
    };
    let bins = Bins::of_some(intervals, usable, BINS, arrivals);
    let least = bins.as_ref().and_then(|bins| bins.all.first());
    let told = usable.iter().any(|&number| intervals[number].busy.is_some());
    Calibration {
        floor_s: least.and_then(|bin| bin.both.taken).map_or(0.0, |taken| taken.value),
        floor_per_s: least.map_or(0.0, |bin| bin.both.per_s),
        ceiling_per_s: most(&Interval::rate),
        ceiling_bytes_per_s: most(&|interval| interval.reads.bytes_per_s + interval.writes.bytes_per_s),
        busiest: told.then(|| most(&|interval| interval.busy.unwrap_or(0.0))),
        ..Calibration::default()
    }
}

/// What is fitted to what.
struct Fit<'f> {
    rig: &'f Rig,
    bins: &'f [Bin],
    level: f64,
    keys: Vec<&'static str>,
    path: String,
    not_fitted: Vec<NotFitted>,
}

impl Fit<'_> {
    fn key(&self, key: &str) -> String {
        format!("{}.drive.{key}", self.path)
    }

    fn leave(&mut self, key: &str, why: &str) {
        self.not_fitted.push(NotFitted { key: self.key(key), why: why.to_owned() });
    }

    /// What was found of each parameter, with the half-width of `t` standard errors.
    fn fitted(&self, solved: &Solved, settings: &[Setting], t: f64) -> Vec<Fitted> {
        let known = self.keys.iter().zip(solved.at.iter().zip(&solved.errors)).zip(settings);
        known
            .map(|((key, (at, error)), (_, new))| {
                let factor = libm::exp(*at);
                Fitted {
                    key: self.key(key),
                    scenario: value(self.rig.drive(), key).map(written).unwrap_or_default(),
                    fitted: written(new),
                    factor: Estimate { value: factor, half_width: Some(factor * error * t) },
                }
            })
            .collect()
    }

    /// The parameters that the measurement tells: the one that it tells least is left out, until all are told.
    fn found(&mut self) -> Result<Solved, Failure> {
        loop {
            if self.keys.is_empty() {
                return Ok(Solved { at: Vec::new(), errors: Vec::new(), sensitivity: Vec::new() });
            }
            let Some(solved) = self.solved()? else {
                self.keys.clear();
                continue;
            };
            let untold = (0..self.keys.len()).filter(|&place| solved.errors[place] * 2.0 >= TOLD);
            let Some(worst) = untold.min_by(|&a, &b| solved.sensitivity[a].total_cmp(&solved.sensitivity[b]))
            else {
                return Ok(solved);
            };
            let key = self.keys.remove(worst);
            self.leave(key, "the loads and sizes that there were don't tell it");
        }
    }

    /// First by how well the measurement is known; then, from there, also by how well the prediction is.
    fn solved(&self) -> Result<Option<Solved>, Failure> {
        let nothing = vec![0.0; self.keys.len()];
        let first = self.weighted(&nothing, None)?;
        let Some(first) = first else { return Ok(None) };
        let Some(predicted) = self.predicted(&first.at)? else { return Ok(None) };
        let second = self.weighted(&first.at, Some(&predicted))?;
        Ok(second.map(|second| Solved {
            at: first.at.iter().zip(&second.at).map(|(first, second)| first + second).collect(),
            ..second
        }))
    }

    fn weighted(&self, from: &[f64], known: Option<&[Predicted]>) -> Result<Option<Solved>, Failure> {
        let mut residuals = |at: &[f64]| {
            let at: Vec<f64> = from.iter().zip(at).map(|(from, at)| from + at).collect();
            let predicted = self.predicted(&at)?;
            Ok(predicted.map(|predicted| self.residuals(&predicted, known)))
        };
        solve(self.keys.len(), &mut residuals)
    }

    fn predicted(&self, at: &[f64]) -> Result<Option<Vec<Predicted>>, Failure> {
        match self.rig.predict(self.bins, &self.settings(at), self.level, &|| ()) {
            Ok(predicted) => Ok(Some(predicted)),
            // Figures that no drive has together.
            Err(Failure::Scenario(_)) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn settings(&self, at: &[f64]) -> Vec<Setting> {
        let set = |(key, at): (&&'static str, &f64)| {
            Some((*key, scaled(value(self.rig.drive(), key)?, libm::exp(*at))?))
        };
        self.keys.iter().zip(at).filter_map(set).collect()
    }

    fn residuals(&self, predicted: &[Predicted], known: Option<&[Predicted]>) -> Vec<f64> {
        let t = student_t_quantile(f64::midpoint(1.0, self.level), 1.0);
        let mut all = Vec::new();
        for (place, (bin, now)) in self.bins.iter().zip(predicted).enumerate() {
            let known = known.map(|known| sorts(bin, &known[place]));
            for (number, (measured, now)) in sorts(bin, now).into_iter().enumerate() {
                let Some((measured, now)) = measured.zip(now) else { continue };
                let part =
                    |estimate: Estimate, by: f64| estimate.half_width.unwrap_or(0.0) / estimate.value / by;
                // A bin's half-width is its standard error.
                let own = part(measured, 1.0);
                let run = known.as_ref().and_then(|known| known[number].1).map_or(0.0, |run| part(run, t));
                let error = libm::sqrt(own * own + run * run + MODEL_ERROR * MODEL_ERROR);
                all.push(libm::log(now.value / measured.value) / error);
            }
        }
        all
    }
}

/// Reads and writes of a bin, or both where they were counted together: measured and predicted.
fn sorts(bin: &Bin, predicted: &Predicted) -> Vec<(Option<Estimate>, Option<Estimate>)> {
    let told = |flow: &Flow| flow.taken.is_some();
    if bin.together || !(told(&bin.reads) || told(&bin.writes)) {
        return vec![(bin.both.taken, predicted.both)];
    }
    vec![(bin.reads.taken, predicted.reads), (bin.writes.taken, predicted.writes)]
}

/// How far predictions are off on average.
fn off(bins: &[Bin], predicted: &[Predicted]) -> f64 {
    let ratios: Vec<f64> = (bins.iter().zip(predicted))
        .flat_map(|(bin, predicted)| sorts(bin, predicted))
        .filter_map(|(measured, predicted)| Some(libm::log(predicted?.value / measured?.value).abs()))
        .collect();
    libm::exp(ratios.iter().sum::<f64>() / ratios.len().max(1) as f64) - 1.0
}
