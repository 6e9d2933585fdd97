//! Density, CDF, quantile and moments against one another, against another implementation, and against published
//! values.

use super::*;
use statrs::distribution::{Continuous, ContinuousCDF, Discrete, DiscreteCDF};

/// Simpson's rule over so many parts, an even number.
fn simpson(from: f64, to: f64, parts: u32, f: impl Fn(f64) -> f64) -> f64 {
    let width = (to - from) / f64::from(parts);
    let inner: f64 =
        (1..parts).map(|i| f(from + f64::from(i) * width) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (f(from) + inner + f(to)) * width / 3.0
}

#[test]
fn the_density_integrates_to_the_cdf() {
    for distribution in continuous() {
        let edges: Vec<f64> = (1..=9).map(|i| distribution.quantile(f64::from(i) / 10.0)).collect();
        for pair in edges.windows(2) {
            let area = simpson(pair[0], pair[1], 4_000, |x| distribution.density(x));
            // Steps of a density cost Simpson's rule the height of the step times the width of a part.
            assert!((area - 0.1).abs() < 1e-3, "{distribution:?} in {pair:?}: {area}");
        }
    }
}

#[test]
fn probabilities_are_the_jumps_of_the_cdf() {
    for distribution in [discrete(), mixed()].concat() {
        for i in 0..200 {
            let x = distribution.quantile(f64::from(i) / 200.0);
            let before = distribution.cdf(x - x.abs().max(1.0) * 1e-12);
            let jump = distribution.cdf(x) - before;
            assert!((jump - distribution.mass(x)).abs() < 1e-9, "{distribution:?} at {x}: {jump}");
        }
    }
}

#[test]
fn a_quantile_is_the_first_number_that_reaches_its_probability() {
    for distribution in all() {
        for p in [1e-6, 0.003, 0.1, 0.25, 0.5, 0.77, 0.9, 0.999, 1.0 - 1e-9] {
            let x = distribution.quantile(p);
            let (cdf, mass) = (distribution.cdf(x), distribution.mass(x));
            assert!(cdf >= p - 1e-12, "{distribution:?}, {p}: {x} reaches {cdf}");
            assert!(cdf - mass <= p + 1e-12, "{distribution:?}, {p}: {x} reaches {cdf} with {mass}");
        }
        assert_eq!(distribution.quantile(0.0), distribution.infimum(), "{distribution:?}");
        assert_eq!(distribution.quantile(1.0), distribution.supremum(), "{distribution:?}");
    }
}

#[test]
fn a_number_is_the_quantile_of_its_cdf() {
    for distribution in continuous() {
        for p in [0.001, 0.1, 0.3, 0.6, 0.95, 0.9999] {
            let x = distribution.quantile(p);
            let back = distribution.quantile(distribution.cdf(x));
            assert!((back - x).abs() <= 1e-9 * x.abs().max(1.0), "{distribution:?}, {p}: {x}, {back}");
        }
    }
}

#[test]
fn moments_up_to_a_number_are_the_integral_of_the_quantile() {
    // E[X^k; X ≤ Q(p)] = ∫ Q(u)^k du from 0 to p, by the midpoint rule: no density, no closed form takes part.
    const PARTS: u32 = 20_000;
    for distribution in all() {
        for p in [0.2, 0.85] {
            let x = distribution.quantile(p);
            let p = distribution.cdf(x);
            let middles: Vec<f64> = (0..PARTS)
                .map(|i| distribution.quantile((f64::from(i) + 0.5) / f64::from(PARTS) * p))
                .collect();
            for k in 0..=4 {
                let integral = middles.iter().map(|q| q.powi(k)).sum::<f64>() * p / f64::from(PARTS);
                let largest = middles.iter().map(|q| q.abs().powi(k)).fold(0.0, f64::max);
                let moment = distribution.moment_to(k as u32, x);
                assert!(
                    (moment - integral).abs() <= 2e-4 * largest + 1e-12,
                    "{distribution:?}, {p}, {k}: {moment} {integral}"
                );
            }
        }
    }
}

#[test]
fn whole_moments_continue_those_up_to_a_number() {
    for distribution in all() {
        let far = distribution.quantile(1.0 - 1e-12).min(1e15);
        for k in 1..=2 {
            let (whole, part) = (distribution.moment(k), distribution.moment_to(k, far));
            let scale = distribution.moment(2).powf(f64::from(k) / 2.0);
            assert!((whole - part).abs() <= 1e-3 * scale, "{distribution:?}, {k}: {whole} {part}");
        }
        let variance = distribution.moment(2) - distribution.mean() * distribution.mean();
        assert!(
            (variance - distribution.variance()).abs() <= 1e-9 * distribution.moment(2),
            "{distribution:?}"
        );
        assert!(
            (distribution.moment(1) - distribution.mean()).abs() <= 1e-12 * distribution.moment(2).sqrt()
        );
    }
}

#[test]
fn continuous_families_agree_with_another_implementation() {
    type Oracle = (Distribution, Box<dyn Fn(f64) -> (f64, f64)>);
    fn of(
        theirs: impl Continuous<f64, f64> + ContinuousCDF<f64, f64> + 'static,
    ) -> Box<dyn Fn(f64) -> (f64, f64)> {
        Box::new(move |x| (theirs.pdf(x), theirs.cdf(x)))
    }
    use statrs::distribution as theirs;
    let pairs: Vec<Oracle> = vec![
        (any(Normal::new(4.0, 3.0)), of(theirs::Normal::new(4.0, 3.0).unwrap())),
        (any(Exponential::new(0.0, 8.0)), of(theirs::Exp::new(0.125).unwrap())),
        (any(Lognormal::new(3.0, 0.6, 0.0)), of(theirs::LogNormal::new(3.0_f64.ln(), 0.6).unwrap())),
        (any(Weibull::new(0.7, 2.0, 0.0)), of(theirs::Weibull::new(0.7, 2.0).unwrap())),
        (any(Pareto::new(1.5, 2.0)), of(theirs::Pareto::new(2.0, 1.5).unwrap())),
        (gamma(&[(1.0, 0.4, 3.0, 0.0)]), of(theirs::Gamma::new(0.4, 1.0 / 3.0).unwrap())),
        (gamma(&[(1.0, 60.0, 0.5, 0.0)]), of(theirs::Gamma::new(60.0, 2.0).unwrap())),
        (gamma(&[(1.0, 4.0, 0.5, 0.0)]), of(theirs::Erlang::new(4, 2.0).unwrap())),
    ];
    for (ours, theirs) in pairs {
        for i in 1..100 {
            let x = ours.quantile(f64::from(i) / 100.0);
            let (density, cdf) = theirs(x);
            assert!((ours.density(x) - density).abs() <= 1e-9 * density.max(1.0), "{ours:?} at {x}");
            assert!((ours.cdf(x) - cdf).abs() < 1e-9, "{ours:?} at {x}: {} {cdf}", ours.cdf(x));
        }
    }
}

#[test]
fn discrete_families_agree_with_another_implementation() {
    let poisson = (any(Poisson::new(0.0, 3.5, 1.0)), statrs::distribution::Poisson::new(3.5).unwrap());
    let geometric =
        (any(Geometric::new(3.2, true, 1.0)), statrs::distribution::Geometric::new(1.0 / 3.2).unwrap());
    for count in 1..30_u64 {
        let x = count as f64;
        assert!((poisson.0.mass(x) - poisson.1.pmf(count)).abs() < 1e-12, "{x}");
        assert!((poisson.0.cdf(x) - poisson.1.cdf(count)).abs() < 1e-11, "{x}");
        assert!((geometric.0.mass(x) - geometric.1.pmf(count)).abs() < 1e-12, "{x}");
        assert!((geometric.0.cdf(x) - geometric.1.cdf(count)).abs() < 1e-12, "{x}");
    }
    // Zipf with exponent 1 over ten ranks: the harmonic number H(10) is 7381/2520.
    let zipf = any(Zipf::new(1.0, 10, 1.0));
    assert!((zipf.mass(3.0) - 2520.0 / 7381.0 / 3.0).abs() < 1e-14);
    assert!((zipf.mean() - 10.0 * 2520.0 / 7381.0).abs() < 1e-12);
}

#[test]
fn known_moments_are_met() {
    // Raw moments: exponential k! θ^k; standard normal 0, 1, 0, 3; Erlang(2, 1): 2, 6, 24, 120; lognormal exp(k² σ²/2).
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b.abs().max(1.0);
    let known: [(Distribution, [f64; 4]); 6] = [
        (any(Exponential::new(0.0, 2.0)), [2.0, 8.0, 48.0, 384.0]),
        (any(Normal::new(0.0, 1.0)), [0.0, 1.0, 0.0, 3.0]),
        (gamma(&[(1.0, 2.0, 1.0, 0.0)]), [2.0, 6.0, 24.0, 120.0]),
        (any(Lognormal::new(1.0, 1.0, 0.0)), [0.5_f64.exp(), 2.0_f64.exp(), 4.5_f64.exp(), 8.0_f64.exp()]),
        // Touchard's polynomials at 2.
        (any(Poisson::new(0.0, 2.0, 1.0)), [2.0, 6.0, 22.0, 94.0]),
        (any(Uniform::new(0.0, 1.0)), [0.5, 1.0 / 3.0, 0.25, 0.2]),
    ];
    for (distribution, moments) in known {
        for (k, moment) in (1..).zip(moments) {
            assert!(
                close(distribution.moment(k), moment),
                "{distribution:?}, {k}: {}",
                distribution.moment(k)
            );
        }
    }
}

#[test]
fn moments_that_do_not_exist_are_infinite() {
    let pareto = any(Pareto::new(1.5, 1.0));
    assert_eq!(pareto.mean(), 3.0);
    assert_eq!(pareto.variance(), f64::INFINITY);
    for k in 2..=4 {
        assert_eq!(pareto.moment(k), f64::INFINITY);
    }
    // The border case, and what a bound makes of it.
    assert_eq!(any(Pareto::new(1.0, 1.0)).mean(), f64::INFINITY);
    let bounded = any(Truncated::new(any(Pareto::new(1.0, 1.0)), 0.0, 100.0));
    assert!((bounded.mean() - 100.0_f64.ln() / 0.99).abs() < 1e-12, "{}", bounded.mean());
}

#[test]
fn a_stage_alone_is_the_family_it_stands_for() {
    // Shape 1 is exponential; a whole shape is Erlang's: P(more than x) = e^-x (1 + x + x²/2).
    let (phase, exponential) = (gamma(&[(1.0, 1.0, 3.0, 2.0)]), any(Exponential::new(2.0, 3.0)));
    let erlang = gamma(&[(1.0, 3.0, 1.0, 0.0)]);
    for i in 0..100 {
        let x = f64::from(i) / 7.0;
        assert!((phase.cdf(x) - exponential.cdf(x)).abs() < 1e-14);
        assert!((phase.density(x) - exponential.density(x)).abs() < 1e-14);
        assert!((1.0 - erlang.cdf(x) - (-x).exp() * (1.0 + x + x * x / 2.0)).abs() < 1e-14);
    }
}
