//! What changes would do to the chance of a loss.
//!
//! Some are settings of the scenario, which are read and measured as the scenario was: another level, a spare more. Others change what its
//! parts are without a key of theirs: drives that hold half as much, drives that fail as often as those in the field.

use super::error::LossError;
use super::measure::measured;
use super::{Chance, LossQuestion, OnLossStep, Whole, read, scale_of, whole};
use petrio_scenario::costs::{CostDifference, Costs};
use petrio_scenario::loss::{Fills, Scale, Survey, SurveyedArray};
use petrio_scenario::{Loaded, Override};
use serde::Serialize;

/// Drives in the field are replaced so many times as often as a data sheet of a million hours has it (B. Schroeder & G. A. Gibson, "Disk failures
/// in the real world", FAST 2007: the mean over their sites, weighed by drives).
const IN_THE_FIELD: f64 = 3.4;

/// A change and what becomes of the chance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// In words.
    pub words: String,
    /// What is set, as `--set` takes it; nothing where no key says it.
    pub settings: Vec<String>,
    /// That data are lost with it.
    pub loss: Chance,
    /// As a multiple of what it is without.
    pub times: f64,
    /// What can be used with it, bytes.
    pub usable_bytes: u64,
    /// What it costs, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostDifference>,
}

/// One that is tried.
struct Trial {
    words: String,
    settings: Vec<Override>,
    scale: Scale,
    /// How many times as much can be used.
    holds: f64,
}

/// Tries them; what couldn't be made is said.
pub(super) fn changes(
    question: &LossQuestion,
    (loaded, survey): (&Loaded, &Survey),
    (fills, before): (&Fills, &Whole),
    tell: &mut OnLossStep<'_>,
) -> Result<(Vec<Changed>, Vec<String>), LossError> {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for trial in trials(question, loaded, survey) {
        if question.watch.is_stopped() {
            return Err(LossError::Stopped);
        }
        tell(&trial.words);
        let made = if trial.settings.is_empty() {
            whole(question, (loaded, survey), fills, &trial.scale)
                .map(|found| (found, Costs::of(loaded).capacity().1, None))
        } else {
            made(question, loaded, &trial, tell)
        };
        match made {
            Ok((found, usable, cost)) => all.push(Changed {
                words: trial.words,
                settings: trial.settings.iter().map(|setting| setting.text().to_string()).collect(),
                loss: found.loss,
                times: found.loss.chance / before.loss.chance,
                usable_bytes: scaled(usable, trial.holds),
                cost,
            }),
            Err(LossError::Stopped) => return Err(LossError::Stopped),
            Err(LossError::Scenario(problems)) => {
                let why =
                    problems.iter().next().map(|problem| problem.message().to_owned()).unwrap_or_default();
                notes.push(format!("{} wasn't tried: {why}", trial.words));
            }
            Err(other) => notes.push(format!("{} wasn't tried: {other}", trial.words)),
        }
    }
    all.sort_by(|one, other| one.loss.chance.total_cmp(&other.loss.chance));
    Ok((all, notes))
}

type Made = (Whole, u64, Option<CostDifference>);

/// A changed scenario, measured and estimated.
fn made(
    question: &LossQuestion,
    loaded: &Loaded,
    trial: &Trial,
    tell: &mut OnLossStep<'_>,
) -> Result<Made, LossError> {
    let changed = read(question, &trial.settings)?;
    let survey = Survey::of(&changed).map_err(|problems| LossError::Scenario(Box::new(problems)))?;
    let (fills, _) = measured(question, &trial.settings, (&changed, &survey), tell)?;
    let found = whole(question, (&changed, &survey), &fills, &trial.scale)?;
    let (before, after) = (Costs::of(loaded), Costs::of(&changed));
    Ok((found, after.capacity().1, before.difference(&after)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a half of a number of bytes is one"
)]
fn scaled(bytes: u64, times: f64) -> u64 {
    (bytes as f64 * times) as u64
}

fn trials(question: &LossQuestion, loaded: &Loaded, survey: &Survey) -> Vec<Trial> {
    let scale = scale_of(question);
    let of = |words: String, settings: Vec<Override>| Trial { words, settings, scale, holds: 1.0 };
    let mut all = Vec::new();
    for array in &survey.arrays {
        for (level, settings) in array.other_levels(loaded) {
            all.push(of(format!("{} at level {level}", array.class), settings));
        }
        if let Some(settings) = array.one_more_spare(loaded) {
            all.push(of(format!("{} with one more spare", array.class), settings));
        }
    }
    let repaired: Vec<&SurveyedArray> = survey.arrays.iter().filter(|array| array.is_repaired).collect();
    if let Some(never) = survey.arrays.iter().find(|array| !array.is_repaired) {
        let day = vec![Override::new(&format!("{}.replaced_after", never.path), "\"24 h\"")];
        all.push(of(format!("{} with what failed replaced after a day", never.class), day));
    }
    if !repaired.is_empty() {
        let scaled = |words: &str, scale: Scale, holds: f64| Trial {
            words: words.to_owned(),
            settings: Vec::new(),
            scale,
            holds,
        };
        all.push(scaled("places filled in half the time", Scale { fill: 0.5, ..scale }, 1.0));
        all.push(scaled(
            "drives that hold half as much, filled in half the time",
            Scale { fill: 0.5, hold: 0.5, ..scale },
            0.5,
        ));
    }
    if let Some(longest) = repaired.iter().filter_map(|array| array.replaced_after).reduce(f64::max)
        && longest > 0.0
    {
        let sooner = Scale { replaced_after: Some(longest / 2.0), ..scale };
        let words = "what failed is replaced in half the time".to_owned();
        all.push(Trial { words, settings: Vec::new(), scale: sooner, holds: 1.0 });
    }
    all.push(Trial {
        words: format!("drives that fail {IN_THE_FIELD} times as often, as in the field"),
        settings: Vec::new(),
        scale: Scale { fail: IN_THE_FIELD, ..scale },
        holds: 1.0,
    });
    all
}
