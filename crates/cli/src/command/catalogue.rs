//! `petrio catalogue`

use crate::failure::Failure;
use crate::output::{print, talk};
use crate::table::table;
use clap::{Subcommand, ValueEnum};
use petrio_files::inputs::Inputs;
use petrio_scenario::catalogue::{
    SHELVES, adapter_summaries, array_summaries, device_summaries, disksim, drive_toml, kernel_summaries,
    machine_summaries, network_summaries,
};
use std::path::{Path, PathBuf};

/// The drives, machines, kernels, networks, arrays and adapters that petrio knows, and drives from elsewhere
#[derive(Subcommand)]
pub(crate) enum Catalogue {
    /// Name the drives, the machines, the kernels, the networks, the arrays or the adapters
    List {
        /// Which of them
        #[arg(value_enum, default_value = "drives")]
        what: What,
    },
    /// Print a drive, a machine, a kernel, a network, an array or an adapter, every figure with unit and source
    Show {
        /// Its name, as in `petrio catalogue list`
        name: String,
    },
    /// Read a DiskSim parameter file (.parv, .diskspecs, with the .model and .seek files that it names) and print the
    /// drive as a catalogue file; what petrio doesn't model is listed
    Import {
        /// The parameter file
        #[arg(value_parser = crate::streams::input)]
        file: PathBuf,
        /// Which drive, where the file describes several
        #[arg(long, value_name = "NAME")]
        drive: Option<String>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum What {
    /// Drives and other devices
    Drives,
    /// Machines: what calls, page-cache work and copies cost
    Machines,
    /// Kernels: which algorithms, and which constants
    Kernels,
    /// Networks: links, and what carries messages over them
    Networks,
    /// Arrays: software and controllers, for `use` in [raid.NAME]
    Arrays,
    /// Host adapters: IDE, SCSI, Fibre Channel, for `use` in [hba.NAME]
    Adapters,
}

impl Catalogue {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::List { what } => list(*what),
            Self::Show { name } => match SHELVES.iter().find_map(|shelf| shelf.text(name)) {
                Some(text) => print(text),
                None => Err(unknown(name)),
            },
            Self::Import { file, drive } => import(file, drive.as_deref()),
        }
    }
}

fn list(what: What) -> Result<(), Failure> {
    let failed = |problem| Failure::new(problem, None);
    let text = match what {
        What::Drives => {
            let rows: Vec<Vec<String>> = (device_summaries().map_err(failed)?.into_iter())
                .map(|drive| {
                    vec![drive.key.to_owned(), drive.name, drive.size, drive.speed, drive.price, drive.power]
                })
                .collect();
            table(&["name", "drive", "size", "speed", "price", "idle / at work"], &rows)
        }
        What::Machines => machines()?,
        What::Kernels => {
            let rows: Vec<Vec<String>> = (kernel_summaries().map_err(failed)?.into_iter())
                .map(|kernel| {
                    vec![
                        kernel.key.to_owned(),
                        kernel.name,
                        kernel.read_ahead,
                        kernel.dirty,
                        kernel.scheduler,
                    ]
                })
                .collect();
            table(&["name", "kernel", "read-ahead", "dirty: background / limit", "scheduler"], &rows)
        }
        What::Networks => {
            let rows: Vec<Vec<String>> = (network_summaries().map_err(failed)?.into_iter())
                .map(|network| {
                    vec![network.key.to_owned(), network.name, network.rate, network.latency, network.data]
                })
                .collect();
            table(&["name", "network", "links", "latency", "of it data"], &rows)
        }
        What::Arrays => {
            let rows: Vec<Vec<String>> = (array_summaries().map_err(failed)?.into_iter())
                .map(|array| vec![array.key.to_owned(), array.name, array.stripe_unit, array.cache])
                .collect();
            table(&["name", "array", "stripe unit", "cache"], &rows)
        }
        What::Adapters => adapters()?,
    };
    print(&text)
}

/// Machines, with what they cost and draw.
fn machines() -> Result<String, Failure> {
    let rows: Vec<Vec<String>> = (machine_summaries()
        .map_err(|problem| Failure::new(problem, None))?
        .into_iter())
    .map(|machine| {
        let processors = machine.processors.to_string();
        let (price, power) = (machine.price, machine.power);
        vec![machine.key.to_owned(), machine.name, processors, machine.memory, machine.knee, price, power]
    })
    .collect();
    Ok(table(
        &["name", "machine", "processors", "memory", "copies within L2", "price", "idle / at work"],
        &rows,
    ))
}

/// Adapters and instances, with what they cost.
fn adapters() -> Result<String, Failure> {
    let rows: Vec<Vec<String>> =
        (adapter_summaries().map_err(|problem| Failure::new(problem, None))?.into_iter())
            .map(|adapter| {
                let commands = adapter.commands.to_owned();
                let rate = adapter.rate;
                vec![adapter.key.to_owned(), adapter.name, adapter.channels, rate, commands, adapter.price]
            })
            .collect();
    Ok(table(&["name", "adapter", "channels", "each carries", "disks on one are served", "price"], &rows))
}

fn import(file: &Path, wanted: Option<&str>) -> Result<(), Failure> {
    let imported = disksim::import(&Inputs::here(), file).map_err(|error| Failure::new(error, None))?;
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
    let help = match SHELVES.iter().find_map(|shelf| shelf.nearest(name)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => {
            let names =
                |shelf: &petrio_scenario::catalogue::Shelf| shelf.names().collect::<Vec<_>>().join(", ");
            format!("there are {}", SHELVES.iter().map(names).collect::<Vec<_>>().join(", "))
        }
    };
    Failure::new(
        format!("the catalogue has no drive, machine, kernel, network, array or adapter \"{name}\""),
        Some(help),
    )
}
