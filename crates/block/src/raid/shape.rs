//! Where everything of an array lies, by what is said of it, and what keeps it from being made.

use super::behind::WriteMostly;
use super::cache::RaidCacheParameters;
use super::copies::{CopiesLayout, Spread};
use super::declustered::MOST_MEMBERS;
use super::error::RaidError;
use super::layout::{Layout, Redundancy, Rotation};
use super::md::fewest_blocks;
use super::parameters::{RaidLevel, RaidParameters, RebuildParameters};
use petrio_colours::SECTOR_BYTES;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Rate};
use std::collections::BTreeSet;

impl RaidParameters {
    /// Where everything lies over so many members, of which the last are spares.
    ///
    /// # Errors
    /// See [`RaidError`].
    pub fn layout(&self, of: usize) -> Result<Layout, RaidError> {
        self.layout_on(of, 0)
    }

    /// The same over members with so many blocks, which says where copies lie that are far from each other.
    ///
    /// # Errors
    /// See [`RaidError`].
    pub fn layout_on(&self, of: usize, blocks_of_member: u64) -> Result<Layout, RaidError> {
        let members = self.members(of);
        self.check_failures(of)?;
        let unit = blocks(self.stripe_unit).ok_or(RaidError::Unit(self.stripe_unit))?;
        let grain = blocks(self.granularity).filter(|&grain| unit.is_multiple_of(grain));
        grain.ok_or(RaidError::Granularity(self.granularity, self.stripe_unit))?;
        let level = self.level;
        let fewest = level.fewest_members();
        if members < fewest {
            return Err(RaidError::Few { level, fewest, members });
        }
        if members > MOST_MEMBERS {
            return Err(RaidError::Many { members });
        }
        if let Some(mistake) =
            self.stripe_cache_in_use().and_then(|cache| cache.mistake(self.stripe_unit, members))
        {
            return Err(RaidError::StripeCache(mistake));
        }
        self.check_log(of)?;
        let is_parity = matches!(level, RaidLevel::Rotated | RaidLevel::DoubleRotated);
        if self.stripe_width.is_some() && !is_parity {
            return Err(RaidError::NotDeclustered { level });
        }
        let redundancy = match level {
            RaidLevel::Striped => Redundancy::None,
            RaidLevel::Mirrored => Redundancy::Copies(members as u64),
            RaidLevel::MirroredStriped => {
                if self.copies < 2 || members < self.copies as usize {
                    return Err(RaidError::Copies { copies: self.copies, members });
                }
                Redundancy::Copies(self.copies.into())
            }
            RaidLevel::ParityMember | RaidLevel::Rotated => Redundancy::Parity(1),
            RaidLevel::DoubleRotated => Redundancy::Parity(2),
        };
        let rotation = match (level, self.layout) {
            (RaidLevel::Rotated | RaidLevel::DoubleRotated, layout) => Rotation::Parity(layout),
            _ => Rotation::None,
        };
        let is_spread =
            self.copies_layout != CopiesLayout::Near || !members.is_multiple_of(self.copies as usize);
        if level == RaidLevel::MirroredStriped && is_spread {
            return Ok(Layout::spread(self.spread((unit, members), blocks_of_member)));
        }
        match self.stripe_width {
            None => Ok(Layout::new(unit, members, redundancy, rotation)),
            Some(width) => {
                let (width, least) = (width as usize, fewest);
                if width < least || width > members {
                    return Err(RaidError::Width { width, least, members });
                }
                Ok(Layout::declustered(unit, members, redundancy, width))
            }
        }
    }

    /// Members that are mostly written, of so many.
    pub(super) fn write_mostly_of(&self, members: usize) -> WriteMostly {
        let is_mirrored = self.level == RaidLevel::Mirrored;
        let mostly = |member: usize| is_mirrored && self.write_mostly.contains(&as_number(member));
        WriteMostly { members: (0..members).map(mostly).collect(), most: self.write_behind }
    }

    /// Copies over members of which a stripe has one unit each.
    fn spread(&self, (unit, members): (u64, usize), blocks: u64) -> Spread {
        let copies = u64::from(self.copies);
        let part = blocks / unit / copies * unit;
        Spread { layout: self.copies_layout, copies, members: members as u64, unit, part }
    }
}

