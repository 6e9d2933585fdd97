//! `petrio trace info`

use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::overview::Overview;
use std::path::PathBuf;

/// Say what is in a trace: its format, its events by kind, who asked for what, and what was left out
///
/// Reads petrio's own files, calls on files (strace, fio's logs, Darshan's extended traces …) and requests to devices (blktrace, perf,
/// biosnoop, traces of clouds and of the SNIA …), packed with gzip, bzip2, xz or zstandard or not. The format is told from the content;
/// `petrio trace formats` lists all.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Info {
    /// The trace
    #[arg(value_parser = crate::streams::input)]
    file: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  strace -f -y -ttt -T -o job.strace ./job && petrio trace info job.strace
  petrio trace info examples/traces/database.csv.xz --json
  petrio trace info ambiguous.trace --format disksim-ascii";

impl Info {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let overview = Overview::of(self.reading.open(&Inputs::here(), &self.file)?)?;
        if self.json {
            return print_json(&overview);
        }
        print(&text(&overview))
    }
}

fn text(overview: &Overview) -> String {
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
    row("file", overview.file.clone());
    row("format", overview.format.clone());
    row("events", overview.events.to_string());
    row("span", format!("{:.6} s", overview.span_seconds));
    row("processes", overview.processes.to_string());
    row("files", overview.files.to_string());
    if !overview.devices.is_empty() {
        row("devices", overview.devices.join(" "));
    }
    let bytes = [
        ("bytes read", overview.bytes_read),
        ("bytes written", overview.bytes_written),
        ("device bytes read", overview.device_bytes_read),
        ("device bytes written", overview.device_bytes_written),
        ("of these metadata", overview.device_bytes_of_metadata),
        ("calls that failed", overview.failed),
        ("events lost", overview.lost),
    ];
    for (name, count) in bytes.into_iter().filter(|&(_, count)| count > 0) {
        row(name, count.to_string());
    }
    if let Some(origin) = overview.origin_unix_ns {
        row("recorded at", format!("{}.{:09} s since 1970", origin / 1_000_000_000, origin % 1_000_000_000));
    }
    let words = [("machine", &overview.machine), ("command", &overview.command)];
    for (name, word) in words.into_iter().filter(|(_, word)| !word.is_empty()) {
        row(name, word.clone());
    }
    if overview.compact {
        row("contents", "compact: reads that missed the cache, and totals at the close".to_owned());
    }
    let mut text: String = rows.iter().map(|[name, value]| format!("{name:21} {value}\n")).collect();
    let kinds: Vec<Vec<String>> =
        overview.kinds.iter().map(|(kind, count)| vec![(*kind).to_owned(), count.to_string()]).collect();
    text.push('\n');
    text.push_str(&table(&["kind", "events"], &kinds));
    let remarks = overview.remarks.iter().map(|(what, count)| format!("{what}: {count}"));
    let remarks: Vec<String> = remarks.chain(overview.notes.iter().cloned()).collect();
    if !remarks.is_empty() {
        text.push('\n');
        text.extend(remarks.iter().map(|remark| format!("note: {remark}\n")));
    }
    text
}
