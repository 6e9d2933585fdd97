//! Counts what reaches the devices, by what it is for.

use crate::build::System;
use crate::report::{Traffic, TrafficFigures};
use petrio_colours::BlockRequest;
use petrio_kernel::Simulation;

/// Begins to count, where requests can be for more than data.
pub(super) fn watch(system: &System, run: &mut Simulation) {
    if system.has_purposes {
        for &(port, _) in &system.devices {
            run.observe(port, Traffic::default(), |traffic, _, request: &BlockRequest| traffic.add(request));
        }
    }
}

/// Forgets what has been counted.
pub(super) fn restart(system: &System, run: &mut Simulation) {
    for &(port, _) in &system.devices {
        if let Some(traffic) = run.observed_mut::<_, Traffic>(port) {
            *traffic = Traffic::default();
        }
    }
}

/// What has been counted, by class, in the order of the devices.
pub(super) fn traffic(system: &System, run: &Simulation) -> Vec<TrafficFigures> {
    let mut all: indexmap::IndexMap<&str, (Traffic, u64)> = indexmap::IndexMap::new();
    for (&(port, _), class) in system.devices.iter().zip(&system.device_classes) {
        let Some(traffic) = run.observed::<_, Traffic>(port) else { continue };
        let (sum, devices) = all.entry(class).or_default();
        sum.and(traffic);
        *devices += 1;
    }
    all.into_iter().map(|(class, (sum, devices))| sum.figures(class.to_owned(), devices)).collect()
}
