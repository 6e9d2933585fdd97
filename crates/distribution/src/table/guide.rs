//! A guide table: where in a cumulative table a probability lies, in constant time on average.
//!
//! Source: Chen and Asau, "On generating random variates from an empirical distribution", AIIE Transactions 6 (1974).

use petrio_units::numbers::{as_index, as_number, whole_part};

/// For each of as many equal steps of probability as the table has rows, the first row that can hold it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Guide {
    first: Vec<u32>,
}

impl Guide {
    /// Of a non-decreasing table of cumulative probabilities.
    pub(super) fn new(cumulative: &[f64]) -> Self {
        let steps = cumulative.len();
        let mut row = 0;
        let first = (0..steps)
            .map(|step| {
                let p = step as f64 / steps as f64;
                while row + 1 < steps && cumulative[row] < p {
                    row += 1;
                }
                as_number(row)
            })
            .collect();
        Self { first }
    }

    /// The first row whose cumulative probability is `p` or more; the last one where there is none.
    pub(super) fn row(&self, cumulative: &[f64], p: f64) -> usize {
        let steps = self.first.len();
        let step = as_index(whole_part(p * steps as f64)).min(steps - 1);
        let mut row = self.first[step] as usize;
        // The product may have rounded up into the next step.
        while row > 0 && cumulative[row - 1] >= p {
            row -= 1;
        }
        while row + 1 < cumulative.len() && cumulative[row] < p {
            row += 1;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::Guide;

    #[test]
    fn a_row_is_the_one_that_a_search_finds() {
        let cumulative = [0.0, 0.0, 0.1, 0.1, 0.45, 0.46, 0.999, 1.0, 1.0];
        let guide = Guide::new(&cumulative);
        for step in 0..=1_000 {
            let p = f64::from(step) / 1_000.0;
            assert_eq!(guide.row(&cumulative, p), cumulative.partition_point(|&c| c < p), "{p}");
        }
    }
}
