//! The events of a recording as what each thread did.

use super::RecordingParameters;
use super::chosen::{Chosen, chosen};
use super::files::Files;
use super::order::{Order, Step};
use super::track::{FileCall, Instance, Play, Together, Track, What};
use crate::program::ProgramError;
use petrio_bounds::Headroom;
use petrio_colours::Operation;
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use petrio_trace::event::{CollectiveKind, Event, EventKind, Recorded, members_of_words};
use petrio_trace::{EventReader, TraceError, TraceOptions};
use petrio_units::numbers::as_number;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was read.
pub(super) struct Read {
    pub(super) tracks: Vec<Track>,
    pub(super) files: Files,
    pub(super) order: Order,
    /// Operations of several ranks, each as all of them saw it.
    pub(super) instances: Vec<Instance>,
}

/// Of a thread, what is not over.
#[derive(Default)]
struct Open {
    /// Of its posted messages: which step posted each.
    requests: FxHashMap<u64, usize>,
    outstanding: u32,
    /// Of what it has posted with others: the step of which helper each is.
    posted: FxHashMap<u64, Step>,
    /// Its helpers that have nothing to do.
    idle: Vec<u32>,
    /// An operation of several ranks during which it calls on files: until when, which, and its step if that comes at the end.
    together: Option<(Time, usize, Option<What>)>,
    /// How often it took part in operations of the same ranks.
    taken_part: FxHashMap<Arc<str>, u32>,
}

struct Reading<'p> {
    below: &'p [String],
    by_thread: FxHashMap<u32, u32>,
    open: Vec<Open>,
    by_instance: BTreeMap<(Arc<str>, u32), usize>,
    read: Read,
}

/// All events of a recording.
pub(super) fn read(parameters: &RecordingParameters, inputs: &Inputs) -> Result<Read, ProgramError> {
    let mut reading = Reading::below(&parameters.below);
    match chosen(parameters, inputs)? {
        Chosen::Recorded(path) => {
            let reader = EventReader::open_in(inputs, path, &TraceOptions::default())?;
            let mut headroom = Headroom::default();
            for (before, event) in (0..).zip(reader) {
                let event = event?;
                headroom.record().map_err(|cause| TraceError::TooMuch { events: before, cause })?;
                if !event.kind.is_of_device() {
                    reading.look_at(&event)?;
                }
            }
        }
        Chosen::Foretold(events) => events.iter().try_for_each(|event| reading.look_at(event))?,
    }
    for track in 0..reading.open.len() {
        reading.close_together(track, Time::NEVER);
    }
    Ok(reading.read)
}

impl<'p> Reading<'p> {
    fn below(below: &'p [String]) -> Self {
        Self {
            below,
            by_thread: FxHashMap::default(),
            open: Vec::new(),
            by_instance: BTreeMap::new(),
            read: Read {
                tracks: Vec::new(),
                files: Files::default(),
                order: Order::default(),
                instances: Vec::new(),
            },
        }
    }
}

