//! What was written is what is read: a cache and an array as data, sector by sector, with answers in any order.

#![allow(clippy::unwrap_used)]

use super::destage::Shape;
use super::parameters::RaidCacheParameters;
use super::state::{Answer, Cache, Down};
use petrio_colours::{BlockRequest, Direction, Failure, RequestId, Status};
use petrio_kernel::Time;
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const BLOCKS: u64 = 96;
/// Five members, whose units are of four sectors.
const SHAPE: Shape = Shape { unit: 4, stripe: 16, blocks: BLOCKS, members: 5, copies: 1, parities: 1 };

/// A read that somebody waits for: what memory had of it, and when it was asked.
struct Reading {
    from_memory: BTreeMap<u64, u32>,
    asked: usize,
}

/// Cache, array and host as data: a sector is the number of the write that it holds, 0 before any.
struct Model {
    cache: Cache,
    memory: BTreeMap<u64, u32>,
    members: BTreeMap<u64, u32>,
    /// Under way below: the request, and the data that it writes.
    below: Vec<(BlockRequest, BTreeMap<u64, u32>)>,
    waiting: Vec<BlockRequest>,
    reading: BTreeMap<u64, Reading>,
    /// What each write wrote, when it was asked and when it was reported.
    writes: Vec<(u64, u64, usize, Option<usize>)>,
    step: usize,
    reported: usize,
}

impl Model {
    fn new(parameters: &RaidCacheParameters) -> Self {
        Self {
            cache: Cache::new(parameters, SHAPE),
            memory: BTreeMap::new(),
            members: BTreeMap::new(),
            below: Vec::new(),
            waiting: Vec::new(),
            reading: BTreeMap::new(),
            writes: vec![(0, BLOCKS, 0, Some(0))],
            step: 0,
            reported: 0,
        }
    }

    fn now(&self) -> Time {
        Time::from_millis(self.step as u64)
    }

    fn value(of: &BTreeMap<u64, u32>, sector: u64) -> u32 {
        of.get(&sector).copied().unwrap_or(0)
    }

    /// A write's data reach memory if it is served there, or go along with what is asked below.
    fn follow(&mut self, answer: Answer) {
        for request in &answer.serves {
            match request.direction {
                Direction::Write => {
                    let number = request.tag as u32;
                    (request.address..request.end()).for_each(|sector| {
                        self.memory.insert(sector, number);
                    });
                    self.written(number);
                }
                _ => self.read(request),
            }
        }
        // In the order in which they are sent: memory has what a write of it takes along.
        for Down { request, gathered } in answer.down {
            let sectors = sectors(&request, &gathered);
            let data = match request.direction {
                // Somebody's own.
                Direction::Write if request.process == 1 => {
                    let number = request.file.0;
                    sectors.into_iter().map(|sector| (sector, number)).collect()
                }
                Direction::Write => {
                    let value = |sector| (sector, Self::value(&self.memory, sector));
                    sectors.into_iter().map(value).collect()
                }
                _ => BTreeMap::new(),
            };
            self.below.push((request, data));
        }
        if let Some(request) = answer.complete {
            match request.direction {
                Direction::Write => self.written(request.tag as u32),
                Direction::Read => self.read(&request),
                Direction::Flush | Direction::Discard => {}
            }
        }
        self.waiting.extend(answer.waits);
        if answer.calls {
            let request = self.waiting.remove(0);
            let answer = self.cache.admit(request, self.now());
            self.follow(answer);
        }
        if answer.looks.is_some() {
            let answer = self.cache.look(self.now() + Time::from_whole_seconds(1));
            self.follow(answer);
        }
    }

    fn written(&mut self, number: u32) {
        self.reported += 1;
        self.writes[number as usize].3 = Some(self.step);
    }

    /// What a read gave: of each sector a write that nothing reported before the read was asked has written over.
    fn read(&mut self, request: &BlockRequest) {
        let Reading { from_memory, asked } = self.reading.remove(&request.tag).unwrap();
        for sector in request.address..request.end() {
            let got = from_memory.get(&sector).copied();
            let got = got.unwrap_or_else(|| Self::value(&self.memory, sector));
            let mut fresh = BTreeSet::new();
            for (number, &(first, end, begun, _)) in self.writes.iter().enumerate() {
                if !(first..end).contains(&sector) || begun > self.step {
                    continue;
                }
                // Nothing that was begun after this one was reported is older than it.
                let over = self.writes.iter().any(|&(first, end, later, reported)| {
                    let this = self.writes[number].3;
                    (first..end).contains(&sector)
                        && this.is_some_and(|this| later > this)
                        && reported.is_some_and(|reported| reported < asked)
                });
                if !over {
                    fresh.insert(number as u32);
                }
            }
            assert!(fresh.contains(&got), "sector {sector} gave the write {got}, and not one of {fresh:?}");
        }
    }

