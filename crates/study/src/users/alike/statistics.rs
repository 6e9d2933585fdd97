//! Tests of whether two samples are alike: each with its statistic, its p-value and an effect size.
//!
//! A p-value says how surely two samples differ, which with enough of them they always do; an effect size says by how
//! much, whatever their number. The tests are short and are held to R's results; no maintained crate has them without a
//! data-frame library beneath.
//!
//! Sources: N. Smirnov's two-sample test with M. Stephens' correction for small samples ("Use of the Kolmogorov-Smirnov,
//! Cramér-von Mises and related statistics without extensive tables", JRSS B 32, 1970); N. Cliff, "Dominance statistics"
//! (Psychological Bulletin 114, 1993); H. Cramér's V; R. Fisher's z, for Spearman's correlations with the variance of E.
//! Fieller, H. Hartley and E. Pearson ("Tests for rank correlation coefficients", Biometrika 44, 1957); J. Cohen's q.

use petrio_distribution::Gamma;

/// What a test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its statistic: Smirnov's D, χ², or the difference of Fisher's z in standard errors.
    pub statistic: f64,
    /// The chance of at least that, were the two alike.
    pub p: f64,
    /// How far they are apart: Cliff's δ (−1 to 1, positive where the second is larger), Cramér's V (0 to 1), Cohen's q.
    pub effect: f64,
}

/// Smirnov's test of two samples, which are put in order; none of an empty one.
pub fn smirnov(first: &mut [f64], second: &mut [f64]) -> Option<Found> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    first.sort_by(f64::total_cmp);
    second.sort_by(f64::total_cmp);
    let (n, m) = (first.len() as f64, second.len() as f64);
    let (mut i, mut j) = (0, 0);
    // Pairs in which the second is larger, less those in which the first is.
    let (mut greatest, mut dominance) = (0.0f64, 0.0);
    while i < first.len() && j < second.len() {
        let at = first[i].min(second[j]);
        let ties = |values: &[f64]| values.iter().take_while(|value| **value <= at).count();
        let (a, b) = (ties(&first[i..]), ties(&second[j..]));
        // Each of the first's here is below the second's that follow, and the other way round.
        dominance += a as f64 * (m - (j + b) as f64) - b as f64 * (n - (i + a) as f64);
        (i, j) = (i + a, j + b);
        greatest = greatest.max((i as f64 / n - j as f64 / m).abs());
    }
    let root = libm::sqrt(n * m / (n + m));
    let p = kolmogorov((root + 0.12 + 0.11 / root) * greatest);
    Some(Found { statistic: greatest, p, effect: dominance / (n * m) })
}

/// The chance that Kolmogorov's statistic is larger.
fn kolmogorov(lambda: f64) -> f64 {
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let k = f64::from(k);
        libm::exp(-2.0 * k * k * lambda * lambda)
    };
    let sum: f64 = (1..=100).map(|k| if k % 2 == 1 { term(k) } else { -term(k) }).sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

/// The fewest that a category is expected to have; smaller ones are counted together (W. Cochran's rule).
const EXPECTED_LEAST: f64 = 5.0;

/// Whether two counts by category are of one distribution: Pearson's χ² of homogeneity. None where there is but one
/// category.
pub fn homogeneity(counts: &[(u64, u64)]) -> Option<Found> {
    let [n, m] = [counts.iter().map(|pair| pair.0).sum::<u64>(), counts.iter().map(|pair| pair.1).sum()];
    let all = (n + m) as f64;
    let least = |pair: &(u64, u64)| (pair.0 + pair.1) as f64 * n.min(m) as f64 / all;
    let (rare, mut kept): (Vec<_>, Vec<_>) =
        counts.iter().copied().partition(|pair| least(pair) < EXPECTED_LEAST);
    let rare = rare.iter().fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    if rare.0 + rare.1 > 0 {
        kept.push(rare);
    }
    if n == 0 || m == 0 || kept.len() < 2 {
        return None;
    }
    let of = |count: u64, total: u64, of: u64| {
        let expected = total as f64 * of as f64 / all;
        let off = count as f64 - expected;
        off * off / expected
    };
    let square: f64 = kept.iter().map(|&(a, b)| of(a, a + b, n) + of(b, a + b, m)).sum();
    let freedom = (kept.len() - 1) as f64;
    // χ² of k degrees is a gamma distribution of shape k/2 and scale 2.
    let gamma = Gamma::new(freedom / 2.0, 2.0, 0.0).ok()?;
    let p = (1.0 - petrio_distribution::Family::cdf(&gamma, square)).clamp(0.0, 1.0);
    Some(Found { statistic: square, p, effect: libm::sqrt(square / all) })
}

