//! Random streams: one for each (run seed, replication, path, purpose).
//!
//! A component's draws depend on its own name only, so adding a component changes nobody else's: two variants of a
//! system meet the same arrivals and the same service draws (common random numbers). Draws are the same on every
//! machine: xoshiro256++ (Blackman and Vigna 2021), and transcendental functions from one pure-Rust library.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

use rand_core::{Rng, SeedableRng};

/// The generator behind every stream.
pub type Generator = rand_xoshiro::Xoshiro256PlusPlus;

/// The generator of a stream.
///
/// ```
/// use petrio_random::{generator, uniform};
/// let mut a = generator(42, 0, "server0", "service");
/// let mut b = generator(42, 0, "server0", "service");
/// let mut other = generator(42, 0, "server1", "service");
/// let draw = uniform(&mut a);
/// assert_eq!(draw, uniform(&mut b));
/// assert_ne!(draw, uniform(&mut other));
/// ```
pub fn generator(seed: u64, replication: u64, path: &str, purpose: &str) -> Generator {
    // FNV-1a over the name, then SplitMix64 steps to fold in seed and replication: short, fixed for ever, and good
    // enough to keep streams apart (`seed_from_u64` scrambles once more).
    let name = fnv1a(path.bytes().chain([0]).chain(purpose.bytes()));
    let mut state = mix(seed);
    state = mix(state ^ replication);
    state = mix(state ^ name);
    Generator::seed_from_u64(state)
}

/// A number for bytes, the same on every machine: FNV-1a of 64 bits (Fowler, Noll and Vo). It tells apart what differs by chance, not what
/// is made to look alike.
///
/// ```
/// assert_eq!(petrio_random::fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
/// ```
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A number whose bits hang on all bits of another: neighbours come out far from each other (splitmix64: G. Steele, D. Lea, C. Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[inline]
pub const fn mix(state: u64) -> u64 {
    finish(state.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The last steps of [`mix`] alone: 0 stays 0.
#[inline]
pub const fn finish(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform on [0, 1), from 53 random bits.
#[inline]
pub fn uniform(random: &mut Generator) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Exponential with the given mean, in the unit of the mean.
#[inline]
pub fn exponential(random: &mut Generator, mean: f64) -> f64 {
    // 1 − u lies in (0, 1], whose logarithm is finite.
    -mean * libm::log(1.0 - uniform(random))
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the other half is another's")]
fn low_half(product: u128) -> u64 {
    product as u64
}

/// A whole number below `bound`, each equally likely (Lemire's method); zero where `bound` is zero.
#[inline]
pub fn uniform_below(random: &mut Generator, bound: u64) -> u64 {
    let mut product = u128::from(random.next_u64()) * u128::from(bound);
    if low_half(product) < bound {
        let threshold = bound.wrapping_neg() % bound;
        while low_half(product) < threshold {
            product = u128::from(random.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pinned: a change here changes every result that petrio has ever printed.
    #[test]
    fn first_draws_are_pinned() {
        let mut random = generator(1, 0, "server0/engine", "service");
        let draws: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(draws, PINNED);
        let mut random = generator(1, 0, "server0/engine", "service");
        assert_eq!(exponential(&mut random, 1.0).to_bits(), PINNED_EXPONENTIAL);
    }

    const PINNED: [u64; 3] =
        [3_760_139_057_795_274_995, 17_527_967_397_398_165_654, 14_697_682_537_901_652_429];
    const PINNED_EXPONENTIAL: u64 = 4_597_380_857_600_753_101;

    #[test]
    fn each_part_of_the_name_matters() {
        let first = |seed, replication, path: &str, purpose: &str| {
            generator(seed, replication, path, purpose).next_u64()
        };
        let base = first(1, 2, "a", "b");
        assert_eq!(base, first(1, 2, "a", "b"));
        for other in
            [first(2, 2, "a", "b"), first(1, 1, "a", "b"), first(1, 2, "b", "b"), first(1, 2, "a", "a")]
        {
            assert_ne!(base, other);
        }
        assert_ne!(first(1, 2, "ab", "c"), first(1, 2, "a", "bc"));
    }

    #[test]
    fn whole_numbers_are_equally_likely() {
        let mut random = generator(7, 0, "dice", "faces");
        let mut faces = [0u32; 6];
        let throws = 60_000;
        for _ in 0..throws {
            faces[usize::try_from(uniform_below(&mut random, 6)).unwrap_or(usize::MAX)] += 1;
        }
        let expected = f64::from(throws) / 6.0;
        let chi_square: f64 = faces.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        // 99.9 % quantile of chi-square with five degrees of freedom.
        assert!(chi_square < 20.52, "{faces:?}");
    }
}
