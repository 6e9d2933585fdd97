//! Which of many is due first: a tournament, so that one of thousands that changes costs a few comparisons.
//!
//! Each pair of neighbours plays, the winners play, and so on. What is known of one changes only the games on its way
//! to the top. The winner is the one that a look at all of them in order would find, so who wins depends on no
//! history.

use crate::due::Due;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::cmp::Ordering;

/// Dues by position, and who is first.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Earliest {
    dues: Vec<Due>,
    /// A complete binary tree: the winner of all is at 1, the children of `node` are at `2 node` and `2 node + 1`,
    /// and the games of the first round are the last `width / 2`.
    winners: Vec<u32>,
    /// Positions, rounded up to a power of two.
    width: usize,
}

impl Earliest {
    /// So many, none of which is due.
    pub(crate) fn new(count: usize) -> Self {
        let width = count.next_power_of_two().max(2);
        let mut tournament = Self { dues: vec![Due::Never; count], winners: vec![0; width], width };
        for node in (1..width).rev() {
            tournament.play(node);
        }
        tournament
    }

    /// The first: with the earliest time, then one that waits for a completion; of equals the one with the lowest
    /// position.
    #[inline]
    pub(crate) fn first(&self) -> (Due, usize) {
        let winner = self.winners[1] as usize;
        (self.dues.get(winner).copied().unwrap_or(Due::Never), winner)
    }

    /// One is due at another time.
    pub(crate) fn set(&mut self, position: usize, due: Due) {
        if std::mem::replace(&mut self.dues[position], due) == due {
            return;
        }
        let mut node = (self.width + position) / 2;
        while node > 0 {
            self.play(node);
            node /= 2;
        }
    }

    fn play(&mut self, node: usize) {
        let (left, right) = (self.player(node * 2), self.player(node * 2 + 1));
        let due = |player: u32| self.dues.get(player as usize).copied().unwrap_or(Due::Never);
        let wins_right = compare(due(right), due(left)) == Ordering::Less;
        self.winners[node] = if wins_right { right } else { left };
    }

    /// Who comes up to a game from below.
    fn player(&self, node: usize) -> u32 {
        if node < self.width { self.winners[node] } else { as_number(node - self.width) }
    }
}

fn compare(one: Due, other: Due) -> Ordering {
    let rank = |due: Due| match due {
        Due::At(time) => (0, time.as_picos()),
        Due::AfterCompletion => (1, 0),
        Due::Never => (2, 0),
    };
    rank(one).cmp(&rank(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_time::Time;
    use proptest::prelude::*;

    /// What a look at all of them in order finds.
    fn scanned(dues: &[Due]) -> (Due, usize) {
        let mut best = (Due::Never, 0);
        for (position, &due) in dues.iter().enumerate() {
            if compare(due, best.0) == Ordering::Less {
                best = (due, position);
            }
        }
        best
    }

    fn due() -> impl Strategy<Value = Due> {
        prop_oneof![
            4 => (0u64..6).prop_map(|time| Due::At(Time::from_picos(time))),
            1 => Just(Due::AfterCompletion),
            1 => Just(Due::Never),
        ]
    }

    proptest! {
        #[test]
        fn the_winner_is_the_one_that_a_scan_finds(
            count in 0usize..20,
            changes in proptest::collection::vec((0usize..20, due()), 0..80),
        ) {
            let mut tournament = Earliest::new(count);
            let mut dues = vec![Due::Never; count];
            prop_assert_eq!(tournament.first(), (Due::Never, 0));
            for (position, due) in changes.into_iter().filter(|(position, _)| *position < count) {
                tournament.set(position, due);
                dues[position] = due;
                prop_assert_eq!(tournament.first(), scanned(&dues));
            }
        }
    }
}
