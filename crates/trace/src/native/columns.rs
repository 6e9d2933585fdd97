//! Columns of record batches, whatever wrote the file: a column may be nullable or not, an integer of 32 or of 64 bits,
//! and, unless it is one that every trace needs, absent.

use super::interned::Interned;
use crate::error::{Problem, printable};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, RecordBatch};
use arrow_schema::DataType;
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use std::sync::Arc;

/// Where a column stands in a file.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) index: usize,
    descriptor: ColumnDescPtr,
}

impl Found {
    /// The column of that dotted path, of one of these types; `Ok(None)` where the file has no such column.
    pub(super) fn of(
        schema: &SchemaDescriptor,
        path: &str,
        types: &[Type],
        nested: bool,
    ) -> Result<Option<Self>, String> {
        let same = |descriptor: &ColumnDescPtr| descriptor.path().string() == path;
        let Some(index) = schema.columns().iter().position(same) else { return Ok(None) };
        let descriptor = schema.column(index);
        let found = descriptor.physical_type();
        if !types.contains(&found) {
            let expected = types.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
            return Err(format!("its column \"{path}\" is {found}; {expected} was expected"));
        }
        if (descriptor.max_rep_level() > 0) != nested {
            let expected = if nested { "a list" } else { "no list" };
            return Err(format!("its column \"{path}\" has to be {expected}"));
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
    pub(super) fn is_null_in(&self, group: &RowGroupMetaData) -> bool {
        let chunk = group.column(self.index);
        let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
        self.descriptor.max_def_level() > 0
            && nulls.is_some()
            && nulls == u64::try_from(chunk.num_values()).ok()
    }
}

fn odd(what: impl Into<String>) -> ParquetError {
    ParquetError::General(what.into())
}

/// A column that a reader looks for in a file and then in each batch.
pub(super) trait Column {
    /// Where it is in the file; empty where it isn't.
    fn found(&self) -> &[Found];

    /// Takes it from a batch; a batch that lacks it has nothing but nulls in it.
    fn load(&mut self, batch: &RecordBatch) -> Result<(), ParquetError>;
}

/// A column of flags, or none.
#[derive(Default)]
pub(super) struct Flags {
    name: &'static str,
    found: Option<Found>,
    values: Option<BooleanArray>,
}

impl Flags {
    pub(super) fn of(schema: &SchemaDescriptor, name: &'static str) -> Result<Self, String> {
        let found = Found::of(schema, name, &[Type::BOOLEAN], false)?;
        Ok(Self { name, found, values: None })
    }

    pub(super) fn take(&self, row: usize) -> Option<bool> {
        let values = self.values.as_ref().filter(|values| values.is_valid(row))?;
        Some(values.value(row))
    }
}

impl Column for Flags {
    fn found(&self) -> &[Found] {
        self.found.as_slice()
    }

    fn load(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.values = match batch.column_by_name(self.name).filter(|_| self.found.is_some()) {
            None => None,
            Some(array) => Some(
                array
                    .as_boolean_opt()
                    .ok_or_else(|| odd(format!("its column \"{}\" has no flags", self.name)))?
                    .clone(),
            ),
        };
        Ok(())
    }
}

/// A column of words, or none: each word of a batch's dictionary is understood once.
pub(super) struct Words<T> {
    name: &'static str,
    found: Option<Found>,
    understand: fn(&[u8], &mut Interned) -> Result<T, Problem>,
    keys: Option<Int32Array>,
    dictionary: Option<ArrayRef>,
    understood: Vec<Option<T>>,
}

impl<T: Clone> Words<T> {
    pub(super) fn of(
        schema: &SchemaDescriptor,
        name: &'static str,
        understand: fn(&[u8], &mut Interned) -> Result<T, Problem>,
    ) -> Result<Self, String> {
        let found = Found::of(schema, name, &[Type::BYTE_ARRAY], false)?;
        Ok(Self { found, ..Self::none(name, understand) })
    }

    pub(super) const fn none(
        name: &'static str,
        understand: fn(&[u8], &mut Interned) -> Result<T, Problem>,
    ) -> Self {
        Self { name, found: None, understand, keys: None, dictionary: None, understood: Vec::new() }
    }

    pub(super) const fn is_there(&self) -> bool {
        self.found.is_some()
    }

    pub(super) fn take(&mut self, row: usize, words: &mut Interned) -> Result<Option<T>, Problem> {
        let Some(keys) = self.keys.as_ref().filter(|keys| keys.is_valid(row)) else { return Ok(None) };
        let key = usize::try_from(keys.value(row)).unwrap_or(usize::MAX);
        if let Some(Some(word)) = self.understood.get(key) {
            return Ok(Some(word.clone()));
        }
        let bytes =
            self.dictionary.as_ref().and_then(|dictionary| bytes_of(dictionary, key)).unwrap_or_default();
        let word = (self.understand)(bytes, words)?;
        if let Some(place) = self.understood.get_mut(key) {
            *place = Some(word.clone());
        }
        Ok(Some(word))
    }
}

/// A word of a dictionary.
fn bytes_of(dictionary: &ArrayRef, key: usize) -> Option<&[u8]> {
    if key >= dictionary.len() {
        return None;
    }
    match dictionary.data_type() {
        DataType::Utf8 => Some(dictionary.as_string::<i32>().value(key).as_bytes()),
        DataType::Binary => Some(dictionary.as_binary::<i32>().value(key)),
        _ => None,
    }
}

impl<T: Clone> Column for Words<T> {
    fn found(&self) -> &[Found] {
        self.found.as_slice()
    }

    fn load(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        let Some(array) = batch.column_by_name(self.name).filter(|_| self.found.is_some()) else {
            self.keys = None;
            return Ok(());
        };
        let words = array
            .as_dictionary_opt::<Int32Type>()
            .ok_or_else(|| odd(format!("its column \"{}\" has no words", self.name)))?;
        // Batches of one row group share their dictionary.
        if !self.dictionary.as_ref().is_some_and(|before| Arc::ptr_eq(before, words.values())) {
            self.dictionary = Some(words.values().clone());
            self.understood.clear();
            self.understood.resize(words.values().len(), None);
        }
        self.keys = Some(words.keys().clone());
        Ok(())
    }
}

/// A column of whole numbers of either width, or none.
pub(super) struct Numbers {
    name: &'static str,
    found: Option<Found>,
    unsigned: bool,
    values: Vec<i64>,
    nulls: Option<ArrayRef>,
}

/// A negative number where none can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Negative {
    pub(super) column: &'static str,
    pub(super) found: i64,
}

impl Numbers {
    pub(super) fn of(schema: &SchemaDescriptor, name: &'static str) -> Result<Self, String> {
        let found = Found::of(schema, name, &[Type::INT64, Type::INT32], false)?;
        Ok(Self { unsigned: found.as_ref().is_some_and(Found::is_unsigned), found, ..Self::none(name) })
    }

