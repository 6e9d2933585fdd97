//! What a petrio that was killed has left is cleared when the next one starts, and said so.

use crate::live::leftovers::{clear as clear_all, in_words};
use crate::output::talk;
use petrio_files::shown;
use std::collections::BTreeMap;

/// Clears it; says in one line what it was, and in one more what is there still.
pub(crate) fn clear() {
    let mut cleared: BTreeMap<&str, u64> = BTreeMap::new();
    let mut remains = Vec::new();
    let swept = clear_all();
    for swept in &swept {
        match &swept.failure {
            None => *cleared.entry(&swept.kind).or_default() += 1,
            Some(cause) => {
                remains.push(format!(
                    "the {} {} ({cause})",
                    in_words(&swept.kind).0,
                    shown::path(&swept.path)
                ));
            }
        }
    }
    if !cleared.is_empty() {
        let words = cleared.iter().map(|(kind, number)| {
            let (one, several) = in_words(kind);
            format!("{number} {}", if *number == 1 { one } else { several })
        });
        let words: Vec<String> = words.collect();
        talk(&format!("note: cleared what a petrio that was killed had left: {}", words.join(", ")));
    }
    if let Some(first) = remains.first() {
        let more = match remains.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        talk(&format!(
            "warning: what a petrio that was killed had left can't be cleared: {first}{more}; the next start tries again"
        ));
    }
}
