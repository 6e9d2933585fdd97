//! Rows as a Parquet file that is complete or absent: what its columns are is said once, by [`columns!`](crate::columns).
//!
//! ```text
//! row ─ Table ─▶ values of each column, 8,192 rows ─ Leaf ─▶ compressed pages of each column, 65,536 rows ─▶ file
//! ```
//!
//! Parquet's own types say everything: no second schema stands beside them in the file, which would only have to agree.

mod kind;
mod pages;

pub use kind::{Column, Kind, Leaf, Text, Word};
pub use pages::Open;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;
use petrio_files::whole_file::WholeFile;
use std::sync::Arc;

/// Rows of a row group: few enough that memory stays bounded, and enough to compress well.
pub const GROUP_ROWS: usize = 65_536;

/// Rows that are encoded at a time: few enough that all their columns stay in the second-level cache until then.
const BATCH_ROWS: usize = 8_192;

/// The columns of one name, of which there may be more than one.
pub trait Columns: Default {
    /// The columns in Parquet's own words.
    fn declared(name: &str) -> String;

    /// Encodes the values since the last call, each column at the next of those that are open.
    ///
    /// # Errors
    /// When what is open are other columns.
    fn encode(&mut self, open: &mut std::slice::IterMut<'_, Open>) -> Result<(), ParquetError>;
}

/// The columns of a file, and how they come out of a row.
pub trait Table: Default {
    /// What a row is made from.
    type Row<'a>;

    /// What a row is called in the file.
    const ROW: &'static str;

    /// The columns in Parquet's own words.
    fn declared() -> String;

    /// Adds a row.
    fn push(&mut self, row: Self::Row<'_>);

    /// Encodes the rows since the last call.
    ///
    /// # Errors
    /// When what is open are other columns.
    fn encode(&mut self, open: &mut [Open]) -> Result<(), ParquetError>;
}

/// Declares a [`Table`]: what its rows are called and made from, and of each column its name, its kind, and how it comes
/// out of a row.
///
/// ```
/// use petrio_trace::table::{Column, Table, Text};
/// petrio_trace::columns! {
///     /// Two columns.
///     struct Sizes of "file": (&'a str, Option<u64>) as (path, size) => {
///         path: Column<Text> = path,
///         size: Column<Option<u64>> = size,
///     }
/// }
/// assert_eq!(Sizes::declared(), "required binary path (STRING); optional int64 size (INTEGER(64,false)); ");
/// ```
#[macro_export]
macro_rules! columns {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident of $row:literal: $from:ty as $pattern:pat => {
            $($column:ident: $kind:ty = $value:expr,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Default)]
        $visible struct $name {
            $($column: $kind,)*
        }

        impl $crate::table::Table for $name {
            type Row<'a> = $from;

            const ROW: &'static str = $row;

            fn declared() -> String {
                [$(<$kind as $crate::table::Columns>::declared(stringify!($column)),)*].concat()
            }

            fn push(&mut self, row: Self::Row<'_>) {
                let $pattern = row;
                $(self.$column.push($value);)*
            }

            fn encode(&mut self, open: &mut [$crate::table::Open]) -> $crate::table::Encoded {
                let open = &mut open.iter_mut();
                $($crate::table::Columns::encode(&mut self.$column, open)?;)*
                Ok(())
            }
        }
    };
}

/// What encoding comes to.
pub type Encoded = Result<(), ParquetError>;

/// How petrio's files are written; who knows more of the columns adds to it.
pub fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by("petrio".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
}

/// A file of rows, in row groups of 65,536.
pub struct TableFile<T> {
    file: SerializedFileWriter<WholeFile>,
    table: T,
    /// Of the row group that is begun: its rows, and its columns once some of them are encoded.
    rows: usize,
    open: Vec<Open>,
}

impl<T: Table> TableFile<T> {
    /// Goes on from a file that was begun.
    ///
    /// # Errors
    /// When the columns can't be written as Parquet.
    pub fn new(file: WholeFile, properties: WriterProperties) -> Result<Self, ParquetError> {
        let schema = parse_message_type(&format!("message {} {{ {}}}", T::ROW, T::declared()))?;
        let file = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { file, table: T::default(), rows: 0, open: Vec::new() })
    }

    /// The columns as the file has them.
    pub fn schema(&self) -> &SchemaDescriptor {
        self.file.schema_descr()
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn push(&mut self, row: T::Row<'_>) -> Result<(), ParquetError> {
        self.table.push(row);
        self.rows += 1;
        match self.rows {
            GROUP_ROWS.. => self.end_group(),
            rows if rows.is_multiple_of(BATCH_ROWS) => self.encode(),
            _ => Ok(()),
        }
    }

    /// Puts something into the footer.
    pub fn describe(&mut self, key: &str, value: String) {
        self.file.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Bytes of the file so far, without those of the row group that isn't full yet.
    pub fn bytes(&self) -> u64 {
        self.file.bytes_written() as u64
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn finish(mut self) -> Result<(), ParquetError> {
        self.end_group()?;
        self.file.into_inner()?.finish().map_err(|source| ParquetError::External(Box::new(source)))
    }

    fn encode(&mut self) -> Result<(), ParquetError> {
        if self.open.is_empty() {
            let (columns, properties) = (self.file.schema_descr().columns(), self.file.properties());
            self.open = columns.iter().map(|column| Open::new(column, properties)).collect();
        }
        self.table.encode(&mut self.open)
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        self.encode()?;
        let mut group = self.file.next_row_group()?;
        for column in self.open.drain(..) {
            let (pages, end) = column.close()?;
            group.append_column(&Bytes::from(pages), end)?;
        }
        group.close().map(|_| ())
    }
}
