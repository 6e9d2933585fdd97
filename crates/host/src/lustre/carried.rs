//! What is asked of servers, as requests of a mount, and what comes back.
//!
//! ```text
//!   data:       address: block of the object (layout.rs), in blocks of 512 bytes;   device: bytes of its last page that aren't in the file
//!   a call:     address: procedure 6 │ two numbers of 28 bits;   device: the directory, or target and object;   process: its lock
//!   an answer:  address: procedure 6 │ what it tells;   blocks, device: a size
//! ```

use super::layout::{FILE_PAGES, Target, place};
use super::procedure::{Bits, Procedure};
use crate::copy_cost::PAGE_BYTES;
use petrio_colours::{BlockRequest, Direction, FileId, Purpose, SECTOR_BYTES};
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number, low_half};

/// Sectors of a page.
const SECTORS: u64 = PAGE_BYTES / SECTOR_BYTES;
/// Where the procedure stands in an address, and how many bits each of two numbers has.
const PROCEDURE: u32 = 58;
const NUMBER: u32 = 28;
const MOST: u64 = (1 << NUMBER) - 1;

/// A call of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Call {
    /// What it asks.
    pub procedure: Procedure,
    /// The file or directory.
    pub file: FileId,
    /// Of metadata the directory in which it has its name.
    pub parent: FileId,
    /// Who is asked.
    pub target: Target,
    /// Of data the object.
    pub object: u16,
    /// The lock that it is about, as the client numbers them.
    pub lock: u32,
    /// Of locks the first page and the page behind the last ([`FILE_PAGES`] where there is none); of a cut the pages that are left; of
    /// metadata
    /// (where the first is the target) a file that gives way, or 0; of a file that is removed the components that have objects, of a
    /// directory
    /// that is read the pages.
    pub numbers: (u64, u64),
}

impl Call {
    /// About a file.
    pub const fn of(procedure: Procedure, (file, parent): (FileId, FileId), target: Target) -> Self {
        Self { procedure, file, parent, target, object: 0, lock: 0, numbers: (0, 0) }
    }

    /// Has its parts in the order of the fields of a request: directory or object, and two numbers.
    fn fields(&self) -> (u32, (u64, u64)) {
        let code = self.target.code();
        match self.procedure.is_of_metadata() {
            true => (self.parent.0, (code.into(), self.numbers.1)),
            false => ((u32::from(code) << u16::BITS) | u32::from(self.object), self.numbers),
        }
    }

    /// The file that gives way to it.
    pub fn replaced(&self) -> Option<FileId> {
        (self.procedure == Procedure::Rename && self.numbers.1 > 0).then(|| FileId(low_half(self.numbers.1)))
    }

    /// Writes it into a request.
    pub(super) fn write(&self, request: &mut BlockRequest) {
        let (device, numbers) = self.fields();
        (request.file, request.device, request.process) = (self.file, device, self.lock);
        request.address = address(self.procedure, numbers);
    }
}

fn address(procedure: Procedure, (first, second): (u64, u64)) -> u64 {
    ((procedure as u64) << PROCEDURE) | (first.min(MOST) << NUMBER) | second.min(MOST)
}

fn numbers(address: u64) -> (u64, u64) {
    ((address >> NUMBER) & MOST, address & MOST)
}

/// Data of an object that a request moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Data {
    /// Whether they are written.
    pub writes: bool,
    /// The file.
    pub file: FileId,
    /// What holds the object.
    pub target: Target,
    /// The object.
    pub object: u16,
    /// The first page in there.
    pub at: u64,
    /// Bytes: of a read in whole pages, of a write as many as are in the file.
    pub bytes: u64,
}

/// What a request of a mount asks of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Data.
    Data(Data),
    /// Anything else.
    Call(Call),
}

impl Carried {
    /// What a request is; none of what no mount of Lustre sends.
    pub fn of(request: &BlockRequest) -> Option<Self> {
        let file = request.file;
        if request.purposes.has(Purpose::Data) {
            let writes = match request.direction {
                Direction::Read => false,
                Direction::Write => true,
                Direction::Flush | Direction::Discard => return None,
            };
            let (target, object, at) = place(request.address / SECTORS);
            let bytes = request.bytes().saturating_sub(if writes { request.device.into() } else { 0 });
            return Some(Self::Data(Data { writes, file, target, object, at, bytes }));
        }
        let procedure = *Procedure::ALL.get(as_index(request.address >> PROCEDURE))?;
        let (lock, mut numbers) = (request.process, numbers(request.address));
        let half = |word: u64| u16::try_from(word & u64::from(u16::MAX)).unwrap_or(0);
        let device = u64::from(request.device);
        let (parent, target, object) = match procedure.is_of_metadata() {
            true => (FileId(request.device), Target::of(half(std::mem::take(&mut numbers.0))), 0),
            false => (FileId::ROOT, Target::of(half(device >> u16::BITS)), half(device)),
        };
        Some(Self::Call(Call { procedure, file, parent, target, object, lock, numbers }))
    }
}

/// Says of a write how many bytes of its last page aren't in its file, which has so many; `page_of` says where the page is in the file.
pub(super) fn complete(
    request: &mut BlockRequest,
    page_of: impl Fn(u16, u64) -> u64,
    size: impl Fn(FileId) -> u64,
) {
    let (_, object, at) = place(request.address / SECTORS);
    let pages = u64::from(request.blocks) / SECTORS;
    let last = page_of(object, at + pages.saturating_sub(1));
    let beyond = ((last + 1) * PAGE_BYTES).saturating_sub(size(request.file)).min(PAGE_BYTES - 1);
    request.device = as_number(as_index(beyond));
}

