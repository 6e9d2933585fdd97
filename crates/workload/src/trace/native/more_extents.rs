//! The list of the extents after the first, whose fields are columns of their own.

use super::columns::Nested;
use crate::trace::error::Problem;
use crate::trace::event::{Event, Extent};
use parquet::data_type::{BoolType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::SchemaDescriptor;

/// The extents after the first.
pub(super) struct MoreExtents {
    device: Nested<Int32Type>,
    address: Nested<Int64Type>,
    blocks: Nested<Int32Type>,
    hit: Nested<BoolType>,
    /// How many each row has; empty where no row has any.
    lengths: Vec<u32>,
    next: usize,
}

impl MoreExtents {
    pub(super) fn of(schema: &SchemaDescriptor) -> Result<Self, String> {
        let more = Self {
            device: Nested::of(schema, "more_extents.list.element.device")?,
            address: Nested::of(schema, "more_extents.list.element.address")?,
            blocks: Nested::of(schema, "more_extents.list.element.blocks")?,
            hit: Nested::of(schema, "more_extents.list.element.hit")?,
            lengths: Vec::new(),
            next: 0,
        };
        let there =
            [more.device.is_there(), more.address.is_there(), more.blocks.is_there(), more.hit.is_there()];
        match there {
            [true, true, true, true] | [false, false, false, false] => Ok(more),
            _ => Err("its column \"more_extents\" lacks device, address, blocks or hit".to_owned()),
        }
    }

    pub(super) fn start(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
        self.device.start(group)?;
        self.address.start(group)?;
        self.blocks.start(group)?;
        self.hit.start(group)
    }

    pub(super) fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
        self.device.fill(rows)?;
        self.address.fill(rows)?;
        self.blocks.fill(rows)?;
        self.hit.fill(rows)?;
        self.next = 0;
        self.lengths.clear();
        self.address.lengths(&mut self.lengths);
        let count = self.address.values.len();
        if self.device.values.len() == count
            && self.blocks.values.len() == count
            && self.hit.values.len() == count
        {
            Ok(())
        } else {
            Err(ParquetError::General("the fields of \"more_extents\" are of different lengths".to_owned()))
        }
    }

    pub(super) fn take(&mut self, row: usize, event: &mut Event) -> Result<(), Problem> {
        let length = self.lengths.get(row).copied().unwrap_or_default();
        for index in self.next..self.next + length as usize {
            let (Some(&device), Some(&address), Some(&blocks), Some(&hit)) = (
                self.device.values.get(index),
                self.address.values.get(index),
                self.blocks.values.get(index),
                self.hit.values.get(index),
            ) else {
                return Err(Problem::NotANumber {
                    column: "more_extents",
                    found: "null".to_owned(),
                    expected: "a value",
                });
            };
            event.extents.push(Extent {
                device: u32::from_ne_bytes(device.to_ne_bytes()),
                address: u64::from_ne_bytes(address.to_ne_bytes()),
                blocks: u32::from_ne_bytes(blocks.to_ne_bytes()),
                hit,
            });
        }
        self.next += length as usize;
        Ok(())
    }
}
