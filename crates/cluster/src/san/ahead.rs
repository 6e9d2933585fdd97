//! Readers who go on where they left off: how much is read ahead for them, and when.
//!
//! The window begins with what a call reads and doubles with each that goes on, up to the largest; half of it is used up
//! before more is read.

use super::cache::Key;
use super::call::Call;
use super::node::Node;
use super::ranges::{Mode, Range};
use super::tokens::Object;
use super::volume::Volume;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// Who reads on: where he left off, how many blocks are read ahead for him, and up to where that has been done.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Stream {
    next: u64,
    window: u64,
    ahead: u64,
}

impl Node {
    /// Whether a reader reads on where he left off, and so how much is read ahead for him.
    pub(super) fn follow(&mut self, call: &Call) {
        let op = &call.op;
        let stream = self.streams.entry((op.process, op.file)).or_default();
        let blocks = (call.end - call.at).div_ceil(self.rules.block);
        if op.offset == stream.next {
            stream.window = (stream.window * 2).max(blocks).min(self.rules.read_ahead);
        } else {
            (stream.window, stream.ahead) = (0, 0);
        }
        stream.next = call.end;
    }

    /// Reads what a stream will ask for, as far as the node has tokens and room for it.
    pub(super) fn read_ahead(&mut self, call: &Call, volume: &Volume, now: Time) {
        let (file, key) = (call.op.file, (call.op.process, call.op.file));
        let Some(stream) = self.streams.get_mut(&key) else { return };
        let from = stream.ahead.max(call.chunk.1);
        let size = volume.size(file).unwrap_or(0).div_ceil(self.rules.block);
        let to = (call.chunk.1 + stream.window).min(size);
        if from >= to || stream.ahead > call.chunk.1 + stream.window / 2 {
            return;
        }
        let (object, range) = (Object::Data(file), Range { from, to });
        let may = self.held.get(&object).is_some_and(|held| held.covers(range, Mode::Shared));
        if !may || self.releasing.iter().any(|token| token.is_of(object, range)) {
            return;
        }
        let absent = |&number: &u64| {
            let lies = volume.at(file, number * self.rules.block).is_some();
            lies && self.cache.state(Key::Data(file, number)).is_none()
        };
        let ahead: Vec<Key> = (from..to).filter(absent).map(|number| Key::Data(file, number)).collect();
        if self.cache.make_room(ahead.len()) {
            stream.ahead = to;
            self.read(ahead, volume, &call.op, now);
        }
    }
}
