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
/// What is read at a time beside pages: what FUSE and loop devices carry as one request.
const MORE_BYTES: u64 = 65_536;
/// Reads of each size by which the way is measured.
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

/// How long reads of the end of a device take whoever asks for them, of its last page and of its last [`MORE_BYTES`]; from the second on they are in its cache.
pub(super) struct EndReads {
    page: Vec<Time>,
    more: Vec<Time>,
}

pub(super) fn reads_of_end(device: &Path, size: u64) -> io::Result<EndReads> {
    let file = OpenOptions::new().read(true).custom_flags(DIRECT).open(device)?;
    let times = |bytes: u64| {
        let mut memory = Aligned::of(as_index(bytes));
        let mut times = Vec::new();
        for _ in 0..READS {
            let begin = Instant::now();
            file.read_exact_at(memory.bytes(), size - bytes)?;
            times.push(Time::from_seconds(begin.elapsed().as_secs_f64()));
        }
        io::Result::Ok(times)
    };
    Ok(EndReads { page: times(PAGE_BYTES)?, more: times(MORE_BYTES)? })
}

/// What the way to an emulated device adds to a request: the kernel's and petrio's work on it, and copies of its data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// To each.
    pub(super) each: Time,
    /// For each MiB of it.
    pub(super) for_mib: Time,
}

impl Way {
    /// The way to a device of so many bytes: the medians of what these reads took, less those of what the device took for them.
    pub(super) fn of(reads: &EndReads, served: &[Served], size: u64) -> Self {
        let added = |times: &[Time], bytes: u64| {
            let first = (size - bytes) / SECTOR_BYTES;
            let own = served.iter().filter(|request| request.address == first).map(|request| request.took);
            median(times.to_vec()).saturating_sub(median(own.collect()))
        };
        let (page, more) = (added(&reads.page, PAGE_BYTES), added(&reads.more, MORE_BYTES));
        let for_mib = part(more.saturating_sub(page), 1 << 20, MORE_BYTES - PAGE_BYTES);
        let each = page.saturating_sub(part(for_mib, PAGE_BYTES, 1 << 20));
        Self { each, for_mib }
    }

    /// A scenario's connection that adds it to what a part `d` takes, as the part `way`.
    pub(super) fn fabric(self) -> String {
        let seconds = self.for_mib.as_seconds();
        // Faster than anything, where copies cost nothing.
        let rate = if seconds > 0.0 { f64::from(1 << 20) / seconds / 1e6 } else { 1e6 };
        format!(
            "[fabric.way]\non = \"d\"\nadapter = \"{} ns\"\nlatency = \"0 s\"\nrate = \"{rate:.3} MB/s\"\nframe_overhead = \"0 B\"\n\
             transfer_ready = false\n",
            self.each.as_picos() / 1_000
        )
    }
}

/// When the device was first asked for these.
pub(super) fn begin_of_reads(served: &[Served], size: u64) -> Time {
    let last = (size - PAGE_BYTES) / SECTOR_BYTES;
    let of_last = served.iter().filter(|request| request.address == last).map(|request| request.arrived);
    of_last.min().unwrap_or_default()
}

/// `bytes` of what takes a time for `of`.
const fn part(time: Time, bytes: u64, of: u64) -> Time {
    Time::from_picos(time.as_picos() * bytes / of)
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
        let [last, more] = [PAGE_BYTES, MORE_BYTES].map(|bytes| (size - bytes) / SECTOR_BYTES);
        let of = |address, micros| Served { arrived: Time::ZERO, took: Time::from_micros(micros), address };
        let page = [9_000, 250, 240, 230, 260].map(Time::from_micros).to_vec();
        let reads = EndReads { page, more: vec![Time::from_micros(460); 3] };
        let served =
            [of(0, 5_000), of(last, 8_800), of(last, 100), of(last, 110), of(more, 260), of(last, 90)];
        // 140 us for a page and 200 for 64 KiB: 136 and, of the 60 KiB between, 1,024 a MiB.
        let way = Way { each: Time::from_micros(136), for_mib: Time::from_micros(1_024) };
        assert_eq!(Way::of(&reads, &served, size), way);
        assert!(way.fabric().contains("adapter = \"136000 ns\""), "{}", way.fabric());
        assert!(way.fabric().contains("rate = \"1024.000 MB/s\""), "{}", way.fabric());
        let nothing = Way::of(&EndReads { page: Vec::new(), more: Vec::new() }, &[], size);
        assert!(nothing == Way::default() && nothing.fabric().contains("1000000.000 MB/s"));
    }
}
