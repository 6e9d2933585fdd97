//! What redundancy costs an array, and what it was good for.

mod cache;

pub use cache::CacheFigures;

use crate::figure::{Tables, each, figures};
use crate::mean::mean_of;
use crate::section::Entry;
use crate::served::is_zero;
use petrio_kernel::Time;
use petrio_models::block::raid::{Array, Cache, Failed, Moved};
use petrio_page::numbers::{bytes, counted, grouped, seconds, significant};
use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An array, or all equal ones together, over the whole run; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrayFigures {
    /// Its name; of equal ones that of their class.
    pub name: String,
    /// Its level: "5".
    pub level: String,
    /// How many there are.
    pub arrays: u64,
    /// Reads that came, and their bytes.
    pub reads: MovedFigures,
    /// Writes that came.
    pub writes: MovedFigures,
    /// Reads that its members were asked for them.
    pub member_reads: MovedFigures,
    /// Writes that its members were asked for them.
    pub member_writes: MovedFigures,
    /// How long the members took to answer one of these, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member_response_ms: Option<f64>,
    /// Bytes that members write for each that is written to the array; of one with a cache, for each that has left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_amplification: Option<f64>,
    /// What the controller's cache did, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheFigures>,
    /// Bytes read only for the sake of redundancy: old data and parity, or others' data.
    pub extra_read_bytes: u64,
    /// Bytes written that are parity or further copies.
    pub redundant_bytes: u64,
    /// Requests that waited for others to be done with a stripe or, of Linux md, for a row of its stripe cache.
    pub waited: u64,
    /// Requests that were begun anew because a member failed meanwhile.
    pub begun_again: u64,
    /// Requests that failed because too few members were left.
    pub failed_requests: u64,
    /// Of several replications, in how many of them what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_replications: Option<InReplications>,
    /// Members that failed, in the order in which they did; of all replications.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureFigures>,
    /// Bytes read to rebuild members.
    pub rebuild_read_bytes: u64,
    /// Bytes that were written to rebuild members.
    pub rebuild_written_bytes: u64,
    /// How many of these went in strides: the rows of the members' stages, the device log and the time line don't have them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rebuild_strided_bytes: u64,
    /// How long some member was missing or not rebuilt; of several arrays all together.
    pub degraded_s: f64,
    /// How much of that one more failure would have lost data.
    pub exposed_s: f64,
    /// Bytes of data that were lost.
    pub lost_bytes: u64,
    /// When the first data were lost; of all replications the soonest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at_s: Option<f64>,
    /// Failures that were to come of members that had failed already, and that nobody had replaced.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failures_in_vain: u64,
    /// Failures that were to come after the end of the run, and haven't.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failures_to_come: u64,
    /// Bytes that were written to members or written over in the cache before.
    #[serde(skip)]
    written_on: u64,
}

/// Requests and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
pub struct MovedFigures {
    /// Requests.
    pub requests: u64,
    /// Bytes.
    pub bytes: u64,
}

impl MovedFigures {
    /// Whether there were none.
    pub(super) fn is_nothing(&self) -> bool {
        self.requests == 0
    }

    pub(super) fn add(&mut self, moved: Moved) {
        self.requests += moved.requests;
        self.bytes += moved.bytes;
    }
}

impl From<Moved> for MovedFigures {
    fn from(Moved { requests, bytes }: Moved) -> Self {
        Self { requests, bytes }
    }
}

impl From<MovedFigures> for Moved {
    fn from(MovedFigures { requests, bytes }: MovedFigures) -> Self {
        Self { requests, bytes }
    }
}

/// How often in several replications something happened to arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InReplications {
    /// How many replications there were.
    pub replications: u64,
    /// In how many of them a member failed.
    pub with_failures: u64,
    /// In how many of them data were lost.
    pub with_loss: u64,
}

