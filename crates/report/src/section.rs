//! A section of a report: what a report has of memories, arrays, parallel programs …, each in a file or folder of `sections/`, with the data,
//! their figures, and its words. The forms of the report go through the list in `sections/mod.rs` and know none of them by name.

use crate::figure::{Described, HasFigures, Row, Tables};
use crate::mean::{mean_of, mean_of_each};
use crate::text::labelled;
use petrio_page::page::{Page, Text};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An entry of a section: one array, one host's memory.
pub(crate) trait Entry: HasFigures + Clone + Serialize + DeserializeOwned {
    /// What rows of tables say that they are about.
    const PART: &'static str;
    /// Whether each has a line of space above it on the terminal.
    const IS_APART: bool = true;

    /// By which it is known.
    fn name(&self) -> &str;

    /// Whether it is the same in another replication.
    fn is_same(&self, other: &Self) -> bool {
        self.name() == other.name()
    }

    /// Those of several replications as one, with intervals at a level where it has any.
    fn mean(all: &[&Self], level: f64) -> Option<Self> {
        mean_of(all, level)
    }

    /// The tables in which it is told.
    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |entry: &'e Self| vec![(entry.name(), String::new(), entry)]);
    }

    /// Whether it is worth words among these.
    fn is_shown(&self, _all: &[Self]) -> bool {
        true
    }

    /// In a sentence; empty where it says nothing.
    fn sentence(&self) -> String {
        String::new()
    }

    /// All of them on a terminal of so many columns.
    fn terminal(all: &[Self], out: &mut String, width: usize) {
        for entry in all.iter().filter(|entry| entry.is_shown(all)) {
            if Self::IS_APART {
                out.push('\n');
            }
            labelled(out, entry.name(), &entry.sentence(), width);
        }
    }

    /// All of them on the page.
    fn page(all: &[Self], page: &mut Page) {
        for entry in all.iter().filter(|entry| entry.is_shown(all)) {
            paragraph(page, entry.name(), &entry.sentence());
        }
    }
}

/// A name and what is said of it.
pub(crate) fn paragraph(page: &mut Page, name: &str, sentence: &str) {
    page.paragraph(Text::default().strong(name).plain(format!(" {sentence}")));
}

/// A section: several entries, or one that may be absent.
pub(crate) trait Section: Sized {
    type Entry: Entry;

    fn entries(&self) -> &[Self::Entry];
    fn of(entries: Vec<Self::Entry>) -> Self;

    /// That of several replications: of each entry that is in one, the mean over those that have it.
    fn mean<'r>(all: impl Iterator<Item = &'r Self>, level: f64) -> Self
    where
        Self: 'r,
    {
        let mean = |same: &[&Self::Entry]| Self::Entry::mean(same, level);
        Self::of(mean_of_each(all.flat_map(Self::entries), Self::Entry::is_same, mean))
    }
}

impl<E: Entry> Section for Vec<E> {
    type Entry = E;

    fn entries(&self) -> &[E] {
        self
    }

    fn of(entries: Self) -> Self {
        entries
    }
}

impl<E: Entry> Section for Option<E> {
    type Entry = E;

    fn entries(&self) -> &[E] {
        self.as_slice()
    }

    fn of(entries: Vec<E>) -> Self {
        entries.into_iter().next()
    }
}

/// The figures that a section may have.
pub(crate) fn described<S: Section>() -> Vec<Described> {
    Tables::described(S::Entry::tables)
}

/// Whether a section has nothing.
pub(crate) fn is_absent(section: &impl Section) -> bool {
    section.entries().is_empty()
}

/// A section in all forms, whatever its entries are.
pub(crate) trait Forms {
    fn rows(&self) -> Vec<Row>;
    fn terminal(&self, out: &mut String, width: usize);
    fn page(&self, page: &mut Page);
}

impl<S: Section> Forms for S {
    fn rows(&self) -> Vec<Row> {
        self.entries().iter().flat_map(|entry| Tables::rows(entry, "", S::Entry::tables)).collect()
    }

    fn terminal(&self, out: &mut String, width: usize) {
        if !is_absent(self) {
            S::Entry::terminal(self.entries(), out, width);
        }
    }

    fn page(&self, page: &mut Page) {
        if !is_absent(self) {
            S::Entry::page(self.entries(), page);
        }
    }
}
