//! What is said of an array that its level has no use for.
//!
//! What stands at its usual value isn't looked at: it may be there to be read.

use super::copies::CopiesLayout;
use super::degraded::DegradedAccess;
use super::parameters::{
    ParityLayout, ParityUpdate, RaidLevel, RaidParameters, RebuildParameters, WriteOrder,
};
use super::reads::ReadChoice;

/// A parameter that does nothing at an array's level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Which it is.
    pub key: &'static str,
    /// What would make it do something.
    pub of: &'static str,
    /// Why it does nothing, as the rest of a sentence that begins with the array.
    pub because: &'static str,
}

impl RaidParameters {
    /// What is written of it that its level has no use for.
    pub fn without_effect(&self) -> Vec<Idle> {
        let level = self.level;
        let has_parity =
            matches!(level, RaidLevel::ParityMember | RaidLevel::Rotated | RaidLevel::DoubleRotated);
        let turns = matches!(level, RaidLevel::Rotated | RaidLevel::DoubleRotated);
        let has_copies = matches!(level, RaidLevel::Mirrored | RaidLevel::MirroredStriped);
        let mut idle = Vec::new();
        let mut note = |key, of, because| idle.push(Idle { key, of, because });
        if self.copies != 2 && level != RaidLevel::MirroredStriped {
            let because = if level == RaidLevel::Mirrored {
                "has as many copies as members"
            } else {
                "keeps no copies"
            };
            note("copies", "level = \"1+0\", which has groups of copies", because);
        }
        if self.copies_layout != CopiesLayout::Near && level != RaidLevel::MirroredStriped {
            note("copies_layout", "level = \"1+0\"", "has no copies that could lie elsewhere");
        }
        if !self.write_mostly.is_empty() && level != RaidLevel::Mirrored {
            note("write_mostly", "level = 1", "has no copies of which one is written only");
        }
        if self.write_behind > 0 && (self.write_mostly.is_empty() || self.bitmap.is_none()) {
            note(
                "write_behind",
                "write_mostly and a bitmap",
                "has no members that are mostly written, or nothing says what they lack",
            );
        }
        if self.bitmap.is_some() && level == RaidLevel::Striped {
            note("bitmap", "a level with redundancy", "has no members that could differ");
        }
        if self.reads != ReadChoice::default() && !has_copies {
            note("reads", "level = 1 or \"1+0\"", "keeps no copies of which one is read");
        }
        if self.layout != ParityLayout::default() && !turns {
            note("layout", "level = 5 or 6", "has no parity that goes around");
        } else if self.layout != ParityLayout::default() && self.stripe_width.is_some() {
            let because = "with a stripe_width shuffles its units, so that parity goes around by itself";
            note("layout", "no stripe_width", because);
        }
        if !has_parity {
            let of = "level = 4, 5 or 6";
            if self.parity_update != ParityUpdate::default() {
                note("parity_update", of, "has no parity");
            }
            if self.degraded != DegradedAccess::default() {
                note("degraded", of, "works nothing out of what is left of a stripe");
            }
            if self.write_order != WriteOrder::default() {
                note("write_order", of, "reads nothing before it writes");
            }
        }
        self.without_rebuild(&mut note);
        idle
    }

    /// What is written of rebuilding where nothing is ever rebuilt.
    fn without_rebuild(&self, note: &mut impl FnMut(&'static str, &'static str, &'static str)) {
        let level = self.level;
        let (of, because) = match level {
            RaidLevel::Striped => {
                ("a level with redundancy", "has nothing that a member could be worked out of")
            }
            _ => ("spares or replaced_after", "has no spare, and nobody replaces who fails"),
        };
        if level == RaidLevel::Striped && self.replaced_after.is_some() {
            note("replaced_after", of, because);
        }
        if level != RaidLevel::Striped && (self.spares > 0 || self.replaced_after.is_some()) {
            return;
        }
        let (own, usual) = (&self.rebuild, RebuildParameters::default());
        for (key, differs) in [
            ("rebuild.piece", own.piece != usual.piece),
            ("rebuild.depth", own.depth != usual.depth),
            ("rebuild.rate", own.rate != usual.rate),
            ("rebuild.busy_rate", own.busy_rate != usual.busy_rate),
            ("rebuild.busy_depth", own.busy_depth != usual.busy_depth),
            ("rebuild.sample", own.sample != usual.sample),
        ] {
            if differs {
                note(key, of, because);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn keys(level: RaidLevel, change: impl Fn(&mut RaidParameters)) -> Vec<&'static str> {
        let mut parameters = RaidParameters::of(level);
        change(&mut parameters);
        parameters.without_effect().into_iter().map(|idle| idle.key).collect()
    }

    #[test]
    fn what_a_level_has_no_use_for_is_told() {
        for (_, level) in RaidLevel::ALL {
            assert!(keys(level, |_| {}).is_empty(), "{level} as usual");
            let all = keys(level, |parameters| {
                parameters.copies = 3;
                parameters.reads = ReadChoice::Nearest;
                parameters.layout = ParityLayout::RightSymmetric;
                parameters.parity_update = ParityUpdate::Reconstruct;
                parameters.degraded = DegradedAccess::Fewest;
                parameters.write_order = WriteOrder::AfterOwnRead;
            });
            let of_parity = ["parity_update", "degraded", "write_order"];
            let expected: Vec<_> = match level {
                RaidLevel::Striped => ["copies", "reads", "layout"].into_iter().chain(of_parity).collect(),
                RaidLevel::Mirrored => ["copies", "layout"].into_iter().chain(of_parity).collect(),
                RaidLevel::MirroredStriped => ["layout"].into_iter().chain(of_parity).collect(),
                RaidLevel::ParityMember => vec!["copies", "reads", "layout"],
                RaidLevel::Rotated | RaidLevel::DoubleRotated => vec!["copies", "reads"],
            };
            assert_eq!(all, expected, "{level}");
        }
        let declustered = keys(RaidLevel::Rotated, |parameters| {
            parameters.stripe_width = Some(3);
            parameters.layout = ParityLayout::RightSymmetric;
        });
        assert_eq!(declustered, ["layout"]);
    }

    #[test]
    fn what_is_said_of_rebuilding_where_nothing_is_rebuilt_is_told() {
        let wanted = |level, spares, replaced: bool| {
            keys(level, |parameters| {
                parameters.spares = spares;
                parameters.replaced_after = replaced.then(|| "1 h".parse().unwrap());
                parameters.rebuild.busy_depth = Some(1);
                parameters.rebuild.depth = 4;
            })
        };
        let rebuild = ["rebuild.depth", "rebuild.busy_depth"];
        assert_eq!(wanted(RaidLevel::Rotated, 0, false), rebuild);
        assert!(wanted(RaidLevel::Rotated, 1, false).is_empty());
        assert!(wanted(RaidLevel::Mirrored, 0, true).is_empty());
        assert_eq!(wanted(RaidLevel::Striped, 0, false), rebuild);
        assert_eq!(
            wanted(RaidLevel::Striped, 0, true),
            ["replaced_after", "rebuild.depth", "rebuild.busy_depth"]
        );
    }
}
