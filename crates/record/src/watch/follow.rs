//! Events of a followed program, thread by thread: what is known before each call and what after it makes records.

use super::after::Done;
use super::before::{Before, Look};
use super::calls::{About, about};
use super::files::Files;
use super::thread::{Span, Thread};
use crate::raw::Kind;
use crate::raw::write::Whose;
use petrio_intercept::follow::{Event, Follower};
use rustc_hash::FxHashMap;
use std::io;
use std::path::Path;

/// Follows a program to its end, and all that it starts.
pub(super) fn follow(mut follower: Follower, raw: &Path, process: u32) -> io::Result<()> {
    let parent = status_of(process, "PPid:").unwrap_or(0);
    let mut all = All { raw, begun: false, threads: FxHashMap::default(), files: FxHashMap::default() };
    all.thread(Whose { process, thread: process, parent, token: 0 });
    while let Some(event) = follower.happens()? {
        all.told(event);
    }
    Ok(())
}

/// A number that the kernel tells of a thread.
fn status_of(thread: u32, key: &str) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
}

/// By which number a thread's maker speaks of it.
const fn token(process: u32, thread: u32) -> u64 {
    (process as u64) << 32 | thread as u64
}

/// A call that a thread is in.
struct Under {
    about: About,
    before: Before,
    span: Span,
}

struct All<'a> {
    raw: &'a Path,
    /// Whether the program has taken petrio's place.
    begun: bool,
    threads: FxHashMap<u32, (Thread, Option<Under>)>,
    files: FxHashMap<u32, Files>,
}

impl All<'_> {
    fn thread(&mut self, whose: Whose) {
        self.files.entry(whose.process).or_insert_with(|| Files::of(whose.process));
        self.threads.insert(whose.thread, (Thread::begin(self.raw, whose), None));
    }

    fn told(&mut self, event: Event) {
        match event {
            Event::Begun { thread } => {
                // It may be gone by now.
                let Some(process) = status_of(thread, "Tgid:") else { return };
                let parent = status_of(thread, "PPid:").unwrap_or(0);
                let token = if process == thread { 0 } else { token(process, thread) };
                self.thread(Whose { process, thread, parent, token });
            }
            Event::Made { thread, child } => {
                let Some((maker, _)) = self.threads.get_mut(&thread) else { return };
                match status_of(child, "Tgid:") {
                    Some(process) if process == maker.process => {
                        maker.say(Kind::Thread, token(process, child), child.into(), b"");
                    }
                    _ => maker.say(Kind::Fork, child.into(), 0, b""),
                }
            }
            Event::Executed { thread, before } => {
                if before != thread
                    && let Some(survivor) = self.threads.remove(&before)
                {
                    self.threads.insert(thread, survivor);
                }
                self.begun = true;
                let Some((thread_of, under)) = self.threads.get_mut(&thread) else { return };
                *under = None;
                if let Some(files) = self.files.get_mut(&thread_of.process) {
                    files.forget_all();
                }
                let program = std::fs::read_link(format!("/proc/{thread}/exe")).unwrap_or_default();
                thread_of.say(Kind::Begin, 0, 0, program.as_os_str().as_encoded_bytes());
            }
            // Of petrio's own calls before the program begins nothing is written down.
            Event::Enters { .. } | Event::Leaves { .. } if !self.begun => {}
            Event::Enters { thread, call, arguments } => self.enters(thread, call, arguments),
            Event::Leaves { thread, result } => self.leaves(thread, result),
            Event::Interrupted { thread } => {
                if let Some((_, under)) = self.threads.get_mut(&thread) {
                    *under = None;
                }
            }
            Event::Ended { thread } => {
                self.threads.remove(&thread);
                if !self.threads.values().any(|(other, _)| other.process == thread) {
                    self.files.remove(&thread);
                }
            }
        }
    }

    fn enters(&mut self, number: u32, call: i64, arguments: [u64; 6]) {
        let Some((thread, under)) = self.threads.get_mut(&number) else { return };
        let Some(files) = self.files.get_mut(&thread.process) else { return };
        let Some(about) = about(call, arguments) else { return };
        let mut look = Look { thread, files, number };
        let about = look.whole(about);
        let before = look.before(about);
        *under = before.map(|before| Under { about, before, span: thread.started() });
    }

    fn leaves(&mut self, number: u32, result: i64) {
        let Some((thread, under)) = self.threads.get_mut(&number) else { return };
        let Some(Under { about, before, span }) = under.take() else { return };
        let Some(files) = self.files.get_mut(&thread.process) else { return };
        Done { look: Look { thread, files, number }, span, result }.write_down(about, before);
    }
}
