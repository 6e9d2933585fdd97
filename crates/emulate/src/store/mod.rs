//! What a device holds: its medium, and what lies in a cache that goes with the power.
//!
//! ```text
//!  a completed write ─▶ held, in the order of completion ─▶ the medium
//!                          │            (a flush, no more room, the end)
//!                          └─ a power cut: lost, or some of it kept, or torn
//! ```
//!
//! A write that has completed is volatile until a flush has completed that came after it, where the device has a volatile cache;
//! or until so much was written after it that the cache can't hold it any more. A device without such a cache holds nothing.

mod medium;

#[cfg(test)]
mod tests;

pub use medium::{ImageError, Medium};

use crate::device::Durability;
use crate::faults::PowerCut;
use petrio_colours::SECTOR_BYTES;
use petrio_random::{Generator, uniform, uniform_below};
use petrio_units::numbers::{as_index, whole_part};
use serde::Serialize;
use std::collections::VecDeque;
use std::io;

/// So many writes are held at most: caches have entries as well as bytes.
const HELD_MAX: usize = 16_384;

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Bytes(Vec<u8>),
    Zeros(u64),
}

impl Content {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Zeros(length) => *length,
        }
    }
}

/// A write that the power would take along.
#[derive(Debug)]
struct Held {
    number: u64,
    offset: u64,
    content: Content,
}

impl Held {
    fn end(&self) -> u64 {
        self.offset + self.content.len()
    }

    fn overlaps(&self, other: (u64, u64)) -> bool {
        self.offset < other.1 && other.0 < self.end()
    }
}

/// What a power cut did to what was held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CutCounts {
    /// Writes that had been reported and are gone.
    pub lost: u64,
    /// Writes that had been reported, without a flush after them, and are there.
    pub kept: u64,
    /// Writes, reported or under way, of which a part is there.
    pub torn: u64,
}

/// A device's data.
pub(crate) struct Store {
    medium: Medium,
    durability: Durability,
    held: VecDeque<Held>,
    held_bytes: u64,
    next: u64,
    /// Draws what leaves a full cache first, where that isn't what came first.
    any_order: Option<Generator>,
}

impl Store {
    pub(crate) fn new(medium: Medium, durability: Durability, any_order: Option<Generator>) -> Self {
        Self { medium, durability, held: VecDeque::new(), held_bytes: 0, next: 0, any_order }
    }