    pub(super) const fn none(name: &'static str) -> Self {
        Self { name, found: None, unsigned: false, values: Vec::new(), nulls: None }
    }

    pub(super) const fn is_there(&self) -> bool {
        self.found.is_some()
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn take(&self, row: usize) -> Result<Option<u64>, Negative> {
        let Some(&value) = self.values.get(row) else { return Ok(None) };
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        if value >= 0 || self.unsigned {
            Ok(Some(value.cast_unsigned()))
        } else {
            Err(Negative { column: self.name, found: value })
        }
    }
}

impl Column for Numbers {
    fn found(&self) -> &[Found] {
        self.found.as_slice()
    }

    fn load(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.values.clear();
        self.nulls = None;
        let Some(array) = batch.column_by_name(self.name).filter(|_| self.found.is_some()) else {
            return Ok(());
        };
        numbers(array, self.unsigned, self.name, &mut self.values)?;
        self.nulls = (array.null_count() > 0).then(|| array.clone());
        Ok(())
    }
}

/// The bits of an array's numbers, whatever they stand for (a time stamp, a date): extended to 64 by sign, or by zeros.
fn numbers(array: &ArrayRef, unsigned: bool, name: &str, into: &mut Vec<i64>) -> Result<(), ParquetError> {
    let data = array.to_data();
    match (data.data_type().primitive_width(), unsigned) {
        (Some(8), _) => into.extend_from_slice(data.buffer::<i64>(0)),
        (Some(4), true) => into.extend(data.buffer::<u32>(0).iter().map(|&value| i64::from(value))),
        (Some(4), false) => into.extend(data.buffer::<i32>(0).iter().map(|&value| i64::from(value))),
        (Some(2), true) => into.extend(data.buffer::<u16>(0).iter().map(|&value| i64::from(value))),
        (Some(2), false) => into.extend(data.buffer::<i16>(0).iter().map(|&value| i64::from(value))),
        (Some(1), true) => into.extend(data.buffer::<u8>(0).iter().map(|&value| i64::from(value))),
        (Some(1), false) => into.extend(data.buffer::<i8>(0).iter().map(|&value| i64::from(value))),
        _ => return Err(odd(format!("its column \"{name}\" has no whole numbers"))),
    }
    // A buffer may go on behind the array's end.
    into.truncate(array.len());
    if into.len() == array.len() { Ok(()) } else { Err(odd(format!("its column \"{name}\" is too short"))) }
}

/// The numbers of a list's elements, which can't be null.
pub(super) fn element_numbers(array: &ArrayRef, name: &str, into: &mut Vec<i64>) -> Result<(), ParquetError> {
    into.clear();
    if array.null_count() > 0 {
        return Err(odd(format!("a null in \"{name}\"")));
    }
    numbers(array, true, name, into)
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
