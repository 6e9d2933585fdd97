//! The pages of a Lustre: a mount under the page cache of each client, what carries its RPCs, and its servers, one a host.

use super::PlacedLustre;
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::linux::mount::{Asks, Connections, LayOut, MountPages};
use crate::site::HostSite;
use petrio_colours::{BlockRequest, FileId};
use petrio_kernel::Place;
use petrio_models::Stage;
use petrio_models::cluster::lustre::{LustreClientPorts, LustreServer, LustreTarget, lustre_page};
use petrio_models::host::lustre::Target;
use petrio_models::host::{Format, LayoutOf, Mount};
use petrio_units::numbers::as_number;
use petrio_workload::program::PlannedFile;
use std::ops::Range;

/// Blocks of 512 bytes in a page.
const BLOCKS: u64 = 8;

/// A Lustre while its pages are put into the net.
pub(super) struct LustrePages<'l> {
    lustre: &'l PlacedLustre,
    linux: &'l PlacedLinux,
    /// Its volumes, by their numbers in the family.
    volumes: Range<usize>,
    /// Of each client, where its mount leaves requests, and where they come back.
    wires: Vec<(Place<BlockRequest>, Place<BlockRequest>)>,
    /// Hosts that serve, each with its targets, by their positions among all, and by their names.
    servers: Vec<(usize, Vec<(usize, Target)>)>,
}

impl<'l> LustrePages<'l> {
    pub(super) fn of(
        lustre: &'l PlacedLustre,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Self {
        let mut place = |name: &str, what: &str| site.page.fifo(&format!("{name}-lustre-{what}"));
        let wires = lustre.clients.iter();
        let wires = wires.map(|client| (place(&client.name, "requests"), place(&client.name, "completions")));
        let wires = wires.collect();
        let mut servers: Vec<(usize, Vec<(usize, Target)>)> = Vec::new();
        for (position, there) in lustre.all_targets().enumerate() {
            let host = linux.file_systems[there].host;
            let own = (position, target(lustre, position));
            match servers.iter_mut().find(|(other, _)| *other == host) {
                Some((_, targets)) => targets.push(own),
                None => servers.push((host, vec![own])),
            }
        }
        Self { lustre, linux, volumes, wires, servers }
    }
}

/// The target at a position: metadata targets come first.
fn target(lustre: &PlacedLustre, position: usize) -> Target {
    let number = |position: usize| u16::try_from(position).unwrap_or(u16::MAX);
    match position.checked_sub(lustre.mdts.len()) {
        Some(ost) => Target::Ost(number(ost)),
        None => Target::Mdt(number(position)),
    }
}

impl MountPages for LustrePages<'_> {
    /// Each server, as a process for each of its targets.
    fn asks(&self) -> Vec<Asks> {
        let servers = self.servers.iter().enumerate();
        let asks = servers.map(|(number, (host, targets))| Asks {
            host: *host,
            place: format!("{}-answers-{number}", self.lustre.name),
            processes: as_number(targets.len()),
        });
        asks.collect()
    }

    fn figures(&self) -> Vec<u64> {
        let striping = &self.lustre.striping;
        let parts = striping.components().iter();
        let own = parts.flat_map(|own| [own.start, own.stripe, own.stripes.into()]);
        [striping.osts().into(), striping.mdts().into()].into_iter().chain(own).collect()
    }

    /// A file's objects on an object storage target are one file there. A metadata target has the directories that are its own, and the
    /// files
    /// in these, with what of their data lies there.
    fn stored(&self, position: usize, file: &PlannedFile) -> Option<PlannedFile> {
        if !file.present {
            return None;
        }
        let (striping, of) = (&self.lustre.striping, (file.file, file.parent));
        let target = target(self.lustre, position);
        let size = striping.stored(of, target, if file.is_directory { 0 } else { file.size });
        match target {
            Target::Ost(_) if file.is_directory => None,
            Target::Ost(_) => size.map(|size| PlannedFile { parent: FileId::ROOT, size, ..*file }),
            Target::Mdt(own) => {
                let home = striping.mdt_of(if file.is_directory { file.file } else { file.parent });
                let is_here = striping.mdt_of(file.parent) == own;
                let parent = if is_here { file.parent } else { FileId::ROOT };
                let size = if file.is_directory { file.size } else { size.unwrap_or(0) };
                (home == own).then_some(PlannedFile { parent, size, ..*file })
            }
        }
    }

    fn under_page_cache(
        &self,
        site: &mut HostSite<'_, '_>,
        lay_out: &LayOut<'_>,
    ) -> Result<Vec<(usize, Mount)>, RunFailure> {
        let PlacedLustre { parameters, striping, blocks, clients, .. } = self.lustre;
        let own = parameters.mount(striping);
        let (rpc_bytes, read_ahead) = (own.rpc_pages * BLOCKS * 512, own.read_ahead);
        let format = Format::Lustre(Box::new(own));
        let mut mounts = Vec::new();
        for (position, (client, &(requests, completions))) in clients.iter().zip(&self.wires).enumerate() {
            let host = &self.linux.hosts[client.host];
            let of = LayoutOf::new((&host.parameters, false), &client.name, &format, *blocks, site.seed);
            let mount = Mount {
                name: client.name.rsplit('/').next().unwrap_or(&client.name).to_owned(),
                position: as_number(self.volumes.start + position),
                largest_request: rpc_bytes,
                read_ahead,
                queue_requests: None,
                dirty_limit: None,
                believed_rate: None,
                takes_discards: false,
                laid_out: lay_out(site, position, of)?,
                watch: site.watch.clone(),
                requests,
                completions,
                log: None,
            };
            mounts.push((client.host, mount));
        }
        Ok(mounts)
    }

    fn build(
        &self,
        site: &mut HostSite<'_, '_>,
        wires: &mut Connections<'_>,
    ) -> Result<Vec<Stage>, RunFailure> {
        let PlacedLustre { name, parameters, striping, network, clients, .. } = self.lustre;
        let all: Vec<usize> = self.lustre.all_targets().collect();
        let mut servers = Vec::new();
        for ((host, targets), answers) in self.servers.iter().zip(wires.answers) {
            let targets =
                targets.iter().zip(answers.processes.clone()).map(|(&(position, target), process)| {
                    let mounted = &self.linux.file_systems[all[position]];
                    LustreTarget {
                        target,
                        file_system: mounted.mount,
                        process,
                        room: mounted.blocks / BLOCKS,
                    }
                });
            let own = &self.linux.hosts[*host].name;
            servers.push(LustreServer {
                name: format!("{own} server"),
                targets: targets.collect(),
                port: wires.port(site.page, (*network, *host), &format!("{name} server")),
                host: wires.position(*host),
                operations: wires.asked(*host),
                completions: answers.place,
            });
        }
        let mut of_clients = Vec::new();
        for (client, &(requests, completions)) in clients.iter().zip(&self.wires) {
            of_clients.push(LustreClientPorts {
                name: &client.name,
                port: wires.port(site.page, (*network, client.host), name),
                host: wires.position(client.host),
                requests,
                completions,
            });
        }
        let ends = (&of_clients[..], &servers[..]);
        let (stages, places) = lustre_page(site.page, name, (parameters, striping), ends, wires.processors);
        site.lustre_clients.extend(clients.iter().map(|client| client.name.clone()).zip(places));
        Ok(stages)
    }
}
