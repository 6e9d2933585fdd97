//! An export in the net: a page for its server and each client.

use super::attempts::Patience;
use super::carrier::{Carrier, Manner};
use super::client::{Ports, client};
use super::conserved::conserve;
use super::datagrams::Fragments;
use super::grace::Grace;
use super::message::Rpc;
use super::parameters::NfsParameters;
use super::server::{ServerIs, server};
use super::sessions::{self, Asks};
use crate::address::Address;
use crate::failure::Failures;
use crate::server::FileServer;
use petrio_colours::BlockRequest;
use petrio_host::nfs::MountOptions;
use petrio_kernel::{PageBuilder, Place};
use petrio_network::{Framing, Port};
use petrio_stage::Stage;
use petrio_stage::processor::Processors;
use petrio_units::numbers::as_number;

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
    /// It is of 1990: its time-outs over UDP are `timeo`, doubled each time, and follow nothing.
    pub is_of_1990: bool,
}

/// The server of an export while its page is built.
#[derive(Debug)]
pub struct NfsServer<'p> {
    /// Where it is, and whom it asks.
    pub there: &'p FileServer,
    /// Its host is of 1990, whose file system writes names and attributes to the disk itself.
    pub is_of_1990: bool,
}

/// Builds the page of an export that clients mount with these options; its rows, and where what each client's calls came to is found.
pub fn nfs_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, options, framing): (&NfsParameters, &MountOptions, &Framing),
    (clients, at): (&[NfsClient<'_>], &NfsServer<'_>),
    processors: &mut [Processors],
) -> (Vec<Stage>, Vec<Place<Carrier>>) {
    let &NfsServer { there, is_of_1990 } = at;
    let mut page = parent.page(name);
    page.carries::<Rpc>();
    conserve(&mut page);
    let (mut stages, mut carriers) = (Vec::new(), Vec::new());
    let fragments = options.udp.then(|| Fragments::on(framing));
    let failures = Failures::new(&parameters.failures);
    {
        let mut page = page.page(&there.name);
        let moved = page.probe("moved");
        let (process, file_system) = (there.process, there.file_system);
        let (export, shared) = (parameters.export, clients.len() > 1);
        let asks = Asks { process, file_system, export, shared, is_of_1990 };
        let grace =
            options.version.is_4().then(|| Grace::new(parameters.grace.time(), as_number(clients.len())));
        let manner = sessions::Manner { failures: failures.clone(), replies: parameters.reply_cache, grace };
        let (threads, serve) = (parameters.threads, parameters.costs.serve.time());
        let is = ServerIs { asks, manner, fragments, threads, serve };
        let ports = (there.operations, there.completions);
        stages.push(server(&mut page, is, (there.port, moved), &mut processors[there.host], ports));
    }
    let slots = parameters.slots(options);
    for own in clients {
        let mut page = page.page(own.name);
        let ends = (Address::of(&own.port), Address::of(&there.port));
        let manner = Manner {
            version: options.version,
            // Datagrams of one client come one after the other, whatever they are of.
            connections: if options.udp { 1 } else { options.connections },
            slots,
            patience: Patience::of(options, !own.is_of_1990),
            failures: failures.clone(),
        };
        let carrier = Carrier::new(manner, ends);
        let ports = Ports { network: own.port, requests: own.requests, completions: own.completions };
        let (stage, carrier) = client(
            &mut page,
            carrier,
            (slots, parameters.costs, fragments),
            ports,
            &mut processors[own.host],
        );
        stages.push(stage);
        carriers.push(carrier);
    }
    (stages, carriers)
}
