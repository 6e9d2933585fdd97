//! The report as one tidy CSV table, for spreadsheets and data frames: a row a figure.
//!
//! `part` says what the row is about (`run`, `latency`, `read latency`, `write latency`, `operation`, `process`, `transactions`, `cause`, `stage`,
//! `what if`, `copies`, `at devices`), `name` which one (a kind of operation, a cause, a stage's path), `quantity` and `unit` what
//! the `value` is. `half_width` is that of the confidence interval and empty for a single run. Where programs of both
//! sorts ran, the parts of those that sent block requests begin with `beside`. The distribution and the series are in
//! the JSON report.

use crate::bottleneck::Bottleneck;
use crate::depths::CLASSES;
use crate::error::ReportError;
use crate::estimate::Estimate;
use crate::latency::Latency;
use crate::ranks::PARTS;
use crate::served::Served;
use crate::summary::Report;
use crate::waiting::Waiting;
use crate::whole_file::write_text;
use std::path::Path;

/// Writes the summary and the stages. The file is complete or absent.
///
/// # Errors
/// When the file can't be written.
pub fn write_csv(report: &Report, path: &Path) -> Result<(), ReportError> {
    write_text(path, &table(report))
}

/// The table's rows. Any field may hold a comma: kinds of time and of memory are told in words.
struct Rows(csv::Writer<Vec<u8>>);

impl Rows {
    fn begin() -> Self {
        let mut rows = Self(csv::Writer::from_writer(Vec::new()));
        rows.row(["part", "name", "quantity", "value", "half_width", "unit"]);
        rows
    }

    fn row(&mut self, fields: [&str; 6]) {
        // Six fields each, written to memory: that can't fail.
        let _ = self.0.write_record(fields);
    }

    fn add(&mut self, part: &str, name: &str, quantity: &str, figure: Estimate, unit: &str) {
        let half_width = figure.half_width.map(|width| width.to_string()).unwrap_or_default();
        self.row([part, name, quantity, &figure.value.to_string(), &half_width, unit]);
    }

    fn count(&mut self, part: &str, name: &str, quantity: &str, count: u64, unit: &str) {
        self.row([part, name, quantity, &count.to_string(), "", unit]);
    }

