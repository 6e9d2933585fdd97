//! What the recorder leaves of a program: raw records, of which a recording is made.

use super::{Reader, Verdict, reason};
use crate::samples::seed;
use petrio_record::{FILE, convert};
use petrio_trace::native::NativeReader;

pub(super) fn readers() -> Vec<Reader> {
    vec![Reader { name: "raw_records", read: raw_records, samples: || vec![seed("raw-records")] }]
}

/// A recording is made of them; where it can be read, it has as many events as were counted.
fn raw_records(bytes: &[u8]) -> Verdict {
    let folder = tempfile::tempdir().map_err(|error| reason(&error))?;
    std::fs::write(folder.path().join("7.7.1.raw"), bytes).map_err(|error| reason(&error))?;
    let out = folder.path().join(FILE);
    let told = convert(folder.path(), &out, "program", None, Vec::new()).map_err(|error| reason(&error))?;
    let events = NativeReader::open(&out).map_err(|error| reason(&error))?;
    // Times of damaged records may be beyond all that a trace can say.
    let read = events.collect::<Result<Vec<_>, _>>().map_err(|error| reason(&error))?;
    assert_eq!(read.len() as u64, told.events, "as many events as were counted");
    assert!(told.accesses <= told.events && told.messages <= told.events);
    Ok(())
}
