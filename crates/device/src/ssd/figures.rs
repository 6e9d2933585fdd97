//! From a data sheet to the times of the model: how long each part works, and how many units of flash there are.
//!
//! A sheet gives points: one access at a time, and as many as it takes to be as fast as the drive gets. What lies between follows from
//! three bounds. One access at a time takes its latency, of which flash is most. All together go no faster than the sheet's rates,
//! whatever the depth: the back end takes 1 / IOPS of a random access and bytes / rate of a long one. And accesses that meet in a unit
//! of flash wait for each other, as in a closed network of equal stations; how many units there are follows from the sheet's reads at
//! their depth.

use super::amplification::part_left;
use super::parameters::{Accesses, Class, SsdParameters, Stream};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::Time;
use petrio_units::numbers::{as_number, whole_part};

/// What flash is read and mapped by.
pub(super) const PAGE: u64 = 4096;
/// Data that lie one after the other in one unit: a page of flash on each of its planes.
pub(super) const STRIPE: u64 = 32 << 10;
/// Units that any drive has at most: 16 channels of 64 dies.
const UNITS_MAX: u32 = 1 << 10;
/// What a sheet means that names no depth.
const DEPTH_UNNAMED: u32 = 256;
/// Memory for writes: what flash takes in ten milliseconds, for about as long as the capacitors of protected drives last.
const USUAL_WRITE_CACHE_S: f64 = 0.01;
/// What a flush of a cache that isn't protected waits for flash (measured: 0.5 to 3 ms, most about 1).
const USUAL_FLUSH_US: f64 = 1_000.0;
/// Flash beyond what is offered: a GiB of 2^30 bytes for each GB of 10^9.
const USUAL_SPARE: f64 = 0.07;
/// Rate beyond that of reads in order that units have.
const SPARE_RATE: f64 = 1.25;
/// Reads beyond those of the sheet that its units could do, as they share the way with what else bounds them.
const SPARE_READS: f64 = 1.05;
/// What the controller takes of the time between two of the drive's accesses at its fastest: less than all, or it would bound them.
const DECODING: f64 = 0.7;
/// Commands among which the share of reads is looked at.
pub(super) const WINDOW: f64 = 64.0;

/// The times of a drive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    /// The controller works on each command for so long, on one at a time: on a write for longer, where the sheet's random writes are
    /// the most that it takes in and not what lasts.
    pub(super) command: Time,
    pub(super) write_command: Time,
    /// Seconds of the link for a byte.
    link_byte: f64,
    /// A read in a unit of flash.
    pub(super) flash: Time,
    /// A read of what has been read ahead.
    pub(super) ahead: Time,
    /// Units of flash.
    pub(super) units: u32,
    /// A write from its data's arrival to its report, in memory.
    pub(super) report: Time,
    /// A write from its data's being written to its report, where it is to be in flash.
    pub(super) program: Time,
    /// A flush, once all is written.
    pub(super) flush: Time,
    /// A discard beside its decoding, and for how long a GiB of it keeps the controller, seconds.
    pub(super) discard: Time,
    discard_gib: f64,
    /// Spare flash, as a share of what is offered.
    spare: f64,
    /// What the back end takes for reads and for writes, at first and behind the SLC cache.
    read: Takes,
    write: Takes,
    behind: Takes,
    /// By how much longer reads and writes take that are as many as each other, as a factor less 1.
    interference: f64,
}

/// What the back end takes, seconds: for a random access of a page, for each page more where the sheet says so, and for each byte in
/// order, in requests of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Takes {
    page: f64,
    another: Option<f64>,
    byte: f64,
    size: f64,
}

impl Takes {
    /// What the sheet's figures are of.
    fn of(accesses: &Accesses, stream: &Stream) -> Self {
        let page = 1.0 / accesses.iops / (accesses.size.get() as f64 / PAGE as f64).max(1.0);
        let another = accesses.iops_8k.map(|iops| (1.0 / iops - page).max(0.0));
        Self { page, another, byte: 1.0 / stream.rate.bytes_per_second(), size: stream.size.get() as f64 }
    }

