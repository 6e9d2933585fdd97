//! How a row of a validation is judged: by its bound, or, where it is known to miss that, by one of its own.

use serde::Serialize;

/// The level of confidence of intervals.
pub const LEVEL: f64 = 0.95;

/// What a row comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// It lies within its bound.
    Holds,
    /// It misses its bound, is known to, and does so by no more than it may.
    KnownToMiss,
    /// It misses its bound, or misses it by more than it is known to.
    Misses,
}

impl Judgement {
    /// In a word or three.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::KnownToMiss => "known to miss",
            Self::Misses => "misses",
        }
    }

    /// Of an error and the bound that everything of its kind is held to; of what is known to miss it, how far it may.
    pub fn of(error: f64, bound: f64, known: Option<f64>) -> Self {
        // What is no number holds nothing.
        match error.abs() {
            error if error <= bound => Self::Holds,
            error if known.is_some_and(|known| error <= known) => Self::KnownToMiss,
            _ => Self::Misses,
        }
    }
}

/// Something that a validation judges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// What.
    pub what: String,
    /// The figures that are compared, in words with their units and limits, where how far off says too little.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<String>,
    /// How far it is off, in the unit of its bound.
    pub error: f64,
    /// How far it may be.
    pub bound: f64,
    /// The unit of both, as it stands behind a number: ` %`.
    pub unit: &'static str,
    /// How it is judged.
    pub verdict: Judgement,
    /// Why it misses, where that is known, and how far it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<(f64, &'static str)>,
}

