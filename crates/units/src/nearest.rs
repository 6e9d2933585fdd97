//! "Did you mean …?": the nearest of some known words.

/// The candidate that `word` most likely meant, if one is near enough.
///
/// The same word in another case (or with `_` for `-`) wins at once; otherwise the smallest edit distance
/// (Damerau–Levenshtein), at most a third of the word's length and at least one edit. Ties go to the earlier candidate.
///
/// ```
/// assert_eq!(petrio_units::nearest("c_look", ["fcfs", "c-look", "sptf"]), Some("c-look"));
/// assert_eq!(petrio_units::nearest("zebra", ["fcfs", "c-look"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Bounded, because a word from a garbage file may be megabytes long and the distance is quadratic.
    const LENGTH_MAX: usize = 64;
    if word.is_empty() || word.len() > LENGTH_MAX {
        return None;
    }
    let fold = |text: &str| text.to_lowercase().replace('_', "-");
    let folded = fold(word);
    let allowed = (folded.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LENGTH_MAX)
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &fold(candidate)), candidate))
        .filter(|&(distance, candidate)| distance <= allowed && distance < candidate.chars().count().max(1))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}
