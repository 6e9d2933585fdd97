//! The pages of a BeeGFS: its clients, a metadata server for each file system with metadata, and what serves each storage target.

use super::PlacedBeegfs;
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::linux::mount::{Asks, Connections, MountPages, MountPoint};
use crate::site::HostSite;
use petrio_colours::FileId;
use petrio_models::Stage;
use petrio_models::cluster::FileServer;
use petrio_models::cluster::beegfs::{
    BeegfsClientPorts, BeegfsServer, Chooser, Holds, Names, Striping, beegfs_page,
};
use petrio_workload::program::PlannedFile;
use std::ops::Range;
use std::sync::Arc;

/// A BeeGFS while its pages are put into the net.
pub(super) struct BeegfsPages<'l> {
    beegfs: &'l PlacedBeegfs,
    linux: &'l PlacedLinux,
    /// Its volumes, by their numbers in the family.
    volumes: Range<usize>,
    striping: Arc<Striping>,
}

/// The number of a server.
fn number(position: usize) -> u16 {
    u16::try_from(position).unwrap_or(u16::MAX)
}

impl<'l> BeegfsPages<'l> {
    pub(super) fn of(
        beegfs: &'l PlacedBeegfs,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Result<Self, RunFailure> {
        let PlacedBeegfs { parameters, groups, metas, clients, .. } = beegfs;
        let striping = parameters.striping(groups.clone(), metas.len(), site.seed).map_err(|error| {
            let host = clients.first().map_or(0, |client| client.host);
            linux.hosts[host].refused(&error)
        })?;
        Ok(Self { beegfs, linux, volumes, striping: Arc::new(striping) })
    }

    /// What lies at a position: metadata servers come first.
    fn holds(&self, position: usize) -> Holds {
        match position.checked_sub(self.beegfs.metas.len()) {
            Some(target) => Holds::Target(number(target)),
            None => {
                let there = self.beegfs.metas[position];
                let host = &self.linux.hosts[self.linux.file_systems[there].host];
                let workers = self.beegfs.parameters.workers_of_meta(host.parameters.machine.processors);
                Holds::Meta(number(position), workers)
            }
        }
    }

    /// What all clients know of the files that are there when a run begins.
    fn names(&self, site: &HostSite<'_, '_>) -> Result<Names, RunFailure> {
        let mut names = Names::default();
        for volume in self.volumes.clone() {
            for file in site.foundation.files(volume)?.into_iter().filter(|file| file.present) {
                let PlannedFile { file, parent, is_directory, size, .. } = file;
                names.is_there(file, parent, (is_directory, size));
            }
        }
        Ok(names)
    }
}

impl MountPages for BeegfsPages<'_> {
    fn points(&self) -> &[MountPoint] {
        &self.beegfs.clients
    }

    fn asks(&self) -> Vec<Asks> {
        let asks = |(number, there): (usize, usize)| Asks {
            host: self.linux.file_systems[there].host,
            place: format!("{}-answers-{number}", self.beegfs.name),
            processes: 1,
        };
        self.beegfs.all_targets().enumerate().map(asks).collect()
    }

    fn figures(&self) -> Vec<u64> {
        let Striping { chunk, per_file, groups, chooser, metas, seed } = &*self.striping;
        let is_random = u64::from(*chooser == Chooser::Randomized);
        let own = [*chunk, u64::from(*per_file), is_random, u64::from(*metas), *seed];
        let groups = groups
            .iter()
            .flat_map(|group| [group.primary.into(), group.secondary.unwrap_or(u16::MAX).into()]);
        own.into_iter().chain(groups).collect()
    }

    /// Of a target the chunks that lie there, as one file. Of a metadata server the directories that it owns, and the entries in them:
    /// files without data, also for directories that others own.
    fn stored(&self, position: usize, file: &PlannedFile) -> Option<PlannedFile> {
        if !file.present {
            return None;
        }
        match self.holds(position) {
            Holds::Target(_) if file.is_directory => None,
            Holds::Target(target) => {
                let size = self.striping.stored(file.file, target, file.size)?;
                Some(PlannedFile { parent: FileId::ROOT, size, ..*file })
            }
            Holds::Meta(own, _) => {
                let has_entry = file.file != FileId::ROOT && self.striping.owner(file.parent) == own;
                if file.is_directory && self.striping.owner(file.file) == own {
                    let parent = if has_entry { file.parent } else { FileId::ROOT };
                    return Some(PlannedFile { parent, ..*file });
                }
                has_entry.then_some(PlannedFile { is_directory: false, size: 0, ..*file })
            }
        }
    }

    fn build(
        &self,
        site: &mut HostSite<'_, '_>,
        wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        let PlacedBeegfs { name, parameters, network, clients, .. } = self.beegfs;
        let (mut servers, mut storages) = (Vec::new(), Vec::new());
        let metas = self.beegfs.metas.len();
        for ((position, there), answers) in self.beegfs.all_targets().enumerate().zip(wires.answers) {
            let mounted = &self.linux.file_systems[there];
            let holds = self.holds(position);
            // A daemon a metadata server, and one for all targets of a host.
            let daemon = match holds {
                Holds::Meta(own, _) => usize::from(own),
                Holds::Target(_) => {
                    let known = storages.iter().position(|host| *host == mounted.host);
                    let at = known.unwrap_or_else(|| {
                        storages.push(mounted.host);
                        storages.len() - 1
                    });
                    metas + at
                }
            };
            let server = FileServer {
                name: mounted.name.clone(),
                port: wires.port(site.page, (*network, mounted.host), &format!("{name} server {position}")),
                host: wires.position(mounted.host),
                file_system: mounted.mount,
                process: answers.processes.start,
                operations: wires.asked(mounted.host),
                completions: answers.place,
            };
            servers.push(BeegfsServer { holds, daemon: number(daemon), server });
        }
        let mut of_clients = Vec::new();
        for client in clients {
            of_clients.push(BeegfsClientPorts {
                name: &client.name,
                port: wires.port(site.page, (*network, client.host), name),
                host: wires.position(client.host),
                machine: &self.linux.hosts[client.host].parameters.machine,
                operations: wires.calls(client),
                completions: site.completions,
            });
        }
        let is = (parameters, &self.striping, self.names(site)?);
        let both = (&of_clients[..], &servers[..]);
        let built = beegfs_page(site.page, name, is, both, wires.processors);
        let (stages, places) = built.map_err(|error| {
            let host = clients.first().map_or(0, |client| client.host);
            self.linux.hosts[host].refused(&error)
        })?;
        let clients = clients.iter().map(|client| client.name.clone());
        let servers = servers.iter().map(|own| own.server.name.clone());
        site.of_beegfs.extend(clients.chain(servers).zip(places));
        Ok(stages)
    }
}
