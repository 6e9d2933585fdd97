//! What mdtest's options mean.

use crate::parallel::programs::launcher::Launch;
use petrio_persist::Persist;

/// How mdtest is told to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdtestOptions {
    /// What a launcher before it was told, where there is one (mpirun -np).
    pub launch: Launch,
    /// Items of each rank (-n), rounded down so that each directory has as many.
    pub items: u64,
    /// Items in each directory of the tree (-I); instead of `items`, or, with these, as many to a tree.
    pub per_directory: u64,
    /// Levels of the tree below its top (-z).
    pub depth: u32,
    /// Directories in each directory of the tree (-b).
    pub branches: u32,
    /// Whether items lie in the lowest level only (-L).
    pub leaves_only: bool,
    /// Whether items are looked at and read in an order that is drawn (-R).
    pub random: bool,
    /// Seconds before the directories of each repetition, and before its files (-p).
    pub delay_seconds: u32,
    /// Whether each rank has a tree of its own (-u).
    pub unique: bool,
    /// Whether items are files (without -D).
    pub files: bool,
    /// Whether items are directories (without -F).
    pub directories: bool,
    /// Whether items are made (-C).
    pub create: bool,
    /// Whether they are looked at (-T).
    pub stat: bool,
    /// Whether directories are renamed (-U).
    pub rename: bool,
    /// Whether files are read (-E).
    pub read: bool,
    /// Whether items are removed (-r).
    pub remove: bool,
    /// Bytes written to each file (-w).
    pub write_bytes: u64,
    /// Bytes read of each file (-e).
    pub read_bytes: u64,
    /// Whether each file is read once it is written (--verify-write).
    pub verify_write: bool,
    /// fsync after writing (-y).
    pub fsync: bool,
    /// sync after each phase, within its time (-Y).
    pub sync: bool,
    /// Hosts between who has made an item and who looks at it, or ranks where there is one host (-N).
    pub stride: u32,
    /// Whether ranks wait for each other after each phase (without -B).
    pub barriers: bool,
    /// Whether the first rank makes and removes the items, and the trees, of all (-c); each still opens and writes its files.
    pub collective: bool,
    /// Times (-i).
    pub repetitions: u32,
    /// Numbers of ranks on which it runs, one after the other (-f -l -s); all where the last is zero.
    pub first: u32,
    /// See `first`.
    pub last: u32,
    /// See `first`.
    pub step: u32,
    /// Seconds after which making files ends, once all ranks have as many as the first (-W); zero without.
    pub deadline_seconds: u32,
}

impl Default for MdtestOptions {
    /// mdtest's own (src/mdtest.c: mdtest_init_args), all phases.
    fn default() -> Self {
        Self {
            launch: Launch::default(),
            items: 0,
            per_directory: 0,
            depth: 0,
            branches: 1,
            leaves_only: false,
            random: false,
            delay_seconds: 0,
            unique: false,
            files: true,
            directories: true,
            create: true,
            stat: true,
            rename: true,
            read: true,
            remove: true,
            write_bytes: 0,
            read_bytes: 0,
            verify_write: false,
            fsync: false,
            sync: false,
            stride: 0,
            barriers: true,
            collective: false,
            repetitions: 1,
            first: 1,
            last: 0,
            step: 1,
            deadline_seconds: 0,
        }
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(in crate::parallel::programs) enum Item {
    Directory,
    File,
}

/// What is done to all items before what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(in crate::parallel::programs) enum Phase {
    MakeTree,
    Create(Item),
    Stat(Item),
    /// Directories take the names of those before them.
    Rename,
    Read,
    Remove(Item),
    RemoveTree,
    /// Directories are listed, and files whose number has a "01" in it are looked at: what IO500's find does.
    Find,
}

impl Phase {
    /// What mdtest calls it, and one of what it counts; `None` of what isn't mdtest's.
    pub(super) const fn words(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::MakeTree => ("tree creation", "directory"),
            Self::RemoveTree => ("tree removal", "directory"),
            Self::Create(Item::Directory) => ("directory creation", "directory"),
            Self::Stat(Item::Directory) => ("directory stat", "directory"),
            Self::Rename => ("directory rename", "directory"),
            Self::Remove(Item::Directory) => ("directory removal", "directory"),
            Self::Create(Item::File) => ("file creation", "file"),
            Self::Stat(Item::File) => ("file stat", "file"),
            Self::Read => ("file read", "file"),
            Self::Remove(Item::File) => ("file removal", "file"),
            Self::Find => return None,
        })
    }

    /// The items that mdtest does it to, if it is mdtest's; it ends with a sync, if it is told to, and with a barrier without
    /// being told not to.
    pub(super) const fn items(self) -> Option<Item> {
        match self {
            Self::Create(item) | Self::Stat(item) | Self::Remove(item) => Some(item),
            Self::Rename => Some(Item::Directory),
            Self::Read => Some(Item::File),
            Self::MakeTree | Self::RemoveTree | Self::Find => None,
        }
    }
}

impl MdtestOptions {
    /// In order, of one repetition.
    pub(in crate::parallel::programs) fn phases(&self) -> Vec<Phase> {
        let mut phases = Vec::new();
        let mut add = |wanted: bool, phase| {
            if wanted {
                phases.push(phase);
            }
        };
        add(self.create, Phase::MakeTree);
        for (item, wanted) in [(Item::Directory, self.directories), (Item::File, self.files)] {
            add(wanted && self.create, Phase::Create(item));
            add(wanted && self.stat, Phase::Stat(item));
            add(wanted && self.rename && item == Item::Directory, Phase::Rename);
            add(wanted && self.read && item == Item::File, Phase::Read);
            add(wanted && self.remove, Phase::Remove(item));
        }
        add(self.remove, Phase::RemoveTree);
        phases
    }
    /// Trees of a repetition, of each rank or of all: those over which `items` spread by so many a directory.
    pub(super) const fn trees(&self) -> u64 {
        if self.items > 0 && self.per_directory > 0 { self.items / self.per_directory } else { 1 }
    }

    /// Whether a repetition leaves nothing of its own behind.
    pub(super) const fn cleans_up(&self) -> bool {
        self.create && self.remove
    }

    /// The numbers of ranks, of so many that there are, on which it runs.
    pub(super) fn runs(&self, ranks: u32) -> Vec<u32> {
        match self.last {
            0 => vec![ranks],
            last => (self.first..=last).step_by(self.step as usize).collect(),
        }
    }
}
