//! Correlation by rank, and truncation and mixtures that can't be.

use super::*;

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank as f64;
    }
    ranks
}

/// Spearman's, of values without ties: 1 − 6 Σ d² / (n³ − n).
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let squares: f64 = ranks(a).iter().zip(ranks(b)).map(|(a, b)| (a - b) * (a - b)).sum();
    1.0 - 6.0 * squares / (n * n * n - n)
}

#[test]
fn draws_have_the_rank_correlations_asked_for_and_their_own_distributions() {
    const DRAWS: usize = 40_000;
    let wanted = [vec![1.0, 0.7, -0.3], vec![0.7, 1.0, 0.1], vec![-0.3, 0.1, 1.0]];
    let distributions = vec![
        any(Lognormal::new(3.0, 1.5, 0.0)),
        gamma(&[(0.5, 2.0, 1.0, 0.0), (0.5, 9.0, 0.7, 2.0)]),
        any(Pareto::new(1.2, 1.0)),
    ];
    let together = RankCorrelated::new(distributions.clone(), &wanted).unwrap();
    let mut random = generator(5);
    let mut columns = vec![Vec::new(); 3];
    for _ in 0..DRAWS {
        let mut draws = [0.0; 3];
        together.sample_into(&mut random, &mut draws);
        for (column, draw) in columns.iter_mut().zip(draws) {
            column.push(draw);
        }
    }
    for i in 0..3 {
        for j in 0..i {
            let rho = spearman(&columns[i], &columns[j]);
            // Its standard error is at most 1/√n.
            assert!((rho - wanted[i][j]).abs() < 4.4 / (DRAWS as f64).sqrt(), "{i}, {j}: {rho}");
        }
        let below = columns[i].iter().filter(|&&x| x <= distributions[i].quantile(0.3)).count();
        assert!((below as f64 / DRAWS as f64 - 0.3).abs() < 4.4 * (0.21 / DRAWS as f64).sqrt());
    }
}

#[test]
fn correlations_that_cannot_hold_together_are_refused() {
    let three = || vec![Distribution::constant(1.0); 3];
    let refused = |ranks: &[Vec<f64>]| RankCorrelated::new(three(), ranks).unwrap_err().to_string();
    let impossible = [vec![1.0, 0.9, -0.9], vec![0.9, 1.0, 0.9], vec![-0.9, 0.9, 1.0]];
    assert!(refused(&impossible).contains("negative eigenvalue"), "{}", refused(&impossible));
    assert!(refused(&[vec![1.0]]).contains("a matrix of 3 rows"));
    let one_sided = [vec![1.0, 0.5, 0.0], vec![0.4, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    assert!(refused(&one_sided).contains("0.1 is 0.5, but 1.0 is 0.4"));
    let beyond = [vec![1.0, 1.5, 0.0], vec![1.5, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    assert!(refused(&beyond).contains("between -1 and 1"));
}

#[test]
fn what_goes_wholly_together_is_drawn_at_the_same_quantile_or_the_opposite_one() {
    for rho in [-1.0, 1.0] {
        let both = vec![any(Uniform::new(0.0, 1.0)), any(Exponential::new(0.0, 1.0))];
        let together = RankCorrelated::new(both.clone(), &[vec![1.0, rho], vec![rho, 1.0]]).unwrap();
        let (mut random, mut draws) = (Xoshiro256PlusPlus::seed_from_u64(1), [0.0; 2]);
        for _ in 0..1_000 {
            together.sample_into(&mut random, &mut draws);
            let p = if rho > 0.0 { draws[0] } else { 1.0 - draws[0] };
            assert!((both[1].cdf(draws[1]) - p).abs() < 1e-9, "{draws:?}");
        }
    }
    // Two that are the same, and a third that goes with one of them as with the other; or else can't.
    let three = || vec![any(Uniform::new(0.0, 1.0)); 3];
    assert!(
        RankCorrelated::new(three(), &[vec![1.0, 1.0, 0.5], vec![1.0, 1.0, 0.5], vec![0.5, 0.5, 1.0]])
            .is_ok()
    );
    assert!(
        RankCorrelated::new(three(), &[vec![1.0, 1.0, 0.5], vec![1.0, 1.0, 0.2], vec![0.5, 0.2, 1.0]])
            .is_err()
    );
}

#[test]
fn the_mean_of_a_product_is_that_of_the_formulas() {
    let product = |one: fn() -> Distribution, rho: f64| {
        let ranks = [vec![1.0, rho], vec![rho, 1.0]];
        RankCorrelated::new(vec![one(), one()], &ranks).unwrap().mean_of_product()
    };
    for rho in [-0.99, -0.5, 0.0, 0.3, 0.99] {
        // The correlation of the ranks is that of the uniform numbers themselves.
        let uniform = product(|| any(Uniform::new(0.0, 1.0)), rho);
        assert!((uniform - (0.25 + rho / 12.0)).abs() < 1e-4, "{rho}: {uniform}");
        let lognormal = product(|| any(Lognormal::new(1.0, 1.0, 0.0)), rho);
        let normal = 2.0 * (std::f64::consts::PI * rho / 6.0).sin();
        assert!((lognormal / (1.0 + normal).exp() - 1.0).abs() < 1e-3, "{rho}: {lognormal}");
    }
}

#[test]
fn bounds_that_leave_nothing_are_refused() {
    let exponential = || any(Exponential::new(0.0, 1.0));
    let refused = |min, max| Truncated::new(exponential(), min, max).unwrap_err().to_string();
    assert!(refused(3.0, 2.0).contains("min, must not be above"));
    assert!(refused(-5.0, -1.0).contains("lies between min and max"));
    assert!(refused(90.0, 91.0).contains("move them"));
}

#[test]
fn an_exponential_beyond_a_bound_is_itself_again() {
    // No memory: what is left above 5 is the same distribution, 5 later. By redraws and by inversion.
    for bound in [0.5, 5.0] {
        let truncated = any(Truncated::new(any(Exponential::new(0.0, 1.0)), bound, f64::INFINITY));
        let moved = any(Exponential::new(bound, 1.0));
        assert!((truncated.mean() - moved.mean()).abs() < 1e-9 && (truncated.variance() - 1.0).abs() < 1e-9);
        for p in [0.1, 0.5, 0.99] {
            assert!((truncated.quantile(p) - moved.quantile(p)).abs() < 1e-9);
        }
    }
}

#[test]
fn parts_that_never_come_do_not_widen_a_mixture() {
    let mixture =
        any(Mixture::new(vec![(0.0, Distribution::constant(99.0)), (2.0, any(Uniform::new(0.0, 1.0)))]));
    assert_eq!((mixture.supremum(), mixture.mean()), (1.0, 0.5));
    assert!(Mixture::<Distribution>::new(vec![]).unwrap_err().to_string().contains("no part"));
    assert!(Mixture::new(vec![(-1.0, mixture)]).unwrap_err().to_string().contains("0.weight is -1"));
}
