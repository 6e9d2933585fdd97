//! The tables of the page: causes, figures, stages.

use super::forest::tone;
use crate::compare::text::{estimate, unit_of};
use crate::compare::{Comparison, words};
use petrio_page::figure::Tone;
use petrio_page::numbers::{per_cent, time};
use petrio_page::page::{Page, Span, Table, Text};
use petrio_scenario::report::html::cause_colour;

fn against(comparison: &Comparison) -> Vec<String> {
    let [first, others @ ..] = comparison.contenders.as_slice() else { return Vec::new() };
    others.iter().map(|other| format!("{} against {}", other.letter, first.letter)).collect()
}

fn heads(name: &str, comparison: &Comparison) -> Vec<String> {
    let letters = comparison.contenders.iter().map(|contender| contender.letter.clone());
    std::iter::once(name.to_owned()).chain(letters).collect()
}

/// Each one's time by cause.
pub(super) fn causes(page: &mut Page, comparison: &Comparison, causes: &[String]) {
    let mut table = Table::new([heads("cause", comparison), against(comparison)].concat());
    for cause in causes {
        let swatch = Text::default().and(Span::Swatch(cause_colour(cause)));
        let mut row = vec![swatch.plain(cause.as_str())];
        for contender in &comparison.contenders {
            let share = contender.breakdown.iter().find(|share| share.cause == *cause);
            row.push(share.map_or_else(
                || "–".into(),
                |share| Text::from(time(share.mean_ms)).quiet(format!(" {}", per_cent(share.fraction))),
            ));
        }
        for contender in &comparison.contenders[1..] {
            let reason = comparison.reasons.iter().find(|reason| reason.second == contender.letter);
            let change = reason.and_then(|reason| reason.causes.iter().find(|change| change.cause == *cause));
            let text = change.map_or_else(
                || "–".to_owned(),
                |change| {
                    let sign = if change.change_ms.value > 0.0 { "+" } else { "−" };
                    let width = change.change_ms.half_width.filter(|width| *width > 0.0);
                    let width = width.map(|width| format!(" ± {}", time(width))).unwrap_or_default();
                    match change.change_ms.value {
                        0.0 => "0".to_owned(),
                        value => format!("{sign}{}{width}", time(value.abs())),
                    }
                },
            );
            row.push(text.into());
        }
        table.push(row);
    }
    page.table(table);
}

/// Every measure of everybody.
pub(super) fn figures(page: &mut Page, comparison: &Comparison) {
    page.heading("All figures");
    let mut table = Table::new([heads("measure", comparison), against(comparison)].concat());
    for compared in &comparison.measures {
        let (size, unit) = unit_of(compared);
        let name = compared.measure.words(comparison.subject());
        let mut row = vec![Text::from(name).quiet(format!(" {unit}"))];
        row.extend(compared.values.iter().map(|value| estimate(*value, size).into()));
        for contender in &comparison.contenders[1..] {
            let pair = compared.pair(&comparison.contenders[0].letter, &contender.letter);
            row.push(pair.map_or_else(
                || "–".into(),
                |pair| {
                    let change = words::change_of(&compared.measure, pair);
                    let said = format!("{change} {}", words::outcome(pair));
                    let span = match tone(pair.outcome) {
                        Tone::Better => Span::Better,
                        Tone::Worse => Span::Worse,
                        Tone::Same => Span::Quiet,
                    };
                    Text::default().and(span(said))
                },
            ));
        }
        table.push(row);
    }
    page.table(table);
}

/// How busy every stage is in each.
pub(super) fn stages(page: &mut Page, comparison: &Comparison) {
    let mut names: Vec<&str> = Vec::new();
    for stage in comparison.contenders.iter().flat_map(|contender| &contender.stages) {
        if !names.contains(&stage.name.as_str()) {
            names.push(&stage.name);
        }
    }
    if names.is_empty() {
        return;
    }
    page.heading("Stages: utilisation, mean wait, mean service");
    let mut table = Table::new(heads("stage", comparison));
    for name in names {
        let mut row = vec![name.into()];
        for contender in &comparison.contenders {
            let text = match contender.stages.iter().find(|stage| stage.name == name) {
                Some(stage) => {
                    let parts = [
                        stage.utilisation.map(per_cent),
                        stage.mean_wait_ms.map(time),
                        stage.mean_service_ms.map(time),
                    ];
                    parts.map(|part| part.unwrap_or_else(|| "–".to_owned())).join(" · ")
                }
                None => "not there".to_owned(),
            };
            row.push(text.into());
        }
        table.push(row);
    }
    page.table(table);
}
