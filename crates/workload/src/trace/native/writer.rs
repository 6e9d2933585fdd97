//! Writes petrio's own trace file: a row group at a time, under a temporary name until it is complete.

use super::schema::{About, EXPLANATION, MESSAGE, VERSION, access_name, direction_name, key};
use crate::trace::error::{Place, Problem, TraceError};
use crate::trace::event::{Event, Extent};
use crate::trace::format::FormatName;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use petrio_files::whole_file::WholeFile;
use petrio_kernel::Time;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows in a row group: some 20 MB of memory, and enough to compress well.
const GROUP_ROWS: usize = 65_536;

/// Writes events to a file that is complete or absent.
///
/// Events may come out of order: they are sorted as long as none is more than 65,536 events late (a call is known when it
/// ends, and is filed under when it began). One that is later than that is written where it stands, and counted in the
/// footer.
///
/// ```
/// use petrio_kernel::Time;
/// use petrio_workload::trace::event::{Event, EventKind};
/// use petrio_workload::trace::native::{About, EventWriter, NativeReader};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("trace.parquet");
/// let mut writer = EventWriter::create(&path, &About::default())?;
/// writer.push(&Event { path: Some("/etc/fstab".into()), ..Event::new(Time::from_micros(7), EventKind::Open) })?;
/// writer.finish()?;
/// let events = NativeReader::open(&path)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(events[0].path.as_deref(), Some("/etc/fstab"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventWriter {
    name: Arc<str>,
    file: Shared,
    writer: Option<SerializedFileWriter<Shared>>,
    about: About,
    columns: Columns,
    /// Events that may still have to make room for an earlier one.
    held: Vec<Event>,
    sorted: bool,
    /// The latest time that was written.
    written: Time,
    out_of_order: u64,
    events: u64,
}

impl EventWriter {
    /// Begins a file. An existing one of that name stays as it is until the new one is complete.
    ///
    /// # Errors
    /// When it can't be written there.
    pub fn create(path: &Path, about: &About) -> Result<Self, TraceError> {
        let whole = WholeFile::create(path).map_err(|source| TraceError::Write {
            name: path.to_string_lossy().into(),
            source: Box::new(source),
        })?;
        Self::into_file(whole, about)
    }

    /// As [`EventWriter::create`], into a file that was begun: one for its owner alone, or one that is read and written again.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn into_file(whole: WholeFile, about: &About) -> Result<Self, TraceError> {
        let name: Arc<str> = whole.path().to_string_lossy().into();
        let file = Shared(Arc::new(Mutex::new(Some(whole))));
        let failed =
            |source: ParquetError| TraceError::Write { name: name.clone(), source: Box::new(source) };
        let schema = Arc::new(parse_message_type(MESSAGE).map_err(failed)?);
        let writer =
            SerializedFileWriter::new(file.clone(), schema, Arc::new(properties())).map_err(failed)?;
        Ok(Self {
            file,
            writer: Some(writer),
            about: about.clone(),
            columns: Columns::default(),
            held: Vec::new(),
            sorted: true,
            written: Time::ZERO,
            out_of_order: 0,
            events: 0,
            name,
        })
    }

    /// Adds an event.
    ///
    /// # Errors
    /// A time or a span beyond 106 days, which a signed number of picoseconds can't hold; and when the file can't be written.
    pub fn push(&mut self, event: &Event) -> Result<(), TraceError> {
        self.check(event)?;
        self.events += 1;
        self.sorted &= self.held.last().is_none_or(|last| last.time <= event.time);
        self.held.push(event.clone());
        if self.held.len() < 2 * GROUP_ROWS { Ok(()) } else { self.write_groups(GROUP_ROWS) }
    }

    /// Says how many events were lost while tracing.
    pub const fn set_lost(&mut self, lost: u64) {
        self.about.lost = lost;
    }

    /// Adds a remark.
    pub fn note(&mut self, note: String) {
        self.about.notes.push(note);
    }

    /// Events added so far.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Bytes of the file so far, without the events that are still held.
    pub fn bytes(&self) -> u64 {
        self.writer.as_ref().map_or(0, |writer| writer.bytes_written() as u64)
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.write_groups(0)?;
        if let Some(mut writer) = self.writer.take() {
            for (name, value) in self.metadata() {
                writer.append_key_value_metadata(KeyValue::new(name.to_owned(), value));
            }
            writer.close().map_err(|source| self.failed(source))?;
        }
        let file = self.file.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), WholeFile::finish).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: impl std::error::Error + Send + Sync + 'static) -> TraceError {
        TraceError::Write { name: self.name.clone(), source: Box::new(source) }
    }

    fn check(&self, event: &Event) -> Result<(), TraceError> {
        let spans = [("time_ps", Some(event.time)), ("service_ps", event.service)];
        for (column, span) in spans {
            let picoseconds = span.unwrap_or_default().as_picos();
            if i64::try_from(picoseconds).is_err() {
                return Err(TraceError::Record {
                    name: self.name.clone(),
                    place: Place::Row(self.events + 1),
                    format: FormatName::Native,
                    problem: Problem::TooLarge {
                        column,
                        found: picoseconds.to_string(),
                        limit: "9223372036854775807 ps (106 days)",
                    },
                });
            }
        }
        Ok(())
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        let about = &self.about;
        let mut pairs = vec![
            (key::VERSION, VERSION.to_owned()),
            (key::SCHEMA, EXPLANATION.to_owned()),
            (key::CONTENTS, if about.compact { "compact" } else { "full" }.to_owned()),
            (key::LOST, about.lost.to_string()),
        ];
        pairs.extend(about.origin_unix_ns.map(|origin| (key::ORIGIN, origin.to_string())));
        let notes = about.notes.iter().map(|note| note.replace('\n', " ")).collect::<Vec<_>>().join("\n");
        let texts = [
            (key::MACHINE, about.machine.clone()),
            (key::COMMAND, about.command.clone()),
            (key::NOTES, notes),
        ];
        pairs.extend(texts.into_iter().filter(|(_, text)| !text.is_empty()));
        if self.out_of_order > 0 {
            pairs.push((key::OUT_OF_ORDER, self.out_of_order.to_string()));
        }
        pairs
    }

    /// Writes row groups until no more than `keep` events are held.
    fn write_groups(&mut self, keep: usize) -> Result<(), TraceError> {
        if !self.sorted {
            self.held.sort_by_key(|event| event.time);
            self.sorted = true;
        }
        let mut held = std::mem::take(&mut self.held);
        while held.len() > keep {
            let rows = held.len().min(GROUP_ROWS);
            for event in held.drain(..rows) {
                self.out_of_order += u64::from(event.time < self.written);
                self.written = self.written.max(event.time);
                self.columns.push(&event);
            }
            self.write_group()?;
        }
        self.held = held;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), TraceError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let columns = &mut self.columns;
        let mut write = || {
            let mut group = writer.next_row_group()?;
            columns.write(&mut group)?;
            group.close().map(drop)
        };
        write().map_err(|source| self.failed(source))
    }
}

