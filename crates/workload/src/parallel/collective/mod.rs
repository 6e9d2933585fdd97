//! What the processes of a parallel program do together, as rounds of messages: MPI's collective operations.
//!
//! Which algorithm is taken depends on the bytes and the number of processes, as in MPICH. Source: Thakur, Rabenseifner and
//! Gropp, "Optimization of Collective Communication Operations in MPICH", International Journal of High Performance Computing
//! Applications 19 (1), 2005, with MPICH's thresholds of that paper.
//!
//! | operation | short | long |
//! | --- | --- | --- |
//! | barrier | dissemination | the same |
//! | broadcast | binomial tree (below 12 KiB, or fewer than 8 processes) | scatter and allgather: recursive doubling below 512 KiB for powers of two, else a ring |
//! | reduce | binomial tree (up to 2 KiB) | Rabenseifner: reduce-scatter and gather |
//! | allreduce | recursive doubling (up to 2 KiB) | Rabenseifner: reduce-scatter and allgather |
//! | gather, scatter | binomial tree | the same |
//! | allgather | recursive doubling below 512 KiB for powers of two; Bruck below 80 KiB for others | ring |
//! | all-to-all | Bruck (up to 256 B, 8 processes or more), all at once (up to 32 KiB) | pairwise |
//!
//! ```text
//!  Collective::of(kind, group, bytes) ─▶ Algorithm ─▶ Rounds: an Exchange of each round in which this rank takes part
//! ```
//!
//! Left out: what combining operands costs the processor, collectives that know which ranks share a host, and those of the
//! network's switches.

mod all_to_all;
mod blocks;
mod fold;
mod gather;
mod halving;
mod tree;

use petrio_colours::Exchange;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// Which operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Collective {
    /// All wait until all have come.
    Barrier,
    /// `bytes` go from the root to all.
    Broadcast {
        /// Whose.
        root: u32,
        /// Of the message.
        bytes: u64,
    },
    /// Vectors of `bytes` are combined at the root.
    Reduce {
        /// Who gets the result.
        root: u32,
        /// Of each vector.
        bytes: u64,
    },
    /// Vectors of `bytes` are combined, and all get the result.
    AllReduce {
        /// Of each vector.
        bytes: u64,
    },
    /// The root gets `bytes` of each.
    Gather {
        /// Who gets them.
        root: u32,
        /// Of each rank.
        bytes: u64,
    },
    /// Each gets `bytes` of its own from the root.
    Scatter {
        /// Who has them.
        root: u32,
        /// Of each rank.
        bytes: u64,
    },
    /// Each gets `bytes` of each.
    AllGather {
        /// Of each rank.
        bytes: u64,
    },
    /// Each gets `bytes` of its own from each.
    AllToAll {
        /// Of each pair.
        bytes: u64,
    },
}

/// One of several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Group {
    /// Which, from 0.
    pub rank: u32,
    /// How many there are, 1 or more.
    pub ranks: u32,
}

impl Group {
    /// The rank `distance` further round the circle.
    pub(in crate::parallel) fn after(self, distance: u32) -> u32 {
        as_number((u64::from(self.rank) + u64::from(distance)) % u64::from(self.ranks))
    }

    /// The rank `distance` before, round the circle.
    pub(in crate::parallel) fn before(self, distance: u32) -> u32 {
        self.after(self.ranks - distance % self.ranks)
    }

    /// The same processes counted from `root`.
    fn from(self, root: u32) -> Self {
        Self { rank: self.before(root), ranks: self.ranks }
    }
}

/// Rounds of a tree over so many ranks: the logarithm to base 2, rounded up.
pub(crate) const fn levels(ranks: u32) -> u32 {
    ranks.next_power_of_two().trailing_zeros()
}

/// How an operation is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) enum Algorithm {
    Dissemination,
    BinomialBroadcast { root: u32 },
    ScatterAndAllGather { root: u32, doubling: bool },
    BinomialReduce { root: u32 },
    RabenseifnerReduce { root: u32 },
    RecursiveDoubling,
    RabenseifnerAllReduce,
    BinomialGather { root: u32 },
    BinomialScatter { root: u32 },
    DoublingAllGather,
    BruckAllGather,
    RingAllGather,
    BruckAllToAll,
    AllAtOnce,
    Pairwise,
}

