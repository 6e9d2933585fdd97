//! How likely it is that a scenario's data are lost, and what would change that.
//!
//! ```text
//!  scenario ─ Survey: groups of drives and arrays ─┬─ measure: members fail under the load; how long their places are filled
//!                                                  └─ estimate (petrio_loss): years of each group ─▶ the chance ─┐
//!  changed scenarios and changed parts ─ the same, under the same fates ────────────────────────────────────────┴─▶ findings
//! ```
//!
//! How long a place is filled comes of the scenario's own run with members that fail at its beginning, so that load, drives, controllers and
//! rates say it. Years are drawn as `petrio_loss` has it.
//!
//! Left out: what fails beside drives (controllers, power, people, programs); drives that fail together; endurance of flash; copies over
//! servers.

mod changes;
mod error;
mod html;
mod measure;
mod text;

pub use changes::Changed;
pub use error::LossError;
pub use html::{page as loss_page, write_html as write_loss_html};
pub use measure::Filled;
pub use text::loss_text;

use changes::changes;
use measure::measured;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_loss::{Estimate, Precision, estimate};
use petrio_scenario::loss::{Fills, Scale, Survey};
use petrio_scenario::{Loaded, Override, load_in};
use serde::Serialize;
use std::path::PathBuf;

/// Runs in which members fail, where nothing else is asked for.
pub const USUAL_REPLICATIONS: u32 = 3;
/// Paths at most of one estimate: some seconds.
const MOST_PATHS: u64 = 1 << 19;
/// Seconds of a year of 8,766 hours.
pub(crate) const YEAR: f64 = 8_766.0 * 3_600.0;
/// A group whose parts hold this many drives makes paths so long that fewer of them are run.
const MANY_DRIVES: u64 = 64;

/// What is asked.
#[derive(Clone, Debug)]
pub struct LossQuestion {
    /// The scenario file.
    pub scenario: PathBuf,
    /// Where files are read from.
    pub files: Inputs,
    /// What is set.
    pub settings: Vec<Override>,
    /// The seed; left out, the scenario's.
    pub seed: Option<u64>,
    /// Within how many years.
    pub years: f64,
    /// How old the drives are, seconds.
    pub age: f64,
    /// All sectors are read and repaired every so many seconds; left out, never.
    pub scrubbed_every: Option<f64>,
    /// It goes on until half the interval is this part of the chance.
    pub precision: f64,
    /// Runs in which members fail, of each number of them.
    pub replications: u32,
    /// What changes would do is asked, too.
    pub with_changes: bool,
    /// Ends it early.
    pub watch: Watch,
}

/// A chance with its interval at 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Chance {
    /// From 0 to 1.
    pub chance: f64,
    /// Half the interval.
    pub half_width: f64,
}

impl Chance {
    fn of(one: petrio_loss::Chance) -> Self {
        Self { chance: one.chance, half_width: one.half_width }
    }

    /// That of at least one of so many that are alike and know nothing of each other.
    fn of_many(self, count: u64) -> Self {
        let count = count as f64;
        let none = libm::exp(count * libm::log1p(-self.chance.min(1.0)));
        let steep = if self.chance < 1.0 { count * none / (1.0 - self.chance) } else { 0.0 };
        Self { chance: 1.0 - none, half_width: self.half_width * steep }.precise(count, self.chance)
    }

    /// Where it is so small that 1 - (1 - p)^n says nothing, n·p does.
    fn precise(self, count: f64, one: f64) -> Self {
        let chance = -libm::expm1(count * libm::log1p(-one.min(1.0)));
        Self { chance, ..self }
    }

    /// That of one or the other.
    fn or(self, other: Self) -> Self {
        let (a, b) = ((1.0 - other.chance) * self.half_width, (1.0 - self.chance) * other.half_width);
        let chance = self.chance + other.chance - self.chance * other.chance;
        Self { chance, half_width: libm::sqrt(a * a + b * b) }
    }
}

