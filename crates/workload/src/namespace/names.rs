//! What files of a category are called.

use std::borrow::Cow;

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

    /// The name of the file of this number.
    pub(super) fn name(&self, number: u32) -> String {
        format!("{}{number}{}", self.before, self.after)
    }

    /// Whether two patterns can give the same name: where what stands around the numbers differs by digits alone.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = |long: Option<&str>, short: Option<&str>| long.or(short).is_some_and(digits);
        fits(self.before.strip_prefix(&*other.before), other.before.strip_prefix(&*self.before))
            && fits(self.after.strip_suffix(other.after), other.after.strip_suffix(self.after))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_have_their_numbers_and_never_meet() {
        let of = |pattern| NamePattern::of("c", pattern);
        assert_eq!(of(None).unwrap().name(3), "c-3");
        assert_eq!(of(Some("paper{number}.tex")).unwrap().name(12), "paper12.tex");
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
