//! Darshan's binary logs, for the extended traces in them.
//!
//! ```text
//! | version, 8 bytes | magic 6567223 | compression | how much of each module is missing | where the names are | where each module is |
//! | version of each module | job, compressed | names, compressed | modules, compressed |
//! job      user, start, end, processes, number, 1024 bytes of metadata, then the program's command line and the mounts
//! names    a file's number, its path, a zero; and so on
//! module   number of the file, rank, shared, host (64 bytes), writes, reads, then those many times offset, length, start, end
//! ```
//!
//! A compressed region is one zlib stream after another, one for each process that wrote a part. All numbers have 64
//! bits, or are doubles. Which module is the extended trace's depends on the log's version. Source: Darshan's
//! documentation and the headers `darshan-log-format.h` and `darshan-dxt-log-format.h` of its versions 3.1 to 3.4.
//!
//! Left out: every other module, whose counters are no trace; logs of machines with the other order of bytes, logs
//! compressed by bzip2, and versions other than 3.10, 3.20, 3.21 and 3.41: `darshan-dxt-parser` makes text of those,
//! which is read as well.

use super::RawEvent;
use crate::error::{Fault, Problem, printable};
use crate::event::{Event, EventKind, FileKey};
use crate::input::{HARMLESS_BYTES, RATIO_MAX};
use crate::native::About;
use flate2::bufread::ZlibDecoder;
use petrio_time::Time;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::sync::Arc;

/// An event, and whether it was a POSIX call.
pub(super) struct Segment {
    pub(super) posix: bool,
    pub(super) raw: RawEvent,
}

const MAGIC: i64 = 6_567_223;

/// What differs between versions.
#[derive(Clone, Copy)]
struct Version {
    name: &'static [u8],
    /// How many modules there may be.
    modules: usize,
    /// Where the places of the regions begin: behind flags of 32 or of 64 bits.
    places: u64,
    /// Which modules hold the extended traces of POSIX and of MPI-IO.
    posix: usize,
    mpi_io: usize,
    /// Whether a job's times have nanoseconds.
    nanoseconds: bool,
}

const VERSIONS: [Version; 4] = [
    Version { name: b"3.10", modules: 16, places: 24, posix: 8, mpi_io: 9, nanoseconds: false },
    Version { name: b"3.20", modules: 16, places: 24, posix: 9, mpi_io: 10, nanoseconds: false },
    Version { name: b"3.21", modules: 16, places: 24, posix: 9, mpi_io: 10, nanoseconds: false },
    Version { name: b"3.41", modules: 64, places: 32, posix: 10, mpi_io: 11, nanoseconds: true },
];

/// The newest form of an extended trace that is known.
const MODULE_VERSION_MAX: u32 = 2;
/// Longer paths and command lines are nobody's.
const TEXT_MAX: u64 = 1 << 16;
const METADATA_BYTES: u64 = 1_024;
const HOST_BYTES: usize = 64;

/// Whether some bytes begin such a log.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.get(8..16).is_some_and(|magic| magic == MAGIC.to_le_bytes()) && bytes.starts_with(b"3.")
}

/// What a log holds.
pub(super) struct Log {
    /// The extended traces' requests, file by file.
    pub(super) segments: Vec<Segment>,
    /// When the job began, in picoseconds since 1970.
    pub(super) start: u128,
    pub(super) about: About,
}

/// Where a region lies.
#[derive(Clone, Copy)]
struct Region {
    from: u64,
    bytes: u64,
}

/// A region's bytes, decompressed.
struct Unpacked<'a> {
    streams: Option<ZlibDecoder<Take<BufReader<&'a mut File>>>>,
    packed: u64,
    given: u64,
}

fn odd(what: impl Into<String>) -> Fault {
    Problem::Log(what.into()).into()
}

