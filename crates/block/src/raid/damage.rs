//! What is lost of an array, and what hangs by a thread, where members are missing for good.

use super::layout::{Layout, Redundancy};
use petrio_units::numbers::{as_index, in_proportion};

/// Stripes that are looked at: of all that differ by where they lie, enough that no combination of a few members is missed.
const LOOKED_AT: u64 = 4_096;

/// What missing members mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damage {
    /// Whether data are lost.
    pub loses: bool,
    /// How much must be read to fill those that take their place that has no redundancy left, as a multiple of what a member holds.
    pub unprotected: f64,
}

impl Damage {
    /// That of members of so many blocks, of which these are missing.
    pub fn of(layout: &Layout, missing: &[bool], member_blocks: u64) -> Self {
        let stripes = (layout.blocks(member_blocks) / layout.stripe().max(1)).max(1);
        let looked_at = stripes.min(LOOKED_AT);
        let mut all = Self::default();
        let mut units = 0_u64;
        for number in 0..looked_at {
            let stripe = in_proportion(number, stripes, looked_at);
            let gone =
                |index: usize| missing.get(layout.spot(stripe, index).member).copied().unwrap_or(false);
            match layout.redundancy() {
                Redundancy::None => all.loses |= (0..layout.columns()).any(gone),
                Redundancy::Copies(copies) => {
                    for column in 0..layout.columns() {
                        let copies = as_index(copies);
                        let left = (0..copies).filter(|copy| !gone(column + copy * layout.columns())).count();
                        all.loses |= left == 0;
                        units += u64::from(left == 1 && copies > 1);
                    }
                }
                Redundancy::Parity(parities) => {
                    let gone = (0..layout.width()).filter(|&index| gone(index)).count();
                    all.loses |= gone > as_index(parities);
                    units += if gone == as_index(parities) { (layout.width() - gone) as u64 } else { 0 };
                }
            }
        }
        // A member has a unit of so many of the stripes that were looked at.
        let of_member = looked_at as f64 * layout.width() as f64 / layout.members() as f64;
        all.unprotected = units as f64 / of_member;
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RaidLevel, RaidParameters};
    use super::*;

    fn damage(parameters: &RaidParameters, members: usize, missing: &[usize]) -> Damage {
        let blocks = 1 << 20;
        let layout = parameters.layout_on(members, blocks).expect("an array");
        let flags: Vec<bool> = (0..members).map(|member| missing.contains(&member)).collect();
        Damage::of(&layout, &flags, blocks)
    }

    #[test]
    fn parity_outlives_as_many_as_there_are_and_then_all_others_are_read_alone() {
        let five = RaidParameters::of(RaidLevel::Rotated);
        assert_eq!(damage(&five, 5, &[]), Damage::default());
        assert_eq!(damage(&five, 5, &[2]), Damage { loses: false, unprotected: 4.0 });
        assert!(damage(&five, 5, &[2, 4]).loses);
        let six = RaidParameters::of(RaidLevel::DoubleRotated);
        assert_eq!(damage(&six, 8, &[2]), Damage::default());
        assert_eq!(damage(&six, 8, &[2, 7]), Damage { loses: false, unprotected: 6.0 });
        assert!(damage(&six, 8, &[0, 1, 2]).loses);
    }

    #[test]
    fn of_copies_it_hangs_on_which_are_missing() {
        let pairs = RaidParameters::of(RaidLevel::MirroredStriped);
        assert_eq!(damage(&pairs, 4, &[0]), Damage { loses: false, unprotected: 1.0 });
        assert_eq!(damage(&pairs, 4, &[0, 2]), Damage { loses: false, unprotected: 2.0 });
        assert!(damage(&pairs, 4, &[0, 1]).loses);
        let three = RaidParameters { copies: 3, ..pairs };
        assert_eq!(damage(&three, 6, &[0]), Damage::default());
        assert_eq!(damage(&three, 6, &[0, 1]), Damage { loses: false, unprotected: 1.0 });
        let mirror = RaidParameters::of(RaidLevel::Mirrored);
        assert_eq!(damage(&mirror, 2, &[0]), Damage { loses: false, unprotected: 1.0 });
        let none = RaidParameters::of(RaidLevel::Striped);
        assert!(damage(&none, 3, &[1]).loses);
    }

    #[test]
    fn declustered_parity_reads_from_all_and_loses_by_any_two() {
        let wide = RaidParameters { stripe_width: Some(4), ..RaidParameters::of(RaidLevel::Rotated) };
        let one = damage(&wide, 12, &[5]);
        assert!(!one.loses && (one.unprotected - 3.0).abs() < 0.05, "{one:?}");
        assert!(damage(&wide, 12, &[5, 9]).loses);
    }
}
