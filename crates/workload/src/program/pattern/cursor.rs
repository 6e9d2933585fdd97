//! Where the next access goes: which file, and which bytes of it.

use super::parameters::{FileOrder, Pattern, PatternParameters};
use crate::permutation::Permutation;
use crate::popularity::PlacePicker;
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_random::{Generator, uniform_below};
use petrio_units::Bytes;
use petrio_units::numbers::as_number;

/// A place to be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Target {
    /// The file, counted from 0 in its process.
    pub(super) file: u32,
    /// First byte.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) length: u64,
    /// Whether it is the first one of its file in this time through.
    pub(super) begins: bool,
}

/// Which file comes after an access.
#[derive(Clone, Debug, Persist)]
enum Turns {
    OneAfterAnother,
    RoundRobin,
    /// Any; so many accesses each file has had in this time through it.
    Random(Vec<u64>),
}

/// How the places of one file follow each other.
#[derive(Clone, Debug, Persist)]
enum Order {
    Sequential,
    Reverse,
    Same,
    Strided {
        stride: u64,
        /// Records of a short lane; the first `long_lanes` lanes have one more.
        lane: u64,
        long_lanes: u64,
    },
    /// Each place once; the permutation changes with each file and each time through.
    Shuffled(Permutation),
    /// Any place at any time.
    Independent,
    /// The same, some more often than others.
    Unequal(Box<PlacePicker>),
}

/// The way of one process through its files.
#[derive(Clone, Debug, Persist)]
pub(super) struct Cursor {
    record: u64,
    file_size: u64,
    /// From one possible place to the next, in bytes.
    step: u64,
    /// Places in a file.
    places: u64,
    /// Accesses to a file in one time through.
    accesses: u64,
    files: u32,
    turns: Turns,
    order: Order,
    /// The next access: its file, and how many came before it in that file.
    file: u32,
    index: u64,
    /// How often the process has begun to go through its files.
    times: u64,
    key: u64,
    random: Generator,
}

impl Cursor {
    /// For parameters that are sound.
    pub(super) fn new(parameters: &PatternParameters, mut random: Generator) -> Self {
        let (record, file_size) = (parameters.record.get(), parameters.file_size.get());
        let (places, accesses) = parameters.places_and_accesses();
        let picker = parameters.picker();
        let order = match parameters.pattern {
            Pattern::Sequential => Order::Sequential,
            Pattern::Reverse => Order::Reverse,
            Pattern::Same => Order::Same,
            Pattern::Strided => {
                let stride = parameters.stride.unwrap_or(1).min(places);
                Order::Strided { stride, lane: places / stride, long_lanes: places % stride }
            }
            Pattern::Random => match picker {
                Some(picker) => Order::Unequal(Box::new(picker)),
                None if parameters.repetition => Order::Independent,
                None => Order::Shuffled(Permutation::new(places, 0)),
            },
        };
        let key = uniform_below(&mut random, u64::MAX);
        let mut cursor = Self {
            record,
            file_size,
            step: parameters.alignment.map_or(record, Bytes::get),
            places,
            accesses,
            files: parameters.files,
            turns: match parameters.file_order {
                FileOrder::OneAfterAnother => Turns::OneAfterAnother,
                FileOrder::RoundRobin => Turns::RoundRobin,
                FileOrder::Random => Turns::Random(vec![0; parameters.files as usize]),
            },
            order,
            file: 0,
            index: 0,
            times: 0,
            key,
            random,
        };
        cursor.begin();
        cursor
    }

    /// Begins again, with another shuffle.
    pub(super) fn restart(&mut self) {
        self.times += 1;
        self.begin();
    }

    fn begin(&mut self) {
        (self.file, self.index) = (0, 0);
        if let Turns::Random(had) = &mut self.turns {
            had.fill(0);
            self.file = as_number(uniform_below(&mut self.random, self.files.into()));
        }
        self.shuffle();
    }

    /// The order of the current file for this time through.
    fn shuffle(&mut self) {
        if let Order::Shuffled(permutation) = &mut self.order {
            let key = finish(finish(self.key ^ self.times) ^ u64::from(self.file));
            *permutation = Permutation::new(self.places, key);
        }
    }

    /// The next place.
    #[inline]
    pub(super) fn next(&mut self) -> Target {
        let place = match &self.order {
            Order::Sequential => self.index,
            Order::Reverse => self.places - 1 - self.index,
            Order::Same => 0,
            &Order::Strided { stride, lane, long_lanes } => {
                let in_long = long_lanes * (lane + 1);
                if self.index < in_long {
                    self.index / (lane + 1) + self.index % (lane + 1) * stride
                } else {
                    let index = self.index - in_long;
                    long_lanes + index / lane + index % lane * stride
                }
            }
            Order::Shuffled(permutation) => permutation.at(self.index),
            Order::Independent => uniform_below(&mut self.random, self.places),
            Order::Unequal(picker) => picker.pick(&mut self.random),
        };
        let offset = place * self.step;
        let length = self.record.min(self.file_size - offset);
        let found = Target { file: self.file, offset, length, begins: self.index == 0 };
        self.advance();
        found
    }

    #[inline]
    fn advance(&mut self) {
        match &mut self.turns {
            Turns::OneAfterAnother => {
                self.index += 1;
                if self.index == self.accesses {
                    self.index = 0;
                    self.file += 1;
                    if self.file == self.files {
                        self.restart();
                    } else {
                        self.shuffle();
                    }
                }
            }
            Turns::RoundRobin => {
                self.file += 1;
                if self.file == self.files {
                    self.file = 0;
                    self.index += 1;
                }
                if self.index == self.accesses {
                    self.restart();
                } else if self.files > 1 {
                    self.shuffle();
                }
            }
            Turns::Random(had) => {
                let last = &mut had[self.file as usize];
                *last = if *last + 1 == self.accesses { 0 } else { *last + 1 };
                self.file = as_number(uniform_below(&mut self.random, self.files.into()));
                self.index = had[self.file as usize];
                self.shuffle();
            }
        }
    }
}
