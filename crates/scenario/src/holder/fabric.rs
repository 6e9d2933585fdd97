//! `[fabric.NAME]`: a network of storage between a host and what it uses there.

use super::{Built, Holder, HolderPorts, Objection, OnOne, Over};
use crate::schema::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::Lever;
use petrio_models::block::fabric::{FabricParameters, fabric_page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network of storage between a host and what it uses there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fabric {
    /// The disk or array at its far end.
    pub on: String,
    /// Its links.
    #[serde(flatten)]
    pub parameters: FabricParameters,
}

/// Reads a fabric.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Fabric, Vec<Problem>> {
    let (OnOne { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Fabric { on, parameters })
}

impl Holder for Fabric {
    fn over(&self) -> Over<'_> {
        Over::One(&self.on)
    }

    fn check(&self, _: usize) -> Vec<Objection> {
        Vec::new()
    }

    fn passes_discards(&self) -> bool {
        true
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        members.iter().copied().min().unwrap_or(0)
    }

    fn hardware(&self, _: usize) -> Option<(u64, &'static str)> {
        Some((1, "fabric"))
    }

    fn inner_pages(&self) -> &'static [(&'static str, &'static str)] {
        &[("adapter", "fabric's adapter"), ("link", "fabric's link")]
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        self.parameters.levers(path)
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let below = ports.members.first().ok_or("it lies on nothing")?;
        let (above, below) = ((ports.requests, ports.completions), (below.requests, below.completions));
        Ok(Built { stages: fabric_page(page, name, &self.parameters, above, below), ..Built::default() })
    }
}
