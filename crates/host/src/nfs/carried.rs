//! Calls as requests of a mount: what goes to a device elsewhere goes to a server here.
//!
//! A READ or a WRITE is a request for data, whose address says of which file and from where on; any other call is one for metadata, whose
//! address says which, what it does at the server beyond that, and how long it and its reply are.
//!
//! ```text
//!   address of a call:   procedure 6 │ effect 2 │ file or pages 28 │ words of it 10 │ words of its reply 18
//!   device:              of a call the directory that it is about; of a WRITE bytes of its last page that aren't in the file
//! ```

use super::procedure::{Call, Procedure, Stability};
use crate::copy_cost::PAGE_BYTES;
use petrio_colours::{BlockRequest, Direction, FileId, Purpose, SECTOR_BYTES};
use petrio_units::numbers::{as_index, as_number, low_half};

/// Pages that a file may have: 1 TiB. Each file has an area of so many to itself.
pub(super) const FILE_PAGES: u64 = 1 << 28;

/// XDR has whole words.
const WORD: u64 = 4;
/// Where the parts of a call's address begin, and the largest number of each.
const RECEIVED: (u32, u64) = (0, (1 << 18) - 1);
const SENT: (u32, u64) = (18, (1 << 10) - 1);
const OTHER: (u32, u64) = (28, (1 << 28) - 1);
const EFFECT: (u32, u64) = (56, 3);
const PROCEDURE: u32 = 58;

/// What a call does at its server that its procedure doesn't say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    #[default]
    None,
    /// It makes the file.
    Makes,
    /// It cuts the file to so many bytes, in whole pages.
    Cuts(u64),
    /// Its name takes the place of another file's.
    Replaces(FileId),
}

/// What a request of a mount asks of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// A READ or a WRITE of a file from a byte on.
    Data {
        /// Which.
        procedure: Procedure,
        /// The file.
        file: FileId,
        /// The first byte.
        offset: u64,
        /// Bytes: of a READ in whole pages, of a WRITE as many as are in the file.
        length: u64,
        /// Whether what a WRITE brings is durable when it is answered.
        stability: Stability,
    },
    /// Another call, and bytes of it and of its reply.
    Call {
        /// Which.
        procedure: Procedure,
        /// The file or directory that it is about.
        file: FileId,
        /// The directory in which that has its name.
        parent: FileId,
        /// What it does beyond that.
        effect: Effect,
        /// Bytes of the call.
        sent: u64,
        /// Bytes of the reply.
        received: u64,
    },
}

impl Carried {
    /// What a request is; none of what no mount of NFS sends.
    pub fn of(request: &BlockRequest) -> Option<Self> {
        let file = request.file;
        if request.purposes.has(Purpose::Data) {
            let procedure = match request.direction {
                Direction::Read => Procedure::Read,
                Direction::Write => Procedure::Write,
                Direction::Flush | Direction::Discard => return None,
            };
            let (file, offset) = place(request.address);
            let stable = request.force_unit_access;
            return Some(Self::Data {
                procedure,
                file,
                offset,
                length: request.bytes().saturating_sub(request.device.into()),
                stability: if stable { Stability::FileSync } else { Stability::Unstable },
            });
        }
        let part = |(shift, most): (u32, u64)| (request.address >> shift) & most;
        let procedure = *Procedure::ALL.get(as_index(request.address >> PROCEDURE))?;
        let other = part(OTHER);
        let effect = match part(EFFECT) {
            0 => Effect::None,
            1 => Effect::Makes,
            2 => Effect::Cuts(other * PAGE_BYTES),
            _ => Effect::Replaces(FileId(low_half(other))),
        };
        let (sent, received) = (part(SENT) * WORD, part(RECEIVED) * WORD);
        Some(Self::Call { procedure, file, parent: FileId(request.device), effect, sent, received })
    }
}

/// Of which file, and from which byte on, a request for data is.
fn place(address: u64) -> (FileId, u64) {
    let area = FILE_PAGES * PAGE_BYTES / SECTOR_BYTES;
    (FileId(low_half(address / area)), address % area * SECTOR_BYTES)
}

/// The address of a call.
pub(super) fn address(call: &Call, effect: Effect) -> u64 {
    let procedure = Procedure::ALL.iter().position(|other| *other == call.procedure).unwrap_or(0) as u64;
    let (effect, other) = match effect {
        Effect::None => (0, 0),
        Effect::Makes => (1, 0),
        Effect::Cuts(bytes) => (2, bytes.div_ceil(PAGE_BYTES)),
        Effect::Replaces(file) => (3, u64::from(file.0)),
    };
    let part = |(shift, most): (u32, u64), value: u64| value.min(most) << shift;
    (procedure << PROCEDURE)
        | part(EFFECT, effect)
        | part(OTHER, other)
        | part(SENT, call.sent / WORD)
        | part(RECEIVED, call.received / WORD)
}