/// Whether two rank correlations differ, of so many pairs each; none of fewer than four, or where nothing varies.
pub fn correlations(first: &[(f64, f64)], second: &[(f64, f64)]) -> Option<Found> {
    if first.len() < 4 || second.len() < 4 {
        return None;
    }
    let z = |pairs: &[(f64, f64)]| spearman(pairs).map(|rho| libm::atanh(rho.clamp(-0.999_999, 0.999_999)));
    let apart = z(second)? - z(first)?;
    let variance = 1.06 / (first.len() as f64 - 3.0) + 1.06 / (second.len() as f64 - 3.0);
    let statistic = apart / libm::sqrt(variance);
    Some(Found { statistic, p: libm::erfc(statistic.abs() / std::f64::consts::SQRT_2), effect: apart })
}

/// Spearman's ρ, ties at their mean rank; none where one of the two doesn't vary.
pub fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let ranks = |of: fn(&(f64, f64)) -> f64| {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by(|&a, &b| of(&pairs[a]).total_cmp(&of(&pairs[b])));
        let mut ranks = vec![0.0; pairs.len()];
        let mut at = 0;
        for tied in order.chunk_by(|&a, &b| of(&pairs[a]) == of(&pairs[b])) {
            let rank = at as f64 + (tied.len() - 1) as f64 / 2.0;
            tied.iter().for_each(|&index| ranks[index] = rank);
            at += tied.len();
        }
        ranks
    };
    let (x, y) = (ranks(|pair| pair.0), ranks(|pair| pair.1));
    let middle = (pairs.len() as f64 - 1.0) / 2.0;
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum() };
    let spread = libm::sqrt(product(&x, &x) * product(&y, &y));
    (spread > 0.0).then(|| product(&x, &y) / spread)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }

    #[test]
    fn smirnov_finds_what_can_be_counted() {
        let found = smirnov(&mut [1.0, 2.0, 3.0, 4.0], &mut [3.0, 4.0, 5.0, 6.0]).unwrap();
        // At 2 two of four are passed of the first, and none of the second; 10 of 16 pairs and two ties aside, 2 the
        // other way: 3 > 3 no, 4 > 3 yes, …: 13 pairs are larger, 1 smaller, 2 equal.
        assert_eq!((found.statistic, found.effect), (0.5, 12.0 / 16.0));
        let same = smirnov(&mut [1.0, 2.0, 2.0], &mut [1.0, 2.0, 2.0]).unwrap();
        assert_eq!((same.statistic, same.effect, same.p), (0.0, 0.0, 1.0));
        assert_eq!(smirnov(&mut [], &mut [1.0]), None);
    }

    #[test]
    fn p_values_are_those_of_tables() {
        // Kolmogorov's distribution: 5 % at 1.3581, 1 % at 1.6276 (Smirnov's table).
        near(kolmogorov(1.3581), 0.05, 1e-4);
        near(kolmogorov(1.6276), 0.01, 1e-4);
        // χ² of one degree: 3.8415 at 5 %. Of 50:50 and 36.14:63.86 …, by its definition.
        let found = homogeneity(&[(30, 20), (20, 30)]).unwrap();
        near(found.statistic, 4.0, 1e-12);
        near(found.p, 0.045_500_26, 1e-6);
        near(found.effect, 0.2, 1e-12);
        // Rare categories are counted together.
        assert!(!homogeneity(&[(30, 20), (20, 30), (1, 0)]).unwrap().statistic.is_nan());
        assert_eq!(homogeneity(&[(30, 20)]), None);
    }

    #[test]
    fn correlations_are_told_apart_by_their_ranks() {
        let up: Vec<(f64, f64)> =
            (0..50).map(|at| (f64::from(at), f64::from(at * at + (at % 7) * 30))).collect();
        let down: Vec<(f64, f64)> = up.iter().map(|(x, y)| (*x, -y)).collect();
        assert!(correlations(&up, &down).unwrap().p < 1e-9);
        let same = correlations(&up, &up).unwrap();
        assert_eq!((same.statistic, same.p, same.effect), (0.0, 1.0, 0.0));
        near(spearman(&[(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0), (5.0, 5.0)]).unwrap(), 0.8, 1e-12);
        assert_eq!(spearman(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    #[test]
    fn alike_samples_are_rejected_as_often_as_they_should_be() {
        let mut generator = petrio_random::generator(1, 0, "alike", "test");
        let mut draw = |shift: f64| -> Vec<f64> {
            (0..200).map(|_| petrio_distribution::uniform(&mut generator) + shift).collect()
        };
        let rejected = |shift: f64, draw: &mut dyn FnMut(f64) -> Vec<f64>| {
            (0..400).filter(|_| smirnov(&mut draw(0.0), &mut draw(shift)).unwrap().p < 0.05).count()
        };
        // 5 % of 400 are 20, and the standard deviation is 4.4; a quarter's shift is always found.
        assert!((5..=35).contains(&rejected(0.0, &mut draw)));
        assert_eq!(rejected(0.25, &mut draw), 400);
    }
}
