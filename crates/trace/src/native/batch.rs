//! Events as a record batch: a column for each of the schema's fields.

use super::schema::{access_name, direction_name, element, events_schema, extent_fields};
use crate::event::{Event, Extent};
use arrow_array::builder::{
    BooleanBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder, UInt16Builder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};
use std::sync::Arc;

/// The extents after the first: null where there are none.
struct MoreExtents(ListBuilder<StructBuilder>);

impl Default for MoreExtents {
    fn default() -> Self {
        let builder = StructBuilder::from_fields(extent_fields(), 0);
        Self(ListBuilder::new(builder).with_field(element()))
    }
}

impl MoreExtents {
    fn push(&mut self, extents: &[Extent]) {
        let builder = self.0.values();
        for extent in extents {
            if let Some(device) = builder.field_builder::<UInt32Builder>(0) {
                device.append_value(extent.device);
            }
            if let Some(address) = builder.field_builder::<UInt64Builder>(1) {
                address.append_value(extent.address);
            }
            if let Some(blocks) = builder.field_builder::<UInt32Builder>(2) {
                blocks.append_value(extent.blocks);
            }
            if let Some(hit) = builder.field_builder::<BooleanBuilder>(3) {
                hit.append_value(extent.hit);
            }
            builder.append(true);
        }
        self.0.append(!extents.is_empty());
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

macro_rules! columns {
    ($($name:ident: $column:ty,)*) => {
        /// Takes events, and gives a record batch of them. [`events_schema`] has its columns.
        ///
        /// ```
        /// use petrio_time::Time;
        /// use petrio_trace::event::{Event, EventKind};
        /// use petrio_trace::native::EventBatch;
        /// let mut batch = EventBatch::default();
        /// batch.push(&Event::new(Time::from_nanos(5), EventKind::Mkdir));
        /// assert_eq!(batch.finish()?.num_rows(), 1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub struct EventBatch {
            schema: SchemaRef,
            rows: usize,
            $($name: $column,)*
        }

        impl Default for EventBatch {
            fn default() -> Self {
                Self { schema: events_schema(), rows: 0, $($name: <$column>::default(),)* }
            }
        }

        impl EventBatch {
            /// What was added since the last call.
            ///
            /// # Errors
            /// Never for events; the type of a batch can't say so.
            pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
                self.rows = 0;
                let columns: Vec<ArrayRef> = vec![$(self.$name.finish_array(),)*];
                RecordBatch::try_new(self.schema.clone(), columns)
            }
        }
    };
}

/// Builders of different types finished alike.
trait FinishArray {
    fn finish_array(&mut self) -> ArrayRef;
}

macro_rules! finish {
    ($($builder:ty),*) => {
        $(impl FinishArray for $builder {
            fn finish_array(&mut self) -> ArrayRef {
                Arc::new(self.finish())
            }
        })*
    };
}

finish!(BooleanBuilder, Int64Builder, StringBuilder, UInt16Builder, UInt32Builder, UInt64Builder);

impl FinishArray for MoreExtents {
    fn finish_array(&mut self) -> ArrayRef {
        self.finish()
    }
}

columns! {
    time: Int64Builder,
    kind: StringBuilder,
    process: UInt32Builder,
    device: UInt32Builder,
    inode: UInt64Builder,
    generation: UInt32Builder,
    path: StringBuilder,
    new_path: StringBuilder,
    offset: UInt64Builder,
    length: UInt64Builder,
    service: Int64Builder,
    error: UInt16Builder,
    size: UInt64Builder,
    since_modified: UInt64Builder,
    since_accessed: UInt64Builder,
    since_changed: UInt64Builder,
    access: StringBuilder,
    hit: BooleanBuilder,
    bytes_read: UInt64Builder,
    bytes_written: UInt64Builder,
    reads: UInt64Builder,
    writes: UInt64Builder,
    extent_device: UInt32Builder,
    extent_address: UInt64Builder,
    extent_blocks: UInt32Builder,
    extent_hit: BooleanBuilder,
    more_extents: MoreExtents,
    direction: StringBuilder,
    request: UInt64Builder,
    synchronous: BooleanBuilder,
    force_unit_access: BooleanBuilder,
    metadata: BooleanBuilder,
}

impl EventBatch {
    /// Events added since the last batch.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Adds an event. Times are told in picoseconds, up to 106 days.
    pub fn push(&mut self, event: &Event) {
        self.rows += 1;
        self.time.append_value(picoseconds(event.time));
        self.kind.append_value(event.kind.name());
        self.process.append_value(event.process);
        self.device.append_value(event.file.device);
        self.inode.append_value(event.file.inode);
        self.generation.append_value(event.file.generation);
        self.path.append_option(event.path.as_deref());
        self.new_path.append_option(event.new_path.as_deref());
        self.offset.append_option(event.offset);
        self.length.append_value(event.length);
        self.service.append_option(event.service.map(picoseconds));
        self.error.append_value(event.error);
        self.size.append_option(event.size);
        let ages = event.ages.as_deref().copied().unwrap_or_default();
        self.since_modified.append_option(ages.modified);
        self.since_accessed.append_option(ages.accessed);
        self.since_changed.append_option(ages.changed);
        self.access.append_option(event.access.map(access_name));
        self.hit.append_option(event.hit);
        let totals = event.totals;
        self.bytes_read.append_option(totals.map(|totals| totals.bytes_read));
        self.bytes_written.append_option(totals.map(|totals| totals.bytes_written));
        self.reads.append_option(totals.map(|totals| totals.reads));
        self.writes.append_option(totals.map(|totals| totals.writes));
        let (first, more) = match event.extents.split_first() {
            Some((first, more)) => (Some(first), more),
            None => (None, &[][..]),
        };
        self.extent_device.append_option(first.map(|extent| extent.device));
        self.extent_address.append_option(first.map(|extent| extent.address));
        self.extent_blocks.append_option(first.map(|extent| extent.blocks));
        self.extent_hit.append_option(first.map(|extent| extent.hit));
        self.more_extents.push(more);
        self.direction.append_option(event.direction.map(direction_name));
        self.request.append_option(event.request);
        self.synchronous.append_value(event.synchronous);
        self.force_unit_access.append_value(event.force_unit_access);
        self.metadata.append_value(event.metadata);
    }
}

fn picoseconds(time: petrio_time::Time) -> i64 {
    i64::try_from(time.as_picos()).unwrap_or(i64::MAX)
}
