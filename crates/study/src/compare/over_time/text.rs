//! A measurement over time beside predictions on a terminal.

use super::bins::sorts;
use super::parting::rate;
use super::patch::quoted;
use super::{Arrivals, BesideOverTime, Calibration, DeviceBeside};
use crate::compare::text::estimate;
use petrio_page::numbers::{bytes, counted, per_cent, rate_unit, significant, time, time_unit};
use petrio_scenario::report::{labelled, table};
use petrio_units::numbers::nearest_whole;

/// It as text for a terminal `width` columns wide. Ends with a newline.
pub fn over_time_text(found: &BesideOverTime, width: usize) -> String {
    let mut out = String::new();
    for contender in &found.contenders {
        labelled(&mut out, &contender.letter, &contender.name, width);
        if !contender.title.is_empty() {
            labelled(&mut out, "", &contender.title, width);
        }
    }
    for source in &found.sources {
        labelled(&mut out, "measured", &source_words(source), width);
    }
    labelled(&mut out, "compared", &how(found), width);
    for device in &found.devices {
        out.push('\n');
        labelled(&mut out, "device", &who(found, device), width);
        for (number, parting) in device.parting.iter().enumerate() {
            labelled(&mut out, if number == 0 { "verdict" } else { "" }, &parting.text, width);
        }
        out.push('\n');
        let (heads, rows) = figures(device);
        for line in table(&heads, &rows).lines() {
            out.push_str(&format!("  {line}\n"));
        }
        if let Some(calibration) = &device.calibration {
            out.push('\n');
            for (label, text) in calibration_words(calibration) {
                labelled(&mut out, label, &text, width);
            }
        }
    }
    for note in &found.notes {
        labelled(&mut out, "note", &note.text, width);
    }
    out
}

fn source_words(source: &super::OverTimeSource) -> String {
    format!(
        "{}: {} of {} by {}",
        petrio_files::shown::path(&source.file),
        counted(source.intervals as u64, "interval", "intervals"),
        counted(source.devices as u64, "device", "devices"),
        source.format.name()
    )
}

/// How it was compared, in a line.
pub(super) fn how(found: &BesideOverTime) -> String {
    let mut parts = vec!["mean times of requests by load; ratios are predicted by measured".to_owned()];
    parts.push(match found.arrivals {
        Arrivals::Poisson => "requests come at any time (Poisson)".to_owned(),
        Arrivals::Closed => "requests come from processes that wait for them".to_owned(),
    });
    parts.push(counted(found.replications.into(), "replication", "replications"));
    parts.extend(found.seed.map(|seed| format!("seed {seed}")));
    parts.push(format!("± is the half-width of the {} interval", per_cent(found.confidence)));
    parts.join("; ")
}

/// Which device is which disk.
pub(super) fn who(found: &BesideOverTime, device: &DeviceBeside) -> String {
    let whose = if found.contenders.len() > 1 { format!("{}, ", device.letter) } else { String::new() };
    format!(
        "{whose}{} beside the disk {} ({}): {} with requests, of {}",
        device.device,
        device.disk,
        device.kind,
        counted(device.busy_intervals as u64, "interval", "intervals"),
        device.intervals
    )
}

/// The heads and rows of the table by load; columns that say nothing are left out.
pub(super) fn figures(device: &DeviceBeside) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let points = &device.points;
    let sorts = sorts(points);
    let least =
        points.iter().filter_map(|point| Some(point.both.measured?.value)).fold(f64::INFINITY, f64::min);
    let (unit, ms) = time_unit(if least.is_finite() { least * 1e3 } else { 1.0 });
    let size = ms / 1e3;
    let mut heads = vec![
        "requests/s",
        "intervals",
        "come",
        "of",
        "each/s",
        "size",
        "unit",
        "measured",
        "predicted",
        "ratio",
    ];
    let busy = points.iter().any(|point| point.measured_busy.is_some());
    if busy {
        heads.push("busy");
    }
    heads.push("predicted busy");
    let mut rows = Vec::new();
    for point in points {
        for (number, (name, of)) in sorts.iter().enumerate() {
            let own = of(point);
            let once = |text: String| if number == 0 { text } else { String::new() };
            let mut row = vec![
                once(format!("{} – {}", rate(point.from_per_s), rate(point.to_per_s))),
                once(point.intervals.to_string()),
                once(if point.closed { "closed".to_owned() } else { "open".to_owned() }),
                (*name).to_owned(),
                significant(own.per_s),
                if own.size_bytes > 0.0 { bytes(nearest_whole(own.size_bytes)) } else { "–".to_owned() },
                unit.to_owned(),
                estimate(own.measured, size),
            ];
            row.extend(match point.overloaded {
                true => ["overload".to_owned(), format!("{}/s", rate(point.predicted_per_s))],
                false => [estimate(own.predicted, size), estimate(own.ratio, 1.0)],
            });
            if busy {
                row.push(once(point.measured_busy.map_or_else(|| "–".to_owned(), per_cent)));
            }
            row.push(once(per_cent(point.predicted_busy)));
            rows.push(row);
        }
    }
    (heads, rows)
}

/// What the measurement says of the disk's parameters, as labels and sentences.
pub(super) fn calibration_words(calibration: &Calibration) -> Vec<(&'static str, String)> {
    let (unit, size) = rate_unit(calibration.ceiling_bytes_per_s);
    let busiest = calibration.busiest.map(|busiest| format!(", {} busy at most", per_cent(busiest)));
    let mut lines = vec![(
        "seen",
        format!(
            "{} a request at {} requests/s, the least load; no more than {} requests/s and {} {unit}{}",
            time(calibration.floor_s * 1e3),
            rate(calibration.floor_per_s),
            rate(calibration.ceiling_per_s),
            significant(calibration.ceiling_bytes_per_s / size),
            busiest.unwrap_or_default()
        ),
    )];
    let mut label = "fitted";
    for fitted in &calibration.fitted {
        let width =
            fitted.factor.half_width.map(|width| format!(" ± {}", significant(width))).unwrap_or_default();
        lines.push((
            label,
            format!(
                "{} = {} in the place of {} ({}{width} times it)",
                fitted.key,
                quoted(&fitted.fitted),
                quoted(&fitted.scenario),
                significant(fitted.factor.value)
            ),
        ));
        label = "";
    }
    for not in &calibration.not_fitted {
        lines.push((label, format!("{} stays: {}", not.key, not.why)));
        label = "";
    }
    if let Some(held_out) = calibration.held_out {
        lines.push((
            "tried",
            format!(
                "fitted to {} (every second one with requests), tried on the {} others: predicted times are off by {:.1} % with it, and by {:.1} % as the scenario is",
                counted(calibration.fitted_to as u64, "interval", "intervals"),
                held_out.intervals,
                held_out.after * 100.0,
                held_out.before * 100.0
            ),
        ));
    }
    if let Some(why) = &calibration.refused {
        lines.push(("no patch", why.clone()));
    }
    lines
}
