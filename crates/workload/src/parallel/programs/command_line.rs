//! What benchmarks' command lines have in common: a text that means options, its words, sizes and numbers.

use crate::program::ProgramError;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The options that a command line means.
pub trait Options: Sized {
    /// The name under which the text is known in schemas.
    const NAME: &'static str;

    /// What the text means.
    ///
    /// # Errors
    /// An option that isn't known, that can't be followed here, or that makes no sense.
    fn read(text: &str) -> Result<Self, ProgramError>;
}

/// A command line: its text, and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String", bound = "O: Options + Clone")]
pub struct CommandLine<O> {
    text: String,
    options: O,
}

impl<O> CommandLine<O> {
    /// What it means.
    pub const fn options(&self) -> &O {
        &self.options
    }
}

impl<O> fmt::Display for CommandLine<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<O> From<CommandLine<O>> for String {
    fn from(command: CommandLine<O>) -> Self {
        command.text
    }
}

impl<O: Options> TryFrom<String> for CommandLine<O> {
    type Error = ProgramError;

    fn try_from(text: String) -> Result<Self, ProgramError> {
        text.parse()
    }
}

impl<O: Options> FromStr for CommandLine<O> {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        Ok(Self { options: O::read(text)?, text: text.trim().to_owned() })
    }
}

impl<O: Options> JsonSchema for CommandLine<O> {
    fn inline_schema() -> bool {
        String::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        O::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// The longest command line: a person has written it.
const COMMAND_BYTES_MAX: usize = 1 << 12;

fn refuse<T>(problem: impl Into<String>) -> Result<T, ProgramError> {
    Err(ProgramError::parameter("command", problem))
}

/// The words after the program's name, which may stand at a path.
pub(super) fn tokens<'text>(program: &str, text: &'text str) -> Result<Vec<&'text str>, ProgramError> {
    if text.len() > COMMAND_BYTES_MAX {
        return refuse(format!("it is longer than {COMMAND_BYTES_MAX} bytes"));
    }
    let mut words = text.split_whitespace();
    match words.next() {
        Some(first) if first.rsplit('/').next() == Some(program) => Ok(words.collect()),
        _ => refuse(format!("it begins with the program's name: \"{program} …\"")),
    }
}

/// A size, with k, m, g or t for powers of 1024.
pub(super) fn size(option: &str, text: &str) -> Result<u64, ProgramError> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => {
            let shift = match unit.to_ascii_lowercase() {
                'k' => 10,
                'm' => 20,
                'g' => 30,
                't' => 40,
                _ => return refuse(format!("{option} {text}: a size is a number, with k, m, g or t")),
            };
            (&text[..at], shift)
        }
        _ => (text, 0),
    };
    let count: u64 = number(option, digits)?;
    match count.checked_mul(1 << shift).filter(|&size| size <= i64::MAX as u64) {
        Some(size) => Ok(size),
        None => refuse(format!("{option} {text} is more than 8 EiB")),
    }
}

/// A whole number.
pub(super) fn number<N: FromStr>(option: &str, text: &str) -> Result<N, ProgramError> {
    text.parse().or_else(|_| refuse(format!("{option}: \"{text}\" is no whole number that it can have")))
}

/// Whether an option has a value.
pub(super) fn takes_value(options: &str, letter: char) -> bool {
    options.contains(letter)
}
