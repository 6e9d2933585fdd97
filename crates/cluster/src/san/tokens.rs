//! The lock manager's table: who holds a token of what, who waits for one, and who is asked to give one up.
//!
//! A token is granted as widely as nobody else's, and nobody who waits, stands in its way, so that who works alone on a
//! file has all of it after his first request. Whoever stands in the way of a request is asked to give up what it needs, and
//! says himself how much that is. Requests that want the same are served in the order in which they came, so that none
//! waits for ever.
//!
//! Sources: byte-range tokens of GPFS (Schmuck and Haskin, FAST 2002, section 3.2); VAXcluster's lock manager (Kronenberg,
//! Levy and Strecker 1986) for the modes. Leaves out managers that fail, and several of them.

use super::ranges::{Holdings, Mode, Range};
use petrio_colours::FileId;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// What a token is of, in the order in which whoever needs several asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub(super) enum Object {
    /// The names in a directory.
    Names(FileId),
    /// What stands in a file's inode.
    Attributes(FileId),
    /// The data of a file, by blocks.
    Data(FileId),
}

impl Object {
    /// The file or the directory that it is of.
    pub(super) const fn file(self) -> FileId {
        match self {
            Self::Names(file) | Self::Attributes(file) | Self::Data(file) => file,
        }
    }
}

/// A request for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct LockRequest {
    /// Who asks, as the file system numbers its nodes, and for which of its calls.
    pub(super) node: u32,
    pub(super) call: u32,
    pub(super) object: Object,
    pub(super) mode: Mode,
    pub(super) range: Range,
}

/// What the manager sends a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum LockReply {
    /// It has the token that a call of its wants, of this range.
    Grant { request: LockRequest, range: Range, number: u64 },
    /// Somebody wants a range in a mode: give up what stands in the way.
    Recall { object: Object, mode: Mode, range: Range, number: u64 },
}

/// What a node gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Release {
    pub(super) node: u32,
    pub(super) object: Object,
    pub(super) range: Range,
    /// As far as it was granted before a message of this number.
    pub(super) before: u64,
    /// As far as somebody wants it who wants it so.
    pub(super) wanted: Mode,
    /// It was asked to, by that message.
    pub(super) recalled: bool,
}

/// Somebody who was asked to give up a range.
#[derive(Clone, Copy, Debug, Persist)]
struct Recalled {
    node: u32,
    range: Range,
    mode: Mode,
    number: u64,
}

#[derive(Clone, Debug, Default, Persist)]
struct Entry {
    held: BTreeMap<u32, Holdings>,
    waiting: Vec<LockRequest>,
    recalled: Vec<Recalled>,
}

/// The table.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Tokens {
    entries: BTreeMap<Object, Entry>,
    /// The number of the last message.
    number: u64,
    /// What is sent to nodes, and to which.
    pub(super) outbox: Vec<(u32, LockReply)>,
}

impl Tokens {
    /// Somebody wants a token.
    pub(super) fn ask(&mut self, ask: LockRequest) {
        let Self { entries, number, outbox } = self;
        let entry = entries.entry(ask.object).or_default();
        entry.waiting.push(ask);
        entry.go_on(number, outbox);
    }

    /// Somebody gives up what he had.
    pub(super) fn given(&mut self, given: Release) {
        let Self { entries, number, outbox } = self;
        let Some(entry) = entries.get_mut(&given.object) else { return };
        let Release { node, range, before, wanted, .. } = given;
        if let Some(held) = entry.held.get_mut(&node) {
            held.give_up(range, before, wanted);
            if held.is_empty() {
                entry.held.remove(&node);
            }
        }
        if given.recalled {
            entry.recalled.retain(|asked| asked.node != node || asked.number != before);
        }
        entry.go_on(number, outbox);
        if entry.held.is_empty() && entry.waiting.is_empty() && entry.recalled.is_empty() {
            entries.remove(&given.object);
        }
    }

