//! Requests that the scheduler doesn't let in yet, though the queue has room (limit_depth).
//!
//! Source: blk_mq_get_tag (block/blk-mq-tag.c) and the limit_depth of block/bfq-iosched.c of Linux 6.18: who finds no place that
//! he may take sleeps until some are given back, and then looks again, while others, who may take more, pass. Those whom one
//! limit concerns wait in one line, in order; the lines take turns.

use crate::elevator::Elevator;
use petrio_colours::BlockRequest;
use petrio_kernel::Key;
use petrio_persist::Persist;
use std::collections::VecDeque;

/// The line in which a request waits: its process', where somebody waits for it; else that of its class and priority.
pub(super) fn line(request: &BlockRequest) -> Key {
    if request.synchronous || request.direction == petrio_colours::Direction::Read {
        return Key::from(u64::from(request.process) + (1 << 32));
    }
    Key::from(u64::from(request.priority) | (request.class as u64) << 8)
}

/// Who waits.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Limited {
    lines: VecDeque<(Key, VecDeque<BlockRequest>)>,
    /// Whether one has been called that hasn't come in yet.
    called: bool,
}

impl Limited {
    /// Whether a request that has just come must wait; it is in its line then.
    pub(super) fn holds(&mut self, request: &BlockRequest, elevator: &dyn Elevator) -> bool {
        let key = line(request);
        let mine = self.lines.iter_mut().find(|(of, _)| *of == key);
        if mine.is_none() && elevator.room(request) {
            return false;
        }
        // What the scheduler looks at, without what was charged to it.
        let looked_at = BlockRequest {
            direction: request.direction,
            process: request.process,
            class: request.class,
            priority: request.priority,
            synchronous: request.synchronous,
            ..BlockRequest::default()
        };
        match mine {
            Some((_, waiting)) => waiting.push_back(looked_at),
            None => self.lines.push_back((key, VecDeque::from([looked_at]))),
        }
        true
    }

    /// The line whose first may come in now. The next one is called once it has.
    pub(super) fn call(&mut self, elevator: &dyn Elevator) -> Option<Key> {
        if self.called {
            return None;
        }
        let may = |(_, waiting): &(Key, VecDeque<BlockRequest>)| {
            waiting.front().is_some_and(|first| elevator.room(first))
        };
        let (key, mut waiting) = self.lines.remove(self.lines.iter().position(may)?)?;
        waiting.pop_front();
        if !waiting.is_empty() {
            self.lines.push_back((key, waiting));
        }
        self.called = true;
        Some(key)
    }

    /// The one that was called comes in.
    pub(super) fn comes_in(&mut self) {
        self.called = false;
    }
}
