//! What stands on a report's page, and in which order.

use super::figures;
use crate::estimate::Estimate;
use crate::latency::Latency;
use crate::processes::ProcessFigures;
use crate::sections::{above_stages, below_stages};
use crate::served::{Served, WorkloadFigures};
use crate::subject::Subject;
use crate::summary::{Report, StageFigures};
use crate::text::{KINDS_MAX, busy_servers, kind_rate, longer, shown};
use crate::waiting::Waiting;
use petrio_page::numbers::{
    bytes, counted, grouped, mean_number, per_cent, rate_unit, seconds, significant, time, time_unit,
};
use petrio_page::page::{Block, Page, Span, Table, Text, Tile};

/// The page.
pub fn page(report: &Report) -> Page {
    let mut page = Page::new(report.title.as_str());
    head(&mut page, report);
    for served in report.each() {
        if report.beside.is_some() {
            page.heading(sentence_case(served.subject.many()));
            page.paragraph(served.workload.as_str());
        }
        summary(&mut page, report, served);
    }
    bottleneck(&mut page, report);
    for served in report.each() {
        shares(&mut page, served);
        plots(&mut page, report, served);
    }
    above_stages(report).iter().for_each(|section| section.page(&mut page));
    stages(&mut page, report);
    below_stages(report).iter().for_each(|section| section.page(&mut page));
    for transactions in report.each().flat_map(|served| &served.transactions) {
        page.note(transactions.sentence());
    }
    for depths in report.each().flat_map(|served| &served.depths) {
        page.note(format!("submitted: {}", depths.sentence()));
    }
    for deadline in report.each().flat_map(|served| &served.deadlines) {
        page.note(deadline.sentence());
    }
    report.each().for_each(|served| workloads(&mut page, served));
    report.each().for_each(|served| processes(&mut page, served));
    report.each().for_each(|served| percentiles(&mut page, served));
    page.foot = "model time, not measured · the same scenario and seed give the same page".to_owned();
    page
}

fn head(page: &mut Page, report: &Report) {
    let on = if report.system.is_empty() { String::new() } else { format!("on {}", report.system) };
    let workload = if report.beside.is_some() { "" } else { report.served.workload.as_str() };
    let parts: Vec<&str> = [workload, &on].into_iter().filter(|part| !part.is_empty()).collect();
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
    let run = format!("{runs}simulated {}{warm_up} · seed {}", seconds(report.simulated_s), report.seed);
    page.below = vec![parts.join(" · ").into(), Text::default().quiet(run)];
    if !report.assumptions.is_empty() {
        let each: Vec<&str> = report.assumptions.iter().map(|assumption| assumption.text.as_str()).collect();
        let words = format!("assumed, for no source tells it: {}", each.join(" · "));
        page.below.push(Text::default().quiet(words));
    }
    page.warnings(report.warnings.iter().map(|warning| warning.text.as_str()));
}

fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn summary(page: &mut Page, report: &Report, served: &Served) {
    let (unit, size) = rate_unit(served.throughput_bytes_per_s.value);
    let counts = match served.subject {
        Subject::BlockRequests => "Requests",
        Subject::FileOperations => "Operations",
    };
    let mut tiles = vec![
        tile("Throughput", served.throughput_bytes_per_s, unit, size),
        tile(counts, served.requests_per_s, "per second", 1.0),
    ];
    if let Some(latency) = &served.latency {
        // Of several kinds together, percentiles say little.
        let p99 = (!served.is_mixed()).then_some(("p99 latency", latency.p99_ms));
        let figures = [("Mean latency", latency.mean_ms)].into_iter().chain(p99);
        for (name, estimate) in figures.chain([("Longest", latency.max_ms)]) {
            let (unit, size) = time_unit(estimate.value);
            tiles.push(tile(name, estimate, unit, size));
        }
    }
    page.blocks.push(Block::Tiles(tiles));
    page.note(remarks(report, served).join(" · "));
}

