//! What is varied: a key of the scenario and the values that it takes.
//!
//! | written | values |
//! | --- | --- |
//! | `ordered,write-back` | these, in this order |
//! | `1..8` | whole numbers, both ends among them |
//! | `lin(10, 50, 5)` | so many at equal distances |
//! | `log(256 MiB, 16 GiB, 7)` | so many in equal ratios |
//! | `lin(10, 50)`, `log(…, …)` | anything between, where a design draws points |

use super::error::SweepError;
use petrio_units::Measured;
use petrio_units::numbers::{as_index, whole_part};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Values of one key at most; more are a range that no table shows.
const VALUES_MAX: u64 = 100_000;

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// The key's path.
    pub path: String,
    /// What it takes.
    pub values: Values,
}

/// The values that a key takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Told", into = "Told")]
pub enum Values {
    /// Each of these, as a scenario has it.
    Listed(Vec<String>),
    /// Anything between two, both among them.
    Between {
        /// The least.
        low: Measured,
        /// The most.
        high: Measured,
        /// How distances are told.
        scale: Scale,
    },
}

/// What equal steps are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Logarithmic,
}

impl Values {
    /// The value at a part of the way, 0 to 1: each listed one has an equal share.
    pub fn at(&self, part: f64) -> String {
        match self {
            Self::Listed(values) => {
                let at = as_index(whole_part(part * values.len() as f64)).min(values.len().saturating_sub(1));
                values.get(at).cloned().unwrap_or_default()
            }
            Self::Between { low, high, scale } => between((*low, *high), *scale, part).to_string(),
        }
    }
}

/// What lies at a part of the way between two.
fn between((low, high): (Measured, Measured), scale: Scale, part: f64) -> Measured {
    let (from, to) = (low.base(), high.base());
    let base = match scale {
        Scale::Linear => from + (to - from) * part,
        Scale::Logarithmic => from * libm::pow(to / from, part),
    };
    // Written with a point, either end says that the values between needn't be whole.
    let like = if low.of_the_same(0.5).base() == 0.5 { low } else { high };
    let base = if part <= 0.0 {
        from
    } else if part >= 1.0 {
        to
    } else {
        base
    };
    like.of_the_same(base)
}

impl FromStr for Factor {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = |why: String, help: &'static str| SweepError::vary(text, why, help);
        let (path, values) = text.split_once('=').ok_or_else(|| {
            wrong("it has no \"=\"".to_owned(), "write PATH=VALUES, for example disk.d.count=1..8")
        })?;
        let (path, values) = (path.trim(), values.trim());
        if path.is_empty() {
            return Err(wrong(
                "no key stands before the \"=\"".to_owned(),
                "write PATH=VALUES, for example disk.d.count=1..8",
            ));
        }
        let values = read(values).map_err(|(why, help)| wrong(why, help))?;
        Ok(Self { path: path.to_owned(), values })
    }
}

/// Values as a folder has them: a list, or a range as it was written.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Told {
    Listed(Vec<String>),
    Range(String),
}

impl TryFrom<Told> for Values {
    type Error = String;

    fn try_from(told: Told) -> Result<Self, String> {
        match told {
            Told::Listed(values) => Ok(Self::Listed(values)),
            Told::Range(text) => read(&text).map_err(|(why, _)| why),
        }
    }
}

impl From<Values> for Told {
    fn from(values: Values) -> Self {
        match values {
            Values::Listed(values) => Self::Listed(values),
            Values::Between { low, high, scale: Scale::Linear } => Self::Range(format!("lin({low}, {high})")),
            Values::Between { low, high, scale: Scale::Logarithmic } => {
                Self::Range(format!("log({low}, {high})"))
            }
        }
    }
}

impl Factor {
    /// A key with the values of a table's column.
    pub(super) fn listed(path: &str, values: Vec<String>) -> Self {
        Self { path: path.to_owned(), values: Values::Listed(values) }
    }
}

