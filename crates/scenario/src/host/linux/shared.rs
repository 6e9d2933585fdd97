//! The pages of what hosts share: networks, the file systems on them, and how programs and servers of one host
//! are told apart.
//!
//! ```text
//!  programs ─▶ to own or parallel file systems ─┬─▶ host ─▶ completions of programs or of servers
//!                                               ├─▶ client ⋯ network ⋯ server ─▶ host
//!                                               └─▶ messages ⋯ network ⋯ messages of other hosts
//! ```

use super::place::PlacedLinux;
use super::pvfs::{PlacedPvfs, PvfsMount};
use super::san::SanMount;
use super::share::{Answers, SharePorts};
use crate::build::{HostSite, UnheldLink};
use crate::claim::Claim;
use crate::run::RunFailure;
use petrio_colours::{FileOp, Operation};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_models::Stage;
use petrio_models::cluster::mpi::{Directory, MpiHost, mpi_page};
use petrio_models::cluster::pvfs::{PvfsClient, PvfsServer, pvfs_page};
use petrio_models::cluster::share::Placement;
use petrio_models::host::OpenHost;
use petrio_models::network::{Network, Port, Writers};
use petrio_models::processor::Processors;
use petrio_workload::program::PlannedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The processes of servers are numbered from here on: those of programs lie below.
const SERVERS: u32 = 1 << 29;
/// And up to here: above are those of programs that send block requests.
const LAST_SERVER: u32 = 1 << 30;
/// Numbers that are free for files that programs make during a run, before those of the manager's own files begin.
const ROOM_FOR_NEW_FILES: u32 = 1 << 20;
/// Bytes of a server's database: a page of it is written at a time.
const DATABASE_BYTES: u64 = 1 << 20;
/// Bytes of a manager's file about a file (PVFS 1: its `fmeta`).
const METADATA_BYTES: u64 = 136;

/// A host's end of what it shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Where servers on it ask it.
    pub(super) asked: Place<FileOp>,
    /// Where its own file systems put what is complete.
    pub(super) completions: Place<FileOp>,
}

/// What hosts share, while the net is built.
pub(super) struct Shared<'l> {
    linux: &'l PlacedLinux,
    /// The servers of each host, and others that ask it, by their processes: where what they ask is complete.
    answers: BTreeMap<usize, Vec<Answers>>,
    /// The calls of each mount of what hosts share, by its host and its number there.
    calls: BTreeMap<(usize, u32), Place<FileOp>>,
    /// Where the exchanges of each host's processes go, where anything carries them.
    exchanges: BTreeMap<usize, Place<FileOp>>,
    /// The hosts that have processors which others use.
    open: BTreeSet<usize>,
    /// Who asks hosts for file services, and where these have their partitions.
    shares: Vec<SharePorts>,
    placements: Vec<Arc<Placement>>,
}

/// What a shared file system's page is connected to, while it is built.
pub(super) struct Wires<'s> {
    linux: &'s PlacedLinux,
    pub(super) networks: &'s mut [Network],
    /// Of each host whose processors others use, its number among these.
    pub(super) position: &'s BTreeMap<usize, usize>,
    pub(super) processors: &'s mut [Processors],
    /// The calls of each mount, by its host and its number there.
    pub(super) calls: &'s BTreeMap<(usize, u32), Place<FileOp>>,
}

impl Wires<'_> {
    /// A port of a host on a network.
    pub(super) fn port(
        &mut self,
        page: &mut PageBuilder<'_>,
        (network, host): (usize, usize),
        service: &str,
    ) -> Port {
        let there = self.linux.networks[network].hosts.iter().position(|&own| own == host);
        self.networks[network].port(page, there.unwrap_or(0) as u32, service)
    }
}

/// A server of a parallel file system, or its manager: its number among them, and the file system that it keeps files on.
fn servers_of(pvfs: &PlacedPvfs) -> impl Iterator<Item = (usize, usize)> {
    pvfs.servers.iter().copied().chain([pvfs.manager]).enumerate()
}

