//! What a block request is for.

use petrio_persist::Persist;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What one of those who make block requests makes it for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub enum Purpose {
    /// What programs keep: contents of files, or of the device where no file system lies on it.
    Data,
    /// What a file system keeps about them: inodes, directories, bitmaps, indirect blocks and nodes of extents.
    Metadata,
    /// The log of a journal.
    Journal,
    /// Memory of processes.
    Swap,
    /// What only redundancy needs: parity, further copies, and what is read to make or do without them.
    Redundancy,
    /// Filling what has taken a failed member's place.
    Rebuild,
    /// Copies of files made, pieces moved: what storage does of its own accord.
    Copy,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Data, Self::Metadata, Self::Journal, Self::Swap, Self::Redundancy, Self::Rebuild, Self::Copy];

    /// What it is called in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Metadata => "metadata",
            Self::Journal => "journal",
            Self::Swap => "swap",
            Self::Redundancy => "redundancy",
            Self::Rebuild => "rebuild",
            Self::Copy => "copy",
        }
    }
}

/// What a request is for: one purpose, or those of all that were merged into it.
///
/// ```
/// use petrio_colours::{Purpose, Purposes};
/// let merged = Purposes::from(Purpose::Metadata).and(Purposes::default());
/// assert_eq!(merged.to_string(), "data+metadata");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Persist)]
#[serde(transparent)]
pub struct Purposes(u8);

/// Of whoever doesn't say.
impl Default for Purposes {
    fn default() -> Self {
        Self::from(Purpose::Data)
    }
}

impl From<Purpose> for Purposes {
    fn from(purpose: Purpose) -> Self {
        Self(1 << purpose as u8)
    }
}

impl Purposes {
    /// None yet.
    pub const NONE: Self = Self(0);

    /// These and others.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this is one of them.
    pub const fn has(self, purpose: Purpose) -> bool {
        self.0 & 1 << purpose as u8 != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Purpose> {
        Purpose::ALL.into_iter().filter(move |&purpose| self.has(purpose))
    }
}

impl FromIterator<Self> for Purposes {
    fn from_iter<I: IntoIterator<Item = Self>>(all: I) -> Self {
        all.into_iter().fold(Self::NONE, Self::and)
    }
}

/// Their names, with a plus between them.
impl fmt::Display for Purposes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, purpose) in self.iter().enumerate() {
            f.write_str(if number > 0 { "+" } else { "" })?;
            f.write_str(purpose.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else() {
        for (number, purpose) in Purpose::ALL.into_iter().enumerate() {
            assert_eq!(purpose as usize, number, "{} stands where it is declared", purpose.name());
            let one = Purposes::from(purpose);
            assert_eq!(one.iter().collect::<Vec<_>>(), [purpose]);
            assert_eq!(one.and(one), one);
            assert_eq!(Purposes::NONE.and(one), one);
        }
        let all: Purposes = Purpose::ALL.into_iter().map(Purposes::from).collect();
        assert_eq!(all.to_string(), "data+metadata+journal+swap+redundancy+rebuild+copy");
        assert_eq!(Purposes::NONE.to_string(), "");
    }
}
