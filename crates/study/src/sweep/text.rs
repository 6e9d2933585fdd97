//! What a study found, for a terminal.

use super::design::Design;
use super::effects::{Case, Effect, Findings};
use super::{SweepResults, settings};
use petrio_page::numbers::{counted, per_cent};
use petrio_scenario::report::{Subject, labelled, table};

/// The best cases told.
const BEST: usize = 10;

/// The study as text for a terminal `width` columns wide. Ends with a newline.
pub fn sweep_text(results: &SweepResults, found: &Findings, width: usize) -> String {
    let mut out = String::new();
    labelled(&mut out, "study", &what(results, found), width);
    labelled(&mut out, "by", &format!("{}: {}", found.measure, by(found)), width);
    if let Some(unfinished) = unfinished(found) {
        labelled(&mut out, "note", &unfinished, width);
    }
    out.push('\n');
    out.push_str(&cases(found, BEST));
    if found.cases.len() > BEST {
        out.push_str(&format!("  … and {} more (--csv FILE has all)\n", found.cases.len() - BEST));
    }
    out.push('\n');
    for (number, effect) in found.effects.iter().enumerate() {
        labelled(&mut out, if number == 0 { "effects" } else { "" }, &sentence(found, effect), width);
    }
    for (number, pair) in found.interactions.iter().enumerate() {
        let words = format!(
            "{} and {} act together: {} of the variance is theirs beyond what each does alone",
            pair.first,
            pair.second,
            per_cent(pair.share)
        );
        labelled(&mut out, if number == 0 { "together" } else { "" }, &words, width);
    }
    if !found.indices.is_empty() {
        out.push('\n');
        let part = |value: f64, (low, high): (f64, f64)| format!("{value:.3} ({low:.3} … {high:.3})");
        let rows: Vec<Vec<String>> = found
            .indices
            .iter()
            .map(|index| {
                vec![
                    index.path.clone(),
                    part(index.first, index.first_interval),
                    part(index.total, index.total_interval),
                ]
            })
            .collect();
        out.push_str(&table(&["Sobol indices", "alone", "with all others"], &rows));
    }
    if let Some(best) = found.cases.first() {
        out.push('\n');
        labelled(&mut out, "repeat", &found.command(results, best, 0), usize::MAX);
    }
    for warning in warnings(found) {
        labelled(&mut out, "warning", &warning, width);
    }
    out
}

/// How many cases of what, in a line.
pub(super) fn what(results: &SweepResults, found: &Findings) -> String {
    let study = &results.study;
    let design = match study.design {
        Design::Grid => "a grid",
        Design::Table => "a table",
        Design::LatinHypercube(_) => "a Latin hypercube",
        Design::Sobol(_) => "a Sobol sequence",
        Design::Saltelli(_) => "Saltelli's design on a Sobol sequence",
    };
    let keys = counted(study.factors.len() as u64, "key", "keys");
    let runs = match study.replications.precision {
        Some(precision) => {
            format!("replicated to {} at most {} times", per_cent(precision), study.replications.count)
        }
        None => counted(study.replications.count.into(), "replication", "replications"),
    };
    let cases = counted(found.done, "case", "cases");
    format!(
        "{cases} of {} over {keys}: {design}, {runs} with common random numbers, seed {}",
        study.scenario.display(),
        study.seed
    )
}

/// By what cases are put in order.
pub(super) fn by(found: &Findings) -> String {
    let way = if found.more_is_better { "more is better" } else { "less is better" };
    format!("{}, {way}; intervals of {}", found.measure.words(Subject::default()), per_cent(found.confidence))
}

/// What isn't there yet.
pub(super) fn unfinished(found: &Findings) -> Option<String> {
    let mut all = Vec::new();
    if found.done < found.of {
        all.push(format!(
            "{} of {} cases have no rows: they are left out by --where, or not done yet",
            found.of - found.done,
            found.of
        ));
    }
    if found.without > 0 {
        all.push(format!("{} have no {}", counted(found.without, "case", "cases"), found.measure));
    }
    (!all.is_empty()).then(|| all.join("; "))
}

pub(super) fn value(found: &Findings, mean: f64, half_width: Option<f64>) -> String {
    match half_width.filter(|half| *half > 0.0) {
        Some(half) => format!("{} ± {}", found.measure.value(mean), found.measure.value(half)),
        None => found.measure.value(mean),
    }
}

fn cases(found: &Findings, most: usize) -> String {
    let mut heads = vec!["case"];
    heads.extend(found.keys.iter().map(String::as_str));
    let name = found.measure.to_string();
    heads.extend([name.as_str(), "busiest"]);
    let row = |case: &Case| {
        let mut row = vec![case.case.to_string()];
        row.extend(case.values.iter().cloned());
        row.push(value(found, case.mean, case.half_width));
        row.push(
            case.busiest
                .as_ref()
                .map(|(stage, part)| format!("{stage} {}", per_cent(*part)))
                .unwrap_or_default(),
        );
        row
    };
    let rows: Vec<Vec<String>> = found.cases.iter().take(most).map(row).collect();
    table(&heads, &rows)
}

/// What a key does, in a sentence.
pub fn sentence(found: &Findings, effect: &Effect) -> String {
    let (best, worst) = (&effect.levels[effect.best], &effect.levels[effect.worst]);
    if effect.levels.len() < 2 {
        return format!("{} has one value, {}", effect.path, best.value);
    }
    if effect.change == 0.0 {
        return format!(
            "{}: nothing; all of its values give {}",
            effect.path,
            found.measure.value(best.mean)
        );
    }
    let interval = effect.half_width.map_or_else(String::new, |half| format!(" ± {}", per_cent(half)));
    let sign = if effect.change > 0.0 { "+" } else { "−" };
    format!(
        "{}: {} rather than {} is {sign}{}{interval} at the mean over the others ({} against {}); {} of the variance",
        effect.path,
        best.value,
        worst.value,
        per_cent(effect.change.abs()),
        found.measure.value(best.mean),
        found.measure.value(worst.mean),
        per_cent(effect.share),
    )
}

/// What to check, with how many cases it is of.
pub(super) fn warnings(found: &Findings) -> Vec<String> {
    let mut all: std::collections::BTreeMap<&str, (u64, u64)> = std::collections::BTreeMap::new();
    for case in &found.cases {
        for warning in &case.warnings {
            let known = all.entry(warning).or_insert((0, case.case));
            *known = (known.0 + 1, known.1.min(case.case));
        }
    }
    all.into_iter()
        .map(|(warning, (cases, first))| match cases {
            1 => format!("case {first}: {warning}"),
            cases => format!("{cases} cases, of which {first} is the first: {warning}"),
        })
        .collect()
}

/// A case in words: its number and its settings.
pub(super) fn named(results: &SweepResults, case: &Case) -> String {
    settings(&results.study.factors, &case.values).join(", ")
}
