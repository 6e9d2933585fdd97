//! Names that were told (by fanotify) are matched to the calls and inodes that the events show.
//!
//! What is told has a thread and comes in order, but has no time; a batch of it was told before some moment, its
//! *border*.
//!
//! - A file that is made or deleted was seen in the same thread with the same inode: the first told goes with the first seen.
//! - Renames and new folders are counted by thread from border to border: where there are as many told as calls that succeeded,
//!   they go together in order. Where there aren't (a rename on a file system that isn't watched, one onto the same file, two
//!   that the kernel told as one), the calls of that time stay without: rather nothing than another's name.
//!
//! So renames wait for the next border, a turn, and what became of names takes effect when the rename goes out, in the
//! order of time. Renames of threads that aren't traced take effect at the border.

use super::queue::Position;
use super::{InCall, Joiner, places};
use crate::file_trace::fanotify::watch::{NameChange, Renaming};
use crate::recorder::kernel_event::{Call, Inode};
use petrio_time::numbers::as_number;
use petrio_trace::event::{Event, EventKind, FileKey};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A name is told within the call that was seen; so long may a call wait for its journal.
const SIGHTING_NS: u64 = 20_000_000_000;

/// When a batch was told: from the beginning of its last look, that found nothing more, to that look's end, in
/// nanoseconds of the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Border {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sight {
    Made,
    Gone,
}

/// A call that waits for what it did to be told.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    place: Position,
    began_ns: u64,
    ended_ns: u64,
    allocated: Option<Inode>,
}

/// A thread's calls of one kind and what was told of them, since the last border between them.
#[derive(Debug, Default)]
struct Group {
    calls: Vec<Waiting>,
    /// In the order of all that was told.
    told: Vec<(u64, NameChange)>,
}

/// What waits to be matched.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    /// Whether anything will be told.
    pub(crate) is_on: bool,
    sightings: FxHashMap<(u32, Inode, Sight), VecDeque<(u64, FileKey)>>,
    /// Told of files that weren't seen yet.
    unseen: Vec<NameChange>,
    groups: FxHashMap<(u32, Call), Group>,
    last_told: u64,
    border: Option<Border>,
    /// When inodes became free since the first of the calls that wait.
    freed: Vec<(u64, Inode)>,
    /// What the renames and new folders did that wait in the queue.
    moves: FxHashMap<Position, NameChange>,
    /// File systems whose new inodes are seen.
    with_allocations: FxHashSet<u32>,
}

impl Matching {
    fn see(&mut self, time_ns: u64, thread: u32, sight: Sight, file: FileKey) {
        if self.is_on {
            let inode = Inode { device: file.device, number: file.inode };
            self.sightings.entry((thread, inode, sight)).or_default().push_back((time_ns, file));
        }
    }

    /// A new inode of a file.
    pub(super) fn see_made(&mut self, time_ns: u64, thread: u32, file: FileKey) {
        self.see(time_ns, thread, Sight::Made, file);
        self.with_allocations.insert(file.device);
    }

    /// A name that is about to go.
    pub(super) fn see_gone(&mut self, time_ns: u64, thread: u32, file: FileKey) {
        self.see(time_ns, thread, Sight::Gone, file);
    }

    /// The last new inode of a thread got no name: the call failed, or wanted none.
    pub(super) fn forget_made(&mut self, thread: u32, inode: Inode) {
        if let Some(seen) = self.sightings.get_mut(&(thread, inode, Sight::Made)) {
            seen.pop_back();
        }
    }

    pub(super) fn freed(&mut self, time_ns: u64, inode: Inode) {
        if !self.groups.is_empty() {
            self.freed.push((time_ns, inode));
        }
    }

    fn take_sighting(&mut self, thread: u32, inode: Inode, sight: Sight) -> Option<FileKey> {
        let seen = self.sightings.get_mut(&(thread, inode, sight))?;
        let first = seen.pop_front();
        if seen.is_empty() {
            self.sightings.remove(&(thread, inode, sight));
        }
        first.map(|(_, file)| file)
    }
}