/// A member that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailureFigures {
    /// In which of several replications, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replication: Option<u64>,
    /// Its name.
    pub member: String,
    /// When it failed, seconds from the beginning.
    pub at_s: f64,
    /// Who took its place, if anybody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// When he began to be filled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_at_s: Option<f64>,
    /// How long it took to fill him, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt_in_s: Option<f64>,
    /// When he failed himself before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up_at_s: Option<f64>,
    /// How much of him was filled then, or is at the end of the run, where that isn't all: from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuilt_share: Option<f64>,
}

impl ArrayFigures {
    /// Nothing yet, of arrays of a name and a level.
    pub fn new(name: &str, level: &str) -> Self {
        Self { name: name.to_owned(), level: level.to_owned(), ..Self::default() }
    }

    /// Adds what one over such members has counted until now.
    pub fn add(&mut self, members: &[String], array: &Array, (now, failures): (Time, &[Time])) {
        self.failures_to_come += failures.iter().filter(|at| **at > now).count() as u64;
        let tally = array.tally();
        let answered = |figures: &Self| figures.member_reads.requests + figures.member_writes.requests;
        let before = self.member_response_ms.unwrap_or(0.0) * answered(self) as f64;
        self.arrays += 1;
        self.reads.add(tally.reads);
        self.writes.add(tally.writes);
        self.written_on += tally.writes.bytes.saturating_sub(tally.unwritten_bytes);
        self.member_reads.add(tally.member_reads);
        self.member_writes.add(tally.member_writes);
        // Each as often as its members were asked.
        let mean = |mean: Time, of: u64| mean.as_millis() / of.max(1) as f64;
        let asked = tally.member_reads.requests + tally.member_writes.requests;
        let here = mean(tally.answer_time, tally.answers) * asked as f64;
        let all = answered(self);
        self.member_response_ms = (all > 0).then(|| (before + here) / all as f64);
        self.extra_read_bytes += tally.extra_read_bytes;
        self.redundant_bytes += tally.redundant_bytes;
        self.waited += tally.waited;
        self.begun_again += tally.again;
        self.failed_requests += tally.lost;
        self.failures_in_vain += tally.in_vain;
        self.rebuild_read_bytes += tally.rebuild_reads.bytes;
        self.rebuild_written_bytes += tally.rebuild_writes.bytes;
        self.rebuild_strided_bytes += (0..members.len()).map(|port| array.strided(port).1).sum::<u64>();
        self.degraded_s += tally.degraded_until(now).as_seconds();
        self.exposed_s += tally.exposed_until(now).as_seconds();
        self.lost_bytes += tally.lost_bytes;
        let lost_at = tally.lost_at.map(Time::as_seconds);
        self.lost_at_s = self.lost_at_s.into_iter().chain(lost_at).reduce(f64::min);
        let name = |port: usize| members.get(port).cloned().unwrap_or_default();
        self.failures.extend(tally.failed.iter().map(|failed: &Failed| {
            let replaced = failed.replaced;
            let rebuilt = failed.rebuilt.zip(replaced).map(|(end, (_, begun))| (end - begun).as_seconds());
            FailureFigures {
                replication: None,
                member: name(failed.port),
                at_s: failed.at.as_seconds(),
                replaced_by: replaced.map(|(port, _)| name(port)),
                replaced_at_s: replaced.map(|(_, at)| at.as_seconds()),
                rebuilt_in_s: rebuilt,
                given_up_at_s: failed.given_up.map(|(at, _)| at.as_seconds()),
                rebuilt_share: array.progress(failed),
            }
        }));
        self.amplify();
    }

    /// Adds what its controller's cache has counted: what came to that came to the array.
    pub fn add_cache(&mut self, cache: &Cache) {
        let figures = self.cache.get_or_insert_default();
        figures.add(cache);
        (self.reads, self.writes) = (figures.reads, figures.writes);
        self.written_on += cache.tally().overwritten_bytes;
        self.amplify();
    }

    fn amplify(&mut self) {
        let ratio = || self.member_writes.bytes as f64 / self.written_on as f64;
        self.write_amplification = (self.written_on > 0).then(ratio);
    }
}

