//! What is on its way between the host and the devices of its file systems: which request is of what, and what waits to be
//! sent off.

use super::buffer_cache::BlockKey;
use super::call::Caller;
use petrio_colours::{BlockRequest, Direction, RequestId};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};

/// What a request is of.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) enum Transfer {
    /// A block of a file.
    Block(BlockKey, Direction),
    /// What a call has changed about files, on the file system of this number.
    Metadata(Caller, u32),
}

impl Transfer {
    /// The number of the file system on whose device it is.
    const fn volume(self) -> u32 {
        match self {
            Self::Block(key, _) => key.file.volume(),
            Self::Metadata(_, volume) => volume,
        }
    }
}

/// The requests of all file systems. Their tags are slots, whichever device they go to.
#[derive(Clone, Debug, Persist)]
pub(super) struct InFlight {
    transfers: Vec<Option<Transfer>>,
    free: Vec<u32>,
    /// Requests to each device so far, by its file system's number.
    sent: Vec<u64>,
    last: u64,
    /// Requests to be sent off, each with the number of the file system to whose device it goes.
    pub(super) outbox: Vec<(u32, BlockRequest)>,
}

impl InFlight {
    /// Of so many file systems.
    pub(super) fn new(volumes: usize) -> Self {
        Self { transfers: Vec::new(), free: Vec::new(), sent: vec![0; volumes], last: 0, outbox: Vec::new() }
    }

    /// Sends a request.
    pub(super) fn send(&mut self, transfer: Transfer, mut request: BlockRequest, now: Time) {
        let volume = transfer.volume();
        request.tag = match self.free.pop() {
            Some(slot) => {
                self.transfers[slot as usize] = Some(transfer);
                u64::from(slot)
            }
            None => {
                self.transfers.push(Some(transfer));
                self.transfers.len() as u64 - 1
            }
        };
        self.sent[volume as usize] += 1;
        self.last += 1;
        request.id = RequestId(self.last);
        request.issued = now;
        self.outbox.push((volume, request));
    }

    /// What comes back from the device of a file system with this tag; `None` where it was never sent there.
    pub(super) fn take(&mut self, volume: u32, tag: u64) -> Option<Transfer> {
        let slot = as_index(tag);
        let transfer = self.transfers.get_mut(slot)?.take_if(|transfer| transfer.volume() == volume)?;
        self.free.push(as_number(slot));
        Some(transfer)
    }

    /// What was ever sent to a file system's device, less what is there.
    pub(super) fn sent_and_back(&self, volume: u32) -> i64 {
        let there = self.transfers.iter().flatten().filter(|transfer| transfer.volume() == volume);
        self.sent[volume as usize] as i64 - there.count() as i64
    }
}
