//! One file in use: the calls from its open to its close.

use super::readings::Cut;
use super::session::Job;
use crate::namespace::{Order, Purpose};
use petrio_colours::{FileId, Operation};
use petrio_distribution::{Distribution, normal_cdf, standard_normal};
use petrio_persist::Persist;
use petrio_random::{Generator, uniform_below};
use petrio_units::numbers::whole_part;

/// A file in use, or about to be.
#[derive(Clone, Debug, Persist)]
pub(super) struct Using {
    pub(super) job: Job,
    pub(super) file: FileId,
    /// The directory that it lies in.
    pub(super) parent: FileId,
    pub(super) is_open: bool,
    /// Bytes still to be accessed.
    left: u64,
    /// Those of them until the next close.
    of_opening: u64,
    /// Reads at its end until the next close, and all that are left.
    ends: (u32, u32),
    /// How often it is still to be opened again.
    reopens: u32,
    /// Whether an access has followed the last open.
    is_begun: bool,
    /// The normal number with which the last access' size was drawn.
    drawn_at: Option<f64>,
    /// Those of them still to be written.
    to_write: u64,
    position: u64,
    /// Blocks of the index still to be read before the place is known.
    look_ups: u32,
    /// Whether a look-up has begun.
    is_looking: bool,
}

/// A call that moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) operation: Operation,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Using {
    pub(super) fn new(job: Job, file: FileId, parent: FileId) -> Self {
        let (left, to_write) = (job.quota, job.written);
        let mut using = Self {
            job,
            file,
            parent,
            is_open: false,
            left,
            of_opening: 0,
            ends: (0, job.ends),
            reopens: job.reopens,
            is_begun: false,
            drawn_at: None,
            to_write,
            position: 0,
            look_ups: 0,
            is_looking: false,
        };
        using.share_out();
        using
    }

    /// Gives this opening its part of what is left.
    fn share_out(&mut self) {
        let openings = self.reopens + 1;
        self.of_opening = self.left.div_ceil(u64::from(openings));
        self.ends.0 = self.ends.1.div_ceil(openings);
    }

    /// Whether all is accessed that was to be before the next close.
    pub(super) const fn is_done(&self) -> bool {
        self.of_opening == 0 && self.ends.0 == 0
    }

    /// With which call it is opened: what is made, only once.
    pub(super) fn opening(&self, purpose: Purpose) -> Operation {
        let is_first = self.reopens == self.job.reopens;
        if purpose.is_made() && is_first { Operation::Create } else { Operation::Open }
    }

    /// Closes it; whether it is to be opened again.
    pub(super) fn close(&mut self) -> bool {
        self.is_open = false;
        if self.reopens == 0 {
            return false;
        }
        (self.reopens, self.position, self.is_begun) = (self.reopens - 1, 0, false);
        self.share_out();
        true
    }

    /// Whether its next access writes.
    pub(super) const fn is_writing(&self) -> bool {
        self.to_write > 0 && self.of_opening > 0
    }

    /// Bytes of the next access, if nothing cuts it: as always of this file, or drawn after the one before.
    pub(super) fn length(&mut self, sizes: &Distribution, correlation: f64, random: &mut Generator) -> u64 {
        let same = self.job.access[usize::from(self.is_begun)];
        if same > 0 {
            return same;
        }
        let drawn = if correlation == 0.0 {
            sizes.sample(random)
        } else {
            let fresh = standard_normal(random);
            let own = (1.0 - correlation * correlation).max(0.0).sqrt();
            let z = self.drawn_at.map_or(fresh, |before| correlation * before + own * fresh);
            self.drawn_at = Some(z);
            sizes.quantile(normal_cdf(z))
        };
        whole_part(drawn.round().max(1.0))
    }

    /// The next access, of so many bytes if nothing cuts it.
    pub(super) fn next(&mut self, drawn: u64, order: &Order, cut: Cut, random: &mut Generator) -> Access {
        let size = self.job.size;
        if self.of_opening == 0 {
            self.ends = (self.ends.0.saturating_sub(1), self.ends.1.saturating_sub(1));
            return Access { operation: Operation::Read, offset: size, length: 0 };
        }
        self.is_begun = true;
        let writes = self.to_write > 0;
        let mut length = drawn.clamp(1, self.of_opening);
        if writes {
            length = length.min(self.to_write);
        }
        // A file that is used as another one was is accessed in as many calls: what doesn't fit any more begins again.
        if self.job.access[1] > 0 && self.position + length > size && length <= size {
            self.position = 0;
        }
        // A file that is being made grows from its beginning on.
        let sequential = self.job.file.is_none() && writes;
        let within = |offset: u64, length: u64| match cut {
            Cut::Quota if !writes => length,
            _ => length.min(size - offset),
        };
        let offset = match order {
            _ if sequential => self.position,
            Order::Sequential => self.position,
            Order::Random => uniform_below(random, size - length.min(size) + 1),
            Order::Strided(_) => self.position,
            Order::Indexed(index) => {
                let index_bytes = whole_part(size as f64 * index.share.get()).min(size - 1);
                let block = index.block.get().max(1);
                if !self.is_looking && index_bytes > 0 {
                    (self.is_looking, self.look_ups) = (true, index.levels);
                }
                if self.look_ups > 0 {
                    // The first block is the root of the index.
                    let blocks = index_bytes.div_ceil(block);
                    let at =
                        if self.look_ups == index.levels { 0 } else { uniform_below(random, blocks) * block };
                    self.look_ups -= 1;
                    let length = block.min(index_bytes - at).min(self.of_opening).max(1);
                    self.left -= length;
                    self.of_opening -= length;
                    return Access { operation: Operation::Read, offset: at, length };
                }
                self.is_looking = false;
                let behind = size - index_bytes;
                index_bytes + uniform_below(random, behind - length.min(behind) + 1)
            }
        };
        let length = within(offset, length);
        self.left -= length;
        self.of_opening -= length;
        if writes {
            self.to_write -= length;
        }
        self.position = match order {
            Order::Strided(stride) if !sequential => next_stride(offset, length, stride.get().max(1), size),
            _ if offset.saturating_add(length) >= size => 0,
            _ => offset + length,
        };
        let operation = if writes { Operation::Write } else { Operation::Read };
        Access { operation, offset, length }
    }
}

