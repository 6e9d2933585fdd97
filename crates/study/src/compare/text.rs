//! The comparison on a terminal: who takes part, the verdict, the figures, the reason. Without colour nothing is lost.

use super::Comparison;
use super::entrant::{Contender, Origin};
use super::pair::{Compared, Outcome, Pair};
use super::words;
use petrio_page::numbers::{counted, per_cent, significant};
use petrio_scenario::report::{Estimate, labelled, table};
use std::fmt::Write as _;

/// The comparison as text for a terminal `width` columns wide. Ends with a newline.
pub fn terminal_text(comparison: &Comparison, width: usize) -> String {
    let mut out = String::new();
    for contender in &comparison.contenders {
        introduce(&mut out, contender, width);
    }
    labelled(&mut out, "compared", &how(comparison), width);
    if let Some(headline) = comparison.headline() {
        out.push('\n');
        for (number, pair) in headline.pairs.iter().enumerate() {
            let label = if number == 0 { "verdict" } else { "" };
            labelled(&mut out, label, &words::verdict(comparison, headline, pair), width);
        }
        labelled(&mut out, "order", &order(comparison), width);
    }
    out.push('\n');
    out.push_str(&figures(comparison));
    for reason in &comparison.reasons {
        out.push('\n');
        let sentences = words::reason(reason, comparison.subject());
        for (number, sentence) in sentences.iter().enumerate() {
            labelled(&mut out, if number == 0 { "reason" } else { "" }, sentence, width);
        }
    }
    if let Some(headline) = comparison.headline() {
        out.push('\n');
        for (number, pair) in headline.pairs.iter().enumerate() {
            let label = if number == 0 { "statistics" } else { "" };
            let words = words::statistics(&headline.measure, pair);
            labelled(&mut out, label, &format!("{} against {}, {words}", pair.second, pair.first), width);
        }
    }
    for note in &comparison.notes {
        labelled(&mut out, "note", &note.text, width);
    }
    for contender in &comparison.contenders {
        for warning in &contender.warnings {
            labelled(&mut out, "warning", &format!("{}: {warning}", contender.letter), width);
        }
    }
    out
}

