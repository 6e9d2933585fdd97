//! The messages of operations on PVFS 2, beside those of a real one.
//!
//! A folder with `messages.csv` says what was counted of an OrangeFS: for each configuration and operation the messages between client and
//! servers, in their order, with their bytes, and what servers sent each other. Each operation is played on a client that knows what it
//! knew then ([`petrio_models::cluster::pvfs::metadata`]). An operation agrees when its messages are as many of each kind, in the same
//! order, as counted. Where objects lie is drawn when they are made, and decides some of it (what one server needn't tell another): the
//! operation is played for 64 placings, and what was counted is held to be right where some placing gives it.

pub mod measured;
mod operations;
mod play;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use crate::paced::TableError;
use crate::verdict::{Judged, by_config, is_as_long};
use measured::{MeasuredOperation, operations};
use operations::Played;
use petrio_files::inputs::Inputs;
use play::{Messages, play, site};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// Of the operations, so many must agree: all but one in ten.
pub const AIM: f64 = 0.9;

/// Most servers that a table's file system may have: what is beyond isn't played.
const MOST_SERVERS: u32 = 4_096;

/// Predicted, and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// As petrio has it.
    pub predicted: u64,
    /// As it was counted.
    pub measured: u64,
}

impl Beside {
    fn is_near(self) -> bool {
        is_as_long(self.predicted as f64, self.measured as f64)
    }
}

/// An operation beside its prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessagesRow {
    /// The configuration.
    pub config: String,
    /// The operation.
    pub operation: String,
    /// Kinds of messages in their order, predicted: of the placing that comes nearest to what was counted.
    pub predicted: String,
    /// As counted.
    pub measured: String,
    /// Bytes of the client.
    pub bytes_up: Beside,
    /// Bytes to it.
    pub bytes_down: Beside,
    /// Messages between servers, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_servers: Option<Beside>,
    /// Their bytes, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_between_servers: Option<Beside>,
    /// In how many of a hundred placings of its objects this is sent.
    pub share: f64,
    /// Whether the messages of client and servers are as many of each kind, in the same order.
    pub agrees: bool,
    /// Whether bytes agree.
    pub as_long: bool,
}

/// What came of a folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MessagesFound {
    /// A row for each operation.
    pub rows: Vec<MessagesRow>,
    /// Operations that aren't known here; they count as such that don't agree.
    pub unknown: Vec<String>,
    /// Rows of these, or of file systems without servers.
    pub not_played: usize,
}

impl MessagesFound {
    /// Operations that agree, of how many, in each configuration, in the order of the table.
    pub fn by_config(&self) -> Vec<(String, usize, usize)> {
        by_config(self.rows.iter().map(|row| (row.config.as_str(), row.agrees)))
    }

    /// The aims: messages, and their bytes.
    pub fn judged(&self) -> Vec<Judged> {
        let all = self.rows.len() + self.not_played;
        let agree = self.rows.iter().filter(|row| row.agrees).count();
        let long = self.rows.iter().filter(|row| row.as_long).count();
        let share = |what: &str, held| Judged::share(what.to_owned(), (held, all), AIM, None);
        vec![
            share("operations whose messages are those counted, in their order", agree),
            share("operations whose messages are as long", long),
        ]
    }
}

/// Plays what a folder's table says.
///
/// # Errors
/// A table that isn't there or isn't one.
pub fn judge_messages(inputs: &Inputs, folder: &Path) -> Result<MessagesFound, TableError> {
    let mut found = MessagesFound::default();
    let mut played = Vec::new();
    for row in operations(inputs, folder)? {
        let site = Some(row.servers)
            .filter(|servers| *servers <= MOST_SERVERS)
            .and_then(|servers| site(servers, !row.config.contains("nostuff")));
        match Played::of(&row.op).zip(site) {
            Some((operation, site)) => played.push((row, operation, site)),
            None => {
                found.not_played += 1;
                if !found.unknown.contains(&row.op) {
                    found.unknown.push(row.op);
                }
            }
        }
    }
    let rows = played.par_iter().map(|(row, operation, site)| row_of(row, &play(site, operation)));
    found.rows = rows.collect();
    Ok(found)
}

/// The outcome that comes nearest to what was counted: as long, and in the same order.
fn row_of(row: &MeasuredOperation, outcomes: &[(Messages, u64)]) -> MessagesRow {
    let all: u64 = outcomes.iter().map(|(_, times)| times).sum();
    let beside = |messages: &Messages, share: u64| {
        let between = row.s2s_segs.map(|measured| Beside { predicted: messages.between.0, measured });
        let bytes_between = row.s2s_bytes.map(|measured| Beside { predicted: messages.between.1, measured });
        let bytes_up = Beside { predicted: messages.bytes.0, measured: row.bmi_bytes_up };
        let bytes_down = Beside { predicted: messages.bytes.1, measured: row.bmi_bytes_down };
        let structure = messages.structure();
        MessagesRow {
            config: row.config.clone(),
            operation: row.op.clone(),
            agrees: structure == row.structure.trim()
                && between.is_none_or(|between| between.predicted == between.measured),
            as_long: bytes_up.is_near() && bytes_down.is_near() && bytes_between.is_none_or(Beside::is_near),
            predicted: structure,
            measured: row.structure.clone(),
            bytes_up,
            bytes_down,
            between_servers: between,
            bytes_between_servers: bytes_between,
            share: 100.0 * share as f64 / all.max(1) as f64,
        }
    };
    let rows: Vec<MessagesRow> = outcomes.iter().map(|(messages, times)| beside(messages, *times)).collect();
    let best =
        rows.iter().find(|row| row.agrees && row.as_long).or_else(|| rows.iter().find(|row| row.agrees));
    let none = Messages::default();
    best.or(rows.first()).cloned().unwrap_or_else(|| beside(&none, 0))
}
