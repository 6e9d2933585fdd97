//! Workloads that run in turn: whom they wait for must be there, and must come to an end.

use crate::checker::Checker;
use crate::scenario::Scenario;
use crate::schema::fits;
use crate::text::deserialise::suggestion;
use crate::workload::Workload;
use std::collections::BTreeSet;

impl Checker<'_, '_> {
    pub(super) fn turns(&mut self, scenario: &Scenario, name: &str, workload: &Workload) {
        let Some(after) = workload.after() else { return };
        let path = format!("workload.{name}.after");
        if matches!(workload, Workload::Events(_)) {
            let help = "leave after out, or replay it in a scenario of its own";
            self.error_at_key(&path, "a recorded trace begins when the run does", help);
            return;
        }
        let names: Vec<&str> = scenario.workload.keys().map(String::as_str).collect();
        for wanted in after.iter() {
            if !names.iter().any(|other| *other != name && fits(wanted, other)) {
                let help = suggestion(wanted, &names, "the workloads are");
                self.error(&path, format!("no other workload is called \"{wanted}\""), help);
            }
        }
        let (mut known, mut open) = (BTreeSet::new(), scenario.before(name));
        while let Some(other) = open.pop() {
            if other == name {
                let help = "let one of them begin with the run";
                self.error(&path, "these workloads wait for each other, so that none begins", help);
                return;
            }
            if known.insert(other) {
                open.extend(scenario.before(other));
            }
        }
        for other in scenario.before(name) {
            let endless = match scenario.workload.get(other) {
                Some(Workload::Accesses(load)) => load.parameters.is_endless(),
                Some(Workload::DeviceAccesses(load)) => load.parameters.is_endless(),
                Some(Workload::Synthetic(load)) => load.parameters.is_endless(),
                _ => false,
            };
            if endless {
                let help = "give it a duration";
                self.error(&path, format!("\"{other}\" never ends, so that this one never begins"), help);
            }
        }
    }
}
