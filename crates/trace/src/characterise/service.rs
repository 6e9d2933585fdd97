//! What happened how often, how long it took, and how often the cache had it: by kind of event.

use super::distribution::{Distribution, ValueTally};
use super::inter_arrival::nanos;
use crate::event::{Event, EventKind};
use serde::Serialize;

#[derive(Debug, Default)]
struct Kind {
    count: u64,
    failed: u64,
    hits: u64,
    misses: u64,
    /// Of all, of hits and of misses.
    service_ns: [Option<Box<ValueTally>>; 3],
}

#[derive(Debug)]
pub(super) struct Services {
    kinds: [Kind; EventKind::ALL.len()],
}

impl Services {
    pub(super) fn new() -> Self {
        Self { kinds: std::array::from_fn(|_| Kind::default()) }
    }

    #[inline]
    pub(super) fn add(&mut self, event: &Event) {
        let kind = &mut self.kinds[event.kind as usize];
        kind.count += 1;
        kind.failed += u64::from(event.error != 0);
        let class = event.hit.map(|hit| if hit { 1 } else { 2 });
        match event.hit {
            Some(true) => kind.hits += 1,
            Some(false) => kind.misses += 1,
            None => {}
        }
        let Some(service) = event.service else { return };
        for class in [Some(0), class].into_iter().flatten() {
            let tally = kind.service_ns[class].get_or_insert_with(|| Box::new(ValueTally::new()));
            tally.add(nanos(service));
        }
    }

    pub(super) fn finish(&self) -> Vec<KindOfEvent> {
        let of = |tally: &Option<Box<ValueTally>>| tally.as_ref().and_then(|tally| tally.finish(1e3));
        let seen = EventKind::ALL.into_iter().zip(&self.kinds).filter(|(_, kind)| kind.count > 0);
        seen.map(|(name, kind)| KindOfEvent {
            kind: name,
            count: kind.count,
            failed: kind.failed,
            hits: kind.hits,
            misses: kind.misses,
            service_us: of(&kind.service_ns[0]),
            hit_service_us: of(&kind.service_ns[1]),
            miss_service_us: of(&kind.service_ns[2]),
        })
        .collect()
    }
}

/// Events of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindOfEvent {
    /// What happened.
    pub kind: EventKind,
    /// How often.
    pub count: u64,
    /// Calls among them that failed; they count for nothing else than their number and service time.
    pub failed: u64,
    /// Answered from the cache, where the trace tells.
    pub hits: u64,
    /// Not answered from the cache, where the trace tells.
    pub misses: u64,
    /// Service times of all; microseconds. `None` where the trace doesn't know them.
    pub service_us: Option<Distribution>,
    /// Service times of those that hit; microseconds.
    pub hit_service_us: Option<Distribution>,
    /// Service times of those that missed; microseconds.
    pub miss_service_us: Option<Distribution>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_time::Time;

    #[test]
    fn hits_misses_and_failures_are_told_apart() {
        let mut services = Services::new();
        for (service_us, hit, error) in
            [(2, Some(true), 0), (4, Some(true), 0), (900, Some(false), 0), (1, None, 5)]
        {
            let mut read = Event::new(Time::ZERO, EventKind::Read);
            read.service = Some(Time::from_micros(service_us));
            (read.hit, read.error) = (hit, error);
            services.add(&read);
        }
        services.add(&Event::new(Time::ZERO, EventKind::Unlink));
        let found = services.finish();
        assert_eq!(found.len(), 2);
        let read = &found[0];
        assert_eq!(
            (read.kind, read.count, read.failed, read.hits, read.misses),
            (EventKind::Read, 4, 1, 2, 1)
        );
        assert_eq!(read.hit_service_us.as_ref().unwrap().mean, 3.0);
        assert_eq!(read.miss_service_us.as_ref().unwrap().mean, 900.0);
        assert_eq!(read.service_us.as_ref().unwrap().count, 4);
        assert_eq!((found[1].kind, found[1].service_us.clone()), (EventKind::Unlink, None));
    }

    #[test]
    fn every_kind_has_the_place_of_its_code() {
        for (place, kind) in EventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
    }
}