figures! { ArrayFigures:
    reads.requests => "reads" One Neither;
    writes.requests => "writes" One Neither;
    member_reads.requests => "reads of members" One Down;
    member_writes.requests => "writes to members" One Down;
    waited => "waited for a stripe" One Down;
    begun_again => "begun again" One Down;
    failed_requests => "failed" One Down;
    writes.bytes => "written" Bytes Neither;
    member_writes.bytes => "written to members" Bytes Down;
    extra_read_bytes => "read for redundancy" Bytes Down;
    redundant_bytes => "written for redundancy" Bytes Down;
    rebuild_written_bytes => "written to rebuild" Bytes Neither;
    rebuild_read_bytes => "read to rebuild" Bytes Neither;
    lost_bytes => "lost" Bytes Down;
    degraded_s => "degraded" Seconds Down;
    exposed_s => "exposed" Seconds Down;
    write_amplification => "write amplification" One Down;
    member_response_ms => "mean answer of a member" Milliseconds Down;
}

figures! { FailureFigures, replication:
    at_s => "failed at" Seconds Neither;
    rebuilt_in_s => "rebuilt in" Seconds Down;
}

impl Entry for ArrayFigures {
    const PART: &'static str = "array";

    fn name(&self) -> &str {
        &self.name
    }

    /// Counts of an array as means, and its members' failures one by one.
    fn mean(all: &[&Self], level: f64) -> Option<Self> {
        let plain: Vec<Self> =
            all.iter().map(|&array| Self { failures: Vec::new(), ..array.clone() }).collect();
        let mean = mean_of(&plain.iter().collect::<Vec<_>>(), level)?;
        let failures = all.iter().enumerate().flat_map(|(replication, array)| {
            let of = move |failure: &FailureFigures| FailureFigures {
                replication: Some(replication as u64 + 1),
                ..failure.clone()
            };
            array.failures.iter().map(of)
        });
        let so_many = |is_so: fn(&Self) -> bool| all.iter().filter(|array| is_so(array)).count() as u64;
        Some(Self {
            failures: failures.collect(),
            lost_at_s: all.iter().filter_map(|array| array.lost_at_s).reduce(f64::min),
            in_replications: Some(InReplications {
                replications: all.len() as u64,
                with_failures: so_many(|array| !array.failures.is_empty()),
                with_loss: so_many(|array| array.lost_bytes > 0),
            }),
            ..mean
        })
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |array: &'e Self| vec![(&*array.name, String::new(), array)]);
        to.table("array member", |array: &'e Self| {
            each(&array.failures, |failure| (&array.name, failure.member.clone(), Some(failure)))
        });
        to.table("array cache", |array: &'e Self| {
            array.cache.iter().map(|cache| (&*array.name, String::new(), cache)).collect()
        });
    }

    fn sentence(&self) -> String {
        let mut parts = Vec::from_iter(self.moved());
        // Of what is all in the cache nothing is told yet.
        if let Some(amplification) = self.write_amplification.filter(|written| *written > 0.0) {
            let which =
                if self.cache.is_some() { "that left the cache or was written over" } else { "that was" };
            parts.push(format!("{} B are written for each byte {which}", significant(amplification)));
        }
        if self.extra_read_bytes > 0 {
            parts.push(format!("{} were read for redundancy alone", bytes(self.extra_read_bytes)));
        }
        if let Some(mean) = self.member_response_ms {
            parts.push(format!("a member took {} for one of them", seconds(mean / 1e3)));
        }
        parts.extend(self.cache.iter().map(CacheFigures::sentence));
        if self.waited > 0 {
            parts.push(format!(
                "{} waited for others to be done with their stripe, or for a row of the stripe cache",
                grouped(self.waited)
            ));
        }
        parts.extend(self.failures.iter().take(4).map(FailureFigures::sentence));
        let all = self.failures.len() as u64;
        if let Some(InReplications { replications, with_failures, .. }) = self.in_replications
            && all > 0
        {
            parts.push(format!(
                "{} failed in all, in {with_failures} of {replications} replications",
                counted(all, "member", "members")
            ));
        } else if all > 4 {
            parts.push(format!("{} members failed in all", grouped(all)));
        }
        parts.extend(self.exposed());
        if self.rebuild_strided_bytes > 0 {
            let share = self.rebuild_strided_bytes as f64 / self.rebuild_written_bytes.max(1) as f64;
            let share = significant(share * 100.0);
            parts.push(format!(
                "{share} % of what was filled went in strides, which the members' stages don't count"
            ));
        }
        match self.in_replications {
            Some(InReplications { replications, with_loss, .. }) if with_loss > 0 => {
                let lost = bytes(self.lost_bytes);
                parts.push(format!(
                    "data are lost in {with_loss} of {replications} replications, {lost} on average"
                ));
            }
            _ if self.lost_bytes > 0 => parts.push(format!("{} of data are lost", bytes(self.lost_bytes))),
            _ => {}
        }
        if self.failures_in_vain > 0 {
            let failures = self.failures_in_vain;
            let s = if failures == 1 { "" } else { "s" };
            parts.push(format!("{failures} failure{s} came of what had failed already, and did nothing"));
        }
        if self.failures_to_come > 0 {
            let failures = self.failures_to_come;
            let s = if failures == 1 { "" } else { "s" };
            parts.push(format!("{failures} failure{s} would have come after the end of the run"));
        }
        if self.failed_requests > 0 {
            parts.push(format!("{} requests failed for want of members", grouped(self.failed_requests)));
        }
        parts.join("; ")
    }
}

