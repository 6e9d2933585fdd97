//! Workloads of file operations: which processes they have, on which host and under which numbers, and the files that they
//! need.

use crate::build::events::{EventTrace, event_words};
use crate::build::programs::Programs;
use crate::load::Loaded;
use crate::placed::Volume;
use crate::run::RunFailure;
use crate::schema::{FileLoadPlace, Workload};
use crate::text::Problem;
use petrio_colours::{FileId, FileOp, PlacedExtent, SECTOR_BYTES};
use petrio_models::host::file_system::BLOCK_SIZE;
use petrio_units::Bytes;
use petrio_workload::program::{FileEntry, FileTable, Placement, Prepared, ProgramError};
use petrio_workload::users::crowd_name;
use petrio_workload::{RequestSource, SourceError};
use std::collections::BTreeMap;

/// The processes of a workload on one volume.
struct Group {
    /// The volume, as a position in [`Loaded::volumes`].
    volume: usize,
    work: Work,
}

/// What issues a workload's operations.
enum Work {
    Programs(Prepared),
    Trace(EventTrace),
}

impl Work {
    fn processes(&self) -> u32 {
        match self {
            Self::Programs(prepared) => prepared.programs.len() as u32,
            Self::Trace(trace) => trace.processes(),
        }
    }

    fn next_file(&self) -> Result<u32, ProgramError> {
        match self {
            Self::Programs(prepared) => {
                let tables = prepared.elsewhere.values().chain([&prepared.files]);
                Ok(tables.map(FileTable::next_file).max().unwrap_or(0))
            }
            Self::Trace(trace) => trace.next_file(),
        }
    }

    /// The files on its own file system, and on others of its host by their numbers there.
    fn into_files(self) -> Result<(FileTable, BTreeMap<u32, FileTable>), ProgramError> {
        match self {
            Self::Programs(prepared) => Ok((prepared.files, prepared.elsewhere)),
            Self::Trace(trace) => Ok((trace.table()?, BTreeMap::new())),
        }
    }
}

/// A workload whose programs can't be made.
struct NotPrepared {
    workload: String,
    error: ProgramError,
}

impl From<Box<NotPrepared>> for RunFailure {
    fn from(failed: Box<NotPrepared>) -> Self {
        Self::Workload(failed.error.into())
    }
}

/// The programs of a scenario for one replication.
pub(super) fn programs_of(loaded: &Loaded, replication: u64) -> Result<Programs<FileOp>, RunFailure> {
    let mut sources: Vec<Box<dyn RequestSource<FileOp>>> = Vec::new();
    let (mut kinds, mut changed) = (Vec::new(), Vec::new());
    for (words, groups) in groups(loaded, replication, Split::ByPlace)? {
        kinds.push(words);
        for Group { work, .. } in groups {
            sources.push(match work {
                Work::Programs(prepared) => Box::new(prepared.into_source().map_err(SourceError::from)?),
                Work::Trace(trace) => {
                    let (source, count) = trace.into_source()?;
                    changed.push(count);
                    source
                }
            });
        }
    }
    Ok(Programs::new(sources, kinds, Vec::new()).with_changed_calls(changed))
}

/// The programs of a scenario for one replication as something that can be run on a real directory: one for each workload and
/// file system, in order. None where its workloads don't work on files.
///
/// # Errors
/// Programs that can't be made.
pub fn prepared_programs(loaded: &Loaded, replication: u64) -> Result<Vec<Prepared>, RunFailure> {
    let groups = groups(loaded, replication, Split::No)?;
    let prepared = |group: Group| match group.work {
        Work::Programs(prepared) => Ok(prepared),
        Work::Trace(trace) => trace.into_prepared(),
    };
    groups.into_iter().flat_map(|(_, groups)| groups).map(prepared).collect()
}

/// What the programs of a scenario need to be there.
pub(crate) struct Needed {
    /// The files of each volume, in the order of [`Loaded::volumes`].
    pub(crate) files: Vec<FileTable>,
    /// Where files lie whose place a trace tells, by volume.
    pub(super) extents: Vec<BTreeMap<FileId, Vec<PlacedExtent>>>,
    /// Each process' host: first [`Loaded::hosts`], then [`Loaded::unix`].
    pub(crate) hosts_of_processes: Vec<usize>,
}

