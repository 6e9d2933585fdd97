//! The demerit figure: how far apart two distributions are, along the time axis.
//!
//! Ruemmler & Wilkes, "An introduction to disk drive modeling" (IEEE Computer 27(3), 1994): the root mean square of the
//! horizontal distance between the measured and the simulated cumulative distribution of access times. It does not mind
//! which request was fast and which slow, only how many were.
use petrio_units::numbers::{as_index, whole_part};

/// Steps in which the distributions are compared: p = 0.0001, 0.0002 … 1.
const STEPS: u32 = 10_000;

/// The demerit figure of two samples, in their unit; `None` if either is empty. Both are sorted.
pub fn demerit(measured: &mut [f64], simulated: &mut [f64]) -> Option<f64> {
    measured.sort_by(f64::total_cmp);
    simulated.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    for step in 1..=STEPS {
        let p = f64::from(step) / f64::from(STEPS);
        let distance = quantile(measured, p)? - quantile(simulated, p)?;
        sum += distance * distance;
    }
    Some((sum / f64::from(STEPS)).sqrt())
}

/// The value at probability `p` of an ascending sample, by linear interpolation between its values.
pub(crate) fn quantile(ascending: &[f64], p: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let position = p * last as f64;
    let left = as_index(whole_part(position)).min(last);
    let right = (left + 1).min(last);
    Some(ascending[left] + (ascending[right] - ascending[left]) * (position - left as f64))
}

/// Root mean square of the differences, request by request; `None` for no requests.
pub fn root_mean_square_error(measured: &[f64], simulated: &[f64]) -> Option<f64> {
    let count = measured.len().min(simulated.len());
    let sum: f64 = measured.iter().zip(simulated).map(|(m, s)| (m - s) * (m - s)).sum();
    (count > 0).then(|| (sum / count as f64).sqrt())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_sample_that_is_later_by_a_constant_has_that_demerit() {
        let mut measured: Vec<f64> = (0..500).map(|n| f64::from(n) * 0.1).collect();
        let mut simulated: Vec<f64> = measured.iter().map(|x| x + 0.25).collect();
        assert!((demerit(&mut measured, &mut simulated).unwrap() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn the_order_of_requests_matters_to_the_error_but_not_to_the_demerit() {
        let mut measured = vec![1.0, 2.0, 3.0, 4.0];
        let mut simulated = vec![4.0, 3.0, 2.0, 1.0];
        assert!((root_mean_square_error(&measured, &simulated).unwrap() - 5f64.sqrt()).abs() < 1e-12);
        assert_eq!(demerit(&mut measured, &mut simulated), Some(0.0));
    }

    #[test]
    fn a_stretched_uniform_distribution_has_the_integral_of_its_distance() {
        // x(p) = p against x(p) = 2p: distance p, root of the mean of p² is 1/√3.
        let mut measured: Vec<f64> = (0..=1000).map(|n| f64::from(n) / 1000.0).collect();
        let mut simulated: Vec<f64> = measured.iter().map(|x| 2.0 * x).collect();
        assert!((demerit(&mut measured, &mut simulated).unwrap() - 1.0 / 3f64.sqrt()).abs() < 1e-4);
    }

    #[test]
    fn no_requests_have_no_figure() {
        assert_eq!(demerit(&mut [], &mut [1.0]), None);
        assert_eq!(root_mean_square_error(&[], &[]), None);
    }
}
