//! What was found, for a terminal.

use super::life::{Life, Part};
use super::trial::{Gain, Tried};
use super::{Explanation, NOTHING};
use crate::sweep::run_command;
use petrio_page::numbers::{counted, per_cent, significant, time};
use petrio_scenario::changes::PossibleChange;
use petrio_scenario::report::{StageFigures, labelled, table};

/// Names of what does nothing, or can't be made, in a line.
const NAMED: usize = 12;

/// The findings as text for a terminal `width` columns wide. Ends with a newline.
pub fn explain_text(found: &Explanation, width: usize) -> String {
    let mut out = String::new();
    for (label, words) in sentences(found) {
        labelled(&mut out, label, &words, width);
    }
    if !found.better.is_empty() {
        out.push('\n');
        let rows: Vec<Vec<String>> =
            found.better.iter().chain(&found.pairs).map(|tried| row(found, tried)).collect();
        out.push_str(&table(&HEADS, &rows));
        labelled(&mut out, "try", &command(found, &found.better[0].change), usize::MAX);
    }
    if !found.worse.is_empty() {
        out.push_str("\nWhat harms\n");
        out.push_str(&table(&HEADS, &found.worse.iter().map(|tried| row(found, tried)).collect::<Vec<_>>()));
    }
    out.push_str("\nWhere the time goes\n");
    out.push_str(&life(&found.life));
    out.push_str("\nThe stages of its way\n");
    out.push_str(&stages(&found.stages));
    out
}

const HEADS: [&str; 6] = ["change", "of", "done", "mean", "p99", "costs"];

/// What is found, each sentence with its label.
pub fn sentences(found: &Explanation) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let (now, many) = (&found.now, found.subject.many());
    all.push((
        "now",
        format!(
            "{}: {} {many} a second, {} at the mean, {} or less for 99 in a hundred",
            found.title,
            significant(now.rate),
            time(now.mean_ms),
            time(now.p99_ms)
        ),
    ));
    if let Some(overload) = &found.overload {
        let ending = found
            .better
            .iter()
            .filter(|tried| !tried.after.overloaded)
            .map(|tried| tried.change.words.as_str());
        let ending: Vec<&str> = ending.take(3).collect();
        let words = match &ending[..] {
            [] => "none of the changes ends that alone".to_owned(),
            some => format!("with each of these as much is served as comes: {}", some.join("; ")),
        };
        all.push(("overload", format!("{overload}; {words}")));
    }
    let by = if found.by_rate { "how much is done" } else { "how long the slowest in a hundred take" };
    match found.better.first() {
        Some(best) => all.push(("best", format!("{}: {}", best.change.words, gains(best)))),
        None => all.push(("best", format!("no single change helps by {by}"))),
    }
    if let Some(free) = found.free().filter(|free| Some(*free) != found.better.first()) {
        all.push((
            "for free",
            format!("the best that gives nothing up: {}: {}", free.change.words, gains(free)),
        ));
    }
    if let Some((tried, each)) = best_for_money(found) {
        all.push((
            "for money",
            format!(
                "{}: {} % for each 100 that it costs{}",
                tried.change.words,
                significant(each),
                over(tried)
            ),
        ));
    }
    if let Some(pair) = found.pairs.first() {
        all.push(("two", format!("{}: {}", pair.change.words, gains(pair))));
    }
    let tried = found.better.len() + found.worse.len() + found.nothing.len();
    let replicated = format!("those that do something {} times", found.replications);
    all.push((
        "tried",
        format!(
            "{}, {replicated}, with the same random numbers; ranked by {by}; intervals of {}",
            counted(tried as u64, "change", "changes"),
            per_cent(found.confidence)
        ),
    ));
    if !found.nothing.is_empty() {
        let least = per_cent(NOTHING);
        all.push(("nothing", format!("less than {least} each: {}", named(found.nothing.iter()))));
    }
    if !found.impossible.is_empty() {
        all.push(("not here", named(found.impossible.iter().map(|(change, _)| change))));
    }
    all
}

/// Of the changes that help and cost something, the one that brings most for it.
fn best_for_money(found: &Explanation) -> Option<(&Tried, f64)> {
    let worth = |tried: &'_ Tried| tried.worth_of_a_hundred(found.by_rate);
    let all = found.better.iter().filter_map(|tried| Some((tried, worth(tried)?)));
    all.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Over how many months a change costs what it does, where it is rented.
fn over(tried: &Tried) -> String {
    let rented = tried.cost.filter(|cost| cost.month != 0.0);
    rented.map_or_else(String::new, |cost| format!(" over {} months", cost.months))
}

fn named<'c>(changes: impl ExactSizeIterator<Item = &'c PossibleChange>) -> String {
    let count = changes.len();
    let words: Vec<String> =
        changes.take(NAMED).map(|change| format!("{} ({})", change.words, change.part)).collect();
    let rest = if count > NAMED { format!(" … and {} more", count - NAMED) } else { String::new() };
    format!("{}{rest}", words.join("; "))
}

