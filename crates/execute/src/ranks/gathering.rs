//! What ranks do together: who has come to it when, and who leaves it when.
//!
//! A collective operation takes the rounds of messages that the parallel programs of the simulation make of it
//! ([`petrio_workload::parallel::collective`]), from when each rank has come.

use super::speed::MessageSpeed;
use petrio_time::Time;
use petrio_workload::parallel::collective::{Collective, Group};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// They wait for each other.
    Meet,
    /// An operation: which (`enum petrio_collective` of record.h), and its root's place among them.
    Collective { which: u64, root: u32 },
}

/// A rank that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comer {
    pub(super) at: Time,
    pub(super) thread: u32,
    /// The request by which it will wait for it; it waits here and now where that is zero.
    pub(super) request: u64,
}

/// Some ranks that do something together.
#[derive(Debug)]
pub(super) struct Gathering {
    pub(super) what: What,
    pub(super) bytes: u64,
    pub(super) members: Vec<u32>,
    pub(super) came: BTreeMap<u32, Comer>,
}

impl Gathering {
    pub(super) fn is_whole(&self) -> bool {
        self.came.len() >= self.members.len()
    }

    /// When each member has what it came for.
    pub(super) fn exits(&self, speed: &MessageSpeed) -> Vec<(u32, Time)> {
        let came = |member: &u32| self.came.get(member).map_or(Time::ZERO, |comer| comer.at);
        let entries: Vec<Time> = self.members.iter().map(came).collect();
        let last = entries.iter().copied().max().unwrap_or(Time::ZERO);
        let exits = match self.what {
            What::Meet => vec![last; entries.len()],
            What::Collective { which, root } => played(collective(which, root, self.bytes), &entries, speed),
        };
        self.members.iter().copied().zip(exits).collect()
    }
}

/// The operation of this number.
pub(super) fn collective(which: u64, root: u32, bytes: u64) -> Collective {
    match which {
        1 => Collective::Broadcast { root, bytes },
        2 => Collective::Reduce { root, bytes },
        // A vector that is scattered after, or of those before, travels as that of all does.
        3 | 8 | 9 => Collective::AllReduce { bytes },
        4 => Collective::Gather { root, bytes },
        5 => Collective::Scatter { root, bytes },
        6 => Collective::AllGather { bytes },
        7 => Collective::AllToAll { bytes },
        _ => Collective::Barrier,
    }
}

/// A rank at its rounds.
struct Player {
    rounds: petrio_workload::parallel::collective::Rounds,
    /// From whom it waits in this one.
    awaits: Option<Vec<u32>>,
    clock: Time,
}

/// Plays an operation's rounds from when its ranks have come: when each is done.
fn played(collective: Collective, entries: &[Time], speed: &MessageSpeed) -> Vec<Time> {
    let ranks = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let begin =
        |(rank, &clock)| Player { rounds: collective.rounds(Group { rank, ranks }), awaits: None, clock };
    let mut players: Vec<Player> = (0..ranks).zip(entries).map(begin).collect();
    let mut under_way: FxHashMap<(u32, u32), VecDeque<Time>> = FxHashMap::default();
    loop {
        let mut any = false;
        for (rank, player) in (0..ranks).zip(&mut players) {
            while turn(rank, player, &mut under_way, speed) {
                any = true;
            }
        }
        if !any {
            return players.into_iter().map(|player| player.clock).collect();
        }
    }
}

/// A rank begins a round, or ends it if all that it waits for has been sent; whether it could.
fn turn(
    rank: u32,
    player: &mut Player,
    under_way: &mut FxHashMap<(u32, u32), VecDeque<Time>>,
    speed: &MessageSpeed,
) -> bool {
    let Some(awaits) = player.awaits.take() else {
        let Some(exchange) = player.rounds.next() else { return false };
        for (to, bytes) in exchange.sends {
            player.clock = player.clock.saturating_add(speed.span(bytes));
            let comes = player.clock.saturating_add(speed.latency);
            under_way.entry((rank, to)).or_default().push_back(comes);
        }
        player.awaits = Some(exchange.receives);
        return true;
    };
    let there = |from: &u32| {
        let wanted = awaits.iter().filter(|other| *other == from).count();
        under_way.get(&(*from, rank)).is_some_and(|sent| sent.len() >= wanted)
    };
    if !awaits.iter().all(there) {
        player.awaits = Some(awaits);
        return false;
    }
    for from in awaits {
        let comes = under_way.get_mut(&(from, rank)).and_then(VecDeque::pop_front);
        player.clock = player.clock.max(comes.unwrap_or(Time::ZERO));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEED: MessageSpeed = MessageSpeed { latency: Time::from_micros(1), bytes_per_second: 1_000_000 };

    fn exits(what: What, bytes: u64, entries: &[u64]) -> Vec<u64> {
        let members: Vec<u32> = (0..).take(entries.len()).collect();
        let came = members.iter().copied().zip(entries.iter().map(|&at| Comer {
            at: Time::from_micros(at),
            thread: 0,
            request: 0,
        }));
        let gathering = Gathering { what, bytes, came: came.collect(), members };
        assert!(gathering.is_whole());
        gathering.exits(&SPEED).into_iter().map(|(_, at)| at.as_picos() / 1_000_000).collect()
    }

    #[test]
    fn who_meets_leaves_with_the_last_and_a_barrier_takes_its_rounds_on_top() {
        assert_eq!(exits(What::Meet, 0, &[3, 9, 4]), [9, 9, 9]);
        let barrier = What::Collective { which: 0, root: 0 };
        // Two rounds over four ranks.
        assert_eq!(exits(barrier, 0, &[0, 0, 0, 0]), [2, 2, 2, 2]);
        // Who comes last has been told of all others already; the farthest hears of it by another.
        assert_eq!(exits(barrier, 0, &[0, 9, 0, 0]), [11, 9, 10, 10]);
    }

    #[test]
    fn a_broadcast_comes_to_its_ranks_by_the_tree_and_a_late_leaf_holds_nobody_up() {
        let broadcast = What::Collective { which: 1, root: 0 };
        // Ten bytes take ten microseconds to leave, and one on their way: to the other half first.
        assert_eq!(exits(broadcast, 10, &[0, 0, 0, 0]), [20, 21, 21, 22]);
        let late = exits(broadcast, 10, &[0, 0, 0, 500]);
        assert_eq!((late[0], late[3]), (20, 500));
    }

    #[test]
    fn every_operation_ends_for_every_number_of_ranks() {
        for which in 0..10 {
            for ranks in 1..10 {
                for bytes in [0, 8, 100_000] {
                    let at = exits(What::Collective { which, root: 0 }, bytes, &vec![1; ranks]);
                    assert!(at.iter().all(|&at| at >= 1), "{which} {ranks} {bytes}: {at:?}");
                }
            }
        }
    }
}
