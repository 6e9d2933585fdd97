//! The page around the plots.

use super::document::document;
use super::{cause_class, cause_spans, escaped, plots};
use crate::report::bottleneck::WhatIf;
use crate::report::figures::{
    bytes, counted, grouped, per_cent, rate_unit, seconds, significant, time, time_unit,
};
use crate::report::latency::Latency;
use crate::report::served::Served;
use crate::report::subject::Subject;
use crate::report::summary::{Estimate, Report};
use crate::report::text::shown;
use std::fmt::Write;

// Writing to a string can't fail, so the results of `write!` are dropped throughout.

/// The whole document.
pub(super) fn page(report: &Report) -> String {
    let mut out = String::new();
    head(&mut out, report);
    for served in report.each() {
        if report.beside.is_some() {
            let _ = writeln!(out, "<h2>{}</h2>", sentence_case(served.subject.many()));
            let _ = writeln!(out, "<p>{}</p>", escaped(&served.workload));
        }
        tiles(&mut out, report, served);
    }
    bottleneck(&mut out, report);
    for served in report.each() {
        breakdown(&mut out, served);
        plots_section(&mut out, report, served);
    }
    stages(&mut out, report);
    report.each().for_each(|served| percentiles(&mut out, served));
    let foot = "model time, not measured · the same scenario and seed give the same page";
    document(&report.title, "", &out, foot)
}

fn head(out: &mut String, report: &Report) {
    let _ = write!(out, "<header>\n<h1>{}</h1>\n", escaped(&report.title));
    let on = if report.system.is_empty() { String::new() } else { format!("on {}", report.system) };
    let workload = if report.beside.is_some() { "" } else { report.served.workload.as_str() };
    let parts: Vec<&str> = [workload, &on].into_iter().filter(|part| !part.is_empty()).collect();
    let _ = writeln!(out, "<p>{}</p>", escaped(&parts.join(" · ")));
    let runs = if report.replications > 1 {
        format!("{} replications · ", report.replications)
    } else {
        String::new()
    };
    let warm_up = if report.warm_up_s > 0.0 {
        format!(" · the first {} cut off as warm-up", seconds(report.warm_up_s))
    } else {
        String::new()
    };
    let _ = write!(
        out,
        "<p class=\"quiet\">{runs}simulated {}{warm_up} · seed {}</p>\n</header>\n",
        seconds(report.simulated_s),
        report.seed
    );
    for warning in &report.warnings {
        let _ = writeln!(out, "<p class=\"warning\"><strong>Check this:</strong> {}</p>", escaped(warning));
    }
}

fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn tiles(out: &mut String, report: &Report, served: &Served) {
    out.push_str("<section class=\"tiles\" aria-label=\"Summary\">\n");
    let (unit, size) = rate_unit(served.throughput_bytes_per_s.value);
    tile(out, "Throughput", served.throughput_bytes_per_s, unit, size);
    let counts = match served.subject {
        Subject::BlockRequests => "Requests",
        Subject::FileOperations => "Operations",
    };
    tile(out, counts, served.requests_per_s, "per second", 1.0);
    if let Some(latency) = &served.latency {
        for (name, figure) in
            [("Mean latency", latency.mean_ms), ("p99 latency", latency.p99_ms), ("Longest", latency.max_ms)]
        {
            let (unit, size) = time_unit(figure.value);
            tile(out, name, figure, unit, size);
        }
    }
    let mut notes = vec![format!(
        "{} completed, {}",
        counted(served.requests.completed, served.subject.one(), served.subject.many()),
        bytes(served.bytes)
    )];
    if served.requests.reads > 0 && served.requests.writes > 0 {
        notes.push(format!(
            "{} reads, {} writes",
            grouped(served.requests.reads),
            grouped(served.requests.writes)
        ));
    }
    if served.subject == Subject::BlockRequests && served.requests.flushes > 0 {
        notes.push(counted(served.requests.flushes, "flush", "flushes"));
    }
    if served.requests.from_cache > 0 {
        let how = match served.subject {
            Subject::BlockRequests => "served by a device's cache",
            Subject::FileOperations => "without waiting for a device",
        };
        notes.push(format!("{} {how}", grouped(served.requests.from_cache)));
    }
    if let Some(closing_s) = served.closing_s {
        notes.push(format!("{} more to close the run, which doesn't count", seconds(closing_s)));
    }
    if served.requests.in_flight > 0 {
        notes.push(format!("{} still in flight at the end", grouped(served.requests.in_flight)));
    }
    if let (Some(level), true) = (report.confidence, report.replications > 1) {
        notes.push(format!("± is the half-width of the {} confidence interval", per_cent(level)));
    }
    let _ = write!(out, "</section>\n<p class=\"quiet\">{}</p>\n", notes.join(" · "));
}

fn tile(out: &mut String, name: &str, figure: Estimate, unit: &str, size: f64) {
    let half_width =
        figure.half_width.map(|width| format!(" ± {}", significant(width / size))).unwrap_or_default();
    let _ = writeln!(
        out,
        "<div class=\"tile\"><div class=\"name\">{name}</div><div class=\"figure\">{}<span class=\"unit\"> {unit}{half_width}</span></div></div>",
        significant(figure.value / size)
    );
}

fn bottleneck(out: &mut String, report: &Report) {
    let Some(bottleneck) = &report.bottleneck else { return };
    let what_if = bottleneck.what_if.as_ref();
    let sentence = what_if.map(WhatIf::sentence).unwrap_or_default();
    let command = what_if.and_then(WhatIf::command).map_or(String::new(), |command| {
        format!("<br><span class=\"quiet\">Try it:</span> <code>{}</code>", escaped(&command))
    });
    let _ = writeln!(
        out,
        "<p class=\"bottleneck\"><strong>Bottleneck: {}</strong>, {}. {}{command}</p>",
        escaped(&bottleneck.stage),
        escaped(&bottleneck.why()),
        escaped(&sentence)
    );
}

