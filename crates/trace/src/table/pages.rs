//! A column whose pages are kept in memory: a file has one column of a row group after the other, rows have all at once.

use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::io::Write;
use std::sync::{Arc, Mutex};

/// A column of a row group that is being encoded.
pub struct Open {
    pub(super) writer: ColumnWriter<'static>,
    pages: Pages,
}

impl Open {
    pub(super) fn new(column: &ColumnDescPtr, properties: &WriterPropertiesPtr) -> Self {
        let pages = Pages(Arc::new(Mutex::new(TrackedWrite::new(Vec::new()))));
        let writer = get_column_writer(column.clone(), properties.clone(), Box::new(pages.clone()));
        Self { writer, pages }
    }

    /// Its pages, and what a footer says of them.
    pub(super) fn close(self) -> Result<(Vec<u8>, ColumnCloseResult)> {
        let end = self.writer.close()?;
        let pages = self.pages.with(|pages| {
            pages.flush()?;
            Ok(std::mem::take(pages.inner_mut()))
        })?;
        Ok((pages, end))
    }
}

/// Pages as they will stand in the file.
#[derive(Clone)]
struct Pages(Arc<Mutex<TrackedWrite<Vec<u8>>>>);

impl Pages {
    fn with<T>(&self, work: impl FnOnce(&mut TrackedWrite<Vec<u8>>) -> Result<T>) -> Result<T> {
        let broken = |_| ParquetError::General("encoding a page ended early".to_owned());
        work(&mut *self.0.lock().map_err(broken)?)
    }
}

impl PageWriter for Pages {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        self.with(|pages| SerializedPageWriter::new(pages).write_page(page))
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
