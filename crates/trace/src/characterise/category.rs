//! The four categories of files: whether a file was there before the trace, and whether it is there after it.
//!
//! Source: S.-L. Lo, *Ivy: a study on replicating data for performance improvement*, HPL-CSP-90-48, 1990, §5.

use serde::Serialize;
use std::ops::{Index, IndexMut};

/// Whether a file was there before and after the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileCategory {
    /// It was there before the trace and is there after it: a long-term file.
    BeforeAndAfter,
    /// It was created and deleted within the trace.
    CreatedAndDeleted,
    /// It was there before the trace and was deleted.
    BeforeAndDeleted,
    /// It was created and is there after the trace.
    CreatedAndSurvived,
}

impl FileCategory {
    /// All four, in the source's order.
    pub const ALL: [Self; 4] =
        [Self::BeforeAndAfter, Self::CreatedAndDeleted, Self::BeforeAndDeleted, Self::CreatedAndSurvived];

    /// Of a file that was created within the trace or not, and deleted within it or not.
    pub const fn of(created: bool, deleted: bool) -> Self {
        match (created, deleted) {
            (false, false) => Self::BeforeAndAfter,
            (true, true) => Self::CreatedAndDeleted,
            (false, true) => Self::BeforeAndDeleted,
            (true, false) => Self::CreatedAndSurvived,
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeforeAndAfter => "existed before and after",
            Self::CreatedAndDeleted => "created and deleted",
            Self::BeforeAndDeleted => "existed before, deleted",
            Self::CreatedAndSurvived => "created, survived",
        }
    }
}

/// A number for each category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ByCategory {
    /// Of files that were there before and after.
    pub before_and_after: u64,
    /// Of files created and deleted.
    pub created_and_deleted: u64,
    /// Of files that were there before and were deleted.
    pub before_and_deleted: u64,
    /// Of files created that survived.
    pub created_and_survived: u64,
}

impl ByCategory {
    /// Of all files.
    pub fn total(&self) -> u64 {
        FileCategory::ALL.into_iter().map(|category| self[category]).sum()
    }
}

impl Index<FileCategory> for ByCategory {
    type Output = u64;

    fn index(&self, category: FileCategory) -> &u64 {
        match category {
            FileCategory::BeforeAndAfter => &self.before_and_after,
            FileCategory::CreatedAndDeleted => &self.created_and_deleted,
            FileCategory::BeforeAndDeleted => &self.before_and_deleted,
            FileCategory::CreatedAndSurvived => &self.created_and_survived,
        }
    }
}

impl IndexMut<FileCategory> for ByCategory {
    fn index_mut(&mut self, category: FileCategory) -> &mut u64 {
        match category {
            FileCategory::BeforeAndAfter => &mut self.before_and_after,
            FileCategory::CreatedAndDeleted => &mut self.created_and_deleted,
            FileCategory::BeforeAndDeleted => &mut self.before_and_deleted,
            FileCategory::CreatedAndSurvived => &mut self.created_and_survived,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_category_has_a_number_of_its_own() {
        let mut numbers = ByCategory::default();
        for (number, category) in (1..).zip(FileCategory::ALL) {
            numbers[category] = number;
        }
        assert_eq!((numbers.before_and_after, numbers.created_and_survived, numbers.total()), (1, 4, 10));
        assert_eq!(FileCategory::of(false, true), FileCategory::BeforeAndDeleted);
    }
}
