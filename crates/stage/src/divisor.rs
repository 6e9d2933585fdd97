//! Division by a number that is known long before: two multiplications and a comparison, a third of the time that a processor's
//! division of 64 bits takes. (T. Granlund and P. Montgomery, "Division by invariant integers using multiplication", PLDI
//! 1994.)

use petrio_persist::Persist;

/// A number that others are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Divisor {
    by: u64,
    /// (2⁶⁴ − 1) / `by`.
    inverse: u64,
}

impl Divisor {
    /// Of a number above zero; zero is taken for one.
    pub fn new(by: u64) -> Self {
        let by = by.max(1);
        Self { by, inverse: u64::MAX / by }
    }

    /// The number.
    #[inline]
    pub fn get(self) -> u64 {
        self.by
    }

    /// Quotient and remainder.
    #[inline]
    pub fn divide(self, number: u64) -> (u64, u64) {
        // The inverse is less than one too small, so that the quotient is at most one.
        let quotient = ((u128::from(number) * u128::from(self.inverse)) >> u64::BITS) as u64;
        let rest = number - quotient * self.by;
        if rest >= self.by { (quotient + 1, rest - self.by) } else { (quotient, rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_ends_of_the_range_are_divided_exactly() {
        let ends = [1, 2, 3, 7, u64::from(u32::MAX), 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];
        for by in ends {
            for number in ends.into_iter().chain([0]) {
                assert_eq!(Divisor::new(by).divide(number), (number / by, number % by), "{number} / {by}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_divides_as_the_processor_does(number in any::<u64>(), by in 1u64.., few in 0u32..64) {
            let by = (by >> few).max(1);
            prop_assert_eq!(Divisor::new(by).divide(number), (number / by, number % by));
        }
    }
}
