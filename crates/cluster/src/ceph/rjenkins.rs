//! Robert Jenkins' hash, as CRUSH uses it of numbers and pools of the names of objects. Pure.
//!
//! Source: B. Jenkins, "Hash functions for hash table lookup" (burtleburtle.net/bob/hash/evahash.html, public domain), whose
//! mixing step this is; which words are mixed in which order, and the seeds: Ceph 16.2 src/crush/hash.c (rjenkins1) and
//! src/common/ceph_hash.cc. Held against `crushtool` and `osdmaptool` in `oracle_tests.rs`.

/// What a hash of numbers begins with, and the two words that are mixed in beside them (hash.c).
const SEED: u32 = 1_315_423_911;
const PADS: (u32, u32) = (231_232, 1232);
/// What a hash of a name begins with: the golden ratio (evahash).
const GOLDEN: u32 = 0x9e37_79b9;
/// Bytes of a name that are mixed at once.
const CHUNK: usize = 12;

/// Shifts of one mixing step, in threes: the first to the right, the second to the left, the third to the right.
const SHIFTS: [(u32, u32, u32); 3] = [(13, 8, 13), (12, 16, 5), (3, 10, 15)];

/// Mixes three words.
fn mix(a: &mut u32, b: &mut u32, c: &mut u32) {
    for (first, second, third) in SHIFTS {
        *a = a.wrapping_sub(*b).wrapping_sub(*c) ^ (*c >> first);
        *b = b.wrapping_sub(*c).wrapping_sub(*a) ^ (*a << second);
        *c = c.wrapping_sub(*a).wrapping_sub(*b) ^ (*b >> third);
    }
}

/// The hash of two numbers.
pub(super) fn of_two(mut a: u32, mut b: u32) -> u32 {
    let (mut x, mut y) = PADS;
    let mut hash = SEED ^ a ^ b;
    mix(&mut a, &mut b, &mut hash);
    mix(&mut x, &mut a, &mut hash);
    mix(&mut b, &mut y, &mut hash);
    hash
}

/// The hash of three numbers.
pub(super) fn of_three(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    let (mut x, mut y) = PADS;
    let mut hash = SEED ^ a ^ b ^ c;
    mix(&mut a, &mut b, &mut hash);
    mix(&mut c, &mut x, &mut hash);
    mix(&mut y, &mut a, &mut hash);
    mix(&mut b, &mut x, &mut hash);
    mix(&mut y, &mut c, &mut hash);
    hash
}

/// The hash of a name.
pub(super) fn of_name(name: &str) -> u32 {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |word, &byte| (word << 8) | u32::from(byte));
    let (mut a, mut b, mut c) = (GOLDEN, GOLDEN, 0u32);
    let mut chunks = name.as_bytes().chunks_exact(CHUNK);
    for chunk in &mut chunks {
        a = a.wrapping_add(word(&chunk[..4]));
        b = b.wrapping_add(word(&chunk[4..8]));
        c = c.wrapping_add(word(&chunk[8..]));
        mix(&mut a, &mut b, &mut c);
    }
    // The lowest byte of the third word is kept for the length.
    let rest = chunks.remainder();
    let part = |from: usize, to: usize| word(&rest[from.min(rest.len())..to.min(rest.len())]);
    a = a.wrapping_add(part(0, 4));
    b = b.wrapping_add(part(4, 8));
    #[expect(clippy::cast_possible_truncation, reason = "a name is shorter than 4 GiB")]
    let length = name.len() as u32;
    c = c.wrapping_add(length).wrapping_add(part(8, CHUNK) << 8);
    mix(&mut a, &mut b, &mut c);
    c
}
