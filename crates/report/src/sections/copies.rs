//! What a replication came to: the columns of Ivy's tables, and what copies cost.

use crate::figure::{Tables, each, figures};
use crate::section::Entry;
use petrio_kernel::statistics;
use petrio_models::cluster::replication::{CopyMoves, ReplicationStatistics};
use petrio_page::numbers::{bytes, grouped, mean_number, significant, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A replication over the whole run; of several runs the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopiesFigures {
    /// Its name.
    pub name: String,
    /// Reads, from entering it to the data; milliseconds.
    pub read_turnaround_ms: MeanAndDeviation,
    /// Writes, from entering it to the copy (or copies) that a write waits for; milliseconds.
    pub write_turnaround_ms: MeanAndDeviation,
    /// Requests before an arriving read in its disk.
    pub read_queue: f64,
    /// Requests before an arriving write in each of its disks.
    pub write_queue: f64,
    /// Mean distance that an arm moves, in cylinders; of disks that tell.
    pub seek_cylinders: f64,
    /// Times that the copies of a file were given up for an update.
    pub cut_backs: u64,
    /// Copies made.
    pub copies_made: u64,
    /// Copies that were begun and came to nothing, because their file was changed or deleted meanwhile or a disk failed.
    pub copies_abandoned: u64,
    /// Bytes read and written to make copies.
    pub copy_bytes: u64,
    /// What each disk (or whatever copies lie on) has read and written of that.
    pub copy_moves: Vec<CopyMovesFigures>,
    /// Copies given up for want of space.
    pub evicted: u64,
    /// Reads that one copy couldn't do and another did.
    pub reads_elsewhere: u64,
    /// Copies given up because their disk couldn't write what others did.
    pub lost: u64,
    /// Bytes written to logs, by transactions.
    pub log_bytes: u64,
    /// Requests for which too few copies were left to vote.
    pub outvoted: u64,
    /// Writes that waited for an earlier one of the same file.
    pub waited: u64,
    /// Reads that a storage node had in its memory; of one that several copies serve, each part.
    pub remembered: u64,
    /// Their bytes.
    pub remembered_bytes: u64,
}

/// What a disk has done to make copies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopyMovesFigures {
    /// Its name.
    pub member: String,
    /// Requests.
    pub requests: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

/// A mean and a standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanAndDeviation {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl From<statistics::Tally> for MeanAndDeviation {
    fn from(moments: statistics::Tally) -> Self {
        Self { count: moments.count(), mean: moments.mean(), deviation: moments.deviation() }
    }
}

impl CopiesFigures {
    /// From what a replication over such members has counted.
    pub fn of(name: &str, members: &[String], tally: &ReplicationStatistics) -> Self {
        let moves = |(member, moves): (&String, &CopyMoves)| CopyMovesFigures {
            member: member.clone(),
            requests: moves.requests,
            read_bytes: moves.read_bytes,
            written_bytes: moves.written_bytes,
        };
        Self {
            name: name.to_owned(),
            read_turnaround_ms: tally.read_turnaround.into(),
            write_turnaround_ms: tally.write_turnaround.into(),
            read_queue: tally.read_queue.mean(),
            write_queue: tally.write_queue.mean(),
            seek_cylinders: tally.seek_cylinders.mean(),
            cut_backs: tally.cut_backs,
            copies_made: tally.copies_made,
            copies_abandoned: tally.copies_abandoned,
            copy_bytes: tally.copy_bytes(),
            copy_moves: members.iter().zip(&tally.copy_moves).map(moves).collect(),
            evicted: tally.evicted,
            reads_elsewhere: tally.reads_elsewhere,
            lost: tally.lost,
            log_bytes: tally.log_bytes,
            outvoted: tally.outvoted,
            waited: tally.waited,
            remembered: tally.remembered,
            remembered_bytes: tally.remembered_bytes,
        }
    }

