//! Paths shared between the events that have them.

use crate::trace::error::{Problem, printable};
use parquet::data_type::ByteArray;
use std::collections::HashSet;
use std::sync::Arc;

/// Paths that were seen: an event shares its path with the others of the file.
#[derive(Default)]
pub(super) struct Interned {
    /// The last one, kept so that its bytes can't make room for others at the same place.
    last: Option<(ByteArray, Arc<str>)>,
    known: HashSet<Arc<str>>,
}

impl Interned {
    /// Paths kept for sharing; beyond, the set begins anew, so that a trace of ever new paths doesn't fill the memory.
    const KNOWN_MAX: usize = 1 << 20;

    /// The shared text of some bytes.
    pub(super) fn get(&mut self, bytes: &ByteArray) -> Result<Arc<str>, Problem> {
        if let Some((last, text)) = &self.last
            && std::ptr::eq(last.data(), bytes.data())
        {
            return Ok(text.clone());
        }
        let text = std::str::from_utf8(bytes.data())
            .map_err(|_| Problem::NotALine { found: printable(bytes.data()), expected: "a path in UTF-8" })?;
        let shared = match self.known.get(text) {
            Some(known) => known.clone(),
            None => {
                if self.known.len() >= Self::KNOWN_MAX {
                    self.known.clear();
                }
                let new: Arc<str> = text.into();
                self.known.insert(new.clone());
                new
            }
        };
        self.last = Some((bytes.clone(), shared.clone()));
        Ok(shared)
    }
}
