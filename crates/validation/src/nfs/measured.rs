//! The table of measured RPCs: a row for each configuration, operation and RPC.

use crate::paced::{TableError, rows};
use petrio_files::inputs::Inputs;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The table's file in its folder.
pub const RPCS: &str = "rpcs.csv";

/// The row that sums up others.
const TOTAL: &str = "TOTAL";

#[derive(Deserialize)]
struct Row {
    config: String,
    version: String,
    mount_options: String,
    other_condition: String,
    operation: String,
    rpc: String,
    count_min: f64,
    count_median: f64,
    count_max: f64,
    reps: u32,
    bytes_sent_median: Option<f64>,
    bytes_received_median: Option<f64>,
}

/// An RPC of an operation: how often, and its bytes of all repetitions' median together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredRpc {
    /// Least, median and most of the repetitions.
    pub count: (f64, f64, f64),
    /// Bytes sent and received, where they were counted.
    pub bytes: Option<(f64, f64)>,
}

/// A cell: an operation in a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCell {
    /// The configuration's name.
    pub config: String,
    /// The protocol's version.
    pub version: String,
    /// The options of the mount.
    pub options: String,
    /// What else was changed.
    pub condition: String,
    /// The operation.
    pub operation: String,
    /// Repetitions.
    pub repetitions: u32,
    /// Its RPCs, by name.
    pub rpcs: BTreeMap<String, MeasuredRpc>,
}

/// The cells of a folder, in the order of its table.
///
/// # Errors
/// A file that isn't there or isn't such a table.
pub fn cells(inputs: &Inputs, folder: &Path) -> Result<Vec<MeasuredCell>, TableError> {
    let mut cells: Vec<MeasuredCell> = Vec::new();
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in rows::<Row>(inputs, &folder.join(RPCS))? {
        let at = *known.entry((row.config.clone(), row.operation.clone())).or_insert_with(|| {
            cells.push(MeasuredCell {
                config: row.config,
                version: row.version,
                options: row.mount_options,
                condition: row.other_condition,
                operation: row.operation,
                repetitions: row.reps,
                rpcs: BTreeMap::new(),
            });
            cells.len() - 1
        });
        if row.rpc == TOTAL {
            continue;
        }
        let bytes = row.bytes_sent_median.zip(row.bytes_received_median);
        let count = (row.count_min, row.count_median, row.count_max);
        if let Some(cell) = cells.get_mut(at) {
            cell.rpcs.insert(row.rpc, MeasuredRpc { count, bytes });
        }
    }
    Ok(cells)
}
