//! How a claim of the study is judged: by what it says, or, where it is known to miss that, by the figures that we have instead.
//!
//! A known miss is pinned: its figures have to stay where they were when its reason was written down. If they drift, for the better
//! or the worse, the reason may no longer be the reason, and the row says so.

use crate::verdict::{Judged, Judgement};

/// Within which factor a ratio holds that the text gives.
pub(super) const FACTOR: f64 = 1.5;
/// A gain that the text tells has to be seen: at least so many times.
pub(super) const GAIN: f64 = 1.05;
/// How far a figure of a known miss may lie from the one that is known.
const DRIFT: f64 = 0.1;

/// What a claim asks of each of its figures.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
    /// This ratio, which is a gain, within a factor of 1.5.
    Gain(f64),
}

impl Limit {
    /// By how much a figure misses it; what is no number stays none.
    fn off(self, value: f64) -> f64 {
        let beyond = |missing: f64| if missing <= 0.0 { 0.0 } else { missing };
        match self {
            Self::AtLeast(least) => beyond(least - value),
            Self::AtMost(most) => beyond(value - most),
            Self::Gain(told) => {
                let factor = beyond((value / told).max(told / value) - FACTOR);
                // A ratio of 1 lies within a factor of 1.5 of 1.3, and yet nothing is gained.
                if factor == 0.0 { beyond(GAIN - value) } else { factor }
            }
        }
    }
}

/// What is known of a claim that misses.
#[derive(Clone, Copy)]
pub(super) struct Miss {
    /// Our figures.
    pub(super) figures: &'static [f64],
    /// Why they are no others.
    pub(super) why: &'static str,
}

/// A claim with our figures.
pub(super) struct Claim {
    /// What is claimed.
    pub(super) what: String,
    /// Our figures in words, with what is asked of them.
    pub(super) told: String,
    /// What is judged.
    pub(super) values: Vec<f64>,
    /// What is asked of each.
    pub(super) limit: Limit,
    /// What is known of it, where it misses.
    pub(super) known: Option<Miss>,
}

/// The largest of several; what is no number stays none.
fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(
        0.0,
        |most: f64, value| {
            if value.is_nan() || most.is_nan() { f64::NAN } else { most.max(value) }
        },
    )
}

impl Claim {
    /// One that nothing is known to miss.
    pub(super) fn of(what: impl Into<String>, told: String, values: Vec<f64>, limit: Limit) -> Self {
        Self { what: what.into(), told, values, limit, known: None }
    }

    /// The same, known to miss with these figures.
    pub(super) fn known(self, figures: &'static [f64], why: &'static str) -> Self {
        Self { known: Some(Miss { figures, why }), ..self }
    }

    pub(super) fn judged(self) -> Judged {
        let Self { what, told, values, limit, known } = self;
        let error =
            if values.is_empty() { f64::NAN } else { most(values.iter().map(|value| limit.off(*value))) };
        let row = |verdict, told, known| Judged {
            what,
            figures: Some(told),
            error,
            bound: 0.0,
            unit: "",
            verdict,
            known,
        };
        let Some(known) = known else {
            return row(Judgement::of(error, 0.0, None), told, None);
        };
        if error == 0.0 {
            return row(
                Judgement::Holds,
                told + " (it was known to miss: what is known of it is out of date)",
                None,
            );
        }
        let pins = || values.iter().zip(known.figures);
        let stays = values.len() == known.figures.len()
            && pins().all(|(value, pin)| (value - pin).abs() <= DRIFT * pin.abs());
        if stays {
            return row(Judgement::KnownToMiss, told, Some((error, known.why)));
        }
        let figures: Vec<String> = known.figures.iter().map(|pin| format!("{pin}")).collect();
        let drifted =
            format!("{told}; known to miss with {}, and no longer within 10 % of that", figures.join(", "));
        row(Judgement::Misses, drifted, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(values: &[f64], limit: Limit, known: Option<&'static [f64]>) -> Judgement {
        let claim = Claim::of("made up", String::new(), values.to_vec(), limit);
        match known {
            Some(figures) => claim.known(figures, "it is old"),
            None => claim,
        }
        .judged()
        .verdict
    }

    #[test]
    fn each_figure_has_to_keep_the_limit() {
        assert_eq!(verdict(&[2.0, 3.0], Limit::AtLeast(2.0), None), Judgement::Holds);
        assert_eq!(verdict(&[2.0, 1.9], Limit::AtLeast(2.0), None), Judgement::Misses);
        assert_eq!(verdict(&[2.0, 1.9], Limit::AtMost(2.0), None), Judgement::Holds);
        assert_eq!(verdict(&[2.1, 1.9], Limit::AtMost(2.0), None), Judgement::Misses);
    }

    #[test]
    fn what_was_not_run_holds_nothing() {
        for known in [None, Some(&[1.0][..])] {
            assert_eq!(verdict(&[f64::NAN], Limit::AtLeast(2.0), known), Judgement::Misses);
            assert_eq!(verdict(&[f64::NAN], Limit::AtMost(2.0), known), Judgement::Misses);
            assert_eq!(verdict(&[f64::NAN], Limit::Gain(2.0), known), Judgement::Misses);
            assert_eq!(verdict(&[], Limit::AtMost(2.0), known), Judgement::Misses);
        }
    }

    #[test]
    fn a_ratio_holds_within_a_factor_and_only_if_something_is_gained() {
        assert_eq!(verdict(&[2.0], Limit::Gain(3.0), None), Judgement::Holds);
        assert_eq!(verdict(&[1.9], Limit::Gain(3.0), None), Judgement::Misses);
        assert_eq!(verdict(&[4.5], Limit::Gain(3.0), None), Judgement::Holds);
        assert_eq!(verdict(&[4.6], Limit::Gain(3.0), None), Judgement::Misses);
        assert_eq!(verdict(&[1.1], Limit::Gain(1.3), None), Judgement::Holds);
        assert_eq!(verdict(&[1.01], Limit::Gain(1.3), None), Judgement::Misses);
        assert_eq!(verdict(&[0.9], Limit::Gain(1.3), None), Judgement::Misses);
    }

    #[test]
    fn a_known_miss_that_drifts_either_way_is_told() {
        let known = Some(&[1.0, 2.0][..]);
        assert_eq!(verdict(&[1.0, 2.0], Limit::AtLeast(3.0), known), Judgement::KnownToMiss);
        assert_eq!(verdict(&[1.09, 1.81], Limit::AtLeast(3.0), known), Judgement::KnownToMiss);
        assert_eq!(verdict(&[1.2, 2.0], Limit::AtLeast(3.0), known), Judgement::Misses);
        assert_eq!(verdict(&[1.0, 1.7], Limit::AtLeast(3.0), known), Judgement::Misses);
        assert_eq!(verdict(&[1.0], Limit::AtLeast(3.0), known), Judgement::Misses);
        assert_eq!(verdict(&[3.0, 3.0], Limit::AtLeast(3.0), known), Judgement::Holds);
    }
}
