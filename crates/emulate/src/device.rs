//! One block device of an emulation: what it is, and what may be asked of it.

use crate::answer::{Answer, Refusal};
use crate::pacer::{Arrival, Message, Shared};
use crate::store::{Content, Medium};
use petrio_colours::SECTOR_BYTES;
use std::sync::{Arc, PoisonError};

/// What a device promises of writes that it has reported, as its model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Durability {
    /// It reports writes that lie in a cache alone, which goes with the power.
    pub volatile: bool,
    /// Bytes that this cache holds at most: what was written before is on the medium. As long as nothing is known, all that
    /// no flush has followed may be lost.
    pub room: Option<u64>,
    /// It takes writes that are to be on the medium before they are reported.
    pub force_unit_access: bool,
    /// It takes discards.
    pub discards: bool,
    /// It turns: a kernel schedules its requests otherwise.
    pub rotational: bool,
}

/// What a device is.
#[derive(Clone, Debug)]
pub struct DeviceSpec {
    /// Its name.
    pub name: String,
    /// Its number among the targets of the System.
    pub target: u32,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// What it promises.
    pub durability: Durability,
    /// The pages of the net that become slower where its rate is to decay.
    pub pages: Vec<String>,
}

impl DeviceSpec {
    /// Its size in bytes.
    pub const fn bytes(&self) -> u64 {
        self.blocks * SECTOR_BYTES
    }
}

/// What a device is asked for, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To be read.
    Read {
        /// The first byte.
        offset: u64,
        /// How many.
        length: u64,
    },
    /// To be written.
    Write {
        /// The first byte.
        offset: u64,
        /// What.
        data: Vec<u8>,
        /// It is reported when it is on the medium, and not before.
        through: bool,
    },
    /// Zeros to be written.
    Zero {
        /// The first byte.
        offset: u64,
        /// How many.
        length: u64,
        /// As of a write.
        through: bool,
    },
    /// What is there is wanted no longer, and reads as zeros.
    Discard {
        /// The first byte.
        offset: u64,
        /// How many.
        length: u64,
    },
    /// All that was reported as written is to be on the medium.
    Flush,
}

impl Asked {
    /// The first byte and how many; none of a flush.
    pub const fn range(&self) -> Option<(u64, u64)> {
        match self {
            Self::Read { offset, length }
            | Self::Zero { offset, length, .. }
            | Self::Discard { offset, length } => Some((*offset, *length)),
            Self::Write { offset, data, .. } => Some((*offset, data.len() as u64)),
            Self::Flush => None,
        }
    }

    /// The first block and how many that these bytes touch.
    pub(crate) fn blocks(&self) -> (u64, u64) {
        let Some((offset, length)) = self.range() else { return (0, 0) };
        let first = offset / SECTOR_BYTES;
        (first, (offset + length).div_ceil(SECTOR_BYTES) - first)
    }
}

/// A device, to be asked from any thread.
#[derive(Clone)]
pub struct Device {
    pub(crate) shared: Arc<Shared>,
    pub(crate) number: usize,
}

impl Device {
    /// What it is.
    pub fn spec(&self) -> &DeviceSpec {
        &self.shared.devices[self.number].spec
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.spec().bytes()
    }

    /// Asks for something, now; `done` is called when the time has come, by the thread that keeps the time, and so has to be
    /// quick and must not wait.
    pub fn submit(&self, asked: Asked, done: impl FnOnce(Answer) + Send + 'static) {
        let arrived = self.shared.clock.now();
        if let Some(refusal) = self.refused(&asked) {
            done(Err(refusal));
            return;
        }
        // What is read now was there between its arrival and its end, and the thread that keeps the time waits for no file.
        let read = match &asked {
            Asked::Read { offset, length } => {
                let mut bytes = vec![0; usize::try_from(*length).unwrap_or(usize::MAX)];
                let store = self.shared.devices[self.number].store.lock();
                store
                    .unwrap_or_else(PoisonError::into_inner)
                    .read(*offset, &mut bytes)
                    .map(|()| bytes)
                    .map_err(|_| Refusal::Io)
            }
            _ => Ok(Vec::new()),
        };
        let (blocks, through) = (asked.blocks(), asked.is_through());
        let (kind, content) = asked.taken_apart();
        let arrival = Arrival {
            device: self.number,
            arrived,
            kind,
            blocks,
            through,
            content,
            read,
            done: Box::new(done),
        };
        self.shared.post(Message::Request(Box::new(arrival)));
    }

    /// Asks and waits.
    ///
    /// # Errors
    /// What the device refuses.
    pub fn ask(&self, asked: Asked) -> Answer {
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        self.submit(asked, move |answer| drop(tell.try_send(answer)));
        told.recv().unwrap_or(Err(Refusal::Io))
    }

    /// Why something isn't even tried.
    fn refused(&self, asked: &Asked) -> Option<Refusal> {
        let (offset, length) = asked.range()?;
        if length == 0 {
            return Some(Refusal::Invalid);
        }
        // Of what a model takes: lengths are 32 bits of blocks.
        if length > u64::from(u32::MAX) {
            return Some(Refusal::Invalid);
        }
        if offset.checked_add(length).is_none_or(|end| end > self.size()) {
            let is_read = matches!(asked, Asked::Read { .. });
            return Some(if is_read { Refusal::Invalid } else { Refusal::NoSpace });
        }
        let is_discard = matches!(asked, Asked::Discard { .. });
        (is_discard && !self.spec().durability.discards).then_some(Refusal::NotSupported)
    }
}

impl Asked {
    const fn is_through(&self) -> bool {
        matches!(self, Self::Write { through: true, .. } | Self::Zero { through: true, .. })
    }

    fn taken_apart(self) -> (Kind, Option<(u64, Content)>) {
        match self {
            Self::Read { .. } => (Kind::Read, None),
            Self::Write { offset, data, .. } => (Kind::Write, Some((offset, Content::Bytes(data)))),
            Self::Zero { offset, length, .. } => (Kind::Write, Some((offset, Content::Zeros(length)))),
            Self::Discard { offset, length } => (Kind::Discard, Some((offset, Content::Zeros(length)))),
            Self::Flush => (Kind::Flush, None),
        }
    }
}

/// Which sort of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Discard,
    Flush,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Discard => "discard",
            Self::Flush => "flush",
        }
    }

    pub(crate) const fn direction(self) -> petrio_colours::Direction {
        use petrio_colours::Direction;
        match self {
            Self::Read => Direction::Read,
            Self::Write => Direction::Write,
            Self::Discard => Direction::Discard,
            Self::Flush => Direction::Flush,
        }
    }
}

/// A device beside its medium, as an emulation begins with it.
pub type WithMedium = (DeviceSpec, Medium);
