//! Writes petrio's own trace file: a row group at a time, under a temporary name until it is complete.

use super::schema::{About, EXPLANATION, EventTable, VERSION, key};
use crate::error::{Position, Problem, TraceError};
use crate::event::Event;
use crate::format_name::FormatName;
use crate::table::{self, GROUP_ROWS, TableFile};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file::WholeFile;
use petrio_time::Time;
use std::path::Path;
use std::sync::Arc;

/// Writes events to a file that is complete or absent.
///
/// Events may come out of order: they are sorted as long as none is more than 65,536 events late (a call is known when
/// it ends, and is filed under when it began). One that is later than that is written where it stands, and counted in
/// the footer.
///
/// ```
/// use petrio_files::inputs::Inputs;
/// use petrio_time::Time;
/// use petrio_trace::event::{Event, EventKind};
/// use petrio_trace::native::{About, EventWriter, NativeReader};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("trace.parquet");
/// let mut writer = EventWriter::create(&path, &Inputs::none(), &About::default())?;
/// writer.push(&Event { path: Some("/etc/fstab".into()), ..Event::new(Time::from_micros(7), EventKind::Open) })?;
/// writer.finish()?;
/// let events = NativeReader::open(&path)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(events[0].path.as_deref(), Some("/etc/fstab"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EventWriter {
    name: Arc<str>,
    file: TableFile<EventTable>,
    about: About,
    /// Events that may still have to make room for an earlier one.
    held: Vec<Event>,
    sorted: bool,
    /// The latest time that was written.
    written: Time,
    out_of_order: u64,
    events: u64,
}

impl EventWriter {
    /// Begins a file, in the place of none of those `inputs`. An existing one of that name stays as it is until the new
    /// one is complete.
    ///
    /// # Errors
    /// When it can't be written there.
    pub fn create(path: &Path, inputs: &Inputs, about: &About) -> Result<Self, TraceError> {
        let whole = WholeFile::create(path, inputs).map_err(|source| TraceError::Write {
            name: path.to_string_lossy().into(),
            source: Box::new(source),
        })?;
        Self::into_file(whole, about)
    }

    /// As [`EventWriter::create`], into a file that was begun: one for its owner alone, or one that is read and written
    /// again.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn into_file(whole: WholeFile, about: &About) -> Result<Self, TraceError> {
        let name: Arc<str> = whole.path().to_string_lossy().into();
        let file = TableFile::new(whole, properties())
            .map_err(|source| TraceError::Write { name: name.clone(), source: Box::new(source) })?;
        Ok(Self {
            file,
            about: about.clone(),
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
    /// A time or a span beyond 106 days, which a signed number of picoseconds can't hold; and when the file can't be
    /// written.
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
        self.file.bytes()
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.write_groups(0)?;
        for (name, value) in self.metadata() {
            self.file.describe(name, value);
        }
        let Self { file, name, .. } = self;
        file.finish().map_err(|source| TraceError::Write { name, source: unwrapped(source) })
    }

    fn check(&self, event: &Event) -> Result<(), TraceError> {
        let spans = [("time_ps", Some(event.time)), ("service_ps", event.service)];
        for (column, span) in spans {
            let picoseconds = span.unwrap_or_default().as_picos();
            if i64::try_from(picoseconds).is_err() {
                return Err(TraceError::Record {
                    name: self.name.clone(),
                    place: Position::Row(self.events + 1),
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

    /// Writes the earliest events until no more than `keep` are held.
    fn write_groups(&mut self, keep: usize) -> Result<(), TraceError> {
        if !self.sorted {
            self.held.sort_by_key(|event| event.time);
            self.sorted = true;
        }
        let count = self.held.len().saturating_sub(keep);
        for event in self.held.drain(..count) {
            self.out_of_order += u64::from(event.time < self.written);
            self.written = self.written.max(event.time);
            let pushed = self.file.push(&event);
            pushed
                .map_err(|source| TraceError::Write { name: self.name.clone(), source: unwrapped(source) })?;
        }
        Ok(())
    }
}

/// What the system said, without the library's word around it.
fn unwrapped(source: ParquetError) -> Box<dyn std::error::Error + Send + Sync> {
    match source {
        ParquetError::External(inner) => inner,
        other => Box::new(other),
    }
}

/// Times and addresses hardly repeat: differences and plain numbers are smaller and faster than a dictionary of them.
fn properties() -> WriterProperties {
    let mut builder = table::properties();
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