impl Judged {
    /// By a bound in per cent; of what is known to miss it, how far it may and why.
    pub fn percent(what: String, error: f64, bound: f64, known: Option<(f64, &'static str)>) -> Self {
        let verdict = Judgement::of(error, bound, known.map(|known| known.0));
        let known = known.filter(|_| verdict != Judgement::Holds);
        Self { what, figures: None, error, bound, unit: " %", verdict, known }
    }

    /// Of something that may be at most `limit`, in whatever unit; `figures` tells both. Its error is by how much it is
    /// more than that.
    pub fn at_most(
        what: String,
        figures: String,
        (value, limit): (f64, f64),
        known: Option<(f64, &'static str)>,
    ) -> Self {
        // What is no number stays none: nothing holds of what wasn't run.
        let error = if value <= limit { 0.0 } else { value - limit };
        let verdict = Judgement::of(error, 0.0, known.map(|known| known.0));
        let known = known.filter(|_| verdict != Judgement::Holds);
        Self { what, figures: Some(figures), error, bound: 0.0, unit: "", verdict, known }
    }

    /// The same of something that must be at least `limit`.
    pub fn at_least(
        what: String,
        figures: String,
        (value, limit): (f64, f64),
        known: Option<(f64, &'static str)>,
    ) -> Self {
        Self::at_most(what, figures, (-value, -limit), known)
    }

    /// An aim that is a share: of so many, at least this part must hold. It holds or misses as a whole; its error is how many
    /// more would have to. Of what is known to miss, how many may lack, and why.
    pub fn share(
        what: String,
        (held, of): (usize, usize),
        aim: f64,
        known: Option<(f64, &'static str)>,
    ) -> Self {
        let wanted = (aim * of as f64 - 1e-9).ceil();
        let figures = format!("{held} of {of}, at least {wanted:.0}");
        // Nothing holds of what wasn't run.
        let held = if of == 0 { f64::NAN } else { held as f64 };
        Self::at_least(what, figures, (held, wanted), known)
    }

    /// By a count that may be so large; nothing is known to miss it.
    pub fn count(what: String, count: f64, bound: f64) -> Self {
        let verdict = Judgement::of(count, bound, None);
        Self { what, figures: None, error: count, bound, unit: "", verdict, known: None }
    }

    /// As it is told: what, and the figures that are compared, or else how far off and how far it may be.
    pub fn line(&self) -> String {
        let Self { what, figures, error, bound, unit, .. } = self;
        let known = match (self.verdict, self.known) {
            (Judgement::KnownToMiss, Some((_, reason))) => format!(": {reason}"),
            (Judgement::Misses, Some((may, reason))) => {
                format!(", and more than the {may:.0}{unit} that it is known to: {reason}")
            }
            _ => String::new(),
        };
        match figures {
            Some(figures) => format!("{what}: {figures}{known}"),
            None if error.is_nan() => format!("{what}; the bound is {bound:.0}{unit}{known}"),
            None => format!("{what}: {error:+.1}{unit}, the bound is {bound:.0}{unit}{known}"),
        }
    }
}

/// Of rows with their configurations, those that agree, of how many in each, in the order of the rows.
pub(crate) fn by_config<'r>(rows: impl IntoIterator<Item = (&'r str, bool)>) -> Vec<(String, usize, usize)> {
    let mut configs: Vec<(String, usize, usize)> = Vec::new();
    for (config, agrees) in rows {
        let agrees = usize::from(agrees);
        match configs.iter_mut().find(|(known, ..)| known == config) {
            Some((_, agree, all)) => (*agree, *all) = (*agree + agrees, *all + 1),
            None => configs.push((config.to_owned(), agrees, 1)),
        }
    }
    configs
}

/// Whether messages are as long as counted: within 10 %, or 100 B.
pub(crate) fn is_as_long(predicted: f64, counted: f64) -> bool {
    (predicted - counted).abs() <= (counted * 0.1).max(100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_misses_and_is_told_without_a_number() {
        let void = Judged::percent("a row; void".to_owned(), f64::NAN, 5.0, None);
        assert_eq!(
            (void.verdict, void.line().as_str()),
            (Judgement::Misses, "a row; void; the bound is 5 %")
        );
    }

    #[test]
    fn what_is_known_to_miss_may_not_get_worse() {
        assert_eq!(Judgement::of(-5.9, 6.0, None), Judgement::Holds);
        assert_eq!(Judgement::of(6.1, 6.0, None), Judgement::Misses);
        assert_eq!(Judgement::of(-9.0, 6.0, Some(10.0)), Judgement::KnownToMiss);
        assert_eq!(Judgement::of(10.1, 6.0, Some(10.0)), Judgement::Misses);
        assert_eq!(Judgement::of(1.0, 6.0, Some(10.0)), Judgement::Holds);
        assert_eq!(Judgement::of(f64::NAN, 6.0, Some(10.0)), Judgement::Misses);
    }

    #[test]
    fn a_share_holds_or_misses_as_a_whole() {
        let of = |held, all, known| Judged::share(String::new(), (held, all), 0.9, known).verdict;
        assert_eq!([of(9, 10, None), of(8, 10, None)], [Judgement::Holds, Judgement::Misses]);
        assert_eq!(of(20, 22, None), Judgement::Holds);
        assert_eq!(of(19, 22, None), Judgement::Misses);
        let known = Some((7.0, "it is old"));
        assert_eq!([of(13, 22, known), of(12, 22, known)], [Judgement::KnownToMiss, Judgement::Misses]);
        assert_eq!(of(0, 0, known), Judgement::Misses);
    }

    #[test]
    fn limits_hold_on_their_own_side_and_figures_are_told_instead_of_errors() {
        let of = |value: f64| {
            let figures = format!("{value} times, at least 3");
            let judged =
                Judged::at_least("rates".to_owned(), figures, (value, 3.0), Some((1.0, "it is old")));
            (judged.verdict, judged.line())
        };
        assert_eq!(of(3.5), (Judgement::Holds, "rates: 3.5 times, at least 3".to_owned()));
        assert_eq!(of(2.5), (Judgement::KnownToMiss, "rates: 2.5 times, at least 3: it is old".to_owned()));
        assert_eq!(of(1.5).0, Judgement::Misses);
        assert_eq!(of(f64::NAN).0, Judgement::Misses);
        let most = |value| Judged::at_most(String::new(), String::new(), (value, 3.0), None).verdict;
        assert_eq!([most(3.0), most(3.1)], [Judgement::Holds, Judgement::Misses]);
    }
}
