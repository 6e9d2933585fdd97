//! What a model says of parameters with which it can't be made, as a problem of the text that they stand in.

use super::tree::KeySpans;
use super::{Problem, Sources};

/// A model's words: what is wrong and, after the last semicolon, what to do about it.
pub(crate) fn with_advice(words: &str) -> (&str, Option<&str>) {
    words.rsplit_once("; ").map_or((words, None), |(wrong, advice)| (wrong, Some(advice)))
}

/// A part's problem in a model's words. It points at the
/// first of the keys between backticks that is written in the part, or else at the part.
pub(crate) fn refusal(sources: &Sources, places: &KeySpans, part: &str, words: &str) -> Problem {
    let (wrong, advice) = with_advice(words);
    let mut keys = words.split('`').skip(1).step_by(2);
    let span = match keys.find_map(|key| places.within(part, key)) {
        Some(path) => places.value(path),
        None => places.key(part),
    };
    sources.error(span, wrong).maybe_help(advice)
}
