//! What outlives the power: bytes in memory or in an image file, of which only what was written takes room.

use super::Content;
use petrio_units::Bytes;
use petrio_units::numbers::as_index;
use rustc_hash::FxHashMap;
use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of a piece in memory.
const PIECE: u64 = 64 << 10;

/// Zeros that are written where a file can't have holes.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Why an image can't be had.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum ImageError {
    /// The system refuses.
    #[error("{} can't be opened as an image: {cause}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Somebody else has it.
    #[error("{} is in use by another emulation", path.display())]
    #[diagnostic(help("end that first, or take another image"))]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It is of another device.
    #[error("{} has {found}, and the device has {size}", path.display())]
    #[diagnostic(help(
        "an image is as large as its device: take another, or make it so (truncate --size={}, which loses what lies beyond)",
        size.get()
    ))]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: Bytes,
        /// The device's.
        size: Bytes,
    },
    /// It is a directory, a device, a pipe.
    #[error("{} is no plain file", path.display())]
    #[diagnostic(help("name a file that is there, or one that isn't yet"))]
    NotPlain {
        /// What was named.
        path: PathBuf,
    },
}

/// What outlives the power.
#[derive(Debug)]
pub struct Medium(Kind);

#[derive(Debug)]
enum Kind {
    Memory(FxHashMap<u64, Box<[u8]>>),
    Image(File),
}

impl Medium {
    /// Zeros, in memory.
    pub fn in_memory() -> Self {
        Self(Kind::Memory(FxHashMap::default()))
    }

    /// A file of `size`, made if it isn't there: of zeros, which take no room. As long as it is used, no other emulation takes
    /// it.
    ///
    /// # Errors
    /// It can't be opened, is in use, or has another size.
    pub fn image(path: &Path, size: Bytes) -> Result<Self, ImageError> {
        let failed = |cause| ImageError::Open { path: path.to_owned(), cause };
        // Opening a pipe would wait for its other end.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(ImageError::NotPlain { path: path.to_owned() });
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(ImageError::InUse { path: path.to_owned() }),
            Err(errno) => return Err(failed(errno.into())),
        }
        let found = file.metadata().map_err(failed)?.len();
        match found {
            0 => file.set_len(size.get()).map_err(failed)?,
            found if found == size.get() => {}
            found => return Err(ImageError::Size { path: path.to_owned(), found: Bytes(found), size }),
        }
        Ok(Self(Kind::Image(file)))
    }

    /// A file that is open, of the device's size.
    pub fn of_file(file: File) -> Self {
        Self(Kind::Image(file))
    }

    pub(super) fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let pieces = match &self.0 {
            Kind::Image(file) => return file.read_exact_at(into, offset),
            Kind::Memory(pieces) => pieces,
        };
        for_pieces(offset, into.len() as u64, |piece, within, at, length| {
            let target = &mut into[at..at + length];
            match pieces.get(&piece) {
                Some(bytes) => target.copy_from_slice(&bytes[within..within + length]),
                None => target.fill(0),
            }
        });
        Ok(())
    }

    pub(super) fn put(&mut self, offset: u64, content: &Content) -> io::Result<()> {
        match (&mut self.0, content) {
            (Kind::Image(file), Content::Bytes(bytes)) => file.write_all_at(bytes, offset),
            (Kind::Image(file), Content::Zeros(length)) => zero(file, offset, *length),
            (Kind::Memory(pieces), Content::Bytes(bytes)) => {
                for_pieces(offset, bytes.len() as u64, |piece, within, at, length| {
                    let there =
                        pieces.entry(piece).or_insert_with(|| vec![0; as_index(PIECE)].into_boxed_slice());
                    there[within..within + length].copy_from_slice(&bytes[at..at + length]);
                });
                Ok(())
            }
            (Kind::Memory(pieces), Content::Zeros(length)) => {
                for_pieces(offset, *length, |piece, within, _, length| {
                    if length == as_index(PIECE) {
                        pieces.remove(&piece);
                    } else if let Some(there) = pieces.get_mut(&piece) {
                        there[within..within + length].fill(0);
                    }
                });
                Ok(())
            }
        }
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        match &self.0 {
            Kind::Memory(_) => Ok(()),
            Kind::Image(file) => file.sync_all(),
        }
    }
}

/// Tells each piece of a range: its number, where the range begins within it, how far that is into the range, and how long.
fn for_pieces(offset: u64, length: u64, mut tell: impl FnMut(u64, usize, usize, usize)) {
    let mut done = 0;
    while done < length {
        let (piece, within) = ((offset + done) / PIECE, (offset + done) % PIECE);
        let part = (PIECE - within).min(length - done);
        tell(piece, as_index(within), as_index(done), as_index(part));
        done += part;
    }
}

/// Makes a hole, or writes zeros where the file system has none.
fn zero(file: &File, offset: u64, length: u64) -> io::Result<()> {
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    if fallocate(file, hole, offset, length).is_ok() {
        return Ok(());
    }
    let mut done = 0;
    while done < length {
        let part = (length - done).min(ZEROS.len() as u64);
        file.write_all_at(&ZEROS[..as_index(part)], offset + done)?;
        done += part;
    }
    Ok(())
}
