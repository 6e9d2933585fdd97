//! Which of several copies is read.

use super::layout::Spot;
use super::plan::Part;
use petrio_colours::Direction;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, whole_part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which copy a read goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ReadChoice {
    /// As Linux md does. At level 1 (raid1.c): one that has just read, or been sent to read, what comes before; else one that
    /// does nothing; else the one whose last read ended nearest or, where none turns, the one with the fewest requests on their
    /// way. At level 1+0 (raid10.c): one that does nothing, or whose last read ended there; else as at level 1. The first of
    /// several. Only reads say where an arm is, and those that are complete.
    #[default]
    LinuxMd,
    /// The one whose last request ended nearest to it; the first of several.
    Nearest,
    /// The one with the fewest requests on their way; the nearest of several.
    ShortestQueue,
    /// One after the other.
    RoundRobin,
    /// Any.
    Random,
    /// The first that is there.
    First,
}

/// What is known of a member when a copy is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Busy {
    /// Parts on their way to it.
    pub(super) parts: u32,
    /// Where the last one that was sent ends.
    pub(super) end: u64,
    /// Where the last read ends that was sent (`next_seq_sect` of raid1.c).
    pub(super) read_to: u64,
    /// Where the last read ends that is complete (`head_position` of raid1.c and raid10.c).
    pub(super) head: u64,
}

impl Busy {
    /// A part goes to it.
    pub(super) fn sent(&mut self, part: &Part) {
        let end = part.address + part.blocks;
        self.parts += 1;
        match part.direction {
            Direction::Read => (self.end, self.read_to) = (end, end),
            Direction::Write => self.end = end,
            Direction::Flush | Direction::Discard => {}
        }
    }

    /// A part is complete.
    pub(super) fn answered(&mut self, part: &Part) {
        self.parts = self.parts.saturating_sub(1);
        if part.direction == Direction::Read {
            self.head = part.address + part.blocks;
        }
    }
}

/// What the choice depends on beside the copies.
pub(super) struct Chooser<'a> {
    pub(super) choice: ReadChoice,
    /// Data are striped over several mirrors: level 1+0.
    pub(super) striped: bool,
    /// Of copies that aren't near each other, the lowest counts as the nearest (raid10.c).
    pub(super) lowest: bool,
    /// By member.
    pub(super) busy: &'a [Busy],
    /// Whether anything turns in the members.
    pub(super) rotational: bool,
    /// Whose turn it was.
    pub(super) turn: &'a mut usize,
    /// A number from 0 to 1.
    pub(super) draw: f64,
}

impl Chooser<'_> {
    /// Which of these copies is read, by its index.
    pub(super) fn choose(&mut self, spots: &[Spot]) -> usize {
        let busy = self.busy;
        let distance = |spot: &Spot| busy[spot.member].end.abs_diff(spot.address);
        let parts = |spot: &Spot| busy[spot.member].parts;
        let least = |key: &dyn Fn(&Spot) -> (u64, u64)| {
            let nearest = spots.iter().enumerate().min_by_key(|(_, spot)| key(spot));
            nearest.map(|(index, _)| index)
        };
        let chosen = match self.choice {
            ReadChoice::First => None,
            ReadChoice::LinuxMd => {
                let head = |spot: &Spot| busy[spot.member].head.abs_diff(spot.address);
                let goes_on = |spot: &Spot| {
                    head(spot) == 0 || !self.striped && busy[spot.member].read_to == spot.address
                };
                let idle = |spot: &Spot| parts(spot) == 0;
                if !self.rotational && (self.striped || !spots.iter().any(goes_on)) {
                    least(&|spot| (parts(spot).into(), 0))
                } else if self.lowest {
                    least(&|spot| (spot.address, 0))
                } else if self.striped {
                    least(&|spot| (if idle(spot) { 0 } else { head(spot) }, 0))
                } else {
                    let goes_on = spots.iter().position(goes_on);
                    let idle = || spots.iter().position(idle);
                    goes_on.or_else(idle).or_else(|| least(&|spot| (head(spot), 0)))
                }
            }
            ReadChoice::Nearest => least(&|spot| (distance(spot), 0)),
            ReadChoice::ShortestQueue => least(&|spot| (parts(spot).into(), distance(spot))),
            ReadChoice::RoundRobin => {
                *self.turn += 1;
                Some(*self.turn % spots.len())
            }
            ReadChoice::Random => Some(as_index(whole_part(self.draw * spots.len() as f64))),
        };
        chosen.unwrap_or(0)
    }
}
