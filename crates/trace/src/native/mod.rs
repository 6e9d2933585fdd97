//! petrio's own trace file: Parquet with one row an event, which DuckDB, pandas and everything else opens.
//!
//! ```text
//! events ─ writer, schema ─▶ FILE.parquet ─ reader ─▶ 4,096 rows of each column ─ columns ─▶ events
//! ```

mod columns;
mod input;
mod interned;
mod more_extents;
mod reader;
mod schema;
mod writer;

pub use reader::{NativeReader, Wanted};
pub use schema::About;
pub(crate) use schema::{access_name, access_named, direction_name, direction_named};
pub use writer::EventWriter;

/// How a Parquet file begins, and ends.
pub(crate) const MAGIC: &[u8] = b"PAR1";

#[cfg(test)]
mod tests;
