//! A user specification, as it is written: which files there are, what kinds of users, and what they do with which
//! files.
//!
//! After W.-l. Kao, *A user-oriented synthetic workload generator*, CRHC-91-19, University of Illinois, 1991: table 5.2
//! (users by category); the files, of table 5.1, are the [namespace's](crate::namespace). What the thesis leaves open
//! stands in [`Readings`].

use super::calls::CallChain;
use super::readings::Readings;
use super::rows::Together;
use crate::namespace::{Category, Files};
use indexmap::IndexMap;
use petrio_distribution::Draw;
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
    /// Populations by name: how many of the users are of which type. What measures a file system under each of them
    /// goes through all (`petrio users figures`); otherwise, the types' own shares count.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub population: IndexMap<String, IndexMap<String, f64>>,
    /// When the users begin, after midnight; it matters where they aren't alike at all hours.
    #[serde(default)]
    pub begins: Duration,
    /// How what the thesis leaves open is read.
    #[serde(default)]
    pub readings: Readings,
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
    /// How long a user's program computes after a call that moves data: it keeps a processor busy for so long. Left out,
    /// it doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Draw<Duration>>,
    /// How long a user thinks after a call that moves data, when that is over. Not needed where `calls` says pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Draw<Duration>>,
    /// Bytes of one access, before it is cut at the end of the file or of what is to be accessed. Not needed where all
    /// files are used as lists of files `together` say, with the bytes of an access of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
    /// Bytes of one write; left out, as of all accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_access: Option<Draw<Bytes>>,
    /// The correlation of an access' size with the one before in the same file, of normal numbers of the same rank; left
    /// out, they are independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_correlation: Option<f64>,
    /// In which order calls come and which pauses are between them; left out, the next call is one on any of the files in
    /// use, and users think as `think` and the readings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<CallChain>,
    /// From the end of a login session to the beginning of the next; left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Draw<Duration>>,
    /// Sessions that a user has at once, each a process; left out, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions_at_once: Option<u32>,
    /// Files of a category that are open at once; where `calls` says the order, of all categories together. Left out, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u32>,
    /// How busy the users are in each hour of the day, from midnight on: think times and pauses are divided by it.
    /// Zero: nobody is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<Vec<f64>>,
    /// What the users are at by turns: a Markov chain, which begins with the first.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub phase: IndexMap<String, UserPhase>,
    /// Kinds of sessions, such as those of one program each: every session is of one kind, as evenly as the shares say.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub session: IndexMap<String, SessionKind>,
    /// Which categories they use, and how; in a kind of session, in addition to what that says.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub uses: IndexMap<String, Use>,
}

/// What users are at for a while, such as computing, or reading and writing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPhase {
    /// How long their programs compute after a call that moves data, while it lasts; left out, as always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Draw<Duration>>,
    /// How long they think after a call that moves data, while it lasts; left out, as always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Draw<Duration>>,
    /// Bytes of one access, while it lasts; left out, as always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
    /// By how much pauses are longer than always, while it lasts; left out, they aren't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<f64>,
    /// How long it lasts, by the user's own clock: think times and pauses.
    pub lasts: Draw<Duration>,
    /// What follows, with which probability; left out, the next in the list, and the first after the last.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub next: IndexMap<String, f64>,
}

/// A kind of sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionKind {
    /// How many of the sessions are of this kind, beside the shares of the others; left out, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// How often a session looks at files' attributes, without its login; left out, never. Needs `calls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<Draw<f64>>,
    /// How often a session makes a file durable that it has open; left out, never. Needs `calls`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syncs: Option<Draw<f64>>,
    /// Which categories it uses, and how.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub uses: IndexMap<String, Use>,
}

/// How users of a type use files of a category.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// How many of the users (or, by default, of their sessions) use files of this category at all.
    pub share: Fraction,
    /// How many files of it a session uses: different ones, as long as there are so many.
    pub files: Draw<f64>,
    /// The size of a file that is used; of a made one, the size that it gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Draw<Bytes>>,
    /// How many times each byte is accessed: below 1, a part of the file; above 1, some of it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accesses: Option<Draw<f64>>,
    /// The rank correlation (Spearman's) of size and accesses; left out, they are independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_correlation: Option<f64>,
    /// Instead of these three: files as they were used, each with its size, its bytes accessed and its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
}