    /// Requests that wait.
    pub(super) fn waiting(&self) -> u64 {
        self.entries.values().map(|entry| entry.waiting.len() as u64).sum()
    }

    /// Tokens that were recalled and haven't been given up.
    pub(super) fn recalled(&self) -> u64 {
        self.entries.values().map(|entry| entry.recalled.len() as u64).sum()
    }

    /// How many objects anybody has to do with.
    #[cfg(test)]
    pub(super) fn objects(&self) -> usize {
        self.entries.len()
    }

    /// Whether two nodes hold the same block in modes that exclude each other.
    #[cfg(test)]
    pub(super) fn contradicts_itself(&self, blocks: u64) -> bool {
        let contradict = |held: Vec<&Holdings>| (0..blocks).any(|block| Holdings::contradict(&held, block));
        self.entries.values().any(|entry| contradict(entry.held.values().collect()))
    }
}

impl Entry {
    /// Grants what can be granted, and asks those who stand in the way of the rest.
    fn go_on(&mut self, number: &mut u64, outbox: &mut Vec<(u32, LockReply)>) {
        let mut position = 0;
        while let Some(&ask) = self.waiting.get(position) {
            // Who may read and wants to write along, or the other way round, wants it alone.
            let mode = self.held.get(&ask.node).map_or(ask.mode, |held| held.with(ask.range, ask.mode));
            let ask = LockRequest { mode, ..ask };
            let earlier = self.waiting[..position].iter();
            let waits_behind = earlier.clone().any(|before| stands_in_the_way(before, &ask));
            let in_the_way: Vec<u32> = self
                .held
                .iter()
                .filter(|&(&node, held)| node != ask.node && held.conflicts(ask.range, ask.mode))
                .map(|(&node, _)| node)
                .collect();
            if !waits_behind && in_the_way.is_empty() {
                self.waiting.remove(position);
                self.grant(ask, number, outbox);
                continue;
            }
            if !waits_behind {
                in_the_way.into_iter().for_each(|node| self.want(node, ask, number, outbox));
            }
            position += 1;
        }
    }

    fn grant(&mut self, ask: LockRequest, number: &mut u64, outbox: &mut Vec<(u32, LockReply)>) {
        let mut free = Range::WHOLE;
        for (_, held) in self.held.iter().filter(|(node, _)| **node != ask.node) {
            free = held.free_around(ask.range, ask.mode, free);
        }
        // Who waits for a range is not to ask for it back at once.
        for other in self.waiting.iter().filter(|other| other.node != ask.node) {
            if other.mode.conflicts(ask.mode) {
                if other.range.to <= ask.range.from {
                    free.from = free.from.max(other.range.to);
                } else if other.range.from >= ask.range.to {
                    free.to = free.to.min(other.range.from);
                } else {
                    free = ask.range;
                }
            }
        }
        *number += 1;
        let is_asked = self.recalled.iter().any(|asked| asked.node == ask.node);
        let held = self.held.entry(ask.node).or_default();
        held.add(free, ask.mode, *number, true);
        // While he is asked for some of it, the numbers tell what he had before.
        if !is_asked {
            held.join(free, true);
        }
        outbox.push((ask.node, LockReply::Grant { request: ask, range: free, number: *number }));
    }

    /// Asks a node for what a request needs, unless it has been asked.
    fn want(&mut self, node: u32, ask: LockRequest, number: &mut u64, outbox: &mut Vec<(u32, LockReply)>) {
        let LockRequest { object, mode, range, .. } = ask;
        let covers = |asked: &Recalled| {
            asked.node == node
                && asked.mode.covers(mode)
                && asked.range.from <= range.from
                && asked.range.to >= range.to
        };
        if self.recalled.iter().any(covers) {
            return;
        }
        *number += 1;
        self.recalled.push(Recalled { node, range, mode, number: *number });
        outbox.push((node, LockReply::Recall { object, mode, range, number: *number }));
    }
}

