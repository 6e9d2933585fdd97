//! `[replication.NAME]`: several copies of files on several disks.

use super::{Built, BuiltReplication, Holder, HolderPorts, InnerNetwork, Objection, Over};
use crate::network::PlacedNetwork;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::cluster::replication::{
    Messages, NodeParameters, Nodes, ReplicationError, ReplicationParameters, ReplicationPorts,
    replication_over_nodes, replication_page,
};
use petrio_models::network::{Network, Port};
use petrio_models::processor::Processors;
use petrio_models::{Lever, Stage};
use petrio_page::numbers::counted;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Several copies of files on several disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replication {
    /// The disks (or arrays) on which copies lie. Analytic disks (`petrio catalogue list`) tell exactly what a request
    /// would meet; of others, what is on its way to them is counted.
    pub on: Names,
    /// The storage nodes that these disks are in; left out, they are reached at once (but for what `messages` cost).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<StorageNodes>,
    /// How many copies, when, and where.
    #[serde(flatten)]
    pub parameters: ReplicationParameters,
}

/// Storage nodes: each disk with processors and memory of its own, on a network with all others (DataMesh). Requests come to
/// a spigot, which is on the network, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StorageNodes {
    /// The network of the nodes, `[network.NAME]`, which connects nothing else. The spigot is called as the replication is,
    /// and each node as its disk.
    pub network: String,
    /// Processors of each node and of the spigot. What messages cost them are the network's `costs`.
    #[serde(default = "one_processor")]
    pub processors: u32,
    /// Processor time of each request that a node serves, before its memory is looked into.
    #[serde(default)]
    pub work: Duration,
    /// Memory of each node that keeps what was read and written, and is written through; left out, none.
    #[serde(default = "no_memory")]
    pub memory: Bytes,
    /// What is kept in memory and given up together.
    #[serde(default = "usual_block")]
    pub block: Bytes,
    /// Bytes of a message, data and the network's headers left out.
    #[serde(default = "usual_message")]
    pub message: Bytes,
}

fn one_processor() -> u32 {
    NodeParameters::default().processors
}

fn no_memory() -> Bytes {
    NodeParameters::default().memory
}

fn usual_block() -> Bytes {
    NodeParameters::default().block
}

fn usual_message() -> Bytes {
    NodeParameters::default().message
}

impl StorageNodes {
    fn parameters(&self) -> NodeParameters {
        let &Self { processors, work, memory, block, message, .. } = self;
        NodeParameters { processors, work, memory, block, message }
    }

    fn check(&self, disks: usize, messages: Messages) -> Option<Objection> {
        let parameters = self.parameters();
        if let Err(error) = parameters.check() {
            return Some(Objection { key: "nodes", message: error.to_string(), help: None });
        }
        if messages != Messages::default() {
            return Some(Objection {
                key: "messages",
                message: "messages between storage nodes cost what their network costs".to_owned(),
                help: Some("leave out either messages or nodes".to_owned()),
            });
        }
        let error = petrio_bounds::check(parameters.bytes_of(disks)).err()?;
        let message =
            format!("memories of {} in {disks} nodes are more than can be held here: {error}", self.memory);
        Some(Objection {
            key: "nodes.memory",
            message,
            help: Some("give less memory, or larger blocks".to_owned()),
        })
    }
}

/// Reads a replication.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Replication, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Own {
        on: Names,
        nodes: Option<StorageNodes>,
    }
    let (Own { on, nodes }, parameters) = read_apart(table, &["on", "nodes"], sources)?;
    Ok(Replication { on, nodes, parameters })
}

