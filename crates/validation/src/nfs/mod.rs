//! The RPCs of file operations on NFS, beside those that a real kernel's client sent.
//!
//! A folder with `rpcs.csv` says what was counted: for each configuration (version and mount options), operation and RPC how often it
//! was sent in each repetition, least, median and most, and how many bytes. Each operation is played on a client that has mounted an
//! export ([`petrio_models::host::nfs`]): the same system calls, in the same order, with the same waits between them. A cell agrees when
//! *each* of its RPCs is sent as often as the median says, or as often as one of the repetitions did where these differ; bytes of a
//! call agree within 10 % or 100 B.

pub mod grid;
pub mod kao;
pub mod measured;
mod operations;
mod play;
mod programs;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use crate::paced::TableError;
use crate::verdict::{Judged, by_config, is_as_long};
use measured::{MeasuredCell, MeasuredRpc, cells};
use operations::Operation;
use petrio_files::inputs::Inputs;
use petrio_models::host::nfs::{Call, MountOptions, OptionError};
use petrio_units::Bytes;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use thiserror::Error;

/// Of the cells, so many must agree.
pub const AIM: f64 = 0.9;

/// Most repetitions that are played: what a table asks for beyond that changes no median.
const REPETITIONS: u32 = 100;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum NfsFolderError {
    /// The table can't be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A configuration's mount options make no sense.
    #[error("configuration {config}: {source}")]
    Options {
        /// Which.
        config: String,
        /// Why.
        source: OptionError,
    },
    /// A configuration's version isn't that of its options.
    #[error(
        "configuration {config} is of version {version}, but its options \"{options}\" mount version {mounted}"
    )]
    Version {
        /// Which.
        config: String,
        /// As its column says.
        version: String,
        /// As its options say.
        options: String,
        /// What these mount.
        mounted: &'static str,
    },
}

/// An RPC of a cell: how often it is predicted, and how often it was counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NfsRpc {
    /// Its name.
    pub rpc: String,
    /// How often it is predicted: the median of the repetitions.
    pub predicted: f64,
    /// Least, median and most that was counted.
    pub measured: (f64, f64, f64),
    /// Bytes of a call sent: predicted and counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<(f64, f64)>,
    /// Bytes of its reply, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<(f64, f64)>,
}

impl NfsRpc {
    /// Whether it is sent as often as was counted.
    pub fn agrees(&self) -> bool {
        let (least, median, most) = self.measured;
        let equal = (self.predicted - median).abs() < 1e-9;
        equal || (least < most && (least..=most).contains(&self.predicted))
    }

    /// Whether a call and its reply are as long as was counted.
    pub fn is_as_long(&self) -> bool {
        let near =
            |pair: Option<(f64, f64)>| pair.is_none_or(|(predicted, counted)| is_as_long(predicted, counted));
        near(self.sent) && near(self.received)
    }
}

/// A cell beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NfsRow {
    /// The configuration.
    pub config: String,
    /// The options of the mount.
    pub options: String,
    /// The operation.
    pub operation: String,
    /// The order in which the calls of the last repetition are predicted.
    pub order: String,
    /// Its RPCs: those that are predicted or were counted.
    pub rpcs: Vec<NfsRpc>,
    /// Whether all are sent as often as was counted.
    pub agrees: bool,
    /// Whether all are as long.
    pub as_long: bool,
}

/// What came of a folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NfsFound {
    /// A row for each cell.
    pub rows: Vec<NfsRow>,
    /// Operations that aren't known here; they count as such that don't agree.
    pub unknown: Vec<String>,
    /// Configurations with conditions that aren't known here, likewise.
    pub unknown_conditions: Vec<String>,
    /// Cells that are left out: counted on a machine so slow that attributes grew old in the middle.
    pub left_out: Vec<String>,
    /// Cells of what isn't known.
    pub not_played: usize,
}

impl NfsFound {
    /// Cells that agree, of how many, in each configuration, in the order of the table.
    pub fn by_config(&self) -> Vec<(String, usize, usize)> {
        by_config(self.rows.iter().map(|row| (row.config.as_str(), row.agrees)))
    }

    /// The aims: numbers of RPCs, and their bytes.
    pub fn judged(&self) -> Vec<Judged> {
        let all = self.rows.len() + self.not_played;
        let agree = self.rows.iter().filter(|row| row.agrees).count();
        let long = self.rows.iter().filter(|row| row.as_long).count();
        let share = |what: &str, held| Judged::share(what.to_owned(), (held, all), AIM, None);
        vec![
            share("operations each of whose RPCs is sent as often as counted", agree),
            share("operations each of whose RPCs is as long as counted", long),
        ]
    }
}

