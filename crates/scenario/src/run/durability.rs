//! What a run's synchronous writes waited for, and what they were not promised.
//!
//! A write is durable when it is on a medium, or in a cache that outlives the power: an fsync returns when a flush has made
//! it so, if the mount, the kernel and the service let it.

use crate::claim::{Claim, Sentence};
use crate::classes::Classes;
use crate::holder::Holder;
use crate::host::PlacedFileSystem;
use crate::loaded::Loaded;
use crate::placed::PlacedDisk;
use crate::report::ArrayFigures;
use crate::report::Served;
use crate::report::Subject;
use crate::report::TrafficFigures;
use crate::workload::{FilePattern, Workload};
use petrio_colours::Operation;
use petrio_page::numbers::per_cent;

/// A part of the average operation that is worth a word.
const PART_MIN: f64 = 0.25;

/// What calls of sync(2) are called among a run's operations.
const SYNC: &str = Operation::Sync.name();

/// What a run's writes waited for and weren't promised.
pub(crate) fn of_run(
    loaded: &Loaded,
    served: &Served,
    (traffic, arrays): (&[TrafficFigures], &[ArrayFigures]),
) -> Vec<Sentence> {
    if served.subject != Subject::FileOperations {
        return Vec::new();
    }
    let mut all: Vec<Sentence> = write_through(loaded, served, (traffic, arrays)).into_iter().collect();
    if asks_for_durability(loaded, served) {
        all.extend(unflushed(loaded, served));
        all.extend(behind_a_battery(loaded, traffic));
    } else if served.requests.writes + served.requests.others > 0 {
        all.extend(left_in_memory(loaded));
    }
    all
}

/// Whether programs asked for what they had written to be durable.
fn asks_for_durability(loaded: &Loaded, served: &Served) -> bool {
    let synchronous = |workload: &Workload| workload.pattern().is_some_and(FilePattern::is_synchronous);
    served.requests.flushes > 0 || loaded.scenario.workload.values().any(synchronous)
}

/// Where a part of a kind is written: the path that `--set` takes.
fn written(loaded: &Loaded, kind: &str, name: &str) -> String {
    loaded.copies().written(&format!("{kind}.{name}")).to_owned()
}

/// Whether a disk, or one of its class, wrote anything.
fn writers<'a>(loaded: &Loaded, traffic: &'a [TrafficFigures]) -> impl Fn(&PlacedDisk) -> bool + 'a {
    let classes = Classes::of(loaded);
    move |disk| {
        let class = classes.name(&disk.name);
        let rows = traffic.iter().filter(|row| row.name == class).flat_map(|row| &row.purposes);
        rows.map(|row| row.writes.requests).sum::<u64>() > 0
    }
}

/// Writes that wait for platters because a drive's write cache is off: of drives that wrote, and for which somebody waits.
fn write_through(
    loaded: &Loaded,
    served: &Served,
    (traffic, arrays): (&[TrafficFigures], &[ArrayFigures]),
) -> Option<Sentence> {
    if served.requests.flushes == 0 {
        return None;
    }
    let wrote = writers(loaded, traffic);
    // Who writes into a controller's memory waits for drives only where that has no room.
    let waited = arrays.iter().filter_map(|array| array.cache.as_ref()).any(|cache| cache.waited > 0);
    let awaited: Vec<usize> = (loaded.hosts.volumes().filter_map(|volume| volume.on))
        .flat_map(|on| loaded.that_hear_flushes(on))
        .collect();
    let is_off = |disk: &PlacedDisk| disk.compiled.is_rotational() && !disk.compiled.features().write_cache;
    let (_, disk) = (loaded.disks.iter().enumerate())
        .find(|(number, disk)| is_off(disk) && wrote(disk) && (waited || awaited.contains(number)))?;
    let part = disk.part.as_str();
    let is_set = loaded.scenario.disk.get(part).is_some_and(|disk| disk.write_cache.is_some());
    let waits = |cause: &str| cause == "device writes" || cause == "journal";
    let waiting = served.breakdown.iter().filter(|share| waits(&share.cause));
    let share: f64 = waiting.map(|share| share.fraction).sum();
    (share >= PART_MIN).then(|| {
        Claim::WriteCacheOff.says(format!(
            "the write cache of \"{part}\" is off, as it is {}, and {} of an average operation's time is waiting until what is written \
             has reached the platters; a drive whose cache is on reports what isn't synchronous earlier, and is flushed for what is \
             ({}.write_cache = \"on\")",
            if is_set { "set" } else { "described or shipped" },
            per_cent(share),
            written(loaded, "disk", part)
        ))
    })
}

