//! `petrio calibrate --device` and `--simulated`

use super::profile::{complete, refuse_existing, shown};
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::streams::told;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_live::calibrate::drive::{
    Compared, DriveCalibrationError, Effort, Found, Made, Paced, RealDrive, Simulated, TimedDrive, Verified,
    compare, compared_table, constant_toml, extract, verified_table, verify,
};
use petrio_models::device::disk::{DiskParameters, Drive};
use petrio_scenario::catalogue::{DEVICES, Device, devices, drive_toml};
use petrio_scenario::report::WholeFile;
use petrio_units::Bytes;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How long it takes, before the bar can tell.
const LONG: &str = "a disk takes 3 to 25 minutes, with --quick 2 to 18: the more segments its cache and the more defects its tracks have, the longer";

/// What is asked of a drive's measurement.
#[derive(Args)]
#[command(next_help_heading = "A drive")]
pub(super) struct OfDrive {
    /// Measure a drive instead, by nothing but the times of its requests: rotation, zones, skews, seek curve, overheads,
    /// cache; --out writes it in the catalogue's form. A block device (as root, for direct I/O) or a large file. Only read,
    /// unless --write is said
    #[arg(long, value_name = "PATH", conflicts_with_all = ["dir", "network", "simulated"])]
    device: Option<PathBuf>,
    /// Measure a simulated drive of the catalogue in the same way, and print what was found beside what is so
    #[arg(long, value_name = "NAME", conflicts_with_all = ["dir", "network", "write"])]
    simulated: Option<String>,
    /// Let the simulated drive take its time by the wall clock, with the noise of this machine
    #[arg(long, requires = "simulated", conflicts_with = "device")]
    real_time: bool,
    /// Time writes too: what was read is written back. Refused where the device is mounted
    #[arg(long, requires = "device")]
    write: bool,
    /// Print what was found as JSON
    #[arg(long, conflicts_with = "network")]
    json: bool,
    /// Where the pseudo-random places begin
    #[arg(long, value_name = "NUMBER", default_value_t = 1, conflicts_with = "network")]
    seed: u64,
}

impl From<DriveCalibrationError> for Failure {
    fn from(error: DriveCalibrationError) -> Self {
        match error {
            DriveCalibrationError::Request { .. } => Self::output(&error),
            other => Self::of(&other),
        }
    }
}

/// All that is printed as JSON.
#[derive(Serialize)]
struct Answer<'a> {
    found: &'a Found,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<Verified>,
    /// What of that doesn't fit, and why that may be.
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    compared: Vec<Compared>,
}

impl OfDrive {
    /// Whether a drive is to be measured, and not the machine.
    pub(super) const fn is_asked(&self) -> bool {
        self.device.is_some() || self.simulated.is_some()
    }

    /// Whether what was found is printed as JSON.
    pub(super) const fn json(&self) -> bool {
        self.json
    }

    pub(super) fn execute(&self, out: Option<&Path>, quick: bool, force: bool) -> Result<(), Failure> {
        let effort = if quick { Effort::quick() } else { Effort::full() };
        let effort = Effort { seed: self.seed, write: self.write || self.simulated.is_some(), ..effort };
        if let Some(out) = out {
            refuse_existing(out, force)?;
        }
        match (&self.simulated, &self.device) {
            (Some(name), _) => {
                let truth = known(name)?;
                let drive = Drive::new(&truth).map_err(|error| Failure::new(error, None))?;
                let name = format!("{} found by its times", truth.name);
                if self.real_time {
                    talk(LONG);
                    self.measure(&mut Paced::new(&drive), &name, &effort, Some(&truth), out)
                } else {
                    self.measure(&mut Simulated::new(&drive), &name, &effort, Some(&truth), out)
                }
            }
            (None, Some(path)) => {
                let mut drive = RealDrive::open(path, self.write)?;
                if let Some(bytes) = drive.holes() {
                    talk(&format!(
                        "warning: {} of {} were never written: they come from nowhere, and not from the device below",
                        Bytes(bytes),
                        told(path)
                    ));
                }
                talk(LONG);
                self.measure(&mut drive, &path.display().to_string(), &effort, None, out)
            }
            // The arguments' rules have it.
            (None, None) => Err(Failure::new("no drive is named", Some("name one with --device".to_owned()))),
        }
    }

