//! How ranks lie: in a line, or in a grid whose first coordinate runs fastest.

/// An arrangement of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One after the other.
    Line,
    /// As many rows as columns.
    Square,
    /// Rows and columns as MPI_Dims_create makes them: as near to a square as the number allows.
    Rectangle,
    /// As many layers as rows and columns.
    Cube,
}

/// So many ranks in a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) ranks: u32,
    /// Extents, the fastest first.
    pub(crate) sides: Vec<u32>,
}

impl Shape {
    /// In the order in which they are tried.
    pub(crate) const ALL: [Self; 4] = [Self::Line, Self::Square, Self::Rectangle, Self::Cube];

    /// So many ranks; none where they don't make such a shape.
    pub(crate) fn of(self, ranks: u32) -> Option<Grid> {
        let root = |power: u32| (1..=ranks).take_while(|q| q.pow(power) <= ranks).last().unwrap_or(1);
        let sides = match self {
            Self::Line => vec![ranks],
            Self::Square => Some(root(2)).filter(|q| q * q == ranks).map(|q| vec![q, q])?,
            Self::Rectangle => {
                let short = (1..=root(2)).rev().find(|short| ranks % short == 0)?;
                Some(vec![short, ranks / short]).filter(|_| short > 1)?
            }
            Self::Cube => Some(root(3)).filter(|q| q * q * q == ranks).map(|q| vec![q, q, q])?,
        };
        Some(Grid { ranks, sides })
    }

    /// In words, for a message.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Line => "a line",
            Self::Square => "a square grid",
            Self::Rectangle => "a grid of rows and columns",
            Self::Cube => "a cube",
        }
    }
}

impl Grid {
    pub(crate) fn coordinates(&self, rank: u32) -> Vec<u32> {
        let mut left = rank;
        self.sides
            .iter()
            .map(|side| {
                let coordinate = left % side;
                left /= side;
                coordinate
            })
            .collect()
    }

    pub(crate) fn rank(&self, coordinates: &[u32]) -> u32 {
        self.sides.iter().zip(coordinates).rev().fold(0, |rank, (side, coordinate)| rank * side + coordinate)
    }
}

/// Whom a rank has to do with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Relation {
    /// Always this one.
    Absolute(u32),
    /// So far along each side, around the ends.
    Offset(Vec<i32>),
    /// Always this one, from the last on.
    FromLast(u32),
    /// With its coordinates the other way round.
    Transposed,
    /// At the other end.
    Mirrored,
    /// With these bits of its number changed.
    Flipped(u32),
    /// So many further than the turn of the loop, around the end.
    Turn(i32),
    /// So many before it.
    TurnBack(i32),
    /// The bit of the loop's turn changed.
    FlippedTurn,
}

/// As far as neighbours are looked for.
const REACH: i32 = 2;

impl Relation {
    /// All that may be, the likeliest first.
    pub(crate) fn candidates(shape: Shape, grids: &[Grid]) -> Vec<Self> {
        let least = grids.iter().map(|grid| grid.ranks).min().unwrap_or(0);
        let mut all = vec![Self::Absolute(0)];
        let sides = grids.first().map_or(1, |grid| grid.sides.len());
        let mut offsets = vec![Vec::new()];
        for _ in 0..sides {
            offsets = offsets
                .into_iter()
                .flat_map(|one: Vec<i32>| {
                    (-REACH..=REACH).map(move |step| [one.as_slice(), &[step]].concat())
                })
                .collect();
        }
        offsets.retain(|one| one.iter().any(|step| *step != 0));
        offsets.sort_by_key(|one| one.iter().map(|step| step.abs()).sum::<i32>());
        all.extend(offsets.into_iter().map(Self::Offset));
        all.extend((1..least).map(Self::Absolute));
        all.extend((0..least).map(Self::FromLast));
        all.push(Self::Mirrored);
        if shape == Shape::Square {
            all.push(Self::Transposed);
        }
        all.extend([Self::Flipped(1), Self::Flipped(2), Self::FlippedTurn]);
        all.extend([1, 0].map(Self::Turn));
        all.extend([1, 0].map(Self::TurnBack));
        all
    }

