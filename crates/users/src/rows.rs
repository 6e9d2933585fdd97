//! Files as they were used: size, bytes, opens and calls of one file together.
//!
//! How much of a file is used depends on its size: of a large library its first block is read, and a small source file
//! whole. Drawn apart, the products are others. A row is a file as it was used; rows are drawn evenly over a session's
//! files (systematic sampling: W. G. Cochran, *Sampling Techniques*, 3rd ed. 1977, ch. 8), so that a session as a whole is
//! as those that the rows come from were, and not as their sum by chance would be.

use crate::namespace::PlanError;
use petrio_distribution::uniform;
use petrio_random::{Generator, uniform_below};
use petrio_units::Bytes;
use petrio_units::numbers::{as_index, as_number, whole_part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most rows of a use.
const ROWS_MAX: usize = 1 << 16;

/// Files as they were used: lists of the same length, whose numbers of one place belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Together {
    /// Sizes of files; of those that are made, what they get.
    pub size: Vec<Bytes>,
    /// Bytes accessed of each in a session.
    pub accessed: Vec<Bytes>,
    /// How many of these are written, before the rest is read; left out, none, or, of files that are made, as many as
    /// there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Bytes>,
    /// Bytes of one access; 0: drawn anew each time, as the type's `access` says. Left out, all are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access: Vec<Bytes>,
    /// Bytes of the first access after each open; left out, as of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Bytes>,
    /// How often each is opened in a session; left out, once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opens: Vec<f64>,
    /// How often a session reads at its end and gets nothing; left out, never.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<f64>,
    /// How often each was seen; left out, once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
}

/// A file as it was used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) size: u64,
    pub(crate) accessed: u64,
    pub(crate) written: u64,
    /// Of the first access after each open, and of the others; 0 where each is drawn.
    pub(crate) access: [u64; 2],
    pub(crate) opens: f64,
    pub(crate) ends: f64,
}

/// Rows ready to draw from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// Cumulative weights, up to 1.
    until: Vec<f64>,
}

impl Rows {
    /// Of rows as they are written at the key `at`.
    pub(crate) fn of(written: &Together, is_made: bool, at: &str) -> Result<Self, PlanError> {
        let n = written.size.len();
        let refuse = |key: &str, problem: String| Err(PlanError::new(format!("{at}.{key}"), problem));
        if n == 0 || n > ROWS_MAX {
            return refuse("size", format!("between 1 and {ROWS_MAX} files, not {n}"));
        }
        if written.accessed.len() != n {
            return refuse("accessed", format!("has {} numbers, and size {n}", written.accessed.len()));
        }
        for (key, there) in [
            ("written", written.written.len()),
            ("access", written.access.len()),
            ("first", written.first.len()),
            ("opens", written.opens.len()),
            ("ends", written.ends.len()),
            ("weights", written.weights.len()),
        ] {
            if there != 0 && there != n {
                return refuse(key, format!("has {there} numbers, and size {n}"));
            }
        }
        for (key, numbers, least) in
            [("opens", &written.opens, 1.0), ("ends", &written.ends, 0.0), ("weights", &written.weights, 0.0)]
        {
            if let Some(number) = numbers.iter().find(|number| !(number.is_finite() && **number >= least)) {
                return refuse(key, format!("has {number}; {least} or more is meant"));
            }
        }
        let rows: Vec<Row> = (0..n)
            .map(|at| {
                let (size, accessed) = (written.size[at].get(), written.accessed[at].get());
                let access = written.access.get(at).map_or(0, |bytes| bytes.get());
                let first = written.first.get(at).map_or(access, |bytes| bytes.get());
                let all_written = if is_made { size.min(accessed) } else { 0 };
                Row {
                    size,
                    accessed,
                    written: written.written.get(at).map_or(all_written, |bytes| bytes.get()).min(accessed),
                    access: [first, access],
                    opens: written.opens.get(at).copied().unwrap_or(1.0),
                    ends: written.ends.get(at).copied().unwrap_or(0.0),
                }
            })
            .collect();
        let weight = |at: usize| written.weights.get(at).copied().unwrap_or(1.0);
        let whole: f64 = (0..n).map(weight).sum();
        if whole <= 0.0 {
            return refuse("weights", "are all 0".to_owned());
        }
        let until = (0..n)
            .scan(0.0, |sum, at| {
                *sum += weight(at) / whole;
                Some(*sum)
            })
            .collect();
        Ok(Self { rows, until })
    }