    fn ask(&mut self, direction: Direction, address: u64, blocks: u32) {
        self.step += 1;
        let number = self.writes.len() as u64;
        let tag = match direction {
            Direction::Write => number,
            _ => 1_000_000 + self.step as u64,
        };
        let mut request = BlockRequest {
            id: RequestId(number),
            tag,
            process: 1,
            direction,
            address,
            blocks,
            issued: self.now(),
            ..BlockRequest::default()
        };
        request.file.0 = number as _;
        match direction {
            Direction::Write => self.writes.push((address, address + u64::from(blocks), self.step, None)),
            Direction::Read => {
                let there = (address..request.end()).filter(|&sector| self.cache.holds((sector, sector + 1)));
                let from_memory = there.map(|sector| (sector, Self::value(&self.memory, sector))).collect();
                self.reading.insert(tag, Reading { from_memory, asked: self.step });
            }
            Direction::Flush | Direction::Discard => {}
        }
        let answer = self.cache.arrive(request, self.now());
        self.follow(answer);
    }

    /// The array is done with something: what is read of it then comes to memory, but not over what is there.
    fn answer(&mut self, which: usize, fails: bool) {
        if self.below.is_empty() {
            return;
        }
        self.step += 1;
        let (mut part, data) = self.below.remove(which % self.below.len());
        let sectors: Vec<u64> = match part.direction {
            Direction::Write => data.keys().copied().collect(),
            _ => (part.address..part.end()).collect(),
        };
        let holds = |at: &u64| self.cache.holds((*at, *at + 1));
        let had: BTreeSet<u64> = sectors.iter().copied().filter(holds).collect();
        if fails && part.direction != Direction::Flush {
            part.status = Status::Failed(Failure::Device);
        } else if part.direction == Direction::Write {
            self.members.extend(data.clone());
        }
        let answer = self.cache.back(&part, self.now()).unwrap();
        let mut came = BTreeMap::new();
        for sector in sectors {
            let value = match part.direction {
                Direction::Write => Self::value(&data, sector),
                _ => Self::value(&self.members, sector),
            };
            came.insert(sector, value);
            if !had.contains(&sector) || part.direction == Direction::Write && part.process == 1 {
                self.memory.insert(sector, value);
            }
        }
        if let Some(request) = answer.complete.as_ref().filter(|request| request.direction == Direction::Read)
        {
            let reading = self.reading.get_mut(&request.tag).unwrap();
            came.into_iter().for_each(|(sector, value)| {
                reading.from_memory.entry(sector).or_insert(value);
            });
        }
        self.follow(answer);
    }
}

/// What of the array a request is for.
fn sectors(request: &BlockRequest, gathered: &[(u64, u64)]) -> Vec<u64> {
    match gathered {
        [] => (request.address..request.end()).collect(),
        gathered => gathered.iter().flat_map(|&(from, to)| from..to).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_is_what_is_read(
        steps in prop::collection::vec((0u8..5, 0u64..BLOCKS, 1u32..40, 0usize..8), 1..120),
        lines in 2u64..12,
        battery in any::<bool>(),
        depth in 1u32..4,
        high in 0u8..=10,
        ahead in 0u64..40,
    ) {
        let high = f64::from(high) / 10.0;
        let parameters = RaidCacheParameters {
            battery,
            depth,
            read_ahead: Some(Bytes(ahead * 512)),
            high: petrio_units::Fraction::new(high).unwrap(),
            low: petrio_units::Fraction::new(high / 2.0).unwrap(),
            ..RaidCacheParameters::of(Bytes::from_kib(4 * lines))
        };
        let mut model = Model::new(&parameters);
        let mut read_to = 0;
        for (what, address, blocks, which) in steps {
            // Half of the reads go on where the last one ended.
            let address = if what == 1 && which % 2 == 0 { read_to % BLOCKS } else { address };
            let blocks = u64::from(blocks).min(BLOCKS - address) as u32;
            match what {
                0 => model.ask(Direction::Write, address, blocks),
                1 => {
                    read_to = address + u64::from(blocks);
                    model.ask(Direction::Read, address, blocks);
                }
                2 if which == 0 => { model.ask(Direction::Flush, 0, 0) }
                _ => model.answer(which, false),
            }
        }
        while !model.below.is_empty() {
            model.answer(0, false);
        }
        prop_assert!(model.cache.is_at_rest() && model.waiting.is_empty() && model.reading.is_empty());
        prop_assert_eq!(model.reported, model.writes.len() - 1);
        // And all of it once more, when nothing is under way.
        for sector in 0..BLOCKS {
            model.ask(Direction::Read, sector, 1);
            while !model.below.is_empty() {
                model.answer(0, false);
            }
        }
        if battery {
            prop_assert!(model.members.iter().all(|(_, &value)| value > 0));
            prop_assert_eq!(model.cache.tally().lost_bytes, 0);
        }
    }

    #[test]
    fn an_array_that_fails_loses_what_memory_held_and_no_request(
        steps in prop::collection::vec((0u8..4, 0u64..BLOCKS, 1u32..40, 0usize..8, any::<bool>()), 1..120),
    ) {
        let mut model = Model::new(&RaidCacheParameters::of(Bytes::from_kib(32)));
        let mut fails = false;
        for (what, address, blocks, which, more) in steps {
            let blocks = u64::from(blocks).min(BLOCKS - address) as u32;
            match what {
                0 | 1 => model.ask(Direction::Write, address, blocks),
                _ => { fails |= more; model.answer(which, fails) }
            }
        }
        while !model.below.is_empty() {
            model.answer(0, true);
        }
        prop_assert!(model.cache.is_at_rest());
        prop_assert_eq!(model.reported, model.writes.len() - 1);
        prop_assert_eq!(model.cache.unwritten_bytes(), 0);
    }
}
