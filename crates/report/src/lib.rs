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

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod bottleneck;
mod by_kind;
pub mod claim;
mod collector;
mod csv;
mod depths;
mod device_log;
mod error;
mod estimate;
mod evenly;
#[cfg(test)]
mod example;
mod figure;
pub mod html;
mod json;
mod latency;
mod mean;
mod parquet;
mod perfetto;
mod processes;
mod replications;
mod rows;
mod section;
mod sections;
mod series;
mod served;
mod sink;
mod sinks;
mod spent;
mod subject;
mod summary;
pub mod sure;
mod table;
mod text;
mod transactions;
mod waiting;
mod what_if;
mod whole_file;

pub use bottleneck::{Bottleneck, Tie, Together};
pub use claim::{Claim, Sentence};
pub use collector::Collector;
pub use csv::write_csv;
pub use depths::DepthFigures;
pub use device_log::DeviceLog;
pub use error::ReportError;
pub use estimate::Estimate;
pub use figure::{Better, Described, Row, Unit, Value};
pub use html::{report_page, write_html};
pub use json::{OLDEST_VERSION, REPORT_VERSION, ReportDocument, json_text, report_schema, write_json};
pub use latency::{Bin, Latency, LatencyHistogram, Quantile};
pub use parquet::{ParquetRows, Tabular};
pub use perfetto::{PerfettoTrace, Timeline};
pub use petrio_engine::Visit;
pub use processes::ProcessFigures;
pub use replications::mean_report;
pub use rows::{figures_of_reports, figures_table};
pub use sections::*;
pub use series::{Interval, Series, SeriesCollector};
pub use served::{
    DeadlineFigures, KindHistogram, OperationFailures, OperationFigures, Requests, Served, Share,
    WorkloadFigures,
};
pub use sink::{DeviceSink, RequestSink};
pub use sinks::{Heard, Sinks};
pub use subject::{Kind, Reported, Sort, Subject};
pub use summary::{Members, Report, StageFigures, WallClock};
pub use table::table;
pub use text::{labelled, terminal_text};
pub use transactions::TransactionFigures;
pub use waiting::Waiting;
pub use waiting::{Left, UnderWay};
pub use what_if::THE_SAME;
pub use what_if::{Brought, Measured, OfWorkload, Overload, Tried, WhatIf};
pub use whole_file::{WholeFile, discard_unfinished, write_text};
