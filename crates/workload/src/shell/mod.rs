//! Shell scripts as people paste them: which commands they call, with which words.
//!
//! ```text
//! text ─ tokens ─▶ words, operators ─ parse ─▶ commands ─ run ─▶ calls
//!                                                          └── expand, test, arithmetic
//! ```
//!
//! Source: the shell command language of POSIX (IEEE Std 1003.1-2017, XCU 2), and of bash what benchmark scripts use: arrays, `[[`,
//! `((`, `{1..5}`, `function`, `local`. Loops, conditions, functions, here-documents and files that the script itself writes are
//! followed. Nothing is executed: what other commands print isn't known, and stands as `${…}` in the words that use it. Of a
//! condition that isn't known the first branch is taken, unless it leaves the script.
//!
//! A text need not be a script: prose around the commands, prompts, Markdown's fences and quotation marks that never close do no harm.

mod arithmetic;
mod builtin;
mod expand;
mod parse;
mod run;
mod test;
mod tokens;

pub(crate) use expand::matches;

use std::collections::BTreeMap;

/// A command that a script calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The line that it begins in, from 1.
    pub(crate) line: u32,
    pub(crate) words: Vec<String>,
    /// What it reads from its standard input, where that stands in the script.
    pub(crate) input: Option<String>,
    /// Whether the call before was left to run in the background, and nobody has waited for it.
    pub(crate) beside: bool,
}

/// What a script does, as far as it can be known.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) calls: Vec<Call>,
    /// The files that it writes.
    pub(crate) files: BTreeMap<String, String>,
    /// Lines that ask how many processors there are.
    pub(crate) asks_for_processors: Vec<u32>,
    /// Whether it calls more than is followed.
    pub(crate) is_cut: bool,
}

/// What is around a script.
pub(crate) struct Around<'a> {
    /// The values of variables that it doesn't set itself.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    /// What `nproc` prints.
    pub(crate) processors: u64,
    /// The program whose calls are looked for.
    pub(crate) program: &'a str,
    /// Whether words call it.
    pub(crate) is_call: &'a dyn Fn(&[String]) -> bool,
}

/// The longest text: a script is written by a person.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 20;

/// What a text does that calls a program.
pub(crate) fn script(text: &str, around: &Around<'_>) -> Script {
    if text.len() > TEXT_BYTES_MAX || !text.contains(around.program) {
        return Script::default();
    }
    run::Shell::new(around).script(text)
}

/// What a text calls, each with its line and its words.
pub(crate) fn commands(text: &str, program: &str) -> Vec<(u32, Vec<String>)> {
    let around = Around { variable: &|_| None, processors: 1, program, is_call: &|_| true };
    script(text, &around).calls.into_iter().map(|call| (call.line, call.words)).collect()
}
