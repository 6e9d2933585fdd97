//! How much load a System bears, for a terminal.

use super::limit::Crossing;
use super::prober::Point;
use super::{Highest, LoadFindings, Sure};
use crate::sweep::run_command;
use petrio_page::numbers::{counted, per_cent, significant, time};
use petrio_scenario::report::{Subject, labelled, table};

/// The findings as text for a terminal `width` columns wide. Ends with a newline.
pub fn load_text(found: &LoadFindings, width: usize) -> String {
    let mut out = String::new();
    labelled(&mut out, "load", &format!("{}: {}", found.title, changed(found)), width);
    for (label, words) in sentences(found) {
        labelled(&mut out, label, &words, width);
    }
    out.push('\n');
    let metric = found.metric.to_string();
    let rows: Vec<Vec<String>> = found.points.iter().map(|point| row(found, point)).collect();
    out.push_str(&table(&["load", "served/s", &metric, "mean response", "busiest stage", "busy", ""], &rows));
    if let Some(highest) = &found.highest {
        out.push('\n');
        labelled(&mut out, "repeat", &repeated(found, highest.factor), usize::MAX);
    }
    out
}

/// The command that runs the scenario at a load.
pub fn repeated(found: &LoadFindings, factor: f64) -> String {
    let dialled = found.dial.values(factor).into_iter().map(|(path, value)| format!("{path}={value}"));
    let settings = found.settings.iter().cloned().chain(dialled);
    run_command(&found.scenario, settings)
}

/// What is changed, in a line.
fn changed(found: &LoadFindings) -> String {
    let keys: Vec<&str> = found.dial.keys.iter().map(|key| key.path.as_str()).collect();
    format!("{} changed, {}", keys.join(" and "), counted(found.runs.into(), "run", "runs"))
}

/// What is found, each sentence with its label.
pub fn sentences(found: &LoadFindings) -> Vec<(&'static str, String)> {
    let mut all = vec![("today", today(found))];
    if let (Some(limit), Some(highest)) = (found.limit, &found.highest) {
        let limit = found.metric.value(limit);
        let metric = found.metric.words(Subject::default());
        let at = format!("{} a second ({})", significant(highest.rate), found.dial.words(highest.factor));
        let interval = highest
            .half_width
            .map_or_else(String::new, |half| format!(" ± {}", per_cent(half / highest.factor)));
        let words = match highest.crossing {
            Crossing::Found => format!("{metric} stays within {limit} up to {at}{interval}"),
            Crossing::Between => {
                format!("{metric} stays within {limit} up to about {at}{interval}; more --runs say it closer")
            }
            Crossing::AtLeast => format!(
                "{metric} stays within {limit} at {at}, which is the most that was run; more may be borne"
            ),
            Crossing::Below => {
                format!("{metric} is over {limit} at {at} already, which is the least that was run")
            }
        };
        all.push(("limit", words));
        if highest.crossing != Crossing::Below {
            all.push(("growth", growth(highest.factor)));
        }
        if let Some(sure) = highest.sure {
            all.push(("how sure", how_sure(highest, sure)));
        }
        if let Some((stage, busy)) = &highest.busiest {
            all.push(("bound by", format!("{stage}, busy for {} of the time there", per_cent(*busy))));
        }
    }
    if let Some(knee) = &found.knee {
        let at = format!(
            "{} a second ({}), with a mean response of {}",
            significant(knee.rate),
            found.dial.words(knee.factor),
            time(knee.response_ms)
        );
        let words = if knee.at_end {
            format!("not within what was run; throughput over response is greatest at its end, {at}")
        } else {
            format!("{at}: beyond it response grows faster than throughput")
        };
        all.push(("knee", words));
    }
    if found.closed {
        let words = "every workload waits for what it asks for, so that it slows down with the system: such a load has no saturation, \
                     and more of it only waits longer";
        all.push(("closed", words.to_owned()));
    } else if let Some(first) = found.points.iter().find(|point| point.overloaded) {
        let words = format!("at {} more comes than is served", found.dial.words(first.factor));
        all.push(("saturation", words));
    }
    all
}

/// Where the highest loads of real systems lie.
fn how_sure(highest: &Highest, sure: Sure) -> String {
    let a_second = |factor: f64| significant(highest.rate * factor / highest.factor);
    let low = if sure.low > 0.0 { a_second(sure.low) } else { "no load at all".to_owned() };
    let high = match sure.high {
        Some(high) => format!("{} a second", a_second(high)),
        None => "more than was run".to_owned(),
    };
    format!(
        "nine real systems in ten keep it up to between {low} and {high}: real times lie within a factor of {} of the model's, taken alike for all \
         (docs/how-sure.md)",
        significant(sure.within)
    )
}

fn today(found: &LoadFindings) -> String {
    let point = &found.today;
    let metric = found.metric.value(point.metric);
    let busy = point
        .busiest
        .as_ref()
        .map_or_else(String::new, |(stage, busy)| format!("; {stage} is busy for {}", per_cent(*busy)));
    let over = if point.overloaded { "; more comes than is served" } else { "" };
    format!(
        "{} a second ({}), {} of {metric}{busy}{over}",
        significant(point.rate),
        found.dial.words(1.0),
        found.metric
    )
}

fn growth(factor: f64) -> String {
    match factor {
        factor if factor >= 2.0 => format!("{factor:.1} times today's load"),
        factor if factor >= 1.0 => format!("{} more than today", per_cent(factor - 1.0)),
        factor => format!("{} less than today: today's load is over the limit", per_cent(1.0 - factor)),
    }
}

fn row(found: &LoadFindings, point: &Point) -> Vec<String> {
    let metric = match point.half_width {
        Some(half) => format!("{} ± {}", found.metric.value(point.metric), found.metric.value(half)),
        None => found.metric.value(point.metric),
    };
    let (stage, busy) = point.busiest.clone().unwrap_or_default();
    let mark = if point.overloaded { "overloaded" } else { "" };
    vec![
        found.dial.words(point.factor),
        significant(point.rate),
        metric,
        time(point.response_ms),
        stage,
        per_cent(busy),
        mark.to_owned(),
    ]
}
