//! Which inode a new file or directory gets.
//!
//! After fs/ext4/ialloc.c: a file's inode lies in its directory's group (with flexible groups: in the first group of
//! the flexible one that has room); first-level directories are spread by Orlov's rule over the groups with the fewest
//! directories and average room, starting where a hash of the name points; other directories stay near their parent. In
//! a group the first free inode is taken. The averages come from counters that, like the kernel's on one processor, lag
//! by up to 31 behind the truth: on a volume of one flexible group this decides where the first directories go.

use super::bitmap::Bitmaps;
use super::geometry::{FIRST_INODE, Geometry};
use petrio_persist::Persist;
use petrio_random::generator;
use petrio_random::uniform_below;
use petrio_units::numbers::as_number;

/// A count that is read without the last few changes: lib/percpu_counter.c with its batch of 32 on one processor.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct LaggingCount {
    seen: i64,
    rest: i64,
}

const BATCH: i64 = 32;

impl LaggingCount {
    pub(super) fn new(count: u64) -> Self {
        Self { seen: count as i64, rest: 0 }
    }

    pub(super) fn add(&mut self, change: i64) {
        self.rest += change;
        if self.rest.abs() >= BATCH {
            self.seen += self.rest;
            self.rest = 0;
        }
    }

    fn read(self) -> u64 {
        self.seen.max(0).cast_unsigned()
    }
}

/// The inodes of a volume.
#[derive(Clone, Debug, Persist)]
pub(super) struct Inodes {
    pub(super) bitmaps: Bitmaps,
    directories: Vec<u32>,
    /// How many inodes of each group were ever in use up to the last of them (what bg_itable_unused leaves).
    reached: Vec<u32>,
    free: LaggingCount,
    directory_count: LaggingCount,
}

/// Where a directory has its inode and where it last made one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParentPlace {
    pub(super) inode: u32,
    pub(super) group: u32,
    /// Whether its subdirectories are spread: it is the root.
    pub(super) top: bool,
    pub(super) last: Option<u32>,
}

impl Inodes {
    pub(super) fn new(geometry: &Geometry) -> Self {
        let count = u64::from(geometry.inodes_per_group) * u64::from(geometry.groups);
        let lead = |group| if group == 0 { FIRST_INODE } else { 0 };
        let bitmaps = Bitmaps::new(geometry.inodes_per_group, count, lead);
        let mut directories = vec![0; geometry.groups as usize];
        // The root and lost+found.
        directories[0] = 2;
        let free = LaggingCount::new(bitmaps.free());
        let mut reached = vec![0; geometry.groups as usize];
        reached[0] = FIRST_INODE;
        Self { bitmaps, directories, reached, free, directory_count: LaggingCount::new(2) }
    }

    /// Takes the inode for a new file; its number, from 1.
    pub(super) fn take(
        &mut self,
        geometry: &Geometry,
        blocks: &Bitmaps,
        free_blocks: LaggingCount,
        parent: ParentPlace,
        directory: Option<u32>,
    ) -> Option<u32> {
        let group = match directory {
            Some(hash) => self.orlov(geometry, blocks, free_blocks, parent, Some(hash)),
            None => self.near_parent(geometry, blocks, free_blocks, parent),
        }?;
        let run = self.bitmaps.run_in(group, 0, 1, 1)?;
        self.bitmaps.take(group, run.first..run.first + 1);
        let reached = &mut self.reached[group as usize];
        *reached = run.first.saturating_add(1).max(*reached);
        self.free.add(-1);
        if directory.is_some() {
            self.directories[group as usize] += 1;
            self.directory_count.add(1);
        }
        Some(as_number(self.bitmaps.number(group, run.first)) + 1)
    }

    /// How many inodes of a group were ever in use, up to the last of them.
    pub(super) fn reached(&self, group: u32) -> u32 {
        self.reached[group as usize]
    }

    /// Gives an inode back.
    pub(super) fn give_back(&mut self, inode: u32, directory: bool) {
        let number = u64::from(inode) - 1;
        self.bitmaps.give_back(number..number + 1);
        self.free.add(1);
        if directory {
            self.directories[self.bitmaps.place(number).0 as usize] -= 1;
            self.directory_count.add(-1);
        }
    }

    /// Whether another inode of the same block of the table is in use, so that the block must be read before it
    /// changes.
    pub(super) fn has_neighbours(&self, geometry: &Geometry, inode: u32) -> bool {
        let (group, bit) = self.bitmaps.place(u64::from(inode) - 1);
        let first = bit - bit % geometry.inodes_per_block;
        (first..first + geometry.inodes_per_block)
            .any(|other| other != bit && self.bitmaps.is_taken(self.bitmaps.number(group, other)))
    }

