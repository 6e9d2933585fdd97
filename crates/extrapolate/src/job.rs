//! A recording as what each rank does, call by call: what differs from rank to rank stands apart from what doesn't.

use crate::Unfit;
use crate::files::Files;
use petrio_time::Time;
use petrio_trace::event::{CollectiveKind, Event, EventKind, Recorded, members_of_words};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What is alike in a step of all ranks that do the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) kind: EventKind,
    pub(crate) collective: Option<CollectiveKind>,
    /// The file's name, as [`Files`] numbers them without their digits; of a rename the new one, too.
    pub(crate) file: Option<u32>,
    pub(crate) new_file: Option<u32>,
    pub(crate) tag: Option<u32>,
    pub(crate) direct: bool,
    pub(crate) durable: bool,
    /// Within a collective call on a file.
    pub(crate) inside: bool,
    /// Of a wait, how many that were posted before what is waited for are still waited for; none where that isn't known.
    pub(crate) older: Option<u32>,
    /// Whether it is a collective operation that is waited for later.
    pub(crate) posted: bool,
}

/// A step of a rank.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) key: Key,
    /// Picoseconds: computing before it, calls before it that aren't followed, itself.
    pub(crate) compute: u64,
    pub(crate) aside: u64,
    pub(crate) service: u64,
    pub(crate) peer: Option<u32>,
    pub(crate) members: Option<Arc<str>>,
    /// Numbers that may follow laws: bytes, then those of names.
    pub(crate) numbers: Vec<u64>,
    /// A file's length, where it is known.
    pub(crate) size: Option<u64>,
    /// Ranges of a file, one after the other.
    pub(crate) ranges: Vec<(u64, u64)>,
}

/// A recording.
pub(crate) struct Job {
    pub(crate) ranks: u32,
    pub(crate) steps: Vec<Vec<Step>>,
}

/// Of a rank, while its events are looked through.
#[derive(Default)]
struct Rank {
    steps: Vec<Step>,
    compute: u64,
    aside: u64,
    /// Requests that were posted and not waited for, and which step posted each.
    posted: Vec<(u64, usize)>,
    /// A collective call on a file lasts until then.
    inside: Time,
}

const NOTHING: Recorded = Recorded {
    compute: None,
    rank: None,
    child: None,
    peer: None,
    tag: None,
    collective: None,
    members: None,
    direct: false,
};

pub(crate) fn more(event: &Event) -> &Recorded {
    event.recorded.as_deref().unwrap_or(&NOTHING)
}

/// The thread of each rank that is followed: the one that exchanges messages, or the first one.
pub(crate) fn threads(events: &[Event]) -> Result<BTreeMap<u32, u32>, Unfit> {
    let mut all: BTreeMap<u32, u32> = BTreeMap::new();
    for event in events.iter().filter(|event| event.kind.is_of_messages()) {
        if let Some(rank) = more(event).rank
            && *all.entry(rank).or_insert(event.process) != event.process
        {
            return Err(Unfit::Threads { rank });
        }
    }
    for event in events {
        if let Some(rank) = more(event).rank {
            all.entry(rank).or_insert(event.process);
        }
    }
    if all.is_empty() {
        return Err(Unfit::NoRanks);
    }
    let count = all.len();
    let missing = (0..count).find(|rank| u32::try_from(*rank).is_ok_and(|rank| !all.contains_key(&rank)));
    match missing {
        Some(rank) => Err(Unfit::Missing { rank: u32::try_from(rank).unwrap_or(u32::MAX) }),
        None => Ok(all),
    }
}

/// Names that the job has used, for what a run before it may have left: the first of several recordings finds nothing of that, and the
/// others remove it or cut it off. That isn't what the job does on so many ranks.
#[derive(Default)]
struct Left {
    /// Names that were used, and those of files that were written.
    used: HashSet<Arc<str>>,
    written: HashSet<Arc<str>>,
}

impl Left {
    /// Whether an event removes, or cuts to nothing, what was there before.
    fn is_cleared_by(&mut self, event: &Event) -> bool {
        let Some(path) = event.path.as_ref().filter(|_| event.error == 0) else { return false };
        let is_of_before = match event.kind {
            EventKind::Unlink => !self.used.contains(path),
            EventKind::Truncate => event.size == Some(0) && !self.written.contains(path),
            EventKind::Write | EventKind::Allocate => {
                self.written.insert(Arc::clone(path));
                false
            }
            _ => false,
        };
        if !matches!(event.kind, EventKind::Unlink | EventKind::Stat) {
            self.used.insert(Arc::clone(path));
            self.used.extend(event.new_path.clone());
        }
        is_of_before
    }
}

impl Job {
    pub(crate) fn of(events: &[Event], files: &Files) -> Result<Self, Unfit> {
        let threads = threads(events)?;
        let count = threads.len();
        let mut ranks: Vec<Rank> = (0..count).map(|_| Rank::default()).collect();
        let mut left = Left::default();
        for event in events {
            let Some(rank) = more(event).rank else { continue };
            let of_before = left.is_cleared_by(event);
            if threads.get(&rank) != Some(&event.process) {
                if event.error == 0
                    && matches!(event.kind, EventKind::Read | EventKind::Write)
                    && files.followed(event).is_some()
                {
                    return Err(Unfit::Children { rank });
                }
                continue;
            }
            ranks[rank as usize].look_at(event, files, of_before);
        }
        let steps = ranks.into_iter().map(|rank| rank.steps).collect();
        Ok(Self { ranks: u32::try_from(count).unwrap_or(u32::MAX), steps })
    }
}

