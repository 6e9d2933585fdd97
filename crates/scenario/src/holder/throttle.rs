//! `[throttle.NAME]`: a limit on what a host may ask of a device.

use super::{Built, Holder, HolderPorts, Objection, OnOne, Over, Stands};
use crate::schema::read_apart;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::Lever;
use petrio_models::device::throttle::{KeptBy, ThrottleParameters, passing_page, throttle_page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A limit on what a host may ask of a device: as the kernel keeps it for a control group, where requests are charged before they are
/// merged, or as QEMU keeps it for a guest's drive.
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
        let objection = |(key, message, help): (&'static str, String, &str)| Objection {
            key,
            message,
            help: Some(help.to_owned()),
        };
        self.parameters.objections().into_iter().map(objection).collect()
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

    fn passes_discards(&self) -> bool {
        true
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        members.iter().copied().min().unwrap_or(0)
    }

    fn stands(&self) -> Stands {
        match self.parameters.kept_by {
            KeptBy::Linux => Stands::BeforeQueue,
            // A guest's drive, below the guest's own queue.
            KeptBy::Qemu => Stands::Below,
        }
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        self.parameters.levers(path)
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let below = ports.members.first().ok_or("it lies on nothing")?;
        let (stages, credits) = throttle_page(page, name, &self.parameters, ports.requests, below.requests);
        if self.stands() == Stands::Below {
            passing_page(page, name, below.completions, ports.completions);
        }
        Ok(Built { stages, credits, ..Built::default() })
    }
}
