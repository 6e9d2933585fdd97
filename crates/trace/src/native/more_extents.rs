//! The list of the extents after the first, written and read.

use super::columns::{Column, Decoded, Found, Rows, odd};
use crate::event::{Event, Extent};
use crate::table::{Columns, Leaf, Open};
use parquet::basic::Type;
use parquet::data_type::{BoolType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

/// As they are written: null where there are none.
#[derive(Default)]
pub(super) struct ExtentLists {
    device: Leaf<Int32Type>,
    address: Leaf<Int64Type>,
    blocks: Leaf<Int32Type>,
    hit: Leaf<BoolType>,
}

impl ExtentLists {
    pub(super) fn push(&mut self, extents: &[Extent]) {
        for index in 0..extents.len().max(1) {
            let (extent, is_first) = (extents.get(index), index == 0);
            self.device.push_element(extent.map(|extent| extent.device.cast_signed()), is_first);
            self.address.push_element(extent.map(|extent| extent.address.cast_signed()), is_first);
            self.blocks.push_element(extent.map(|extent| extent.blocks.cast_signed()), is_first);
            self.hit.push_element(extent.map(|extent| extent.hit), is_first);
        }
    }
}

impl Columns for ExtentLists {
    fn declared(name: &str) -> String {
        format!(
            "optional group {name} (LIST) {{ repeated group list {{ required group element {{ \
             required int32 device (INTEGER(32,false)); required int64 address (INTEGER(64,false)); \
             required int32 blocks (INTEGER(32,false)); required boolean hit; }} }} }} "
        )
    }

    fn encode(&mut self, open: &mut std::slice::IterMut<'_, Open>) -> Result<(), ParquetError> {
        self.device.encode(open)?;
        self.address.encode(open)?;
        self.blocks.encode(open)?;
        self.hit.encode(open)
    }
}

/// As they are read.
pub(super) struct MoreExtents {
    name: &'static str,
    /// How much of a list is there where it has an element.
    element: i16,
    device: Decoded<Int32Type>,
    address: Decoded<Int64Type>,
    blocks: Decoded<Int32Type>,
    hit: Decoded<BoolType>,
    /// Of each row how many there are; nothing where no row has any.
    counts: Vec<u32>,
}

impl MoreExtents {
    pub(super) fn take(&mut self, row: usize, event: &mut Event) {
        for _ in 0..self.counts.get(row).copied().unwrap_or_default() {
            let (device, blocks) = (self.device.take_next(), self.blocks.take_next());
            let (address, hit) = (self.address.take_next(), self.hit.take_next());
            // As many of each were counted.
            if let (Some(device), Some(address), Some(blocks), Some(&hit)) = (device, address, blocks, hit) {
                let (device, blocks) = (device.cast_unsigned(), blocks.cast_unsigned());
                event.extents.push(Extent { device, address: address.cast_unsigned(), blocks, hit });
            }
        }
    }

    /// How many extents each row has, where all that belongs to them is there.
    fn count(&mut self) -> Option<()> {
        let lists = self.device.lists(self.element)?;
        let same = self.address.lists(self.element)? == lists
            && self.blocks.lists(self.element)? == lists
            && self.hit.lists(self.element)? == lists;
        for (is_first, is_there) in lists {
            if is_first {
                self.counts.push(0);
            }
            *self.counts.last_mut()? += u32::from(is_there);
        }
        same.then_some(())
    }
}

impl Column for MoreExtents {
    fn of(schema: &SchemaDescriptor, name: &'static str, wanted: bool) -> Result<Self, String> {
        let field = |field: &str, of: Type| match wanted {
            true => Found::of(schema, &format!("{name}.list.element.{field}"), &[of], 1),
            false => Ok(None),
        };
        let (device, address) = (field("device", Type::INT32)?, field("address", Type::INT64)?);
        let (blocks, hit) = (field("blocks", Type::INT32)?, field("hit", Type::BOOLEAN)?);
        let there = [&device, &address, &blocks, &hit].into_iter().flatten().count();
        if there % 4 > 0 {
            return Err(format!("its column \"{name}\" lacks device, address, blocks or hit"));
        }
        let list = schema.root_schema().get_fields().iter().find(|field| field.name() == name);
        Ok(Self {
            name,
            element: 1 + i16::from(list.is_some_and(|list| list.is_optional())),
            device: Decoded::of(device),
            address: Decoded::of(address),
            blocks: Decoded::of(blocks),
            hit: Decoded::of(hit),
            counts: Vec::new(),
        })
    }

    fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.counts.clear();
        self.device.begin(group)?;
        self.address.begin(group)?;
        self.blocks.begin(group)?;
        self.hit.begin(group)
    }

    fn load(&mut self, rows: Rows) -> Result<(), ParquetError> {
        self.counts.clear();
        self.device.load(rows)?;
        self.address.load(rows)?;
        self.blocks.load(rows)?;
        self.hit.load(rows)?;
        self.count().ok_or_else(|| odd(format!("its column \"{}\" is no list of extents", self.name)))
    }
}
