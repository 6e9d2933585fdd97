//! The pages of file services, and what lies on each server of the files of others.

use super::{PlacedShare, ProfileLine};
use crate::build::{HostSite, file_tables};
use crate::host::linux::place::PlacedLinux;
use crate::host::linux::pvfs::PvfsMount;
use crate::host::linux::shared::Ends;
use crate::loaded::Loaded;
use crate::run::RunFailure;
use petrio_colours::{FileId, FileOp};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::cluster::share::{OwnHost, Placement, ShareClient, ShareServer, share_page};
use petrio_models::network::Network;
use petrio_models::processor::Processors;
use petrio_workload::program::PlannedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Where a host answers somebody who asks it as a process, or as several.
#[derive(Clone, Debug)]
pub(in crate::host::linux) struct Answers {
    /// The numbers of these processes.
    pub(in crate::host::linux) processes: Range<u32>,
    pub(in crate::host::linux) place: Place<FileOp>,
}

/// Who asks hosts for a file service: each of its servers, and each of its clients whose own host is a server.
pub(in crate::host::linux) struct SharePorts {
    servers: Vec<Answers>,
    clients: Vec<Option<Answers>>,
}

impl PlacedShare {
    /// Whether one of its servers is on a host.
    fn is_on(&self, linux: &PlacedLinux, host: usize) -> bool {
        self.servers.iter().any(|&there| linux.file_systems[there].host == host)
    }

    /// Who asks hosts for it; the processes are numbered from `next` on, and clients ask for as many as there are.
    pub(in crate::host::linux) fn ports(
        &self,
        linux: &PlacedLinux,
        page: &mut PageBuilder<'_>,
        (next, programs): (&mut u32, u32),
    ) -> SharePorts {
        let mut take = |count: u32| {
            let first = *next;
            *next = next.saturating_add(count);
            first..*next
        };
        let mut answers = |name: String, count: u32| Answers {
            processes: take(count),
            place: page.fifo(&format!("{name}-answers")),
        };
        let servers = (0..self.servers.len()).map(|number| answers(format!("{}-{number}", self.name), 1));
        let servers = servers.collect();
        let own = self.clients.iter().map(|client| {
            self.is_on(linux, client.host).then(|| answers(client.name.clone(), programs.max(1)))
        });
        SharePorts { servers, clients: own.collect() }
    }

