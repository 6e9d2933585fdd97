//! A shared-disk file system in the net: a page for each node, each disk as a target, and the lock manager.

use super::client::{NodePorts, client};
use super::conserved::conserve;
use super::costs::Costs;
use super::manager::manager;
use super::message::Payload;
use super::node::Rules;
use super::parameters::{LockParameters, SanParameters};
use super::volume::Volume;
use crate::address::Address;
use petrio_block::scsi::{Exchange, Initiator, RemoteTarget, Target, initiator_page, target_page};
use petrio_colours::FileOp;
use petrio_host::copy_cost::CopyCurveError;
use petrio_host::machine::MachineParameters;
use petrio_kernel::{PageBuilder, Place};
use petrio_network::Port;
use petrio_stage::Stage;
use petrio_stage::processor::Processors;
use std::sync::Arc;

/// A node while its page is built.
#[derive(Debug)]
pub struct SanNode<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its port on the network of the disks.
    pub disks: Port,
    /// Its port on the network of the locks.
    pub locks: Port,
    /// Its host's number in `processors`.
    pub host: usize,
    /// Its host's machine.
    pub machine: &'p MachineParameters,
    /// Where its programs' calls come from.
    pub operations: Place<FileOp>,
    /// Where they return to.
    pub completions: Place<FileOp>,
}

/// The lock manager while its page is built.
#[derive(Clone, Copy, Debug)]
pub struct SanManager {
    /// Its port on the network of the locks.
    pub port: Port,
    /// Its host's number in `processors`.
    pub host: usize,
}

/// What a file system's parts go by.
#[derive(Clone, Copy, Debug)]
pub struct SanRules {
    /// What it is made of.
    pub parameters: SanParameters,
    /// Its locks.
    pub locks: LockParameters,
    /// How requests cross the network.
    pub exchange: Exchange,
    /// Disks lose what their caches hold, so that fsync flushes them.
    pub flushes: bool,
}

/// Builds the page of a shared-disk file system with these files on its disks; its rows.
///
/// # Errors
/// A machine whose figures make no sense.
pub fn san_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    rules: &SanRules,
    volume: Volume,
    (nodes, targets, locks): (&[SanNode<'_>], &[Target<'_>], SanManager),
    processors: &mut [Processors],
) -> Result<Vec<Stage>, CopyCurveError> {
    let mut page = parent.page(name);
    page.carries::<Payload>();
    conserve(&mut page);
    let volume = page.state("volume", volume);
    let SanRules { parameters, exchange, .. } = rules;
    let mut stages = Vec::new();
    for target in targets {
        stages.extend(target_page(&mut page, target, *exchange));
    }
    let remote: Arc<[RemoteTarget]> = targets
        .iter()
        .map(|Target { port, .. }| RemoteTarget { host: port.host, service: port.service })
        .collect();
    let addresses: Arc<[Address]> = nodes.iter().map(|node| Address::of(&node.locks)).collect();
    let near = nodes.iter().find(|node| node.locks.host == locks.port.host).map(|node| node.locks.received);
    let mut manages = page.page("lock manager");
    let work = rules.locks.work.time();
    stages.push(manager(
        &mut manages,
        locks.port,
        (Arc::clone(&addresses), near),
        work,
        &mut processors[locks.host],
    ));
    let block = parameters.block.get();
    for (number, node) in (0..).zip(nodes) {
        let mut page = page.page(node.name);
        let requests = page.fifo("requests");
        let complete = page.fifo("requests complete");
        let costs = node.machine.block.submit.time();
        let initiator = Initiator {
            port: node.disks,
            targets: Arc::clone(&remote),
            costs: (costs, node.machine.block.complete.time()),
            requests,
            completions: complete,
        };
        let own = &mut processors[node.host];
        initiator_page(&mut page, initiator, *exchange, own);
        let own_rules = Rules {
            node: number,
            block,
            largest: parameters.largest_request.get() / block,
            read_ahead: parameters.read_ahead.get() / block,
            granularity: rules.locks.granularity,
            keeps_tokens: rules.locks.keep,
            flushes: rules.flushes,
        };
        let ports = NodePorts {
            locks: node.locks,
            manager: Address::of(&locks.port),
            nodes: Arc::clone(&addresses),
            near_manager: (node.locks.host == locks.port.host).then_some(locks.port.received),
            requests,
            complete,
            operations: node.operations,
            completions: node.completions,
            volume,
            write_back_after: parameters.write_back_after.time(),
            processors: own,
        };
        let blocks = usize::try_from(parameters.cached_blocks()).unwrap_or(usize::MAX);
        stages.extend(client(&mut page, (own_rules, Costs::new(node.machine)?, blocks), ports));
    }
    Ok(stages)
}
