//! Every figure of a report as a row, and the list of all figures that there are: what the CSV, `compare` and the documentation go by.

use crate::bottleneck::Bottleneck;
use crate::figure::{Described, Row, Tables, each, only};
use crate::section::Forms;
use crate::served::Served;
use crate::summary::{Report, section_figures};
use std::fmt::Write;

impl Report {
    /// All its figures but distributions and series, with what each is of.
    pub fn rows(&self) -> Vec<Row> {
        let beside = self.beside.iter().map(|beside| Tables::rows(&**beside, "beside ", Served::tables));
        let sections = self.sections().into_iter().map(Forms::rows);
        let own = [Tables::rows(self, "", Self::tables), Tables::rows(&self.served, "", Served::tables)];
        own.into_iter().chain(beside).chain(sections).flatten().collect()
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table("run", |report: &'e Self| only(Some(report)));
        to.table("stage", |report: &'e Self| {
            each(&report.stages, |stage| (&stage.name, String::new(), Some(stage)))
        });
        to.table("what if", |report: &'e Self| {
            let advice = report.bottleneck.iter().flat_map(Bottleneck::advice);
            advice.map(|what_if| (&*what_if.change, String::new(), what_if)).collect()
        });
    }
}

/// All figures that a report's rows may have. Where programs of both sorts ran, some parts stand a second time, behind `beside`.
pub fn figures_of_reports() -> Vec<Described> {
    let own = [Tables::described(Report::tables), Tables::described(Served::tables)];
    [own.concat(), section_figures()].concat()
}

/// The same as a table of Markdown.
pub fn figures_table() -> String {
    let mut table =
        "| part | quantity | unit | better | what it is |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for Described { part, quantity, unit, better, meaning, .. } in figures_of_reports() {
        let meaning = meaning.replace('|', "\\|");
        let _ =
            writeln!(table, "| {part} | {quantity} | {} | {} | {meaning} |", unit.symbol(), better.word());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use std::collections::BTreeSet;

    #[test]
    fn every_figure_has_a_meaning_and_no_two_are_called_the_same() {
        let all = figures_of_reports();
        for figure in &all {
            let said = figure.meaning.len() > 3 && !figure.quantity.is_empty();
            assert!(said, "the field of {figure:?} has no comment, or is none");
        }
        let names = all.iter().map(|figure| (figure.part, figure.quantity, figure.unit));
        let names: BTreeSet<_> = names.collect();
        assert_eq!(names.len(), all.len(), "two figures of a part have one name");
    }

    #[test]
    fn every_row_is_of_a_figure_that_is_listed() {
        let all = figures_of_reports();
        for row in example().rows() {
            let is_it = |figure: &&Described| (figure.part, figure.quantity) == (&row.part, row.quantity);
            assert_eq!(all.iter().find(is_it).map(|figure| figure.unit), Some(row.unit), "{row:?}");
        }
    }
}
