//! The folios and the lists on which they wait: linked through one slab of 16 bytes a folio.

use super::tree::NONE;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// The lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum ListName {
    /// Pages of files not lately used; the only list of plain LRU, the most recent at its head.
    Inactive,
    /// Pages of files used again.
    Active,
    /// Pages of processes not lately used.
    InactiveAnonymous,
    /// Pages of processes in use.
    ActiveAnonymous,
    /// Pages that reclaim found dirty or under writeback, until they are written. The kernel puts them on the active list with
    /// `PG_reclaim` (`shrink_folio_list`, mm/vmscan.c); a list of their own saves scanning them again and again.
    Parked,
}

const LISTS: usize = 5;

impl ListName {
    pub(super) fn is_active(self) -> bool {
        matches!(self, Self::Active | Self::ActiveAnonymous | Self::Parked)
    }

    /// The active list to which a page of this inactive list is promoted.
    pub(super) fn promoted(self) -> Option<Self> {
        match self {
            Self::Inactive => Some(Self::Active),
            Self::InactiveAnonymous => Some(Self::ActiveAnonymous),
            Self::Active | Self::ActiveAnonymous | Self::Parked => None,
        }
    }

    /// The inactive list to which a page of this list goes back.
    pub(super) fn demoted(self) -> Self {
        match self {
            Self::Inactive | Self::Active | Self::Parked => Self::Inactive,
            Self::InactiveAnonymous | Self::ActiveAnonymous => Self::InactiveAnonymous,
        }
    }
}

/// Marks of a folio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Flags(u8);

impl Flags {
    /// Accessed (`PG_referenced`).
    pub(super) const REFERENCED: Self = Self(1);
    /// Its process has touched it (the accessed bit of its page table entry).
    pub(super) const YOUNG: Self = Self(2);
    /// It is being read (`PG_locked`): it can't go.
    pub(super) const LOCKED: Self = Self(4);
    /// It belongs to a process.
    pub(super) const ANONYMOUS: Self = Self(8);
    /// It has been written to, so it has buffers (`PG_private`).
    pub(super) const BUFFERS: Self = Self(16);

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A folio.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Entry {
    leaf: u32,
    previous: u32,
    next: u32,
    slot: u8,
    order: u8,
    flags: Flags,
    list: ListName,
}

impl Entry {
    pub(super) fn has(&self, flags: Flags) -> bool {
        self.flags.has(flags)
    }

    /// The leaf and the slot of its first page.
    pub(super) fn place(&self) -> (u32, u64) {
        (self.leaf, u64::from(self.slot))
    }

    /// Whether this is its first page.
    pub(super) fn begins(&self, leaf: u32, slot: u64) -> bool {
        self.place() == (leaf, slot)
    }

    pub(super) fn order(&self) -> u8 {
        self.order
    }

    pub(super) fn pages(&self) -> u64 {
        1 << self.order
    }

    pub(super) fn list(&self) -> ListName {
        self.list
    }
}

#[derive(Clone, Copy, Debug, Persist)]
struct List {
    head: u32,
    tail: u32,
    pages: u64,
}

/// All folios.
#[derive(Clone, Debug, Persist)]
pub(super) struct Lists {
    entries: Vec<Entry>,
    /// First of the unused entries, which are linked through `next`.
    free: u32,
    lists: [List; LISTS],
    /// Pages that have buffers.
    buffered: u64,
}

impl Default for Lists {
    fn default() -> Self {
        let empty = List { head: NONE, tail: NONE, pages: 0 };
        Self { entries: Vec::new(), free: NONE, lists: [empty; LISTS], buffered: 0 }
    }
}

impl Lists {
    pub(super) fn entry(&self, id: u32) -> &Entry {
        &self.entries[id as usize]
    }

    pub(super) fn pages(&self, list: ListName) -> u64 {
        self.lists[list as usize].pages
    }

    /// Pages that have buffers.
    pub(super) fn buffered(&self) -> u64 {
        self.buffered
    }

    /// The folio that has been on the list longest.
    pub(super) fn tail(&self, list: ListName) -> u32 {
        self.lists[list as usize].tail
    }

    /// The folio that came to the list right after this one.
    pub(super) fn before(&self, id: u32) -> u32 {
        self.entry(id).previous
    }