fn stands_in_the_way(before: &LockRequest, ask: &LockRequest) -> bool {
    before.node != ask.node && before.range.overlaps(&ask.range) && before.mode.conflicts(ask.mode)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FILE: Object = Object::Data(FileId(7));

    fn ask(node: u32, mode: Mode, from: u64, to: u64) -> LockRequest {
        LockRequest { node, call: 0, object: FILE, mode, range: Range { from, to } }
    }

    fn give(node: u32, from: u64, to: u64, number: u64) -> Release {
        let range = Range { from, to };
        Release { node, object: FILE, range, before: number, wanted: Mode::Exclusive, recalled: true }
    }

    #[test]
    fn the_first_has_all_of_a_file_and_the_second_what_the_first_gives_up() {
        let mut tokens = Tokens::default();
        tokens.ask(ask(1, Mode::Exclusive, 3, 5));
        let [(1, LockReply::Grant { range: Range::WHOLE, .. })] = tokens.outbox[..] else { panic!() };
        tokens.outbox.clear();
        tokens.ask(ask(2, Mode::Exclusive, 10, 12));
        let [(1, LockReply::Recall { range: Range { from: 10, to: 12 }, number, .. })] = tokens.outbox[..]
        else {
            panic!("{:?}", tokens.outbox)
        };
        tokens.outbox.clear();
        // He works before it, and gives up all beyond.
        tokens.given(give(1, 10, u64::MAX, number));
        let [(2, LockReply::Grant { range, .. })] = tokens.outbox[..] else { panic!("{:?}", tokens.outbox) };
        assert_eq!(range, Range { from: 10, to: u64::MAX });
        assert!(!tokens.contradicts_itself(20));
    }

    #[test]
    fn readers_share_and_a_writer_waits_for_all_of_them_and_nobody_overtakes_him() {
        let mut tokens = Tokens::default();
        for node in 1..=3 {
            tokens.ask(ask(node, Mode::Shared, 0, 9));
        }
        assert!(tokens.outbox.drain(..).all(|(_, reply)| matches!(reply, LockReply::Grant { .. })));
        tokens.ask(ask(4, Mode::Exclusive, 4, 5));
        let wanted: Vec<(u32, u64)> = tokens
            .outbox
            .drain(..)
            .map(|(node, reply)| match reply {
                LockReply::Recall { number, .. } => (node, number),
                LockReply::Grant { .. } => panic!("granted too early"),
            })
            .collect();
        assert_eq!(wanted.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [1, 2, 3]);
        // One more reader comes meanwhile: he waits behind the writer.
        tokens.ask(ask(5, Mode::Shared, 4, 5));
        assert_eq!((tokens.outbox.len(), tokens.waiting()), (0, 2));
        for (node, number) in wanted {
            tokens.given(give(node, 4, 5, number));
        }
        let sent: Vec<u32> = tokens.outbox.iter().map(|(node, _)| *node).collect();
        assert_eq!(sent, [4, 4], "the writer has it, and is asked for it by the reader");
        assert!(!tokens.contradicts_itself(9));
    }

    #[test]
    fn who_gives_up_does_not_lose_what_he_was_granted_since() {
        let mut tokens = Tokens::default();
        tokens.ask(ask(1, Mode::Exclusive, 0, 1));
        tokens.ask(ask(2, Mode::Exclusive, 5, 6));
        let (_, LockReply::Recall { number, .. }) = tokens.outbox[1] else { panic!() };
        tokens.outbox.clear();
        // Before he answers he asks for something beyond, which nobody else wants.
        tokens.ask(ask(1, Mode::Exclusive, 8, 9));
        assert!(matches!(tokens.outbox[..], [(1, LockReply::Grant { .. })]), "{:?}", tokens.outbox);
        tokens.outbox.clear();
        tokens.given(give(1, 5, u64::MAX, number));
        let [(2, LockReply::Grant { range, .. })] = tokens.outbox[..] else { panic!("{:?}", tokens.outbox) };
        assert!(range.to <= 8, "{range:?}");
    }
}
