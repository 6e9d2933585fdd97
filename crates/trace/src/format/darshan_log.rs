//! Darshan's binary logs, for the extended traces in them.
//!
//! ```text
//! module   number of the file, rank, shared, host (64 bytes), writes, reads, then those many times offset, length, start, end
//! ```
//!
//! The container is read by [`crate::darshan::log`]. Source: `darshan-dxt-log-format.h` of Darshan 3.1 to 3.5.
//!
//! Left out: every other module, whose counters are no trace ([`crate::darshan`] reads them).

use super::RawEvent;
use crate::darshan::log::{Container, Module, Unpacked, odd};
use crate::error::{Fault, Problem};
use crate::event::{Event, EventKind, FileKey};
use crate::native::About;
use petrio_time::Time;
use petrio_units::numbers::wide_whole_part;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

pub(super) use crate::darshan::log::begins;

/// An event, and whether it was a POSIX call.
pub(super) struct Segment {
    pub(super) posix: bool,
    pub(super) raw: RawEvent,
}

/// The newest form of an extended trace that is known.
const MODULE_VERSION_MAX: u32 = 2;
const HOST_BYTES: usize = 64;

/// What a log holds.
pub(super) struct Log {
    /// The extended traces' requests, file by file.
    pub(super) segments: Vec<Segment>,
    /// When the job began, in picoseconds since 1970.
    pub(super) start: u128,
    pub(super) about: About,
}

/// Reads a log that lies in a file.
pub(super) fn read(file: File) -> Result<Log, Fault> {
    let mut container = Container::open(file)?;
    let job = container.job()?;
    let about = About { command: job.command, ..About::default() };
    let mut log = Log { segments: Vec::new(), start: job.start * 1_000, about };
    let names = container.names()?;
    let mut is_there = false;
    for (module, is_posix) in [(Module::ExtendedPosix, true), (Module::ExtendedMpiIo, false)] {
        let Some((form, records)) = container.module(module)? else { continue };
        is_there = true;
        if form > MODULE_VERSION_MAX {
            return Err(odd(format!(
                "has an extended trace of form {form}; up to {MODULE_VERSION_MAX} are read"
            )));
        }
        read_module(records, is_posix, &names, &mut log)?;
    }
    if !is_there {
        return Err(odd(
            "has no extended trace (DXT_ENABLE_IO_TRACE=1 in the job's environment records one): petrio init --from makes a program of \
             its counters",
        ));
    }
    Ok(log)
}

fn read_module(
    mut module: Unpacked<'_>,
    posix: bool,
    names: &BTreeMap<u64, Arc<str>>,
    log: &mut Log,
) -> Result<(), Fault> {
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
    Ok(wide_whole_part((seconds * 1e9).round()) * 1_000)
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
        assert!(changed(16, 3).contains("darshan-convert"));
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
