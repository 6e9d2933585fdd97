//! A device's service times by position, size and queue depth. The device is only read, past the page cache.
//!
//! Leaves out writes, which would destroy what is on it, and what its own cache and read-ahead hide: places are visited
//! in an order that never goes on where it was.

use super::error::CalibrateError;
use super::sizes::{PAGE, Sizes};
use super::spread::Quartiles;
use super::step::CalibrationProgress;
use petrio_units::Bytes;
use petrio_units::numbers::as_index;
use std::fmt::Write;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Zones of a device that are told apart.
const POSITIONS: u64 = 10;
/// Bytes of a request: 4 KiB to 1 MiB.
const SIZES: [u64; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// Requests at a time.
const DEPTHS: [usize; 4] = [1, 2, 4, 8];

/// What a device takes for its reads, in nanoseconds by the wall clock.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceTimes {
    /// The device.
    pub path: PathBuf,
    /// Its size.
    pub size: Bytes,
    /// By tenth of the device: a read of 4 KiB anywhere in it.
    pub by_position: Vec<(u64, Quartiles)>,
    /// By bytes of a read, anywhere.
    pub by_size: Vec<(u64, Quartiles)>,
    /// By reads of 4 KiB at a time, anywhere: the time between two completions.
    pub by_depth: Vec<(usize, Quartiles)>,
}

/// Opens a device to be measured; its size.
pub(super) fn open(path: &Path) -> Result<(File, u64), CalibrateError> {
    let options = || {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_DIRECT);
        options
    };
    let mut file = options().open(path).map_err(CalibrateError::system("open", path))?;
    let refused = |why: &str| CalibrateError::Device { path: path.to_owned(), why: why.to_owned() };
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refused("it is a directory"));
    }
    let size = file.seek(SeekFrom::End(0)).map_err(|_| refused("it has no size"))?;
    if size < POSITIONS * 2 * SIZES[SIZES.len() - 1] {
        return Err(refused("it is smaller than 20 MiB"));
    }
    Ok((file, size))
}

/// A sequence of places that are spread evenly and never follow one another (the golden section of what there is).
struct SpreadBlocks {
    state: u64,
}

impl SpreadBlocks {
    fn next(&mut self, within: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        ((u128::from(self.state) * u128::from(within)) >> 64) as u64
    }
}

/// Memory as direct I/O wants it.
struct Aligned {
    bytes: Vec<u8>,
    align: usize,
}

impl Aligned {
    fn new(length: u64) -> Self {
        let bytes = vec![0; as_index(length + PAGE)];
        let align = bytes.as_ptr().align_offset(as_index(PAGE)).min(as_index(PAGE));
        Self { bytes, align }
    }

    fn part(&mut self, length: u64) -> &mut [u8] {
        &mut self.bytes[self.align..self.align + as_index(length)]
    }
}

/// One read; nanoseconds.
fn timed(file: &File, data: &mut [u8], offset: u64) -> io::Result<f64> {
    let clock = Instant::now();
    file.read_exact_at(data, offset / PAGE * PAGE)?;
    Ok(clock.elapsed().as_nanos() as f64)
}

/// Measures a device.
pub(super) fn measure(
    path: &Path,
    sizes: &Sizes,
    progress: &mut dyn FnMut(CalibrationProgress),
) -> Result<DeviceTimes, CalibrateError> {
    let (file, size) = open(path)?;
    let failed = || CalibrateError::system("read", path);
    // A disk takes about 10 ms a read: some 20 s in all.
    let each = sizes.repetitions as u64 * 5;
    let mut places = SpreadBlocks { state: 1 };
    let mut memory = Aligned::new(SIZES[SIZES.len() - 1]);
    let mut positions = vec![Vec::new(); as_index(POSITIONS)];
    let mut lengths = vec![Vec::new(); SIZES.len()];
    let mut depths = vec![Vec::new(); DEPTHS.len()];
    for turn in 0..each {
        progress(CalibrationProgress { what: "timing the device", done: turn, total: each });
        let zone = size / POSITIONS;
        for (position, times) in positions.iter_mut().enumerate() {
            let offset = position as u64 * zone + places.next(zone - PAGE);
            times.push(timed(&file, memory.part(PAGE), offset).map_err(failed())?);
        }
        for (length, times) in SIZES.iter().zip(&mut lengths) {
            let offset = places.next(size - length);
            times.push(timed(&file, memory.part(*length), offset).map_err(failed())?);
        }
        for (depth, times) in DEPTHS.iter().zip(&mut depths) {
            times.push(at_depth(&file, *depth, size, &mut places).map_err(failed())?);
        }
    }
    Ok(DeviceTimes {
        path: path.to_owned(),
        size: Bytes(size),
        by_position: named(0..POSITIONS, positions),
        by_size: named(SIZES, lengths),
        by_depth: named(DEPTHS, depths),
    })
}

