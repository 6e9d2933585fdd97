//! Which files are followed: those whose names follow from the rank, or are the same for all.
//!
//! A library's own files have numbers of processes in their names: those of one run are in no other. Calls on such files take as long
//! as they took.

use crate::Unfit;
use crate::path::Name;
use petrio_trace::event::{Event, EventKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names without their digits, by number.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) texts: Vec<Text>,
    by_text: FxHashMap<String, u32>,
    below: Vec<String>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) widths: Vec<usize>,
    /// Whether such files are there before the job.
    pub(crate) is_present: bool,
    is_followed: bool,
    /// Bytes read and written, and by recording, which numbers there are.
    bytes: u64,
    numbers: Vec<Vec<FxHashSet<u64>>>,
}

/// So many bytes a library may keep in files of its own.
const OWN_MAX: u64 = 64 << 10;

impl Files {
    pub(crate) fn of(recordings: &[&[Event]], ranks: &[u32], below: &[String]) -> Result<Self, Unfit> {
        let mut files = Self { below: below.to_vec(), ..Self::default() };
        for (number, events) in recordings.iter().enumerate() {
            let mut seen = FxHashSet::default();
            for event in *events {
                if event.recorded.as_ref().is_some_and(|more| more.rank.is_some()) && event.error == 0 {
                    files.look_at(event, number, &mut seen, recordings.len());
                }
            }
        }
        for text in &mut files.texts {
            text.is_followed = text.follows(ranks);
            if !text.is_followed && text.bytes > OWN_MAX {
                return Err(Unfit::Names { name: text.text.replace('\0', "#") });
            }
        }
        Ok(files)
    }

    fn look_at(&mut self, event: &Event, recording: usize, seen: &mut FxHashSet<String>, recordings: usize) {
        if event.kind.is_of_messages() || event.kind == EventKind::Exec {
            return;
        }
        for path in [&event.path, &event.new_path].into_iter().flatten() {
            if !self.is_below(path) {
                continue;
            }
            let name = Name::of(path);
            let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
            let number = *self.by_text.entry(name.text.clone()).or_insert(next);
            if number == next {
                self.texts.push(Text {
                    text: name.text,
                    widths: vec![1; name.numbers.len()],
                    is_present: true,
                    is_followed: false,
                    bytes: 0,
                    numbers: vec![vec![FxHashSet::default(); name.numbers.len()]; recordings],
                });
            }
            let text = &mut self.texts[number as usize];
            if matches!(event.kind, EventKind::Read | EventKind::Write) {
                text.bytes += event.length;
            }
            text.widths.iter_mut().zip(&name.widths).for_each(|(known, width)| *known = (*known).max(*width));
            text.numbers[recording].iter_mut().zip(&name.numbers).for_each(|(all, one)| {
                all.insert(*one);
            });
            if seen.insert(path.to_string()) && event.kind == EventKind::Create {
                text.is_present = false;
            }
        }
    }

    fn is_below(&self, path: &str) -> bool {
        // What lies there is memory that processes share.
        (self.below.is_empty() && !path.starts_with("/dev/"))
            || self.below.iter().any(|folder| {
                let folder = folder.trim_end_matches('/');
                path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }

    /// The file of an event and the numbers in its name, if it is followed.
    pub(crate) fn followed(&self, event: &Event) -> Option<(u32, Vec<u64>)> {
        self.named(event.path.as_deref()?)
    }

    pub(crate) fn named(&self, path: &str) -> Option<(u32, Vec<u64>)> {
        let name = Name::of(path);
        let number = *self.by_text.get(&name.text)?;
        self.texts[number as usize].is_followed.then_some((number, name.numbers))
    }
}

impl Text {
    /// Whether its numbers are those of ranks, or the same in all recordings.
    fn follows(&self, ranks: &[u32]) -> bool {
        let count = self.numbers.first().map_or(0, Vec::len);
        (0..count).all(|at| {
            let sets: Vec<&FxHashSet<u64>> = self.numbers.iter().map(|numbers| &numbers[at]).collect();
            let is_there = sets.iter().all(|set| !set.is_empty());
            let is_shared = sets[1..].iter().all(|set| set.iter().any(|number| sets[0].contains(number)));
            let is_count =
                sets.iter().zip(ranks).all(|(set, ranks)| set.iter().all(|one| *one == u64::from(*ranks)));
            is_there && (is_shared || is_count)
        })
    }
}
