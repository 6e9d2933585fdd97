//! What files are filled with while they are prepared.

use petrio_units::numbers::as_index;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

/// Bytes written at once.
const PIECE_BYTES: usize = 1 << 20;

/// Makes a new file of so many bytes. Not zeros, which a device might compress or leave out.
pub(crate) fn write_new(path: &Path, size: u64) -> io::Result<()> {
    fill(&mut OpenOptions::new().write(true).create_new(true).open(path)?, size)
}

/// Writes so many bytes to a file that is empty.
pub(crate) fn fill(file: &mut File, size: u64) -> io::Result<()> {
    static PIECE: OnceLock<Vec<u8>> = OnceLock::new();
    let piece = PIECE.get_or_init(|| (0..251).cycle().take(PIECE_BYTES).map(|at: u8| at ^ 0x5a).collect());
    let mut left = size;
    while left > 0 {
        let length = left.min(PIECE_BYTES as u64);
        file.write_all(&piece[..as_index(length)])?;
        left -= length;
    }
    Ok(())
}
