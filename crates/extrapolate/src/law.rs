//! Laws by which a number follows from how many ranks there are, which of them it is, and the turns of the loops around it.

use crate::blocks::Blocks;
use crate::shape::Grid;

/// A number that was recorded, and where.
#[derive(Clone, Debug)]
pub(crate) struct Sample<'g> {
    pub(crate) grid: &'g Grid,
    pub(crate) rank: u32,
    /// Of the loops around it, the outermost first.
    pub(crate) turns: Vec<u32>,
    pub(crate) value: i128,
}

/// How a number grows with the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    Constant,
    /// With a power of all ranks, or of those along a side.
    Ranks(i32),
    Side(usize, i32),
    /// With how many are left of them without so many.
    RanksBut(u32),
    SideBut(usize, u32),
    /// With how often they can be halved.
    Halvings,
}

/// `factor × growth`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scaled {
    growth: Growth,
    value: i128,
    at: (i128, i128),
}

impl Growth {
    fn candidates(sides: usize) -> Vec<Self> {
        let mut all = vec![Self::Constant, Self::Ranks(1)];
        if sides > 1 {
            all.extend((0..sides).map(|side| Self::Side(side, 1)));
            all.extend((0..sides).map(|side| Self::SideBut(side, 1)));
        }
        all.extend([Self::RanksBut(1), Self::Ranks(-1)]);
        if sides > 1 {
            all.extend((0..sides).map(|side| Self::Side(side, -1)));
            all.extend((0..sides).flat_map(|side| [-3, 3].map(|power| Self::Side(side, power))));
        }
        all.extend([Self::Halvings, Self::RanksBut(2), Self::Ranks(2), Self::Ranks(-2)]);
        if sides > 1 {
            all.extend((0..sides).map(|side| Self::SideBut(side, 2)));
        }
        all
    }

    /// As a fraction.
    fn of(self, grid: &Grid) -> Option<(i128, i128)> {
        let power = |base: u32, power: i32| {
            let all = i128::from(base).checked_pow(power.unsigned_abs())?;
            Some(if power < 0 { (1, all) } else { (all, 1) })
        };
        let side = |side: usize| grid.sides.get(side).copied();
        match self {
            Self::Constant => Some((1, 1)),
            Self::Ranks(exponent) => power(grid.ranks, exponent),
            Self::Side(at, exponent) => power(side(at)?, exponent),
            Self::RanksBut(less) => Some((i128::from(grid.ranks) - i128::from(less), 1)),
            Self::SideBut(at, less) => Some((i128::from(side(at)?) - i128::from(less), 1)),
            Self::Halvings => grid.ranks.is_power_of_two().then(|| (i128::from(grid.ranks.ilog2()), 1)),
        }
    }
}

impl Scaled {
    pub(crate) const fn constant(value: i128) -> Self {
        Self { growth: Growth::Constant, value, at: (1, 1) }
    }

    /// All laws by which numbers of these grids follow, the simplest first.
    pub(crate) fn all(values: &[(&Grid, i128)]) -> Vec<Self> {
        let Some((first, value)) = values.iter().max_by_key(|(grid, _)| grid.ranks) else {
            return Vec::new();
        };
        if values.iter().all(|(_, value)| *value == 0) {
            return vec![Self::constant(0)];
        }
        Growth::candidates(first.sides.len())
            .into_iter()
            .filter_map(|growth| {
                Some(Self { growth, value: *value, at: growth.of(first).filter(|at| at.0 != 0)? })
            })
            .filter(|law| values.iter().all(|(grid, value)| law.of(grid) == Some(*value)))
            .collect()
    }

    pub(crate) fn first(values: &[(&Grid, i128)]) -> Option<Self> {
        Self::all(values).into_iter().next()
    }

    /// None where it is no whole number.
    pub(crate) fn of(&self, grid: &Grid) -> Option<i128> {
        let (over, under) = self.growth.of(grid)?;
        let all = self.value.checked_mul(self.at.1)?.checked_mul(over)?;
        let parts = self.at.0.checked_mul(under)?;
        (parts != 0 && all % parts == 0).then(|| all / parts)
    }
}

/// The law of a number.
#[derive(Clone, Debug)]
pub(crate) enum Law {
    Scaled(Scaled),
    Linear(Linear),
    /// By the parts of something that is cut up, and what follows from the turns of loops.
    Blocks(Blocks, Vec<Scaled>),
}

/// `base + Σ coordinate × step + Σ turn × step`.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    base: Scaled,
    coordinates: Vec<Scaled>,
    turns: Vec<Scaled>,
}

/// What is known of things that are cut up: filled as laws are found.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    pub(crate) known: Vec<u32>,
}