    /// A read: between the sheet's points a part for each command and one for each byte, as the points lie.
    fn read(&self, bytes: f64) -> f64 {
        let page = PAGE as f64;
        let two = self.another.map(|another| (2.0 * page, self.page + another));
        let whole = (self.size, self.byte * self.size);
        let mut below = (page, self.page);
        for (size, span) in two.into_iter().chain([whole]) {
            if size > below.0 && bytes < size {
                let part = ((bytes - below.0) / (size - below.0)).max(0.0);
                return (below.1 + (span - below.1) * part).max(self.byte * bytes);
            }
            below = (size.max(below.0), span.max(below.1));
        }
        (self.byte * bytes).max(below.1)
    }

    /// Random writes of so many pages: each costs what one does, unless the sheet says what a second one does. They cost this
    /// `part` of what they do on a full drive, and never less than in order.
    fn write(&self, pages: f64, part: f64) -> f64 {
        let another = self.another.unwrap_or(self.page);
        let in_order = self.byte * pages * PAGE as f64;
        ((self.page + another * (pages - 1.0)) * part).max(in_order)
    }
}

/// A time of so many seconds.
fn seconds(span: f64) -> Time {
    Time::from_picos(whole_part((span.max(0.0) * 1e12).min(1e18)))
}

impl Figures {
    /// Those of a sheet.
    pub(super) fn of(sheet: &SsdParameters) -> Self {
        let link = sheet.link_bytes_per_second();
        let most = sheet.random_read.iops.max(sheet.random_write.iops);
        let command = DECODING / most;
        let write_command = if sheet.random_write.steady { command } else { 1.0 / sheet.random_write.iops };
        let read = Takes::of(&sheet.random_read, &sheet.sequential_read);
        let write = Takes::of(&sheet.random_write, &sheet.sequential_write);
        let behind = sheet.slc.map_or(write, |slc| {
            let byte = (1.0 / slc.behind.bytes_per_second()).max(write.byte);
            let slower = byte / write.byte;
            let page = slc.behind_iops.map_or(write.page * slower, |iops| 1.0 / iops).max(write.page);
            let another = write.another.map(|another| another * page / write.page);
            Takes { page, another, byte, ..write }
        });
        let on_link = PAGE as f64 / link;
        let (read_us, write_us) = sheet.latencies_us();
        let flash = (read_us * 1e-6 - on_link - command).max(0.0);
        let ahead = (sheet.in_order_us() * 1e-6 - on_link - command).clamp(0.0, flash);
        let report = (write_us * 1e-6 - on_link - write_command).max(0.0);
        let flush = sheet.flush_us() * 1e-6;
        let trim = sheet.trim.unwrap_or_default();
        // What a write takes beyond the back end where it is to be in flash.
        let program = if sheet.is_protected() { report } else { flush.max(report - write.page) };
        Self {
            command: seconds(command),
            write_command: seconds(write_command),
            link_byte: 1.0 / link,
            flash: seconds(flash),
            ahead: seconds(ahead),
            units: sheet.units.unwrap_or_else(|| units(sheet, flash)),
            report: seconds(report),
            program: seconds(program),
            flush: seconds(flush),
            discard: trim.time.map_or(seconds(report), petrio_units::Duration::time),
            discard_gib: trim.each_gib.map_or(0.0, petrio_units::Duration::as_seconds),
            spare: sheet.spare.map_or(USUAL_SPARE, petrio_units::Fraction::get),
            read,
            write,
            behind,
            interference: interference(sheet, read, write),
        }
    }

    /// How long bytes take the link.
    pub(super) fn on_link(&self, bytes: u64) -> Time {
        seconds(self.link_byte * bytes as f64)
    }

    /// How long the back end takes for a read, of all commands this share of which are reads.
    pub(super) fn reads(&self, bytes: u64, share: f64) -> Time {
        seconds(self.read.read(bytes as f64) * self.mixed(share))
    }

