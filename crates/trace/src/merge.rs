//! Several traces merged by time into one stream, of requests or of events.

use super::ahead::Ahead;
use super::error::TraceError;
use super::options::TraceOptions;
use super::reader::{Parsed, Reader, TraceReader};
use super::record::BlockRecord;
use super::summary::TraceSummary;
use petrio_persist::{self as persist, Damage, Persist, Writer};
use petrio_time::Time;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
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

/// Traces merged by time; records of the same time come in the order of the traces.
pub(super) struct Merge<R: Parsed> {
    parts: Vec<Ahead<R>>,
    /// The next record of each trace that has one, the earliest on top.
    heads: BinaryHeap<Reverse<(Time, usize)>>,
    /// An error that was met while looking ahead, to be reported in its turn.
    failed: Option<TraceError>,
    done: bool,
}

impl<R: Parsed> Merge<R> {
    /// Of traces that are open, each with what is added to its times.
    ///
    /// # Errors
    /// What is wrong with the first record of a trace.
    pub(super) fn new(readers: impl IntoIterator<Item = (Reader<R>, Time)>) -> Result<Self, TraceError> {
        let parts = readers.into_iter().map(|(reader, shift)| Ahead::new(reader, shift));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let heads = heads(&parts);
        Ok(Self { parts, heads, failed: None, done: false })
    }

    pub(super) fn readers(&self) -> impl ExactSizeIterator<Item = &Reader<R>> {
        self.parts.iter().map(|part| &part.reader)
    }

    fn read(&mut self) -> Result<Option<(usize, R)>, TraceError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(Reverse((_, index))) = self.heads.pop() else { return Ok(None) };
        let Some(record) = self.parts[index].next.take() else { return Ok(None) };
        match self.parts[index].advance() {
            Ok(time) => self.heads.extend(time.map(|time| Reverse((time, index)))),
            Err(error) => self.failed = Some(error),
        }
        Ok(Some((index, record)))
    }

    /// The next record with its trace's place, made part of the whole by `adopt`; after an error none.
    pub(super) fn next<T>(
        &mut self,
        adopt: impl FnOnce(&Self, usize, R) -> Result<T, TraceError>,
    ) -> Option<Result<T, TraceError>> {
        if self.done {
            return None;
        }
        let item = match self.read() {
            Ok(Some((index, record))) => Some(adopt(self, index, record)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        };
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

/// The next record of each.
fn heads<R: Parsed>(parts: &[Ahead<R>]) -> BinaryHeap<Reverse<(Time, usize)>> {
    let next = parts.iter().enumerate();
    next.filter_map(|(index, part)| Some(Reverse((part.next.as_ref()?.time(), index)))).collect()
}

impl<R: Parsed> Persist for Merge<R> {
    fn save(&self, to: &mut Writer<'_>) {
        if let Some(error) = &self.failed {
            to.refuse(format!("a trace that can't be read on ({error})"));
        }
        self.done.save(to);
        self.parts.iter().for_each(|part| part.save(to));
    }

    fn load(from: &mut persist::Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("a trace"))
    }

    fn restore(&mut self, from: &mut persist::Reader<'_>) -> Result<(), Damage> {
        self.done.restore(from)?;
        self.parts.iter_mut().try_for_each(|part| part.restore(from))?;
        self.heads = heads(&self.parts);
        Ok(())
    }
}

/// One trace, read on by its state from where it was read up to.
#[derive(Persist)]
#[persist(bound = "R: Parsed")]
pub struct OneTrace<R: Parsed>(Merge<R>);

impl<R: Parsed> OneTrace<R> {
    /// Of a trace that is open.
    ///
    /// # Errors
    /// What is wrong with its first record.
    pub fn new(reader: Reader<R>) -> Result<Self, TraceError> {
        Ok(Self(Merge::new([(reader, Time::ZERO)])?))
    }
}

impl<R: Parsed> Iterator for OneTrace<R> {
    type Item = Result<R, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next(|_, _, record| Ok(record))
    }
}

/// Numbers of several traces numbered anew for all of them, in order of first appearance.
#[derive(Default)]
pub(super) struct Renumbered(BTreeMap<(usize, u32), u32>);

