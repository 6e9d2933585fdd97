//! Memory of processes that nothing has room for, told before anything is built.

use crate::host::Volume;
use crate::loaded::Loaded;
use crate::prepared::{Group, Prepared as Planned, Work};
use crate::text::Problem;
use petrio_units::Bytes;
use petrio_workload::program::ProcessMemory;
use std::collections::BTreeMap;

/// What a page of a process costs here at least: its entry in the lists of pages and its place in a tree, and as much again in swap space.
const BYTES_A_PAGE: u64 = 128;
/// A page (x86-64).
const PAGE_BYTES: u64 = 4096;

/// Workloads whose processes' memory is on no host that has it, or more than there is.
pub(super) fn misfits(loaded: &Loaded, prepared: &Planned, volumes: &[Volume<'_>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    // By host: what processes have together.
    let mut wanted: BTreeMap<usize, u64> = BTreeMap::new();
    let workloads =
        loaded.scenario.workload.iter().filter_map(|(name, workload)| Some((name, workload.files_place()?)));
    for ((name, place), (_, groups)) in workloads.zip(&prepared.groups) {
        let Some(memory) = place.memory else { continue };
        let path = format!("workload.{name}.memory");
        if let Err(error) = memory.validate() {
            problems.push(
                loaded
                    .error_at(&path, error.to_string())
                    .help("write size = \"512 MiB\", uses = \"1 MiB\", say"),
            );
            continue;
        }
        problems.extend(
            groups.iter().find_map(|group| misfit(loaded, (&path, memory), group, volumes, &mut wanted)),
        );
    }
    problems
}

fn misfit(
    loaded: &Loaded,
    (path, memory): (&str, ProcessMemory),
    group: &Group,
    volumes: &[Volume<'_>],
    wanted: &mut BTreeMap<usize, u64>,
) -> Option<Problem> {
    let on = volumes[group.volume].name;
    if matches!(group.work, Work::Trace(_)) {
        let message = "what processes of a trace had in memory beside files, the trace doesn't say";
        return Some(
            loaded
                .error_at(path, message.to_owned())
                .help("give the host anonymous memory: host.NAME.anonymous"),
        );
    }
    let linux = &loaded.hosts.linux;
    let Some(placed) = linux.file_systems.iter().find(|placed| placed.name == *on) else {
        let message = format!(
            "processes have memory where they work on a Linux host's own files, and \"{on}\" is none of these"
        );
        let help = "leave it out, or give the host anonymous memory: host.NAME.anonymous";
        return Some(loaded.error_at(path, message).help(help));
    };
    let host = linux.hosts.get(placed.host)?;
    let processes = host.parameters.anonymous.unwrap_or(Bytes(0)).get();
    let own = processes.saturating_add(linux.most_in_memory(placed.host));
    let all = wanted.entry(placed.host).or_insert(own);
    *all = all.saturating_add(memory.of_processes(group.processes().into()));
    if let Some((room, also)) = host.has_less_than(*all) {
        let message = format!(
            "with these, processes on the host \"{}\" have {} of memory, and there are {room}{also}: one of them would be killed",
            host.name,
            Bytes(*all)
        );
        let help = "give the processes less, or the host more memory or swap space (host.NAME.swap)";
        return Some(loaded.error_at(&format!("{path}.size"), message).help(help));
    }
    let error = petrio_bounds::check(*all / PAGE_BYTES * BYTES_A_PAGE).err()?;
    let message =
        format!("memory of processes of {} is more than petrio can hold here: {error}", Bytes(*all));
    Some(loaded.error_at(&format!("{path}.size"), message).help("write less, or run on a larger machine"))
}
