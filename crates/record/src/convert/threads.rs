//! Which thread wrote which records, who made it, and of which rank it is: known once all records were looked through.

use crate::error::RecordError;
use crate::raw::{Header, Kind, Stream};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;

/// All threads.
pub(super) struct Threads {
    /// Their files, and beside each its header.
    pub(super) streams: Vec<PathBuf>,
    pub(super) headers: Vec<Header>,
    by_token: FxHashMap<u64, u32>,
    /// By process and what its library calls a thread.
    by_handle: FxHashMap<(u32, u64), u64>,
    ranks: FxHashMap<u32, u32>,
    /// Processes that are said to have been made.
    pub(super) made: FxHashSet<u32>,
}

impl Threads {
    pub(super) fn of(files: &[PathBuf], launcher: Option<u32>) -> Result<Self, RecordError> {
        let mut all = Self {
            streams: Vec::new(),
            headers: Vec::new(),
            by_token: FxHashMap::default(),
            by_handle: FxHashMap::default(),
            ranks: FxHashMap::default(),
            made: FxHashSet::default(),
        };
        let mut found = Vec::new();
        for path in files {
            found.extend(Stream::open(path)?.map(|stream| (stream.header.began, path.clone(), stream)));
        }
        found.sort_by_key(|(began, ..)| *began);
        // What became the command was petrio before.
        if let Some(first) = found.iter().position(|(_, _, stream)| Some(stream.header.process) == launcher)
            && found.iter().filter(|(_, _, stream)| Some(stream.header.process) == launcher).count() > 1
        {
            found.remove(first);
        }
        for (_, path, mut stream) in found {
            let header = stream.header.clone();
            if header.token != 0 {
                all.by_token.insert(header.token, header.thread);
            }
            while let Some(record) = stream.next()? {
                match record.kind {
                    Kind::Rank => {
                        let rank = u32::try_from(record.offset).unwrap_or(u32::MAX);
                        all.ranks.insert(header.process, rank);
                    }
                    Kind::Fork => {
                        all.made.extend(u32::try_from(record.offset));
                    }
                    _ => {}
                }
            }
            all.streams.push(path);
            all.headers.push(header);
        }
        Ok(all)
    }

    /// By whose main thread a stream's process was made, where only it knows: it is its first.
    pub(super) fn made_by(&self, stream: usize) -> Option<u32> {
        let header = &self.headers[stream];
        let is_first = self.headers[..stream].iter().all(|before| before.process != header.process);
        let parent = self.headers.iter().find(|other| other.process == header.parent)?;
        (header.token == 0 && is_first && !self.made.contains(&header.process)).then_some(parent.process)
    }

    /// When the first one began.
    pub(super) fn origin(&self) -> Option<u64> {
        self.headers.iter().map(|header| header.began).min()
    }

    pub(super) fn origin_unix(&self) -> u64 {
        self.headers.iter().map(|header| header.began_unix).min().unwrap_or_default()
    }

    pub(super) fn processes(&self) -> u64 {
        self.headers.iter().map(|header| header.process).collect::<FxHashSet<_>>().len() as u64
    }

    pub(super) fn count(&self) -> u64 {
        self.headers.iter().map(|header| header.thread).collect::<FxHashSet<_>>().len() as u64
    }

    pub(super) fn ranks(&self) -> u64 {
        self.ranks.len() as u64
    }

    pub(super) fn rank(&self, process: u32) -> Option<u32> {
        self.ranks.get(&process).copied()
    }

    /// A thread was made in a process, which calls it so.
    pub(super) fn made_thread(&mut self, process: u32, token: u64, handle: u64) -> Option<u32> {
        self.by_handle.insert((process, handle), token);
        self.by_token.get(&token).copied()
    }

    /// The thread that a process calls so.
    pub(super) fn of_handle(&self, process: u32, handle: u64) -> Option<u32> {
        self.by_token.get(self.by_handle.get(&(process, handle))?).copied()
    }
}
