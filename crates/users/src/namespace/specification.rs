//! Which files there are: their categories, and how they are laid out.
//!
//! After W.-l. Kao, *A user-oriented synthetic workload generator*, CRHC-91-19, University of Illinois, 1991, table
//! 5.1.

use indexmap::IndexMap;
use petrio_distribution::Draw;
use petrio_units::{Bytes, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything of which a namespace is made: the files, and how what their sizes leave open is read.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// How many files there are, and where they lie.
    pub files: &'a Files,
    /// Their categories by name.
    pub category: &'a IndexMap<String, Category>,
    /// Bytes of an entry of a directory: from its size follows how many it has.
    pub entry: Bytes,
    /// How sizes and depths are drawn.
    pub spread: Spread,
    /// Whether directories that have fewer files than their size says are filled up with empty ones.
    pub fill_directories: bool,
}

/// How many files there are, and how they are laid out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Files of all categories and owners together.
    pub count: u32,
    /// Virtual users, each with a directory of files of his own; left out, as many as there are at work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users: Option<u32>,
    /// On which file system the files of an owner lie, by names that whoever runs it gives to mounted directories or
    /// file systems; owners left out lie on the first.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub place: IndexMap<String, String>,
}

/// The owner's word for files of which each user has his own.
pub const EACH_USER: &str = "user";

/// A category of files: what they are, whose, what for, how many and how large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Whether they are files or directories.
    #[serde(default, rename = "type")]
    pub kind: FileKind,
    /// Whose they are: "user" for files that each user has of his own; any other word for files that all share, in a
    /// directory of that name.
    pub owner: String,
    /// What they are used for.
    #[serde(rename = "use")]
    pub purpose: Purpose,
    /// How many of all files are of this category. The shares need not add up to 1.
    pub share: Fraction,
    /// Their sizes; of a directory, the bytes of its entries.
    pub size: Draw<Bytes>,
    /// How many directories lie between the owner's own and it: it lies in any directory at that depth that has room,
    /// where one has. Left out, a file lies in any of the owner's directories that has room, or in his own; a directory
    /// lies in his own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Draw<f64>>,
    /// What they are called, with `{number}` where each one's number goes: `"paper-{number}.tex"`; left out, the
    /// category's name and the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In which order their bytes are accessed.
    #[serde(default)]
    pub order: Order,
}

/// What a file is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// A regular file.
    #[default]
    File,
    /// A directory, which is listed.
    Directory,
}

/// What a file is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// It is there, and is read.
    ReadOnly,
    /// It is there, and is written and read.
    ReadWrite,
    /// It is made, written and read, and stays for some sessions.
    New,
    /// It is made, written and read, and deleted with its last close.
    Temporary,
}

impl Purpose {
    /// Whether the files are made by those who use them.
    pub const fn is_made(self) -> bool {
        matches!(self, Self::New | Self::Temporary)
    }
}

/// In which order the bytes of a file are accessed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Order {
    /// From the first to the last, and again from the first.
    #[default]
    Sequential,
    /// Each access begins anywhere.
    Random,
    /// Each access begins so far behind the beginning of the one before, and, past the end, again near the first.
    Strided(Bytes),
    /// Each access is looked up in an index at the file's beginning, and then made anywhere behind it.
    Indexed(Index),
}

/// An index at the beginning of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Which part of the file it takes.
    pub share: Fraction,
    /// Bytes of one of its blocks.
    pub block: Bytes,
    /// Blocks that are read to find a place; the first is always the same.
    #[serde(default = "two")]
    pub levels: u32,
}

fn two() -> u32 {
    2
}

/// How the files that are there beforehand are spread over a distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Each is drawn by itself.
    #[default]
    Random,
    /// So many files have sizes from the middles of so many equally likely parts of the distribution: sums and the
    /// greatest sizes are those of the distribution, whatever the seed, which only says which file has which.
    Even,
}
