//! Programs into which nothing can be loaded (static ones, most of Go's), followed from outside while they run.
//!
//! ```text
//!   the shim, or petrio record ─▶ petrio record-static program … ─▶ (a filter, an exec) ─▶ the program, with the same number
//!                                          │ starts
//!                                          └─▶ … middle ─▶ … follow: told of its calls, writes its records
//! ```
//!
//! The program stays whose child it is, and knows nothing of who follows it; all that it starts is followed, too, whatever it is made of.
//! Who follows is nobody's child (`middle` has ended by then), and ends with the last of the program's threads.
//!
//! Left out: MPI's calls; who waits for the end of a thread, for which programs have no call of their own.

mod after;
mod before;
mod begin;
mod calls;
mod files;
mod follow;
mod thread;

pub use begin::called;
pub(crate) use begin::command;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Variables of the environment by which the shim knows how to have a static program followed.
pub(crate) const VARIABLE: &str = "PETRIO_RECORD_STATIC";

/// Whether nothing can be loaded into a program: an ELF file without an interpreter (elf(5)).
pub(crate) fn is_static(program: &Path) -> bool {
    const INTERPRETER: u32 = 3;
    let Ok(file) = File::open(program) else { return false };
    let mut head = [0; 64];
    if file.read_exact_at(&mut head, 0).is_err() || !head.starts_with(b"\x7fELF\x02") {
        return false;
    }
    let half = |at: usize| u16::from_ne_bytes([head[at], head[at + 1]]);
    let parts = u64::from_ne_bytes(head[32..40].try_into().unwrap_or_default());
    let (size, count) = (u64::from(half(54)), u64::from(half(56)));
    (0..count).all(|part| {
        let mut kind = [0; 4];
        let read = file.read_exact_at(&mut kind, parts.saturating_add(part * size));
        read.is_ok() && u32::from_ne_bytes(kind) != INTERPRETER
    })
}
