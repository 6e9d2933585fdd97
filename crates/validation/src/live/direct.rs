//! Reading and writing past the page cache, and what the way to an emulated device adds to its own time.

use super::bed::Served;
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::Time;
use petrio_units::numbers::as_index;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Instant;

/// O_DIRECT.
pub(super) const DIRECT: i32 = rustix::fs::OFlags::DIRECT.bits().cast_signed();
/// A page, to which direct input and output is aligned.
const PAGE_BYTES: u64 = 4_096;
/// Reads by which the way is measured.
const READS: u32 = 200;

/// Memory that begins at a page, as direct input and output wants it.
pub(super) struct Aligned {
    bytes: Vec<u8>,
    from: usize,
    length: usize,
}

impl Aligned {
    pub(super) fn of(length: usize) -> Self {
        let page = as_index(PAGE_BYTES);
        let bytes = vec![0; length + page];
        let from = bytes.as_ptr().align_offset(page).min(page);
        Self { bytes, from, length }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.from..self.from + self.length]
    }
}

/// How long reads of the last page of a device take whoever asks for them; from the second on they are in its cache.
pub(super) fn reads_of_last_page(device: &Path, size: u64) -> io::Result<Vec<Time>> {
    let file = OpenOptions::new().read(true).custom_flags(DIRECT).open(device)?;
    let mut page = Aligned::of(as_index(PAGE_BYTES));
    let mut times = Vec::new();
    for _ in 0..READS {
        let begin = Instant::now();
        file.read_exact_at(page.bytes(), size - PAGE_BYTES)?;
        times.push(Time::from_seconds(begin.elapsed().as_secs_f64()));
    }
    Ok(times)
}

/// What the way to a device of so many bytes adds to a request: the median of what these reads took, less that of what the device took
/// for them.
pub(super) fn way(reads: &[Time], served: &[Served], size: u64) -> Time {
    let last = (size - PAGE_BYTES) / SECTOR_BYTES;
    let own = served.iter().filter(|request| request.address == last).map(|request| request.took);
    median(reads.to_vec()).saturating_sub(median(own.collect()))
}

/// When the device was first asked for these.
pub(super) fn begin_of_reads(served: &[Served], size: u64) -> Time {
    let last = (size - PAGE_BYTES) / SECTOR_BYTES;
    let of_last = served.iter().filter(|request| request.address == last).map(|request| request.arrived);
    of_last.min().unwrap_or_default()
}

fn median(mut times: Vec<Time>) -> Time {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_what_a_request_takes_beyond_the_devices_own_time() {
        let size = 1 << 20;
        let last = (size - PAGE_BYTES) / SECTOR_BYTES;
        let of = |address, micros| Served { arrived: Time::ZERO, took: Time::from_micros(micros), address };
        let reads = [9_000, 250, 240, 230, 260].map(Time::from_micros);
        let served = [of(0, 5_000), of(last, 8_800), of(last, 100), of(last, 110), of(0, 1), of(last, 90)];
        assert_eq!(way(&reads, &served, size), Time::from_micros(140));
        assert_eq!(way(&[], &[], size), Time::ZERO);
    }
}
