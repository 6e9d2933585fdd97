//! Traces written in the formats that other programs read, and in petrio's own.
//!
//! A format that can't hold an event leaves it out, and counts it. Each file is complete or absent. A name that goes on
//! with `.gz`, `.xz` or `.zst` compresses it; Parquet is compressed inside.
//!
//! | format | holds | made with the extension |
//! | --- | --- | --- |
//! | [`OutputFormat::Native`] | everything | `.parquet` |
//! | [`OutputFormat::EventsCsv`] | everything | `.csv` |
//! | [`OutputFormat::Petrio`] | requests to devices, with their response times | none: name it |
//! | [`OutputFormat::Requests`] | reads, writes and fsyncs of files, with the time between them | none: name it |
//! | [`OutputFormat::FioIolog`] | opens, closes, reads, writes and fsyncs of files; requests to devices | `.iolog` |
//! | [`OutputFormat::Blkparse`] | requests to devices | `.blkparse` |
//! | [`OutputFormat::OracleGeneral`] | reads and writes of devices: time, block and length | `.oracleGeneral` |

mod blkparse;
mod block_csv;
mod encoder;
mod events_csv;
mod fio_iolog;
mod oracle_general;
mod requests;

use super::compression::{Compression, PackedFile};
use super::error::TraceError;
use super::event::Event;
use super::format::FormatName;
use super::native::{About, EventWriter};
use encoder::Encoder;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file::WholeFile;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

/// The formats that petrio writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// petrio's own file: Parquet, a row an event.
    Native,
    /// The same columns as comma-separated values.
    EventsCsv,
    /// petrio's own block trace: comma-separated values, a line a request.
    Petrio,
    /// Captured requests to files, which a scenario plays back closed.
    Requests,
    /// fio's I/O log, version 3.
    FioIolog,
    /// The text that `blkparse` prints.
    Blkparse,
    /// libCacheSim's `oracleGeneral`.
    OracleGeneral,
}

impl OutputFormat {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::Native,
        Self::EventsCsv,
        Self::Petrio,
        Self::Requests,
        Self::FioIolog,
        Self::Blkparse,
        Self::OracleGeneral,
    ];

    /// The format as readers know it.
    pub const fn format(self) -> FormatName {
        match self {
            Self::Native => FormatName::Native,
            Self::EventsCsv => FormatName::EventsCsv,
            Self::Petrio => FormatName::Petrio,
            Self::Requests => FormatName::Requests,
            Self::FioIolog => FormatName::FioIolog,
            Self::Blkparse => FormatName::Blkparse,
            Self::OracleGeneral => FormatName::OracleGeneral,
        }
    }

    /// The word that names it.
    pub const fn name(self) -> &'static str {
        self.format().name()
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that a file's name says.
    pub fn of_path(path: &Path) -> Option<Self> {
        let (compression, path) = Compression::of_name(path);
        let extension = path.extension()?.to_str()?;
        let known = [
            ("parquet", Self::Native),
            ("csv", Self::EventsCsv),
            ("iolog", Self::FioIolog),
            ("blkparse", Self::Blkparse),
            ("oraclegeneral", Self::OracleGeneral),
        ];
        let found = known.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name));
        // Nothing is won by compressing Parquet, and nobody else would read it then.
        found
            .map(|(_, format)| format)
            .filter(|format| *format != Self::Native || compression == Compression::None)
    }
}

enum Sink {
    Native(Box<EventWriter>),
    Encoded { encoder: Box<dyn Encoder>, file: Box<BufWriter<PackedFile>> },
}

/// Writes events, in order of time, as a trace of some format.
///
/// ```
/// use petrio_files::inputs::Inputs;
/// use petrio_time::Time;
/// use petrio_trace::event::{Event, EventKind};
/// use petrio_trace::native::About;
/// use petrio_trace::write::{OutputFormat, TraceWriter};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("trace.csv");
/// let mut writer = TraceWriter::create(&path, &Inputs::none(), OutputFormat::EventsCsv, &About::default())?;
/// writer.push(&Event { path: Some("/a".into()), ..Event::new(Time::from_nanos(3), EventKind::Mkdir) })?;
/// assert_eq!(writer.finish()?.written, 1);
/// assert!(std::fs::read_to_string(&path)?.contains("\n3000,mkdir,0,0,0,0,/a,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TraceWriter {
    name: Arc<str>,
    sink: Sink,
    written: Written,
}

