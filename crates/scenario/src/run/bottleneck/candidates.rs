//! What is tried: each lever of a stage at which something happens, and the parts whose speed no parameter says.

use crate::classes::Classes;
use crate::levers::{PlacedLever, levers};
use crate::loaded::Loaded;
use crate::report::StageFigures;
use petrio_models::{Lever, Stage, TWICE};
use std::cmp::Ordering;

/// A stage that is busy for a smaller part of the time limits no throughput, and one at which requests spend a smaller part of
/// theirs no latency.
const HARDLY: f64 = 0.02;

/// Something that could be made twice as good.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// The stage that it belongs to, or its class.
    pub(super) stage: String,
    /// What of the stage: "rotation".
    pub(super) part: &'static str,
    /// The change in words.
    pub(super) words: String,
    /// By how much it becomes better; nothing where something else is put in its place.
    pub(super) factor: Option<f64>,
    pub(super) change: Change,
    /// What is given up with it, where something is.
    pub(super) price: Option<&'static str>,
    /// Whether it is a speed, and leaves everything where it is.
    pub(super) is_speed: bool,
}

/// How it is made better.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Change {
    /// By parameters of the scenario.
    pub(super) settings: Vec<(String, String)>,
    /// By the speed of these pages, which no parameter says.
    pub(super) speeds: Vec<String>,
}

impl Change {
    /// Whether somebody can make it.
    pub(super) fn can_be_set(&self) -> bool {
        self.speeds.is_empty()
    }

    /// What a command line sets for it; nothing where that isn't all of it.
    pub(super) fn set(&self) -> Vec<String> {
        if !self.can_be_set() {
            return Vec::new();
        }
        self.settings.iter().map(|(path, value)| format!("{path}={value}")).collect()
    }

    /// This and another one, unless both set the same.
    pub(super) fn with(&self, other: &Self) -> Option<Self> {
        let twice = self.settings.iter().any(|(path, _)| other.settings.iter().any(|(own, _)| own == path));
        let again = self.speeds.iter().any(|page| other.speeds.contains(page));
        (!twice && !again).then(|| Self {
            settings: self.settings.iter().chain(&other.settings).cloned().collect(),
            speeds: self.speeds.iter().chain(&other.speeds).cloned().collect(),
        })
    }
}

/// All that is worth trying. `rows` are those of the report, each with its stage's class, and all requests together have
/// `taken_ms`.
pub(super) fn candidates(
    loaded: &Loaded,
    classes: &Classes,
    stages: &[Stage],
    rows: &[(String, &StageFigures)],
    taken_ms: f64,
) -> Vec<Candidate> {
    let levers = levers(loaded, classes);
    let mut found = Vec::new();
    let works =
        |class: &str| rows.iter().any(|(name, row)| name == class && something_happens(row, taken_ms));
    for PlacedLever { page, lever } in &levers {
        // A host's rows are its own or its mounts'.
        let (own, ending) = (format!("{page}/{}", lever.stage), format!("/{}", lever.stage));
        let below = format!("{page}/");
        let is_own = |class: &str| {
            class == own
                || (class.starts_with(&below) && class.ends_with(&ending))
                || (class == page && lever.stage == "processor")
        };
        let known: Vec<&str> =
            stages.iter().map(|stage| stage.class.as_str()).filter(|class| is_own(class)).collect();
        // Of equals the first one.
        let works = known.iter().rev().filter(|class| works(class));
        let busiest = works.max_by(|a, b| by_load(rows, a, b));
        let stage = match busiest {
            Some(class) => (*class).to_owned(),
            // Of what has no row (memory) nothing is known before it is tried.
            None if known.is_empty() => own,
            None => continue,
        };
        let change = Change { settings: lever.settings.clone(), ..Change::default() };
        let words = lever.change.to_owned();
        let Lever { part, factor, price, .. } = *lever;
        let is_speed = lever.is_speed();
        let candidate = Candidate { stage, part, words, factor, change, price, is_speed };
        // What two stages share is tried once, in the name of the busier one.
        match found.iter_mut().find(|known: &&mut Candidate| known.change == candidate.change) {
            Some(known) if by_load(rows, &candidate.stage, &known.stage).is_gt() => *known = candidate,
            Some(_) => {}
            None => found.push(candidate),
        }
    }
    let covered = |stage: &Stage, part: &str| {
        let page = stage.class.rsplit_once('/').map_or(stage.class.as_str(), |(page, _)| page);
        levers.iter().any(|placed| placed.page == page && placed.lever.covers.contains(&part))
    };
    for stage in stages.iter().filter(|stage| works(&stage.class)) {
        for (part, page) in &stage.parts {
            if covered(stage, part) {
                continue;
            }
            let same = |known: &&mut Candidate| {
                known.stage == stage.class && known.part == *part && !known.change.can_be_set()
            };
            match found.iter_mut().find(same) {
                Some(known) => known.change.speeds.push(page.clone()),
                None => found.push(Candidate {
                    stage: stage.class.clone(),
                    part,
                    words: format!("{part} twice as fast"),
                    factor: Some(TWICE),
                    change: Change { speeds: vec![page.clone()], ..Change::default() },
                    price: None,
                    is_speed: true,
                }),
            }
        }
    }
    found
}

/// Which of two stages has more to do: how much of the time it is busy, of several the busiest, and how many wait there.
fn by_load(rows: &[(String, &StageFigures)], a: &str, b: &str) -> Ordering {
    let load = |class: &str| {
        let rows = rows.iter().filter(|(name, _)| name == class);
        rows.map(|(_, row)| row.most().unwrap_or(0.0) + row.mean_queue.unwrap_or(0.0)).fold(0.0, f64::max)
    };
    load(a).total_cmp(&load(b))
}

/// Whether a stage works enough, or lets wait, to make a difference: to how much is done, or, however idle it is, to how long
/// that takes.
fn something_happens(row: &StageFigures, taken_ms: f64) -> bool {
    let each_ms = row.mean_wait_ms.unwrap_or(0.0) + row.mean_service_ms.unwrap_or(0.0);
    match row.most() {
        Some(busy) => {
            busy >= HARDLY || each_ms * row.arrivals as f64 >= HARDLY * taken_ms.max(f64::MIN_POSITIVE)
        }
        None => each_ms > 0.0,
    }
}
