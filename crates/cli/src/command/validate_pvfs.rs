//! `petrio validate pvfs`

use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::Estimate;
use petrio_validation::pvfs::{
    BLOCKS_KIB, COUNTS, Experiment, GridJudgement, GridRow, MOST_CLIENTS, Moves, Outcome, Regimes,
    chapter_page, chapter_seven, find, findings, judge, predict, read_grids,
};
use petrio_validation::verdict::{Judged, Judgement};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Parallel file systems: the experiments of a dissertation's chapter 7, or grids measured on a real PVFS 2, predicted
///
/// Without --dir: one to eight clients of PVFS 1 on four servers with blocks of 8 KiB to 2 MiB, clusters of one to eight
/// clients and servers, and one client's files of 4 KiB to 1 GiB, each with as many seeds as suit its size (five for the
/// first); means with intervals of 95 %, and verdicts on what the dissertation found, with the figures that they compare.
/// It takes about a minute on two processors. With it, nothing is fitted to the rows that are predicted: links, hosts and
/// disks are those of the test bed's description, and what single calls cost is from messages of one client alone.
#[derive(Args)]
#[command(after_help = concat!("\
A grid is a CSV file with the columns servers, clients, block_kib, op (read or write), link_mbit, storage,
bytes_per_client and agg_mb_s; of rows that have disk_mb_s the servers' disks are limited to that, and where
agg_incl_flush_mb_s differs it is predicted, too. The test bed is testbed-STORAGE.toml or testbed.toml of the same
folder, where there is one, or else OrangeFS on namespaces of one machine, with storage tmpfs, ext3 or ext3-odirect. What a
row says is set in it: host.client.count, host.server.count, network.lan.link.rate, workload.w.operation, .record and
.file_size, and seed, of which there are several: the order of servers is drawn.

The median error of a grid may be 10 %, the worst 25 %, and cells that differ by more than 10 % must keep their order.\n\n", exit_codes!()))]
pub(crate) struct ValidatePvfs {
    /// The folder with the grids
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write the dissertation's figures and the verdicts as an HTML page: figures 17, 18 and 55 to 70, clusters of all sizes
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output, conflicts_with = "dir")]
    html: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Everything<'e> {
    rows: &'e [GridRow],
    grids: &'e [GridJudgement],
    judged: &'e [Judged],
}

impl ValidatePvfs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match &self.dir {
            Some(dir) => self.grids(dir),
            None => self.chapter(),
        }
    }

    /// The dissertation's experiments.
    fn chapter(&self) -> Result<(), Failure> {
        Outputs::of([("--html", &self.html)]).check(&Inputs::none(), [])?;
        let outcomes = chapter_seven(&mut tell(100, "runs")).map_err(|error| Failure::new(error, None))?;
        let judged = findings(&outcomes);
        if let Some(path) = &self.html {
            chapter_page(&outcomes, &judged, path, &Inputs::none())?;
            talk(&format!("written: {}", path.display()));
        }
        let help = "petrio validate pvfs --json prints every run; validation/pvfs/README.md says what doesn't hold, and why";
        if self.json {
            print_json(&serde_json::json!({ "experiments": outcomes, "judged": judged }))?;
            return conclude(&judged, true, help);
        }
        for moves in [Moves::Read, Moves::Write] {
            print(&curves(&outcomes, moves))?;
        }
        for moves in [Moves::Read, Moves::Write] {
            print(&clusters(&outcomes, moves))?;
        }
        print("\n")?;
        // The others are told with the exit code.
        for one in judged.iter().filter(|one| one.verdict == Judgement::Holds) {
            print(&format!("{}: {}\n", one.verdict.words(), one.line()))?;
        }
        conclude(&judged, false, help)
    }

    /// Measured grids.
    fn grids(&self, dir: &Path) -> Result<(), Failure> {
        let inputs = Inputs::here();
        let failed = |error| Failure::new(error, None);
        let (measured, left_out) = read_grids(&inputs, dir).map_err(failed)?;
        for file in &left_out {
            talk(&format!("note: {} is no grid: it has no column \"{}\"", file.path.display(), file.lacks));
        }
        let rows = predict((&inputs, dir), &measured, &mut tell(20, "cells")).map_err(failed)?;
        let grids = judge(&rows);
        let judged: Vec<Judged> = grids.iter().flat_map(GridJudgement::judged).collect();
        let help = "petrio validate pvfs --json prints every row; validation/pvfs/README.md says what misses, and why";
        if self.json {
            print_json(&Everything { rows: &rows, grids: &grids, judged: &judged })?;
            return conclude(&judged, true, help);
        }
        print(&cells(&rows))?;
        for grid in &grids {
            print(&summary(grid))?;
        }
        conclude(&judged, false, help)
    }
}

