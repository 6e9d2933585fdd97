//! A program that was executed on a simulated System: what it did beside its operations on storage, and what of it wasn't seen.

use crate::figure::figures;
use crate::section::Entry;
use petrio_page::numbers::{bytes, counted, grouped, seconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of call that a program made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallFigures {
    /// The kernel's name for it, or for all that do the same.
    pub call: String,
    /// How often it was made.
    pub count: u64,
}

/// A rank of an MPI job that was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedRank {
    /// The job, counted from 0 in the order in which jobs began.
    pub job: u32,
    /// Its number in it.
    pub rank: u32,
    /// The host that it is on, where ranks are on several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub host: Option<String>,
    /// From when MPI was set up until it was taken down, nanoseconds.
    pub elapsed_ns: u64,
    /// What it computed outside of MPI's calls, nanoseconds.
    pub computing_ns: u64,
    /// What it waited for messages and for other ranks, and what sending took, nanoseconds.
    pub messages_ns: u64,
    /// What its operations on storage took, nanoseconds.
    pub storage_ns: u64,
    /// Bytes that it read from storage.
    pub read_bytes: u64,
    /// Bytes that it wrote there.
    pub written_bytes: u64,
    /// Messages that it sent to one other.
    pub sent: u64,
    /// Bytes of these.
    pub sent_bytes: u64,
    /// Operations of several ranks together that it took part in.
    pub together: u64,
    /// Accesses of its to other ranks' memory (MPI_Put and its like).
    #[serde(default)]
    pub accesses: u64,
    /// Bytes of these, there and back.
    #[serde(default)]
    pub accessed_bytes: u64,
}

/// A program that was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExecutedFigures {
    /// The program and its arguments.
    pub command: String,
    /// What its computing cost: measured, a time a call, or nothing.
    pub compute: String,
    /// What it ended with, as shells tell it: its own code, or 128 and the number of the signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_code: Option<i32>,
    /// Processes that it had, its own among them.
    pub processes: u64,
    /// Threads, the first of each process among them.
    pub threads: u64,
    /// Programs that were called in it, itself among them.
    pub programs: u64,
    /// What its threads computed, all together, nanoseconds.
    pub computed_ns: u64,
    /// The calls that were seen, by kind.
    pub calls: Vec<CallFigures>,
    /// Reads of the host's files, which cost nothing.
    pub host_reads: u64,
    /// Bytes that these asked for.
    pub host_read_bytes: u64,
    /// Files of the simulated storage that were mapped into memory: their pages are read and written unseen.
    pub mapped: u64,
    /// Bytes of these that were mapped.
    pub mapped_bytes: u64,
    /// Writes that were refused because what may be written was used up.
    pub refused_writes: u64,
    /// Calls that the simulated file system had no room for.
    #[serde(default)]
    pub volume_full: u64,
    /// Calls that failed since the simulated device, or a file system that it had failed, could not do them.
    #[serde(default)]
    pub device_failures: u64,
    /// Writes that were refused because the disk of the scratch directory was full.
    #[serde(default)]
    pub scratch_full: u64,
    /// Processes and threads that were refused because there were as many as there may be.
    pub refused_threads: u64,
    /// Timers that went by the real clock.
    #[serde(default)]
    pub real_timers: u64,
    /// How often a thread computed so long without a call that it couldn't be known who comes first.
    pub uncertain: u64,
    /// Calls of MPI that aren't followed: their names, and how many there were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<CallFigures>,
    /// Where its calls were delayed in real time: how late they returned, microseconds, the median.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub late_median_us: Option<u64>,
    /// Of 99 of 100 at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub late_p99_us: Option<u64>,
    /// Its ranks, where it is an MPI job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<ExecutedRank>,
}

/// A rank's line stands in the text for so many.
const RANKS_TOLD: usize = 16;

impl ExecutedRank {
    fn line(&self) -> String {
        let seconds = |nanos: u64| seconds(nanos as f64 / 1e9);
        let host = self.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
        format!(
            "rank {}{host}: {}, of them computing {}, messages {}, storage {} ({} read, {} written)",
            self.rank,
            seconds(self.elapsed_ns),
            seconds(self.computing_ns),
            seconds(self.messages_ns),
            seconds(self.storage_ns),
            bytes(self.read_bytes),
            bytes(self.written_bytes)
        )
    }
}

impl ExecutedFigures {
    /// Where its ranks' time went, each in a sentence.
    pub fn of_ranks(&self) -> Vec<String> {
        let jobs = self.ranks.iter().map(|rank| rank.job).max().unwrap_or(0);
        let line = |rank: &ExecutedRank| match jobs {
            0 => rank.line(),
            _ => format!("job {}, {}", rank.job, rank.line()),
        };
        let mut lines: Vec<String> = self.ranks.iter().take(RANKS_TOLD).map(line).collect();
        if self.ranks.len() > RANKS_TOLD {
            lines.push(format!("and {} more (--json tells them)", self.ranks.len() - RANKS_TOLD));
        }
        lines
    }

