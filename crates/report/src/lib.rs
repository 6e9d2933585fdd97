//! What one run gives, and the forms in which a person or a program reads it.
//!
//! ```text
//!   completed requests  ──► RequestSink ─┬─ Collector ──► Report ──► text · JSON · CSV · HTML
//!   (or file operations)                 ├─ ParquetRows   (a row a request)
//!                                        └─ PerfettoTrace (slices on a time line)
//!   requests at devices ──► DeviceSink ──── DeviceLog     (a row a request)
//! ```
//!
//! A [`Collector`] is told of one completed request at a time and keeps sums, a histogram and a bounded time series, so
//! that memory doesn't grow with the number of requests. The [`Report`] holds model time only: the same scenario and
//! seed give the same bytes. What the wall clock said stands apart in [`WallClock`].

mod activity;
mod array_cache;
mod arrays;
mod bottleneck;
mod by_kind;
pub mod claim;
mod collector;
mod copies;
mod credits;
mod csv;
mod depths;
mod device_log;
mod error;
mod estimate;
mod evenly;
#[cfg(test)]
mod example;
pub mod html;
mod json;
mod latency;
mod mean;
mod memory;
mod parquet;
mod paths;
mod perfetto;
mod phases;
mod processes;
mod profile;
mod ranks;
mod rates;
mod replications;
mod series;
mod served;
mod sink;
mod sinks;
mod spent;
mod subject;
mod summary;
mod sustained;
mod table;
mod text;
mod traffic;
mod transactions;
mod waiting;
mod what_if;
mod whole_file;

pub use activity::{Activity, Measure};
pub use array_cache::CacheFigures;
pub use arrays::{ArrayFigures, FailureFigures, MovedFigures};
pub use bottleneck::{Bottleneck, Tie, Together};
pub use claim::{Claim, Sentence};
pub use collector::Collector;
pub use copies::{CopiesFigures, CopyMovesFigures, MeanAndDeviation};
pub use credits::{BehindCredits, CreditFigures, CreditUnit};
pub use csv::write_csv;
pub use depths::DepthFigures;
pub use device_log::DeviceLog;
pub use error::ReportError;
pub use estimate::Estimate;
pub use html::write_html;
pub use json::{OLDEST_VERSION, REPORT_VERSION, ReportDocument, report_schema, write_json};
pub use latency::{Bin, Latency, LatencyHistogram, Quantile};
pub use memory::MemoryFigures;
pub use parquet::{ParquetRows, RequestBatches, Tabular};
pub use paths::{PathFailureFigures, PathFigures, PathsFigures};
pub use perfetto::{PerfettoTrace, Timeline};
pub use petrio_engine::Visit;
pub use phases::{PhaseFigures, ScoreFigures};
pub use processes::ProcessFigures;
pub use profile::{FunctionFigures, LINE_BYTES, ProfileFigures};
pub use ranks::{JobFigures, RankFigures};
pub use rates::{MemberRate, Rates};
pub use replications::mean_report;
pub use series::{Interval, Series, SeriesCollector};
pub use served::{
    DeadlineFigures, KindHistogram, OperationFailures, OperationFigures, Requests, Served, Share,
    WorkloadFigures,
};
pub use sink::{DeviceSink, RequestSink};
pub use sinks::{Heard, Sinks};
pub use subject::{Kind, Reported, Sort, Subject};
pub use summary::{Members, Report, Stage, WallClock};
pub use sustained::is_safe;
pub use sustained::{Held, Sustained};
pub use table::table;
pub use text::{labelled, terminal_text};
pub use traffic::Traffic;
pub use traffic::{PurposeFigures, TrafficFigures};
pub use transactions::TransactionFigures;
pub use waiting::Waiting;
pub use waiting::{Left, UnderWay};
pub use what_if::THE_SAME;
pub use what_if::{Brought, Measured, OfWorkload, Overload, Tried, WhatIf};
pub use whole_file::{WholeFile, discard_unfinished, write_text};
