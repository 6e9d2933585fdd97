//! Everything that could be changed of a scenario's parts by a setting: what their models say makes them better (`levers`), how many there
//! are of them, the words that their keys may be instead (`policies`), and where they could lie (`placements`).

mod placements;
mod policies;

use crate::classes::Classes;
use crate::levers::levers;
use crate::loaded::Loaded;
use placements::placements;
use policies::policies;
use serde::Serialize;
use std::collections::BTreeSet;

/// A change of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PossibleChange {
    /// In words: "rotation twice as fast".
    pub words: String,
    /// The part, or the class of equal parts: `d*`.
    pub part: String,
    /// What sort of change it is.
    pub sort: Sort,
    /// By how much it makes something better; nothing where something else is put in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// What is given up with it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<&'static str>,
    /// What is set, each a path and its value.
    pub settings: Vec<(String, String)>,
}

/// What sort of change it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// A part made better.
    Better,
    /// More of a part.
    More,
    /// Another word of those that a key may be.
    Policy,
    /// A part that lies elsewhere.
    Place,
}

impl PossibleChange {
    /// Both of two changes, unless they set the same.
    pub fn with(&self, other: &Self) -> Option<Self> {
        let twice = self.settings.iter().any(|(path, _)| other.settings.iter().any(|(own, _)| own == path));
        (!twice).then(|| Self {
            words: format!("{}, and {}", self.words, other.words),
            part: if self.part == other.part {
                self.part.clone()
            } else {
                format!("{}, {}", self.part, other.part)
            },
            sort: self.sort,
            factor: None,
            price: self.price.or(other.price),
            settings: self.settings.iter().chain(&other.settings).cloned().collect(),
        })
    }
}

/// All changes of a scenario, in the order of its parts. Which of them make sense together with all else shows when it is read with them.
pub fn changes(loaded: &Loaded) -> Vec<PossibleChange> {
    let classes = Classes::of(loaded);
    let better = levers(loaded, &classes).into_iter().filter(|placed| !placed.lever.settings.is_empty()).map(
        |placed| PossibleChange {
            words: placed.lever.change.to_owned(),
            part: placed.page,
            sort: Sort::Better,
            factor: placed.lever.factor,
            price: placed.lever.price,
            settings: placed.lever.settings,
        },
    );
    let mut seen = BTreeSet::new();
    better
        .chain(more(loaded))
        .chain(policies(loaded))
        .chain(placements(loaded))
        .filter(|change| seen.insert(change.settings.clone()))
        .collect()
}

/// Twice as many of what there are several of.
fn more(loaded: &Loaded) -> Vec<PossibleChange> {
    let disks = loaded.scenario.disk.iter().filter(|(_, disk)| disk.count > 1).map(|(name, disk)| {
        let path = loaded.copies().written(&format!("disk.{name}")).to_owned();
        PossibleChange {
            words: format!("{} of them instead of {}", disk.count * 2, disk.count),
            part: format!("{name}*"),
            sort: Sort::More,
            factor: Some(2.0),
            price: None,
            settings: vec![(format!("{path}.count"), (disk.count * 2).to_string())],
        }
    });
    disks.collect()
}

impl Loaded {
    /// The same scenario with a change.
    ///
    /// # Errors
    /// What is wrong with it then.
    pub fn with_change(&self, change: &PossibleChange) -> Result<Self, crate::text::Problems> {
        self.with_settings(&change.settings)
    }
}
