//! A parallel file system in the net: a page for each client, each server, and the manager.

use super::calls::Mount;
use super::client::client;
use super::conserved::conserve;
use super::message::Payload;
use super::metadata::Namespace;
use super::parameters::PvfsParameters;
use super::server::server;
use super::sessions::ServerIs;
use super::shared::Shared;
use super::striping::Striping;
use crate::address::Address;
use crate::server::FileServer;
use petrio_colours::FileOp;
use petrio_kernel::{PageBuilder, Place};
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

/// Builds the page of a parallel file system. PVFS 2 has no manager: all of its servers have metadata.
pub fn pvfs_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &PvfsParameters,
    striping: Striping,
    PvfsFiles { metadata, database, names }: PvfsFiles,
    (clients, servers, manager): (&[PvfsClient<'_>], &[FileServer], Option<&FileServer>),
    processors: &mut [Processors],
) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.carries::<Payload>();
    conserve(&mut page);
    let protocol = parameters.protocol();
    let shared = page.state("shared", Shared { names, ..Shared::default() });
    let draws = page.stream("order of servers");
    let addresses: Arc<[Address]> = servers.iter().map(|server| Address::of(&server.port)).collect();
    let mut stages = Vec::new();
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
        };
        let costs = (parameters.costs, parameters.receive_queue);
        let ports = (there.operations, there.completions);
        stages.push(server(&mut page, is, costs, there.port, &mut processors[there.host], ports));
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
        client(&mut page, mount, costs, there.port, (shared, draws), own, ports);
    }
    stages
}