fn introduce(out: &mut String, contender: &Contender, width: usize) {
    let from = match contender.origin {
        Origin::Simulated => "",
        Origin::Saved => ", a saved report",
        Origin::Real => ", run for real",
    };
    labelled(out, &contender.letter, &format!("{}{from}", contender.name), width);
    let parts: Vec<&str> = [contender.title.as_str(), contender.workload.as_str(), contender.system.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    labelled(out, "", &parts.join(" · "), width);
}

/// How they were compared, in a line.
pub(super) fn how(comparison: &Comparison) -> String {
    let of =
        |origin: Origin| comparison.contenders.iter().filter(move |contender| contender.origin == origin);
    let runs = |contenders: &mut dyn Iterator<Item = &Contender>| {
        contenders.filter(|contender| !contender.deterministic).map(|contender| contender.replications).max()
    };
    let mut parts = Vec::new();
    if let Some(seed) = comparison.seed.filter(|_| of(Origin::Simulated).next().is_some()) {
        match runs(&mut of(Origin::Simulated)) {
            Some(runs) => {
                let random = counted(runs, "replication", "replications");
                parts.push(format!("{random} with common random numbers, seed {seed}"));
            }
            None => parts.push(format!("seed {seed}")),
        }
        let same: Vec<&str> = of(Origin::Simulated)
            .filter(|contender| contender.deterministic)
            .map(|contender| contender.letter.as_str())
            .collect();
        if !same.is_empty() {
            let has = if same.len() == 1 { "has" } else { "have" };
            parts.push(format!("{} {has} nothing random: every replication is the same", same.join(", ")));
        }
    }
    if let Some(runs) = runs(&mut of(Origin::Real)) {
        parts.push(format!("{} on the real directory, in turn", counted(runs, "repetition", "repetitions")));
    }
    for contender in of(Origin::Saved) {
        let runs = counted(contender.replications, "replication", "replications");
        parts.push(format!("{} as saved, {runs}", contender.letter));
    }
    if comparison.contenders.iter().any(|contender| !contender.deterministic && contender.replications > 1) {
        parts.push(format!("± is the half-width of the {} interval", per_cent(comparison.confidence)));
    }
    parts.join("; ")
}

/// `1. B, C (no difference shown) · 3. A; by throughput`.
pub(super) fn order(comparison: &Comparison) -> String {
    let mut place = 1;
    let mut parts = Vec::new();
    let headline = comparison.headline();
    for group in &comparison.order {
        let within = |pair: &&Pair| group.contains(&pair.first) && group.contains(&pair.second);
        let mut pairs = headline.iter().flat_map(|compared| &compared.pairs).filter(within);
        let matters_little = pairs.any(|pair| pair.outcome == Outcome::TooSmall);
        let tied = match group.len() {
            0 | 1 => "",
            _ if matters_little => " (no difference that matters)",
            _ => " (no difference shown)",
        };
        parts.push(format!("{place}. {}{tied}", group.join(", ")));
        place += group.len();
    }
    let measure = comparison.headline.words(comparison.subject());
    format!("{}; by {measure}", parts.join(" · "))
}

/// An estimate in the unit that suits its row.
pub(super) fn estimate(estimate: Option<Estimate>, size: f64) -> String {
    let Some(Estimate { value, half_width }) = estimate else { return "–".to_owned() };
    let width = half_width.filter(|width| *width > 0.0);
    let width = width.map(|width| format!(" ± {}", significant(width / size))).unwrap_or_default();
    format!("{}{width}", significant(value / size))
}

/// The size and the name of a row's unit: that of the first who has a value.
pub(super) fn unit_of(compared: &Compared) -> (f64, &'static str) {
    let largest = compared.values.iter().flatten().map(|estimate| estimate.value).fold(0.0, f64::max);
    compared.measure.unit(largest)
}

/// The figures of all, and their changes against the first: beside where there are two, below where there are more.
fn figures(comparison: &Comparison) -> String {
    let letters: Vec<&str> =
        comparison.contenders.iter().map(|contender| contender.letter.as_str()).collect();
    let [first, others @ ..] = letters.as_slice() else { return String::new() };
    let changes = |compared: &Compared| -> Vec<String> {
        others
            .iter()
            .map(|other| match compared.pair(first, other) {
                Some(pair) => {
                    format!("{}  {}", words::change_of(&compared.measure, pair), words::outcome(pair))
                }
                None => "–".to_owned(),
            })
            .collect()
    };
    let name = |compared: &Compared| compared.measure.words(comparison.subject());
    let headings: Vec<String> = others.iter().map(|other| format!("{other} against {first}")).collect();
    let beside = others.len() == 1;
    let rows: Vec<Vec<String>> = comparison
        .measures
        .iter()
        .map(|compared| {
            let (size, unit) = unit_of(compared);
            let mut row = vec![name(compared), unit.to_owned()];
            row.extend(compared.values.iter().map(|value| estimate(*value, size)));
            if beside {
                row.extend(changes(compared));
            }
            row
        })
        .collect();
    let mut heads = vec!["measure", "unit"];
    heads.extend(&letters);
    if beside {
        heads.extend(headings.iter().map(String::as_str));
    }
    let mut text = indented(&table(&heads, &rows));
    if !beside {
        let rows: Vec<Vec<String>> = comparison
            .measures
            .iter()
            .map(|compared| [vec![name(compared)], changes(compared)].concat())
            .collect();
        let mut heads = vec!["measure"];
        heads.extend(headings.iter().map(String::as_str));
        text.push('\n');
        text.push_str(&indented(&table(&heads, &rows)));
    }
    text
}

fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 200);
    for line in text.lines() {
        // Writing to a string can't fail.
        let _ = writeln!(out, "  {line}");
    }
    out
}
