//! How every trace is begun: opened, unpacked, its format told from its content.

use super::compression::{Compression, Count, Unpacked, decompressed};
use super::detect::detect;
use super::error::{Fault, Position, Problem, TraceError, printable};
use super::format::{FormatName, Sample};
use super::input::Input;
use super::native::{MAGIC, NativeReader, Wanted};
use super::options::TraceOptions;
use super::recording::{RECORDING, of_recording};
use petrio_files::inputs::{Inputs, Source};
use petrio_files::shown;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;

/// A file that is open.
pub(crate) enum Opened {
    /// petrio's own trace file, uncompressed: read where it lies, so that memory doesn't grow with its length.
    Native(Box<NativeReader>),
    /// Any other, from its beginning.
    Stream(Box<dyn Read + Send>),
}

/// Opens a file as its content (or `options`) says that it is to be read. Of petrio's own, what is `wanted` is read.
pub(crate) fn opened(
    inputs: &Inputs,
    path: &Path,
    options: &TraceOptions,
    wanted: Wanted,
) -> Result<(Arc<str>, Opened), TraceError> {
    let whole = inputs.path_of(path);
    let whole = if inputs.holds(path) { Cow::Borrowed(whole.as_path()) } else { of_recording(&whole) };
    let name: Arc<str> = shown::path(&whole).to_string().into();
    // A recording's folder stands for the trace in it.
    let inside = path.join(RECORDING);
    let path = if matches!(whole, Cow::Owned(_)) { inside.as_path() } else { path };
    let begun = match inputs.open(path).and_then(begun) {
        Err(source) => return Err(TraceError::open(name, source)),
        Ok(Begun::Native(file)) if options.format.is_some_and(|format| format != FormatName::Native) => {
            Opened::Stream(Box::new(file))
        }
        Ok(Begun::Native(file)) => {
            Opened::Native(Box::new(NativeReader::of_file(name.clone(), file, wanted)?))
        }
        Ok(Begun::Kept(bytes)) => match options.format {
            Some(format) if format != FormatName::Native => Opened::Stream(Box::new(Cursor::new(bytes))),
            _ => Opened::Native(Box::new(NativeReader::of_bytes(name.clone(), bytes, wanted)?)),
        },
        Ok(Begun::Stream(stream)) => Opened::Stream(stream),
    };
    Ok((name, begun))
}

/// A file as its first bytes have it.
enum Begun {
    Native(File),
    /// petrio's own as well, in memory.
    Kept(Arc<[u8]>),
    Stream(Box<dyn Read + Send>),
}

/// Looks whether a file has to be read from its end.
fn begun(source: Source) -> io::Result<Begun> {
    let mut file = match source {
        Source::File(file) => file,
        Source::Kept(kept) if kept.get_ref().starts_with(MAGIC) => return Ok(Begun::Kept(kept.into_inner())),
        kept @ Source::Kept(_) => return Ok(Begun::Stream(Box::new(kept))),
    };
    let mut start = Vec::with_capacity(MAGIC.len());
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    // A pipe can't be sought in.
    if start == MAGIC && file.rewind().is_ok() {
        return Ok(Begun::Native(file));
    }
    Ok(Begun::Stream(Box::new(Cursor::new(start).chain(file))))
}

/// A trace of which nothing was read yet, but that it was looked at.
pub(crate) struct Stream {
    pub(crate) name: Arc<str>,
    pub(crate) compression: Compression,
    pub(crate) input: Input,
    pub(crate) format: FormatName,
}

