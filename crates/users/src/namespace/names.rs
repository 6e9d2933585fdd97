//! What files of a category are called.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Where a file's number goes.
const NUMBER: &str = "{number}";
/// How names that the planner gives begin.
const TAKEN: [&str; 2] = ["level-", "empty-"];
/// What stands in names of files that users at work make.
const MADE: &str = "-made-";

/// A name with a number in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePattern<'a> {
    before: Cow<'a, str>,
    after: &'a str,
}

impl<'a> NamePattern<'a> {
    /// As a category says, or else its own name and a number.
    pub(super) fn of(category: &'a str, pattern: Option<&'a str>) -> Result<Self, String> {
        let (before, after) = match pattern {
            None => (Cow::from(format!("{category}-")), ""),
            Some(pattern) => match pattern.split_once(NUMBER) {
                Some((before, after)) => (before.into(), after),
                None => return Err(format!("\"{pattern}\" needs {NUMBER} once, where the number goes")),
            },
        };
        let pattern = format!("{before}{NUMBER}{after}");
        if after.contains(NUMBER) {
            return Err(format!("\"{pattern}\" has {NUMBER} twice"));
        }
        if pattern.contains(['/', '\0']) {
            return Err(format!("\"{pattern}\" can't be the name of a file"));
        }
        // A number has up to eight digits.
        if before.len() + after.len() + 8 > 255 {
            return Err(format!("\"{pattern}\" is longer than a name can be"));
        }
        if TAKEN.iter().any(|taken| pattern.starts_with(taken)) || pattern.contains(MADE) {
            return Err(format!("\"{pattern}\" is like names that petrio gives by itself; take another"));
        }
        Ok(Self { before, after })
    }

    /// What all of its names have in common.
    pub(super) fn series(&self) -> NameSeries {
        NameSeries::of(&self.before, self.after)
    }

    /// Whether two patterns can give the same name: where what stands around the numbers differs by digits alone.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = |long: Option<&str>, short: Option<&str>| long.or(short).is_some_and(digits);
        fits(self.before.strip_prefix(&*other.before), other.before.strip_prefix(&*self.before))
            && fits(self.after.strip_suffix(other.after), other.after.strip_suffix(self.after))
    }
}

/// Names that differ by a number alone.
#[derive(Clone, Debug)]
pub(super) struct NameSeries(Arc<Parts>);

#[derive(Debug, PartialEq, Eq)]
struct Parts {
    before: Box<str>,
    /// What follows the number; of a name without a number, nothing.
    after: Option<Box<str>>,
}

impl NameSeries {
    pub(super) fn of(before: &str, after: &str) -> Self {
        Self(Arc::new(Parts { before: before.into(), after: Some(after.into()) }))
    }

    /// The name of the file of this number.
    pub(super) fn name(&self, number: u32) -> FileName {
        FileName { parts: Arc::clone(&self.0), number }
    }
}

/// What a file is called. There may be millions whose names are alike, so a name is made when somebody asks for it.
#[derive(Clone)]
pub struct FileName {
    parts: Arc<Parts>,
    number: u32,
}

impl From<&str> for FileName {
    fn from(name: &str) -> Self {
        Self { parts: Arc::new(Parts { before: name.into(), after: None }), number: 0 }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parts.after {
            Some(after) => write!(f, "{}{}{after}", self.parts.before, self.number),
            None => f.write_str(&self.parts.before),
        }
    }
}

impl fmt::Debug for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl PartialEq for FileName {
    fn eq(&self, other: &Self) -> bool {
        (self.number == other.number && self.parts == other.parts) || self.to_string() == other.to_string()
    }
}

impl Eq for FileName {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_have_their_numbers_and_never_meet() {
        let of = |pattern| NamePattern::of("c", pattern);
        let name = |pattern, number| of(pattern).unwrap().series().name(number);
        assert_eq!(name(None, 3).to_string(), "c-3");
        assert_eq!(name(Some("paper{number}.tex"), 12).to_string(), "paper12.tex");
        assert!(name(None, 3) == FileName::from("c-3") && name(None, 3) != name(None, 4));
        for bad in ["paper", "{number}{number}", "a/{number}", "x-made-1-{number}", "level-{number}"] {
            assert!(of(Some(bad)).is_err(), "{bad}");
        }
        let meet = |one, other| of(Some(one)).unwrap().may_meet(&of(Some(other)).unwrap());
        assert!(
            meet("a{number}", "a1{number}")
                && meet("{number}.c", "1{number}.c")
                && meet("a{number}", "a{number}5")
        );
        assert!(
            !meet("a{number}", "b{number}")
                && !meet("a{number}.c", "a{number}.h")
                && !meet("a{number}", "ab{number}")
        );
    }
}
