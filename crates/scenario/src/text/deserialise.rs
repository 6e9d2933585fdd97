//! From a table to a struct, with every mistake in it and not the first alone.
//!
//! Serde stops at its first error. Here the offending entry is noted and taken out of a copy, and the rest is read
//! again; what a person gets is the list of all unknown keys, bad units and wrong types of a part at once.

use crate::text::culprit::culprit;
use crate::text::problem::Problem;
use crate::text::sources::Sources;
use crate::text::tree::{Table, Value};
use crate::text::value::{Complaint, Reading};
use petrio_units::nearest;
use serde::de::DeserializeOwned;
use std::ops::Range;
use toml::de::{DeArray, DeTable, DeValue};

/// So many mistakes in one part are enough to read.
const MISTAKES_MAX: usize = 50;

/// Reads a struct. `Err` holds at least one problem.
pub(crate) fn read<T: DeserializeOwned>(table: &Table<'_>, sources: &Sources) -> Result<T, Vec<Problem>> {
    read_beside(table, &[], sources)
}

/// As [`read`], where the keys `beside` were read as another struct: they are suggested like its own.
pub(crate) fn read_beside<T: DeserializeOwned>(
    table: &Table<'_>,
    beside: &[&str],
    sources: &Sources,
) -> Result<T, Vec<Problem>> {
    let span = table.span();
    let mut error = match reading::<T>(table.get_ref(), &span) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let mut rest = table.get_ref().clone();
    let mut problems = Vec::new();
    let mut taken_out: Vec<String> = Vec::new();
    let mut told: Vec<Range<usize>> = Vec::new();
    loop {
        let message = error.message.trim();
        let at = error.at.clone().unwrap_or_else(|| span.clone());
        let at = match missing_field(message) {
            Some(_) => at,
            None => culprit(&rest, at, message, |less| {
                reading::<T>(&less, &span).err().map(|error| error.message.trim().to_owned())
            }),
        };
        // What is left of a table makes no sense without what was taken out of it.
        let caused_by_removal = match missing_field(message) {
            Some(field) => taken_out.iter().any(|key| key == field),
            None => told.iter().any(|earlier| encloses(&at, earlier) && at != *earlier),
        };
        told.push(at.clone());
        if !caused_by_removal || problems.is_empty() {
            let top = table.get_ref().keys().any(|key| key.span() == at);
            problems.push(explained(message, at.clone(), if top { beside } else { &[] }, sources));
        }
        if problems.len() >= MISTAKES_MAX || !take_out(&mut rest, &at, &mut taken_out) {
            return Err(problems);
        }
        error = match reading::<T>(&rest, &span) {
            Ok(_) => return Err(problems),
            Err(error) => error,
        };
    }
}

fn reading<T: DeserializeOwned>(table: &DeTable<'_>, span: &Range<usize>) -> Result<T, Complaint> {
    T::deserialize(Reading::table(table, span.clone()))
}

fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}

/// Takes the entry out whose key or value stands at `span`, or the innermost one around it.
fn take_out(table: &mut DeTable<'_>, span: &Range<usize>, taken_out: &mut Vec<String>) -> bool {
    for (_, value) in table.iter_mut() {
        let around = encloses(&value.span(), span);
        let done = match value.get_mut() {
            DeValue::Table(inner) => take_out(inner, span, taken_out),
            DeValue::Array(items) if around => take_out_of_items(items, span, taken_out),
            _ => false,
        };
        if done {
            return true;
        }
    }
    let found = table
        .iter()
        .find(|(key, value)| key.span() == *span || value.span() == *span || encloses(&value.span(), span))
        .map(|(key, _)| key.get_ref().to_string());
    match found {
        Some(key) => {
            table.remove(key.as_str());
            taken_out.push(key);
            true
        }
        None => false,
    }
}

/// The same of a list, from which an item goes that is a table.
fn take_out_of_items(items: &mut DeArray<'_>, span: &Range<usize>, taken_out: &mut Vec<String>) -> bool {
    let within = items.iter_mut().any(|item| match item.get_mut() {
        DeValue::Table(inner) => take_out(inner, span, taken_out),
        _ => false,
    });
    let is_it = |item: &Value<'_>| item.get_ref().is_table() && encloses(&item.span(), span);
    if within || !items.iter().any(is_it) {
        return within;
    }
    *items = items.iter().filter(|item| !is_it(item)).cloned().collect();
    true
}

fn encloses(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end && !outer.is_empty()
}