impl RaidParameters {
    /// A member that is to fail once more where nobody replaces it, if there is one.
    pub fn fails_in_vain(&self) -> Option<u32> {
        let mut members = self.failures.iter().map(|failure| failure.member);
        let mut known = BTreeSet::new();
        let twice = members.find(|member| !known.insert(*member));
        twice.filter(|_| self.replaced_after.is_none())
    }

    /// Whether a journal of so many blocks is large enough.
    ///
    /// # Errors
    /// [`RaidError::Log`].
    pub fn check_journal(&self, of: usize, blocks: u64) -> Result<(), RaidError> {
        let (Some(_), Some(cache)) = (&self.journal, self.stripe_cache_in_use()) else { return Ok(()) };
        if blocks < fewest_blocks(cache.rows, self.members(of)) {
            let mistake = "its journal is smaller than four times the stripe cache";
            return Err(RaidError::Log { key: "journal", mistake });
        }
        Ok(())
    }

    /// What keeps a journal or a partial parity log from being there (`r5l_init_log`, `ppl_init_log`, and md's `consistency_policy`, which
    /// is one of them).
    fn check_log(&self, of: usize) -> Result<(), RaidError> {
        let (journal, partial) = (self.journal.is_some(), self.partial_parity_log);
        let key = if journal { "journal" } else { "partial_parity_log" };
        let by_rows = self.stripe_cache_in_use().is_some();
        let last = of.saturating_sub(1);
        let failing = || self.failures.iter().any(|failure| failure.member as usize == last);
        let mistakes = [
            (
                (journal || partial) && !by_rows,
                "levels 4, 5 and 6 of Linux md have one, with a stripe_cache and without a controller",
            ),
            (journal && partial, "an array has a journal or a partial parity log"),
            ((journal || partial) && self.bitmap.is_some(), "an array with one has no bitmap"),
            (partial && self.level != RaidLevel::Rotated, "level 5 has a partial parity log"),
            (journal && failing(), "what becomes of an array whose journal fails isn't modelled"),
        ];
        match mistakes.into_iter().find(|(is_so, _)| *is_so) {
            Some((_, mistake)) => Err(RaidError::Log { key, mistake }),
            None => Ok(()),
        }
    }

    fn check_failures(&self, of: usize) -> Result<(), RaidError> {
        if let Some(failure) = self.failures.iter().find(|failure| failure.member as usize >= of) {
            return Err(RaidError::NoMember { member: failure.member, last: of.saturating_sub(1) });
        }
        if let Some(member) = self.write_mostly.iter().find(|&&member| member as usize >= of) {
            return Err(RaidError::NoMember { member: *member, last: of.saturating_sub(1) });
        }
        if self.spares > 0 && self.level == RaidLevel::Striped {
            return Err(RaidError::Spares);
        }
        let rate = |rate: Option<Rate>| rate.is_none_or(|rate| rate.bytes_per_second() > 0.0);
        let cache = self.controller.as_ref().and_then(|controller| controller.cache.as_ref());
        if let Some(mistake) = cache.and_then(RaidCacheParameters::mistake) {
            return Err(RaidError::Cache(mistake));
        }
        let RebuildParameters { piece, depth, busy_depth, rate: always, busy_rate, .. } = self.rebuild;
        let mistakes = [
            ("rebuild.piece", blocks(piece).is_none()),
            ("rebuild.depth", depth == 0),
            ("rebuild.busy_depth", busy_depth == Some(0)),
            ("rebuild.rate", !rate(always)),
            ("rebuild.busy_rate", !rate(busy_rate)),
        ];
        if let Some((key, _)) = mistakes.into_iter().find(|(_, is_wrong)| *is_wrong) {
            return Err(RaidError::Rebuild { key });
        }
        Ok(())
    }
}

fn blocks(bytes: Bytes) -> Option<u64> {
    (bytes.get() > 0 && bytes.get().is_multiple_of(SECTOR_BYTES)).then(|| bytes.get() / SECTOR_BYTES)
}