    /// What is there now, for whoever reads.
    pub(crate) fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.medium.read(offset, into)?;
        let range = (offset, offset + into.len() as u64);
        for held in self.held.iter().filter(|held| held.overlaps(range)) {
            let (from, to) = (held.offset.max(range.0), held.end().min(range.1));
            let target = &mut into[as_index(from - offset)..as_index(to - offset)];
            match &held.content {
                Content::Zeros(_) => target.fill(0),
                Content::Bytes(bytes) => {
                    target.copy_from_slice(&bytes[as_index(from - held.offset)..as_index(to - held.offset)]);
                }
            }
        }
        Ok(())
    }

    /// A write is complete.
    pub(crate) fn write(&mut self, offset: u64, content: Content, through: bool) -> io::Result<()> {
        if !self.durability.volatile {
            return self.medium.put(offset, &content);
        }
        self.held_bytes += content.len();
        self.held.push_back(Held { number: self.next, offset, content });
        self.next += 1;
        if through {
            return self.persist(self.held.len() - 1);
        }
        let room = self.durability.room.unwrap_or(u64::MAX);
        while self.held.len() > 1 && (self.held_bytes > room || self.held.len() > HELD_MAX) {
            let position = match &mut self.any_order {
                None => 0,
                Some(random) => as_index(uniform_below(random, self.held.len() as u64)),
            };
            self.persist(position)?;
        }
        Ok(())
    }

    /// What a flush that comes now is of.
    pub(crate) const fn mark(&self) -> u64 {
        self.next
    }

    /// A flush is complete, of all that was complete at its mark.
    pub(crate) fn flushed(&mut self, mark: u64) -> io::Result<()> {
        while self.held.front().is_some_and(|held| held.number < mark) {
            self.persist(0)?;
        }
        Ok(())
    }

    /// All is put on the medium, and the medium on whatever it lies on.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flushed(self.next)?;
        self.medium.sync()
    }

    /// How many writes, and bytes, a power cut would take.
    #[cfg(test)]
    pub(crate) fn volatile(&self) -> (usize, u64) {
        (self.held.len(), self.held_bytes)
    }

    /// Puts a held write on the medium, and before it what is older of the same place, and what is older of the place of that.
    fn persist(&mut self, position: usize) -> io::Result<()> {
        let Some(last) = self.held.get(position) else { return Ok(()) };
        let mut ranges = vec![(last.offset, last.end())];
        let mut positions = vec![position];
        for (at, held) in self.held.iter().enumerate().take(position).rev() {
            if ranges.iter().any(|range| held.overlaps(*range)) {
                ranges.push((held.offset, held.end()));
                positions.push(at);
            }
        }
        // The oldest first; each leaves those behind it one place further to the front.
        for (gone, at) in positions.into_iter().rev().enumerate() {
            if let Some(held) = self.held.remove(at - gone) {
                self.held_bytes -= held.content.len();
                self.medium.put(held.offset, &held.content)?;
            }
        }
        Ok(())
    }

    /// The power is cut, with these writes under way: what is left is what is on the medium.
    pub(crate) fn cut(
        &mut self,
        cut: &PowerCut,
        random: &mut Generator,
        under_way: Vec<(u64, Content)>,
    ) -> io::Result<CutCounts> {
        let held = std::mem::take(&mut self.held);
        self.held_bytes = 0;
        let mut counts = CutCounts::default();
        let kept = cut.kept.get();
        let first = in_order(held.len(), kept, random);
        for (position, held) in held.into_iter().enumerate() {
            let survives = if cut.reordered { uniform(random) < kept } else { position < first };
            if !survives {
                counts.lost += 1;
            } else if uniform(random) < cut.torn.get() {
                counts.torn += u64::from(self.tear(held.offset, &held.content, cut, random)?);
            } else {
                self.medium.put(held.offset, &held.content)?;
                counts.kept += 1;
            }
        }
        for (offset, content) in under_way {
            if uniform(random) < cut.torn.get() {
                counts.torn += u64::from(self.tear(offset, &content, cut, random)?);
            }
        }
        Ok(counts)
    }

    /// The first sectors of a write get to the medium, and of the next one perhaps a half; whether any did.
    fn tear(
        &mut self,
        offset: u64,
        content: &Content,
        cut: &PowerCut,
        random: &mut Generator,
    ) -> io::Result<bool> {
        let sectors = content.len().div_ceil(SECTOR_BYTES);
        // At least the last sector is missing.
        let whole = uniform_below(random, sectors);
        let half = uniform(random) < cut.torn_sectors.get();
        let length = whole * SECTOR_BYTES + if half { SECTOR_BYTES / 2 } else { 0 };
        let length = length.min(content.len());
        if length == 0 {
            return Ok(false);
        }
        let part = match content {
            Content::Zeros(_) => Content::Zeros(length),
            Content::Bytes(bytes) => Content::Bytes(bytes[..as_index(length)].to_vec()),
        };
        self.medium.put(offset, &part)?;
        Ok(true)
    }
}

/// How many of the first get to the medium, where they do so one after the other: `share` of them at the mean, all where it
/// is 1.
fn in_order(count: usize, share: f64, random: &mut Generator) -> usize {
    let drawn = uniform(random);
    let part = if share <= 0.5 { drawn * 2.0 * share } else { 1.0 - drawn * 2.0 * (1.0 - share) };
    as_index(whole_part(part * (count as f64) + 0.5)).min(count)
}
