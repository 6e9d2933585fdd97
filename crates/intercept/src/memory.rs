//! Another process's memory: what the arguments of its calls point to.

use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Names are no longer (PATH_MAX).
const NAME_MAX: usize = 4_096;
const PAGE: usize = 4_096;
/// Parts of a vectored access at most (UIO_MAXIOV).
const PARTS_MAX: usize = 1_024;

fn number(thread: u32) -> io::Result<Pid> {
    i32::try_from(thread).map(Pid::from_raw).map_err(|_| io::ErrorKind::InvalidInput.into())
}

fn place(at: u64) -> io::Result<usize> {
    usize::try_from(at).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// Reads into `to` from a thread's memory.
///
/// # Errors
/// There is no such memory.
pub fn read(thread: u32, at: u64, to: &mut [u8]) -> io::Result<()> {
    let (base, len) = (place(at)?, to.len());
    let got = process_vm_readv(number(thread)?, &mut [IoSliceMut::new(to)], &[RemoteIoVec { base, len }])?;
    if got == len { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Writes into a thread's memory.
///
/// # Errors
/// There is no such memory, or it may not be written.
pub fn write(thread: u32, at: u64, from: &[u8]) -> io::Result<()> {
    let (base, len) = (place(at)?, from.len());
    let got = process_vm_writev(number(thread)?, &[IoSlice::new(from)], &[RemoteIoVec { base, len }])?;
    if got == len { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A word of four bytes.
///
/// # Errors
/// As of [`read`].
pub fn word(thread: u32, at: u64) -> io::Result<u32> {
    let mut bytes = [0; 4];
    read(thread, at, &mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

/// So many words of eight bytes.
///
/// # Errors
/// As of [`read`].
pub fn words<const COUNT: usize>(thread: u32, at: u64) -> io::Result<[u64; COUNT]> {
    let mut bytes = vec![0; 8 * COUNT];
    read(thread, at, &mut bytes)?;
    let mut words = [0; COUNT];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    }
    Ok(words)
}

/// A name that ends with a zero.
///
/// # Errors
/// As of [`read`]; one that is longer than names can be.
pub fn name(thread: u32, at: u64) -> io::Result<PathBuf> {
    let mut all = Vec::new();
    let mut at = place(at)?;
    while all.len() < NAME_MAX {
        // To the end of the page: what lies behind may not be there.
        let len = PAGE - at % PAGE;
        let mut some = vec![0; len];
        let remote = [RemoteIoVec { base: at, len }];
        let got = process_vm_readv(number(thread)?, &mut [IoSliceMut::new(&mut some)], &remote)?;
        let some = some.get(..got).unwrap_or_default();
        if let Some(end) = some.iter().position(|byte| *byte == 0) {
            all.extend_from_slice(some.get(..end).unwrap_or_default());
            return Ok(OsString::from_vec(all).into());
        }
        if got == 0 {
            break;
        }
        all.extend_from_slice(some);
        at += got;
    }
    Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG))
}

/// How many bytes the parts of a vectored access have together.
///
/// # Errors
/// As of [`read`].
pub fn bytes_of_parts(thread: u32, at: u64, count: u64) -> io::Result<u64> {
    let count = place(count)?.min(PARTS_MAX);
    let mut bytes = vec![0; 16 * count];
    read(thread, at, &mut bytes)?;
    let lengths = bytes.chunks_exact(16).filter_map(|part| part.get(8..)?.try_into().ok());
    Ok(lengths.map(u64::from_ne_bytes).fold(0, u64::saturating_add))
}