    fn measure(
        &self,
        drive: &mut (dyn TimedDrive + Send),
        name: &str,
        effort: &Effort,
        truth: Option<&DiskParameters>,
        out: Option<&Path>,
    ) -> Result<(), Failure> {
        // Begun now, so that a folder that can't be written to is said before anything is measured.
        let file = out.map(|out| WholeFile::create(out, &Inputs::none())).transpose()?;
        let found = shown(|progress| extract(drive, effort, progress))?;
        let (text, verified, compared, warnings) = match &found {
            Found::Constant(constant) => {
                // Of a drive, simulated or not, that was to be written.
                let unwritten = effort.write.then(|| NOT_WRITTEN.to_owned());
                let warnings: Vec<String> = unwritten.into_iter().collect();
                let text = warned("Of this device isn't known:", &warnings, &constant_toml(constant, name));
                (text, None, Vec::new(), warnings)
            }
            Found::Disk(disk) => {
                let source = format!(
                    "Measured by petrio calibrate --device: {} requests, one at a time; sums of times that can't be told apart stand in one figure",
                    disk.requests
                );
                let made = Made::of(disk, name, &source).drive;
                let model = Drive::new(&made).map_err(|error| Failure::new(error, None))?;
                let verified = verify(drive, &mut Simulated::new(&model), disk, effort)?;
                let warnings = verified.warnings(disk);
                let compared = truth.map(|truth| compare(disk, truth)).unwrap_or_default();
                let text = drive_toml(&made).map_err(|error| Failure::new(error, None))?;
                let text = warned("This drive doesn't do what the measured one does:", &warnings, &text);
                (text, Some(verified), compared, warnings)
            }
        };
        if let (Some(file), Some(out)) = (file, out) {
            complete(file, out, &text)?;
            talk(&format!("the drive, for a scenario: disk.d.file = \"{}\"", told(out)));
        }
        for warning in &warnings {
            talk(&format!("warning: {warning}"));
        }
        if self.json {
            return print_json(&Answer { found: &found, verified, warnings, compared });
        }
        let mut table = format!("{name}\n{}", found.to_table());
        if !compared.is_empty() {
            table.push_str("\nFound, and what is so; of zones and seeks, where they are furthest apart:\n");
            table.push_str(&compared_table(&compared));
        }
        if let Some(verified) = &verified {
            table.push_str("\nThe device, and a simulated drive with what was found:\n");
            table.push_str(&verified_table(verified));
        }
        print(&table)
    }
}

/// What is said where writes were to be timed of what doesn't turn.
const NOT_WRITTEN: &str =
    "--write: as nothing turns there, writes were not timed; they are taken to be as quick as reads";

/// A drive's text, with warnings in comments before it: whoever reads the file hasn't seen what was printed.
fn warned(head: &str, warnings: &[String], text: &str) -> String {
    if warnings.is_empty() {
        return text.to_owned();
    }
    let lines: String = warnings.iter().map(|warning| format!("# - {warning}\n")).collect();
    format!("# {head}\n{lines}\n{text}")
}

/// A mechanical drive of the catalogue.
fn known(name: &str) -> Result<DiskParameters, Failure> {
    let all = devices().map_err(|problem| Failure::new(problem, None))?;
    match all.into_iter().find(|(known, _)| *known == name) {
        Some((_, Device::Disk(drive))) => Ok(*drive),
        Some(_) => {
            let help = "name a mechanical one; `petrio catalogue list` has them".to_owned();
            Err(Failure::new(format!("\"{name}\" has no geometry that could be found"), Some(help)))
        }
        None => {
            Err(Failure::new(format!("the catalogue has no drive \"{name}\""), Some(DEVICES.advice(name))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_stands_in_comments_before_the_drive() {
        assert_eq!(warned("Off:", &[], "name = 1\n"), "name = 1\n");
        let text = warned("Off:", &["reads".to_owned(), "noise".to_owned()], "name = 1\n");
        assert_eq!(text, "# Off:\n# - reads\n# - noise\n\nname = 1\n");
    }
}
