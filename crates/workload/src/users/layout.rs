//! A specification's users laid out: their files by number and name, and their programs. The whole crowd, or a part of it that a
//! process of its own runs.
//!
//! What a user has and does depends on nobody else, so a part needs the files that all share and those of its own users alone, and
//! is prepared as fast, and in as little memory, however large the crowd is. Its files have other numbers than in the whole; a
//! [`Part`] knows which.

use super::population::{Population, UseOf};
use super::program::{Shared, UserProgram, whose};
use super::session;
use super::specification::UserSpecification;
use super::workload::Users;
use crate::namespace::{Namespace, PlanError, Purpose, Tables};
use crate::program::{
    FileEntry, FileProgram, FileTable, Placement, Prepared, ProgramError, check_number_of_files,
    check_number_of_programs,
};
use petrio_colours::FileId;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Some of a crowd's processes, which follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Their numbers in the crowd.
    pub processes: Range<u32>,
    /// Whose they are.
    users: Range<u32>,
    /// In the whole, the number of the first user's directory.
    first_own: u32,
    /// In the whole, the number of the first file that they make.
    first_made: u32,
}

/// What number a part's file has in the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// From which number on they differ, by how much: first the users' own files, then those that they make.
    own: (u32, u32),
    made: (u32, u32),
}

impl Numbers {
    /// The number in the whole.
    pub const fn of_whole(&self, file: FileId) -> FileId {
        let (own, made) = (self.own, self.made);
        FileId(match file.0 {
            number if number < own.0 => number,
            number if number < made.0 => number - own.0 + own.1,
            number => number - made.0 + made.1,
        })
    }
}

/// A process with what it makes.
struct Place {
    /// The user, which of the sessions that he has at once, and the process in the crowd.
    whose: (u32, u32, u32),
    free: Vec<Vec<FileId>>,
    /// The first of the numbers for files that it makes.
    first_made: u32,
}

/// All that programs need.
pub(super) struct Layout {
    shared: Arc<Shared>,
    tables: Tables,
    places: Vec<Place>,
}

impl Layout {
    pub(super) fn into_prepared(mut self) -> Prepared {
        let program = |place: Place| -> Box<dyn FileProgram> {
            Box::new(UserProgram::new(self.shared.clone(), place.whose, place.free))
        };
        let programs = self.places.into_iter().map(program).collect();
        let files = self.tables.remove(&self.shared.placement.file_system).unwrap_or_default();
        Prepared { files, elsewhere: self.tables, programs }
    }
}

/// Lays out a crowd, or a part of it.
pub(super) fn lay_out(
    specification: &UserSpecification,
    crowd: &Users,
    placement: &Placement,
    top: Option<&str>,
    part: Option<&Part>,
) -> Result<Layout, ProgramError> {
    crowd.validate()?;
    let (users, sessions) = (crowd.users, crowd.sessions);
    let mut specification = specification.with_shares(&crowd.shares).map_err(refused)?;
    if let Some(access) = &crowd.access {
        specification.user.values_mut().for_each(|kind| kind.access = Some(access.clone()));
    }
    let population = Population::of(&specification, users).map_err(refused)?;
    if part.is_none() {
        let at_once = |kind: &usize| u64::from(population.types[*kind].sessions_at_once);
        let processes = population.of_user.iter().map(at_once).sum();
        check_number_of_programs::<UserProgram>("users", processes)?;
    }
    let watch = &placement.watch;
    let whose = match part {
        // All who have files, whether or not they are at work.
        None => 0..specification.users_with_files(users).map_err(refused)?,
        Some(part) => part.users.clone(),
    };
    let namespace = specification.namespace_of(users, whose, placement.seed, watch);
    let namespace =
        namespace.map_err(|error| if watch.is_stopped() { ProgramError::Stopped } else { refused(error) })?;
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
    let mut places = Vec::new();
    for whose in processes(&shared.population) {
        if shared.placement.watch.is_stopped() {
            return Err(ProgramError::Stopped);
        }
        if part.is_some_and(|part| !part.processes.contains(&whose.2)) {
            continue;
        }
        let first_made = next_number(&tables, &shared.placement);
        let free = made_files(&shared, whose, &mut tables, homes)?;
        places.push(Place { whose, free, first_made });
    }
    Ok(Layout { shared, tables, places })
}

/// The processes of all users: user, which of the sessions that he has at once, and number.
fn processes(population: &Population) -> impl Iterator<Item = (u32, u32, u32)> {
    let of_user = |(user, kind): (u32, &usize)| {
        let at_once = population.types[*kind].sessions_at_once;
        (0..at_once).map(move |at_once| (user, at_once))
    };
    let all = (0..).zip(&population.of_user).flat_map(of_user);
    (0..).zip(all).map(|(process, (user, at_once))| (user, at_once, process))
}

