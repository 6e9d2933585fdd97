//! Where free blocks are found: the two allocators.
//!
//! *Reservation* (fs/ext3/balloc.c of Linux 2.6.24): each file that is written has a window of blocks that nobody else
//! takes from, 8 at first and doubled up to 1027 while more than half of it is used; it is put at the goal, or at the
//! next free place. A block outside of windows is taken at the goal, or else where eight free blocks lie together, or
//! else anywhere.
//!
//! *Multi-block* (fs/ext4/mballoc.c): a request for a file is made larger (to a power of two up to 1 MiB by the file's
//! size, then 2, 4 and 8 MiB) and what isn't used is kept for the file; files of up to 16 blocks share a chunk of 512.
//! The kernel's buddy bitmaps are stood for by the rules that they lead to: a power of two lies at a multiple of
//! itself, and of data not in the first of a flexible group; any other length takes the best of the first ten free runs
//! that it meets in a group. Leaves out stripes, clusters, discards, a processor's own chunk (there is one for all), the
//! several streams of a kernel with many processors, and that a file which is closed already has nothing kept for it.

use super::bitmap::Run;
use super::parameters::{Allocation, BLOCK_SIZE, Family};
use super::volume::{Inode, Volume, Window};
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// The largest window of a reservation (EXT3_MAX_RESERVE_BLOCKS).
const LARGEST_WINDOW: u32 = 1027;
/// Files of up to so many blocks share a chunk (MB_DEFAULT_STREAM_THRESHOLD).
const SMALL_FILE: u64 = 16;
/// Blocks of that chunk (MB_DEFAULT_GROUP_PREALLOC).
const SMALL_CHUNK: u32 = 512;
/// Groups of a flexible group from which on its first is for directories (EXT4_FLEX_SIZE_DIR_ALLOC_SCHEME).
pub(super) const FLEX_FOR_DIRECTORIES: u32 = 4;
/// Groups from which on they aren't looked through one after the other (MB_DEFAULT_LINEAR_SCAN_THRESHOLD).
const LOOKED_THROUGH: u32 = 16;
/// Blocks of the largest buddy (MB_NUM_ORDERS of blocks of 4 KiB).
const LARGEST_BUDDY: u32 = 8192;
/// Free runs looked at before the best of them is taken (MB_DEFAULT_MIN_TO_SCAN).
const RUNS_LOOKED_AT: u32 = 10;

/// What blocks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// A plain file's data.
    Data,
    /// Indirect blocks, nodes of extent trees, directories.
    Metadata,
    /// A plain file's data that are to come: just as many are looked for as are asked for.
    Nothing,
}

impl Holds {
    pub(super) fn data(inode: &Inode) -> Self {
        if inode.directory.is_some() { Self::Metadata } else { Self::Data }
    }
}

impl Volume {
    /// Takes up to `most` blocks that follow one another, for the file's block `at` and those behind it.
    pub(super) fn search(
        &mut self,
        inode: &mut Inode,
        holds: Holds,
        at: u64,
        most: u64,
        goal: u64,
    ) -> Option<(u64, u64)> {
        let found = match (holds, self.allocation) {
            (Holds::Metadata, Allocation::Reservation) => self.near(goal, most),
            (Holds::Metadata, Allocation::MultiBlock) => self.of_metadata(goal),
            (Holds::Data, Allocation::Reservation) if self.parameters.reservation == 0 => {
                self.near(goal, most)
            }
            (Holds::Data, Allocation::Reservation) => self.reserved(inode, most, goal),
            (Holds::Data, Allocation::MultiBlock) => self.preallocated(inode, at, most, goal),
            (Holds::Nothing, _) => self.exact(inode, at, most, goal),
        };
        if found.is_some() || self.windowed == 0 {
            return found;
        }
        // Nothing is free but what is kept for others: take that back (ext4_mb_discard_preallocations).
        self.drop_reserve(inode);
        self.drop_all_windows();
        self.near(goal, most)
    }

