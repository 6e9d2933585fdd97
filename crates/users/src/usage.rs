//! How users have used files: the thesis' usage analyser, over any trace.
//!
//! A session begins where a process looks at its user's own directory, as synthetic users do when they log in; in a
//! trace without such looks, each process is one session. Of each session: how many files it referenced, how large they
//! were, and how often it accessed each of their bytes (figures 5.3 to 5.5). Of the calls: how much they moved and how
//! long they took (table 5.3).
//!
//! Memory grows with the sessions and with the files of those that are open, not with the calls.
//!
//! Source: W.-l. Kao, *A user-oriented synthetic workload generator*, CRHC-91-19, 1991, §5.1 and §5.2.

use crate::namespace::HOME;
use petrio_kernel::statistics::Tally;
use petrio_time::Time;
use petrio_trace::characterise::{Distribution, ValueTally};
use petrio_trace::event::{Event, EventKind, FileKey};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// Calls of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CallUsage {
    /// The call.
    pub call: String,
    /// How many.
    pub calls: u64,
    /// Mean of the bytes that they moved.
    pub bytes_mean: f64,
    /// Their standard deviation.
    pub bytes_deviation: f64,
    /// Mean of how long they took, in µs.
    pub response_us_mean: f64,
    /// Its standard deviation.
    pub response_us_deviation: f64,
    /// How the bytes are distributed; of calls that move none, nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Distribution>,
    /// How the response times are, in µs; where the trace has none, nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_us: Option<Distribution>,
}

/// A login session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SessionUsage {
    /// Files that it opened or made, directories among them.
    pub files: u64,
    /// Bytes that it accessed.
    pub bytes: u64,
    /// Mean size of its files, in bytes.
    pub file_size: f64,
    /// How often it accessed a byte of a file, at the mean over its files.
    pub accesses_per_byte: f64,
}

/// How files were used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Processes.
    pub processes: u64,
    /// Users who logged in, by their directories; where nobody did, each process is one.
    pub users: u64,
    /// Every session, in order of their ends.
    pub sessions: Vec<SessionUsage>,
    /// Reads and writes of regular files together: what the thesis' table 5.3 counts.
    pub accesses: CallUsage,
    /// Response time of these calls for each byte that they moved, in µs.
    pub response_us_per_byte: f64,
    /// Calls by kind.
    pub calls: Vec<CallUsage>,
}

/// What a session has done with a file so far.
#[derive(Clone, Copy, Debug, Default)]
struct OfFile {
    size: u64,
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct Calls {
    bytes: Tally,
    response: Tally,
    /// Of the calls that moved any.
    by_bytes: Option<ValueTally>,
    /// In nanoseconds.
    by_response: Option<ValueTally>,
}

const NANOSECONDS_PER_MICROSECOND: f64 = 1e3;
const PICOSECONDS_PER_NANOSECOND: u64 = 1_000;

impl Calls {
    fn add(&mut self, event: &Event) {
        self.bytes.record(event.length as f64);
        if event.length > 0 {
            self.by_bytes.get_or_insert_with(ValueTally::new).add(event.length);
        }
        if let Some(service) = event.service {
            self.response.record(service.as_seconds() * 1e6);
            self.by_response
                .get_or_insert_with(ValueTally::new)
                .add(service.as_picos() / PICOSECONDS_PER_NANOSECOND);
        }
    }

