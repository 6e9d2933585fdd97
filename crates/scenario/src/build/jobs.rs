//! The ranks of parallel programs on the volumes that their workload names: which rank is on which host.
//!
//! Ranks lie in blocks: of 8 ranks on 4 volumes the first two are on the first. They are processes in their order. A file of
//! the program is one file for all of them where their volumes are mounts of one file system.

use crate::host::Volume;
use crate::loaded::Loaded;
use crate::prepared::{Group, Work};
use petrio_units::numbers::as_number;
use petrio_workload::parallel::{Job, JobPlacement, RanksOnVolume};
use petrio_workload::program::{Placement, ProgramError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The ranks of a program on each of its volumes; `placement` is that of its first rank.
pub(super) fn on_volumes(
    loaded: &Loaded,
    job: &dyn Job,
    (volumes, targets): (&[Volume<'_>], &[u32]),
    placement: &Placement,
) -> Result<Vec<Group>, ProgramError> {
    let there = |rank: u32| targets[job.volume_of(rank, targets.len())] as usize;
    if targets.is_empty() || job.ranks() == 0 {
        return Ok(Vec::new());
    }
    let of_ranks: Vec<usize> = (0..job.ranks()).map(there).collect();
    let hosts: Vec<usize> = of_ranks.iter().map(|&volume| volumes[volume].host).collect();
    if job.exchanges() {
        check_joined(loaded, &hosts)?;
    }
    let file_systems = of_ranks.iter().map(|&volume| volumes[volume].mount).collect();
    let on_hosts = hosts.iter().map(|&host| as_number(host)).collect();
    let mounted = volumes[of_ranks[0]].mounted;
    let on = JobPlacement::new(placement.clone(), file_systems, on_hosts);
    let plan = Arc::new(job.plan_in(&loaded.inputs, &JobPlacement { mounted, ..on })?);
    let mut groups = Vec::new();
    let mut told = BTreeSet::new();
    let mut first = 0;
    for ranks in of_ranks.chunk_by(|a, b| a == b) {
        let (volume, end) = (ranks[0], first + as_number(ranks.len()));
        let share = RanksOnVolume::new(&plan, first..end, told.insert(volumes[volume].space));
        let placement = Placement {
            first_process: placement.first_process + first,
            file_system: volumes[volume].mount,
            ..placement.clone()
        };
        groups.push(Group { volume, work: Work::Programs(Box::new(share), placement) });
        first = end;
    }
    Ok(groups)
}

/// Several ranks need a library between them, that joins all of their hosts where these are several.
fn check_joined(loaded: &Loaded, hosts: &[usize]) -> Result<(), ProgramError> {
    if hosts.len() < 2 {
        return Ok(());
    }
    let names: Vec<&str> = loaded.hosts.names().collect();
    let library = |host: usize| loaded.hosts.message_library(host);
    let first = library(hosts[0]);
    let apart = hosts.iter().find(|&&host| library(host).is_none() || library(host) != first);
    apart.map_or(Ok(()), |&host| {
        let name = names.get(host).copied().unwrap_or_default();
        let problem = if hosts.iter().all(|other| other == &host) {
            format!(
                "nothing carries messages between its ranks on the host \"{name}\": add [mpi.NAME] and below it hosts = \
                 [\"{name}\"]; it needs no network"
            )
        } else {
            format!(
                "nothing carries messages between its ranks and those on the host \"{name}\": join all of its hosts with \
                 one [mpi.NAME] and hosts = …"
            )
        };
        Err(ProgramError::Parameter { parameter: "on", problem })
    })
}
