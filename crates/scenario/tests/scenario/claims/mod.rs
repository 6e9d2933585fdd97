//! What a report warns of is so: each claim is held to a run in which it must be made and one in which it mustn't.

mod limits;
mod texts;

use crate::common::{loaded, once, once_of};
use petrio_scenario::report::Report;
use petrio_scenario::run::{RunFailure, look_at_lock_step, look_behind};
use petrio_scenario::{Claim, Loaded, Sentence, load_text};
use std::collections::BTreeSet;
use std::path::Path;
use texts::*;
/// What a report is looked at with, beyond its own run.
type Look = fn(&Loaded, &mut Report) -> Result<(), RunFailure>;

fn at_itself(_: &Loaded, _: &mut Report) -> Result<(), RunFailure> {
    Ok(())
}

/// Each claim, a run that makes it, and one that doesn't, of those that need no further look.
#[expect(clippy::too_many_lines, reason = "a list of claims")]
fn held() -> Vec<(Claim, String, String)> {
    let count = "[measure]\non_error = \"count\"\n";
    let guard = |most: u32| queue("100 ms", 50, &format!("max_requests = {most}"));
    vec![
        (Claim::Overloaded, queue("8 ms", 2_000, ""), queue("12 ms", 2_000, "")),
        (
            Claim::NothingCompleted,
            queue("1 s", 10, "stop = { time = \"1 ms\" }"),
            queue("100 ms", 10, "stop = { time = \"5 s\" }"),
        ),
        (Claim::BrokenOff, guard(20), guard(60)),
        (Claim::EndedEarly, two([20, 200]), two([190, 200])),
        (
            Claim::FoundNothing,
            script("file a 10 KiB\nread a 10 KiB 4 KiB", ""),
            script("file a 10 KiB\nread a 0 4 KiB", ""),
        ),
        (
            Claim::Failed,
            script("file a 4 KiB\nwrite a 0 256 MiB", count),
            script("file a 4 KiB\nwrite a 0 256 KiB", count),
        ),
        (Claim::Waits, slow("10 s"), slow("10 ms")),
        (
            Claim::WideInterval,
            queue("10.5 ms", 40, "replications = 2"),
            queue("100 ms", 100, "replications = 3"),
        ),
        (Claim::BeyondEnd, beyond("wrap", 1 << 40), beyond("wrap", 1 << 10)),
        (Claim::CostsNothing, share("train", FREE, ""), share("train", "", "")),
        (Claim::NoEffect, share("ideal", "", ""), share("train", "", "")),
        (Claim::NotDurable, share("train", "", "writes = \"on-sync\""), share("train", "", "")),
        (
            Claim::NotDurable,
            synchronous("barriers = false", "write_cache = \"on\"", "linux-6.18"),
            synchronous("barriers = false", "write_cache = \"off\"", "linux-6.18"),
        ),
        (
            Claim::NotDurable,
            synchronous("", "write_cache = \"on\"", "linux-2.6.24"),
            synchronous("", "write_cache = \"on\"", "linux-6.18"),
        ),
        (
            Claim::WriteCacheOff,
            synchronous("", "write_cache = \"off\"", "linux-6.18"),
            synchronous("", "write_cache = \"on\"", "linux-6.18"),
        ),
        (Claim::Thrashing, own_memory("48 MiB"), own_memory("16 MiB")),
        // What a controller's memory takes waits for no platter.
        (Claim::WriteCacheOff, behind_a_controller("64 KiB", 200), behind_a_controller("64 MiB", 200)),
        // A battery keeps what the controller has, and no flush empties its members' caches.
        (
            Claim::NotDurable,
            behind_a_controller("64 KiB", 200).replace("write_cache = \"off\"", "write_cache = \"on\""),
            behind_a_controller("64 KiB", 200),
        ),
        (
            Claim::NotDurable,
            behind_a_controller("64 KiB", 200).replace("write_cache = \"off\"", "write_cache = \"on\""),
            // Without one each flush goes to the members.
            behind_a_controller("64 KiB", 200)
                .replace("write_cache = \"off\"", "write_cache = \"on\"")
                .replace("controller.cache.size", "controller.cache.battery = false\ncontroller.cache.size"),
        ),
        (Claim::NotCached, unix("cached = true", "600 KiB"), unix("cached = true", "24 MiB")),
        (Claim::Assumed, behind_a_controller("64 MiB", 20), queue("100 ms", 20, "")),
        (Claim::NotOfThisKernel, under("anticipatory", "linux-6.18"), under("anticipatory", "linux-2.6.24")),
        (Claim::NotOfThisKernel, under("kyber", "linux-3.2"), under("none", "linux-3.2")),
        (Claim::PastTheWire, several_to_one("ideal"), several_to_one("fluid")),
        (Claim::NotGathered, share("train", "", ""), share("train", "", "").replace("4 KiB", "64 KiB")),
        (Claim::ColdCaches, reads(""), reads("direct = true")),
        // Where think times say how many there are.
        (Claim::ColdCaches, paced_reads(""), paced_reads("cached = true")),
        (
            Claim::NotCached,
            script("file a 100 MiB cached\nread a 0 4 KiB", ""),
            script("file a 10 MiB cached\nread a 0 4 KiB", ""),
        ),
        (
            Claim::PrecisionNotReached,
            queue("30 ms", 4, "stop = { precision = \"0.1 %\" }"),
            queue("100 ms", 40, "stop = { precision = \"20 %\" }"),
        ),
        (Claim::ChangedCalls, replayed("gone.csv", ""), replayed("there.csv", "")),
        (Claim::LeftOut, replayed("compact.csv", ""), replayed("full.csv", "")),
        (Claim::LeftOut, replayed("uring.strace", ""), replayed("timed.strace", "")),
        (Claim::LeftOut, replayed("timeless.strace", ""), replayed("timed.strace", "")),
        (Claim::BeginsWarm, replayed("warm.csv", ""), replayed("warm.csv", "caches = \"cold\"")),
        (
            Claim::Placement,
            share("train", "", "placement = { profile = \"nobody.csv\" }"),
            share("train", "", "placement = { profile = \"known.csv\" }"),
        ),
        (Claim::Dropped, incast("16 KiB"), incast("16 MiB")),
    ]
}

