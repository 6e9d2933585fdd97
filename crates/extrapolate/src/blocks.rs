//! Numbers that follow from something being cut into parts, as even as they go: how long parts are, and where they begin.

use crate::law::{Extents, Sample};
use crate::shape::Grid;
use std::collections::BTreeMap;

/// Where parts that can't be equal are longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// The first ones are.
    First,
    /// Part `b` of `q` begins at `b n / q`, rounded down.
    Rounded,
}

impl Split {
    pub(crate) const ALL: [Self; 2] = [Self::First, Self::Rounded];

    pub(crate) fn begin(self, extent: u32, parts: u32, part: u32) -> u32 {
        let whole = |over: u64| u32::try_from(over / u64::from(parts)).unwrap_or(u32::MAX);
        match self {
            Self::First => part * (extent / parts) + part.min(extent % parts),
            Self::Rounded => whole(u64::from(part) * u64::from(extent)),
        }
    }

    pub(crate) fn length(self, extent: u32, parts: u32, part: u32) -> u32 {
        self.begin(extent, parts, part + 1) - self.begin(extent, parts, part)
    }
}

/// Which part: a sum of a rank's coordinates, a turn and a number, each with its sign, around the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    coordinates: Vec<i8>,
    turn: i8,
    plus: i8,
}

impl Form {
    /// All of them, the simplest first.
    pub(crate) fn candidates(sides: usize, turns: bool, plus_max: i8) -> Vec<Self> {
        let mut coordinates = vec![Vec::new()];
        for _ in 0..sides {
            coordinates = coordinates
                .into_iter()
                .flat_map(|one: Vec<i8>| (-1..=1).map(move |sign| [one.as_slice(), &[sign]].concat()))
                .collect();
        }
        let mut all = Vec::new();
        for coordinates in coordinates {
            for turn in if turns { -1..=1 } else { 0..=0 } {
                for plus in -plus_max..=plus_max {
                    all.push(Self { coordinates: coordinates.clone(), turn, plus });
                }
            }
        }
        all.sort_by_key(|form| {
            let terms = form.coordinates.iter().map(|sign| u32::from(sign.unsigned_abs())).sum::<u32>();
            let minus = form.coordinates.iter().filter(|sign| **sign < 0).count();
            (terms + u32::from(form.turn.unsigned_abs()), form.plus.unsigned_abs(), minus, form.turn < 0)
        });
        all
    }

    /// Counted the other way.
    fn turned(&self) -> Self {
        let coordinates = self.coordinates.iter().map(|sign| -sign).collect();
        Self { coordinates, turn: -self.turn, plus: -self.plus }
    }

    pub(crate) fn of(&self, coordinates: &[u32], parts: u32, turn: u32) -> u32 {
        let sum = self
            .coordinates
            .iter()
            .zip(coordinates)
            .fold(i64::from(self.plus), |sum, (sign, at)| sum + i64::from(*sign) * i64::from(*at));
        let sum = sum + i64::from(self.turn) * i64::from(turn);
        u32::try_from(sum.rem_euclid(i64::from(parts))).unwrap_or(0)
    }
}

/// `factor × Π` of parts' lengths, or of one's beginning; or the sum of that over as many turns as there are parts.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    factor: i128,
    extent: u32,
    split: Split,
    forms: Vec<Form>,
    begins: bool,
    summed: bool,
    /// Others that give all that was recorded, too: where they differ, nothing is told.
    rivals: Vec<Self>,
}

/// As many points as a side of what is cut up along several may have, where it isn't seen otherwise.
const EXTENT_MAX: u32 = 4096;