    /// A block in the goal's group, or in one behind it. Only requests that say so look at the goal itself (`EXT4_MB_HINT_TRY_GOAL` in
    /// ext4_mb_find_by_goal), and this one doesn't.
    fn of_metadata(&mut self, goal: u64) -> Option<(u64, u64)> {
        let (start, groups) = (self.taken.place(goal).0, self.taken.groups());
        let run = (0..groups).find_map(|step| self.smallest_buddy((start + step) % groups))?;
        Some(self.take_run(run))
    }

    /// The first block of the smallest of the first few free buddies of a group; a single block is taken at once
    /// (ext4_mb_complex_scan_group, which looks for one block without a power of two: s_mb_order2_reqs is two).
    fn smallest_buddy(&self, group: u32) -> Option<Run> {
        let (mut best, mut from, mut looked_at) = (None, 0, 0);
        while looked_at < RUNS_LOOKED_AT
            && let Some(run) = self.taken.run_in(group, from, 1, u32::MAX)
        {
            from = run.first + run.count;
            let mut at = run.first;
            while at < from && looked_at < RUNS_LOOKED_AT {
                let aligned =
                    if at == 0 { LARGEST_BUDDY } else { 1 << at.trailing_zeros().min(LARGEST_BUDDY.ilog2()) };
                let size = aligned.min(1 << (from - at).ilog2());
                if best.is_none_or(|(known, _)| size < known) {
                    best = Some((size, at));
                }
                if size == 1 {
                    break;
                }
                (at, looked_at) = (at + size, looked_at + 1);
            }
            if best.is_some_and(|(size, _)| size == 1) {
                break;
            }
        }
        best.map(|(_, first)| Run { group, first, count: 1 })
    }

    /// Just so many blocks, behind those before where they are free; no more than a group has.
    fn exact(&mut self, inode: &mut Inode, at: u64, most: u64, goal: u64) -> Option<(u64, u64)> {
        if let Some(kept) = self.take_from_pieces(inode, at, most) {
            return Some(kept);
        }
        let goes_on = inode.extents.around(at).0.is_some_and(|extent| extent.end() == at);
        let is_small = (at + most).max(inode.size.div_ceil(BLOCK_SIZE)) <= SMALL_FILE;
        let start = if is_small { self.taken.place(goal).0 } else { self.stream };
        let wanted = as_number(most.min(u64::from(self.taken.size_of(0))));
        let roomy = if wanted > LARGEST_BUDDY { self.roomy_run(wanted, start) } else { None };
        let run = roomy.or_else(|| self.multi_block_run(goes_on.then_some(goal), wanted, start))?;
        if !is_small {
            self.stream = run.group;
        }
        Some(self.take_run(run))
    }

    /// More than a buddy: in a group whose free runs are that long on average (CR_GOAL_LEN_FAST of ext4_mb_good_group), the flexible
    /// group's before others'; of many groups only in those of which the buddy bitmaps are in memory.
    fn roomy_run(&self, wanted: u32, start: u32) -> Option<Run> {
        let (groups, flex) = (self.taken.groups(), self.geometry.flex);
        let own = start / flex * flex..((start / flex + 1) * flex).min(groups);
        let within = (start..own.end).chain(own.start..start);
        let others = (0..groups).map(|step| (start + step) % groups).filter(|group| !own.contains(group));
        let known = |group: &u32| groups < LOOKED_THROUGH || !self.taken.untouched(*group);
        let is_roomy = |&group: &u32| {
            let next = |from| self.taken.run_in(group, from, 1, u32::MAX);
            let runs = as_number(std::iter::successors(next(0), |run| next(run.first + run.count)).count());
            self.taken.free_in(group) / runs.max(1) >= wanted
        };
        let group = within.chain(others).filter(known).find(is_roomy)?;
        self.best_run(group, wanted)
    }

    /// Blocks at the goal, or the next free ones.
    pub(super) fn near(&mut self, goal: u64, most: u64) -> Option<(u64, u64)> {
        let run = self.free_run(goal, as_number(most.min(u64::from(u32::MAX))))?;
        Some(self.take_run(run))
    }

    fn take_run(&mut self, run: Run) -> (u64, u64) {
        self.taken.take(run.group, run.first..run.first + run.count);
        (self.taken.number(run.group, run.first), u64::from(run.count))
    }

