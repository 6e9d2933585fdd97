//! A specification whose files resemble those of a directory or of a trace, and how much they do.

mod scan;

use petrio_units::numbers::{as_index, whole_part};
pub use scan::ScanError;

use petrio_files::inputs::Inputs;
use petrio_trace::event::{EventKind, FileKey};
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_users::UserSpecification;
use petrio_users::namespace::{Census, PlanError, sample_distance};
use scan::scan;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// A description, and how well it describes.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// The files; nobody who uses them.
    pub specification: UserSpecification,
    /// What the original is like, and what is made from the specification.
    pub likeness: Vec<Likeness>,
    /// What should be known about it.
    pub notes: Vec<String>,
}

/// A figure of the original, and of the same made from the specification with seed 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Likeness {
    /// Of what.
    pub of: &'static str,
    /// The original's.
    pub original: Figures,
    /// What is made.
    pub made: Figures,
    /// The greatest distance of the two distributions.
    pub distance: f64,
}

/// What a sample is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// What nine of ten don't exceed.
    pub p90: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Figures {
    fn of(sorted: &[f64]) -> Self {
        let at = |part: f64| {
            sorted.get(as_index(whole_part(sorted.len() as f64 * part)).min(sorted.len().max(1) - 1))
        };
        Self {
            count: sorted.len() as u64,
            mean: sorted.iter().sum::<f64>() / sorted.len().max(1) as f64,
            median: at(0.5).copied().unwrap_or_default(),
            p90: at(0.9).copied().unwrap_or_default(),
            greatest: sorted.last().copied().unwrap_or_default(),
        }
    }
}

/// Something that can't be described.
#[derive(Debug, Error)]
pub enum DescribeError {
    /// A directory.
    #[error(transparent)]
    Directory(#[from] ScanError),
    /// A trace.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Nothing to describe.
    #[error("there are no files in it")]
    NoFiles,
    /// What was described can't be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Describes a directory.
///
/// # Errors
/// One that can't be read, or has no files.
pub fn describe_directory(
    directory: &Path,
    each_user: bool,
    progress: impl FnMut(u64),
) -> Result<Described, DescribeError> {
    let scanned = scan(directory, each_user, progress)?;
    let mut notes = Vec::new();
    if scanned.others > 0 {
        notes.push(format!("{} links, sockets and the like are left out", scanned.others));
    }
    if let Some(first) = scanned.unreadable.first() {
        let (count, first) = (scanned.unreadable.len(), first.display());
        notes.push(format!("{count} directories can't be read, {first} for one"));
    }
    let users = each_user.then_some(scanned.tops.max(1));
    let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy();
    described(&format!("Files as in {name}"), "a directory", &scanned.census, users, notes)
}

/// A file of a trace.
#[derive(Default)]
struct Seen {
    path: Option<String>,
    size: u64,
    is_made: bool,
    is_written: bool,
}

/// Describes the files that were there before a trace begins, as far as it used them.
///
/// # Errors
/// What is wrong with the trace, or that there are no files in it.
pub fn describe_trace(
    inputs: &Inputs,
    path: &Path,
    options: &TraceOptions,
) -> Result<Described, DescribeError> {
    let mut files: BTreeMap<FileKey, Seen> = BTreeMap::new();
    let mut census = Census::default();
    for event in EventReader::open_in(inputs, path, options)? {
        let event = event?;
        let is_call = !event.kind.is_of_device() && event.kind != EventKind::Exec;
        if event.error != 0 || !is_call || !event.file.is_known() {
            continue;
        }
        if let Some(directory) = event.path.as_deref().and_then(|path| path.strip_suffix('/')) {
            let directory = directory.trim_start_matches('/');
            if !directory.is_empty() {
                census.directory(directory);
            }
            continue;
        }
        let is_new = !files.contains_key(&event.file);
        let file = files.entry(event.file).or_default();
        file.is_made |= is_new && event.kind == EventKind::Create;
        file.is_written |= event.kind == EventKind::Write;
        if file.path.is_none() {
            file.path = event.path.as_deref().map(|path| path.trim_start_matches('/').to_owned());
        }
        let end = event.offset.unwrap_or_default() + event.length;
        let read = if event.kind == EventKind::Read { end } else { 0 };
        // What is written may make it longer than it was.
        file.size = file.size.max(if is_new { event.size.unwrap_or_default() } else { 0 }).max(read);
    }
    let mut without_path = 0_u64;
    for file in files.values().filter(|file| !file.is_made) {
        match &file.path {
            Some(path) => census.file(path, file.size, file.is_written),
            None => {
                without_path += 1;
                census.file_somewhere(file.size, file.is_written);
            }
        }
    }
    let mut notes = Vec::new();
    if without_path > 0 {
        notes.push(format!("of {without_path} files the trace has no path, and so no depth"));
    }
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    described(&format!("Files as in {name}"), "a trace", &census, None, notes)
}

fn described(
    title: &str,
    source: &str,
    census: &Census,
    users: Option<u32>,
    notes: Vec<String>,
) -> Result<Described, DescribeError> {
    if census.files.is_empty() {
        return Err(DescribeError::NoFiles);
    }
    let specification = UserSpecification::like(title, &format!("described from {source}"), census, users);
    let made = Census::of(&specification.namespace(users.unwrap_or(1), 1)?);
    let measures = [
        ("size of a file, bytes", census.sizes(), made.sizes()),
        ("depth of a file", census.depths(), made.depths()),
        ("entries of a directory", census.entries(), made.entries()),
    ];
    let likeness = measures.map(|(of, original, made)| {
        let distance = sample_distance(&original, &made);
        Likeness { of, original: Figures::of(&original), made: Figures::of(&made), distance }
    });
    Ok(Described { specification, likeness: likeness.into(), notes })
}
