//! Whatever refers to a part gets its new name. Which texts do isn't guessed: they are those that the check no longer
//! understands, because they name what is gone.

use crate::api::Desk;
use crate::api::standing::Standing;
use petrio_kernel::Watch;
use petrio_scenario::Problem;
use std::ops::Range;
use std::path::Path;
use toml_edit::Value;

/// So often at most: each check finds the mistakes of one kind.
const ROUNDS_MAX: usize = 8;

/// The text in which a part has its new name already, with all that referred to it by the old one.
pub(crate) fn followed(desk: &Desk, path: &Path, mut text: String, renamed: &[String], to: &str) -> String {
    let Some(from) = renamed.last() else { return text };
    for _ in 0..ROUNDS_MAX {
        let Ok(standing) = Standing::of(desk, path, text.clone()) else { return text };
        let Err(problems) = standing.load(&[], &Watch::default()) else { return text };
        let mut places: Vec<Range<usize>> =
            problems.iter().filter_map(|problem| names(problem, &standing.name, from)).collect();
        places.sort_by_key(|place| place.start);
        places.dedup();
        let before = text.clone();
        for place in places.into_iter().rev() {
            if let Some(new) = text.get(place.clone()).map(|old| with_name(old, from, to)) {
                text.replace_range(place, &new);
            }
        }
        if text == before {
            return text;
        }
    }
    text
}

/// Where a complaint points at a text of this scenario that may name a part.
fn names(problem: &Problem, name: &str, from: &str) -> Option<Range<usize>> {
    let (file, place) = problem.place()?;
    let is_named = problem.message().contains(&format!("\"{from}\"")) || problem.message().contains(from);
    (file == name && is_named && problem.pointed_at()?.contains(from)).then_some(place)
}

/// A value in which every text that is the old name, or a path with it, has the new one.
fn with_name(value: &str, from: &str, to: &str) -> String {
    let mut made = String::new();
    let mut rest = value;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let Some(length) = rest[start + 1..].find(quote) else { break };
        let inner = &rest[start + 1..start + 1 + length];
        made.push_str(&rest[..start]);
        let pieces: Vec<&str> =
            inner.split('/').map(|piece| if piece == from { to } else { piece }).collect();
        let renamed = pieces.join("/");
        if renamed == inner {
            made.push_str(&rest[start..start + length + 2]);
        } else {
            made.push_str(&Value::from(renamed).to_string());
        }
        rest = &rest[start + length + 2..];
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::with_name;

    #[test]
    fn texts_that_are_the_name_get_the_other_and_others_stay() {
        assert_eq!(with_name("\"d0\"", "d0", "data"), "\"data\"");
        assert_eq!(with_name("[\"d0\", 'd1', \"s/d0\"]", "d0", "x y"), "[\"x y\", 'd1', \"s/x y\"]");
        assert_eq!(with_name("\"d01\"", "d0", "x"), "\"d01\"");
        assert_eq!(with_name("\"d0", "d0", "x"), "\"d0");
    }
}
