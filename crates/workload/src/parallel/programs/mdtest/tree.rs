//! The directories among which mdtest's items are spread, by numbers alone.

use super::options::MdtestOptions;
use crate::parallel::programs::refuse;
use crate::program::ProgramError;

/// A tree of directories, its top first, then level by level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    pub(super) branches: u64,
    pub(super) directories: u64,
    /// The first directory in which items lie, and how many lie in each.
    pub(super) first: u64,
    pub(super) per_directory: u64,
}

impl Tree {
    pub(super) fn new(options: &MdtestOptions) -> Result<Self, ProgramError> {
        let branches = u64::from(options.branches);
        let (mut directories, mut level) = (1u64, 1u64);
        for _ in 0..options.depth {
            level = level.saturating_mul(branches);
            directories = directories.saturating_add(level);
            if directories > u64::from(u32::MAX) {
                return refuse("command", "-z and -b: the tree has more directories than there are numbers");
            }
        }
        let with_items = if options.leaves_only { level } else { directories };
        let per_directory =
            if options.per_directory > 0 { options.per_directory } else { options.items / with_items };
        if per_directory == 0 {
            let problem =
                format!("-n {} are fewer items than the tree's {with_items} directories", options.items);
            return refuse("command", problem);
        }
        Ok(Self { branches, directories, first: directories - with_items, per_directory })
    }

    /// Items in the whole of it.
    pub(super) const fn items(&self) -> u64 {
        (self.directories - self.first).saturating_mul(self.per_directory)
    }

    pub(super) const fn parent(&self, directory: u64) -> Option<u64> {
        match directory.checked_sub(1) {
            Some(before) => Some(before / self.branches),
            None => None,
        }
    }
}