/// File systems whose drives' write caches no flush empties before a synchronous write returns.
fn unflushed(loaded: &Loaded, served: &Served) -> Option<Sentence> {
    let all_is_synced = served.operations.iter().any(|kind| kind.operation == SYNC);
    let linux = &loaded.hosts.linux;
    let volatile = |on: usize| {
        let mut disks =
            loaded.that_hear_flushes(on).into_iter().filter_map(|number| loaded.disks.get(number));
        disks.find(|disk| disk.compiled.features().write_cache)
    };
    let told = |placed: &PlacedFileSystem| {
        let disk = volatile(placed.on?).or_else(|| volatile(placed.log?.on))?;
        let (name, part) = (&placed.name, &disk.part);
        let kernel = &linux.hosts.get(placed.host)?.parameters.kernel;
        if !placed.kind.has_barriers() {
            return Some(Claim::NotDurable.says(format!(
                "\"{name}\" is mounted without barriers: what fsync and its like have returned for may be in the write cache of \
                 \"{part}\" alone and is lost with the power, and the file system may be damaged ({}.barriers = true, or \
                 {}.write_cache = \"off\", keep the promise)",
                written(loaded, "fs", name),
                written(loaded, "disk", part)
            )));
        }
        let call = match (kernel.flush_without_commit, kernel.sync_flushes_without_commit) {
            (false, _) => "an fsync",
            (true, false) if all_is_synced => "a sync",
            _ => return None,
        };
        Some(Claim::NotDurable.says(format!(
            "{} flushes no write cache where {call} on \"{name}\" finds nothing to commit, as when data are written over: \
             these may be in the write cache of \"{part}\" alone when it returns, and are lost with the power \
             ({}.write_cache = \"off\" keeps the promise)",
            kernel.name,
            written(loaded, "disk", part)
        )))
    };
    // Of many that are alike the first says it.
    linux.file_systems.iter().find_map(told)
}

/// Drives with write caches behind a controller whose memory keeps what it reports: no flush empties them once it has given data on.
fn behind_a_battery(loaded: &Loaded, traffic: &[TrafficFigures]) -> Option<Sentence> {
    let keeps = |number: usize| loaded.holder(number).is_some_and(Holder::keeps_writes);
    let keeping: Vec<_> = loaded
        .storage
        .iter()
        .enumerate()
        .filter(|(number, _)| keeps(*number))
        .map(|(_, part)| part)
        .collect();
    if keeping.is_empty() {
        return None;
    }
    let wrote = writers(loaded, traffic);
    let volatile = |over: &[usize]| {
        let below = over.iter().flat_map(|&below| loaded.that_hear_flushes(below));
        let mut disks = below.filter_map(|number| loaded.disks.get(number));
        disks.find(|disk| disk.compiled.features().write_cache && wrote(disk))
    };
    let (array, disk) = keeping.into_iter().find_map(|part| Some((part, volatile(&part.over)?)))?;
    let (name, part) = (&array.name, &disk.part);
    Some(Claim::NotDurable.says(format!(
        "the memory of \"{name}\" keeps what it has reported until the write caches of \"{part}\" have it, and no flush empties these: what \
         fsync and its like have returned for may be there alone and is lost with the power ({}.write_cache = \"off\" keeps \
         the promise)",
        written(loaded, "disk", part)
    )))
}

/// Mounts that answer before anything is on disk, whose programs never synchronise.
fn left_in_memory(loaded: &Loaded) -> Option<Sentence> {
    let mut mounts = loaded.hosts.linux.mounts();
    let (name, left) = mounts.find_map(|(_, mount)| Some((mount.name(), mount.left_in_memory()?)))?;
    let (whose, instead) = (left.whose, left.instead);
    Some(Claim::NotDurable.says(format!(
        "\"{name}\" is on disk only when files are synchronised, which nobody does here: what programs have written and closed may be in \
         {whose} alone, where {instead} would have it on disk",
    )))
}
