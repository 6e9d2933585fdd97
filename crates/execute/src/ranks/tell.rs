//! What a rank tells of its calls of MPI: a system call that no kernel has (`shim/ranks.c`).

use super::gathering::What;
use super::mail::Pattern;
use petrio_intercept::memory;
use std::io;

/// Its number: behind all that kernels have, and none of x86's second table.
pub(crate) const NUMBER: i64 = 511;
/// The answer to a wait that isn't over, and that is to be asked for again once the library has looked after others.
pub(super) const AGAIN: i64 = 1 << 62;
/// What a number is where nobody, or whoever, is meant.
const WHOEVER: u64 = 0xffff_ffff;
/// Ranks and requests that are told at once at most.
const MOST: u64 = 1 << 20;

pub(super) const LEAVE: u64 = 4;
pub(super) const ON: u64 = 17;

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tell {
    /// The library is being set up.
    Begin,
    /// It is: this rank of so many, of a job.
    Begun {
        rank: u32,
        ranks: u32,
        job: u64,
    },
    /// A call of which nothing else is told.
    Enter,
    /// A message; with a request, or waiting until its data have left where that is zero.
    Send {
        peer: u32,
        bytes: u64,
        tag: u32,
        request: u64,
    },
    Post {
        pattern: Pattern,
        request: u64,
    },
    Receive {
        pattern: Pattern,
    },
    Probe {
        pattern: Pattern,
        waits: bool,
    },
    /// Requests are waited for: all, or one of them.
    Wait {
        requests: Vec<u64>,
        one: bool,
    },
    Test {
        requests: Vec<u64>,
        one: bool,
    },
    Matched {
        request: u64,
        peer: u32,
        tag: u32,
    },
    Forget {
        request: u64,
    },
    Together {
        what: What,
        ranks: Vec<u32>,
        bytes: u64,
        request: u64,
    },
    /// Ranks access a file together.
    Files {
        ranks: Vec<u32>,
    },
    FilesOver {
        ranks: Vec<u32>,
    },
    /// The library is taken down.
    End {
        ranks: Vec<u32>,
    },
}

/// The lower half of a word: numbers of ranks, tags.
fn low(word: u64) -> u32 {
    petrio_time::numbers::low_half(word)
}

fn pattern(peer: u64, tag: u64) -> Pattern {
    let some = |word| (word != WHOEVER).then(|| low(word));
    Pattern { from: some(peer), tag: some(tag) }
}

fn words(thread: u32, at: u64, count: u64) -> io::Result<Vec<u64>> {
    let bytes = bytes(thread, at, count, 8)?;
    Ok(bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default())).collect())
}

fn ranks(thread: u32, at: u64, count: u64) -> io::Result<Vec<u32>> {
    let bytes = bytes(thread, at, count, 4)?;
    Ok(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default())).collect())
}

fn bytes(thread: u32, at: u64, count: u64, each: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(count.min(MOST) * each).map_err(io::Error::other)?;
    let mut bytes = vec![0; size];
    if size > 0 {
        memory::read(thread, at, &mut bytes)?;
    }
    Ok(bytes)
}

/// What a thread tells with these arguments; none where it is nothing that is known.
///
/// # Errors
/// What they point to can't be read.
pub(super) fn told(thread: u32, a: &[u64; 6]) -> io::Result<Option<Tell>> {
    let [kind, a, b, c, d, e] = *a;
    Ok(Some(match kind {
        1 => Tell::Begin,
        2 => Tell::Begun { rank: low(a), ranks: low(b), job: c },
        3 => Tell::Enter,
        5 => Tell::Send { peer: low(a), bytes: b, tag: low(c), request: d },
        6 => Tell::Post { pattern: pattern(a, b), request: c },
        7 => Tell::Receive { pattern: pattern(a, b) },
        8 => Tell::Probe { pattern: pattern(a, b), waits: c != 0 },
        9 => Tell::Wait { requests: words(thread, a, b)?, one: c != 0 },
        10 => Tell::Test { requests: words(thread, a, b)?, one: c != 0 },
        11 => Tell::Matched { request: a, peer: low(b), tag: low(c) },
        12 => Tell::Forget { request: a },
        13 => Tell::Together {
            what: What::Collective { which: a, root: if low(e) == low(WHOEVER) { 0 } else { low(e) } },
            ranks: ranks(thread, b, c)?,
            bytes: d,
            request: e >> 32,
        },
        14 => Tell::Files { ranks: ranks(thread, a, b)? },
        15 => Tell::FilesOver { ranks: ranks(thread, a, b)? },
        16 => Tell::End { ranks: ranks(thread, a, b)? },
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_c_part() {
        let own = std::process::id();
        let ranks = [3u32, 1];
        let at = std::ptr::from_ref(&ranks).addr() as u64;
        let of = |arguments: [u64; 6]| told(own, &arguments).unwrap();
        assert_eq!(of([14, at, 2, 0, 0, 0]), Some(Tell::Files { ranks: vec![3, 1] }));
        assert_eq!(
            of([7, WHOEVER, 5, 0, 0, 0]),
            Some(Tell::Receive { pattern: Pattern { from: None, tag: Some(5) } })
        );
        assert_eq!(of([99, 0, 0, 0, 0, 0]), None);
        let source = include_str!("../../shim/ranks.c");
        let begin = source.find("enum tell {").unwrap();
        let list = &source[begin..begin + source[begin..].find('}').unwrap()];
        let place = |name: &str| {
            let names = list.lines().skip(1).filter_map(|line| line.trim().split([',', ' ']).next());
            names.filter(|word| !word.is_empty()).position(|word| word == name).unwrap() as u64 + 1
        };
        assert_eq!((place("LEAVE"), place("ON"), place("FILES"), place("RECEIVE")), (LEAVE, ON, 14, 7));
    }
}
