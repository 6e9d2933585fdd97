//! `[rearrangement.NAME]`: a device whose most used pieces are brought together.

use super::{Built, Holder, HolderPorts, Objection, OnOne, Over};
use crate::schema::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::block::rearrangement::{
    PieceOrder, RearrangementError, RearrangementParameters, RearrangementPorts, rearrangement_page,
};
use petrio_models::cluster::replication::CopyTraffic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A device that is rearranged by use: its most used pieces change places with what lies in the middle of all uses, so
/// that the arm moves less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rearrangement {
    /// The disk, array, fabric or replication that is rearranged.
    pub on: String,
    /// How.
    #[serde(flatten)]
    pub parameters: RearrangementParameters,
}

/// Reads it.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Rearrangement, Vec<Problem>> {
    let (OnOne { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Rearrangement { on, parameters })
}

impl Holder for Rearrangement {
    fn over(&self) -> Over<'_> {
        Over::One(&self.on)
    }

    fn check(&self, _: usize) -> Vec<Objection> {
        let Err(error) = self.parameters.check() else { return Vec::new() };
        let key = if matches!(error, RearrangementError::Every) { "every" } else { "piece" };
        vec![Objection { key, message: error.to_string(), help: None }]
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        self.parameters.blocks(members.iter().copied().min().unwrap_or(0))
    }

    fn words(&self, _: usize) -> Option<String> {
        let RearrangementParameters { piece, every, order, traffic, .. } = &self.parameters;
        let to = match order {
            PieceOrder::OrganPipe => "the middle of what is used",
            PieceOrder::Front => "the front",
        };
        let how = match traffic {
            CopyTraffic::Magic => ", moved at no cost",
            CopyTraffic::AtOnce => ", moved at once",
            CopyTraffic::Simulated => "",
        };
        Some(format!("pieces of {piece} brought to {to} by use every {every}{how}"))
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let below = ports.members.first().ok_or("it lies on nothing")?;
        let (requests, completions) = (ports.requests, ports.completions);
        let ports = RearrangementPorts { requests, completions, down: below.requests, up: below.completions };
        let stages = rearrangement_page(page, name, &self.parameters, below.blocks, ports);
        Ok(Built { stages: stages.map_err(|error| error.to_string())?, ..Built::default() })
    }
}
