//! The list of the extents after the first.

use super::columns::{Column, Found, element_numbers};
use crate::event::{Event, Extent};
use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, ListArray, RecordBatch};
use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::schema::types::SchemaDescriptor;

const NAME: &str = "more_extents";

/// The extents after the first.
#[derive(Default)]
pub(super) struct MoreExtents {
    found: Vec<Found>,
    /// None where no row has any.
    lists: Option<ListArray>,
    device: Vec<i64>,
    address: Vec<i64>,
    blocks: Vec<i64>,
    hit: Option<BooleanArray>,
}

impl MoreExtents {
    pub(super) fn of(schema: &SchemaDescriptor) -> Result<Self, String> {
        let fields = [
            ("device", Type::INT32),
            ("address", Type::INT64),
            ("blocks", Type::INT32),
            ("hit", Type::BOOLEAN),
        ];
        let mut found = Vec::new();
        for (field, of) in fields {
            found.extend(Found::of(schema, &format!("{NAME}.list.element.{field}"), &[of], true)?);
        }
        match found.len() {
            0 | 4 => Ok(Self { found, ..Self::default() }),
            _ => Err(format!("its column \"{NAME}\" lacks device, address, blocks or hit")),
        }
    }

    pub(super) fn take(&self, row: usize, event: &mut Event) {
        let (Some(lists), Some(hits)) = (&self.lists, &self.hit) else { return };
        if lists.is_null(row) {
            return;
        }
        let offsets = lists.value_offsets();
        for index in offsets[row] as usize..offsets[row + 1] as usize {
            event.extents.push(Extent {
                device: self.device[index] as u32,
                address: self.address[index].cast_unsigned(),
                blocks: self.blocks[index] as u32,
                hit: hits.value(index),
            });
        }
    }
}

impl Column for MoreExtents {
    fn found(&self) -> &[Found] {
        &self.found
    }

    fn load(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        (self.lists, self.hit) = (None, None);
        let Some(array) = batch.column_by_name(NAME).filter(|_| !self.found.is_empty()) else {
            return Ok(());
        };
        let odd = || ParquetError::General(format!("its column \"{NAME}\" is no list of extents"));
        let lists = array.as_list_opt::<i32>().ok_or_else(odd)?;
        let elements =
            lists.values().as_struct_opt().filter(|elements| elements.null_count() == 0).ok_or_else(odd)?;
        let field = |name: &str| elements.column_by_name(name).ok_or_else(odd);
        element_numbers(field("device")?, NAME, &mut self.device)?;
        element_numbers(field("address")?, NAME, &mut self.address)?;
        element_numbers(field("blocks")?, NAME, &mut self.blocks)?;
        let hit = field("hit")?.as_boolean_opt().filter(|hit| hit.null_count() == 0).ok_or_else(odd)?;
        (self.lists, self.hit) = (Some(lists.clone()), Some(hit.clone()));
        Ok(())
    }
}
