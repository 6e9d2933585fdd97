//! The machine of the dissertation's chapters 3.2 and 5 as a scenario, what its text leaves open of it, and runs on it.
//!
//! ```text
//!   Assumptions, Costs, changes ─▶ scenario ┐
//!   Work (pattern, record, or a trace) ─────┴─▶ one run ─▶ KB/s, as iozone counts them (1,024 bytes)
//! ```

use crate::side_by_side::quoted;
use serde::Serialize;

/// What the text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Assumptions {
    /// Random accesses in a run (figure 33 shows about a thousand).
    pub requests: u64,
    /// Size of the journal, MiB.
    pub journal_mib: u64,
    /// Whether the fsync at the end counts in the predicted figures.
    pub closing_fsync_counts: bool,
    /// Whether the journal's commits are barriers.
    pub barriers: bool,
    /// How many writes the drive holds that it has reported.
    pub held: Held,
}

/// Writes that a drive has reported and not yet written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Held {
    /// One: it writes each before it takes the next.
    One,
    /// One in each segment of its cache, 16 as catalogued.
    Segments,
    /// As many as its buffer of 8 MiB has room for.
    Buffer,
}

impl Held {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::One, Self::Segments, Self::Buffer];

    /// As it is printed.
    pub const fn words(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Segments => "segments",
            Self::Buffer => "buffer",
        }
    }

    /// Lines of the scenario.
    const fn text(self) -> &'static str {
        match self {
            Self::One => "drive.cache.immediate_reporting = \"always\"",
            Self::Segments => {
                "drive.cache.immediate_reporting = \"cached\"\ndrive.cache.write_back.runs = 16"
            }
            Self::Buffer => "drive.cache.immediate_reporting = \"cached\"",
        }
    }
}

/// What is taken where nothing else is said: a thousand requests as in figure 33; the journal that mke2fs of the time makes
/// on a volume of this size; no fsync in the time, as the write that table 6 measured leaves 55 µs a request and so can't
/// contain one of a disk; ext3's default of no barriers. What the drive holds was not among what was fixed before the first
/// run, as its model held one write then: writes are taken to use the segments of its cache, as reads do.
pub const DEFAULT: Assumptions = Assumptions {
    requests: 1_000,
    journal_mib: 128,
    closing_fsync_counts: false,
    barriers: false,
    held: Held::Segments,
};

/// What calls and pages cost in memory: the catalogue's figures of this machine, the calls replaced and the pages times a
/// factor (catalogue/machines/poweredge-1850.toml, which says that they are assumed).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// A read's call, ns.
    pub read_call_ns: f64,
    /// On finding and copying each page of a read.
    pub read_pages: f64,
    /// A write's call, ns.
    pub write_call_ns: f64,
    /// On preparing, copying and logging each page of a write.
    pub write_pages: f64,
}

/// As catalogued.
pub(super) const CATALOGUED: Costs =
    Costs { read_call_ns: 1_400.0, read_pages: 1.0, write_call_ns: 1_400.0, write_pages: 1.0 };

impl Costs {
    /// Lines of the host; where copies are free, so that they can be told from the rest, with none of their times.
    fn text(self, copies: f64) -> String {
        let Self { read_call_ns, read_pages, write_call_ns, write_pages } = self;
        [
            ("calls.read", read_call_ns),
            ("calls.write", write_call_ns),
            ("cache.hit", 900.0 * read_pages),
            ("cache.write_page", 14_000.0 * write_pages),
            ("cache.journal_handle", 8_000.0 * write_pages),
            ("copy.to_user.page_in_l2", 4_900.0 * read_pages * copies),
            ("copy.to_user.page_from_memory", 6_500.0 * read_pages * copies),
            ("copy.from_user.page_in_l2", 4_900.0 * write_pages * copies),
            ("copy.from_user.page_from_memory", 6_500.0 * write_pages * copies),
        ]
        .map(|(key, ns)| format!("change.machine.{key} = \"{ns:.1} ns\"\n"))
        .concat()
    }
}

/// The machine with what is open of it decided.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) open: Assumptions,
    pub(super) costs: Costs,
    /// Two drives in RAID 0 instead of one (section 3.2.1).
    pub(super) striped: bool,
    /// Whether copies take no time, so that they can be told from the rest.
    pub(super) free_copies: bool,
    /// More lines of the host.
    pub(super) changes: String,
}

impl Machine {
    pub(super) fn of(open: Assumptions, costs: Costs) -> Self {
        Self { open, costs, striped: false, free_copies: false, changes: String::new() }
    }

    /// The default one, as catalogued.
    pub(super) fn catalogued() -> Self {
        Self::of(DEFAULT, CATALOGUED)
    }

