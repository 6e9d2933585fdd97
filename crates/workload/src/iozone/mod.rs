//! iozone's command lines, and the output on its screen, as patterns on files: each column of its table is one.
//!
//! Source: iozone's manual page and the words of its help (3.489): what its options mean, their units (kilobytes of 1,024 bytes where a
//! number has no letter) and defaults (one file of 512 kB, records of 4 kB). In automatic mode (`-a`) files of 64 kB to 512 MB and records of
//! 4 kB to 16 MB are doubled from the least to the most; files above 16 MB have no records below 64 kB (but with `-z`).
//!
//! ```
//! use petrio_workload::iozone::Iozone;
//! let run: Iozone = "iozone -e -i 0 -i 1 -s 64m -r 8k".parse()?;
//! let names: Vec<&str> = run.tests.iter().map(|test| test.name.as_str()).collect();
//! assert_eq!(names, ["write", "rewrite", "read", "reread"]);
//! assert_eq!(run.tests[0].parameters.record.get(), 8192);
//! # Ok::<(), petrio_workload::iozone::IozoneError>(())
//! ```
//!
//! iozone's tests follow each other on one file, so that each finds in memory what the one before left there. Here each has a file of its
//! own, through which it goes once before it is measured; that is left out where nothing stays in memory (`-I`, and `-U`, which mounts the
//! file system anew). What isn't played is told as a remark: asynchronous I/O (`-k`, `-H`), vectors (`-i 11, 12`),
//! delays drawn at random (`-K`). In the mixed workload (`-i 8`, with `-t` alone) every second process reads, from the first on, or as many of a
//! hundred as `-+p` says, the first of them; the others overwrite; at random, or with `-+B` in order (iozone.c 3.489, `thread_mix_test`).

mod columns;
mod options;
mod told;

pub use told::test_named;
pub(crate) use told::{COLUMN_NAMES, CommandFacts, command_facts};

use crate::program::PatternParameters;
use miette::Diagnostic;
use options::Options;
use std::str::FromStr;
use thiserror::Error;

/// What a command line, or several, do.
#[derive(Clone, Debug, PartialEq)]
pub struct Iozone {
    /// The tests, each after the one before.
    pub tests: Vec<IozoneTest>,
    /// What isn't taken, or taken otherwise than iozone would.
    pub remarks: Vec<String>,
}

/// One test: a column of iozone's table in one of its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct IozoneTest {
    /// The column's name, with file size and record where there are several.
    pub name: String,
    /// What is done.
    pub parameters: PatternParameters,
}

/// A command line that can't be read, or can't be meant.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("{problem}")]
pub struct IozoneError {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

impl IozoneError {
    fn of(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The longest text: a command line, a script, or what one run writes.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// More tests than this are a mistake: all sizes and records of automatic mode are fewer.
const TESTS_MAX: usize = 4096;
/// What stands before the command line in iozone's own output.
const TOLD: &str = "Command line used:";

/// Whether a text calls iozone, or is what it wrote.
pub fn is_iozone(text: &str) -> bool {
    text.len() <= TEXT_BYTES_MAX && !command_lines(text).is_empty()
}

/// The words behind each call of iozone.
fn command_lines(text: &str) -> Vec<Vec<String>> {
    let told: Vec<&str> =
        text.lines().filter_map(|line| line.split_once(TOLD)).map(|(_, line)| line.trim()).collect();
    let words = match told.is_empty() {
        true => crate::shell::commands(text, "iozone"),
        false => told.iter().flat_map(|line| crate::shell::commands(line, "iozone")).collect(),
    };
    let behind = |(_, words): (u32, Vec<String>)| {
        let at = words.iter().position(|word| word == "iozone" || word.ends_with("/iozone"))?;
        let rest = words[at + 1..].to_vec();
        rest.first().is_some_and(|word| word.starts_with('-')).then_some(rest)
    };
    words.into_iter().filter_map(behind).collect()
}

impl FromStr for Iozone {
    type Err = IozoneError;

    fn from_str(text: &str) -> Result<Self, IozoneError> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(IozoneError::of(format!("the text is longer than {TEXT_BYTES_MAX} bytes")));
        }
        let lines = command_lines(text);
        let several = lines.len() > 1;
        let mut all = Self { tests: Vec::new(), remarks: Vec::new() };
        for (index, words) in lines.iter().enumerate() {
            let options = Options::of(words)?;
            let mut tests = options.tests()?;
            if several {
                for test in &mut tests {
                    test.name = format!("{}-{}", index + 1, test.name);
                }
            }
            all.tests.append(&mut tests);
            all.remarks.extend(options.remarks);
            if all.tests.len() > TESTS_MAX {
                return Err(IozoneError::of(format!("there are more than {TESTS_MAX} tests"))
                    .with_help("bound file sizes with -n and -g, records with -y and -q"));
            }
        }
        if all.tests.is_empty() {
            return Err(IozoneError::of("there is no test of iozone's in it")
                .with_help("iozone -e -i 0 -i 1 -s 64m -r 8k writes, writes again, reads, and reads again"));
        }
        all.remarks.dedup();
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
