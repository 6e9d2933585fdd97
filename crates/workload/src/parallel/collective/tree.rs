//! Binomial trees: broadcast and scatter go down, reduce and gather go up. The root is rank 0.

use super::{Exchange, Group, levels, receive, send};

/// A round away from the root; `bytes` says how long a message is to a subtree of so many ranks.
pub(super) fn down(group: Group, round: u32, bytes: impl Fn(u64) -> u64) -> Exchange {
    edge(group, levels(group.ranks) - 1 - round, bytes, true)
}

/// A round towards the root.
pub(super) fn up(group: Group, round: u32, bytes: impl Fn(u64) -> u64) -> Exchange {
    edge(group, round, bytes, false)
}

/// The edges between ranks that are 2^level apart: the lower one of each is nearer to the root.
fn edge(Group { rank, ranks }: Group, level: u32, bytes: impl Fn(u64) -> u64, downwards: bool) -> Exchange {
    let distance = 1u32 << level;
    let below = |child: u32| u64::from(distance.min(ranks - child));
    match rank % (2 * distance) {
        0 if rank + distance < ranks => {
            let child = rank + distance;
            if downwards { send(child, bytes(below(child))) } else { receive(child) }
        }
        within if within == distance => {
            let parent = rank - distance;
            if downwards { receive(parent) } else { send(parent, bytes(below(rank))) }
        }
        _ => Exchange::default(),
    }
}
