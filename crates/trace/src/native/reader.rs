//! Reads petrio's own trace file, a batch of every column at a time.
//!
//! Only `time_ps` and `kind` have to be there, so that a table made elsewhere with a few of the columns is a trace too.
//! A column that a row group has nothing but nulls in isn't decoded.
//!
//! Leaves order alone: events come as they stand. [`EventReader`](crate::EventReader) checks it.

use super::columns::{Column, Flags, Numbers, Rows, Understood, Words, missing, odd, too_large, unknown};
use super::input::Input;
use super::interned::Interned;
use super::more_extents::MoreExtents;
use super::schema::{About, VERSION, access_named, direction_named, key};
use crate::error::{Position, Problem, TraceError, printable};
use crate::event::{Access, Ages, CollectiveKind, Event, EventKind, Extent, FileKey, Recorded, Totals};
use crate::format_name::FormatName;
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use petrio_colours::Direction;
use petrio_time::Time;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Rows decoded at a time: few enough that a batch of all columns stays in the second-level cache.
const BATCH_ROWS: u64 = 4_096;

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
    file: SerializedFileReader<Input>,
    about: About,
    rows: u64,
    columns: Columns,
    next_group: usize,
    /// Rows of the current row group that aren't decoded.
    group_rows: u64,
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
        match File::open(path) {
            Ok(file) => Self::of_file(name, file, wanted),
            Err(source) => Err(TraceError::open(name, source)),
        }
    }

    pub(crate) fn of_file(name: Arc<str>, file: File, wanted: Wanted) -> Result<Self, TraceError> {
        Self::new(name, Input::File(Arc::new(file)), wanted)
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
        Self::new(name.into(), Input::Bytes(Bytes::from_owner(bytes)), wanted)
    }

    fn new(name: Arc<str>, input: Input, wanted: Wanted) -> Result<Self, TraceError> {
        let file = fenced(|| SerializedFileReader::new(input)).map_err(|cause| damaged(&name, 0, &cause))?;
        let of_file = file.metadata().file_metadata();
        let about = about(&name, of_file.key_value_metadata().map_or(&[], Vec::as_slice))?;
        let columns = Columns::of(of_file.schema_descr(), wanted)
            .map_err(|cause| TraceError::Columns { name: name.clone(), cause })?;
        Ok(Self {
            rows: u64::try_from(of_file.num_rows()).unwrap_or_default(),
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

    /// Begins the next row group, with those of the columns that are wanted and have something in it.
    fn begin_group(&mut self) -> Result<(), ParquetError> {
        let group = self.file.get_row_group(self.next_group)?;
        let rows = group.metadata().num_rows();
        self.group_rows = u64::try_from(rows).map_err(|_| odd(format!("a row group of {rows} rows")))?;
        self.columns.begin(&*group)?;
        self.next_group += 1;
        Ok(())
    }

    /// Leaves out the rows before this one, counted from 0, without decoding more of them than stand in its row group.
    pub(crate) fn go_to(&mut self, row: u64) -> Result<(), TraceError> {
        let (mut group, mut before) = (0, 0_u64);
        for there in self.file.metadata().row_groups() {
            let rows = u64::try_from(there.num_rows()).unwrap_or_default();
            match before.checked_add(rows).filter(|end| *end <= row) {
                Some(end) => (group, before) = (group + 1, end),
                None => break,
            }
        }
        // What is being decoded lies before.
        if group >= self.next_group {
            (self.group_rows, self.next_group) = (0, group);
            (self.batch_rows, self.row, self.read) = (0, 0, before);
        }
        while self.read < row && self.read()?.is_some() {}
        Ok(())
    }

    /// Decodes the next rows; false at the end.
    fn decode(&mut self) -> Result<bool, ParquetError> {
        (self.batch_rows, self.row) = (0, 0);
        while self.group_rows == 0 {
            if self.next_group >= self.file.num_row_groups() {
                return Ok(false);
            }
            self.begin_group()?;
        }
        let count = self.group_rows.min(BATCH_ROWS);
        self.group_rows -= count;
        let rows = Rows { count: count as usize, last: self.group_rows == 0 };
        self.columns.load(rows)?;
        self.batch_rows = rows.count;
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
            place: Position::Row(self.read + 1),
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
    TraceError::Damaged { name: name.clone(), place: Position::Row(rows), cause }
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
    ($($name:ident: $column:ty = $of_requests:literal,)*) => {
        /// The columns of a trace under their names in the file.
        struct Columns {
            $($name: $column,)*
        }

        impl Columns {
            fn of(schema: &SchemaDescriptor, wanted: Wanted) -> Result<Self, String> {
                let of_files = wanted == Wanted::Everything;
                let columns = Self {
                    $($name: <$column>::of(schema, stringify!($name), of_files || $of_requests)?,)*
                };
                match (columns.time_ps.is_there(), columns.kind.is_there()) {
                    (true, true) => Ok(columns),
                    (false, _) => Err("it has no column \"time_ps\"".to_owned()),
                    (_, false) => Err("it has no column \"kind\"".to_owned()),
                }
            }

            fn begin(&mut self, group: &dyn RowGroupReader) -> Result<(), ParquetError> {
                $(self.$name.begin(group)?;)*
                Ok(())
            }

            fn load(&mut self, rows: Rows) -> Result<(), ParquetError> {
                $(self.$name.load(rows)?;)*
                Ok(())
            }
        }
    };
}

// Whether a device request has it, too.
columns! {
    time_ps: Numbers = true,
    kind: Words<EventKind> = true,
    process: Numbers = true,
    device: Numbers = false,
    inode: Numbers = false,
    generation: Numbers = false,
    path: Words<Arc<str>> = false,
    new_path: Words<Arc<str>> = false,
    offset: Numbers = false,
    length: Numbers = true,
    service_ps: Numbers = true,
    error: Numbers = false,
    size: Numbers = false,
    since_modified_us: Numbers = false,
    since_accessed_us: Numbers = false,
    since_changed_us: Numbers = false,
    access: Words<Access> = false,
    hit: Flags = false,
    bytes_read: Numbers = false,
    bytes_written: Numbers = false,
    reads: Numbers = false,
    writes: Numbers = false,
    extent_device: Numbers = true,
    extent_address: Numbers = true,
    extent_blocks: Numbers = true,
    extent_hit: Flags = true,
    more_extents: MoreExtents = true,
    direction: Words<Direction> = true,
    request: Numbers = true,
    synchronous: Flags = true,
    force_unit_access: Flags = true,
    metadata: Flags = true,
    compute_ps: Numbers = false,
    rank: Numbers = false,
    child: Numbers = false,
    peer: Numbers = false,
    tag: Numbers = false,
    collective: Words<CollectiveKind> = false,
    members: Words<Arc<str>> = false,
    direct: Flags = false,
}

impl Columns {
    /// The event of a row; rows are asked for one after the other.
    fn event(&mut self, row: usize, words: &mut Interned) -> Result<Event, Problem> {
        let kind = self.kind.take(row, words)?.ok_or_else(|| missing("kind"))?;
        let time = self.time_ps.take(row)?.ok_or_else(|| missing("time_ps"))?;
        let mut event = Event::new(span(time, self.time_ps.name())?, kind);
        event.process = narrow(&mut self.process, row)?.unwrap_or_default();
        event.file = FileKey {
            device: narrow(&mut self.device, row)?.unwrap_or_default(),
            inode: self.inode.take(row)?.unwrap_or_default(),
            generation: narrow(&mut self.generation, row)?.unwrap_or_default(),
        };
        event.path = self.path.take(row, words)?;
        event.new_path = self.new_path.take(row, words)?;
        event.offset = self.offset.take(row)?;
        event.length = self.length.take(row)?.unwrap_or_default();
        event.service =
            self.service_ps.take(row)?.map(|service| span(service, self.service_ps.name())).transpose()?;
        let error = self.error.take(row)?.unwrap_or_default();
        event.error = u16::try_from(error).map_err(|_| too_large("error", error, "65535"))?;
        event.size = self.size.take(row)?;
        let ages = Ages {
            modified: self.since_modified_us.take(row)?,
            accessed: self.since_accessed_us.take(row)?,
            changed: self.since_changed_us.take(row)?,
        };
        event.ages = (ages != Ages::default()).then(|| Box::new(ages));
        event.access = self.access.take(row, words)?;
        event.hit = self.hit.take(row);
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
        let hit = self.extent_hit.take(row);
        if let Some(address) = address {
            event.extents.push(Extent {
                device: device.unwrap_or_default(),
                address,
                blocks: blocks.unwrap_or_default(),
                hit: hit.unwrap_or_default(),
            });
        }
        self.more_extents.take(row, &mut event);
        event.direction = self.direction.take(row, words)?;
        event.request = self.request.take(row)?;
        event.synchronous = self.synchronous.take(row).unwrap_or_default();
        event.force_unit_access = self.force_unit_access.take(row).unwrap_or_default();
        event.metadata = self.metadata.take(row).unwrap_or_default();
        event.recorded = self.recorded(row, words)?;
        Ok(event)
    }

    /// What a recording knows besides.
    fn recorded(&mut self, row: usize, words: &mut Interned) -> Result<Option<Box<Recorded>>, Problem> {
        let compute = self.compute_ps.take(row)?;
        let more = Recorded {
            compute: compute.map(|time| span(time, self.compute_ps.name())).transpose()?,
            rank: narrow(&mut self.rank, row)?,
            child: narrow(&mut self.child, row)?,
            peer: narrow(&mut self.peer, row)?,
            tag: narrow(&mut self.tag, row)?,
            collective: self.collective.take(row, words)?,
            members: self.members.take(row, words)?,
            direct: self.direct.take(row).unwrap_or_default(),
        };
        Ok((more != Recorded::default()).then(|| Box::new(more)))
    }
}

const KINDS: &str = "exec, create, open, read, write, close, unlink, fsync, truncate, rename, mkdir, stat, queue, \
issue, complete, list, allocate, rmdir, fdatasync, sync-range, sync, map, fork, join, exit, sleep, send, receive, post-send, \
post-receive, wait or collective";
const COLLECTIVES: &str = "barrier, broadcast, reduce, all-reduce, gather, scatter, all-gather, all-to-all, reduce-scatter, scan, \
read-all, write-all or open-all";
const ACCESSES: &str = "read, write or read-write";
const DIRECTIONS: &str = "read, write or flush";

impl Understood for EventKind {
    fn understand(word: &[u8], _: &mut Interned) -> Result<Self, Problem> {
        let known = std::str::from_utf8(word).ok().and_then(Self::named);
        known.ok_or_else(|| unknown("kind", word, KINDS))
    }
}

impl Understood for CollectiveKind {
    fn understand(word: &[u8], _: &mut Interned) -> Result<Self, Problem> {
        let known = std::str::from_utf8(word).ok().and_then(Self::named);
        known.ok_or_else(|| unknown("collective", word, COLLECTIVES))
    }
}

impl Understood for Access {
    fn understand(word: &[u8], _: &mut Interned) -> Result<Self, Problem> {
        access_named(word).ok_or_else(|| unknown("access", word, ACCESSES))
    }
}

impl Understood for Direction {
    fn understand(word: &[u8], _: &mut Interned) -> Result<Self, Problem> {
        direction_named(word).ok_or_else(|| unknown("direction", word, DIRECTIONS))
    }
}

/// A path.
impl Understood for Arc<str> {
    fn understand(word: &[u8], words: &mut Interned) -> Result<Self, Problem> {
        words.get(word)
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
