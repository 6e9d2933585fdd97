//! What a drive remembers: how full its caches are, which writes go on where others ended, when each unit of flash is free. No net.

use super::figures::{Figures, PAGE, STRIPE, WINDOW};
use petrio_colours::{BlockRequest, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::ranges::Ranges;
use petrio_stage::slab::Slab;
use petrio_units::numbers::{as_index, whole_part};

/// Streams of writes that a drive tells apart.
const STREAMS: usize = 32;

/// A part of a write that the back end writes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Piece {
    /// When the back end would begin it if it had nothing but writes.
    pub(super) due: Time,
    pub(super) bytes: u64,
    /// Bytes of the write.
    pub(super) of: u64,
    /// Whether it goes on where another write ended.
    pub(super) in_order: bool,
    /// Room of the memory that it gives back.
    room: u64,
    /// Whether a page must be read before, as it is written in part.
    pub(super) reads_first: bool,
}

/// Where the last accesses ended, and which of these is the next to be forgotten.
#[derive(Clone, Copy, Debug, Persist)]
struct Streams {
    ended: [u64; STREAMS],
    oldest: usize,
}

impl Default for Streams {
    fn default() -> Self {
        Self { ended: [u64::MAX; STREAMS], oldest: 0 }
    }
}

impl Streams {
    /// Whether an access goes on where one of the last ended; it is the one that ended last from now on.
    fn continue_with(&mut self, request: &BlockRequest) -> bool {
        let known = self.ended.iter().position(|&ended| ended == request.address);
        let slot = known.unwrap_or(self.oldest);
        if known.is_none() {
            self.oldest = (self.oldest + 1) % STREAMS;
        }
        self.ended[slot] = request.end();
        known.is_some()
    }
}

/// A drive's memory and flash.
#[derive(Clone, Debug, Persist)]
pub(super) struct State {
    /// Commands at work, with the parts of each that aren't done.
    commands: Slab<(BlockRequest, u32)>,
    /// When each unit of flash has read all that it has been asked.
    units: Vec<Time>,
    /// Where the last writes and reads ended.
    writing: Streams,
    reading: Streams,
    /// Memory for writes, and what of it is taken.
    room: u64,
    taken: u64,
    /// Reads and pieces that wait for the back end, and when it would have written all pieces.
    waiting: u64,
    due: Time,
    /// Pieces that have come in and that have been written.
    received: u64,
    written: u64,
    /// Pages that it has begun to read because a write covers them in part.
    read_first: u64,
    /// Whether anything has been written since the last flush.
    unflushed: bool,
    /// Room of the SLC cache and what of it is taken; when the back end was last idle, and what it empties a second.
    slc: Option<Slc>,
    /// The share of reads among the last commands.
    reads: f64,
    /// Pages that it offers, those that were discarded and not written since, and what random writes cost of what they do on a full drive.
    pages: u64,
    discarded: Ranges,
    left: f64,
}

/// The SLC cache.
#[derive(Clone, Copy, Debug, Persist)]
struct Slc {
    room: u64,
    taken: u64,
    /// Bytes that are folded in a second in which the back end has nothing else to do.
    fold: f64,
    /// The back end has been idle since.
    idle_since: Option<Time>,
}

impl State {
    pub(super) fn new(units: u32, room: u64, slc: Option<(u64, f64)>, blocks: u64) -> Self {
        let slc = slc.map(|(room, fold)| Slc { room, taken: 0, fold, idle_since: Some(Time::ZERO) });
        Self {
            commands: Slab::new(),
            units: vec![Time::ZERO; units as usize],
            writing: Streams::default(),
            reading: Streams::default(),
            room,
            taken: 0,
            waiting: 0,
            due: Time::ZERO,
            received: 0,
            written: 0,
            read_first: 0,
            unflushed: false,
            slc,
            reads: 0.5,
            pages: blocks * SECTOR_BYTES / PAGE,
            discarded: Ranges::default(),
            left: 1.0,
        }
    }

    /// Takes a command of so many parts: its number.
    pub(super) fn open(&mut self, request: BlockRequest, parts: u32) -> u32 {
        self.commands.insert((request, parts))
    }

    /// A part of a command is done: the command, where that was its last.
    pub(super) fn close_part(&mut self, command: u32) -> Option<BlockRequest> {
        let (_, left) = self.commands.get_mut(command)?;
        *left -= 1;
        let is_last = *left == 0;
        if is_last { self.commands.remove(command).map(|(request, _)| request) } else { None }
    }

    /// A command at work.
    pub(super) fn command(&self, command: u32) -> Option<&BlockRequest> {
        self.commands.get(command).map(|(request, _)| request)
    }

    /// When a unit has read a stripe for whoever asks it now, taking so long.
    pub(super) fn read_stripe(&mut self, stripe: u64, now: Time, takes: Time) -> Time {
        let count = self.units.len() as u64;
        // Neighbours lie in neighbouring units; where each row of units begins is as good as random, so that no stride meets one alone.
        let (row, column) = (stripe / count, stripe % count);
        let unit = as_index((petrio_random::mix(row) % count + column) % count);
        let free = self.units[unit].max(now) + takes;
        self.units[unit] = free;
        free
    }

    /// What a write of so many bytes takes of the memory: no more than half of it, for of a long one what came first has left before
    /// the last has come, and the next crosses the link meanwhile.
    fn share(&self, bytes: u64) -> u64 {
        bytes.min(self.room.div_ceil(2))
    }

