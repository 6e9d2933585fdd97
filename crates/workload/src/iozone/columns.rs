//! Which tests a command line asks for, in which order, and what each does.

use super::options::{KILOBYTE, Options};
use super::{IozoneError, IozoneTest};
use crate::program::PatternParameters;
use crate::program::pattern::{Access, BarrierAt, Durability, Interface, OpenClose, Pattern, Timing};
use petrio_time::Time;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration, Fraction};

/// File sizes and records of automatic mode, and what is taken where nothing is named, bytes (iozone's manual page: -a, -n, -g, -y, -q).
const SIZES: [u64; 2] = [64 * KILOBYTE, 512 * 1024 * KILOBYTE];
const RECORDS: [u64; 2] = [4 * KILOBYTE, 16 * 1024 * KILOBYTE];
const SIZE: u64 = 512 * KILOBYTE;
const RECORD: u64 = 4 * KILOBYTE;
/// Files above this have no records below the other in automatic mode without -z.
const LARGE_FILE: u64 = 16 * 1024 * KILOBYTE;
const LARGE_RECORD: u64 = 64 * KILOBYTE;
/// Records from one to the next of a strided read (-j).
const STRIDE: u64 = 17;

/// A test: its number behind `-i`, its column, whether it repeats the one before, what it does.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) number: u64,
    pub(super) name: &'static str,
    repeats: bool,
    pub(super) operation: Access,
    pub(super) pattern: Pattern,
    pub(super) stdio: bool,
}

const fn column(number: u64, name: &'static str, operation: Access, pattern: Pattern) -> Column {
    Column { number, name, repeats: false, operation, pattern, stdio: false }
}

const fn again(of: Column) -> Column {
    Column { repeats: true, ..of }
}

const fn stdio(of: Column) -> Column {
    Column { stdio: true, ..of }
}

/// In the order of iozone's table, and then those that it prints in throughput mode alone, or where they are asked for.
pub(super) const COLUMNS: [Column; 18] = [
    column(0, "write", Access::Write, Pattern::Sequential),
    again(column(0, "rewrite", Access::Rewrite, Pattern::Sequential)),
    column(1, "read", Access::Read, Pattern::Sequential),
    again(column(1, "reread", Access::Read, Pattern::Sequential)),
    column(2, "random-read", Access::Read, Pattern::Random),
    column(2, "random-write", Access::Rewrite, Pattern::Random),
    column(3, "backward-read", Access::Read, Pattern::Reverse),
    column(4, "record-rewrite", Access::Rewrite, Pattern::Same),
    column(5, "stride-read", Access::Read, Pattern::Strided),
    stdio(column(6, "fwrite", Access::Write, Pattern::Sequential)),
    again(stdio(column(6, "frewrite", Access::Rewrite, Pattern::Sequential))),
    stdio(column(7, "fread", Access::Read, Pattern::Sequential)),
    again(stdio(column(7, "freread", Access::Read, Pattern::Sequential))),
    column(9, "pwrite", Access::Write, Pattern::Sequential),
    again(column(9, "repwrite", Access::Rewrite, Pattern::Sequential)),
    column(10, "pread", Access::Read, Pattern::Sequential),
    again(column(10, "repread", Access::Read, Pattern::Sequential)),
    column(8, "mixed", Access::Mixed, Pattern::Random),
];
/// The last number of the tests that run where none is named.
pub(super) const LAST_OF_ALL: u64 = 7;

/// From the least to the most, doubled.
fn doubled(least: u64, most: u64) -> Vec<u64> {
    std::iter::successors(Some(least), |size| size.checked_mul(2)).take_while(|&size| size <= most).collect()
}

/// A size in the largest of iozone's units that it is a multiple of.
fn words(bytes: u64) -> String {
    let kilobytes = bytes / KILOBYTE;
    for (unit, letter) in [(1024 * 1024, 'g'), (1024, 'm')] {
        if kilobytes.is_multiple_of(unit) {
            return format!("{}{letter}", kilobytes / unit);
        }
    }
    format!("{kilobytes}k")
}

impl Options {
    /// All tests of the command line, in iozone's order.
    pub(super) fn tests(&self) -> Result<Vec<IozoneTest>, IozoneError> {
        let shapes = self.shapes()?;
        let processes = self.process_counts();
        let mut tests = Vec::new();
        for count in &processes {
            for &(size, record) in &shapes {
                for column in COLUMNS.iter().filter(|column| self.wants(column)) {
                    let mut name = column.name.to_owned();
                    if shapes.len() > 1 {
                        name.push_str(&format!("-{}-{}", words(size), words(record)));
                    }
                    if processes.len() > 1 {
                        name.push_str(&format!("-of-{count}"));
                    }
                    tests.push(IozoneTest { name, parameters: self.pattern(column, size, record, *count) });
                }
            }
            if tests.len() > super::TESTS_MAX {
                break;
            }
        }
        if tests.is_empty() {
            return Err(IozoneError::of("none of its tests is played here")
                .with_help("-i takes 0 to 7, 9 and 10, and 8 beside -t; vectors (11, 12) are left out"));
        }
        Ok(tests)
    }