    fn groups_of_flex(geometry: &Geometry, flex: u32) -> std::ops::Range<u32> {
        flex * geometry.flex..((flex + 1) * geometry.flex).min(geometry.groups)
    }

    /// find_group_other.
    fn near_parent(
        &self,
        geometry: &Geometry,
        blocks: &Bitmaps,
        free_blocks: LaggingCount,
        parent: ParentPlace,
    ) -> Option<u32> {
        let has_inode = |group: u32| self.bitmaps.free_in(group) > 0;
        let has_both = |group: u32| has_inode(group) && blocks.free_in(group) > 0;
        if geometry.flex > 1 {
            for group in [Some(parent.group), parent.last].into_iter().flatten() {
                let found =
                    Self::groups_of_flex(geometry, group / geometry.flex).find(|&group| has_inode(group));
                if found.is_some() {
                    return found;
                }
            }
            return self.orlov(geometry, blocks, free_blocks, parent, None);
        }
        if has_both(parent.group) {
            return Some(parent.group);
        }
        let groups = geometry.groups;
        let mut group = as_number((u64::from(parent.group) + u64::from(parent.inode)) % u64::from(groups));
        let mut step = 1;
        while step < groups {
            group = (group + step) % groups;
            if has_both(group) {
                return Some(group);
            }
            step *= 2;
        }
        (1..=groups).map(|step| (parent.group + step) % groups).find(|&group| has_inode(group))
    }

    /// find_group_orlov: `hash` is that of a new directory's name; none where a file is looked for.
    fn orlov(
        &self,
        geometry: &Geometry,
        blocks: &Bitmaps,
        free_blocks: LaggingCount,
        parent: ParentPlace,
        hash: Option<u32>,
    ) -> Option<u32> {
        let flexes = geometry.groups.div_ceil(geometry.flex);
        let average_inodes = self.free.read() / u64::from(flexes);
        let average_blocks = free_blocks.read() / u64::from(flexes);
        let sum = |flex: u32, of: &dyn Fn(u32) -> u32| -> u64 {
            Self::groups_of_flex(geometry, flex).map(|group| u64::from(of(group))).sum()
        };
        let inodes = |flex| sum(flex, &|group| self.bitmaps.free_in(group));
        let free = |flex| sum(flex, &|group| blocks.free_in(group));
        let directories = |flex| sum(flex, &|group| self.directories[group as usize]);
        let mut found = None;
        match hash {
            Some(hash) if parent.top => {
                // The name's hash decides where the search begins, so that ties fall anywhere.
                let start = as_number(uniform_below(
                    &mut generator(u64::from(hash), 0, "directory", "group"),
                    u64::from(flexes),
                ));
                let mut fewest = u64::from(geometry.inodes_per_group);
                for flex in (0..flexes).map(|step| (start + step) % flexes) {
                    let inodes = inodes(flex);
                    if inodes > 0
                        && inodes >= average_inodes
                        && directories(flex) < fewest
                        && free(flex) >= average_blocks
                    {
                        fewest = directories(flex);
                        found = Some(flex);
                    }
                }
            }
            _ => {
                let per_group = u64::from(geometry.inodes_per_group);
                let flex_size = u64::from(geometry.flex);
                let most = self.directory_count.read() / u64::from(flexes) + per_group / 16;
                let least_inodes = average_inodes.saturating_sub(per_group * flex_size / 4).max(1);
                let least_blocks =
                    average_blocks.saturating_sub(u64::from(geometry.blocks_per_group) * flex_size / 4);
                let start = parent.last.unwrap_or(parent.group) / geometry.flex;
                found = (0..flexes).map(|step| (start + step) % flexes).find(|&flex| {
                    directories(flex) < most && inodes(flex) >= least_inodes && free(flex) >= least_blocks
                });
            }
        }
        let in_flex = found.and_then(|flex| {
            Self::groups_of_flex(geometry, flex).find(|&group| self.bitmaps.free_in(group) > 0)
        });
        in_flex.or_else(|| {
            let average = self.free.read() / u64::from(geometry.groups);
            let around = || (0..geometry.groups).map(|step| (parent.group + step) % geometry.groups);
            let free = |group: u32| u64::from(self.bitmaps.free_in(group));
            around()
                .find(|&group| free(group) > 0 && free(group) >= average)
                .or_else(|| around().find(|&group| free(group) > 0))
        })
    }
}
