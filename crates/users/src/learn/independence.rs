//! How far the model's assumption holds that operations, sizes and think times are independent of those before.
//!
//! Of the sequence of calls of each process: which Markov order explains it best, by BIC. Of access sizes and think
//! times: autocorrelation, of their logarithms, since a few large ones would hide the rest. Of sizes, accesses and
//! numbers of files: Spearman's rank correlation.
//!
//! Source: G. Schwarz, *Estimating the dimension of a model*, Annals of Statistics 6 (2), 1978 (BIC); R. W. Katz, *On
//! some criteria for estimating the order of a Markov chain*, Technometrics 23 (3), 1981.

use petrio_trace::event::EventKind;
use petrio_units::numbers::as_number;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Lags of the autocorrelations.
const LAGS: usize = 5;
/// Highest Markov order that is looked at.
const ORDERS: usize = 3;
#[expect(clippy::cast_possible_truncation, reason = "there are few")]
const KINDS: u32 = EventKind::ALL.len() as u32;

/// How far a trace is what the model assumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Independence {
    /// The order of the sequence of calls, by BIC; 0 is independence.
    pub markov: Option<MarkovOrder>,
    /// Of access sizes and of think times.
    pub autocorrelations: Vec<Autocorrelation>,
    /// Of pairs of measures.
    pub rank_correlations: Vec<RankCorrelation>,
}

/// Which Markov order explains a sequence of calls best.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MarkovOrder {
    /// That with the least BIC.
    pub order: usize,
    /// Calls.
    pub calls: u64,
    /// Bits a call, by order from 0: how uncertain the next call is when so many before it are known.
    pub bits_a_call: Vec<f64>,
    /// BIC by order.
    pub bic: Vec<f64>,
}

/// How much a value tells of those that follow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Autocorrelation {
    /// Of what.
    pub of: String,
    /// By lag from 1.
    pub by_lag: Vec<f64>,
    /// Beyond so much, it is significant at 95 %.
    pub bound: f64,
}

/// How much one measure tells of another.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankCorrelation {
    /// Of what.
    pub of: String,
    /// And of what.
    pub with: String,
    /// Spearman's.
    pub rho: f64,
    /// Beyond so much, it is significant at 95 %.
    pub bound: f64,
}

/// Sums for autocorrelations over the sequences of many processes.
#[derive(Clone, Debug, Default)]
struct Lagged {
    /// The last values of each process, the newest first.
    last: FxHashMap<u32, Vec<f64>>,
    /// For each lag: pairs, and sums of the earlier, the later, their squares and products.
    sums: [[f64; 6]; LAGS],
    count: u64,
}

impl Lagged {
    fn add(&mut self, process: u32, value: f64) {
        let last = self.last.entry(process).or_default();
        for (sums, before) in self.sums.iter_mut().zip(&*last) {
            for (sum, term) in
                sums.iter_mut().zip([1.0, *before, value, before * before, value * value, before * value])
            {
                *sum += term;
            }
        }
        last.insert(0, value);
        last.truncate(LAGS);
        self.count += 1;
    }

    fn finish(&self, of: &str) -> Option<Autocorrelation> {
        let correlation = |[count, before, after, before_2, after_2, product]: [f64; 6]| {
            let (mean_before, mean_after) = (before / count, after / count);
            let covariance = product / count - mean_before * mean_after;
            let spread =
                (before_2 / count - mean_before * mean_before) * (after_2 / count - mean_after * mean_after);
            if count < 2.0 || spread <= 0.0 { 0.0 } else { covariance / spread.sqrt() }
        };
        (self.sums[0][0] >= 30.0).then(|| Autocorrelation {
            of: of.to_owned(),
            by_lag: self.sums.iter().map(|sums| correlation(*sums)).collect(),
            bound: 1.96 / self.sums[0][0].sqrt(),
        })
    }
}

/// Sequences of calls, sizes and think times, as they come.
#[derive(Clone, Debug, Default)]
pub(super) struct Streams {
    calls: FxHashMap<u32, [u8; ORDERS]>,
    /// How often a call followed up to [`ORDERS`] others, all in one number of base `KINDS + 1`, the latest last.
    grams: FxHashMap<u32, u64>,
    sizes: Lagged,
    thinks: Lagged,
}

impl Streams {
    pub(super) fn called(&mut self, process: u32, kind: EventKind) {
        // 0 stands for no call before.
        let code = kind as u8 + 1;
        let last = self.calls.entry(process).or_default();
        let number =
            last.iter().chain([&code]).fold(0_u32, |number, code| number * (KINDS + 1) + u32::from(*code));
        *self.grams.entry(number).or_default() += 1;
        last.rotate_left(1);
        last[ORDERS - 1] = code;
    }

    pub(super) fn accessed(&mut self, process: u32, length: u64) {
        self.sizes.add(process, libm::log(length as f64));
    }

    pub(super) fn thought(&mut self, process: u32, seconds: f64) {
        self.thinks.add(process, libm::log(seconds.max(1e-9)));
    }

    pub(super) fn finish(&self, pairs: &[(&str, &str, &[f64], &[f64])]) -> Independence {
        let ranked = |(of, with, one, other): &(&str, &str, &[f64], &[f64])| spearman(of, with, one, other);
        Independence {
            markov: self.markov(),
            autocorrelations: [self.sizes.finish("access sizes"), self.thinks.finish("think times")]
                .into_iter()
                .flatten()
                .collect(),
            rank_correlations: pairs.iter().filter_map(ranked).collect(),
        }
    }

