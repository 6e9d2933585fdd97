//! Draws: their moments, where they fall, and that they are the same everywhere.

use super::*;

#[test]
fn sample_moments_lie_in_their_confidence_intervals() {
    const DRAWS: usize = 100_000;
    for (seed, distribution) in all().iter().enumerate() {
        // The sample variance of a heavy tail has no interval of its own: its fourth moment must exist, and be
        // moderate.
        let mut random = generator(seed);
        let draws: Vec<f64> = (0..DRAWS).map(|_| distribution.sample(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / DRAWS as f64;
        let central = |power: i32| {
            draws.iter().map(|x| (x - distribution.mean()).powi(power)).sum::<f64>() / DRAWS as f64
        };
        // 4.4 standard errors: one false alarm in 10^5; the seed is fixed.
        let error_of_mean = (distribution.variance() / DRAWS as f64).sqrt();
        if error_of_mean.is_finite() {
            assert!(
                (mean - distribution.mean()).abs() <= 4.4 * error_of_mean + 1e-12,
                "{distribution:?}: mean {mean}, not {}",
                distribution.mean()
            );
        }
        if distribution.moment(4) > 1e6 * distribution.variance() * distribution.variance() {
            continue;
        }
        let variance = central(2);
        let error_of_variance = ((central(4) - variance * variance) / DRAWS as f64).sqrt();
        assert!(
            (variance - distribution.variance()).abs() <= 4.4 * error_of_variance + 1e-9,
            "{distribution:?}: variance {variance}, not {}",
            distribution.variance()
        );
    }
}

#[test]
fn draws_fall_as_the_cdf_says() {
    // Kolmogorov–Smirnov: 2.4 is exceeded by one sample in 50,000; with atoms by fewer.
    const DRAWS: usize = 100_000;
    for (seed, distribution) in all().iter().enumerate() {
        let mut random = generator(1_000 + seed);
        let mut draws: Vec<f64> = (0..DRAWS).map(|_| distribution.sample(&mut random)).collect();
        draws.sort_by(f64::total_cmp);
        assert!(draws[0] >= distribution.infimum() && draws[DRAWS - 1] <= distribution.supremum());
        let (mut farthest, mut from) = (0.0_f64, 0);
        while from < DRAWS {
            let x = draws[from];
            let to = draws.partition_point(|&draw| draw <= x);
            let cdf = distribution.cdf(x);
            let before = cdf - distribution.mass(x);
            farthest = farthest
                .max((cdf - to as f64 / DRAWS as f64).abs())
                .max((before - from as f64 / DRAWS as f64).abs());
            from = to;
        }
        let statistic = farthest * (DRAWS as f64).sqrt();
        assert!(statistic < 2.4, "{distribution:?}: {statistic}");
    }
}

#[test]
fn poisson_counts_fall_as_their_probabilities_say_on_both_sides_of_the_change_of_method() {
    const DRAWS: u32 = 200_000;
    for mean in [0.5, 9.5, 10.5, 300.0] {
        let distribution = any(Poisson::new(0.0, mean, 1.0));
        let mut random = generator(3);
        let mut counts = std::collections::BTreeMap::<u64, u32>::new();
        for _ in 0..DRAWS {
            *counts.entry(distribution.sample(&mut random) as u64).or_default() += 1;
        }
        // Chi-square over the counts that are expected at least 20 times.
        let (mut chi_square, mut cells) = (0.0, 0_u32);
        for (&count, &seen) in &counts {
            let expected = distribution.density(count as f64) * f64::from(DRAWS);
            if expected >= 20.0 {
                chi_square += (f64::from(seen) - expected) * (f64::from(seen) - expected) / expected;
                cells += 1;
            }
        }
        // Mean `cells`, variance 2 · `cells`; 4.4 standard deviations.
        let bound = f64::from(cells) + 4.4 * (2.0 * f64::from(cells)).sqrt();
        assert!(chi_square < bound, "mean {mean}: {chi_square} over {cells} cells");
    }
}

#[test]
fn the_same_stream_gives_the_same_draws_everywhere() {
    // Pinned: a changed algorithm or a platform's own logarithm shows here.
    let mut random = generator(42);
    let bits: Vec<u64> = disksim()[1..8].iter().map(|it| it.sample(&mut random).to_bits()).collect();
    assert_eq!(bits, PINNED);
}

const PINNED: [u64; 7] = [
    4617685653397020839,
    4618417014836715794,
    4620747130068251942,
    4616189618054758400,
    4628011567076605952,
    4657845715584679936,
    4621819117588971520,
];

#[test]
fn draws_of_the_other_families_are_pinned_too() {
    let mut random = generator(43);
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for distribution in &all() {
        for _ in 0..100 {
            let bits = distribution.sample(&mut random).to_bits();
            digest = (digest ^ bits).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(digest, PINNED_DIGEST, "{digest}");
}

/// FNV-1a over the bits of a hundred draws of each.
const PINNED_DIGEST: u64 = 3827340925425082568;
