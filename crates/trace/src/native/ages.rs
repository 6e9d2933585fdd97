//! The columns that say how long a file had been left alone when it was unlinked.

use super::columns::{Column, Found, Numbers};
use crate::error::Problem;
use crate::event::Ages;
use arrow_array::RecordBatch;
use parquet::errors::ParquetError;
use parquet::schema::types::SchemaDescriptor;

/// Their names: since its data, its last read, and anything of it changed.
const NAMES: [&str; 3] = ["since_modified_us", "since_accessed_us", "since_changed_us"];

/// The three of them, of which a file may have any.
pub(super) struct AgeColumns {
    since: [Numbers; 3],
    found: Vec<Found>,
}

impl AgeColumns {
    /// As a file has them, unless nobody wants to know.
    pub(super) fn of(schema: &SchemaDescriptor, wanted: bool) -> Result<Self, String> {
        let of = |name| if wanted { Numbers::of(schema, name) } else { Ok(Numbers::none(name)) };
        let [modified, accessed, changed] = NAMES;
        let since = [of(modified)?, of(accessed)?, of(changed)?];
        let found = since.iter().flat_map(Column::found).cloned().collect();
        Ok(Self { since, found })
    }

    /// What a row says.
    pub(super) fn take(&self, row: usize) -> Result<Option<Box<Ages>>, Problem> {
        let [modified, accessed, changed] = &self.since;
        let ages = Ages {
            modified: modified.take(row)?,
            accessed: accessed.take(row)?,
            changed: changed.take(row)?,
        };
        Ok((ages != Ages::default()).then(|| Box::new(ages)))
    }
}

impl Column for AgeColumns {
    fn found(&self) -> &[Found] {
        &self.found
    }

    fn load(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.since.iter_mut().try_for_each(|column| column.load(batch))
    }
}
