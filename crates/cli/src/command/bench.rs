//! `petrio bench`

use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::results::{say_written, write_json};
use crate::table::table;
use clap::Subcommand;
use petrio_benchmark::aim::AimedFigure;
use petrio_benchmark::cluster::{CLUSTERS, ClusterRow, words};
use petrio_benchmark::disk::DiskSpeed;
use petrio_benchmark::fit::{DensityRow, FitSpeed};
use petrio_benchmark::fs::FileSystemSpeed;
use petrio_benchmark::kernel::KernelSpeed;
use petrio_benchmark::scale::{Scale, ScaleFigure};
use petrio_benchmark::trace::ReadingSpeed;
use petrio_benchmark::{cluster, disk, fit, fs, kernel, live, scale, sweep, trace};
use petrio_files::inputs::Inputs;
use serde::Serialize;
use std::path::Path;
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
    /// systems, and what messages of PVFS, of PVFS 2's metadata and of NFS cost among up to 10,000 clients
    Cluster {
        /// Leave out those that take longer than some seconds
        #[arg(long)]
        quick: bool,
        /// Only those whose name, as the table has it, has this in it
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// Write the rows as JSON
        #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
        json: Option<PathBuf>,
    },
    /// Real programs: what a call costs that is recorded or executed, what computing costs meanwhile, and how late an emulated drive
    /// answers
    Live {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
    },
    /// Sweeps and loads: what a case costs among ten thousand beside a single run, memory, and how near the limits and knees that are
    /// found come to formulas and to a grid of 300 runs
    Sweep {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
        /// Cases of the larger sweep
        #[arg(long, value_name = "NUMBER", default_value_t = petrio_benchmark::sweep::CASES, value_parser = clap::value_parser!(u64).range(1_000..))]
        cases: u64,
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
                let rows = kernel::measure(*firings, &mut measuring).map_err(failed)?;
                tell(&rows, *json, &KernelSpeed::HEADINGS, KernelSpeed::cells)
            }
            Self::Disk { json, requests } => {
                let rows = disk::measure(*requests).map_err(failed)?;
                tell(&rows, *json, &DiskSpeed::HEADINGS, DiskSpeed::cells)
            }
            Self::Fit { json, values } => {
                let found = fit::measure(*values).map_err(failed)?;
                if *json {
                    return print_json(&found);
                }
                tell(&[found.speed], false, &FitSpeed::HEADINGS, FitSpeed::cells)?;
                print("\n")?;
                tell(&found.densities, false, &DensityRow::HEADINGS, DensityRow::cells)
            }
            Self::Fs { json } => {
                let rows = fs::measure(&mut |workload| talk(&format!("simulating: {workload} …")))
                    .map_err(failed)?;
                tell(&rows, *json, &FileSystemSpeed::HEADINGS, FileSystemSpeed::cells)
            }
            Self::Scale { json } => {
                Outputs::of([("--json", json)]).check(&Inputs::none(), [])?;
                let rows = scale::measure(Scale::default(), &mut measuring).map_err(failed)?;
                leave(&rows, json.as_deref())?;
                tell(&rows, false, &ScaleFigure::HEADINGS, ScaleFigure::cells)
            }
            Self::Cluster { quick, only, json } => {
                Outputs::of([("--json", json)]).check(&Inputs::none(), [])?;
                let wanted = CLUSTERS.iter().filter(|cluster| {
                    let named = only.as_ref().is_none_or(|text| words(cluster).contains(text));
                    named && (!quick || cluster.clients <= QUICK_CLIENTS)
                });
                let wanted: Vec<_> = wanted.copied().collect();
                let rows = cluster::measure(&wanted, &mut measuring).map_err(failed)?;
                leave(&rows, json.as_deref())?;
                tell(&rows, false, &ClusterRow::HEADINGS, ClusterRow::cells)
            }
            Self::Live { json } => {
                let petrio = std::env::current_exe().map_err(failed)?;
                let rows = live::measure(&petrio, &mut measuring).map_err(failed)?;
                tell(&rows, *json, &AimedFigure::HEADINGS, AimedFigure::cells)
            }
            Self::Sweep { json, cases } => {
                let rows = sweep::measure(*cases, &mut measuring).map_err(failed)?;
                tell(&rows, *json, &AimedFigure::HEADINGS, AimedFigure::cells)
            }
            Self::Trace { json, records } => {
                let petrio = std::env::current_exe().ok();
                let mut say = |what: &str| talk(&format!("{what} …"));
                let rows = trace::measure(*records, petrio.as_deref(), &mut say).map_err(failed)?;
                tell(&rows, *json, &ReadingSpeed::HEADINGS, ReadingSpeed::cells)
            }
        }
    }
}

fn measuring(what: &str) {
    talk(&format!("measuring {what} …"));
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(error, None)
}

/// Prints what was measured: as JSON, or as a table.
fn tell<R: Serialize>(
    rows: &[R],
    json: bool,
    headings: &[&str],
    cells: impl Fn(&R) -> Vec<String>,
) -> Result<(), Failure> {
    if json {
        return print_json(&rows);
    }
    print(&table(headings, &rows.iter().map(cells).collect::<Vec<_>>()))
}

/// Leaves it as JSON in a file, where one is named.
fn leave<R: Serialize>(rows: &[R], json: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = json else { return Ok(()) };
    write_json(&rows, path, &Inputs::none())?;
    say_written([path]);
    Ok(())
}
