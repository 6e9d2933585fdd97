//! Columns of a Parquet file read in batches, whatever wrote them: a column may be nullable or not, an integer of 32 or of
//! 64 bits, and, unless it is one that every trace needs, absent.

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{BoolType, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::file::statistics::Statistics;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

/// Where a column stands in a file.
#[derive(Clone)]
pub(super) struct Found {
    index: usize,
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

    /// The pages of the column in a row group; `None` where all of it is null.
    fn pages(&self, group: &dyn RowGroupReader) -> Result<Option<Box<dyn PageReader>>, ParquetError> {
        let chunk = group.metadata().column(self.index);
        let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
        let rows = u64::try_from(group.metadata().num_rows()).ok();
        if self.descriptor.max_def_level() > 0
            && self.descriptor.max_rep_level() == 0
            && nulls.is_some()
            && nulls == rows
        {
            return Ok(None);
        }
        group.get_column_page_reader(self.index).map(Some)
    }
}

/// A flat column of one physical type.
pub(super) struct Flat<T: DataType> {
    reader: Option<ColumnReaderImpl<T>>,
    values: Vec<T::T>,
    /// A level for each row; empty where the column has no nulls.
    present: Vec<i16>,
    nullable: bool,
    next: usize,
}

impl<T: DataType> Flat<T> {
    fn new() -> Self {
        Self { reader: None, values: Vec::new(), present: Vec::new(), nullable: false, next: 0 }
    }

    fn start(&mut self, found: &Found, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.nullable = found.descriptor.max_def_level() > 0;
        let reader = |pages| ColumnReaderImpl::new(found.descriptor.clone(), pages);
        self.reader = found.pages(group)?.map(reader);
        Ok(())
    }

    fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.values.clear();
        self.present.clear();
        self.next = 0;
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let present = self.nullable.then_some(&mut self.present);
        let (read, _, _) = reader.read_records(rows, present, None, &mut self.values)?;
        if read == rows { Ok(()) } else { Err(short(rows, read)) }
    }

    /// The value of the next row.
    pub(super) fn take(&mut self, row: usize) -> Option<&T::T> {
        self.reader.as_ref()?;
        if self.nullable && *self.present.get(row)? == 0 {
            return None;
        }
        self.next += 1;
        self.values.get(self.next - 1)
    }
}

fn short(rows: usize, read: usize) -> ParquetError {
    ParquetError::General(format!("a column has {read} of the next {rows} rows"))
}

/// A column of words or of flags, or none.
pub(super) struct Column<T: DataType> {
    found: Option<Found>,
    flat: Flat<T>,
}

/// A column of words.
pub(super) type Words = Column<ByteArrayType>;
/// A column of flags.
pub(super) type Flags = Column<BoolType>;

impl<T: DataType> Column<T> {
    pub(super) fn of(schema: &SchemaDescriptor, path: &str) -> Result<Self, String> {
        let found = Found::of(schema, path, &[T::get_physical_type()], false)?;
        Ok(Self { found, flat: Flat::new() })
    }

    pub(super) const fn none() -> Self {
        Self {
            found: None,
            flat: Flat { reader: None, values: Vec::new(), present: Vec::new(), nullable: false, next: 0 },
        }
    }

    pub(super) const fn is_there(&self) -> bool {
        self.found.is_some()
    }

    pub(super) fn start(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.found.as_ref().map_or(Ok(()), |found| self.flat.start(found, group))
    }

    pub(super) fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.flat.fill(rows)
    }

    pub(super) fn take(&mut self, row: usize) -> Option<&T::T> {
        self.flat.take(row)
    }
}

