//! An export in the net: a page for its server and each client.

use super::client::{Ports, client};
use super::conserved::conserve;
use super::message::Rpc;
use super::parameters::NfsParameters;
use super::server::{ServerIs, server};
use super::sessions::Asks;
use super::tally::Carrier;
use crate::address::Address;
use crate::server::FileServer;
use petrio_colours::BlockRequest;
use petrio_host::nfs::MountOptions;
use petrio_kernel::{PageBuilder, Place};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::processor::Processors;

/// A client while its page is built.
#[derive(Debug)]
pub struct NfsClient<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// Where the mount leaves its requests.
    pub requests: Place<BlockRequest>,
    /// Where they come back.
    pub completions: Place<BlockRequest>,
}

/// Builds the page of an export that clients mount with these options; its rows, and where what each client's calls came to is found.
pub fn nfs_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, options): (&NfsParameters, &MountOptions),
    (clients, there): (&[NfsClient<'_>], &FileServer),
    processors: &mut [Processors],
) -> (Vec<Stage>, Vec<Place<Carrier>>) {
    let mut page = parent.page(name);
    page.carries::<Rpc>();
    conserve(&mut page);
    let (mut stages, mut carriers) = (Vec::new(), Vec::new());
    {
        let mut page = page.page(&there.name);
        let moved = page.probe("moved");
        let (process, file_system) = (there.process, there.file_system);
        let asks = Asks { process, file_system, export: parameters.export, shared: clients.len() > 1 };
        let is = ServerIs { asks, threads: parameters.threads, serve: parameters.costs.serve.time() };
        let ports = (there.operations, there.completions);
        stages.push(server(&mut page, is, (there.port, moved), &mut processors[there.host], ports));
    }
    let slots = parameters.slots(options.version.has_sessions());
    for own in clients {
        let mut page = page.page(own.name);
        let ends = (Address::of(&own.port), Address::of(&there.port));
        let carrier = Carrier::new(options.version, ends, options.connections);
        let ports = Ports { network: own.port, requests: own.requests, completions: own.completions };
        let (stage, carrier) =
            client(&mut page, carrier, (slots, parameters.costs), ports, &mut processors[own.host]);
        stages.push(stage);
        carriers.push(carrier);
    }
    (stages, carriers)
}