    fn finish(&self, call: &str) -> CallUsage {
        CallUsage {
            call: call.to_owned(),
            calls: self.bytes.count(),
            bytes_mean: self.bytes.mean(),
            bytes_deviation: self.bytes.deviation(),
            response_us_mean: self.response.mean(),
            response_us_deviation: self.response.deviation(),
            bytes: self.by_bytes.as_ref().and_then(|tally| tally.finish(1.0)),
            response_us: self
                .by_response
                .as_ref()
                .and_then(|tally| tally.finish(NANOSECONDS_PER_MICROSECOND)),
        }
    }
}

/// Takes the events of a trace, and says how files were used.
#[derive(Clone, Debug, Default)]
pub struct UsageAnalyser {
    sessions: Vec<SessionUsage>,
    open: BTreeMap<u32, FxHashMap<FileKey, OfFile>>,
    accesses: Calls,
    calls: BTreeMap<EventKind, Calls>,
    lists: Calls,
    moved: u64,
    moved_in: Time,
    homes: FxHashSet<Box<str>>,
}

/// Whether it is a directory: petrio's own traces end their paths in a slash.
pub(super) fn is_directory(event: &Event) -> bool {
    event.path.as_deref().is_some_and(|path| path.ends_with('/'))
}

/// Whether a user logs in: a look at a directory in that of the users' directories.
pub fn is_login(event: &Event) -> bool {
    event.kind == EventKind::Stat
        && event.path.as_deref().is_some_and(|path| {
            let mut names = path.trim_end_matches('/').rsplit('/');
            path.ends_with('/') && names.next().is_some() && names.next() == Some(HOME)
        })
}

impl UsageAnalyser {
    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        if event.error != 0 || event.kind.is_of_device() {
            return;
        }
        let is_login = is_login(event);
        if is_login
            && let Some(path) = event.path.as_deref()
            && !self.homes.contains(path)
        {
            self.homes.insert(path.into());
        }
        if is_login && let Some(files) = self.open.insert(event.process, FxHashMap::default()) {
            self.end(&files);
        }
        let directory = is_directory(event);
        match event.kind {
            EventKind::Read if directory => self.lists.add(event),
            kind => self.calls.entry(kind).or_default().add(event),
        }
        if !event.file.is_known() {
            return;
        }
        let files = self.open.entry(event.process).or_default();
        match event.kind {
            EventKind::Open | EventKind::Create => {
                let file = files.entry(event.file).or_default();
                file.size = file.size.max(event.size.unwrap_or_default());
            }
            EventKind::Read | EventKind::Write => {
                let file = files.entry(event.file).or_default();
                file.bytes += event.length;
                let end = event.offset.unwrap_or_default() + event.length;
                file.size = file.size.max(end);
                if !directory {
                    self.accesses.add(event);
                    self.moved += event.length;
                    self.moved_in = self.moved_in.saturating_add(event.service.unwrap_or(Time::ZERO));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, files: &FxHashMap<FileKey, OfFile>) {
        if files.is_empty() {
            return;
        }
        let (mut sizes, mut per_byte) = (Tally::default(), Tally::default());
        // In a fixed order, so that sums are the same every time.
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| **key);
        for (_, file) in &sorted {
            sizes.record(file.size as f64);
            if file.size > 0 {
                per_byte.record(file.bytes as f64 / file.size as f64);
            }
        }
        self.sessions.push(SessionUsage {
            files: files.len() as u64,
            bytes: sorted.iter().map(|(_, file)| file.bytes).sum(),
            file_size: sizes.mean(),
            accesses_per_byte: per_byte.mean(),
        });
    }

    /// What was found.
    pub fn finish(mut self) -> Usage {
        let open = std::mem::take(&mut self.open);
        for files in open.values() {
            self.end(files);
        }
        let mut calls: Vec<CallUsage> =
            self.calls.iter().map(|(kind, tally)| tally.finish(kind.name())).collect();
        if self.lists.bytes.count() > 0 {
            calls.push(self.lists.finish("list"));
        }
        Usage {
            processes: open.len() as u64,
            users: if self.homes.is_empty() { open.len() } else { self.homes.len() } as u64,
            accesses: self.accesses.finish("read and write"),
            response_us_per_byte: self.moved_in.as_seconds() * 1e6 / (self.moved.max(1) as f64),
            sessions: self.sessions,
            calls,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn event(process: u32, kind: EventKind, path: &str, size: Option<u64>, length: u64) -> Event {
        Event {
            process,
            file: FileKey { device: 1, inode: path.len() as u64, generation: 0 },
            path: Some(path.into()),
            size,
            offset: Some(0),
            length,
            service: Some(Time::from_micros(length / 10)),
            ..Event::new(Time::ZERO, kind)
        }
    }

    #[test]
    fn sessions_are_told_apart_by_logins_and_directories_by_their_slash() {
        use EventKind::{Open, Read, Stat, Write};
        let mut analyser = UsageAnalyser::default();
        for event in [
            event(1, Stat, "users/home/u001/", None, 0),
            event(1, Open, "a", Some(100), 0),
            event(1, Read, "a", None, 100),
            event(1, Read, "a", None, 50),
            event(1, Open, "dir/", Some(0), 0),
            event(1, Read, "dir/", None, 300),
            event(1, Stat, "a-file", None, 0),
            event(1, Stat, "users/home/u001/", None, 0),
            event(1, Open, "bb", Some(400), 0),
            event(1, Write, "bb", None, 400),
            event(2, Open, "a", Some(100), 0),
        ] {
            analyser.event(&event);
        }
        let usage = analyser.finish();
        assert_eq!((usage.processes, usage.users), (2, 1));
        let of = |files, bytes, file_size, accesses_per_byte| SessionUsage {
            files,
            bytes,
            file_size,
            accesses_per_byte,
        };
        assert_eq!(usage.sessions, [of(2, 450, 200.0, 1.25), of(1, 400, 400.0, 1.0), of(1, 0, 100.0, 0.0)]);
        assert_eq!(usage.accesses.calls, 3);
        assert!((usage.accesses.bytes_mean - 550.0 / 3.0).abs() < 1e-9);
        let response = usage.accesses.response_us.as_ref().unwrap();
        assert_eq!((response.least, response.greatest, response.count), (5.0, 40.0, 3));
        assert_eq!(usage.accesses.bytes.as_ref().unwrap().p50, 100.0);
        assert!((usage.response_us_per_byte - 0.1).abs() < 1e-9);
        let listed = usage.calls.iter().find(|usage| usage.call == "list").unwrap();
        assert_eq!((listed.calls, listed.bytes_mean, listed.response_us_mean), (1, 300.0, 30.0));
    }
}