/// Times and addresses hardly repeat: differences and plain numbers are smaller and faster than a dictionary of them.
fn properties() -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_created_by("petrio".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()));
    let encodings = [
        ("time_ps", Encoding::DELTA_BINARY_PACKED),
        ("request", Encoding::DELTA_BINARY_PACKED),
        ("service_ps", Encoding::PLAIN),
        ("extent_address", Encoding::PLAIN),
    ];
    for (column, encoding) in encodings {
        let path = ColumnPath::from(column);
        builder =
            builder.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
    }
    builder.build()
}

type Group<'a> = SerializedRowGroupWriter<'a, Shared>;

/// Writes the next column of a row group.
fn write_column<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    present: Option<&[i16]>,
    repeated: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(values, present, repeated)?;
    column.close()
}

/// A column without nulls.
struct Required<T: DataType>(Vec<T::T>);

impl<T: DataType> Default for Required<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: DataType> Required<T> {
    fn push(&mut self, value: T::T) {
        self.0.push(value);
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        write_column::<T>(group, &self.0, None, None)?;
        self.0.clear();
        Ok(())
    }
}

/// A column with nulls.
struct Optional<T: DataType> {
    values: Vec<T::T>,
    present: Vec<i16>,
}

impl<T: DataType> Default for Optional<T> {
    fn default() -> Self {
        Self { values: Vec::new(), present: Vec::new() }
    }
}

impl<T: DataType> Optional<T> {
    fn push(&mut self, value: Option<T::T>) {
        self.present.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        write_column::<T>(group, &self.values, Some(&self.present), None)?;
        self.values.clear();
        self.present.clear();
        Ok(())
    }
}

/// The extents after the first, a column a field. All share their levels.
#[derive(Default)]
struct More {
    device: Vec<i32>,
    address: Vec<i64>,
    blocks: Vec<i32>,
    hit: Vec<bool>,
    present: Vec<i16>,
    repeated: Vec<i16>,
}

impl More {
    /// In Parquet's levels: 0 is a null list, 2 an element in a list.
    const ELEMENT: i16 = 2;

