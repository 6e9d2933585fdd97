//! Darshan's logs: their container, and the counters in them.
//!
//! A log without extended traces has no single accesses, but of each file how often it was opened, read and written, how many
//! bytes, in which ranges of sizes, how much of it in sequence, and when. They are read from the binary log (`binary.rs`) or from
//! what `darshan-parser` printed of it (`text.rs`). The extended traces are a trace format (`format/darshan_dxt.rs`).
//!
//! Left out: the modules of HDF5, PnetCDF, DAOS, Lustre and others: what these do to files stands in POSIX' counters, too.

mod binary;
pub(crate) mod log;
mod record;
mod text;

pub use record::{FileCounters, Interface, SIZE_ENDS, Span, Transfers, size_range};

use crate::begin::{Opened, opened, read_error};
use crate::compression::{Unpacked, decompressed};
use crate::error::{Fault, Position, TraceError};
use crate::format_name::FormatName;
use crate::input::Input;
use crate::native::Wanted;
use crate::options::TraceOptions;
use petrio_bounds::Headroom;
use petrio_files::inputs::Inputs;
use std::path::Path;

/// What Darshan counted of a job.
#[derive(Debug, Default)]
pub struct DarshanCounters {
    /// Its command line.
    pub command: String,
    /// Processes of the job, each a rank.
    pub processes: u64,
    /// How long it ran, in seconds.
    pub run_time_s: f64,
    /// Of each file, by each process or by all together.
    pub files: Vec<FileCounters>,
    /// Of which calls Darshan had no room to record all files.
    pub incomplete: Vec<Interface>,
    headroom: Headroom,
}

/// What a file of Darshan's is.
#[derive(Debug)]
pub enum DarshanFile {
    /// It has single accesses: a trace.
    Extended,
    /// It has counters alone.
    Counters(Box<DarshanCounters>),
    /// It isn't Darshan's.
    Other,
}

impl DarshanCounters {
    /// Counts one more record, for which there has to be memory.
    fn room(&mut self) -> Result<(), Fault> {
        let before = self.files.len() as u64;
        self.headroom.record().map_err(|cause| Fault::from(TraceError::TooMuch { events: before, cause }))
    }
}

/// Whether some bytes begin a log of Darshan's, or what darshan-parser printed of one.
pub fn begins(bytes: &[u8]) -> bool {
    log::begins(bytes) || text::begins(bytes)
}

fn no_counters() -> Fault {
    log::odd("has neither extended traces nor counters of POSIX, MPI-IO or stdio: the job touched no file")
}

/// Reads what Darshan counted, of its log or of darshan-parser's text, packed or not.
///
/// # Errors
/// A file that can't be opened, and a log or text of Darshan's that can't be read: with place and reason.
pub fn read_in(inputs: &Inputs, path: impl AsRef<Path>) -> Result<DarshanFile, TraceError> {
    // As whatever: it isn't to be read by its end.
    let options = TraceOptions { format: Some(FormatName::DarshanDxt), ..TraceOptions::default() };
    match opened(inputs, path.as_ref(), &options, Wanted::Everything)? {
        (name, Opened::Stream(source)) => {
            let Unpacked { compression, stream, packed } =
                decompressed(source).map_err(|source| TraceError::open(name.clone(), source))?;
            let mut input = Input::new(stream, packed);
            read(&mut input).map_err(|(fault, place)| match fault {
                Fault::Trace(error) => *error,
                Fault::Io(source) => read_error(&name, compression, place, source),
                Fault::Problem(problem) => {
                    TraceError::Record { name: name.clone(), place, format: FormatName::DarshanDxt, problem }
                }
            })
        }
        (_, Opened::Native(_)) => Ok(DarshanFile::Other),
    }
}

/// Reads it from anything: bytes in memory.
///
/// # Errors
/// As of [`read_in`], in words.
pub fn read_bytes(bytes: Vec<u8>) -> Result<DarshanFile, String> {
    let Unpacked { stream, packed, .. } =
        decompressed(Box::new(std::io::Cursor::new(bytes))).map_err(|error| error.to_string())?;
    read(&mut Input::new(stream, packed)).map_err(|(fault, place)| match fault {
        Fault::Trace(error) => error.to_string(),
        Fault::Io(error) => error.to_string(),
        Fault::Problem(problem) => format!("{place}: {problem}"),
    })
}

