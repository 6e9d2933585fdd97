//! Fills in what the generators of synthetic workloads take from what they go to: its numbers in the system,
//! and how many blocks there are.

use crate::placed::Storage;
use crate::scenario::Scenario;
use crate::text::tree::KeySpans;
use crate::text::{Problem, Sources};
use crate::workload::{Workload, problem_of};
use indexmap::IndexMap;
use miette::Diagnostic;
use petrio_colours::SECTOR_BYTES;
use petrio_units::Blocks;
use petrio_workload::synthetic::{Generator, Synthetic, SyntheticError};

/// The parameters of each synthetic workload with devices and capacities filled in, all checked. A written `devices`
/// counts the disks of the workload's `on`; what comes back holds numbers of the system's disks.
pub(crate) fn filled_in(
    scenario: &Scenario,
    storage: &[Storage],
    targets: &IndexMap<String, Vec<u32>>,
    places: &KeySpans,
    sources: &Sources,
) -> Result<IndexMap<String, Synthetic>, Vec<Problem>> {
    let mut filled = IndexMap::new();
    let mut problems = Vec::new();
    for (name, workload) in &scenario.workload {
        let on = || targets.get(name).map(Vec::as_slice).unwrap_or_default();
        if let Workload::DeviceAccesses(load) = workload {
            let sizes = on().iter().filter_map(|&disk| storage.get(disk as usize));
            let sizes: Vec<u64> = sizes.map(|part| part.blocks * SECTOR_BYTES).collect();
            if let Err(error) = load.parameters.validate_on(&sizes) {
                problems.push(problem_of(name, &error, places, sources));
            }
            continue;
        }
        let Workload::Synthetic(load) = workload else { continue };
        let mut parameters = load.parameters.clone();
        let on = targets.get(name).map(Vec::as_slice).unwrap_or_default();
        let before = problems.len();
        for (index, generator) in parameters.generators.iter_mut().enumerate() {
            let path = format!("workload.{name}.generators.{index}");
            if let Err(problem) = devices_of(generator, &path, on, places, sources) {
                problems.push(problem);
                continue;
            }
            let blocks = smallest(generator, storage);
            match generator.capacity {
                None => generator.capacity = Some(Blocks(blocks)),
                Some(Blocks(written)) if written > blocks => {
                    let span = places.value(&format!("{path}.capacity"));
                    let message = format!("the generator uses {written} blocks, its disk has {blocks}");
                    problems.push(sources.error(span, message).help("leave it out to use the whole disk"));
                }
                Some(_) => {}
            }
        }
        if problems.len() == before
            && let Err(error) = parameters.validate()
        {
            let path = match &error {
                SyntheticError::Parameter { generator, parameter, .. } => {
                    format!("workload.{name}.generators.{}.{parameter}", generator.saturating_sub(1))
                }
                _ => format!("workload.{name}.generators"),
            };
            problems.push(sources.error(places.value(&path), error.to_string()).maybe_help(error.help()));
        }
        filled.insert(name.clone(), parameters);
    }
    if problems.is_empty() { Ok(filled) } else { Err(problems) }
}

fn devices_of(
    generator: &mut Generator,
    path: &str,
    on: &[u32],
    places: &KeySpans,
    sources: &Sources,
) -> Result<(), Problem> {
    let path = format!("{path}.devices");
    if !places.contains(&path) {
        generator.devices = on.to_vec();
        return Ok(());
    }
    for (index, device) in generator.devices.iter_mut().enumerate() {
        match on.get(*device as usize) {
            Some(&number) => *device = number,
            None => {
                let span = places.value(&format!("{path}.{index}"));
                let message =
                    format!("the workload is on {} disks, numbered from 0; there is no {device}", on.len());
                return Err(sources.error(span, message).help("leave devices out to use all of them"));
            }
        }
    }
    Ok(())
}

/// Blocks of the smallest part that a generator asks.
fn smallest(generator: &Generator, storage: &[Storage]) -> u64 {
    let blocks = |&device: &u32| storage.get(device as usize).map(|part| part.blocks);
    generator.devices.iter().filter_map(blocks).min().unwrap_or(0)
}