    fn push(&mut self, extents: &[Extent]) {
        if extents.is_empty() {
            self.present.push(0);
            self.repeated.push(0);
        }
        for (index, extent) in extents.iter().enumerate() {
            self.present.push(Self::ELEMENT);
            self.repeated.push(i16::from(index > 0));
            self.device.push(bits32(extent.device));
            self.address.push(bits(extent.address));
            self.blocks.push(bits32(extent.blocks));
            self.hit.push(extent.hit);
        }
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        let (present, repeated) = (Some(&self.present[..]), Some(&self.repeated[..]));
        write_column::<Int32Type>(group, &self.device, present, repeated)?;
        write_column::<Int64Type>(group, &self.address, present, repeated)?;
        write_column::<Int32Type>(group, &self.blocks, present, repeated)?;
        write_column::<BoolType>(group, &self.hit, present, repeated)?;
        self.device.clear();
        self.address.clear();
        self.blocks.clear();
        self.hit.clear();
        self.present.clear();
        self.repeated.clear();
        Ok(())
    }
}

macro_rules! columns {
    ($($name:ident: $column:ty,)*) => {
        /// The columns of a row group, in the schema's order.
        #[derive(Default)]
        struct Columns {
            $($name: $column,)*
        }

        impl Columns {
            /// Writes the columns and empties them.
            fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
                $(self.$name.write(group)?;)*
                Ok(())
            }
        }
    };
}

columns! {
    time: Required<Int64Type>,
    kind: Required<ByteArrayType>,
    process: Required<Int32Type>,
    device: Required<Int32Type>,
    inode: Required<Int64Type>,
    generation: Required<Int32Type>,
    path: Optional<ByteArrayType>,
    new_path: Optional<ByteArrayType>,
    offset: Optional<Int64Type>,
    length: Required<Int64Type>,
    service: Optional<Int64Type>,
    error: Required<Int32Type>,
    size: Optional<Int64Type>,
    access: Optional<ByteArrayType>,
    hit: Optional<BoolType>,
    bytes_read: Optional<Int64Type>,
    bytes_written: Optional<Int64Type>,
    reads: Optional<Int64Type>,
    writes: Optional<Int64Type>,
    extent_device: Optional<Int32Type>,
    extent_address: Optional<Int64Type>,
    extent_blocks: Optional<Int32Type>,
    extent_hit: Optional<BoolType>,
    more_extents: More,
    direction: Optional<ByteArrayType>,
    request: Optional<Int64Type>,
    synchronous: Required<BoolType>,
    force_unit_access: Required<BoolType>,
}

impl Columns {
    fn push(&mut self, event: &Event) {
        let text = |text: &Option<Arc<str>>| text.as_deref().map(ByteArray::from);
        self.time.push(bits(event.time.as_picos()));
        self.kind.push(word(event.kind.name()));
        self.process.push(bits32(event.process));
        self.device.push(bits32(event.file.device));
        self.inode.push(bits(event.file.inode));
        self.generation.push(bits32(event.file.generation));
        self.path.push(text(&event.path));
        self.new_path.push(text(&event.new_path));
        self.offset.push(event.offset.map(bits));
        self.length.push(bits(event.length));
        self.service.push(event.service.map(|span| bits(span.as_picos())));
        self.error.push(i32::from(event.error));
        self.size.push(event.size.map(bits));
        self.access.push(event.access.map(|access| word(access_name(access))));
        self.hit.push(event.hit);
        let totals = event.totals;
        self.bytes_read.push(totals.map(|totals| bits(totals.bytes_read)));
        self.bytes_written.push(totals.map(|totals| bits(totals.bytes_written)));
        self.reads.push(totals.map(|totals| bits(totals.reads)));
        self.writes.push(totals.map(|totals| bits(totals.writes)));
        let (first, more) = match event.extents.split_first() {
            Some((first, more)) => (Some(first), more),
            None => (None, &[][..]),
        };
        self.extent_device.push(first.map(|extent| bits32(extent.device)));
        self.extent_address.push(first.map(|extent| bits(extent.address)));
        self.extent_blocks.push(first.map(|extent| bits32(extent.blocks)));
        self.extent_hit.push(first.map(|extent| extent.hit));
        self.more_extents.push(more);
        self.direction.push(event.direction.map(|direction| word(direction_name(direction))));
        self.request.push(event.request.map(bits));
        self.synchronous.push(event.synchronous);
        self.force_unit_access.push(event.force_unit_access);
    }
}

/// One of the schema's own words, without a copy.
fn word(word: &'static str) -> ByteArray {
    ByteArray::from(Bytes::from_static(word.as_bytes()))
}

/// Unsigned numbers keep their bits; the schema says that they are unsigned.
fn bits(number: u64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

fn bits32(number: u32) -> i32 {
    i32::from_ne_bytes(number.to_ne_bytes())
}

/// The format's writer wants to own what it writes to; the file takes its name only after the writer is done.
#[derive(Clone)]
struct Shared(Arc<Mutex<Option<WholeFile>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => file.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(file) => file.flush(),
            None => Ok(()),
        }
    }
}
