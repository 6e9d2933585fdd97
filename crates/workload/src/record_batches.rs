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

/// A file to which record batches are written, each as a row group of its own, so that memory stays bounded.
pub struct BatchFile(ArrowWriter<WholeFile>);

/// How petrio's files are written; who knows more of the columns adds to it.
pub fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by("petrio".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
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

    /// Writes a row group.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.0.write(batch)?;
        self.0.flush()
    }

    /// Puts something into the footer.
    pub fn describe(&mut self, key: &str, value: String) {
        self.0.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Bytes of the file so far.
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