    pub(super) fn set(&mut self, id: u32, flags: Flags) {
        let entry = &mut self.entries[id as usize];
        if flags.has(Flags::BUFFERS) && !entry.has(Flags::BUFFERS) {
            self.buffered += entry.pages();
        }
        entry.flags.0 |= flags.0;
    }

    pub(super) fn clear(&mut self, id: u32, flags: Flags) {
        self.entries[id as usize].flags.0 &= !flags.0;
    }

    /// Clears marks; whether any of them was set.
    pub(super) fn take(&mut self, id: u32, flags: Flags) -> bool {
        let had = self.entry(id).has(flags);
        self.clear(id, flags);
        had
    }

    /// A new folio at the head of a list.
    pub(super) fn add(&mut self, list: ListName, leaf: u32, slot: u64, order: u8, flags: Flags) -> u32 {
        if flags.has(Flags::BUFFERS) {
            self.buffered += 1 << order;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a leaf has 64 slots")]
        let entry = Entry { leaf, previous: NONE, next: NONE, slot: slot as u8, order, flags, list };
        let id = if self.free == NONE {
            self.entries.push(entry);
            as_number(self.entries.len() - 1)
        } else {
            let id = self.free;
            self.free = self.entries[id as usize].next;
            self.entries[id as usize] = entry;
            id
        };
        self.link_at_head(id, list);
        id
    }

    /// Takes a folio off its list and forgets it.
    pub(super) fn remove(&mut self, id: u32) {
        self.unlink(id);
        if self.entry(id).has(Flags::BUFFERS) {
            self.buffered -= self.entry(id).pages();
        }
        self.entries[id as usize].next = self.free;
        self.free = id;
    }

    pub(super) fn move_to_head(&mut self, id: u32, list: ListName) {
        if self.lists[list as usize].head == id {
            return;
        }
        self.unlink(id);
        self.link_at_head(id, list);
    }

    pub(super) fn move_to_tail(&mut self, id: u32, list: ListName) {
        self.unlink(id);
        let ends = &mut self.lists[list as usize];
        let old = ends.tail;
        ends.tail = id;
        ends.pages += 1 << self.entries[id as usize].order;
        if old == NONE {
            ends.head = id;
        } else {
            self.entries[old as usize].next = id;
        }
        let entry = &mut self.entries[id as usize];
        (entry.previous, entry.next, entry.list) = (old, NONE, list);
    }

    /// Makes a folio of one page of one that was larger; the others are to be added.
    pub(super) fn shrink_to_one_page(&mut self, id: u32) {
        let entry = &mut self.entries[id as usize];
        let further = (1 << entry.order) - 1;
        self.lists[entry.list as usize].pages -= further;
        if entry.has(Flags::BUFFERS) {
            self.buffered -= further;
        }
        entry.order = 0;
    }

    /// A new folio right behind another one on its list, with the same marks.
    pub(super) fn add_behind(&mut self, other: u32, leaf: u32, slot: u64) -> u32 {
        let (list, flags, next) = {
            let entry = self.entry(other);
            (entry.list, entry.flags, entry.next)
        };
        let id = self.add(list, leaf, slot, 0, flags);
        if next == NONE {
            self.move_to_tail(id, list);
            return id;
        }
        self.unlink(id);
        self.entries[other as usize].next = id;
        self.entries[next as usize].previous = id;
        let entry = &mut self.entries[id as usize];
        (entry.previous, entry.next) = (other, next);
        self.lists[list as usize].pages += 1;
        id
    }

    fn link_at_head(&mut self, id: u32, list: ListName) {
        let ends = &mut self.lists[list as usize];
        let old = ends.head;
        ends.head = id;
        let entry = &mut self.entries[id as usize];
        (entry.previous, entry.next, entry.list) = (NONE, old, list);
        ends.pages += 1 << entry.order;
        if old == NONE {
            ends.tail = id;
        } else {
            self.entries[old as usize].previous = id;
        }
    }

    fn unlink(&mut self, id: u32) {
        let Entry { previous, next, list, order, .. } = self.entries[id as usize];
        let ends = &mut self.lists[list as usize];
        ends.pages -= 1 << order;
        if previous == NONE {
            ends.head = next;
        } else {
            self.entries[previous as usize].next = next;
        }
        let ends = &mut self.lists[list as usize];
        if next == NONE {
            ends.tail = previous;
        } else {
            self.entries[next as usize].previous = previous;
        }
    }
}
