//! Rows of a table of several dimensions in which each value of one meets each value of every other.

/// Rows in which all pairs of values are, by taking for each row first a pair that is missing and then, dimension by dimension, the
/// value that adds most pairs (Cohen, Dalal, Fredman, Patton, "The AETG system", IEEE Transactions on Software Engineering 23(7),
/// 1997, without its random choices).
pub(super) fn pairs(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut missing = Missing::all(sizes);
    let mut rows: Vec<Vec<usize>> = Vec::new();
    while let Some(((first, a), (second, b))) = missing.any() {
        let mut row: Vec<Option<usize>> = vec![None; sizes.len()];
        (row[first], row[second]) = (Some(a), Some(b));
        for dimension in 0..sizes.len() {
            if row[dimension].is_some() {
                continue;
            }
            // Of equals another one in each row.
            let begin = rows.len() % sizes[dimension];
            let values = (0..sizes[dimension]).map(|value| (value + begin) % sizes[dimension]);
            row[dimension] = values.rev().max_by_key(|&value| missing.with(&row, (dimension, value)));
        }
        let row: Vec<usize> = row.into_iter().flatten().collect();
        missing.met(&row);
        rows.push(row);
    }
    rows
}

/// A value of a dimension.
type Value = (usize, usize);

/// Which pairs of values haven't met.
struct Missing {
    /// The number of the first value of each dimension, among the values of all.
    firsts: Vec<usize>,
    values: Vec<Value>,
    /// By the numbers of both, the lower one first.
    pairs: Vec<bool>,
}

impl Missing {
    fn all(sizes: &[usize]) -> Self {
        let mut values = Vec::new();
        let mut firsts = Vec::new();
        for (dimension, &size) in sizes.iter().enumerate() {
            firsts.push(values.len());
            values.extend((0..size).map(|value| (dimension, value)));
        }
        let pairs = values.iter().flat_map(|a| values.iter().map(move |b| a.0 < b.0)).collect();
        Self { firsts, values, pairs }
    }

    fn at(&self, a: Value, b: Value) -> usize {
        let [a, b] = [a.min(b), a.max(b)].map(|(dimension, value)| self.firsts[dimension] + value);
        a * self.values.len() + b
    }

    fn any(&self) -> Option<(Value, Value)> {
        let at = self.pairs.iter().position(|&missing| missing)?;
        Some((self.values[at / self.values.len()], self.values[at % self.values.len()]))
    }

    /// How many pairs a row has with this value that are missing.
    fn with(&self, row: &[Option<usize>], value: Value) -> usize {
        let others = row.iter().enumerate().filter_map(|(dimension, &other)| Some((dimension, other?)));
        others.filter(|&other| self.pairs[self.at(other, value)]).count()
    }

    fn met(&mut self, row: &[usize]) {
        for (a, &first) in row.iter().enumerate() {
            for (b, &second) in row.iter().enumerate().skip(a + 1) {
                let at = self.at((a, first), (b, second));
                self.pairs[at] = false;
            }
        }
    }
}

/// All combinations.
pub(super) fn all(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |rows, &size| {
        rows.iter().flat_map(|row| (0..size).map(|value| [row.as_slice(), &[value]].concat())).collect()
    })
}

#[test]
fn pairs_meet_all_of_them_in_few_more_rows_than_the_two_longest_dimensions_need() {
    for sizes in [vec![7, 19, 7], vec![7, 19, 7, 4, 11], vec![2, 2], vec![5], vec![3, 1, 4]] {
        let rows = pairs(&sizes);
        for a in 0..sizes.len() {
            for b in a + 1..sizes.len() {
                let mut met: Vec<(usize, usize)> = rows.iter().map(|row| (row[a], row[b])).collect();
                met.sort_unstable();
                met.dedup();
                assert_eq!(met.len(), sizes[a] * sizes[b], "{sizes:?}: {a} and {b}");
            }
        }
        let mut longest = sizes.clone();
        longest.sort_unstable();
        let least: usize = longest.iter().rev().take(2).product();
        assert!(sizes.len() < 2 || rows.len() <= least + least / 2, "{sizes:?}: {} of {least}", rows.len());
        assert!(all(&sizes).len() == sizes.iter().product::<usize>());
    }
}