/// What became of the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Events that were written.
    pub written: u64,
    /// Events that the format can't hold.
    pub left_out: u64,
}

impl TraceWriter {
    /// Begins a file, in the place of none of those `inputs`. An existing one of that name stays as it is until the new
    /// one is complete.
    ///
    /// # Errors
    /// When it can't be written there.
    pub fn create(
        path: &Path,
        inputs: &Inputs,
        format: OutputFormat,
        about: &About,
    ) -> Result<Self, TraceError> {
        let whole = WholeFile::create(path, inputs)
            .map_err(|source| failed(&path.to_string_lossy().into(), source))?;
        Self::into_file(whole, format, about)
    }

    /// As [`create`](Self::create), into a file that was begun.
    ///
    /// # Errors
    /// As of [`create`](Self::create).
    pub fn into_file(whole: WholeFile, format: OutputFormat, about: &About) -> Result<Self, TraceError> {
        let name: Arc<str> = whole.path().to_string_lossy().into();
        let encoder: Box<dyn Encoder> = match format {
            OutputFormat::Native => {
                let sink = Sink::Native(Box::new(EventWriter::into_file(whole, about)?));
                return Ok(Self { name, sink, written: Written::default() });
            }
            OutputFormat::EventsCsv => Box::new(events_csv::EventsCsv::default()),
            OutputFormat::Petrio => Box::new(block_csv::BlockCsv::default()),
            OutputFormat::Requests => Box::new(requests::Requests::default()),
            OutputFormat::FioIolog => Box::new(fio_iolog::FioIolog::default()),
            OutputFormat::Blkparse => Box::new(blkparse::Blkparse::default()),
            OutputFormat::OracleGeneral => Box::new(oracle_general::OracleGeneral::default()),
        };
        let file = PackedFile::new(whole).map_err(|source| failed(&name, source))?;
        let file = Box::new(BufWriter::new(file));
        Ok(Self { name, sink: Sink::Encoded { encoder, file }, written: Written::default() })
    }

    /// Adds an event; one that the format can't hold is counted.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn push(&mut self, event: &Event) -> Result<(), TraceError> {
        let held = match &mut self.sink {
            Sink::Native(writer) => writer.push(event).map(|()| true)?,
            Sink::Encoded { encoder, file } => {
                encoder.event(event, file).map_err(|source| failed(&self.name, source))?
            }
        };
        if held {
            self.written.written += 1;
        } else {
            self.written.left_out += 1;
        }
        Ok(())
    }

    /// Adds a remark, where the format has room for one.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn note(&mut self, note: String) -> Result<(), TraceError> {
        match &mut self.sink {
            Sink::Native(writer) => writer.note(note),
            Sink::Encoded { encoder, file } => {
                encoder.note(&note, file).map_err(|source| failed(&self.name, source))?;
            }
        }
        Ok(())
    }

    /// Says how many events were lost before they could be recorded, where the format has room for that.
    pub fn set_lost(&mut self, events: u64) {
        if let Sink::Native(writer) = &mut self.sink {
            writer.set_lost(events);
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn finish(self) -> Result<Written, TraceError> {
        match self.sink {
            Sink::Native(writer) => writer.finish()?,
            Sink::Encoded { mut encoder, mut file } => {
                let finish = || -> io::Result<()> {
                    encoder.finish(&mut file)?;
                    file.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
                };
                finish().map_err(|source| failed(&self.name, source))?;
            }
        }
        Ok(self.written)
    }
}

fn failed(name: &Arc<str>, source: io::Error) -> TraceError {
    TraceError::Write { name: name.clone(), source: Box::new(source) }
}
