//! Where the next access to one file or disk goes.

use super::parameters::{AccessOrder, AccessParameters, PlaceSequence};
use super::taken::Taken;
use super::tausworthe::Tausworthe;
use super::zones::{Strides, Written};
use crate::popularity::PlacePicker;
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_units::numbers::as_index;

/// A file or a disk as one process goes through it.
#[derive(Clone, Debug, Persist)]
pub(super) struct Way {
    /// Where the area begins.
    base: u64,
    /// The same, in the stride that it is in.
    from: u64,
    /// Bytes that are accessed.
    area: u64,
    /// Bytes that there are.
    size: u64,
    /// Where the last read and the last write ended.
    ends: [u64; 2],
    /// Where a random place has been; none where places may come again.
    taken: Option<Taken>,
    picker: Option<PlacePicker>,
    pub(super) written: Written,
    /// Whether nothing of it is left.
    pub(super) is_done: bool,
}

/// What is the same for all files of a process.
#[derive(Clone, Debug, Persist)]
pub(super) struct Rules {
    order: AccessOrder,
    /// The smallest read and the smallest write.
    pub(super) least: [u64; 2],
    /// Random places of each are multiples of this.
    step: [u64; 2],
    skip: i64,
    strides: Option<Strides>,
    random_share: u32,
    sequence: Option<PlaceSequence>,
    run: u64,
    keeps_on: bool,
    /// Whether a sequential write begins anew at the end because more is written than there is room for.
    wraps: bool,
    one_file: bool,
}

/// What places are drawn from.
#[derive(Clone, Debug, Persist)]
pub(super) struct PlaceDraws {
    pub(super) places: Tausworthe,
    pub(super) shares: [Tausworthe; 2],
    pub(super) popular: Generator,
    /// Accesses in a row until the next random one.
    pub(super) until_random: u64,
    /// Reads and writes so far.
    pub(super) issued: [u64; 2],
}

impl Rules {
    pub(super) fn of(parameters: &AccessParameters, files: usize, areas: u64) -> Self {
        let least = [parameters.record.bounds().0, parameters.writes().bounds().0];
        Self {
            order: parameters.order,
            least,
            step: least.map(|least| parameters.alignment.map_or(least, petrio_units::Bytes::get)),
            skip: parameters.skip.map_or(0, super::sizes::Skip::get),
            strides: parameters.strides,
            random_share: parameters.random_share.map_or(100, super::sizes::in_percent),
            sequence: parameters.sequence.clone(),
            run: parameters.run,
            keeps_on: parameters.keep_on,
            wraps: parameters.operation.writes()
                && parameters.amount.is_some_and(|amount| amount.get() > areas),
            one_file: files == 1,
        }
    }
}

impl Way {
    /// Through an area of a file.
    pub(super) fn new(parameters: &AccessParameters, (base, area, size): (u64, u64, u64)) -> Self {
        let random = parameters.order == AccessOrder::Random;
        let remembers = random
            && !parameters.repetition
            && parameters.popularity.is_none()
            && parameters.sequence.is_none();
        let least = match parameters.operation {
            super::AccessKind::Mixed => parameters.record.bounds().0.min(parameters.writes().bounds().0),
            _ => parameters.bounds().0,
        };
        let blocks = area.min(size).div_ceil(least.max(1));
        let step = parameters.alignment.map_or(least, petrio_units::Bytes::get).max(1);
        let places = (area.min(size) / step).max(1);
        let picker = parameters.popularity.as_ref().and_then(|popularity| popularity.picker(places).ok());
        Self {
            base,
            from: base,
            area,
            size,
            ends: [base; 2],
            taken: remembers.then(|| Taken::new(blocks)),
            picker,
            written: Written::default(),
            is_done: false,
        }
    }

    /// Bytes that are accessed of it.
    pub(super) const fn area(&self) -> u64 {
        self.area
    }

    /// Begins anew: no place has been visited.
    pub(super) fn restart(&mut self) {
        self.ends = [self.from; 2];
        if let Some(taken) = &mut self.taken {
            *taken = Taken::new(taken.places());
        }
    }

    /// Begins anew as at first.
    pub(super) fn restart_all(&mut self) {
        self.from = self.base;
        self.is_done = false;
        self.restart();
    }

    /// Goes to the next stride where this one has had its bytes; whether it did.
    pub(super) fn stride(&mut self, strides: Strides, writes: usize, bytes: &mut u64) {
        let (amount, range) = (strides.amount.get(), strides.range.get());
        if *bytes >= amount {
            *bytes = 0;
            self.from += range + strides.skip.get();
            if self.from >= self.size {
                self.from = self.base;
            }
            self.ends[writes] = self.from;
        }
        if self.ends[writes] >= self.from + range {
            self.ends[writes] = self.from;
        }
        if bytes.is_multiple_of(range) {
            self.restart();
        }
    }

