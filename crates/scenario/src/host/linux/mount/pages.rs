//! The pages of what hosts share: networks, what is mounted over them, and how programs and servers of one host are told
//! apart.
//!
//! ```text
//!  programs ─▶ to own file systems or others' ─┬─▶ host ─▶ completions of programs or of servers
//!                                              ├─▶ client ⋯ network ⋯ server ─▶ host
//!                                              └─▶ messages ⋯ network ⋯ messages of other hosts
//! ```

use super::{Asks, MountPages, MountPoint};
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::site::{FilesOfOthers, HostSite, Served, UnheldLink};
use petrio_colours::{FileOp, Operation};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use petrio_models::host::{LaidOut, LayoutOf, Mount, OpenHost};
use petrio_models::network::{Network, Port};
use petrio_models::processor::Processors;
use petrio_workload::program::PlannedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The processes of servers are numbered from here on: those of programs lie below.
const SERVERS: u32 = 1 << 29;
/// And up to here: above are those of programs that send block requests.
const LAST_SERVER: u32 = 1 << 30;

/// Where a host answers somebody who asks it as a process, or as several.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    /// The numbers of these processes.
    pub(crate) processes: Range<u32>,
    pub(crate) place: Place<FileOp>,
}

/// A host's end of what it shares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostPorts {
    /// Where servers on it ask it.
    pub(crate) asked: Place<FileOp>,
    /// Where its own file systems put what is complete.
    pub(crate) completions: Place<FileOp>,
}

/// A mount while its pages are put into the net.
struct Part<'l> {
    pages: Box<dyn MountPages + 'l>,
    /// Its volumes, by their numbers in the family.
    volumes: Range<usize>,
    /// Where those who ask hosts for it are answered, as [`MountPages::asks`] has them.
    answers: Vec<Answers>,
}

/// What hosts mount and share, while the net is built.
pub(crate) struct Shared<'l> {
    linux: &'l PlacedLinux,
    parts: Vec<Part<'l>>,
    /// Of each file system of a host, what lies on it: the part, and the position among all that this lies on.
    held: Vec<Vec<(usize, usize)>>,
    /// The same by hosts.
    answers: BTreeMap<usize, Vec<Answers>>,
    /// Of each host, the numbers of its mounts that others take, and where these take its operations.
    calls: BTreeMap<usize, BTreeMap<u32, Place<FileOp>>>,
    /// Where the exchanges of each host's processes go, where anything carries them.
    exchanges: BTreeMap<usize, Place<FileOp>>,
    /// The hosts that have processors which others use.
    open: BTreeSet<usize>,
}

/// What a mount's pages are connected to, while they are built.
pub(crate) struct Connections<'s> {
    pub(crate) linux: &'s PlacedLinux,
    pub(crate) networks: &'s mut [Network],
    pub(crate) processors: &'s mut [Processors],
    /// Where those who ask hosts for the mount are answered, as [`MountPages::asks`] has them.
    pub(crate) answers: &'s [Answers],
    /// Of each host whose processors others use, its number among these, and its ends.
    position: &'s BTreeMap<usize, (usize, HostPorts)>,
    /// Of each network, the numbers of its hosts on it.
    numbers: &'s [BTreeMap<usize, u32>],
    calls: &'s BTreeMap<usize, BTreeMap<u32, Place<FileOp>>>,
    exchanges: &'s BTreeMap<usize, Place<FileOp>>,
}

impl Connections<'_> {
    /// A port of a host on a network.
    pub(crate) fn port(
        &mut self,
        page: &mut PageBuilder<'_>,
        (network, host): (usize, usize),
        service: &str,
    ) -> Port {
        let number = self.number(network, host);
        self.networks[network].port(page, number, service)
    }

    /// The number of a host on a network.
    pub(crate) fn number(&self, network: usize, host: usize) -> u32 {
        self.numbers[network].get(&host).copied().unwrap_or(0)
    }

    /// The number of a host among those whose processors others use.
    pub(crate) fn position(&self, host: usize) -> usize {
        self.position[&host].0
    }

    /// Where servers on a host ask it.
    pub(crate) fn asked(&self, host: usize) -> Place<FileOp> {
        self.position[&host].1.asked
    }

    /// Where the operations of a mount arrive.
    pub(crate) fn calls(&self, point: &MountPoint) -> Place<FileOp> {
        self.calls[&point.host][&point.mount]
    }

    /// Where the exchanges of a host's processes arrive.
    pub(crate) fn exchanges(&self, host: usize) -> Place<FileOp> {
        self.exchanges[&host]
    }
}