impl Law {
    /// The simplest law of numbers; none where they follow none that is known.
    pub(crate) fn of(samples: &[Sample<'_>], extents: &mut Extents) -> Option<Self> {
        let all: Vec<(&Grid, i128)> = samples.iter().map(|sample| (sample.grid, sample.value)).collect();
        if let Some(law) = Scaled::first(&all) {
            return Some(Self::Scaled(law));
        }
        if let Some(law) = Linear::of(samples) {
            return Some(Self::Linear(law));
        }
        let turns = Linear::turns(samples).unwrap_or_default();
        if let Some(law) = Blocks::of(samples, extents) {
            return Some(Self::Blocks(law, Vec::new()));
        }
        if turns.is_empty() {
            return None;
        }
        let left: Option<Vec<Sample<'_>>> = samples
            .iter()
            .map(|sample| {
                let value = sample.value - of_turns(&turns, sample.grid, &sample.turns)?;
                Some(Sample { value, ..sample.clone() })
            })
            .collect();
        Some(Self::Blocks(Blocks::of(&left?, extents)?, turns))
    }

    pub(crate) fn at(&self, grid: &Grid, rank: u32, turns: &[u32]) -> Option<i128> {
        match self {
            Self::Scaled(law) => law.of(grid),
            Self::Linear(law) => law.at(grid, rank, turns),
            Self::Blocks(law, steps) => law.at(grid, rank, turns)?.checked_add(of_turns(steps, grid, turns)?),
        }
    }
}

fn of_turns(steps: &[Scaled], grid: &Grid, turns: &[u32]) -> Option<i128> {
    steps
        .iter()
        .zip(turns)
        .try_fold(0_i128, |sum, (step, turn)| sum.checked_add(step.of(grid)?.checked_mul(i128::from(*turn))?))
}

impl Linear {
    fn of(samples: &[Sample<'_>]) -> Option<Self> {
        let sides = samples.first()?.grid.sides.len();
        let coordinates: Option<Vec<Scaled>> = (0..sides)
            .map(|side| {
                Self::step(samples, |sample| {
                    let mut rest = sample.grid.coordinates(sample.rank);
                    let own = rest.remove(side);
                    rest.extend(&sample.turns);
                    (own, rest)
                })
            })
            .collect();
        let (coordinates, turns) = (coordinates?, Self::turns(samples)?);
        let base: Option<Vec<(&Grid, i128)>> = samples
            .iter()
            .map(|sample| {
                let moved = of_turns(&coordinates, sample.grid, &sample.grid.coordinates(sample.rank))?
                    + of_turns(&turns, sample.grid, &sample.turns)?;
                Some((sample.grid, sample.value - moved))
            })
            .collect();
        Some(Self { base: Scaled::first(&base?)?, coordinates, turns })
    }

    /// What each turn of each loop adds.
    fn turns(samples: &[Sample<'_>]) -> Option<Vec<Scaled>> {
        let loops = samples.first()?.turns.len();
        (0..loops)
            .map(|at| {
                Self::step(samples, |sample| {
                    let mut rest = sample.turns.clone();
                    let own = rest.remove(at);
                    rest.push(sample.rank);
                    (own, rest)
                })
            })
            .collect()
    }

    /// By how much a number grows with one thing while all others stay as they are.
    fn step(samples: &[Sample<'_>], parts: impl Fn(&Sample<'_>) -> (u32, Vec<u32>)) -> Option<Scaled> {
        let mut first: rustc_hash::FxHashMap<(u32, Vec<u32>), (u32, i128)> = rustc_hash::FxHashMap::default();
        let mut steps: Vec<(&Grid, i128)> = Vec::new();
        for sample in samples {
            let (own, rest) = parts(sample);
            match first.get(&(sample.grid.ranks, rest.clone())) {
                None => {
                    first.insert((sample.grid.ranks, rest), (own, sample.value));
                }
                Some((before, _)) if *before == own => {}
                Some((before, value)) => {
                    let (over, under) = (sample.value - value, i128::from(own) - i128::from(*before));
                    if over % under != 0 {
                        return None;
                    }
                    let step = (sample.grid, over / under);
                    match steps.iter().find(|(grid, _)| grid.ranks == step.0.ranks) {
                        Some(known) if known.1 != step.1 => return None,
                        Some(_) => {}
                        None => steps.push(step),
                    }
                }
            }
        }
        if steps.is_empty() { Some(Scaled::constant(0)) } else { Scaled::first(&steps) }
    }

    fn at(&self, grid: &Grid, rank: u32, turns: &[u32]) -> Option<i128> {
        self.base
            .of(grid)?
            .checked_add(of_turns(&self.coordinates, grid, &grid.coordinates(rank))?)?
            .checked_add(of_turns(&self.turns, grid, turns)?)
    }
}