impl<'l> Shared<'l> {
    /// Places for all of it.
    pub(super) fn new(linux: &'l PlacedLinux, site: &mut HostSite<'_, '_>) -> Result<Self, RunFailure> {
        site.warnings.extend(linux.without_effect());
        site.warnings.extend(linux.schedulers_of_other_kernels());
        let mut placements = Vec::new();
        for (placement, warning) in linux.placements_of(site.loaded, site.first_volume)? {
            site.warnings.extend(warning.map(|words| Claim::Placement.says(words)));
            placements.push(Arc::new(placement));
        }
        let programs = if linux.shares.is_empty() { 0 } else { site.processes() };
        let page = &mut *site.page;
        let (mut answers, mut calls): (BTreeMap<usize, Vec<_>>, BTreeMap<_, _>) = Default::default();
        let mut open: BTreeSet<usize> =
            linux.networks.iter().flat_map(|network| network.hosts.clone()).collect();
        let mut process = SERVERS;
        for pvfs in &linux.pvfs {
            for (number, there) in servers_of(pvfs) {
                let host = linux.file_systems[there].host;
                let place = page.fifo(&format!("{}-answers-{number}", pvfs.name));
                answers.entry(host).or_default().push(Answers { processes: process..process + 1, place });
                open.insert(host);
                process += 1;
            }
            for PvfsMount { name, host, mount } in &pvfs.clients {
                calls.insert((*host, *mount), page.fifo(&format!("{name}-calls")));
                open.insert(*host);
            }
        }
        let mut exchanges = BTreeMap::new();
        for mpi in &linux.mpi {
            for &host in &mpi.hosts {
                let name = format!("{}-{}-exchanges", mpi.name, linux.hosts[host].name);
                exchanges.insert(host, page.fifo(&name));
                open.insert(host);
            }
        }
        let mut shares = Vec::new();
        for share in &linux.shares {
            let ports = share.ports(linux, page, (&mut process, programs));
            for (host, asked) in share.answers(linux, &ports) {
                answers.entry(host).or_default().push(asked);
                open.insert(host);
            }
            for PvfsMount { name, host, mount } in &share.clients {
                calls.insert((*host, *mount), page.fifo(&format!("{name}-calls")));
                open.insert(*host);
            }
            shares.push(ports);
        }
        for san in &linux.san {
            for SanMount { name, host, mount } in &san.clients {
                calls.insert((*host, *mount), page.fifo(&format!("{name}-calls")));
            }
        }
        if process > LAST_SERVER {
            let host = linux.hosts.first().map_or_else(String::new, |host| host.name.clone());
            let message = format!(
                "{programs} processes are more than can be told apart on hosts that serve each other"
            );
            return Err(RunFailure::Host { host, message });
        }
        Ok(Self { linux, answers, calls, exchanges, open, shares, placements })
    }

    /// Where the partitions of each file service lie.
    pub(super) fn placements(&self) -> &[Arc<Placement>] {
        &self.placements
    }

    /// Whether others use a host's processors.
    pub(super) fn is_open(&self, host: usize) -> bool {
        self.open.contains(&host)
    }

    /// A number that tells how the files of what hosts share lie on a file system; none where they don't.
    pub(super) fn lodgers(&self, there: usize) -> u64 {
        let mut told = 0u64;
        for (number, pvfs) in self.linux.pvfs.iter().enumerate() {
            let positions =
                servers_of(pvfs).filter(|&(_, own)| own == there).map(|(position, _)| position as u64 + 1);
            let striping = pvfs.striping;
            for position in positions {
                let figures = [
                    number as u64,
                    position,
                    striping.unit,
                    striping.servers.into(),
                    striping.per_file.into(),
                ];
                told = figures.into_iter().fold(told, with_figure);
            }
        }
        for (number, share) in self.linux.shares.iter().enumerate() {
            for position in (0..share.servers.len()).filter(|&position| share.servers[position] == there) {
                let own = [number as u64, position as u64 + 1].into_iter().chain(share.figures());
                told = own.fold(told, with_figure);
            }
        }
        told
    }

