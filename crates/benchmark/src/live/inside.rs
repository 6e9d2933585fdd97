//! What is measured, in a process of its own: petrio starts itself for it, plain or recorded or executed. It tells how long it took by its
//! own clock, and what it told stands behind [`MARK`].

use super::nbd;
use std::ffi::OsString;
use std::fs::File;
use std::hint::black_box;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

/// The word with which petrio starts itself for this.
pub(super) const WORD: &str = "bench-inside";
/// What stands before what is told.
pub(super) const MARK: &str = "bench-inside took ";
/// Bytes of each read, and of the file that is read over and over.
pub(super) const BLOCK: usize = 4_096;
pub(super) const BLOCKS: u64 = 256;

/// Becomes what is measured, if petrio has started itself for that; comes back with the exit code.
pub fn called(words: &[OsString]) -> Option<u8> {
    let (first, rest) = words.split_first()?;
    if first != WORD {
        return None;
    }
    let words: Vec<&str> = rest.iter().filter_map(|word| word.to_str()).collect();
    let done = match words.as_slice() {
        ["library", file, count] => reads(Path::new(file), count, File::read_at),
        ["calls", file, count] => {
            reads(Path::new(file), count, |file, block, at| Ok(rustix::io::pread(file.as_fd(), block, at)?))
        }
        ["compute", count] => count.parse().ok().map(computes),
        ["nbd", socket, count] => {
            count.parse().ok().and_then(|count| nbd::reads(Path::new(socket), count).ok())
        }
        _ => None,
    };
    Some(match done {
        Some(seconds) => {
            let text = format!("{MARK}{seconds}\n");
            u8::from(std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).is_err())
        }
        None => 1,
    })
}

/// Reads blocks that lie in memory, one after the other; seconds.
fn reads(
    file: &Path,
    count: &str,
    read: impl Fn(&File, &mut [u8], u64) -> std::io::Result<usize>,
) -> Option<f64> {
    let (file, count): (File, u64) = (File::open(file).ok()?, count.parse().ok()?);
    let mut block = [0; BLOCK];
    let began = Instant::now();
    for number in 0..count {
        let got = read(&file, &mut block, (number % BLOCKS) * BLOCK as u64).ok()?;
        if got != BLOCK {
            return None;
        }
    }
    Some(began.elapsed().as_secs_f64())
}

/// Computes and does nothing else; seconds.
fn computes(count: u64) -> f64 {
    let began = Instant::now();
    let mut word = 1u64;
    for _ in 0..count {
        // A step of a generator of numbers (xorshift).
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        word = black_box(word);
    }
    began.elapsed().as_secs_f64()
}