fn breakdown(out: &mut String, served: &Served) {
    if served.breakdown.is_empty() {
        return;
    }
    let words: Vec<String> = served
        .breakdown
        .iter()
        .map(|share| format!("{} {}", share.cause, per_cent(share.fraction)))
        .collect();
    let _ = write!(
        out,
        "<section>\n<h2>Where the time of an average {} goes</h2>\n<div class=\"stack\" role=\"img\" aria-label=\"{}\">",
        served.subject.one(),
        escaped(&words.join(", "))
    );
    out.push_str(&cause_spans(&served.breakdown));
    out.push_str("</div>\n<ul class=\"key\">\n");
    for share in &served.breakdown {
        let _ = writeln!(
            out,
            "<li><span class=\"swatch cause {}\"></span>{} <strong>{}</strong> <span class=\"quiet\">{}</span></li>",
            cause_class(&share.cause),
            escaped(&share.cause),
            per_cent(share.fraction),
            time(share.mean_ms)
        );
    }
    out.push_str("</ul>\n</section>\n");
}

fn plots_section(out: &mut String, report: &Report, served: &Served) {
    let outstanding = match served.subject {
        Subject::BlockRequests => "Requests outstanding over time",
        Subject::FileOperations => "Operations outstanding over time",
    };
    let plots = [
        ("Latency", plots::histogram(served)),
        ("Latency, cumulative", plots::distribution(served)),
        ("Throughput over time", plots::throughput(served)),
        (outstanding, plots::outstanding(served)),
    ];
    if served.latency.is_none() {
        let _ = writeln!(
            out,
            "<p>No {} completed in the measured part of the run, so there is nothing to plot.</p>",
            served.subject.one()
        );
        return;
    }
    out.push_str("<section class=\"plots\">\n");
    for (name, plot) in plots {
        if let Some(plot) = plot {
            let _ = write!(out, "<figure>\n<h2>{name}</h2>\n{plot}\n</figure>\n");
        }
    }
    out.push_str("</section>\n");
    if report.replications > 1 {
        out.push_str("<p class=\"quiet\">The plots show the first replication.</p>\n");
    }
}

fn stages(out: &mut String, report: &Report) {
    if report.stages.is_empty() {
        return;
    }
    out.push_str(
        "<section>\n<h2>Stages</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">stage</th>\
         <th scope=\"col\">arrivals</th><th scope=\"col\">utilisation</th><th scope=\"col\">mean queue</th>\
         <th scope=\"col\">mean wait</th><th scope=\"col\">mean service</th></tr></thead>\n<tbody>\n",
    );
    let or_dash = |value: Option<f64>, text: fn(f64) -> String| value.map_or("–".to_owned(), text);
    for stage in shown(&report.stages) {
        let name = match &stage.members {
            Some(members) => {
                let figure = if stage.utilisation.is_some() { per_cent } else { significant };
                format!(
                    "{} <span class=\"quiet\">({}; {} to {}, most {})</span>",
                    escaped(&stage.name),
                    grouped(members.count),
                    figure(members.least),
                    figure(members.most),
                    escaped(&members.busiest)
                )
            }
            None => escaped(&stage.name),
        };
        let meter = stage.utilisation.map_or(String::new(), |utilisation| {
            let width = utilisation.clamp(0.0, 1.0) * 100.0;
            format!(
                "<span class=\"meter\" aria-hidden=\"true\"><span style=\"width:{width:.1}%\"></span></span>"
            )
        });
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{meter}{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            name,
            grouped(stage.arrivals),
            or_dash(stage.utilisation, per_cent),
            or_dash(stage.mean_queue, significant),
            or_dash(stage.mean_wait_ms, time),
            or_dash(stage.mean_service_ms, time)
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    for copies in &report.copies {
        let _ = writeln!(out, "<p><b>{}</b> {}</p>", escaped(&copies.name), escaped(&copies.sentence()));
    }
    out.push_str("</section>\n");
}

fn percentiles(out: &mut String, served: &Served) {
    let all = format!("all {}", served.subject.many());
    let mut rows: Vec<(&str, &Latency)> =
        served.latency.iter().map(|latency| (all.as_str(), latency)).collect();
    if served.operations.is_empty() {
        rows.extend(served.read_latency.iter().map(|latency| ("reads", latency)));
        rows.extend(served.write_latency.iter().map(|latency| ("writes", latency)));
    } else {
        rows.extend(served.operations.iter().map(|kind| (kind.operation.as_str(), &kind.latency)));
    }
    if rows.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Latency figures</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\"></th>");
    for name in ["mean", "p50", "p90", "p99", "p99.9", "longest", "standard deviation"] {
        let _ = write!(out, "<th scope=\"col\">{name}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (name, latency) in rows {
        let _ = write!(out, "<tr><th scope=\"row\">{name}</th>");
        for figure in [
            latency.mean_ms,
            latency.p50_ms,
            latency.p90_ms,
            latency.p99_ms,
            latency.p99_9_ms,
            latency.max_ms,
            latency.deviation_ms,
        ] {
            let half_width = figure.half_width.map(|width| format!(" ± {}", time(width))).unwrap_or_default();
            let _ = write!(out, "<td>{}{half_width}</td>", time(figure.value));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
}
