//! Several traces merged by time into one stream.

use super::error::TraceError;
use super::options::TraceOptions;
use super::reader::{TraceReader, TraceSummary};
use super::record::BlockRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::Path;

/// How the clocks of several traces relate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// Each trace begins at time zero.
    #[default]
    Each,
    /// They share a clock: the earliest request of all is at time zero, and the others keep their distance.
    Shared,
}

/// Where the requests of one trace go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceMap {
    /// To the device of the same number.
    #[default]
    Same,
    /// All to one device.
    All(u32),
    /// By a table from the trace's numbers; a device that isn't in it is an error.
    Table(BTreeMap<u32, u32>),
}

/// A record of a merged stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedRecord {
    /// Which trace, in the order in which they were given.
    pub trace: u32,
    /// The record, with its process and device numbered for the whole stream.
    pub record: BlockRecord,
}

/// Several traces as one iterator of records in order of time; records of the same time come in the order of the traces.
///
/// Processes are numbered anew in order of first appearance, so that process 7 of one trace isn't that of another.
pub struct MergedTraces {
    traces: Vec<(TraceReader, DeviceMap)>,
    /// The next record of each trace that has one, the earliest on top.
    heads: BinaryHeap<Reverse<(petrio_kernel::Time, usize)>>,
    records: Vec<Option<BlockRecord>>,
    processes: BTreeMap<(usize, u32), u32>,
    /// An error that was met while looking ahead, to be reported in its turn.
    failed: Option<TraceError>,
    done: bool,
}

impl MergedTraces {
    /// Opens files and merges them.
    ///
    /// # Errors
    /// As of [`TraceReader::open`].
    pub fn open<'a, P: AsRef<Path> + 'a>(
        traces: impl IntoIterator<Item = (P, &'a TraceOptions, DeviceMap)>,
        alignment: Alignment,
    ) -> Result<Self, TraceError> {
        let opened: Result<Vec<_>, _> = traces
            .into_iter()
            .map(|(path, options, devices)| Ok((TraceReader::open(path, options)?, devices)))
            .collect();
        Self::new(opened?, alignment)
    }

    /// Merges traces that are open.
    ///
    /// # Errors
    /// What is wrong with the first record of a trace.
    pub fn new(mut traces: Vec<(TraceReader, DeviceMap)>, alignment: Alignment) -> Result<Self, TraceError> {
        if alignment == Alignment::Shared {
            let mut earliest = None;
            for (reader, _) in &mut traces {
                let clock = reader.first_clock()?;
                earliest = earliest.into_iter().chain(clock).min();
            }
            for (reader, _) in &mut traces {
                reader.set_origin(earliest.unwrap_or_default());
            }
        }
        let mut merged = Self {
            heads: BinaryHeap::with_capacity(traces.len()),
            records: vec![None; traces.len()],
            processes: BTreeMap::new(),
            failed: None,
            done: false,
            traces,
        };
        for trace in 0..merged.traces.len() {
            merged.advance(trace)?;
        }
        Ok(merged)
    }

    /// What was read so far of each trace.
    pub fn summaries(&self) -> Vec<TraceSummary> {
        self.traces.iter().map(|(reader, _)| reader.summary()).collect()
    }

    /// Reads the next record of a trace into its place.
    fn advance(&mut self, trace: usize) -> Result<(), TraceError> {
        let (reader, _) = &mut self.traces[trace];
        self.records[trace] = reader.next().transpose()?;
        if let Some(record) = self.records[trace] {
            self.heads.push(Reverse((record.time, trace)));
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Option<MergedRecord>, TraceError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(Reverse((_, trace))) = self.heads.pop() else { return Ok(None) };
        let Some(mut record) = self.records[trace].take() else { return Ok(None) };
        self.failed = self.advance(trace).err();
        let (reader, devices) = &self.traces[trace];
        record.device = match devices {
            DeviceMap::Same => record.device,
            DeviceMap::All(device) => *device,
            DeviceMap::Table(table) => match table.get(&record.device) {
                Some(&device) => device,
                None => {
                    let known = table.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                    let name = reader.name().clone();
                    return Err(TraceError::UnmappedDevice { name, device: record.device, known });
                }
            },
        };
        let next_process = self.processes.len() as u32;
        record.process = *self.processes.entry((trace, record.process)).or_insert(next_process);
        Ok(Some(MergedRecord { trace: trace as u32, record }))
    }
}

impl Iterator for MergedTraces {
    type Item = Result<MergedRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl std::iter::FusedIterator for MergedTraces {}
