//! A file service in the net: a page for each client and each server.

use super::calls::{Mount, Server, Shared};
use super::client::{Ports, client};
use super::conserved::conserve;
use super::message::Rpc;
use super::parameters::{Names, ShareParameters};
use super::placement::Placement;
use super::server::{ServerIs, server};
use super::sessions::Asks;
use crate::address::Address;
use crate::end_of_file::EndsOfFile;
use crate::server::FileServer;
use petrio_colours::{FileId, FileOp};
use petrio_host::copy_cost::{CopyCost, CopyCurveError};
use petrio_host::machine::MachineParameters;
use petrio_kernel::{PageBuilder, Place, Probe};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::processor::Processors;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A client while its page is built.
#[derive(Debug)]
pub struct ShareClient<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// The machine that it runs on, which says what its copies cost.
    pub machine: &'p MachineParameters,
    /// Where its programs' operations come from.
    pub operations: Place<FileOp>,
    /// Where they return to.
    pub completions: Place<FileOp>,
    /// Where servers are on its own host: how it asks that host.
    pub own_host: Option<OwnHost>,
}

/// How a client asks its own host.
#[derive(Clone, Copy, Debug)]
pub struct OwnHost {
    /// The first of the numbers by which the host knows the processes that ask: that of the scenario's first process.
    pub first_process: u32,
    /// Where it asks.
    pub operations: Place<FileOp>,
    /// Where the host answers.
    pub completions: Place<FileOp>,
}

/// Builds the page of a file service. `directories` are the files that are directories when the run begins.
///
/// # Errors
/// A machine of a client whose copies can't be told.
pub fn share_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &ShareParameters,
    (placement, directories): (Arc<Placement>, BTreeSet<FileId>),
    (clients, servers): (&[ShareClient<'_>], &[FileServer]),
    processors: &mut [Processors],
) -> Result<Vec<Stage>, CopyCurveError> {
    let mut page = parent.page(name);
    page.carries::<Rpc>();
    conserve(&mut page);
    let shared = page.state("shared", Shared { ends: EndsOfFile::default(), directories });
    let mut stages = Vec::new();
    let mut moved: Vec<Probe> = Vec::new();
    for there in servers {
        let mut page = page.page(&there.name);
        let probe = page.probe("moved");
        moved.push(probe);
        let is = ServerIs {
            asks: Asks {
                process: there.process,
                file_system: there.file_system,
                settles_names: parameters.names() == Names::Stable,
            },
            threads: parameters.threads,
            serve: parameters.costs.serve.time(),
        };
        let ports = (there.operations, there.completions);
        stages.push(server(&mut page, is, (there.port, probe), &mut processors[there.host], ports));
    }
    for there in clients {
        let mut page = page.page(there.name);
        let is_local = |server: &FileServer| there.own_host.is_some() && server.host == there.host;
        let mount = Mount {
            placement: Arc::clone(&placement),
            transfer: parameters.transfer.get(),
            writes: parameters.writes,
            connections: parameters.connections,
            costs: parameters.costs,
            servers: servers
                .iter()
                .map(|server| Server {
                    address: Address::of(&server.port),
                    local: is_local(server).then_some(server.file_system),
                })
                .collect(),
            own: Address::of(&there.port),
            first_process: there.own_host.map_or(0, |own| own.first_process),
            copies: CopyCost::of(there.machine)?,
        };
        let ports = Ports {
            network: there.port,
            operations: there.operations,
            completions: there.completions,
            host: there.own_host.map(|own| (own.operations, own.completions)),
        };
        let (in_flight, own) = (parameters.in_flight, &mut processors[there.host]);
        stages.push(client(&mut page, mount, in_flight, ports, (shared, moved.clone()), own));
    }
    Ok(stages)
}
