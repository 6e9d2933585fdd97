//! What a recording can't have seen, counted and in words.

use super::threads::Threads;
use crate::raw::{Kind, Record};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Unseen {
    mappings: u64,
    mapped_bytes: u64,
    shared: u64,
    said: BTreeMap<String, u64>,
    without_traps: bool,
    silent: u64,
}

/// Of a mapping: that it may be written, and that others see it (PROT_WRITE; MAP_SHARED, which the shim adds).
const WRITTEN: u64 = 2;
const SHARED: u64 = 0x100;
/// Pages that are executed (PROT_EXEC): programs and libraries.
const EXECUTED: u64 = 4;

impl Unseen {
    pub(super) fn of(threads: &Threads) -> Self {
        let there: FxHashSet<u32> = threads.headers.iter().map(|header| header.process).collect();
        Self {
            without_traps: threads.headers.iter().any(|header| !header.traps),
            silent: threads.made.iter().filter(|process| !there.contains(process)).count() as u64,
            ..Self::default()
        }
    }

    pub(super) fn look_at(&mut self, record: &Record) {
        match record.kind {
            Kind::Map if record.error == 0 && record.extra & EXECUTED == 0 => {
                self.mappings += 1;
                self.mapped_bytes = self.mapped_bytes.saturating_add(record.length);
                self.shared += u64::from(record.extra & (WRITTEN | SHARED) == WRITTEN | SHARED);
            }
            Kind::Unseen => *self.said.entry(record.words()).or_default() += 1,
            _ => {}
        }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let times = |count: u64| if count == 1 { String::new() } else { format!(" ({count} times)") };
        let mut lines: Vec<String> =
            self.said.iter().map(|(what, &count)| format!("{what}{}", times(count))).collect();
        if self.mappings > 0 {
            let files = if self.mappings == 1 { "mapping" } else { "mappings" };
            lines.push(format!(
                "accesses through {} {files} of files ({} bytes; {} of them shared and written)",
                self.mappings, self.mapped_bytes, self.shared
            ));
        }
        if self.silent > 0 {
            let are = if self.silent == 1 { "process" } else { "processes" };
            lines.push(format!("{} {are} that left no record", self.silent));
        }
        if self.without_traps {
            lines.push(
                "system calls that no function of the C library's makes, its own stdio among them: the kernel doesn't trap them \
                 (syscall user dispatch, Linux 5.11 on x86-64)"
                    .to_owned(),
            );
        }
        lines
    }
}
