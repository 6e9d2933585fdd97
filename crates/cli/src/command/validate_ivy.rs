//! `petrio validate ivy`

use crate::command::asked::{Scenarios, broken_off};
use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_validation::asked::{Asked, Place};
use petrio_validation::ivy::{
    Agreement, FileSystem, IvyError, IvyFigures, IvyPolicy, IvyRow, IvySettings, Of, Ordering, OwnStudy,
    POINTS, Rival, SEEDS, TABLES, WhatIf, agreements, deviations_off_percent, figures_page, judged,
    orderings, own_page, rivals, scenarios, study_trace, validate_ivy, what_if,
};
use petrio_validation::verdict::{Judged, Judgement};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A file of work is a page of text.
const WORK_BYTES_MAX: u64 = 1 << 20;

/// Ivy's tables 5 to 15: five replication policies at one to seven copies, beside the paper's figures
///
/// The traces of 1990 can't be had; those of examples/ivy/ are made up. They are tuned to what the paper says of one
/// copy of every file and to nothing else, so every other row is a prediction.
#[derive(Args)]
#[command(after_help = concat!("\
With a trace of your own every policy plays it at 1, 2, 3, 5 and 7 copies, beside its own one copy (Welch's t, 95 %); nothing
is judged. Reads that the trace's machine answered from its cache are left out where the trace says which; files lie
where they were if that is one device and fits on the disk (an HP 7937 unless --set disk says more), and else where the
host of 1990 puts them.

What FILE holds is explained in examples/ivy/; --set reaches into work, replication, disk, discipline, memory and
time_scale, such as work.mixed=\"50 %\", replication.traffic=simulated or discipline.kind=circular-scan.

Nine in ten of the orderings must be the paper's, and nine in ten of the reductions at two and three copies within 6 percentage
points of the paper's, of reads as of writes; a single reduction that is farther off may not get worse. What is changed by FILE or
--set is compared and not judged.\n\n", exit_codes!()))]
pub(crate) struct ValidateIvy {
    /// Work in the form of examples/ivy/*.toml, each in place of the file system that its title names, and only tables of
    /// these are made; or one trace of calls on files, in any format that petrio reads: the study is repeated on that
    #[arg(value_name = "FILE|TRACE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// Change a value of the study; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Only this table of the paper, or those of which this figure is drawn: table-5 to table-15, figure-21 to figure-26; may be repeated
    #[arg(long, value_name = "FIGURE")]
    only: Vec<Place>,
    #[command(flatten)]
    scenarios: Scenarios,
    /// Also what the paper leaves open: copies that cost traffic, heavier load, CSCAN, messages, disks of today, and
    /// which unpublished property of the traces decides how much; and data laid out by use as the rival of copies
    #[arg(long, conflicts_with_all = ["only", "scenarios"])]
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
    agreements: Vec<Agreement>,
    judged: Vec<Judged>,
    #[serde(skip_serializing_if = "Option::is_none")]
    systems: Option<Vec<WhatIf>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<Vec<WhatIf>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rivals: Option<Vec<Rival>>,
}

impl ValidateIvy {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        Outputs::of([("--html", &self.html)]).check(&inputs, self.files.iter().map(PathBuf::as_path))?;
        if let Some(trace) = self.trace()? {
            return self.study(&inputs, trace);
        }
        let asked = Asked { only: self.only.clone(), watch: Watch::new(), ..Asked::default() };
        let _stoppable = crate::stop::by_interrupt(&asked.watch);
        let settings = self.settings(&inputs)?.asked(&asked).map_err(|error| Failure::new(error, None))?;
        if let Some(folder) = self.scenarios.folder()? {
            let all = scenarios(&settings).map_err(|error| Failure::new(error, None))?;
            return self.scenarios.write(&folder, &all, &asked.watch);
        }
        let mut say = |what: &str, (done, of): (usize, usize)| {
            talk(&format!("simulating {} of {of}: {what} …", done + 1));
        };
        let failed = |error: IvyError| Failure::new(error, None);
        let rows = validate_ivy(&settings, &mut say).map_err(failed)?;
        let (orderings, agreements) = (orderings(&rows), agreements(&rows));
        if let Some(path) = &self.html
            && !asked.watch.is_stopped()
        {
            figures_page(&rows, path, &inputs)?;
            talk(&format!("written: {}", path.display()));
        }
        if !self.json {
            print(&tables(&rows))?;
            print(&summary(&rows, &orderings, &agreements))?;
        }
        let (mut systems, mut traces, mut rival) = (None, None, None);
        if self.what_if && !asked.watch.is_stopped() {
            let (of_systems, of_traces) = what_if(&settings, &mut say).map_err(failed)?;
            if !self.json {
                print("\nWhat the paper leaves for the future: one copy beside two\n\n")?;
                print(&what_if_table(&of_systems))?;
                print("\nWhat the paper doesn't publish of its traces, each property moved alone\n\n")?;
                print(&what_if_table(&of_traces))?;
            }
            let by_use = rivals(&settings, &mut say).map_err(failed)?;
            if !self.json {
                print(
                    "\nData laid out by use, and copies (RNW1CR): less than with one copy that stays where it is\n\n",
                )?;
                print(&rivals_table(&by_use))?;
            }
            (systems, traces, rival) = (Some(of_systems), Some(of_traces), Some(by_use));
        }
        let judged = if settings.is_default() { judged(&orderings, &agreements) } else { Vec::new() };
        if self.json {
            print_json(&Everything {
                seeds: SEEDS,
                rows,
                orderings,
                agreements,
                judged: judged.clone(),
                systems,
                traces,
                rivals: rival,
            })?;
        }
        broken_off(&asked.watch)
            .and_then(|()| conclude(&judged, self.json, "petrio validate ivy --json prints every row"))
    }

    /// The trace, where one is named instead of work.
    fn trace(&self) -> Result<Option<&Path>, Failure> {
        let is_work = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "toml");
        match (self.files.iter().find(|path| !is_work(path)), self.files.len()) {
            (None, _) => Ok(None),
            (Some(trace), 1) => Ok(Some(trace)),
            (Some(trace), _) => {
                let message = format!("{}: a trace is studied alone", trace.display());
                Err(Failure::new(message, Some("name one trace, or files of work (.toml)".to_owned())))
            }
        }
    }

    /// The study of a trace of one's own.
    fn study(&self, inputs: &Inputs, trace: &Path) -> Result<(), Failure> {
        if self.what_if {
            let message = "--what-if asks what the paper leaves open, and not what a trace does".to_owned();
            return Err(Failure::new(
                message,
                Some("use --set replication.traffic=simulated and such".to_owned()),
            ));
        }
        if let Some(change) = self.set.iter().find(|change| change.starts_with("work")) {
            let message = format!("\"{change}\": the work is the trace's");
            return Err(Failure::new(message, Some("time_scale makes it heavier or lighter".to_owned())));
        }
        let failed = |error: IvyError| Failure::new(error, None);
        let settings = IvySettings::new(&[], &self.set).map_err(failed)?;
        let mut say = |what: &str, (done, of): (usize, usize)| {
            talk(&format!("simulating {} of {of}: {what} …", done + 1));
        };
        let study =
            study_trace((inputs, trace), &self.reading.options(), &settings, &mut say).map_err(failed)?;
        if let Some(path) = &self.html {
            own_page(&study, path, inputs)?;
            talk(&format!("written: {}", path.display()));
        }
        if self.json { print_json(&study) } else { print(&own_tables(&study)) }
    }

    fn settings(&self, inputs: &Inputs) -> Result<IvySettings, Failure> {
        let read = |path: &PathBuf| -> Result<(String, String), Failure> {
            let refused =
                |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()), None);
            let bytes = inputs.read(path, WORK_BYTES_MAX).map_err(|error| refused(&error))?;
            let text = String::from_utf8(bytes).map_err(|error| refused(&error))?;
            Ok((path.display().to_string(), text))
        };
        let files: Vec<_> = self.files.iter().map(read).collect::<Result<_, _>>()?;
        let help = "examples/ivy/ has such files; petrio validate ivy --help names what can be set";
        IvySettings::new(&files, &self.set).map_err(|error| Failure::new(error, Some(help.to_owned())))
    }
}