fn remarks(report: &Report, served: &Served) -> Vec<String> {
    let mut remarks = vec![format!(
        "{} completed, {}",
        counted(served.requests.completed, served.subject.one(), served.subject.many()),
        bytes(served.bytes)
    )];
    if served.requests.reads > 0 && served.requests.writes > 0 {
        remarks.push(format!(
            "{} reads, {} writes",
            grouped(served.requests.reads),
            grouped(served.requests.writes)
        ));
    }
    if served.subject == Subject::BlockRequests && served.requests.flushes > 0 {
        remarks.push(counted(served.requests.flushes, "flush", "flushes"));
    }
    if served.requests.from_cache > 0 {
        let how = match served.subject {
            Subject::BlockRequests => "served by a device's cache",
            Subject::FileOperations => "without waiting for a device",
        };
        remarks.push(format!("{} {how}", grouped(served.requests.from_cache)));
    }
    if let Some(closing_s) = served.closing_s {
        remarks.push(format!("{} more to close the run, which doesn't count", seconds(closing_s)));
    }
    if served.requests.in_flight > 0 {
        let oldest = served.waiting.map(|waiting| format!(", the oldest for {}", seconds(waiting.oldest_s)));
        let oldest = oldest.unwrap_or_default();
        remarks.push(format!("{} still in flight at the end{oldest}", grouped(served.requests.in_flight)));
    }
    if let (Some(level), true) = (report.confidence, report.replications > 1) {
        remarks.push(format!("± is the half-width of the {} confidence interval", per_cent(level)));
    }
    remarks
}

fn tile(name: &str, estimate: Estimate, unit: &str, size: f64) -> Tile {
    let half_width =
        estimate.half_width.map(|width| format!(" ± {}", significant(width / size))).unwrap_or_default();
    let figure = significant(estimate.value / size);
    Tile { name: name.to_owned(), figure, unit: format!("{unit}{half_width}") }
}

fn bottleneck(page: &mut Page, report: &Report) {
    let Some(bottleneck) = &report.bottleneck else { return };
    let mut text = Text::default()
        .strong(format!("Bottleneck: {}", bottleneck.named_stage()))
        .plain(format!(", {}. {}", bottleneck.why(), bottleneck.sentences()));
    for (label, command) in bottleneck.commands() {
        let label = match label {
            "try it" => "Try it: ",
            "and" => "And: ",
            _ => "Or: ",
        };
        text = text.and(Span::Break).quiet(label).and(Span::Code(command));
    }
    page.lead(text);
}

fn shares(page: &mut Page, served: &Served) {
    if served.breakdown.is_empty() {
        return;
    }
    let title = format!("Where the time of an average {} goes", served.subject.one());
    page.wide_figures([figures::causes(&title, &[("", &served.breakdown)], false)]);
    let share = |share: &super::super::Share| {
        let name = Text::default().and(Span::Swatch(figures::cause_colour(&share.cause)));
        vec![name.plain(share.cause.as_str()), per_cent(share.fraction).into(), time(share.mean_ms).into()]
    };
    page.table(Table::new(["cause", "share", "mean"]).with(served.breakdown.iter().map(share)));
    let kinds = served.operations.iter().map(|kind| (kind.operation.as_str(), &*kind.breakdown));
    let workloads = served.workloads.iter().map(|row| (row.workload.as_str(), &*row.breakdown));
    let worth = |row: &(&str, &[super::super::Share])| !row.1.is_empty();
    for (by, rows) in
        [("kind", kinds.filter(worth).collect::<Vec<_>>()), ("workload", workloads.filter(worth).collect())]
    {
        if rows.len() > 1 {
            page.wide_figures([figures::causes(&format!("By {by}"), &rows, false)]);
        }
    }
}

fn plots(page: &mut Page, report: &Report, served: &Served) {
    if served.latency.is_none() {
        let one = served.subject.one();
        page.paragraph(format!(
            "No {one} completed in the measured part of the run, so there is nothing to plot."
        ));
        return;
    }
    let all = [
        figures::histogram(served),
        figures::distribution(served),
        figures::throughput(served),
        figures::outstanding(served),
    ];
    page.figures(all.into_iter().flatten().chain(figures::by_kind(served)));
    if report.replications > 1 {
        page.note("The plots show the first replication.");
    }
}

fn stages(page: &mut Page, report: &Report) {
    if report.stages.is_empty() {
        return;
    }
    page.heading("Stages");
    let heads = ["stage", "arrivals", "utilisation", "mean queue", "mean wait", "mean service"];
    page.table(Table::new(heads).with(shown(&report.stages).map(stage)));
}

fn stage(stage: &StageFigures) -> Vec<Text> {
    let or_dash = |value: Option<f64>, text: fn(f64) -> String| value.map_or("–".to_owned(), text);
    let name = Text::from(stage.name.as_str());
    let name = match &stage.members {
        Some(members) => {
            let words = if stage.utilisation.is_some() { per_cent } else { significant };
            name.quiet(format!(
                " ({}; {} to {}, most {})",
                grouped(members.count),
                words(members.least),
                words(members.most),
                members.busiest
            ))
        }
        None => name,
    };
    let meter = stage.utilisation.map_or(Text::default(), |part| Text::default().and(Span::Meter(part)));
    vec![
        name,
        grouped(stage.arrivals).into(),
        meter.plain(stage.utilisation.map_or("–".to_owned(), |busy| busy_servers(stage, busy))),
        or_dash(stage.mean_queue, mean_number).into(),
        or_dash(stage.mean_wait_ms, time).into(),
        or_dash(stage.mean_service_ms, time).into(),
    ]
}

