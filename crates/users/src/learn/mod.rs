//! From a trace to a user specification: §5.3's first two steps, and how far the model's assumption of independence
//! holds.
//!
//! Each process, or each login of one, is a session. Files are told apart by whose they are (by their path), and by
//! what was done to them: made by the session, and deleted by somebody who was there all the time, is temporary; made is
//! new, written by others than their maker is read-write, anything else read-only. Sessions that are alike are of one
//! kind; of each kind and category the files are those that were seen, as rows of what was done with one file: its size,
//! its bytes accessed, opens and calls go together. In which order calls come, and after which pauses, is a semi-Markov
//! chain of each type of users.
//!
//! ```text
//!  event ─▶ Learner ─ sessions ─▶ alike (kinds) ─ seen (rows) ─┐
//!              │  └─ calls ─────▶ chain ──┬──────────────────── finish ─▶ specification
//!              └─ times ────────▶ pace ───┘
//! ```
//!
//! Memory grows with the files and with their uses by sessions, not with the calls.

mod alike;
mod category;
mod chain;
mod finish;
mod independence;
mod kinds;
mod pace;
mod seen;
mod sizes;
mod used;

pub use independence::{Autocorrelation, Independence, MarkovOrder, RankCorrelation};
pub use kinds::TypesBy;

use super::calls::CallKind;
use super::specification::UserSpecification;
use super::usage::{is_directory, is_login};
use crate::namespace::HOME;
use category::{Creation, File};
use chain::kind_of;
use independence::Streams;
use kinds::OfType;
use pace::Hours;
use petrio_kernel::statistics::Tally;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, FileKey};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeMap;
use used::{Last, OfFile, Session};

/// What was learned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Learned {
    /// The users and their files.
    pub specification: UserSpecification,
    /// Sessions that it stands on.
    pub sessions: u64,
    /// Files.
    pub files: u64,
    /// How far operations, sizes and think times are independent.
    pub independence: Independence,
    /// What should be checked.
    pub notes: Vec<String>,
}

/// A trace of which nothing can be learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// No file was opened or accessed.
    #[error("there is no call on a file in it")]
    NoFiles,
    /// Files, and no reads and writes.
    #[error("there is no read and no write in it")]
    NoAccesses,
}

/// A process as the trace has told of it so far.
#[derive(Clone, Debug, Default)]
struct Process {
    /// Its type, by its position.
    kind: usize,
    files: FxHashMap<FileKey, OfFile>,
    /// When its session began.
    began: Time,
    /// The end of the last call.
    ended: Option<Time>,
    /// The end of the call before, where it moved data.
    moved_until: Option<Time>,
    /// The kind of the last call, of those that users make.
    last: Option<CallKind>,
    looks: u32,
    syncs: u32,
    open: u32,
    open_most: u32,
    program: Option<Box<str>>,
    /// How many logins it has had.
    logins: u32,
    /// The number of its session among all.
    session: u32,
}

/// Takes the events of a trace, and makes a specification of them.
#[derive(Debug, Default)]
pub struct Learner {
    files: FxHashMap<FileKey, File>,
    processes: BTreeMap<u32, Process>,
    types_by: TypesBy,
    /// Most kinds of sessions of a type.
    kinds_most: usize,
    /// Types of users, as they appear.
    types: Vec<OfType>,
    /// What stands before the users' directories in paths.
    top: String,
    streams: Streams,
    /// How many sessions of its maker each new file has outlived that was deleted later.
    outlived: Tally,
    /// New files that were made.
    made: u64,
    homes: FxHashSet<Box<str>>,
    hours: Hours,
    /// Seconds from midnight to the trace's time zero, where its clock is known.
    begins: Option<u64>,
    sessions: u32,
}

/// Most kinds of sessions of a type, where nothing is said.
pub const KINDS_MOST: usize = 24;

impl Learner {
    /// Learns types of users told apart in this way, each with so many kinds of sessions at most; in a trace whose time zero
    /// is so many seconds after midnight, where that is known.
    pub fn new(types_by: TypesBy, kinds_most: usize, begins: Option<u64>) -> Self {
        Self { types_by, kinds_most, begins, ..Self::default() }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        if event.error != 0 || event.kind.is_of_device() {
            return;
        }
        if let Some(name) = self.types_by.named_by(event) {
            self.end(event.process);
            let kind = self.type_named(&name);
            self.processes.entry(event.process).or_default().kind = kind;
        }
        if event.kind == EventKind::Exec {
            let process = self.processes.entry(event.process).or_default();
            process.ended = Some(event.end());
            process.program = kinds::program(event).map(String::into_boxed_str);
            return;
        }
        let is_login = is_login(event);
        if is_login {
            self.log_in(event);
        }
        if self.types.is_empty() {
            self.types.push(OfType::named("learned"));
        }
        self.hours.add(event.time);
        let process = self.processes.entry(event.process).or_default();
        if process.last.is_none() {
            process.began = event.time;
            process.session = self.sessions;
            self.sessions += 1;
        }
        let kind = &mut self.types[process.kind];
        if let Some(until) = process.moved_until.take() {
            self.streams.thought(event.process, event.time.saturating_sub(until).as_seconds());
        }
        if matches!(event.kind, EventKind::Read | EventKind::Write) && !is_directory(event) {
            process.moved_until = Some(event.end());
            if event.length > 0 {
                kind.moved += 1;
                self.streams.accessed(event.process, event.length);
            }
        }
        let before = process.ended.replace(event.end()).filter(|_| !is_login);
        if let Some(next) = kind_of(event.kind) {
            // A session begins with a look, which users who don't log in don't take.
            let last = process.last.replace(next).unwrap_or(CallKind::Stat);
            if !is_login {
                let pause = before.map(|before| event.time.saturating_sub(before));
                kind.calls.add(process.session, (last, next), pause);
                process.looks += u32::from(next == CallKind::Stat);
                process.syncs += u32::from(next == CallKind::Fsync);
            }
        } else {
            process.last = process.last.or(Some(CallKind::Stat));
            kind.unmade += 1;
        }
        self.streams.called(event.process, event.kind);
        if event.file.is_known() && event.kind != EventKind::Stat {
            self.use_file(event);
        }
    }