    /// A free run at the goal or behind it, or in another group.
    fn free_run(&self, goal: u64, most: u32) -> Option<Run> {
        let (group, bit) = self.taken.place(goal);
        let count = self.taken.free_from(group, bit, most);
        if count > 0 {
            return Some(Run { group, first: bit, count });
        }
        let groups = self.taken.groups();
        // A byte of the bitmap without a bit set is looked for first, so that a file can go on for a while.
        for least in [8, 1] {
            if let Some(run) = self.taken.run_in(group, bit, least, most) {
                return Some(run);
            }
            let found =
                (0..groups).find_map(|step| self.taken.run_in((group + step) % groups, 0, least, most));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn reserved(&mut self, inode: &mut Inode, most: u64, goal: u64) -> Option<(u64, u64)> {
        let window = &mut inode.reserve(&self.parameters).window;
        if window.left == 0 || goal != window.next {
            let mut size = window.goal;
            if window.left == 0 && window.used * 2 > window.goal {
                size = (size * 2).min(LARGEST_WINDOW);
            }
            self.drop_window(window);
            let run = self.free_run(goal, size)?;
            let (next, left) = self.take_run(run);
            self.windowed += left;
            *window = Window { next, left, logical: 0, goal: size, used: 0 };
        }
        let count = window.left.min(most);
        let block = window.next;
        window.next += count;
        window.left -= count;
        window.used += as_number(count);
        self.windowed -= count;
        Some((block, count))
    }

    fn preallocated(&mut self, inode: &mut Inode, at: u64, most: u64, goal: u64) -> Option<(u64, u64)> {
        let extents = self.parameters.family == Family::Ext4;
        if let Some(kept) = self.take_from_pieces(inode, at, most) {
            return Some(kept);
        }
        // Without delayed allocation the writer asks page by page.
        let asked = if extents { most } else { 1 };
        let size = (at + asked).max(inode.size.div_ceil(BLOCK_SIZE));
        match () {
            () if size <= SMALL_FILE => self.of_small_chunk(most, goal),
            () if extents => self.for_extents(inode, (at, most), normalised(at, asked, size)),
            () => self.for_pointers(inode, (at, most), normalised(at, asked, size)),
        }
    }

    /// From a piece that is kept for just these blocks of a file (ext4_mb_use_inode_pa): what lies before and behind stays.
    fn take_from_pieces(&mut self, inode: &mut Inode, at: u64, most: u64) -> Option<(u64, u64)> {
        let pieces = &mut inode.reserve.as_mut()?.pieces;
        let piece =
            pieces.iter_mut().find(|piece| (piece.logical..piece.logical + piece.left).contains(&at))?;
        let skipped = at - piece.logical;
        let (block, left) = (piece.next + skipped, piece.left - skipped);
        let count = left.min(most);
        piece.left = skipped;
        pieces.push(Window {
            next: block + count,
            left: left - count,
            logical: at + count,
            ..Window::default()
        });
        pieces.retain(|piece| piece.left > 0);
        self.windowed -= count;
        Some((block, count))
    }

    /// A file of extents asks for no more of what is to be looked for than it neither has nor has had kept, and keeps what it doesn't
    /// use now, before the block it asks for, too.
    fn for_extents(
        &mut self,
        inode: &mut Inode,
        (at, most): (u64, u64),
        (start, length): (u64, u64),
    ) -> Option<(u64, u64)> {
        let (before, behind) = inode.extents.around(at);
        let kept = || inode.reserve.iter().flat_map(|reserve| &reserve.pieces);
        let ends = kept().map(|piece| piece.logical + piece.left).filter(|&end| end <= at);
        let begins = kept().map(|piece| piece.logical).filter(|&begin| begin > at);
        let end = begins.chain(behind.map(|extent| extent.first)).fold(start + length, u64::min).max(at + 1);
        let start = ends.chain(before.map(|extent| extent.end())).fold(start, u64::max).min(at);
        let wanted = as_number((end - start).min(u64::from(self.taken.size_of(0))));
        let goes_on = before.filter(|extent| extent.end() == start);
        let goal = goes_on.map(|extent| extent.block + u64::from(extent.count));
        let goal = goal.filter(|&block| block < self.geometry.blocks);
        let run = self.multi_block_run(goal, wanted, self.stream)?;
        self.stream = run.group;
        let taken = self.take_run(run);
        Some(self.keep_around(inode, taken, start, (at, most)))
    }

    /// Of blocks that were taken for a file's from `start` on, those that were asked for; what lies before and behind is kept. Too few to reach
    /// what is asked for are put there.
    fn keep_around(
        &mut self,
        inode: &mut Inode,
        (first, taken): (u64, u64),
        start: u64,
        (at, most): (u64, u64),
    ) -> (u64, u64) {
        let skipped = if at - start < taken { at - start } else { 0 };
        let count = (taken - skipped).min(most);
        let block = first + skipped;
        let piece = |next, left, logical| Window { next, left, logical, ..Window::default() };
        let around =
            [piece(first, skipped, start), piece(block + count, taken - skipped - count, at + count)];
        inode.reserve(&self.parameters).pieces.extend(around.into_iter().filter(|piece| piece.left > 0));
        self.windowed += taken - count;
        (block, count)
    }

    /// A file with indirect blocks asks for what it has, too (its requests don't tell what is beside them), except for what was kept for it before;
    /// what it gets before the block it asked for and behind is kept for just these blocks.
    fn for_pointers(
        &mut self,
        inode: &mut Inode,
        (at, most): (u64, u64),
        (start, length): (u64, u64),
    ) -> Option<(u64, u64)> {
        let (_, behind) = inode.extents.around(at);
        let reserve = inode.reserve(&self.parameters);
        let ends = reserve.pieces.iter().map(|piece| piece.logical + piece.left);
        let ends = ends.chain([reserve.kept_end]).filter(|&end| end <= at);
        let begins = reserve.pieces.iter().map(|piece| piece.logical).filter(|&begin| begin > at);
        let end = begins.chain(behind.map(|extent| extent.first)).fold(start + length, u64::min).max(at + 1);
        let start = ends.fold(start, u64::max).min(at);
        let wanted = as_number((end - start).min(u64::from(self.taken.size_of(0))));
        let run = self.multi_block_run(None, wanted, self.stream)?;
        self.stream = run.group;
        let (first, taken) = self.take_run(run);
        // What begins before isn't used up soon, and others may not have it (ext4_mb_normalize_request); what is used up is forgotten.
        if start < at && at - start < taken {
            let reserve = inode.reserve(&self.parameters);
            reserve.kept_end = reserve.kept_end.max(start + taken);
        }
        Some(self.keep_around(inode, (first, taken), start, (at, most)))
    }

    /// From the chunk that small files share.
    fn of_small_chunk(&mut self, most: u64, goal: u64) -> Option<(u64, u64)> {
        if self.small.left < most {
            let mut small = self.small;
            self.drop_window(&mut small);
            self.small = small;
            let run = self.multi_block_run(None, SMALL_CHUNK, self.taken.place(goal).0)?;
            let (next, left) = self.take_run(run);
            self.windowed += left;
            self.small = Window { next, left, ..Window::default() };
        }
        let count = self.small.left.min(most);
        let block = self.small.next;
        self.small.next += count;
        self.small.left -= count;
        self.windowed -= count;
        Some((block, count))
    }

    /// ext4_mb_regular_allocator: at the goal where the file goes on there, else what fits best, from a group on.
    fn multi_block_run(&self, goal: Option<u64>, wanted: u32, start: u32) -> Option<Run> {
        if let Some((group, bit)) = goal.map(|goal| self.taken.place(goal))
            && self.taken.free_from(group, bit, wanted) == wanted
        {
            return Some(Run { group, first: bit, count: wanted });
        }
        let groups = self.taken.groups();
        let around = || (0..groups).map(|step| (start + step) % groups);
        if wanted.is_power_of_two()
            && let Some(run) = around()
                .filter(|&group| self.gives_powers(group))
                .find_map(|group| self.taken.chunk_in(group, wanted))
        {
            return Some(run);
        }
        let mut wanted = wanted;
        loop {
            for group in around() {
                let run = if self.taken.untouched(group) {
                    // The buddy bitmaps aren't there yet, and the first place that fits is taken.
                    self.taken.run_in(group, 0, wanted, wanted)
                } else if wanted.is_power_of_two() {
                    self.taken.chunk_in(group, wanted)
                } else {
                    self.best_run(group, wanted)
                };
                if run.is_some() {
                    return run;
                }
            }
            if wanted == 1 {
                return None;
            }
            wanted = if wanted.is_power_of_two() { wanted / 2 } else { 1 << wanted.ilog2() };
        }
    }

    /// Whether data are looked for in a group by powers of two: not in the first of a flexible group, which is for directories
    /// (ext4_mb_good_group), and of many groups only in those of which the buddy bitmaps are in memory, which come by flexible groups
    /// (ext4_mb_prefetch).
    fn gives_powers(&self, group: u32) -> bool {
        let flex = self.geometry.flex;
        let together = group / flex * flex..((group / flex + 1) * flex).min(self.taken.groups());
        flex >= FLEX_FOR_DIRECTORIES
            && !group.is_multiple_of(flex)
            && (self.taken.groups() < LOOKED_THROUGH
                || together.into_iter().any(|group| !self.taken.untouched(group)))
    }

    /// The shortest of the first few free runs that are long enough.
    fn best_run(&self, group: u32, wanted: u32) -> Option<Run> {
        let mut best: Option<Run> = None;
        let mut from = 0;
        for _ in 0..RUNS_LOOKED_AT {
            let Some(run) = self.taken.run_in(group, from, wanted, u32::MAX) else { break };
            from = run.first + run.count;
            if best.is_none_or(|best| run.count < best.count) {
                best = Some(run);
            }
        }
        best.map(|run| Run { count: wanted, ..run })
    }

    fn give_back_window(&mut self, block: u64, count: u64) {
        if count > 0 {
            self.taken.give_back(block..block + count);
            self.windowed -= count;
        }
    }

    /// Gives back what a window still keeps.
    pub(super) fn drop_window(&mut self, window: &mut Window) {
        self.give_back_window(window.next, window.left);
        window.left = 0;
    }

    /// Gives back all that is kept for a file.
    pub(super) fn drop_reserve(&mut self, inode: &mut Inode) {
        let Some(reserve) = &mut inode.reserve else { return };
        self.drop_window(&mut reserve.window);
        for piece in std::mem::take(&mut reserve.pieces) {
            self.give_back_window(piece.next, piece.left);
        }
        reserve.kept_end = 0;
    }

    fn drop_all_windows(&mut self) {
        let keeps = |inode: &Inode| {
            inode
                .reserve
                .as_ref()
                .is_some_and(|reserve| reserve.window.left > 0 || !reserve.pieces.is_empty())
        };
        let keeping = self.files.iter().filter(|(_, inode)| keeps(inode)).map(|(number, _)| number);
        for number in keeping.collect::<Vec<_>>() {
            if let Some(mut taken) = self.files.take(number) {
                self.drop_reserve(Arc::make_mut(&mut taken));
                self.files.put(number, taken);
            }
        }
        let mut small = self.small;
        self.drop_window(&mut small);
        self.small = small;
    }
}

/// ext4_mb_normalize_request: first block and number of blocks to look for, by the size that the file then has.
fn normalised(at: u64, most: u64, size: u64) -> (u64, u64) {
    const KIBI: u64 = 1024;
    let bytes = size * BLOCK_SIZE;
    let blocks = |bytes: u64| bytes / BLOCK_SIZE;
    let aligned = |bits: u32| (at * BLOCK_SIZE) >> bits << bits;
    match bytes {
        _ if bytes <= KIBI * KIBI => (0, blocks(bytes.next_power_of_two().max(16 * KIBI))),
        _ if bytes <= 4 * KIBI * KIBI => (blocks(aligned(21)), blocks(2 << 20)),
        _ if bytes <= 8 * KIBI * KIBI => (blocks(aligned(22)), blocks(4 << 20)),
        _ if most * BLOCK_SIZE <= 8 << 20 => (blocks(aligned(23)), blocks(8 << 20)),
        _ => (at, most),
    }
}
