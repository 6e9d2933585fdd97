//! The steps of a request by the [protocol](super::protocol): which copies it asks, one after the other, and which of
//! them are left behind.

use super::copies::Replicas;
use super::parameters::WriteReturns;
use super::protocol::{Protocol, Versions, Voting};
use super::select::{Candidate, best, in_order};
use super::under_way::{Aim, Piece, Step};
use petrio_colours::{Direction, FileId, SECTOR_BYTES};
use petrio_host::Ranges;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::collections::VecDeque;

impl Replicas {
    /// The steps that a piece of a request takes, given the copies that it could go to. An error where too few copies
    /// are left to vote.
    pub(super) fn steps(
        &mut self,
        direction: Direction,
        piece: &Piece,
        candidates: &mut [Candidate],
    ) -> Result<VecDeque<Step>, ()> {
        let whole = |slot| Aim::new(slot, (piece.address, piece.blocks), direction);
        let everywhere = |candidates: &[Candidate]| candidates.iter().map(|one| whole(one.slot)).collect();
        let all = as_number(candidates.len());
        if direction == Direction::Flush {
            return Ok([Step::new(everywhere(candidates), all)].into());
        }
        let protocol = self.parameters.protocol.clone();
        if let Protocol::Voting(voting) = &protocol {
            return self.voted(voting, direction, piece, candidates);
        }
        if direction == Direction::Read {
            return Ok([self.read(piece, candidates)].into());
        }
        let needed = if self.parameters.write_returns == WriteReturns::First { 1 } else { all };
        let master = self.master_of(piece.file);
        Ok(match &protocol {
            Protocol::Master => {
                let others: SmallVec<[Aim; 4]> = (candidates.iter().map(|one| one.slot))
                    .filter(|slot| *slot != master)
                    .map(whole)
                    .collect();
                // Nobody may read what they don't have yet.
                others.iter().for_each(|aim| self.leave_behind(piece, aim.slot));
                let returns_first = self.parameters.write_returns == WriteReturns::First;
                let count = as_number(others.len());
                let first = Step {
                    answers: returns_first || count == 0,
                    ..Step::new([whole(master)].into_iter().collect(), 1)
                };
                let then = Step { answers: !returns_first, ..Step::new(others, count) };
                if count == 0 { [first].into() } else { [first, then].into() }
            }
            Protocol::Transaction(_) => {
                let log = |slots: &[u32], blocks: u32, replicas: &mut Self| -> SmallVec<[Aim; 4]> {
                    slots.iter().map(|&slot| replicas.log_record(slot, blocks)).collect()
                };
                let slots: SmallVec<[u32; 8]> = candidates.iter().map(|one| one.slot).collect();
                // A record has a block of its own before the data.
                let prepared = Step { answers: false, ..Step::new(log(&slots, piece.blocks + 1, self), all) };
                let committed = Step::new(log(&[master], 1, self), 1);
                let done = Step { answers: false, ..Step::new(everywhere(candidates), all) };
                [prepared, committed, done].into()
            }
            _ => [Step::new(everywhere(candidates), needed)].into(),
        })
    }

    /// A read or a write by votes.
    fn voted(
        &mut self,
        voting: &Voting,
        direction: Direction,
        piece: &Piece,
        candidates: &mut [Candidate],
    ) -> Result<VecDeque<Step>, ()> {
        let votes = self.votes_of(piece.file);
        let (reads, writes) = (voting.to_read(votes), voting.to_write(votes));
        in_order(candidates, self.parameters.knows_rotation);
        let quorum = |votes| self.quorum(candidates, votes).ok_or(());
        let (asked, written) = match direction {
            Direction::Read => (quorum(reads)?, 0),
            _ => (self.quorum(candidates, reads).unwrap_or(candidates.len()), quorum(writes)?),
        };
        let mut steps = VecDeque::new();
        if voting.versions == Versions::OnDisk && asked > 1 {
            let versions = candidates.iter().take(asked);
            let aims = versions.map(|one| Aim::new(one.slot, (piece.address, 1), Direction::Read));
            steps.push_back(Step { answers: false, ..Step::new(aims.collect(), as_number(asked)) });
        }
        if direction == Direction::Read {
            steps.push_back(self.read(piece, &mut candidates[..asked]));
            return Ok(steps);
        }
        let aim = |one: &Candidate| Aim::new(one.slot, (piece.address, piece.blocks), direction);
        steps.push_back(Step::new(candidates.iter().take(written).map(aim).collect(), as_number(written)));
        Ok(steps)
    }

    /// How many of these copies, the first first, have so many votes together; none where all of them haven't.
    fn quorum(&self, candidates: &[Candidate], votes: u32) -> Option<usize> {
        let mut sum = 0;
        let enough = |one: &Candidate| {
            sum += self.votes_on([one.slot]);
            sum >= votes
        };
        candidates.iter().position(enough).map(|last| last + 1)
    }

    /// The winners of a vote are being written to: from now on they have what the others haven't. Not before: while
    /// versions are still being read, a winner has less than a copy that the last vote wrote.
    /// Returns the vote's number.
    pub(super) fn settle(&mut self, piece: &Piece, aims: &[Aim]) -> Option<u64> {
        let wins = aims.first().is_some_and(|aim| aim.direction == Direction::Write);
        if !wins || !matches!(self.parameters.protocol, Protocol::Voting(_)) {
            return None;
        }
        self.next_vote += 1;
        if let Some(state) = self.files.get_mut(&piece.file) {
            state.voted.take(self.next_vote, piece.range());
        }
        for slot in self.slots_of(piece.file).iter() {
            match aims.iter().any(|aim| aim.slot == slot) {
                true => self.catch_up(piece.file, slot, piece.range()),
                false => self.leave_behind(piece, slot),
            }
        }
        Some(self.next_vote)
    }

