//! A user specification, as it is written: which files there are, what kinds of users, and what they do with which files.
//!
//! After W.-l. Kao, *A user-oriented synthetic workload generator*, CRHC-91-19, University of Illinois, 1991: tables 5.1 (files by category)
//! and 5.2 (users by category). What the thesis leaves open stands in [`Readings`].

use super::readings::Readings;
use crate::distribution::Draw;
use indexmap::IndexMap;
use petrio_units::{Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Files, and the users who work with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserSpecification {
    /// What it stands for.
    pub title: String,
    /// Where its figures come from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// How many files there are, and how they are laid out.
    pub files: Files,
    /// The categories of files by name.
    pub category: IndexMap<String, Category>,
    /// The types of users by name; none where only files are described.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub user: IndexMap<String, UserType>,
    /// Populations by name: how many of the users are of which type. What measures a file system under each of them goes
    /// through all (`petrio users figures`); otherwise, the types' own shares count.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub population: IndexMap<String, IndexMap<String, f64>>,
    /// When the users begin, after midnight; it matters where they aren't alike at all hours.
    #[serde(default)]
    pub begins: Duration,
    /// How what the thesis leaves open is read.
    #[serde(default)]
    pub readings: Readings,
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
    /// On which file system the files of an owner lie, by names that whoever runs it gives to mounted directories or file systems;
    /// owners left out lie on the first.
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
    /// Whose they are: "user" for files that each user has of his own; any other word for files that all share, in a directory of that name.
    pub owner: String,
    /// What they are used for.
    #[serde(rename = "use")]
    pub purpose: Purpose,
    /// How many of all files are of this category. The shares need not add up to 1.
    pub share: Fraction,
    /// Their sizes; of a directory, the bytes of its entries.
    pub size: Draw<Bytes>,
    /// How many directories lie between the owner's own and it: it lies in any directory at that depth that has room, where one has. Left
    /// out, a file lies in any of the owner's directories that has room, or in his own; a directory lies in his own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Draw<f64>>,
    /// What they are called, with `{number}` where each one's number goes: `"paper-{number}.tex"`; left out, the category's name and the
    /// number.
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

/// A type of users. With `like`, what is left out is as there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserType {
    /// Another type, which has what is left out here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// How many of the users are of this type, beside the shares of the others; left out, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// How long a user thinks after a call that moves data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Draw<Duration>>,
    /// Bytes of one access, before it is cut at the end of the file or of what is to be accessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
    /// From the end of a login session to the beginning of the next; left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Draw<Duration>>,
    /// Sessions that a user has at once, each a process; left out, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions_at_once: Option<u32>,
    /// Files of a category that are open at once; left out, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u32>,
    /// How busy the users are in each hour of the day, from midnight on: think times and pauses are divided by it. Zero: nobody is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<Vec<f64>>,
    /// What the users are at by turns: a Markov chain, which begins with the first.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub phase: IndexMap<String, UserPhase>,
    /// Which categories they use, and how.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub uses: IndexMap<String, Use>,
}

/// What users are at for a while, such as computing, or reading and writing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPhase {
    /// How long they think after a call that moves data, while it lasts; left out, as always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Draw<Duration>>,
    /// Bytes of one access, while it lasts; left out, as always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
    /// How long it lasts, by the user's own clock: think times and pauses.
    pub lasts: Draw<Duration>,
    /// What follows, with which probability; left out, the next in the list, and the first after the last.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub next: IndexMap<String, f64>,
}

/// How users of a type use files of a category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// How many of the users (or, by default, of their sessions) use files of this category at all.
    pub share: Fraction,
    /// How many files of it a session uses.
    pub files: Draw<f64>,
    /// The size of a file that is used; of a made one, the size that it gets.
    pub size: Draw<Bytes>,
    /// How many times each byte is accessed: below 1, a part of the file; above 1, some of it again.
    pub accesses: Draw<f64>,
    /// The rank correlation (Spearman's) of size and accesses; left out, they are independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_correlation: Option<f64>,
}
