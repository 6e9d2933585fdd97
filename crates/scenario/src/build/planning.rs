//! Which processes the workloads on files have, on which volumes and under which numbers.

use crate::build::jobs::on_volumes;
use crate::host::Volume;
use crate::loaded::Loaded;
use crate::prepared::{EventTrace, Group, Groups, NotPrepared, Work, event_words};
use crate::workload::{FileLoadPlace, FilePattern, Reading, Workload};
use petrio_users::crowd_name;
use petrio_workload::parallel::Job;
use petrio_workload::program::{Placement, ProgramError};
use std::collections::BTreeMap;

/// Whether the files of one workload lie on several file systems, where it says so; in a real directory they lie together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Split {
    ByPlace,
    No,
}

/// Every workload's processes on each of its file systems, numbered through.
#[expect(clippy::too_many_lines, reason = "workload by workload: what each has is numbered through")]
pub(crate) fn groups(
    loaded: &Loaded,
    readings: &BTreeMap<String, Reading>,
    replication: u64,
    split: Split,
) -> Result<Groups, Box<NotPrepared>> {
    let volumes: Vec<Volume<'_>> = loaded.hosts.volumes().collect();
    let mut next_process = 0u32;
    // By the space of the volume.
    let mut next_file: BTreeMap<usize, u32> = BTreeMap::new();
    let mut all = Vec::new();
    let mut crowds = 0;
    for (name, workload) in &loaded.scenario.workload {
        let Some(place) = workload.files_place() else { continue };
        let targets = loaded.targets.get(name).map(Vec::as_slice).unwrap_or_default();
        let mut groups = Vec::new();
        let recorded;
        let job: Option<&dyn Job> = match workload {
            Workload::Parallel(load) => Some(&load.parameters),
            Workload::Recording(load) => {
                let refused = |error| Box::new(NotPrepared { workload: name.clone(), error });
                recorded = load.parameters.read(&loaded.inputs).map_err(refused)?;
                Some(&recorded)
            }
            _ => None,
        };
        if let Some(job) = job {
            let refused = |error| Box::new(NotPrepared { workload: name.clone(), error });
            let Some(&first) = targets.first() else { continue };
            let mut placement = placement(loaded, name, (place, volumes[first as usize]), false);
            placement.replication = replication;
            placement.first_process = next_process;
            let spaces = || targets.iter().map(|&target| volumes[target as usize].space);
            placement.first_file =
                spaces().filter_map(|space| next_file.get(&space).copied()).max().unwrap_or(1);
            groups = on_volumes(loaded, job, (&volumes, targets), &placement).map_err(refused)?;
            next_process += job.ranks();
            let next =
                groups.first().map_or(Ok(1), |group: &Group| group.work.next_file()).map_err(refused)?;
            check_room(next.saturating_sub(placement.first_file).into()).map_err(refused)?;
            next_file.extend(spaces().map(|space| (space, next)));
            all.push((workload.pattern().map(FilePattern::words).unwrap_or_default(), groups));
            continue;
        }
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
            if split == Split::ByPlace {
                for (place, on) in workload.load().places().into_iter().flatten() {
                    let there = place_of(&volumes, volume, place, on).map_err(refused)?;
                    placement.places.insert(place.clone(), volumes[there].mount);
                    involved.push(there);
                }
            }
            let spaces = || involved.iter().map(|&there| volumes[there].space);
            let next_there = spaces().filter_map(|space| next_file.get(&space).copied()).max();
            placement.first_file = next_there.unwrap_or(1);
            let first_file = placement.first_file;
            let work = match (workload, workload.pattern()) {
                (Workload::Events(load), _) => {
                    let Some(Reading::Events(_, files)) = readings.get(name) else { continue };
                    let trace = EventTrace::new(&loaded.inputs, &load.parameters, files.clone(), placement);
                    trace.check_places().map_err(refused)?;
                    Work::Trace(Box::new(trace))
                }
                (_, Some(pattern)) => {
                    let reading = readings.get(name).unwrap_or(&Reading::Nothing);
                    let plan = pattern.plan(&placement, reading, &loaded.inputs).map_err(refused)?;
                    Work::Programs(plan, placement)
                }
                (_, None) => continue,
            };
            next_process += work.processes();
            let next = work.next_file().map_err(refused)?.max(first_file);
            check_room((next - first_file).into()).map_err(refused)?;
            next_file.extend(spaces().map(|space| (space, next)));
            groups.push(Group { volume, work });
        }
        let words = match (workload, workload.pattern()) {
            (Workload::Events(load), _) => event_words(&load.parameters),
            (_, Some(pattern)) => pattern.words(),
            (_, None) => String::new(),
        };
        all.push((words, groups));
    }
    Ok(all)
}

/// Refuses more files than a simulated host can hold here.
fn check_room(files: u64) -> Result<(), ProgramError> {
    let bytes = petrio_models::host::BYTES_OF_A_FILE as u64;
    petrio_bounds::check(files * bytes).map_err(|cause| ProgramError::TooMuchForFiles { files, cause })
}

/// The volume of a place: one of the same host as the workload's own.
fn place_of(volumes: &[Volume<'_>], own: usize, place: &str, on: &str) -> Result<usize, ProgramError> {
    let there = volumes.iter().position(|volume| volume.name == on);
    let Volume { name, host, .. } = volumes[own];
    there.filter(|&there| volumes[there].host == host).ok_or_else(|| {
        let problem =
            format!("\"{on}\" is on another host than \"{name}\", where the workload's other files lie");
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