/// What the programs need; the same in every replication.
pub(crate) fn file_tables(loaded: &Loaded) -> Result<Needed, RunFailure> {
    let volumes: Vec<Volume<'_>> = loaded.volumes().collect();
    let mut files = vec![FileTable::new(); volumes.len()];
    let mut extents = vec![BTreeMap::new(); volumes.len()];
    let mut hosts_of_processes = Vec::new();
    for (_, groups) in groups(loaded, 0, Split::ByPlace)? {
        for Group { volume, work } in groups {
            let host = volumes[volume].host;
            hosts_of_processes.extend((0..work.processes()).map(|_| host));
            if let Work::Trace(trace) = &work {
                extents[volume].extend(trace.extents());
            }
            let (table, elsewhere) = work.into_files().map_err(SourceError::from)?;
            files[volume].join(table).map_err(SourceError::from)?;
            for (mount, table) in elsewhere {
                let there = volumes.iter().position(|volume| (volume.host, volume.mount) == (host, mount));
                if let Some(there) = there {
                    files[there].join(table).map_err(SourceError::from)?;
                }
            }
        }
    }
    Ok(Needed { files, extents, hosts_of_processes })
}

/// Each workload in words, and its processes on each of its volumes.
type Groups = Vec<(String, Vec<Group>)>;

/// Whether the files of one workload lie on several file systems, where it says so; in a real directory they lie together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Split {
    ByPlace,
    No,
}

/// Every workload's processes on each of its file systems, numbered through.
fn groups(loaded: &Loaded, replication: u64, split: Split) -> Result<Groups, Box<NotPrepared>> {
    let volumes: Vec<Volume<'_>> = loaded.volumes().collect();
    let mut next_process = 0u32;
    let mut next_file: BTreeMap<usize, u32> = BTreeMap::new();
    let mut all = Vec::new();
    let mut crowds = 0;
    for (name, workload) in &loaded.scenario.workload {
        let Some(place) = workload.files_place() else { continue };
        let targets = loaded.targets.get(name).map(Vec::as_slice).unwrap_or_default();
        let mut groups = Vec::new();
        for &target in targets {
            let volume = target as usize;
            let mut placement = placement(loaded, name, (place, volumes[volume]), targets.len() > 1);
            if let Workload::Users(_) = workload {
                placement.name = crowd_name(crowds);
                crowds += 1;
            }
            placement.replication = replication;
            placement.first_process = next_process;
            let refused = |error| Box::new(NotPrepared { workload: name.clone(), error });
            let mut involved = vec![volume];
            if let (Split::ByPlace, Some((_, pattern))) = (split, workload.on_files()) {
                for (place, on) in pattern.places().into_iter().flatten() {
                    let there = place_of(&volumes, volume, place, on).map_err(refused)?;
                    placement.places.insert(place.clone(), volumes[there].mount);
                    involved.push(there);
                }
            }
            let next_there = involved.iter().filter_map(|there| next_file.get(there)).max();
            placement.first_file = next_there.copied().unwrap_or(1);
            let first_file = placement.first_file;
            let work = match (workload, workload.on_files()) {
                (Workload::Events(load), _) => {
                    Work::Trace(EventTrace::open(loaded, name, &load.parameters, placement).map_err(refused)?)
                }
                (_, Some((_, pattern))) => {
                    Work::Programs(pattern.prepare(&placement, loaded.folder.as_deref()).map_err(refused)?)
                }
                (_, None) => continue,
            };
            next_process += work.processes();
            let next = work.next_file().map_err(refused)?.max(first_file);
            check_room((next - first_file).into()).map_err(refused)?;
            next_file.extend(involved.into_iter().map(|there| (there, next)));
            groups.push(Group { volume, work });
        }
        let words = match (workload, workload.on_files()) {
            (Workload::Events(load), _) => event_words(&load.parameters),
            (_, Some((_, pattern))) => pattern.words(),
            (_, None) => String::new(),
        };
        all.push((words, groups));
    }
    Ok(all)
}