/// Says of a WRITE how many bytes of its last page aren't in its file, which has so many, and whether it is durable when it is answered.
pub(super) fn complete(request: &mut BlockRequest, size: impl Fn(FileId) -> u64, stable: bool) {
    let (file, offset) = place(request.address);
    let beyond = (offset + request.bytes()).saturating_sub(size(file)).min(PAGE_BYTES - 1);
    request.device = as_number(as_index(beyond));
    request.force_unit_access = stable;
}

/// What a reply tells of what others have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// Changes of the file by others, so far.
    pub of_file: u32,
    /// Changes of the directory that its name is in.
    pub of_parent: u32,
    /// Bytes of the file up to which others have written, or where it was cut.
    pub size: u64,
    /// Whether nothing lies beyond them that was there before.
    pub is_cut: bool,
    /// Whether it is there.
    pub exists: bool,
    /// Whether it is a directory, which has no size.
    pub is_directory: bool,
}

/// Bits of what a reply tells, as an answered request has them.
const SIZE_BITS: u32 = 41;
const PARENT_BITS: u32 = 21;
const CUT: u32 = SIZE_BITS + PARENT_BITS;
/// Larger than any file: that of a directory.
const NO_SIZE: u64 = (1 << SIZE_BITS) - 1;

impl Others {
    /// Writes into a request that goes back what its reply tells.
    pub fn tell(self, request: &mut BlockRequest) {
        let size = if self.is_directory { NO_SIZE } else { self.size.min(NO_SIZE - 1) };
        let parent = u64::from(self.of_parent).min((1 << PARENT_BITS) - 1);
        request.flush_before = true;
        request.device = self.of_file;
        request.address = size
            | (parent << SIZE_BITS)
            | (u64::from(self.is_cut) << CUT)
            | (u64::from(self.exists) << (CUT + 1));
    }

    /// What the reply to a request that has come back told, if it told anything.
    pub(super) fn of(request: &BlockRequest) -> Option<Self> {
        let BlockRequest { flush_before, device, address, .. } = *request;
        let size = address & NO_SIZE;
        let is_directory = size == NO_SIZE;
        flush_before.then(|| Self {
            of_file: device,
            of_parent: as_number(as_index((address >> SIZE_BITS) & ((1 << PARENT_BITS) - 1))),
            size: if is_directory { 0 } else { size },
            is_cut: (address >> CUT) & 1 == 1,
            exists: (address >> (CUT + 1)) & 1 == 1,
            is_directory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_what_its_address_says() {
        let effects = [Effect::None, Effect::Makes, Effect::Cuts(5 << 20), Effect::Replaces(FileId(70_000))];
        for (&procedure, effect) in Procedure::ALL.iter().zip(effects.into_iter().cycle()) {
            let call =
                Call { procedure, sent: 188, received: 65_668, data: 0, stability: None, is_own: true };
            let request = BlockRequest {
                address: address(&call, effect),
                file: FileId(9),
                device: 7,
                purposes: Purpose::Metadata.into(),
                ..BlockRequest::default()
            };
            let (file, parent, sent, received) = (FileId(9), FileId(7), 188, 65_668);
            let carried = Carried::Call { procedure, file, parent, effect, sent, received };
            assert_eq!(Carried::of(&request), Some(carried));
        }
    }

    #[test]
    fn a_reply_tells_what_others_have_done() {
        let file = Others {
            of_file: 70_000,
            of_parent: 2_000_000,
            size: 1 << 40,
            is_cut: false,
            exists: true,
            is_directory: false,
        };
        let mut request = BlockRequest::default();
        assert_eq!(Others::of(&request), None);
        for told in [file, Others { size: 0, is_directory: true, ..file }] {
            told.tell(&mut request);
            assert_eq!(Others::of(&request), Some(told));
        }
    }

    #[test]
    fn a_write_brings_no_more_than_its_file_has() {
        let mut request = BlockRequest {
            address: 3 * FILE_PAGES * 8 + 16,
            blocks: 16,
            direction: Direction::Write,
            purposes: Purpose::Data.into(),
            ..BlockRequest::default()
        };
        complete(&mut request, |_| 8_192 + 5_000, true);
        let (procedure, file, offset) = (Procedure::Write, FileId(3), 8_192);
        let stability = Stability::FileSync;
        let carried = Carried::Data { procedure, file, offset, length: 5_000, stability };
        assert_eq!(Carried::of(&request), Some(carried));
    }
}