impl UserSpecification {
    /// The files of a whole crowd on one file system, and its processes in so many parts, or one each where there are fewer.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn parts(
        &self,
        crowd: &Users,
        placement: &Placement,
        count: u32,
    ) -> Result<(FileTable, Vec<Part>), ProgramError> {
        let mut layout = lay_out(self, crowd, placement, None, None)?;
        let (namespace, places) = (&layout.shared.namespace, &layout.places);
        let processes = places.len() as u64;
        let parts = u64::from(count).clamp(1, processes.max(1));
        let edge = |part: u64| (part * processes / parts) as usize;
        let part = |number: u64| {
            let here = &places[edge(number)..edge(number + 1)];
            let (first, last) = (here.first()?, here.last()?);
            let home = namespace.homes[first.whose.0 as usize];
            Some(Part {
                processes: first.whose.2..last.whose.2 + 1,
                users: first.whose.0..last.whose.0 + 1,
                first_own: Namespace::file_id(home, placement).0,
                first_made: first.first_made,
            })
        };
        let parts = (0..parts).filter_map(part).collect();
        Ok((layout.tables.remove(&placement.file_system).unwrap_or_default(), parts))
    }

    /// The programs of a part, the files that they need, and how those are numbered in the whole.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare); a part that isn't one of this crowd's.
    pub fn prepare_part(
        &self,
        crowd: &Users,
        placement: &Placement,
        part: &Part,
    ) -> Result<(Prepared, Numbers), ProgramError> {
        let layout = lay_out(self, crowd, placement, None, Some(part))?;
        let namespace = &layout.shared.namespace;
        let first = layout.places.first().ok_or_else(|| {
            ProgramError::parameter("processes", format!("the crowd has none of {:?}", part.processes))
        })?;
        let own = Namespace::file_id(namespace.homes[first.whose.0 as usize], placement).0;
        let numbers = Numbers { own: (own, part.first_own), made: (first.first_made, part.first_made) };
        Ok((layout.into_prepared(), numbers))
    }
}

/// The first number that no file has yet. Numbers are one file's on all file systems.
fn next_number(tables: &Tables, placement: &Placement) -> u32 {
    let next = tables.values().map(FileTable::next_file).max().unwrap_or(0);
    next.max(placement.first_file)
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
    for (most, used) in most_at_once(shared, (user, at_once))?.into_iter().zip(&kind.uses) {
        let first = next_number(tables, &shared.placement);
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
fn most_at_once(shared: &Shared, (user, at_once): (u32, u32)) -> Result<Vec<u64>, ProgramError> {
    let kind = &shared.population.types[shared.population.of_user[user as usize]];
    let whose = whose(shared, user, at_once);
    let kept = shared.readings.kept_sessions as usize;
    let makes_new = kind.uses.iter().any(|used| used.purpose == Purpose::New);
    // New files by session and use, of the sessions whose files are there.
    let mut new_files: VecDeque<Vec<u64>> = VecDeque::new();
    let (mut there, mut most_new) = (vec![0; kind.uses.len()], vec![0; kind.uses.len()]);
    for session in (0..shared.sessions).filter(|_| makes_new) {
        if shared.placement.watch.is_stopped() {
            return Err(ProgramError::Stopped);
        }
        let gone = if new_files.len() > kept { new_files.pop_front() } else { None };
        for (there, gone) in there.iter_mut().zip(gone.into_iter().flatten()) {
            *there -= gone;
        }
        let mut of_session = vec![0; kind.uses.len()];
        for job in session::draw(whose, session, kind, &shared.readings, &shared.namespace) {
            of_session[job.of as usize] += 1;
        }
        for ((there, most), new) in there.iter_mut().zip(&mut most_new).zip(&of_session) {
            *there += new;
            *most = (*most).max(*there);
        }
        new_files.push_back(of_session);
    }
    let most = |(used, most_new): (&UseOf, u64)| match used.purpose {
        Purpose::New => most_new,
        Purpose::Temporary => u64::from(kind.open_files),
        Purpose::ReadOnly | Purpose::ReadWrite => 0,
    };
    Ok(kind.uses.iter().zip(most_new).map(most).collect())
}

/// The name of a file that a process makes.
fn made_name(category: &str, process: u32, number: u32) -> String {
    format!("{category}-made-{process}-{number}")
}
