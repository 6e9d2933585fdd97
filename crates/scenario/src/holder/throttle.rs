//! `[throttle.NAME]`: a limit on what a host may ask of a device.

use super::{Built, Holder, HolderPorts, Objection, OnOne, Over, Stands};
use crate::schema::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::Lever;
use petrio_models::block::throttle::{ThrottleParameters, throttle_page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A limit on what a host may ask of a device, as blk-throttle keeps it: requests are charged before they are merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Throttle {
    /// The disk, array or fabric that it protects.
    pub on: String,
    /// The limits.
    #[serde(flatten)]
    pub parameters: ThrottleParameters,
}

/// Reads a throttle.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Throttle, Vec<Problem>> {
    let (OnOne { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Throttle { on, parameters })
}

impl Holder for Throttle {
    fn over(&self) -> Over<'_> {
        Over::One(&self.on)
    }

    fn check(&self, _: usize) -> Vec<Objection> {
        Vec::new()
    }

    fn caution(&self, _: &[u64]) -> Option<(&'static str, String)> {
        let (key, limit, rate) = self.parameters.kept_otherwise().into_iter().next()?;
        let what = key.strip_suffix("_iops").unwrap_or(key);
        let words = format!(
            "Linux counts what a throttle lets through in slices of a tenth of a second: this one lets {rate:.1} {what}s a second \
             through, not {limit}; multiples of ten are kept exactly"
        );
        Some((key, words))
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        members.iter().copied().min().unwrap_or(0)
    }

    fn stands(&self) -> Stands {
        Stands::BeforeQueue
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        self.parameters.levers(path)
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let below = ports.members.first().ok_or("it lies on nothing")?;
        let stages = throttle_page(page, name, &self.parameters, ports.requests, below.requests);
        Ok(Built { stages, ..Built::default() })
    }
}
