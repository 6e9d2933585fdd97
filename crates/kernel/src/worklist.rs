//! Transitions that may be enabled, by priority and then in the order in which they became so.

use crate::random::{Generator, below};
use std::collections::VecDeque;

/// The most priorities in one net: one bit each in a word.
pub(crate) const RANK_LIMIT: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Member {
    rank: u8,
    listed: bool,
}

/// Every enabled transition is in the list; a listed one may turn out to be disabled.
#[derive(Clone, Debug)]
pub(crate) struct Worklist {
    ranks: Vec<VecDeque<u32>>,
    members: Vec<Member>,
    /// Bit r: rank r is not empty.
    occupied: u64,
}

impl Worklist {
    /// An empty list for transitions of these ranks, each below [`RANK_LIMIT`].
    pub(crate) fn new(ranks: impl Iterator<Item = u8>) -> Self {
        let members: Vec<Member> = ranks.map(|rank| Member { rank, listed: false }).collect();
        let count = members.iter().map(|member| usize::from(member.rank) + 1).max().unwrap_or(1);
        let mut ranks = Vec::new();
        ranks.resize_with(count, VecDeque::new);
        Self { ranks, members, occupied: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, transition: u32) {
        let member = &mut self.members[transition as usize];
        if !member.listed {
            member.listed = true;
            self.ranks[usize::from(member.rank)].push_back(transition);
            self.occupied |= 1 << member.rank;
        }
    }

    /// Takes the first of the most urgent, or with `random` any of them.
    #[inline]
    pub(crate) fn pop(&mut self, random: Option<&mut Generator>) -> Option<u32> {
        if self.occupied == 0 {
            return None;
        }
        let rank = self.occupied.trailing_zeros() as usize;
        let queue = &mut self.ranks[rank];
        if let Some(random) = random {
            let chosen = below(random, queue.len() as u64) as usize;
            queue.swap(0, chosen);
        }
        let transition = queue.pop_front()?;
        if queue.is_empty() {
            self.occupied &= !(1 << rank);
        }
        self.members[transition as usize].listed = false;
        Some(transition)
    }
}
