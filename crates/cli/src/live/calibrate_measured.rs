//! `petrio calibrate --from`

use super::profile::{complete, refuse_existing};
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::streams::told;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_live::calibrate::{
    FoundByMeasurement, MeasuredDevice, MeasuredRows, Taken, device_of, measured_rows,
};
use petrio_models::device::ssd::Interface;
use petrio_page::numbers::{grouped, rate_unit, significant, time};
use petrio_scenario::catalogue::device_toml;
use petrio_scenario::report::{WholeFile, table};
use petrio_units::Bytes;
use petrio_units::numbers::nearest_whole;
use std::path::{Path, PathBuf};

/// What is asked of a drive that was measured by another program.
#[derive(Args)]
#[command(next_help_heading = "A drive that fio or iozone measured")]
pub(super) struct OfMeasured {
    /// Make a drive of what was measured of it, in one run or several: fio's JSON (--output-format=json, json+, with
    /// direct=1), or iozone's screen or tables (-I). Of random accesses with many in flight and streams a solid-state
    /// drive, of single accesses by size one of constant rate; --out writes it in the catalogue's form
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        requires = "size",
        conflicts_with_all = ["dir", "network", "device", "simulated", "with_device", "quick", "listen", "to", "namespaces"]
    )]
    from: Vec<PathBuf>,
    /// How large that drive is, such as "960 GB": no measurement says it
    #[arg(long, value_name = "SIZE", requires = "from")]
    size: Option<Bytes>,
    /// How it is connected, such as "PCIe 4.0 x4"; left out, by the slowest usual link that carries what was measured
    #[arg(long, value_name = "NAME", requires = "from")]
    interface: Option<Interface>,
}

impl OfMeasured {
    /// Whether a drive is to be made of measurements.
    pub(super) fn is_asked(&self) -> bool {
        !self.from.is_empty()
    }

    /// The files that are read.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.from.iter().map(PathBuf::as_path)
    }

    pub(super) fn execute(
        &self,
        inputs: &Inputs,
        out: Option<&Path>,
        json: bool,
        force: bool,
    ) -> Result<(), Failure> {
        if let Some(out) = out {
            refuse_existing(out, force)?;
        }
        let MeasuredRows { rows, programs, remarks } =
            measured_rows(inputs, &self.from).map_err(|error| Failure::of(&error))?;
        for remark in remarks {
            talk(&format!("note: {remark}"));
        }
        let files: Vec<String> = self.inputs().map(told).collect();
        let (programs, files) = (programs.join(" and "), files.join(", "));
        let about = MeasuredDevice {
            name: format!("measured by {programs}"),
            size: self.size.unwrap_or_default(),
            interface: self.interface,
            source: format!("Measured by {programs} ({files}), figures taken by petrio calibrate --from"),
        };
        let found = device_of(&rows, &about).map_err(|error| Failure::of(&error))?;
        if let Some(out) = out {
            let file = WholeFile::create(out, inputs)?;
            let text = device_toml(&found.device).map_err(|error| Failure::new(error, None))?;
            complete(file, out, &with_warnings(&found, &text))?;
            talk(&format!("the drive, for a scenario: disk.d.file = \"{}\"", told(out)));
        }
        for warning in &found.warnings {
            talk(&format!("warning: {warning}"));
        }
        if json {
            return print_json(&found);
        }
        print(&taken_table(&found.taken))
    }
}

/// The drive with its warnings in comments before it: whoever reads the file hasn't seen what was printed.
fn with_warnings(found: &FoundByMeasurement, text: &str) -> String {
    let mut lines = String::from("# A drive by what was measured of it; what a figure was taken from:\n");
    for taken in &found.taken {
        lines.push_str(&format!("# - {}: {}\n", taken.figure, taken.from));
    }
    for warning in &found.warnings {
        lines.push_str(&format!("# Warning: {warning}\n"));
    }
    format!("{lines}\n{text}")
}

/// What each figure was taken from.
fn taken_table(taken: &[Taken]) -> String {
    let value = |taken: &Taken, value: f64| match taken.unit {
        "s" => time(value * 1e3),
        "bytes/s" => {
            let (unit, size) = rate_unit(value);
            format!("{} {unit}", significant(value / size))
        }
        _ if value < 1e15 => format!("{}/s", grouped(nearest_whole(value))),
        _ => significant(value),
    };
    let rows: Vec<Vec<String>> = taken
        .iter()
        .map(|taken| {
            let (measured, device) = (value(taken, taken.measured), value(taken, taken.device));
            vec![taken.figure.clone(), taken.from.clone(), measured, device]
        })
        .collect();
    table(&["figure", "from", "measured", "this drive"], &rows)
}
