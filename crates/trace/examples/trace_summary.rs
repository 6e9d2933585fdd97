//! Reads block traces to their end and says what is in them.
//!
//! `cargo run --release -p petrio-workload --example trace_summary -- FILE…`
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use miette::Diagnostic;
use petrio_trace::{TraceError, TraceOptions, TraceReader};
use std::process::ExitCode;
use std::time::Instant;

fn summarise(path: &str) -> Result<(), TraceError> {
    let begun = Instant::now();
    let mut reader = TraceReader::open(path, &TraceOptions::default())?;
    let mut last = None;
    for record in reader.by_ref() {
        last = Some(record?);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let summary = reader.summary();
    println!("{path}: {}", reader.format());
    println!("  {summary:?}");
    println!(
        "  {} of trace, {:.0} records/s",
        last.map(|record| record.time).unwrap_or_default(),
        summary.records as f64 / seconds
    );
    Ok(())
}

fn main() -> ExitCode {
    for path in std::env::args().skip(1) {
        if let Err(error) = summarise(&path) {
            eprintln!("{error}");
            if let Some(help) = error.help() {
                eprintln!("help: {help}");
            }
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
