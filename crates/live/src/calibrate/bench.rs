//! One sample of each subject: files set up beforehand, calls timed by the thread's processor time.
//!
//! A file is walked some times unmeasured before it is walked measured, so that the processor's caches hold of it what
//! they hold of a file in use: large caches take in only what has come by a few times. Of files beyond 40 MiB each
//! sample walks the next part, and comes back to a page after all others.

use super::error::CalibrateError;
use super::sentinel::Sentinel;
use super::sizes::{PAGE, Sizes};
use super::spread::{look_ns, thread_cpu_ns};
use super::subject::{Folios, JUMP, Subject, is_single, new_file_bytes};
use crate::drive::stdio::Stream;
use petrio_units::numbers::as_index;
use rustix::fs::{Advice, Timespec, Timestamps, UTIME_NOW};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Pieces in which files are prepared: those of [`crate::drive::Workplace`].
pub(super) const PIECE: u64 = 1 << 20;
/// How often a sample is taken during which others empty the page cache.
const TRIES: u32 = 3;
/// The largest file that is walked as a whole in each sample.
const WALKED_WHOLE: u64 = 40 << 20;
/// How often a file is walked before its first sample, and one that is walked as a whole before each further one.
const WALKS_BEFORE: (u64, u64) = (4, 1);
/// Bytes that are walked before at most, of files that are walked twice.
const MOST_BEFORE: u64 = 512 << 20;
/// Bytes of which one is written, to see what a folio's first write takes.
const STEP: u64 = 32 * PAGE;
/// Bytes of a call of the C library.
const STDIO_BYTES: usize = 64;

#[derive(Debug)]
struct Timed {
    file: File,
    /// Where the next sample begins.
    next: u64,
    /// How often the cache had been emptied when it was written.
    seen: u64,
}

/// The files to be timed.
#[derive(Debug)]
pub(super) struct Bench {
    root: PathBuf,
    files: BTreeMap<(Folios, u64), Timed>,
    /// A file whose pages come and go.
    cold: File,
    cold_bytes: u64,
    /// The same past the page cache; none where the file system hasn't that.
    direct: Option<File>,
    buffer: Vec<u8>,
    align: usize,
    sizes: Sizes,
    look_ns: f64,
    sentinel: Sentinel,
    /// The file that was walked last.
    at_hand: Option<(Folios, u64)>,
}

