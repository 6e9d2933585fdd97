//! What several tests need: the validation data, and small traces of every format.

use petrio_trace::event::Event;
use petrio_trace::{BlockRecord, EventReader, FormatName, TraceError, TraceOptions, TraceReader};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// A file of the validation data, or `None` with a word on what is skipped.
pub(crate) fn data(test: &str, file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PETRIO_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join(file);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: {test} needs {}", path.display());
    None
}

/// All records of a trace that is sound.
pub(crate) fn read(path: &PathBuf) -> (TraceReader, Vec<BlockRecord>) {
    let mut reader = TraceReader::open(path, &TraceOptions::default()).unwrap();
    let records = reader.by_ref().collect::<Result<_, _>>().unwrap();
    (reader, records)
}

pub(crate) fn options(format: FormatName) -> TraceOptions {
    TraceOptions { format: Some(format), ..TraceOptions::default() }
}

/// The formats that a block trace can be in.
pub(crate) fn block_formats() -> impl Iterator<Item = FormatName> {
    FormatName::ALL.into_iter().filter(|format| !format.is_of_calls())
}

/// Reads bytes as events to their end, or to the first error.
pub(crate) fn read_events(bytes: &[u8], options: &TraceOptions) -> Result<Vec<Event>, TraceError> {
    EventReader::from_reader("memory", Cursor::new(bytes.to_vec()), options)?.collect()
}

/// Reads bytes to their end, or to the first error.
pub(crate) fn read_bytes(bytes: &[u8], options: &TraceOptions) -> Result<Vec<BlockRecord>, TraceError> {
    TraceReader::from_reader("memory", Cursor::new(bytes.to_vec()), options)?.collect()
}

/// A small sound trace of each format; these are what fuzzing begins with, too.
pub(crate) fn sound(format: FormatName) -> Vec<u8> {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds");
    std::fs::read(Path::new(seeds).join(format.to_string())).unwrap()
}
