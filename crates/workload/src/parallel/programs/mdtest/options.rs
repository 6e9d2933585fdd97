//! What mdtest's options mean.

/// How mdtest is told to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MdtestOptions {
    /// Ranks that a launcher before it was told to start, where there is one (mpirun -np).
    pub launched: Option<u32>,
    /// Items of each rank (-n), rounded down so that each directory has as many.
    pub items: u64,
    /// Items in each directory of the tree (-I); instead of `items`.
    pub per_directory: u64,
    /// Levels of the tree below its top (-z).
    pub depth: u32,
    /// Directories in each directory of the tree (-b).
    pub branches: u32,
    /// Whether items lie in the lowest level only (-L).
    pub leaves_only: bool,
    /// Whether items are looked at in an order that is drawn (-R).
    pub random_stat: bool,
    /// Seconds before each repetition (-p).
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
    /// Whether files are read (-E).
    pub read: bool,
    /// Whether items are removed (-r).
    pub remove: bool,
    /// Bytes written to each file (-w).
    pub write_bytes: u64,
    /// Bytes read of each file (-e).
    pub read_bytes: u64,
    /// fsync after writing (-y).
    pub fsync: bool,
    /// sync after each phase, within its time (-Y).
    pub sync: bool,
    /// Ranks between who has made an item and who looks at it (-N).
    pub stride: u32,
    /// Whether ranks wait for each other after each phase (without -B).
    pub barriers: bool,
    /// Whether the first rank makes and removes the items, and the trees, of all (-c); each still opens and writes its files.
    pub collective: bool,
    /// Times (-i).
    pub repetitions: u32,
    /// Seconds after which making files ends, once all ranks have as many as the first (-W); zero without.
    pub deadline_seconds: u32,
}

impl Default for MdtestOptions {
    /// mdtest's own (src/mdtest.c: mdtest_init_args), all phases.
    fn default() -> Self {
        Self {
            launched: None,
            items: 0,
            per_directory: 0,
            depth: 0,
            branches: 1,
            leaves_only: false,
            random_stat: false,
            delay_seconds: 0,
            unique: false,
            files: true,
            directories: true,
            create: true,
            stat: true,
            read: true,
            remove: true,
            write_bytes: 0,
            read_bytes: 0,
            fsync: false,
            sync: false,
            stride: 0,
            barriers: true,
            collective: false,
            repetitions: 1,
            deadline_seconds: 0,
        }
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::parallel::programs) enum Item {
    Directory,
    File,
}

/// What is done to all items before what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::parallel::programs) enum Phase {
    MakeTree,
    Create(Item),
    Stat(Item),
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
            Self::Remove(Item::Directory) => ("directory removal", "directory"),
            Self::Create(Item::File) => ("file creation", "file"),
            Self::Stat(Item::File) => ("file stat", "file"),
            Self::Read => ("file read", "file"),
            Self::Remove(Item::File) => ("file removal", "file"),
            Self::Find => return None,
        })
    }

    /// Whether mdtest ends it with a sync, if it is told to, and with a barrier without being told not to.
    pub(super) const fn is_of_items(self) -> bool {
        !matches!(self, Self::MakeTree | Self::RemoveTree | Self::Find)
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
            add(wanted && self.read && item == Item::File, Phase::Read);
            add(wanted && self.remove, Phase::Remove(item));
        }
        add(self.remove, Phase::RemoveTree);
        phases
    }
}
