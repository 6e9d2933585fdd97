//! Events on their way out, in the order in which they began: one that isn't over, or whose file isn't known yet, keeps
//! its place, and those behind it wait.
//!
//! How long, and how many wait, is bounded: then an event goes with what is known of it.

use petrio_trace::event::Event;
use std::collections::VecDeque;

/// A place in the queue.
pub(crate) type Position = u64;

/// Events that wait at most; at some 300 bytes each.
const WAITING_MAX: usize = 400_000;

#[derive(Debug)]
enum Slot {
    /// Kept for an event that isn't over.
    Reserved,
    /// Over, but something isn't known yet.
    Unsettled(Box<Event>),
    /// Can go.
    Settled(Box<Event>),
    /// Nothing, after all.
    Empty,
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    slots: VecDeque<(u64, Slot)>,
    /// The place of the first slot.
    first: Position,
    /// Events that went before everything was known of them.
    pub(crate) impatient: u64,
}

impl Queue {
    /// Keeps a place for an event that began at `time_ns`.
    pub(crate) fn reserve(&mut self, time_ns: u64) -> Position {
        self.slots.push_back((time_ns, Slot::Reserved));
        self.first + self.slots.len() as u64 - 1
    }

    /// An event that is complete.
    pub(crate) fn push(&mut self, time_ns: u64, event: Event) {
        self.slots.push_back((time_ns, Slot::Settled(Box::new(event))));
    }

    fn slot(&mut self, place: Position) -> Option<&mut Slot> {
        let index = usize::try_from(place.checked_sub(self.first)?).ok()?;
        self.slots.get_mut(index).map(|(_, slot)| slot)
    }

    fn put(&mut self, place: Position, new: Slot) {
        // One that had to go before is gone.
        if let Some(slot) = self.slot(place) {
            *slot = new;
        }
    }

    /// The event is over and known.
    pub(crate) fn settle(&mut self, place: Position, event: Event) {
        self.put(place, Slot::Settled(Box::new(event)));
    }

    /// The event is over, but something isn't known yet.
    pub(crate) fn unsettle(&mut self, place: Position, event: Event) {
        self.put(place, Slot::Unsettled(Box::new(event)));
    }

    /// There is no event after all.
    pub(crate) fn clear(&mut self, place: Position) {
        self.put(place, Slot::Empty);
    }

    /// Completes an unsettled event; false where it is gone.
    pub(crate) fn complete(&mut self, place: Position, complete: impl FnOnce(&mut Event)) -> bool {
        let Some(slot) = self.slot(place) else { return false };
        if let Slot::Unsettled(mut event) = std::mem::replace(slot, Slot::Empty) {
            complete(&mut event);
            *slot = Slot::Settled(event);
            return true;
        }
        false
    }

    /// Hands on what is complete, and what began before `patience_ns` as it is.
    pub(crate) fn release(&mut self, patience_ns: u64, mut take: impl FnMut(Position, Event)) {
        while let Some((time_ns, slot)) = self.slots.front() {
            let is_settled = matches!(slot, Slot::Settled(_) | Slot::Empty);
            if !is_settled && *time_ns >= patience_ns && self.slots.len() <= WAITING_MAX {
                return;
            }
            self.impatient += u64::from(!is_settled);
            if let Some((_, Slot::Settled(event) | Slot::Unsettled(event))) = self.slots.pop_front() {
                take(self.first, *event);
            }
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_time::Time;
    use petrio_trace::event::EventKind;

    fn event(time: u64) -> Event {
        Event::new(Time::from_nanos(time), EventKind::Read)
    }

    fn times(queue: &mut Queue, patience: u64) -> Vec<u64> {
        let mut times = Vec::new();
        queue.release(patience, |_, event| times.push(event.time.as_picos() / 1_000));
        times
    }

    #[test]
    fn an_event_that_is_not_over_holds_back_those_that_began_later() {
        let mut queue = Queue::default();
        let (long, dropped) = (queue.reserve(1), queue.reserve(2));
        queue.push(3, event(3));
        assert!(times(&mut queue, 0).is_empty());
        queue.clear(dropped);
        queue.unsettle(long, event(1));
        assert!(times(&mut queue, 0).is_empty());
        queue.complete(long, |event| event.length = 7);
        assert_eq!(times(&mut queue, 0), [1, 3]);
        // What comes too late changes nothing.
        queue.settle(long, event(1));
        assert!(times(&mut queue, 0).is_empty());
    }

    #[test]
    fn patience_ends() {
        let mut queue = Queue::default();
        let unsettled = queue.reserve(1);
        queue.unsettle(unsettled, event(1));
        queue.reserve(2);
        queue.push(3, event(3));
        assert_eq!(times(&mut queue, 3), [1, 3]);
        assert_eq!(queue.impatient, 2);
    }
}
