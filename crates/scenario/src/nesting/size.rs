//! How many parts there would be, and what memory they would take at least: too many are refused before one of them is
//! made.

use super::kind::Kind;
use super::read::Part;
use crate::text::{Problem, Sources};
use petrio_bounds::check as check_memory;
use petrio_page::numbers;

/// So many parts are a large data centre, and more are a slip of the finger.
const PARTS_MAX: u128 = 1_000_000;
/// What a part and each of its keys cost here at least: an entry of a table with its name, twice (as text and as read).
const BYTES_A_PART: u128 = 256;
const BYTES_A_KEY: u128 = 128;

/// Refuses more parts than can be.
pub(super) fn check(parts: &[Part<'_>], sources: &Sources) -> Result<(), Problem> {
    let all = parts.iter().map(size).fold(Size::default(), Size::and);
    let (count, bytes) = (all.parts, all.bytes());
    let cause = if count > PARTS_MAX {
        format!("and at most {} are read", grouped(PARTS_MAX))
    } else {
        match check_memory(u64::try_from(bytes).unwrap_or(u64::MAX)) {
            Ok(()) => return Ok(()),
            Err(cause) => format!("which are more than can be held: {cause}"),
        }
    };
    // Where most of them come from, and the largest of the counts on the way there.
    let mut way = Vec::new();
    let mut here = parts;
    while let Some(most) = here.iter().max_by_key(|part| size(part).parts) {
        if most.count > 1 {
            way.push(most);
        }
        here = &most.below;
    }
    let counts: Vec<String> = way.iter().map(|part| grouped(part.count.into())).collect();
    let counts = if counts.len() > 1 { format!(" ({})", counts.join(" × ")) } else { String::new() };
    let span = way.iter().max_by_key(|part| part.count).map_or(0..0, |part| part.count_at.clone());
    let message = format!("the scenario would have {} parts{counts}, {cause}", grouped(count));
    Err(sources.error(span, message).help("make a count smaller"))
}

#[derive(Clone, Copy, Default)]
struct Size {
    parts: u128,
    keys: u128,
    /// Bytes of their nets.
    net: u128,
}

impl Size {
    fn and(self, other: Self) -> Self {
        Self {
            parts: self.parts.saturating_add(other.parts),
            keys: self.keys.saturating_add(other.keys),
            net: self.net.saturating_add(other.net),
        }
    }

    fn times(self, count: u64) -> Self {
        Self {
            parts: self.parts.saturating_mul(count.into()),
            keys: self.keys.saturating_mul(count.into()),
            net: self.net.saturating_mul(count.into()),
        }
    }

    /// Memory that they take at least.
    fn bytes(self) -> u128 {
        let read =
            self.parts.saturating_mul(BYTES_A_PART).saturating_add(self.keys.saturating_mul(BYTES_A_KEY));
        read.saturating_add(self.net)
    }
}

fn size(part: &Part<'_>) -> Size {
    let own = Size { parts: 1, keys: part.own.get_ref().len() as u128, net: part.kind.least_bytes().into() };
    if part.kind == Kind::Disk {
        // Its disks are described once.
        return Size { parts: part.count.into(), net: own.net.saturating_mul(part.count.into()), ..own };
    }
    let one = part.below.iter().map(size).fold(own, Size::and);
    let same = one.times(part.count.saturating_sub(part.apart.len() as u64));
    part.apart.iter().map(|(_, part)| size(part)).fold(same, Size::and)
}

fn grouped(number: u128) -> String {
    numbers::grouped(u64::try_from(number).unwrap_or(u64::MAX))
}
