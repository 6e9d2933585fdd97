//! What a session did with each file, as the calls tell.

use super::sizes::Sizes;
use petrio_time::Time;
use petrio_trace::event::FileKey;

/// What a session did with a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfFile {
    pub(super) bytes: u64,
    pub(super) written: u64,
    pub(super) size: u64,
    /// The session made it.
    pub(super) is_made: bool,
    pub(super) opens: u32,
    /// Reads that got nothing.
    pub(super) ends: u32,
    /// Accesses that moved bytes.
    pub(super) calls: u32,
    pub(super) last: Option<Last>,
    pub(super) lengths: Lengths,
}

/// The lengths of a file's accesses, as long as the first after each open are alike, and all others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    /// Of the first after an open, and of the others.
    of: [u64; 2],
    /// How many of each were uncut, reads and writes.
    uncut: [[u32; 2]; 2],
    /// Whether an access has followed the last open.
    is_begun: bool,
    is_irregular: bool,
    /// The last uncut length of irregular ones.
    before: u64,
}

/// The access before, of which the next call tells whether it was cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) length: u64,
    pub(super) end: u64,
    pub(super) is_write: bool,
    /// It ended at the end of its file.
    pub(super) is_at_end: bool,
    /// It ended where the file has ended so far.
    pub(super) is_last: bool,
}

impl Last {
    /// Whether it was cut, where an access that begins at `offset` follows: users write a file that they make to its
    /// end, and go on to read it.
    pub(super) const fn is_cut_before(self, offset: u64, is_write: bool) -> bool {
        self.is_at_end || self.is_write && self.is_last && (!is_write || offset != self.end)
    }
}

/// Accesses of files whose accesses aren't all of one length: their lengths, and how each goes with the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Irregular {
    /// Of reads, and of writes.
    pub(super) sizes: [Sizes; 2],
    /// Pairs, and sums of the logarithms of the earlier and of the later, their squares and products.
    sums: [f64; 6],
}

impl Irregular {
    pub(super) fn join(&mut self, other: &Self) {
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(sizes, other)| sizes.join(other));
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, other)| *sum += other);
    }

    fn pair(&mut self, before: u64, length: u64) {
        let (a, b) = (libm::log(before as f64), libm::log(length as f64));
        self.sums.iter_mut().zip([1.0, a, b, a * a, b * b, a * b]).for_each(|(sum, term)| *sum += term);
    }

    /// The correlation of a length with the one before in the same file, where it is no chance.
    pub(super) fn correlation(&self) -> Option<f64> {
        let [n, a, b, a2, b2, ab] = self.sums;
        let spread = (a2 / n - a / n * a / n) * (b2 / n - b / n * b / n);
        if n < PAIRS_LEAST || spread <= 0.0 {
            return None;
        }
        let found = ((ab / n - a / n * b / n) / spread.sqrt()).clamp(-CORRELATION_MOST, CORRELATION_MOST);
        (found.abs() > 1.96 / n.sqrt()).then(|| (found * 100.0).round() / 100.0)
    }
}

/// So few pairs tell nothing of a correlation.
const PAIRS_LEAST: f64 = 30.0;
/// More would hardly ever draw another length.
const CORRELATION_MOST: f64 = 0.98;

impl Lengths {
    /// Takes the length of an access that is over, and whether it was cut.
    fn ended(&mut self, length: u64, is_write: bool, is_cut: bool, irregular: &mut Irregular) {
        let way = usize::from(is_write);
        if self.is_irregular {
            irregular.sizes[way].add(length, is_cut);
            if !is_cut {
                if self.before > 0 {
                    irregular.pair(self.before, length);
                }
                self.before = length;
            }
            return;
        }
        let place = usize::from(std::mem::replace(&mut self.is_begun, true));
        let same = &mut self.of[place];
        match *same {
            0 => *same = length,
            there if length == there || is_cut && length < there => {}
            _ => {
                self.is_irregular = true;
                for (of, uncut) in self.of.into_iter().zip(self.uncut) {
                    for (way, count) in uncut.into_iter().enumerate() {
                        (0..count).for_each(|_| irregular.sizes[way].add(of, false));
                    }
                }
                return self.ended(length, is_write, is_cut, irregular);
            }
        }
        self.uncut[place][way] += u32::from(!is_cut);
    }
}

impl OfFile {
    /// Takes the length of an access that is over, and whether it was cut. Where all are alike but for those that were
    /// cut, their length is the file's; otherwise all count as drawn.
    pub(super) fn ended(&mut self, last: Last, is_cut: bool, irregular: &mut Irregular) {
        self.lengths.ended(last.length, last.is_write, is_cut, irregular);
    }

    /// Takes what is left of the last access.
    pub(super) fn close(&mut self, irregular: &mut Irregular) {
        if let Some(last) = self.last.take() {
            self.ended(last, true, irregular);
        }
        self.lengths.is_begun = false;
    }

    /// Bytes of the first of its accesses after each open, and of the others; 0 where they differ. Of directories, whose
    /// lists nobody asks for in parts, as many bytes as give as many calls.
    pub(super) fn access(&self, is_directory: bool) -> [u64; 2] {
        match (self.lengths.is_irregular, is_directory) {
            (true, false) => [0, 0],
            (true, true) => [self.bytes.div_ceil(u64::from(self.calls.max(1))); 2],
            (false, _) => {
                let [first, others] = self.lengths.of;
                [first, if others == 0 { first } else { others }]
            }
        }
    }
}

/// A session that is over.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) files: Vec<(FileKey, OfFile)>,
    pub(super) looks: u32,
    pub(super) syncs: u32,
    pub(super) began: Time,
    pub(super) ended: Time,
    pub(super) process: u32,
    /// The most files that were open at once.
    pub(super) open_most: u32,
    /// The program that was at work, where the trace says.
    pub(super) program: Option<Box<str>>,
}

impl Session {
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, used)| used.bytes).sum()
    }

    pub(super) fn mean_size(&self) -> f64 {
        self.files.iter().map(|(_, used)| used.size as f64).sum::<f64>() / self.files.len().max(1) as f64
    }

    /// How often a byte of a file is accessed, at the mean over the files that have any.
    pub(super) fn accesses_per_byte(&self) -> f64 {
        let with_bytes = self.files.iter().filter(|(_, used)| used.size > 0);
        let count = with_bytes.clone().count().max(1) as f64;
        with_bytes.map(|(_, used)| used.bytes as f64 / used.size as f64).sum::<f64>() / count
    }
}
