//! Record batches as a Parquet file that is complete or absent.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use petrio_files::whole_file::WholeFile;

/// Rows of a row group: few enough that memory stays bounded, and enough to compress well.
pub const GROUP_ROWS: usize = 65_536;

/// A file to which record batches are written, in row groups of 65,536 rows.
pub struct BatchFile(ArrowWriter<WholeFile>);

/// How petrio's files are written; who knows more of the columns adds to it.
pub fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by("petrio".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
}

impl BatchFile {
    /// Goes on from a file that was begun. `name` is what the schema is called in it.
    ///
    /// # Errors
    /// When the columns can't be written as Parquet.
    pub fn new(
        file: WholeFile,
        schema: SchemaRef,
        name: &str,
        properties: WriterProperties,
    ) -> Result<Self, ParquetError> {
        // Parquet's own types say everything; a second schema beside them would only have to agree.
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_schema_root(name.to_owned())
            .with_skip_arrow_metadata(true);
        ArrowWriter::try_new_with_options(file, schema, options).map(Self)
    }

    /// Writes rows.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.0.write(batch)
    }

    /// Puts something into the footer.
    pub fn describe(&mut self, key: &str, value: String) {
        self.0.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Bytes of the file so far, without those of the row group that isn't full yet.
    pub fn bytes(&self) -> u64 {
        self.0.bytes_written() as u64
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn finish(self) -> Result<(), ParquetError> {
        self.0.into_inner()?.finish().map_err(|source| ParquetError::External(Box::new(source)))
    }
}
