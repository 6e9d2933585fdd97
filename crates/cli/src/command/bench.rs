//! `petrio bench`

use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::results::{say_written, write_json};
use crate::table::table;
use clap::Subcommand;
use petrio_files::inputs::Inputs;
use std::path::PathBuf;

/// Clients of the largest cluster that takes some seconds.
const QUICK_CLIENTS: u32 = 512;

/// Measure the speed of petrio itself, beside a peer or a limit in the same run
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// The net kernel, beside hand-written event loops of the same systems
    Kernel {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
        /// Firings of each system in each of seven turns
        #[arg(long, value_name = "NUMBER", default_value_t = petrio_benchmark::kernel::FIRINGS)]
        firings: u64,
    },
    /// The disk with full mechanics: three disks under an open synthetic load, and DiskSim's RAID 5 of nine
    Disk {
        /// Print the row as JSON
        #[arg(long)]
        json: bool,
        /// Requests to serve
        #[arg(long, value_name = "NUMBER", default_value_t = 3_000_000)]
        requests: u64,
    },
    /// Fitting: a million values by three gamma stages beside sorting them, and the nine densities of the field's
    /// benchmark
    Fit {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
        /// Values to fit
        #[arg(long, value_name = "NUMBER", default_value_t = petrio_benchmark::fit::VALUES)]
        values: usize,
    },
    /// File systems: operations a second, and simulated time beside real time
    Fs {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
    },
    /// Thousands of parts: what building them takes, and what a request costs among many
    Scale {
        /// Write the rows as JSON
        #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
        json: Option<PathBuf>,
    },
    /// Clusters: the 8 × 4 × 512 MB write of a parallel file system with servers of constant rate and with whole file
    /// systems, and what it costs among up to 10,000 clients
    Cluster {
        /// Leave out those that take longer than some seconds
        #[arg(long)]
        quick: bool,
        /// Write the rows as JSON
        #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
        json: Option<PathBuf>,
    },
    /// Traces: records read and characterised a second beside plain decompression, and memory at N and 4 N records
    Trace {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
        /// Records of the shorter trace
        #[arg(long, value_name = "NUMBER", default_value_t = petrio_benchmark::trace::RECORDS)]
        records: u64,
    },
}

impl Bench {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Kernel { json, firings } => {
                let rows = petrio_benchmark::kernel::measure(*firings, &mut |system| {
                    talk(&format!("measuring {system} …"));
                })
                .map_err(|error| Failure::new(error, None))?;
                if *json {
                    return print_json(&rows);
                }
                let cells: Vec<Vec<String>> =
                    rows.iter().map(petrio_benchmark::kernel::KernelSpeed::cells).collect();
                print(&table(&petrio_benchmark::kernel::KernelSpeed::HEADINGS, &cells))
            }
            Self::Disk { json, requests } => {
                let rows =
                    petrio_benchmark::disk::measure(*requests).map_err(|error| Failure::new(error, None))?;
                if *json {
                    return print_json(&rows);
                }
                let cells: Vec<Vec<String>> =
                    rows.iter().map(petrio_benchmark::disk::DiskSpeed::cells).collect();
                print(&table(&petrio_benchmark::disk::DiskSpeed::HEADINGS, &cells))
            }
            Self::Fit { json, values } => {
                let found =
                    petrio_benchmark::fit::measure(*values).map_err(|error| Failure::new(error, None))?;
                if *json {
                    return print_json(&found);
                }
                let cells: Vec<Vec<String>> =
                    found.densities.iter().map(petrio_benchmark::fit::DensityRow::cells).collect();
                let speed = table(&petrio_benchmark::fit::FitSpeed::HEADINGS, &[found.speed.cells()]);
                print(&format!("{speed}\n{}", table(&petrio_benchmark::fit::DensityRow::HEADINGS, &cells)))
            }
            Self::Fs { json } => {
                let rows =
                    petrio_benchmark::fs::measure(&mut |workload| talk(&format!("simulating: {workload} …")))
                        .map_err(|error| Failure::new(error, None))?;
                if *json {
                    return print_json(&rows);
                }
                let cells: Vec<Vec<String>> =
                    rows.iter().map(petrio_benchmark::fs::FileSystemSpeed::cells).collect();
                print(&table(&petrio_benchmark::fs::FileSystemSpeed::HEADINGS, &cells))
            }
            Self::Scale { json } => {
                Outputs::of([("--json", json)]).check(&Inputs::none(), [])?;
                let scale = petrio_benchmark::scale::Scale::default();
                let rows =
                    petrio_benchmark::scale::measure(scale, &mut |what| talk(&format!("measuring {what} …")))
                        .map_err(|error| Failure::new(error, None))?;
                if let Some(path) = json {
                    write_json(&rows, path, &Inputs::none())?;
                    say_written([path]);
                }
                let cells: Vec<Vec<String>> =
                    rows.iter().map(petrio_benchmark::scale::ScaleFigure::cells).collect();
                print(&table(&petrio_benchmark::scale::ScaleFigure::HEADINGS, &cells))
            }
            Self::Cluster { quick, json } => {
                Outputs::of([("--json", json)]).check(&Inputs::none(), [])?;
                let clusters = &petrio_benchmark::cluster::CLUSTERS;
                let small = clusters.iter().filter(|cluster| !quick || cluster.clients <= QUICK_CLIENTS);
                let small: Vec<_> = small.copied().collect();
                let rows = petrio_benchmark::cluster::measure(&small, &mut |what| {
                    talk(&format!("measuring {what} …"));
                })
                .map_err(|error| Failure::new(error, None))?;
                if let Some(path) = json {
                    write_json(&rows, path, &Inputs::none())?;
                    say_written([path]);
                }
                let cells: Vec<Vec<String>> =
                    rows.iter().map(petrio_benchmark::cluster::ClusterRow::cells).collect();
                print(&table(&petrio_benchmark::cluster::ClusterRow::HEADINGS, &cells))
            }
            Self::Trace { json, records } => {
                let petrio = std::env::current_exe().ok();
                let rows = petrio_benchmark::trace::measure(*records, petrio.as_deref(), &mut |what| {
                    talk(&format!("{what} …"));
                })
                .map_err(|error| Failure::new(error, None))?;
                if *json {
                    return print_json(&rows);
                }
                let cells: Vec<Vec<String>> =
                    rows.iter().map(petrio_benchmark::trace::ReadingSpeed::cells).collect();
                print(&table(&petrio_benchmark::trace::ReadingSpeed::HEADINGS, &cells))
            }
        }
    }
}
