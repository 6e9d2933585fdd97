//! `petrio validate ivy`

use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::table::table;
use clap::Args;
use petrio_validation::ivy::{
    FileSystem, IvyFigures, IvyRow, Ordering, SEEDS, TABLES, WhatIf, figures_page, orderings, validate_ivy,
    what_if,
};
use serde::Serialize;
use std::path::PathBuf;

/// Ivy's tables 5 to 15: five replication policies at one to seven copies, beside the paper's figures
///
/// The traces of 1990 can't be had; those of examples/ivy/ are made up. They are tuned to what the paper says of one
/// copy of every file and to nothing else, so every other row is a prediction.
#[derive(Args)]
pub(crate) struct ValidateIvy {
    /// Also what the paper leaves open: copies that cost traffic, heavier load, CSCAN, messages, disks of today, and
    /// which unpublished property of the traces decides how much
    #[arg(long)]
    what_if: bool,
    /// Write figures 21 to 26 as an HTML page
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    html: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Everything {
    seeds: [u64; 3],
    rows: Vec<IvyRow>,
    orderings: Vec<Ordering>,
    #[serde(skip_serializing_if = "Option::is_none")]
    systems: Option<Vec<WhatIf>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<Vec<WhatIf>>,
}

impl ValidateIvy {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        Outputs::of([("--html", &self.html)]).check([])?;
        let mut say = |what: &str| talk(&format!("simulating: {what} …"));
        let rows = validate_ivy(&mut say).map_err(|error| Failure::new(error, None))?;
        let orderings = orderings(&rows);
        let (systems, traces) = match self.what_if {
            true => what_if(&mut say).map(|(systems, traces)| (Some(systems), Some(traces))),
            false => Ok((None, None)),
        }
        .map_err(|error| Failure::new(error, None))?;
        if let Some(path) = &self.html {
            figures_page(&rows, path)?;
            talk(&format!("written: {}", path.display()));
        }
        if self.json {
            return print_json(&Everything { seeds: SEEDS, rows, orderings, systems, traces });
        }
        print(&tables(&rows))?;
        print(&summary(&rows, &orderings))?;
        if let (Some(systems), Some(traces)) = (&systems, &traces) {
            print("\nWhat the paper leaves for the future: one copy beside two\n\n")?;
            print(&what_if_table(systems))?;
            print("\nWhat the paper doesn't publish of its traces, each property moved alone\n\n")?;
            print(&what_if_table(traces))?;
        }
        Ok(())
    }
}

fn tables(rows: &[IvyRow]) -> String {
    let mut text = String::new();
    for paper in &TABLES {
        text.push_str(&format!(
            "\nTable {}: {}, {}\n\n",
            paper.number,
            paper.file_system.name(),
            paper.policy.name()
        ));
        let headings = [
            "copies",
            "",
            "seek distance",
            "queue",
            "read queue",
            "write queue",
            "read ms",
            "s.d.",
            "write ms",
            "s.d.",
            "overall ms",
            "s.d.",
            "reads faster",
            "writes faster",
        ];
        let mut cells = Vec::new();
        for row in rows.iter().filter(|row| row.table == paper.number) {
            let gain = |(ours, theirs): (f64, f64), ours_too: bool, differs: bool| match row.copies {
                1 => String::new(),
                _ if ours_too => format!("{ours:.1} %{}", if differs { "" } else { " (not shown)" }),
                _ => format!("{theirs:.1} %"),
            };
            for (whose, figures) in [("petrio", row.simulated), ("paper", row.paper)] {
                let is_ours = whose == "petrio";
                let mut line =
                    vec![if is_ours { row.copies.to_string() } else { String::new() }, whose.to_owned()];
                line.extend(columns(&figures));
                line.push(gain(row.read_reduction_percent, is_ours, row.read_differs));
                line.push(gain(row.write_reduction_percent, is_ours, row.write_differs));
                cells.push(line);
            }
        }
        text.push_str(&table(&headings, &cells));
    }
    text
}

fn columns(figures: &IvyFigures) -> [String; 10] {
    [
        figures.seek_cylinders,
        figures.queue,
        figures.read_queue,
        figures.write_queue,
        figures.read.0,
        figures.read.1,
        figures.write.0,
        figures.write.1,
        figures.overall.0,
        figures.overall.1,
    ]
    .map(|value| format!("{value:.2}"))
}

fn summary(rows: &[IvyRow], orderings: &[Ordering]) -> String {
    let mut text = String::from("\n");
    for of in ["read", "write"] {
        let all: Vec<&Ordering> = orderings.iter().filter(|ordering| ordering.of == of).collect();
        let held = all.iter().filter(|ordering| ordering.holds).count();
        text.push_str(&format!("orderings of {of} turnarounds: {held} of {} hold\n", all.len()));
    }
    for broken in orderings.iter().filter(|ordering| !ordering.holds) {
        let name = |(policy, copies): (petrio_validation::ivy::IvyPolicy, u32)| {
            format!("{} with {copies}", policy.name())
        };
        text.push_str(&format!(
            "  not: {}, {}s: {} before {} (paper {:.2} and {:.2} ms, here {:.2} and {:.2})\n",
            broken.file_system.name(),
            broken.of,
            name(broken.faster),
            name(broken.slower),
            broken.paper_ms.0,
            broken.paper_ms.1,
            broken.simulated_ms.0,
            broken.simulated_ms.1
        ));
    }
    let judged: Vec<&IvyRow> = rows.iter().filter(|row| row.copies == 2 || row.copies == 3).collect();
    let off = |row: &&&IvyRow| (row.read_reduction_percent.0 - row.read_reduction_percent.1).abs() <= 6.0;
    let within = judged.iter().filter(off).count();
    text.push_str(&format!(
        "reductions of read turnaround at two and three copies: {within} of {} within 6 percentage points of the paper's\n",
        judged.len()
    ));
    for file_system in FileSystem::ALL {
        let of: Vec<String> = judged
            .iter()
            .filter(|row| row.file_system == file_system)
            .map(|row| {
                format!(
                    "{} {} copies {:.1} (paper {:.1})",
                    row.policy.name(),
                    row.copies,
                    row.read_reduction_percent.0,
                    row.read_reduction_percent.1
                )
            })
            .collect();
        text.push_str(&format!("  {}: {}\n", file_system.name(), of.join(", ")));
    }
    text
}

fn what_if_table(rows: &[WhatIf]) -> String {
    let headings = [
        "change",
        "file system",
        "policy",
        "read ms: 1",
        "2",
        "gain",
        "write ms: 1",
        "2",
        "gain",
        "copy traffic",
    ];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.change.clone(),
                row.file_system.name().to_owned(),
                row.policy.name().to_owned(),
                format!("{:.2}", row.one.read.0),
                format!("{:.2}", row.two.read.0),
                format!("{:+.1} %", row.read_reduction_percent),
                format!("{:.2}", row.one.write.0),
                format!("{:.2}", row.two.write.0),
                format!("{:+.1} %", row.write_reduction_percent),
                format!("{:.2}", row.copy_traffic),
            ]
        })
        .collect();
    table(&headings, &cells)
}