/// What becomes of one group of drives and arrays.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupFindings {
    /// What lies on top.
    pub name: String,
    /// What it is made of.
    pub words: String,
    /// How many such groups there are.
    pub count: u64,
    /// That one of them loses data.
    pub one: Chance,
    /// That any of them does.
    pub loss: Chance,
    /// Drives of one that fail, on average.
    pub failures: f64,
    /// For how long one more failure would lose data of one, seconds of the whole time on average.
    pub exposed_s: f64,
    /// The longest such time without a break that one group in twenty has, seconds.
    pub longest_in_twenty_s: f64,
    /// Paths that it is the mean of.
    pub paths: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LossFindings {
    /// What the scenario is about.
    pub title: String,
    /// The scenario file.
    pub scenario: PathBuf,
    /// What is set.
    pub settings: Vec<String>,
    /// Within how many years.
    pub years: f64,
    /// How old the drives are at the beginning, years.
    pub age_years: f64,
    /// How often all sectors are read and repaired, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrubbed_every_s: Option<f64>,
    /// That data are lost.
    pub loss: Chance,
    /// That they are because more fails than redundancy outlives.
    pub failed: Chance,
    /// That they are because a sector can't be read that nothing else has.
    pub sectors: Chance,
    /// How long it takes on average until data are lost, years, as far as the chance is the same in each.
    pub mean_years_to_loss: f64,
    /// The groups.
    pub groups: Vec<GroupFindings>,
    /// How long places are filled.
    pub filled: Vec<Filled>,
    /// What can be used, bytes.
    pub usable_bytes: u64,
    /// What changes would do, the safest first.
    pub changes: Vec<Changed>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// Tells what is about to be done.
pub type OnLossStep<'a> = dyn FnMut(&str) + 'a;

/// What a store is asked, and what it answers, summed over all groups.
#[derive(Clone, Debug, Default)]
struct Whole {
    loss: Chance,
    failed: Chance,
    sectors: Chance,
    groups: Vec<GroupFindings>,
}

/// Asks how likely a loss is.
///
/// # Errors
/// A scenario that can't be read or run; drives of which nobody says how long they live; redundancy that isn't modelled; a run that is too
/// short for any place to be filled.
pub fn loss(question: &LossQuestion, tell: &mut OnLossStep<'_>) -> Result<LossFindings, LossError> {
    let loaded = read(question, &[])?;
    let survey = Survey::of(&loaded).map_err(|problems| LossError::Scenario(Box::new(problems)))?;
    let (fills, filled) = measured(question, &[], (&loaded, &survey), tell)?;
    tell("years are drawn");
    let scale = scale_of(question);
    let whole = whole(question, (&loaded, &survey), &fills, &scale)?;
    let (changed, mut notes) = if question.with_changes {
        changes(question, (&loaded, &survey), (&fills, &whole), tell)?
    } else {
        (Vec::new(), Vec::new())
    };
    notes.splice(0..0, unrepaired(&survey));
    if question.watch.is_stopped() {
        return Err(LossError::Stopped);
    }
    Ok(LossFindings {
        title: loaded.scenario.title.clone(),
        scenario: question.scenario.clone(),
        settings: settings(question, &[]).iter().map(|setting| setting.text().to_string()).collect(),
        years: question.years,
        age_years: question.age / YEAR,
        scrubbed_every_s: question.scrubbed_every,
        loss: whole.loss,
        failed: whole.failed,
        sectors: whole.sectors,
        mean_years_to_loss: question.years / -libm::log1p(-whole.loss.chance),
        groups: whole.groups,
        filled,
        usable_bytes: petrio_scenario::costs::Costs::of(&loaded).capacity().1,
        changes: changed,
        notes,
    })
}

/// Arrays in which nothing is ever replaced say so.
fn unrepaired(survey: &Survey) -> Vec<String> {
    let never = survey.arrays.iter().filter(|array| !array.is_repaired);
    never
        .map(|array| {
            format!(
                "{}: nobody replaces what fails, as neither spares nor replaced_after is said; --set '{}.replaced_after=24 h' would be a day",
                array.class, array.path
            )
        })
        .collect()
}

fn scale_of(question: &LossQuestion) -> Scale {
    Scale { age: question.age, scrubbed_every: question.scrubbed_every, ..Scale::default() }
}

/// What is set, and more.
fn settings(question: &LossQuestion, more: &[Override]) -> Vec<Override> {
    let seed = question.seed.map(|seed| Override::new("seed", &seed.to_string()));
    question.settings.iter().cloned().chain(seed).chain(more.iter().cloned()).collect()
}

fn read(question: &LossQuestion, more: &[Override]) -> Result<Loaded, LossError> {
    let loaded = load_in(&question.files, &question.scenario, &settings(question, more), &question.watch);
    loaded.map_err(|problems| LossError::Scenario(Box::new(problems)))
}

/// The chance of all groups together.
fn whole(
    question: &LossQuestion,
    (loaded, survey): (&Loaded, &Survey),
    fills: &Fills,
    scale: &Scale,
) -> Result<Whole, LossError> {
    let mut all = Whole::default();
    for group in &survey.groups {
        let store = survey
            .store(loaded, group, fills, scale)
            .map_err(|_| LossError::Store { group: group.name.clone() })?;
        let paths = MOST_PATHS / group.drives().div_ceil(MANY_DRIVES).max(1);
        let precision = Precision { relative: question.precision, paths };
        let wanted = || !question.watch.is_stopped();
        let found: Estimate =
            estimate(&store, question.years * YEAR, loaded.scenario.seed, precision, &wanted);
        let [one, failed, sectors] = [found.loss, found.failed, found.sectors].map(Chance::of);
        all.loss = all.loss.or(one.of_many(group.count));
        all.failed = all.failed.or(failed.of_many(group.count));
        all.sectors = all.sectors.or(sectors.of_many(group.count));
        all.groups.push(GroupFindings {
            name: group.name.clone(),
            words: group.words.clone(),
            count: group.count,
            one,
            loss: one.of_many(group.count),
            failures: found.failures,
            exposed_s: found.exposure.mean,
            longest_in_twenty_s: found.exposure.longest_in_twenty,
            paths: found.paths,
        });
    }
    Ok(all)
}