impl Renumbered {
    /// The number of a trace's number.
    pub(super) fn of(&mut self, trace: usize, number: u32) -> u32 {
        let next = as_number(self.0.len());
        *self.0.entry((trace, number)).or_insert(next)
    }
}

/// Numbers of processes of several traces, or of several workloads: each keeps its own if nobody else's process has it, and else
/// has one that is free.
#[derive(Debug, Default, Persist)]
pub struct ProcessNumbers {
    of: BTreeMap<(usize, u32), u32>,
    taken: BTreeSet<u32>,
    /// No number below is free.
    free: u32,
}

impl ProcessNumbers {
    /// None are known; those that are given anew begin with `first`.
    pub const fn from(first: u32) -> Self {
        Self { of: BTreeMap::new(), taken: BTreeSet::new(), free: first }
    }

    /// The number of a process that `whose` knows by its `own`.
    pub fn of(&mut self, whose: usize, own: u32) -> u32 {
        let Self { of, taken, free } = self;
        *of.entry((whose, own)).or_insert_with(|| {
            let mut number = own;
            if taken.contains(&own) {
                while taken.contains(free) && *free < u32::MAX {
                    *free += 1;
                }
                number = *free;
            }
            taken.insert(number);
            number
        })
    }

    /// By which number its own know a process that has this one here; the same where nobody's has.
    pub fn own(&self, number: u32) -> u32 {
        self.of.iter().find(|(_, given)| **given == number).map_or(number, |((_, own), _)| *own)
    }
}

/// Several traces as one iterator of requests in order of time; requests of the same time come in the order of the
/// traces.
///
/// Processes keep their numbers, as far as those of one trace aren't those of another: process 7 of one isn't that of another.
#[derive(Persist)]
pub struct MergedTraces {
    merge: Merge<BlockRecord>,
    #[persist(keep)]
    devices: Vec<DeviceMap>,
    processes: ProcessNumbers,
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
        let (readers, devices): (Vec<_>, Vec<_>) = traces.into_iter().unzip();
        let merge = Merge::new(readers.into_iter().map(|reader| (reader, Time::ZERO)))?;
        Ok(Self { merge, devices, processes: ProcessNumbers::from(0) })
    }

    /// The name of the command that a process of the merged stream runs, where its trace has names.
    pub fn process_name(&self, process: u32) -> Option<String> {
        let ((trace, own), _) = self.processes.of.iter().find(|(_, number)| **number == process)?;
        self.merge.parts.get(*trace)?.reader.process_name(*own)
    }

    /// What was read so far of each trace.
    pub fn summaries(&self) -> Vec<TraceSummary> {
        self.merge.readers().map(Reader::summary).collect()
    }
}

impl DeviceMap {
    /// Where a trace's device goes.
    fn of(&self, device: u32, name: impl FnOnce() -> std::sync::Arc<str>) -> Result<u32, TraceError> {
        match self {
            Self::Same => Ok(device),
            Self::All(device) => Ok(*device),
            Self::Table(table) => table.get(&device).copied().ok_or_else(|| {
                let known = table.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                TraceError::UnmappedDevice { name: name(), device, known }
            }),
        }
    }
}

impl Iterator for MergedTraces {
    type Item = Result<MergedRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { merge, devices, processes } = self;
        merge.next(|merge, trace, mut record| {
            let name = || merge.parts[trace].reader.name().clone();
            record.device = devices[trace].of(record.device, name)?;
            record.process = processes.of(trace, record.process);
            Ok(MergedRecord { trace: as_number(trace), record })
        })
    }
}

impl std::iter::FusedIterator for MergedTraces {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_two_never_share_a_number_and_keep_theirs_where_they_can() {
        let mut numbers = ProcessNumbers::from(0);
        let all = [(0, 0), (1, 0), (1, 1_001), (0, 1_001), (1, 0), (0, 1)]
            .map(|(whose, own)| numbers.of(whose, own));
        assert_eq!(all, [0, 1, 1_001, 2, 1, 3]);
    }
}
