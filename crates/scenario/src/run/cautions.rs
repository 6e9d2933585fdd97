//! What to check before a result is trusted, read from the result itself.

use crate::claim::{Claim, Sentence};
use crate::loaded::Loaded;
use crate::report::Latency;
use crate::report::MemoryFigures;
use crate::report::Report;
use crate::report::Subject;
use crate::report::Waiting;
use crate::report::{Interval, Series};
use crate::report::{OperationFigures, Served};
use crate::workload::{FilePattern, Workload};
use petrio_colours::{Causes, FileCause};
use petrio_page::numbers::{bytes, per_cent, seconds, significant, time};
use petrio_units::numbers::{as_index, whole_part};

/// The part of a run that counts as its beginning, and how much faster the rest has to be to be worth a word.
const BEGINNING: f64 = 0.1;
const FASTER: f64 = 1.5;
/// Rates that differ by less are those of the load itself; and how many times quicker it has to be then.
const PACED: f64 = 1.25;
const PACED_FASTER: f64 = 2.0;
/// What to do where caches were empty.
const WARM_UP: &str = "measure.warm_up leaves the beginning out; of a workload of kind files, cached or warm_up_pass fills the \
                       page cache before";
/// Memory that is fuller than this part has begun to give up pages; and the least part of operations' time that waits for devices
/// where that is worth a word.
const NEVER_FULL: f64 = 0.9;
const COLD_MIN: f64 = 0.25;
/// Reads that find their data in memory are more than this part of all where that makes them faster.
const FOUND_MIN: f64 = 0.1;
/// Of fewer operations, rates of parts of a run say nothing.
const OPERATIONS_MIN: u64 = 200;
/// Quicker operations than this would take a tenth longer at least with usual costs, which are 75 us for a call and its
/// messages.
const COST_DECIDES_MS: f64 = 0.75;
/// A wait that is a smaller part of a workload's time is worth no word.
const LONG: f64 = 0.1;
/// Of so many waits at most each is told.
const WAITS_MAX: usize = 4;
/// Most of an operation's time.
const MOST: f64 = 0.5;
/// An interval that is wider than this part of its mean says little.
const WIDE: f64 = 0.1;

/// What a run says of itself.
pub(crate) fn of_run(
    loaded: &Loaded,
    served: &Served,
    memory: &[MemoryFigures],
    warm_up_s: f64,
) -> Vec<Sentence> {
    let is_cold = warm_up_s == 0.0
        && loaded
            .workloads_of(served.subject)
            .all(|(_, workload)| !workload.pattern().is_some_and(FilePattern::is_warmed));
    let cold =
        is_cold.then(|| cold(loaded, served).or_else(|| cold_to_its_end(loaded, served, memory))).flatten();
    cold.into_iter().chain(costless(loaded, served)).chain(ungathered(loaded, served)).collect()
}

/// Hosts whose processes waited a good part of the time for memory of theirs that had gone to swap space.
pub(crate) fn of_memory(memory: &[MemoryFigures], span_s: f64) -> Vec<Sentence> {
    let told = |host: &MemoryFigures| {
        let waited = host.waited_for_swap_ms as f64 / 1e3;
        (waited > LONG * span_s * host.hosts as f64).then(|| {
            Claim::Thrashing.says(format!(
                "processes on \"{}\" waited {} for memory of theirs that had gone to swap space, all together, in a run of {}: they use \
                 more than the host has beside its files (host.{}.memory)",
                host.name,
                seconds(waited),
                seconds(span_s),
                host.name
            ))
        })
    };
    memory.iter().filter_map(told).collect()
}

