//! The scenario's keys that the measurement changes, as TOML and as settings.

use super::read::refused;
use super::{BesideOverTime, DeviceBeside};
use crate::compare::entrant::Entrant;
use crate::compare::error::CompareError;
use petrio_page::numbers::counted;
use petrio_scenario::{Override, PlacedDisk, text_with};

/// A patch is of one scenario, and each disk has one measurement.
pub(super) fn check(work: &[(&Entrant, &str, &PlacedDisk)]) -> Result<(), CompareError> {
    let Some((first, ..)) = work.first() else { return Ok(()) };
    if let Some((other, ..)) = work.iter().find(|(entrant, ..)| entrant.letter != first.letter) {
        return Err(refused(
            "--patch",
            &format!("a patch is of one scenario, and there are {} and {}", first.name, other.name),
            "name one",
        ));
    }
    for (place, (_, device, disk)) in work.iter().enumerate() {
        if let Some((_, before, _)) = work[..place].iter().find(|(.., known)| known.part == disk.part) {
            return Err(refused(
                "--patch",
                &format!(
                    "{before} and {device} are both held against {}, whose parameters can't be those of both",
                    disk.part
                ),
                "name one of them with --disk",
            ));
        }
    }
    Ok(())
}

/// The settings of all devices that have some.
fn settings(found: &BesideOverTime) -> impl Iterator<Item = (&DeviceBeside, String, String)> {
    let calibrated = |device: &&DeviceBeside| {
        device.calibration.as_ref().is_some_and(|calibration| calibration.refused.is_none())
    };
    found.devices.iter().filter(calibrated).flat_map(|device| {
        let fitted = device.calibration.iter().flat_map(|calibration| &calibration.fitted);
        fitted.map(move |fitted| (device, fitted.key.clone(), fitted.fitted.clone()))
    })
}

/// The patch: the changed keys, and in comments where they are from; nothing where no device has any.
pub fn patch_text(found: &BesideOverTime) -> Option<String> {
    let changes: Vec<Override> =
        settings(found).map(|(_, key, value)| Override::new(&key, &quoted(&value))).collect();
    if changes.is_empty() {
        return None;
    }
    let mut head = String::new();
    for contender in &found.contenders {
        head.push_str(&format!(
            "# What was measured of the disks of {}: these keys in the place of its own.\n",
            contender.name
        ));
    }
    for device in &found.devices {
        let Some(calibration) = &device.calibration else { continue };
        let Some(held_out) = calibration.held_out.filter(|_| calibration.refused.is_none()) else { continue };
        head.push_str(&format!(
            "# {} as {}: fitted to {}, tried on {}, where predicted times are off by {:.1} % with them and by {:.1} % without.\n",
            device.disk,
            device.device,
            counted(calibration.fitted_to as u64, "interval", "intervals"),
            held_out.intervals,
            held_out.after * 100.0,
            held_out.before * 100.0
        ));
    }
    let set: Vec<String> =
        settings(found).map(|(_, key, value)| format!("--set '{key}={}'", quoted(&value))).collect();
    head.push_str(&format!("# As settings: {}\n", set.join(" ")));
    let body = text_with("", &changes).ok()?;
    Some(format!("{head}\n{}\n", body.trim()))
}

/// A text in quotes, a number without.
pub(super) fn quoted(value: &str) -> String {
    if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("\"{value}\"") }
}