impl<'l> Shared<'l> {
    /// Places for all of it.
    pub(crate) fn new(linux: &'l PlacedLinux, site: &mut HostSite<'_, '_>) -> Result<Self, RunFailure> {
        let mut shared = Self {
            linux,
            parts: Vec::new(),
            held: vec![Vec::new(); linux.file_systems.len() + linux.guest_file_systems.len()],
            answers: BTreeMap::new(),
            calls: BTreeMap::new(),
            exchanges: BTreeMap::new(),
            open: linux.networks.iter().flat_map(|network| network.hosts.clone()).collect(),
        };
        let mut process = SERVERS;
        for (number, (volumes, mount)) in linux.mounts_and_volumes().enumerate() {
            let pages = mount.pages(linux, volumes.clone(), site)?;
            for (position, there) in mount.lies_on().into_iter().enumerate() {
                shared.held[there].push((number, position));
            }
            let mut answers = Vec::new();
            for Asks { host, place, processes } in pages.asks() {
                let first = process;
                process = process.saturating_add(processes);
                let asked = Answers { processes: first..process, place: site.page.fifo(&place) };
                shared.answers.entry(host).or_default().push(asked.clone());
                answers.push(asked);
                shared.open.insert(host);
            }
            for MountPoint { name, host, mount } in pages.points() {
                let place = site.page.fifo(&format!("{name}-calls"));
                shared.calls.entry(*host).or_default().insert(*mount, place);
            }
            for &host in mount.carries_messages_of() {
                let name = format!("{}-{}-exchanges", mount.name(), linux.hosts[host].name);
                shared.exchanges.insert(host, site.page.fifo(&name));
                shared.open.insert(host);
            }
            shared.parts.push(Part { pages, volumes, answers });
        }
        if process > LAST_SERVER {
            let host = linux.hosts.first().map_or_else(String::new, |host| host.name.clone());
            let message = format!(
                "{} processes are more than can be told apart on hosts that serve each other",
                site.foundation.processes()
            );
            return Err(RunFailure::Host { host, message });
        }
        Ok(shared)
    }

    /// The mounts under each host's page cache, with what lies there of the files of what hosts share.
    pub(crate) fn mounts(&self, site: &mut HostSite<'_, '_>) -> Result<Vec<Vec<Mount>>, RunFailure> {
        let mut mounts: Vec<Vec<Mount>> = vec![Vec::new(); self.linux.hosts.len()];
        for Part { pages, volumes, .. } in &self.parts {
            let there = volumes.start;
            let lay_out = |site: &HostSite<'_, '_>, position: usize, of: LayoutOf| {
                self.laid_out(site, there + position, of)
            };
            for (host, mount) in pages.under_page_cache(site, &lay_out)? {
                mounts[host].push(mount);
            }
        }
        Ok(mounts)
    }

