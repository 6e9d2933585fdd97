//! Which call comes next, and after which pause: a semi-Markov chain over kinds of calls.
//!
//! The thesis assumes that calls are independent of those before (§3.1.4) and names a Markov model as what would be more
//! realistic (§6.2). Here the kind of the next call depends on the kind of the last, and the pause between the two on
//! both. Pauses that follow each other are correlated by a Gaussian copula of the first order: each is the quantile of its
//! own distribution at a probability that depends on the probability of the pause before. What a session does at all is
//! said by its files; the chain says in which order.
//!
//! Source: R. A. Howard, *Dynamic Probabilistic Systems* II, 1971 (semi-Markov processes); R. B. Nelsen, *An
//! Introduction to Copulas*, 2nd ed. 2006, §6.4 (Markov processes and copulas).

use crate::namespace::PlanError;
use indexmap::IndexMap;
use petrio_distribution::{Distribution, Draw, normal_cdf, standard_normal, uniform};
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of calls that users make.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum CallKind {
    /// A look at a file's attributes; a login is one, too.
    Stat,
    /// A file that is there is opened.
    Open,
    /// A file is made.
    Create,
    /// Bytes are read, or found to be at their end.
    Read,
    /// Bytes are written.
    Write,
    /// A file is made durable.
    Fsync,
    /// A file is closed.
    Close,
    /// A file is deleted.
    Unlink,
}

/// Number of kinds of calls.
pub(crate) const KINDS: usize = CallKind::ALL.len();

impl CallKind {
    /// Every kind, in this order.
    pub const ALL: [Self; 8] = [
        Self::Stat,
        Self::Open,
        Self::Create,
        Self::Read,
        Self::Write,
        Self::Fsync,
        Self::Close,
        Self::Unlink,
    ];

    /// The word used in specifications.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stat => "stat",
            Self::Open => "open",
            Self::Create => "create",
            Self::Read => "read",
            Self::Write => "write",
            Self::Fsync => "fsync",
            Self::Close => "close",
            Self::Unlink => "unlink",
        }
    }
}

/// What follows a call of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// How likely a call of each kind is next, beside the others; kinds left out don't follow as long as another can. They
    /// need not add up to 1.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub next: IndexMap<CallKind, f64>,
    /// How long the pause is before a next call of each kind; before others, as `pause` of the chain says.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub pauses: IndexMap<CallKind, Draw<Duration>>,
}

/// The order of a session's calls, and the pauses between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallChain {
    /// How long a pause between two calls is where nothing more particular is said.
    pub pause: Draw<Duration>,
    /// The correlation of a pause with the one before it, of normal numbers of the same rank; left out, pauses are
    /// independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_correlation: Option<f64>,
    /// What follows a call of each kind; a session begins with a look (`stat`), its login.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub after: IndexMap<CallKind, After>,
}

/// A chain ready to be followed.
#[derive(Debug)]
pub(crate) struct Chain {
    next: [[f64; KINDS]; KINDS],
    pause: Distribution,
    pauses: Vec<Option<Distribution>>,
    correlation: f64,
}

impl Chain {
    /// Of a chain as it is written at the key `at`.
    pub(crate) fn of(written: &CallChain, at: &str) -> Result<Self, PlanError> {
        let law = |draw: &Draw<Duration>, key: String| -> Result<Distribution, PlanError> {
            let law = draw.distribution().map_err(PlanError::of(key.clone()))?;
            if law.quantile(1.0) < 0.0 {
                return Err(PlanError::new(key, "is always below zero"));
            }
            Ok(law)
        };
        let correlation = written.pause_correlation.unwrap_or(0.0);
        if !(-1.0..=1.0).contains(&correlation) {
            let problem = format!("is {correlation}; a correlation is between -1 and 1");
            return Err(PlanError::new(format!("{at}.pause_correlation"), problem));
        }
        let mut next = [[0.0; KINDS]; KINDS];
        let mut pauses: Vec<Option<Distribution>> = (0..KINDS * KINDS).map(|_| None).collect();
        for (last, after) in &written.after {
            let key =
                |kind: CallKind, what: &str| format!("{at}.after.{}.{what}.{}", last.name(), kind.name());
            for (kind, weight) in &after.next {
                if !(weight.is_finite() && *weight >= 0.0) {
                    return Err(PlanError::new(
                        key(*kind, "next"),
                        format!("is {weight}; 0 or more is meant"),
                    ));
                }
                next[*last as usize][*kind as usize] = *weight;
            }
            for (kind, draw) in &after.pauses {
                pauses[*last as usize * KINDS + *kind as usize] = Some(law(draw, key(*kind, "pauses"))?);
            }
        }
        Ok(Self { next, pause: law(&written.pause, format!("{at}.pause"))?, pauses, correlation })
    }