/// The same of those that a look at further runs makes.
fn looked_at() -> Vec<(Claim, Look, String, String)> {
    vec![
        (Claim::Burst, look_behind, behind_a_cache(150, "0.1 ms"), behind_a_cache(60, "400 ms")),
        (
            Claim::LockStep,
            look_at_lock_step,
            in_step("operation = \"rewrite\"\nfsync = { every = 1 }"),
            in_step("operation = \"read\"\ndirect = true"),
        ),
        // Constant pauses that keep processes apart.
        (Claim::LockStep, look_at_lock_step, out_of_step("41 ms"), out_of_step("600 ms")),
    ]
}

/// The warnings and assumptions of a text, with files of a folder.
fn warnings(text: &str, folder: &Path, look: Look) -> Vec<Sentence> {
    let loaded = load_text("claims.toml", text, Some(folder), &[]);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let mut report = once_of(&loaded);
    look(&loaded, &mut report).unwrap();
    report.warnings.into_iter().chain(report.assumptions).collect()
}

#[test]
fn each_claim_is_made_where_it_is_so_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let own = held().into_iter().map(|(claim, so, not_so)| (claim, at_itself as Look, so, not_so));
    for (claim, look, so, not_so) in own.chain(looked_at()) {
        let made = |text: &str| warnings(text, folder.path(), look);
        let is_made = |warnings: &[Sentence]| warnings.iter().any(|warning| warning.claim == claim);
        let (with, without) = (made(&so), made(&not_so));
        assert!(is_made(&with), "{claim:?} is missing among {with:?}\n{so}");
        assert!(!is_made(&without), "{claim:?} is wrong among {without:?}\n{not_so}");
        // What has no name is read of old reports, and never made.
        let named = with.iter().chain(&without).all(|warning| warning.claim != Claim::Unnamed);
        assert!(named, "{with:?} {without:?}");
    }
}

