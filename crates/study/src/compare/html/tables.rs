//! The tables of the page: causes, figures, stages.

use super::forest::class;
use crate::compare::text::{estimate, unit_of};
use crate::compare::{Comparison, words};
use petrio_scenario::report::figures::{per_cent, time};
use petrio_scenario::report::html::{cause_class, escaped};
use std::fmt::Write as _;

fn begin(out: &mut String, headings: &[String]) {
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for heading in headings {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(heading));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
}

fn end(out: &mut String) {
    out.push_str("</tbody>\n</table></div>\n");
}

fn against(comparison: &Comparison) -> Vec<String> {
    let [first, others @ ..] = comparison.contenders.as_slice() else { return Vec::new() };
    others.iter().map(|other| format!("{} against {}", other.letter, first.letter)).collect()
}

fn letters(comparison: &Comparison) -> Vec<String> {
    comparison.contenders.iter().map(|contender| contender.letter.clone()).collect()
}

/// The key of the bars, with each one's time by cause.
pub(super) fn causes(out: &mut String, comparison: &Comparison, causes: &[&str]) {
    begin(out, &[vec!["cause".to_owned()], letters(comparison), against(comparison)].concat());
    for cause in causes {
        let _ = write!(
            out,
            "<tr><th scope=\"row\"><span class=\"swatch cause {}\"></span>{}</th>",
            cause_class(cause),
            escaped(cause)
        );
        for contender in &comparison.contenders {
            let share = contender.breakdown.iter().find(|share| share.cause == *cause);
            let text = match share {
                Some(share) => format!(
                    "{} <span class=\"quiet\">{}</span>",
                    time(share.mean_ms),
                    per_cent(share.fraction)
                ),
                None => "–".to_owned(),
            };
            let _ = write!(out, "<td>{text}</td>");
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
            let _ = write!(out, "<td>{text}</td>");
        }
        out.push_str("</tr>\n");
    }
    end(out);
}

/// Every measure of everybody.
pub(super) fn figures(out: &mut String, comparison: &Comparison) {
    out.push_str("<section>\n<h2>All figures</h2>\n");
    begin(out, &[vec!["measure".to_owned()], letters(comparison), against(comparison)].concat());
    for compared in &comparison.measures {
        let (size, unit) = unit_of(compared);
        let name = compared.measure.words(comparison.subject());
        let _ =
            write!(out, "<tr><th scope=\"row\">{} <span class=\"quiet\">{unit}</span></th>", escaped(&name));
        for value in &compared.values {
            let _ = write!(out, "<td>{}</td>", estimate(*value, size));
        }
        for contender in &comparison.contenders[1..] {
            let pair = compared.pair(&comparison.contenders[0].letter, &contender.letter);
            match pair {
                Some(pair) => {
                    let _ = write!(
                        out,
                        "<td class=\"{}\">{} {}</td>",
                        class(pair.outcome),
                        escaped(&words::change_of(&compared.measure, pair)),
                        words::outcome(pair)
                    );
                }
                None => out.push_str("<td>–</td>"),
            }
        }
        out.push_str("</tr>\n");
    }
    end(out);
    out.push_str("</section>\n");
}

/// How busy every stage is in each.
pub(super) fn stages(out: &mut String, comparison: &Comparison) {
    let mut names: Vec<&str> = Vec::new();
    for stage in comparison.contenders.iter().flat_map(|contender| &contender.stages) {
        if !names.contains(&stage.name.as_str()) {
            names.push(&stage.name);
        }
    }
    if names.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Stages: utilisation, mean wait, mean service</h2>\n");
    begin(out, &[vec!["stage".to_owned()], letters(comparison)].concat());
    for name in names {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escaped(name));
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
            let _ = write!(out, "<td>{text}</td>");
        }
        out.push_str("</tr>\n");
    }
    end(out);
    out.push_str("</section>\n");
}
