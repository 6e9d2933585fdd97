//! Reads petrio's own trace file, a batch of every column at a time.
//!
//! Only `time_ps` and `kind` have to be there, so that a table made elsewhere with a few of the columns is a trace too. A
//! column that a row group has nothing but nulls in isn't decoded.
//!
//! Leaves order alone: events come as they stand. [`EventReader`](crate::trace::EventReader) checks it.

use super::columns::{Column, Flags, Negative, Numbers, Words};
use super::interned::Interned;
use super::more_extents::MoreExtents;
use super::schema::{About, VERSION, access_named, direction_named, key};
use crate::trace::error::{Place, Problem, TraceError, printable};
use crate::trace::event::{Event, EventKind, Extent, FileKey, Totals};
use crate::trace::format::FormatName;
use bytes::Bytes;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use petrio_kernel::Time;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Rows decoded at a time: few enough that a batch of all columns stays in the second-level cache.
const BATCH_ROWS: usize = 4_096;

/// Which columns are wanted; those that aren't stay at their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    #[default]
    Everything,
    /// What a device request has: not the file, the path, the access and the totals.
    DeviceRequests,
}

/// A trace file of petrio's own as an iterator of events, in the file's order; memory does not grow with its length.
///
/// After an error the iterator ends.
pub struct NativeReader {
    name: Arc<str>,
    file: Box<dyn FileReader>,
    about: About,
    rows: u64,
    columns: Columns,
    next_group: usize,
    /// Rows of the current row group that have not been decoded.
    group_rows: usize,
    batch_rows: usize,
    row: usize,
    /// Events handed out.
    read: u64,
    words: Interned,
    done: bool,
}

impl NativeReader {
    /// Opens a file, with all of its columns.
    ///
    /// # Errors
    /// A file that can't be opened, is no Parquet, or lacks the columns of a trace.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::open_for(path, Wanted::Everything)
    }

    /// Opens a file, for some of its columns.
    ///
    /// # Errors
    /// As of [`NativeReader::open`].
    pub fn open_for(path: &Path, wanted: Wanted) -> Result<Self, TraceError> {
        let name: Arc<str> = petrio_files::shown::path(path).to_string().into();
        match petrio_files::input::open(path) {
            Ok(file) => Self::of_file(name, file, wanted),
            Err(source) => Err(TraceError::Open { name, source }),
        }
    }

    pub(crate) fn of_file(name: Arc<str>, file: File, wanted: Wanted) -> Result<Self, TraceError> {
        let opened = fenced(|| SerializedFileReader::new(file));
        Self::new(name, opened.map(|reader| Box::new(reader) as Box<dyn FileReader>), wanted)
    }

    /// Reads a file that is in memory: from a pipe, or unpacked.
    ///
    /// # Errors
    /// As of [`NativeReader::open`].
    pub fn of_bytes(
        name: impl Into<Arc<str>>,
        bytes: impl AsRef<[u8]> + Send + 'static,
        wanted: Wanted,
    ) -> Result<Self, TraceError> {
        let opened = fenced(|| SerializedFileReader::new(Bytes::from_owner(bytes)));
        Self::new(name.into(), opened.map(|reader| Box::new(reader) as Box<dyn FileReader>), wanted)
    }

    fn new(
        name: Arc<str>,
        opened: Result<Box<dyn FileReader>, ParquetError>,
        wanted: Wanted,
    ) -> Result<Self, TraceError> {
        let file = opened.map_err(|cause| damaged(&name, 0, &cause))?;
        let metadata = file.metadata();
        let about = about(&name, metadata.file_metadata().key_value_metadata().map_or(&[], Vec::as_slice))?;
        let columns = Columns::of(metadata.file_metadata().schema_descr(), wanted)
            .map_err(|cause| TraceError::Columns { name: name.clone(), cause })?;
        Ok(Self {
            rows: u64::try_from(metadata.file_metadata().num_rows()).unwrap_or_default(),
            columns,
            about,
            next_group: 0,
            group_rows: 0,
            batch_rows: 0,
            row: 0,
            read: 0,
            words: Interned::default(),
            done: false,
            file,
            name,
        })
    }

    /// What the file says of the trace as a whole; the default where it says nothing.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// Events in the file, as it says itself.
    pub const fn len(&self) -> u64 {
        self.rows
    }

    /// Whether it has no event.
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Decodes the next rows; false at the end.
    fn decode(&mut self) -> Result<bool, ParquetError> {
        while self.group_rows == 0 {
            if self.next_group >= self.file.num_row_groups() {
                return Ok(false);
            }
            let group = self.file.get_row_group(self.next_group)?;
            let rows = group.metadata().num_rows();
            self.group_rows = usize::try_from(rows)
                .map_err(|_| ParquetError::General(format!("a row group of {rows} rows")))?;
            self.next_group += 1;
            self.columns.start(&*group)?;
        }
        self.batch_rows = self.group_rows.min(BATCH_ROWS);
        self.group_rows -= self.batch_rows;
        self.row = 0;
        self.columns.fill(self.batch_rows)?;
        Ok(true)
    }

    fn read(&mut self) -> Result<Option<Event>, TraceError> {
        if self.row == self.batch_rows {
            match fenced(|| self.decode()) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(cause) => return Err(damaged(&self.name, self.read, &cause)),
            }
        }
        let event = self.columns.event(self.row, &mut self.words).map_err(|problem| TraceError::Record {
            name: self.name.clone(),
            place: Place::Row(self.read + 1),
            format: FormatName::Native,
            problem,
        })?;
        self.row += 1;
        self.read += 1;
        Ok(Some(event))
    }
}

