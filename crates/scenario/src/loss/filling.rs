//! How long an array takes to fill the places of members that fail: alone, and under the scenario's load.
//!
//! Under load a run may end long before a place is filled: then how much it has filled is held against how long the array alone takes for as
//! much, and the whole is as many times as long as when it is alone. Where a rate of the scenario's holds it back, which is the same on all
//! tracks, the whole is at that rate. Several places that are filled at once aren't filled in strides (`petrio_models::block::raid`), so that of
//! an array alone their beginning is held against that of one place.

use super::SurveyedArray;
use crate::build::System;
use crate::loaded::Loaded;
use crate::run::{Replicator, RunFailure};
use crate::text::{Override, Problems};
use petrio_engine::Engine;
use petrio_kernel::{Time, Watch};
use petrio_models::block::raid::RebuildParameters;
use serde_json::{Value, json};

/// How far places were filled, on average over those that were let fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// For how long, seconds.
    pub seconds: f64,
    /// How much of each, 0 to 1.
    pub share: f64,
}

/// How long a place is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Under the scenario's load, seconds.
    pub loaded: f64,
    /// Of an array that nobody asks for anything, seconds; nothing where that couldn't be found.
    pub alone: Option<f64>,
    /// How much of it was seen under load: all, or the part that the run was long enough for, 0 to 1.
    pub seen: f64,
}

/// A year in which nobody asks an array for anything is enough for each.
const PATIENCE: Time = Time::from_millis(365 * 24 * 3_600_000);
/// How much of several places tells how fast they are filled beside one.
const BEGINNING: f64 = 0.002;
/// A rate that is reached within so much holds a rebuild back.
const AT_THE_RATE: f64 = 0.95;

/// What an array does that nobody asks for anything.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// How far it fills its places, from instant to instant.
    fillings: Vec<Filling>,
    /// How long it takes for all of them.
    whole: Option<f64>,
}

impl Alone {
    /// How far so much of a place is filled, or the end of what was seen.
    fn at(&self, share: f64) -> Option<&Filling> {
        self.fillings.iter().find(|filling| filling.share >= share).or(self.fillings.last())
    }

    /// From a whole place, or from the beginning of several beside one that was filled as a whole.
    fn new(fillings: Vec<Filling>, one: Option<&Self>) -> Self {
        let last = fillings.last().copied();
        let whole = last.filter(|last| last.share >= 1.0).map(|last| last.seconds).or_else(|| {
            let (one, last) = (one?, last?);
            let beside = one.at(last.share)?;
            Some(one.whole? * (last.seconds / last.share) / (beside.seconds / beside.share))
        });
        Self { fillings, whole }
    }
}

impl Pace {
    /// From what was seen under load, and of the array alone.
    pub fn of(under: Filling, alone: &Alone, array: &SurveyedArray, loaded: &Loaded) -> Self {
        let whole = alone.whole;
        let at_once = under.seconds / under.share;
        if under.share >= 1.0 {
            return Self { loaded: under.seconds, alone: whole, seen: 1.0 };
        }
        let bytes_a_second = array.member_bytes as f64 * under.share / under.seconds;
        let held_back = array.raid(loaded).and_then(|raid| rate(&raid.parameters.rebuild));
        // As much as was seen, of the array alone.
        let as_much = alone.at(under.share);
        let slower = as_much.map(|filling| at_once / (filling.seconds / filling.share));
        let seconds = match (held_back, slower, whole) {
            (Some(rate), _, whole) if bytes_a_second >= AT_THE_RATE * rate => {
                at_once.max(whole.unwrap_or(0.0))
            }
            (_, Some(slower), Some(whole)) => whole * slower.max(1.0),
            (_, _, whole) => at_once.max(whole.unwrap_or(0.0)),
        };
        Self { loaded: seconds, alone: whole, seen: under.share }
    }
}

/// The rate that a rebuild doesn't exceed while others ask, bytes a second.
fn rate(rebuild: &RebuildParameters) -> Option<f64> {
    let rates = rebuild.rate.into_iter().chain(rebuild.busy_rate);
    rates.map(petrio_units::Rate::bytes_per_second).reduce(f64::min)
}

/// How far a scenario whose members fail fills the places of an array in one replication of its run; nothing where none was begun.
///
/// # Errors
/// As of [`run`](crate::run::run).
pub fn fillings_under_load(
    replicator: &Replicator<'_>,
    array: &SurveyedArray,
    replication: u64,
) -> Result<Option<Filling>, RunFailure> {
    let report = replicator.run(replication)?;
    let of_class = report.arrays.iter().filter(|figures| figures.name == array.class);
    let all = of_class.flat_map(|figures| &figures.failures).filter_map(|failure| {
        let begun = failure.replaced_at_s?;
        Some(match (failure.rebuilt_in_s, failure.rebuilt_share) {
            (Some(seconds), _) => Filling { seconds, share: 1.0 },
            (None, share) => Filling { seconds: report.simulated_s - begun, share: share? },
        })
    });
    Ok(mean(all).filter(|filling| filling.share > 0.0))
}

