//! The study repeated on a trace of one's own: every policy at one to seven copies, in the columns of the paper's tables.
//!
//! The paper asks for it (§2.2: "our results … should be repeated with traces collected on other systems used for other
//! purposes"). The System is the paper's: a Unix host of 1990 on disks of the time, magic copies, free messages, first
//! come, first served, but for what is changed. Where the trace says which reads its machine's cache couldn't answer, these
//! alone are played, as in the paper (§3.3.3); otherwise all are, and the host's own cache answers what it can. Files lie
//! where the trace saw them if all of it is of one device and within the disk, and else where the host puts them.

use super::error::IvyError;
use super::figures::{IvyFigures, differ, reduction};
use super::paper::{FileSystem, IvyPolicy};
use super::run::{SEEDS, Tell};
use super::settings::IvySettings;
use super::system::{IvySystem, Played, run_played};
use petrio_colours::SECTOR_BYTES;
use petrio_files::inputs::Inputs;
use petrio_kernel::statistics::Tally;
use petrio_models::cluster::replication::ReplicationStatistics;
use petrio_models::host::unix_1990::RecordedReads;
use petrio_page::figure::{Axis, Figure, Quantity, Series};
use petrio_page::page::{Page, Table};
use petrio_scenario::report::{ReportError, write_text};
use petrio_trace::{EventReader, TraceOptions};
use petrio_workload::ThinkPer;
use petrio_workload::replay::TraceFiles;
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Copies, or disks, as in the paper's tables.
pub const COPIES: [u32; 5] = [1, 2, 3, 5, 7];

/// The file system of the paper whose host and disk are taken where nothing else is said: an HP 7937 and 64 MiB.
const AS: FileSystem = FileSystem::CelloUsers;

/// A row of a table.
#[derive(Clone, Debug, Serialize)]
pub struct OwnRow {
    /// The policy.
    pub policy: IvyPolicy,
    /// Copies, or disks.
    pub copies: u32,
    /// Its figures.
    pub figures: IvyFigures,
    /// Reads and writes that reached the disks, over all seeds.
    pub requests: (u64, u64),
    /// Whether the mean read turnaround differs from that with one copy at 95 % (Welch's t).
    pub read_differs: bool,
    /// Whether the mean write turnaround does.
    pub write_differs: bool,
    /// By how much reads are faster than with one copy, in per cent.
    pub read_reduction_percent: f64,
    /// By how much writes are.
    pub write_reduction_percent: f64,
}

/// The study of a trace.
#[derive(Clone, Debug, Serialize)]
pub struct OwnStudy {
    /// The trace.
    pub trace: PathBuf,
    /// Files in it.
    pub files: u64,
    /// Whether only those reads are played that missed the cache of its machine.
    pub only_missed_reads: bool,
    /// Whether files lie where the trace saw them.
    pub at_recorded_places: bool,
    /// The tables, one policy after the other.
    pub rows: Vec<OwnRow>,
}

