//! Paths shared between the events that have them.

use crate::error::{Problem, printable};
use std::collections::HashSet;
use std::sync::Arc;

/// Paths that were seen: an event shares its path with the others of the file.
#[derive(Default)]
pub(super) struct Interned {
    known: HashSet<Arc<str>>,
}

impl Interned {
    /// Paths kept for sharing; beyond, the set begins anew, so that a trace of ever new paths doesn't fill the memory.
    const KNOWN_MAX: usize = 1 << 20;

    /// The shared text of some bytes.
    pub(super) fn get(&mut self, bytes: &[u8]) -> Result<Arc<str>, Problem> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Problem::NotALine { found: printable(bytes), expected: "a path in UTF-8" })?;
        if let Some(known) = self.known.get(text) {
            return Ok(known.clone());
        }
        if self.known.len() >= Self::KNOWN_MAX {
            self.known.clear();
        }
        let new: Arc<str> = text.into();
        self.known.insert(new.clone());
        Ok(new)
    }
}
