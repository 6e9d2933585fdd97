//! What makes no sense once it is known how much every part holds.

use crate::holder::Objection;
use crate::placed::{Storage, disks_below};
use crate::scenario::Scenario;
use crate::text::tree::KeySpans;
use crate::text::{Problem, Sources};
use petrio_colours::SECTOR_BYTES;
use petrio_units::Bytes;
use std::collections::BTreeMap;

/// A part that takes some of what it lies on, with others.
struct Piece<'s> {
    key: &'static str,
    name: &'s str,
    first: u64,
    end: u64,
}

/// Looks at what holds blocks, with sizes: what lies beyond an end, what holds nothing, what others hold already; and what was
/// perhaps not meant, as warnings.
pub(crate) fn check_sizes(
    scenario: &Scenario,
    storage: &[Storage],
    places: &KeySpans,
    sources: &Sources,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut pieces: BTreeMap<usize, Vec<Piece<'_>>> = BTreeMap::new();
    for Storage { name, key, over, .. } in storage {
        let Some(part) = scenario.holders.get(key, name) else { continue };
        let members: Vec<u64> = over.iter().map(|&below| storage[below].blocks).collect();
        // What lies on something that can't be is told of that.
        if members.contains(&0) {
            continue;
        }
        let objections = part.check_sizes(&members);
        let makes_sense = objections.is_empty();
        for Objection { key: at, message, help } in objections {
            let span = places.value(&format!("{key}.{name}.{at}"));
            problems.push(sources.error(span, message).maybe_help(help));
        }
        if let Some((at, message)) = part.caution(&members).filter(|_| makes_sense) {
            let span = places.value(&format!("{key}.{name}.{at}"));
            problems.push(sources.error(span, message).only_warns());
        }
        if let Some((disk, [one, other])) = part.wants_apart().then(|| shared_disk(storage, over)).flatten() {
            let message = format!(
                "\"{one}\" and \"{other}\" lie on one disk, \"{disk}\": its arm goes to and fro between them, and when it fails \
                 the array loses both"
            );
            let span = places.value(&format!("{key}.{name}.on"));
            let help = "name parts of different disks, unless just that is looked at".to_owned();
            problems.push(sources.error(span, message).maybe_help(Some(help)).only_warns());
        }
        if let (true, true, Some((&below, &of))) =
            (makes_sense, part.shares(), over.first().zip(members.first()))
        {
            let (first, blocks) = part.takes(of);
            pieces.entry(below).or_default().push(Piece { key, name, first, end: first + blocks });
        }
    }
    for (below, mut pieces) in pieces {
        pieces.sort_by_key(|piece| piece.first);
        // Whoever reaches furthest of those before.
        let mut before: Option<&Piece<'_>> = None;
        for piece in &pieces {
            if let Some(other) = before.filter(|other| piece.first < other.end) {
                problems.push(overlap(piece, other, &storage[below].name, places, sources));
            }
            if before.is_none_or(|other| piece.end > other.end) {
                before = Some(piece);
            }
        }
    }
    problems
}

/// A disk on which two of these lie, in any way, and which two.
fn shared_disk<'s>(storage: &'s [Storage], over: &[usize]) -> Option<(&'s str, [&'s str; 2])> {
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for &member in over {
        for disk in disks_below(storage, member) {
            if let Some(before) = seen.insert(disk, member).filter(|&before| before != member) {
                let name = |part: usize| storage[part].name.as_str();
                return Some((name(disk), [name(before), name(member)]));
            }
        }
    }
    None
}

fn overlap(
    Piece { key, name, first, .. }: &Piece<'_>,
    other: &Piece<'_>,
    below: &str,
    places: &KeySpans,
    sources: &Sources,
) -> Problem {
    let bytes = |blocks: u64| Bytes(blocks.saturating_mul(SECTOR_BYTES));
    let message = format!(
        "the {key} \"{name}\" begins at {} of \"{below}\", where the {} \"{}\" lies: that ends at {}",
        bytes(*first),
        other.key,
        other.name,
        bytes(other.end)
    );
    let help = format!("write from = \"{}\", or make \"{}\" smaller", bytes(other.end), other.name);
    sources.error(places.value(&format!("{key}.{name}.from")), message).help(help)
}
