//! The pages of file services, and what lies on each server of the files of others.

use super::{PlacedShare, ProfileLine};
use crate::claim::Claim;
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::linux::mount::{Asks, Connections, MountPages, MountPoint};
use crate::site::HostSite;
use petrio_colours::FileId;
use petrio_models::Stage;
use petrio_models::cluster::FileServer;
use petrio_models::cluster::share::{OwnHost, Placement, ShareClient, share_page};
use petrio_units::numbers::as_number;
use petrio_workload::program::{FileTable, PlannedFile};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A file service while its pages are put into the net.
pub(super) struct SharePages<'l> {
    share: &'l PlacedShare,
    /// Its volumes, by their numbers in the family.
    volumes: Range<usize>,
    placement: Arc<Placement>,
    /// The hosts of its servers.
    hosts: Vec<usize>,
    /// How many processes there are: as so many a client asks its own host, where that is a server.
    programs: u32,
}

impl PlacedShare {
    /// Where its partitions lie, with a warning of what its profile names that isn't among the files of its volumes.
    pub(crate) fn placement_of(&self, tables: &[FileTable]) -> (Placement, Option<String>) {
        let mut files: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
        for table in tables {
            for entry in table.entries().iter().filter(|entry| !entry.is_directory) {
                let name = table.path(entry.file).unwrap_or_default();
                files.entry(name).or_default().push(entry.file);
            }
        }
        let servers = as_number(self.servers.len());
        let placement = Placement::new(self.placement.rule(), self.parameters.partition.get(), servers);
        let mut moved = Vec::new();
        let mut unknown: BTreeSet<&str> = BTreeSet::new();
        for ProfileLine { file, partition, server } in self.profile.iter() {
            match files.get(file) {
                Some(of_name) => moved.extend(of_name.iter().map(|&file| (file, *partition, *server))),
                None => drop(unknown.insert(file)),
            }
        }
        let warning = unknown.first().map(|first| {
            let count = petrio_page::numbers::counted(unknown.len() as u64, "file", "files");
            format!(
                "the profile of \"{}\" names {count} that no workload has, such as \"{first}\": they move nothing",
                self.name
            )
        });
        (placement.with_profile(moved), warning)
    }
}

impl<'l> SharePages<'l> {
    pub(super) fn of(
        share: &'l PlacedShare,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Result<Self, RunFailure> {
        let tables = match share.profile.is_empty() {
            true => Vec::new(),
            false => site.foundation.tables(volumes.clone())?,
        };
        let (placement, warning) = share.placement_of(&tables);
        site.warnings.extend(warning.map(|words| Claim::Placement.says(words)));
        let hosts = share.servers.iter().map(|&there| linux.file_systems[there].host).collect();
        let programs = site.foundation.processes().max(1);
        Ok(Self { share, volumes, placement: Arc::new(placement), hosts, programs })
    }

    /// The clients whose own hosts are servers.
    fn is_own(&self, client: &MountPoint) -> bool {
        self.hosts.contains(&client.host)
    }
}

impl MountPages for SharePages<'_> {
    fn points(&self) -> &[MountPoint] {
        &self.share.clients
    }

    /// Each of its servers, and each of its clients whose own host is a server.
    fn asks(&self) -> Vec<Asks> {
        let name = &self.share.name;
        let servers = self.hosts.iter().enumerate().map(|(number, &host)| Asks {
            host,
            place: format!("{name}-{number}-answers"),
            processes: 1,
        });
        let clients = self.share.clients.iter().filter(|client| self.is_own(client)).map(|client| Asks {
            host: client.host,
            place: format!("{}-answers", client.name),
            processes: self.programs,
        });
        servers.chain(clients).collect()
    }

    fn figures(&self) -> Vec<u64> {
        let PlacedShare { placement, parameters, servers, profile, .. } = self.share;
        let common = [placement.rule() as u64, parameters.partition.get(), servers.len() as u64];
        let lines = profile.iter().flat_map(|ProfileLine { file, partition, server }| {
            file.bytes().map(u64::from).chain([*partition, (*server).into()])
        });
        common.into_iter().chain(lines).collect()
    }

    /// Its partitions there, and on the first the tree of names.
    fn stored(&self, position: usize, file: &PlannedFile) -> Option<PlannedFile> {
        let server = as_number(position);
        if file.is_directory {
            return (file.present && server == 0).then_some(*file);
        }
        let is_home = self.placement.home(file.file) == server;
        let size = self.placement.below(file.file, server, file.size);
        let parent = if is_home && server == 0 { file.parent } else { FileId::ROOT };
        (file.present && (is_home || size > 0)).then_some(PlannedFile { parent, size, ..*file })
    }

    fn build(
        &self,
        site: &mut HostSite<'_, '_>,
        wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        let PlacedShare { name, parameters, network, servers, clients, .. } = self.share;
        let linux = wires.linux;
        let mut answers = wires.answers.iter();
        let mut of_servers = Vec::new();
        for ((number, &there), answers) in servers.iter().enumerate().zip(answers.by_ref()) {
            let mounted = &linux.file_systems[there];
            of_servers.push(FileServer {
                name: mounted.name.clone(),
                port: wires.port(site.page, (*network, mounted.host), &format!("{name} server {number}")),
                host: wires.position(mounted.host),
                file_system: mounted.mount,
                process: answers.processes.start,
                operations: wires.asked(mounted.host),
                completions: answers.place,
            });
        }
        let mut of_clients = Vec::new();
        for client in clients {
            let own_host = self.is_own(client).then(|| answers.next()).flatten();
            of_clients.push(ShareClient {
                name: &client.name,
                port: wires.port(site.page, (*network, client.host), name),
                host: wires.position(client.host),
                machine: &linux.hosts[client.host].parameters.machine,
                operations: wires.calls(client),
                completions: site.completions,
                own_host: own_host.map(|own| OwnHost {
                    first_process: own.processes.start,
                    operations: wires.asked(client.host),
                    completions: own.place,
                }),
            });
        }
        let mut directories = BTreeSet::new();
        if servers.len() > 1 {
            for volume in self.volumes.clone() {
                let files = site.foundation.files(volume)?;
                directories.extend(files.iter().filter(|file| file.is_directory).map(|file| file.file));
            }
        }
        let place = (Arc::clone(&self.placement), directories);
        let both = (&of_clients[..], &of_servers[..]);
        share_page(site.page, name, parameters, place, both, wires.processors).map_err(|error| {
            let host = clients.first().map_or(0, |client| client.host);
            linux.hosts[host].refused(&error)
        })
    }
}