/// Refuses more files than a simulated host can hold here.
fn check_room(files: u64) -> Result<(), ProgramError> {
    let bytes = (size_of::<FileEntry>() + petrio_models::host::BYTES_OF_A_FILE) as u64;
    petrio_bounds::check(files * bytes).map_err(|cause| ProgramError::TooMuchForFiles { files, cause })
}

/// The volume of a place: one of the same host as the workload's own.
fn place_of(volumes: &[Volume<'_>], own: usize, place: &str, on: &str) -> Result<usize, ProgramError> {
    let there = volumes.iter().position(|volume| volume.name == on);
    let Volume { name, host, .. } = volumes[own];
    there.filter(|&there| volumes[there].host == host).ok_or_else(|| {
        let problem = format!("\"{on}\" is on another host than \"{name}\", where the users work");
        ProgramError::Parameter { parameter: "places", problem: format!("{place}: {problem}") }
    })
}

fn placement(
    loaded: &Loaded,
    workload: &str,
    (place, target): (&FileLoadPlace, Volume<'_>),
    several: bool,
) -> Placement {
    // On several file systems, each has random numbers of its own.
    let name = if several { format!("{workload}@{}", target.name) } else { workload.to_owned() };
    Placement {
        seed: loaded.scenario.seed,
        file_system: target.mount,
        class: place.io_class.into(),
        priority: place.io_priority,
        watch: loaded.watch.clone(),
        ..Placement::new(name)
    }
}

/// Whether the workloads' programs can be made, and whether their files fit.
pub(crate) fn check_files(loaded: &Loaded) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let volumes: Vec<Volume<'_>> = loaded.volumes().collect();
    let mut wanted = vec![0u64; volumes.len()];
    for (name, workload) in &loaded.scenario.workload {
        let Some((_, pattern)) = workload.on_files() else { continue };
        let Some((bytes, key)) = pattern.largest() else { continue };
        for &target in loaded.targets.get(name).map(Vec::as_slice).unwrap_or_default() {
            let file_system = volumes[target as usize];
            let wanted = &mut wanted[target as usize];
            let before = *wanted;
            *wanted = before.saturating_add(bytes);
            let there = file_system.blocks * SECTOR_BYTES;
            if *wanted > there {
                let also = if before > 0 { ", with those of other workloads" } else { "" };
                let message = format!(
                    "the files of \"{name}\" are {}{also}, and the file system \"{}\" has {}",
                    Bytes(*wanted),
                    file_system.name,
                    Bytes(there)
                );
                let problem = loaded.error_at(&format!("workload.{name}.{key}"), message);
                problems.push(problem.help("make them smaller, or take a larger disk"));
            } else if let Err(cause) = petrio_bounds::check(*wanted / BLOCK_SIZE / 8) {
                // A bit for each block that is taken (the maps of the block groups).
                let message = format!(
                    "the files of \"{name}\" are {}, which is more than can be laid out here: {cause}",
                    Bytes(*wanted)
                );
                let problem = loaded.error_at(&format!("workload.{name}.{key}"), message);
                problems.push(problem.help("make them smaller, or fewer"));
            }
        }
    }
    // Without a folder nothing is read from files.
    let readable = loaded.folder.is_some()
        || loaded.scenario.workload.values().all(|workload| match workload {
            Workload::Events(_) => false,
            other => other.on_files().is_none_or(|(_, pattern)| pattern.file().is_none()),
        });
    if problems.is_empty()
        && readable
        && let Err(failed) = groups(loaded, 0, Split::ByPlace)
    {
        let NotPrepared { workload, error } = *failed;
        let path = path_of(&workload, &error);
        problems.push(loaded.error_at(&path, error.to_string()).maybe_help(error.help()));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Where the cause of a workload's error stands in the scenario.
pub(crate) fn path_of(workload: &str, error: &ProgramError) -> String {
    match error {
        ProgramError::Parameter { parameter, .. } | ProgramError::TooMuchForProcesses { parameter, .. } => {
            format!("workload.{workload}.{parameter}")
        }
        ProgramError::Script(_) => format!("workload.{workload}.script"),
        _ => format!("workload.{workload}"),
    }
}