    /// What was moved, by who moved it, where they are few enough for a sentence.
    fn by_members(&self) -> String {
        if self.copy_bytes == 0 || self.copy_moves.len() > 4 {
            return String::new();
        }
        let moved = |moves: &CopyMovesFigures| {
            let (read, written) = (bytes(moves.read_bytes), bytes(moves.written_bytes));
            format!("{} read {read} and wrote {written}", moves.member)
        };
        let each: Vec<String> = self.copy_moves.iter().map(moved).collect();
        format!(" ({})", each.join(", "))
    }
}

figures! { CopiesFigures:
    read_turnaround_ms.mean => "read turnaround" Milliseconds Down;
    read_turnaround_ms.deviation => "read turnaround, standard deviation" Milliseconds Down;
    write_turnaround_ms.mean => "write turnaround" Milliseconds Down;
    write_turnaround_ms.deviation => "write turnaround, standard deviation" Milliseconds Down;
    read_queue => "queue before a read" One Down;
    write_queue => "queue before a write" One Down;
    seek_cylinders => "seek distance" Cylinders Down;
    cut_backs => "cut back" One Neither;
    copies_made => "copies made" One Neither;
    copies_abandoned => "copies begun and given up" One Down;
    copy_bytes => "moved for copies" Bytes Down;
    evicted => "given up for space" One Down;
    reads_elsewhere => "reads done by another copy" One Neither;
    lost => "copies lost to failed writes" One Down;
    log_bytes => "logged" Bytes Down;
    waited => "writes that waited for others" One Down;
    outvoted => "requests without enough votes" One Down;
}

figures! { CopyMovesFigures:
    read_bytes => "read for copies" Bytes Down;
    written_bytes => "written for copies" Bytes Down;
}

impl Entry for CopiesFigures {
    const PART: &'static str = "copies";

    fn name(&self) -> &str {
        &self.name
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |copies: &'e Self| vec![(&*copies.name, String::new(), copies)]);
        to.table(Self::PART, |copies: &'e Self| {
            each(&copies.copy_moves, |moves| (&copies.name, moves.member.clone(), Some(moves)))
        });
    }

    fn sentence(&self) -> String {
        let side = |what: &str, turnaround: &MeanAndDeviation, queue: f64| {
            format!(
                "{what} take {} (standard deviation {}) and find {} before them",
                time(turnaround.mean),
                time(turnaround.deviation),
                mean_number(queue)
            )
        };
        let mut parts = Vec::new();
        if self.read_turnaround_ms.count > 0 {
            parts.push(side("reads", &self.read_turnaround_ms, self.read_queue));
        }
        if self.write_turnaround_ms.count > 0 {
            parts.push(side("writes", &self.write_turnaround_ms, self.write_queue));
        }
        if self.seek_cylinders > 0.0 {
            parts.push(format!("arms move {} cylinders", significant(self.seek_cylinders)));
        }
        if self.copies_made > 0 || self.cut_backs > 0 {
            parts.push(format!(
                "{} cut back, {} copies made, for which {} were moved{}",
                grouped(self.cut_backs),
                grouped(self.copies_made),
                bytes(self.copy_bytes),
                self.by_members()
            ));
        }
        if self.copies_abandoned > 0 {
            parts.push(format!("{} copies begun and given up", grouped(self.copies_abandoned)));
        }
        if self.evicted > 0 {
            parts.push(format!("{} copies given up for want of space", grouped(self.evicted)));
        }
        if self.reads_elsewhere > 0 || self.lost > 0 {
            let (reads, lost) = (grouped(self.reads_elsewhere), grouped(self.lost));
            parts.push(format!("{reads} reads done by another copy, {lost} copies lost to failed writes"));
        }
        if self.waited > 0 || self.log_bytes > 0 {
            let (waited, logged) = (grouped(self.waited), bytes(self.log_bytes));
            parts.push(format!("{waited} writes waited for others of their file, {logged} were logged"));
        }
        if self.remembered > 0 {
            let (reads, moved) = (grouped(self.remembered), bytes(self.remembered_bytes));
            parts.push(format!("{reads} reads ({moved}) were in the memory of a storage node"));
        }
        if self.outvoted > 0 {
            parts.push(format!("{} requests found too few copies to vote", grouped(self.outvoted)));
        }
        parts.join("; ")
    }
}
