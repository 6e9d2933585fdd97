//! Laws of the ranges of a file that a rank reads or writes one after the other: loops of equal ones, or boxes of a global array.

use crate::blocks::{Form, Split, parts};
use crate::law::{Extents, Law, Sample};
use crate::shape::Grid;

/// Ranges that were recorded, and where.
#[derive(Clone, Debug)]
pub(crate) struct Accessed<'g> {
    pub(crate) grid: &'g Grid,
    pub(crate) rank: u32,
    pub(crate) turns: Vec<u32>,
    pub(crate) ranges: &'g [(u64, u64)],
}

/// Their law.
#[derive(Clone, Debug)]
pub(crate) enum Ranges {
    /// Loops in loops of equal ranges.
    Loops {
        start: Law,
        length: Law,
        levels: Vec<(Law, Law)>,
    },
    Boxes(Boxes),
}

/// Boxes of an array of planes of rows, one array after the other in the file, each box row by row.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    row: u64,
    plane: u64,
    /// Planes of an array, rows of a plane, points of a row; bytes of a point.
    extents: [u32; 3],
    point: u64,
    split: Split,
    forms: [Form; 3],
    /// Whether a rank has one box for each part along a side, or one.
    is_many: bool,
    arrays: Law,
    first: Law,
}

/// Equal ranges in loops.
struct Nest {
    start: u64,
    length: u64,
    /// The outermost first: how many, how far apart.
    levels: Vec<(u64, u64)>,
}

/// An array of a file, and which part along each side a box of it is.
type Placed = (u64, [u32; 3]);

/// A box as it was found: array, then begin and length along planes, rows and bytes.
type Found = (u64, [(u64, u64); 3]);

fn nest(ranges: &[(u64, u64)]) -> Option<Nest> {
    let &(start, length) = ranges.first()?;
    if ranges.iter().any(|range| range.1 != length) {
        return None;
    }
    let starts: Vec<u64> = ranges.iter().map(|range| range.0).collect();
    Some(Nest { start, length, levels: levels(&starts)? })
}

/// What loops ranges are in: how many, how far apart; by that one access is told from another where both are the same call. None of
/// ranges that are in none.
pub(crate) fn form_of(ranges: &[(u64, u64)]) -> Option<Vec<(u64, u64)>> {
    nest(ranges).map(|nest| nest.levels)
}

fn levels(starts: &[u64]) -> Option<Vec<(u64, u64)>> {
    let [first, second, ..] = starts else { return Some(Vec::new()) };
    let step = second.checked_sub(*first)?;
    let run = 1 + starts.windows(2).take_while(|pair| pair[1].checked_sub(pair[0]) == Some(step)).count();
    let is_same = |chunk: &[u64]| {
        chunk.len() == run && chunk.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step))
    };
    if !starts.chunks(run).all(is_same) {
        return None;
    }
    let outer: Vec<u64> = starts.iter().step_by(run).copied().collect();
    let mut all = levels(&outer)?;
    all.push((run as u64, step));
    Some(all)
}