impl Joiner {
    /// A rename or a new folder that succeeded: its event waits until it is told what it did.
    pub(super) fn wait_for_name(&mut self, done: &InCall, ended_ns: u64, thread: u32, event: Event) {
        let Some(place) = done.places[0] else { return };
        if !self.matching.is_on {
            return self.queue.settle(place, event);
        }
        self.queue.unsettle(place, event);
        let allocated = done.allocated.map(|(inode, _)| inode);
        let waiting = Waiting { place, began_ns: done.began_ns, ended_ns, allocated };
        self.matching.groups.entry((thread, done.call)).or_default().calls.push(waiting);
    }

    /// Takes what was told up to a border. All events before `horizon_ns` have been taken.
    pub(crate) fn tell(&mut self, told: Vec<NameChange>, border: Border, horizon_ns: u64) {
        if self.matching.border.is_some_and(|border| border.to_ns <= horizon_ns) {
            self.decide(self.matching.border);
            self.name_unseen();
        }
        for one in told {
            self.tell_one(one);
        }
        self.matching.border = Some(border);
        let since_ns = border.from_ns.saturating_sub(SIGHTING_NS);
        self.matching.sightings.retain(|_, seen| {
            seen.retain(|(time_ns, _)| *time_ns >= since_ns);
            !seen.is_empty()
        });
    }

    fn tell_one(&mut self, told: NameChange) {
        if told.is_folder
            && let Renaming::Made(entry) = &told.what
        {
            self.names.put_folder(told.inode, entry.clone());
        }
        let call = match (&told.what, told.is_folder) {
            (Renaming::Moved(..), _) => Call::Rename,
            (Renaming::Made(_), true) => Call::MakeDirectory,
            (Renaming::Gone(_), true) => return,
            (_, false) => {
                if !self.name_seen(&told) {
                    self.matching.unseen.push(told);
                }
                return;
            }
        };
        // Also of a thread that has ended, or isn't known yet: whose calls there are shows at the border.
        self.matching.last_told += 1;
        let group = self.matching.groups.entry((told.thread, call)).or_default();
        group.told.push((self.matching.last_told, told));
    }

    /// Names a file that was seen when it was made or deleted; false where it wasn't.
    fn name_seen(&mut self, told: &NameChange) -> bool {
        let (entry, sight) = match &told.what {
            Renaming::Made(entry) => (entry, Sight::Made),
            Renaming::Gone(entry) => (entry, Sight::Gone),
            Renaming::Moved(..) => return false,
        };
        let Some(file) = self.matching.take_sighting(told.thread, told.inode, sight) else { return false };
        // One that is deleted may have had other names, by which it was known.
        if sight == Sight::Made || !self.names.knows_file(file) {
            self.names.put_file(file, entry.clone());
        }
        true
    }

    /// What was told before the last border and seen since. What nobody saw is a link, or on a file system whose new
    /// inodes aren't seen.
    fn name_unseen(&mut self) {
        for told in std::mem::take(&mut self.matching.unseen) {
            if !self.name_seen(&told)
                && let Renaming::Made(entry) = &told.what
                && !self.matching.with_allocations.contains(&told.inode.device)
            {
                self.names.put_file(self.key(told.inode), entry.clone());
            }
        }
    }

    /// Matches the groups that are complete at a border, or, without one, all.
    fn decide(&mut self, border: Option<Border>) {
        let groups = std::mem::take(&mut self.matching.groups);
        let mut of_nobody = Vec::new();
        for ((thread, call), mut group) in groups {
            let mut later = Vec::new();
            if let Some(Border { from_ns, to_ns }) = border {
                let is_under_way = self.threads.get(&thread).and_then(|thread| thread.call.as_ref());
                let is_across = is_under_way.is_some_and(|one| one.call == call && one.began_ns <= to_ns)
                    || group.calls.iter().any(|one| one.began_ns <= to_ns && one.ended_ns >= from_ns);
                if is_across {
                    self.matching.groups.insert((thread, call), group);
                    continue;
                }
                (group.calls, later) = group.calls.into_iter().partition(|one| one.ended_ns < from_ns);
            }
            of_nobody.extend(self.match_group(group));
            if !later.is_empty() {
                self.matching.groups.insert((thread, call), Group { calls: later, told: Vec::new() });
            }
        }
        self.moved_by_nobody(of_nobody);
        if self.matching.groups.is_empty() {
            self.matching.freed.clear();
        }
    }

