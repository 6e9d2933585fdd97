//! One complaint about an input: what is wrong, where, and what to do.

use crate::text::excerpt::excerpt;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use petrio_files::shown;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Whether a complaint stops the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scenario can't be run.
    Error,
    /// Check this before you trust the result.
    Warning,
}

/// A complaint about a scenario. It renders as a miette diagnostic with the line and the value underlined; its
/// `Display` is the message alone.
#[derive(Clone, Debug)]
pub struct Problem {
    severity: Severity,
    message: String,
    help: Option<String>,
    // Boxed, so that a result that may hold a problem stays small.
    place: Option<Box<Location>>,
}

#[derive(Clone, Debug)]
struct Location {
    name: String,
    text: Arc<str>,
    span: Range<usize>,
    /// As it may be shown; made when somebody looks, for a text of thousands of mistakes would be gone through for
    /// each.
    shown: OnceLock<(NamedSource<Arc<str>>, Range<usize>)>,
    label: Option<String>,
    line: usize,
    column: usize,
}

impl Location {
    fn shown(&self) -> &(NamedSource<Arc<str>>, Range<usize>) {
        self.shown.get_or_init(|| {
            let (text, span) = excerpt(&self.text, self.span.clone());
            (NamedSource::new(&self.name, text), span)
        })
    }
}

impl Problem {
    pub(crate) fn new(severity: Severity, message: impl Into<String>) -> Self {
        let message = shown::message(&message.into());
        Self { severity, message, help: None, place: None }
    }

    /// An error that points nowhere, such as a missing scenario file.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// Whether it points into this text.
    pub(crate) fn is_in(&self, text: &Arc<str>) -> bool {
        self.place.as_ref().is_some_and(|place| Arc::ptr_eq(&place.text, text))
    }

    pub(crate) fn pointing_into(mut self, name: &str, text: &Arc<str>, span: Range<usize>) -> Self {
        let before = &text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        let (name, text, shown) = (shown::text(name).to_string(), Arc::clone(text), OnceLock::new());
        self.place = Some(Box::new(Location { name, text, span, shown, label: None, line, column }));
        self
    }

    /// With words under the underlined value.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        if let Some(place) = &mut self.place {
            place.label = Some(label.into());
        }
        self
    }

    /// With advice: what to do about it; with none where the words are empty.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        let help = help.into();
        self.maybe_help((!help.is_empty()).then_some(help))
    }

    /// With advice, where there is some.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<impl fmt::Display>) -> Self {
        self.help = help.map(|help| shown::message(&help.to_string())).or(self.help);
        self
    }

    /// The same, but no reason to stop.
    #[must_use]
    pub(crate) fn only_warns(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// Whether it stops the run.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The text it is about, its line and column, both from 1: `examples/one-disk.toml:12:8`.
    pub fn location(&self) -> Option<String> {
        self.place.as_ref().map(|place| format!("{}:{}:{}", place.name, place.line, place.column))
    }

    /// The name of the text that it is about, and where in it, in bytes.
    pub fn place(&self) -> Option<(&str, Range<usize>)> {
        self.place.as_ref().map(|place| (place.name.as_str(), place.span.clone()))
    }

    /// Its line and column, both from 1.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|place| (place.line, place.column))
    }

    /// The piece of text that it points at.
    pub fn pointed_at(&self) -> Option<&str> {
        self.place.as_ref().and_then(|place| place.text.get(place.span.clone()))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.shown().0 as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place.as_ref()?;
        let label = place.label.clone().or_else(|| Some("here".to_owned()));
        let span = &place.shown().1;
        Some(Box::new(std::iter::once(LabeledSpan::new(label, span.start, span.len()))))
    }
}

/// Nobody mends more mistakes at once; what follows the first is often their consequence.
const SHOWN_MAX: usize = 10;

/// All the complaints about one input, at least one of them an error.
#[derive(Clone, Debug)]
pub struct Problems {
    what: String,
    problems: Vec<Problem>,
    /// Says how many there are besides those that are shown.
    more: Option<Problem>,
}

impl Problems {
    /// The complaints about `what`, a file's name.
    pub fn new(what: impl Into<String>, problems: Vec<Problem>) -> Self {
        let more = problems.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0);
        let more = more.map(|more| Problem::error(format!("and {more} more")));
        Self { what: what.into(), problems, more }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        let plural = if errors == 1 { "mistake" } else { "mistakes" };
        write!(f, "{} has {errors} {plural}", self.what)
    }
}

impl std::error::Error for Problems {}

impl Diagnostic for Problems {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let shown = self.problems.iter().take(SHOWN_MAX).chain(&self.more);
        Some(Box::new(shown.map(|problem| problem as &dyn Diagnostic)))
    }
}
