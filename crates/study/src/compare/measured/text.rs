//! A measurement beside predictions on a terminal.

use super::{Beside, BesideRow, Summary};
use crate::compare::text::estimate;
use crate::compare::{Contender, Origin};
use petrio_page::numbers::{bytes, counted, per_cent, rate_unit, significant, time_unit};
use petrio_scenario::report::{labelled, table};
use petrio_workload::measurement::Figure;

/// It as text for a terminal `width` columns wide. Ends with a newline.
pub fn measured_text(beside: &Beside, width: usize) -> String {
    let mut out = String::new();
    for contender in &beside.contenders {
        let from = if contender.origin == Origin::Saved { ", a saved report" } else { "" };
        labelled(&mut out, &contender.letter, &format!("{}{from}", contender.name), width);
        labelled(&mut out, "", &details(contender), width);
    }
    for source in &beside.sources {
        let figures = counted(source.figures as u64, "figure", "figures");
        let file = petrio_files::shown::path(&source.file);
        labelled(&mut out, "measured", &format!("{file}: {figures} of {}", source.format.name()), width);
    }
    labelled(&mut out, "compared", &how(beside), width);
    out.push('\n');
    for (number, summary) in beside.summaries.iter().enumerate() {
        labelled(&mut out, if number == 0 { "verdict" } else { "" }, &verdict(beside, summary), width);
    }
    out.push('\n');
    let (heads, rows) = figures(beside);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    for line in table(&heads, &rows).lines() {
        out.push_str(&format!("  {line}\n"));
    }
    for note in &beside.notes {
        labelled(&mut out, "note", &note.text, width);
    }
    for contender in &beside.contenders {
        for warning in &contender.warnings {
            labelled(&mut out, "warning", &format!("{}: {warning}", contender.letter), width);
        }
    }
    out
}

/// What is known of a scenario, in a line: not what each of its workloads does, of which there may be hundreds.
pub(super) fn details(contender: &Contender) -> String {
    let parts = [&contender.title, &contender.system].into_iter().map(String::as_str);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// How it was compared, in a line.
pub(super) fn how(beside: &Beside) -> String {
    let mut parts = vec!["ratios are predicted by measured".to_owned()];
    if let Some(seed) = beside.seed {
        let random = beside.contenders.iter().filter(|contender| !contender.deterministic);
        match random.map(|contender| contender.replications).max() {
            Some(runs) => {
                parts.push(format!("{}, seed {seed}", counted(runs, "replication", "replications")));
                parts.push(format!("± is the half-width of the {} interval", per_cent(beside.confidence)));
            }
            None => parts.push(format!("seed {seed}, nothing is random: every replication is the same")),
        }
    }
    parts.join("; ")
}

/// How well a figure is predicted, in a sentence.
pub(super) fn verdict(beside: &Beside, summary: &Summary) -> String {
    let Summary { letter, figure, rows, mean_ratio, mean_error, within_10, within_20, worst_ratio, worst } =
        summary;
    let who = if beside.contenders.len() > 1 { format!("{letter}, {figure}") } else { figure.clone() };
    if *rows == 1 {
        return format!("{who}: predicted is {} of measured ({worst})", times(*worst_ratio));
    }
    format!(
        "{who}: {within_10} of {rows} within 10 %, {within_20} within 20 %; predicted is {} of measured in the geometric mean, and \
         off by {} on average; furthest {} ({worst})",
        times(*mean_ratio),
        per_cent(*mean_error),
        times(*worst_ratio)
    )
}

/// A ratio as people say it: "97.3 %", "3.40 times".
fn times(ratio: f64) -> String {
    if (0.001..2.0).contains(&ratio) { per_cent(ratio) } else { format!("{} times", significant(ratio)) }
}

/// The size of the unit that suits a row, and its name.
pub(super) fn unit(row: &BesideRow) -> (f64, &'static str) {
    match row.what() {
        Figure::Throughput => {
            let (name, size) = rate_unit(row.measured.value);
            (size, name)
        }
        Figure::Rate => (1.0, "/s"),
        Figure::MeanLatency | Figure::Latency(_) => {
            let (name, ms) = time_unit(row.measured.value * 1e3);
            (ms / 1e3, name)
        }
    }
}

/// The heads and rows of the table; columns that say nothing are left out.
pub(super) fn figures(beside: &Beside) -> (Vec<String>, Vec<Vec<String>>) {
    let none = || "–".to_owned();
    let has = |of: fn(&BesideRow) -> bool| beside.rows.iter().any(of);
    let (kinds, files) = (has(|row| !row.kind.word().is_empty()), has(|row| row.file_size.is_some()));
    let (records, several) =
        (has(|row| row.record.is_some()), has(|row| row.processes.is_some_and(|count| count > 1)));
    let mut heads = vec!["test".to_owned()];
    let optional = [("of", kinds), ("file", files), ("record", records), ("processes", several)];
    heads.extend(optional.iter().filter(|(_, shown)| *shown).map(|(head, _)| (*head).to_owned()));
    heads.extend(["figure", "unit", "measured"].map(str::to_owned));
    for contender in &beside.contenders {
        heads.extend([contender.letter.clone(), format!("{} by measured", contender.letter)]);
    }
    let row = |row: &BesideRow| {
        let (size, unit) = unit(row);
        let count = |count: Option<u32>| count.map_or_else(none, |count| count.to_string());
        let cells = [
            (row.kind.word().to_owned(), kinds),
            (row.file_size.map_or_else(none, bytes), files),
            (row.record.map_or_else(none, bytes), records),
            (count(row.processes), several),
        ];
        let mut line = vec![row.name.clone()];
        line.extend(cells.into_iter().filter(|(_, shown)| *shown).map(|(cell, _)| cell));
        line.extend([row.figure.clone(), unit.to_owned(), estimate(Some(row.measured), size)]);
        for prediction in &row.predicted {
            let prediction = prediction.as_ref();
            line.push(estimate(prediction.map(|prediction| prediction.value), size));
            line.push(estimate(prediction.map(|prediction| prediction.ratio), 1.0));
        }
        line
    };
    (heads, beside.rows.iter().map(row).collect())
}
