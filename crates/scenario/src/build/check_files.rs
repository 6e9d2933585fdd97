//! What keeps the files of workloads from being there, told before anything is built.

use crate::build::check_memory::misfits;
use crate::host::Volume;
use crate::loaded::Loaded;
use crate::prepared::{Group, NotPrepared, Prepared as Planned, Work};
use crate::text::Problem;
use crate::workload::{FilePattern, PlacesOutOfRange, Workload, problem_of};
use petrio_colours::SECTOR_BYTES;
use petrio_models::host::file_system::BLOCK_SIZE;
use petrio_units::Bytes;
use std::path::Path;
use std::sync::Arc;

/// Whether the files of the workloads fit; and, where it can be told here, what their programs need.
pub(crate) fn check_files(loaded: &Loaded) -> Result<Option<Arc<Planned>>, Vec<Problem>> {
    let mut problems = Vec::new();
    let volumes: Vec<Volume<'_>> = loaded.hosts.volumes().collect();
    let mut wanted = vec![0u64; volumes.len()];
    for (name, workload) in &loaded.scenario.workload {
        let Some(pattern) = workload.pattern() else { continue };
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
    if !problems.is_empty() {
        return Err(problems);
    }
    // Without a folder nothing is read from files.
    let may_be_read = |file: &Path| loaded.inputs.may_be_read(file);
    let readable = loaded.scenario.workload.values().all(|workload| match workload {
        Workload::Events(load) => may_be_read(&load.parameters.file),
        other => other.pattern().and_then(FilePattern::file).is_none_or(|(file, _)| may_be_read(file)),
    });
    if !readable {
        return Ok(None);
    }
    // Of what a changed scenario was read from, nothing is read or planned again that stays as it was.
    match loaded.prepared() {
        Ok(prepared) => {
            let mut misplaced = misplaced(loaded, &prepared, &volumes);
            misplaced.extend(misfits(loaded, &prepared, &volumes));
            if misplaced.is_empty() { Ok(Some(prepared)) } else { Err(misplaced) }
        }
        Err(failed) => {
            let NotPrepared { workload, error } = *failed;
            Err(vec![problem_of(&workload, &error, &loaded.places, &loaded.sources)])
        }
    }
}

/// Traces that saw files beyond the end of a device, where that is refused; and words on that where no place counts.
fn misplaced(loaded: &Loaded, prepared: &Planned, volumes: &[Volume<'_>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let recorded = loaded.hosts.keep_recorded_places();
    let names = loaded.scenario.workload.iter().filter(|(_, workload)| workload.files_place().is_some());
    for ((name, _), (_, groups)) in names.zip(&prepared.groups) {
        let path = format!("workload.{name}.out_of_range");
        for Group { volume, work } in groups {
            let Work::Trace(trace) = work else { continue };
            let rule = trace.out_of_range();
            if rule == PlacesOutOfRange::default() {
                continue;
            }
            let Volume { name: there, host, .. } = volumes[*volume];
            if !recorded.get(*volume).copied().unwrap_or(false) {
                let message = format!("\"{there}\" places files itself, wherever the trace saw them");
                problems.push(loaded.error_at(&path, message).help("leave out_of_range out"));
                continue;
            }
            let on = trace.file_systems();
            let used = volumes.iter().filter(|volume| volume.host == host && on.contains(&volume.mount));
            for Volume { name: there, mount, blocks, .. } in used {
                let end = trace.seen_on(*mount).end();
                if rule == PlacesOutOfRange::Error && end > *blocks {
                    let message = format!(
                        "the trace of \"{name}\" saw files up to block {end}, and the device of \"{there}\" has {blocks}"
                    );
                    let help = "take a larger disk, or out_of_range = \"allocate\" (the file system places them) or \"wrap\"";
                    problems.push(loaded.error_at(&path, message).help(help));
                }
            }
        }
    }
    problems
}