// Thresholds of the paper's section 4 (MPICH 1.2.6 and later: MPIR_*_MSG_SIZE in its mpiimpl.h).
const BROADCAST_SHORT: u64 = 12_288;
const BROADCAST_LONG: u64 = 524_288;
const BROADCAST_RANKS_MIN: u32 = 8;
const REDUCE_SHORT: u64 = 2048;
const ALL_GATHER_SHORT: u64 = 81_920;
const ALL_GATHER_LONG: u64 = 524_288;
const ALL_TO_ALL_SHORT: u64 = 256;
const ALL_TO_ALL_MEDIUM: u64 = 32_768;
const BRUCK_RANKS_MIN: u32 = 8;

impl Collective {
    /// Its algorithm among so many ranks.
    pub(crate) const fn algorithm(self, ranks: u32) -> Algorithm {
        let even = ranks.is_power_of_two();
        match self {
            Self::Barrier => Algorithm::Dissemination,
            Self::Broadcast { root, bytes } if bytes < BROADCAST_SHORT || ranks < BROADCAST_RANKS_MIN => {
                Algorithm::BinomialBroadcast { root }
            }
            Self::Broadcast { root, bytes } => {
                Algorithm::ScatterAndAllGather { root, doubling: bytes < BROADCAST_LONG && even }
            }
            // With fewer elements than ranks nothing could be scattered.
            Self::Reduce { root, bytes } if bytes <= REDUCE_SHORT || bytes < ranks as u64 => {
                Algorithm::BinomialReduce { root }
            }
            Self::Reduce { root, .. } => Algorithm::RabenseifnerReduce { root },
            Self::AllReduce { bytes } if bytes <= REDUCE_SHORT || bytes < ranks as u64 => {
                Algorithm::RecursiveDoubling
            }
            Self::AllReduce { .. } => Algorithm::RabenseifnerAllReduce,
            Self::Gather { root, .. } => Algorithm::BinomialGather { root },
            Self::Scatter { root, .. } => Algorithm::BinomialScatter { root },
            Self::AllGather { bytes } => {
                let total = bytes.saturating_mul(ranks as u64);
                if even && total < ALL_GATHER_LONG {
                    Algorithm::DoublingAllGather
                } else if total < ALL_GATHER_SHORT {
                    Algorithm::BruckAllGather
                } else {
                    Algorithm::RingAllGather
                }
            }
            Self::AllToAll { bytes } if bytes <= ALL_TO_ALL_SHORT && ranks >= BRUCK_RANKS_MIN => {
                Algorithm::BruckAllToAll
            }
            Self::AllToAll { bytes } if bytes <= ALL_TO_ALL_MEDIUM => Algorithm::AllAtOnce,
            Self::AllToAll { .. } => Algorithm::Pairwise,
        }
    }

    const fn bytes(self) -> u64 {
        match self {
            Self::Barrier => 0,
            Self::Broadcast { bytes, .. }
            | Self::Reduce { bytes, .. }
            | Self::AllReduce { bytes }
            | Self::Gather { bytes, .. }
            | Self::Scatter { bytes, .. }
            | Self::AllGather { bytes }
            | Self::AllToAll { bytes } => bytes,
        }
    }

    /// What `group`'s rank sends and receives, round by round, by ranks.
    ///
    /// ```
    /// use petrio_workload::parallel::collective::{Collective, Group};
    /// // The third of five: two messages on their way at a time, over distances 1, 2 and 4.
    /// let rounds: Vec<_> = Collective::Barrier.rounds(Group { rank: 2, ranks: 5 }).collect();
    /// assert_eq!(rounds.len(), 3);
    /// assert_eq!((rounds[2].sends[0], rounds[2].receives[0]), ((1, 0), 3));
    /// ```
    pub const fn rounds(self, group: Group) -> Rounds {
        Rounds { algorithm: self.algorithm(group.ranks), group, bytes: self.bytes(), next: 0 }
    }
}

/// The rounds of a collective operation in which one rank takes part.
#[derive(Clone, Debug, Persist)]
pub struct Rounds {
    algorithm: Algorithm,
    group: Group,
    bytes: u64,
    next: u32,
}

