//! Operations on XFS and ext4 beside a real kernel's: which requests each sends, and how commits are shared.
//!
//! A folder of tables says what was measured (`ops.csv`, `extents.csv`, `group.csv`): operations with their phases and the sequences of requests that
//! were seen, in settings of size, write cache and mount options, on a disk that takes the same time for each request. Each operation is
//! played as a scenario ([`scripts`]); its sequence is to be one of those seen in a quarter of the repetitions or more. Operations that
//! petrio's programs can't do are listed.

pub mod extents;
pub mod measured;
pub mod play;
pub mod scripts;
pub mod sequence;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use crate::paced::PlayError;
use crate::verdict::Judged;
use extents::{ExtentsError, ExtentsRow};
use measured::{MeasuredError, MeasuredGroup, MeasuredOperation, SHARE, Setting};
use petrio_files::inputs::Inputs;
use play::{play_group, play_operation};
use rayon::prelude::*;
use scripts::OperationScript;
use serde::Serialize;
use std::path::Path;
use thiserror::Error;

/// Of the operations, so many must send what was measured.
pub const AIM: f64 = 0.9;

/// By how much the range of a cell's runs is widened, per cent.
pub const RANGE_PERCENT: f64 = 5.0;

/// By how much operations a second may differ, per cent.
pub const RATE_PERCENT: f64 = 10.0;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum OperationsError {
    /// A table can't be read.
    #[error(transparent)]
    Measured(#[from] MeasuredError),
    /// A scenario of extents can't be played.
    #[error(transparent)]
    Extents(#[from] ExtentsError),
    /// An operation can't be played.
    #[error("{operation}: {source}")]
    Play {
        /// Which.
        operation: String,
        /// Why.
        source: PlayError,
    },
}

/// An operation in a setting, beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperationRow {
    /// The operation.
    pub operation: String,
    /// The file system's size, MiB.
    pub size_mib: u64,
    /// `wb` or `wt`.
    pub cache: String,
    /// `default` or `noatime`.
    pub mount: String,
    /// What is predicted.
    pub predicted: String,
    /// The commonest of what was measured, and its share.
    pub measured: String,
    /// Its share.
    pub share: f64,
    /// Whether what is predicted was measured in a share that counts.
    pub agrees: bool,
}

/// A cell of group commit beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupRow {
    /// What each thread does.
    pub operation: String,
    /// `wb` or `wt`.
    pub cache: String,
    /// Threads.
    pub threads: u32,
    /// Requests an operation: the least and the most of the cell's runs.
    pub measured_requests: (f64, f64),
    /// The same predicted.
    pub requests: f64,
    /// Operations a second, as they follow from the predicted requests and the row's time for each.
    pub expected_per_second: f64,
    /// The same predicted.
    pub per_second: f64,
}

impl GroupRow {
    /// Whether requests lie in their range, and the rate is what follows from them.
    pub fn judged(&self) -> [Judged; 2] {
        let Self { operation, cache, threads, measured_requests: (least, most), requests, .. } = self;
        let what = |of: &str| format!("{operation}, {cache}, {threads} threads: {of}");
        let (low, high) = (least * (1.0 - RANGE_PERCENT / 100.0), most * (1.0 + RANGE_PERCENT / 100.0));
        let off = if *requests < low { low - requests } else { (requests - high).max(0.0) };
        let figures = format!("{requests:.3} predicted, {low:.3} to {high:.3} allowed");
        let rate = (self.per_second / self.expected_per_second - 1.0) * 100.0;
        [
            Judged::at_most(what("requests an operation"), figures, (off, 0.0), None),
            Judged::percent(what("operations a second"), rate, RATE_PERCENT, None),
        ]
    }
}

/// What came of a folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OperationsFound {
    /// A row for each operation and setting.
    pub rows: Vec<OperationRow>,
    /// Where files lie.
    pub extents: Vec<ExtentsRow>,
    /// Group commits.
    pub groups: Vec<GroupRow>,
    /// Operations that petrio's programs can't do.
    pub unknown: Vec<String>,
    /// Operations in settings of which no sequence was seen often enough to be held against.
    pub scattered: Vec<String>,
}

impl OperationsFound {
    /// The aim, and each cell of group commit.
    pub fn judged(&self) -> Vec<Judged> {
        let agree = self.rows.iter().filter(|row| row.agrees).count();
        let what = "operations whose requests are those measured".to_owned();
        let aim = Judged::share(what, (agree, self.rows.len()), AIM, None);
        let extents = self.extents.iter().map(ExtentsRow::judged);
        let rest = extents.chain(self.groups.iter().flat_map(GroupRow::judged));
        std::iter::once(aim).filter(|_| !self.rows.is_empty()).chain(rest).collect()
    }
}