    /// The next call after one of the kind `last`, of kinds of which so many calls are to come, beside what there was at
    /// first (both 0: none can come now). What there is more of than of the rest is more likely, so that calls of no kind
    /// are left over when the others are over.
    pub(crate) fn next(&self, last: CallKind, open: &Possible, random: &mut Generator) -> Option<CallKind> {
        let weigh = |of: &dyn Fn(usize) -> f64| {
            let mut sums = [0.0; KINDS];
            let mut sum = 0.0;
            for (kind, total) in sums.iter_mut().enumerate() {
                sum += if open.is_possible[kind] { of(kind) } else { 0.0 };
                *total = sum;
            }
            sums
        };
        let mut sums = weigh(&|kind| self.next[last as usize][kind] * open.urgency[kind]);
        if sums[KINDS - 1] <= 0.0 {
            sums = weigh(&|kind| open.urgency[kind].max(f64::MIN_POSITIVE));
        }
        let whole = sums[KINDS - 1];
        if whole <= 0.0 {
            return None;
        }
        let draw = uniform(random) * whole;
        CallKind::ALL.into_iter().find(|kind| draw < sums[*kind as usize])
    }

    /// The pause between two calls in seconds; `state` is the normal number that the pause before was drawn with.
    pub(crate) fn pause(
        &self,
        (last, next): (CallKind, CallKind),
        state: &mut Option<f64>,
        random: &mut Generator,
    ) -> f64 {
        let fresh = standard_normal(random);
        let own = (1.0 - self.correlation * self.correlation).max(0.0).sqrt();
        let z = state.map_or(fresh, |before| self.correlation * before + own * fresh);
        *state = Some(z);
        let law = self.pauses[last as usize * KINDS + next as usize].as_ref().unwrap_or(&self.pause);
        law.quantile(normal_cdf(z))
    }
}

/// Which kinds of calls can come next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Possible {
    pub(crate) is_possible: [bool; KINDS],
    /// How much more of a kind is left than of the rest; 1 where as much.
    pub(crate) urgency: [f64; KINDS],
}

impl Default for Possible {
    fn default() -> Self {
        Self { is_possible: [false; KINDS], urgency: [1.0; KINDS] }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_distribution::Exponential;
    use petrio_random::generator;

    fn chain(text: &str) -> Chain {
        Chain::of(&toml::from_str(text).unwrap(), "user.u.calls").unwrap()
    }

    #[test]
    fn calls_follow_each_other_as_often_as_is_said_and_none_that_cannot() {
        let chain = chain("pause = \"1 ms\"\n[after.open.next]\nread = 3\nstat = 1\nclose = 1");
        let mut random = generator(1, 0, "test", "chain");
        let mut open = Possible::default();
        for kind in [CallKind::Read, CallKind::Stat, CallKind::Write] {
            open.is_possible[kind as usize] = true;
        }
        let mut count = [0_u32; KINDS];
        for _ in 0..10_000 {
            count[chain.next(CallKind::Open, &open, &mut random).unwrap() as usize] += 1;
        }
        // A close can't be; 3 to 1 of 10,000 is 7,500 ± 43.
        assert!((7_300..7_700).contains(&count[CallKind::Read as usize]), "{count:?}");
        assert_eq!((count[CallKind::Close as usize], count[CallKind::Write as usize]), (0, 0));
        // Where nothing that may follow is there, whatever is there comes.
        let writes = Possible {
            is_possible: std::array::from_fn(|kind| kind == CallKind::Write as usize),
            ..Possible::default()
        };
        assert_eq!(chain.next(CallKind::Open, &writes, &mut random), Some(CallKind::Write));
        assert_eq!(chain.next(CallKind::Open, &Possible::default(), &mut random), None);
    }

    #[test]
    fn pauses_are_distributed_as_said_and_correlated_as_said() {
        let text = "pause = \"1 ms\"\npause_correlation = 0.6\n[after.read.pauses]\nread = { exponential = { mean = \"1 s\" } }";
        let chain = chain(text);
        let (mut random, mut state) = (generator(1, 0, "test", "pauses"), None);
        let pauses: Vec<f64> = (0..50_000)
            .map(|_| chain.pause((CallKind::Read, CallKind::Read), &mut state, &mut random))
            .collect();
        let law = Distribution::from(Exponential::new(0.0, 1.0).unwrap());
        let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
        // Correlated ones have half the worth: an error of 1 / √(50,000 / 4).
        assert!((mean - 1.0).abs() < 0.04, "{mean}");
        let z: Vec<f64> =
            pauses.iter().map(|pause| petrio_distribution::normal_quantile(law.cdf(*pause))).collect();
        let product = z.windows(2).map(|two| two[0] * two[1]).sum::<f64>() / (z.len() - 1) as f64;
        assert!((product - 0.6).abs() < 0.03, "{product}");
        assert_eq!(chain.pause((CallKind::Open, CallKind::Read), &mut state, &mut random), 1e-3);
    }
}
