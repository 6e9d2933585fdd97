//! Which of a link's virtual lanes is served next.
//!
//! Sources: InfiniBand Architecture Specification 1, section 7.6.9 (two tables of lanes with weights of 64 bytes, the
//! first of which goes first up to a limit of 4 KiB units); Shreedhar and Varghese 1996, "Efficient fair queuing using
//! deficit round robin": what a train takes beyond its weight counts against the lane's next turn, so that shares come
//! out however long trains are.

use super::lanes::Lanes;
use super::link::Space;
use super::parameters::MOST_LANES;
use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whose turn it is among a link's virtual lanes, as InfiniBand's arbitration has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields, default)]
pub struct ArbitrationParameters {
    /// Lanes that go first; they take turns by their weights.
    pub high: Vec<LaneWeight>,
    /// Lanes that go when none of those may; they take turns by their weights.
    pub low: Vec<LaneWeight>,
    /// How much of `high` may pass while `low` waits, in units of 4 KiB: 255 is any amount, and 0 one train.
    pub limit: u8,
}

/// A lane in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct LaneWeight {
    /// The lane, as service levels choose it.
    pub lane: u8,
    /// What it may send in a turn, in units of 64 bytes.
    pub weight: u8,
}

/// Bytes of a unit of weight, and of one of the limit.
const WEIGHT_UNIT: i64 = 64;
const LIMIT_UNIT: i64 = 4 << 10;
/// A limit that is none.
const UNLIMITED: u8 = u8::MAX;

impl ArbitrationParameters {
    /// The first of so many lanes that would never be served.
    pub(super) fn forgotten(&self, lanes: u8) -> Option<u8> {
        let all = || self.high.iter().chain(&self.low);
        (0..lanes).find(|lane| !all().any(|entry| entry.lane == *lane && entry.weight > 0))
    }

    /// The first lane that isn't one of so many.
    pub(super) fn unknown(&self, lanes: u8) -> Option<u8> {
        self.high.iter().chain(&self.low).map(|entry| entry.lane).find(|lane| *lane >= lanes)
    }
}

/// How a network's links choose.
#[derive(Clone, Debug, Persist)]
pub(super) struct Arbitration {
    pub(super) lanes: Lanes,
    /// Left out, the highest level goes first.
    tables: Option<Arc<ArbitrationParameters>>,
}

impl Arbitration {
    pub(super) fn new(lanes: Lanes, tables: Option<&ArbitrationParameters>) -> Self {
        Self { lanes, tables: tables.map(|tables| Arc::new(tables.clone())) }
    }
}

/// Which table an entry stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    High,
    Low,
}

/// Turns in a table.
#[derive(Clone, Debug, Default, Persist)]
struct Turns {
    /// Whose turn it is.
    at: usize,
    /// What each entry may still send, bytes: less than nothing where a train was longer than its turn.
    left: Vec<i64>,
}

/// A choice, and what the turns are after it.
struct Choice {
    lane: usize,
    table: Option<(Table, Turns)>,
}

/// A link's choice between its lanes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Arbiter {
    rules: Arbitration,
    /// Trains that wait in each lane.
    waiting: [u32; MOST_LANES as usize],
    /// Bytes that there is room for at the link's end; `u64::MAX` where that has no limit.
    room: [u64; MOST_LANES as usize],
    /// Bytes that have to be free before a train goes.
    least: u64,
    /// The class of each level that was served last.
    last: [u8; MOST_LANES as usize],
    high: Turns,
    low: Turns,
    /// What has passed of the first table since the second had a turn, bytes.
    passed: i64,
    chosen: Option<usize>,
}

impl Arbiter {
    /// With so much room for each lane, where that is limited.
    pub(super) fn new(rules: &Arbitration, room: Option<Space>) -> Self {
        let Space { bytes, least } = room.unwrap_or(Space { bytes: u64::MAX, least: 0 });
        let turns = |of: fn(&ArbitrationParameters) -> &Vec<LaneWeight>| Turns {
            at: 0,
            left: rules.tables.as_deref().map_or(Vec::new(), |tables| vec![0; of(tables).len()]),
        };
        Self {
            waiting: [0; MOST_LANES as usize],
            room: [bytes; MOST_LANES as usize],
            least,
            last: [0; MOST_LANES as usize],
            high: turns(|tables| &tables.high),
            low: turns(|tables| &tables.low),
            rules: rules.clone(),
            passed: 0,
            chosen: None,
        }
    }

