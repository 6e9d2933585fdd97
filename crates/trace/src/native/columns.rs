//! Columns of a trace file, whatever wrote it: a column may be nullable or not, an integer of 32 or of 64 bits, and,
//! unless it is one that every trace needs, absent.

use super::interned::Interned;
use crate::error::{Problem, printable};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::RowGroupReader;
use parquet::file::statistics::Statistics;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use rustc_hash::FxHashMap;

/// Where a column stands in a file.
#[derive(Clone)]
pub(super) struct Found {
    index: usize,
    descriptor: ColumnDescPtr,
}

impl Found {
    /// The column of that dotted path, of one of these types, in so many lists; `Ok(None)` where the file has no such
    /// column.
    pub(super) fn of(
        schema: &SchemaDescriptor,
        path: &str,
        types: &[Type],
        lists: i16,
    ) -> Result<Option<Self>, String> {
        let same = |descriptor: &ColumnDescPtr| descriptor.path().string() == path;
        let Some(index) = schema.columns().iter().position(same) else { return Ok(None) };
        let descriptor = schema.column(index);
        let found = descriptor.physical_type();
        if !types.contains(&found) {
            let expected = types.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
            return Err(format!("its column \"{path}\" is {found}; {expected} was expected"));
        }
        if descriptor.max_rep_level() != lists {
            let expected = if lists > 0 { "a list" } else { "no list" };
            return Err(format!("its column \"{path}\" has to be {expected}"));
        }
        if descriptor.converted_type() == ConvertedType::DECIMAL {
            return Err(format!("its column \"{path}\" has no whole numbers"));
        }
        Ok(Some(Self { index, descriptor }))
    }

    /// Whether its numbers are to be taken as unsigned.
    fn is_unsigned(&self) -> bool {
        let by_logical = matches!(
            self.descriptor.logical_type_ref(),
            Some(LogicalType::Integer(integer)) if !integer.is_signed
        );
        by_logical
            || matches!(
                self.descriptor.converted_type(),
                ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            )
    }

    /// Whether a row group has nothing but nulls in it.
    fn is_null_in(&self, group: &RowGroupMetaData) -> bool {
        let chunk = group.column(self.index);
        let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
        self.descriptor.max_def_level() > 0
            && nulls.is_some()
            && nulls == u64::try_from(chunk.num_values()).ok()
    }
}

pub(super) fn odd(what: impl Into<String>) -> ParquetError {
    ParquetError::General(what.into())
}

/// The rows that are decoded next.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) count: usize,
    /// Whether the row group ends with them.
    pub(super) last: bool,
}

/// A column that a reader looks for in a file, in each row group, and then in each batch of rows.
pub(super) trait Column: Sized {
    /// As the file has it; where it isn't there, or nobody wants it, each row has a null.
    fn of(schema: &SchemaDescriptor, name: &'static str, wanted: bool) -> Result<Self, String>;

    /// Begins a row group; one that has nothing but nulls isn't decoded.
    fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError>;

    /// Decodes the next rows.
    fn load(&mut self, rows: Rows) -> Result<(), ParquetError>;
}

/// What is decoded of one column.
pub(super) struct Decoded<T: DataType> {
    found: Option<Found>,
    reader: Option<ColumnReaderImpl<T>>,
    /// Those that are there.
    values: Vec<T::T>,
    /// Of each row, or each element of its list, whether it has a value (as many as there are wrappings of it that may
    /// lack); empty where all have.
    definition: Vec<i16>,
    /// Where lists begin: 0; empty where there are none.
    repetition: Vec<i16>,
    /// The first value of those that weren't taken.
    next: usize,
}

impl<T: DataType> Decoded<T> {
    pub(super) const fn of(found: Option<Found>) -> Self {
        Self {
            found,
            reader: None,
            values: Vec::new(),
            definition: Vec::new(),
            repetition: Vec::new(),
            next: 0,
        }
    }

    fn clear(&mut self) {
        self.values.clear();
        self.definition.clear();
        self.repetition.clear();
        self.next = 0;
    }

    pub(super) fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.clear();
        let found = self.found.as_ref().filter(|found| !found.is_null_in(group.metadata()));
        let reader = found.map(|found| group.get_column_reader(found.index)).transpose()?;
        self.reader = reader.and_then(T::get_column_reader);
        Ok(())
    }

    pub(super) fn load(&mut self, rows: Rows) -> Result<(), ParquetError> {
        self.clear();
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let asked = rows.count + usize::from(rows.last);
        let (definition, repetition) = (Some(&mut self.definition), Some(&mut self.repetition));
        let (found, ..) = reader.read_records(asked, definition, repetition, &mut self.values)?;
        match rows.count.checked_sub(found) {
            Some(0) => Ok(()),
            Some(lacking) => Err(odd(format!("a row group lacks {lacking} of its rows"))),
            None => Err(odd("a row group has more rows than it says")),
        }
    }

    /// Of lists whose elements are there at that definition: of each element, and each row without one, whether it is the
    /// row's first, and whether there is one. Nothing where one lacks its value.
    pub(super) fn lists(&self, element: i16) -> Option<Vec<(bool, bool)>> {
        let whole = self.found.as_ref().map_or(0, |found| found.descriptor.max_def_level());
        let levels = self.repetition.iter().zip(&self.definition);
        levels
            .map(|(&repetition, &definition)| match definition {
                lacking if (element..whole).contains(&lacking) => None,
                definition => Some((repetition == 0, definition >= whole)),
            })
            .collect()
    }

    /// The value of a row; of each row once, one after the other.
    fn take(&mut self, row: usize) -> Option<&T::T> {
        if self.definition.get(row) == Some(&0) {
            return None;
        }
        self.take_next()
    }

