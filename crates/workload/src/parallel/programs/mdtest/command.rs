//! mdtest's command line, read.

use super::options::MdtestOptions;
use crate::parallel::programs::words;
use crate::program::ProgramError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A command line of mdtest: its text, and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct MdtestCommand {
    text: String,
    options: MdtestOptions,
}

impl MdtestCommand {
    /// What it means.
    pub const fn options(&self) -> &MdtestOptions {
        &self.options
    }
}

impl fmt::Display for MdtestCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<MdtestCommand> for String {
    fn from(command: MdtestCommand) -> Self {
        command.text
    }
}

impl TryFrom<String> for MdtestCommand {
    type Error = ProgramError;

    fn try_from(text: String) -> Result<Self, ProgramError> {
        text.parse()
    }
}

/// Options that are refused, with the reason.
const REFUSED: [(char, &str); 5] = [
    ('W', "a run ends when its work is done, not by the clock; say how many items by -n"),
    ('X', "what is read isn't looked at"),
    ('k', "files are made, not nodes"),
    ('S', "all ranks would use one file; IOR does that"),
    ('R', "items are looked at in order"),
];

fn refuse(problem: impl Into<String>) -> ProgramError {
    ProgramError::parameter("command", problem)
}

impl FromStr for MdtestCommand {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let mut options = MdtestOptions::default();
        let (mut files_only, mut directories_only) = (false, false);
        let mut phases = String::new();
        let mut tokens = words::tokens("mdtest", text)?.into_iter();
        while let Some(token) = tokens.next() {
            let Some(letters) = token.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
                return Err(refuse(format!("\"{token}\" is no option of mdtest that is known here")));
            };
            for (at, letter) in letters.char_indices() {
                if words::takes_value("IMNabdeinwz", letter) {
                    let rest = &letters[at + letter.len_utf8()..];
                    let value = if rest.is_empty() { tokens.next() } else { Some(rest) };
                    let value = value.ok_or_else(|| refuse(format!("-{letter} needs a value")))?;
                    options.take(letter, value)?;
                    break;
                }
                match letter {
                    'F' => files_only = true,
                    'D' => directories_only = true,
                    'C' | 'T' | 'E' | 'r' => phases.push(letter),
                    'L' => options.leaves_only = true,
                    'u' => options.unique = true,
                    'y' => options.fsync = true,
                    'B' => options.barriers = false,
                    // Of its output, and of how long making a tree a rank takes.
                    'P' | 'Z' | 'v' | 'q' | 't' => {}
                    _ => return Err(unknown(letter)),
                }
            }
        }
        if files_only && directories_only {
            return Err(refuse("-F and -D: only files, and only directories"));
        }
        (options.files, options.directories) = (!directories_only, !files_only);
        // Without a word on it all of them are done.
        if !phases.is_empty() {
            let has = |letter| phases.contains(letter);
            (options.create, options.stat) = (has('C'), has('T'));
            (options.read, options.remove) = (has('E'), has('r'));
        }
        options.check()?;
        Ok(Self { text: text.trim().to_owned(), options })
    }
}

fn unknown(letter: char) -> ProgramError {
    match REFUSED.iter().find(|(refused, _)| *refused == letter) {
        Some((_, why)) => refuse(format!("-{letter} can't be followed: {why}")),
        None => refuse(format!("-{letter} is no option of mdtest that is known here")),
    }
}

impl MdtestOptions {
    fn take(&mut self, letter: char, value: &str) -> Result<(), ProgramError> {
        let option = format!("-{letter}");
        match letter {
            'n' => self.items = words::number(&option, value)?,
            'I' => self.per_directory = words::number(&option, value)?,
            'z' => self.depth = words::number(&option, value)?,
            'b' => self.branches = words::number(&option, value)?,
            'w' => self.write_bytes = words::size(&option, value)?,
            'e' => self.read_bytes = words::size(&option, value)?,
            'N' => self.stride = words::number(&option, value)?,
            'i' => self.repetitions = words::number(&option, value)?,
            'a' if !value.eq_ignore_ascii_case("POSIX") => {
                return Err(refuse(format!("-a {value}: POSIX is known here")));
            }
            // -d, where files lie, is said by the scenario.
            _ => {}
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ProgramError> {
        if self.items == 0 && self.per_directory == 0 {
            return Err(refuse("-n or -I says how many items there are"));
        }
        if self.items > 0 && self.per_directory > 0 {
            return Err(refuse("-n and -I: items a rank, and items a directory"));
        }
        for (option, number) in [("-b", self.branches), ("-i", self.repetitions)] {
            if number == 0 {
                return Err(refuse(format!("{option} is zero")));
            }
        }
        if self.repetitions > 1 && !(self.create && self.remove) {
            return Err(refuse("-i: what is made must be removed before it is made again"));
        }
        if self.read_bytes > self.write_bytes && self.create {
            return Err(refuse("-e: more is read of a file than -w writes to it"));
        }
        if self.fsync && self.write_bytes == 0 {
            return Err(refuse("-y: nothing is written"));
        }
        Ok(())
    }
}
