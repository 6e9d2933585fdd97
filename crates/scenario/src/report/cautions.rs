//! What to check before a result is trusted, read from the result itself.

use crate::loaded::Loaded;
use crate::placed::PlacedDisk;
use crate::report::series::Interval;
use crate::report::served::Served;
use crate::report::subject::Subject;
use crate::report::summary::Report;
use crate::schema::Workload;
use petrio_page::numbers::{per_cent, significant};

/// The part of a run that counts as its beginning, and how much faster the rest has to be to be worth a word.
const BEGINNING: f64 = 0.1;
const FASTER: f64 = 1.5;
/// Of fewer operations, rates of parts of a run say nothing.
const OPERATIONS_MIN: u64 = 200;
/// A part of the average operation that is worth a word.
const PART_MIN: f64 = 0.25;
/// Quicker operations than this would take a tenth longer at least with usual costs, which are 75 us for a call and its
/// messages.
const COST_DECIDES_MS: f64 = 0.75;
/// An interval that is wider than this part of its mean says little.
const WIDE: f64 = 0.1;

/// What a run says of itself.
pub(crate) fn of_run(loaded: &Loaded, served: &Served, warm_up_s: f64) -> Vec<String> {
    let cold = if warm_up_s == 0.0 { cold(loaded, served) } else { None };
    cold.into_iter().chain(write_through(loaded, served)).chain(costless(loaded, served)).collect()
}

/// Reads that found empty caches at first.
fn cold(loaded: &Loaded, served: &Served) -> Option<String> {
    let warmed = |workload: &Workload| match workload {
        Workload::Files(load) => load.parameters.cached || load.parameters.warm_up_pass,
        Workload::FileTrace(load) => load.parameters.cached,
        _ => false,
    };
    // Where several come and go, and where a program does one thing after the other, rates change for other reasons.
    let has_phases = |workload: &Workload| matches!(workload, Workload::Parallel(_));
    let alone = loaded.workloads_of(served.subject).count() == 1
        && !loaded.workloads_of(served.subject).any(|(_, workload)| has_phases(workload));
    let is_cold = loaded.workloads_of(served.subject).all(|(_, workload)| !warmed(workload));
    let of_files = served.subject == Subject::FileOperations && served.requests.reads > 0;
    if !(alone && is_cold && of_files && served.requests.completed >= OPERATIONS_MIN) {
        return None;
    }
    let intervals = &served.series.intervals;
    let (first, half) = ((intervals.len() as f64 * BEGINNING) as usize, intervals.len() / 2);
    // The last interval may be shorter than the others.
    let later = intervals.get(half..intervals.len().saturating_sub(1)).filter(|later| !later.is_empty())?;
    let begin = intervals.get(..first).filter(|begin| !begin.is_empty())?;
    let rate = |part: &[Interval]| {
        let completed: u64 = part.iter().map(|interval| interval.completed).sum();
        completed as f64 / (part.len() as f64 * served.series.interval_s)
    };
    let (before, after) = (rate(begin), rate(later));
    (after > before * FASTER).then(|| {
        format!(
            "the first tenth of the run got {} {} a second, its second half {}: caches were empty when it began. \
             measure.warm_up leaves the beginning out; of a workload of kind files, cached or warm_up_pass fills the \
             page cache before",
            significant(before),
            served.subject.many(),
            significant(after)
        )
    })
}

/// Writes that wait for platters because a drive's write cache is off.
fn write_through(loaded: &Loaded, served: &Served) -> Option<String> {
    let off = |disk: &&PlacedDisk| disk.compiled.is_rotational() && !disk.compiled.features().write_cache;
    let part = loaded.disks.iter().find(off)?.part.as_str();
    if served.subject != Subject::FileOperations || served.requests.flushes == 0 {
        return None;
    }
    let waits = |cause: &str| cause == "device writes" || cause == "journal";
    let waiting = served.breakdown.iter().filter(|share| waits(&share.cause));
    let share: f64 = waiting.map(|share| share.fraction).sum();
    (share >= PART_MIN).then(|| {
        format!(
            "the write cache of \"{part}\" is off, as it is described or shipped, and {} of an average operation's time is \
             waiting until what is written has reached the platters; a drive whose cache is on reports earlier and is \
             flushed instead (disk.{part}.write_cache = \"on\")",
            per_cent(share)
        )
    })
}

/// Operations on shared file systems that are so quick that what they cost processors decides how many there are, where they
/// are said to cost nothing.
fn costless(loaded: &Loaded, served: &Served) -> Option<String> {
    let parts = loaded.hosts.linux.costing_nothing();
    let mean_ms = served.latency.as_ref()?.mean_ms.value;
    if parts.is_empty() || served.subject != Subject::FileOperations || mean_ms > COST_DECIDES_MS {
        return None;
    }
    Some(format!(
        "messages and calls of {} are set to cost no processor's time, and an operation takes {} ms on average: usual costs would \
         decide how many of them there are a second; leave out costs for these",
        parts.join(", "),
        significant(mean_ms)
    ))
}

/// Means that several replications don't tell well.
pub(crate) fn of_replications(report: &Report) -> Vec<String> {
    let wide = |served: &Served| {
        let mean = served.latency.as_ref()?.mean_ms;
        let part = mean.half_width? / mean.value;
        (part > WIDE).then(|| {
            format!(
                "the mean latency of the {} is known to ± {} only, from {} replications: more of them \
                 (measure.replications) or longer runs tell it better",
                served.subject.many(),
                per_cent(part),
                report.replications
            )
        })
    };
    report.each().filter_map(wide).collect()
}
