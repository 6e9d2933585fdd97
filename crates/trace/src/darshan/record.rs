//! What Darshan counted of one file, by one process or by all together.
//!
//! Sources: `darshan-posix-log-format.h`, `darshan-mpiio-log-format.h` and `darshan-stdio-log-format.h` of Darshan 3.5 for the names,
//! darshan-util's documentation ("Additional darshan-parser output") for what they mean, and `darshan-common.h` for where the
//! ranges of sizes end.

use std::sync::Arc;

/// Which calls were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interface {
    /// open, read, write and their like.
    Posix,
    /// MPI's own, which make POSIX calls or others' below.
    MpiIo,
    /// fopen, fread, fwrite: whole calls, whatever the library's buffer makes of them.
    Stdio,
}

impl Interface {
    /// All that are read.
    pub const ALL: [Self; 3] = [Self::Posix, Self::MpiIo, Self::Stdio];

    /// As Darshan writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Posix => "POSIX",
            Self::MpiIo => "MPI-IO",
            Self::Stdio => "STDIO",
        }
    }

    /// How its counters begin.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Posix => "POSIX_",
            Self::MpiIo => "MPIIO_",
            Self::Stdio => "STDIO_",
        }
    }
}

/// Ranges of sizes, each up to and with this many bytes; the last one has no end.
pub const SIZE_ENDS: [u64; 9] =
    [100, 1_024, 10_240, 102_400, 1_048_576, 4_194_304, 10_485_760, 104_857_600, 1_073_741_824];

/// Which of the ranges a size is in.
pub fn size_range(bytes: u64) -> usize {
    SIZE_ENDS.iter().position(|end| bytes <= *end).unwrap_or(SIZE_ENDS.len())
}

/// From when until when, in seconds since the job's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// When the first call began.
    pub from: f64,
    /// When the last one was over.
    pub to: f64,
}

/// Reads or writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transfers {
    /// How many.
    pub operations: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// How many of each range of sizes ([`SIZE_ENDS`]), where that is known.
    pub sizes: Option<[u64; 10]>,
    /// How many began behind the end of the process's last one.
    pub sequential: Option<u64>,
    /// How many of these right behind it.
    pub consecutive: Option<u64>,
    /// Behind the last byte that any touched, where that is known.
    pub end: Option<u64>,
    /// When they were.
    pub span: Option<Span>,
    /// How long they took, of all processes together, in seconds.
    pub busy_s: f64,
}

/// What was counted of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileCounters {
    /// Which calls.
    pub interface: Interface,
    /// Of which process; of all of them where none is named.
    pub rank: Option<u64>,
    /// Darshan's number of the file.
    pub file: u64,
    /// The file's path, where it is known.
    pub path: Option<Arc<str>>,
    /// Opens, without copies of descriptors.
    pub opens: u64,
    /// stat and its like.
    pub stats: u64,
    /// fsync.
    pub syncs: u64,
    /// fdatasync.
    pub data_syncs: u64,
    /// Calls that aren't among the others: mmap, rename.
    pub others: u64,
    /// Reads.
    pub read: Transfers,
    /// Writes.
    pub write: Transfers,
    /// How often a process went from reading to writing or back.
    pub switches: Option<u64>,
    /// Sizes that came often, with how often: reads and writes.
    pub common_sizes: Vec<(u64, u64)>,
    /// Distances from the end of one access to the beginning of the next that came often, with how often.
    pub common_strides: Vec<(u64, u64)>,
    /// The variance of the bytes that each of all processes moved.
    pub bytes_variance: Option<f64>,
    /// When it was opened.
    pub open: Option<Span>,
    /// When it was closed.
    pub close: Option<Span>,
    /// How long opening, closing and the like took, of all processes together, in seconds.
    pub metadata_s: f64,
}

/// Counters by name.
pub(super) trait Values {
    /// A whole number; `None` where it isn't there.
    fn whole(&self, name: &str) -> Option<i64>;
    /// Seconds, or what else has a fraction.
    fn real(&self, name: &str) -> Option<f64>;
}

/// Counters of one interface.
struct Named<'a> {
    values: &'a dyn Values,
    prefix: &'static str,
}