/// Workloads that waited for one thing for longer than they ever had to when the run ended, or for all that they asked for.
/// Under an `overload` everything waits longer and longer, which is told as such.
pub(crate) fn of_waiting(served: &Served, overload: bool) -> Vec<Sentence> {
    struct Row<'a>(&'a str, Option<&'a Latency>, Option<Waiting>, &'a [OperationFigures], f64);
    let Series { begin_s, .. } = served.series;
    let all = served.series.end_s() - begin_s;
    let only = Row("", served.latency.as_ref(), served.waiting, &served.operations, all);
    let rows: Vec<Row<'_>> = match served.workloads.as_slice() {
        [] => vec![only],
        rows => rows
            .iter()
            .map(|row| {
                let span = row.until_s - row.from_s;
                Row(&row.workload, row.latency.as_ref(), row.waiting, &row.operations, span)
            })
            .collect(),
    };
    let mut found: Vec<(f64, Sentence)> = Vec::new();
    for Row(name, latency, waiting, kinds, span_s) in rows {
        let Some(waiting) = waiting else { continue };
        let who = if name.is_empty() { "the workload".to_owned() } else { format!("\"{name}\"") };
        if latency.is_none() {
            // Of nothing at all it is said that there is nothing to report.
            if served.requests.completed > 0 {
                let words = format!("{who} got nothing: none completed, {}", waiting.words());
                found.push((waiting.oldest_s, Claim::Waits.says(words)));
            }
            continue;
        }
        let kinds: Vec<(Option<&str>, Option<&Latency>, Waiting)> = if kinds.is_empty() {
            vec![(None, latency, waiting)]
        } else {
            let own = |kind: &'_ OperationFigures| kind.waiting;
            let kinds = kinds.iter().filter_map(|kind| Some((kind, own(kind)?)));
            kinds.map(|(kind, waiting)| (Some(&*kind.operation), kind.latency.as_ref(), waiting)).collect()
        };
        for (kind, latency, waiting) in kinds {
            let longest_s = latency.map_or(0.0, |latency| latency.max_ms.value / 1e3);
            if overload || waiting.oldest_s <= longest_s || waiting.oldest_s < LONG * span_s {
                continue;
            }
            let what = with_article(kind.unwrap_or(served.subject.one()));
            let than = if latency.is_some() { "longer than for any before" } else { "and for none before" };
            let age = seconds(waiting.oldest_s);
            let words = format!("{who} had waited {age} for {what} when the run ended, {than}");
            found.push((waiting.oldest_s, Claim::Waits.says(words)));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().take(WAITS_MAX).map(|(_, warning)| warning).collect()
}

/// "an fsync", "a read": by how its beginning is spoken.
fn with_article(kind: &str) -> String {
    let vowel = ["a", "e", "i", "o", "u", "fs", "fd"].iter().any(|begin| kind.starts_with(begin));
    format!("{} {kind}", if vowel { "an" } else { "a" })
}

/// The part of the average operation's time that goes to a cause.
fn part_of(served: &Served, cause: FileCause) -> f64 {
    served.breakdown.iter().filter(|share| share.cause == cause.name()).map(|share| share.fraction).sum()
}

/// Reads of which more and more find their data in memory, up to the end of the run and beyond it: the memory had room for all that
/// was read, so that none of it was given up.
fn cold_to_its_end(loaded: &Loaded, served: &Served, memory: &[MemoryFigures]) -> Option<Sentence> {
    let comes_again = |workload: &Workload| workload.pattern().is_some_and(FilePattern::reads_again);
    let (name, _) = loaded.workloads_of(served.subject).find(|(_, workload)| comes_again(workload))?;
    let reads = served.operations.iter().find(|kind| kind.operation == "read")?;
    let found = reads.from_cache as f64 / reads.completed.max(1) as f64;
    let from_devices = part_of(served, FileCause::Read);
    let fullest = memory.iter().max_by_key(|host| host.most_bytes)?;
    let has_room = memory.iter().all(|host| (host.most_bytes as f64) < NEVER_FULL * host.usable_bytes as f64);
    let told = found > FOUND_MIN && from_devices > COLD_MIN && has_room && reads.completed >= OPERATIONS_MIN;
    told.then(|| {
        Claim::ColdCaches.says(format!(
            "caches were empty when the run began, and filled until it ended: {} of the reads of \"{name}\" and others found what they \
             asked for in memory, {} of {} of which was in use, and a longer run finds more of it there. {WARM_UP}",
            per_cent(found),
            bytes(fullest.most_bytes),
            bytes(fullest.usable_bytes)
        ))
    })
}

/// Reads that found empty caches at first.
fn cold(loaded: &Loaded, served: &Served) -> Option<Sentence> {
    // Where several come and go, and where a program does one thing after the other, rates change for other reasons.
    let alone = loaded.workloads_of(served.subject).count() == 1
        && !loaded.workloads_of(served.subject).any(|(_, workload)| workload.load().has_phases());
    // What no read has found in memory isn't faster for what is there: direct I/O, and data that nobody reads twice.
    let found: u64 = (served.operations.iter())
        .filter(|kind| kind.operation == "read")
        .map(|kind| kind.from_cache)
        .sum::<u64>()
        .max(if served.operations.is_empty() { served.requests.from_cache } else { 0 });
    let of_files =
        served.subject == Subject::FileOperations && found as f64 > FOUND_MIN * served.requests.reads as f64;
    if !(alone && of_files && served.requests.completed >= OPERATIONS_MIN) {
        return None;
    }
    let intervals = &served.series.intervals;
    let (first, half) = (as_index(whole_part(intervals.len() as f64 * BEGINNING)), intervals.len() / 2);
    let later = intervals.get(half..).filter(|later| later.len() > 1)?;
    let begin = intervals.get(..first).filter(|begin| !begin.is_empty())?;
    // The last interval may be shorter than the others.
    let shorter_s = served.series.interval_s - served.series.last_interval_s;
    let rate = |part: &[Interval], less_s: f64| {
        let completed: u64 = part.iter().map(|interval| interval.completed).sum();
        completed as f64 / (part.len() as f64 * served.series.interval_s - less_s)
    };
    // Empty caches make operations slow. Where these are about as quick, what comes between them is what was longer.
    let latency_ms = |part: &[Interval]| {
        let completed: u64 = part.iter().map(|interval| interval.completed).sum();
        let sum: f64 = part.iter().map(|interval| interval.mean_latency_ms * interval.completed as f64).sum();
        sum / completed.max(1) as f64
    };
    let (before, after) = (rate(begin, 0.0), rate(later, shorter_s));
    let [before_ms, after_ms] = [begin, later].map(latency_ms);
    let many = served.subject.many();
    let words = if after > before * FASTER && before_ms > after_ms * FASTER {
        format!("got {} {many} a second, its second half {}", significant(before), significant(after))
    } else if after * PACED > before && before * PACED > after && before_ms > after_ms * PACED_FASTER {
        // Where think times or arrivals say how many there are.
        format!(
            "took {} for one of the {many} on average, its second half {}",
            time(before_ms),
            time(after_ms)
        )
    } else {
        return None;
    };
    Some(
        Claim::ColdCaches
            .says(format!("the first tenth of the run {words}: caches were empty when it began. {WARM_UP}")),
    )
}

/// Operations on shared file systems that are so quick that what they cost processors decides how many there are, where they
/// are said to cost nothing.
fn costless(loaded: &Loaded, served: &Served) -> Option<Sentence> {
    let linux = &loaded.hosts.linux;
    let free = linux.mounts().map(|(_, mount)| mount).filter(|mount| mount.costs_nothing(linux));
    let parts: Vec<String> = free.map(|mount| format!("\"{}\"", mount.name())).collect();
    let mean_ms = served.latency.as_ref()?.mean_ms.value;
    if parts.is_empty() || served.subject != Subject::FileOperations || mean_ms > COST_DECIDES_MS {
        return None;
    }
    Some(Claim::CostsNothing.says(format!(
        "messages and calls of {} are set to cost no processor's time, and an operation takes {} ms on average: usual costs would \
         decide how many of them there are a second; leave out costs for these",
        parts.join(", "),
        significant(mean_ms)
    )))
}

/// Small accesses in order to a share whose network is most of their time: its clients keep no page cache, as those of NFS and
/// SMB do.
fn ungathered(loaded: &Loaded, served: &Served) -> Option<Sentence> {
    let mounts =
        loaded.hosts.linux.mounts().filter_map(|(_, mount)| Some((mount.ungathered_calls()?, mount)));
    let (transfer, share) = mounts.max_by_key(|(transfer, _)| *transfer)?;
    let gathers =
        |workload: &Workload| workload.pattern().is_some_and(|pattern| pattern.would_be_gathered(transfer));
    let under_way = part_of(served, FileCause::Network);
    let (name, _) = loaded.workloads_of(served.subject).find(|(_, workload)| gathers(workload))?;
    (under_way >= MOST).then(|| {
        Claim::NotGathered.says(format!(
            "each call of \"{name}\" goes to the server of \"{}\" by itself: clients of NFS or SMB keep a page cache, which reads ahead and \
             gathers writes of fewer bytes than a call takes ({}); with records of that size \"{name}\" is nearer to them",
            share.name(),
            transfer
        ))
    })
}

/// Means that several replications don't tell well.
pub(crate) fn of_replications(report: &Report) -> Vec<Sentence> {
    let wide = |served: &Served| {
        let mean = served.latency.as_ref()?.mean_ms;
        let part = mean.half_width? / mean.value;
        (part > WIDE).then(|| {
            Claim::WideInterval.says(format!(
                "the mean latency of the {} is known to ± {} only, from {} replications: more of them \
                 (measure.replications) or longer runs tell it better",
                served.subject.many(),
                per_cent(part),
                report.replications
            ))
        })
    };
    report.each().filter_map(wide).collect()
}