    /// Who that is; none where there is nobody.
    pub(crate) fn of(&self, grid: &Grid, rank: u32, turns: &[u32]) -> Option<u32> {
        let around = |at: i64, ranks: u32| u32::try_from(at.rem_euclid(i64::from(ranks))).ok();
        let turn = i64::from(turns.last().copied().unwrap_or(0));
        let found = match self {
            Self::Absolute(other) => *other,
            Self::FromLast(before) => (grid.ranks - 1).checked_sub(*before)?,
            Self::Mirrored => grid.ranks - 1 - rank,
            Self::Flipped(bits) => rank ^ bits,
            Self::FlippedTurn => rank ^ 1_u32.checked_shl(*turns.last()?)?,
            Self::Turn(more) => around(i64::from(rank) + turn + i64::from(*more), grid.ranks)?,
            Self::TurnBack(more) => around(i64::from(rank) - turn - i64::from(*more), grid.ranks)?,
            Self::Transposed => {
                let mut coordinates = grid.coordinates(rank);
                coordinates.reverse();
                grid.rank(&coordinates)
            }
            Self::Offset(steps) => {
                let coordinates: Option<Vec<u32>> = grid
                    .coordinates(rank)
                    .iter()
                    .zip(steps)
                    .zip(&grid.sides)
                    .map(|((at, step), side)| around(i64::from(*at) + i64::from(*step), *side))
                    .collect();
                grid.rank(&coordinates?)
            }
        };
        (found < grid.ranks).then_some(found)
    }
}

/// Who takes part in something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    All,
    /// Those of the same coordinates along these sides.
    Alike(Vec<usize>),
}

impl Members {
    pub(crate) fn candidates(grids: &[Grid]) -> Vec<Self> {
        let sides = grids.first().map_or(1, |grid| grid.sides.len());
        let subsets =
            (1..1_u32 << sides).map(|bits| (0..sides).filter(|side| bits >> side & 1 == 1).collect());
        std::iter::once(Self::All).chain(subsets.map(Self::Alike)).collect()
    }

    pub(crate) fn of(&self, grid: &Grid, rank: u32) -> Vec<u32> {
        match self {
            Self::All => (0..grid.ranks).collect(),
            Self::Alike(sides) => {
                let own = grid.coordinates(rank);
                let is_alike = |other: &u32| {
                    let coordinates = grid.coordinates(*other);
                    sides.iter().all(|side| coordinates[*side] == own[*side])
                };
                (0..grid.ranks).filter(is_alike).collect()
            }
        }
    }
}

/// Which ranks do the same, call by call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Roles {
    Same,
    /// The first one does something besides.
    First,
    FirstAndLast,
    /// Even and odd ones, the first apart.
    Parity,
    /// Those at each end of each side, and those between; the first apart.
    Ends,
}

impl Roles {
    pub(crate) const ALL: [Self; 5] = [Self::Same, Self::First, Self::FirstAndLast, Self::Parity, Self::Ends];

    pub(crate) fn of(self, grid: &Grid, rank: u32) -> u32 {
        let is_last = rank + 1 == grid.ranks;
        match self {
            Self::Same => 0,
            Self::First => u32::from(rank != 0),
            Self::FirstAndLast => {
                if rank == 0 {
                    0
                } else {
                    1 + u32::from(is_last)
                }
            }
            Self::Parity => {
                if rank == 0 {
                    0
                } else {
                    1 + rank % 2
                }
            }
            Self::Ends if rank == 0 => 0,
            Self::Ends => grid.coordinates(rank).iter().zip(&grid.sides).fold(1, |role, (at, side)| {
                let place = if *at == 0 { 0 } else { 1 + u32::from(at + 1 == *side) };
                role * 3 + place
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ranks_of_a_square_have_neighbours_around_its_ends() {
        let grid = Shape::Square.of(9).unwrap();
        assert_eq!(grid.coordinates(5), [2, 1]);
        assert_eq!(Relation::Offset(vec![1, 0]).of(&grid, 5, &[]), Some(3));
        assert_eq!(Relation::Offset(vec![1, -1]).of(&grid, 5, &[]), Some(0));
        assert_eq!(Members::Alike(vec![1]).of(&grid, 5), [3, 4, 5]);
        assert!(Shape::Square.of(12).is_none());
        assert_eq!(Shape::Rectangle.of(12).unwrap().sides, [3, 4]);
    }
}
