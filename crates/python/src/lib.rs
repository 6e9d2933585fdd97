//! petrio as a Python module: what `import petrio` calls.
//!
//! ```text
//!  python/petrio/*.py ─ what people write: dicts, builders, executors, plots
//!        │
//!  petrio._petrio ─┬─ Scenario ─ text, settings and inputs as one value that travels
//!   (this crate)   ├─ run, compare, load, loss, explain ─▶ Report, Answer
//!                  ├─ Plan, KeptRows ─ a sweep's cases, run wherever, kept here
//!                  ├─ Engine ─ a System that is driven by hand
//!                  └─ Table ─ what has rows, for pandas, Polars and DuckDB (Arrow's C stream)
//! ```
//!
//! Whatever takes long runs without Python's lock, on a thread of its own, and ends where Python was told to stop (`waiting.rs`). Nothing
//! is shared by two calls but what their arguments share.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "what Python hands over is owned: there is nothing to borrow it from"
)]

mod answer;
mod engine;
mod error;
mod known;
mod policy;
mod report;
mod scenario;
mod studies;
mod sweep;
mod table;
mod traces;
mod waiting;

use pyo3::prelude::*;

/// As the command has it: a run allocates much that is small.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What `petrio` is made of; see its documentation.
#[pymodule(gil_used = false)]
mod _petrio {
    #[pymodule_export]
    use super::answer::Answer;
    #[pymodule_export]
    use super::engine::{Completion, Engine};
    #[pymodule_export]
    use super::error::{PetrioError, RunError, ScenarioError};
    #[pymodule_export]
    use super::known::{catalogue, catalogue_text, schema, version};
    #[pymodule_export]
    use super::report::{Report, run};
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::studies::{compare, explain, fit, in_unit_of, load, loss, measure, quantity};
    #[pymodule_export]
    use super::sweep::{KeptRows, Plan, Worker, sweep_findings, sweep_rows};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::traces::{TraceBatches, trace};
}
