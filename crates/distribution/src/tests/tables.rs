//! Tables: that they reproduce what they are tables of, and what they refuse.

use super::*;

fn grid(from: f64, to: f64, points: usize) -> Vec<f64> {
    (0..points).map(|i| from + (to - from) * i as f64 / (points - 1) as f64).collect()
}

#[test]
fn a_table_of_a_density_gives_the_cdf_back() {
    let gamma = gamma(&[(0.5, 2.0, 1.0, 0.0), (0.5, 9.0, 0.7, 2.0)]);
    let x = grid(0.0, 30.0, 301);
    let table = any(Pieces::of_density(&x, &x.iter().map(|&x| gamma.density(x)).collect::<Vec<_>>()));
    for i in 0..1_000 {
        let x = f64::from(i) * 0.0217;
        assert!((table.cdf(x) - gamma.cdf(x)).abs() < 2e-4, "{x}: {} {}", table.cdf(x), gamma.cdf(x));
        assert!((table.density(x) - gamma.density(x)).abs() < 3e-3, "{x}");
    }
    assert!((table.mean() / gamma.mean() - 1.0).abs() < 1e-4);
    assert!((table.variance() / gamma.variance() - 1.0).abs() < 1e-3);
}

#[test]
fn simpson_s_rule_is_exact_on_a_straight_density() {
    // A triangle: f = 2x, F = x².
    let table = any(Pieces::of_density(&[0.0, 0.25, 1.0], &[0.0, 0.5, 2.0]));
    for x in [0.1, 0.25, 0.4, 0.9] {
        assert!((table.cdf(x) - x * x).abs() < 1e-14, "{x}: {}", table.cdf(x));
        assert!((table.quantile(x * x) - x).abs() < 1e-12);
    }
    assert!((table.moment(3) - 2.0 / 5.0).abs() < 1e-14);
}

#[test]
fn cumulative_tables_pass_through_their_points_and_stay_monotone() {
    let (x, p) = ([0.0, 1.0, 1.5, 8.0, 9.0], [0.0, 0.6, 0.61, 0.62, 1.0]);
    for interpolation in [Interpolation::Linear, Interpolation::MonotoneCubic] {
        let table = any(Pieces::of_cumulative(&x, &p, interpolation));
        for (&x, &p) in x.iter().zip(&p) {
            assert!((table.cdf(x) - p).abs() < 1e-14);
        }
        let fine: Vec<f64> = (0..=9_000).map(|i| table.cdf(f64::from(i) / 1_000.0)).collect();
        assert!(fine.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

#[test]
fn a_smoothed_sample_has_the_usual_quantiles() {
    // Hyndman and Fan's type 7 of 1…5: the 0.3 quantile is 2.2.
    let table = any(Pieces::of_sample(&[5.0, 3.0, 1.0, 2.0, 4.0], None));
    assert!((table.quantile(0.3) - 2.2).abs() < 1e-14);
    let once = any(Pieces::of_sample(&[7.0], None));
    assert_eq!((once.quantile(0.4), once.mean(), once.variance(), once.mass(7.0)), (7.0, 7.0, 0.0, 1.0));
}

#[test]
fn what_is_no_table_is_refused_by_its_place() {
    let density = |x: &[f64], d: &[f64]| Pieces::of_density(x, d).unwrap_err().to_string();
    assert_eq!(density(&[1.0], &[1.0]), "density-table: x has 1 numbers; at least 2 are needed");
    assert!(density(&[1.0, 1.0], &[1.0, 2.0]).contains("x.1 is 1, after 1"));
    assert!(density(&[1.0, 2.0], &[1.0, -2.0]).contains("density.1 is -2; it can't be negative"));
    assert!(density(&[1.0, 2.0], &[0.0, 0.0]).contains("more than zero somewhere"));
    assert!(density(&[1.0, 2.0], &[0.0]).contains("belong together"));
    assert!(density(&[1.0, f64::NAN], &[0.0, 1.0]).contains("x.1 is NaN"));
    let cumulative =
        |x: &[f64], p: &[f64]| Pieces::of_cumulative(x, p, Interpolation::Linear).unwrap_err().to_string();
    assert!(cumulative(&[1.0, 2.0], &[0.0, 0.9]).contains("p ends at 0.9; add the point"));
    assert!(cumulative(&[1.0, 2.0, 3.0], &[0.5, 0.4, 1.0]).contains("p.1 is 0.4, after 0.5"));
    assert!(cumulative(&[1.0, 2.0], &[0.5, 1.4]).contains("p.1 is 1.4; a probability"));
    assert!(Steps::new(&[], None).unwrap_err().to_string().contains("at least 1"));
    assert!(Steps::new(&[1.0], Some(&[0.0])).unwrap_err().to_string().contains("all zero"));
}
