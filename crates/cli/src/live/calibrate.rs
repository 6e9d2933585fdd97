//! `petrio calibrate`

use super::calibrate_drive::OfDrive;
use super::calibrate_measured::OfMeasured;
use super::calibrate_network::OfNetwork;
use super::profile::{complete, refuse_existing, shown};
use crate::failure::Failure;
use crate::output::talk;
use crate::outputs::Outputs;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_live::calibrate::{CalibrateParameters, TimedOn, calibrate};
use petrio_scenario::report::WholeFile;
use std::path::{Path, PathBuf};

/// Measure a machine's profile here, a drive, or a network
///
/// A machine: calls, page-cache work, copies, the block layer, and a device. The profile is a TOML file that a scenario
/// names as its machine. No size is timed that a validation uses, so that a validation with it predicts. Takes about
/// two minutes, and leaves nothing behind.
///
/// A drive, with --device (or --simulated, for a drive of the catalogue whose parameters are known): rotation, zones, skews,
/// seek curve, overheads and cache, found by timing its requests. A real one takes 3 to 25 minutes. Of a device of which
/// nothing turns, it says so.
///
/// A drive that fio or iozone has measured, with --from: its figures are taken from their output, in no time.
///
/// A network, with --network: round trips and streams of messages by TCP, and the processor time that they take,
/// between two machines (--listen on one, --to on the other) or two network namespaces of this one (--namespaces).
/// Takes half a minute.
#[derive(Args)]
pub(crate) struct Calibrate {
    /// Where the profile, the drive, or the network, goes
    #[arg(
        long,
        value_name = "FILE",
        value_parser = crate::streams::output,
        required_unless_present_any = ["listen", "device", "simulated", "from"]
    )]
    out: Option<PathBuf>,
    /// A directory on whose file system files are timed; without it, as root a new ext3 over memory, else the directory
    /// for temporary files
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Time reads of this device too (it is never written), and write a device of constant rate beside the profile
    #[arg(long, value_name = "PATH", conflicts_with_all = ["network", "device", "simulated"])]
    with_device: Option<PathBuf>,
    /// Measure fewer sizes less often: some 15 seconds, a network some 8, a drive 2 to 18 minutes
    #[arg(long)]
    quick: bool,
    /// Replace the file if it is there already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    drive: OfDrive,
    #[command(flatten)]
    measured: OfMeasured,
    #[command(flatten)]
    network: OfNetwork,
}

impl Calibrate {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match &self.out {
            out if self.network.is_asked() => self.network.execute(out.as_deref(), self.quick, self.force),
            out if self.measured.is_asked() => {
                let outputs = Outputs::of([("--out", out)]);
                let inputs = Inputs::here();
                outputs.check(&inputs, self.measured.inputs())?;
                self.measured.execute(&inputs, out.as_deref(), self.drive.json(), self.force)
            }
            out if self.drive.is_asked() => self.drive.execute(out.as_deref(), self.quick, self.force),
            Some(out) => self.machine(out),
            // The arguments' rules have it.
            None => {
                Err(Failure::new("a profile needs a file to go to", Some("name one with --out".to_owned())))
            }
        }
    }

    fn machine(&self, out: &Path) -> Result<(), Failure> {
        let device_file = self.with_device.as_ref().map(|_| beside(out));
        for path in std::iter::once(out).chain(device_file.as_deref()) {
            refuse_existing(path, self.force)?;
        }
        // Begun now, so that a folder that can't be written to is said before anything is measured.
        let inputs = Inputs::none();
        let profile = WholeFile::create(out, &inputs)?;
        let device_profile =
            device_file.as_deref().map(|path| WholeFile::create(path, &inputs)).transpose()?;
        let parameters = CalibrateParameters {
            directory: self.dir.clone(),
            device: self.with_device.clone(),
            quick: self.quick,
            ..CalibrateParameters::default()
        };
        let measured = shown(|progress| calibrate(&parameters, progress));
        let calibration = measured.map_err(|error| Failure::of(&error))?;
        complete(profile, out, &calibration.to_toml())?;
        let on = match &calibration.place {
            TimedOn::OwnFileSystem => "an ext3 of its own over memory".to_owned(),
            TimedOn::Directory { kind } => format!("a directory on {kind}"),
        };
        let machine = &calibration.machine.name;
        talk(&format!("{machine}, measured on {on}: {}", out.display()));
        if let (Some(file), Some(path), Some(times)) = (device_profile, &device_file, &calibration.device) {
            complete(file, path, &times.to_toml(&format!("{}, by its reads", times.path.display())))?;
            talk(&format!("its device: {}", path.display()));
        }
        Ok(())
    }
}

/// "machine.toml" becomes "machine-device.toml".
fn beside(profile: &Path) -> PathBuf {
    let stem = profile.file_stem().unwrap_or_default().to_string_lossy();
    profile.with_file_name(format!("{stem}-device.toml"))
}
