//! What the programs of one sort got: those that work on files, or those that send block requests.

use crate::depths::DepthFigures;
use crate::estimate::Estimate;
use crate::figure::{Tables, each, figures, only};
use crate::latency::{Bin, Latency, Quantile};
use crate::processes::ProcessFigures;
use crate::series::Series;
use crate::subject::Subject;
use crate::transactions::TransactionFigures;
use crate::waiting::Waiting;
use petrio_page::numbers::{grouped, per_cent, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the programs of one sort got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Served {
    /// What is counted: block requests, or file operations.
    #[serde(default)]
    pub subject: Subject,
    /// What was run, in a line: "48,213 requests · closed replay, think times kept".
    pub workload: String,
    /// What closed the workload without counting (the last fsync, closing files) took so long after the last request
    /// that counts, seconds; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub closing_s: Option<f64>,
    /// How many requests there were; of several replications the mean.
    pub requests: Requests,
    /// Bytes moved by the completed requests.
    pub bytes: u64,
    /// Bytes per second.
    pub throughput_bytes_per_s: Estimate,
    /// Completed requests per second.
    pub requests_per_s: Estimate,
    /// From issue to completion, all requests; absent when none completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency: Option<Latency>,
    /// What was under way when the run ended; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting: Option<Waiting>,
    /// The same, reads alone, where there were several of reads, writes and flushes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read_latency: Option<Latency>,
    /// The same, writes alone, where there were several of these.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub write_latency: Option<Latency>,
    /// The same, flushes alone, where there were several of these; of block requests only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flush_latency: Option<Latency>,
    /// File operations by kind; empty for block requests.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operations: Vec<OperationFigures>,
    /// What each workload got over its own span, where there are several; copies of one, and whatever comes after the
    /// first 64, are one row.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub workloads: Vec<WorkloadFigures>,
    /// What could not be done, by kind and reason, in all replications together. It counts nowhere else.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub failures: Vec<OperationFailures>,
    /// What was late of workloads whose reads and writes have a deadline, in all replications together.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub deadlines: Vec<DeadlineFigures>,
    /// What each process of replayed traces got, where these have several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub processes: Vec<ProcessFigures>,
    /// How many more processes of them had something completed, each of which isn't told of: rows are of the first 64.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub processes_left_out: u64,
    /// How many accesses were in flight at each submission, of workloads that ever had several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub depths: Vec<DepthFigures>,
    /// What workloads did whose transactions are said to end with an operation of a kind.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub transactions: Vec<TransactionFigures>,
    /// Where the time of the average request went, in the order in which it meets the causes.
    pub breakdown: Vec<Share>,
    /// Throughput and queue over model time; of the first replication.
    pub series: Series,
    /// The latency histogram, bins a twentieth of a decade wide; of the first replication.
    pub histogram: Vec<Bin>,
    /// The same for each kind of request or operation, where there were several; of the first replication.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub kinds: Vec<KindHistogram>,
    /// The latency's distribution function at chosen probabilities; of the first replication.
    pub quantiles: Vec<Quantile>,
}

impl Served {
    /// Whether its latencies are of several kinds of requests, of which the percentiles of all together say little.
    pub fn is_mixed(&self) -> bool {
        let sorts = [&self.read_latency, &self.write_latency, &self.flush_latency];
        self.operations.len() > 1 || sorts.into_iter().flatten().count() > 1
    }
}

figures! { Served:
    closing_s => "closing, not counted" Seconds Neither;
    requests.completed = |served: &Self| served.count_of(Subject::BlockRequests) => "requests" One Neither;
    requests.completed = |served: &Self| served.count_of(Subject::FileOperations) => "operations" One Neither;
    requests.reads => "reads" One Neither;
    requests.writes => "writes" One Neither;
    requests.flushes => "flushes" One Neither;
    requests.from_cache => "served from cache" One Up;
    requests.in_flight => "in flight at the end" One Neither;
    bytes => "bytes" Bytes Neither;
    throughput_bytes_per_s => "throughput" BytesPerSecond Up;
    requests_per_s = |served: &Self| served.rate_of(Subject::BlockRequests) => "request rate" PerSecond Up;
    requests_per_s = |served: &Self| served.rate_of(Subject::FileOperations) => "operation rate" PerSecond Up;
    processes_left_out = |served: &Self| Some(served.processes_left_out).filter(|more| *more > 0)
        => "processes without rows" One Neither;
}

impl Served {
    fn count_of(&self, subject: Subject) -> Option<u64> {
        (self.subject == subject).then_some(self.requests.completed)
    }

    fn rate_of(&self, subject: Subject) -> Option<Estimate> {
        (self.subject == subject).then_some(self.requests_per_s)
    }

    /// The tables in which it is told.
    pub(super) fn tables<'e>(to: &mut Tables<'e, Self>) {
        let none = String::new;
        to.of_all("run", |of: &'e Self| only(Some(of)));
        to.of_all("run", |of: &'e Self| only(of.waiting.as_ref()));
        to.of_all("latency", |of: &'e Self| only(of.latency.as_ref()));
        to.of_all("read latency", |of: &'e Self| only(of.read_latency.as_ref()));
        to.of_all("write latency", |of: &'e Self| only(of.write_latency.as_ref()));
        to.of_all("flush latency", |of: &'e Self| only(of.flush_latency.as_ref()));
        to.of_all("cause", |of: &'e Self| each(&of.breakdown, |share| (&share.cause, none(), Some(share))));
        to.table("workload", |of: &'e Self| each(&of.workloads, |row| (&row.workload, none(), Some(row))));
        to.table("workload", |of: &'e Self| {
            each(&of.workloads, |row| (&row.workload, none(), row.latency.as_ref()))
        });
        to.table("workload", |of: &'e Self| {
            each(&of.workloads, |row| (&row.workload, none(), row.waiting.as_ref()))
        });
        to.table("workload cause", |of: &'e Self| {
            let causes = |row: &'e WorkloadFigures| {
                each(&row.breakdown, |share| (&row.workload, share.cause.clone(), Some(share)))
            };
            of.workloads.iter().flat_map(causes).collect()
        });
        to.table("operation", |of: &'e Self| each(&of.operations, |row| (&row.operation, none(), Some(row))));
        to.table("operation", |of: &'e Self| {
            each(&of.operations, |row| (&row.operation, none(), row.latency.as_ref()))
        });
        to.table("operation", |of: &'e Self| {
            each(&of.operations, |row| (&row.operation, none(), row.waiting.as_ref()))
        });
        to.table("operation cause", |of: &'e Self| {
            let causes = |row: &'e OperationFigures| {
                each(&row.breakdown, |share| (&row.operation, share.cause.clone(), Some(share)))
            };
            of.operations.iter().flat_map(causes).collect()
        });
        to.table("process", |of: &'e Self| {
            each(&of.processes, |row| (&row.workload, row.number(), Some(row)))
        });
        to.table("process", |of: &'e Self| {
            each(&of.processes, |row| (&row.workload, row.number(), row.latency.as_ref()))
        });
        to.table("transactions", |of: &'e Self| {
            each(&of.transactions, |row| (&row.workload, none(), Some(row)))
        });
        to.table("transactions", |of: &'e Self| {
            each(&of.transactions, |row| (&row.workload, none(), row.latency.as_ref()))
        });
        to.table("in flight", |of: &'e Self| each(&of.depths, |row| (&row.workload, none(), Some(row))));
        to.table("deadline", |of: &'e Self| each(&of.deadlines, |row| (&row.workload, none(), Some(row))));
        to.table("failed", |of: &'e Self| {
            each(&of.failures, |row| (&row.operation, row.failure.clone(), Some(row)))
        });
    }
}

