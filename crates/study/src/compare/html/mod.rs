//! The comparison as a page: the verdict, every change with its interval as a forest plot, the mean latency by cause for each, the
//! stages, and every figure as text.

mod forest;
mod tables;

use super::text::{how, order};
use super::{Comparison, Contender, Origin, words};
use petrio_files::inputs::Inputs;
use petrio_page::page::{Block, Page, Span, Text};
use petrio_scenario::report::html::causes;
use petrio_scenario::report::{ReportError, Share, write_text};
use std::path::Path;

/// Writes the page. The file is complete or absent; the same comparison gives the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_html(comparison: &Comparison, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(comparison).html())
}

/// The page.
pub fn page(comparison: &Comparison) -> Page {
    let names: Vec<&str> = comparison.contenders.iter().map(|contender| contender.name.as_str()).collect();
    let mut page = Page::new(format!("{} compared", names.join(" · ")));
    head(&mut page, comparison);
    verdicts(&mut page, comparison);
    page.wide_figures(forest::figures(comparison));
    shares(&mut page, comparison);
    reasons(&mut page, comparison);
    tables::figures(&mut page, comparison);
    tables::stages(&mut page, comparison);
    let real = comparison.contenders.iter().any(|contender| contender.origin == Origin::Real);
    let foot = if real {
        "what was run for real is measured by the wall clock, and differs from run to run"
    } else {
        "model time, not measured · the same scenarios and seed give the same page"
    };
    page.foot = foot.to_owned();
    page
}

fn head(page: &mut Page, comparison: &Comparison) {
    let measure = comparison.headline.words(comparison.subject());
    page.heading = format!("{} compared by {measure}", names(comparison));
    page.below = vec![Text::default().quiet(how(comparison))];
    let who = comparison.contenders.iter().map(|contender| {
        let origin = match contender.origin {
            Origin::Simulated => "",
            Origin::Saved => ", a saved report",
            Origin::Real => ", run for real",
        };
        let details: Vec<&str> = [&contender.title, &contender.workload, &contender.system]
            .into_iter()
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        let name = Text::default().strong(contender.name.as_str()).plain(origin);
        (contender.letter.clone(), name.and(Span::Break).quiet(details.join(" · ")))
    });
    page.blocks.push(Block::Definitions(who.collect()));
    let warnings = comparison.contenders.iter().flat_map(|contender| {
        contender.warnings.iter().map(move |warning| format!("{}: {warning}", contender.letter))
    });
    page.warnings(comparison.notes.iter().map(ToString::to_string).chain(warnings));
}

/// A title has room for so many characters.
const TITLE_MAX: usize = 100;

/// All of them by name or, where these are too long for a title, by letter.
fn names(comparison: &Comparison) -> String {
    let joined = |names: Vec<&str>| match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    };
    let names = joined(comparison.contenders.iter().map(|contender| contender.name.as_str()).collect());
    if names.chars().count() <= TITLE_MAX {
        return names;
    }
    joined(comparison.contenders.iter().map(|contender| contender.letter.as_str()).collect())
}

fn verdicts(page: &mut Page, comparison: &Comparison) {
    let Some(headline) = comparison.headline() else { return };
    for pair in &headline.pairs {
        let verdict = Text::default().strong(words::verdict(comparison, headline, pair));
        page.lead(verdict.and(Span::Break).quiet(words::statistics(&headline.measure, pair)));
    }
    page.paragraph(Text::from("Order: ").strong(order(comparison)));
}

/// A bar for each, as long as its mean latency, divided by cause.
fn shares(page: &mut Page, comparison: &Comparison) {
    let is_known =
        |contender: &&Contender| contender.breakdown.iter().map(|share| share.mean_ms).sum::<f64>() > 0.0;
    let who: Vec<(&str, &[Share])> = comparison
        .contenders
        .iter()
        .filter(is_known)
        .map(|contender| (contender.letter.as_str(), contender.breakdown.as_slice()))
        .collect();
    if who.is_empty() {
        return;
    }
    let title = format!("Where the time of an average {} goes", comparison.subject().one());
    let mut figure = causes(&title, &who, true);
    for contender in comparison.contenders.iter().filter(|contender| !is_known(contender)) {
        figure.note(format!("{}: nobody knows: it is no simulation", contender.letter));
    }
    let known: Vec<String> = figure.series.iter().map(|series| series.name.clone()).collect();
    page.wide_figures([figure]);
    tables::causes(page, comparison, &known);
}

fn reasons(page: &mut Page, comparison: &Comparison) {
    if comparison.reasons.is_empty() {
        return;
    }
    page.heading("The reason");
    for reason in &comparison.reasons {
        page.paragraph(words::reason(reason, comparison.subject()).join(" "));
    }
}
