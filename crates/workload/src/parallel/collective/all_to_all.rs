//! All-to-all: Bruck's for short messages, everything at once for medium ones, pairs for long ones.

use super::{Exchange, Group, both};
use petrio_units::numbers::as_number;

/// Bruck's: blocks for ranks whose distance has a bit go together over that distance.
pub(super) fn bruck(group: Group, round: u32, bytes: u64) -> Exchange {
    let bit = 1u32 << round;
    let blocks = with_bit(group.ranks, round);
    both(group.after(bit), u64::from(blocks) * bytes, group.before(bit))
}

/// How many of the distances below `ranks` have the bit.
fn with_bit(ranks: u32, bit: u32) -> u32 {
    let size = 1u32 << bit;
    let (all, both) = (u64::from(ranks), 2 * u64::from(size));
    as_number(all / both) * size + as_number(all % both).saturating_sub(size)
}

/// All messages posted together, beginning with the next rank's.
pub(super) fn at_once(group: Group, bytes: u64) -> Exchange {
    let others = || 1..group.ranks;
    Exchange {
        sends: others().map(|distance| (group.after(distance), bytes)).collect(),
        receives: others().map(|distance| group.before(distance)).collect(),
        ..Exchange::default()
    }
}

/// One partner after the other.
pub(super) fn pairwise(group: Group, round: u32, bytes: u64) -> Exchange {
    let distance = round + 1;
    if group.ranks.is_power_of_two() {
        let other = group.rank ^ distance;
        return both(other, bytes, other);
    }
    both(group.after(distance), bytes, group.before(distance))
}
