//! The report of a run as data. Times are in the unit that the field's name ends in.

use crate::report::bottleneck::Bottleneck;
use crate::report::copies::CopiesFigures;
use crate::report::latency::{Bin, Latency, Quantile};
use crate::report::series::Series;
use crate::report::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure, with the half-width of its confidence interval where there were replications.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The figure: of the one run, or the mean over replications.
    pub value: f64,
    /// Half the width of the confidence interval, in the figure's unit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub half_width: Option<f64>,
}

impl From<f64> for Estimate {
    fn from(value: f64) -> Self {
        Self { value, half_width: None }
    }
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
    /// Issued, and not completed when the run ended.
    pub in_flight: u64,
}

/// The file operations of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationFigures {
    /// Which: `read`, `write`, `fsync` ….
    pub operation: String,
    /// Completed in the measured part of the run; of the first replication.
    pub completed: u64,
    /// Completed per second.
    pub per_s: Estimate,
    /// Bytes that they moved; of the first replication.
    pub bytes: u64,
    /// Of the completed ones, those that waited for no device; of the first replication.
    pub from_cache: u64,
    /// From issue to completion.
    pub latency: Latency,
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

/// One stage of the storage path, or a class of equal ones. What a stage doesn't have (a queue has no service) is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// Its path in the net, such as `d0/mechanics`; of a class, `d*/mechanics`.
    pub name: String,
    /// Requests that arrived.
    pub arrivals: u64,
    /// The part of the time in which it was busy, 0 to 1, averaged over its servers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub utilisation: Option<f64>,
    /// Of that, what it does of its own accord, for no request: a drive that reads ahead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub own_utilisation: Option<f64>,
    /// Mean number waiting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_queue: Option<f64>,
    /// Mean time waiting, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_wait_ms: Option<f64>,
    /// Mean time in service, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_service_ms: Option<f64>,
    /// Of a row that stands for several equal stages, how these differ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub members: Option<Members>,
}

/// The equal stages that a row stands for. Its own figures are their means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Members {
    /// How many.
    pub count: u64,
    /// The busiest by name; of stages that only hold a queue, the one with the longest.
    pub busiest: String,
    /// The least utilisation among them; of stages that only hold a queue, the shortest mean queue.
    pub least: f64,
    /// The utilisation of the busiest; of stages that only hold a queue, the longest mean queue.
    pub most: f64,
}

/// What one run gives, or the mean of several replications of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The scenario's title.
    pub title: String,
    /// What is counted: block requests, or file operations.
    #[serde(default)]
    pub subject: Subject,
    /// What was run, in a line: "48,213 requests · closed replay, think times kept".
    pub workload: String,
    /// On what, in a line: "one Seagate Cheetah 9LP, C-LOOK".
    pub system: String,
    /// The seed of the (first) run.
    pub seed: u64,
    /// Model time that the run covered, with its warm-up, seconds.
    pub simulated_s: f64,
    /// Model time that was cut off as warm-up, seconds.
    pub warm_up_s: f64,
    /// What closed the run without counting (the last fsync, closing files) took so long after the last request that
    /// counts, seconds; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub closing_s: Option<f64>,
    /// How many runs this is the mean of.
    pub replications: u32,
    /// The level of the half-widths, 0 to 1, where there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<f64>,
    /// How many requests there were; of the first replication.
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
    /// The same, reads alone, where there were both reads and writes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read_latency: Option<Latency>,
    /// The same, writes alone, where there were both reads and writes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub write_latency: Option<Latency>,
    /// File operations by kind; empty for block requests.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operations: Vec<OperationFigures>,
    /// Where the time of the average request went, in the order in which it meets the causes.
    pub breakdown: Vec<Share>,
    /// The stages of the storage path.
    pub stages: Vec<Stage>,
    /// Copies of files, where there are some.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub copies: Vec<CopiesFigures>,
    /// What limits the run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bottleneck: Option<Bottleneck>,
    /// Things to check before the result is trusted.
    pub warnings: Vec<String>,
    /// Throughput and queue over model time; of the first replication.
    pub series: Series,
    /// The latency histogram, bins a twentieth of a decade wide; of the first replication.
    pub histogram: Vec<Bin>,
    /// The latency's distribution function at chosen probabilities; of the first replication.
    pub quantiles: Vec<Quantile>,
}

/// What the wall clock said of a run. It stands apart from the report, which is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WallClock {
    /// How long the run took, seconds.
    pub seconds: f64,
}
