//! The foretold program as events: every rank a step at a time, each message waited for, so that what can't go on is found.

use crate::Unfit;
use crate::files::Files;
use crate::path::whole;
use crate::role::{Laws, Pattern, what_of, words};
use crate::shape::Grid;
use crate::skeleton::Turn;
use crate::times::Times;
use petrio_time::Time;
use petrio_trace::event::{CollectiveKind, Event, EventKind, FileKey, Recorded, members_in_words};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Between events, which stand in an order, at no times.
const TICK: Time = Time::from_picos(1);

/// A message: the other rank, its tag and bytes.
#[derive(Clone, Copy)]
struct Message {
    peer: u32,
    tag: Option<u32>,
    bytes: u64,
}

/// A rank on its way.
struct Rank<'p> {
    turns: Vec<Turn>,
    laws: &'p [Laws],
    next: usize,
    /// Requests so far, and those that aren't waited for yet; of receives, what comes.
    posts: u64,
    posted: Vec<(u64, Option<Message>)>,
    /// How often it took part in operations of the same ranks; the one that it waits in.
    taken_part: FxHashMap<Arc<str>, u32>,
    within: Option<(Arc<str>, u32)>,
    /// The last collective call on a file.
    on_file: Option<usize>,
}

struct Run<'p> {
    grid: &'p Grid,
    files: &'p Files,
    events: Vec<Event>,
    /// Messages on their way, by sender and receiver; whether their lengths are those that receivers say.
    sent: FxHashMap<(u32, u32), VecDeque<Message>>,
    is_exact: bool,
    /// How many have come to an operation.
    together: FxHashMap<(Arc<str>, u32), (u32, CollectiveKind)>,
    /// The numbers of files that are there.
    there: FxHashMap<Arc<str>, u64>,
    made: u64,
}

pub(crate) fn run(pattern: &Pattern, grid: &Grid, files: &Files) -> Result<Vec<Event>, Unfit> {
    let mut ranks = Vec::new();
    for rank in 0..grid.ranks {
        let role = pattern.of_role.get(&pattern.roles.of(grid, rank));
        let role = role.ok_or(Unfit::Role { rank, ranks: grid.ranks })?;
        let turns = role.skeleton.on(grid).ok_or(Unfit::Steps { ranks: grid.ranks, rank })?;
        ranks.push(Rank {
            turns,
            laws: &role.laws,
            next: 0,
            posts: 0,
            posted: Vec::new(),
            taken_part: FxHashMap::default(),
            within: None,
            on_file: None,
        });
    }
    let mut run = Run {
        grid,
        files,
        events: Vec::new(),
        sent: FxHashMap::default(),
        is_exact: pattern.is_exact,
        together: FxHashMap::default(),
        there: FxHashMap::default(),
        made: 0,
    };
    loop {
        let (mut goes_on, mut waits) = (false, None);
        for (rank, state) in (0..).zip(&mut ranks) {
            if state.next < state.turns.len() {
                let stepped = run.step(rank, state)?;
                goes_on |= stepped;
                if !stepped {
                    waits = waits.or(Some((rank, state.turns[state.next].step)));
                }
            }
        }
        match (goes_on, waits) {
            (true, _) => {}
            (false, None) => return Ok(run.events),
            (false, Some((rank, step))) => {
                let does = words(&ranks[rank as usize].laws[step].key);
                return Err(Unfit::Waits { ranks: grid.ranks, rank, does });
            }
        }
    }
}