    /// The hosts that are asked, and where they answer.
    pub(in crate::host::linux) fn answers<'s>(
        &'s self,
        linux: &'s PlacedLinux,
        ports: &'s SharePorts,
    ) -> impl Iterator<Item = (usize, Answers)> + 's {
        let of_servers = self.servers.iter().map(|&there| linux.file_systems[there].host);
        let of_servers = of_servers.zip(ports.servers.iter().cloned());
        let of_clients = self.clients.iter().zip(&ports.clients);
        of_servers.chain(of_clients.filter_map(|(client, own)| Some((client.host, own.clone()?))))
    }

    /// What differs between layouts of its files, as numbers.
    pub(in crate::host::linux) fn figures(&self) -> impl Iterator<Item = u64> {
        let rule = self.placement.rule() as u64;
        let common = [rule, self.parameters.partition.get(), self.servers.len() as u64];
        let lines = self.profile.iter().flat_map(|ProfileLine { file, partition, server }| {
            file.bytes().map(u64::from).chain([*partition, (*server).into()])
        });
        common.into_iter().chain(lines)
    }

    fn placement(&self, files: &BTreeMap<String, Vec<FileId>>) -> (Placement, Option<String>) {
        let servers = self.servers.len() as u32;
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

impl PlacedLinux {
    /// How many volumes come before those of file services.
    pub(in crate::host::linux) fn first_of_shares(&self) -> usize {
        self.file_systems.len() + self.pvfs.iter().map(|pvfs| pvfs.clients.len()).sum::<usize>()
    }

    /// Where the partitions of each file service lie, with a warning of what its profile names that isn't there. The
    /// first of the family's volumes has this number.
    pub(crate) fn placements_of(
        &self,
        loaded: &Loaded,
        first_volume: usize,
    ) -> Result<Vec<(Placement, Option<String>)>, RunFailure> {
        let needs_names = self.shares.iter().any(|share| !share.profile.is_empty());
        let tables = if needs_names { file_tables(loaded)?.0 } else { Vec::new() };
        let mut first = first_volume + self.first_of_shares();
        let mut placements = Vec::new();
        for share in &self.shares {
            let own = tables.get(first..first + share.clients.len()).unwrap_or_default();
            first += share.clients.len();
            let mut files: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
            for table in own {
                for entry in table.entries().iter().filter(|entry| !entry.is_directory) {
                    let name = table.path(entry.file).unwrap_or_default();
                    files.entry(name).or_default().push(entry.file);
                }
            }
            placements.push(share.placement(&files));
        }
        Ok(placements)
    }

    /// The pages of the file services.
    pub(in crate::host::linux) fn share_pages(
        &self,
        site: &mut HostSite<'_, '_>,
        (ports, placements): (&[SharePorts], &[Arc<Placement>]),
        calls: &BTreeMap<(usize, u32), Place<FileOp>>,
        (position, ends): (&BTreeMap<usize, usize>, &[Ends]),
        (networks, processors): (&mut [Network], &mut [Processors]),
    ) -> Result<Vec<Stage>, RunFailure> {
        let mut stages = Vec::new();
        let mut first = self.first_of_shares();
        for ((share, ports), placement) in self.shares.iter().zip(ports).zip(placements) {
            let numbers: BTreeMap<usize, u32> =
                self.networks[share.network].hosts.iter().copied().zip(0..).collect();
            let network = &mut networks[share.network];
            let mut port = |page: &mut PageBuilder<'_>, host: usize, service: &str| {
                network.port(page, numbers.get(&host).copied().unwrap_or(0), service)
            };
            let mut servers = Vec::new();
            for ((number, &there), answers) in share.servers.iter().enumerate().zip(&ports.servers) {
                let mounted = &self.file_systems[there];
                let host = position[&mounted.host];
                servers.push(ShareServer {
                    name: &mounted.name,
                    port: port(site.page, mounted.host, &format!("{} server {number}", share.name)),
                    host,
                    file_system: mounted.mount,
                    process: answers.processes.start,
                    operations: ends[host].asked,
                    completions: answers.place,
                });
            }
            let mut clients = Vec::new();
            for (&PvfsMount { ref name, host, mount }, own) in share.clients.iter().zip(&ports.clients) {
                let at = position[&host];
                clients.push(ShareClient {
                    name,
                    port: port(site.page, host, &share.name),
                    host: at,
                    machine: &self.hosts[host].parameters.machine,
                    operations: calls[&(host, mount)],
                    completions: site.completions,
                    own_host: own.as_ref().map(|own| OwnHost {
                        first_process: own.processes.start,
                        operations: ends[at].asked,
                        completions: own.place,
                    }),
                });
            }
            let mut directories = BTreeSet::new();
            if share.servers.len() > 1 {
                for volume in first..first + share.clients.len() {
                    let files = site.files(volume)?;
                    directories.extend(files.iter().filter(|file| file.is_directory).map(|file| file.file));
                }
            }
            first += share.clients.len();
            let place = (Arc::clone(placement), directories);
            let built = share_page(
                site.page,
                &share.name,
                &share.parameters,
                place,
                (&clients, &servers),
                processors,
            );
            stages.extend(built.map_err(|error| {
                let host = share.clients.first().map_or(0, |client| client.host);
                RunFailure::Host { host: self.hosts[host].name.clone(), message: error.to_string() }
            })?);
        }
        Ok(stages)
    }
}

/// What lies of a file on a server: its partitions there, and on the first the tree of names.
pub(in crate::host::linux) fn share_of(
    placement: &Placement,
    server: u32,
    file: &PlannedFile,
) -> Option<PlannedFile> {
    if file.is_directory {
        return (file.present && server == 0).then_some(*file);
    }
    let is_home = placement.home(file.file) == server;
    let size = placement.below(file.file, server, file.size);
    let parent = if is_home && server == 0 { file.parent } else { FileId::ROOT };
    (file.present && (is_home || size > 0)).then_some(PlannedFile { parent, size, ..*file })
}