impl Ranges {
    pub(crate) fn of(samples: &[Accessed<'_>], extents: &mut Extents) -> Option<Self> {
        Self::loops(samples, extents).or_else(|| Boxes::of(samples, extents).map(Self::Boxes))
    }

    fn loops(samples: &[Accessed<'_>], extents: &mut Extents) -> Option<Self> {
        let nests: Vec<Nest> = samples.iter().map(|sample| nest(sample.ranges)).collect::<Option<_>>()?;
        let depth = nests.iter().map(|nest| nest.levels.len()).max()?;
        if nests.iter().any(|nest| nest.levels.len() != depth) {
            return None;
        }
        let mut law = |value: &dyn Fn(&Nest) -> u64| {
            let values: Vec<Sample<'_>> =
                samples.iter().zip(&nests).map(|(sample, nest)| sample.with(value(nest).into())).collect();
            Law::of(&values, extents)
        };
        let length = law(&|nest| nest.length)?;
        let levels: Option<Vec<(Law, Law)>> = (0..depth)
            .map(|level| Some((law(&|nest| nest.levels[level].0)?, law(&|nest| nest.levels[level].1)?)))
            .collect();
        Some(Self::Loops { start: law(&|nest| nest.start)?, length, levels: levels? })
    }

    /// All ranges of a rank; none where they are no numbers.
    pub(crate) fn at(&self, grid: &Grid, rank: u32, turns: &[u32]) -> Option<Vec<(u64, u64)>> {
        let number = |law: &Law| law.at(grid, rank, turns).and_then(|value| u64::try_from(value).ok());
        match self {
            Self::Loops { start, length, levels } => {
                let (mut starts, length) = (vec![number(start)?], number(length)?);
                for (count, step) in levels {
                    let (count, step) = (number(count)?, number(step)?);
                    let more = starts.iter().flat_map(|start| {
                        (0..count).map(move |turn| start.checked_add(turn.checked_mul(step)?))
                    });
                    starts = more.take(crate::skeleton::STEPS_MAX).collect::<Option<_>>()?;
                }
                Some(starts.into_iter().map(|start| (start, length)).filter(|range| range.1 > 0).collect())
            }
            Self::Boxes(boxes) => boxes.at(grid, rank, (number(&boxes.first)?, number(&boxes.arrays)?)),
        }
    }
}

impl<'g> Accessed<'g> {
    fn with(&self, value: i128) -> Sample<'g> {
        Sample { grid: self.grid, rank: self.rank, turns: self.turns.clone(), value }
    }
}

impl Boxes {
    fn of(samples: &[Accessed<'_>], extents: &mut Extents) -> Option<Self> {
        let (row, plane) = strides(samples.iter().max_by_key(|sample| sample.ranges.len())?.ranges)?;
        let total = total(samples)?;
        let rows = plane.filter(|plane| plane % row == 0).map_or(total / row, |plane| plane / row);
        let plane = rows.checked_mul(row)?;
        let planes = if total % (plane.checked_mul(rows)?) == 0 { rows } else { total / plane };
        let whole = |number: u64| u32::try_from(number).ok().filter(|number| *number > 0);
        // A point of a row is as long as makes it as many points as rows or planes, or as its parts let it be.
        for points in [rows, planes, row / 8, row / 4, row] {
            if points == 0 || row % points != 0 {
                continue;
            }
            let sizes = [whole(planes)?, whole(rows)?, whole(points)?];
            for split in Split::ALL {
                if let Some(law) = Self::cut(samples, (row, plane, sizes, split), extents) {
                    return Some(law);
                }
            }
        }
        None
    }

    /// By boxes of an array that is cut so.
    fn cut(
        samples: &[Accessed<'_>],
        (row, plane, sizes, split): (u64, u64, [u32; 3], Split),
        extents: &mut Extents,
    ) -> Option<Self> {
        let point = row / u64::from(sizes[2]);
        let found: Vec<Vec<Placed>> = samples
            .iter()
            .map(|sample| {
                let boxes = boxes(sample.ranges, (row, plane, u64::from(sizes[0])))?;
                let cut = |one: &Found| placed(one, sizes, (point, split, parts(sample.grid)));
                boxes.iter().map(cut).collect::<Option<Vec<_>>>()
            })
            .collect::<Option<_>>()?;
        [true, false].into_iter().find_map(|is_many| {
            let each = |sample: &Accessed<'_>| if is_many { parts(sample.grid) as usize } else { 1 };
            let is_whole = |(sample, boxes): (&Accessed<'_>, &Vec<Placed>)| {
                let first = boxes.first().map_or(0, |one| one.0);
                boxes.len() % each(sample) == 0
                    && boxes.iter().enumerate().all(|(at, one)| one.0 == first + (at / each(sample)) as u64)
            };
            if !samples.iter().zip(&found).all(is_whole) {
                return None;
            }
            let forms: Option<Vec<Form>> =
                (0..3).map(|side| form(samples, &found, side, sizes[side], &each)).collect();
            type Value<'v> = &'v dyn Fn(&Accessed<'_>, &[Placed]) -> u64;
            let mut law = |value: Value<'_>| {
                let values: Vec<Sample<'_>> = samples
                    .iter()
                    .zip(&found)
                    .map(|(sample, boxes)| sample.with(value(sample, boxes).into()))
                    .collect();
                Law::of(&values, extents)
            };
            let first = law(&|_, boxes| boxes.first().map_or(0, |one| one.0))?;
            let arrays = law(&|sample, boxes| (boxes.len() / each(sample)) as u64)?;
            let forms: [Form; 3] = forms?.try_into().ok()?;
            let most = sizes.iter().copied().filter(|size| *size > 1);
            extents.known.extend(most.filter(|size| !extents.known.contains(size)).collect::<Vec<_>>());
            extents.known.dedup();
            Some(Self { row, plane, extents: sizes, point, split, forms, is_many, arrays, first })
        })
    }

    fn at(&self, grid: &Grid, rank: u32, (first, arrays): (u64, u64)) -> Option<Vec<(u64, u64)>> {
        let (parts, coordinates) = (parts(grid), grid.coordinates(rank));
        if grid.sides.iter().any(|side| *side != parts)
            || self.extents.iter().any(|all| *all > 1 && *all < parts)
        {
            return None;
        }
        let each = if self.is_many { parts } else { 1 };
        let mut all = Vec::new();
        for array in first..first.checked_add(arrays)? {
            for cell in 0..each {
                let side = |side: usize| {
                    let extent = self.extents[side];
                    if extent == 1 {
                        return (0, 1);
                    }
                    let part = self.forms[side].of(&coordinates, parts, cell);
                    let begin = self.split.begin(extent, parts, part);
                    (u64::from(begin), u64::from(self.split.length(extent, parts, part)))
                };
                let ((plane, planes), (row, rows), (point, points)) = (side(0), side(1), side(2));
                let base = (array * u64::from(self.extents[0]) + plane) * self.plane;
                for at in 0..planes {
                    let base = base + at * self.plane + point * self.point;
                    let rows = (row..row + rows).map(|row| (base + row * self.row, points * self.point));
                    all.extend(rows);
                }
                if all.len() > crate::skeleton::STEPS_MAX {
                    return None;
                }
            }
        }
        Some(all)
    }
}

/// Bytes that all ranks move at one turn: the same on any number of them.
fn total(samples: &[Accessed<'_>]) -> Option<u64> {
    let mut all: std::collections::BTreeMap<(u32, &[u32]), u64> = std::collections::BTreeMap::new();
    for sample in samples {
        let bytes: u64 = sample.ranges.iter().map(|range| range.1).sum();
        *all.entry((sample.grid.ranks, sample.turns.as_slice())).or_default() += bytes;
    }
    let first = *all.values().next()?;
    all.values().all(|bytes| *bytes == first).then_some(first)
}

/// How far rows lie apart, and planes, if there are some.
fn strides(ranges: &[(u64, u64)]) -> Option<(u64, Option<u64>)> {
    let row = ranges.get(1)?.0.checked_sub(ranges.first()?.0)?;
    let run = 1 + ranges.windows(2).take_while(|pair| pair[1].0.checked_sub(pair[0].0) == Some(row)).count();
    let next = ranges.get(run).filter(|next| next.1 == ranges[0].1);
    (row > 0).then_some((row, next.and_then(|next| next.0.checked_sub(ranges[0].0))))
}

/// Ranges as boxes of rows.
fn boxes(ranges: &[(u64, u64)], (row, plane, planes): (u64, u64, u64)) -> Option<Vec<Found>> {
    let mut all: Vec<Found> = Vec::new();
    // Of the box that is being read: rows of its plane.
    let mut rows_here = 0;
    for &(offset, length) in ranges {
        let (array, z) = (offset / plane / planes, offset / plane % planes);
        let (y, x) = (offset % plane / row, offset % row);
        if x + length > row {
            return None;
        }
        if let Some((of, [depth, height, width])) = all.last_mut()
            && (*of, width.0, width.1) == (array, x, length)
        {
            let last = depth.0 + depth.1 - 1;
            if z == last && y == height.0 + rows_here && (depth.1 == 1 || rows_here < height.1) {
                rows_here += 1;
                height.1 = height.1.max(rows_here);
                continue;
            }
            if z == last + 1 && y == height.0 && rows_here == height.1 {
                depth.1 += 1;
                rows_here = 1;
                continue;
            }
        }
        all.push((array, [(z, 1), (y, 1), (x, length)]));
        rows_here = 1;
    }
    Some(all)
}

/// Which part along each side a box is; none where it is none.
fn placed(found: &Found, sizes: [u32; 3], (point, split, parts): (u64, Split, u32)) -> Option<Placed> {
    let (array, [depth, height, width]) = *found;
    if width.0 % point != 0 || width.1 % point != 0 {
        return None;
    }
    let sides = [depth, height, (width.0 / point, width.1 / point)];
    let mut at = [0; 3];
    for ((place, side), size) in at.iter_mut().zip(sides).zip(sizes) {
        if size == 1 {
            continue;
        }
        let of = |part: u32| -> (u64, u64) {
            (split.begin(size, parts, part).into(), split.length(size, parts, part).into())
        };
        *place = (0..parts).find(|part| of(*part) == side)?;
    }
    Some((array, at))
}

/// By what the part along a side follows from the rank and the number of the box.
fn form(
    samples: &[Accessed<'_>],
    found: &[Vec<Placed>],
    side: usize,
    size: u32,
    each: &dyn Fn(&Accessed<'_>) -> usize,
) -> Option<Form> {
    let sides = samples.first()?.grid.sides.len();
    let coordinates: Vec<Vec<u32>> =
        samples.iter().map(|sample| sample.grid.coordinates(sample.rank)).collect();
    let fits = |form: &Form| {
        samples.iter().zip(found).zip(&coordinates).all(|((sample, boxes), coordinates)| {
            boxes.iter().enumerate().all(|(number, one)| {
                let cell = u32::try_from(number % each(sample)).unwrap_or(0);
                form.of(coordinates, parts(sample.grid), cell) == one.1[side]
            })
        })
    };
    Form::candidates(sides, true, 1).into_iter().find(|form| size == 1 || fits(form))
}