impl Blocks {
    /// The simplest of them that gives all numbers.
    pub(crate) fn of(samples: &[Sample<'_>], extents: &mut Extents) -> Option<Self> {
        let most = samples.iter().map(|sample| parts(sample.grid)).max()?;
        if samples.iter().any(|sample| !is_even(sample.grid)) {
            return None;
        }
        let ordered = telling(samples);
        let known = extents.known.iter().find_map(|extent| Self::of_extent(&ordered, *extent));
        if let Some(law) = known {
            return Some(law.with_rivals(&ordered));
        }
        likely(samples)
            .into_iter()
            .filter(|extent| *extent >= most && !extents.known.contains(extent))
            .find_map(|extent| Self::of_extent(&ordered, extent))
            .inspect(|law| extents.known.push(law.extent))
            .map(|law| law.with_rivals(&ordered))
    }

    fn of_extent(samples: &[Sample<'_>], extent: u32) -> Option<Self> {
        let sides = samples.first()?.grid.sides.len();
        let has_turns = samples.iter().any(|sample| !sample.turns.is_empty());
        let single = Form::candidates(sides, has_turns, 2);
        let many = if sides > 1 { Form::candidates(sides, true, 0) } else { Vec::new() };
        for split in Split::ALL {
            let base = Self {
                factor: 1,
                extent,
                split,
                forms: Vec::new(),
                begins: false,
                summed: false,
                rivals: Vec::new(),
            };
            let found = base.search(samples, &single, if sides > 1 { 2 } else { 1 });
            let found = found.or_else(|| Self { begins: true, ..base.clone() }.search(samples, &single, 1));
            let summed = || Self { summed: true, ..base.clone() }.search(samples, &many, 3);
            if let Some(law) = found.or_else(summed) {
                return Some(law);
            }
        }
        None
    }

    /// Up to so many forms beside those that it has.
    fn search(&self, samples: &[Sample<'_>], forms: &[Form], more: usize) -> Option<Self> {
        (1..=more).find_map(|count| self.with(samples, forms, count))
    }

    fn with(&self, samples: &[Sample<'_>], forms: &[Form], more: usize) -> Option<Self> {
        if more == 0 {
            let first = samples.first()?;
            let one = self.product(first.grid, first.rank, &first.turns);
            if one == 0 || first.value % one != 0 {
                return None;
            }
            let law = Self { factor: first.value / one, ..self.clone() };
            return law.fits(samples).then_some(law);
        }
        (0..forms.len()).find_map(|at| {
            let mut next = self.clone();
            next.forms.push(forms[at].clone());
            next.with(samples, &forms[at..], more - 1)
        })
    }

    fn fits(&self, samples: &[Sample<'_>]) -> bool {
        let fits = |sample: &Sample<'_>| {
            self.factor * self.product(sample.grid, sample.rank, &sample.turns) == sample.value
        };
        samples.iter().all(fits)
    }

    /// Where one part alone is longer, it isn't seen which way parts are counted from it, nor where the longer ones would stand if
    /// they were more.
    fn with_rivals(mut self, samples: &[Sample<'_>]) -> Self {
        let mut rivals = Vec::new();
        for split in Split::ALL {
            for turned in 0..1_u32 << self.forms.len() {
                for plus in -1..=1 {
                    let forms = self.forms.iter().enumerate().map(|(at, form)| {
                        let form = if turned >> at & 1 == 1 { form.turned() } else { form.clone() };
                        Form { plus: form.plus + plus, ..form }
                    });
                    rivals.push(Self { split, forms: forms.collect(), ..self.clone() });
                }
            }
        }
        rivals.retain(|rival| rival.fits(samples));
        self.rivals = rivals;
        self
    }

    fn product(&self, grid: &Grid, rank: u32, turns: &[u32]) -> i128 {
        let (parts, coordinates) = (parts(grid), grid.coordinates(rank));
        let one = |turn: u32| -> i128 {
            self.forms
                .iter()
                .map(|form| {
                    let part = form.of(&coordinates, parts, turn);
                    i128::from(if self.begins {
                        self.split.begin(self.extent, parts, part)
                    } else {
                        self.split.length(self.extent, parts, part)
                    })
                })
                .product()
        };
        if self.summed { (0..parts).map(one).sum() } else { one(turns.last().copied().unwrap_or(0)) }
    }

    pub(crate) fn at(&self, grid: &Grid, rank: u32, turns: &[u32]) -> Option<i128> {
        let value = self.product(grid, rank, turns);
        let is_told = || self.rivals.iter().all(|rival| rival.product(grid, rank, turns) == value);
        (is_even(grid) && is_told()).then(|| self.factor * value)
    }
}

/// Into how many parts something is cut.
pub(crate) fn parts(grid: &Grid) -> u32 {
    grid.sides.first().copied().unwrap_or(1)
}

fn is_even(grid: &Grid) -> bool {
    grid.sides.iter().all(|side| *side == parts(grid))
}

/// How much there may be of what is cut up, by what all ranks have of it together: along a line, parts differ by one; of faces and
/// volumes of a cube, each number of points along a side divides the sum twice or thrice.
fn likely(samples: &[Sample<'_>]) -> Vec<u32> {
    let mut turns: BTreeMap<(u32, &[u32]), (u32, i128, i128, i128)> = BTreeMap::new();
    for sample in samples {
        let one = turns.entry((sample.grid.ranks, sample.turns.as_slice())).or_insert((
            0,
            0,
            sample.value,
            sample.value,
        ));
        *one = (one.0 + 1, one.1 + sample.value, one.2.min(sample.value), one.3.max(sample.value));
    }
    let is_line = samples.iter().all(|sample| sample.grid.sides.len() == 1);
    let mut whole = turns.iter().filter(|((ranks, _), (count, ..))| ranks == count);
    if is_line {
        let uneven = whole.find(|(_, (_, _, least, most))| least < most);
        let extent = uneven.and_then(|(_, (_, sum, least, most))| u32::try_from(sum / (most - least)).ok());
        return extent.into_iter().collect();
    }
    let Some(((ranks, _), (_, sum, ..))) = whole.next() else { return Vec::new() };
    let side =
        samples.iter().find(|sample| sample.grid.ranks == *ranks).map_or(1, |sample| parts(sample.grid));
    let divides = |extent: &u32| {
        let square = i128::from(*extent) * i128::from(*extent);
        (sum % i128::from(side) == 0 && sum / i128::from(side) % square == 0)
            || sum % (square * i128::from(*extent)) == 0
    };
    (side..=EXTENT_MAX).rev().filter(divides).collect()
}

/// Those that tell most first: each number once, then all.
fn telling<'g>(samples: &[Sample<'g>]) -> Vec<Sample<'g>> {
    let mut seen = rustc_hash::FxHashSet::default();
    let (mut first, rest): (Vec<_>, Vec<_>) = samples
        .iter()
        .cloned()
        .partition(|sample| sample.value != 0 && seen.insert((sample.grid.ranks, sample.value)));
    first.extend(rest);
    first
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn faces_of_all_cells_of_a_rank_are_found_and_foretold() {
        let (split, extent) = (Split::First, 25);
        let grids = [4, 9, 16, 25].map(|ranks| Shape::Square.of(ranks).unwrap());
        // The cells of BT-IO: part (i + c) of x, (j - c) of y; 80 bytes a point.
        let bytes = |grid: &Grid, rank: u32| -> i128 {
            let (q, at) = (grid.sides[0], grid.coordinates(rank));
            let face = |c: u32| {
                split.length(extent, q, (at[0] + c) % q) * split.length(extent, q, (at[1] + q - c) % q)
            };
            80 * (0..q).map(|c| i128::from(face(c))).sum::<i128>()
        };
        let samples: Vec<Sample<'_>> = grids[..2]
            .iter()
            .flat_map(|grid| {
                (0..grid.ranks).map(move |rank| Sample {
                    grid,
                    rank,
                    turns: vec![],
                    value: bytes(grid, rank),
                })
            })
            .collect();
        let mut extents = Extents::default();
        let law = Blocks::of(&samples, &mut extents).unwrap();
        assert_eq!(extents.known, [25]);
        for grid in &grids {
            for rank in 0..grid.ranks {
                assert_eq!(law.at(grid, rank, &[]), Some(bytes(grid, rank)));
            }
        }
    }
}
