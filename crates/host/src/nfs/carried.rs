//! Calls as requests of a mount: what goes to a device elsewhere goes to a server here.
//!
//! A READ or a WRITE is a request for data, whose address says of which file and from where on; any other call is one for metadata, whose
//! address says which and how long it and its reply are.

use super::procedure::{Call, Procedure};
use petrio_colours::{BlockRequest, Direction, FileId, Purpose, SECTOR_BYTES};
use petrio_units::numbers::{as_index, low_half};

/// Pages that a file may have: 1 TiB. Each file has an area of so many to itself.
pub(super) const FILE_PAGES: u64 = 1 << 28;

/// Bits of a length within an address.
const LENGTH_BITS: u32 = 28;
const LENGTH: u64 = (1 << LENGTH_BITS) - 1;

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
        /// Bytes, in whole pages.
        length: u64,
    },
    /// Another call, and bytes of it and of its reply.
    Call {
        /// Which.
        procedure: Procedure,
        /// The file or directory that it is about.
        file: FileId,
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
            let area = FILE_PAGES * crate::copy_cost::PAGE_BYTES / SECTOR_BYTES;
            let (file, within) = (FileId(low_half(request.address / area)), request.address % area);
            return Some(Self::Data {
                procedure,
                file,
                offset: within * SECTOR_BYTES,
                length: request.bytes(),
            });
        }
        let procedure = *Procedure::ALL.get(as_index(request.address >> (2 * LENGTH_BITS)))?;
        let (sent, received) = ((request.address >> LENGTH_BITS) & LENGTH, request.address & LENGTH);
        Some(Self::Call { procedure, file, sent, received })
    }
}

/// The address of a call.
pub(super) fn address(call: &Call) -> u64 {
    let procedure = Procedure::ALL.iter().position(|other| *other == call.procedure).unwrap_or(0) as u64;
    (procedure << (2 * LENGTH_BITS)) | (call.sent.min(LENGTH) << LENGTH_BITS) | call.received.min(LENGTH)
}
