//! Constraints between keys: comparisons in the Common Expression Language, in which keys stand under their paths and quantities in quotes.
//!
//! What a key's path or a quantity is, that language doesn't know: before it reads the text, paths become variables and quantities
//! numbers of their base unit. It also tells whole numbers from others, which a scenario doesn't: here all are others.

use super::error::SweepError;
use cel::{Context, Program, Value};
use petrio_units::Measured;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// What has to be true of every case.
#[derive(Clone, Debug, Default)]
pub struct Constraints(Arc<[Constraint]>);

#[derive(Debug)]
struct Constraint {
    text: String,
    program: Program,
    /// The paths that it names, of variables `key0`, `key1` ….
    paths: Vec<String>,
    /// Those of them that every case has alike, with their values.
    fixed: Vec<(String, String)>,
}

impl Constraints {
    /// Reads them. `varied` are the keys that have a value in each case, `known` tells the value of another.
    ///
    /// # Errors
    /// What isn't understood, and keys that there aren't.
    pub fn read(
        texts: &[String],
        varied: &[&str],
        known: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SweepError> {
        texts
            .iter()
            .map(|text| Constraint::read(text, varied, known))
            .collect::<Result<Vec<_>, _>>()
            .map(|all| Self(all.into()))
    }

    /// What they compare with that every case has alike, by path.
    pub(super) fn fixed(&self) -> BTreeMap<String, String> {
        self.0.iter().flat_map(|constraint| constraint.fixed.iter().cloned()).collect()
    }

    /// Whether all hold of these values.
    ///
    /// # Errors
    /// One that is neither true nor false of them.
    pub(super) fn hold<'v>(
        &self,
        values: &(impl Iterator<Item = (&'v str, &'v String)> + Clone),
    ) -> Result<bool, SweepError> {
        for constraint in &*self.0 {
            if !constraint.holds(values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Constraint {
    fn read(text: &str, varied: &[&str], known: &dyn Fn(&str) -> Option<String>) -> Result<Self, SweepError> {
        let wrong = |why: String| SweepError::Constraint { text: text.to_owned(), why };
        let (expression, paths) = translated(text).map_err(wrong)?;
        let mut fixed = Vec::new();
        for path in paths.iter().filter(|path| !varied.contains(&path.as_str())) {
            let value = known(path).ok_or_else(|| {
                let near = petrio_units::nearest(path, varied.iter().copied());
                let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
                wrong(format!("the scenario has no value at {path}{near}"))
            })?;
            fixed.push((path.clone(), value));
        }
        let program = Program::compile(&expression).map_err(|error| {
            let first = error.to_string();
            wrong(
                first
                    .lines()
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or("it can't be read")
                    .trim()
                    .to_owned(),
            )
        })?;
        Ok(Self { text: text.to_owned(), program, paths, fixed })
    }

    fn holds<'v>(
        &self,
        values: &(impl Iterator<Item = (&'v str, &'v String)> + Clone),
    ) -> Result<bool, SweepError> {
        let mut context = Context::empty();
        for (number, path) in self.paths.iter().enumerate() {
            let varied = values.clone().find(|(known, _)| known == path).map(|(_, value)| value);
            let value =
                varied.or_else(|| self.fixed.iter().find(|(known, _)| known == path).map(|(_, value)| value));
            context.add_variable_from_value(format!("key{number}"), told(value.map_or("", String::as_str)));
        }
        let wrong = |why: String| SweepError::Constraint { text: self.text.clone(), why };
        match self.program.execute(&context) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(_) => Err(wrong("it is no comparison: it is neither true nor false".to_owned())),
            Err(error) => Err(wrong(error.to_string())),
        }
    }
}

/// A value as the language has it.
fn told(text: &str) -> Value {
    match (Measured::read(text), text) {
        (Some(number), _) => Value::Float(number.base()),
        (None, "true") => Value::Bool(true),
        (None, "false") => Value::Bool(false),
        (None, word) => Value::String(Arc::new(word.trim_matches('"').to_owned())),
    }
}

/// The text with `key0`, `key1` … for paths and floats for numbers and quantities; and the paths.
fn translated(text: &str) -> Result<(String, Vec<String>), String> {
    let (mut out, mut paths, mut rest) = (String::new(), Vec::<String>::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => {
                let end = rest[1..].find(first).ok_or_else(|| format!("a {first} has no end"))?;
                let inside = &rest[1..=end];
                let _ = match Measured::read(inside) {
                    Some(number) => write!(out, "{:?}", number.base()),
                    None => write!(out, "{}", serde_json::Value::from(inside)),
                };
                end + 2
            }
            digit if digit.is_ascii_digit() => {
                let length =
                    rest.find(|next: char| !next.is_ascii_digit() && next != '.').unwrap_or(rest.len());
                let number: f64 =
                    rest[..length].parse().map_err(|_| format!("{} is no number", &rest[..length]))?;
                let _ = write!(out, "{number:?}");
                length
            }
            letter if letter.is_alphabetic() || letter == '_' => {
                let length = path_length(rest);
                match &rest[..length] {
                    word @ ("true" | "false" | "in") => out.push_str(word),
                    path => {
                        let number = paths.iter().position(|known| known == path).unwrap_or_else(|| {
                            paths.push(path.to_owned());
                            paths.len() - 1
                        });
                        let _ = write!(out, "key{number}");
                    }
                }
                length
            }
            other => {
                out.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Ok((out, paths))
}

/// How much of a text is a path: keys joined by dots, some of them in quotes. A key may have a hyphen in it, so that whoever subtracts
/// puts blanks around his.
fn path_length(text: &str) -> usize {
    let mut quoted = false;
    let mut before = ' ';
    text.char_indices()
        .find(|&(_, character)| {
            let ends = match character {
                '"' if quoted || before == '.' => {
                    quoted = !quoted;
                    false
                }
                _ if quoted => false,
                '-' | '_' | '.' | '/' => false,
                other => !other.is_alphanumeric(),
            };
            before = character;
            ends
        })
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PATHS: [&str; 3] = ["host.server.count", "host.server.memory", "fs.my-data.journal"];

    fn read(text: &str) -> Result<Constraints, SweepError> {
        let known = |path: &str| (path == "workload.w.rate").then(|| "200 /s".to_owned());
        Constraints::read(&[text.to_owned()], &PATHS, &known)
    }

    fn holds(text: &str) -> bool {
        let values = ["4", "2 GiB", "ordered"].map(str::to_owned);
        read(text).unwrap().hold(&PATHS.into_iter().zip(&values)).unwrap()
    }

    #[test]
    fn keys_are_compared_with_quantities_words_and_each_other() {
        for text in [
            "host.server.count <= 4",
            "host.server.count * 2 == 8 && host.server.memory > \"1 GiB\"",
            "host.server.memory / host.server.count == '512 MiB'",
            "fs.my-data.journal == \"ordered\" || false",
            "fs.my-data.journal in [\"ordered\", \"journal\"]",
            "!(host.server.count > 4.5)",
            "workload.w.rate >= \"100 /s\"",
            "host.server.count - 1 == 3",
        ] {
            assert!(holds(text), "{text}");
            assert!(!holds(&format!("!({text})")), "not {text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_told() {
        for (text, said) in [
            ("host.server.coun <= 4", "did you mean host.server.count"),
            ("host.server.count <=", ""),
            ("fs.my-data.journal == \"ordered", "no end"),
            ("1.2.3 < 4", "no number"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains(said), "{text}: {error}");
        }
        let values = ["4", "2 GiB", "ordered"].map(str::to_owned);
        let of =
            |text: &str| read(text).unwrap().hold(&PATHS.into_iter().zip(&values)).unwrap_err().to_string();
        assert!(of("host.server.count + 1").contains("neither true nor false"));
        assert!(of("fs.my-data.journal < 3").contains("fs.my-data.journal"));
    }
}
