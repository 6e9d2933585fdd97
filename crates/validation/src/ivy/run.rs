//! Every row of the paper's tables, simulated.

use super::error::IvyError;
use super::figures::{IvyFigures, differ, reduction};
use super::paper::{FileSystem, IvyPolicy, PaperTable, TABLES};
use super::settings::IvySettings;
use super::system::{IvySystem, run};
use petrio_models::cluster::replication::ReplicationStatistics;
use rayon::prelude::*;
use serde::Serialize;

/// Is told what comes next, and how many Systems of how many have been run.
pub type Tell<'t> = dyn FnMut(&str, (usize, usize)) + 't;

/// Seeds of the made-up traces; figures are over the requests of all of them.
pub const SEEDS: [u64; 3] = [1, 2, 3];

/// A row, simulated, beside the paper's.
#[derive(Clone, Debug, Serialize)]
pub struct IvyRow {
    /// The paper's table.
    pub table: u32,
    /// The file system.
    pub file_system: FileSystem,
    /// The policy.
    pub policy: IvyPolicy,
    /// Copies, or disks.
    pub copies: u32,
    /// Ours.
    pub simulated: IvyFigures,
    /// The paper's; it leaves two rows out.
    pub paper: IvyFigures,
    /// Whether our mean read turnaround differs from that with one copy at 95 % (Welch's t).
    pub read_differs: bool,
    /// Whether our mean write turnaround does.
    pub write_differs: bool,
    /// By how much reads are faster than with one copy, in per cent: ours and the paper's.
    pub read_reduction_percent: (f64, f64),
    /// By how much writes are.
    pub write_reduction_percent: (f64, f64),
}

/// The System of a row, as the paper has it: magic copies, free messages, first come, first served.
pub fn system_of(file_system: FileSystem, policy: IvyPolicy, copies: u32) -> Result<IvySystem, IvyError> {
    IvySettings::default().system(file_system, policy, copies)
}

/// A System over all seeds.
pub fn run_seeds(system: &IvySystem) -> Result<ReplicationStatistics, IvyError> {
    let tallies: Vec<ReplicationStatistics> =
        SEEDS.par_iter().map(|&seed| run(system, seed)).collect::<Result<_, _>>()?;
    Ok(tallies.iter().fold(ReplicationStatistics::default(), |sum, tally| sum.join(tally)))
}

/// All tables of the settings' file systems that are wanted; of a study that is broken off the rows that are done. `progress` is told what comes next, and how many of how many Systems have
/// been run.
///
/// # Errors
/// A run that fails.
pub fn validate_ivy(settings: &IvySettings, progress: &mut Tell<'_>) -> Result<Vec<IvyRow>, IvyError> {
    let mut rows = Vec::new();
    let all = settings.file_systems();
    let tables = || TABLES.iter().filter(|table| all.contains(&table.file_system) && settings.wants(table));
    let all: Vec<FileSystem> =
        all.iter().copied().filter(|of| tables().any(|table| table.file_system == *of)).collect();
    let of = all.len() + tables().map(|table| table.rows.len() - 1).sum::<usize>();
    let mut done = 0;
    let mut next = |what: &str| {
        progress(what, (done, of));
        done += 1;
    };
    for &file_system in &all {
        next(&format!("{}, one copy", file_system.name()));
        // With one disk, all policies are the same.
        let one = match run_seeds(&settings.system(file_system, IvyPolicy::ReadOneWriteAll, 1)?) {
            Err(_) if settings.is_stopped() => break,
            one => one?,
        };
        for table in tables().filter(|table| table.file_system == file_system) {
            rows.extend(table_rows(settings, table, &one, &mut next)?);
        }
    }
    rows.sort_by_key(|row| (row.table, row.copies));
    Ok(rows)
}

fn table_rows(
    settings: &IvySettings,
    table: &PaperTable,
    one: &ReplicationStatistics,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<IvyRow>, IvyError> {
    let first = table.rows[0].1;
    let ours = IvyFigures::of(one);
    let mut rows = Vec::new();
    for &(copies, paper) in table.rows {
        if settings.is_stopped() {
            break;
        }
        let tally = match copies {
            1 => one.clone(),
            copies => {
                progress(&format!("{}, {}, {copies}", table.file_system.name(), table.policy.name()));
                match run_seeds(&settings.system(table.file_system, table.policy, copies)?) {
                    Err(_) if settings.is_stopped() => break,
                    tally => tally?,
                }
            }
        };
        let simulated = IvyFigures::of(&tally);
        rows.push(IvyRow {
            table: table.number,
            file_system: table.file_system,
            policy: table.policy,
            copies,
            simulated,
            paper,
            read_differs: differ(one.read_turnaround, tally.read_turnaround),
            write_differs: differ(one.write_turnaround, tally.write_turnaround),
            read_reduction_percent: (
                reduction(ours.read.0, simulated.read.0),
                reduction(first.read.0, paper.read.0),
            ),
            write_reduction_percent: (
                reduction(ours.write.0, simulated.write.0),
                reduction(first.write.0, paper.write.0),
            ),
        });
    }
    Ok(rows)
}
