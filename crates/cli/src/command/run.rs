//! `petrio run`

use crate::command::scenario::ScenarioArguments;
use crate::failure::Failure;
use crate::output::{print, talk, width};
use crate::progress::RunProgress;
use clap::Args;
use petrio_scenario::report::{
    ParquetRows, PerfettoTrace, Sinks, WallClock, terminal_text, write_csv, write_html, write_json,
};
use petrio_scenario::run::run;
use std::path::PathBuf;
use std::time::Instant;

/// Run a scenario and report: throughput, latency, where the time goes, the bottleneck
#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report's figures as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the report as one self-contained HTML page with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a row for every request as Parquet (pandas, DuckDB)
    #[arg(long, value_name = "FILE")]
    parquet: Option<PathBuf>,
    /// Write every request's time line for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    /// Don't print the report
    #[arg(long, short)]
    quiet: bool,
}

impl Run {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let loaded = self.scenario.load()?;
        let mut sinks = Sinks::default();
        if let Some(path) = &self.parquet {
            sinks.push(ParquetRows::create(path)?);
        }
        if let Some(path) = &self.perfetto {
            let devices = loaded.disks.iter().map(|disk| disk.name.clone()).collect();
            sinks.push(PerfettoTrace::create(path, devices)?);
        }
        let mut progress = RunProgress::new();
        let began = Instant::now();
        let outcome = run(&loaded, sinks, &mut |step| progress.update(step));
        let wall = WallClock { seconds: began.elapsed().as_secs_f64() };
        progress.finish();
        let report = outcome?;
        if let Some(path) = &self.json {
            write_json(&report, path)?;
        }
        if let Some(path) = &self.csv {
            write_csv(&report, path)?;
        }
        if let Some(path) = &self.html {
            write_html(&report, path)?;
        }
        if !self.quiet {
            let mut text = terminal_text(&report, Some(wall), width());
            if let Some(path) = &self.html {
                text.push_str(&format!("  plots       {}\n", path.display()));
            }
            print(&text)?;
        }
        for path in [&self.json, &self.csv, &self.parquet, &self.perfetto].into_iter().flatten() {
            talk(&format!("written: {}", path.display()));
        }
        Ok(())
    }
}