    fn wants(&self, column: &Column) -> bool {
        let is_mixed = column.operation == Access::Mixed;
        let chosen = match self.chosen.is_empty() {
            true => column.number <= LAST_OF_ALL || is_mixed,
            false => self.chosen.contains(&column.number),
        } && (self.is_throughput() || !is_mixed);
        // The C library's buffer can't be past the page cache, and a mapping has no calls.
        chosen && !(column.repeats && self.no_retest) && !(column.stdio && (self.direct || self.mapped))
    }

    /// File sizes and records, as iozone goes through them.
    pub(super) fn shapes(&self) -> Result<Vec<(u64, u64)>, IozoneError> {
        let sizes = match (self.sizes.as_slice(), self.auto) {
            ([], true) => doubled(self.least_size.unwrap_or(SIZES[0]), self.most_size.unwrap_or(SIZES[1])),
            ([], false) => vec![SIZE],
            (named, _) => named.to_vec(),
        };
        let mut shapes = Vec::new();
        for size in sizes {
            let records = match (self.records.as_slice(), self.auto) {
                ([], true) => {
                    let least = self.least_record.unwrap_or(RECORDS[0]);
                    let large = size > LARGE_FILE && !self.all_records;
                    let least = if large { least.max(LARGE_RECORD) } else { least };
                    doubled(least, self.most_record.unwrap_or(RECORDS[1]).min(size))
                }
                ([], false) => vec![RECORD],
                (named, _) => named.to_vec(),
            };
            for record in records {
                if record > size {
                    let problem =
                        format!("the record ({}) is larger than the file ({})", words(record), words(size));
                    return Err(IozoneError::of(problem).with_help("give a smaller -r, or a larger -s"));
                }
                shapes.push((size, record));
            }
        }
        if shapes.is_empty() {
            return Err(IozoneError::of("no file size lies between the least and the most"));
        }
        Ok(shapes)
    }

    /// How many processes, each in its turn (-t, or -l to -u).
    pub(super) fn process_counts(&self) -> Vec<u32> {
        match (self.least_processes, self.most_processes, self.processes) {
            (None, None, count) => vec![count.unwrap_or(1)],
            (least, most, _) => {
                let least = least.unwrap_or(1);
                (least..=most.unwrap_or(least).max(least)).collect()
            }
        }
    }

    /// How many of so many processes of the mixed workload read: every second one, the first of all, but for -+p.
    fn readers(&self, processes: u32) -> u32 {
        let of_hundred = |share: u64| as_number(u64::from(processes) * share / 100);
        self.readers.map_or(processes.div_ceil(2), of_hundred)
    }

    fn pattern(&self, column: &Column, size: u64, record: u64, processes: u32) -> PatternParameters {
        let is_mixed = column.operation == Access::Mixed;
        let writes = column.operation != Access::Read;
        let stays = !self.direct && !self.remounts;
        let mapped = self.mapped && column.operation != Access::Write;
        let synced = writes && !mapped;
        PatternParameters {
            pattern: if is_mixed && self.mixed_in_order { Pattern::Sequential } else { column.pattern },
            read_share: is_mixed.then(|| Fraction::part(self.readers(processes), processes)),
            share_by_process: is_mixed,
            stride: (column.pattern == Pattern::Strided).then(|| self.stride.unwrap_or(STRIDE)),
            processes,
            // A new file has no pass before.
            warm_up_pass: stays && column.operation != Access::Write,
            compute_time: Duration::new(Time::from_millis(self.delay_ms)),
            interface: match (mapped, column.stdio) {
                (true, _) => Interface::Mapped,
                (false, true) => Interface::Stdio,
                (false, false) => Interface::System,
            },
            direct: self.direct && !mapped,
            sync: self.sync && synced,
            data_sync: self.data_sync && !self.sync && synced,
            // Without -e it does so after it has looked at the clock; with -c alone it closes first.
            fsync: match writes && (self.flush || !self.close) {
                true => Durability::AtEnd,
                false => Durability::Never,
            },
            open_close: if self.close { OpenClose::Together } else { OpenClose::Never },
            timing: match (self.close, self.flush) {
                (true, _) => Timing::WithClose,
                (false, true) => Timing::WithFsync,
                (false, false) => Timing::Accesses,
            },
            barrier: if processes > 1 { BarrierAt::Passes } else { BarrierAt::Start },
            ..PatternParameters::new(column.operation, Bytes(record), Bytes(size))
        }
    }
}
