//! `petrio calibrate`

use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use petrio_live::calibrate::{CalibrateParameters, Place, calibrate};
use petrio_scenario::report::WholeFile;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Measure a machine's profile here: calls, page-cache work, copies, the block layer, and a device
///
/// The profile is a TOML file that a scenario names as its machine. No size is timed that a validation uses, so that a
/// validation with it predicts. Takes about two minutes, and leaves nothing behind.
#[derive(Args)]
pub(crate) struct Calibrate {
    /// Where the profile goes
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    out: PathBuf,
    /// A directory on whose file system files are timed; without it, as root a new ext3 over memory, else the directory
    /// for temporary files
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Time reads of this device too (it is never written), and write a device of constant rate beside the profile
    #[arg(long, value_name = "PATH")]
    device: Option<PathBuf>,
    /// Measure fewer sizes less often: some 15 seconds
    #[arg(long)]
    quick: bool,
    /// Replace the profile if it is there already
    #[arg(long)]
    force: bool,
}

impl Calibrate {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let device_file = self.device.as_ref().map(|_| beside(&self.out));
        for path in [Some(&self.out), device_file.as_ref()].into_iter().flatten() {
            if path.exists() && !self.force {
                let help = "choose another name, or replace it with --force".to_owned();
                return Err(Failure::new(format!("{} is there already", path.display()), Some(help)));
            }
        }
        // Begun now, so that a folder that can't be written to is said before anything is measured.
        let profile = WholeFile::create(&self.out)?;
        let device_profile = device_file.as_deref().map(WholeFile::create).transpose()?;
        let bar = ProgressBar::new(1);
        if let Ok(style) = ProgressStyle::with_template("{msg:20} {wide_bar} {percent} % ({elapsed})") {
            bar.set_style(style);
        }
        let parameters = CalibrateParameters {
            directory: self.dir.clone(),
            device: self.device.clone(),
            quick: self.quick,
            ..CalibrateParameters::default()
        };
        let measured = calibrate(&parameters, &mut |step| {
            bar.set_length(step.total);
            bar.set_position(step.done);
            bar.set_message(step.what);
        });
        bar.finish_and_clear();
        let calibration = measured.map_err(|error| Failure::of(&error))?;
        complete(profile, &self.out, &calibration.to_toml())?;
        let on = match &calibration.place {
            Place::OwnFileSystem => "an ext3 of its own over memory".to_owned(),
            Place::Directory { kind } => format!("a directory on {kind}"),
        };
        let machine = &calibration.machine.name;
        talk(&format!("{machine}, measured on {on}: {}", self.out.display()));
        if let (Some(file), Some(path), Some(times)) = (device_profile, &device_file, &calibration.device) {
            complete(file, path, &times.to_toml(&format!("{}, by its reads", times.path.display())))?;
            talk(&format!("its device: {}", path.display()));
        }
        Ok(())
    }
}

fn complete(mut file: WholeFile, path: &Path, text: &str) -> Result<(), Failure> {
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| Failure::Output(format!("{} can't be written: {error}", path.display())))?;
    Ok(file.finish()?)
}

/// "machine.toml" becomes "machine-device.toml".
fn beside(profile: &Path) -> PathBuf {
    let stem = profile.file_stem().unwrap_or_default().to_string_lossy();
    profile.with_file_name(format!("{stem}-device.toml"))
}
