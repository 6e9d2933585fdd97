//! Which of several copies is read.

use super::layout::Spot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which copy a read goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadChoice {
    /// As Linux md does (raid1.c): one that has just read what comes before; else one that does nothing; else the one whose
    /// last request ended nearest or, where none turns, the one with the fewest requests on their way. The first of several.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Busy {
    /// Parts on their way to it.
    pub(super) parts: u32,
    /// Where the last one that was sent ends.
    pub(super) end: u64,
}

/// What the choice depends on beside the copies.
pub(super) struct Chooser<'a> {
    pub(super) choice: ReadChoice,
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
                let goes_on = spots.iter().position(|spot| distance(spot) == 0);
                let idle = || spots.iter().position(|spot| parts(spot) == 0);
                let rotational = self.rotational;
                let other =
                    || least(&|spot| (if rotational { distance(spot) } else { parts(spot).into() }, 0));
                goes_on.or_else(idle).or_else(other)
            }
            ReadChoice::Nearest => least(&|spot| (distance(spot), 0)),
            ReadChoice::ShortestQueue => least(&|spot| (parts(spot).into(), distance(spot))),
            ReadChoice::RoundRobin => {
                *self.turn += 1;
                Some(*self.turn % spots.len())
            }
            ReadChoice::Random => Some((self.draw * spots.len() as f64) as usize),
        };
        chosen.unwrap_or(0)
    }
}