/// Plays a trace under every policy at one to seven copies. `progress` is told what comes next.
///
/// # Errors
/// A trace that can't be read, or that doesn't fit on the disk; a run that fails.
pub fn study_trace(
    (inputs, path): (&Inputs, &Path),
    options: &TraceOptions,
    settings: &IvySettings,
    progress: &mut Tell<'_>,
) -> Result<OwnStudy, IvyError> {
    let mut files = TraceFiles::of(EventReader::open_in(inputs, path, options)?)?;
    if files.files().is_empty() {
        return Err(IvyError::Settings(format!("{}: there is no call on a file in it", path.display())));
    }
    let system = |policy, copies| settings.system(AS, policy, copies);
    let blocks = system(IvyPolicy::ReadOneWriteAll, 1)?.disk.blocks.get();
    let at_recorded_places = lies_within(&files, blocks);
    if !at_recorded_places {
        files.forget_places();
    }
    let only_missed_reads = files.knows_hits();
    let files = Arc::new(files);
    let play = |system: &IvySystem, seed: u64| -> Result<ReplicationStatistics, IvyError> {
        let events = Box::new(EventReader::open_in(inputs, path, options)?);
        let reads = if only_missed_reads { RecordedReads::Missed } else { RecordedReads::Simulated };
        let think_per = files.think_per(ThinkPer::Process);
        run_played(system, seed, Played { files: files.clone(), events, reads, think_per })
    };
    let seeds = |system: &IvySystem| -> Result<ReplicationStatistics, IvyError> {
        let tallies: Vec<_> = SEEDS.par_iter().map(|&seed| play(system, seed)).collect::<Result<_, _>>()?;
        Ok(tallies.iter().fold(ReplicationStatistics::default(), |sum, tally| sum.join(tally)))
    };
    let of = 1 + IvyPolicy::ALL.len() * (COPIES.len() - 1);
    let mut done = 0;
    let mut next = |what: &str| {
        progress(what, (done, of));
        done += 1;
    };
    next("one copy");
    // With one disk, all policies are the same.
    let one = seeds(&system(IvyPolicy::ReadOneWriteAll, 1)?)?;
    let mut rows = Vec::new();
    for policy in IvyPolicy::ALL {
        for copies in COPIES {
            let tally = match copies {
                1 => one.clone(),
                copies => {
                    next(&format!("{}, {copies}", policy.name()));
                    seeds(&system(policy, copies)?)?
                }
            };
            rows.push(row((policy, copies), &one, &tally));
        }
    }
    let (trace, files) = (path.to_owned(), files.files().len() as u64);
    Ok(OwnStudy { trace, files, only_missed_reads, at_recorded_places, rows })
}

fn row(
    (policy, copies): (IvyPolicy, u32),
    one: &ReplicationStatistics,
    tally: &ReplicationStatistics,
) -> OwnRow {
    let (first, figures) = (IvyFigures::of(one), IvyFigures::of(tally));
    OwnRow {
        policy,
        copies,
        figures,
        requests: (tally.read_turnaround.count(), tally.write_turnaround.count()),
        read_differs: shown(one.read_turnaround, tally.read_turnaround),
        write_differs: shown(one.write_turnaround, tally.write_turnaround),
        read_reduction_percent: reduction(first.read.0, figures.read.0),
        write_reduction_percent: reduction(first.write.0, figures.write.0),
    }
}

/// So few requests show nothing: the normal distribution would flatter them.
const REQUESTS_LEAST: u64 = 30;

fn shown(one: Tally, other: Tally) -> bool {
    one.count().min(other.count()) >= REQUESTS_LEAST && differ(one, other)
}

/// Whether a trace saw all its files on one device, and within so many blocks.
fn lies_within(files: &TraceFiles, blocks: u64) -> bool {
    let placed = || files.files().iter().filter(|file| !file.extents.is_empty());
    let first = placed().next().map(|file| file.device);
    let extents = placed().flat_map(|file| &file.extents);
    let end = extents.map(|extent| extent.address + extent.length.div_ceil(SECTOR_BYTES)).max();
    first.is_some_and(|device| placed().all(|file| file.device == device))
        && end.is_some_and(|end| end <= blocks)
}

/// Writes the study as a page: turnarounds by number of copies for each policy, as figures 21 to 26, and the tables.
///
/// # Errors
/// When the file can't be written.
pub fn own_page(study: &OwnStudy, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(study).html())
}

