//! File systems in the memory of hosts: how large they are, and whether there is as much memory.

use super::{FileSystem, PlacedFileSystem};
use crate::host::family::Ground;
use crate::host::linux::{FILE_SYSTEM, HOST, PlacedHost};
use crate::text::Problem;
use petrio_colours::SECTOR_BYTES;
use petrio_units::Bytes;

/// A file system in memory, as it is mounted by a host under a number. Its size is what is written, or half of the host's memory
/// (`shmem_default_max_blocks`, mm/shmem.c).
pub(super) fn in_memory(
    name: &str,
    FileSystem { place, kind }: &FileSystem,
    (host, mount): (usize, u32),
    hosts: &[PlacedHost],
) -> PlacedFileSystem {
    let memory = hosts.get(host).map_or(Bytes(0), |host| {
        let parameters = &host.parameters;
        parameters.memory.unwrap_or(parameters.machine.memory)
    });
    let size = place.size.map_or(memory.get() / 2, Bytes::get);
    PlacedFileSystem {
        name: name.to_owned(),
        host,
        mount,
        on: None,
        blocks: size / SECTOR_BYTES,
        read_ahead: Bytes(0),
        has_many_queues: false,
        log: None,
        place: place.clone(),
        kind: kind.clone(),
        takes_discards: false,
        holds_swap: false,
    }
}

/// What the files of those of a host may take together, in bytes.
pub(crate) fn most_in_memory(host: usize, file_systems: &[PlacedFileSystem]) -> u64 {
    let own = file_systems.iter().filter(|placed| placed.on.is_none() && placed.host == host);
    own.map(|placed| placed.blocks.saturating_mul(SECTOR_BYTES)).fold(0, u64::saturating_add)
}

/// Hosts whose file systems in memory may grow beyond it, and those that have swap space and no device for it.
pub(crate) fn beyond_memory(
    hosts: &[PlacedHost],
    file_systems: &[PlacedFileSystem],
    ground: &Ground<'_>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let mut own = file_systems.iter().filter(|placed| placed.host == number);
        let Some(first) = own.clone().find(|placed| placed.on.is_none()) else { continue };
        let most = most_in_memory(number, file_systems);
        let processes = host.parameters.anonymous.map_or(0, Bytes::get);
        if let Some((memory, also)) = host.has_less_than(most.saturating_add(processes)) {
            let message = format!(
                "the files in memory of the host \"{}\" may be {}{}, and it has {memory} of memory{also}: what then needs more \
                 would be killed",
                host.name,
                Bytes(most),
                if processes > 0 {
                    format!(" beside {} of processes' own pages", Bytes(processes))
                } else {
                    String::new()
                },
            );
            let size = format!("{FILE_SYSTEM}.{}.size", first.name);
            let at =
                if ground.places.contains(&size) { size } else { format!("{FILE_SYSTEM}.{}", first.name) };
            let help = "give them a smaller size, or the host more memory or swap space";
            problems.push(ground.sources.error(ground.places.value(&at), message).help(help));
        }
        if host.parameters.swap.is_some_and(|swap| swap.get() > 0) && own.all(|placed| placed.on.is_none()) {
            let span = ground.places.value(&format!("{HOST}.{}.swap", host.name));
            let message = format!(
                "swap space lies behind a file system's blocks, and all of \"{}\" lie in memory",
                host.name
            );
            let help = "leave it out, or give the host a file system on a device";
            problems.push(ground.sources.error(span, message).help(help));
        }
    }
    problems
}