impl ArrayFigures {
    /// What was asked of the array, and what of its members.
    fn moved(&self) -> Option<String> {
        let side = |what: &str, asked: MovedFigures, members: &str| {
            (asked.requests > 0).then(|| format!("{} {what} became {members}", grouped(asked.requests)))
        };
        let both = |reads: u64, writes: u64| match (reads, writes) {
            (0, 0) => "none of members: the controller's memory has all of them".to_owned(),
            (reads, 0) => format!("{} reads of members", grouped(reads)),
            (0, writes) => format!("{} writes to members", grouped(writes)),
            (reads, writes) => {
                format!("{} reads of members and {} writes to them", grouped(reads), grouped(writes))
            }
        };
        let members = both(self.member_reads.requests, self.member_writes.requests);
        match (self.reads.requests, self.writes.requests) {
            (0, _) => side("writes", self.writes, &members),
            (_, 0) => side("reads", self.reads, &members),
            (reads, writes) => {
                Some(format!("{} reads and {} writes became {members}", grouped(reads), grouped(writes)))
            }
        }
    }

    /// How long members were missing, and how much of that without any redundancy.
    fn exposed(&self) -> Option<String> {
        if self.degraded_s <= 0.0 {
            return None;
        }
        let exposed = match self.exposed_s {
            exposed if exposed >= self.degraded_s => {
                ", in which one more failure would have lost data".to_owned()
            }
            exposed if exposed > 0.0 => {
                format!(", for {} of which one more failure would have lost data", seconds(exposed))
            }
            _ => ", in which one more failure would have lost nothing".to_owned(),
        };
        Some(format!("some member was missing for {}{exposed}", seconds(self.degraded_s)))
    }
}

impl FailureFigures {
    fn sentence(&self) -> String {
        let Self { replication, member, at_s, replaced_by, replaced_at_s, rebuilt_in_s, .. } = self;
        let Self { given_up_at_s, rebuilt_share, .. } = self;
        let share = significant(rebuilt_share.unwrap_or(0.0) * 100.0);
        let mut text = format!("{member} failed at {}", seconds(*at_s));
        if let Some(replication) = replication {
            text.push_str(&format!(" in replication {replication}"));
        }
        if let Some((other, begun)) = replaced_by.as_ref().zip(*replaced_at_s) {
            text.push_str(&match (*rebuilt_in_s, *given_up_at_s) {
                (Some(span), _) => format!(", and {other} was filled in {}", seconds(span)),
                (None, Some(again)) => {
                    let when = seconds(again);
                    format!(", and {other}, which took its place, failed at {when}, {share} % filled")
                }
                (None, None) => {
                    let since = seconds(begun);
                    format!(", and {other}, which takes its place since {since}, is {share} % filled")
                }
            });
        }
        text
    }
}