impl<'a> Unpacked<'a> {
    fn open(file: &'a mut File, region: Region) -> Result<Self, Fault> {
        file.seek(SeekFrom::Start(region.from)).map_err(Fault::Io)?;
        let source = BufReader::new(file).take(region.bytes);
        Ok(Self { streams: Some(ZlibDecoder::new(source)), packed: region.bytes, given: 0 })
    }

    /// Fills `bytes`; false where nothing was left.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, Fault> {
        let mut filled = 0;
        while filled < bytes.len() {
            let Some(stream) = &mut self.streams else { break };
            match stream.read(&mut bytes[filled..]) {
                Ok(0) => {
                    // The next stream, if there is one.
                    let mut source = self.streams.take().map(ZlibDecoder::into_inner);
                    let is_more = source
                        .as_mut()
                        .map_or(Ok(false), |source| source.fill_buf().map(|rest| !rest.is_empty()));
                    if is_more.map_err(Fault::Io)? {
                        self.streams = source.map(ZlibDecoder::new);
                    }
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(odd(format!("has a part that can't be decompressed: {error}"))),
            }
        }
        self.given += filled as u64;
        if self.given > HARMLESS_BYTES && self.given / RATIO_MAX > self.packed {
            return Err(Problem::Inflated { bytes: self.given, packed: self.packed }.into());
        }
        match filled {
            0 => Ok(false),
            _ if filled < bytes.len() => Err(Problem::CutOff { found: filled, needed: bytes.len() }.into()),
            _ => Ok(true),
        }
    }

    fn array<const BYTES: usize>(&mut self) -> Result<Option<[u8; BYTES]>, Fault> {
        let mut bytes = [0; BYTES];
        Ok(self.fill(&mut bytes)?.then_some(bytes))
    }

    fn number(&mut self) -> Result<Option<u64>, Fault> {
        Ok(self.array()?.map(u64::from_le_bytes))
    }

    fn needed(&mut self) -> Result<u64, Fault> {
        self.number()?.ok_or_else(|| Problem::CutOff { found: 0, needed: 8 }.into())
    }

