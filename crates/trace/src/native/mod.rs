//! petrio's own trace file: Parquet with one row an event, which DuckDB, pandas and everything else opens.
//!
//! ```text
//! events ─ batch ─▶ record batches of 65,536 ─ writer ─▶ FILE.parquet ─ reader ─▶ record batches of 4,096 ─ columns ─▶ events
//! ```

mod ages;
mod batch;
mod columns;
mod input;
mod interned;
mod more_extents;
mod reader;
mod schema;
mod writer;

pub use batch::EventBatch;
pub use reader::{NativeReader, Wanted};
pub use schema::{About, events_schema};
pub(crate) use schema::{access_name, access_named, direction_name, direction_named};
pub use writer::EventWriter;

/// How a Parquet file begins, and ends.
pub(crate) const MAGIC: &[u8] = b"PAR1";

#[cfg(test)]
mod tests;
