//! The comparison as one self-contained page: the verdict, every change with its interval as a forest plot, the mean latency by
//! cause for each, the stages, and every figure as text. Inline SVG, style and script, no network.

mod forest;
mod tables;

use super::text::{how, order};
use super::{Comparison, Contender, Origin, words};
use petrio_scenario::report::figures::time;
use petrio_scenario::report::html::{cause_spans, document, escaped};
use petrio_scenario::report::{ReportError, write_text};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the page. The file is complete or absent; the same comparison gives the same bytes.
///
/// # Errors
/// The file can't be written.
pub fn write_html(comparison: &Comparison, path: &Path) -> Result<(), ReportError> {
    write_text(path, &page(comparison))
}

/// What the page has beyond the style of a report's.
const STYLE: &str = "<style>\n\
:root { --better: #1a7f4b; --worse: #b3261e; }\n\
@media (prefers-color-scheme: dark) { :root { --better: #5fcf94; --worse: #ff8a80; } }\n\
.who { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; margin: 14px 0 0; } .who dt { font-weight: 700; } .who dd { margin: 0; }\n\
.plot .zero { stroke: var(--ink); stroke-width: 1.2; } .plot .row { fill: var(--ink); }\n\
.plot .interval { stroke: var(--quiet); stroke-width: 2; } .plot .point { fill: var(--quiet); }\n\
.plot .better { stroke: var(--better); fill: var(--better); } .plot .worse { stroke: var(--worse); fill: var(--worse); }\n\
.plot text.better, .plot text.worse { stroke: none; }\n\
td.better { color: var(--better); } td.worse { color: var(--worse); } td.same { color: var(--quiet); }\n\
.bars { display: grid; grid-template-columns: auto 1fr auto; gap: 8px 12px; align-items: center; font-size: 14px; }\n\
.bars .stack { min-width: 3px; } .bars + .wide { margin-top: 12px; }\n\
.full { grid-template-columns: 1fr; }\n\
</style>\n";

/// The whole document.
fn page(comparison: &Comparison) -> String {
    let names: Vec<&str> = comparison.contenders.iter().map(|contender| contender.name.as_str()).collect();
    let title = format!("{} compared", names.join(" · "));
    let mut out = String::from(STYLE);
    head(&mut out, comparison);
    verdicts(&mut out, comparison);
    forest::section(&mut out, comparison);
    causes(&mut out, comparison);
    reasons(&mut out, comparison);
    tables::figures(&mut out, comparison);
    tables::stages(&mut out, comparison);
    let real = comparison.contenders.iter().any(|contender| contender.origin == Origin::Real);
    let footer = if real {
        "what was run for real is measured by the wall clock, and differs from run to run"
    } else {
        "model time, not measured · the same scenarios and seed give the same page"
    };
    document(&title, "", &out, footer)
}

// Writing to a string can't fail, so the results of `write!` are dropped throughout.

fn head(out: &mut String, comparison: &Comparison) {
    let measure = comparison.headline.words(comparison.subject());
    let _ = write!(out, "<header>\n<h1>{} compared by {}</h1>\n", letters(comparison), escaped(&measure));
    let _ =
        write!(out, "<p class=\"quiet\">{}</p>\n</header>\n<dl class=\"who\">\n", escaped(&how(comparison)));
    for contender in &comparison.contenders {
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
        let _ = writeln!(
            out,
            "<dt>{}</dt><dd><strong>{}</strong>{origin}<br><span class=\"quiet\">{}</span></dd>",
            escaped(&contender.letter),
            escaped(&contender.name),
            escaped(&details.join(" · "))
        );
    }
    out.push_str("</dl>\n");
    let warnings = comparison.contenders.iter().flat_map(|contender| {
        contender.warnings.iter().map(move |warning| format!("{}: {warning}", contender.letter))
    });
    for warning in comparison.notes.iter().cloned().chain(warnings) {
        let _ = writeln!(out, "<p class=\"warning\"><strong>Check this:</strong> {}</p>", escaped(&warning));
    }
}

fn letters(comparison: &Comparison) -> String {
    let letters: Vec<String> =
        comparison.contenders.iter().map(|contender| escaped(&contender.letter)).collect();
    match letters.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => letters.concat(),
    }
}

fn verdicts(out: &mut String, comparison: &Comparison) {
    let Some(headline) = comparison.headline() else { return };
    for pair in &headline.pairs {
        let _ = writeln!(
            out,
            "<p class=\"bottleneck\"><strong>{}</strong><br><span class=\"quiet\">{}</span></p>",
            escaped(&words::verdict(comparison, headline, pair)),
            escaped(&words::statistics(&headline.measure, pair))
        );
    }
    let _ = writeln!(out, "<p>Order: <strong>{}</strong></p>", escaped(&order(comparison)));
}

/// A bar for each, as long as its mean latency, divided by cause.
fn causes(out: &mut String, comparison: &Comparison) {
    let mean = |contender: &Contender| contender.breakdown.iter().map(|share| share.mean_ms).sum::<f64>();
    let longest = comparison.contenders.iter().map(mean).fold(0.0, f64::max);
    if longest <= 0.0 {
        return;
    }
    let one = comparison.subject().one();
    let _ =
        write!(out, "<section>\n<h2>Where the time of an average {one} goes</h2>\n<div class=\"bars\">\n");
    let mut known: Vec<&str> = Vec::new();
    for contender in &comparison.contenders {
        let total = mean(contender);
        if total <= 0.0 {
            let _ = writeln!(
                out,
                "<strong>{}</strong><span class=\"quiet\">nobody knows: it is no simulation</span><span></span>",
                escaped(&contender.letter)
            );
            continue;
        }
        let described: Vec<String> = contender
            .breakdown
            .iter()
            .map(|share| format!("{} {}", share.cause, time(share.mean_ms)))
            .collect();
        let _ = write!(
            out,
            "<strong>{}</strong><div class=\"stack\" role=\"img\" aria-label=\"{}\" style=\"width:{:.2}%\">",
            escaped(&contender.letter),
            escaped(&described.join(", ")),
            100.0 * total / longest
        );
        for share in &contender.breakdown {
            if !known.contains(&share.cause.as_str()) {
                known.push(&share.cause);
            }
        }
        out.push_str(&cause_spans(&contender.breakdown));
        let _ = writeln!(out, "</div><span>{}</span>", time(total));
    }
    out.push_str("</div>\n");
    tables::causes(out, comparison, &known);
    out.push_str("</section>\n");
}

fn reasons(out: &mut String, comparison: &Comparison) {
    if comparison.reasons.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>The reason</h2>\n");
    for reason in &comparison.reasons {
        let sentences = words::reason(reason, comparison.subject());
        let _ = writeln!(out, "<p>{}</p>", escaped(&sentences.join(" ")));
    }
    out.push_str("</section>\n");
}
