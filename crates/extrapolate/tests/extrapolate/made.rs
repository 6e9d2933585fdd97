//! Events of a program, rank by rank.

use petrio_time::Time;
use petrio_trace::event::{CollectiveKind, Event, EventKind, FileKey, Recorded};
use std::collections::BTreeMap;

/// A rank that notes what it does.
pub(crate) struct Rank {
    pub(crate) rank: u32,
    pub(crate) ranks: u32,
    events: Vec<Event>,
    requests: u64,
}

impl Rank {
    fn push(&mut self, kind: EventKind, change: impl FnOnce(&mut Event, &mut Recorded)) {
        let mut event = Event::new(Time::from_micros(self.events.len() as u64), kind);
        event.process = self.rank + 1;
        let compute = Some(Time::from_nanos(720_000 / u64::from(self.ranks)));
        let mut more = Recorded { rank: Some(self.rank), compute, ..Recorded::default() };
        change(&mut event, &mut more);
        event.recorded = Some(Box::new(more));
        self.events.push(event);
    }

    pub(crate) fn send(&mut self, to: u32, bytes: u64, tag: u32) {
        self.push(EventKind::Send, |event, more| {
            event.length = bytes;
            (more.peer, more.tag) = (Some(to), Some(tag));
        });
    }

    pub(crate) fn receive(&mut self, from: u32, bytes: u64, tag: u32) {
        self.push(EventKind::Receive, |event, more| {
            event.length = bytes;
            (more.peer, more.tag) = (Some(from), Some(tag));
        });
    }

    fn post(&mut self, kind: EventKind, peer: u32, bytes: u64, tag: u32) -> u64 {
        self.requests += 1;
        let request = self.requests;
        self.push(kind, |event, more| {
            (event.length, event.request) = (bytes, Some(request));
            (more.peer, more.tag) = (Some(peer), Some(tag));
        });
        request
    }

    pub(crate) fn post_send(&mut self, to: u32, bytes: u64, tag: u32) -> u64 {
        self.post(EventKind::PostSend, to, bytes, tag)
    }

    pub(crate) fn post_receive(&mut self, from: u32, bytes: u64, tag: u32) -> u64 {
        self.post(EventKind::PostReceive, from, bytes, tag)
    }

    pub(crate) fn wait(&mut self, request: u64) {
        self.push(EventKind::Wait, |event, _| event.request = Some(request));
    }

    pub(crate) fn together(&mut self, kind: CollectiveKind, bytes: u64) {
        let members = format!("0-{}", self.ranks - 1);
        self.push(EventKind::Collective, |event, more| {
            event.length = bytes;
            (more.collective, more.members) = (Some(kind), Some(members.into()));
        });
    }

    fn on_file(&mut self, kind: EventKind, path: &str, range: Option<(u64, u64)>) {
        let inode = path.bytes().fold(1_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        self.push(kind, |event, _| {
            event.file = FileKey { device: 1, inode, generation: 0 };
            event.path = Some(path.into());
            event.offset = range.map(|range| range.0);
            event.length = range.map_or(0, |range| range.1);
        });
    }

    pub(crate) fn create(&mut self, path: &str) {
        self.on_file(EventKind::Create, path, None);
    }

    pub(crate) fn write(&mut self, path: &str, offset: u64, bytes: u64) {
        self.on_file(EventKind::Write, path, Some((offset, bytes)));
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        self.on_file(EventKind::Unlink, path, None);
    }

    /// Cuts a file off.
    pub(crate) fn cut(&mut self, path: &str) {
        self.on_file(EventKind::Truncate, path, None);
        if let Some(event) = self.events.last_mut() {
            event.size = Some(0);
        }
    }

    pub(crate) fn close(&mut self, path: &str) {
        self.on_file(EventKind::Close, path, None);
    }
}

/// What so many ranks do.
pub(crate) fn program(ranks: u32, does: &dyn Fn(&mut Rank)) -> Vec<Event> {
    (0..ranks)
        .flat_map(|rank| {
            let mut one = Rank { rank, ranks, events: Vec::new(), requests: 0 };
            does(&mut one);
            one.events
        })
        .collect()
}

/// What each rank does, in its order: kind, other rank, tag, members; path and range. Who of several makes a file is left open.
pub(crate) fn told(events: &[Event]) -> BTreeMap<u32, Vec<String>> {
    let mut all: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for event in events {
        let more = event.recorded.as_ref().unwrap();
        let kind = if event.kind == EventKind::Create { EventKind::Open } else { event.kind };
        let length = if kind == EventKind::Wait { 0 } else { event.length };
        let peer = more.peer.filter(|_| kind != EventKind::Wait);
        let what = format!(
            "{} {length} {peer:?} {:?} {:?} {:?} {:?} {:?}",
            kind.name(),
            more.tag,
            more.collective,
            more.members,
            event.path,
            event.offset
        );
        all.entry(more.rank.unwrap()).or_default().push(what);
    }
    all
}