    /// Where the next access begins, and whether a place is taken by it; none where nothing is left.
    pub(super) fn next(
        &mut self,
        rules: &Rules,
        writes: usize,
        draws: &mut PlaceDraws,
    ) -> Option<(u64, bool)> {
        let random = rules.order == AccessOrder::Random;
        draws.until_random = draws.until_random.saturating_sub(1);
        let (at, takes) = if draws.until_random == 0 {
            draws.until_random = rules.run;
            if random && self.is_random(rules, writes, draws) {
                (self.random_again(rules, writes, draws)?, true)
            } else if random {
                match self.in_a_row(rules, writes) {
                    Some(at) => (at, false),
                    None => (self.random_again(rules, writes, draws)?, false),
                }
            } else {
                (self.in_a_row(rules, writes)?, true)
            }
        } else {
            match self.in_a_row(rules, writes) {
                Some(at) => (at, false),
                None => (self.random_again(rules, writes, draws)?, false),
            }
        };
        if at >= self.area {
            return None;
        }
        let at = at + self.from;
        (at < self.size).then_some((at, takes && random))
    }

    fn is_random(&self, rules: &Rules, writes: usize, draws: &mut PlaceDraws) -> bool {
        rules.random_share == 100 || draws.shares[writes].percent() <= rules.random_share
    }

    /// Whether an access of so many bytes fits into the area.
    pub(super) fn fits(&self, at: u64, length: u64) -> bool {
        at.checked_add(length).is_some_and(|end| end <= self.area + self.base)
    }

    /// Whether it lies in the file.
    pub(super) fn holds(&self, at: u64, length: u64) -> bool {
        at.checked_add(length).is_some_and(|end| end <= self.size)
    }

    /// An access is made: so much of it, up to the first place that was visited before.
    pub(super) fn take(&mut self, rules: &Rules, writes: usize, at: u64, length: u64) -> u64 {
        let Some(taken) = &mut self.taken else { return length };
        let least = rules.least[writes];
        let count = taken.take_row((at - self.from) / least, length.div_ceil(least));
        if count == 0 { length } else { length.min(count * least) }
    }

    /// An access has gone there.
    pub(super) const fn went(&mut self, writes: usize, end: u64) {
        self.ends[writes] = end;
    }

    /// A random place; once more from the beginning where none is left and the process keeps on.
    fn random_again(&mut self, rules: &Rules, writes: usize, draws: &mut PlaceDraws) -> Option<u64> {
        if let Some(at) = self.random(rules, writes, draws) {
            return Some(at);
        }
        if !rules.keeps_on {
            return None;
        }
        self.restart();
        self.random(rules, writes, draws)
    }

    fn random(&mut self, rules: &Rules, writes: usize, draws: &mut PlaceDraws) -> Option<u64> {
        let step = rules.step[writes];
        if let Some(sequence) = &rules.sequence {
            // fio's io_u.c, __get_next_rand_offset_sequence.
            let (count, issued) = (sequence.places.len() as u64, draws.issued[writes]);
            let place = sequence.places.get(as_index(issued % count.max(1)))?;
            let from = if sequence.advances { issued / count * count } else { 0 };
            let place = place.saturating_add(from);
            return (place < self.area / rules.least[writes]).then(|| place * rules.least[writes]);
        }
        if let Some(picker) = &self.picker {
            return Some(picker.pick(&mut draws.popular) * step);
        }
        let mut room = rules.strides.map_or(self.area.min(self.size), |strides| strides.range.get());
        room = room.saturating_sub(rules.least[writes].saturating_sub(step));
        let places = room / step;
        if places == 0 {
            return None;
        }
        let place = draws.places.below(places);
        let place = match &self.taken {
            Some(taken) if taken.is_taken(place) => taken.next_free(place)?,
            _ => place,
        };
        Some(place * step)
    }

    /// Behind the last access, from the beginning of the area.
    fn in_a_row(&mut self, rules: &Rules, writes: usize) -> Option<u64> {
        let end = self.area.saturating_add(self.base);
        if self.ends[writes] >= end && ((rules.keeps_on && rules.one_file) || rules.wraps) {
            self.ends[writes] = self.from;
        }
        if self.ends[writes] >= self.size {
            return None;
        }
        if self.ends[writes] == self.from && self.from > 0 && rules.skip < 0 {
            self.ends[writes] = self.area.min(self.size);
        }
        let at = self.ends[writes].wrapping_sub(self.from);
        if at == 0 || rules.skip == 0 {
            return Some(at);
        }
        let next = at.wrapping_add_signed(rules.skip);
        Some(match () {
            () if next < self.size => next,
            () if rules.skip > 0 => self.from,
            () => self.area.min(self.size).wrapping_add_signed(rules.skip),
        })
    }
}