    /// The page that tells a host's operations apart, where programs and servers ask it: where its own file systems find
    /// theirs, and put what is complete.
    pub(super) fn ends(&self, site: &mut HostSite<'_, '_>, host: usize, operations: Place<FileOp>) -> Ends {
        let name = &self.linux.hosts[host].name;
        let asked = site.entrance().unwrap_or(operations);
        let calls: Vec<(u32, Place<FileOp>)> = self
            .calls
            .range((host, 0)..=(host, u32::MAX))
            .map(|(&(_, mount), &place)| (mount, place))
            .collect();
        let answers = self.answers.get(&host).map(Vec::as_slice).unwrap_or_default();
        let exchanges = self.exchanges.get(&host).copied();
        if !calls.is_empty() || exchanges.is_some() {
            let arrivals = site.page.fifo(&format!("{name}-arrivals-of-all"));
            let mut page = site.page.page(&format!("{name}-mounts"));
            let mut route = page.transition("route");
            let op = route.take(arrivals);
            let own = route.may_put(asked, 1);
            let calls: Vec<_> =
                calls.iter().map(|&(mount, place)| (mount, route.may_put(place, 1))).collect();
            let exchange = exchanges.map(|place| route.may_put(place, 1));
            route.action(move |f| {
                let op: FileOp = f.take(op);
                if let (Operation::Exchange, Some(exchange)) = (op.operation, exchange) {
                    f.put(exchange, op);
                    return;
                }
                let call = calls.iter().find(|(mount, _)| *mount == op.file_system);
                f.put(call.map_or(own, |&(_, call)| call), op);
            });
            site.enter_at(arrivals);
        }
        let of_programs = site.completions;
        if answers.is_empty() {
            return Ends { asked, completions: of_programs };
        }
        let completions = site.page.fifo(&format!("{name}-completions"));
        let mut page = site.page.page(&format!("{name}-servers"));
        let mut sort = page.transition("sort");
        let op = sort.take(completions);
        let programs = sort.may_put(of_programs, 1);
        let answers: Vec<_> =
            (answers.iter()).map(|asked| (asked.processes.clone(), sort.may_put(asked.place, 1))).collect();
        sort.action(move |f| {
            let op: FileOp = f.take(op);
            let server = answers.iter().find(|(processes, _)| processes.contains(&op.process));
            f.put(server.map_or(programs, |(_, server)| *server), op);
        });
        Ends { asked, completions }
    }

