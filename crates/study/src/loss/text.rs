//! How likely a loss is, for a terminal.

use super::measure::Filled;
use super::{Chance, Changed, GroupFindings, LossFindings};
use crate::sweep::run_command;
use petrio_page::numbers::{bytes, counted, grouped, per_cent, significant, time};
use petrio_scenario::report::{labelled, table};

/// The findings as text for a terminal `width` columns wide. Ends with a newline.
pub fn loss_text(found: &LossFindings, width: usize) -> String {
    let mut out = String::new();
    for (label, words) in sentences(found) {
        labelled(&mut out, label, &words, width);
    }
    if !found.changes.is_empty() {
        out.push('\n');
        out.push_str(&table(
            &HEADS,
            &found.changes.iter().map(|changed| row(found, changed)).collect::<Vec<_>>(),
        ));
        if let Some(best) =
            found.changes.iter().find(|changed| !changed.settings.is_empty() && changed.times < 1.0)
        {
            out.push('\n');
            labelled(&mut out, "try it", &command(found, best), usize::MAX);
        }
    }
    out
}

pub(super) const HEADS: [&str; 4] = ["with", "chance of loss", "of what it is", "usable"];

/// The command that asks for a change.
pub(super) fn command(found: &LossFindings, changed: &Changed) -> String {
    let settings = found.settings.iter().chain(&changed.settings).cloned();
    run_command(&found.scenario, settings).replacen("petrio run", "petrio loss", 1)
}

pub(super) fn row(found: &LossFindings, changed: &Changed) -> Vec<String> {
    let mut usable = bytes(changed.usable_bytes);
    if let Some(cost) = changed.cost.filter(|cost| cost.price != 0.0 || cost.month != 0.0)
        && let Some(currency) = cost.currency
    {
        usable.push_str(&format!(", {} {currency} more", significant(cost.over_months)));
    }
    let times = if found.loss.chance > 0.0 { multiple(changed.times) } else { String::new() };
    vec![changed.words.clone(), chance(changed.loss), times, usable]
}

fn multiple(times: f64) -> String {
    if times >= 0.01 { significant(times) } else { format!("1 in {}", significant(1.0 / times)) }
}

/// A chance in words that a person can hold against others.
pub(super) fn chance(of: Chance) -> String {
    match of.chance {
        0.0 => "none seen".to_owned(),
        small if small < 1e-4 => {
            let relative = of.half_width / small;
            format!("1 in {} ± {}", grouped_one(1.0 / small), per_cent(relative))
        }
        chance => format!("{} % ± {}", significant(chance * 100.0), significant(of.half_width * 100.0)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "years up to what a u64 holds, and more are cut"
)]
fn grouped_one(count: f64) -> String {
    if count < 1e15 {
        // Three places are as many as are known.
        let scale = libm::pow(10.0, (libm::floor(libm::log10(count)) - 2.0).max(0.0));
        grouped((libm::round(count / scale) * scale) as u64)
    } else {
        significant(count)
    }
}

fn within(years: f64) -> String {
    if years == 1.0 { "within a year".to_owned() } else { format!("within {} years", significant(years)) }
}

/// What is found, each with its label.
pub(super) fn sentences(found: &LossFindings) -> Vec<(&'static str, String)> {
    let mut all = vec![("loss", format!("{}: {}", found.title, within(found.years)))];
    let often = found.mean_years_to_loss;
    let often =
        if often.is_finite() { format!("; once in {} years", grouped_one(often)) } else { String::new() };
    all.push(("chance", format!("{} that data are lost{often}", chance(found.loss))));
    if found.loss.chance > 0.0 {
        let parts = [
            (found.failed, "because more fails than is outlived"),
            (found.sectors, "because a sector can't be read that nothing else has"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(of, _)| of.chance > 0.0)
            .map(|(of, why)| format!("{} % {why}", significant(of.chance / found.loss.chance * 100.0)))
            .collect();
        if !parts.is_empty() {
            all.push(("of these", parts.join(", ")));
        }
    }
    all.extend(found.groups.iter().map(|group| ("group", group_words(found, group))));
    all.extend(found.filled.iter().map(|filled| ("filled", filled_words(filled))));
    if found.age_years > 0.0 {
        all.push(("age", format!("drives are {} years old at the beginning", significant(found.age_years))));
    }
    if let Some(every) = found.scrubbed_every_s {
        all.push(("scrubbed", format!("all sectors are read and repaired every {}", long(every))));
    }
    all.extend(found.notes.iter().map(|note| ("note", note.clone())));
    all
}

fn group_words(found: &LossFindings, group: &GroupFindings) -> String {
    let many = if group.count > 1 { format!("{} × ", group.count) } else { String::new() };
    let one = if group.count > 1 { format!("; one alone: {}", chance(group.one)) } else { String::new() };
    let whole = found.years * super::YEAR;
    let exposed = match group.exposed_s / whole {
        share if share > 0.9 => "one more failure always loses data".to_owned(),
        0.0 => "hardly ever would one more failure lose data".to_owned(),
        _ => {
            let longest = match group.longest_in_twenty_s {
                0.0 => "; 19 in 20 never are".to_owned(),
                longest => format!("; one in twenty for {} or longer without a break", long(longest)),
            };
            format!(
                "one more failure would lose data for {} of that on average{longest}",
                long(group.exposed_s)
            )
        }
    };
    format!(
        "{many}{} ({}): {} drives fail {}; {exposed}{one}",
        group.name,
        group.words,
        significant(group.failures),
        within(found.years)
    )
}

fn filled_words(filled: &Filled) -> String {
    let missing = match filled.missing {
        1 => "one member missing".to_owned(),
        more => format!("{more} members missing"),
    };
    let between = if filled.between_s.1 > filled.between_s.0 * 1.01 {
        format!(" ({} to {})", long(filled.between_s.0), long(filled.between_s.1))
    } else {
        String::new()
    };
    let alone =
        filled.alone_s.map_or_else(String::new, |alone| format!(", {} where nobody asks", long(alone)));
    let seen = if filled.seen < 1.0 {
        format!("; {} of it was seen, the rest goes on so", per_cent(filled.seen))
    } else {
        String::new()
    };
    format!(
        "{}, {missing}: {} under the load{between}{alone}, by {}{seen}",
        filled.array,
        long(filled.loaded_s),
        counted(filled.runs as u64, "run", "runs")
    )
}

/// A time of up to years.
fn long(seconds: f64) -> String {
    const HOUR: f64 = 3_600.0;
    match seconds {
        s if s >= 4.0 * 365.0 * 24.0 * HOUR => format!("{} years", significant(s / super::YEAR)),
        s if s >= 96.0 * HOUR => format!("{} days", significant(s / (24.0 * HOUR))),
        s if s >= HOUR => format!("{} h", significant(s / HOUR)),
        s if s >= 60.0 => format!("{} min", significant(s / 60.0)),
        s => time(s * 1e3),
    }
}