    /// The next value that is there.
    pub(super) fn take_next(&mut self) -> Option<&T::T> {
        let value = self.values.get(self.next)?;
        self.next += 1;
        Some(value)
    }
}

/// A column of flags.
pub(super) struct Flags(Decoded<BoolType>);

impl Flags {
    pub(super) fn take(&mut self, row: usize) -> Option<bool> {
        self.0.take(row).copied()
    }
}

impl Column for Flags {
    fn of(schema: &SchemaDescriptor, name: &'static str, wanted: bool) -> Result<Self, String> {
        let found = if wanted { Found::of(schema, name, &[Type::BOOLEAN], 0)? } else { None };
        Ok(Self(Decoded::of(found)))
    }

    fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.0.begin(group)
    }

    fn load(&mut self, rows: Rows) -> Result<(), ParquetError> {
        self.0.load(rows)
    }
}

/// What a word stands for.
pub(super) trait Understood: Clone {
    fn understand(word: &[u8], words: &mut Interned) -> Result<Self, Problem>;
}

/// A column of words.
pub(super) struct Words<T> {
    decoded: Decoded<ByteArrayType>,
    /// What was understood in this row group, by where the words lie: those of a dictionary are the same bytes in all
    /// rows. The words are kept, so that no other comes to lie there.
    understood: FxHashMap<usize, (ByteArray, T)>,
}

impl<T: Understood> Words<T> {
    /// Words kept; more than that are of no dictionary, and no two lie at the same place.
    const UNDERSTOOD_MAX: usize = 1 << 16;

    pub(super) const fn is_there(&self) -> bool {
        self.decoded.found.is_some()
    }

    pub(super) fn take(&mut self, row: usize, words: &mut Interned) -> Result<Option<T>, Problem> {
        let Some(word) = self.decoded.take(row) else { return Ok(None) };
        let bytes = word.data();
        let place = bytes.as_ptr().addr();
        if let Some((same, meaning)) = self.understood.get(&place)
            && same.len() == bytes.len()
        {
            return Ok(Some(meaning.clone()));
        }
        let meaning = T::understand(bytes, words)?;
        if self.understood.len() >= Self::UNDERSTOOD_MAX {
            self.understood.clear();
        }
        self.understood.insert(place, (word.clone(), meaning.clone()));
        Ok(Some(meaning))
    }
}

impl<T: Understood> Column for Words<T> {
    fn of(schema: &SchemaDescriptor, name: &'static str, wanted: bool) -> Result<Self, String> {
        let found = if wanted { Found::of(schema, name, &[Type::BYTE_ARRAY], 0)? } else { None };
        Ok(Self { decoded: Decoded::of(found), understood: FxHashMap::default() })
    }

    fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.understood.clear();
        self.decoded.begin(group)
    }

    fn load(&mut self, rows: Rows) -> Result<(), ParquetError> {
        self.decoded.load(rows)
    }
}

/// A column of whole numbers of either width, whatever they stand for (a time stamp, a date).
pub(super) struct Numbers {
    name: &'static str,
    unsigned: bool,
    values: Decoded<Int64Type>,
    /// Those of 32 bits, until they are extended.
    narrow: Decoded<Int32Type>,
}

/// A negative number where none can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Negative {
    pub(super) column: &'static str,
    pub(super) found: i64,
}

impl Numbers {
    pub(super) const fn is_there(&self) -> bool {
        self.values.found.is_some() || self.narrow.found.is_some()
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn take(&mut self, row: usize) -> Result<Option<u64>, Negative> {
        match self.values.take(row) {
            None => Ok(None),
            Some(&value) if value >= 0 || self.unsigned => Ok(Some(value.cast_unsigned())),
            Some(&found) => Err(Negative { column: self.name, found }),
        }
    }
}

impl Column for Numbers {
    fn of(schema: &SchemaDescriptor, name: &'static str, wanted: bool) -> Result<Self, String> {
        let found = if wanted { Found::of(schema, name, &[Type::INT64, Type::INT32], 0)? } else { None };
        let unsigned = found.as_ref().is_some_and(Found::is_unsigned);
        let of = |width: Type| found.clone().filter(|found| found.descriptor.physical_type() == width);
        let (values, narrow) = (Decoded::of(of(Type::INT64)), Decoded::of(of(Type::INT32)));
        Ok(Self { name, unsigned, values, narrow })
    }

    fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.values.begin(group)?;
        self.narrow.begin(group)
    }

    fn load(&mut self, rows: Rows) -> Result<(), ParquetError> {
        self.values.load(rows)?;
        self.narrow.load(rows)?;
        if self.narrow.reader.is_some() {
            // By zeros or by sign.
            let extended = self.narrow.values.iter().map(|&value| match self.unsigned {
                true => i64::from(value.cast_unsigned()),
                false => i64::from(value),
            });
            self.values.values.extend(extended);
            std::mem::swap(&mut self.values.definition, &mut self.narrow.definition);
        }
        Ok(())
    }
}

pub(super) fn unknown(column: &'static str, found: &[u8], expected: &'static str) -> Problem {
    Problem::UnknownOperation { column, found: printable(found), expected }
}

pub(super) fn missing(column: &'static str) -> Problem {
    Problem::NotANumber { column, found: "null".to_owned(), expected: "a value" }
}

pub(super) fn too_large(column: &'static str, found: u64, limit: &'static str) -> Problem {
    Problem::TooLarge { column, found: found.to_string(), limit }
}

impl From<Negative> for Problem {
    fn from(negative: Negative) -> Self {
        Self::Negative { column: negative.column, found: negative.found.to_string() }
    }
}