impl Reading<'_> {
    fn track(&mut self, thread: u32) -> u32 {
        let next = as_number(self.read.tracks.len());
        let number = *self.by_thread.entry(thread).or_insert(next);
        if number == next {
            self.read.tracks.push(Track::default());
            self.open.push(Open::default());
        }
        number
    }

    fn look_at(&mut self, event: &Event) -> Result<(), ProgramError> {
        let number = self.track(event.process);
        let nothing = Recorded::default();
        let more = event.recorded.as_deref().unwrap_or(&nothing);
        let at = number as usize;
        self.read.tracks[at].rank = self.read.tracks[at].rank.or(more.rank);
        self.close_together(at, event.time);
        let compute = more.compute.unwrap_or_default();
        let what = match event.kind {
            EventKind::Exec | EventKind::Exit | EventKind::Map => What::Nothing,
            EventKind::Sleep => What::Sleep(event.service.unwrap_or_default()),
            EventKind::Fork | EventKind::Join => {
                if let Some(child) = more.child {
                    let child = self.track(child);
                    let step = as_number(self.read.tracks[at].plays.len());
                    match event.kind {
                        EventKind::Fork => self.read.order.begins((number, step), child),
                        _ => self.read.order.ends(child, (number, step)),
                    }
                }
                What::Nothing
            }
            kind if kind.is_of_messages() => self.message(at, event, more)?,
            _ => self.call(number, event, more),
        };
        self.push(at, compute, what);
        Ok(())
    }

    fn push(&mut self, track: usize, compute: Time, what: What) {
        let plays = &mut self.read.tracks[track].plays;
        if what == What::Nothing
            && compute == Time::ZERO
            && !self.read.order.touches(as_number(track), as_number(plays.len()))
        {
            return;
        }
        plays.push(Play { compute, what });
    }

    /// What several ranks do together to a file is over, for one of them.
    fn close_together(&mut self, track: usize, now: Time) {
        if let Some((until, ..)) = &self.open[track].together
            && now >= *until
            && let Some((_, _, Some(what))) = self.open[track].together.take()
        {
            self.push(track, Time::ZERO, what);
        }
    }

    fn message(&mut self, at: usize, event: &Event, more: &Recorded) -> Result<What, ProgramError> {
        let (bytes, tag) = (event.length, more.tag);
        let step = self.read.tracks[at].plays.len();
        let open = &mut self.open[at];
        Ok(match (event.kind, more.peer) {
            (EventKind::Send, Some(to)) => What::Send { to, bytes, tag },
            (EventKind::Receive, Some(from)) => What::Receive { from, tag },
            (EventKind::PostSend, Some(to)) => {
                open.outstanding += 1;
                What::PostSend { to, bytes, tag }
            }
            (EventKind::PostReceive, from) => {
                open.outstanding += 1;
                open.requests.extend(event.request.map(|request| (request, step)));
                What::PostReceive { from: from.unwrap_or(u32::MAX), tag }
            }
            (EventKind::Wait, _)
                if event.request.is_some_and(|request| open.posted.contains_key(&request)) =>
            {
                if let Some(there) = event.request.and_then(|request| open.posted.remove(&request)) {
                    open.idle.push(there.0);
                    self.read.order.follows(there, (as_number(at), as_number(step)));
                }
                What::Nothing
            }
            (EventKind::Wait, from) => {
                open.outstanding = open.outstanding.saturating_sub(1);
                let posted = event.request.and_then(|request| open.requests.remove(&request));
                // Whom a message from anybody came from is known now, and its tag.
                if let (Some(step), Some(sender)) = (posted, from)
                    && let Some(Play { what: What::PostReceive { from, tag: posted }, .. }) =
                        self.read.tracks[at].plays.get_mut(step)
                {
                    (*from, *posted) = (sender, posted.or(tag));
                }
                What::Wait { left: self.open[at].outstanding }
            }
            (EventKind::Collective, root) => {
                let what = self.together(at, event, more, root)?;
                match event.request {
                    Some(request) if what != What::Nothing => {
                        self.posts(at, request, what);
                        What::Nothing
                    }
                    _ => what,
                }
            }
            _ => What::Nothing,
        })
    }

    /// A thread begins something with others and goes on: a helper of its does it, one that has nothing to do.
    fn posts(&mut self, at: usize, request: u64, what: What) {
        let helper = self.open[at].idle.pop().unwrap_or_else(|| {
            let rank = self.read.tracks[at].rank;
            self.read.tracks.push(Track { rank, helps: true, ..Track::default() });
            self.open.push(Open::default());
            as_number(self.read.tracks.len() - 1)
        });
        let begins = (as_number(at), as_number(self.read.tracks[at].plays.len()));
        let plays = &mut self.read.tracks[helper as usize].plays;
        let step = (helper, as_number(plays.len()));
        plays.push(Play { compute: Time::ZERO, what });
        self.read.order.follows(begins, step);
        self.open[at].posted.insert(request, step);
    }

    fn together(
        &mut self,
        at: usize,
        event: &Event,
        more: &Recorded,
        root: Option<u32>,
    ) -> Result<What, ProgramError> {
        let (Some(kind), Some(words), Some(rank)) = (more.collective, more.members.clone(), more.rank) else {
            return Ok(What::Nothing);
        };
        let members = members_of_words(&words).filter(|members| members.contains(&rank));
        let Some(members) = members else {
            let problem = format!(
                "an operation of several ranks names those as \"{words}\", without the rank {rank} itself"
            );
            return super::refuse("recording", problem);
        };
        let taken_part = self.open[at].taken_part.entry(Arc::clone(&words)).or_default();
        let key = (words, *taken_part);
        *taken_part += 1;
        let next = self.read.instances.len();
        let number = *self.by_instance.entry(key).or_insert(next);
        if number == next {
            self.read.instances.push(Instance::of(kind, members));
        }
        let instance = &mut self.read.instances[number];
        let own = instance.members.iter().position(|member| *member == rank).unwrap_or_default();
        instance.bytes[own] = event.length;
        instance.there += 1;
        let root = root.and_then(|root| instance.members.iter().position(|member| *member == root));
        let what = What::Together(Box::new(Together {
            kind,
            instance: as_number(number),
            own: as_number(own),
            root: as_number(root.unwrap_or_default()),
            bytes: event.length,
        }));
        let until = event.end();
        let is_last = match kind {
            CollectiveKind::ReadAll => true,
            // Whoever makes a file does so before the others open it.
            CollectiveKind::OpenAll => own == 0,
            CollectiveKind::WriteAll => false,
            _ => return Ok(what),
        };
        let (now, later) = if is_last { (What::Nothing, Some(what)) } else { (what, None) };
        self.open[at].together = Some((until, number, later));
        Ok(now)
    }

    fn is_simulated(&self, event: &Event) -> bool {
        let Some(path) = &event.path else { return self.below.is_empty() };
        self.below.is_empty()
            || self.below.iter().any(|folder| {
                let folder = folder.trim_end_matches('/');
                path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }

    /// A call on a file or a name.
    fn call(&mut self, number: u32, event: &Event, more: &Recorded) -> What {
        if event.kind == EventKind::Sync {
            return What::File(FileCall::of(Operation::Sync, u32::MAX));
        }
        if !self.is_simulated(event) {
            return What::Elsewhere(event.service.unwrap_or_default());
        }
        let step = (number, as_number(self.read.tracks[number as usize].plays.len()));
        if event.error != 0 {
            let folder = event.path.as_deref().and_then(|path| self.read.files.folder_of(path));
            return folder.map_or(What::Nothing, |folder| What::File(FileCall::of(Operation::Stat, folder)));
        }
        match self.file_call(step, event) {
            None => What::Nothing,
            Some(mut call) => {
                call.direct = more.direct;
                call.durable = event.synchronous;
                if let Some((_, instance, _)) = &self.open[number as usize].together
                    && let Some(rank) = more.rank
                {
                    self.read.instances[*instance].moved(rank, call.length);
                }
                What::File(call)
            }
        }
    }

    fn file_call(&mut self, step: (u32, u32), event: &Event) -> Option<FileCall> {
        let Read { files, order, .. } = &mut self.read;
        let path = event.path.as_deref().unwrap_or("");
        match event.kind {
            EventKind::Mkdir => {
                let made = files.made_directory(path)?;
                order.changes(made, step, files.entries[made as usize].parent);
                return Some(FileCall::of(Operation::Mkdir, made));
            }
            EventKind::Rmdir => {
                let removed = files.removed_directory(path)?;
                order.changes(removed, step, None);
                return Some(FileCall::of(Operation::Rmdir, removed));
            }
            EventKind::Stat if event.size.is_none() && files.known(event.file).is_none() => {
                return files.directory(path).map(|folder| FileCall::of(Operation::Stat, folder));
            }
            _ => {}
        }
        let was_known = files.known(event.file).is_some();
        let file = files.of(event)?;
        let mut call = FileCall::of(operation_of(event.kind), file);
        let folder = files.entries[file as usize].parent;
        match event.kind {
            EventKind::Create if !was_known => call.operation = Operation::Create,
            EventKind::Read | EventKind::Write if event.length == 0 => return None,
            EventKind::Truncate => {
                (call.operation, call.length) = (Operation::Truncate, event.size.unwrap_or(0));
            }
            EventKind::Unlink => {
                files.unlinked(file, path);
                call.operation = Operation::Unlink;
            }
            EventKind::Rename => {
                let new = event.new_path.as_deref().unwrap_or("");
                if files.entries[file as usize].is_directory {
                    return Some(FileCall::of(Operation::Stat, file));
                }
                call.replaced = files.renamed(file, path, new);
                call.operation = Operation::Rename;
                let to = files.folder_of(new);
                call.offset = to.map_or(u64::MAX, u64::from);
            }
            _ => {}
        }
        if matches!(
            event.kind,
            EventKind::Read | EventKind::Write | EventKind::SyncRange | EventKind::Allocate
        ) {
            (call.offset, call.length) = (event.offset.unwrap_or(0), event.length);
        }
        match call.operation {
            Operation::Create | Operation::Unlink | Operation::Rename | Operation::Truncate => {
                order.changes(file, step, folder);
                if let Some(replaced) = call.replaced {
                    order.changes(replaced, step, None);
                }
            }
            _ => order.uses(file, step),
        }
        Some(call)
    }
}

/// What a call on a file that is there asks for.
const fn operation_of(kind: EventKind) -> Operation {
    match kind {
        EventKind::Create | EventKind::Open => Operation::Open,
        EventKind::Read => Operation::Read,
        EventKind::Write => Operation::Write,
        EventKind::Close => Operation::Close,
        EventKind::Fsync => Operation::Fsync,
        EventKind::Fdatasync => Operation::Fdatasync,
        EventKind::SyncRange => Operation::SyncRange,
        EventKind::Allocate => Operation::Allocate,
        EventKind::List => Operation::Readdir,
        _ => Operation::Stat,
    }
}