figures! { WorkloadFigures:
    from_s => "from" Seconds Neither;
    until_s => "until" Seconds Neither;
    completed => "completed" One Neither;
    bytes => "bytes" Bytes Neither;
    throughput_bytes_per_s => "throughput" BytesPerSecond Up;
    per_s => "rate" PerSecond Up;
}

figures! { OperationFigures:
    completed => "completed" One Neither;
    per_s => "rate" PerSecond Up;
    bytes => "bytes" Bytes Neither;
    from_cache => "without waiting for a device" One Up;
}

figures! { DeadlineFigures:
    deadline_ms => "deadline" Milliseconds Neither;
    moved => "moved" One Neither;
    late => "late" One Down;
    late_under_way => "late under way" One Down;
}

figures! { OperationFailures:failed => "failed" One Down;}

figures! { Share:
    mean_ms => "mean" Milliseconds Down;
    fraction => "fraction" One Neither;
}

/// How many requests there were: block requests, or file operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requests {
    /// Completed in the measured part of the run.
    pub completed: u64,
    /// Of these, reads.
    pub reads: u64,
    /// Of these, writes.
    pub writes: u64,
    /// Of these, flushes; of file operations, those that make data durable: fsync, fdatasync, sync.
    pub flushes: u64,
    /// Of these, file operations of other kinds: open, create, unlink ….
    pub others: u64,
    /// Of the completed ones, those served by a device's cache; of file operations, those that waited for no device.
    pub from_cache: u64,
    /// Of the completed ones, reads that moved nothing: they began at the end of their file or beyond it.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub found_nothing: u64,
    /// Issued, and not completed when the run ended.
    pub in_flight: u64,
}

