//! The parts that names and patterns may stand for, so that a name among thousands is looked up and not searched for.

use crate::schema::fits;
use std::collections::HashMap;

/// Parts by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// Each part's name, and the name under which the scenario describes it, which stands for all that are described
    /// by it.
    parts: Vec<(String, String)>,
    /// The numbers of those that a word names, ascending. Only looked up, never walked.
    by_word: HashMap<String, Vec<u32>>,
}

impl Pool {
    /// All parts.
    pub(super) fn parts(&self) -> &[(String, String)] {
        &self.parts
    }

    /// The numbers of the parts that a name or a pattern stands for, ascending.
    pub(super) fn fitting(&self, pattern: &str) -> Vec<u32> {
        if !pattern.contains('*') {
            return self.by_word.get(pattern).cloned().unwrap_or_default();
        }
        let is_meant = |(name, part): &(String, String)| fits(pattern, name) || fits(pattern, part);
        (0..).zip(&self.parts).filter(|(_, entry)| is_meant(entry)).map(|(number, _)| number).collect()
    }
}

impl FromIterator<(String, String)> for Pool {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(parts: I) -> Self {
        let mut pool = Self::default();
        for (number, (name, part)) in (0..).zip(parts) {
            pool.by_word.entry(name.clone()).or_default().push(number);
            if name != part {
                pool.by_word.entry(part.clone()).or_default().push(number);
            }
            pool.parts.push((name, part));
        }
        pool
    }
}
