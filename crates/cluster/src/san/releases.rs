//! Tokens that a node gives up: what it has changed is written, what it has read is forgotten, and then it says so.
//!
//! Who works with a range before the one that is wanted gives up all from there on, and who works beyond it all up to there,
//! so that two who each go through a part of their own ask once; who has closed the file gives up all of it, so that whoever
//! works with it next asks once, too (Schmuck and Haskin, FAST 2002, section 3.2). Where locks are of ranges, what has been
//! changed of an inode is told to its metanode meanwhile, so that whoever has the range next can learn where it lies; where
//! they are of whole files, the inode goes to the disk with the data.

use super::cache::Key;
use super::call::Need;
use super::message::{Payload, Recipient};
use super::node::Node;
use super::parameters::Granularity;
use super::ranges::{Mode, Range};
use super::requests::Waiter;
use super::tokens::{Object, Release};
use super::volume::Volume;
use petrio_kernel::Time;
use petrio_persist::Persist;
use smallvec::SmallVec;
use std::ops::RangeInclusive;

/// A token that goes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Releasing {
    /// Its number on the node.
    number: u64,
    release: Release,
    object: Object,
    range: Range,
    /// Requests that are under way.
    left: u32,
}

impl Releasing {
    /// Whether the manager recalled it.
    pub(super) const fn is_recalled(&self) -> bool {
        self.release.recalled
    }

    /// Whether it is about any of a range.
    pub(super) fn is_of(&self, object: Object, range: Range) -> bool {
        self.object == object && self.range.overlaps(&range)
    }
}

impl Node {
    /// The manager wants some of what the node has.
    pub(super) fn wanted(&mut self, object: Object, (mode, wanted): (Mode, Range), number: u64) {
        let range = match (object, self.rules.granularity) {
            (Object::Data(file), Granularity::Range) if self.opens.get(&file) != Some(&0) => {
                match self.last.get(&file) {
                    Some(&at) if at < wanted.from => Range { to: u64::MAX, ..wanted },
                    Some(&at) if at >= wanted.to => Range { from: 0, ..wanted },
                    _ => wanted,
                }
            }
            _ => Range::WHOLE,
        };
        self.release(Release {
            node: self.rules.node,
            object,
            range,
            before: number,
            wanted: mode,
            recalled: true,
        });
    }

    /// A token goes back because the call is over.
    pub(super) fn return_token(&mut self, need: &Need) {
        let &Need { object, range, .. } = need;
        let before = self.seen + 1;
        let node = self.rules.node;
        // What was granted beyond what was asked for goes, too.
        let range = if matches!(object, Object::Data(_)) { Range::WHOLE } else { range };
        self.release(Release { node, object, range, before, wanted: Mode::Exclusive, recalled: false });
    }

    fn release(&mut self, release: Release) {
        let number = self.releasing.last().map_or(0, |last| last.number + 1);
        let Release { object, range, .. } = release;
        self.releasing.push(Releasing { number, release, object, range, left: 0 });
    }

    /// A request is complete for which a token waited.
    pub(super) fn came_back(&mut self, number: u64) {
        if let Some(token) = self.releasing.iter_mut().find(|token| token.number == number) {
            token.left = token.left.saturating_sub(1);
        }
    }

    /// Gives up whatever can be: nobody works with it, and nothing of it is under way.
    pub(super) fn give(&mut self, volume: &Volume, now: Time) {
        let mut position = 0;
        while let Some(token) = self.releasing.get(position) {
            let Releasing { number, release, object, range, left } = *token;
            let is_used = self.pinned.iter().any(|(_, need)| {
                need.object == object && need.range.overlaps(&range) && need.mode.conflicts(release.wanted)
            });
            if left > 0 || is_used {
                position += 1;
                continue;
            }
            let left: u32 = self
                .written_before(object, range, volume)
                .into_iter()
                .map(|keys| self.flush(keys, Waiter::Releasing(number), volume, now))
                .sum();
            if left > 0 {
                self.releasing[position].left = left;
                position += 1;
                continue;
            }
            if let Some(held) = self.held.get_mut(&object) {
                held.give_up(range, release.before, release.wanted);
                if held.is_empty() {
                    self.held.remove(&object);
                }
            }
            if release.wanted == Mode::Exclusive {
                for keys in self.forgotten_with(object, range, volume) {
                    let gone: Vec<Key> = self.cache.within(keys).map(|(key, _)| key).collect();
                    gone.into_iter().for_each(|key| self.cache.remove(key));
                }
            }
            self.releasing.remove(position);
            self.look_for_tokens();
            self.out.messages.push((Recipient::Manager, Payload::Release(release)));
        }
    }

    /// The blocks that are written before a token goes. A metanode keeps what it has of an inode.
    fn written_before(&self, object: Object, range: Range, volume: &Volume) -> Blocks {
        let mut blocks = Blocks::from_iter([blocks_of(object, range)]);
        let (file, by_file) = (object.file(), self.rules.granularity == Granularity::File);
        let is_here = self.keeps_inode(file, volume);
        match object {
            // Who gives up a file's data has made it longer, perhaps.
            Object::Data(_) if by_file || !is_here => blocks.push(Key::inode_of(file)),
            Object::Attributes(_) if is_here => blocks.clear(),
            _ => {}
        }
        blocks
    }

    /// The blocks that are no longer known once a token is gone.
    fn forgotten_with(&self, object: Object, range: Range, volume: &Volume) -> Blocks {
        match object {
            Object::Data(file) if self.rules.granularity == Granularity::File => {
                Blocks::from_iter([blocks_of(object, range), Key::inode_of(file)])
            }
            Object::Attributes(file) if self.keeps_inode(file, volume) => Blocks::new(),
            _ => Blocks::from_iter([blocks_of(object, range)]),
        }
    }
}

/// Ranges of blocks.
type Blocks = SmallVec<[RangeInclusive<Key>; 2]>;

/// The blocks that a token is about.
fn blocks_of(object: Object, range: Range) -> RangeInclusive<Key> {
    match object {
        Object::Data(file) => Key::Data(file, range.from)..=Key::Data(file, range.to.saturating_sub(1)),
        Object::Attributes(file) => Key::inode_of(file),
        Object::Names(file) => Key::names_of(file),
    }
}
