//! Tokens that a node gives up: what it has changed is written, what it has read is forgotten, and then it says so.
//!
//! Who works with a range before the one that is wanted gives up all from there on, and who works beyond it all up to there
//! (Schmuck and Haskin, FAST 2002, section 3.2), so that two who each go through a part of their own ask once.

use super::cache::Key;
use super::call::Need;
use super::message::Said;
use super::node::Node;
use super::parameters::Granularity;
use super::ranges::{Mode, Range};
use super::requests::Waiter;
use super::tokens::{Given, Object};
use super::volume::Volume;
use petrio_kernel::Time;
use std::ops::RangeInclusive;

/// A token that goes.
#[derive(Clone, Debug)]
pub(super) struct Giving {
    /// Its number on the node.
    number: u64,
    given: Given,
    object: Object,
    range: Range,
    /// Requests that are under way.
    left: u32,
}

impl Giving {
    /// Whether it is about any of a range.
    pub(super) fn is_of(&self, object: Object, range: Range) -> bool {
        self.object == object && self.range.overlaps(&range)
    }
}

impl Node {
    /// The manager wants some of what the node has.
    pub(super) fn wanted(&mut self, object: Object, (mode, wanted): (Mode, Range), number: u64) {
        let range = match (object, self.rules.granularity) {
            (Object::Data(file), Granularity::Range) => match self.last.get(&file) {
                Some(&at) if at < wanted.from => Range { to: u64::MAX, ..wanted },
                Some(&at) if at >= wanted.to => Range { from: 0, ..wanted },
                _ => wanted,
            },
            _ => Range::WHOLE,
        };
        self.push(Given {
            node: self.rules.node,
            object,
            range,
            before: number,
            keeps_reading: mode == Mode::Shared,
            asked: true,
        });
    }

    /// A token goes back because the call is over.
    pub(super) fn return_token(&mut self, need: &Need) {
        let &Need { object, range, .. } = need;
        let before = self.seen + 1;
        let node = self.rules.node;
        // What was granted beyond what was asked for goes, too.
        let range = if matches!(object, Object::Data(_)) { Range::WHOLE } else { range };
        self.push(Given { node, object, range, before, keeps_reading: false, asked: false });
    }

    fn push(&mut self, given: Given) {
        let number = self.giving.last().map_or(0, |last| last.number + 1);
        let Given { object, range, .. } = given;
        self.giving.push(Giving { number, given, object, range, left: 0 });
    }

    /// A request is complete for which a token waited.
    pub(super) fn came_back(&mut self, number: u64) {
        if let Some(giving) = self.giving.iter_mut().find(|giving| giving.number == number) {
            giving.left = giving.left.saturating_sub(1);
        }
    }

    /// Gives up whatever can be: nobody works with it, and nothing of it is under way.
    pub(super) fn give(&mut self, volume: &Volume, now: Time) {
        let mut position = 0;
        while let Some(giving) = self.giving.get(position) {
            let Giving { number, given, object, range, left } = *giving;
            let is_used =
                self.pinned.iter().any(|(_, need)| need.object == object && need.range.overlaps(&range));
            if left > 0 || is_used {
                position += 1;
                continue;
            }
            let left: u32 = keys_of(object, range)
                .into_iter()
                .map(|keys| self.flush(keys, Waiter::Giving(number), volume, now))
                .sum();
            if left > 0 {
                self.giving[position].left = left;
                position += 1;
                continue;
            }
            if !given.keeps_reading {
                // An inode that went with data is still what the node knows of it.
                for keys in keys_of(object, range).into_iter().take(1) {
                    let gone: Vec<Key> = self.cache.within(keys).map(|(key, _)| key).collect();
                    gone.into_iter().for_each(|key| self.cache.remove(key));
                }
            }
            if let Some(held) = self.held.get_mut(&object) {
                held.give_up(range, given.before, given.keeps_reading);
                if held.is_empty() {
                    self.held.remove(&object);
                }
            }
            self.giving.remove(position);
            self.look_for_tokens();
            self.out.said.push(Said::Given(given));
        }
    }
}

/// The blocks that a token is about. Who gives up a file's data has made it longer, perhaps: its inode goes with them.
fn keys_of(object: Object, range: Range) -> Vec<RangeInclusive<Key>> {
    let last = range.to.saturating_sub(1);
    match object {
        Object::Data(file) => {
            vec![Key::Data(file, range.from)..=Key::Data(file, last), Key::Inode(file)..=Key::Inode(file)]
        }
        Object::Attributes(file) => vec![Key::Inode(file)..=Key::Inode(file)],
        Object::Names(file) => vec![Key::Names(file, 0)..=Key::Names(file, u64::MAX)],
    }
}