/// The processes of replayed traces.
fn processes(page: &mut Page, served: &Served) {
    if served.processes.is_empty() {
        return;
    }
    page.heading("By process of the trace");
    let row = |one: &ProcessFigures| {
        let latency = |of: fn(&Latency) -> Estimate| {
            one.latency.as_ref().map_or_else(|| "–".to_owned(), |latency| time(of(latency).value))
        };
        vec![
            one.words(),
            grouped(one.completed),
            format!("{}/s", significant(one.per_s.value)),
            latency(|latency| latency.mean_ms),
            latency(|latency| latency.p99_ms),
            latency(|latency| latency.max_ms),
        ]
    };
    let heads = ["process", "completed", "rate", "mean", "p99", "longest"];
    page.table(Table::new(heads).with(served.processes.iter().map(row)));
    if served.processes_left_out > 0 {
        let more = counted(served.processes_left_out, "process more", "processes more");
        page.note(format!("And {more}, which came later, without a row."));
    }
}

/// What each of several workloads got over its own span.
fn workloads(page: &mut Page, served: &Served) {
    if served.workloads.is_empty() {
        return;
    }
    page.heading("By workload");
    let estimate = |estimate: Estimate, words: &dyn Fn(f64) -> String| {
        let half_width = estimate.half_width.map(|width| format!(" ± {}", words(width))).unwrap_or_default();
        format!("{}{half_width}", words(estimate.value))
    };
    let rate = |bytes_per_s: f64| {
        let (unit, size) = rate_unit(bytes_per_s);
        format!("{} {unit}", significant(bytes_per_s / size))
    };
    let none = || "–".to_owned();
    let row = |row: &WorkloadFigures| {
        let latency = |of: fn(&Latency) -> Estimate| {
            row.latency.as_ref().map_or_else(none, |latency| estimate(of(latency), &time))
        };
        let waiting = match (&row.latency, row.waiting) {
            (Some(latency), waiting) => longer(latency, waiting),
            (None, waiting) => waiting.map(Waiting::words),
        };
        vec![
            row.workload.clone(),
            grouped(row.completed),
            match row.operations.len() {
                2..=KINDS_MAX => row.operations.iter().map(kind_rate).collect::<Vec<_>>().join(", "),
                _ => format!("{}/s", estimate(row.per_s, &significant)),
            },
            estimate(row.throughput_bytes_per_s, &rate),
            latency(|latency| latency.mean_ms),
            latency(|latency| latency.p99_ms),
            waiting.unwrap_or_else(none),
            seconds(row.from_s),
            seconds(row.until_s),
        ]
    };
    let heads =
        ["", "completed", "rate", "throughput", "mean latency", "p99 latency", "waits", "from", "until"];
    page.table(Table::new(heads).with::<String>(served.workloads.iter().map(row).collect::<Vec<_>>()));
}

fn percentiles(page: &mut Page, served: &Served) {
    let all = format!("all {}", served.subject.many());
    let mut rows: Vec<(&str, &Latency)> =
        served.latency.iter().map(|latency| (all.as_str(), latency)).collect();
    if served.operations.is_empty() {
        rows.extend(served.read_latency.iter().map(|latency| ("reads", latency)));
        rows.extend(served.write_latency.iter().map(|latency| ("writes", latency)));
        rows.extend(served.flush_latency.iter().map(|latency| ("flushes", latency)));
    } else {
        let kinds = served.operations.iter();
        rows.extend(kinds.filter_map(|kind| Some((kind.operation.as_str(), kind.latency.as_ref()?))));
    }
    if rows.is_empty() {
        return;
    }
    page.heading("Latency figures");
    let heads = ["", "mean", "p50", "p90", "p99", "p99.9", "longest", "standard deviation"];
    let row = |(name, latency): (&str, &Latency)| {
        let estimates = [
            latency.mean_ms,
            latency.p50_ms,
            latency.p90_ms,
            latency.p99_ms,
            latency.p99_9_ms,
            latency.max_ms,
            latency.deviation_ms,
        ];
        let cell = |estimate: Estimate| {
            let half_width =
                estimate.half_width.map(|width| format!(" ± {}", time(width))).unwrap_or_default();
            format!("{}{half_width}", time(estimate.value))
        };
        std::iter::once(name.to_owned()).chain(estimates.map(cell)).collect()
    };
    page.table(Table::new(heads).with::<String>(rows.into_iter().map(row).collect::<Vec<_>>()));
}
