//! Several texts in one space of byte positions, so that a span alone tells which text it points into.

use crate::text::problem::{Problem, Severity};
use std::ops::Range;
use std::sync::Arc;

/// What settings are called that stand beside a scenario.
pub(crate) const SETTING: &str = "--set";

/// One text with a name.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: Arc<str>,
    base: usize,
}

/// The texts of a scenario. Text `n + 1` begins one position after the end of text `n`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// Adds a text; gives the position at which it begins.
    pub(crate) fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> usize {
        let base = self.sources.last().map_or(0, |last| last.base + last.text.len() + 1);
        self.sources.push(Source { name: name.into(), text: text.into(), base });
        base
    }

    /// The text that a position points into.
    fn at(&self, position: usize) -> Option<&Source> {
        let after = self.sources.partition_point(|source| source.base <= position);
        after.checked_sub(1).and_then(|index| self.sources.get(index))
    }

    /// Whether a span points into the same text as another, or into a setting: and not into what that text has brought in.
    pub(crate) fn is_own(&self, span: &Range<usize>, beside: &Range<usize>) -> bool {
        let (own, beside) = (self.at(span.start), self.at(beside.start));
        own.zip(beside).is_some_and(|(own, beside)| own.base == beside.base || own.name == SETTING)
    }

    /// What is written at a span.
    pub(crate) fn text(&self, span: &Range<usize>) -> Option<&str> {
        let source = self.at(span.start)?;
        source.text.get(span.start - source.base..span.end.checked_sub(source.base)?)
    }

    /// The word at a line and column (both from 1) of the text that a string holds, whose value stands at a span.
    pub(crate) fn within(&self, span: Range<usize>, line: u32, column: u32) -> Range<usize> {
        let found = self.text(&span).and_then(|raw| super::inside::word(raw, line, column));
        found.map_or(span.clone(), |found| span.start + found.start..span.start + found.end)
    }

    /// An error that points at a span.
    pub(crate) fn error(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        self.problem(Severity::Error, span, message.into())
    }

    /// A warning that points at a span.
    pub(crate) fn warning(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        self.problem(Severity::Warning, span, message.into())
    }

    fn problem(&self, severity: Severity, span: Range<usize>, message: String) -> Problem {
        let Some(source) = self.at(span.start) else { return Problem::new(severity, message) };
        let local = local(source, span);
        Problem::new(severity, message).pointing_into(&source.name, &source.text, local)
    }
}

/// The span within its own text, moved to character borders and clipped to the text: a span never makes a message fail.
fn local(source: &Source, span: Range<usize>) -> Range<usize> {
    let length = source.text.len();
    let mut start = span.start.saturating_sub(source.base).min(length);
    let mut end = span.end.saturating_sub(source.base).clamp(start, length);
    while !source.text.is_char_boundary(start) {
        start -= 1;
    }
    while !source.text.is_char_boundary(end) {
        end += 1;
    }
    // A table's span may run over many lines; its first line says enough.
    if let Some(newline) = source.text[start..end].find(['\n', '\r']) {
        end = start + newline;
    }
    start..end
}