    /// Gives back what belongs to no call.
    fn match_group(&mut self, Group { calls, told }: Group) -> Vec<(u64, NameChange)> {
        let fits = |(call, (_, told)): (&Waiting, &(u64, NameChange))| {
            call.allocated.is_none_or(|inode| inode == told.inode)
        };
        if calls.len() != told.len() || !calls.iter().zip(&told).all(fits) {
            self.counts.unmatched_names += calls.len() as u64;
            for call in calls {
                self.queue.complete(call.place, |_| {});
            }
            return told;
        }
        for (call, (_, told)) in calls.into_iter().zip(told) {
            let file = self.key_at(told.inode, call.ended_ns);
            if self.queue.complete(call.place, |event| event.file = file) {
                self.matching.moves.insert(call.place, told);
            } else {
                self.moved(&told, Some(file));
            }
        }
        Vec::new()
    }

    fn moved_by_nobody(&mut self, mut told: Vec<(u64, NameChange)>) {
        told.sort_by_key(|(number, _)| *number);
        for (_, told) in told {
            self.moved(&told, None);
        }
    }

    /// The capture ends: there is no later border.
    pub(super) fn settle_names(&mut self) {
        self.name_unseen();
        self.decide(None);
    }

    /// Events or names were lost: calls can't be counted.
    pub(crate) fn give_up_names(&mut self) {
        let mut of_nobody = Vec::new();
        for group in std::mem::take(&mut self.matching.groups).into_values() {
            self.counts.unmatched_names += group.calls.len() as u64;
            for call in group.calls {
                self.queue.complete(call.place, |_| {});
            }
            of_nobody.extend(group.told);
        }
        self.moved_by_nobody(of_nobody);
        self.matching.sightings.clear();
    }

    /// The key that an inode had at a time since the first of the calls that wait.
    fn key_at(&self, inode: Inode, time_ns: u64) -> FileKey {
        let now = self.key(inode);
        let since = self.matching.freed.iter().filter(|(freed_ns, one)| *one == inode && *freed_ns > time_ns);
        places::key(inode, now.generation.saturating_sub(as_number(since.count())))
    }

    /// A rename takes effect.
    fn moved(&mut self, told: &NameChange, file: Option<FileKey>) {
        let Renaming::Moved(_, to) = &told.what else { return };
        if told.is_folder {
            self.names.put_folder(told.inode, to.clone());
        } else {
            self.names.put_file(file.unwrap_or_else(|| self.key(told.inode)), to.clone());
        }
    }

    /// Hands on the events that are complete, with their paths, and those that began before `patience_ns` as they are.
    pub(crate) fn release(&mut self, patience_ns: u64, mut take: impl FnMut(Event, &mut Self)) {
        let mut queue = std::mem::take(&mut self.queue);
        queue.release(patience_ns, |place, mut event| {
            self.name_event(place, &mut event);
            take(event, self);
        });
        self.queue = queue;
    }

    fn name_event(&mut self, place: Position, event: &mut Event) {
        if !self.matching.moves.is_empty()
            && let Some(told) = self.matching.moves.remove(&place)
        {
            match &told.what {
                Renaming::Moved(from, to) => {
                    event.path = self.names.compose(from);
                    event.new_path = self.names.compose(to);
                }
                Renaming::Made(entry) | Renaming::Gone(entry) => {
                    // The folder above may be known later only.
                    self.names.put_file(event.file, entry.clone());
                    event.path = self.names.path(event.file);
                }
            }
            return self.moved(&told, Some(event.file));
        }
        let is_of_name =
            !matches!(event.kind, EventKind::Read | EventKind::Write) && !event.kind.is_of_device();
        if is_of_name && event.path.is_none() && event.file.is_known() {
            event.path = self.names.path(event.file);
        }
    }
}
