//! Requests to files without arrival times, a line each: iozone's offset files and petrio's own columns.
//!
//! | format | a line | from |
//! | --- | --- | --- |
//! | `columns` | as the first line says, separated by commas: `offset_bytes,length_bytes,operation` and any of `file`, `process`, `think_us`, `response_us` | petrio's own |
//! | `plain` | offset in bytes, length in bytes, `R` or `W`; blanks or commas between them | a system-call trace cut to its columns |
//! | `telemetry` | offset in bytes, length in bytes, and (or not) milliseconds to wait before | iozone -Y and -X |
//! | `latency-log` | offset in kB, latency in µs, length in bytes, under a heading | iozone -Q |
//!
//! In a heading, `offset` and `length` are in `bytes`, `kib` or `blocks` (512 bytes), `think` (the time before the
//! request in which its process computes) and `response` (how long it took where it was captured) in `s`, `ms`, `us` or
//! `ns`. An operation is `R`, `W` (or `read`, `write`), `F` (`fsync`) or `D` (`fdatasync`). `file` and `process` are
//! numbers. Lines that begin with `#` and empty ones are left out, and files may be packed with gzip, bzip2, xz or zstandard.
//!
//! ```
//! use petrio_trace::requests::{RequestFormat, RequestReader};
//! let text = "offset_bytes,length_kib,operation,think_ms\n0,64,R,0\n65536,64,W,2.5\n";
//! let mut reader = RequestReader::new("memory", Box::new(text.as_bytes()), None, None)?;
//! assert_eq!(reader.format(), RequestFormat::Columns);
//! let second = reader.nth(1).unwrap()?;
//! assert_eq!((second.offset, second.length), (65_536, 65_536));
//! assert_eq!(second.think.unwrap().to_string(), "2.500 ms");
//! # Ok::<(), petrio_trace::requests::RequestError>(())
//! ```
//!
//! An [`EventReader`](crate::EventReader) gives these lines a clock and reads them as events.

mod error;
mod format;
mod reader;
mod record;

pub use error::RequestError;
pub(crate) use format::Layout;
pub use format::{RequestFormat, RequestOperation};
pub use reader::RequestReader;
pub use record::RequestRecord;
