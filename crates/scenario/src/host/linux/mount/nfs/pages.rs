//! The pages of an export: a mount under the page cache of each client, what carries its calls, and the server.

use super::PlacedNfs;
use crate::failure::RunFailure;
use crate::host::PlacedLinux;
use crate::host::linux::mount::{Asks, Connections, LayOut, MountPages, MountPoint};
use crate::site::{GuestMount, HostSite};
use petrio_colours::BlockRequest;
use petrio_kernel::Place;
use petrio_models::Stage;
use petrio_models::cluster::FileServer;
use petrio_models::cluster::nfs::{NfsClient, NfsServer, nfs_page};
use petrio_models::host::{Format, LayoutOf, Mount};
use petrio_units::numbers::as_number;
use petrio_workload::program::PlannedFile;
use std::ops::Range;

/// An export while its pages are put into the net.
pub(super) struct NfsPages<'l> {
    export: &'l PlacedNfs,
    linux: &'l PlacedLinux,
    /// Its volumes, by their numbers in the family.
    volumes: Range<usize>,
    /// Of each client, where its mount leaves requests, and where they come back.
    wires: Vec<(Place<BlockRequest>, Place<BlockRequest>)>,
}

impl<'l> NfsPages<'l> {
    pub(super) fn of(
        export: &'l PlacedNfs,
        linux: &'l PlacedLinux,
        volumes: Range<usize>,
        site: &mut HostSite<'_, '_>,
    ) -> Self {
        let mut place = |name: &str, what: &str| site.page.fifo(&format!("{name}-nfs-{what}"));
        let wires = export.clients.iter();
        let wires = wires.map(|client| (place(&client.name, "requests"), place(&client.name, "completions")));
        let wires = wires.collect();
        Self { export, linux, volumes, wires }
    }

    /// The host of the server.
    fn host(&self) -> usize {
        self.linux.served(self.export.server).0
    }
}

impl NfsPages<'_> {
    /// A client of another family hears what it mounts, and where calls go.
    fn guest(
        &self,
        site: &mut HostSite<'_, '_>,
        position: usize,
        client: &MountPoint,
        (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    ) -> Result<(), RunFailure> {
        let PlacedNfs { options, blocks, .. } = self.export;
        let files = site.foundation.files(self.volumes.start + position)?;
        let mount = GuestMount {
            name: client.name.clone(),
            number: client.mount,
            options: options.clone(),
            blocks: *blocks,
            files: files.to_vec(),
            requests,
            completions,
        };
        if let Some(guest) = site.guests.get_mut(self.linux.host_name(client.host)) {
            guest.mounts.push(mount);
        }
        Ok(())
    }
}

impl MountPages for NfsPages<'_> {
    /// Its server.
    fn asks(&self) -> Vec<Asks> {
        let place = format!("{}-answers", self.export.name);
        vec![Asks { host: self.host(), place, processes: 1 }]
    }

    /// All of each file lies there.
    fn stored(&self, _: usize, file: &PlannedFile) -> Option<PlannedFile> {
        file.present.then_some(*file)
    }

    fn under_page_cache(
        &self,
        site: &mut HostSite<'_, '_>,
        lay_out: &LayOut<'_>,
    ) -> Result<Vec<(usize, Mount)>, RunFailure> {
        let PlacedNfs { options, blocks, clients, .. } = self.export;
        let format = Format::Nfs(Box::new(options.clone()));
        let mut mounts = Vec::new();
        for (position, (client, &(requests, completions))) in clients.iter().zip(&self.wires).enumerate() {
            let Some(host) = self.linux.hosts.get(client.host) else {
                self.guest(site, position, client, (requests, completions))?;
                continue;
            };
            let of = LayoutOf::new((&host.parameters, false), &client.name, &format, *blocks, site.seed);
            let mount = Mount {
                name: client.name.rsplit('/').next().unwrap_or(&client.name).to_owned(),
                position: as_number(self.volumes.start + position),
                largest_request: options.read_size.get().max(options.write_size.get()),
                read_ahead: options.read_ahead,
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
        let PlacedNfs { name, parameters, options, network, server, clients, .. } = self.export;
        let (host, mount, of) = self.linux.served(*server);
        let Some(answers) = wires.answers.first().cloned() else { return Ok(Vec::new()) };
        let there = FileServer {
            name: of.to_owned(),
            port: wires.port(site.page, (*network, host), &format!("{name} server")),
            host: wires.position(host),
            file_system: mount,
            process: answers.processes.start,
            operations: wires.asked(host),
            completions: answers.place,
        };
        let mut of_clients = Vec::new();
        for (client, &(requests, completions)) in clients.iter().zip(&self.wires) {
            of_clients.push(NfsClient {
                name: &client.name,
                port: wires.port(site.page, (*network, client.host), name),
                host: wires.position(client.host),
                requests,
                completions,
                is_of_1990: client.host >= self.linux.hosts.len(),
            });
        }
        let framing = self.linux.networks[*network].parameters.framing();
        let server = NfsServer { there: &there, is_of_1990: host >= self.linux.hosts.len() };
        let both = (&of_clients[..], &server);
        let (stages, carriers) =
            nfs_page(site.page, name, (parameters, options, &framing), both, wires.processors);
        site.carriers.extend(clients.iter().map(|client| client.name.clone()).zip(carriers));
        Ok(stages)
    }
}