impl Run<'_> {
    /// A rank's next step; whether it could be taken.
    fn step(&mut self, rank: u32, state: &mut Rank<'_>) -> Result<bool, Unfit> {
        let Turn { step, turns } = &state.turns[state.next];
        let laws = &state.laws[*step];
        // All of an operation have to be there before one of them goes on.
        if let Some(within) = &state.within {
            if self.together.get(within).is_some_and(|(left, _)| *left > 0) {
                return Ok(false);
            }
            state.within = None;
        }
        let mut numbers = Vec::new();
        for (at, law) in laws.numbers.iter().enumerate() {
            let number = law.at(self.grid, rank, turns).and_then(|number| u64::try_from(number).ok());
            numbers.push(number.ok_or_else(|| self.no_number(what_of(at, &laws.key), laws))?);
        }
        let peer = match &laws.relation {
            None => None,
            Some(relation) => {
                let peer = relation.of(self.grid, rank, turns);
                Some(peer.ok_or_else(|| self.no_number("the other rank", laws))?)
            }
        };
        let goes_on = match laws.key.kind {
            EventKind::Receive => {
                let message = peer.map(|peer| Message { peer, tag: laws.key.tag, bytes: numbers[0] });
                self.arrives(message, rank)?
            }
            EventKind::Wait => {
                let at = laws.key.older.map_or(usize::MAX, |older| older as usize);
                let Some(&(request, from)) = state.posted.get(at) else {
                    return Err(self.waits(rank, laws));
                };
                let arrives = self.arrives(from, rank)?;
                if arrives {
                    state.posted.remove(at);
                    self.push(rank, laws, |event, more| {
                        event.request = Some(request);
                        more.peer = from.map(|from| from.peer);
                    });
                    state.next += 1;
                }
                return Ok(arrives);
            }
            _ => true,
        };
        if !goes_on {
            return Ok(false);
        }
        if laws.key.kind.is_of_messages() {
            self.message(rank, state, laws, (peer, numbers[0]))?;
        } else {
            self.on_file(rank, laws, turns, &numbers)?;
            if laws.key.inside
                && let Some(at) = state.on_file
                && let Some(last) = self.events.last().map(|event| event.time)
            {
                self.events[at].service = Some(last + TICK - self.events[at].time);
            }
        }
        state.next += 1;
        Ok(true)
    }

    fn waits(&self, rank: u32, laws: &Laws) -> Unfit {
        Unfit::Waits { ranks: self.grid.ranks, rank, does: words(&laws.key) }
    }

    fn no_number(&self, what: &'static str, laws: &Laws) -> Unfit {
        Unfit::Whole { ranks: self.grid.ranks, what, does: words(&laws.key) }
    }

    /// A message's arrival, which takes it.
    fn arrives(&mut self, awaited: Option<Message>, to: u32) -> Result<bool, Unfit> {
        let Some(awaited) = awaited else { return Ok(true) };
        let Some(sent) = self.sent.get_mut(&(awaited.peer, to)) else { return Ok(false) };
        let fits = |one: &Message| awaited.tag.is_none() || one.tag.is_none() || one.tag == awaited.tag;
        let found = sent.iter().position(fits).and_then(|at| sent.remove(at));
        match found {
            Some(one) if self.is_exact && one.bytes != awaited.bytes => Err(Unfit::Lengths {
                ranks: self.grid.ranks,
                rank: to,
                sent: one.bytes,
                received: awaited.bytes,
            }),
            found => Ok(found.is_some()),
        }
    }

    /// An event of a step, and before it the time of calls that aren't followed.
    fn push(&mut self, rank: u32, laws: &Laws, change: impl FnOnce(&mut Event, &mut Recorded)) {
        let ranks = self.grid.ranks;
        let part = |times: Times| time(times.on(ranks));
        let compute = Some(part(laws.compute));
        let aside = part(laws.aside);
        let mut recorded = Recorded { rank: Some(rank), compute, ..Recorded::default() };
        if aside > Time::ZERO {
            let mut event = Event::new(self.now(), EventKind::Sleep);
            (event.process, event.service) = (rank + 1, Some(aside));
            event.recorded = Some(Box::new(recorded.clone()));
            recorded.compute = Some(Time::ZERO);
            self.events.push(event);
        }
        let mut event = Event::new(self.now(), laws.key.kind);
        event.process = rank + 1;
        event.service = Some(part(laws.service));
        recorded.direct = laws.key.direct;
        recorded.tag = laws.key.tag;
        recorded.collective = laws.key.collective;
        change(&mut event, &mut recorded);
        event.recorded = Some(Box::new(recorded));
        self.events.push(event);
    }

    fn now(&self) -> Time {
        Time::from_picos(self.events.len() as u64)
    }

    fn message(
        &mut self,
        rank: u32,
        state: &mut Rank<'_>,
        laws: &Laws,
        (peer, bytes): (Option<u32>, u64),
    ) -> Result<(), Unfit> {
        let tag = laws.key.tag;
        let mut request = None;
        if let (EventKind::Send | EventKind::PostSend, Some(to)) = (laws.key.kind, peer) {
            let message = Message { peer: to, tag, bytes };
            self.sent.entry((rank, to)).or_default().push_back(message);
        }
        if laws.key.posted || matches!(laws.key.kind, EventKind::PostSend | EventKind::PostReceive) {
            state.posts += 1;
            request = Some(state.posts);
            let from = peer.filter(|_| laws.key.kind == EventKind::PostReceive);
            state.posted.push((state.posts, from.map(|peer| Message { peer, tag, bytes })));
        }
        let mut members: Option<Arc<str>> = None;
        if let (Some(law), Some(kind)) = (&laws.members, laws.key.collective) {
            let all = law.of(self.grid, rank);
            let words: Arc<str> = members_in_words(&all).into();
            let nth = state.taken_part.entry(Arc::clone(&words)).or_default();
            let within = (Arc::clone(&words), *nth);
            *nth += 1;
            let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
            let (left, first) = self.together.entry(within.clone()).or_insert((count, kind));
            if *first != kind || *left == 0 {
                return Err(self.waits(rank, laws));
            }
            *left -= 1;
            state.within = Some(within).filter(|_| !laws.key.posted);
            members = Some(words);
        }
        self.push(rank, laws, |event, more| {
            (event.length, event.request) = (bytes, request);
            (more.peer, more.members) = (peer, members);
        });
        // How long one on a file lasts follows from the calls within it.
        if let Some(kind) = laws.key.collective
            && matches!(kind, CollectiveKind::ReadAll | CollectiveKind::WriteAll | CollectiveKind::OpenAll)
        {
            let at = self.events.len() - 1;
            self.events[at].service = Some(Time::ZERO);
            state.on_file = Some(at);
        }
        Ok(())
    }

    fn path(&self, file: u32, numbers: &[u64]) -> Arc<str> {
        let text = &self.files.texts[file as usize];
        whole(&text.text, numbers, &text.widths).into()
    }

    fn on_file(&mut self, rank: u32, laws: &Laws, turns: &[u32], numbers: &[u64]) -> Result<(), Unfit> {
        let key = &laws.key;
        let Some(file) = key.file else {
            self.push(rank, laws, |_, _| {});
            return Ok(());
        };
        let count = self.files.texts[file as usize].widths.len();
        let is_present = self.files.texts[file as usize].is_present;
        let path = self.path(file, &numbers[1..=count]);
        let (mut kind, mut new) = (key.kind, None);
        if kind == EventKind::Open && !is_present && !self.there.contains_key(&path) {
            kind = EventKind::Create;
        }
        let next = self.made + 1;
        let number = *self.there.entry(Arc::clone(&path)).or_insert(next);
        self.made = self.made.max(number);
        match key.kind {
            EventKind::Unlink => {
                self.there.remove(&path);
            }
            EventKind::Rename => {
                let text = key.new_file.map(|file| self.path(file, &numbers[1 + count..]));
                self.there.remove(&path);
                self.there.extend(text.clone().map(|text| (text, number)));
                new = text;
            }
            _ => {}
        }
        let size = match kind {
            EventKind::Truncate => Some(numbers[0]),
            EventKind::Create => Some(0),
            EventKind::Open | EventKind::Stat if is_present => {
                laws.size.as_ref().and_then(|law| law.of(self.grid)).and_then(|size| u64::try_from(size).ok())
            }
            _ => None,
        };
        let ranges = match &laws.ranges {
            None => vec![None],
            Some(law) => {
                let ranges = law.at(self.grid, rank, turns);
                ranges.ok_or_else(|| self.no_number("the ranges", laws))?.into_iter().map(Some).collect()
            }
        };
        for range in ranges {
            self.push(rank, laws, |event, _| {
                event.kind = kind;
                event.file = FileKey { device: 1, inode: number, generation: 0 };
                event.path = Some(Arc::clone(&path));
                event.new_path.clone_from(&new);
                event.size = size;
                event.synchronous = key.durable;
                event.offset = range.map(|(offset, _)| offset);
                event.length = range.map_or(0, |(_, length)| length);
            });
        }
        Ok(())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time in picoseconds, at least zero"
)]
fn time(picos: f64) -> Time {
    Time::from_picos(picos.max(0.0) as u64)
}