impl Rank {
    fn look_at(&mut self, event: &Event, files: &Files, of_before: bool) {
        let told = more(event);
        self.compute += told.compute.unwrap_or_default().as_picos();
        let service = event.service.unwrap_or_default().as_picos();
        match event.kind {
            // What came before its program is none of it.
            EventKind::Exec => *self = Self::default(),
            EventKind::Exit | EventKind::Map | EventKind::Fork | EventKind::Join => {}
            EventKind::Sleep => self.aside += service,
            kind if kind.is_of_messages() => self.message(event, told, service),
            _ if event.error != 0 || of_before => self.aside += service,
            EventKind::Sync => self.on_file(event, told, files, (None, &[])),
            _ => match files.followed(event) {
                Some((file, numbers)) => self.on_file(event, told, files, (Some(file), &numbers)),
                None => self.aside += service,
            },
        }
    }

    fn step(&mut self, event: &Event, told: &Recorded, service: u64) -> Step {
        let kind = if event.kind == EventKind::Create { EventKind::Open } else { event.kind };
        Step {
            key: Key {
                kind,
                collective: told.collective,
                file: None,
                new_file: None,
                tag: told.tag.filter(|_| kind != EventKind::Wait),
                direct: told.direct,
                durable: event.synchronous,
                inside: event.time < self.inside,
                older: None,
                posted: kind == EventKind::Collective && event.request.is_some(),
            },
            compute: std::mem::take(&mut self.compute),
            aside: std::mem::take(&mut self.aside),
            service,
            peer: None,
            members: None,
            numbers: Vec::new(),
            size: None,
            ranges: Vec::new(),
        }
    }

    fn message(&mut self, event: &Event, told: &Recorded, service: u64) {
        // A collective one on a file is told where it begins: what follows within its time is part of it.
        self.inside = self.inside.min(event.time);
        let mut step = self.step(event, told, service);
        step.peer = told.peer;
        step.members = told.members.clone();
        match event.kind {
            EventKind::PostSend | EventKind::PostReceive => {
                self.posted.extend(event.request.map(|request| (request, self.steps.len())));
            }
            EventKind::Wait => {
                let older = self.posted.iter().position(|(request, _)| Some(*request) == event.request);
                step.key.older = older.and_then(|older| u32::try_from(older).ok());
                if let Some(older) = older {
                    let (_, at) = self.posted.remove(older);
                    // Whom a message from anybody came from is known now.
                    let posted = &mut self.steps[at];
                    if posted.key.kind == EventKind::PostReceive {
                        posted.peer = posted.peer.or(told.peer);
                        posted.key.tag = posted.key.tag.or(told.tag);
                    }
                }
                step.peer = None;
            }
            EventKind::Collective => {
                let is_on_file = matches!(
                    told.collective,
                    Some(CollectiveKind::ReadAll | CollectiveKind::WriteAll | CollectiveKind::OpenAll)
                );
                if is_on_file {
                    self.inside = event.end();
                }
                self.posted.extend(event.request.map(|request| (request, self.steps.len())));
            }
            _ => {}
        }
        let bytes = if event.kind == EventKind::Wait { 0 } else { event.length };
        step.numbers = vec![bytes];
        self.steps.push(step);
    }

    fn on_file(&mut self, event: &Event, told: &Recorded, files: &Files, file: (Option<u32>, &[u64])) {
        let service = event.service.unwrap_or_default().as_picos();
        let is_access = matches!(event.kind, EventKind::Read | EventKind::Write);
        if is_access && event.length == 0 {
            self.aside += service;
            return;
        }
        let mut step = self.step(event, told, service);
        step.key.file = file.0;
        step.numbers = [&[0], file.1].concat();
        let new = event.new_path.as_deref().filter(|_| event.kind == EventKind::Rename);
        if let Some((new, numbers)) = new.and_then(|path| files.named(path)) {
            step.key.new_file = Some(new);
            step.numbers.extend(numbers);
        }
        let has_range = is_access || matches!(event.kind, EventKind::SyncRange | EventKind::Allocate);
        if has_range {
            step.ranges = vec![(event.offset.unwrap_or(0), event.length)];
        } else if matches!(event.kind, EventKind::Open | EventKind::Create | EventKind::Truncate) {
            step.size = event.size;
        }
        if event.kind == EventKind::Truncate {
            step.numbers[0] = event.size.unwrap_or(0);
        }
        match self.steps.last_mut() {
            Some(last) if is_access && last.key == step.key && last.numbers == step.numbers => {
                last.compute += step.compute;
                last.aside += step.aside;
                last.service += step.service;
                last.ranges.append(&mut step.ranges);
            }
            _ => self.steps.push(step),
        }
    }
}

impl Job {
    /// Whether each message is as long as whoever receives it has said.
    pub(crate) fn is_exact(&self) -> bool {
        let mut all: BTreeMap<(u32, u32, Option<u32>), [Vec<u64>; 2]> = BTreeMap::new();
        for (rank, steps) in (0..).zip(&self.steps) {
            for step in steps {
                let Some(peer) = step.peer else { continue };
                let (pair, side) = match step.key.kind {
                    EventKind::Send | EventKind::PostSend => ((rank, peer), 0),
                    EventKind::Receive | EventKind::PostReceive => ((peer, rank), 1),
                    _ => continue,
                };
                all.entry((pair.0, pair.1, step.key.tag)).or_default()[side].extend(step.numbers.first());
            }
        }
        all.values().all(|[sent, received]| sent == received)
    }
}

/// The ranks that take part in a step.
pub(crate) fn members(step: &Step) -> Option<Vec<u32>> {
    step.members.as_deref().and_then(members_of_words)
}