    /// A file system with its files on it, and with what others keep there.
    fn laid_out(
        &self,
        site: &HostSite<'_, '_>,
        there: usize,
        of: LayoutOf,
    ) -> Result<Arc<LaidOut>, RunFailure> {
        type Stored<'s> = Box<dyn Fn(&PlannedFile) -> Option<PlannedFile> + 's>;
        // Behind those of its own hosts come those of guests, and other volumes have these numbers.
        let own = there < self.linux.file_systems.len();
        let held = self.held.get(there).filter(|_| own).map(Vec::as_slice).unwrap_or_default();
        let (mut told, mut own): (u64, Option<PlannedFile>) = (0, None);
        let mut stored: Vec<(Range<usize>, Stored<'_>)> = Vec::new();
        for &(number, position) in held {
            let Part { pages, volumes, .. } = &self.parts[number];
            let figures = [number as u64, position as u64 + 1].into_iter().chain(pages.figures());
            told = figures.fold(told, with_figure);
            own = own.or_else(|| pages.own_file(position));
            stored.push((volumes.clone(), Box::new(move |file| pages.stored(position, file))));
        }
        let own: Vec<PlannedFile> = own.into_iter().collect();
        let others = stored.iter().map(|(volumes, share)| FilesOfOthers { volumes: volumes.clone(), share });
        site.foundation.laid_out(there, of.with_files_of_others(told), (others.collect(), &own))
    }

    /// Whether others use a host's processors.
    pub(crate) fn is_open(&self, host: usize) -> bool {
        self.open.contains(&host)
    }

    /// The page that tells a host's operations apart, where programs and servers ask it: where its own file systems find
    /// theirs, and put what is complete.
    pub(crate) fn ends(
        &self,
        site: &mut HostSite<'_, '_>,
        host: usize,
        operations: Place<FileOp>,
    ) -> HostPorts {
        let name = &self.linux.hosts[host].name;
        let asked = site.entrance().unwrap_or(operations);
        let calls = self.calls.get(&host);
        let exchanges = self.exchanges.get(&host).copied();
        if calls.is_some() || exchanges.is_some() {
            let arrivals = site.page.fifo(&format!("{name}-arrivals-of-all"));
            let mut page = site.page.page(&format!("{name}-mounts"));
            let mut route = page.transition("route");
            let op = route.take(arrivals);
            let own = route.may_put(asked, 1);
            let calls = calls.into_iter().flatten();
            let calls: Vec<_> = calls.map(|(&mount, &place)| (mount, route.may_put(place, 1))).collect();
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
        let answers = self.answers.get(&host).map(Vec::as_slice).unwrap_or_default();
        if answers.is_empty() {
            return HostPorts { asked, completions: of_programs };
        }
        HostPorts { asked, completions: sorted(site, name, answers) }
    }

    /// The ends of a host of another family, which hears of them where others ask it.
    fn ends_of_guest(&self, site: &mut HostSite<'_, '_>, host: usize) -> Result<HostPorts, RunFailure> {
        let name = self.linux.host_name(host);
        let answers = self.answers.get(&host).map(Vec::as_slice).unwrap_or_default();
        if answers.is_empty() {
            // Nobody asks it.
            return Ok(HostPorts { asked: site.completions, completions: site.completions });
        }
        let asked = site.page.fifo(&format!("{name}-asked"));
        let completions = sorted(site, name, answers);
        let processes = answers.iter().map(|asked| asked.processes.clone()).collect();
        let mut files: BTreeMap<u32, Vec<PlannedFile>> = BTreeMap::new();
        for there in self.linux.file_systems.len()..self.held.len() {
            let (of, mount, _) = self.linux.served(there);
            if of == host {
                files.insert(mount, self.files_held(site, there)?);
            }
        }
        if let Some(guest) = site.guests.get_mut(name) {
            guest.served = Some(Served { asked, completions, processes, files });
        }
        Ok(HostPorts { asked, completions })
    }

    /// What lies on a file system of the files of others, each once.
    fn files_held(&self, site: &HostSite<'_, '_>, there: usize) -> Result<Vec<PlannedFile>, RunFailure> {
        let mut files = BTreeMap::new();
        for &(number, position) in &self.held[there] {
            let Part { pages, volumes, .. } = &self.parts[number];
            for volume in volumes.clone() {
                let planned = site.foundation.files(volume)?;
                let stored = planned.iter().filter_map(|file| pages.stored(position, file));
                files.extend(stored.map(|file| (file.file, file)));
            }
        }
        Ok(files.into_values().collect())
    }

    /// Builds the networks and the pages of what is mounted over them, and finishes the hosts' processors. `hosts` are those
    /// that are [open](Self::is_open), in the order of their numbers, each with its ends.
    pub(crate) fn finish(
        self,
        site: &mut HostSite<'_, '_>,
        hosts: Vec<(usize, OpenHost, HostPorts)>,
    ) -> Result<(), RunFailure> {
        let linux = self.linux;
        let mut position = BTreeMap::new();
        let mut processors = Vec::with_capacity(hosts.len());
        let mut rests = Vec::with_capacity(hosts.len());
        for (number, host, ends) in hosts {
            position.insert(number, (processors.len(), ends));
            let (own, rest) = host.into_parts();
            processors.push(own);
            rests.push(rest);
        }
        let own = processors.len();
        let mut guests: Vec<String> = Vec::new();
        for &number in self.open.range(linux.hosts.len()..) {
            let name = linux.host_name(number).to_owned();
            let count = site.guests.get(&name).map_or(1, |guest| guest.count);
            let ends = self.ends_of_guest(site, number)?;
            position.insert(number, (processors.len(), ends));
            processors.push(Processors::new(&mut site.page.page(&name), count));
            guests.push(name);
        }
        let mut networks: Vec<Network> =
            linux.networks.iter().map(|network| network.page(linux, site)).collect();
        let numbers: Vec<BTreeMap<usize, u32>> =
            linux.networks.iter().map(|network| network.hosts.iter().copied().zip(0..).collect()).collect();
        let mut stages: Vec<Stage> = Vec::new();
        for Part { pages, answers, .. } in &self.parts {
            let mut wires = Connections {
                linux,
                networks: &mut networks,
                processors: &mut processors,
                answers,
                position: &position,
                numbers: &numbers,
                calls: &self.calls,
                exchanges: &self.exchanges,
            };
            stages.extend(pages.build(site, &mut wires)?);
        }
        for (network, placed) in networks.into_iter().zip(&linux.networks) {
            if placed.is_of_nodes {
                continue;
            }
            let by_number: Vec<usize> = placed.hosts.iter().map(|host| position[host].0).collect();
            site.unheld.extend(network.unheld().map(|(host, busy)| UnheldLink {
                network: placed.name.clone(),
                host: host.to_owned(),
                busy,
            }));
            stages.extend(network.finish(site.page, &mut processors, &by_number));
        }
        for (name, processors) in guests.into_iter().zip(processors.drain(own..)) {
            site.guests.entry(name).and_modify(|guest| guest.processors = Some(processors));
        }
        for (rest, processors) in rests.into_iter().zip(processors) {
            site.stages.extend(rest.finish(site.page, processors));
        }
        site.stages.append(&mut stages);
        Ok(())
    }
}

/// Where a host puts what is complete, for it to be told apart: what its programs asked for, and what its servers did.
fn sorted(site: &mut HostSite<'_, '_>, name: &str, answers: &[Answers]) -> Place<FileOp> {
    let of_programs = site.completions;
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
    completions
}

/// A number that tells what another told, and a figure.
fn with_figure(told: u64, figure: u64) -> u64 {
    (told.rotate_left(7) ^ figure).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