    pub(super) fn scenario(&self, work: &Work) -> String {
        let Assumptions { journal_mib, barriers, held, .. } = self.open;
        let (drives, array, on) = if self.striped {
            ("count = 2\n", "[raid.r]\nlevel = 0\non = \"d*\"\nstripe_unit = \"64 KiB\"\n", "r")
        } else {
            ("", "", "d")
        };
        let (held, costs, changes, journal) = (
            held.text(),
            self.costs.text(if self.free_copies { 0.0 } else { 1.0 }),
            &self.changes,
            work.journal.word(),
        );
        let workload = &work.text;
        format!(
            r#"
title = "The dissertation's machine"
[disk.d]
model = "seagate-st3146707lc"
queue_depth = 1
{drives}{held}
{array}
[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.27"
dirty_limit = "512 MB"
{costs}{changes}
[fs.f]
type = "ext3"
journal = "{journal}"
journal_size = "{journal_mib} MiB"
barriers = {barriers}
inode_size = "128 B"
on = "{on}"
[workload.w]
on = "f"
{workload}
"#
        )
    }
}

/// The file that recorded requests are held as.
pub(super) const REQUESTS: &str = "requests.csv";

/// What ext3 logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Journal {
    /// Metadata, after the data that it points to.
    Ordered,
    /// Data as well.
    Full,
}

impl Journal {
    const fn word(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Full => "journal",
        }
    }
}

/// How writes end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteEnd {
    /// Nothing is written.
    Unwritten,
    /// Nobody waits for the disk.
    InMemory,
    /// With an fsync, whose time counts.
    Fsync,
    /// Each when it is durable.
    Synchronous,
}

impl WriteEnd {
    const fn text(self) -> &'static str {
        match self {
            Self::Unwritten => "",
            Self::InMemory => "fsync = \"at-end\"\ntiming = \"accesses\"\n",
            Self::Fsync => "fsync = \"at-end\"\ntiming = \"with-fsync\"\n",
            Self::Synchronous => "sync = true\n",
        }
    }
}

/// What is run.
#[derive(Clone, Debug)]
pub(super) struct Work {
    journal: Journal,
    text: String,
    pub(super) requests: Option<String>,
}

/// The file of random accesses and traces, KiB: 512 MB (3.2.2).
pub(super) const FILE_KIB: u64 = 512 << 10;
/// The same where the disk isn't waited for, so that its size doesn't matter (figures 5 to 8), and pages are sooner there.
pub(super) const IN_MEMORY_KIB: u64 = 64 << 10;

impl Work {
    /// Cached reads of 8 KiB at random places of a file of 512 MB.
    pub(super) fn random_reads(requests: u64) -> Self {
        Self::random(Journal::Ordered, "read", (requests, IN_MEMORY_KIB), "")
    }

    /// The same of overwrites.
    pub(super) fn random_writes(journal: Journal, requests: u64, ends: WriteEnd) -> Self {
        let file =
            if (journal, ends) == (Journal::Ordered, WriteEnd::InMemory) { IN_MEMORY_KIB } else { FILE_KIB };
        Self::random(journal, "rewrite", (requests, file), ends.text())
    }

    fn random(journal: Journal, operation: &str, (requests, file_kib): (u64, u64), ends: &str) -> Self {
        let text = format!(
            "kind = \"files\"\npattern = \"random\"\noperation = \"{operation}\"\nrecord = \"8 KiB\"\n\
             file_size = \"{file_kib} KiB\"\noperations = {requests}\ncached = true\n{ends}"
        );
        Self { journal, text, requests: None }
    }

    /// A file read from memory from its beginning to its end.
    pub(super) fn reads(record_kib: u64, file_kib: u64) -> Self {
        let text = format!(
            "kind = \"files\"\noperation = \"read\"\nrecord = \"{record_kib} KiB\"\nfile_size = \"{file_kib} KiB\"\ncached = true\n"
        );
        Self { journal: Journal::Ordered, text, requests: None }
    }

    /// Files written so one after the other.
    pub(super) fn writes(
        journal: Journal,
        [record_kib, file_kib]: [u64; 2],
        files: u64,
        ends: WriteEnd,
    ) -> Self {
        let text = format!(
            "kind = \"files\"\noperation = \"write\"\nrecord = \"{record_kib} KiB\"\nfile_size = \"{file_kib} KiB\"\n\
             files = {files}\n{}",
            ends.text()
        );
        Self { journal, text, requests: None }
    }

    /// Recorded requests, on a file of such a size that is in memory.
    pub(super) fn recorded(journal: Journal, requests: String, file_kib: u64, ends: WriteEnd) -> Self {
        let text = format!(
            "kind = \"file-trace\"\nfile = {}\nformat = \"columns\"\nfile_size = \"{file_kib} KiB\"\ncached = true\n{}",
            quoted(REQUESTS),
            ends.text()
        );
        Self { journal, text, requests: Some(requests) }
    }
}
