//! Which of what waits in a controller's memory is written to the members next: the sweep.
//!
//! It goes over the array from its beginning to its end and over again, stripe by stripe. Of a stripe with parity all that
//! waits goes as one update (`gather`), and what comes for it meanwhile waits for the next sweep: two updates of one stripe
//! would only wait for each other. Whole stripes that follow each other go together, and so does what lies in a row where no
//! parity is made, so that each member gets a long run.
//!
//! Sources: J. Menon and J. Cortney, "The architecture of a fault-tolerant cached RAID controller", ISCA 1993; K. Treiber and
//! J. Menon, "Simulation study of cached RAID5 designs", HPCA 1995.

use super::lines::{Lines, Range, Runs};
use crate::raid::layout::Layout;
use petrio_persist::Persist;
use std::collections::BTreeSet;

/// Longest run that a member is asked to write at a time, in sectors: assumed, 1 MiB, which is what most drives and hosts take
/// in one command.
const LONGEST: u64 = 2_048;

/// What a sweep knows of the array.
#[derive(Clone, Copy, Debug, Persist)]
pub(in crate::raid) struct Shape {
    /// Sectors of a unit, of a stripe's data, and of the array.
    pub(in crate::raid) unit: u64,
    pub(in crate::raid) stripe: u64,
    pub(in crate::raid) blocks: u64,
    /// Members, those of a stripe with the same data, and those with its parity.
    pub(in crate::raid) members: u64,
    pub(in crate::raid) copies: u64,
    pub(in crate::raid) parities: u64,
}

impl Shape {
    /// That of an array that offers so many blocks.
    pub(in crate::raid) fn of(layout: &Layout, blocks: u64) -> Self {
        Self {
            unit: layout.unit(),
            stripe: layout.stripe(),
            blocks,
            members: layout.members() as u64,
            copies: layout.copies() as u64,
            parities: layout.parities() as u64,
        }
    }

    /// How many commands members get for an update, about: one for each unit, and for parity.
    fn commands(&self, runs: &[Range]) -> u64 {
        let (mut units, mut before) = (0, None);
        for &(first, end) in runs {
            let (from, to) = (first / self.unit, (end - 1) / self.unit);
            units += to + 1 - from - u64::from(before == Some(from));
            before = Some(to);
        }
        (units * self.copies + self.parities).min(self.members)
    }
}

/// The sweep.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sweep {
    shape: Shape,
    /// Where the last update ended.
    at: u64,
    /// Stripes with parity that are being written.
    away: BTreeSet<u64>,
    /// Commands for what is under way.
    commands: u64,
}

impl Sweep {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, at: 0, away: BTreeSet::new(), commands: 0 }
    }

    /// Whether members have fewer commands than so many each.
    pub(super) fn has_fewer(&self, depth: u64) -> bool {
        self.commands < depth * self.shape.members
    }

    /// What is written next, which is under way from now on.
    pub(super) fn next(&mut self, lines: &Lines) -> Option<Runs> {
        let from = self.at;
        let runs = self.after(from, lines).or_else(|| self.after(0, lines))?;
        self.at = runs.last()?.1;
        self.commands += self.shape.commands(&runs);
        self.away.extend(self.stripes(&runs));
        Some(runs)
    }

    /// An update is over.
    pub(super) fn over(&mut self, runs: &[Range]) {
        self.commands -= self.shape.commands(runs);
        for stripe in self.stripes(runs) {
            self.away.remove(&stripe);
        }
    }

    /// The stripes that an update changes, if their parity has to follow.
    fn stripes(&self, runs: &[Range]) -> std::ops::Range<u64> {
        match (runs.first(), runs.last()) {
            (Some(first), Some(last)) if self.shape.parities > 0 => {
                first.0 / self.shape.stripe..(last.1 - 1) / self.shape.stripe + 1
            }
            _ => 0..0,
        }
    }

    /// The first update from a sector on.
    fn after(&self, mut from: u64, lines: &Lines) -> Option<Runs> {
        let Shape { unit, stripe, parities, .. } = self.shape;
        let rows = (LONGEST / unit).max(1);
        loop {
            let first = lines.first_to_send(from)?;
            if parities == 0 {
                return Some(lines.to_send((first, first + rows * stripe), 1));
            }
            let number = first / stripe;
            if self.away.contains(&number) {
                from = (number + 1) * stripe;
                continue;
            }
            let here = |number: u64| (number * stripe, (number + 1) * stripe);
            let mut runs = lines.to_send(here(number), usize::MAX);
            let mut end = number + 1;
            while runs.as_slice() == [(number * stripe, end * stripe)]
                && end < number + rows
                && !self.away.contains(&end)
                && lines.to_send(here(end), 2).as_slice() == [here(end)]
            {
                end += 1;
                runs = Runs::from_elem((number * stripe, end * stripe), 1);
            }
            return Some(runs);
        }
    }
}
