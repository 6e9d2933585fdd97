//! Whole numbers of other numbers: what such a conversion could lose is said here, once.
//!
//! Only [`low_half`] drops anything. What is too large for the others becomes the largest, so that an index of it is behind every list,
//! and a time of it is never.

/// An index or a length in memory: the same number where addresses have 64 bits, where it costs nothing.
#[inline]
pub fn as_index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A number of 32 bits for what is known to be less than 2³²: it is counted in memory, or was checked when it was read.
#[inline]
pub fn as_number(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or_else(|_| {
        debug_assert!(false, "a number of more than 32 bits");
        u32::MAX
    })
}

/// The lower 32 bits, where the upper ones say something else.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the other half is another's")]
pub const fn low_half(word: u64) -> u32 {
    word as u32
}

/// What stands before the decimal point: zero of what is negative and of NaN.
///
/// ```
/// use petrio_time::numbers::whole_part;
/// assert_eq!([-1.0, f64::NAN, 1.9, f64::INFINITY].map(whole_part), [0, 0, 1, u64::MAX]);
/// ```
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, as is meant"
)]
pub const fn whole_part(value: f64) -> u64 {
    value as u64
}

/// What stands before the decimal point, with its sign: zero of NaN, and the ends of the range of what is beyond them.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, as is meant")]
pub const fn signed_whole_part(value: f64) -> i64 {
    value as i64
}

/// As [`whole_part`], for numbers beyond 64 bits.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, as is meant"
)]
pub const fn wide_whole_part(value: f64) -> u128 {
    value as u128
}

/// The nearest whole number, of a half the larger: zero of what is negative and of NaN.
///
/// ```
/// use petrio_time::numbers::nearest_whole;
/// assert_eq!([-1.0, 0.5, 1.4, 1e300].map(nearest_whole), [0, 1, 1, u64::MAX]);
/// ```
#[inline]
pub fn nearest_whole(value: f64) -> u64 {
    whole_part(value.round())
}

/// `amount · times / of`, rounded down, however large the product.
///
/// ```
/// use petrio_time::numbers::in_proportion;
/// assert_eq!(in_proportion(u64::MAX, 3, 4), u64::MAX / 4 * 3 + 2);
/// assert_eq!(in_proportion(u64::MAX, 3, 2), u64::MAX);
/// ```
#[inline]
pub fn in_proportion(amount: u64, times: u64, of: u64) -> u64 {
    u64::try_from(u128::from(amount) * u128::from(times) / u128::from(of)).unwrap_or(u64::MAX)
}
