//! Holm's correction of several tests.

/// The p-values of several tests, corrected so that the chance of any false claim among those below α is at most α (S.
/// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
///
/// ```
/// use petrio_study::compare::statistics::holm;
/// assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
/// ```
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 0.0f64;
    for (rank, &index) in order.iter().enumerate() {
        // Never less than that of a smaller one, and never more than certain.
        least = least.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn agrees_with_the_worked_example_of_the_r_documentation() {
        // R 4, p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"): 0.05 0.08 0.09 0.09 0.09.
        let found = holm(&[0.01, 0.02, 0.03, 0.04, 0.05]);
        for (found, expected) in found.iter().zip([0.05, 0.08, 0.09, 0.09, 0.09]) {
            assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
        }
    }

    #[test]
    fn one_test_is_left_as_it_is_and_none_exceeds_one() {
        assert_eq!(holm(&[0.3]), [0.3]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