/// What a change does, in words.
pub(super) fn gains(tried: &Tried) -> String {
    let price = tried.change.price.map_or_else(String::new, |price| format!("; but {price}"));
    let ends = if tried.after.overloaded { "; more still comes than is served" } else { "" };
    format!(
        "{} done, mean {}, p99 {}{ends}{price}",
        ratio(&tried.rate),
        ratio(&tried.mean),
        ratio(&tried.p99)
    )
}

/// A ratio with its interval: "+23 % (19 … 27)".
pub(super) fn ratio(gain: &Gain) -> String {
    let change = |times: f64| {
        let part = times - 1.0;
        let sign = if part < 0.0 { "−" } else { "+" };
        format!("{sign}{}", per_cent(part.abs()))
    };
    if (gain.times - 1.0).abs() < NOTHING / 10.0 {
        return "as before".to_owned();
    }
    if times_say_more(gain.times) {
        return format!(
            "×{} ({} … {})",
            significant(gain.times),
            significant(gain.interval.0),
            significant(gain.interval.1)
        );
    }
    if gain.interval.0 == gain.interval.1 {
        return change(gain.times);
    }
    format!("{} ({} … {})", change(gain.times), change(gain.interval.0), change(gain.interval.1))
}

fn times_say_more(times: f64) -> bool {
    times >= 3.0
}

fn row(found: &Explanation, tried: &Tried) -> Vec<String> {
    let mark = if tried.change.price.is_some() { " (at a price)" } else { "" };
    vec![
        format!("{}{mark}", tried.change.words),
        tried.change.part.clone(),
        ratio(&tried.rate),
        ratio(&tried.mean),
        ratio(&tried.p99),
        cost(found, tried),
    ]
}

/// What a change costs, and what each hundred of that brings: "+610 USD (12 % for each 100)".
pub(super) fn cost(found: &Explanation, tried: &Tried) -> String {
    let Some(cost) = tried.cost else { return "not known".to_owned() };
    let currency = cost.currency.map_or_else(String::new, |currency| format!(" {currency}"));
    let sign = |amount: f64| if amount < 0.0 { "−" } else { "+" };
    let amount = |amount: f64| format!("{}{}{currency}", sign(amount), significant(amount.abs()));
    let words = match (cost.price != 0.0, cost.month != 0.0) {
        (false, false) => return "nothing".to_owned(),
        (true, false) => amount(cost.price),
        (false, true) => format!("{} a month", amount(cost.month)),
        (true, true) => format!("{} and {} a month", amount(cost.price), amount(cost.month)),
    };
    match tried.worth_of_a_hundred(found.by_rate).filter(|_| tried.helps(found.by_rate)) {
        Some(each) => format!("{words} ({} % for each 100{currency})", significant(each)),
        None => words,
    }
}

/// The command that runs the scenario with a change.
pub fn command(found: &Explanation, change: &PossibleChange) -> String {
    let changed = change.settings.iter().map(|(path, value)| format!("{path}={value}"));
    run_command(&found.scenario, found.settings.iter().cloned().chain(changed))
}

/// What makes a change, as options.
pub(super) fn settings(change: &PossibleChange) -> String {
    let all: Vec<String> =
        change.settings.iter().map(|(path, value)| format!("--set '{path}={value}'")).collect();
    all.join(" ")
}

/// Causes of the average and of the slowest, as a table.
fn life(life: &Life) -> String {
    let mut causes: Vec<&str> = Vec::new();
    let all = [&life.average, &life.slowest, &life.usual.parts, &life.slow.parts];
    for part in all.iter().flat_map(|parts| parts.iter()) {
        if !causes.contains(&part.cause.as_str()) {
            causes.push(&part.cause);
        }
    }
    let of = |parts: &[Part], cause: &str| {
        let part = parts.iter().find(|part| part.cause == cause);
        part.map_or_else(String::new, |part| time(part.ms))
    };
    let mut rows: Vec<Vec<String>> = causes
        .iter()
        .map(|cause| {
            std::iter::once((*cause).to_owned()).chain(all.iter().map(|parts| of(parts, cause))).collect()
        })
        .collect();
    let sum = |parts: &[Part]| time(parts.iter().map(|part| part.ms).sum());
    rows.push(std::iter::once("all".to_owned()).chain(all.iter().map(|parts| sum(parts))).collect());
    let heads = ["spent on", "the average", "the slowest hundredth", "a usual one", "a slow one"];
    let text = table(&heads, &rows);
    format!(
        "{text}the usual one was issued at {:.6} s, the slow one at {:.6} s\n",
        life.usual.issued_s, life.slow.issued_s
    )
}

/// Utilisation, demand and waiting by stage.
fn stages(stages: &[StageFigures]) -> String {
    let text = |value: Option<f64>, words: fn(f64) -> String| value.map(words).unwrap_or_default();
    let rows: Vec<Vec<String>> = stages
        .iter()
        .filter(|stage| stage.utilisation.is_some() || stage.mean_wait_ms.is_some())
        .map(|stage| {
            vec![
                stage.name.clone(),
                stage.arrivals.to_string(),
                text(stage.utilisation, per_cent),
                text(stage.mean_service_ms, time),
                text(stage.mean_wait_ms, time),
                text(stage.mean_queue, significant),
            ]
        })
        .collect();
    table(&["stage", "visits", "busy", "service", "wait", "queue"], &rows)
}
