//! Counts what reaches the devices, by what it is for: what is sent there, and what arrays rebuild in strides, for which nothing is.

use crate::build::{Redundant, System};
use crate::report::{Traffic, TrafficFigures};
use petrio_colours::BlockRequest;
use petrio_kernel::Simulation;
use std::collections::BTreeMap;

/// Begins to count, where requests can be for more than data.
pub(super) fn watch(system: &System, run: &mut Simulation) {
    if system.has_purposes {
        for &(port, _) in &system.driven.devices {
            run.observe(port, Traffic::default(), |traffic, _, request: &BlockRequest| traffic.add(request));
        }
    }
}

/// Forgets what has been counted.
pub(super) fn restart(system: &System, run: &mut Simulation) {
    let strided = strided(system, run);
    for (number, &(port, _)) in system.driven.devices.iter().enumerate() {
        if let Some(traffic) = run.observed_mut::<_, Traffic>(port) {
            *traffic = Traffic::after(strided.get(&number).copied().unwrap_or_default());
        }
    }
}

/// Bytes that arrays have read and written in strides, by the number of the device; none where none has.
fn strided(system: &System, run: &Simulation) -> BTreeMap<usize, (u64, u64)> {
    let mut all: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for Redundant { array, over, .. } in &system.arrays {
        run.for_each_token(*array, |array| {
            let array = array.at(run.now());
            for (port, &device) in over.iter().enumerate() {
                let (read, written) = array.strided(port);
                if read + written > 0 {
                    let sum = all.entry(device).or_default();
                    *sum = (sum.0 + read, sum.1 + written);
                }
            }
        });
    }
    all
}

/// What has been counted, by class, in the order of the devices.
pub(super) fn traffic(system: &System, run: &Simulation) -> Vec<TrafficFigures> {
    let mut all: indexmap::IndexMap<&str, (Traffic, u64)> = indexmap::IndexMap::new();
    let strided = strided(system, run);
    for (number, (&(port, _), class)) in system.driven.devices.iter().zip(&system.device_classes).enumerate()
    {
        let Some(traffic) = run.observed::<_, Traffic>(port) else { continue };
        let (sum, devices) = all.entry(class).or_default();
        match strided.get(&number) {
            Some(&strided) => sum.and(&traffic.with_strides(strided)),
            None => sum.and(traffic),
        }
        *devices += 1;
    }
    all.into_iter().map(|(class, (sum, devices))| sum.figures(class.to_owned(), devices)).collect()
}
