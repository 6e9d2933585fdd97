//! Measurements: what another program measured on a real system, read from what it printed, to be held against a prediction.
//!
//! | format | what is read | source |
//! | --- | --- | --- |
//! | iozone | its screen: the table, throughput mode (`-t`, `-l`, `-u`), the tables of `-R`; kB/s, `-O`, `-N` | iozone.c 3.489 |
//! | fio | the JSON of `--output-format=json` and `json+`, with whatever text stands around it; fio 2's units too | fio 3.33, stat.c |
//!
//! Older iozones write Kbytes and KB for the same kB of 1,024 bytes.
//!
//! ```
//! use petrio_workload::measurement::{Figure, Measurement};
//! let screen = "
//!     Output is in kBytes/sec
//!               kB  reclen    write  rewrite    read    reread
//!               64       4   203000   987654  2923952  3791156
//! iozone test complete.";
//! let measured = Measurement::read(screen.as_bytes())?;
//! assert_eq!(measured.rows.len(), 4);
//! assert_eq!((measured.rows[2].name.as_str(), measured.rows[2].record), ("read", Some(4096)));
//! assert_eq!(measured.rows[2].figures, [(Figure::Throughput, 2_923_952.0 * 1024.0)]);
//! # Ok::<(), petrio_workload::measurement::MeasurementError>(())
//! ```
//!
//! Left out: fio's terse and normal output (they round), its latency logs, and iozone's binary sheets (`-b`), whose numbers `-R` prints,
//! too.

mod fio;
mod iozone;

pub use fio::fio_job_file;

use miette::Diagnostic;
use serde::Serialize;
use std::fmt;
use thiserror::Error;

/// A measurement has no more bytes.
pub const BYTES_MAX: u64 = 64 << 20;
/// A measurement has no more rows: all sizes and records of iozone's automatic mode are fewer.
const ROWS_MAX: usize = 1 << 16;

/// Whose output it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// iozone's screen, with or without `-R`.
    Iozone,
    /// fio's JSON.
    Fio,
}

/// What is known of a format.
struct Facts {
    format: Format,
    name: &'static str,
    /// What of it is read, for help.
    what: &'static str,
    /// Whether a text is of it.
    is: fn(&str) -> bool,
    read: fn(&str) -> Result<Measurement, MeasurementError>,
}

/// All formats: recognition, help and messages follow this list.
const FORMATS: [Facts; 2] = [
    Facts {
        format: Format::Fio,
        name: "fio",
        what: "the JSON of fio --output-format=json or json+",
        is: fio::is_it,
        read: fio::read,
    },
    Facts {
        format: Format::Iozone,
        name: "iozone",
        what: "the screen of iozone, a table or throughput mode (-t), or the tables of -R",
        is: iozone::is_it,
        read: iozone::read,
    },
];

impl Format {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|facts| facts.format)
    }

    /// The format of a text; `None` where it is no measurement that is read here.
    pub fn of(text: &str) -> Option<Self> {
        FORMATS.iter().find(|facts| (facts.is)(text)).map(|facts| facts.format)
    }

    fn facts(self) -> &'static Facts {
        FORMATS.iter().find(|facts| facts.format == self).unwrap_or(&FORMATS[0])
    }

    /// Its name: that of the program.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// What of it is read, in words.
    pub fn what(self) -> &'static str {
        self.facts().what
    }
}

/// What formats are read, in a sentence.
pub fn formats_in_words() -> String {
    let words: Vec<&str> = FORMATS.iter().map(|facts| facts.what).collect();
    words.join("; ")
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Whose output it was read from.
    pub format: Format,
    /// The figures, a row for each test or job and kind, in the order of the output.
    pub rows: Vec<Row>,
    /// What was in it and isn't among the rows, or may not be trusted.
    pub remarks: Vec<String>,
}

/// Which of a job's requests a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// All that move data: an iozone test has but one kind.
    Accesses,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// What makes durable: fsync, fdatasync, flushes.
    Sync,
}