/// Plays what a folder's table says.
///
/// # Errors
/// As of [`NfsFolderError`].
pub fn judge_nfs(inputs: &Inputs, folder: &Path) -> Result<NfsFound, NfsFolderError> {
    let mut found = NfsFound::default();
    let mut played = Vec::new();
    for cell in cells(inputs, folder)? {
        let options = options_of(&cell)?;
        // The README of the measurement, trap 1: attributes were fetched anew in the middle of an operation of 9 s.
        if cell.config == "v3_base" && cell.operation.starts_with("ls_l_1000_") {
            found.left_out.push(format!("{} ({})", cell.operation, cell.config));
            continue;
        }
        let operation = Operation::of(&cell.operation);
        match (operation, options) {
            (Some(operation), Some((options, delegations))) => {
                played.push((cell, operation, options, delegations));
            }
            (None, _) => {
                found.not_played += 1;
                if !found.unknown.contains(&cell.operation) {
                    found.unknown.push(cell.operation);
                }
            }
            (_, None) => {
                found.not_played += 1;
                let condition = format!("{}: {}", cell.config, cell.condition);
                if !found.unknown_conditions.contains(&condition) {
                    found.unknown_conditions.push(condition);
                }
            }
        }
    }
    let rows = played.par_iter().map(|(cell, operation, options, delegations)| {
        let repetitions = cell.repetitions.clamp(1, REPETITIONS);
        let calls = play::play(*operation, &cell.operation, options, *delegations, repetitions);
        row_of(cell, options, &calls)
    });
    found.rows = rows.collect();
    Ok(found)
}

/// A configuration's options, and whether its server gives delegations; none where its conditions aren't known.
fn options_of(cell: &MeasuredCell) -> Result<Option<(MountOptions, bool)>, NfsFolderError> {
    let MeasuredCell { config, version, options, condition, .. } = cell;
    let mut parsed = MountOptions::parse(options)
        .map_err(|source| NfsFolderError::Options { config: config.clone(), source })?;
    let mounted = parsed.version.word();
    if version != mounted {
        let (config, version, options) = (config.clone(), version.clone(), options.clone());
        return Err(NfsFolderError::Version { config, version, options, mounted });
    }
    let mut delegations = true;
    for condition in condition.split(';').map(str::trim).filter(|condition| !condition.is_empty()) {
        if let Some(kib) = condition.strip_prefix("read_ahead_kb=").and_then(|kib| kib.parse().ok()) {
            parsed.read_ahead = Bytes::from_kib(kib);
        } else if condition.starts_with("server without delegations") {
            delegations = false;
        } else if condition != "server export option async" {
            // That one changes when a server answers, not what it is asked.
            return Ok(None);
        }
    }
    Ok(Some((parsed, delegations)))
}

/// Numbers and bytes of an RPC in a repetition.
#[derive(Clone, Copy, Default)]
struct Counted {
    calls: u64,
    sent: u64,
    received: u64,
}

/// As the table counts: by the mount's own statistics what these know, and what they don't by tracing.
fn count(calls: &[Call], options: &MountOptions) -> BTreeMap<&'static str, Counted> {
    let own: BTreeSet<_> = calls.iter().filter(|call| call.is_own).map(|call| call.procedure).collect();
    let mut counted: BTreeMap<&'static str, Counted> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.is_own || !own.contains(&call.procedure)) {
        let rpc = counted.entry(call.procedure.name(options.version)).or_default();
        rpc.calls += 1;
        rpc.sent += call.sent;
        rpc.received += call.received;
    }
    counted
}

fn row_of(cell: &MeasuredCell, options: &MountOptions, repetitions: &[Vec<Call>]) -> NfsRow {
    let counted: Vec<_> = repetitions.iter().map(|calls| count(calls, options)).collect();
    let names: BTreeSet<&str> = counted
        .iter()
        .flat_map(|rpcs| rpcs.keys().copied())
        .chain(cell.rpcs.keys().map(String::as_str))
        .collect();
    let rpcs: Vec<NfsRpc> = names
        .into_iter()
        .map(|name| {
            let of = |what: fn(&Counted) -> u64| {
                median(counted.iter().map(|rpcs| rpcs.get(name).map_or(0, what) as f64).collect())
            };
            let predicted = of(|rpc| rpc.calls);
            let none = MeasuredRpc { count: (0.0, 0.0, 0.0), bytes: None };
            let measured = cell.rpcs.get(name).copied().unwrap_or(none);
            let each = |predicted_bytes: f64, bytes: f64| {
                (predicted > 0.0 && measured.count.1 > 0.0)
                    .then(|| (predicted_bytes / predicted, bytes / measured.count.1))
            };
            NfsRpc {
                rpc: name.to_owned(),
                predicted,
                measured: measured.count,
                sent: measured.bytes.and_then(|(sent, _)| each(of(|rpc| rpc.sent), sent)),
                received: measured.bytes.and_then(|(_, received)| each(of(|rpc| rpc.received), received)),
            }
        })
        .collect();
    let last = repetitions.last().map(Vec::as_slice).unwrap_or_default();
    NfsRow {
        config: cell.config.clone(),
        options: cell.options.clone(),
        operation: cell.operation.clone(),
        order: order(last, options),
        agrees: rpcs.iter().all(NfsRpc::agrees),
        as_long: rpcs.iter().all(NfsRpc::is_as_long),
        rpcs,
    }
}

/// The calls' names in their order; the same one again and again as `READx8`.
fn order(calls: &[Call], options: &MountOptions) -> String {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for call in calls {
        let name = call.procedure.name(options.version);
        match runs.last_mut() {
            Some((last, times)) if *last == name => *times += 1,
            _ => runs.push((name, 1)),
        }
    }
    let words = runs.into_iter().map(|(name, times)| match times {
        1 => name.to_owned(),
        times => format!("{name}x{times}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    match (values.get(middle), middle.checked_sub(1).and_then(|below| values.get(below))) {
        (Some(value), _) if is_odd => *value,
        (Some(above), Some(below)) => f64::midpoint(*above, *below),
        _ => 0.0,
    }
}