    /// A row for each of so many files, spread evenly over all, in any order.
    pub(crate) fn draw(&self, count: u64, random: &mut Generator) -> Vec<Row> {
        let first = uniform(random);
        let at = |number: u64| {
            let part = (first + number as f64) / count as f64;
            let place = self.until.partition_point(|until| *until <= part);
            self.rows[place.min(self.rows.len() - 1)]
        };
        let mut drawn: Vec<Row> = (0..count).map(at).collect();
        for last in (1..drawn.len()).rev() {
            drawn.swap(last, as_index(uniform_below(random, last as u64 + 1)));
        }
        drawn
    }

    /// Bytes accessed of a file, at the mean.
    pub(crate) fn mean_accessed(&self) -> f64 {
        self.mean(|row| row.accessed as f64)
    }

    /// Whether any access is to be drawn.
    pub(crate) fn draws_accesses(&self) -> bool {
        self.rows.iter().any(|row| row.access.contains(&0) && row.accessed > 0)
    }

    /// With all accesses drawn.
    pub(crate) fn drawing_accesses(mut self) -> Self {
        self.rows.iter_mut().for_each(|row| row.access = [0, 0]);
        self
    }

    fn mean(&self, of: impl Fn(&Row) -> f64) -> f64 {
        let mut before = 0.0;
        let mut sum = 0.0;
        for (row, until) in self.rows.iter().zip(&self.until) {
            sum += (until - before) * of(row);
            before = *until;
        }
        sum
    }
}

/// A whole number of a mean: the one below, or the one above as often as is needed.
pub(crate) fn whole(mean: f64, random: &mut Generator) -> u32 {
    let below = mean.floor();
    // As wide as counts of opens of one file in one session can sensibly be.
    let count = as_number(whole_part(below.clamp(0.0, 1e6)));
    if mean > below && uniform(random) < mean - below { count + 1 } else { count }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_random::generator;

    fn of(text: &str) -> Result<Rows, PlanError> {
        Rows::of(&toml::from_str(text).unwrap(), false, "at")
    }

    #[test]
    fn a_session_of_as_many_files_as_rows_has_each_of_them_once() {
        let rows =
            of("size = [\"0 B\", \"2 MB\", \"3 kB\"]\naccessed = [\"0 B\", \"832 B\", \"3 kB\"]").unwrap();
        let mut random = generator(1, 0, "test", "rows");
        let mut orders = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let drawn: Vec<u64> = rows.draw(3, &mut random).iter().map(|row| row.size).collect();
            let mut sorted = drawn.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 3_000, 2_000_000]);
            orders.insert(drawn);
        }
        assert_eq!(orders.len(), 6);
        assert!((rows.mean_accessed() - 3_832.0 / 3.0).abs() < 1e-9);
        // One file of a session is any of them.
        let sum: u64 = (0..30_000).map(|_| rows.draw(1, &mut random)[0].accessed).sum();
        assert!((sum as f64 / 30_000.0 / rows.mean_accessed() - 1.0).abs() < 0.03);
    }

    #[test]
    fn lists_that_do_not_belong_together_are_refused() {
        let refused = |text: &str| of(text).unwrap_err().to_string();
        assert!(refused("size = []\naccessed = []").contains("at.size: between 1"));
        assert!(
            refused("size = [\"1 B\"]\naccessed = []").contains("at.accessed: has 0 numbers, and size 1")
        );
        let short = "size = [\"1 B\", \"2 B\"]\naccessed = [\"1 B\", \"1 B\"]\nopens = [1]";
        assert!(refused(short).contains("at.opens: has 1 numbers, and size 2"));
        assert!(
            refused("size = [\"1 B\"]\naccessed = [\"1 B\"]\nopens = [0.5]").contains("has 0.5; 1 or more")
        );
        assert!(refused("size = [\"1 B\"]\naccessed = [\"1 B\"]\nweights = [0]").contains("are all 0"));
    }
}