/// Where an access begins after one of `length` at `offset`: a stride further; past the end again near the first place,
/// behind what was accessed there.
fn next_stride(offset: u64, length: u64, stride: u64, size: u64) -> u64 {
    match offset.checked_add(stride) {
        Some(next) if next < size => next,
        _ => {
            let again = offset % stride + length;
            if again < stride.min(size) { again } else { 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::namespace::Index;
    use petrio_random::generator;

    fn using(size: u64, quota: u64, written: u64, is_new: bool) -> Using {
        let file = if is_new { None } else { Some(3) };
        Using::new(Job { file, size, quota, written, ..Job::default() }, FileId(4), FileId(1))
    }

    fn all(mut using: Using, drawn: u64, order: &Order, cut: Cut) -> Vec<(Operation, u64, u64)> {
        let mut random = generator(1, 0, "test", "access");
        let mut accesses = Vec::new();
        while !using.is_done() {
            let Access { operation, offset, length } = using.next(drawn, order, cut, &mut random);
            accesses.push((operation, offset, length));
        }
        accesses
    }

    const R: Operation = Operation::Read;
    const W: Operation = Operation::Write;

    #[test]
    fn a_file_is_read_again_from_its_beginning_and_cut_at_its_end_on_every_pass() {
        let seen = all(using(250, 600, 0, false), 100, &Order::Sequential, Cut::EndOfFile);
        let expected = [(0, 100), (100, 100), (200, 50), (0, 100), (100, 100), (200, 50), (0, 100)];
        assert_eq!(seen, expected.map(|(offset, length)| (R, offset, length)));
        let seen = all(using(250, 600, 0, false), 100, &Order::Sequential, Cut::Quota);
        let expected = [(0, 100), (100, 100), (200, 100), (0, 100), (100, 100), (200, 100)];
        assert_eq!(seen, expected.map(|(offset, length)| (R, offset, length)));
    }

    #[test]
    fn a_new_file_is_written_once_and_then_read() {
        for cut in [Cut::EndOfFile, Cut::Quota] {
            let seen = all(using(150, 250, 150, true), 100, &Order::Random, cut);
            assert_eq!(seen[..2], [(W, 0, 100), (W, 100, 50)]);
            assert!(seen[2..].iter().all(|access| access.0 == R));
            assert_eq!(seen.iter().map(|access| access.2).sum::<u64>(), 250);
        }
    }

    #[test]
    fn a_file_that_is_used_as_another_was_has_as_many_opens_and_calls() {
        let job = Job {
            file: Some(3),
            size: 848,
            quota: 4_800,
            access: [832, 784],
            reopens: 1,
            ends: 2,
            ..Job::default()
        };
        let mut using = Using::new(job, FileId(4), FileId(1));
        let mut random = generator(1, 0, "test", "access");
        let mut openings = Vec::new();
        loop {
            let mut lengths = Vec::new();
            while !using.is_done() {
                let drawn = using.length(&Distribution::constant(1.0), 0.0, &mut random);
                let access = using.next(drawn, &Order::Sequential, Cut::EndOfFile, &mut random);
                assert!(access.offset + access.length <= 848);
                lengths.push(access.length);
            }
            openings.push(lengths);
            if !using.close() {
                break;
            }
        }
        // Which part of the file each has isn't kept.
        assert_eq!(openings, [[832, 784, 784, 0], [832, 784, 784, 0]]);
    }

    #[test]
    fn random_accesses_stay_within_the_file_and_strided_ones_visit_all_of_it() {
        for (_, offset, length) in all(using(1_000, 50_000, 0, false), 37, &Order::Random, Cut::EndOfFile) {
            assert!(offset + length <= 1_000);
        }
        let strided =
            all(using(400, 400, 0, false), 50, &Order::Strided(petrio_units::Bytes(100)), Cut::EndOfFile);
        let offsets: Vec<u64> = strided.iter().map(|access| access.1).collect();
        assert_eq!(offsets, [0, 100, 200, 300, 50, 150, 250, 350]);
    }

    #[test]
    fn an_indexed_access_reads_the_root_a_block_of_the_index_and_the_record() {
        let index = Index { share: "10%".parse().unwrap(), block: petrio_units::Bytes(64), levels: 2 };
        let seen = all(using(10_000, 2_000, 0, false), 100, &Order::Indexed(index), Cut::EndOfFile);
        for three in seen.chunks(3).filter(|three| three.len() == 3) {
            assert_eq!((three[0].1, three[0].2), (0, 64));
            assert!(three[1].1 < 1_000 && three[2].1 >= 1_000, "{three:?}");
        }
        assert_eq!(seen.iter().map(|access| access.2).sum::<u64>(), 2_000);
    }
}