    /// Builds the pages of networks and parallel file systems, and finishes the hosts' processors. `hosts` are those that
    /// are [open](Self::is_open), in the order of their numbers, each with its ends.
    pub(super) fn finish(
        self,
        site: &mut HostSite<'_, '_>,
        hosts: Vec<(usize, OpenHost, Ends)>,
    ) -> Result<(), RunFailure> {
        let linux = self.linux;
        let position: BTreeMap<usize, usize> =
            hosts.iter().enumerate().map(|(position, (host, ..))| (*host, position)).collect();
        let ends: Vec<Ends> = hosts.iter().map(|(_, _, ends)| *ends).collect();
        let mut processors = Vec::with_capacity(hosts.len());
        let mut rests = Vec::with_capacity(hosts.len());
        for (_, host, _) in hosts {
            let (own, rest) = host.apart();
            processors.push(own);
            rests.push(rest);
        }
        let mut networks: Vec<Network> = Vec::new();
        for network in &linux.networks {
            if network.is_of_nodes {
                // It is in the net already, with what lies on its nodes; this one only keeps the numbers of the others.
                let (name, wiring) = (format!("{}-hosts", network.name), Arc::clone(&network.wiring));
                networks.push(Network::new(site.page, &name, &network.parameters, wiring, &[]));
                continue;
            }
            let hosts = network.hosts.iter().map(|&host| linux.hosts[host].name.as_str());
            let names: Vec<&str> = hosts.chain(network.targets.iter().map(String::as_str)).collect();
            let wiring = Arc::clone(&network.wiring);
            let mut built = Network::new(site.page, &network.name, &network.parameters, wiring, &names);
            for (number, traffic) in network.traffic.iter().enumerate() {
                let hosts = (&traffic.from[..], &traffic.to[..]);
                built.traffic(site.page, &format!("traffic{number}"), hosts, &traffic.parameters);
            }
            networks.push(built);
        }
        let metadata = self.first_of_metadata(site)?;
        let mut process = SERVERS;
        let mut stages: Vec<Stage> = Vec::new();
        for pvfs in &linux.pvfs {
            let on = &linux.networks[pvfs.network];
            let numbers: BTreeMap<usize, u32> = on.hosts.iter().copied().zip(0..).collect();
            let number_of = |host: usize| numbers.get(&host).copied().unwrap_or(0);
            let network = &mut networks[pvfs.network];
            let writers = on.parameters.transport.is_one_sided().then(|| {
                let servers = servers_of(pvfs).map(|(_, there)| linux.file_systems[there].host);
                let hosts =
                    servers.chain(pvfs.clients.iter().map(|client| client.host)).map(number_of).collect();
                Writers::new(network, site.page, &pvfs.name, &hosts, pvfs.parameters.eager)
            });
            let mut port = |page: &mut PageBuilder<'_>, host: usize, service: &str| match &writers {
                Some(writers) => writers.port(network, page, number_of(host), service),
                None => network.port(page, number_of(host), service),
            };
            let mut servers = Vec::new();
            for (number, there) in servers_of(pvfs) {
                let mounted = &linux.file_systems[there];
                let is_manager = number == pvfs.servers.len();
                let answers = self.answers[&mounted.host].iter().find(|own| own.processes.start == process);
                let service = if is_manager { "manager".to_owned() } else { format!("server {number}") };
                let service = format!("{} {service}", pvfs.name);
                servers.push(PvfsServer {
                    name: if is_manager { "manager".to_owned() } else { mounted.name.clone() },
                    port: port(site.page, mounted.host, &service),
                    host: position[&mounted.host],
                    file_system: mounted.mount,
                    process,
                    operations: ends[position[&mounted.host]].asked,
                    completions: answers.map_or(site.completions, |asked| asked.place),
                });
                process += 1;
            }
            let Some(manager) = servers.pop() else { continue };
            let mut clients = Vec::new();
            for &PvfsMount { ref name, host, mount } in &pvfs.clients {
                clients.push(PvfsClient {
                    name,
                    port: port(site.page, host, &pvfs.name),
                    host: position[&host],
                    operations: self.calls[&(host, mount)],
                    completions: site.completions,
                });
            }
            let all = (&clients[..], &servers[..], &manager);
            let built = pvfs_page(
                site.page,
                &pvfs.name,
                &pvfs.parameters,
                pvfs.striping,
                metadata,
                all,
                &mut processors,
            );
            stages.extend(built);
        }
        let runs_on = site.hosts_of_processes();
        for mpi in &linux.mpi {
            let on = mpi.network.map_or(&[][..], |network| &linux.networks[network].hosts[..]);
            let numbers: BTreeMap<usize, u32> = on.iter().copied().zip(0..).collect();
            let parameters = mpi.network.map(|network| &linux.networks[network].parameters);
            let one_sided = parameters.filter(|parameters| parameters.transport.is_one_sided());
            let atomic = one_sided.map_or(Time::ZERO, |parameters| parameters.atomic().time());
            let mut joined = Vec::new();
            for &host in &mpi.hosts {
                let number = numbers.get(&host).copied().unwrap_or(0);
                joined.push(MpiHost {
                    name: &linux.hosts[host].name,
                    port: match mpi.network {
                        Some(network) => networks[network].port(site.page, number, &mpi.name),
                        None => Port::of_one_host(site.page, &mpi.name),
                    },
                    adapter: mpi.network.filter(|_| one_sided.is_some()).map(|network| {
                        networks[network].port(site.page, number, &format!("{}'s memory", mpi.name))
                    }),
                    host: position[&host],
                    operations: self.exchanges[&host],
                    completions: site.completions,
                });
            }
            let there: BTreeMap<usize, u32> = mpi.hosts.iter().copied().zip(0..).collect();
            let directory = Directory::new(runs_on.iter().map(|host| there.get(host).copied()));
            let library = (&mpi.parameters, atomic);
            let (_, adapters) = mpi_page(site.page, &mpi.name, library, &directory, &joined, &mut processors);
            stages.extend(adapters);
        }
        let of_shares = (&self.shares[..], &self.placements[..]);
        let hosts = (&position, &ends[..]);
        let ports = (&mut networks[..], &mut processors[..]);
        stages.extend(linux.share_pages(site, of_shares, &self.calls, hosts, ports)?);
        let mut wires = Wires {
            linux,
            networks: &mut networks,
            position: &position,
            processors: &mut processors,
            calls: &self.calls,
        };
        for san in &linux.san {
            stages.extend(linux.build_san(site, san, &mut wires)?);
        }
        for (network, placed) in networks.into_iter().zip(&linux.networks) {
            if placed.is_of_nodes {
                continue;
            }
            let by_number: Vec<usize> = placed.hosts.iter().map(|host| position[host]).collect();
            site.unheld.extend(network.unheld().map(|(host, busy)| UnheldLink {
                network: placed.name.clone(),
                host: host.to_owned(),
                busy,
            }));
            stages.extend(network.finish(site.page, &mut processors, &by_number));
        }
        for (rest, processors) in rests.into_iter().zip(processors) {
            site.stages.extend(rest.finish(site.page, processors));
        }
        site.stages.append(&mut stages);
        Ok(())
    }

    /// By how much the numbers of the manager's files are higher than those of the files that they are about.
    pub(super) fn first_of_metadata(&self, site: &HostSite<'_, '_>) -> Result<u32, RunFailure> {
        if self.linux.pvfs.is_empty() {
            return Ok(0);
        }
        Ok(site.next_file()?.saturating_add(ROOM_FOR_NEW_FILES))
    }
}