/// Plays what a folder's tables say of a file system. `progress` is told what comes next.
///
/// # Errors
/// As of [`OperationsError`].
pub fn judge_folder(
    (inputs, folder): (&Inputs, &Path),
    fs: &str,
    mut progress: impl FnMut(&str),
) -> Result<OperationsFound, OperationsError> {
    let mut found = OperationsFound::default();
    let log_kib = if fs == "xfs" { 0.5 } else { 4.0 };
    let mut played = Vec::new();
    for cell in measured::operations(inputs, folder, fs)? {
        match OperationScript::of(&cell.operation, &cell.phases) {
            None if found.unknown.contains(&cell.operation) => {}
            None => found.unknown.push(cell.operation),
            Some(_) if cell.seen.iter().all(|(_, share)| *share < SHARE) => {
                found.scattered.push(format!("{} ({})", cell.operation, words(&cell.setting)));
            }
            Some(script) => played.push((cell, script)),
        }
    }
    progress(&format!("simulating {} operations", played.len()));
    let rows = played.par_iter().map(|(cell, script)| operation_row(cell, script, log_kib));
    found.rows = rows.collect::<Result<Vec<OperationRow>, _>>()?;
    if folder.join(measured::EXTENTS).exists() {
        progress("laying files out");
        let (rows, unknown) = extents::judge(inputs, folder, fs)?;
        found.extents = rows;
        found.unknown.extend(unknown);
    }
    if folder.join(measured::GROUP).exists() {
        let groups = measured::groups(inputs, folder, fs).map_err(MeasuredError::from)?;
        progress(&format!("simulating {} runs of group commit", groups.len()));
        found.groups = group_rows(&groups)?;
    }
    Ok(found)
}

fn words(setting: &Setting) -> String {
    format!("{} MiB, {}, {}", setting.size_mib, setting.cache, setting.mount)
}

fn operation_row(
    cell: &MeasuredOperation,
    script: &OperationScript,
    log_kib: f64,
) -> Result<OperationRow, OperationsError> {
    let MeasuredOperation { setting, operation, seen, .. } = cell;
    let predicted = play_operation(setting, script)
        .map_err(|source| OperationsError::Play { operation: operation.clone(), source })?;
    let counts = seen.iter().filter(|(_, share)| *share >= SHARE);
    let agrees = counts.clone().any(|(sequence, _)| sequence.matches(&predicted, log_kib));
    let commonest = counts.max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (measured, share) =
        commonest.map_or((String::new(), 0.0), |(sequence, share)| (sequence.to_string(), *share));
    Ok(OperationRow {
        operation: operation.clone(),
        size_mib: setting.size_mib,
        cache: setting.cache.clone(),
        mount: setting.mount.clone(),
        predicted: predicted.to_string(),
        measured,
        share,
        agrees,
    })
}

/// A row for each cell: runs of the same are one.
fn group_rows(runs: &[MeasuredGroup]) -> Result<Vec<GroupRow>, OperationsError> {
    let mut cells: Vec<(&MeasuredGroup, f64, f64)> = Vec::new();
    for run in runs {
        let is_same = |other: &&mut (&MeasuredGroup, f64, f64)| {
            let other = other.0;
            (&other.op, &other.cache, other.threads, other.size_mib)
                == (&run.op, &run.cache, run.threads, run.size_mib)
        };
        match cells.iter_mut().find(is_same) {
            Some((_, least, most)) => {
                (*least, *most) = (least.min(run.requests_per_op), most.max(run.requests_per_op));
            }
            None => cells.push((run, run.requests_per_op, run.requests_per_op)),
        }
    }
    let rows = cells.par_iter().map(|&(run, least, most)| {
        let played =
            play_group(run).map_err(|source| OperationsError::Play { operation: run.op.clone(), source })?;
        Ok(played.map(|(per_second, requests)| GroupRow {
            operation: run.op.clone(),
            cache: run.cache.clone(),
            threads: run.threads,
            measured_requests: (least, most),
            requests,
            expected_per_second: 1_000.0 / (requests * run.ms_per_request),
            per_second,
        }))
    });
    Ok(rows.collect::<Result<Vec<Option<GroupRow>>, OperationsError>>()?.into_iter().flatten().collect())
}