/// Serde's words turned into a person's.
fn explained(message: &str, span: Range<usize>, beside: &[&str], sources: &Sources) -> Problem {
    if let Some((word, known)) = unknown(message, "unknown field `") {
        let known: Vec<&str> = beside.iter().copied().chain(known).collect();
        let problem = sources.error(span, format!("unknown key \"{word}\"")).label("nothing reads this");
        return problem.help(suggestion(word, &known, "the keys here are"));
    }
    if let Some((word, known)) = unknown(message, "unknown variant `") {
        let problem = sources.error(span, format!("\"{word}\" is not known here"));
        return problem.help(suggestion(word, &known, "it is one of"));
    }
    if let Some(field) = missing_field(message) {
        let problem = sources.error(span, format!("\"{field}\" is missing")).label("in this part");
        return problem.help(format!("add a line that begins with {field} ="));
    }
    // A word that stands with a value where it stands alone: `fsync = "every"`.
    if message.contains("unit variant, expected ")
        && let Some(word) =
            sources.text(&span).map(|text| text.trim_matches(['"', '\''])).filter(|word| !word.is_empty())
    {
        let problem = sources.error(span.clone(), format!("\"{word}\" needs a value"));
        return problem
            .help(format!("write {{ {word} = … }}; petrio schema and the key's path tell what it may be"));
    }
    if message.starts_with("a distribution is a table with one key")
        || message.contains("expected a distribution")
    {
        return sources.error(span, message.replace("map", "table")).help(DISTRIBUTION);
    }
    sources.error(span, in_plain_words(message))
}

/// Names of the language in which petrio is written mean nothing to who writes a scenario. What a message quotes from the
/// scenario stays as it is.
fn in_plain_words(message: &str) -> String {
    let text = message
        .replacen("invalid type: ", "the wrong type: ", 1)
        .replacen("invalid value: ", "the wrong value: ", 1)
        .replacen("the wrong type: sequence", "the wrong type: list", 1)
        .replacen("the wrong type: map", "the wrong type: table", 1)
        .replacen("the wrong value: map", "the wrong value: table", 1);
    let Some((before, what)) = text.rsplit_once("expected ") else { return text };
    let is_too_large = before.starts_with("the wrong value: integer `") && !before.contains("`-");
    let plain = match what {
        // Only what is too large says how large it may be: who writes a word, or less than nothing, doesn't mean that.
        "u8" if is_too_large => "a whole number from 0 to 255",
        "u16" if is_too_large => "a whole number from 0 to 65535",
        "u32" if is_too_large => "a whole number from 0 to 4294967295",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "unit" => "the word alone, without a value",
        what if what.starts_with("struct ") => "a table",
        what if what.starts_with("internally tagged enum ") => {
            "a table that says its sort: { kind = \"…\", … }"
        }
        what => &what.replace("sequence", "list").replace("map", "table"),
    };
    format!("{before}expected {plain}")
}

/// How a distribution is written.
const DISTRIBUTION: &str =
    "write a quantity, or { exponential = { mean = \"…\" } } and the like; petrio schema has them all";

/// The word that isn't known, and those that are, from serde's "unknown field `x`, expected one of `a`, `b`".
fn unknown<'m>(message: &'m str, prefix: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let (word, rest) = message.strip_prefix(prefix)?.split_once("`, ").or_else(|| {
        // A word may hold anything, a backtick too; then the list of known words is not worth finding.
        Some((message.strip_prefix(prefix)?.trim_end_matches('`'), ""))
    })?;
    Some((word, rest.split('`').skip(1).step_by(2).collect()))
}

/// "did you mean …", or the whole list where it is short, or where it starts.
pub(crate) fn suggestion(word: &str, known: &[&str], list: &str) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if known.is_empty() => "there is nothing that could stand here".to_owned(),
        None => format!("{list} {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::in_plain_words;

    #[test]
    fn types_are_told_in_plain_words_and_what_is_quoted_stays() {
        for (message, words) in [
            (
                "invalid value: integer `99999999999`, expected u32",
                "the wrong value: integer `99999999999`, expected a whole number from 0 to 4294967295",
            ),
            (
                "invalid type: string \"map.csv\", expected u64",
                "the wrong type: string \"map.csv\", expected a whole number from 0 on",
            ),
            ("invalid type: map, expected a sequence", "the wrong type: table, expected a list"),
            ("invalid type: sequence, expected a map", "the wrong type: list, expected a table"),
            (
                "invalid value: integer `-1`, expected u32",
                "the wrong value: integer `-1`, expected a whole number from 0 on",
            ),
            (
                "invalid type: string \"ior\", expected internally tagged enum ParallelProgram",
                "the wrong type: string \"ior\", expected a table that says its sort: { kind = \"…\", … }",
            ),
            ("a sequence of maps", "a sequence of maps"),
        ] {
            assert_eq!(in_plain_words(message), words);
        }
    }
}
