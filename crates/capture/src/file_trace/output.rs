//! The trace's files: one, or numbered ones that begin anew by size or by time, each complete or absent.
//!
//! Paths become known late: a name is looked for when the calls on its file are long over. So the latest events are
//! held back, and a file whose earlier ones lack some is read again when it is complete, and written with them.

use crate::recorder::CaptureError;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file::WholeFile;
use petrio_time::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind, FileKey};
use petrio_trace::native::{About, EventWriter, NativeReader};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// When a new file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// After this many bytes.
    Bytes(u64),
    /// After this time.
    Every(Time),
}

/// Events that are held back; some 30 MB.
const HELD_MAX: usize = 100_000;

/// The files.
pub(crate) struct Output {
    path: PathBuf,
    rotation: Option<Rotation>,
    about: About,
    /// Whether they are for this user alone.
    is_private: bool,
    number: u32,
    current: Option<Current>,
    /// The files that are complete.
    pub(crate) complete: Vec<PathBuf>,
    /// Events in all of them.
    pub(crate) events: u64,
    /// The kernel's losses at the beginning of the current file.
    lost_before: u64,
}

struct Current {
    path: PathBuf,
    writer: EventWriter,
    began: Time,
    /// Events that wait for names, in order.
    held: VecDeque<Event>,
    /// Files that have been given their path in this file.
    named: FxHashSet<FileKey>,
    /// Files whose path isn't known yet.
    unnamed: FxHashSet<FileKey>,
}

/// "trace.parquet" becomes "trace-0003.parquet".
pub(crate) fn numbered(path: &Path, number: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or_else(String::new, |text| format!(".{}", text.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number:04}{extension}"))
}

impl Output {
    /// Begins. Numbered files go on behind those that are there.
    ///
    /// # Errors
    /// When the first file can't be written there.
    pub(crate) fn create(
        path: &Path,
        rotation: Option<Rotation>,
        about: About,
        is_private: bool,
    ) -> Result<Self, CaptureError> {
        let mut number = 1;
        while rotation.is_some() && numbered(path, number).exists() {
            number += 1;
        }
        let mut output = Self {
            path: path.to_owned(),
            rotation,
            about,
            is_private,
            number,
            current: None,
            complete: Vec::new(),
            events: 0,
            lost_before: 0,
        };
        output.begin(Time::ZERO)?;
        Ok(output)
    }

    fn begin(&mut self, began: Time) -> Result<(), CaptureError> {
        let path = match self.rotation {
            Some(_) => numbered(&self.path, self.number),
            None => self.path.clone(),
        };
        // What is captured are calls: no file is read for it.
        let begin = if self.is_private { WholeFile::private } else { WholeFile::create };
        let writer = begun(begin(&path, &Inputs::none()), &path, &self.about)?;
        let (named, unnamed) = (FxHashSet::default(), FxHashSet::default());
        let held = VecDeque::new();
        self.current = Some(Current { path, writer, began, held, named, unnamed });
        Ok(())
    }

    /// Adds an event. The first of each file has its path, and those that concern names.
    ///
    /// # Errors
    /// When the file can't be written.
    pub(crate) fn push(
        &mut self,
        event: Event,
        name: impl FnMut(FileKey) -> Option<Arc<str>>,
    ) -> Result<(), CaptureError> {
        let Some(current) = &mut self.current else { return Ok(()) };
        self.events += 1;
        current.held.push_back(event);
        if current.held.len() > HELD_MAX { current.write_first(name) } else { Ok(()) }
    }

    /// Whether it is time for the next file, now.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        let Some(current) = &self.current else { return false };
        match self.rotation {
            Some(Rotation::Bytes(bytes)) => current.writer.bytes() >= bytes,
            Some(Rotation::Every(time)) => now.saturating_sub(current.began) >= time,
            None => false,
        }
    }

    /// Files whose path isn't known yet.
    pub(crate) fn unnamed(&self, mut name: impl FnMut(FileKey) -> Option<Arc<str>>) -> FxHashSet<FileKey> {
        let Some(current) = &self.current else { return FxHashSet::default() };
        let held = current.held.iter().filter(|event| event.path.is_none()).map(|event| event.file);
        let files: FxHashSet<FileKey> =
            held.chain(current.unnamed.iter().copied()).filter(|file| file.is_known()).collect();
        files.into_iter().filter(|file| name(*file).is_none()).collect()
    }

    /// Completes the current file; gives back which it is.
    ///
    /// # Errors
    /// When it can't be written.
    pub(crate) fn complete(
        &mut self,
        lost: u64,
        notes: &[String],
        mut name: impl FnMut(FileKey) -> Option<Arc<str>>,
    ) -> Result<Option<PathBuf>, CaptureError> {
        let Some(mut current) = self.current.take() else { return Ok(None) };
        while !current.held.is_empty() {
            current.write_first(&mut name)?;
        }
        current.writer.set_lost(lost - self.lost_before);
        self.lost_before = lost;
        for note in notes {
            current.writer.note(note.clone());
        }
        current.writer.finish().map_err(CaptureError::from)?;
        if current.unnamed.iter().any(|file| name(*file).is_some()) {
            write_again(&current.path, self.is_private, name)?;
        }
        self.complete.push(current.path.clone());
        self.number += 1;
        Ok(Some(current.path))
    }

    /// Begins the next file.
    ///
    /// # Errors
    /// When it can't be written.
    pub(crate) fn next(&mut self, now: Time) -> Result<(), CaptureError> {
        self.begin(now)
    }
}

