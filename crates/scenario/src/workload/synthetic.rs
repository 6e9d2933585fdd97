//! `kind = "synthetic"`: random block requests, by generators that run side by side.

use super::kind::{Intensity, Load, LoadSite};
use super::longer::{longer_count, longer_span};
use crate::schema::{Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_workload::PausesDrawn;
use petrio_workload::synthetic::{Generator, Synthetic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Random requests of a described sort, by generators that run side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyntheticLoad {
    /// The disks that the requests go to. A generator's `devices` are positions in this list, from 0; left out, they
    /// are all of them.
    pub on: Names,
    /// The generators, and when they end.
    #[serde(flatten)]
    pub parameters: Synthetic,
}

impl Load for SyntheticLoad {
    fn on(&self) -> &Names {
        &self.on
    }

    fn check(&self, site: &mut LoadSite<'_, '_, '_>) {
        site.checker.synthetic(site.path, &self.parameters, site.stop);
    }

    fn is_open(&self) -> bool {
        let waits = |generator: &Generator| {
            generator.time_critical_fraction.get() + generator.time_limited_fraction.get() > 0.0
        };
        !self.parameters.generators.iter().all(waits)
    }

    fn is_closed(&self) -> bool {
        let always_waits = |generator: &Generator| {
            generator.time_critical_fraction.get() + generator.time_limited_fraction.get() >= 1.0
        };
        self.parameters.generators.iter().all(always_waits)
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::times(self.parameters.time_scale))
    }

    fn lengthen(&mut self, times: f64) -> bool {
        longer_count(&mut self.parameters.requests, times);
        longer_span(&mut self.parameters.duration, times);
        true
    }

    fn draw_pauses(&mut self) -> bool {
        self.parameters.draw_pauses()
    }
}

/// Reads random requests.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<SyntheticLoad, Vec<Problem>> {
    #[derive(Deserialize)]
    struct On {
        on: Names,
    }
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(SyntheticLoad { on, parameters })
}
