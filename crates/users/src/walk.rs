//! A session whose calls come in an order of their own: kinds of calls by the chain of the user's type, each on a file
//! that is due for it.
//!
//! What is to be done is drawn at the login: files, bytes, looks. The chain chooses among the kinds of calls that can come
//! next; of the files that such a call can be on, the one that was used last is taken, as programs mostly go on with what
//! they are at. What nobody has opened yet waits, as long as enough files are open.

use super::calls::{CallKind, Chain, KINDS, Possible};
use super::population::time_of;
use super::program::{Shared, State, kind, whose};
use super::session;
use crate::namespace::{Namespace, Purpose};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use petrio_random::{Generator, uniform_below};
use petrio_units::numbers::{as_index, as_number, whole_part};

/// Most looks and syncs of a session: a count drawn beyond it is cut.
const CALLS_MAX: f64 = 1e6;

/// How far a session is.
#[derive(Debug, Default, Persist)]
pub(super) struct Walk {
    last: Option<CallKind>,
    /// Looks that are left, and those that there were.
    looks: (u32, u32),
    syncs: u32,
    /// Files that wait, and those that there were.
    files: (u32, u32),
    /// The normal number with which the last pause was drawn.
    pause: Option<f64>,
    /// What is to be deleted, with its use and its directory.
    deletes: Vec<(usize, FileId, FileId)>,
}

impl State {
    /// Begins a session.
    pub(super) fn begin_walk(&mut self, shared: &Shared) {
        let (of_type, whose) = (kind(shared, self.user), whose(shared, self.user, self.at_once));
        let session = self.session;
        let of_session = &of_type.sessions[session::kind_of(whose, session, of_type)];
        let mut random = whose.stream(session, "looks");
        let count = |law: &Option<petrio_distribution::Distribution>, random: &mut Generator| {
            law.as_ref()
                .map_or(0, |law| as_number(whole_part(law.sample(random).round().clamp(0.0, CALLS_MAX))))
        };
        let (looks, syncs) = (count(&of_session.looks, &mut random), count(&of_session.syncs, &mut random));
        let files = self.waiting.iter().map(|waiting| as_number(waiting.len())).sum();
        self.walk = Walk {
            last: Some(CallKind::Stat),
            looks: (looks, looks),
            syncs,
            files: (files, files),
            pause: None,
            deletes: Vec::new(),
        };
    }

    /// Makes the next call; whether there is one.
    pub(super) fn walk(&mut self, shared: &Shared, chain: &Chain) -> bool {
        let possible = self.possible(shared);
        let Some(streams) = &mut self.streams else { return false };
        let last = self.walk.last.unwrap_or(CallKind::Stat);
        let Some(next) = chain.next(last, &possible, &mut streams.next) else { return false };
        let pause = time_of(chain.pause((last, next), &mut self.walk.pause, &mut streams.think));
        let Some(op) = self.call_of(shared, next) else { return false };
        let pause = self.phase_think(shared).unwrap_or(pause);
        self.walk.last = Some(next);
        self.after.push_back(op);
        self.think(shared, pause);
        true
    }

    /// The kinds of calls that can come.
    fn possible(&self, shared: &Shared) -> Possible {
        let of_type = kind(shared, self.user);
        let mut found = [false; KINDS];
        let mut set = |kind: CallKind, is: bool| found[kind as usize] |= is;
        let mut open = 0;
        for using in &self.using {
            let purpose = of_type.uses[using.job.of as usize].purpose;
            match using.is_open {
                false => {
                    let is_new = using.opening(purpose) == Operation::Create;
                    set(if is_new { CallKind::Create } else { CallKind::Open }, true);
                }
                true => {
                    open += 1;
                    set(CallKind::Close, using.is_done());
                    set(CallKind::Write, using.is_writing());
                    set(CallKind::Read, !using.is_done() && !using.is_writing());
                    set(CallKind::Fsync, self.walk.syncs > 0);
                }
            }
        }
        if open < of_type.open_files {
            for (of, waiting) in self.waiting.iter().enumerate().filter(|(_, waiting)| !waiting.is_empty()) {
                let is_made = waiting.front().is_some_and(|job| job.file.is_none());
                let kind = if is_made { CallKind::Create } else { CallKind::Open };
                set(kind, !is_made || !self.free[of].is_empty());
            }
        }
        set(CallKind::Stat, self.walk.looks.0 > 0);
        set(CallKind::Unlink, !self.walk.deletes.is_empty());
        let left = |(left, all): (u32, u32)| if all == 0 { 1.0 } else { f64::from(left) / f64::from(all) };
        let mut possible = Possible { is_possible: found, ..Possible::default() };
        let files = left(self.walk.files).max(URGENCY_LEAST);
        possible.urgency[CallKind::Stat as usize] =
            (left(self.walk.looks) / files).clamp(URGENCY_LEAST, 1.0 / URGENCY_LEAST);
        possible
    }