impl Stream {
    /// Unpacks and tells the format.
    pub(crate) fn new(
        name: Arc<str>,
        source: impl Read + Send + 'static,
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let Unpacked { compression, stream, packed } =
            decompressed(Box::new(source)).map_err(|source| TraceError::open(name.clone(), source))?;
        let stream = match &options.own {
            None => stream,
            Some(own) => match own.rewritten(stream) {
                Err(source) => return Err(read_error(&name, compression, Position::Byte(0), source)),
                Ok(Ok(stream)) => stream,
                Ok(Err(problem)) => {
                    let (place, format) = (Position::Line(1), FormatName::Petrio);
                    return Err(TraceError::Record { name, place, format, problem });
                }
            },
        };
        let mut input = Input::new(stream, packed);
        const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];
        let begins_with_mark = |input: &mut Input| Ok(input.sample()?.0.starts_with(BYTE_ORDER_MARK));
        let failed = |source| read_error(&name, compression, Position::Byte(0), source);
        if begins_with_mark(&mut input).map_err(failed)? {
            input.skip(BYTE_ORDER_MARK.len());
        }
        let (bytes, whole_file) = input.sample().map_err(failed)?;
        if bytes.is_empty() {
            return Err(TraceError::Empty { name });
        }
        let format = match options.format {
            _ if options.own.is_some() => FormatName::Petrio,
            Some(forced) => forced,
            None => detect(&name, &Sample::new(bytes, whole_file))?,
        };
        Ok(Self { name, compression, input, format })
    }

    /// A file of petrio's own, which is read past this stream.
    pub(crate) fn native(name: Arc<str>) -> Self {
        let input = Input::new(Box::new(io::empty()), Count::default());
        Self { name, compression: Compression::None, input, format: FormatName::Native }
    }

    /// A parser, chosen by how the content begins.
    pub(crate) fn parser<T>(
        &mut self,
        choose: impl FnOnce(&Sample<'_>, &Arc<str>, FormatName) -> Result<T, TraceError>,
    ) -> Result<T, TraceError> {
        let (bytes, whole_file) = self
            .input
            .sample()
            .map_err(|source| read_error(&self.name, self.compression, Position::Byte(0), source))?;
        choose(&Sample::new(bytes, whole_file), &self.name, self.format)
    }

    /// How far it was read.
    pub(crate) fn here(&self) -> Position {
        self.format.facts().places.here(&self.input)
    }

    /// What is wrong with the record at a place.
    pub(crate) fn problem(&self, at: u64, problem: Problem) -> TraceError {
        let place = self.format.facts().places.at(at);
        TraceError::Record { name: self.name.clone(), place, format: self.format, problem }
    }

    /// A parser's report, with the file and the place.
    pub(crate) fn fault(&self, fault: Fault) -> TraceError {
        match fault {
            Fault::Problem(problem) => {
                let (name, place) = (self.name.clone(), self.here());
                TraceError::Record { name, place, format: self.format, problem }
            }
            Fault::Trace(error) => *error,
            Fault::Io(source) => read_error(&self.name, self.compression, self.here(), source),
        }
    }

    /// Nothing in it, or nothing of what was asked for.
    pub(crate) fn without_records(&self, only_device: Option<&str>) -> TraceError {
        let lines = match (only_device, self.here()) {
            (Some(device), _) => format!("it to device {}", printable(device.as_bytes())),
            (None, Position::Line(count)) => format!("its {count} lines"),
            (None, Position::Byte(count)) => format!("its {count} bytes"),
            (None, Position::Row(count)) => format!("its {count} rows"),
        };
        TraceError::NoRecords { name: self.name.clone(), format: self.format, lines }
    }
}

/// A decompressor's complaint about missing input is a truncated file; any other is damage.
pub(crate) fn read_error(
    name: &Arc<str>,
    compression: Compression,
    place: Position,
    source: io::Error,
) -> TraceError {
    let name = name.clone();
    match (compression, source.kind()) {
        (
            Compression::Gzip | Compression::Bzip2 | Compression::Xz | Compression::Zstandard,
            io::ErrorKind::UnexpectedEof,
        ) => TraceError::Truncated { name, place, compression: compression.name() },
        _ => TraceError::Read { name, place, source },
    }
}
