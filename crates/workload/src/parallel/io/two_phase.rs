//! Collective access in two phases: aggregators read and write long pieces of the file, and exchange what is in them with the
//! ranks that mean it.
//!
//! ```text
//!  all tell all where theirs begins and ends ─▶ do they lie among each other? ─ no ─▶ each for itself (Sieve)
//!                                                │ yes
//!  how many pieces to whom ─ their offsets and lengths to the aggregators ─ how many rounds, at most
//!  each round: how much to whom ─ data to the aggregators ─ one write of each (a hole in it: read before)
//!              (reading: one read of each ─ how much to whom ─ data to the ranks)
//!  after a write: how it went
//! ```
//!
//! Source: ROMIO's adio/common/ad_write_coll.c and ad_read_coll.c (MPICH 4): ADIOI_GEN_WriteStridedColl, ADIOI_Exch_and_write,
//! ADIOI_GEN_ReadStridedColl, ADIOI_Read_and_exch.

use super::domains;
use super::hints::Switch;
use super::shares::{AnyShares, Runs};
use crate::parallel::act::{Act, Acts, Call, Direction};
use crate::parallel::collective::Collective;
use crate::parallel::member::{ERROR_BYTES, Member};
use crate::program::ProgramError;
use petrio_colours::{Exchange, FileId};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::ops::Range;
use std::sync::Arc;

/// An offset in a file, as ranks tell it each other (MPI_Offset).
const OFFSET_BYTES: u64 = 8;
/// A piece: its offset and its length.
const PIECE_BYTES: u64 = 16;

/// What a rank does next in a collective access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum TwoPhaseState {
    Starts,
    Ends,
    Decide,
    Lists,
    Times,
    /// A round begins.
    Round,
    /// How much goes to whom has been told, or, reading, is told.
    Told,
    /// What was in the holes is there.
    Filled,
    Exchanged,
    Report,
    Over,
}

/// A part of the file and who reads or writes it.
#[derive(Persist)]
struct Domain {
    aggregator: u32,
    /// All of it.
    whole: Range<u64>,
    /// From the first to one past the last byte that is meant.
    meant: Range<u64>,
}

/// A collective access of one rank.
#[derive(Persist)]
pub(in crate::parallel) struct TwoPhase {
    member: Member,
    direction: Direction,
    file: FileId,
    shares: Arc<AnyShares>,
    stage: TwoPhaseState,
    domains: Vec<Domain>,
    /// Which of them is this rank's.
    own: Option<usize>,
    round: u64,
    rounds: u64,
}

impl TwoPhase {
    pub(in crate::parallel) fn new(
        member: Member,
        direction: Direction,
        file: FileId,
        shares: Arc<AnyShares>,
    ) -> Self {
        let never = Self::switch(&member, direction) == Switch::Disable;
        let stage = if never { TwoPhaseState::Decide } else { TwoPhaseState::Starts };
        Self { member, direction, file, shares, stage, domains: Vec::new(), own: None, round: 0, rounds: 0 }
    }

    fn switch(member: &Member, direction: Direction) -> Switch {
        match direction {
            Direction::Read => member.world.hints.romio_cb_read,
            Direction::Write => member.world.hints.romio_cb_write,
        }
    }

    /// Looks at what all mean; whether it is done together.
    fn decide(&mut self) -> bool {
        let (world, shares) = (&self.member.world, &**self.shares);
        let together = match Self::switch(&self.member, self.direction) {
            Switch::Disable => false,
            Switch::Enable => true,
            Switch::Automatic => domains::interleaved(shares, world.ranks),
        };
        let Some(range) = domains::extremes(shares, world.ranks) else { return false };
        if !together {
            return false;
        }
        let unit = world.hints.striping_unit.map(petrio_units::Bytes::get);
        let parts = domains::split(&range, as_number(world.aggregators.len()), unit);
        let domain = |(whole, &aggregator): (Range<u64>, &u32)| Domain {
            aggregator,
            meant: domains::meant(shares, world.ranks, &whole),
            whole,
        };
        self.domains = parts.into_iter().zip(&world.aggregators).map(domain).collect();
        self.own = self.domains.iter().position(|domain| domain.aggregator == self.member.rank);
        let buffer = world.hints.cb_buffer_size.get();
        let lengths = self.domains.iter().map(|domain| domain.meant.end - domain.meant.start);
        self.rounds = lengths.map(|length| length.div_ceil(buffer)).max().unwrap_or(0);
        true
    }

    /// What an aggregator reads or writes in this round.
    fn window(&self, domain: &Domain) -> Range<u64> {
        let buffer = self.member.world.hints.cb_buffer_size.get();
        let start = domain.meant.start.saturating_add(self.round.saturating_mul(buffer));
        start.min(domain.meant.end)..start.saturating_add(buffer).min(domain.meant.end)
    }

    fn bytes(&self, rank: u32, window: &Range<u64>) -> u64 {
        self.shares.before(rank, window.end) - self.shares.before(rank, window.start)
    }

    /// Ranks other than this one that mean something of a window.
    fn others(&self, window: &Range<u64>) -> impl Iterator<Item = (u32, u64)> {
        let own = self.member.rank;
        let ranks = (0..self.member.ranks()).filter(move |&rank| rank != own);
        ranks.map(|rank| (rank, self.bytes(rank, window))).filter(|&(_, bytes)| bytes > 0)
    }

