//! Requests that wait in a scheduler: merging, order of arrival, order of address.
//!
//! What block/elevator.c and block/blk-merge.c do for every scheduler: a request that continues one that waits is
//! merged at its back (elv_rqhash_find), one that ends where another begins at its front (elv_rb_find), and two that
//! have become adjacent are joined (attempt_merge). Requests wait in groups, which the scheduler chooses (directions,
//! priorities, processes); only those of one group are merged. Each group has its order of arrival (for expiry) and its
//! order of address (for sweeps).
//!
//! Leaves out: of several waiting requests that begin below a new one's first block, only the nearest is tried for a
//! merge at its back; it is the only candidate unless waiting requests overlap. And discards of several ranges in one request
//! (ELEVATOR_DISCARD_MERGE, for devices that take more than one): those of ranges that touch are merged as writes are.

use super::elevator::{IoRequest, QueueLimits, is_write_back};
use petrio_colours::{BlockRequest, Direction, Hint};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::collections::BTreeSet;

/// What may be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct MergeRules {
    /// The largest request in device blocks.
    pub largest_request: u32,
    /// The longest discard (`blk_rq_get_max_sectors`).
    pub longest_discard: u32,
    /// Most requests that are merged into one.
    pub most_merged: u32,
    /// Whether a request is merged at the front of one that begins where it ends.
    pub front: bool,
    /// Whether requests that somebody waits for and others stay apart (cfq_allow_merge).
    pub synchronous_apart: bool,
    /// Whether write-back and other writes stay apart.
    pub write_back_apart: bool,
    /// Whether requests of different files stay apart.
    pub files_apart: bool,
    /// Whether requests of one instant are merged only within a process (blk_attempt_plug_merge): what another asks for then is on
    /// its way already, or in a plug of its own.
    pub plugs_apart: bool,
}

impl MergeRules {
    /// The rules that every scheduler keeps unless it says otherwise.
    pub fn new(limits: &QueueLimits) -> Self {
        Self {
            largest_request: limits.largest_request,
            longest_discard: limits.discards.longest,
            most_merged: limits.most_merged,
            front: true,
            synchronous_apart: limits.awaited_apart,
            write_back_apart: limits.write_back_apart,
            files_apart: limits.files_apart,
            plugs_apart: limits.plugs_apart,
        }
    }
}

/// A request that waits. The handle is good until the request is taken or joined to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub struct Handle(u32);

/// What became of a request that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// It waits on its own.
    Queued(Handle),
    /// It was merged at the back of another.
    Back(Handle),
    /// It was merged at the front of another, whose address has changed.
    Front(Handle),
    /// It was merged between two, which are one now.
    Joined {
        /// The request that holds all.
        into: Handle,
        /// The one that is gone: its handle is no longer good.
        gone: Handle,
    },
}

impl Placed {
    /// The waiting request that holds the one added.
    pub fn handle(self) -> Handle {
        match self {
            Self::Queued(handle) | Self::Back(handle) | Self::Front(handle) => handle,
            Self::Joined { into, .. } => into,
        }
    }

    /// The same, as a scheduler reports it.
    pub fn added(self) -> super::elevator::Added {
        use super::elevator::Added;
        match self {
            Self::Queued(_) => Added::Queued,
            Self::Back(_) | Self::Front(_) => Added::Merged,
            Self::Joined { .. } => Added::Joined,
        }
    }
}

const NONE: u32 = u32::MAX;

/// A slot of the slab: a request and its neighbours in order of arrival, or the next free slot.
#[derive(Clone, Debug, Persist)]
struct Slot {
    request: Option<IoRequest>,
    group: u32,
    /// Came before; of a free slot: unused.
    older: u32,
    /// Came after; of a free slot: the next free one.
    younger: u32,
}

/// A group's order of arrival.
#[derive(Clone, Copy, Debug, Persist)]
struct Line {
    oldest: u32,
    youngest: u32,
    len: u32,
}