    /// Bytes up to `end`, or up to the region's end.
    fn text(&mut self, end: u8) -> Result<String, Fault> {
        let mut text = Vec::new();
        while let Some([byte]) = self.array()? {
            if byte == end {
                break;
            }
            if text.len() as u64 >= TEXT_MAX {
                return Err(odd("has a name of more than 65,536 bytes"));
            }
            text.push(byte);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Reads a log that lies in a file.
pub(super) fn read(mut file: File) -> Result<Log, Fault> {
    let length = file.metadata().map_err(Fault::Io)?.len();
    let mut header = Vec::new();
    file.seek(SeekFrom::Start(0)).map_err(Fault::Io)?;
    file.by_ref().take(32 + 65 * 16 + 64 * 4).read_to_end(&mut header).map_err(Fault::Io)?;
    let name = header.get(..8).unwrap_or_default();
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let version = VERSIONS.iter().find(|version| version.name == name);
    let Some(version) = version.filter(|_| begins(&header)) else {
        let found = printable(name);
        let known = "3.10, 3.20, 3.21 and 3.41 are read, and of others the text of darshan-dxt-parser";
        return Err(odd(format!("has version {found}; {known}")));
    };
    if header.get(16).copied() != Some(0) {
        return Err(odd(
            "is compressed otherwise than by zlib; darshan-convert makes such a log, darshan-dxt-parser text",
        ));
    }
    let region = |index: usize| -> Result<Region, Fault> {
        let at = version.places as usize + index * 16;
        let from = number(&header, at)?;
        let bytes = number(&header, at + 8)?;
        match from.checked_add(bytes) {
            Some(end) if end <= length => Ok(Region { from, bytes }),
            _ => Err(odd("points behind its own end")),
        }
    };
    let end_of_header = version.places as usize + (version.modules + 1) * 16 + version.modules * 4;
    let names = region(0)?;
    let job = Region {
        from: end_of_header as u64,
        bytes: names
            .from
            .checked_sub(end_of_header as u64)
            .ok_or_else(|| odd("has its names before its job"))?,
    };
    let mut log = read_job(&mut file, job, version)?;
    let names = read_names(&mut file, names)?;
    let mut is_there = false;
    for (module, is_posix) in [(version.posix, true), (version.mpi_io, false)] {
        let region = region(module + 1)?;
        if region.bytes == 0 {
            continue;
        }
        is_there = true;
        let at = version.places as usize + (version.modules + 1) * 16 + module * 4;
        let form =
            header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
        if form > MODULE_VERSION_MAX {
            return Err(odd(format!(
                "has an extended trace of form {form}; up to {MODULE_VERSION_MAX} are read"
            )));
        }
        read_module(&mut file, region, is_posix, &names, &mut log)?;
    }
    if !is_there {
        return Err(odd("has no extended trace; record with DXT_ENABLE_IO_TRACE=1 in the job's environment"));
    }
    Ok(log)
}

fn number(header: &[u8], at: usize) -> Result<u64, Fault> {
    let bytes = header.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
    bytes
        .map(u64::from_le_bytes)
        .ok_or_else(|| Problem::CutOff { found: header.len(), needed: at + 8 }.into())
}

fn read_job(file: &mut File, region: Region, version: &Version) -> Result<Log, Fault> {
    let mut job = Unpacked::open(file, region)?;
    let _user = job.needed()?;
    let mut start = u128::from(job.needed()?) * 1_000_000_000_000;
    if version.nanoseconds {
        start += u128::from(job.needed()?) * 1_000;
        let _end_nanoseconds = job.needed()?;
    }
    let (_end, _processes, _number) = (job.needed()?, job.needed()?, job.needed()?);
    for _ in 0..METADATA_BYTES / 8 {
        job.needed()?;
    }
    let about = About { command: job.text(b'\n')?.trim().to_owned(), ..About::default() };
    Ok(Log { segments: Vec::new(), start, about })
}

fn read_names(file: &mut File, region: Region) -> Result<BTreeMap<u64, Arc<str>>, Fault> {
    let mut all = BTreeMap::new();
    if region.bytes > 0 {
        let mut names = Unpacked::open(file, region)?;
        while let Some(number) = names.number()? {
            all.insert(number, names.text(0)?.into());
        }
    }
    Ok(all)
}

fn read_module(
    file: &mut File,
    region: Region,
    posix: bool,
    names: &BTreeMap<u64, Arc<str>>,
    log: &mut Log,
) -> Result<(), Fault> {
    let mut module = Unpacked::open(file, region)?;
    while let Some(number) = module.number()? {
        let rank = module.needed()?.cast_signed();
        let _shared = module.needed()?;
        let host: [u8; HOST_BYTES] =
            module.array()?.ok_or(Problem::CutOff { found: 0, needed: HOST_BYTES })?;
        if log.about.machine.is_empty() {
            let host = host.split(|byte| *byte == 0).next().unwrap_or_default();
            log.about.machine = String::from_utf8_lossy(host).into_owned();
        }
        // -1 stands for all ranks together; zero is nobody.
        let process = u32::try_from(rank.saturating_add(1)).map_err(|_| Problem::TooLarge {
            column: "rank",
            found: rank.to_string(),
            limit: "4294967294",
        })?;
        let (writes, reads) = (module.needed()?, module.needed()?);
        let file = FileKey { inode: number, ..FileKey::UNKNOWN };
        for (kind, count) in [(EventKind::Write, writes), (EventKind::Read, reads)] {
            for _ in 0..count {
                let (offset, length) = (module.needed()?.cast_signed(), module.needed()?);
                let clock = picoseconds(module.needed()?)?;
                let end = picoseconds(module.needed()?)?;
                let service = service(clock, end)?;
                let event = Event {
                    process,
                    file,
                    path: names.get(&number).cloned(),
                    // A collective call has no offset of its own.
                    offset: u64::try_from(offset).ok(),
                    length,
                    service,
                    ..Event::new(Time::ZERO, kind)
                };
                let at = log.segments.len() as u64 + 1;
                log.segments.push(Segment { posix, raw: RawEvent { clock, at, record: event } });
            }
        }
    }
    Ok(())
}

/// How long a call took that was from one time to another, both in picoseconds; unknown, if that is beyond any run.
pub(super) fn service(start: u128, end: u128) -> Result<Option<Time>, Problem> {
    if end < start {
        let by = u64::try_from(start - end).unwrap_or(u64::MAX);
        return Err(Problem::EndsEarly { by: Time::from_picos(by) });
    }
    Ok(u64::try_from(end - start).ok().filter(|&span| span < u64::MAX).map(Time::from_picos))
}

/// Seconds as the bits of a double.
fn picoseconds(bits: u64) -> Result<u128, Fault> {
    let seconds = f64::from_bits(bits);
    // A thousand years are no job's.
    if !(0.0..=3.2e10).contains(&seconds) {
        return Err(odd(format!("has a time of {seconds} s in its extended trace")));
    }
    // To the nanosecond, as the text has it.
    Ok((seconds * 1e9).round() as u128 * 1_000)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::event::Event;
    use crate::{EventReader, FormatName, TraceError, TraceOptions};
    use petrio_time::Time;
    use std::io::Cursor;

    /// Of version 3.41: two files, the second written by another process in a stream of its own.
    const LOG: &[u8] = include_bytes!("../../../../fuzz/seeds/darshan-log");

    fn read(log: &[u8]) -> Result<(EventReader, Vec<Event>), TraceError> {
        let mut reader =
            EventReader::from_reader("memory", Cursor::new(log.to_vec()), &TraceOptions::default())?;
        let events = reader.by_ref().collect::<Result<_, _>>()?;
        Ok((reader, events))
    }

    #[test]
    fn a_log_gives_the_events_that_its_text_gives() {
        let (mut reader, events) = read(LOG).unwrap();
        assert_eq!(reader.format(), FormatName::DarshanDxt);
        let about = reader.about().unwrap();
        assert_eq!((&about.command[..], &about.machine[..]), ("./job -a", "node7"));
        assert_eq!(about.origin_unix_ns, Some(1_515_172_800_500_000_000));
        assert_eq!((events[0].path.as_deref(), events[0].process), (Some("/data/two words"), 2));
        assert_eq!(
            (events[1].time, events[1].service),
            (Time::from_millis(250), Some(Time::from_micros(3_200)))
        );
        assert_eq!((events[2].offset, events[2].length, events[2].file.inode), (Some(4_096), 512, 77));
        assert_eq!((events.len(), reader.summary().left_out.other_events), (3, 1));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_what_to_do() {
        let changed = |at: usize, byte: u8| {
            let mut log = LOG.to_vec();
            log[at] = byte;
            read(&log).map(|_| ()).unwrap_err().to_string()
        };
        assert!(changed(3, b'9').contains("3.49"), "{}", changed(3, b'9'));
        assert!(changed(16, 1).contains("darshan-convert"));
        // The sizes of both modules: no extended trace is left.
        let mut without = LOG.to_vec();
        for module in [10, 11] {
            let at = 32 + (module + 1) * 16 + 8;
            without[at..at + 8].fill(0);
        }
        assert!(read(&without).map(|_| ()).unwrap_err().to_string().contains("DXT_ENABLE_IO_TRACE"));
        // Where the names are: behind the end.
        assert!(changed(38, 1).contains("behind its own end"));
        // The first byte of a compressed region, and a file that is cut off.
        assert!(read(&LOG[..LOG.len() - 20]).is_err());
        assert!(changed(1_328, 0xff).contains("decompressed"), "{}", changed(1_328, 0xff));
    }
}
