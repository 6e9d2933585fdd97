//! What a rank tells of its calls of MPI: a system call that no kernel has (`shim/ranks.c`).

use super::gathering::What;
use super::mail::Pattern;
use super::windows::{Access, How};
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
/// Bytes of a name at most.
const NAME: u64 = 200;

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
        context: u32,
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
        context: u32,
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
    /// Another rank's memory is accessed.
    Access(Access),
    /// Accesses are waited for: to the memory of one, or of all; or only until they have left.
    Flush {
        window: u32,
        whose: Option<u32>,
        locally: bool,
    },
    /// The memory of one is wanted, or of all these.
    Lock {
        window: u32,
        whose: Vec<u32>,
        alone: bool,
    },
    Unlock {
        window: u32,
        whose: Option<u32>,
    },
    /// A call that isn't followed.
    Unseen {
        name: String,
    },
}

/// The lower half of a word: numbers of ranks, tags.
fn low(word: u64) -> u32 {
    petrio_time::numbers::low_half(word)
}

fn some(word: u64) -> Option<u32> {
    (word != WHOEVER).then(|| low(word))
}

fn pattern(peer: u64, tag: u64, context: u64) -> Pattern {
    Pattern { from: some(peer), tag: some(tag), context: low(context) }
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
        5 => Tell::Send { peer: low(a), bytes: b, tag: low(c), request: d, context: low(e) },
        6 => Tell::Post { pattern: pattern(a, b, d), request: c },
        7 => Tell::Receive { pattern: pattern(a, b, c) },
        8 => Tell::Probe { pattern: pattern(a, b, d), waits: c != 0 },
        9 => Tell::Wait { requests: words(thread, a, b)?, one: c != 0 },
        10 => Tell::Test { requests: words(thread, a, b)?, one: c != 0 },
        11 => Tell::Matched { request: a, peer: low(b), tag: low(c) },
        12 => Tell::Forget { request: a },
        13 => Tell::Together {
            what: What::Collective {
                which: u64::from(low(a)),
                root: if low(e) == low(WHOEVER) { 0 } else { low(e) },
            },
            ranks: ranks(thread, b, c)?,
            context: low(a >> 32),
            bytes: d,
            request: e >> 32,
        },
        14 => Tell::Files { ranks: ranks(thread, a, b)? },
        15 => Tell::FilesOver { ranks: ranks(thread, a, b)? },
        16 => Tell::End { ranks: ranks(thread, a, b)? },
        18 => Tell::Access(Access {
            window: low(a),
            how: How::of(a >> 32),
            whose: low(b),
            out: c,
            back: d,
            request: e,
        }),
        19 => Tell::Flush { window: low(a), whose: some(b), locally: c != 0 },
        20 => Tell::Lock {
            window: low(a),
            whose: if let Some(one) = some(b) { vec![one] } else { ranks(thread, d, e)? },
            alone: c != 0,
        },
        21 => Tell::Unlock { window: low(a), whose: some(b) },
        22 => {
            let name = bytes(thread, a, b.min(NAME), 1)?;
            Tell::Unseen { name: String::from_utf8_lossy(&name).into_owned() }
        }
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
            of([7, WHOEVER, 5, 3, 0, 0]),
            Some(Tell::Receive { pattern: Pattern { from: None, tag: Some(5), context: 3 } })
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
        assert_eq!((place("ACCESS"), place("FLUSH"), place("UNLOCK"), place("UNSEEN")), (18, 19, 21, 22));
    }
}
