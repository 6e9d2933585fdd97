//! `[replication.NAME]`: several copies of files on several disks.

use super::{Built, BuiltReplication, Holder, HolderPorts, Objection, Over};
use crate::report::counted;
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::cluster::replication::{ReplicationParameters, ReplicationPorts, replication_page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Several copies of files on several disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replication {
    /// The disks (or arrays) on which copies lie. Analytic disks (`petrio catalogue list`) tell exactly what a request
    /// would meet; of others, what is on its way to them is counted.
    pub on: Names,
    /// How many copies, when, and where.
    #[serde(flatten)]
    pub parameters: ReplicationParameters,
}

/// Reads a replication.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Replication, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct On {
        on: Names,
    }
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Replication { on, parameters })
}

impl Holder for Replication {
    fn over(&self) -> Over<'_> {
        Over::Several(&self.on)
    }

    fn check(&self, members: usize) -> Vec<Objection> {
        let error = self.parameters.most_copies(members).err();
        let objection = |error: petrio_models::cluster::replication::ReplicationError| Objection {
            key: "",
            message: error.to_string(),
            help: None,
        };
        error.map(objection).into_iter().collect()
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        self.parameters.blocks(members.iter().copied().min().unwrap_or(0))
    }

    fn words(&self, members: usize) -> Option<String> {
        let most = self.parameters.most_copies(members).unwrap_or(1);
        let copies = counted(most.into(), "copy", "copies");
        let protocol = self.parameters.protocol.words().map_or(String::new(), |words| format!(", {words}"));
        Some(format!("up to {copies} of a file ({}{protocol})", self.parameters.policy.words()))
    }

    fn knows_files(&self) -> bool {
        true
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let disks =
            ports.members.iter().map(|member| (member.requests, member.completions, member.sight)).collect();
        let operations = page.fifo(&format!("{name}-file-events"));
        let (requests, completions) = (ports.requests, ports.completions);
        let wiring = ReplicationPorts { operations, requests, completions, disks };
        let smallest = ports.members.iter().map(|member| member.blocks).min().unwrap_or(0);
        let built =
            replication_page(page, name, &self.parameters, (smallest, Arc::clone(&ports.files)), &wiring);
        let (replicas, stages) = built.map_err(|error| error.to_string())?;
        Ok(Built { stages, replication: Some(BuiltReplication { operations, replicas }), ..Built::default() })
    }
}