/// Why values can't be read, and what to do.
type Wrong = (String, &'static str);

fn read(text: &str) -> Result<Values, Wrong> {
    for (name, scale) in [("lin", Scale::Linear), ("log", Scale::Logarithmic)] {
        if let Some(inside) = text.strip_prefix(name).and_then(|rest| rest.trim().strip_prefix('(')) {
            let inside = inside.strip_suffix(')').ok_or_else(|| {
                (format!("\"{name}(\" has no end"), "write lin(LOW, HIGH, NUMBER) or log(LOW, HIGH, NUMBER)")
            })?;
            return range(inside, scale);
        }
    }
    if let Some((low, high)) = text.split_once("..").filter(|_| !text.contains(',')) {
        return whole_numbers(low.trim(), high.trim()).map(Values::Listed);
    }
    let values: Vec<String> = pieces(text).into_iter().map(|value| value.trim().to_owned()).collect();
    if values.iter().any(String::is_empty) {
        return Err((
            "a value is empty".to_owned(),
            "write values with commas between, for example ordered,write-back",
        ));
    }
    let mut seen = values.iter();
    while let Some(value) = seen.next() {
        if seen.as_slice().contains(value) {
            return Err((
                format!("\"{value}\" stands twice"),
                "name each value once; --replications repeats cases",
            ));
        }
    }
    Ok(Values::Listed(values))
}

/// `low..high`.
fn whole_numbers(low: &str, high: &str) -> Result<Vec<String>, Wrong> {
    const HOW: &str = "write whole numbers without a unit, such as 1..8; with units lin(1 ms, 8 ms, 8)";
    let number =
        |text: &str| text.parse::<i64>().map_err(|_| (format!("\"{text}\" is no whole number"), HOW));
    let (low, high) = (number(low)?, number(high)?);
    if high < low {
        return Err((format!("{low}..{high} goes down, and holds nothing"), "write the smaller one first"));
    }
    let count = high.abs_diff(low).saturating_add(1);
    few(count)?;
    Ok((low..=high).map(|number| number.to_string()).collect())
}

fn few(count: u64) -> Result<(), Wrong> {
    if count > VALUES_MAX {
        let why = format!("{count} values are more than the {VALUES_MAX} that one key may take");
        return Err((
            why,
            "write lin(LOW, HIGH, NUMBER) or log(LOW, HIGH, NUMBER), or draw points with --sample",
        ));
    }
    Ok(())
}

/// What stands between the brackets of `lin` and `log`.
fn range(inside: &str, scale: Scale) -> Result<Values, Wrong> {
    const HOW: &str = "write lin(LOW, HIGH, NUMBER), for example lin(10 ms, 50 ms, 5); the NUMBER may be left out with --sample";
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    let (low, high, count) = match parts[..] {
        [low, high] => (low, high, None),
        [low, high, count] => (low, high, Some(count)),
        _ => return Err((format!("it has {} parts, and needs two or three", parts.len()), HOW)),
    };
    let bound = |text: &str| {
        Measured::read(text)
            .ok_or_else(|| (format!("\"{text}\" is no number with a unit that there is"), HOW))
    };
    let (from, to) = (bound(low)?, bound(high)?);
    if !from.is_like(to) {
        let why = format!("\"{low}\" and \"{high}\" are no values of one quantity");
        return Err((why, "give both ends a unit of the same quantity"));
    }
    if to.base() <= from.base() {
        let why = if to.base() == from.base() { "both ends are the same" } else { "it goes down" };
        return Err((
            format!("from {low} to {high}: {why}"),
            "write the smaller end first; a single value is one without lin or log",
        ));
    }
    if scale == Scale::Logarithmic && from.base() <= 0.0 {
        return Err((format!("no ratio leads from {low} to {high}"), "begin above nothing, or write lin"));
    }
    let Some(count) = count else { return Ok(Values::Between { low: from, high: to, scale }) };
    let count: u64 = count.parse().map_err(|_| (format!("\"{count}\" is no number of values"), HOW))?;
    if count < 2 {
        return Err((format!("{count} values can't have two ends"), "ask for two or more"));
    }
    few(count)?;
    let mut values: Vec<String> = (0..count)
        .map(|step| between((from, to), scale, step as f64 / (count - 1) as f64).to_string())
        .collect();
    // Whole numbers that lie close are the same when rounded.
    values.dedup();
    Ok(Values::Listed(values))
}

/// What is divided by the commas outside quotes, brackets and braces.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut begin, mut all) = (0_u32, None, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                all.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[begin..]);
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        match text.parse::<Factor>().unwrap().values {
            Values::Listed(values) => values,
            between @ Values::Between { .. } => panic!("{between:?}"),
        }
    }

    #[test]
    fn lists_and_ranges_are_the_values_that_they_say() {
        assert_eq!(listed("fs.data.journal=ordered, write-back"), ["ordered", "write-back"]);
        assert_eq!(listed("host.server.count=1..4"), ["1", "2", "3", "4"]);
        assert_eq!(listed("w.gap=lin(10 ms, 50 ms, 5)"), ["10 ms", "20 ms", "30 ms", "40 ms", "50 ms"]);
        let memory = listed("host.server.memory=log(256 MiB, 16 GiB, 7)");
        assert_eq!(memory, ["256 MiB", "512 MiB", "1 GiB", "2 GiB", "4 GiB", "8 GiB", "16 GiB"]);
        assert_eq!(listed("m.stop=[1, 2],[3, 4]"), ["[1, 2]", "[3, 4]"]);
        assert_eq!(listed("n=log(1, 8, 12)"), ["1", "2", "3", "4", "5", "7", "8"], "whole, each once");
        assert_eq!(listed("n=lin(0.0, 1, 3)"), ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn values_are_told_and_read_as_the_same() {
        for text in ["a=1..4", "a=x,[1, 2]", "a=lin(1.5, 2)", "a=log(256 MiB, 16 GiB)"] {
            let factor: Factor = text.parse().unwrap();
            let told = serde_json::to_string(&factor).unwrap();
            assert_eq!(serde_json::from_str::<Factor>(&told).unwrap(), factor, "{told}");
        }
        let twice = Factor::listed("a", vec!["1".to_owned(), "1".to_owned()]);
        let told = serde_json::to_string(&twice).unwrap();
        assert_eq!(
            serde_json::from_str::<Factor>(&told).unwrap(),
            twice,
            "a table's column may say a thing twice"
        );
    }

    #[test]
    fn what_lies_between_is_found_by_its_part() {
        let factor: Factor = "m=log(1 MiB, 1 GiB)".parse().unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(|part| factor.values.at(part)), ["1 MiB", "32 MiB", "1 GiB"]);
        let factor: Factor = "m=a,b".parse().unwrap();
        assert_eq!([0.0, 0.49, 0.5, 1.0].map(|part| factor.values.at(part)), ["a", "a", "b", "b"]);
    }

    #[test]
    fn what_makes_no_sense_is_told_with_what_to_write() {
        for (text, said) in [
            ("disk.d.count", "no \"=\""),
            ("=1..8", "no key"),
            ("a=8..1", "goes down"),
            ("a=1..x", "no whole number"),
            ("a=1..9999999999", "more than"),
            ("a=ordered,,write-back", "empty"),
            ("a=", "empty"),
            ("a=x,x", "twice"),
            ("a=lin(5 ms, 1 ms, 3)", "goes down"),
            ("a=lin(5 ms, 5 ms, 3)", "the same"),
            ("a=lin(5 ms, 1 MiB, 3)", "one quantity"),
            ("a=log(0 B, 1 MiB, 3)", "no ratio"),
            ("a=lin(1, 2, 1)", "two ends"),
            ("a=lin(1, 2, x)", "no number of values"),
            ("a=lin(1)", "parts"),
            ("a=lin(1, 2, 3", "no end"),
            ("a=log(1 furlong, 2 furlong, 3)", "no number"),
        ] {
            let error = text.parse::<Factor>().unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
