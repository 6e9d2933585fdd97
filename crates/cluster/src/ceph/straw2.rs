//! Which item of a bucket CRUSH draws: each item's straw is as long as the logarithm of a random number over its weight, and the
//! longest wins (straw2). Pure.
//!
//! Source: S. Weil, "straw2" (Ceph 16.2 src/crush/mapper.c, `bucket_straw2_choose` and `crush_ln`). The logarithm there is made of
//! two tables, of 2⁴⁸/(1 + k/128) and 2⁴⁸·log₂(1 + k/128), and of 2⁴⁸·log₂(1 + k/2¹⁵); here these are computed. About 30 entries
//! of the third are not what its formula gives there: off by up to 10⁻⁵ of a straw, which decides one draw of some 10⁵ otherwise.

use super::rjenkins;
use petrio_units::numbers::nearest_whole;
use std::sync::LazyLock;

/// 2⁴⁸, a logarithm's unit before it is shifted.
const UNIT: f64 = 281_474_976_710_656.0;
/// Bits of a logarithm behind its whole part, and those of the tables.
const FRACTION: u32 = 44;
const TABLES: u32 = 48;
/// What a logarithm of 2¹⁶ is: straws are as far below it as their logarithms are.
const HIGHEST: i64 = 1 << TABLES;
/// Pieces of an octave in the first two tables, and bits below.
const PIECES: u32 = 128;
const BELOW: u32 = 8;

/// The tables of the logarithm.
struct Logarithm {
    /// Reciprocals, rounded up, of each piece's beginning.
    reciprocals: Vec<u64>,
    /// Logarithms of it.
    coarse: Vec<u64>,
    /// And of what is above it.
    fine: Vec<u64>,
}

static LOGARITHM: LazyLock<Logarithm> = LazyLock::new(|| {
    let log = |over: f64| nearest_whole(UNIT * libm::log2(1.0 + over));
    let piece = |k: u32| f64::from(k) / f64::from(PIECES);
    let reciprocal = |k: u32| (u64::from(PIECES) << TABLES).div_ceil(u64::from(PIECES + k));
    let mut coarse: Vec<u64> = (0..=PIECES).map(|k| log(piece(k))).collect();
    // The last one isn't 2⁴⁸ there.
    coarse[PIECES as usize] = 0xffff << 32;
    Logarithm {
        reciprocals: (0..=PIECES).map(reciprocal).collect(),
        coarse,
        fine: (0..1u32 << BELOW).map(|k| log(f64::from(k) / f64::from(1u32 << 15))).collect(),
    }
});

/// 2⁴⁴·log₂(x + 1) of a number of 16 bits.
fn logarithm(number: u32) -> i64 {
    let tables = &*LOGARITHM;
    let number = number + 1;
    // Brought to 2¹⁵ … 2¹⁶.
    let up = if number & 0x1_8000 == 0 { number.leading_zeros() - 16 } else { 0 };
    let number = number << up;
    let piece = (number >> BELOW) - PIECES;
    let rest = (u128::from(number) * u128::from(tables.reciprocals[piece as usize])) >> TABLES;
    let rest = (rest & 0xff) as usize;
    let fraction = (tables.coarse[piece as usize] + tables.fine[rest]) >> (TABLES - FRACTION);
    (i64::from(15 - up) << FRACTION) + fraction.cast_signed()
}

/// An item of a bucket: its number, below zero where it is a bucket itself, and its weight in 65536ths.
pub(super) type Item = (i32, u32);

/// The item that is drawn in a bucket for a placement's number and a try; none of a bucket without items.
pub(super) fn choose(items: &[Item], number: u32, draw: u32) -> Option<i32> {
    let straw = |&(item, weight): &Item| {
        let random = rjenkins::of_three(number, item.cast_unsigned(), draw) & 0xffff;
        if weight == 0 { i64::MIN } else { (logarithm(random) - HIGHEST) / i64::from(weight) }
    };
    let mut longest: Option<(i64, i32)> = None;
    for item in items {
        let straw = straw(item);
        if longest.is_none_or(|(best, _)| straw > best) {
            longest = Some((straw, item.0));
        }
    }
    longest.map(|(_, item)| item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_one() {
        for number in [0u32, 1, 2, 255, 32_767, 32_768, 50_000, 65_535] {
            let exact = libm::log2(f64::from(number) + 1.0) * 2f64.powi(44);
            let found = logarithm(number) as f64;
            assert!((found - exact).abs() <= 2f64.powi(30), "{number}: {found} and {exact}");
        }
    }

    #[test]
    fn items_are_drawn_as_often_as_their_weights_say() {
        let items = [(0, 65_536), (1, 2 * 65_536), (2, 0)];
        let mut drawn = [0u32; 3];
        (0..30_000).for_each(|number| drawn[choose(&items, number, 0).map_or(2, |item| item as usize)] += 1);
        assert_eq!(drawn[2], 0, "what weighs nothing is never drawn");
        assert!(drawn[1].abs_diff(20_000) < 400, "{drawn:?}");
    }
}