#[test]
fn no_claim_is_without_a_run_in_which_it_is_made() {
    let name = |claim: Claim| serde_json::to_value(claim).unwrap().as_str().unwrap().to_owned();
    let own = held().into_iter().map(|(claim, ..)| claim);
    let looked_at =
        looked_at().into_iter().map(|(claim, ..)| claim).chain(limits::CLAIMS).chain(crate::states::CLAIMS);
    // Read by the test of old reports.
    let held: BTreeSet<String> = own.chain(looked_at).chain([Claim::Unnamed]).map(name).collect();
    let schema = schemars::schema_for!(Claim).to_value();
    let all: BTreeSet<String> = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|one| [one["const"].as_str().map(str::to_owned)].into_iter().flatten())
        .collect();
    assert!(all.len() > 20 && all == held, "{:?}", all.symmetric_difference(&held));
}

#[test]
fn an_overload_is_told_with_what_comes_and_what_is_served() {
    let warnings = once(&queue("8 ms", 2_000, "")).warnings;
    let told = warnings.iter().find(|warning| warning.claim == Claim::Overloaded).unwrap();
    assert!(told.contains("requests a second come and 100 are served"), "{told}");
    // Where all comes within a moment, in which nothing is served.
    let moment =
        once(&queue("1 us", 500, "").replace("exponential = { mean = \"1 us\" }", "constant = \"1 us\""))
            .warnings;
    let told_of_it = moment.iter().find(|warning| warning.claim == Claim::Overloaded).unwrap();
    assert!(told_of_it.contains("1,000,000 requests a second come and 100 are served"), "{told_of_it}");
    let json = serde_json::to_value(told).unwrap();
    assert_eq!(json["claim"], "overloaded");
}

/// A report of form 1 had words alone.
#[test]
fn warnings_without_names_are_read() {
    let read: Sentence = serde_json::from_str("\"caches were empty\"").unwrap();
    assert_eq!((read.claim, read.text.as_str()), (Claim::Unnamed, "caches were empty"));
    let again: Sentence = serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
    assert_eq!(again, read);
}

#[test]
fn a_burst_is_told_with_the_rate_behind_it_and_what_drives_keep_up_with_is_none() {
    let behind = |text: &str| -> Report {
        let mut report = once(text);
        look_behind(&loaded(text), &mut report).unwrap();
        report
    };
    let burst = behind(&behind_a_cache(150, "0.1 ms"));
    let told = burst.warnings.iter().find(|warning| warning.claim == Claim::Burst).unwrap();
    let sustained = burst.sustained.unwrap();
    assert!((0.2..0.5).contains(&sustained.filled), "{told}");
    let rate = sustained.requests_per_s.unwrap();
    assert!(rate < burst.served.requests_per_s.value / 10.0, "{told}");
    // What a run gets that leaves the burst out.
    let long = behind_a_cache(3_000, "0.1 ms") + "\n[measure]\nwarm_up = \"2 s\"\n";
    let long = once(&long).served.requests_per_s.value;
    assert!((0.8..1.25).contains(&(long / rate)), "{long} {told}");
    // A cache that is full at the end has filled for most of the run.
    let full = behind(&behind_a_cache(600, "0.1 ms"));
    let sustained = full.sustained.as_ref().unwrap();
    assert!(sustained.filled > 0.9, "{sustained:?}");
    let behind_it = sustained.requests_per_s.unwrap();
    assert!((0.7..1.4).contains(&(behind_it / rate)), "{behind_it}, {rate}");
    let paced = behind(&behind_a_cache(60, "400 ms"));
    assert!(paced.sustained.is_none(), "{:?}", paced.warnings);
}
