//! Columns by what their cells are: what Parquet calls it, and how a cell is kept until it is encoded.

use super::{Columns, Encoded, Open};
use bytes::{BufMut, Bytes, BytesMut};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;

/// Values of one of a file's columns that aren't encoded yet.
pub struct Leaf<T: DataType> {
    values: Vec<T::T>,
    /// Of each cell how much of it is there, unless all always is.
    definition: Vec<i16>,
    /// Of each cell whether it goes on with the list of the one before, unless there are no lists.
    repetition: Vec<i16>,
    /// What texts lie in.
    text: BytesMut,
}

impl<T: DataType> Default for Leaf<T> {
    fn default() -> Self {
        Self { values: Vec::new(), definition: Vec::new(), repetition: Vec::new(), text: BytesMut::new() }
    }
}

impl<T: DataType> Leaf<T> {
    /// Adds an element of a list, or, where there is none, that there is no list.
    pub fn push_element(&mut self, value: Option<T::T>, is_first: bool) {
        self.definition.push(if value.is_some() { 2 } else { 0 });
        self.repetition.push(i16::from(!is_first));
        self.values.extend(value);
    }

    /// Encodes the values since the last call at the next column that is open.
    ///
    /// # Errors
    /// When that is of another type.
    pub fn encode(&mut self, open: &mut std::slice::IterMut<'_, Open>) -> Encoded {
        let next = open.next().and_then(|open| T::get_column_writer_mut(&mut open.writer));
        let writer = next.ok_or_else(|| ParquetError::General("a column of another type".to_owned()))?;
        let definition = (!self.definition.is_empty()).then_some(&self.definition[..]);
        let repetition = (!self.repetition.is_empty()).then_some(&self.repetition[..]);
        writer.write_batch(&self.values, definition, repetition)?;
        self.values.clear();
        self.definition.clear();
        self.repetition.clear();
        Ok(())
    }
}

/// What the cells of a column are.
pub trait Kind {
    /// What the file has of it.
    type Of: DataType;

    /// A cell as a row has it.
    type Cell<'a>;

    /// Whether a cell has to be there, its type, and what that means, in Parquet's own words.
    const DECLARED: [&'static str; 3];

    /// Adds a cell.
    fn push(cell: Self::Cell<'_>, leaf: &mut Leaf<Self::Of>);
}

/// Text.
pub struct Text;

/// One of a few words.
pub struct Word;

/// Memory that texts are put into at a time.
const TEXT_BYTES: usize = 1 << 16;

macro_rules! kinds {
    ($($kind:ty: $physical:ty = $declared:literal $meaning:literal, $bits:expr;)*) => {
        $(impl Kind for $kind {
            type Of = $physical;
            type Cell<'a> = $kind;
            const DECLARED: [&'static str; 3] = ["required", $declared, $meaning];

            fn push(cell: $kind, leaf: &mut Leaf<$physical>) {
                leaf.values.push($bits(cell));
            }
        })*
    };
}

kinds! {
    bool: BoolType = "boolean" "", std::convert::identity;
    i32: Int32Type = "int32" "", std::convert::identity;
    i64: Int64Type = "int64" "", std::convert::identity;
    u16: Int32Type = "int32" " (INTEGER(16,false))", i32::from;
    u32: Int32Type = "int32" " (INTEGER(32,false))", u32::cast_signed;
    u64: Int64Type = "int64" " (INTEGER(64,false))", u64::cast_signed;
}

impl Kind for Text {
    type Of = ByteArrayType;
    type Cell<'a> = &'a str;
    const DECLARED: [&'static str; 3] = ["required", "binary", " (STRING)"];

    fn push(cell: &str, leaf: &mut Leaf<ByteArrayType>) {
        // Parts of one piece of memory; it is taken anew when all of them are gone or it is full.
        leaf.text.reserve(if leaf.text.capacity() < cell.len() { cell.len().max(TEXT_BYTES) } else { 0 });
        leaf.text.put_slice(cell.as_bytes());
        leaf.values.push(ByteArray::from(leaf.text.split().freeze()));
    }
}

impl Kind for Word {
    type Of = ByteArrayType;
    type Cell<'a> = &'static str;
    const DECLARED: [&'static str; 3] = Text::DECLARED;

    fn push(cell: &'static str, leaf: &mut Leaf<ByteArrayType>) {
        leaf.values.push(ByteArray::from(Bytes::from_static(cell.as_bytes())));
    }
}

impl<K: Kind> Kind for Option<K> {
    type Of = K::Of;
    type Cell<'a> = Option<K::Cell<'a>>;
    const DECLARED: [&'static str; 3] = ["optional", K::DECLARED[1], K::DECLARED[2]];

    fn push(cell: Self::Cell<'_>, leaf: &mut Leaf<K::Of>) {
        leaf.definition.push(i16::from(cell.is_some()));
        if let Some(cell) = cell {
            K::push(cell, leaf);
        }
    }
}

/// A column of one kind of cells.
pub struct Column<K: Kind>(Leaf<K::Of>);

impl<K: Kind> Default for Column<K> {
    fn default() -> Self {
        Self(Leaf::default())
    }
}

impl<K: Kind> Column<K> {
    /// Adds a cell.
    pub fn push(&mut self, cell: K::Cell<'_>) {
        K::push(cell, &mut self.0);
    }
}

impl<K: Kind> Columns for Column<K> {
    fn declared(name: &str) -> String {
        let [presence, of, meaning] = K::DECLARED;
        format!("{presence} {of} {name}{meaning}; ")
    }

    fn encode(&mut self, open: &mut std::slice::IterMut<'_, Open>) -> Encoded {
        self.0.encode(open)
    }
}