fn page(study: &OwnStudy) -> Page {
    let mut page = Page::new("Copies of files: turnaround by number of copies");
    let name = study.trace.display();
    page.paragraph(format!(
        "The study of S.-L. Lo, “Ivy: a study on replicating data for performance improvement”, 1990, on {name}: {} files.",
        study.files
    ));
    type Of = fn(&OwnRow) -> f64;
    let all: [(&str, Of); 2] = [("read", |row| row.figures.read.0), ("write", |row| row.figures.write.0)];
    page.figures(all.map(|(of, turnaround)| {
        let mut figure = Figure::new(
            format!("{of} turnaround"),
            format!("{of} turnaround by number of copies, for each policy"),
            Axis::new("copies, or disks", Quantity::Number),
            Axis::new(format!("{of} turnaround"), Quantity::Duration),
        );
        for (colour, policy) in IvyPolicy::ALL.into_iter().enumerate() {
            let rows = study.rows.iter().filter(|row| row.policy == policy);
            let (x, y) = rows.map(|row| (f64::from(row.copies), turnaround(row) / 1e3)).unzip();
            figure.push(Series::line(policy.name(), x, y).colour(colour));
        }
        figure
    }));
    for policy in IvyPolicy::ALL {
        page.heading(policy.name());
        let rows = study.rows.iter().filter(|row| row.policy == policy).map(|row| {
            let gain = |percent: f64, differs: bool| match row.copies {
                1 => String::new(),
                _ if differs => format!("{percent:.1} %"),
                _ => format!("{percent:.1} % (not shown)"),
            };
            let mut cells = vec![row.copies.to_string()];
            cells.extend(row.figures.columns().map(|value| format!("{value:.2}")));
            cells.push(gain(row.read_reduction_percent, row.read_differs));
            cells.push(gain(row.write_reduction_percent, row.write_differs));
            cells
        });
        let heads =
            ["copies", "seek distance", "queue", "read queue", "write queue", "read ms", "s.d.", "write ms"];
        let more = ["s.d.", "overall ms", "s.d.", "reads faster", "writes faster"];
        page.table(Table::new(heads.into_iter().chain(more)).with(rows));
    }
    page.foot = "model time, not measured".to_owned();
    page
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fmt::Write as _;

    /// Eight processes that read a file each of 64 KiB at once, again and again; and one that writes now and then.
    fn trace() -> String {
        let mut text =
            "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length\n"
                .to_owned();
        for round in 0..6_u64 {
            for process in 1..=8_u64 {
                let inode = round * 8 + process;
                let at = round * 400_000_000_000 + process * 1_000_000;
                let _ = writeln!(text, "{at},read,{process},1,{inode},/f{inode},0,65536");
            }
            let at = round * 400_000_000_000 + 200_000_000_000;
            let _ = writeln!(text, "{at},write,9,1,900,/log,{},8192", round * 8_192);
        }
        text
    }

    #[test]
    fn copies_make_a_trace_of_ones_own_faster_and_one_copy_is_the_same_under_all_policies() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.csv");
        std::fs::write(&path, trace()).unwrap();
        let mut told = Vec::new();
        let mut tell = |what: &str, (done, of): (usize, usize)| told.push((what.to_owned(), done, of));
        let (inputs, options) = (Inputs::here(), TraceOptions::default());
        let study = study_trace((&inputs, &path), &options, &IvySettings::default(), &mut tell).unwrap();
        assert_eq!((told.len(), told[20].1, told[20].2), (21, 20, 21));
        assert_eq!(study.rows.len(), 25);
        assert!(!study.at_recorded_places && !study.only_missed_reads);
        let row = |policy, copies| {
            study.rows.iter().find(|row| row.policy == policy && row.copies == copies).unwrap()
        };
        let one = row(IvyPolicy::ReadOneWriteAll, 1);
        for policy in IvyPolicy::ALL {
            assert_eq!(row(policy, 1).figures, one.figures);
            assert!(!row(policy, 1).read_differs);
            // Every read of the trace, from the disks: on two of them, some of eight at once don't wait.
            let two = row(policy, 2);
            assert_eq!(two.requests.0, one.requests.0, "{}", policy.name());
            assert!(two.read_differs && two.read_reduction_percent > 10.0, "{}", policy.name());
            assert!(two.figures.read_queue < one.figures.read_queue, "{}", policy.name());
        }
        // Seven copies are no slower to read than two.
        let mirrored = |copies| row(IvyPolicy::ReadOneWriteAll, copies).figures.read.0;
        assert!(mirrored(7) < mirrored(3) && mirrored(3) < mirrored(2));
        let html = page(&study).html();
        assert!(html.contains("scatter") && !html.contains(">NaN") && html.len() < 150_000);
    }

    #[test]
    fn a_trace_without_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nothing.csv");
        let head = "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length\n";
        std::fs::write(&path, format!("{head}0,exec,7,0,0,/bin/sh,0,0\n")).unwrap();
        let (inputs, options) = (Inputs::here(), TraceOptions::default());
        let found = study_trace((&inputs, &path), &options, &IvySettings::default(), &mut |_, _| {});
        assert!(found.unwrap_err().to_string().contains("no call on a file"));
    }
}
