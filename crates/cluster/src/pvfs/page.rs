//! A parallel file system in the net: a page for each client, each server, and the manager.

use super::calls::{Calls, Mount};
use super::client::client;
use super::conserved::conserve;
use super::links::Links;
use super::message::Payload;
use super::metadata::Namespace;
use super::parameters::PvfsParameters;
use super::server::server;
use super::sessions::{ServerIs, Sessions};
use super::shared::Shared;
use super::striping::Striping;
use super::tally::PvfsTally;
use crate::address::Address;
use crate::failure::{FailureOfOne, Failures};
use crate::server::FileServer;
use petrio_colours::FileOp;
use petrio_kernel::{PageBuilder, Place, Simulation};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::processor::Processors;
use std::sync::Arc;

/// A client while its page is built.
#[derive(Debug)]
pub struct PvfsClient<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// Where its programs' calls come from.
    pub operations: Place<FileOp>,
    /// Where they return to.
    pub completions: Place<FileOp>,
}

/// A file system's metadata when a run begins.
#[derive(Clone, Debug, Default)]
pub struct PvfsFiles {
    /// By how much the numbers of the manager's files are higher than those of the files that they are about (PVFS 1); the file of this
    /// number is each server's database.
    pub metadata: u32,
    /// Bytes of that.
    pub database: u64,
    /// What is there (PVFS 2).
    pub names: Namespace,
}

/// Where what failures came to is found: of a client, or of a server.
#[derive(Clone, Copy, Debug)]
pub struct PvfsEnd(End);

#[derive(Clone, Copy, Debug)]
enum End {
    Client(Place<Calls>),
    Server(Place<Sessions>),
}

impl PvfsEnd {
    /// What the calls of a client came to; and the bytes that a server had acknowledged and lost.
    pub fn told(self, run: &Simulation) -> (PvfsTally, u64) {
        let (mut tally, mut lost) = (PvfsTally::default(), 0);
        match self.0 {
            End::Client(calls) => run.for_each_token(calls, |calls| tally = calls.tally()),
            End::Server(sessions) => run.for_each_token(sessions, |sessions| lost = sessions.lost(run.now())),
        };
        (tally, lost)
    }
}

/// Builds the page of a parallel file system; its rows, and where what failures came to is found, of each client and then of each server,
/// where there are any. PVFS 2 has no manager: all of its servers have metadata.
pub fn pvfs_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &PvfsParameters,
    striping: Striping,
    PvfsFiles { metadata, database, names }: PvfsFiles,
    (clients, servers, manager): (&[PvfsClient<'_>], &[FileServer], Option<&FileServer>),
    processors: &mut [Processors],
) -> (Vec<Stage>, Vec<PvfsEnd>) {
    let mut page = parent.page(name);
    page.carries::<Payload>();
    conserve(&mut page);
    let protocol = parameters.protocol();
    let shared = page.state("shared", Shared { names, ..Shared::default() });
    let draws = page.stream("order of servers");
    let addresses: Arc<[Address]> = servers.iter().map(|server| Address::of(&server.port)).collect();
    let count = petrio_units::numbers::as_number(servers.len());
    let failures = (0..count).map(|server| Failures::new(&FailureOfOne::of(&parameters.failures, server)));
    let failures: Arc<[Failures]> =
        if parameters.failures.is_empty() { [].into() } else { failures.collect() };
    let (mut stages, mut of_servers, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for (number, there) in (0..).zip(servers.iter().chain(manager)) {
        let mut page = page.page(&there.name);
        let is = ServerIs {
            protocol,
            levels: parameters.service_levels,
            own: Address::of(&there.port),
            process: there.process,
            file_system: there.file_system,
            direct: parameters.direct,
            real_time: parameters.real_time,
            note: (petrio_colours::FileId(metadata), parameters.direct_note.get()),
            number,
            servers: Arc::clone(&addresses),
            database,
            failures: Arc::clone(&failures),
            patience: parameters.retries.of_servers(),
        };
        let costs = (parameters.costs, parameters.receive_queue);
        let ports = (there.operations, there.completions);
        let (stage, end) = server(&mut page, is, costs, there.port, &mut processors[there.host], ports);
        stages.push(stage);
        of_servers.push(PvfsEnd(End::Server(end)));
    }
    for there in clients {
        let mut page = page.page(there.name);
        let mount = Mount {
            protocol,
            levels: parameters.service_levels,
            striping,
            servers: Arc::clone(&addresses),
            manager: manager.map(|manager| Address::of(&manager.port)),
            site: parameters.metadata(striping),
            metadata,
            own: Address::of(&there.port),
        };
        let (costs, own) = (parameters.costs, &mut processors[there.host]);
        let ports = (there.operations, there.completions);
        let asks = (parameters.retries.of_clients(), Links::new(Arc::clone(&failures)));
        let end = client(&mut page, (mount, asks), costs, there.port, (shared, draws), own, ports);
        ends.push(PvfsEnd(End::Client(end)));
    }
    ends.extend(of_servers);
    ends.truncate(if failures.is_empty() { 0 } else { ends.len() });
    (stages, ends)
}
