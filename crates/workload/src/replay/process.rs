//! One process of a closed replay: what its next request waits for.

use super::Record;
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_index;
use std::collections::{BTreeSet, VecDeque};

/// The number of a request within its process, in the trace's order.
pub(super) type Key = u64;

/// What a request follows on in the trace: the latest thing that happened to its process before it was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Anchor {
    /// Nothing of its process had completed: it keeps its place in the trace.
    Origin,
    /// The completion of a request, at this point of trace time.
    Completion(Key, Time),
    /// The issue of a request whose completion the trace doesn't know, at this point of trace time.
    Issue(Key, Time),
}

impl Anchor {
    const fn key(self) -> Option<Key> {
        match self {
            Self::Origin => None,
            Self::Completion(key, _) | Self::Issue(key, _) => Some(key),
        }
    }
}

/// A request as both sides know it: the trace by its anchor, the simulation by its times.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Node {
    issued: Option<Time>,
    completed: Option<Time>,
    /// How many still refer to it: the anchor of the process, requests that follow on it, its open completion.
    references: u32,
}

/// A request that has been read and not issued.
#[derive(Clone, Copy, Debug, Persist)]
struct Pending<T> {
    record: T,
    anchor: Anchor,
}

/// When the first pending request of a process can be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    At(Time),
    /// Not before some completion.
    Waiting,
    /// Nothing is pending.
    Idle,
}

/// A process.
#[derive(Debug, Persist)]
pub(super) struct Process<T> {
    pending: VecDeque<Pending<T>>,
    nodes: VecDeque<Node>,
    /// The key of `nodes[0]`.
    first: Key,
    /// The anchor of whatever is read next.
    anchor: Option<Anchor>,
    /// Requests whose completion lies ahead of the reading position: when it comes in trace time, and which.
    open: BTreeSet<(Time, Key)>,
    /// Issued and not completed in the simulation.
    outstanding: u32,
    /// The latest issue: a process keeps its order.
    last_issue: Time,
    /// The latest completion that made room for another request.
    last_room: Time,
}

impl<T> Default for Process<T> {
    fn default() -> Self {
        Self {
            // Most processes have one request at a time, and traces have a hundred thousand processes.
            pending: VecDeque::with_capacity(1),
            nodes: VecDeque::with_capacity(2),
            first: 0,
            anchor: None,
            open: BTreeSet::new(),
            outstanding: 0,
            last_issue: Time::ZERO,
            last_room: Time::ZERO,
        }
    }
}

impl<T: Record> Process<T> {
    fn anchor(&self) -> Anchor {
        self.anchor.unwrap_or(Anchor::Origin)
    }

    fn node(&mut self, key: Key) -> &mut Node {
        // Keys are handed out here, and a node is kept while anything refers to it.
        &mut self.nodes[as_index(key - self.first)]
    }

    fn refer(&mut self, anchor: Anchor) {
        if let Some(key) = anchor.key() {
            self.node(key).references += 1;
        }
    }

    fn unrefer(&mut self, anchor: Anchor) {
        if let Some(key) = anchor.key() {
            self.node(key).references -= 1;
        }
    }

    fn forget(&mut self) {
        while self.nodes.front().is_some_and(|node| node.references == 0 && node.completed.is_some()) {
            self.nodes.pop_front();
            self.first += 1;
        }
    }

    fn set_anchor(&mut self, anchor: Anchor) {
        self.refer(anchor);
        let old = self.anchor.replace(anchor);
        self.unrefer(old.unwrap_or(Anchor::Origin));
    }

    /// Reads one record: it follows on the latest completion (or issue without known completion) before it.
    pub(super) fn read(&mut self, record: T) {
        while let Some(&(end, key)) = self.open.first().filter(|(end, _)| *end <= record.time()) {
            self.open.pop_first();
            let earlier = match self.anchor() {
                Anchor::Origin => true,
                Anchor::Completion(_, time) | Anchor::Issue(_, time) => time <= end,
            };
            if earlier {
                self.set_anchor(Anchor::Completion(key, end));
            }
            self.node(key).references -= 1;
        }
        let anchor = self.anchor();
        self.refer(anchor);
        self.pending.push_back(Pending { record, anchor });
        let key = self.first + self.nodes.len() as u64;
        self.nodes.push_back(Node::default());
        match record.measured() {
            Some(measured) => {
                self.node(key).references += 1;
                self.open.insert((record.time() + measured, key));
            }
            None => self.set_anchor(Anchor::Issue(key, record.time())),
        }
    }

    /// How many requests have been read and not issued.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// When the first pending request can be issued.
    pub(super) fn start(
        &mut self,
        stretch: impl Fn(Time) -> Option<Time>,
        outstanding_max: Option<u32>,
    ) -> Start {
        let Some(&Pending { record, anchor }) = self.pending.front() else { return Start::Idle };
        let limit = outstanding_max.or(record.measured().is_none().then_some(1));
        if limit.is_some_and(|limit| self.outstanding >= limit) {
            return Start::Waiting;
        }
        let (base, since) = match anchor {
            Anchor::Origin => (Some(Time::ZERO), Time::ZERO),
            Anchor::Completion(key, end) => (self.node(key).completed, end),
            Anchor::Issue(key, start) => (self.node(key).issued, start),
        };
        let Some(base) = base else { return Start::Waiting };
        let wanted = stretch(record.time() - since).map_or(Time::NEVER, |think| base + think);
        let room = if limit.is_some() { self.last_room } else { Time::ZERO };
        Start::At(wanted.max(self.last_issue).max(room))
    }

    /// Issues the first pending request.
    pub(super) fn issue(&mut self, now: Time) -> Option<(T, Key)> {
        let Pending { record, anchor } = self.pending.pop_front()?;
        let key = self.first + (self.nodes.len() - self.pending.len() - 1) as u64;
        self.node(key).issued = Some(now);
        self.unrefer(anchor);
        self.outstanding += 1;
        self.last_issue = now;
        self.forget();
        Some((record, key))
    }

    /// Takes in that a request has completed.
    pub(super) fn complete(&mut self, key: Key, now: Time) {
        self.node(key).completed = Some(now);
        self.outstanding -= 1;
        self.last_room = now;
        self.forget();
    }

    /// By how much its requests can come earlier than in the trace, in picoseconds of stretched time: the greatest lead
    /// of any completion or issue that a request not yet read may follow on.
    pub(super) fn lead(&mut self, stretch: impl Fn(Time) -> Option<Time>) -> i128 {
        let lead = |traced: Time, simulated: Option<Time>| {
            let traced = stretch(traced).unwrap_or(Time::NEVER);
            simulated.map(|simulated| i128::from(traced.as_picos()) - i128::from(simulated.as_picos()))
        };
        let mut greatest = match self.anchor() {
            Anchor::Origin => None,
            Anchor::Completion(key, end) => lead(end, self.node(key).completed),
            Anchor::Issue(key, start) => lead(start, self.node(key).issued),
        };
        for &(end, key) in &self.open {
            greatest = greatest.max(lead(end, self.nodes[as_index(key - self.first)].completed));
        }
        greatest.unwrap_or(0).max(0)
    }
}
