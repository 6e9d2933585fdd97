//! What a server has acknowledged and has in its host's memory alone (`TroveSyncData no`): what it loses where its host stops.
//!
//! What a flush has been asked for is taken out when that is over. What the host's kernel has written back by itself isn't known here, so that
//! it is an upper bound of what is lost.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_stage::ranges::Ranges;
use std::collections::BTreeMap;

/// Bytes by data file.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Unsynced {
    files: BTreeMap<FileId, Ranges>,
    /// What flushes that are under way have been asked for, by their numbers.
    flushes: BTreeMap<u32, Vec<(FileId, Ranges)>>,
}

impl Unsynced {
    /// A write of a part of a file has been acknowledged.
    pub(super) fn written(&mut self, file: FileId, offset: u64, length: u64) {
        self.files.entry(file).or_default().insert(offset, offset.saturating_add(length));
    }

    /// A flush of a file, or of all, begins.
    pub(super) fn flush(&mut self, number: u32, file: Option<FileId>) {
        let asked = match file {
            Some(file) => self.files.remove(&file).map(|ranges| (file, ranges)).into_iter().collect(),
            None => std::mem::take(&mut self.files).into_iter().collect(),
        };
        self.flushes.insert(number, asked);
    }

    /// It is over.
    pub(super) fn flushed(&mut self, number: u32, works: bool) {
        let asked = self.flushes.remove(&number).unwrap_or_default();
        for (file, ranges) in asked.into_iter().filter(|_| !works) {
            let own = self.files.entry(file).or_default();
            for (first, end) in ranges.iter() {
                own.insert(first, end);
            }
        }
    }

    /// A file ends earlier, or isn't there any more.
    pub(super) fn cut(&mut self, file: FileId, length: u64) {
        if let Some(own) = self.files.get_mut(&file) {
            own.remove(length, u64::MAX);
        }
        let flushing = self.flushes.values_mut().flatten().filter(|(other, _)| *other == file);
        for (_, ranges) in flushing {
            ranges.remove(length, u64::MAX);
        }
    }

    /// The host stops: how many bytes are lost.
    pub(super) fn forget(&mut self) -> u64 {
        let Self { files, flushes } = std::mem::take(self);
        let flushing = flushes.into_values().flatten();
        let mut all = files;
        for (file, ranges) in flushing {
            let own = all.entry(file).or_default();
            for (first, end) in ranges.iter() {
                own.insert(first, end);
            }
        }
        all.values().map(Ranges::count).sum()
    }
}