impl Iterator for NativeReader {
    type Item = Result<Event, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl std::iter::FusedIterator for NativeReader {}

/// The decoder holds some damage to be a bug of its caller and panics; here that is what it is, a damaged file.
fn fenced<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(ParquetError::General("its pages contradict each other".to_owned())))
}

fn damaged(name: &Arc<str>, rows: u64, cause: &ParquetError) -> TraceError {
    let cause = match cause {
        ParquetError::General(cause) | ParquetError::EOF(cause) => printable(cause.as_bytes()),
        other => other.to_string(),
    };
    TraceError::Damaged { name: name.clone(), place: Place::Row(rows), cause }
}

fn about(name: &Arc<str>, pairs: &[parquet::file::metadata::KeyValue]) -> Result<About, TraceError> {
    let value = |wanted: &str| {
        pairs.iter().find(|pair| pair.key == wanted).and_then(|pair| pair.value.clone()).unwrap_or_default()
    };
    let version = value(key::VERSION);
    if !version.is_empty() && version != VERSION {
        let found = printable(version.as_bytes());
        return Err(TraceError::OtherVersion { name: name.clone(), found });
    }
    let mut notes: Vec<String> = value(key::NOTES).lines().map(str::to_owned).collect();
    let late = value(key::OUT_OF_ORDER);
    if !late.is_empty() {
        notes.push(format!("{late} events stand more than 65,536 events too late"));
    }
    Ok(About {
        origin_unix_ns: value(key::ORIGIN).parse().ok(),
        machine: value(key::MACHINE),
        command: value(key::COMMAND),
        compact: value(key::CONTENTS) == "compact",
        lost: value(key::LOST).parse().unwrap_or_default(),
        notes,
    })
}

macro_rules! columns {
    ($($name:ident: $column:ty,)*) => {
        /// The columns of a trace.
        struct Columns {
            $($name: $column,)*
        }

        impl Columns {
            fn start(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
                $(self.$name.start(group)?;)*
                Ok(())
            }

            fn fill(&mut self, rows: usize) -> Result<(), ParquetError> {
                $(self.$name.fill(rows)?;)*
                Ok(())
            }
        }
    };
}

columns! {
    time: Numbers,
    kind: Words,
    process: Numbers,
    device: Numbers,
    inode: Numbers,
    generation: Numbers,
    path: Words,
    new_path: Words,
    offset: Numbers,
    length: Numbers,
    service: Numbers,
    error: Numbers,
    size: Numbers,
    access: Words,
    hit: Flags,
    bytes_read: Numbers,
    bytes_written: Numbers,
    reads: Numbers,
    writes: Numbers,
    extent_device: Numbers,
    extent_address: Numbers,
    extent_blocks: Numbers,
    extent_hit: Flags,
    more_extents: MoreExtents,
    direction: Words,
    request: Numbers,
    synchronous: Flags,
    force_unit_access: Flags,
}

impl Columns {
    fn of(schema: &SchemaDescriptor, wanted: Wanted) -> Result<Self, String> {
        let of_files = wanted == Wanted::Everything;
        let numbers = |name| Numbers::of(schema, name);
        let file_numbers = |name| if of_files { Numbers::of(schema, name) } else { Ok(Numbers::none(name)) };
        let file_words = |name| if of_files { Words::of(schema, name) } else { Ok(Column::none()) };
        let columns = Self {
            time: numbers("time_ps")?,
            kind: Words::of(schema, "kind")?,
            process: numbers("process")?,
            device: file_numbers("device")?,
            inode: file_numbers("inode")?,
            generation: file_numbers("generation")?,
            path: file_words("path")?,
            new_path: file_words("new_path")?,
            offset: file_numbers("offset")?,
            length: numbers("length")?,
            service: numbers("service_ps")?,
            error: file_numbers("error")?,
            size: file_numbers("size")?,
            access: file_words("access")?,
            hit: if of_files { Flags::of(schema, "hit")? } else { Column::none() },
            bytes_read: file_numbers("bytes_read")?,
            bytes_written: file_numbers("bytes_written")?,
            reads: file_numbers("reads")?,
            writes: file_numbers("writes")?,
            extent_device: numbers("extent_device")?,
            extent_address: numbers("extent_address")?,
            extent_blocks: numbers("extent_blocks")?,
            extent_hit: Flags::of(schema, "extent_hit")?,
            more_extents: MoreExtents::of(schema)?,
            direction: Words::of(schema, "direction")?,
            request: numbers("request")?,
            synchronous: Flags::of(schema, "synchronous")?,
            force_unit_access: Flags::of(schema, "force_unit_access")?,
        };
        match (columns.time.is_there(), columns.kind.is_there()) {
            (true, true) => Ok(columns),
            (false, _) => Err("it has no column \"time_ps\"".to_owned()),
            (_, false) => Err("it has no column \"kind\"".to_owned()),
        }
    }

