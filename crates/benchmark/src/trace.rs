//! The speed of reading and characterising traces, and the memory that it takes.
//!
//! A trace of so many records is written to a temporary file of petrio's own format and read back: decompressed only
//! (the limit of whatever reads it), read as events, read and characterised in one thread, and in two. One thread's
//! figures are by its time on the processor, where Linux tells it, so that others at work don't count; two threads' are
//! by the clock. Memory is that of `petrio trace characterise` in a process of its own. Then the same with four times
//! as many records: what characterising takes of memory must not grow with them. The files, blocks and processes of the
//! trace are the same however long it is.
//!
//! Two traces: calls on 20,000 files (opens, sequential and random reads and writes, closes, by 24 processes), and
//! requests to one device of 4 GiB, half of which continue the one before.

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Time;
use petrio_random::{Generator, generator, uniform_below};
use petrio_study::characterise::{Question, characterise_file};
use petrio_trace::characterise::{Characterise, Characteriser};
use petrio_trace::event::{Access, Event, EventKind, Extent, FileKey, Totals};
use petrio_trace::native::{About, EventWriter};
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_units::numbers::{as_index, as_number};
use serde::Serialize;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use thiserror::Error;

/// Records of the shorter trace, unless another number is asked for.
pub const RECORDS: u64 = 2_000_000;
/// How many times longer the second trace is.
const LONGER: u64 = 4;
const FILES: u64 = 20_000;
const PROCESSES: u64 = 24;
const DEVICE_PAGES: u64 = 1 << 20;

/// A trace and how fast it was read.
#[derive(Clone, Debug, Serialize)]
pub struct ReadingSpeed {
    /// What it is a trace of.
    pub trace: &'static str,
    /// Its records.
    pub records: u64,
    /// Its file, MiB.
    pub file_mib: f64,
    /// Records a second of decompressing the file alone: a limit for whoever reads it.
    pub decompressed_per_s: f64,
    /// Records a second of reading it as events, in one thread.
    pub read_per_s: f64,
    /// Records a second of reading and characterising in full, in one thread.
    pub characterised_per_s: f64,
    /// The same in two threads, as `petrio trace characterise` does.
    pub characterised_by_two_per_s: f64,
    /// Time to read and characterise in one thread, over that to decompress.
    pub times_limit: f64,
    /// Peak resident memory of a process that characterises it, MiB; `None` where the system doesn't tell.
    pub peak_resident_mib: Option<f64>,
}

impl ReadingSpeed {
    /// Headings of [`ReadingSpeed::cells`].
    pub const HEADINGS: [&str; 9] = [
        "trace",
        "records",
        "file MiB",
        "decompressed/s",
        "read/s",
        "characterised/s",
        "by two threads/s",
        "× decompression",
        "peak resident MiB",
    ];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        let rate = |rate: f64| format!("{:.2} M", rate / 1e6);
        vec![
            self.trace.to_owned(),
            self.records.to_string(),
            format!("{:.1}", self.file_mib),
            rate(self.decompressed_per_s),
            rate(self.read_per_s),
            rate(self.characterised_per_s),
            rate(self.characterised_by_two_per_s),
            format!("{:.1}", self.times_limit),
            self.peak_resident_mib.map_or("–".to_owned(), |mib| format!("{mib:.1}")),
        ]
    }
}

