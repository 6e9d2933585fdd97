//! A specification's users laid out: their files by number and name, and their programs. The whole crowd, or a part of
//! it that a process of its own runs.
//!
//! What a user has and does depends on nobody else, so a part needs the files that all share and those of its own users
//! alone, and is prepared as fast, and in as little memory, however large the crowd is. Its files have other numbers
//! than in the whole; a [`Part`] knows which.

use super::crowd::Users;
use super::population::{Population, UseOf};
use super::program::{Shared, UserProgram, whose};
use super::session;
use super::specification::UserSpecification;
use crate::namespace::{Namespace, PlanError, Purpose};
use petrio_colours::FileId;
use petrio_units::numbers::{as_index, as_number};
use petrio_workload::program::{
    Common, FileEntry, FilePlan, FileProgram, FileTable, Placement, PlannedFile, Prepared, ProgramError,
    Tables, check_number_of_files, check_number_of_programs,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
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

/// A process: the user, which of the sessions that he has at once, and the process' number in the crowd.
type Whose = (u32, u32, u32);

/// A crowd, or a part of it, laid out.
pub(super) struct Layout {
    /// What the programs of the placement's own replication share.
    shared: Arc<Shared>,
    processes: Vec<Whose>,
    /// The directory above all, where there is one.
    top: Option<String>,
    /// The first number of files that users make.
    first_made: u32,
    /// How many of each use each process makes in that replication.
    made: Vec<Vec<u64>>,
}

impl Layout {
    /// What the programs of a replication share, and how many files each process makes.
    fn of(&self, replication: u64) -> Result<(Arc<Shared>, Vec<Vec<u64>>), ProgramError> {
        if replication == self.shared.placement.replication {
            return Ok((self.shared.clone(), self.made.clone()));
        }
        let placement = Placement { replication, ..self.shared.placement.clone() };
        let shared = Arc::new(Shared { placement, ..Shared::clone(&self.shared) });
        let made = made(&shared, &self.processes)?;
        Ok((shared, made))
    }

    /// The number of the file system on which the users' own directories lie: they make files there.
    fn homes(&self) -> u32 {
        let Shared { namespace, file_systems, .. } = &*self.shared;
        let home = namespace.homes.first().map_or(0, |home| namespace.entries[*home as usize].place);
        file_systems[home as usize]
    }

    /// The first number of what each process makes.
    fn first_made_of_each(&self) -> impl Iterator<Item = u32> {
        self.made.iter().scan(self.first_made, |next, uses| {
            let first = *next;
            *next += total(uses);
            Some(first)
        })
    }
}

impl FilePlan for Layout {
    fn processes(&self) -> u32 {
        as_number(self.processes.len())
    }

    fn next_file(&self) -> u32 {
        self.first_made + self.made.iter().map(|uses| total(uses)).sum::<u32>()
    }

    fn each_file(&self, tell: &mut dyn FnMut(u32, PlannedFile)) -> Result<(), ProgramError> {
        let Shared { namespace, placement, file_systems, .. } = &*self.shared;
        let above = namespace.above(placement, self.top.as_deref());
        if self.top.is_some() {
            let top = PlannedFile {
                file: above,
                parent: FileId::ROOT,
                is_directory: true,
                present: true,
                cached: false,
                size: 0,
            };
            let all: BTreeSet<u32> = file_systems.iter().copied().chain([placement.file_system]).collect();
            all.into_iter().for_each(|file_system| tell(file_system, top));
        }
        for (file_system, file) in namespace.planned(placement, above) {
            if placement.watch.is_stopped() {
                return Err(ProgramError::Stopped);
            }
            tell(file_system, file);
        }
        Ok(())
    }

    fn tables(&self) -> Result<Tables, ProgramError> {
        let shared = &self.shared;
        let mut tables = shared.namespace.tables(&shared.placement, self.top.as_deref())?;
        let files = tables.entry(self.homes()).or_default();
        let processes = self.processes.iter().zip(&self.made).zip(self.first_made_of_each());
        for ((&(user, _, process), made), first) in processes {
            let parent = Namespace::file_id(shared.namespace.homes[user as usize], &shared.placement);
            let uses = &shared.population.types[shared.population.of_user[user as usize]].uses;
            let names = uses.iter().zip(made).flat_map(|(used, &most)| {
                (0..as_number(most)).map(|number| made_name(&used.label, process, number))
            });
            for (file, name) in (first..).map(FileId).zip(names) {
                files.add(FileEntry {
                    file,
                    name,
                    parent,
                    is_directory: false,
                    present: false,
                    size: 0,
                    cached: false,
                })?;
            }
        }
        Ok(tables)
    }

    fn programs(
        &self,
        replication: u64,
        common: &mut Common,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        let (shared, made) = self.of(replication)?;
        let count = made.iter().flatten().sum::<u64>();
        let mut next = self.first_made;
        // Behind the last numbers of all there is room for more.
        if u64::from(next) + count > u64::from(self.next_file()) && self.next_file() < common.spare {
            next = common.spare;
        }
        check_number_of_files(u64::from(next - shared.placement.first_file) + count, &shared.placement)?;
        let programs = self.processes.iter().zip(made).map(|(&whose, made)| -> Box<dyn FileProgram> {
            let of_use = |most: u64| {
                let first = next;
                next += as_number(most);
                // The first is taken first.
                (first..next).rev().map(FileId).collect()
            };
            let free = made.into_iter().map(of_use).collect();
            Box::new(UserProgram::new(shared.clone(), whose, free))
        });
        let programs = programs.collect();
        common.spare = common.spare.max(next);
        Ok(programs)
    }
}

fn total(uses: &[u64]) -> u32 {
    as_number(uses.iter().sum::<u64>())
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
        for kind in specification.user.values_mut() {
            (kind.access, kind.write_access) = (Some(access.clone()), None);
        }
    }
    if let Some(compute) = &crowd.compute {
        specification.user.values_mut().for_each(|kind| kind.compute = Some(compute.clone()));
    }
    let mut population = Population::of(&specification, users).map_err(refused)?;
    if crowd.access.is_some() {
        population.draw_accesses();
    }
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
    let count = namespace.entries.len() as u64 + 1;
    check_number_of_files(count, placement)?;
    let first_made = placement.first_file + as_number(namespace.entries.len()) + u32::from(top.is_some());
    let shared = Arc::new(Shared {
        file_systems: namespace.file_systems(placement),
        namespace: Arc::new(namespace),
        population: Arc::new(population),
        readings: specification.readings,
        placement: placement.clone(),
        sessions,
        begins: specification.begins.time(),
        sleep: crowd.sleeps(),
    });
    let is_wanted = |whose: &Whose| part.is_none_or(|part| part.processes.contains(&whose.2));
    let processes: Vec<Whose> = processes(&shared.population).filter(is_wanted).collect();
    let made = made(&shared, &processes)?;
    let top = top.map(str::to_owned);
    let layout = Layout { shared, processes, top, first_made, made };
    let made = layout.made.iter().flatten().sum::<u64>();
    check_number_of_files(u64::from(first_made - placement.first_file) + made, placement)?;
    Ok(layout)
}