impl Named<'_> {
    /// A count: Darshan writes -1 where it doesn't know.
    fn count(&self, name: &str) -> Option<u64> {
        let value = self.values.whole(&format!("{}{name}", self.prefix))?;
        u64::try_from(value).ok()
    }

    fn sum(&self, names: &[&str]) -> u64 {
        names.iter().filter_map(|name| self.count(name)).fold(0, u64::saturating_add)
    }

    fn real(&self, name: &str) -> f64 {
        let value = self.values.real(&format!("{}F_{name}", self.prefix));
        value.filter(|value| value.is_finite() && *value > 0.0).unwrap_or_default()
    }

    /// Zero and less stand for what never happened.
    fn span(&self, what: &str) -> Option<Span> {
        let (from, to) =
            (self.real(&format!("{what}_START_TIMESTAMP")), self.real(&format!("{what}_END_TIMESTAMP")));
        match (from > 0.0, to > 0.0) {
            (true, true) => Some(Span { from: from.min(to), to }),
            (true, false) => Some(Span { from, to: from }),
            (false, true) => Some(Span { from: to, to }),
            (false, false) => None,
        }
    }

    /// The values that came most often, each once.
    fn common(&self, what: &str) -> Vec<(u64, u64)> {
        let mut all: Vec<(u64, u64)> = Vec::new();
        for number in 1..=4 {
            let value = self.count(&format!("{what}{number}_{what}"));
            let count = self.count(&format!("{what}{number}_COUNT")).filter(|count| *count > 0);
            if let (Some(value), Some(count)) = (value, count)
                && !all.iter().any(|(known, _)| *known == value)
            {
                all.push((value, count));
            }
        }
        all
    }

    fn transfers(&self, interface: Interface, word: &str, past: &str, plural: &str) -> Transfers {
        let operations = match interface {
            Interface::MpiIo => self.sum(
                &["INDEP", "COLL", "SPLIT", "NB"]
                    .map(|how| format!("{how}_{plural}"))
                    .each_ref()
                    .map(|name| &**name),
            ),
            _ => self.count(plural).unwrap_or_default(),
        };
        let histogram =
            if interface == Interface::MpiIo { "SIZE_{}_AGG_" } else { "SIZE_{}_" }.replace("{}", word);
        let ranges = [
            "0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G",
            "1G_PLUS",
        ];
        let sizes = ranges.map(|range| self.count(&format!("{histogram}{range}")));
        let is_known = sizes.iter().any(Option::is_some);
        // A file that nothing was moved of has 0 there, too.
        let last = self.count(&format!("MAX_BYTE_{past}")).filter(|_| operations > 0);
        let bytes = self.count(&format!("BYTES_{past}")).unwrap_or_default();
        Transfers {
            operations,
            bytes,
            sizes: is_known.then(|| sizes.map(Option::unwrap_or_default)),
            sequential: self.count(&format!("SEQ_{plural}")),
            consecutive: self.count(&format!("CONSEC_{plural}")),
            end: last.filter(|_| bytes > 0).map(|last| last.saturating_add(1)),
            span: self.span(word),
            busy_s: self.real(&format!("{word}_TIME")),
        }
    }
}

impl FileCounters {
    pub(super) fn of(
        interface: Interface,
        rank: Option<u64>,
        (file, path): (u64, Option<Arc<str>>),
        values: &dyn Values,
    ) -> Self {
        let named = Named { values, prefix: interface.prefix() };
        let (opens, syncs, others) = match interface {
            // Descriptors that were asked for by fileno or made by dup are counted among the opens.
            Interface::Posix => (
                named.sum(&["OPENS"]).saturating_sub(named.sum(&["FILENOS", "DUPS"])),
                named.sum(&["FSYNCS"]),
                named.sum(&["MMAPS", "RENAME_SOURCES"]),
            ),
            Interface::MpiIo => (named.sum(&["INDEP_OPENS", "COLL_OPENS"]), named.sum(&["SYNCS"]), 0),
            // A flush of the library's buffer is none of the disk's, and fdopen opens nothing.
            Interface::Stdio => (named.sum(&["OPENS"]).saturating_sub(named.sum(&["FDOPENS"])), 0, 0),
        };
        let variance = named.real("VARIANCE_RANK_BYTES");
        Self {
            interface,
            rank,
            file,
            path,
            opens,
            stats: named.sum(&["STATS"]),
            syncs,
            data_syncs: named.sum(&["FDSYNCS"]),
            others,
            read: named.transfers(interface, "READ", "READ", "READS"),
            write: named.transfers(interface, "WRITE", "WRITTEN", "WRITES"),
            switches: named.count("RW_SWITCHES"),
            common_sizes: named.common("ACCESS"),
            common_strides: named.common("STRIDE").into_iter().filter(|(stride, _)| *stride > 0).collect(),
            bytes_variance: (variance > 0.0).then_some(variance),
            open: named.span("OPEN"),
            close: named.span("CLOSE"),
            metadata_s: named.real("META_TIME"),
        }
    }

    /// Whether it is of a file, and not of a terminal or pipe that the process had from its beginning.
    pub fn is_file(&self) -> bool {
        !matches!(self.path.as_deref(), Some("<STDIN>" | "<STDOUT>" | "<STDERR>"))
    }
}