fn read(input: &mut Input) -> Result<DarshanFile, (Fault, Position)> {
    let head = |fault| (fault, Position::Line(0));
    let (sample, _) = input.sample().map_err(|error| head(Fault::Io(error)))?;
    if log::begins(sample) {
        let file = input.kept_aside().map_err(head)?;
        return from_log(file).map_err(head);
    }
    if !text::begins(sample) {
        return Ok(DarshanFile::Other);
    }
    match text::read(input) {
        Ok(Some(counters)) => Ok(DarshanFile::Counters(Box::new(counters))),
        Ok(None) => Ok(DarshanFile::Extended),
        Err(fault) => Err((fault, Position::Line(input.lines()))),
    }
}

fn from_log(file: std::fs::File) -> Result<DarshanFile, Fault> {
    let mut container = log::Container::open(file.try_clone().map_err(Fault::Io)?)?;
    for module in [log::Module::ExtendedPosix, log::Module::ExtendedMpiIo] {
        if container.module(module)?.is_some() {
            return Ok(DarshanFile::Extended);
        }
    }
    Ok(DarshanFile::Counters(Box::new(binary::read(file)?)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Of the same two files: by a machine with the highest byte first in the first form of all, packed by bzip2 in the newest, unpacked
    /// in one between; and as darshan-parser prints them. pydarshan 3.5 reads the same numbers of the first (it knows zlib alone).
    const LOGS: [&[u8]; 4] = [
        include_bytes!("../../../../fuzz/seeds/darshan-counters"),
        include_bytes!("../../../../fuzz/seeds/darshan-counters-bzip2"),
        include_bytes!("../../../../fuzz/seeds/darshan-counters-plain"),
        include_bytes!("../../../../fuzz/seeds/darshan-parser"),
    ];

    fn counters(bytes: &[u8]) -> DarshanCounters {
        match read_bytes(bytes.to_vec()).unwrap() {
            DarshanFile::Counters(counters) => *counters,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn logs_of_every_form_and_order_of_bytes_say_what_the_text_says() {
        let text = counters(LOGS[3]);
        for log in &LOGS[..3] {
            let log = counters(log);
            assert_eq!((log.processes, log.run_time_s, &log.command[..]), (4, 10.0, "./app -n 4"));
            assert_eq!(log.files, text.files);
        }
        let [shared, own] = &text.files[..] else { panic!("{:?}", text.files) };
        assert_eq!((shared.rank, shared.opens, shared.stats, shared.syncs), (None, 4, 4, 4));
        assert_eq!(
            (shared.write.operations, shared.write.bytes, shared.write.end),
            (256, 1 << 28, Some(1 << 28))
        );
        assert_eq!((shared.write.sequential, shared.write.consecutive), (Some(255), Some(252)));
        assert_eq!((shared.write.span, shared.write.busy_s), (Some(Span { from: 0.75, to: 8.5 }), 12.25));
        assert_eq!(shared.common_sizes, [(1_048_576, 256)]);
        assert_eq!(
            (own.rank, own.path.as_deref(), own.read.operations),
            (Some(2), Some("/home/in put.cfg"), 10)
        );
        assert_eq!(own.read.sizes.unwrap()[..2], [1, 9]);
    }

    #[test]
    fn damage_is_refused_with_a_reason() {
        for log in &LOGS[..3] {
            for cut in [30, 400, log.len() - 3] {
                assert!(!read_bytes(log[..cut].to_vec()).unwrap_err().is_empty(), "{cut}");
            }
        }
        // A rank beyond the processes: the eighth byte of the second record's rank in the unpacked log.
        let mut log = LOGS[2].to_vec();
        let rank = log.len() - (664 - 8);
        log[rank] = 9;
        let problem = read_bytes(log).unwrap_err();
        assert!(problem.contains("rank is 9"), "{problem}");
    }
}
