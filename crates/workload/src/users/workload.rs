//! A specification's users as programs, and what can be expected of them.

use super::population::{Population, Type, USERS_MAX};
use super::program::{Shared, UserProgram, whose};
use super::session;
use super::specification::{Purpose, UserSpecification};
use crate::distribution::Draw;
use crate::namespace::{Namespace, PlanError, Tables, plan};
use crate::program::{
    FileEntry, FileProgram, FileTable, Placement, Prepared, ProgramError, check_number_of_files,
};
use indexmap::IndexMap;
use petrio_colours::FileId;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Users at work, as a scenario names them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Users {
    /// The user specification, relative to the scenario's folder.
    pub specification: PathBuf,
    /// How many users are at work at once.
    #[serde(default = "one")]
    pub users: u32,
    /// How many login sessions each of their processes has.
    #[serde(default = "fifty")]
    pub sessions: u32,
    /// How many of the users are of which type, instead of what the specification says; types left out are nobody's.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub shares: IndexMap<String, f64>,
    /// The file systems, of the same host, on which the specification's places lie; those left out, on that of the workload itself.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub places: IndexMap<String, String>,
    /// Bytes of one access, for users of all types, instead of what the specification says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Draw<Bytes>>,
}

impl Users {
    /// So many users, with so many sessions each.
    pub fn new(specification: impl Into<PathBuf>, users: u32, sessions: u32) -> Self {
        Self {
            specification: specification.into(),
            users,
            sessions,
            shares: IndexMap::new(),
            places: IndexMap::new(),
            access: None,
        }
    }

    /// Checks what can be told without the specification.
    ///
    /// # Errors
    /// A number that can't be.
    pub fn validate(&self) -> Result<(), ProgramError> {
        for (parameter, number, most) in
            [("users", self.users, USERS_MAX), ("sessions", self.sessions, SESSIONS_MAX)]
        {
            if number == 0 || number > most {
                return Err(ProgramError::parameter(
                    parameter,
                    format!("between 1 and {most}, not {number}"),
                ));
            }
        }
        Ok(())
    }
}

const fn one() -> u32 {
    1
}

const fn fifty() -> u32 {
    50
}

/// Most sessions of a process.
const SESSIONS_MAX: u32 = 1 << 20;

/// What a login session does with files of a category, at the mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The type of users.
    pub user: String,
    /// The category.
    pub category: String,
    /// Files.
    pub files: f64,
    /// Bytes accessed.
    pub bytes: f64,
}

impl UserSpecification {
    /// Checks everything that needs no files to be laid out.
    ///
    /// # Errors
    /// The first key that makes no sense.
    pub fn check(&self) -> Result<(), PlanError> {
        // Files may be described without anybody who uses them.
        if !self.user.is_empty() {
            Population::of(self, 1)?;
        }
        for (name, shares) in &self.population {
            let at = |error: PlanError| PlanError::new(format!("population.{name}"), error.problem);
            let changed = self.with_shares(shares).map_err(at)?;
            Population::of(&changed, 1).map_err(at)?;
        }
        plan(self, 1, 1).map(drop)
    }

    /// The files for so many users; the same from the same seed.
    ///
    /// # Errors
    /// A key that makes no sense.
    pub fn namespace(&self, users: u32, seed: u64) -> Result<Namespace, PlanError> {
        let there = self.files.users.unwrap_or(users);
        if there < users || there == 0 {
            let problem = format!("there are files for {there} users, and {users} are to work");
            return Err(PlanError::new("files.users", problem));
        }
        plan(self, there, seed)
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
        crowd.validate()?;
        let (users, sessions) = (crowd.users, crowd.sessions);
        let mut specification = self.with_shares(&crowd.shares).map_err(refused)?;
        if let Some(access) = &crowd.access {
            specification.user.values_mut().for_each(|kind| kind.access = Some(access.clone()));
        }
        let population = Population::of(&specification, users).map_err(refused)?;
        let namespace = specification.namespace(users, placement.seed).map_err(refused)?;
        if let Some(place) = placement.places.keys().find(|place| !namespace.places.contains(place)) {
            let known: Vec<&str> = namespace.places.iter().skip(1).map(String::as_str).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let problem = format!("the specification has no place \"{place}\"; its places: {known}");
            return Err(ProgramError::parameter("places", problem));
        }
        let mut tables = namespace.tables(placement, top)?;
        let file_systems = namespace.file_systems(placement);
        let homes = namespace.homes.first().map_or(0, |home| namespace.entries[*home as usize].place);
        // Users make files in their own directories.
        let homes = file_systems[homes as usize];
        let begins = specification.begins.time();
        let (readings, placement) = (specification.readings, placement.clone());
        let shared =
            Arc::new(Shared { namespace, file_systems, population, readings, placement, sessions, begins });
        let mut programs: Vec<Box<dyn FileProgram>> = Vec::new();
        for user in 0..users {
            let kind = &shared.population.types[shared.population.of_user[user as usize]];
            for at_once in 0..kind.sessions_at_once {
                let place = (user, at_once, programs.len() as u32);
                let free = made_files(&shared, place, &mut tables, homes)?;
                programs.push(Box::new(UserProgram::new(shared.clone(), place, free)));
            }
        }
        let files = tables.remove(&shared.placement.file_system).unwrap_or_default();
        Ok(Prepared { files, elsewhere: tables, programs })
    }