/// Why there is no figure.
#[derive(Debug, Error)]
pub enum TraceBenchError {
    /// The temporary trace can't be written or read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// There is no room for the temporary trace.
    #[error("the temporary folder can't be used: {0}")]
    Temporary(#[from] io::Error),
    /// The temporary trace can't be decompressed.
    #[error("the temporary trace can't be decompressed: {0}")]
    Decompress(#[from] parquet::errors::ParquetError),
}

/// Measures both traces, each with `records` and with four times as many. `petrio` is the program whose memory is
/// measured.
///
/// # Errors
/// When the temporary file can't be written or read.
pub fn measure(
    records: u64,
    petrio: Option<&Path>,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<ReadingSpeed>, TraceBenchError> {
    let folder = TemporaryFolder::new()?;
    let mut rows = Vec::new();
    for trace in ["file calls", "device requests"] {
        for records in [records, records * LONGER] {
            progress(&format!("writing {records} {trace}"));
            // What has been read isn't written over.
            let path = folder.path().join(format!("{}-{records}.parquet", trace.replace(' ', "-")));
            let mut writer = EventWriter::create(&path, &Inputs::none(), &About::default())?;
            if trace == "file calls" {
                file_calls(records, &mut |event| writer.push(event))?;
            } else {
                device_requests(records, &mut |event| writer.push(event))?;
            }
            writer.finish()?;
            progress(&format!("reading {records} {trace}"));
            rows.push(row(trace, records, &path, petrio)?);
            std::fs::remove_file(path)?;
        }
    }
    Ok(rows)
}

fn row(
    trace: &'static str,
    records: u64,
    path: &Path,
    petrio: Option<&Path>,
) -> Result<ReadingSpeed, TraceBenchError> {
    let peak_resident_mib = petrio.and_then(|petrio| peak_of(petrio, path));
    let began = Instant::now();
    black_box(characterise_file(&Inputs::here(), path, &Question::default(), |_| ())?);
    let two = began.elapsed().as_secs_f64();
    let decompressed = busy(|| decompress(path))?;
    let read = busy(|| {
        let mut bytes = 0_u64;
        for event in EventReader::open(path, &TraceOptions::default())? {
            bytes = bytes.wrapping_add(black_box(event?).length);
        }
        black_box(bytes);
        Ok(())
    })?;
    let one = busy(|| {
        let mut characteriser = Characteriser::new(&Characterise::default());
        for event in EventReader::open(path, &TraceOptions::default())? {
            characteriser.event(&event?);
        }
        black_box(characteriser.finish());
        Ok(())
    })?;
    let rate = |seconds: f64| records as f64 / seconds;
    Ok(ReadingSpeed {
        trace,
        records,
        file_mib: std::fs::metadata(path)?.len() as f64 / 1_048_576.0,
        decompressed_per_s: rate(decompressed),
        read_per_s: rate(read),
        characterised_per_s: rate(one),
        characterised_by_two_per_s: rate(two),
        times_limit: one / decompressed,
        peak_resident_mib,
    })
}

/// Seconds that this thread was on a processor for it; by the clock where the system doesn't tell.
fn busy(work: impl FnOnce() -> Result<(), TraceBenchError>) -> Result<f64, TraceBenchError> {
    let on_processor = || {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanos: f64 = told.split_whitespace().next()?.parse().ok()?;
        Some(nanos / 1e9)
    };
    let (began, before) = (Instant::now(), on_processor());
    work()?;
    let elapsed = began.elapsed().as_secs_f64();
    Ok(before.zip(on_processor()).map_or(elapsed, |(before, after)| after - before))
}

/// Between two looks at a process's memory.
const LOOK: std::time::Duration = std::time::Duration::from_millis(2);

/// The high-water mark of resident memory of a process that characterises the file, MiB.
fn peak_of(petrio: &Path, path: &Path) -> Option<f64> {
    let mut command = petrio_capture::launch::command(petrio, petrio_capture::launch::Signal::KILL);
    command.args(["trace", "characterise", "--quiet"]).arg(path);
    let mut process = command.spawn().ok()?;
    let mut peak = None;
    loop {
        peak = super::peak_resident_mib_of(&process.id().to_string()).or(peak);
        match process.try_wait() {
            Ok(None) => std::thread::sleep(LOOK),
            Ok(Some(status)) => return peak.filter(|_| status.success()),
            Err(_) => return None,
        }
    }
}

/// Decompresses every page of the file, and looks at nothing.
fn decompress(path: &Path) -> Result<(), TraceBenchError> {
    let file = SerializedFileReader::new(File::open(path)?)?;
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        for column in 0..group.num_columns() {
            let mut pages = group.get_column_page_reader(column)?;
            while let Some(page) = pages.get_next_page()? {
                black_box(page.buffer());
            }
        }
    }
    Ok(())
}

type Push<'a> = dyn FnMut(&Event) -> Result<(), TraceError> + 'a;

/// What a process is at.
struct Session {
    file: u64,
    position: u64,
    left: u64,
    access: Access,
    random: bool,
    totals: Totals,
}

/// Calls on files by several processes in turn.
fn file_calls(records: u64, push: &mut Push) -> Result<(), TraceError> {
    let mut random = generator(1, 0, "bench/trace", "files");
    let paths: Vec<Arc<str>> = (0..FILES).map(|file| format!("/data/{}/{file}", file % 97).into()).collect();
    let mut sessions: Vec<Option<Session>> = (0..PROCESSES).map(|_| None).collect();
    let mut time = Time::ZERO;
    for _ in 0..records {
        time = time.saturating_add(Time::from_micros(5 + uniform_below(&mut random, 200)));
        let process = as_index(uniform_below(&mut random, PROCESSES));
        let place = &mut sessions[process];
        let session = place.get_or_insert_with(|| session(&mut random));
        let opens = session.totals == Totals::default() && session.position == 0;
        let kind = match session.left {
            _ if opens && session.left > 0 => EventKind::Open,
            0 => EventKind::Close,
            _ if session.access == Access::Read => EventKind::Read,
            _ => EventKind::Write,
        };
        let mut event = Event::new(time, kind);
        event.process = as_number(process) + 1;
        event.file = FileKey { device: 1, inode: session.file + 1, generation: 0 };
        event.path = Some(paths[as_index(session.file)].clone());
        event.service = Some(Time::from_nanos(800 + uniform_below(&mut random, 90_000)));
        match kind {
            EventKind::Open => {
                (event.access, event.size) = (Some(session.access), Some(65_536));
                session.position = if session.random { 4_096 * uniform_below(&mut random, 16) } else { 1 };
            }
            EventKind::Close => {
                event.totals = Some(session.totals);
                *place = None;
            }
            _ => {
                let offset = if session.random {
                    4_096 * uniform_below(&mut random, 16)
                } else {
                    session.position - 1
                };
                (event.offset, event.length) = (Some(offset), 4_096);
                session.position += 4_096;
                session.left -= 1;
                if kind == EventKind::Read {
                    event.hit = Some(uniform_below(&mut random, 4) > 0);
                    session.totals.reads += 1;
                    session.totals.bytes_read += 4_096;
                } else {
                    session.totals.writes += 1;
                    session.totals.bytes_written += 4_096;
                }
            }
        }
        push(&event)?;
    }
    Ok(())
}

fn session(random: &mut Generator) -> Session {
    // The lesser of two numbers: some files are more popular than others.
    let file = uniform_below(random, FILES).min(uniform_below(random, FILES));
    let access = if uniform_below(random, 10) < 7 { Access::Read } else { Access::Write };
    let is_random = uniform_below(random, 3) == 0;
    Session {
        file,
        position: 0,
        left: 1 + uniform_below(random, 15),
        access,
        random: is_random,
        totals: Totals::default(),
    }
}

/// Requests to one device, half of which continue the one before.
fn device_requests(records: u64, push: &mut Push) -> Result<(), TraceError> {
    let mut random = generator(1, 0, "bench/trace", "requests");
    let mut time = Time::ZERO;
    let mut page = 0;
    for _ in 0..records {
        time = time.saturating_add(Time::from_micros(1 + uniform_below(&mut random, 400)));
        let pages = 1 << uniform_below(&mut random, 4);
        if uniform_below(&mut random, 2) == 0 || page + pages >= DEVICE_PAGES {
            page = uniform_below(&mut random, DEVICE_PAGES - pages)
                .min(uniform_below(&mut random, DEVICE_PAGES - pages));
        }
        let mut event = Event::new(time, EventKind::Queue);
        event.direction =
            Some(if uniform_below(&mut random, 10) < 6 { Direction::Read } else { Direction::Write });
        event.length = pages * 4_096;
        event.service = Some(Time::from_micros(90 + uniform_below(&mut random, 9_000)));
        event.extents.push(Extent {
            device: 8 << 20,
            address: page * 8,
            blocks: as_number(pages) * 8,
            hit: false,
        });
        page += pages;
        push(&event)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn both_traces_have_what_they_promise_and_give_figures() {
        let rows = measure(3_000, None, &mut |_| ()).unwrap();
        assert_eq!(rows.iter().map(|row| row.records).collect::<Vec<_>>(), [3_000, 12_000, 3_000, 12_000]);
        assert!(rows.iter().all(|row| row.characterised_per_s > 0.0 && row.file_mib > 0.0));
        let mut characteriser = Characteriser::new(&Characterise::default());
        file_calls(50_000, &mut |event| {
            characteriser.event(event);
            Ok(())
        })
        .unwrap();
        let found = characteriser.finish();
        assert_eq!((found.events, found.compact_closes, found.out_of_order), (50_000, 0, 0));
        let classes = found.file_requests.unwrap().sequentiality;
        assert!(classes.classes.iter().filter(|class| class.streams > 0).count() >= 4, "{classes:?}");
    }
}