/// A column of whole numbers of either width, or none.
pub(super) struct Numbers {
    name: &'static str,
    found: Option<Found>,
    unsigned: bool,
    wide: bool,
    narrow_values: Flat<Int32Type>,
    wide_values: Flat<Int64Type>,
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
        Ok(Self {
            unsigned: found.as_ref().is_some_and(Found::is_unsigned),
            wide: found.as_ref().is_some_and(|found| found.descriptor.physical_type() == Type::INT64),
            found,
            ..Self::none(name)
        })
    }

    pub(super) fn none(name: &'static str) -> Self {
        Self {
            name,
            found: None,
            unsigned: false,
            wide: false,
            narrow_values: Flat::new(),
            wide_values: Flat::new(),
        }
    }

    pub(super) const fn is_there(&self) -> bool {
        self.found.is_some()
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn start(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        match &self.found {
            None => Ok(()),
            Some(found) if self.wide => self.wide_values.start(found, group),
            Some(found) => self.narrow_values.start(found, group),
        }
    }

    pub(super) fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        if self.wide { self.wide_values.fill(rows) } else { self.narrow_values.fill(rows) }
    }

    pub(super) fn take(&mut self, row: usize) -> Result<Option<u64>, Negative> {
        if self.wide {
            let Some(&value) = self.wide_values.take(row) else { return Ok(None) };
            unsigned64(value, self.unsigned, self.name).map(Some)
        } else {
            let Some(&value) = self.narrow_values.take(row) else { return Ok(None) };
            unsigned32(value, self.unsigned, self.name).map(Some)
        }
    }
}

fn unsigned64(value: i64, unsigned: bool, column: &'static str) -> Result<u64, Negative> {
    if value >= 0 || unsigned {
        Ok(u64::from_ne_bytes(value.to_ne_bytes()))
    } else {
        Err(Negative { column, found: value })
    }
}

fn unsigned32(value: i32, unsigned: bool, column: &'static str) -> Result<u64, Negative> {
    if value >= 0 || unsigned {
        Ok(u64::from(u32::from_ne_bytes(value.to_ne_bytes())))
    } else {
        Err(Negative { column, found: i64::from(value) })
    }
}

/// One field of the elements of a list of structures.
pub(super) struct Nested<T: DataType> {
    found: Option<Found>,
    reader: Option<ColumnReaderImpl<T>>,
    pub(super) values: Vec<T::T>,
    /// What stands for an element that is there.
    element: i16,
    levels: Vec<i16>,
    repeated: Vec<i16>,
}

impl<T: DataType> Nested<T> {
    pub(super) fn of(schema: &SchemaDescriptor, path: &str) -> Result<Self, String> {
        let found = Found::of(schema, path, &[T::get_physical_type()], true)?;
        let element = found.as_ref().map_or(0, |found| found.descriptor.max_def_level());
        let mut nested = Self::none();
        nested.element = element;
        nested.found = found;
        Ok(nested)
    }

    pub(super) const fn none() -> Self {
        Self {
            found: None,
            reader: None,
            values: Vec::new(),
            element: 0,
            levels: Vec::new(),
            repeated: Vec::new(),
        }
    }

    pub(super) const fn is_there(&self) -> bool {
        self.found.is_some()
    }

    pub(super) fn start(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        let Some(found) = &self.found else { return Ok(()) };
        self.reader = found.pages(group)?.map(|pages| ColumnReaderImpl::new(found.descriptor.clone(), pages));
        Ok(())
    }

    pub(super) fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.values.clear();
        self.levels.clear();
        self.repeated.clear();
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let (read, _, _) =
            reader.read_records(rows, Some(&mut self.levels), Some(&mut self.repeated), &mut self.values)?;
        if read == rows { Ok(()) } else { Err(short(rows, read)) }
    }

    /// How many elements each row's list has: appended to `lengths`.
    pub(super) fn lengths(&self, lengths: &mut Vec<u32>) {
        for (&level, &repeated) in self.levels.iter().zip(&self.repeated) {
            if repeated == 0 {
                lengths.push(0);
            }
            if let Some(last) = lengths.last_mut() {
                *last += u32::from(level == self.element);
            }
        }
    }
}