impl Holder for Replication {
    fn over(&self) -> Over<'_> {
        Over::Several(&self.on)
    }

    fn check(&self, members: usize) -> Vec<Objection> {
        let error = self.parameters.most_copies(members).err();
        let objection =
            |error: ReplicationError| Objection { key: "", message: error.to_string(), help: None };
        let nodes = self.nodes.as_ref().and_then(|nodes| nodes.check(members, self.parameters.messages));
        error.map(objection).into_iter().chain(nodes).collect()
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        self.parameters.blocks(members.iter().copied().min().unwrap_or(0))
    }

    fn hardware(&self, members: usize) -> Option<(u64, &'static str)> {
        self.nodes.as_ref().map(|_| (members as u64, "storage node"))
    }

    fn words(&self, members: usize) -> Option<String> {
        let most = self.parameters.most_copies(members).unwrap_or(1);
        let copies = counted(most.into(), "copy", "copies");
        let protocol = self.parameters.protocol.words().map_or(String::new(), |words| format!(", {words}"));
        let memory = |nodes: &StorageNodes| match nodes.memory.get() {
            0 => String::new(),
            _ => format!(" with {} of memory each", nodes.memory),
        };
        let nodes = self.nodes.as_ref();
        let nodes = nodes.map_or(String::new(), |nodes| format!(" on storage nodes{}", memory(nodes)));
        Some(format!("up to {copies} of a file ({}{protocol}){nodes}", self.parameters.policy.words()))
    }

    fn inner_network(&self) -> Option<InnerNetwork<'_>> {
        let nodes = self.nodes.as_ref()?;
        Some(InnerNetwork { network: &nodes.network, key: "nodes.network", each: 1 })
    }

    fn pages_beside(&self, name: &str) -> Vec<(String, &'static str)> {
        self.nodes.iter().map(|_| (pages_of_nodes(name), "storage nodes")).collect()
    }

    fn levers_beside(&self, name: &str, path: &str) -> Vec<(String, Vec<Lever>)> {
        let nodes = self.nodes.iter();
        nodes
            .map(|nodes| (pages_of_nodes(name), nodes.parameters().levers(&format!("{path}.nodes"))))
            .collect()
    }

    fn knows_files(&self) -> bool {
        true
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let disks =
            ports.members.iter().map(|member| (member.requests, member.completions, member.sight)).collect();
        let operations = page.fifo(&format!("{name}-file-events"));
        let (requests, completions) = (ports.requests, ports.completions);
        let memories = Vec::new();
        let wiring = ReplicationPorts { operations, requests, completions, disks, memories };
        let smallest = ports.members.iter().map(|member| member.blocks).min().unwrap_or(0);
        let of_disks = (smallest, Arc::clone(&ports.files));
        let built = match (&self.nodes, &ports.network) {
            (Some(nodes), Some(network)) => self.over_nodes(page, name, (nodes, network), of_disks, &wiring),
            _ => replication_page(page, name, &self.parameters, of_disks, &wiring),
        };
        let (replicas, stages) = built.map_err(|error| error.to_string())?;
        Ok(Built { stages, replication: Some(BuiltReplication { operations, replicas }), ..Built::default() })
    }
}

/// What the pages of a replication's nodes lie under.
fn pages_of_nodes(name: &str) -> String {
    format!("{name}-nodes")
}

impl Replication {
    /// The pages of its storage nodes and of their network, with its own.
    fn over_nodes(
        &self,
        page: &mut PageBuilder<'_>,
        name: &str,
        (nodes, on): (&StorageNodes, &PlacedNetwork),
        of_disks: (u64, Arc<petrio_models::cluster::replication::FileLayout>),
        wiring: &ReplicationPorts,
    ) -> Result<
        (petrio_kernel::Place<petrio_models::cluster::replication::Replicas>, Vec<Stage>),
        ReplicationError,
    > {
        let ends: Vec<&str> = on.targets.iter().map(String::as_str).collect();
        let mut network = Network::new(page, &on.name, &on.parameters, Arc::clone(&on.wiring), &ends);
        let hosts = 0..as_number(ends.len());
        let on_network: Vec<Port> = hosts.map(|host| network.port(page, host, name)).collect();
        let mut own = page.page(&pages_of_nodes(name));
        let mut processors: Vec<Processors> =
            ends.iter().map(|end| Processors::new(&mut own.page(end), nodes.processors)).collect();
        let there = Nodes {
            parameters: nodes.parameters(),
            names: &ends[ends.len().min(1)..],
            ports: &on_network,
            processors: &mut processors,
        };
        let (replicas, mut stages) =
            replication_over_nodes(page, name, &self.parameters, of_disks, wiring, there)?;
        let numbers: Vec<usize> = (0..ends.len()).collect();
        stages.extend(network.finish(page, &mut processors, &numbers));
        let mut own = page.reopen(&pages_of_nodes(name));
        for (end, processors) in ends.iter().zip(processors) {
            stages.push(processors.finish(&mut own.reopen(end)));
        }
        Ok((replicas, stages))
    }
}
