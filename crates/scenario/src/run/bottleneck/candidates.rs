//! What is tried: each lever of a stage at which something happens, and the parts whose speed no parameter says.

use crate::classes::Classes;
use crate::levers::{PlacedLever, levers};
use crate::loaded::Loaded;
use crate::report::Stage as Row;
use petrio_models::Stage;

/// A stage that is busy for a smaller part of the time limits nothing.
const HARDLY_BUSY: f64 = 0.02;

/// Something that could be made twice as good.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// The stage that it belongs to, or its class.
    pub(super) stage: String,
    /// What of the stage: "rotation".
    pub(super) part: &'static str,
    /// The change in words.
    pub(super) words: String,
    pub(super) change: Change,
}

/// How it is made better.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// By parameters of the scenario.
    Settings(Vec<(String, String)>),
    /// By the speed of these pages.
    Speeds(Vec<String>),
}

/// All that is worth trying. `rows` are those of the report, each with its stage's class.
pub(super) fn candidates(
    loaded: &Loaded,
    classes: &Classes,
    stages: &[Stage],
    rows: &[(String, &Row)],
) -> Vec<Candidate> {
    let levers = levers(loaded, classes);
    let mut found = Vec::new();
    let works = |class: &str| rows.iter().any(|(name, row)| name == class && something_happens(row));
    for PlacedLever { page, lever } in &levers {
        // A host's rows are its own or its mounts'.
        let (own, ending) = (format!("{page}/{}", lever.stage), format!("/{}", lever.stage));
        let below = format!("{page}/");
        let is_own = |class: &str| {
            class == own
                || (class.starts_with(&below) && class.ends_with(&ending))
                || (class == page && lever.stage == "processor")
        };
        let mut known =
            stages.iter().map(|stage| stage.class.as_str()).filter(|class| is_own(class)).peekable();
        // Of what has no row (memory) nothing is known before it is tried.
        let stage = match known.peek() {
            None => own.clone(),
            Some(_) => match known.find(|class| works(class)) {
                Some(class) => class.to_owned(),
                None => continue,
            },
        };
        let change = Change::Settings(lever.settings.clone());
        let candidate = Candidate { stage, part: lever.part, words: lever.change.to_owned(), change };
        // What two stages share is tried once, in the name of the busier one.
        match found.iter_mut().find(|known: &&mut Candidate| known.change == candidate.change) {
            Some(known) if busy(rows, &candidate.stage) > busy(rows, &known.stage) => *known = candidate,
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
                known.stage == stage.class && known.part == *part && matches!(known.change, Change::Speeds(_))
            };
            match found.iter_mut().find(same) {
                Some(Candidate { change: Change::Speeds(pages), .. }) => pages.push(page.clone()),
                _ => found.push(Candidate {
                    stage: stage.class.clone(),
                    part,
                    words: format!("{part} twice as fast"),
                    change: Change::Speeds(vec![page.clone()]),
                }),
            }
        }
    }
    found
}

/// How busy a stage is.
fn busy(rows: &[(String, &Row)], stage: &str) -> f64 {
    rows.iter().find(|(class, _)| class == stage).and_then(|(_, row)| row.utilisation).unwrap_or(0.0)
}

/// Whether a stage works enough, or lets wait, to make a difference.
fn something_happens(row: &Row) -> bool {
    match row.utilisation {
        Some(busy) => busy >= HARDLY_BUSY,
        None => row.mean_wait_ms.or(row.mean_service_ms).is_some_and(|wait| wait > 0.0),
    }
}