    fn log_in(&mut self, event: &Event) {
        if let Some(path) = &event.path {
            if let Some(at) = path.find(&format!("{HOME}/")) {
                self.top = path[..at].to_owned();
            }
            if !self.homes.contains(&**path) {
                self.homes.insert(Box::from(&**path));
            }
        }
        self.end(event.process);
        self.processes.entry(event.process).or_default().logins += 1;
    }

    #[expect(clippy::too_many_lines, reason = "what one use of a file tells, figure by figure")]
    fn use_file(&mut self, event: &Event) {
        let file = self
            .files
            .entry(event.file)
            .or_insert_with(|| File::new(event.path.as_deref(), &self.top, is_directory(event)));
        let Some(process) = self.processes.get_mut(&event.process) else { return };
        let irregular = &mut self.types[process.kind].accesses;
        let end = event.offset.unwrap_or_default() + event.length;
        match event.kind {
            EventKind::Create => {
                file.is_made = true;
                self.made += 1;
                // A number that is given again is another file.
                file.size = 0;
                let login = process.logins;
                file.made = Some(Creation { at: event.time, by: event.process, login });
            }
            EventKind::Unlink => {
                if let Some(made) = file.made.take() {
                    // Whoever deletes it was there already when it was made.
                    file.is_temporary |= process.began <= made.at;
                    if made.by == event.process && process.logins > made.login {
                        self.outlived.record(f64::from(process.logins - made.login - 1));
                    }
                }
                return;
            }
            EventKind::Close => {
                process.open = process.open.saturating_sub(1);
                if let Some(used) = process.files.get_mut(&event.file) {
                    used.close(irregular);
                }
                return;
            }
            EventKind::Open => file.at = 0,
            EventKind::Read | EventKind::Write => {}
            _ => return,
        }
        let used = process.files.entry(event.file).or_default();
        match event.kind {
            EventKind::Create | EventKind::Open => {
                used.is_made |= event.kind == EventKind::Create;
                used.opens += 1;
                process.open += 1;
                process.open_most = process.open_most.max(process.open);
            }
            EventKind::Write => file.is_rewritten |= !used.is_made,
            _ => {}
        }
        let moves = matches!(event.kind, EventKind::Read | EventKind::Write);
        if let (true, Some(offset)) = (moves, event.offset) {
            file.accessed(offset, end);
        }
        if let Some(size) = event.size {
            file.told = Some(size.max(file.told.unwrap_or_default()));
        }
        let is_at_end = file.told.is_some_and(|told| end >= told) && !file.is_made;
        file.size = file.size.max(event.size.unwrap_or_default()).max(end);
        used.size = used.size.max(event.size.unwrap_or_default()).max(end);
        if !moves {
            return;
        }
        if event.length == 0 {
            used.ends += 1;
            return;
        }
        let is_write = event.kind == EventKind::Write;
        used.bytes += event.length;
        used.written += if is_write { event.length } else { 0 };
        used.calls += 1;
        let is_at_end = is_at_end || file.is_made && !is_write && end >= file.size;
        let is_last = end >= file.size;
        let now = Last { length: event.length, end, is_write, is_at_end, is_last };
        if let Some(last) = used.last.replace(now) {
            let is_cut = last.is_cut_before(event.offset.unwrap_or(last.end), is_write);
            used.ended(last, is_cut, irregular);
        }
    }

    fn type_named(&mut self, name: &str) -> usize {
        let there = self.types.iter().position(|kind| kind.name == name);
        there.unwrap_or_else(|| {
            self.types.push(OfType::named(name));
            self.types.len() - 1
        })
    }

    /// Ends a process' session; the process stays of its type.
    fn end(&mut self, number: u32) {
        let Some(process) = self.processes.get_mut(&number) else { return };
        process.moved_until = None;
        let is_logged_in = process.logins > 0;
        if process.last.take().is_some() && !process.files.is_empty() {
            let mut files: Vec<_> = std::mem::take(&mut process.files).into_iter().collect();
            files.sort_unstable_by_key(|(key, _)| *key);
            let kind = &mut self.types[process.kind];
            files.iter_mut().for_each(|(_, used)| used.close(&mut kind.accesses));
            kind.sessions.push(Session {
                files,
                // One look is the login that they will have.
                looks: process.looks.saturating_sub(u32::from(!is_logged_in)),
                syncs: process.syncs,
                began: process.began,
                ended: process.ended.unwrap_or(process.began),
                process: number,
                open_most: process.open_most,
                program: process.program.clone(),
            });
        }
        (process.looks, process.syncs, process.open, process.open_most) = (0, 0, 0, 0);
    }
}