    /// Whether there is room for a write.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.taken + self.share(bytes) <= self.room
    }

    /// Takes the room.
    pub(super) fn take_room(&mut self, bytes: u64) {
        self.taken += self.share(bytes);
    }

    /// Bytes that memory holds, and for how many there is room.
    pub(super) fn held(&self) -> (u64, u64) {
        (self.taken, self.room)
    }

    /// Bytes that the SLC cache holds, and for how many there is room.
    pub(super) fn slc(&self) -> (u64, u64) {
        self.slc.map_or((0, 0), |slc| (slc.taken, slc.room))
    }

    /// Pages that it has read because a write covers them in part.
    pub(super) fn read_first(&self) -> u64 {
        self.read_first
    }

    /// A read waits for the back end.
    pub(super) fn ask(&mut self) {
        self.waiting += 1;
    }

    /// A write's data have come: its pieces, and the number of the last.
    pub(super) fn receive(
        &mut self,
        figures: &Figures,
        now: Time,
        request: &BlockRequest,
    ) -> (Vec<Piece>, u64) {
        let (bytes, reads_first) = pages(request);
        let first = request.address * SECTOR_BYTES / PAGE;
        if !self.discarded.is_empty() && self.discarded.remove(first, first + bytes / PAGE) > 0 {
            self.left = figures.part_left(self.pages, self.discarded.count());
        }
        let in_order = self.writing.continue_with(request);
        let (each, share) = (figures.piece(), self.share(bytes));
        let count = bytes.div_ceil(each).max(1);
        let mut due = self.due.max(now);
        let pieces = (0..count)
            .map(|number| {
                let part = (bytes - number * each).min(each);
                let piece = Piece {
                    due,
                    bytes: part,
                    of: bytes,
                    in_order,
                    // Together they give back what the write took.
                    room: share * (number + 1) / count - share * number / count,
                    reads_first: reads_first && number == 0,
                };
                due += figures.writes((part, bytes), (in_order, false), (self.reads, self.left));
                piece
            })
            .collect();
        self.due = due;
        self.unflushed = true;
        self.waiting += count;
        self.received += count;
        (pieces, self.received)
    }

    /// What a range holds is wanted no longer: all pages that lie in it.
    pub(super) fn discard(&mut self, figures: &Figures, request: &BlockRequest) {
        let first = (request.address * SECTOR_BYTES).div_ceil(PAGE);
        if self.discarded.insert(first, request.end() * SECTOR_BYTES / PAGE) > 0 {
            self.left = figures.part_left(self.pages, self.discarded.count());
        }
    }

    /// What random writes cost of what they do on a full drive.
    pub(super) fn part_left(&self) -> f64 {
        self.left
    }

    /// What must have been written before a flush that comes now is done.
    pub(super) fn to_flush(&self) -> u64 {
        self.received
    }

    /// Whether so many pieces have been written.
    pub(super) fn is_written(&self, pieces: u64) -> bool {
        self.written >= pieces
    }

    /// A flush ends: whether it had anything to do.
    pub(super) fn flushed(&mut self) -> bool {
        std::mem::take(&mut self.unflushed)
    }

    /// The back end begins a read: what is asked, whether it goes on where another ended, and the share of reads among the last commands.
    pub(super) fn begin_read(&mut self, now: Time, command: u32) -> Option<(BlockRequest, bool, f64)> {
        let share = self.begin(now, true);
        let request = self.commands.get(command).map(|(request, _)| request.clone())?;
        let in_order = self.reading.continue_with(&request);
        Some((request, in_order, share))
    }

    /// The back end begins a piece: whether the SLC cache is full, so that it goes past it, and the share of reads.
    pub(super) fn begin_piece(&mut self, now: Time, piece: &Piece) -> (bool, f64) {
        let share = self.begin(now, false);
        self.read_first += u64::from(piece.reads_first);
        let Some(slc) = &mut self.slc else { return (false, share) };
        let behind = slc.taken + piece.bytes > slc.room;
        if !behind {
            slc.taken += piece.bytes;
        }
        (behind, share)
    }

    fn begin(&mut self, now: Time, is_read: bool) -> f64 {
        self.waiting -= 1;
        if let Some(slc) = &mut self.slc
            && let Some(since) = slc.idle_since.take()
        {
            let folded = slc.fold * (now - since).as_seconds();
            slc.taken = slc.taken.saturating_sub(whole_part(folded));
        }
        self.reads += (f64::from(u8::from(is_read)) - self.reads) / WINDOW;
        self.reads
    }

    /// The back end has ended a read, or a piece, whose room is free again.
    pub(super) fn end(&mut self, now: Time, piece: Option<Piece>) {
        if let Some(piece) = piece {
            self.taken = self.taken.saturating_sub(piece.room);
            self.written += 1;
        }
        if let Some(slc) = &mut self.slc
            && self.waiting == 0
        {
            slc.idle_since = Some(now);
        }
    }
}

/// Stripes that a request touches, each with the bytes in it.
pub(super) fn stripes(request: &BlockRequest) -> impl Iterator<Item = (u64, u64)> + use<> {
    let (from, end) = (request.address * SECTOR_BYTES, request.end() * SECTOR_BYTES);
    let (first, last) = (from / STRIPE, end.saturating_sub(1) / STRIPE);
    (first..=last).map(move |stripe| {
        let (begins, ends) = (stripe * STRIPE, (stripe + 1) * STRIPE);
        (stripe, end.min(ends) - from.max(begins))
    })
}

/// Bytes of the pages that a write touches, and whether one of them is written in part, so that it must be read before.
pub(super) fn pages(request: &BlockRequest) -> (u64, bool) {
    let (from, end) = (request.address * SECTOR_BYTES, request.end() * SECTOR_BYTES);
    let bytes = end.div_ceil(PAGE) * PAGE - from / PAGE * PAGE;
    (bytes, from % PAGE != 0 || end % PAGE != 0)
}
