//! The accesses of one process, one after the other: what is done, to which file, where, and how long.

use super::parameters::{AccessKind, AccessParameters};
use super::places::{PlaceDraws, Rules, Way};
use super::seeds::{Purpose, Seeds, USUAL_SEED};
use super::sizes::Sizes;
use super::tausworthe::Tausworthe;
use crate::program::pattern::FileOrder;
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_units::numbers::as_index;

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The file or disk, counted from 0.
    pub(super) file: usize,
    pub(super) writes: bool,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// What is drawn, each from a stream of its own.
#[derive(Clone, Debug, Persist)]
struct Draws {
    sizes: [Tausworthe; 2],
    mixture: Tausworthe,
    files: Tausworthe,
    places: PlaceDraws,
}

/// The accesses of a process.
#[derive(Clone, Debug, Persist)]
pub(super) struct Course {
    operation: AccessKind,
    read_percent: u32,
    #[persist(keep)]
    sizes: [Sizes; 2],
    any_size: bool,
    rules: Rules,
    zones: Option<super::zones::ZoneLog>,
    strides: Option<super::zones::Strides>,
    order: FileOrder,
    file_turn: u64,
    ways: Vec<Way>,
    draws: Draws,
    first_draws: Option<Box<Draws>>,
    /// Whether it writes, of a mixture, and for how many accesses of that sort it stays so.
    writes: bool,
    stays: u64,
    /// Reads and writes so far.
    issued: [u64; 2],
    /// The file whose turn it is, and for how many accesses more.
    file: Option<usize>,
    turn_left: u64,
    next_file: usize,
    done: usize,
    stride_bytes: u64,
}

/// Where random numbers come from.
pub(super) struct Origin {
    /// The seed of a process and its number.
    pub(super) seed: Option<u64>,
    pub(super) job: u32,
    /// Whether it is one that repeats itself as fio does.
    pub(super) repeats: bool,
    /// For what fio's own generators aren't followed in.
    pub(super) own: Generator,
}

impl Course {
    /// Of parameters that are sound, through areas of files: where each begins, how long it is, and how long the file is.
    pub(super) fn new(parameters: &AccessParameters, areas: &[(u64, u64, u64)], origin: Origin) -> Self {
        let seeds = Seeds::new(origin.seed.unwrap_or(USUAL_SEED), origin.job);
        let all: u64 = areas.iter().map(|area| area.1).sum();
        let rules = Rules::of(parameters, areas.len(), all);
        // More places than a short number tells apart are drawn by a long one.
        let most =
            areas.iter().map(|area| area.1 / rules.least[0].min(rules.least[1]).max(1)).max().unwrap_or(0);
        let place_seed = seeds.of_places(origin.repeats);
        let places = match u32::try_from(most) {
            Ok(_) => Tausworthe::short(place_seed),
            Err(_) => Tausworthe::long(place_seed),
        };
        let read_sizes = seeds.short(Purpose::ReadSizes);
        let write_sizes =
            if parameters.reads_back { read_sizes.clone() } else { seeds.short(Purpose::WriteSizes) };
        let share = || seeds.short(Purpose::RandomShare);
        let draws = Draws {
            sizes: [read_sizes, write_sizes],
            mixture: seeds.short(Purpose::Mixture),
            files: seeds.short(Purpose::Files),
            places: PlaceDraws {
                places,
                shares: [share(), share()],
                popular: origin.own,
                // The first is at a random place.
                until_random: 1,
                issued: [0; 2],
            },
        };
        Self {
            operation: parameters.operation,
            read_percent: parameters.read_share.map_or(50, super::sizes::in_percent),
            sizes: [parameters.record.clone(), parameters.writes().clone()],
            any_size: parameters.any_size,
            rules,
            zones: parameters.zones,
            strides: parameters.strides,
            order: parameters.file_order,
            file_turn: parameters.file_turn,
            ways: areas.iter().map(|&area| Way::new(parameters, area)).collect(),
            first_draws: parameters.same_passes.then(|| Box::new(draws.clone())),
            draws,
            writes: false,
            stays: 0,
            issued: [0; 2],
            file: None,
            turn_left: 0,
            next_file: 0,
            done: 0,
            stride_bytes: 0,
        }
    }