fn in_words(one: &Agreement) -> String {
    let what = if one.of == Of::Reads { "reads" } else { "writes" };
    let (ours, theirs) = one.reduction_percent;
    let Agreement { file_system, policy, copies, .. } = one;
    format!(
        "{what} of {}, {}, {copies} copies: {ours:.1} % (paper {theirs:.1})",
        file_system.name(),
        policy.name()
    )
}

/// The tables of a trace of one's own.
fn own_tables(study: &OwnStudy) -> String {
    let reads = if study.only_missed_reads { "reads that missed its machine's cache" } else { "all reads" };
    let places =
        if study.at_recorded_places { "where the trace saw them" } else { "where the host puts them" };
    let one = study.rows.first().map_or((0, 0), |row| row.requests);
    let seeds = SEEDS.len() as u64;
    let mut text = format!(
        "\n{} files, {places}; {reads}; {} reads and {} writes of disks with one copy (over {seeds} seeds)\n",
        study.files, one.0, one.1
    );
    for policy in IvyPolicy::ALL {
        text.push_str(&format!("\n{}\n\n", policy.name()));
        let headings = [
            "copies",
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
        let cells = study.rows.iter().filter(|row| row.policy == policy).map(|row| {
            let gain = |percent: f64, differs: bool| match row.copies {
                1 => String::new(),
                _ => format!("{percent:.1} %{}", if differs { "" } else { " (not shown)" }),
            };
            let mut line = vec![row.copies.to_string()];
            line.extend(columns(&row.figures));
            line.push(gain(row.read_reduction_percent, row.read_differs));
            line.push(gain(row.write_reduction_percent, row.write_differs));
            line
        });
        text.push_str(&table(&headings, &cells.collect::<Vec<_>>()));
    }
    text
}

fn tables(rows: &[IvyRow]) -> String {
    let mut text = String::new();
    for paper in TABLES.iter().filter(|paper| rows.iter().any(|row| row.table == paper.number)) {
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
    figures.columns().map(|value| format!("{value:.2}"))
}

fn summary(rows: &[IvyRow], orderings: &[Ordering], agreements: &[Agreement]) -> String {
    let mut text = String::from("\n");
    for of in ["read", "write"] {
        let all: Vec<&Ordering> = orderings.iter().filter(|ordering| ordering.of == of).collect();
        let held = all.iter().filter(|ordering| ordering.holds).count();
        text.push_str(&format!("orderings of {of} turnarounds: {held} of {} hold\n", all.len()));
    }
    for broken in orderings.iter().filter(|ordering| !ordering.holds) {
        let name = |(policy, copies): (IvyPolicy, u32)| format!("{} with {copies}", policy.name());
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
    for (of, what) in [(Of::Reads, "read"), (Of::Writes, "write")] {
        let judged: Vec<&Agreement> = agreements.iter().filter(|one| one.of == of).collect();
        let within = judged.iter().filter(|one| one.verdict == Judgement::Holds).count();
        text.push_str(&format!(
            "reductions of {what} turnaround at two and three copies: {within} of {} within {POINTS:.0} percentage points of \
             the paper's; standard deviations {:.0} % off at the median of all rows\n",
            judged.len(),
            deviations_off_percent(rows, of)
        ));
        for file_system in FileSystem::ALL {
            let words = |one: &&&Agreement| {
                let (ours, theirs) = one.reduction_percent;
                let (policy, copies) = (one.policy.name(), one.copies);
                format!("{policy} {copies} copies {ours:.1} (paper {theirs:.1})")
            };
            let of: Vec<String> =
                judged.iter().filter(|one| one.file_system == file_system).map(|one| words(&one)).collect();
            if !of.is_empty() {
                text.push_str(&format!("  {}: {}\n", file_system.name(), of.join(", ")));
            }
        }
        for one in judged.iter().filter(|one| one.verdict != Judgement::Holds) {
            let reason = one.reason.map_or(String::new(), |reason| format!(": {reason}"));
            text.push_str(&format!("  {}, {}{reason}\n", one.verdict.words(), in_words(one)));
        }
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

fn rivals_table(rows: &[Rival]) -> String {
    let headings =
        ["file system", "copies", "laid out by use", "seek", "read queue", "write queue", "read", "write"];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let less = |percent: f64| format!("{percent:+.1} %");
            vec![
                row.file_system.name().to_owned(),
                row.copies.to_string(),
                row.piece.map_or("no".to_owned(), |piece| format!("pieces of {piece}")),
                less(row.seek_reduction_percent),
                less(row.read_queue_reduction_percent),
                less(row.write_queue_reduction_percent),
                less(row.read_reduction_percent),
                less(row.write_reduction_percent),
            ]
        })
        .collect();
    table(&headings, &cells)
}