    fn markov(&self) -> Option<MarkovOrder> {
        let base = KINDS + 1;
        // All orders are judged by the same calls: those with enough before them.
        let complete = |number: u32| number / base.pow(as_number(ORDERS)) != 0;
        let counted: Vec<(u32, u64)> = self
            .grams
            .iter()
            .map(|(number, count)| (*number, *count))
            .filter(|(number, _)| complete(*number))
            .collect();
        let calls: u64 = counted.iter().map(|(_, count)| count).sum();
        if calls < 30 {
            return None;
        }
        let mut kinds: Vec<u32> = counted.iter().map(|(number, _)| number % base).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut result = MarkovOrder { calls, ..MarkovOrder::default() };
        for order in 0..=as_number(ORDERS) {
            let mut joint: FxHashMap<u32, u64> = FxHashMap::default();
            let mut before: FxHashMap<u32, u64> = FxHashMap::default();
            for (number, count) in &counted {
                let gram = number % base.pow(order + 1);
                *joint.entry(gram).or_default() += count;
                *before.entry(gram / base).or_default() += count;
            }
            let mut terms: Vec<(u32, f64)> = joint
                .iter()
                .map(|(gram, count)| {
                    let of_all = *count as f64 / before[&(gram / base)] as f64;
                    (*gram, *count as f64 * libm::log(of_all))
                })
                .collect();
            // In a fixed order, so that the sum is the same every time.
            terms.sort_unstable_by_key(|(gram, _)| *gram);
            let likelihood: f64 = terms.iter().map(|(_, term)| term).sum();
            // States that were seen, each with as many free probabilities as there are other kinds of calls.
            let parameters = before.len() as f64 * (kinds.len() as f64 - 1.0);
            result.bits_a_call.push(-likelihood / calls as f64 / std::f64::consts::LN_2);
            result.bic.push(-2.0 * likelihood + parameters * libm::log(calls as f64));
        }
        result.order = (0..result.bic.len())
            .fold(0, |best, order| if result.bic[order] < result.bic[best] { order } else { best });
        Some(result)
    }
}

/// Spearman's rank correlation, ties sharing their mean rank; `None` of fewer than ten pairs.
pub(super) fn spearman(of: &str, with: &str, one: &[f64], other: &[f64]) -> Option<RankCorrelation> {
    let count = one.len().min(other.len());
    if count < 10 {
        return None;
    }
    let (one, other) = (ranks(&one[..count]), ranks(&other[..count]));
    let middle = (count as f64 - 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let spread = (sum(&one, &one) * sum(&other, &other)).sqrt();
    let rho = if spread > 0.0 { sum(&one, &other) / spread } else { 0.0 };
    Some(RankCorrelation {
        of: of.to_owned(),
        with: with.to_owned(),
        rho,
        bound: 1.96 / (count as f64 - 1.0).sqrt(),
    })
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut at = 0;
    while at < order.len() {
        let same = order[at..].iter().take_while(|other| values[**other] == values[order[at]]).count();
        for other in &order[at..at + same] {
            ranks[*other] = at as f64 + (same as f64 - 1.0) / 2.0;
        }
        at += same;
    }
    ranks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_random::{generator, uniform, uniform_below};

    #[test]
    fn the_order_of_a_chain_is_found() {
        let (mut independent, mut first, mut second) =
            (Streams::default(), Streams::default(), Streams::default());
        let mut random = generator(1, 0, "test", "chain");
        let kinds = [EventKind::Read, EventKind::Write, EventKind::Open];
        let (mut last, mut two_before) = (0, [0, 0]);
        for _ in 0..20_000 {
            independent.called(1, kinds[uniform_below(&mut random, 3) as usize]);
            last = if uniform(&mut random) < 0.7 {
                (last + 1) % 3
            } else {
                uniform_below(&mut random, 3) as usize
            };
            first.called(1, kinds[last]);
            let next = if uniform(&mut random) < 0.6 {
                two_before[0]
            } else {
                uniform_below(&mut random, 3) as usize
            };
            two_before = [two_before[1], next];
            second.called(1, kinds[next]);
        }
        assert_eq!(independent.markov().unwrap().order, 0);
        assert_eq!(first.markov().unwrap().order, 1);
        let found = second.markov().unwrap();
        assert_eq!(found.order, 2);
        assert!((found.bits_a_call[0] - 3_f64.log2()).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn correlations_are_those_of_the_textbook() {
        let mut lagged = Lagged::default();
        let mut random = generator(2, 0, "test", "lagged");
        let mut value = 0.0;
        for _ in 0..50_000 {
            value = 0.6 * value + uniform(&mut random) - 0.5;
            lagged.add(7, value);
        }
        let found = lagged.finish("values").unwrap();
        for (lag, correlation) in found.by_lag.iter().enumerate() {
            let expected = 0.6_f64.powi(lag as i32 + 1);
            assert!((correlation - expected).abs() < 0.02, "{found:?}");
        }
        // Ties share their mean rank; by hand.
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
        let one: Vec<f64> = (0..20).map(f64::from).collect();
        let other: Vec<f64> = one.iter().map(|value| -value * value).collect();
        assert_eq!(spearman("a", "b", &one, &other).unwrap().rho, -1.0);
    }
}