    /// Bytes of all areas.
    pub(super) fn whole(&self) -> u64 {
        self.ways.iter().map(Way::area).sum()
    }

    /// Reads and writes so far.
    pub(super) const fn issued(&self) -> [u64; 2] {
        self.issued
    }

    /// Begins a further pass.
    pub(super) fn restart(&mut self) {
        self.ways.iter_mut().for_each(Way::restart_all);
        (self.file, self.turn_left, self.next_file, self.done) = (None, 0, 0, 0);
        self.stride_bytes = 0;
        if let Some(first) = &self.first_draws {
            self.draws = (**first).clone();
        }
    }

    /// Whether the next access is to write. Of a mixture, one sort is kept to for as many accesses as keep the shares.
    pub(super) fn direction(&mut self) -> bool {
        match self.operation {
            AccessKind::Read => false,
            AccessKind::Mixed => {
                if self.issued[usize::from(self.writes)] >= self.stays {
                    let writes = self.draws.mixture.percent() > self.read_percent;
                    if writes != self.writes {
                        let other = if self.writes { self.read_percent } else { 100 - self.read_percent };
                        self.stays = self.issued[usize::from(self.writes)] * u64::from(other) / 100;
                    }
                    self.writes = writes;
                }
                self.writes
            }
            _ => true,
        }
    }

    /// Of a mixture whose rates ask for the other sort now.
    pub(super) const fn turn_to(&mut self, writes: bool) {
        self.writes = writes;
    }

    /// The next access of a sort; none where nothing is left of any file.
    pub(super) fn next(&mut self, writes: bool) -> Option<Access> {
        let sort = usize::from(writes);
        loop {
            let file = self.next_file()?;
            if let Some((offset, length)) = self.place(file, sort) {
                self.issued[sort] += 1;
                self.ways[file].went(sort, offset + length);
                return Some(Access { file, writes, offset, length });
            }
            self.ways[file].is_done = true;
            self.done += 1;
        }
    }

    fn place(&mut self, file: usize, sort: usize) -> Option<(u64, u64)> {
        let way = &mut self.ways[file];
        if let Some(strides) = self.strides {
            way.stride(strides, sort, &mut self.stride_bytes);
        }
        self.draws.places.issued = self.issued;
        let (mut offset, takes) = way.next(&self.rules, sort, &mut self.draws.places)?;
        let draw = &mut self.draws.sizes[sort];
        let mut length = self.sizes[sort].draw(draw, self.any_size, |length| way.fits(offset, length))?;
        if let Some(zones) = &self.zones
            && sort == 1
        {
            offset = way.written.place(zones, offset, length);
        }
        if !way.holds(offset, length) {
            return None;
        }
        if takes && self.zones.is_none() {
            length = way.take(&self.rules, sort, offset, length);
        }
        self.stride_bytes += length;
        Some((offset, length))
    }

    /// Takes the turn of a file for something that is no access.
    pub(super) fn take_turn(&mut self) -> Option<usize> {
        self.next_file()
    }

    /// The file whose turn it is.
    fn next_file(&mut self) -> Option<usize> {
        if self.done == self.ways.len() {
            return None;
        }
        if let Some(file) = self.file.filter(|&file| !self.ways[file].is_done) {
            if self.order == FileOrder::OneAfterAnother {
                return Some(file);
            }
            if self.turn_left > 0 {
                self.turn_left -= 1;
                return Some(file);
            }
        }
        let file = match self.order {
            FileOrder::Random => loop {
                let file = as_index(self.draws.files.below(self.ways.len() as u64));
                if !self.ways[file].is_done {
                    break file;
                }
            },
            _ => loop {
                let file = self.next_file;
                self.next_file = (file + 1) % self.ways.len();
                if !self.ways[file].is_done {
                    break file;
                }
            },
        };
        (self.file, self.turn_left) = (Some(file), self.file_turn - 1);
        Some(file)
    }
}