impl Rounds {
    /// Rounds of all ranks together.
    const fn total(&self) -> u32 {
        let ranks = self.group.ranks;
        match self.algorithm {
            Algorithm::Dissemination
            | Algorithm::BinomialBroadcast { .. }
            | Algorithm::BinomialReduce { .. }
            | Algorithm::BinomialGather { .. }
            | Algorithm::BinomialScatter { .. }
            | Algorithm::DoublingAllGather
            | Algorithm::BruckAllGather
            | Algorithm::BruckAllToAll => levels(ranks),
            Algorithm::ScatterAndAllGather { doubling: true, .. } => 2 * levels(ranks),
            Algorithm::ScatterAndAllGather { doubling: false, .. } => levels(ranks) + ranks - 1,
            // Folding in and out takes a round each, which those of a power of two skip.
            Algorithm::RecursiveDoubling => 2 + ranks.ilog2(),
            Algorithm::RabenseifnerAllReduce => 2 + 2 * ranks.ilog2(),
            Algorithm::RabenseifnerReduce { .. } => 1 + 2 * ranks.ilog2(),
            Algorithm::RingAllGather | Algorithm::Pairwise => ranks - 1,
            Algorithm::AllAtOnce => 1,
        }
    }

    fn round(&self, round: u32) -> Exchange {
        let (group, bytes) = (self.group, self.bytes);
        match self.algorithm {
            Algorithm::Dissemination => both(group.after(1 << round), 0, group.before(1 << round)),
            Algorithm::BinomialBroadcast { root } => {
                renamed(tree::down(group.from(root), round, |_| bytes), group.ranks, root)
            }
            Algorithm::BinomialReduce { root } => {
                renamed(tree::up(group.from(root), round, |_| bytes), group.ranks, root)
            }
            Algorithm::BinomialGather { root } => {
                renamed(tree::up(group.from(root), round, |blocks| blocks * bytes), group.ranks, root)
            }
            Algorithm::BinomialScatter { root } => {
                renamed(tree::down(group.from(root), round, |blocks| blocks * bytes), group.ranks, root)
            }
            Algorithm::ScatterAndAllGather { root, doubling } => {
                renamed(gather::broadcast(group.from(root), round, bytes, doubling), group.ranks, root)
            }
            Algorithm::RabenseifnerReduce { root } => {
                renamed(halving::reduce(group.from(root), round, bytes), group.ranks, root)
            }
            Algorithm::RecursiveDoubling => fold::all_reduce(group, round, bytes),
            Algorithm::RabenseifnerAllReduce => halving::all_reduce(group, round, bytes),
            Algorithm::DoublingAllGather => gather::doubling(group, round, bytes),
            Algorithm::BruckAllGather => gather::bruck(group, round, bytes),
            Algorithm::RingAllGather => both(group.after(1), bytes, group.before(1)),
            Algorithm::BruckAllToAll => all_to_all::bruck(group, round, bytes),
            Algorithm::AllAtOnce => all_to_all::at_once(group, bytes),
            Algorithm::Pairwise => all_to_all::pairwise(group, round, bytes),
        }
    }
}

impl Iterator for Rounds {
    type Item = Exchange;

    fn next(&mut self) -> Option<Exchange> {
        if self.group.ranks <= 1 {
            return None;
        }
        while self.next < self.total() {
            let exchange = self.round(self.next);
            self.next += 1;
            if !exchange.sends.is_empty() || !exchange.receives.is_empty() {
                return Some(exchange);
            }
        }
        None
    }
}

/// `bytes` to one rank, and a message from one.
fn both(to: u32, bytes: u64, from: u32) -> Exchange {
    Exchange { sends: vec![(to, bytes)], receives: vec![from], ..Exchange::default() }
}

fn send(to: u32, bytes: u64) -> Exchange {
    Exchange { sends: vec![(to, bytes)], ..Exchange::default() }
}

fn receive(from: u32) -> Exchange {
    Exchange { receives: vec![from], ..Exchange::default() }
}

/// An exchange among ranks counted from `root`, as among all.
fn renamed(mut exchange: Exchange, ranks: u32, root: u32) -> Exchange {
    let own = |rank: u32| Group { rank, ranks }.after(root);
    exchange.sends.iter_mut().for_each(|(rank, _)| *rank = own(*rank));
    exchange.receives.iter_mut().for_each(|rank| *rank = own(*rank));
    exchange
}

#[cfg(test)]
mod tests;