    /// The lane that goes next.
    pub(super) fn chosen(&self) -> Option<usize> {
        self.chosen
    }

    /// A train waits in a lane.
    pub(super) fn arrive(&mut self, lane: usize) {
        self.waiting[lane] += 1;
        self.decide();
    }

    /// There is so much more room for a lane's trains.
    pub(super) fn free(&mut self, lane: usize, bytes: u64) {
        // No limit stays none.
        self.room[lane] = self.room[lane].saturating_add(bytes);
        self.decide();
    }

    /// The chosen lane's first train, of so many bytes on the wire, passes.
    pub(super) fn serve(&mut self, bytes: u64) {
        let Some(Choice { lane, table }) = self.choose() else { return };
        if self.room[lane] != u64::MAX {
            self.room[lane] = self.room[lane].saturating_sub(bytes);
        }
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        match table {
            Some((Table::High, mut turns)) => {
                turns.left[turns.at] -= bytes;
                self.high = turns;
                let waits = self
                    .rules
                    .tables
                    .as_deref()
                    .is_some_and(|tables| self.turn(&tables.low, &self.low).is_some());
                self.passed = if waits { self.passed + bytes } else { 0 };
            }
            Some((Table::Low, mut turns)) => {
                turns.left[turns.at] -= bytes;
                self.low = turns;
                self.passed = 0;
            }
            None => {}
        }
        #[expect(clippy::cast_possible_truncation, reason = "lanes are few")]
        let class = (lane % self.rules.lanes.classes()) as u8;
        self.last[self.rules.lanes.level_of(lane)] = class;
        self.waiting[lane] -= 1;
        self.decide();
    }

    fn decide(&mut self) {
        self.chosen = self.choose().map(|choice| choice.lane);
    }

    /// The lane of a level that may go: its classes take turns.
    fn ready(&self, level: usize) -> Option<usize> {
        let classes = self.rules.lanes.classes();
        let last = usize::from(*self.last.get(level)?);
        (1..=classes)
            .map(|after| level * classes + (last + after) % classes)
            .find(|&lane| self.waiting[lane] > 0 && self.room[lane] >= self.least)
    }

    fn choose(&self) -> Option<Choice> {
        let Some(tables) = &self.rules.tables else {
            let lane =
                (0..usize::from(self.rules.lanes.levels())).rev().find_map(|level| self.ready(level))?;
            return Some(Choice { lane, table: None });
        };
        let high = self.turn(&tables.high, &self.high);
        // Another one may begin as long as the limit isn't reached; with none, after each train.
        let limit = i64::from(tables.limit) * LIMIT_UNIT;
        let first = tables.limit == UNLIMITED || self.passed == 0 || self.passed < limit;
        let low = || self.turn(&tables.low, &self.low).map(|(lane, turns)| (lane, Table::Low, turns));
        let high = high.map(|(lane, turns)| (lane, Table::High, turns));
        let (lane, table, turns) = if first { high.or_else(low) } else { low().or(high) }?;
        Some(Choice { lane, table: Some((table, turns)) })
    }

    /// The next of a table that may go, and its turns then.
    fn turn(&self, table: &[LaneWeight], turns: &Turns) -> Option<(usize, Turns)> {
        let may = |entry: &LaneWeight| if entry.weight > 0 { self.ready(entry.lane.into()) } else { None };
        let mut turns = turns.clone();
        // Whose turn it is keeps it as long as it has something left.
        if let Some(lane) = table.get(turns.at).and_then(may)
            && turns.left[turns.at] > 0
        {
            return Some((lane, turns));
        }
        if !table.iter().any(|entry| may(entry).is_some()) {
            return None;
        }
        // Each turn adds a weight; after a long train an entry may have to wait for several.
        loop {
            turns.at = (turns.at + 1) % table.len();
            let entry = &table[turns.at];
            match may(entry) {
                Some(lane) => {
                    let left = &mut turns.left[turns.at];
                    *left = (*left).min(0) + i64::from(entry.weight) * WEIGHT_UNIT;
                    if *left > 0 {
                        return Some((lane, turns));
                    }
                }
                // Who has nothing to send saves nothing, and owes nothing.
                None => turns.left[turns.at] = 0,
            }
        }
    }
}
