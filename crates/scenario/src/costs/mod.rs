//! What a scenario's System costs to buy and to rent, what it draws, and what its disks hold: each part by what the catalogue or the
//! scenario says of it (`petrio_models::cost`).
//!
//! ```text
//! disks, machines, adapters, networks ─ lines ─┬─ with a run's report: figures
//!                                              └─ beside those of a changed scenario: what the change costs
//! ```
//!
//! A drive or a machine whose figures the scenario changes is no longer the one that is sold: it has no price unless the scenario gives
//! one. Left out: whatever a scenario doesn't name (racks, cables), and what lies within parts without a price of their own, such as a
//! RAID controller: these are told as unknown.

mod capacity;
mod figures;
mod lines;

use crate::loaded::Loaded;
use crate::text::Problem;
pub use figures::CostDifference;
use lines::Line;
use petrio_models::cost::Cost;

/// What a scenario's parts cost, draw and hold, before any run.
#[derive(Clone, Debug)]
pub struct Costs {
    lines: Vec<Line>,
    /// What the disks hold, and what of that can be used, bytes.
    capacity: (u64, u64),
    months: u32,
}

impl Costs {
    /// Those of a scenario.
    pub fn of(loaded: &Loaded) -> Self {
        Self {
            lines: lines::lines(loaded),
            capacity: capacity::capacity(loaded),
            months: loaded.scenario.measure.months,
        }
    }

    /// What the disks hold, and what of that can be used, bytes.
    pub const fn capacity(&self) -> (u64, u64) {
        self.capacity
    }
}

/// What makes no sense of what is said of costs.
pub(crate) fn check(loaded: &Loaded) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut look = |path: String, cost: &Cost| {
        let objection = cost.objection();
        problems
            .extend(objection.map(|words| loaded.error_at(&path, format!("the cost of {path}: {words}"))));
    };
    for disk in &loaded.disks {
        look(format!("disk.{}", disk.part), disk.device.parameters().cost());
    }
    for host in &loaded.hosts.linux.hosts {
        look(format!("host.{}", host.name), &host.parameters.machine.cost);
    }
    for (name, adapter) in &loaded.scenario.hba {
        look(format!("hba.{name}"), &adapter.cost);
    }
    for (name, network) in &loaded.scenario.hosts.linux.network {
        look(format!("network.{name}"), &network.place.cost.switch);
        look(format!("network.{name}"), &network.place.cost.adapter);
    }
    // Said once of all disks of a part.
    problems.dedup_by(|one, other| one.message() == other.message());
    problems
}