/// Tells how many of how many are done, now and then.
fn tell(each: usize, what: &'static str) -> impl FnMut(usize, usize) + Send {
    move |done, of| {
        if done.is_multiple_of(each) || done == of {
            talk(&format!("simulated {done} of {of} {what} …"));
        }
    }
}

/// The curves of figures 55 to 70 as a table.
fn curves(outcomes: &[Outcome], moves: Moves) -> String {
    let means: Vec<Vec<Option<Estimate>>> = (1..=MOST_CLIENTS)
        .map(|clients| {
            let of = |block| find(outcomes, &Experiment::of(moves, clients, block)).map(Outcome::mean);
            BLOCKS_KIB.map(of).to_vec()
        })
        .collect();
    let half = means.iter().flatten().filter_map(|mean| mean.as_ref()?.half_width).fold(0.0, f64::max);
    let title = format!(
        "\nMB/s of a client, {}s, four servers, by block (each mean ± {:.1} at most)\n\n",
        moves.word(),
        half / 1e6
    );
    title + &rates("clients", &BLOCKS_KIB.map(|kib| format!("{kib} KiB")), (1..).zip(means))
}

/// Clusters of all sizes as a table.
fn clusters(outcomes: &[Outcome], moves: Moves) -> String {
    let of = |clients: u32| {
        let of =
            |servers| find(outcomes, &Experiment::cluster(moves, clients, servers)).map(Outcome::aggregate);
        (clients, COUNTS.map(of).to_vec())
    };
    let title = format!("\nMB/s of all clients, {}s of 1 MiB, by servers\n\n", moves.word());
    let heads = COUNTS.map(|servers| format!("{servers} server{}", if servers == 1 { "" } else { "s" }));
    title + &rates("clients", &heads, COUNTS.map(of))
}

/// Rates in rows of numbers, MB/s.
fn rates(
    first: &str,
    heads: &[String],
    rows: impl IntoIterator<Item = (u32, Vec<Option<Estimate>>)>,
) -> String {
    let headings: Vec<&str> = std::iter::once(first).chain(heads.iter().map(String::as_str)).collect();
    let cell =
        |rate: Option<Estimate>| rate.map_or("–".to_owned(), |rate| format!("{:.1}", rate.value / 1e6));
    let line = |(number, rates): (u32, Vec<Option<Estimate>>)| -> Vec<String> {
        std::iter::once(number.to_string()).chain(rates.into_iter().map(cell)).collect()
    };
    table(&headings, &rows.into_iter().map(line).collect::<Vec<_>>())
}

fn cells(rows: &[GridRow]) -> String {
    let rates = |rates: &[f64]| {
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rates.iter().copied().fold(0.0, f64::max);
        format!("{least:.2} – {most:.2}")
    };
    let line = |row: &GridRow| {
        let cell = &row.cell;
        vec![
            cell.grid.clone(),
            cell.servers.to_string(),
            cell.clients.to_string(),
            cell.block_kib.to_string(),
            format!("{}{}", cell.moves.word(), if row.with_flush { ", flushed" } else { "" }),
            format!("{:.2}", row.measured()),
            rates(&row.measured_mb_per_s),
            format!("{:.2}", row.predicted()),
            rates(&row.predicted_mb_per_s),
            format!("{:+.1}", row.error_percent),
        ]
    };
    let headings =
        ["grid", "servers", "clients", "KiB", "", "measured MB/s", "range", "predicted", "range", "error %"];
    table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}

fn summary(grid: &GridJudgement) -> String {
    let mut text = format!(
        "{}: {} cells, median error {:.1} %, worst {:+.1} %, {} beyond 25 %; orderings of more than 10 %: {} of {} hold, {} more are \
         of cells whose repetitions overlap\n",
        grid.grid,
        grid.cells,
        grid.median_error_percent,
        grid.worst_error_percent,
        grid.beyond,
        grid.orderings.0,
        grid.orderings.1,
        grid.undecided
    );
    let (inside, all) = grid.in_range;
    text.push_str(&format!("  {inside} of {all} repetitions lie in the range of their cell's seeds\n"));
    if let Some((predicted, measured)) = grid.slow_percent() {
        text.push_str(&format!(
            "  two regimes in {} cells, of which the slow one is predicted in {predicted:.0} % and was measured in {measured:.0} %\n",
            grid.regimes.len()
        ));
    }
    for (cell, regimes) in &grid.regimes {
        let Regimes { at_mb_per_s, slow_predicted_percent, slow_measured_percent } = regimes;
        text.push_str(&format!(
            "    {cell}: below {at_mb_per_s:.1} MB/s {slow_predicted_percent:.0} % predicted, {slow_measured_percent:.0} % measured\n"
        ));
    }
    for (faster, slower) in grid.broken.iter().take(10) {
        text.push_str(&format!("  not: {faster} before {slower}\n"));
    }
    if grid.broken.len() > 10 {
        text.push_str(&format!("  and {} more\n", grid.broken.len() - 10));
    }
    text
}
