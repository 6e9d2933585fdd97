//! mdtest's command line, read.

use super::options::MdtestOptions;
use crate::parallel::programs::command_line::{self as words, Options};
use crate::program::ProgramError;

/// Options that are refused, with the reason.
const REFUSED: [(char, &str); 4] = [
    ('X', "what is read isn't looked at"),
    ('k', "files are made, not nodes"),
    ('S', "all ranks would use one file; IOR does that"),
    ('R', "items are looked at in order"),
];

fn refuse(problem: impl Into<String>) -> ProgramError {
    ProgramError::parameter("command", problem)
}

impl Options for MdtestOptions {
    const NAME: &'static str = "MdtestCommand";

    fn read(text: &str) -> Result<Self, ProgramError> {
        let mut options = MdtestOptions::default();
        let (mut files_only, mut directories_only) = (false, false);
        let mut phases = String::new();
        let mut tokens = words::tokens("mdtest", text)?.into_iter();
        while let Some(token) = tokens.next() {
            let Some(letters) = token.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
                return Err(refuse(format!("\"{token}\" is no option of mdtest that is known here")));
            };
            for (at, letter) in letters.char_indices() {
                if words::takes_value("IMNWabdeinwz", letter) {
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
                    'Y' => options.sync = true,
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
        Ok(options)
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
            'W' => self.deadline_seconds = words::number(&option, value)?,
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
        if self.deadline_seconds > 0 {
            if self.directories {
                return Err(refuse("-W ends the making of files: add -F"));
            }
            if self.depth > 0 || !self.barriers {
                return Err(refuse(
                    "-W: of one directory (no -z), after which all wait for each other (no -B)",
                ));
            }
        }
        if self.fsync && self.write_bytes == 0 {
            return Err(refuse("-y: nothing is written"));
        }
        Ok(())
    }
}