    /// How long it takes for a part of a write of so many bytes, in order or not, before or behind the SLC cache.
    pub(super) fn writes(
        &self,
        (part, whole): (u64, u64),
        (in_order, behind): (bool, bool),
        (share, left): (f64, f64),
    ) -> Time {
        let takes = if behind { self.behind } else { self.write };
        let span = if in_order {
            takes.byte * part as f64
        } else {
            let pages = whole.div_ceil(PAGE).max(1) as f64;
            takes.write(pages, left) * part as f64 / whole.max(1) as f64
        };
        seconds(span * self.mixed(share))
    }

    /// How long a discard of so many blocks keeps the controller from all else, beside its decoding.
    pub(super) fn gives_up(&self, blocks: u32) -> Time {
        seconds(self.discard_gib * f64::from(blocks) * SECTOR_BYTES as f64 / f64::from(1 << 30))
    }

    /// What random writes cost of what they do on a full drive of so many pages, where so many of them are discarded.
    pub(super) fn part_left(&self, pages: u64, discarded: u64) -> f64 {
        part_left(self.spare, pages, pages.saturating_sub(discarded))
    }

    /// Data that are written at a time: some fifty microseconds of the back end, so that reads needn't wait for long.
    pub(super) fn piece(&self) -> u64 {
        let bytes = 50e-6 / self.write.byte;
        (whole_part(bytes) / PAGE * PAGE).clamp(PAGE, 256 << 10)
    }

    /// By how much longer each takes where this share are reads.
    fn mixed(&self, share: f64) -> f64 {
        1.0 + self.interference * 4.0 * share * (1.0 - share)
    }
}

impl SsdParameters {
    /// Bytes a second on its link.
    pub(super) fn link_bytes_per_second(&self) -> f64 {
        self.link.map_or(self.interface.bytes_per_second(), petrio_units::Rate::bytes_per_second)
    }

    /// A read and a write at queue depth 1, µs. Where the sheet is silent, those usual for the interface, and none longer than lets
    /// the sheet's random accesses be at their depth.
    pub(super) fn latencies_us(&self) -> (f64, f64) {
        let usual = self.interface.usual_latencies_us();
        let within = |usual: f64, accesses: &Accesses| {
            usual.min(0.7 * f64::from(self.depth_of(accesses)) / accesses.iops * 1e6)
        };
        let read = self.latency.read.map(|span| span.as_seconds() * 1e6);
        let write = self.latency.write.map(|span| span.as_seconds() * 1e6);
        (
            read.unwrap_or_else(|| within(usual.0, &self.random_read)),
            write.unwrap_or_else(|| within(usual.1, &self.random_write)),
        )
    }

    /// A read at queue depth 1 that goes on where another ended, µs.
    fn in_order_us(&self) -> f64 {
        let said = self.latency.read_in_order.map(|span| span.as_seconds() * 1e6);
        said.unwrap_or_else(|| self.interface.usual_latency_in_order_us().min(self.latencies_us().0))
    }

    /// So many at a time as the sheet's figure is of.
    pub(super) fn depth_of(&self, accesses: &Accesses) -> u32 {
        accesses.depth.unwrap_or_else(|| self.depth().min(DEPTH_UNNAMED)).max(1)
    }

    /// Commands that it accepts at a time.
    pub(super) fn depth(&self) -> u32 {
        self.queue_depth.unwrap_or_else(|| self.interface.depth())
    }

    /// Bytes of the memory for writes.
    pub(super) fn write_cache_bytes(&self) -> u64 {
        let usual = self.sequential_write.rate.bytes_per_second() * USUAL_WRITE_CACHE_S;
        let usual = (whole_part(usual) / PAGE * PAGE).max(16 * PAGE);
        self.write_cache.and_then(|cache| cache.size).map_or(usual, petrio_units::Bytes::get)
    }

    /// Whether it reports writes from memory.
    pub(super) fn has_cache(&self) -> bool {
        self.write_cache.is_none_or(|cache| cache.enabled)
    }

    /// Whether what that memory holds survives a power cut.
    pub(super) fn is_protected(&self) -> bool {
        self.write_cache.map_or(self.class != Class::Consumer, |cache| cache.protected)
    }

