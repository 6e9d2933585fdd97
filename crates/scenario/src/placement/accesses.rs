//! Who listens to a run and notes which host touched which partition of a file service's files.

use super::{Access, Guided, PlacementError, profile_guided, share_named};
use crate::build::file_tables;
use crate::loaded::Loaded;
use crate::report::{ReportError, RequestSink};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_kernel::Time;
use petrio_models::cluster::share::Placement;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A file service, as its accesses are told apart.
#[derive(Debug)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// Bytes of a partition.
    pub partition: u64,
    /// The names of its servers.
    pub servers: Vec<String>,
    /// Their hosts.
    hosts: Vec<usize>,
    /// Of each host that mounts it, the mount's number there.
    mounts: BTreeMap<usize, u32>,
    /// The host of each process.
    of_processes: Vec<usize>,
    /// The names of its files.
    names: BTreeMap<FileId, String>,
    placement: Placement,
}

impl Service {
    /// That of a scenario by its name, or the only one.
    ///
    /// # Errors
    /// None of that name, or several; files that can't be planned.
    pub fn of(loaded: &Loaded, name: Option<&str>) -> Result<Self, PlacementError> {
        let share = share_named(loaded, name)?;
        let (tables, of_processes) = file_tables(loaded)?;
        let (mut mounts, mut names) = (BTreeMap::new(), BTreeMap::new());
        for (volume, table) in loaded.hosts.volumes().zip(&tables) {
            if share.clients.iter().any(|client| client.name == volume.name) {
                mounts.insert(volume.host, volume.mount);
                let files = table.entries().iter().filter(|entry| !entry.is_directory);
                names.extend(files.filter_map(|entry| Some((entry.file, table.path(entry.file)?))));
            }
        }
        let host_of =
            |name: &str| loaded.hosts.volumes().find(|volume| volume.name == name).map(|volume| volume.host);
        let linux = &loaded.hosts.linux;
        let servers: Vec<String> =
            share.servers.iter().map(|&there| linux.file_systems[there].name.clone()).collect();
        let hosts = servers.iter().map(|name| host_of(name).unwrap_or(usize::MAX)).collect();
        // Linux hosts are counted first.
        let volumes = linux.volumes_of(&share.name).unwrap_or_default();
        let (placement, _) = share.placement_of(tables.get(volumes).unwrap_or_default());
        Ok(Self {
            name: share.name.clone(),
            partition: share.parameters.partition.get(),
            servers,
            hosts,
            mounts,
            of_processes,
            names,
            placement,
        })
    }

    /// Where partitions lie best, by who touched them.
    pub fn guided(&self, accesses: &Accesses) -> Guided {
        let sums = accesses.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let named = |(&(file, partition, host), &bytes): (&(FileId, u64, usize), &u64)| {
            Some(Access { file: self.names.get(&file)?.clone(), partition, host, bytes })
        };
        let by_name: BTreeMap<&str, FileId> =
            self.names.iter().map(|(&file, name)| (name.as_str(), file)).collect();
        let now = |name: &str, partition: u64| {
            by_name.get(name).map_or(0, |&file| self.placement.server(file, partition))
        };
        profile_guided(sums.iter().filter_map(named), &self.hosts, now)
    }
}

/// Bytes by file, partition and host.
type Sums = BTreeMap<(FileId, u64, usize), u64>;

/// What each host touched of each partition. Clones note into one.
#[derive(Clone, Debug)]
pub struct Accesses {
    service: Arc<Service>,
    sums: Arc<Mutex<Sums>>,
}

impl Accesses {
    /// Nothing so far.
    pub fn of(service: &Arc<Service>) -> Self {
        Self { service: Arc::clone(service), sums: Arc::default() }
    }
}

impl RequestSink<FileOp> for Accesses {
    fn completed(&mut self, op: &FileOp, _: Time) -> Result<(), ReportError> {
        if !matches!(op.operation, Operation::Read | Operation::Write) || op.status.failure().is_some() {
            return Ok(());
        }
        let Service { partition, mounts, of_processes, .. } = &*self.service;
        let host = of_processes.get(op.process as usize).copied().unwrap_or(usize::MAX);
        if mounts.get(&host) != Some(&op.file_system) {
            return Ok(());
        }
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = op.offset;
        while at < op.end() {
            let number = at / partition;
            let next = (number + 1).saturating_mul(*partition).min(op.end());
            *sums.entry((op.file, number, host)).or_default() += next - at;
            at = next;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}