impl Bench {
    /// Makes the files in `root`, each in the page cache and durable.
    pub(super) fn set_up(
        root: &Path,
        sizes: &Sizes,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Self, CalibrateError> {
        let room = rustix::fs::statvfs(root)
            .map_err(|errno| CalibrateError::system("look at the room in", root)(errno.into()))?;
        let (free, needed) = (room.f_bavail.saturating_mul(room.f_frsize), sizes.room());
        if free < needed {
            return Err(CalibrateError::NoRoom {
                directory: root.to_owned(),
                needed: needed >> 20,
                free: free >> 20,
            });
        }
        let length = sizes.blocks.last().copied().unwrap_or(PAGE).max(PIECE).next_multiple_of(PAGE) + PAGE;
        let buffer: Vec<u8> = (0..length).map(|at| (at % 251) as u8 ^ 0x5a).collect();
        let align = buffer.as_ptr().align_offset(as_index(PAGE)).min(as_index(PAGE));
        let mut files = BTreeMap::new();
        let total = 2 * sizes.files.len() as u64 + 1;
        for (place, &size) in sizes.files.iter().enumerate() {
            for (turn, folios) in [Folios::Large, Folios::Single].into_iter().enumerate() {
                progress((2 * place + turn) as u64, total);
                if folios == Folios::Single && !is_single(size) {
                    continue;
                }
                let file = walked(root, &buffer, folios, size)?;
                files.insert((folios, size), Timed { file, next: 0, seen: 0 });
            }
        }
        progress(total - 1, total);
        let cold_bytes = sizes.largest().min(20 << 20);
        let path = root.join("cold");
        let cold = written(&path, &buffer, cold_bytes, PIECE)?;
        let direct = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(&path).ok();
        let look_ns = look_ns();
        let posted = root.join("sentinel");
        let sentinel = Sentinel::post(&posted).map_err(CalibrateError::system("write", &posted))?;
        let (root, sizes) = (root.to_owned(), sizes.clone());
        Ok(Self {
            root,
            files,
            cold,
            cold_bytes,
            direct,
            buffer,
            align,
            sizes,
            look_ns,
            sentinel,
            at_hand: None,
        })
    }

    /// One sample, in nanoseconds a call (or a page, as the subject says); none where this machine hasn't the thing.
    pub(super) fn sample(&mut self, subject: Subject) -> Result<Option<f64>, CalibrateError> {
        let mut figure = None;
        for _ in 0..TRIES {
            self.renew(subject)?;
            let root = self.root.clone();
            let failed = |error| CalibrateError::system("time files in", root.as_path())(error);
            figure = self.try_sample(subject).map_err(failed)?;
            if !self.sentinel.has_fallen().map_err(failed)? {
                break;
            }
        }
        Ok(figure)
    }

    /// How often others emptied the page cache.
    pub(super) const fn emptied(&self) -> u64 {
        self.sentinel.fallen
    }

    /// Writes a file anew that isn't in the cache as it was, because others have emptied it.
    fn renew(&mut self, subject: Subject) -> Result<(), CalibrateError> {
        let (folios, size) = match subject {
            Subject::Read { folios, file, .. }
            | Subject::Overwrite { folios, file, .. }
            | Subject::JumpOverwrite { folios, file } => (folios, file),
            Subject::JumpRead { file } => (Folios::Large, file),
            _ => return Ok(()),
        };
        let fallen = self.sentinel.fallen;
        let old = self.files.get(&(folios, size)).map(|timed| timed.seen);
        if old.is_some_and(|seen| seen < fallen) {
            self.files.remove(&(folios, size));
            let file = walked(&self.root, &self.buffer, folios, size)?;
            self.files.insert((folios, size), Timed { file, next: 0, seen: fallen });
        }
        Ok(())
    }

    fn try_sample(&mut self, subject: Subject) -> io::Result<Option<f64>> {
        let figure = match subject {
            Subject::ReadNothing => self.calls(2_000, |file, data| file.read_at(&mut data[..0], 0).map(drop)),
            Subject::ReadByte => self.calls(2_000, |file, data| file.read_at(&mut data[..1], 0).map(drop)),
            Subject::WriteByte => self.calls(1_000, |file, data| file.write_all_at(&data[..1], 0)),
            Subject::SetTimes => self.calls(500, |file, _| set_times(file)),
            Subject::SyncClean => self.calls(100, |file, _| rustix::fs::fsync(file).map_err(io::Error::from)),
            Subject::OpenClose => self.open_close(),
            Subject::CreateUnlink => self.create_unlink(),
            Subject::Stdio => self.stdio(),
            Subject::Read { folios, block, file } => self.walk(folios, block, file, File::read_exact_at),
            Subject::Overwrite { folios, block, file } => {
                self.walk(folios, block, file, |file, data, offset| file.write_all_at(data, offset))
            }
            Subject::JumpRead { file } => self.jump(Folios::Large, file, File::read_exact_at),
            Subject::JumpOverwrite { folios, file } => {
                self.jump(folios, file, |file, data, offset| file.write_all_at(data, offset))
            }
            Subject::FirstWrite => self.first_write(),
            Subject::Refill { block } => self.refill(block),
            Subject::NewFile { block } => self.new_file(block),
            Subject::NewSmallFile => self.new_small_file(),
            Subject::ColdRead => self.drop_pages().and_then(|()| self.read_cold_file()),
            Subject::WarmRead => self.read_cold_file().and_then(|_| self.read_cold_file()),
            Subject::Drop => self.read_cold_file().and_then(|_| {
                let start = thread_cpu_ns();
                self.drop_pages()?;
                Ok((thread_cpu_ns() - start - self.look_ns) / (self.cold_bytes / PAGE) as f64)
            }),
            Subject::Direct => return self.read_past_cache(false),
            Subject::DirectWall => return self.read_past_cache(true),
            Subject::WakeUp => wake_up(self.look_ns),
        };
        figure.map(Some)
    }

    /// The smallest file.
    fn calls(
        &mut self,
        times: u32,
        mut call: impl FnMut(&File, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<f64> {
        let Some(timed) = self.files.values().next() else { return Ok(0.0) };
        (0..times / 10 + 1).try_for_each(|_| call(&timed.file, &mut self.buffer))?;
        let start = thread_cpu_ns();
        (0..times).try_for_each(|_| call(&timed.file, &mut self.buffer))?;
        Ok((thread_cpu_ns() - start - self.look_ns) / f64::from(times))
    }

    fn open_close(&mut self) -> io::Result<f64> {
        let path = self.root.join("cold");
        drop(File::open(&path)?);
        let start = thread_cpu_ns();
        for _ in 0..200 {
            drop(File::open(&path)?);
        }
        Ok((thread_cpu_ns() - start - self.look_ns) / 200.0)
    }

    fn create_unlink(&mut self) -> io::Result<f64> {
        let path = self.root.join("comes-and-goes");
        let start = thread_cpu_ns();
        for _ in 0..50 {
            drop(File::create_new(&path)?);
            fs::remove_file(&path)?;
        }
        Ok((thread_cpu_ns() - start - self.look_ns) / 50.0)
    }

    /// What calls of the library cost in which nothing is read, those that read taken off.
    fn stdio(&mut self) -> io::Result<f64> {
        let calls = as_index(PAGE) / STDIO_BYTES;
        let Some(timed) = self.files.values().next() else { return Ok(0.0) };
        let (mut stream, mut data) = (Stream::new(), [0; STDIO_BYTES]);
        let (mut all, rounds) = (0.0, 200);
        for _ in 0..rounds {
            // The first call of a page fills the buffer; the others find it full.
            stream.read(&timed.file, &mut data, 0)?;
            let start = thread_cpu_ns();
            for call in 1..calls {
                stream.read(&timed.file, &mut data, (call * STDIO_BYTES) as u64)?;
            }
            all += thread_cpu_ns() - start - self.look_ns;
        }
        Ok((all / (f64::from(rounds) * (calls - 1) as f64)).max(0.0))
    }

    fn walk(
        &mut self,
        folios: Folios,
        block: u64,
        size: u64,
        mut call: impl FnMut(&File, &mut [u8], u64) -> io::Result<()>,
    ) -> io::Result<f64> {
        let Some(timed) = self.files.get_mut(&(folios, size)) else { return Ok(0.0) };
        let block = block.min(size);
        let is_at_hand = self.at_hand.replace((folios, size)) == Some((folios, size));
        let data = &mut self.buffer[self.align..self.align + as_index(block)];
        let whole = size / block;
        let (before, calls) = if size <= WALKED_WHOLE {
            (whole, whole * (self.sizes.sample / 4 / size).max(1))
        } else {
            (1, (self.sizes.sample * 2 / block).max(3).min(whole))
        };
        let before = if is_at_hand {
            before * WALKS_BEFORE.1
        } else {
            WALKS_BEFORE.0.min(MOST_BEFORE / size + 1) * whole
        };
        let mut spent = 0.0;
        for step in 0..before + calls {
            if step == before {
                spent = thread_cpu_ns();
            }
            if timed.next + block > size {
                timed.next = 0;
            }
            call(&timed.file, data, timed.next)?;
            timed.next += block;
        }
        Ok((thread_cpu_ns() - spent - self.look_ns) / calls as f64)
    }

    /// Calls that come to each block of a file once before they come back to it, in an order that looks random.
    fn jump(
        &mut self,
        folios: Folios,
        size: u64,
        mut call: impl FnMut(&File, &mut [u8], u64) -> io::Result<()>,
    ) -> io::Result<f64> {
        let Some(timed) = self.files.get_mut(&(folios, size)) else { return Ok(0.0) };
        let is_at_hand = self.at_hand.replace((folios, size)) == Some((folios, size));
        let data = &mut self.buffer[self.align..self.align + as_index(JUMP)];
        let whole = size / JUMP;
        let (before, calls) = if size <= WALKED_WHOLE {
            (
                if is_at_hand { WALKS_BEFORE.1 } else { WALKS_BEFORE.0 } * whole,
                whole * (self.sizes.sample / 4 / size).max(1),
            )
        } else {
            (whole / 4, (self.sizes.sample * 2 / JUMP).min(whole))
        };
        // A full period over the next power of two: the multiplier is 5 modulo 8, the increment odd.
        let period = whole.next_power_of_two();
        let mut state = 0_u64;
        let mut block = || loop {
            state = (state * 2_891_336_453 + 1_234_567) % period;
            if state < whole {
                return state;
            }
        };
        (0..before).try_for_each(|_| call(&timed.file, data, block() * JUMP))?;
        let start = thread_cpu_ns();
        (0..calls).try_for_each(|_| call(&timed.file, data, block() * JUMP))?;
        timed.next = 0;
        Ok((thread_cpu_ns() - start - self.look_ns) / calls as f64)
    }

    /// What the first writes to a file that was read in take more than the second ones, a page of the file.
    fn first_write(&mut self) -> io::Result<f64> {
        self.drop_pages()?;
        self.read_cold_file()?;
        let write = || {
            let start = thread_cpu_ns();
            (0..self.cold_bytes / STEP)
                .try_for_each(|step| self.cold.write_all_at(&self.buffer[..1], step * STEP))?;
            io::Result::Ok(thread_cpu_ns() - start)
        };
        let (first, second) = (write()?, write()?);
        // Clean again, so that it can be dropped.
        rustix::fs::fsync(&self.cold)?;
        Ok(((first - second) / (self.cold_bytes / PAGE) as f64).max(0.0))
    }

    /// Writes a file whose blocks are there and whose pages aren't.
    fn refill(&mut self, block: u64) -> io::Result<f64> {
        let size = new_file_bytes(block, self.sizes.largest());
        let path = self.root.join("refilled");
        let file = File::create_new(&path)?;
        let outcome = (|| {
            let data = &self.buffer[self.align..self.align + as_index(block)];
            write_through(&file, data, size)?;
            rustix::fs::fsync(&file)?;
            rustix::fs::fadvise(&file, 0, None, Advice::DontNeed)?;
            let start = thread_cpu_ns();
            let calls = write_through(&file, data, size)?;
            Ok((thread_cpu_ns() - start - self.look_ns) / calls)
        })();
        drop(file);
        fs::remove_file(&path)?;
        outcome
    }

    fn new_file(&mut self, block: u64) -> io::Result<f64> {
        let size = new_file_bytes(block, self.sizes.largest());
        let path = self.root.join("new");
        let file = File::create_new(&path)?;
        let data = &self.buffer[self.align..self.align + as_index(block)];
        let start = thread_cpu_ns();
        let calls = write_through(&file, data, size);
        let spent = thread_cpu_ns() - start - self.look_ns;
        drop(file);
        fs::remove_file(&path)?;
        Ok(spent / calls?)
    }

    fn new_small_file(&mut self) -> io::Result<f64> {
        const FILES: u32 = 64;
        let path = |number: u32| self.root.join(format!("small-{number}"));
        let data = &self.buffer[self.align..self.align + as_index(JUMP)];
        let files = (0..FILES).map(|number| File::create_new(path(number))).collect::<io::Result<Vec<_>>>();
        let spent = files.and_then(|files| {
            let start = thread_cpu_ns();
            files.iter().try_for_each(|file| file.write_all_at(data, 0))?;
            Ok(thread_cpu_ns() - start - self.look_ns)
        });
        (0..FILES).for_each(|number| drop(fs::remove_file(path(number))));
        Ok(spent? / f64::from(FILES))
    }

    fn drop_pages(&self) -> io::Result<()> {
        Ok(rustix::fs::fadvise(&self.cold, 0, None, Advice::DontNeed)?)
    }

    /// Processor time of a page of which one byte is read: what comes with a copy, and depends on what the caches hold,
    /// is left out.
    fn read_cold_file(&mut self) -> io::Result<f64> {
        // Opened anew, so that read-ahead begins as at the beginning of a file.
        let file = File::open(self.root.join("cold"))?;
        let pages = self.cold_bytes / PAGE;
        let start = thread_cpu_ns();
        (0..pages).try_for_each(|page| file.read_exact_at(&mut self.buffer[..1], page * PAGE))?;
        Ok((thread_cpu_ns() - start - self.look_ns) / pages as f64)
    }

    fn read_past_cache(&mut self, wall: bool) -> io::Result<Option<f64>> {
        let Some(file) = &self.direct else { return Ok(None) };
        let data = &mut self.buffer[self.align..self.align + as_index(PAGE)];
        let pages = self.cold_bytes / PAGE;
        let times = 60;
        let (cpu, clock) = (thread_cpu_ns(), Instant::now());
        for call in 0..times {
            file.read_exact_at(data, call * 7 % pages * PAGE)?;
        }
        let spent =
            if wall { clock.elapsed().as_nanos() as f64 } else { thread_cpu_ns() - cpu - self.look_ns };
        Ok(Some(spent / times as f64))
    }
}

fn set_times(file: &File) -> io::Result<()> {
    let now = || Timespec { tv_sec: 0, tv_nsec: UTIME_NOW as _ };
    let times = Timestamps { last_access: now(), last_modification: now() };
    Ok(rustix::fs::futimens(file, &times)?)
}

/// A file to be walked; one of that name goes first.
fn walked(root: &Path, buffer: &[u8], folios: Folios, size: u64) -> Result<File, CalibrateError> {
    let piece = if folios == Folios::Large { PIECE } else { PAGE };
    let path = root.join(format!("{folios:?}-{size}"));
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(CalibrateError::system("write anew", &path)(error))
        }
        _ => written(&path, buffer, size, piece),
    }
}

/// A file of a size, written in pieces, durable, in the page cache.
fn written(path: &Path, buffer: &[u8], size: u64, piece: u64) -> Result<File, CalibrateError> {
    let write = || {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let mut at = 0;
        while at < size {
            let length = piece.min(size - at);
            file.write_all_at(&buffer[..as_index(length)], at)?;
            at += length;
        }
        rustix::fs::fsync(&file)?;
        Ok(file)
    };
    write().map_err(CalibrateError::system("write", path))
}

/// Writes whole calls, as many as fit; how many.
fn write_through(file: &File, data: &[u8], size: u64) -> io::Result<f64> {
    let calls = (size / data.len() as u64).max(1);
    (0..calls).try_for_each(|call| file.write_all_at(data, call * data.len() as u64))?;
    Ok(calls as f64)
}

/// Half a round trip of a byte between two threads through pipes, less a write and a read that nobody waits for.
fn wake_up(look_ns: f64) -> io::Result<f64> {
    const ROUNDS: u32 = 300;
    let (mut there, mut to) = io::pipe()?;
    let (mut back, mut from) = io::pipe()?;
    let mut byte = [7];
    let start = thread_cpu_ns();
    for _ in 0..ROUNDS {
        to.write_all(&byte)?;
        there.read_exact(&mut byte)?;
    }
    let calls = thread_cpu_ns() - start - look_ns;
    std::thread::scope(|scope| {
        let echo = scope.spawn(move || -> io::Result<()> {
            let mut byte = [0];
            (0..ROUNDS).try_for_each(|_| there.read_exact(&mut byte).and_then(|()| from.write_all(&byte)))
        });
        let clock = Instant::now();
        for _ in 0..ROUNDS {
            to.write_all(&byte)?;
            back.read_exact(&mut byte)?;
        }
        let wall = clock.elapsed().as_nanos() as f64;
        echo.join().map_err(|_| io::Error::other("the echoing thread broke off"))??;
        Ok((wall / 2.0 - calls).max(0.0) / f64::from(ROUNDS))
    })
}
