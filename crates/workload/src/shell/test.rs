//! Conditions: `[ … ]`, `[[ … ]]` and `test`, as far as what they ask is known.

/// What stands for a text that isn't known.
pub(super) const UNKNOWN: &str = "${";

/// Whether a test holds; none where that isn't known.
pub(super) fn test(words: &[String]) -> Option<bool> {
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "[" | "]" | "[[" | "]]" | "test"))
        .collect();
    any(&words)
}

fn any(words: &[&str]) -> Option<bool> {
    let parts: Vec<Option<bool>> = words.split(|word| matches!(*word, "-o" | "||")).map(all).collect();
    if parts.contains(&Some(true)) { Some(true) } else { parts.into_iter().reduce(Option::and)? }
}

fn all(words: &[&str]) -> Option<bool> {
    let parts: Vec<Option<bool>> = words.split(|word| matches!(*word, "-a" | "&&")).map(one).collect();
    if parts.contains(&Some(false)) { Some(false) } else { parts.into_iter().reduce(Option::and)? }
}

fn one(words: &[&str]) -> Option<bool> {
    let nots = words.iter().take_while(|word| **word == "!").count();
    bare(&words[nots..]).map(|holds| holds != (nots % 2 == 1))
}

fn bare(words: &[&str]) -> Option<bool> {
    match words {
        [] => Some(false),
        ["-z", text] => is_empty(text),
        ["-z"] => Some(true),
        ["-n"] => Some(false),
        ["-n", text] | [text] => is_empty(text).map(|empty| !empty),
        [_, _] => None,
        [left, sign, right] => compared(left, sign, right),
        _ => None,
    }
}

/// Whether a text is empty: that of a variable that is set nowhere is, what a script is called with and what others print are not.
fn is_empty(text: &str) -> Option<bool> {
    if !text.contains(UNKNOWN) {
        return Some(text.is_empty());
    }
    let name = text.strip_prefix(UNKNOWN)?.strip_suffix('}')?;
    Some(super::tokens::is_name(name))
}

fn compared(left: &str, sign: &str, right: &str) -> Option<bool> {
    if left.contains(UNKNOWN) || right.contains(UNKNOWN) {
        return None;
    }
    let numbers = || Some((left.trim().parse::<i64>().ok()?, right.trim().parse::<i64>().ok()?));
    let by_number = |holds: fn(i64, i64) -> bool| numbers().map(|(left, right)| holds(left, right));
    match sign {
        "=" | "==" => Some(super::expand::matches(right, left)),
        "!=" => Some(!super::expand::matches(right, left)),
        "-eq" => by_number(|left, right| left == right),
        "-ne" => by_number(|left, right| left != right),
        "-lt" => by_number(|left, right| left < right),
        "-le" => by_number(|left, right| left <= right),
        "-gt" => by_number(|left, right| left > right),
        "-ge" => by_number(|left, right| left >= right),
        _ => None,
    }
}