/// The requests that wait.
#[derive(Clone, Debug, Persist)]
pub struct Waiting {
    rules: MergeRules,
    slots: Vec<Slot>,
    free: u32,
    lines: Vec<Line>,
    /// Group, first block, slot.
    by_address: BTreeSet<(u32, u64, u32)>,
    /// Where the last request went: the next one most likely continues it.
    last: u32,
    len: usize,
}

impl Waiting {
    /// Nothing waits.
    pub fn new(rules: MergeRules) -> Self {
        Self {
            rules,
            slots: Vec::new(),
            free: NONE,
            lines: Vec::new(),
            by_address: BTreeSet::new(),
            last: NONE,
            len: 0,
        }
    }

    /// Requests that wait, merged ones counting as one.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Requests that wait in a group.
    pub fn group_len(&self, group: u32) -> usize {
        self.lines.get(group as usize).map_or(0, |line| line.len as usize)
    }

    /// A request that waits; `None` for a handle that is no longer good.
    pub fn get(&self, handle: Handle) -> Option<&IoRequest> {
        self.slots.get(handle.0 as usize)?.request.as_ref()
    }

    /// The same, to set its [`IoRequest::note`] or [`IoRequest::queued`]; where it lies must stay.
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut IoRequest> {
        self.slots.get_mut(handle.0 as usize)?.request.as_mut()
    }

    /// The group of a request that waits.
    pub fn group(&self, handle: Handle) -> u32 {
        self.slots[handle.0 as usize].group
    }

    /// The one of a group that waits longest.
    pub fn oldest(&self, group: u32) -> Option<Handle> {
        self.lines.get(group as usize).and_then(|line| known(line.oldest))
    }

    /// The one of the same group that came after.
    pub fn younger(&self, handle: Handle) -> Option<Handle> {
        known(self.slots[handle.0 as usize].younger)
    }

    /// The one of a group with the lowest address from `address` on.
    pub fn at_or_after(&self, group: u32, address: u64) -> Option<Handle> {
        let found = self.by_address.range((group, address, 0)..=(group, u64::MAX, NONE)).next();
        found.map(|&(_, _, slot)| Handle(slot))
    }

    /// The one of a group with the highest address below `address`.
    pub fn before(&self, group: u32, address: u64) -> Option<Handle> {
        let found = self.by_address.range((group, 0, 0)..(group, address, 0)).next_back();
        found.map(|&(_, _, slot)| Handle(slot))
    }

    /// The next one of the same group in order of address.
    pub fn after(&self, handle: Handle) -> Option<Handle> {
        let slot = &self.slots[handle.0 as usize];
        let address = slot.request.as_ref()?.address;
        let from = (slot.group, address, handle.0);
        let found = self.by_address.range(from..=(slot.group, u64::MAX, NONE)).nth(1);
        found.map(|&(_, _, slot)| Handle(slot))
    }

    /// Whether [`add`](Self::add) would merge the request.
    pub fn would_merge(&self, group: u32, request: &BlockRequest) -> bool {
        self.find(group, request).is_some()
    }

    /// Adds a request to a group: merges it with what waits there, or lets it wait.
    pub fn add(&mut self, group: u32, request: BlockRequest, now: Time) -> Placed {
        match self.find(group, &request) {
            None => Placed::Queued(self.queue(group, IoRequest::new(request, now))),
            Some((slot, End::Back)) => self.merge_back(slot, request),
            Some((slot, End::Front)) => self.merge_front(slot, request),
        }
    }

    /// Takes a request out, to be dispatched now; `None` for a handle that is no longer good.
    pub fn take(&mut self, handle: Handle, now: Time) -> Option<IoRequest> {
        let mut request = self.remove(handle.0)?;
        request.dispatched = now;
        Some(request)
    }

    fn request(&self, slot: u32) -> Option<&IoRequest> {
        self.slots.get(slot as usize)?.request.as_ref()
    }

