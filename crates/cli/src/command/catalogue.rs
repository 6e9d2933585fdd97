//! `petrio catalogue`

use crate::failure::Failure;
use crate::output::{print, talk};
use crate::table::table;
use clap::Subcommand;
use petrio_scenario::catalogue::{
    device_names, device_summaries, device_text, disksim, drive_toml, nearest_device,
};
use std::path::{Path, PathBuf};

/// The drives that petrio knows, and drives from elsewhere
#[derive(Subcommand)]
pub(crate) enum Catalogue {
    /// Name the drives
    List,
    /// Print a drive, every figure with unit and source
    Show {
        /// The drive's name, as in `petrio catalogue list`
        name: String,
    },
    /// Read a DiskSim parameter file (.parv, .diskspecs, with the .model and .seek files that it names) and print the
    /// drive as a catalogue file; what petrio doesn't model is listed
    Import {
        /// The parameter file
        file: PathBuf,
        /// Which drive, where the file describes several
        #[arg(long, value_name = "NAME")]
        drive: Option<String>,
    },
}

impl Catalogue {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::List => {
                let rows: Vec<Vec<String>> = device_summaries()
                    .map_err(|problem| Failure::new(problem, None))?
                    .into_iter()
                    .map(|summary| vec![summary.key.to_owned(), summary.name, summary.size, summary.speed])
                    .collect();
                print(&table(&["name", "drive", "size", "speed"], &rows))
            }
            Self::Show { name } => match device_text(name) {
                Some(text) => print(text),
                None => Err(unknown(name)),
            },
            Self::Import { file, drive } => import(file, drive.as_deref()),
        }
    }
}

fn import(file: &Path, wanted: Option<&str>) -> Result<(), Failure> {
    let imported = disksim::import(file).map_err(|error| Failure::new(error, None))?;
    for ignored in &imported.ignored {
        talk(&format!("note: {ignored}"));
    }
    let names = || imported.drives.iter().map(|drive| drive.name.as_str()).collect::<Vec<_>>().join(", ");
    let drive = match (wanted, imported.drives.as_slice()) {
        (Some(wanted), drives) => drives.iter().find(|drive| drive.name == wanted).ok_or_else(|| {
            Failure::new(
                format!("{} describes no drive \"{wanted}\"", file.display()),
                Some(format!("it describes {}", names())),
            )
        })?,
        (None, [drive]) => drive,
        (None, []) => return Err(Failure::new(format!("{} describes no drive", file.display()), None)),
        (None, _) => {
            let help = format!("choose one with --drive: {}", names());
            return Err(Failure::new(format!("{} describes several drives", file.display()), Some(help)));
        }
    };
    print(&drive_toml(drive).map_err(|error| Failure::Output(error.to_string()))?)
}

fn unknown(name: &str) -> Failure {
    let help = match nearest_device(name) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("there are {}", device_names().collect::<Vec<_>>().join(", ")),
    };
    Failure::new(format!("the catalogue has no drive \"{name}\""), Some(help))
}