    /// What a flush takes once all is written, µs.
    pub(super) fn flush_us(&self) -> f64 {
        let said = self.write_cache.and_then(|cache| cache.flush).map(|span| span.as_seconds() * 1e6);
        said.unwrap_or(if self.is_protected() { 0.0 } else { USUAL_FLUSH_US })
    }

    /// What the sheet doesn't say, and is taken for.
    pub(super) fn silences(&self) -> Vec<String> {
        let (read, write) = self.latencies_us();
        let mut all = Vec::new();
        if self.latency.read.is_none() {
            all.push(format!("latency.read {read:.0} us"));
        }
        if self.latency.read_in_order.is_none() {
            all.push(format!("latency.read_in_order {:.0} us", self.in_order_us()));
        }
        if self.latency.write.is_none() {
            all.push(format!("latency.write {write:.0} us"));
        }
        if self.random_read.depth.is_none() {
            all.push(format!("random_read.depth {}", self.depth_of(&self.random_read)));
        }
        if self.mixed.is_none() {
            all.push("mixed: reads and writes take as long as alone".to_owned());
        }
        if self.has_cache() {
            let cache = self.write_cache;
            if cache.is_none() {
                let words = if self.is_protected() { "protected" } else { "not protected" };
                all.push(format!("write_cache {words}"));
            }
            if cache.is_none_or(|cache| cache.size.is_none()) {
                all.push(format!("write_cache.size {}", petrio_units::Bytes(self.write_cache_bytes())));
            }
            if cache.is_none_or(|cache| cache.flush.is_none()) && !self.is_protected() {
                all.push(format!("write_cache.flush {:.0} us", self.flush_us()));
            }
        }
        if self.units.is_none() {
            all.push(format!("units {}", Figures::of(self).units));
        }
        all
    }
}

/// Units of flash of a drive whose reads take so many seconds there: as many as the sheet's reads at their depth need, and those in order.
fn units(sheet: &SsdParameters, flash: f64) -> u32 {
    let rest = (sheet.latencies_us().0 * 1e-6 - flash).max(0.0);
    let depth = sheet.depth_of(&sheet.random_read);
    let by_rate = SPARE_RATE * sheet.sequential_read.rate.bytes_per_second() * flash / STRIPE as f64;
    let enough =
        |units: u32| reads_per_second((flash, rest), units, depth) >= SPARE_READS * sheet.random_read.iops;
    // More units are never slower.
    let (mut few, mut many) = (0, UNITS_MAX);
    while few + 1 < many {
        let units = few.midpoint(many);
        if enough(units) { many = units } else { few = units }
    }
    many.max(as_number(whole_part(by_rate.min(f64::from(UNITS_MAX)))))
}

/// Reads a second of so many at a time on so many equal units, each of which takes so long, and so long elsewhere. A read that is
/// under way is half done on average when another comes (M. Reiser, "A queueing network analysis of computer communication networks with
/// window flow control", IEEE Trans. Communications 27, 1979, for times that don't vary).
pub(super) fn reads_per_second((flash, rest): (f64, f64), units: u32, depth: u32) -> f64 {
    let (mut there, mut busy, mut per_second) = (0.0, 0.0_f64, 0.0);
    for at_a_time in 1..=depth.min(4_096) {
        let response = flash * (1.0 + f64::max(there - busy / 2.0, 0.0));
        per_second = f64::from(at_a_time) / (rest + response);
        busy = (per_second * flash / f64::from(units)).min(1.0);
        there = per_second * response / f64::from(units);
    }
    per_second
}

/// By how much longer reads and writes take that are as many, as a factor less 1: from the sheet's mixed load.
fn interference(sheet: &SsdParameters, read: Takes, write: Takes) -> f64 {
    let Some(mixed) = sheet.mixed else { return 0.0 };
    let share = mixed.reads.get();
    let alone = share * read.page + (1.0 - share) * write.page;
    let spread = 4.0 * share * (1.0 - share);
    if spread <= 0.0 || mixed.iops <= 0.0 {
        return 0.0;
    }
    // Neither kind gets faster than it is alone.
    let faster = -share.min(1.0 - share);
    ((1.0 / mixed.iops / alone - 1.0) / spread).clamp(faster, 8.0)
}