    /// The waiting request that takes a new one, and at which end.
    fn find(&self, group: u32, request: &BlockRequest) -> Option<(u32, End)> {
        if self.len == 0 || !mergeable(request) {
            return None;
        }
        if let Some(last) = self.request(self.last)
            && last.end() == request.address
            && self.slots[self.last as usize].group == group
            && self.fits(last, request)
        {
            return Some((self.last, End::Back));
        }
        if let Some(before) = self.before(group, request.address)
            && let Some(waiting) = self.get(before)
            && waiting.end() == request.address
            && self.fits(waiting, request)
        {
            return Some((before.0, End::Back));
        }
        let behind = self.rules.front.then(|| self.at_or_after(group, request.end())).flatten()?;
        let waiting = self.get(behind)?;
        (waiting.address == request.end() && self.fits(waiting, request)).then_some((behind.0, End::Front))
    }

    fn fits(&self, waiting: &IoRequest, request: &BlockRequest) -> bool {
        let is_discard = request.direction == Direction::Discard;
        let largest = if is_discard { self.rules.longest_discard } else { self.rules.largest_request };
        waiting.direction == request.direction
            && (waiting.class, waiting.priority) == (request.class, request.priority)
            && (!self.rules.write_back_apart
                || waiting
                    .constituents
                    .first()
                    .is_some_and(|first| is_write_back(first) == is_write_back(request)))
            && (!self.rules.synchronous_apart || waiting.synchronous == request.synchronous)
            && waiting.blocks.saturating_add(request.blocks) <= largest
            && as_number(waiting.constituents.len()) < self.rules.most_merged
            && waiting.constituents.first().is_some_and(|first| {
                let beside = first.issued == request.issued && first.process != request.process;
                mergeable(first)
                    && (first.hint == Hint::Ahead) == (request.hint == Hint::Ahead)
                    && !(self.rules.plugs_apart && beside)
                    && (!self.rules.files_apart || first.file == request.file)
            })
    }

    fn merge_back(&mut self, slot: u32, request: BlockRequest) -> Placed {
        self.last = slot;
        let Some(waiting) = self.slots[slot as usize].request.as_mut() else {
            return Placed::Back(Handle(slot));
        };
        waiting.blocks += request.blocks;
        waiting.synchronous |= request.synchronous;
        waiting.constituents.push(request);
        match self.after(Handle(slot)) {
            Some(behind) if self.join(slot, behind.0) => Placed::Joined { into: Handle(slot), gone: behind },
            _ => Placed::Back(Handle(slot)),
        }
    }

    fn merge_front(&mut self, slot: u32, request: BlockRequest) -> Placed {
        self.last = slot;
        let Slot { request: waiting, group, .. } = &mut self.slots[slot as usize];
        let group = *group;
        let Some(waiting) = waiting.as_mut() else { return Placed::Front(Handle(slot)) };
        let (old, new) = (waiting.address, request.address);
        waiting.address = new;
        waiting.blocks += request.blocks;
        waiting.synchronous |= request.synchronous;
        waiting.constituents.insert(0, request);
        self.by_address.remove(&(group, old, slot));
        self.by_address.insert((group, new, slot));
        match self.before(group, new) {
            Some(ahead) if self.join(ahead.0, slot) => Placed::Joined { into: ahead, gone: Handle(slot) },
            _ => Placed::Front(Handle(slot)),
        }
    }