    fn text(self) -> String {
        String::from_utf8(self.0.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    fn waiting(&mut self, part: &str, name: &str, waiting: Option<Waiting>) {
        let Some(Waiting { count, oldest_s }) = waiting else { return };
        self.count(part, name, "under way at the end", count, "");
        self.add(part, name, "oldest under way", oldest_s.into(), "s");
    }

    fn latency(&mut self, part: &str, name: &str, latency: Option<&Latency>) {
        let Some(latency) = latency else { return };
        for (quantity, figure) in [
            ("mean", latency.mean_ms),
            ("p50", latency.p50_ms),
            ("p90", latency.p90_ms),
            ("p99", latency.p99_ms),
            ("p99.9", latency.p99_9_ms),
            ("max", latency.max_ms),
            ("standard deviation", latency.deviation_ms),
        ] {
            self.add(part, name, quantity, figure, "ms");
        }
    }
}

/// What the programs of one sort got. The parts of those beside others have `prefix` before their names.
fn served(rows: &mut Rows, served: &Served, prefix: &str) {
    let named = |part: &str| format!("{prefix}{part}");
    let run = &named("run");
    if let Some(closing_s) = served.closing_s {
        rows.add(run, "", "closing, not counted", closing_s.into(), "s");
    }
    rows.count(run, "", served.subject.many(), served.requests.completed, "");
    rows.count(run, "", "reads", served.requests.reads, "");
    rows.count(run, "", "writes", served.requests.writes, "");
    rows.count(run, "", "flushes", served.requests.flushes, "");
    rows.count(run, "", "served from cache", served.requests.from_cache, "");
    rows.count(run, "", "in flight at the end", served.requests.in_flight, "");
    rows.count(run, "", "bytes", served.bytes, "B");
    rows.add(run, "", "throughput", served.throughput_bytes_per_s, "B/s");
    rows.add(run, "", &format!("{} rate", served.subject.one()), served.requests_per_s, "/s");
    rows.waiting(run, "", served.waiting);
    rows.latency(&named("latency"), "", served.latency.as_ref());
    rows.latency(&named("read latency"), "", served.read_latency.as_ref());
    rows.latency(&named("write latency"), "", served.write_latency.as_ref());
    rows.latency(&named("flush latency"), "", served.flush_latency.as_ref());
    for workload in &served.workloads {
        let name = &workload.workload;
        rows.add("workload", name, "from", workload.from_s.into(), "s");
        rows.add("workload", name, "until", workload.until_s.into(), "s");
        rows.count("workload", name, "completed", workload.completed, "");
        rows.count("workload", name, "bytes", workload.bytes, "B");
        rows.add("workload", name, "throughput", workload.throughput_bytes_per_s, "B/s");
        rows.add("workload", name, "rate", workload.per_s, "/s");
        rows.latency("workload", name, workload.latency.as_ref());
        rows.waiting("workload", name, workload.waiting);
        for share in &workload.breakdown {
            rows.add(
                "workload cause",
                &format!("{name} {}", share.cause),
                "mean",
                share.mean_ms.into(),
                "ms",
            );
        }
    }
    for depths in &served.depths {
        let name = &depths.workload;
        rows.count("in flight", name, "submitted", depths.submitted, "");
        rows.add("in flight", name, "mean", depths.mean.into(), "");
        for (from, share) in CLASSES.iter().zip(depths.shares) {
            rows.add("in flight", name, &format!("share from {from}"), share.into(), "");
        }
    }
    for process in &served.processes {
        let name = process.words();
        rows.count("process", &name, "completed", process.completed, "");
        rows.count("process", &name, "bytes", process.bytes, "B");
        rows.add("process", &name, "rate", process.per_s, "/s");
        rows.latency("process", &name, process.latency.as_ref());
    }
    if served.processes_left_out > 0 {
        rows.count("process", "others", "processes", served.processes_left_out, "");
    }
    for transactions in &served.transactions {
        let name = &transactions.workload;
        rows.count("transactions", name, "completed", transactions.completed, "");
        rows.add("transactions", name, "rate", transactions.per_s, "/s");
        rows.latency("transactions", name, transactions.latency.as_ref());
    }
    for kind in &served.operations {
        rows.count("operation", &kind.operation, "completed", kind.completed, "");
        rows.add("operation", &kind.operation, "rate", kind.per_s, "/s");
        rows.count("operation", &kind.operation, "bytes", kind.bytes, "B");
        rows.count("operation", &kind.operation, "without waiting for a device", kind.from_cache, "");
        rows.latency("operation", &kind.operation, kind.latency.as_ref());
        rows.waiting("operation", &kind.operation, kind.waiting);
        for share in &kind.breakdown {
            let name = format!("{} {}", kind.operation, share.cause);
            rows.add("operation cause", &name, "mean", share.mean_ms.into(), "ms");
        }
    }
    for share in &served.breakdown {
        rows.add(&named("cause"), &share.cause, "mean", share.mean_ms.into(), "ms");
        rows.add(&named("cause"), &share.cause, "fraction", share.fraction.into(), "");
    }
}

fn table(report: &Report) -> String {
    let mut rows = Rows::begin();
    rows.count("run", "", "seed", report.seed, "");
    rows.count("run", "", "replications", u64::from(report.replications), "");
    rows.add("run", "", "simulated", report.simulated_s.into(), "s");
    rows.add("run", "", "warm-up", report.warm_up_s.into(), "s");
    served(&mut rows, &report.served, "");
    if let Some(beside) = &report.beside {
        served(&mut rows, beside, "beside ");
    }
    for stage in &report.stages {
        rows.count("stage", &stage.name, "arrivals", stage.arrivals, "");
        for (quantity, value, unit) in [
            ("completion rate", stage.completions_per_s, "/s"),
            ("servers", stage.servers.map(f64::from), ""),
            ("utilisation", stage.utilisation, ""),
            ("utilisation of its own accord", stage.own_utilisation, ""),
            ("mean queue", stage.mean_queue, ""),
            ("mean wait", stage.mean_wait_ms, "ms"),
            ("mean service", stage.mean_service_ms, "ms"),
        ] {
            if let Some(value) = value {
                rows.add("stage", &stage.name, quantity, value.into(), unit);
            }
        }
    }
    for stage in &report.stages {
        let Some(members) = &stage.members else { continue };
        let of = if stage.utilisation.is_some() { "utilisation" } else { "mean queue" };
        rows.count("stage", &stage.name, "members", members.count, "");
        rows.add("stage", &stage.name, &format!("least {of}"), members.least.into(), "");
        rows.add("stage", &stage.name, &format!("most {of}"), members.most.into(), "");
    }
    let bottleneck = report.bottleneck.iter();
    for what_if in bottleneck.flat_map(Bottleneck::advice) {
        let half_width = Some((what_if.interval[1] - what_if.interval[0]) / 2.0);
        if let Some(factor) = what_if.factor {
            rows.add("what if", &what_if.change, "factor", factor.into(), "");
        }
        rows.add("what if", &what_if.change, "gain", Estimate { value: what_if.gain, half_width }, "");
    }
    for job in &report.jobs {
        rows.add("job", &job.workload, "elapsed", job.elapsed_s.into(), "s");
        for (quantity, value) in [("speed-up", job.speed_up), ("efficiency", job.efficiency)] {
            if let Some(value) = value {
                rows.add("job", &job.workload, quantity, value.into(), "");
            }
        }
        for phase in &job.phases {
            let name = format!("{} {} {}", job.workload, phase.name, phase.repetition);
            rows.add("phase", &name, "begin", phase.begin_s.into(), "s");
            rows.add("phase", &name, "time", phase.seconds.into(), "s");
            rows.count("phase", &name, "bytes", phase.bytes, "B");
            rows.count("phase", &name, "operations", phase.operations, "");
            let unit = if phase.counted == "byte" { "B/s" } else { "/s" };
            rows.add("phase", &name, "rate", phase.rate.into(), unit);
            if let Some(busy) = phase.busy {
                rows.add("phase", &name, "accelerators busy", busy.into(), "");
            }
        }
        if let Some(score) = job.score {
            rows.add("score", &job.workload, "bandwidth", score.bandwidth_gib_per_s.into(), "GiB/s");
            rows.add("score", &job.workload, "metadata", score.metadata_kiops.into(), "kIOPS");
            rows.add("score", &job.workload, "total", score.total.into(), "");
        }
        for (number, rank) in job.ranks.iter().enumerate() {
            let name = format!("{} rank {number}", job.workload);
            for (quantity, of) in PARTS {
                rows.add("rank", &name, quantity, of(rank).into(), "s");
            }
            rows.count("rank", &name, "read", rank.read_bytes, "B");
            rows.count("rank", &name, "written", rank.written_bytes, "B");
        }
    }
    for device in &report.traffic {
        for row in &device.purposes {
            let name = format!("{} {}", device.name, row.purpose);
            rows.count("at devices", &name, "reads", row.reads.requests, "");
            rows.count("at devices", &name, "read", row.reads.bytes, "B");
            rows.count("at devices", &name, "writes", row.writes.requests, "");
            rows.count("at devices", &name, "written", row.writes.bytes, "B");
            rows.count("at devices", &name, "flushes", row.flushes, "");
        }
    }
    for memory in &report.memory {
        for (quantity, value) in [
            ("usable", memory.usable_bytes),
            ("most in use", memory.most_bytes),
            ("in use at the end, all", memory.in_use_bytes),
            ("most to be written", memory.most_unwritten_bytes),
            ("to swap space", memory.swapped_out_bytes),
            ("back from swap space", memory.swapped_in_bytes),
        ] {
            rows.count("memory", &memory.name, quantity, value, "B");
        }
        rows.count("memory", &memory.name, "waited for swap space", memory.waited_for_swap_ms, "ms");
    }
    for array in &report.arrays {
        for (quantity, value) in [
            ("reads", array.reads.requests),
            ("writes", array.writes.requests),
            ("reads of members", array.member_reads.requests),
            ("writes to members", array.member_writes.requests),
            ("waited for a stripe", array.waited),
            ("begun again", array.begun_again),
            ("failed", array.failed_requests),
        ] {
            rows.count("array", &array.name, quantity, value, "");
        }
        for (quantity, value) in [
            ("written", array.writes.bytes),
            ("written to members", array.member_writes.bytes),
            ("read for redundancy", array.extra_read_bytes),
            ("written for redundancy", array.redundant_bytes),
            ("written to rebuild", array.rebuild_written_bytes),
            ("read to rebuild", array.rebuild_read_bytes),
            ("lost", array.lost_bytes),
        ] {
            rows.count("array", &array.name, quantity, value, "B");
        }
        for (quantity, value) in [("degraded", array.degraded_s), ("exposed", array.exposed_s)] {
            rows.add("array", &array.name, quantity, value.into(), "s");
        }
        if let Some(ratio) = array.write_amplification {
            rows.add("array", &array.name, "write amplification", ratio.into(), "");
        }
        if let Some(mean) = array.member_response_ms {
            rows.add("array", &array.name, "mean answer of a member", mean.into(), "ms");
        }
        for failure in &array.failures {
            let of = |what: &str| format!("{} {what}", failure.member);
            rows.add("array", &array.name, &of("failed at"), failure.at_s.into(), "s");
            if let Some(span) = failure.rebuilt_in_s {
                rows.add("array", &array.name, &of("rebuilt in"), span.into(), "s");
            }
        }
        if let Some(cache) = &array.cache {
            for (quantity, value, unit) in [
                ("read hits", cache.hits.requests, ""),
                ("read ahead", cache.read_ahead.bytes, "B"),
                ("reads that waited for what was read ahead", cache.awaited.requests, ""),
                ("writes reported from memory", cache.reported.requests, ""),
                ("destaged writes", cache.destaged.requests, ""),
                ("destaged whole stripes", cache.whole_stripes, ""),
                ("destaged", cache.destaged.bytes, "B"),
                ("written over in memory", cache.overwritten_bytes, "B"),
                ("writes that waited for room", cache.waited, ""),
                ("flushes that waited for nothing", cache.flushes, ""),
                ("in memory at the end", cache.unwritten_bytes, "B"),
                ("lost from memory", cache.lost_bytes, "B"),
            ] {
                rows.count("array cache", &array.name, quantity, value, unit);
            }
        }
    }
    for profile in &report.profiles {
        for function in &profile.functions {
            let name = format!("{} {}", profile.name, function.function);
            rows.count("processors", &name, "times", function.times, "");
            rows.add("processors", &name, "time", function.seconds.into(), "s");
            rows.add("processors", &name, "share", function.share.into(), "");
        }
        rows.count("copies by processors", &profile.name, "to processes", profile.copied_to_user_bytes, "B");
        rows.count(
            "copies by processors",
            &profile.name,
            "from processes",
            profile.copied_from_user_bytes,
            "B",
        );
        if let Some(misses) = profile.second_level_misses {
            rows.count("copies by processors", &profile.name, "misses of the second-level cache", misses, "");
        }
    }
    for paths in &report.paths {
        for (number, path) in paths.paths.iter().enumerate() {
            let name = format!("{} path {number}", paths.name);
            rows.count("path", &name, "reads", path.reads.requests, "");
            rows.count("path", &name, "read", path.reads.bytes, "B");
            rows.count("path", &name, "writes", path.writes.requests, "");
            rows.count("path", &name, "written", path.writes.bytes, "B");
            rows.count("path", &name, "flushes", path.flushes, "");
            rows.count("path", &name, "sent again", path.sent_again, "");
            rows.count("path", &name, "failures", path.failures.len() as u64, "");
        }
        rows.count("paths", &paths.name, "went over to others", paths.switches, "");
        rows.count("paths", &paths.name, "found none", paths.waited, "");
        rows.add("paths", &paths.name, "without any", paths.waiting_s.into(), "s");
        rows.count("paths", &paths.name, "failed", paths.failed_requests, "");
    }
    for copies in &report.copies {
        for (quantity, value, unit) in [
            ("read turnaround", copies.read_turnaround_ms.mean, "ms"),
            ("read turnaround, standard deviation", copies.read_turnaround_ms.deviation, "ms"),
            ("write turnaround", copies.write_turnaround_ms.mean, "ms"),
            ("write turnaround, standard deviation", copies.write_turnaround_ms.deviation, "ms"),
            ("queue before a read", copies.read_queue, ""),
            ("queue before a write", copies.write_queue, ""),
            ("seek distance", copies.seek_cylinders, "cylinders"),
        ] {
            rows.add("copies", &copies.name, quantity, value.into(), unit);
        }
        rows.count("copies", &copies.name, "cut back", copies.cut_backs, "");
        rows.count("copies", &copies.name, "copies made", copies.copies_made, "");
        rows.count("copies", &copies.name, "copies begun and given up", copies.copies_abandoned, "");
        rows.count("copies", &copies.name, "moved for copies", copies.copy_bytes, "B");
        for moves in &copies.copy_moves {
            rows.count(
                "copies",
                &copies.name,
                &format!("read for copies by {}", moves.member),
                moves.read_bytes,
                "B",
            );
            let written = format!("written for copies by {}", moves.member);
            rows.count("copies", &copies.name, &written, moves.written_bytes, "B");
        }
        rows.count("copies", &copies.name, "given up for space", copies.evicted, "");
        rows.count("copies", &copies.name, "reads done by another copy", copies.reads_elsewhere, "");
        rows.count("copies", &copies.name, "copies lost to failed writes", copies.lost, "");
        rows.count("copies", &copies.name, "logged", copies.log_bytes, "B");
        rows.count("copies", &copies.name, "writes that waited for others", copies.waited, "");
        rows.count("copies", &copies.name, "requests without enough votes", copies.outvoted, "");
    }
    rows.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_six_fields_whatever_the_words() {
        let mut report = crate::example::example();
        report.stages[0].name = "d, \"x\"".to_owned();
        report.served.closing_s = Some(1.0);
        let text = table(&report);
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> =
            rows.records().collect::<Result<_, _>>().expect("all rows have as many");
        assert!(rows.iter().all(|row| row.len() == 6), "{text}");
        assert!(rows.iter().any(|row| &row[1] == "d, \"x\""), "{text}");
        assert!(rows.iter().any(|row| &row[2] == "closing, not counted"), "{text}");
    }
}