/// What an answer tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Told {
    /// Of metadata whether somebody has made the file, and whether that is a directory.
    pub exists: bool,
    /// Likewise.
    pub is_directory: bool,
    /// The directory in which it was made.
    pub parent: FileId,
    /// The lock that comes with it.
    pub bits: Bits,
    /// The extent of a lock: its first page, and the page behind its last.
    pub extent: (u64, u64),
    /// Bytes up to which clients have written, of the file that the object is of.
    pub size: u64,
}

const EXISTS: u64 = 1;
const DIRECTORY: u64 = 2;
const BITS: u32 = 2;

impl Told {
    /// Writes into the request of a call that goes back what its answer tells.
    pub fn tell(self, procedure: Procedure, request: &mut BlockRequest) {
        let numbers = match procedure.is_of_metadata() {
            true => {
                let exists =
                    if self.exists { EXISTS } else { 0 } | if self.is_directory { DIRECTORY } else { 0 };
                (self.parent.0.into(), exists | (u64::from(self.bits.0) << BITS))
            }
            false => self.extent,
        };
        request.address = address(procedure, numbers);
        request.device = low_half(self.size);
        request.blocks = low_half(self.size >> 32);
    }

    /// What the answer to a call told.
    pub(super) fn of(request: &BlockRequest) -> Self {
        let (first, second) = numbers(request.address);
        let size = (u64::from(request.blocks) << 32) | u64::from(request.device);
        Self {
            exists: second & EXISTS != 0,
            is_directory: second & DIRECTORY != 0,
            parent: FileId(low_half(first)),
            bits: Bits(u8::try_from((second >> BITS) & u64::from(Bits::ALL.0)).unwrap_or(0)),
            extent: (first, second.min(FILE_PAGES)),
            size,
        }
    }
}

/// The procedure of the call that has come back.
pub(super) fn answered(request: &BlockRequest) -> Option<Procedure> {
    let is_call = !request.purposes.has(Purpose::Data);
    is_call.then(|| Procedure::ALL.get(as_index(request.address >> PROCEDURE)).copied()).flatten()
}

/// What a server asks a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Asked {
    /// To give back a lock on an extent of an object, by the client's number.
    Extent {
        /// The lock.
        lock: u32,
        /// The file.
        file: FileId,
        /// What holds the object.
        target: Target,
        /// The object.
        object: u16,
    },
    /// To believe these parts of what is known of a file no longer; and what this is called.
    Inode(FileId, Bits, u32),
    /// How long a file is that it writes under a lock; and what this is called.
    Size(FileId, u32),
}

impl Asked {
    /// Writes it into the request with which a client listens.
    pub fn tell(self, request: &mut BlockRequest) {
        let (kind, bits);
        (request.file, request.process, request.device, kind, bits) = match self {
            Self::Extent { lock, file, target, object } => {
                (file, lock, (u32::from(target.code()) << u16::BITS) | u32::from(object), 0, 0)
            }
            Self::Size(file, number) => (file, number, 0, 1, 0),
            Self::Inode(file, bits, number) => (file, number, 0, 2, u64::from(bits.0)),
        };
        request.address = address(Procedure::Listen, (kind, bits));
    }

    pub(super) fn of(request: &BlockRequest) -> Self {
        let (kind, bits) = numbers(request.address);
        let (file, number) = (request.file, request.process);
        let half = |word: u32| u16::try_from(word & u32::from(u16::MAX)).unwrap_or(0);
        match kind {
            0 => Self::Extent {
                lock: number,
                file,
                target: Target::of(half(request.device >> u16::BITS)),
                object: half(request.device),
            },
            1 => Self::Size(file, number),
            _ => Self::Inode(file, Bits(u8::try_from(bits).unwrap_or(0)), number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_what_its_request_says() {
        for &procedure in &Procedure::ALL {
            let is_of_metadata = procedure.is_of_metadata();
            let call = Call {
                procedure,
                file: FileId(70_000),
                parent: if is_of_metadata { FileId(7) } else { FileId::ROOT },
                target: if is_of_metadata { Target::Mdt(3) } else { Target::Ost(17) },
                object: if is_of_metadata { 0 } else { 300 },
                lock: 9,
                numbers: (if is_of_metadata { 0 } else { 5 }, FILE_PAGES),
            };
            let mut request = BlockRequest { purposes: Purpose::Metadata.into(), ..BlockRequest::default() };
            call.write(&mut request);
            assert_eq!(Carried::of(&request), Some(Carried::Call(call)));
        }
    }

    #[test]
    fn an_answer_tells_what_it_was_given() {
        let metadata = Told {
            exists: true,
            is_directory: true,
            bits: Bits::ALL,
            size: 1 << 40,
            parent: FileId(77),
            ..Told::default()
        };
        let mut request = BlockRequest { purposes: Purpose::Metadata.into(), ..BlockRequest::default() };
        metadata.tell(Procedure::Open, &mut request);
        let told = Told::of(&request);
        assert_eq!(answered(&request), Some(Procedure::Open));
        assert_eq!((told.exists, told.is_directory, told.bits), (true, true, Bits::ALL));
        assert_eq!((told.size, told.parent), (1 << 40, FileId(77)));
        Told { extent: (8, FILE_PAGES), size: 77, ..Told::default() }
            .tell(Procedure::LockToWrite, &mut request);
        assert_eq!((Told::of(&request).extent, Told::of(&request).size), ((8, FILE_PAGES), 77));
        let (file, target, object) = (FileId(8), Target::Mdt(2), 7);
        let extent = Asked::Extent { lock: 3, file, target, object };
        for asked in [extent, Asked::Size(file, 1 << 31), Asked::Inode(file, Bits::UPDATE, 6)] {
            asked.tell(&mut request);
            assert_eq!((Asked::of(&request), answered(&request)), (asked, Some(Procedure::Listen)));
        }
    }
}
