//! Which of the scenario's disks a measured device is: the one that somebody names, else the one of its name, else the only one.

use super::read::refused;
use crate::compare::entrant::Entrant;
use crate::compare::error::CompareError;
use petrio_scenario::{Loaded, PlacedDisk};
use petrio_units::nearest;
use petrio_workload::over_time::DeviceOverTime;

/// So many names are named.
const NAMES_MAX: usize = 8;

fn words<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let all: Vec<&str> = names.collect();
    let more = all.len().saturating_sub(NAMES_MAX);
    let shown = all[..all.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Each measured device with its disk.
pub(super) fn matched<'d, 'l>(
    devices: &'d [DeviceOverTime],
    loaded: &'l Loaded,
    entrant: &Entrant,
    said: &[(String, String)],
) -> Result<Vec<(&'d DeviceOverTime, &'l PlacedDisk)>, CompareError> {
    let disks = &loaded.disks;
    let disk_words = || words(disks.iter().map(|disk| disk.name.as_str()));
    let unknown = |text: &str, name: &str, what: &str, known: String, near: Option<&str>| {
        let help = match near {
            Some(near) => format!("did you mean {near}?"),
            None => "say which is which: --disk DEVICE=DISK".to_owned(),
        };
        refused(text, &format!("there is no {what} {name}; there are {known}"), &help)
    };
    if disks.is_empty() {
        return Err(refused(&entrant.name, "it has no disk", "name a scenario with a [disk.NAME]"));
    }
    if !said.is_empty() {
        return said
            .iter()
            .map(|(device, disk)| {
                let text = format!("--disk {device}={disk}");
                let names = || devices.iter().map(|known| known.name.as_str());
                let own = devices.iter().find(|known| known.name == *device).ok_or_else(|| {
                    unknown(&text, device, "measured device", words(names()), nearest(device, names()))
                })?;
                Ok((
                    own,
                    find(disks, disk).ok_or_else(|| {
                        let near = nearest(disk, disks.iter().map(|disk| disk.name.as_str()));
                        unknown(&text, disk, "disk", disk_words(), near)
                    })?,
                ))
            })
            .collect();
    }
    // Those that did nothing are no disks that anybody means.
    let did: Vec<&DeviceOverTime> = devices
        .iter()
        .filter(|device| device.intervals.iter().any(|interval| interval.rate() > 0.0))
        .collect();
    let by_name: Vec<(&DeviceOverTime, &PlacedDisk)> =
        did.iter().filter_map(|device| Some((*device, find(disks, &device.name)?))).collect();
    if !by_name.is_empty() {
        return Ok(by_name);
    }
    match (did.as_slice(), disks.first()) {
        ([], _) => {
            Err(refused("measured:", "no device in it did anything", "measure while something is done"))
        }
        ([only], Some(disk)) if disks.iter().all(|other| other.part == disk.part) => Ok(vec![(only, disk)]),
        (several, _) => Err(refused(
            "measured:",
            &format!(
                "nobody says which device is which disk: measured are {}, and {} has {}",
                words(several.iter().map(|device| device.name.as_str())),
                entrant.name,
                disk_words()
            ),
            "say it: --disk DEVICE=DISK, such as --disk sda=d; it may be repeated",
        )),
    }
}

/// A disk by its name or its part's; a `disk.` before it is no part of that.
fn find<'l>(disks: &'l [PlacedDisk], name: &str) -> Option<&'l PlacedDisk> {
    let bare = name.strip_prefix("disk.").unwrap_or(name);
    disks.iter().find(|disk| disk.name == bare).or_else(|| disks.iter().find(|disk| disk.part == bare))
}
