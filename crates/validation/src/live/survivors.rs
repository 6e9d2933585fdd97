//! Writers that remember what was promised to them, and what of it is there after the power went.
//!
//! Each writer has a file of slots of 4 KiB. It appends slots, overwrites some, and makes its file durable; every sector
//! of a slot says of which writer, slot and version it is. What was written when an fsync began is promised when it
//! comes back. After a cut a slot must hold its promised version or one that was written since:
//!
//! ```text
//!   written    1 ──── 2 ──── 3          promised 2, written up to 3: sectors of 2 or 3 are right,
//!   fsync            └─▶ ok             of 1, of others, or none at all are lost
//! ```
//!
//! What was never promised may be there or not; but where the file system writes data before it says where they are
//! (`data=ordered`, `data=journal`), nothing that was never written may stand in its place.

use petrio_random::{Generator, fnv1a, generator, uniform_below};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of a slot, and of what a device writes in one piece.
const SLOT_BYTES: usize = 4_096;
const SECTOR_BYTES: usize = 512;
/// Slots of a file at most.
const SLOTS: u64 = 16;

/// What is known of a slot: versions count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slot {
    /// The version of the last fsync that came back; none where no fsync has seen it.
    promised: u32,
    /// The last version that a write was begun with.
    written: u32,
}

/// A writer, and what it was promised.
#[derive(Clone, Debug)]
pub struct Writer {
    number: u32,
    slots: Vec<Slot>,
    random: Generator,
}

/// How far the order of data and metadata goes, as the journal mode has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Old or foreign bytes may stand where nothing was promised: `data=writeback`.
    None,
    /// Data are there before anything points at them: `data=ordered`, `data=journal`.
    DataFirst,
}

/// What isn't as it was promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A slot that an fsync has promised isn't there, or is of an older version.
    Lost {
        /// Of which writer.
        writer: u32,
        /// Which slot.
        slot: u64,
        /// Which version was promised.
        promised: u32,
        /// Which is there: 0 for none.
        found: u32,
    },
    /// Bytes that this slot never held.
    Foreign {
        /// Of which writer.
        writer: u32,
        /// Which slot.
        slot: u64,
    },
}

impl Writer {
    /// One of many, each with choices of its own.
    pub fn new(number: u32, seed: u64) -> Self {
        let random = generator(seed, u64::from(number), "survivors", "writer");
        Self { number, slots: Vec::new(), random }
    }

    fn path(&self, directory: &Path) -> PathBuf {
        directory.join(format!("w{:04}", self.number))
    }

    /// Makes its file, writes and makes durable, again and again, until something fails, as everything does once the power is
    /// gone; or `rounds` times.
    ///
    /// # Errors
    /// Whatever failed.
    pub fn work(&mut self, directory: &Path, rounds: u32) -> io::Result<()> {
        let path = self.path(directory);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        for _ in 0..rounds {
            for _ in 0..=uniform_below(&mut self.random, 3) {
                self.write_one(&file)?;
            }
            self.make_durable(&file)?;
        }
        Ok(())
    }

    /// Appends a slot, or writes one anew.
    fn write_one(&mut self, file: &File) -> io::Result<()> {
        let there = self.slots.len() as u64;
        let appends = there == 0 || there < SLOTS && uniform_below(&mut self.random, 2) == 0;
        let slot = if appends { there } else { uniform_below(&mut self.random, there) };
        if appends {
            self.slots.push(Slot::default());
        }
        let Some(known) = usize::try_from(slot).ok().and_then(|at| self.slots.get_mut(at)) else {
            return Ok(());
        };
        known.written += 1;
        file.write_all_at(&content(self.number, slot, known.written), slot * SLOT_BYTES as u64)
    }

    fn make_durable(&mut self, file: &File) -> io::Result<()> {
        // In half of the cases the data alone, with what is needed to find them.
        if uniform_below(&mut self.random, 2) == 0 {
            file.sync_all()?;
        } else {
            file.sync_data()?;
        }
        for slot in &mut self.slots {
            slot.promised = slot.written;
        }
        Ok(())
    }

    /// How many slots were promised.
    pub fn promised(&self) -> usize {
        self.slots.iter().filter(|slot| slot.promised > 0).count()
    }