/// A number that tells what another told, and a figure.
fn with_figure(told: u64, figure: u64) -> u64 {
    (told.rotate_left(7) ^ figure).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// What lies of a parallel file system's file on a server: its share of the stripes.
pub(super) fn share(pvfs: &PlacedPvfs, server: u32, file: &PlannedFile) -> Option<PlannedFile> {
    let is_there = file.present && !file.is_directory && pvfs.striping.is_on(file.file, server);
    let size = pvfs.striping.most_on_a_server(file.size);
    is_there.then_some(PlannedFile { parent: petrio_colours::FileId::ROOT, size, ..*file })
}

/// A server's database of files, where it notes how long they are.
pub(super) fn database(metadata: u32) -> PlannedFile {
    PlannedFile {
        file: petrio_colours::FileId(metadata),
        parent: petrio_colours::FileId::ROOT,
        is_directory: false,
        present: true,
        cached: true,
        size: DATABASE_BYTES,
    }
}

/// What the manager has of a file: one of its own, in a directory of its own.
pub(super) fn of_manager(metadata: u32, file: &PlannedFile) -> Option<PlannedFile> {
    use petrio_colours::FileId;
    let own =
        |file: FileId| if file == FileId::ROOT { file } else { FileId(file.0.saturating_add(metadata)) };
    let size = if file.is_directory { file.size } else { METADATA_BYTES };
    file.present.then(|| PlannedFile { file: own(file.file), parent: own(file.parent), size, ..*file })
}