    /// What a session of each type does, at the mean: files, and bytes where size and accesses are independent.
    ///
    /// # Errors
    /// A key that makes no sense.
    pub fn expected(&self) -> Result<Vec<Expected>, PlanError> {
        let population = Population::of(self, 1)?;
        let of_type = |kind: &Type| {
            kind.uses
                .iter()
                .map(|used| {
                    let files = used.share * used.files.mean();
                    let bytes = files * used.size.mean() * used.accesses.mean();
                    Expected { user: kind.name.clone(), category: used.name.clone(), files, bytes }
                })
                .collect::<Vec<_>>()
        };
        Ok(population.types.iter().flat_map(of_type).collect())
    }
}

fn refused(error: PlanError) -> ProgramError {
    ProgramError::Users { at: error.at, problem: error.problem }
}

/// Numbers and names for the files that a process makes, by use: as many as are there at once when they are most.
fn made_files(
    shared: &Shared,
    (user, at_once, process): (u32, u32, u32),
    tables: &mut Tables,
    homes: u32,
) -> Result<Vec<Vec<FileId>>, ProgramError> {
    let kind = &shared.population.types[shared.population.of_user[user as usize]];
    let home = Namespace::file_id(shared.namespace.homes[user as usize], &shared.placement);
    let mut free = Vec::new();
    for (most, used) in most_at_once(shared, (user, at_once)).into_iter().zip(&kind.uses) {
        // Numbers are one file's on all file systems.
        let next = tables.values().map(FileTable::next_file).max().unwrap_or(0);
        let first = next.max(shared.placement.first_file);
        let files = tables.entry(homes).or_default();
        check_number_of_files(u64::from(first - shared.placement.first_file) + most, &shared.placement)?;
        let mut of_use = Vec::with_capacity(most as usize);
        // The first is taken first.
        for number in (0..most as u32).rev() {
            of_use.push(FileId(first + number));
        }
        for (number, file) in of_use.iter().rev().enumerate() {
            files.add(FileEntry {
                file: *file,
                name: made_name(&used.name, process, number as u32),
                parent: home,
                is_directory: false,
                present: false,
                size: 0,
                cached: false,
            })?;
        }
        free.push(of_use);
    }
    Ok(free)
}

/// Files of each use that a process has made and that are there at once, when they are most.
fn most_at_once(shared: &Shared, (user, at_once): (u32, u32)) -> Vec<u64> {
    let kind = &shared.population.types[shared.population.of_user[user as usize]];
    let whose = whose(shared, user, at_once);
    let kept = shared.readings.kept_sessions as usize;
    let makes_new = kind.uses.iter().any(|used| used.purpose == Purpose::New);
    // New files by session and use.
    let mut new_files: Vec<Vec<u64>> = Vec::new();
    for session in (0..shared.sessions).filter(|_| makes_new) {
        let mut of_session = vec![0; kind.uses.len()];
        for job in session::draw(whose, session, kind, &shared.readings, &shared.namespace) {
            of_session[job.of as usize] += 1;
        }
        new_files.push(of_session);
    }
    let most_new = |of: usize| {
        let there = |session: usize| {
            new_files[session.saturating_sub(kept)..=session].iter().map(|all| all[of]).sum()
        };
        (0..new_files.len()).map(there).max().unwrap_or(0)
    };
    let most = |(of, used): (usize, &super::population::UseOf)| match used.purpose {
        Purpose::New => most_new(of),
        Purpose::Temporary => u64::from(kind.open_files),
        Purpose::ReadOnly | Purpose::ReadWrite => 0,
    };
    kind.uses.iter().enumerate().map(most).collect()
}

/// The name of a file that a process makes.
fn made_name(category: &str, process: u32, number: u32) -> String {
    format!("{category}-made-{process}-{number}")
}

/// Whether users give such names to files that they make.
pub fn is_made_by_users(name: &str) -> bool {
    let is_number =
        |text: Option<&str>| text.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let mut parts = name.rsplit('-');
    is_number(parts.next()) && is_number(parts.next()) && parts.next() == Some("made")
}