    /// The event of a row; rows are asked for one after the other.
    fn event(&mut self, row: usize, words: &mut Interned) -> Result<Event, Problem> {
        let kind = match self.kind.take(row) {
            Some(kind) => kind_named(kind.data()).ok_or_else(|| unknown("kind", kind, KINDS))?,
            None => return Err(missing("kind")),
        };
        let time = self.time.take(row)?.ok_or_else(|| missing("time_ps"))?;
        let mut event = Event::new(span(time, self.time.name())?, kind);
        event.process = narrow(&mut self.process, row)?.unwrap_or_default();
        event.file = FileKey {
            device: narrow(&mut self.device, row)?.unwrap_or_default(),
            inode: self.inode.take(row)?.unwrap_or_default(),
            generation: narrow(&mut self.generation, row)?.unwrap_or_default(),
        };
        event.path = self.path.take(row).map(|path| words.get(path)).transpose()?;
        event.new_path = self.new_path.take(row).map(|path| words.get(path)).transpose()?;
        event.offset = self.offset.take(row)?;
        event.length = self.length.take(row)?.unwrap_or_default();
        event.service =
            self.service.take(row)?.map(|service| span(service, self.service.name())).transpose()?;
        let error = self.error.take(row)?.unwrap_or_default();
        event.error = u16::try_from(error).map_err(|_| too_large("error", error, "65535"))?;
        event.size = self.size.take(row)?;
        event.access = match self.access.take(row) {
            Some(access) => {
                Some(access_named(access.data()).ok_or_else(|| unknown("access", access, ACCESSES))?)
            }
            None => None,
        };
        event.hit = self.hit.take(row).copied();
        let totals = [
            self.bytes_read.take(row)?,
            self.bytes_written.take(row)?,
            self.reads.take(row)?,
            self.writes.take(row)?,
        ];
        if totals.iter().any(Option::is_some) {
            let [bytes_read, bytes_written, reads, writes] = totals.map(Option::unwrap_or_default);
            event.totals = Some(Totals { bytes_read, bytes_written, reads, writes });
        }
        let (address, blocks) = (self.extent_address.take(row)?, narrow(&mut self.extent_blocks, row)?);
        let device = narrow(&mut self.extent_device, row)?;
        let hit = self.extent_hit.take(row).copied();
        if let Some(address) = address {
            event.extents.push(Extent {
                device: device.unwrap_or_default(),
                address,
                blocks: blocks.unwrap_or_default(),
                hit: hit.unwrap_or_default(),
            });
        }
        self.more_extents.take(row, &mut event)?;
        event.direction = match self.direction.take(row) {
            Some(word) => {
                Some(direction_named(word.data()).ok_or_else(|| unknown("direction", word, DIRECTIONS))?)
            }
            None => None,
        };
        event.request = self.request.take(row)?;
        event.synchronous = self.synchronous.take(row).copied().unwrap_or_default();
        event.force_unit_access = self.force_unit_access.take(row).copied().unwrap_or_default();
        Ok(event)
    }
}

const KINDS: &str = "exec, create, open, read, write, close, unlink, fsync, truncate, rename, mkdir, stat, queue, \
issue or complete";
const ACCESSES: &str = "read, write or read-write";
const DIRECTIONS: &str = "read, write or flush";

/// The kind of that name: those of devices first, because traces of them are the longest.
fn kind_named(name: &[u8]) -> Option<EventKind> {
    match name {
        b"queue" => Some(EventKind::Queue),
        b"issue" => Some(EventKind::Issue),
        b"complete" => Some(EventKind::Complete),
        b"read" => Some(EventKind::Read),
        b"write" => Some(EventKind::Write),
        other => std::str::from_utf8(other).ok().and_then(EventKind::named),
    }
}

fn span(picoseconds: u64, column: &'static str) -> Result<Time, Problem> {
    match picoseconds {
        u64::MAX => Err(too_large(column, picoseconds, "213 days")),
        picoseconds => Ok(Time::from_picos(picoseconds)),
    }
}

fn narrow(numbers: &mut Numbers, row: usize) -> Result<Option<u32>, Problem> {
    let Some(value) = numbers.take(row)? else { return Ok(None) };
    u32::try_from(value).map(Some).map_err(|_| too_large(numbers.name(), value, "4294967295"))
}

fn unknown(column: &'static str, found: &ByteArray, expected: &'static str) -> Problem {
    Problem::UnknownOperation { column, found: printable(found.data()), expected }
}

fn missing(column: &'static str) -> Problem {
    Problem::NotANumber { column, found: "null".to_owned(), expected: "a value" }
}

fn too_large(column: &'static str, found: u64, limit: &'static str) -> Problem {
    Problem::TooLarge { column, found: found.to_string(), limit }
}

impl From<Negative> for Problem {
    fn from(negative: Negative) -> Self {
        Self::Negative { column: negative.column, found: negative.found.to_string() }
    }
}