/// The mean of several; where some aren't filled, how long those that are have taken counts as their pace.
fn mean(all: impl Iterator<Item = Filling>) -> Option<Filling> {
    let all: Vec<Filling> = all.collect();
    let count = all.len() as f64;
    if all.is_empty() {
        return None;
    }
    if all.iter().all(|filling| filling.share >= 1.0) {
        return Some(Filling {
            seconds: all.iter().map(|filling| filling.seconds).sum::<f64>() / count,
            share: 1.0,
        });
    }
    let longest = all.iter().map(|filling| filling.seconds).fold(0.0, f64::max);
    let share = |filling: &Filling| filling.share * longest / filling.seconds;
    Some(Filling { seconds: longest, share: (all.iter().map(share).sum::<f64>() / count).min(1.0) })
}

/// The array alone, with the same drives and without a host, a file system and a load; nothing where its members aren't equal disks.
///
/// # Errors
/// What keeps that from being a scenario.
pub fn bare(array: &SurveyedArray, loaded: &Loaded, members: usize) -> Option<Result<Loaded, Problems>> {
    let raid = array.raid(loaded)?;
    let over = &loaded.storage[array.number].over;
    let first = loaded.disks.get(*over.first()?)?;
    let equal = |below: &usize| loaded.disks.get(*below).is_some_and(|disk| disk.part == first.part);
    if !over.iter().all(equal) {
        return None;
    }
    let mut disk = serde_json::to_value(loaded.scenario.disk.get(&first.part)?).ok()?;
    disk["count"] = json!(over.len());
    let mut parameters = serde_json::to_value(&raid.parameters).ok()?;
    parameters["on"] = json!("member*");
    let mut parts = json!({ "seed": loaded.scenario.seed, "raid": { "array": parameters } });
    parts["disk"] = json!({ "member": disk });
    if let Some(hba) = serde_json::to_value(&loaded.scenario.hba).ok().filter(|hba| hba != &json!({})) {
        let named = disk_bus(&parts).and_then(|bus| Some((bus.clone(), hba.get(&bus)?.clone())));
        if let Some((bus, adapter)) = named {
            parts["hba"] = json!({ bus: adapter });
        }
    }
    parts["workload"] = json!({ "nobody": {
        "kind": "synthetic", "on": "array", "requests": 1,
        "generators": [{ "inter_arrival": { "constant": "1 s" }, "size": "4 KiB", "read_fraction": 1.0 }],
    } });
    let text = toml::to_string(&parts).ok()?;
    let alone = SurveyedArray { path: "raid.array".to_owned(), ..array.clone() };
    let settings: Vec<Override> = alone.failing(members, loaded);
    Some(crate::load_from(&loaded.origin.name, &text, &loaded.inputs, &settings, &loaded.watch))
}

fn disk_bus(parts: &Value) -> Option<String> {
    parts.pointer("/disk/member/bus").and_then(Value::as_str).map(str::to_owned)
}

/// What an array does that nobody asks for anything: with one place, all of it; with several, as far as is enough beside `one`.
///
/// # Errors
/// What the net can't do; one that was stopped.
pub fn fillings_alone(bare: &Loaded, one: Option<&Alone>, watch: &Watch) -> Result<Alone, RunFailure> {
    let enough = if one.is_some() { BEGINNING } else { 1.0 };
    Ok(Alone::new(fillings(bare, enough, watch)?, one))
}

/// How far places are filled, from instant to instant until that is so much of them.
fn fillings(bare: &Loaded, enough: f64, watch: &Watch) -> Result<Vec<Filling>, RunFailure> {
    let system = System::build(bare)?;
    let mut engine = Engine::new(&system.driven, bare.scenario.seed, 0);
    engine.set_watch(watch);
    let Some(array) = system.arrays.first() else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    let mut until = Time::from_millis(100);
    while until < PATIENCE {
        engine.advance(until)?;
        let mut filling = None;
        engine.simulation().for_each_token(array.array, |array| {
            let now = array.at(until);
            filling = mean(now.tally().failed.iter().filter_map(|failed| {
                let (_, begun) = failed.replaced?;
                Some(match failed.rebuilt {
                    Some(end) => Filling { seconds: (end - begun).as_seconds(), share: 1.0 },
                    None => Filling { seconds: (until - begun).as_seconds(), share: now.progress(failed)? },
                })
            }));
        });
        let Some(filling) = filling else { return Ok(all) };
        all.push(filling);
        if filling.share >= enough {
            break;
        }
        until = Time::from_picos(until.as_picos() / 4 * 5);
    }
    Ok(all)
}
