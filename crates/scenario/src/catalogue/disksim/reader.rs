//! Typed access to a block's parameters, keeping account of those that nobody asked for.

use super::error::{ImportError, Problem};
use super::lexer::shortened;
use super::syntax::{Block, Located, Parameter, Value};
use petrio_kernel::Time;
use petrio_units::numbers::whole_part;
use petrio_units::{Duration, SignedDuration};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Reads the parameters of one block.
pub(super) struct Reader<'a> {
    block: &'a Block,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(block: &'a Block) -> Self {
        Self { block, asked: RefCell::default() }
    }

    pub(super) fn block(&self) -> &'a Block {
        self.block
    }

    /// The block's type and name, for messages.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.block.kind, self.block.name).trim().to_owned()
    }

    fn find(&self, name: &'static str) -> Option<&'a Parameter> {
        self.asked.borrow_mut().insert(name);
        self.block.parameters.iter().find(|parameter| parameter.name == name)
    }

    pub(super) fn has(&self, name: &'static str) -> bool {
        self.find(name).is_some()
    }

    /// An error at a parameter, or at the block where it is missing.
    pub(super) fn error(&self, name: &str, problem: Problem) -> ImportError {
        let line = self.block.parameters.iter().find(|parameter| parameter.name == name);
        ImportError::new(&self.block.file, line.map_or(self.block.line, |parameter| parameter.line), problem)
    }

    fn missing(&self, name: &'static str) -> ImportError {
        self.error(name, Problem::Missing { block: self.title(), name })
    }

    fn wrong(&self, name: &str, expected: impl Into<String>, found: &Value) -> ImportError {
        let problem =
            Problem::Value { name: name.to_owned(), expected: expected.into(), found: found.describe() };
        self.error(name, problem)
    }

    pub(super) fn words(&self, name: &'static str) -> Result<Option<&'a str>, ImportError> {
        match self.find(name) {
            None => Ok(None),
            Some(Parameter { value: Value::Words(words), .. }) => Ok(Some(words)),
            Some(other) => Err(self.wrong(name, "a word", &other.value)),
        }
    }

    pub(super) fn number(&self, name: &'static str) -> Result<Option<f64>, ImportError> {
        match self.find(name) {
            None => Ok(None),
            Some(parameter) => match as_number(&parameter.value) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "a number", &parameter.value)),
            },
        }
    }

    /// A whole number from 0 to `most`.
    pub(super) fn count(&self, name: &'static str, most: u64) -> Result<Option<u64>, ImportError> {
        let Some(parameter) = self.find(name) else { return Ok(None) };
        match as_count(&parameter.value).filter(|&count| count <= most) {
            Some(count) => Ok(Some(count)),
            None => Err(self.wrong(name, format!("a whole number from 0 to {most}"), &parameter.value)),
        }
    }

    pub(super) fn need_count(&self, name: &'static str, most: u64) -> Result<u64, ImportError> {
        self.count(name, most)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn need_number(&self, name: &'static str) -> Result<f64, ImportError> {
        self.number(name)?.ok_or_else(|| self.missing(name))
    }

    pub(super) fn need_words(&self, name: &'static str) -> Result<&'a str, ImportError> {
        self.words(name)?.ok_or_else(|| self.missing(name))
    }

    /// 0 or 1; left out, 0.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, ImportError> {
        Ok(self.count(name, 1)? == Some(1))
    }

    /// Milliseconds, not negative; left out, none.
    pub(super) fn milliseconds(&self, name: &'static str) -> Result<Duration, ImportError> {
        match self.number(name)? {
            None => Ok(Duration::ZERO),
            Some(ms) => duration(ms).ok_or_else(|| self.out_of_range(name, ms)),
        }
    }

    pub(super) fn need_milliseconds(&self, name: &'static str) -> Result<Duration, ImportError> {
        let ms = self.need_number(name)?;
        duration(ms).ok_or_else(|| self.out_of_range(name, ms))
    }

    /// Milliseconds with a sign; left out, none.
    pub(super) fn signed_milliseconds(&self, name: &'static str) -> Result<SignedDuration, ImportError> {
        let ms = self.number(name)?.unwrap_or(0.0);
        let span = duration(ms.abs()).ok_or_else(|| self.out_of_range(name, ms))?;
        let ps = span.time().as_picos() as i64;
        Ok(SignedDuration::from_picos(if ms < 0.0 { -ps } else { ps }))
    }

    pub(super) fn out_of_range(&self, name: &str, found: f64) -> ImportError {
        let expected = format!("a time from 0 to {MOST_MILLISECONDS} ms");
        self.error(name, Problem::Value { name: name.to_owned(), expected, found: found.to_string() })
    }

    pub(super) fn list(&self, name: &'static str) -> Result<Option<&'a [Located<Value>]>, ImportError> {
        match self.find(name) {
            None => Ok(None),
            Some(Parameter { value: Value::List(items), .. }) => Ok(Some(items)),
            Some(other) => Err(self.wrong(name, "a list", &other.value)),
        }
    }

    /// A list of whole numbers; left out, empty.
    pub(super) fn counts(&self, name: &'static str) -> Result<Vec<u64>, ImportError> {
        let items = self.list(name)?.unwrap_or_default();
        items
            .iter()
            .map(|item| {
                as_count(&item.value).ok_or_else(|| {
                    let problem = Problem::Value {
                        name: name.to_owned(),
                        expected: "a list of whole numbers".to_owned(),
                        found: item.value.describe(),
                    };
                    ImportError::new(&self.block.file, item.line, problem)
                })
            })
            .collect()
    }

    /// A list of numbers; left out, empty.
    pub(super) fn numbers(&self, name: &'static str) -> Result<Vec<f64>, ImportError> {
        let items = self.list(name)?.unwrap_or_default();
        items
            .iter()
            .map(|item| {
                as_number(&item.value).ok_or_else(|| {
                    let problem = Problem::Value {
                        name: name.to_owned(),
                        expected: "a list of numbers".to_owned(),
                        found: item.value.describe(),
                    };
                    ImportError::new(&self.block.file, item.line, problem)
                })
            })
            .collect()
    }

    pub(super) fn need_block(&self, name: &'static str) -> Result<Reader<'a>, ImportError> {
        match self.find(name) {
            None => Err(self.missing(name)),
            Some(Parameter { value: Value::Block(block), .. }) => Ok(Reader::new(block)),
            Some(other) => Err(self.wrong(name, "a block", &other.value)),
        }
    }

    /// Marks parameters as known without effect on a drive's timing.
    pub(super) fn without_effect(&self, names: &[&'static str]) {
        self.asked.borrow_mut().extend(names);
    }

    /// Parameters that nobody asked for.
    pub(super) fn left_over(&self) -> impl Iterator<Item = &'a Parameter> {
        let asked = self.asked.borrow().clone();
        self.block.parameters.iter().filter(move |parameter| !asked.contains(parameter.name.as_str()))
    }
}

/// Longest time that a parameter may have: far above any drive's, and far below the horizon of model time.
const MOST_MILLISECONDS: f64 = 1e7;

/// From milliseconds; `None` unless from 0 to [`MOST_MILLISECONDS`].
pub(super) fn duration(ms: f64) -> Option<Duration> {
    (0.0..=MOST_MILLISECONDS)
        .contains(&ms)
        .then(|| Duration::new(Time::from_picos(whole_part(ms * 1e9 + 0.5))))
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Words(words) => words.parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// A whole number; `12.0` is one as well.
fn as_count(value: &Value) -> Option<u64> {
    let Value::Words(words) = value else { return None };
    words.parse().ok().or_else(|| {
        let number = as_number(value)?;
        ((0.0..=9e15).contains(&number) && number.fract() == 0.0).then_some(whole_part(number))
    })
}

/// What a value is, for the list of parameters without effect.
pub(super) fn brief(value: &Value) -> String {
    match value {
        Value::Words(words) => shortened(words).to_owned(),
        other => other.describe(),
    }
}