fn named<N>(names: impl IntoIterator<Item = N>, times: Vec<Vec<f64>>) -> Vec<(N, Quartiles)> {
    let both = names.into_iter().zip(times);
    both.filter_map(|(name, times)| Some((name, Quartiles::of(times)?))).collect()
}

/// Several reads at a time, four by each of as many threads; nanoseconds a read.
fn at_depth(file: &File, depth: usize, size: u64, places: &mut SpreadBlocks) -> io::Result<f64> {
    const READS: usize = 4;
    let work: Vec<[u64; READS]> =
        (0..depth).map(|_| [(); READS].map(|()| places.next(size - PAGE))).collect();
    let start = std::sync::Barrier::new(depth);
    let clock = Instant::now();
    let spans = std::thread::scope(|scope| {
        let (start, clock) = (&start, &clock);
        let threads: Vec<_> = (work.iter())
            .map(|offsets| {
                scope.spawn(move || -> io::Result<(f64, f64)> {
                    let mut memory = Aligned::new(PAGE);
                    start.wait();
                    let begin = clock.elapsed().as_nanos() as f64;
                    for offset in offsets {
                        file.read_exact_at(memory.part(PAGE), offset / PAGE * PAGE)?;
                    }
                    Ok((begin, clock.elapsed().as_nanos() as f64))
                })
            })
            .collect();
        let ended = threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| io::Error::other("a reading thread broke off"))?);
        ended.collect::<io::Result<Vec<_>>>()
    })?;
    let begin = spans.iter().map(|span| span.0).fold(f64::INFINITY, f64::min);
    let end = spans.iter().map(|span| span.1).fold(0.0, f64::max);
    Ok((end - begin) / (depth * READS) as f64)
}

impl DeviceTimes {
    /// The least squares' line of a read's time over its bytes: nanoseconds for none, and bytes a second.
    pub fn line(&self) -> (f64, f64) {
        let count = self.by_size.len().max(1) as f64;
        let mean_size = self.by_size.iter().map(|(size, _)| *size as f64).sum::<f64>() / count;
        let mean_time = self.by_size.iter().map(|(_, time)| time.median).sum::<f64>() / count;
        let (mut both, mut square) = (0.0, 0.0);
        for (size, time) in &self.by_size {
            both += (*size as f64 - mean_size) * (time.median - mean_time);
            square += (*size as f64 - mean_size).powi(2);
        }
        let slope = if square > 0.0 { (both / square).max(0.0) } else { 0.0 };
        ((mean_time - slope * mean_size).max(0.0), if slope > 0.0 { 1e9 / slope } else { f64::INFINITY })
    }

    /// A device of constant rate that comes nearest to reads of one at a time, as TOML.
    pub fn to_toml(&self, name: &str) -> String {
        let (latency, rate) = self.line();
        let mut text = String::from(
            "# A device of constant rate, measured by petrio calibrate: reads past the page cache.\n#\n",
        );
        // Writing into a string can't fail.
        let _ = self.write_comment(&mut text);
        let _ = writeln!(text, "\nkind = \"constant-rate\"\nname = \"{name}\"");
        let _ = writeln!(
            text,
            "source = \"Line through the medians of reads by size, measured by petrio calibrate; writes assumed alike\""
        );
        let _ = writeln!(text, "blocks = \"{} blocks\"", self.size.get() / 512);
        let _ = writeln!(text, "latency = \"{}\"", super::fit::duration(latency));
        if rate.is_finite() {
            let _ = writeln!(text, "rate = \"{rate:.0} B/s\"");
        }
        text
    }

    pub(super) fn write_comment(&self, out: &mut String) -> std::fmt::Result {
        let row = |out: &mut String, what: String, time: &Quartiles| {
            let (lower, median, upper) = (time.lower / 1e3, time.median / 1e3, time.upper / 1e3);
            writeln!(out, "#   {what:<22} {median:9.1} us ({lower:.1}–{upper:.1})")
        };
        let repetitions = self.by_size.first().map_or(0, |(_, time)| time.repetitions);
        writeln!(
            out,
            "# Reads of a device of {} by the wall clock: median and quartiles of {repetitions}.",
            self.size
        )?;
        writeln!(out, "# 4 KiB anywhere in a tenth of it:")?;
        for (position, time) in &self.by_position {
            row(out, format!("{} to {} %", position * 10, position * 10 + 10), time)?;
        }
        writeln!(out, "# By size, anywhere:")?;
        for (size, time) in &self.by_size {
            row(out, Bytes(*size).to_string(), time)?;
        }
        writeln!(out, "# 4 KiB anywhere, by reads at a time; from completion to completion:")?;
        for (depth, time) in &self.by_depth {
            row(out, depth.to_string(), time)?;
        }
        Ok(())
    }
}