    /// Offsets and lengths to the aggregators in whose domains they lie.
    fn lists(&self) -> Exchange {
        let rank = self.member.rank;
        let mut exchange = Exchange::default();
        for domain in self.domains.iter().filter(|domain| domain.aggregator != rank) {
            let pieces = self.shares.pieces(rank, domain.whole.clone());
            if pieces > 0 {
                exchange.sends.push((domain.aggregator, pieces * PIECE_BYTES));
            }
        }
        if let Some(own) = self.own {
            exchange.receives.extend(self.others(&self.domains[own].meant).map(|(rank, _)| rank));
        }
        exchange
    }

    /// The data of a round, from the ranks to the aggregators or back.
    fn data(&self) -> Exchange {
        let rank = self.member.rank;
        let mut exchange = Exchange::default();
        let reads = self.direction == Direction::Read;
        for domain in self.domains.iter().filter(|domain| domain.aggregator != rank) {
            let bytes = self.bytes(rank, &self.window(domain));
            match (bytes, reads) {
                (0, _) => {}
                (_, true) => exchange.receives.push(domain.aggregator),
                (_, false) => exchange.sends.push((domain.aggregator, bytes)),
            }
        }
        if let Some(own) = self.own {
            let window = self.window(&self.domains[own]);
            let others = self.others(&window);
            if reads {
                exchange.sends.extend(others);
            } else {
                exchange.receives.extend(others.map(|(rank, _)| rank));
            }
        }
        exchange
    }

    /// This rank's window of the round, and whether there is a byte in it that nobody means; `None` where it has none.
    fn own_window(&self) -> Option<(Range<u64>, bool)> {
        let window = self.window(&self.domains[self.own?]);
        let length = window.end - window.start;
        if self.shares.covered().is_some() {
            return (length > 0).then_some((window, false));
        }
        let others: u64 = self.others(&window).map(|(_, bytes)| bytes).sum();
        let meant = others + self.bytes(self.member.rank, &window);
        (meant > 0).then_some((window, meant < length))
    }

    fn call(&self, direction: Direction, window: &Range<u64>) -> Act {
        Act::Call(Call::access(direction, self.file, window.start, window.end - window.start))
    }

    /// How much goes to whom in a round.
    fn tell(&self) -> Act {
        self.member.together(Collective::AllToAll { bytes: ERROR_BYTES })
    }

    fn exchange(exchange: Exchange) -> Option<Act> {
        let empty = exchange.sends.is_empty() && exchange.receives.is_empty();
        (!empty).then_some(Act::Exchange(exchange))
    }

    /// What it does at a stage, if anything, and the stage after.
    fn step(&mut self) -> (Option<Act>, TwoPhaseState) {
        let reads = self.direction == Direction::Read;
        let own_offset = Collective::AllGather { bytes: OFFSET_BYTES };
        match self.stage {
            TwoPhaseState::Starts => (Some(self.member.together(own_offset)), TwoPhaseState::Ends),
            TwoPhaseState::Ends => (Some(self.member.together(own_offset)), TwoPhaseState::Decide),
            TwoPhaseState::Decide => {
                if self.decide() {
                    // How many pieces lie in whose domain.
                    return (Some(self.tell()), TwoPhaseState::Lists);
                }
                let runs = Runs::of(Arc::clone(&self.shares), self.member.rank);
                (Some(self.member.alone(self.direction, self.file, runs)), TwoPhaseState::Over)
            }
            TwoPhaseState::Lists => (Self::exchange(self.lists()), TwoPhaseState::Times),
            TwoPhaseState::Times => (
                Some(self.member.together(Collective::AllReduce { bytes: ERROR_BYTES })),
                TwoPhaseState::Round,
            ),
            TwoPhaseState::Round if self.round == self.rounds => {
                (None, if reads { TwoPhaseState::Over } else { TwoPhaseState::Report })
            }
            TwoPhaseState::Round if reads => {
                let read = self.own_window().map(|(window, _)| self.call(Direction::Read, &window));
                (read, TwoPhaseState::Told)
            }
            TwoPhaseState::Round => (Some(self.tell()), TwoPhaseState::Told),
            TwoPhaseState::Told if reads => (Some(self.tell()), TwoPhaseState::Filled),
            TwoPhaseState::Told => {
                let holes = self.own_window().filter(|(_, hole)| *hole);
                (holes.map(|(window, _)| self.call(Direction::Read, &window)), TwoPhaseState::Filled)
            }
            TwoPhaseState::Filled => (Self::exchange(self.data()), TwoPhaseState::Exchanged),
            TwoPhaseState::Exchanged => {
                let window = if reads { None } else { self.own_window() };
                self.round += 1;
                (window.map(|(window, _)| self.call(Direction::Write, &window)), TwoPhaseState::Round)
            }
            TwoPhaseState::Report => {
                // Who writes alone tells the others.
                let report = match *self.member.world.aggregators {
                    [root] => Collective::Broadcast { root, bytes: ERROR_BYTES },
                    _ => Collective::AllReduce { bytes: ERROR_BYTES },
                };
                (Some(self.member.together(report)), TwoPhaseState::Over)
            }
            TwoPhaseState::Over => (None, TwoPhaseState::Over),
        }
    }
}

impl Acts for TwoPhase {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        while self.stage != TwoPhaseState::Over {
            let (act, stage) = self.step();
            self.stage = stage;
            if act.is_some() {
                return Ok(act);
            }
        }
        Ok(None)
    }
}