/// How many files of each use each process makes.
fn made(shared: &Shared, processes: &[Whose]) -> Result<Vec<Vec<u64>>, ProgramError> {
    processes.iter().map(|&(user, at_once, _)| most_at_once(shared, (user, at_once))).collect()
}

/// The processes of all users: user, which of the sessions that he has at once, and number.
fn processes(population: &Population) -> impl Iterator<Item = Whose> {
    let of_user = |(user, kind): (u32, &usize)| {
        let at_once = population.types[*kind].sessions_at_once;
        (0..at_once).map(move |at_once| (user, at_once))
    };
    let all = (0..).zip(&population.of_user).flat_map(of_user);
    (0..).zip(all).map(|(process, (user, at_once))| (user, at_once, process))
}

impl UserSpecification {
    /// The files of a whole crowd on one file system, and its processes in so many parts, or one each where there are
    /// fewer.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn parts(
        &self,
        crowd: &Users,
        placement: &Placement,
        count: u32,
    ) -> Result<(FileTable, Vec<Part>), ProgramError> {
        let layout = lay_out(self, crowd, placement, None, None)?;
        let namespace = &layout.shared.namespace;
        let places: Vec<(Whose, u32)> =
            layout.processes.iter().copied().zip(layout.first_made_of_each()).collect();
        let processes = places.len() as u64;
        let parts = u64::from(count).clamp(1, processes.max(1));
        let edge = |part: u64| as_index(part * processes / parts);
        let part = |number: u64| {
            let here = &places[edge(number)..edge(number + 1)];
            let (&(first, first_made), (last, _)) = (here.first()?, here.last()?);
            let home = namespace.homes[first.0 as usize];
            Some(Part {
                processes: first.2..last.2 + 1,
                users: first.0..last.0 + 1,
                first_own: Namespace::file_id(home, placement).0,
                first_made,
            })
        };
        let parts = (0..parts).filter_map(part).collect();
        Ok((layout.tables()?.remove(&placement.file_system).unwrap_or_default(), parts))
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
        let first = layout.processes.first().ok_or_else(|| {
            ProgramError::parameter("processes", format!("the crowd has none of {:?}", part.processes))
        })?;
        let own = Namespace::file_id(namespace.homes[first.0 as usize], placement).0;
        let numbers = Numbers { own: (own, part.first_own), made: (layout.first_made, part.first_made) };
        Ok((Prepared::of(&layout, placement)?, numbers))
    }
}

fn refused(error: PlanError) -> ProgramError {
    ProgramError::Users { at: error.at, problem: error.problem }
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