/// The file operations of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationFigures {
    /// Which: `read`, `write`, `fsync` ….
    pub operation: String,
    /// Completed in the measured part of the run.
    pub completed: u64,
    /// Completed per second.
    pub per_s: Estimate,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Of the completed ones, those that waited for no device.
    pub from_cache: u64,
    /// From issue to completion; absent when none completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency: Option<Latency>,
    /// What of it was under way when the run ended; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting: Option<Waiting>,
    /// Where the time of the average one went.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub breakdown: Vec<Share>,
}

/// How long the requests or operations of one kind took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindHistogram {
    /// Which: `read`, `write`, `fsync` ….
    pub kind: String,
    /// Bins a twentieth of a decade wide.
    pub histogram: Vec<Bin>,
}

/// What a workload got, from when its first request was issued until its last one completed, or until the end of the run
/// where it went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadFigures {
    /// Its name; of copies, with a star for what differs.
    pub workload: String,
    /// When its first request was issued, seconds of model time; the end of the warm-up, if that was later.
    pub from_s: f64,
    /// When its last request completed, seconds of model time; the end of the run, if it hadn't ended by then.
    pub until_s: f64,
    /// Completed in the measured part of the run.
    pub completed: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Bytes per second, over its own span.
    pub throughput_bytes_per_s: Estimate,
    /// Completed per second, over its own span.
    pub per_s: Estimate,
    /// From issue to completion, all kinds; absent when none completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency: Option<Latency>,
    /// What of it was under way when the run ended; absent where nothing was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting: Option<Waiting>,
    /// Where the time of its average request went.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub breakdown: Vec<Share>,
    /// By kind, where there were several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operations: Vec<OperationFigures>,
}

/// What was late of a workload's reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadlineFigures {
    /// Its name; of copies, with a star for what differs.
    pub workload: String,
    /// How long each may take, milliseconds.
    pub deadline_ms: f64,
    /// Those that moved data, and those under way at the end that are late.
    pub moved: u64,
    /// Of these, those that took longer.
    pub late: u64,
    /// Of these, those that were still under way at the end.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub late_under_way: u64,
}

impl DeadlineFigures {
    /// In a line: "films: 12 of 4,000 reads and writes (0.3 %) took longer than 40.0 ms".
    pub fn sentence(&self) -> String {
        let Self { workload, deadline_ms, moved, late, late_under_way } = self;
        let share = *late as f64 / (*moved).max(1) as f64;
        let still = match late_under_way {
            0 => String::new(),
            count => format!(", {} of them still under way", grouped(*count)),
        };
        format!(
            "{workload}: {} of {} reads and writes ({}) took longer than {}{still}",
            grouped(*late),
            grouped(*moved),
            per_cent(share),
            time(*deadline_ms)
        )
    }
}

/// Requests, or operations, of one kind that could not be done for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationFailures {
    /// Which: `read`, `write`, `fsync` ….
    pub operation: String,
    /// How many could not be done.
    pub failed: u64,
    /// Why, with the name of errno(3): "the volume is full (ENOSPC)".
    pub failure: String,
}

/// A part of the time of the average request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// What the time was spent on: `queue`, `seek`, `rotation` ….
    pub cause: String,
    /// Mean per request, milliseconds.
    pub mean_ms: f64,
    /// Its part of the mean latency, 0 to 1.
    pub fraction: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
pub(super) const fn is_zero(count: &u64) -> bool {
    *count == 0
}