    /// A call of a kind that is possible.
    fn call_of(&mut self, shared: &Shared, next: CallKind) -> Option<FileOp> {
        match next {
            CallKind::Stat => self.look(shared),
            CallKind::Open | CallKind::Create => self.open(shared, next),
            CallKind::Read | CallKind::Write => {
                let writes = next == CallKind::Write;
                let at = self
                    .using
                    .iter()
                    .rposition(|using| using.is_open && !using.is_done() && using.is_writing() == writes)?;
                let at = self.used(at);
                self.access(shared, at)
            }
            CallKind::Fsync => {
                self.walk.syncs -= 1;
                let using = self.using.iter().rfind(|using| using.is_open)?;
                Some(self.op(shared, Operation::Fsync, using.file, using.parent))
            }
            CallKind::Close => self.close(shared),
            CallKind::Unlink => {
                let (of, file, parent) = self.walk.deletes.pop()?;
                self.free[of].push(file);
                Some(self.op(shared, Operation::Unlink, file, parent))
            }
        }
    }

    /// The file at a place, as the one that was used last.
    fn used(&mut self, at: usize) -> usize {
        let using = self.using.remove(at);
        self.using.push(using);
        self.using.len() - 1
    }

    /// Looks at a file's attributes: at one that the session uses, or at any of those that it could.
    fn look(&mut self, shared: &Shared) -> Option<FileOp> {
        self.walk.looks.0 -= 1;
        let streams = self.streams.as_mut()?;
        let waits = self.waiting.iter().flatten().filter_map(|job| job.file);
        let there: Vec<u32> = waits.take(LOOKED_AT).collect();
        let entries = &shared.namespace.entries;
        let position = match there.len() {
            0 => as_number(uniform_below(&mut streams.next, entries.len() as u64)),
            some => there[as_index(uniform_below(&mut streams.next, some as u64))],
        };
        // A look at a user's own directory would be a login.
        let position = if shared.namespace.homes.contains(&position) { 0 } else { position };
        let placement = &shared.placement;
        let parent = entries[position as usize].parent;
        let parent = parent.map_or(FileId::ROOT, |parent| Namespace::file_id(parent, placement));
        Some(self.op(shared, Operation::Stat, Namespace::file_id(position, placement), parent))
    }

    /// Opens a file again that was closed, or takes up one that waits.
    fn open(&mut self, shared: &Shared, next: CallKind) -> Option<FileOp> {
        let of_type = kind(shared, self.user);
        let wanted = |operation| (operation == Operation::Create) == (next == CallKind::Create);
        let purpose = |of: u32| of_type.uses[of as usize].purpose;
        let again = self
            .using
            .iter()
            .rposition(|using| !using.is_open && wanted(using.opening(purpose(using.job.of))));
        let at = match again {
            Some(at) => at,
            None => {
                let candidates: Vec<usize> = (0..self.waiting.len())
                    .filter(|of| {
                        let first = self.waiting[*of].front();
                        first.is_some_and(|job| job.file.is_none() == (next == CallKind::Create))
                            && (next == CallKind::Open || !self.free[*of].is_empty())
                    })
                    .collect();
                // Each file that waits is as likely as any other.
                let all: u64 = candidates.iter().map(|of| self.waiting[*of].len() as u64).sum();
                let streams = self.streams.as_mut().filter(|_| all > 0)?;
                let mut draw = uniform_below(&mut streams.next, all);
                let of = candidates.into_iter().find(|of| {
                    let here = self.waiting[*of].len() as u64;
                    let is_it = draw < here;
                    draw = draw.saturating_sub(here);
                    is_it
                })?;
                if !self.take_up(shared, of) {
                    return None;
                }
                self.walk.files.0 -= 1;
                self.using.len() - 1
            }
        };
        let at = self.used(at);
        let using = &mut self.using[at];
        using.is_open = true;
        let (operation, file, parent) = (using.opening(purpose(using.job.of)), using.file, using.parent);
        Some(self.op(shared, operation, file, parent))
    }

    /// Closes the file used last of those that are done.
    fn close(&mut self, shared: &Shared) -> Option<FileOp> {
        let at = self.using.iter().rposition(|using| using.is_open && using.is_done())?;
        let using = &mut self.using[at];
        let (of, file, parent) = (using.job.of as usize, using.file, using.parent);
        if !using.close() {
            self.using.remove(at);
            let purpose: Purpose = kind(shared, self.user).uses[of].purpose;
            if self.keeps(purpose, of, file) {
                self.walk.deletes.push((of, file, parent));
            }
        }
        Some(self.op(shared, Operation::Close, file, parent))
    }
}

/// How little, at least, more or less likely a look becomes where few or many are left.
const URGENCY_LEAST: f64 = 0.05;
/// Files among which one to look at is chosen.
const LOOKED_AT: usize = 64;