impl Kind {
    /// The word for a table; nothing of a test that has but one kind.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accesses => "",
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "sync",
        }
    }
}

/// What of a row was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// Bytes a second.
    Throughput,
    /// Requests a second.
    Rate,
    /// The mean latency, seconds: from submission to completion.
    MeanLatency,
    /// The latency that this part of the requests doesn't exceed, seconds; the part is 0 to 1.
    Latency(f64),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Throughput => f.write_str("throughput"),
            Self::Rate => f.write_str("rate"),
            Self::MeanLatency => f.write_str("mean latency"),
            Self::Latency(part) => {
                let per_cent = format!("{:.4}", part * 100.0);
                write!(f, "p{} latency", per_cent.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

/// A test of iozone's with its file size and record, or a job of fio's and a kind of request.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// iozone's test, as the workload that plays it is called ("random-read"), or fio's job.
    pub name: String,
    /// Which of its requests.
    pub kind: Kind,
    /// Bytes of a file, where it is said.
    pub file_size: Option<u64>,
    /// Bytes of an access, where it is said.
    pub record: Option<u64>,
    /// How many processes did it, where it is said.
    pub processes: Option<u32>,
    /// How many accesses each had in flight, where it is said.
    pub depth: Option<u32>,
    /// Whether it went past the page cache, where it is said.
    pub direct: Option<bool>,
    /// Whether places were random, where it is said.
    pub random: Option<bool>,
    /// What was measured, in bytes, requests, seconds.
    pub figures: Vec<(Figure, f64)>,
}

/// An output that can't be read, or in which nothing was measured.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("{}{problem}", .line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct MeasurementError {
    /// The line, from 1, where it is one line's fault.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

impl Row {
    /// Its value of a figure.
    pub fn figure(&self, wanted: Figure) -> Option<f64> {
        self.figures.iter().find(|(figure, _)| *figure == wanted).map(|(_, value)| *value)
    }

    /// How many accesses were in flight at a time, of all processes.
    pub fn in_flight(&self) -> Option<u32> {
        self.depth?.checked_mul(self.processes?)
    }
}

impl MeasurementError {
    pub(crate) fn of(problem: impl Into<String>) -> Self {
        Self { line: None, problem: problem.into(), help: None }
    }

    pub(crate) fn at(line: usize, problem: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::of(problem) }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// How the sheets begin that iozone -b writes: BIFF 2's and later ones' first record.
const SHEETS: [&[u8]; 3] = [&[0x09, 0x00, 0x04, 0x00], &[0x09, 0x02], &[0x09, 0x08]];

impl Measurement {
    /// Reads an output, of whichever format it is.
    ///
    /// # Errors
    /// It is of none of the formats, damaged, or nothing was measured in it.
    pub fn read(bytes: &[u8]) -> Result<Self, MeasurementError> {
        if bytes.len() as u64 > BYTES_MAX {
            return Err(MeasurementError::of(format!("it is longer than {} MiB", BYTES_MAX >> 20))
                .with_help("give the output of one run"));
        }
        if SHEETS.iter().any(|sheet| bytes.starts_with(sheet)) {
            return Err(MeasurementError::of("it is a binary sheet, as iozone -b writes it")
                .with_help("give what iozone printed: its screen, or with -R the same tables as text"));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            MeasurementError::at(line, "it isn't text (UTF-8)").with_help(unknown_help())
        })?;
        let Some(format) = Format::of(text) else {
            return Err(
                MeasurementError::of("it is no measurement that is read here").with_help(unknown_help())
            );
        };
        let measured = (format.facts().read)(text)?;
        if measured.rows.len() > ROWS_MAX {
            return Err(MeasurementError::of(format!("there are more than {ROWS_MAX} figures in it"))
                .with_help("give the output of one run"));
        }
        Ok(measured)
    }
}

fn unknown_help() -> String {
    format!("read are: {}", formats_in_words())
}

#[cfg(test)]
mod tests;
