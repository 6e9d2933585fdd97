//! The random numbers that fio draws: combined Tausworthe generators.
//!
//! P. L'Ecuyer, "Maximally Equidistributed Combined Tausworthe Generators", Mathematics of Computation 65 (1996), 203–213, of
//! 32 bits (taus88), and "Tables of Maximally Equidistributed Combined LFSR Generators", ibid. 68 (1999), 261–269, of 64 bits
//! (taus258), with the seeding of fio's lib/rand.c: a linear congruence and six steps.

use petrio_persist::Persist;
use petrio_units::numbers::{as_number, low_half, whole_part};

/// A generator at work.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub(super) enum Tausworthe {
    /// Numbers of 32 bits.
    Short([u32; 3]),
    /// Numbers of 64 bits.
    Long([u64; 5]),
}

/// What both seedings begin with.
const FIRST: u32 = 53;
/// Steps before the first number.
const STEPS: usize = 6;
/// What each word must not be less than, or its low bits that don't count would be all of it.
const SHORT_LEAST: [u32; 3] = [1, 7, 15];
const LONG_LEAST: [u64; 5] = [1, 7, 15, 33, 49];

impl Tausworthe {
    /// Of 32 bits, of which a seed has no more.
    pub(super) fn short(seed: u64) -> Self {
        let seed = low_half(seed);
        let mut words = [0; 3];
        let mut before = FIRST;
        for (word, least) in words.iter_mut().zip(SHORT_LEAST) {
            let next = before.wrapping_mul(69_069) ^ seed;
            *word = if next < least { next + least } else { next };
            before = *word;
        }
        Self::Short(words).stepped()
    }

    /// Of 64 bits.
    pub(super) fn long(seed: u64) -> Self {
        let mut words = [0; 5];
        let mut before = u64::from(FIRST);
        for (word, least) in words.iter_mut().zip(LONG_LEAST) {
            let next = before.wrapping_mul(6_906_969_069) ^ seed;
            *word = if next < least { next + least } else { next };
            before = *word;
        }
        Self::Long(words).stepped()
    }

    fn stepped(mut self) -> Self {
        for _ in 0..STEPS {
            self.next();
        }
        self
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        match self {
            Self::Short([a, b, c]) => {
                *a = ((*a & !1) << 12) ^ (((*a << 13) ^ *a) >> 19);
                *b = ((*b & !7) << 4) ^ (((*b << 2) ^ *b) >> 25);
                *c = ((*c & !15) << 17) ^ (((*c << 3) ^ *c) >> 11);
                u64::from(*a ^ *b ^ *c)
            }
            Self::Long(words) => {
                // How far each word is shifted and folded, and which of its low bits don't count.
                const STEPS: [(u32, u32, u32, u64); 5] = [
                    (1, 53, 10, !1),
                    (24, 50, 5, !511),
                    (3, 23, 29, !4_095),
                    (5, 24, 23, !131_071),
                    (3, 33, 8, !8_388_607),
                ];
                for (word, (shift, fold, move_up, mask)) in words.iter_mut().zip(STEPS) {
                    *word = ((*word & mask) << move_up) ^ (((*word << shift) ^ *word) >> fold);
                }
                words.iter().fold(0, |all, word| all ^ word)
            }
        }
    }

    /// The largest number.
    pub(super) const fn max(&self) -> u64 {
        match self {
            Self::Short(_) => u32::MAX as u64,
            Self::Long(_) => u64::MAX,
        }
    }

    /// A number below `bound`, as fio draws it: by a floating multiplication.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let (number, max) = (self.next(), self.max());
        whole_part(bound as f64 * (number as f64 / (max as f64 + 1.0)))
    }

    /// From 1 to 100.
    pub(super) fn percent(&mut self) -> u32 {
        1 + as_number(self.below(100))
    }

    /// Above 0, and 1 at most.
    pub(super) fn unit(&mut self) -> f64 {
        let (number, max) = (self.next(), self.max());
        (number as f64 + 1.0) / (max as f64 + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly_over_their_range() {
        for mut random in [Tausworthe::short(7), Tausworthe::long(7)] {
            let mut counts = [0_u32; 10];
            for _ in 0..100_000 {
                counts[random.below(10) as usize] += 1;
            }
            // Nine degrees of freedom: above 27.9 one time in a thousand.
            let chi: f64 = counts.iter().map(|&count| (f64::from(count) - 1e4).powi(2) / 1e4).sum();
            assert!(chi < 27.9, "{counts:?}");
        }
    }

    #[test]
    fn other_seeds_give_other_numbers_and_the_same_seed_the_same() {
        let of = |seed| (Tausworthe::short(seed).next(), Tausworthe::long(seed).next());
        assert_eq!(of(3), of(3));
        assert_ne!(of(3).0, of(4).0);
        assert_ne!(of(3).1, of(4).1);
    }
}