    /// What of a directory isn't as this writer was promised.
    ///
    /// # Errors
    /// A file that is there and can't be read.
    pub fn broken(&self, directory: &Path, order: Order) -> io::Result<Vec<Broken>> {
        let bytes = match std::fs::read(self.path(directory)) {
            Ok(bytes) => bytes,
            // Its name was never made durable, or is lost with all that was promised.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut broken = Vec::new();
        for (slot, known) in (0..).zip(&self.slots) {
            let at = usize::try_from(slot).unwrap_or(usize::MAX).saturating_mul(SLOT_BYTES);
            let found = bytes.get(at..bytes.len().min(at.saturating_add(SLOT_BYTES))).unwrap_or_default();
            broken.extend(self.broken_slot((slot, *known), found, order));
        }
        Ok(broken)
    }

    fn broken_slot(&self, (slot, known): (u64, Slot), found: &[u8], order: Order) -> Option<Broken> {
        let Slot { promised, written } = known;
        let writer = self.number;
        if promised > 0 && found.len() < SLOT_BYTES {
            return Some(Broken::Lost { writer, slot, promised, found: 0 });
        }
        for (place, sector) in (0..).zip(found.chunks(SECTOR_BYTES)) {
            let version = (1..=written).rev().find(|version| is_of(sector, (writer, slot, *version, place)));
            match version {
                Some(found) if found < promised => {
                    return Some(Broken::Lost { writer, slot, promised, found });
                }
                None if promised > 0 => return Some(Broken::Lost { writer, slot, promised, found: 0 }),
                None if order == Order::DataFirst => return Some(Broken::Foreign { writer, slot }),
                _ => {}
            }
        }
        None
    }
}

/// What a slot holds.
fn content(writer: u32, slot: u64, version: u32) -> Vec<u8> {
    let sectors = (0..).take(SLOT_BYTES / SECTOR_BYTES);
    sectors.flat_map(|place| sector(writer, slot, version, place)).collect()
}

/// A sector of it, which is like no other's.
fn sector(writer: u32, slot: u64, version: u32, place: u32) -> [u8; SECTOR_BYTES] {
    let words = [u64::from(writer), slot, u64::from(version), u64::from(place)];
    let mark = fnv1a(words.into_iter().flat_map(u64::to_le_bytes)).to_le_bytes();
    std::array::from_fn(|at| mark[at % mark.len()])
}

/// Whether this is a sector's beginning, whole but for the end of the file.
fn is_of(found: &[u8], (writer, slot, version, place): (u32, u64, u32, u32)) -> bool {
    sector(writer, slot, version, place).starts_with(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn worked() -> (tempfile::TempDir, Writer) {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::new(3, 1);
        writer.work(directory.path(), 12).unwrap();
        assert!(writer.promised() > 4);
        (directory, writer)
    }

    #[test]
    fn what_nothing_befell_is_as_it_was_promised() {
        let (directory, writer) = worked();
        assert_eq!(writer.broken(directory.path(), Order::DataFirst).unwrap(), []);
    }

    #[test]
    fn a_version_before_the_promised_one_is_lost_and_one_after_it_is_not() {
        let (directory, mut writer) = worked();
        let at = writer.slots.iter().position(|slot| slot.promised > 1).unwrap();
        let (slot, promised) = (at as u64, writer.slots[at].promised);
        let file = OpenOptions::new().write(true).open(writer.path(directory.path())).unwrap();
        writer.slots[at].written += 1;
        file.write_all_at(&content(3, slot, promised + 1), slot * 4_096).unwrap();
        assert_eq!(writer.broken(directory.path(), Order::DataFirst).unwrap(), []);
        // One sector of an older one.
        file.write_all_at(&content(3, slot, promised - 1)[..512], slot * 4_096).unwrap();
        let lost = Broken::Lost { writer: 3, slot, promised, found: promised - 1 };
        assert_eq!(writer.broken(directory.path(), Order::None).unwrap(), [lost]);
    }

    #[test]
    fn a_file_that_is_gone_or_short_has_lost_what_was_promised_and_nothing_else() {
        let (directory, writer) = worked();
        let path = writer.path(directory.path());
        let promised = writer.promised();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(4_096 * 2 + 100).unwrap();
        assert_eq!(writer.broken(directory.path(), Order::None).unwrap().len(), promised - 2);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(writer.broken(directory.path(), Order::None).unwrap().len(), promised);
        // Nothing was promised to one that has only written.
        let mut another = Writer::new(4, 1);
        let file = File::create(another.path(directory.path())).unwrap();
        another.write_one(&file).unwrap();
        std::fs::remove_file(another.path(directory.path())).unwrap();
        assert_eq!(another.broken(directory.path(), Order::DataFirst).unwrap(), []);
    }

    #[test]
    fn bytes_that_were_never_written_are_foreign_where_data_come_first() {
        let (directory, mut writer) = worked();
        let file = OpenOptions::new().write(true).open(writer.path(directory.path())).unwrap();
        let slot = writer.slots.len() as u64;
        writer.slots.push(Slot { promised: 0, written: 1 });
        file.write_all_at(&[0; 4_096], slot * 4_096).unwrap();
        assert_eq!(writer.broken(directory.path(), Order::None).unwrap(), []);
        let foreign = Broken::Foreign { writer: 3, slot };
        assert_eq!(writer.broken(directory.path(), Order::DataFirst).unwrap(), [foreign]);
    }
}