impl Current {
    /// Writes the first of the events that are held.
    fn write_first(&mut self, mut name: impl FnMut(FileKey) -> Option<Arc<str>>) -> Result<(), CaptureError> {
        let Some(mut event) = self.held.pop_front() else { return Ok(()) };
        if event.file.is_known() && event.path.is_none() && wants_path(&event, &mut self.named) {
            event.path = name(event.file);
            if event.path.is_none() {
                self.named.remove(&event.file);
                self.unnamed.insert(event.file);
            }
        }
        self.writer.push(&event).map_err(CaptureError::from)
    }
}

/// Whether an event should have its file's path: those on names do, of the others the first of each file.
fn wants_path(event: &Event, named: &mut FxHashSet<FileKey>) -> bool {
    let is_first = named.insert(event.file);
    is_first
        || matches!(
            event.kind,
            EventKind::Exec | EventKind::Create | EventKind::Open | EventKind::Close | EventKind::Unlink
        )
}

fn begun(whole: io::Result<WholeFile>, path: &Path, about: &About) -> Result<EventWriter, CaptureError> {
    let failed = |source| TraceError::Write { name: path.to_string_lossy().into(), source: Box::new(source) };
    let writer = whole.map_err(failed).and_then(|whole| EventWriter::into_file(whole, about));
    writer.map_err(CaptureError::from)
}

/// Writes a file anew with the paths that are known by now.
fn write_again(
    path: &Path,
    is_private: bool,
    mut name: impl FnMut(FileKey) -> Option<Arc<str>>,
) -> Result<(), CaptureError> {
    let reader = NativeReader::open(path).map_err(CaptureError::from)?;
    let begin = if is_private { WholeFile::replace_privately } else { WholeFile::replace };
    let mut writer = begun(begin(path), path, reader.about())?;
    let mut named = FxHashSet::default();
    for event in reader {
        let mut event = event.map_err(CaptureError::from)?;
        if event.file.is_known() && wants_path(&event, &mut named) && event.path.is_none() {
            event.path = name(event.file);
        }
        writer.push(&event).map_err(CaptureError::from)?;
    }
    writer.finish().map_err(CaptureError::from)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn event(time: u64, kind: EventKind, inode: u64) -> Event {
        let file = FileKey { device: 1, inode, generation: 0 };
        Event { file, ..Event::new(Time::from_nanos(time), kind) }
    }

    fn read(path: &Path) -> Vec<Event> {
        NativeReader::open(path).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn names_that_come_late_are_in_the_file_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.parquet");
        let mut output = Output::create(&path, None, About::default(), false).unwrap();
        for (time, kind) in [(1, EventKind::Read), (2, EventKind::Read), (3, EventKind::Close)] {
            output.push(event(time, kind, 7), |_| None).unwrap();
            // The first is written before its name is known.
            if time == 1 {
                output.current.as_mut().unwrap().write_first(|_| None).unwrap();
            }
        }
        assert_eq!(output.unnamed(|_| None), [event(1, EventKind::Read, 7).file].into_iter().collect());
        output.complete(3, &["a note".to_owned()], |_| Some("/a".into())).unwrap();
        assert!(read(&path).into_iter().all(|event| event.path.as_deref() == Some("/a")));
        let about = NativeReader::open(&path).unwrap().about().clone();
        assert_eq!((about.lost, about.notes), (3, vec!["a note".to_owned()]));
    }

    #[test]
    fn files_are_numbered_behind_those_that_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.parquet");
        std::fs::write(folder.path().join("trace-0001.parquet"), "").unwrap();
        let rotation = Some(Rotation::Every(Time::from_nanos(10)));
        let mut output = Output::create(&path, rotation, About::default(), false).unwrap();
        output.push(event(1, EventKind::Read, 7), |_| None).unwrap();
        assert!(!output.is_due(Time::from_nanos(9)));
        assert!(output.is_due(Time::from_nanos(10)));
        output.complete(2, &[], |_| None).unwrap();
        output.next(Time::from_nanos(10)).unwrap();
        output.push(event(11, EventKind::Read, 7), |_| None).unwrap();
        output.complete(5, &[], |_| None).unwrap();
        assert_eq!(output.complete, [2, 3].map(|number| numbered(&path, number)));
        // Each file tells what was lost in its own time.
        assert_eq!(NativeReader::open(&output.complete[1]).unwrap().about().lost, 3);
    }
}
