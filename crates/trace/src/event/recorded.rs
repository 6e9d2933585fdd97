//! What a recording knows of an event beside what a trace of files does: how long the thread computed before, of which rank it is, and
//! with whom it exchanged messages.

use petrio_persist::Persist;
use petrio_time::Time;
use std::sync::Arc;

/// What is known of an event of a program that was recorded from inside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct Recorded {
    /// Processor time of its thread since the end of the event before.
    pub compute: Option<Time>,
    /// The rank of its process among all of the program's (`MPI_COMM_WORLD`).
    pub rank: Option<u32>,
    /// The thread that was made, or was waited for.
    pub child: Option<u32>,
    /// The other rank of a message, or the root of a collective operation, among all of the program's.
    pub peer: Option<u32>,
    /// A message's tag.
    pub tag: Option<u32>,
    /// Which collective operation.
    pub collective: Option<CollectiveKind>,
    /// Which ranks take part, as `0-3,7`.
    pub members: Option<Arc<str>>,
    /// Whether an access went past the page cache (O_DIRECT).
    pub direct: bool,
}

/// What several ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Persist)]
pub enum CollectiveKind {
    /// All wait for each other.
    Barrier,
    /// From the root to all.
    Broadcast,
    /// Combined at the root.
    Reduce,
    /// Combined, and all get the result.
    AllReduce,
    /// From all to the root.
    Gather,
    /// From the root to each its part.
    Scatter,
    /// From all to all the same.
    AllGather,
    /// From all to each its part.
    AllToAll,
    /// Combined, and each gets its part.
    ReduceScatter,
    /// Combined, and each gets what those up to it came to.
    Scan,
    /// A file is read together.
    ReadAll,
    /// A file is written together.
    WriteAll,
    /// A file is opened or closed together, or given a view.
    OpenAll,
}

impl CollectiveKind {
    /// Every one, in the order of their numbers in raw recordings.
    pub const ALL: [Self; 13] = [
        Self::Barrier,
        Self::Broadcast,
        Self::Reduce,
        Self::AllReduce,
        Self::Gather,
        Self::Scatter,
        Self::AllGather,
        Self::AllToAll,
        Self::ReduceScatter,
        Self::Scan,
        Self::ReadAll,
        Self::WriteAll,
        Self::OpenAll,
    ];

    /// The word used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::AllReduce => "all-reduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::AllGather => "all-gather",
            Self::AllToAll => "all-to-all",
            Self::ReduceScatter => "reduce-scatter",
            Self::Scan => "scan",
            Self::ReadAll => "read-all",
            Self::WriteAll => "write-all",
            Self::OpenAll => "open-all",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Ranks as a recording writes them: `0-3,7`.
///
/// ```
/// use petrio_trace::event::{members_in_words, members_of_words};
/// assert_eq!(members_in_words(&[0, 1, 2, 3, 7]), "0-3,7");
/// assert_eq!(members_of_words("0-3,7"), Some(vec![0, 1, 2, 3, 7]));
/// assert_eq!(members_of_words("3-0"), None);
/// ```
pub fn members_in_words(ranks: &[u32]) -> String {
    let mut words = String::new();
    for run in ranks.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        if !words.is_empty() {
            words.push(',');
        }
        match run {
            [one] => words.push_str(&one.to_string()),
            [first, .., last] => words.push_str(&format!("{first}-{last}")),
            [] => {}
        }
    }
    words
}

/// As many ranks as a communicator may have here.
const MEMBERS_MAX: usize = 1 << 20;

/// The ranks that such words name, in their order; `None` where they make no sense or are more than a million.
pub fn members_of_words(words: &str) -> Option<Vec<u32>> {
    let mut ranks = Vec::new();
    for part in words.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        if first > last || (last - first) as usize >= MEMBERS_MAX - ranks.len() {
            return None;
        }
        ranks.extend(first..=last);
    }
    Some(ranks)
}