    /// What of the program the simulation doesn't know, each in a sentence.
    pub fn unseen(&self) -> Vec<String> {
        let mapped = (self.mapped > 0).then(|| {
            format!(
                "{} of files on the simulated storage into memory ({}): what is read and written there is unseen and takes no time",
                counted(self.mapped, "mapping", "mappings"),
                bytes(self.mapped_bytes)
            )
        });
        let host = (self.host_reads > 0).then(|| {
            format!(
                "{} of the host's own files ({}) cost nothing (--storage DIR puts a directory on the simulated storage)",
                counted(self.host_reads, "read", "reads"),
                bytes(self.host_read_bytes)
            )
        });
        let full = (self.refused_writes > 0).then(|| {
            format!(
                "{} found no room on this machine (--limit): the program was told so",
                counted(self.refused_writes, "write", "writes")
            )
        });
        let volume = (self.volume_full > 0).then(|| {
            let many = counted(self.volume_full, "call", "calls");
            format!("{many} found the simulated file system full: the program was told so")
        });
        let device = (self.device_failures > 0).then(|| {
            let many = counted(self.device_failures, "call", "calls");
            format!("{many} failed as the simulated device did: the program was told so")
        });
        let scratch = (self.scratch_full > 0).then(|| {
            let many = counted(self.scratch_full, "write", "writes");
            format!("{many} found the disk of --scratch full, which says nothing of the simulated one: the program was told so")
        });
        let refused = (self.refused_threads > 0).then(|| {
            let many = counted(self.refused_threads, "process or thread was", "processes or threads were");
            format!("{many} refused (--processes): the program was told so")
        });
        let uncertain = (self.uncertain > 0).then(|| {
            format!(
                "{} a thread computed, or waited for others unseen, so long that these went on beside it: their order is that of this machine",
                counted(self.uncertain, "time", "times")
            )
        });
        let timers = (self.real_timers > 0).then(|| {
            let many = counted(self.real_timers, "timer", "timers");
            format!("{many} that a thread of the C library hears went by the real clock, not by virtual time")
        });
        let late = self.late_median_us.zip(self.late_p99_us).map(|(median, most)| {
            format!("its calls returned {median} µs late at the median, 99 of 100 at most {most} µs")
        });
        let unseen = self.unseen.iter().map(|unseen| {
            let many = counted(unseen.count, "call", "calls");
            format!(
                "{many} of MPI's that aren't followed, and wait as long as the library does: {}",
                unseen.call
            )
        });
        [late, mapped, host, full, volume, device, scratch, refused, timers, uncertain]
            .into_iter()
            .flatten()
            .chain(unseen)
            .collect()
    }
}

figures! { ExecutedFigures:
    processes => "processes" One Neither;
    threads => "threads" One Neither;
    programs => "programs" One Neither;
    computed_ns = |it: &Self| it.computed_ns as f64 / 1e9 => "computed" Seconds Down;
    host_reads => "reads of the host's files" One Neither;
    host_read_bytes => "read of the host's files" Bytes Neither;
    mapped => "mappings" One Neither;
    mapped_bytes => "mapped" Bytes Neither;
    refused_writes => "writes refused" One Down;
    volume_full => "found the volume full" One Down;
    device_failures => "failed with the device" One Down;
    scratch_full => "found the scratch disk full" One Down;
    refused_threads => "threads refused" One Down;
    real_timers => "real timers" One Down;
    uncertain => "order unknown" One Down;
}

impl Entry for ExecutedFigures {
    const PART: &'static str = "program";

    fn name(&self) -> &str {
        "program"
    }

    fn sentence(&self) -> String {
        let mut calls: Vec<&CallFigures> = self.calls.iter().collect();
        calls.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.call.cmp(&b.call)));
        let calls: Vec<String> =
            calls.iter().take(8).map(|kind| format!("{} {}", grouped(kind.count), kind.call)).collect();
        let computed = match self.compute.as_str() {
            "in real time" => "its calls were delayed in real time".to_owned(),
            "none" => "its computing cost nothing".to_owned(),
            how => format!("it computed {} ({how})", seconds(self.computed_ns as f64 / 1e9)),
        };
        let code =
            self.exit_code.map_or("it was broken off".to_owned(), |code| format!("it ended with {code}"));
        let mut text = format!(
            "{} · {}, {}; {computed}; {code} · calls: {}",
            self.command,
            counted(self.processes, "process", "processes"),
            counted(self.threads, "thread", "threads"),
            calls.join(", ")
        );
        for sentence in self.of_ranks().into_iter().chain(self.unseen()) {
            text.push_str(" · ");
            text.push_str(&sentence);
        }
        text
    }
}