    /// Joins a request to the one ahead of it if they are adjacent and fit into one.
    fn join(&mut self, ahead: u32, behind: u32) -> bool {
        let (Some(first), Some(second)) = (self.request(ahead), self.request(behind)) else { return false };
        let adjacent = first.end() == second.address;
        let whole = first.constituents.len() + second.constituents.len() <= self.rules.most_merged as usize;
        let Some(constituent) = second.constituents.first() else { return false };
        if !adjacent || !whole || !mergeable(constituent) {
            return false;
        }
        // The second as a whole: its flags are those of its constituents, its length its own.
        let as_one = BlockRequest { blocks: second.blocks, ..constituent.clone() };
        let sync = !self.rules.synchronous_apart || first.synchronous == second.synchronous;
        if !sync || !self.fits(first, &BlockRequest { synchronous: first.synchronous, ..as_one }) {
            return false;
        }
        let older = second.queued < first.queued;
        if older {
            // The union expires when the older of the two would have (deadline_merged_requests).
            self.swap_in_line(ahead, behind);
        }
        let Some(gone) = self.remove(behind) else { return false };
        if let Some(first) = self.slots[ahead as usize].request.as_mut() {
            first.blocks += gone.blocks;
            first.synchronous |= gone.synchronous;
            first.queued = first.queued.min(gone.queued);
            first.constituents.extend(gone.constituents);
        }
        self.last = ahead;
        true
    }

    fn queue(&mut self, group: u32, request: IoRequest) -> Handle {
        if self.lines.len() <= group as usize {
            self.lines.resize(group as usize + 1, Line { oldest: NONE, youngest: NONE, len: 0 });
        }
        let address = request.address;
        let content = Slot { request: Some(request), group, older: NONE, younger: NONE };
        let slot = if self.free == NONE {
            self.slots.push(content);
            as_number(self.slots.len() - 1)
        } else {
            let slot = self.free;
            self.free = self.slots[slot as usize].younger;
            self.slots[slot as usize] = content;
            slot
        };
        let youngest = self.lines[group as usize].youngest;
        self.link(slot, group, youngest);
        self.by_address.insert((group, address, slot));
        self.last = slot;
        self.len += 1;
        Handle(slot)
    }

    fn remove(&mut self, slot: u32) -> Option<IoRequest> {
        let content = self.slots.get_mut(slot as usize)?;
        let request = content.request.take()?;
        let group = content.group;
        self.unlink(slot, group);
        self.by_address.remove(&(group, request.address, slot));
        self.slots[slot as usize].younger = self.free;
        self.free = slot;
        self.len -= 1;
        if self.last == slot {
            self.last = NONE;
        }
        Some(request)
    }

    /// Puts a slot behind `older` in its group's order of arrival; before all others where that is none.
    fn link(&mut self, slot: u32, group: u32, older: u32) {
        let line = &mut self.lines[group as usize];
        let younger = if older == NONE {
            std::mem::replace(&mut line.oldest, slot)
        } else {
            std::mem::replace(&mut self.slots[older as usize].younger, slot)
        };
        line.len += 1;
        if younger == NONE {
            line.youngest = slot;
        } else {
            self.slots[younger as usize].older = slot;
        }
        let content = &mut self.slots[slot as usize];
        (content.older, content.younger) = (older, younger);
    }

    fn unlink(&mut self, slot: u32, group: u32) {
        let (older, younger) = (self.slots[slot as usize].older, self.slots[slot as usize].younger);
        let line = &mut self.lines[group as usize];
        line.len -= 1;
        match older {
            NONE => line.oldest = younger,
            _ => self.slots[older as usize].younger = younger,
        }
        let line = &mut self.lines[group as usize];
        match younger {
            NONE => line.youngest = older,
            _ => self.slots[younger as usize].older = older,
        }
    }

    /// Moves `slot` in front of `place`, in order of arrival.
    fn swap_in_line(&mut self, slot: u32, place: u32) {
        let group = self.slots[slot as usize].group;
        self.unlink(slot, group);
        let older = self.slots[place as usize].older;
        self.link(slot, group, older);
    }
}

/// The end of a waiting request at which another is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Back,
    Front,
}

fn known(slot: u32) -> Option<Handle> {
    (slot != NONE).then_some(Handle(slot))
}

/// Flushes, and writes with a flush before or with forced unit access, stay alone (REQ_NOMERGE_FLAGS).
fn mergeable(request: &BlockRequest) -> bool {
    request.direction != Direction::Flush && !request.flush_before && !request.force_unit_access
}

#[cfg(test)]
mod tests;