    /// A read: of the best copy that has all of it (in pieces of several where it is long), else of several that have
    /// each a part.
    fn read(&self, piece: &Piece, candidates: &mut [Candidate]) -> Step {
        let knows = self.parameters.knows_rotation;
        let end = piece.address + u64::from(piece.blocks);
        let most = self.parameters.parallel.map_or(u64::MAX, |piece| (piece.get() / SECTOR_BYTES).max(1));
        let is_behind = self.is_behind(piece.file);
        let one = |slot| Aim::new(slot, (piece.address, piece.blocks), Direction::Read);
        if !is_behind && (u64::from(piece.blocks) <= most || candidates.len() < 2) {
            let aims: SmallVec<[Aim; 4]> =
                best(candidates, knows).map(|best| one(best.slot)).into_iter().collect();
            return Step::new(aims, 1);
        }
        in_order(candidates, knows);
        let (mut aims, mut at): (SmallVec<[Aim; 4]>, u64) = (SmallVec::new(), piece.address);
        while at < end {
            let wanted = (at + most.min(end - at)).min(end);
            let turn = aims.len();
            let by_turns =
                (0..candidates.len()).map(|step| candidates[(turn + step) % candidates.len()].slot);
            // Among those that were asked one has it, unless copies were lost; then another of all has.
            let others = self.slots_of(piece.file);
            let reach = |slot: u32| self.current_until(piece.file, slot, at).min(wanted);
            let whole = by_turns.clone().find(|&slot| reach(slot) >= wanted);
            let part = || by_turns.chain(others.iter()).find(|&slot| reach(slot) > at);
            // Where a master is lost while it is written to, nobody has it yet: the next master gets it first.
            let slot = whole.or_else(part).unwrap_or(self.master_of(piece.file));
            let until = if reach(slot) > at { reach(slot) } else { wanted };
            aims.push(Aim::new(slot, (at, as_number(until - at)), Direction::Read));
            at = until;
        }
        let needed = as_number(aims.len());
        Step::new(aims, needed)
    }

    /// A record in the log of a slot's disk.
    fn log_record(&mut self, slot: u32, blocks: u32) -> Aim {
        let disk = self.disk_of(slot);
        let size = self.parameters.protocol.log_blocks().max(1);
        let blocks = u64::from(blocks).min(size);
        let at = &mut self.log_at[disk];
        if *at + blocks > size {
            *at = 0;
        }
        let address = self.log_begins + *at;
        *at += blocks;
        self.tally.log_bytes += blocks * SECTOR_BYTES;
        Aim { is_in_log: true, ..Aim::new(slot, (address, as_number(blocks)), Direction::Write) }
    }

    /// What other copies write in place of one that couldn't, at slot `lost`, blocks from `range.0` to `range.1`: only votes need
    /// that. What later votes were on is theirs, and there may be nothing else. None where the others haven't as many votes.
    pub(super) fn stand_in(
        &mut self,
        piece: &Piece,
        lost: u32,
        range: (u64, u64),
    ) -> Option<SmallVec<[Aim; 2]>> {
        let vote = piece.vote?;
        let (mut missing, mut slots) = (self.votes_on([lost]), SmallVec::<[u32; 4]>::new());
        for slot in self.slots_of(piece.file).without(&piece.tried).iter() {
            if missing == 0 {
                break;
            }
            missing = missing.saturating_sub(self.votes_on([slot]));
            slots.push(slot);
        }
        if missing > 0 {
            return None;
        }
        let still = self.files.get(&piece.file)?.voted.still_of(vote, range);
        for (&slot, range) in slots.iter().flat_map(|slot| still.iter().map(move |range| (slot, range))) {
            self.catch_up(piece.file, slot, range);
        }
        let aim = |slot: u32, (first, end)| Aim::new(slot, (first, as_number(end - first)), Direction::Write);
        let still = &still;
        Some(slots.iter().flat_map(|&slot| still.iter().map(move |range| aim(slot, range))).collect())
    }

    /// A copy has what is written now, in the order in which its disk does it.
    pub(super) fn catch_up(&mut self, file: FileId, slot: u32, (first, end): (u64, u64)) {
        if let Some(state) = self.files.get_mut(&file) {
            state.behind.retain_mut(|(other, ranges)| {
                if *other == slot {
                    ranges.cut(first, end);
                }
                ranges.blocks() > 0
            });
        }
    }

    /// A copy hasn't what is written now.
    fn leave_behind(&mut self, piece: &Piece, slot: u32) {
        let Some(state) = self.files.get_mut(&piece.file) else { return };
        let end = piece.address + u64::from(piece.blocks);
        match state.behind.iter_mut().find(|(other, _)| *other == slot) {
            Some((_, ranges)) => ranges.add(piece.address, end),
            None => {
                let mut ranges = Ranges::default();
                ranges.add(piece.address, end);
                state.behind.push((slot, ranges));
            }
        }
    }

    fn is_behind(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|state| !state.behind.is_empty())
    }

    /// From `at` on, the first block that a slot doesn't have as it was last written.
    pub(super) fn current_until(&self, file: FileId, slot: u32, at: u64) -> u64 {
        let Some(state) = self.files.get(&file) else { return u64::MAX };
        let behind = state.behind.iter().find(|(other, _)| *other == slot);
        behind.and_then(|(_, ranges)| ranges.piece(at)).map_or(u64::MAX, |(first, _)| first)
    }
}
