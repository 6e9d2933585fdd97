//! A specification's users as programs, and what can be expected of them.

use super::crowd::Users;
use super::layout::lay_out;
use super::population::{Population, Type};
use super::specification::UserSpecification;
use crate::namespace::{Namespace, PlanError, Wanted, check, plan, plan_for};
use indexmap::IndexMap;
use petrio_kernel::Watch;
use petrio_units::numbers::{as_index, whole_part};
use petrio_workload::program::{FilePlan, Placement, Prepared, ProgramError};
use serde::Serialize;
use std::ops::Range;

/// What a login session does with files of a category, at the mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The type of users.
    pub user: String,
    /// The category.
    pub category: String,
    /// Files; absent where their number has no mean (a Pareto tail of shape 1 or less), or none that a number holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<f64>,
    /// Bytes accessed; absent where they have no mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
}

impl UserSpecification {
    /// Checks everything that needs no files to be laid out.
    ///
    /// # Errors
    /// The first key that makes no sense.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.files.users == Some(0) {
            return Err(PlanError::new("files.users", "at least 1; left out, as many as are at work"));
        }
        let owners = self.category.values().map(|category| category.owner.as_str());
        if let Some(owner) =
            self.files.place.keys().find(|owner| !owners.clone().any(|there| there == *owner))
        {
            let problem = format!("no category has the owner \"{owner}\"");
            return Err(PlanError::new(format!("files.place.{owner}"), problem));
        }
        // Files may be described without anybody who uses them.
        if !self.user.is_empty() {
            Population::of(self, 1)?;
        }
        for (name, shares) in &self.population {
            let at = |error: PlanError| PlanError::new(format!("population.{name}"), error.problem);
            let changed = self.with_shares(shares).map_err(at)?;
            Population::of(&changed, 1).map_err(at)?;
        }
        check(self.wanted())
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            files: &self.files,
            category: &self.category,
            entry: self.readings.entry,
            spread: self.readings.spread,
            fill_directories: self.readings.fill_directories,
        }
    }

    /// How many whole hours from the beginning on nobody is there, by the hours of those types that anybody is of; none
    /// where somebody is there at once, or the specification makes no sense.
    pub fn hours_without_users(&self) -> Option<u32> {
        let population = Population::of(self, 1).ok()?;
        let first = as_index(whole_part(self.begins.as_seconds() / 3_600.0));
        let somebody = |hour: usize| {
            let mut types = population.types.iter().filter(|kind| kind.share > 0.0);
            types.any(|kind| kind.hours[hour % kind.hours.len()] > 0.0)
        };
        (0..24_u32).find(|later| somebody(first + *later as usize)).filter(|later| *later > 0)
    }

    /// The files for so many users; the same from the same seed.
    ///
    /// # Errors
    /// A key that makes no sense.
    pub fn namespace(&self, users: u32, seed: u64) -> Result<Namespace, PlanError> {
        plan(self.wanted(), self.users_with_files(users)?, seed)
    }

    /// As [`namespace`](Self::namespace), without the files of users who aren't wanted; watched.
    pub(super) fn namespace_of(
        &self,
        users: u32,
        only: Range<u32>,
        seed: u64,
        watch: &Watch,
    ) -> Result<Namespace, PlanError> {
        plan_for(self.wanted(), self.users_with_files(users)?, only, seed, watch)
    }

    /// Users who have files, where so many are to work.
    pub(super) fn users_with_files(&self, users: u32) -> Result<u32, PlanError> {
        let there = self.files.users.unwrap_or(users);
        if there < users || there == 0 {
            let problem = format!("there are files for {there} users, and {users} are to work");
            return Err(PlanError::new("files.users", problem));
        }
        Ok(there)
    }

    /// With other shares of the types of users; those left out are nobody's. Unchanged where none is given.
    ///
    /// # Errors
    /// A type that there isn't.
    pub fn with_shares(&self, shares: &IndexMap<String, f64>) -> Result<Self, PlanError> {
        let mut changed = self.clone();
        if shares.is_empty() {
            return Ok(changed);
        }
        if let Some(unknown) = shares.keys().find(|name| !self.user.contains_key(*name)) {
            let known: Vec<&str> = self.user.keys().map(String::as_str).collect();
            let problem = format!("there is no type \"{unknown}\"; there are {}", known.join(", "));
            return Err(PlanError::new("shares", problem));
        }
        for (name, kind) in &mut changed.user {
            kind.share = Some(shares.get(name).copied().unwrap_or(0.0));
        }
        Ok(changed)
    }

    /// How many users of each type so many users are, with these shares: whole ones.
    ///
    /// # Errors
    /// A key that makes no sense.
    pub fn at_work(
        &self,
        shares: &IndexMap<String, f64>,
        users: u32,
    ) -> Result<IndexMap<String, u32>, PlanError> {
        let population = Population::of(&self.with_shares(shares)?, users)?;
        let mut at_work: IndexMap<String, u32> = IndexMap::new();
        for kind in &population.of_user {
            *at_work.entry(population.types[*kind].name.clone()).or_default() += 1;
        }
        Ok(at_work)
    }

    /// Its users as programs, and the files that they need, below a directory `top` where one is given.
    ///
    /// # Errors
    /// A key that makes no sense, or more files than there are numbers.
    pub fn prepare(
        &self,
        crowd: &Users,
        placement: &Placement,
        top: Option<&str>,
    ) -> Result<Prepared, ProgramError> {
        Prepared::of(&lay_out(self, crowd, placement, top, None)?, placement)
    }

    /// The same, planned for all replications.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn plan(
        &self,
        crowd: &Users,
        placement: &Placement,
        top: Option<&str>,
    ) -> Result<impl FilePlan + 'static + use<>, ProgramError> {
        lay_out(self, crowd, placement, top, None)
    }

    /// What a session of each type does, at the mean.
    ///
    /// # Errors
    /// A key that makes no sense.
    pub fn expected(&self) -> Result<Vec<Expected>, PlanError> {
        let population = Population::of(self, 1)?;
        let of_type = |kind: &Type| {
            // Uses of the same category, in whichever kind of session.
            let mut sums: IndexMap<&str, [f64; 2]> = IndexMap::new();
            for session in &kind.sessions {
                for used in &kind.uses[session.uses.clone()] {
                    let files = session.share * used.mean_files();
                    let sum = sums.entry(&used.name).or_default();
                    sum[0] += files;
                    sum[1] += files * used.what.mean_accessed();
                }
            }
            let told = |(category, sums): (&str, [f64; 2])| {
                let [files, bytes] = sums.map(|mean| Some(mean).filter(|mean| mean.is_finite()));
                Expected { user: kind.name.clone(), category: category.to_owned(), files, bytes }
            };
            sums.into_iter().map(told).collect::<Vec<_>>()
        };
        Ok(population.types.iter().flat_map(of_type).collect())
    }
}

/// What the random streams of a crowd of users are named by: its place among those of a run, from 0, and not what
/// somebody calls it. So the same users make the same calls from the same seed wherever they work.
pub fn crowd_name(crowd: usize) -> String {
    match crowd {
        0 => "users".to_owned(),
        later => format!("users {}", later + 1),
    }
}

/// Whether users give such names to files that they make.
pub fn is_made_by_users(name: &str) -> bool {
    let is_number =
        |text: Option<&str>| text.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let mut parts = name.rsplit('-');
    is_number(parts.next()) && is_number(parts.next()) && parts.next() == Some("made")
}
