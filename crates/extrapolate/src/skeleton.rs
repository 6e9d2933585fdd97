//! What ranks do as loops in loops, and how often each goes round on so many ranks.
//!
//! Loops are found where a part follows itself in what one rank did on the most ranks; they are held against what it did on fewer.

use crate::law::Scaled;
use crate::shape::Grid;
use rustc_hash::FxHashMap;

/// A part of what a rank does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A step: which of them, and where it stands first.
    Step {
        number: usize,
        at: usize,
    },
    Loop {
        number: usize,
        body: Vec<Node>,
    },
}

/// All of it.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    nodes: Vec<Node>,
    /// Where each of its steps stands first.
    pub(crate) steps: Vec<usize>,
    /// How often each loop goes round where it was found.
    turns: Vec<u64>,
    counts: Vec<Scaled>,
}

/// A step as it is carried out: which, and the turns of the loops around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) step: usize,
    pub(crate) turns: Vec<u32>,
}

/// As many steps as are laid out.
pub(crate) const STEPS_MAX: usize = 4 << 20;

/// Symbols of which some stand for parts that are repeated.
#[derive(Default)]
struct Folded {
    parts: Vec<(Vec<usize>, u64)>,
    by_part: FxHashMap<(Vec<usize>, u64), usize>,
}

impl Folded {
    /// Shortens parts that follow themselves; the least ones first.
    fn fold(&mut self, symbols: &[usize], first: usize) -> Vec<(usize, usize)> {
        let mut line: Vec<(usize, usize)> = symbols.iter().copied().zip(0..).collect();
        let mut period = 1;
        while period * 2 <= line.len() {
            let before = line.len();
            line = self.fold_by(&line, period, first);
            // What is shorter now may follow itself in a shorter way.
            period = if line.len() < before { 1 } else { period + 1 };
        }
        line
    }

    fn fold_by(&mut self, line: &[(usize, usize)], period: usize, first: usize) -> Vec<(usize, usize)> {
        let symbol = |at: usize| line[at].0;
        let mut shorter = Vec::with_capacity(line.len());
        let mut at = 0;
        while at < line.len() {
            let mut count = 1;
            while at + (count + 1) * period <= line.len()
                && (0..period).all(|step| symbol(at + step) == symbol(at + count * period + step))
            {
                count += 1;
            }
            if count == 1 {
                shorter.push(line[at]);
                at += 1;
                continue;
            }
            let body: Vec<usize> = (0..period).map(|step| symbol(at + step)).collect();
            let key = (body, count as u64);
            let next = self.parts.len();
            let part = *self.by_part.entry(key.clone()).or_insert(next);
            if part == next {
                self.parts.push(key);
            }
            shorter.push((first + part, line[at].1));
            at += count * period;
        }
        shorter
    }
}

impl Skeleton {
    /// Of a line of symbols, which are numbers from zero on.
    pub(crate) fn of(symbols: &[usize]) -> Self {
        let first = symbols.iter().max().map_or(0, |most| most + 1);
        let mut folded = Folded::default();
        let line = folded.fold(symbols, first);
        let mut skeleton =
            Self { nodes: Vec::new(), steps: Vec::new(), turns: Vec::new(), counts: Vec::new() };
        skeleton.nodes = skeleton.unfolded(&line, &folded, first);
        skeleton.counts = skeleton.turns.iter().map(|turns| Scaled::constant(i128::from(*turns))).collect();
        skeleton
    }

    fn unfolded(&mut self, line: &[(usize, usize)], folded: &Folded, first: usize) -> Vec<Node> {
        line.iter()
            .map(|&(symbol, at)| {
                let Some(part) = symbol.checked_sub(first) else {
                    self.steps.push(at);
                    return Node::Step { number: self.steps.len() - 1, at };
                };
                let (body, count) = &folded.parts[part];
                let number = self.turns.len();
                self.turns.push(*count);
                let mut place = at;
                let body: Vec<(usize, usize)> = body
                    .iter()
                    .map(|&symbol| {
                        let own = (symbol, place);
                        place += length(symbol, folded, first);
                        own
                    })
                    .collect();
                Node::Loop { number, body: self.unfolded(&body, folded, first) }
            })
            .collect()
    }

    /// All steps on so many ranks; none where a loop's count is no number, or there are too many.
    pub(crate) fn on(&self, grid: &Grid) -> Option<Vec<Turn>> {
        self.laid_out(&self.counts, grid).map(|(turns, _)| turns)
    }

    fn laid_out(&self, counts: &[Scaled], grid: &Grid) -> Option<(Vec<Turn>, Vec<(usize, usize, usize)>)> {
        let counts: Option<Vec<u32>> =
            counts.iter().map(|count| count.of(grid).and_then(|count| u32::try_from(count).ok())).collect();
        let (mut all, mut spans) = (Vec::new(), Vec::new());
        lay_out(&self.nodes, &counts?, &mut Vec::new(), &mut all, &mut spans)?;
        Some((all, spans))
    }

    /// Finds how often loops go round on others; `lines` says what stands where there, by the symbols of this one's steps. Where it
    /// can't be, how far it comes.
    pub(crate) fn fit(
        &mut self,
        symbols: &[usize],
        grid: &Grid,
        others: &[(&Grid, &[usize])],
    ) -> Result<(), usize> {
        let candidates: Vec<Vec<Scaled>> =
            self.turns.iter().map(|turns| Scaled::all(&[(grid, i128::from(*turns))])).collect();
        let symbol: Vec<usize> = self.steps.iter().map(|at| symbols[*at]).collect();
        let reach = |counts: &[Scaled], other: &(&Grid, &[usize])| -> (usize, Vec<(usize, usize, usize)>) {
            let Some((all, spans)) = self.laid_out(counts, other.0) else { return (0, Vec::new()) };
            let same = all.iter().zip(other.1).take_while(|(turn, line)| symbol[turn.step] == **line).count();
            let is_whole = same == all.len() && same == other.1.len();
            (if is_whole { usize::MAX } else { same }, spans)
        };
        let least =
            |counts: &[Scaled]| others.iter().map(|other| reach(counts, other).0).min().unwrap_or(usize::MAX);
        let mut counts = self.counts.clone();
        let mut far = least(&counts);
        while far != usize::MAX {
            let (_, spans) = others
                .iter()
                .map(|other| reach(&counts, other))
                .min_by_key(|(far, _)| *far)
                .unwrap_or_default();
            // The loops that are gone through there, the nearest first.
            let mut loops: Vec<(usize, usize)> = spans
                .iter()
                .filter(|(_, begin, _)| *begin <= far)
                .map(|(number, begin, end)| {
                    (far.abs_diff((*end).min(far)) * 2 + usize::from(end > begin), *number)
                })
                .collect();
            loops.sort_unstable();
            loops.dedup_by_key(|(_, number)| *number);
            let mut best: Option<(usize, usize, Scaled)> = None;
            for &(_, number) in &loops {
                for law in &candidates[number] {
                    let before = std::mem::replace(&mut counts[number], law.clone());
                    let reached = least(&counts);
                    counts[number] = before;
                    if reached > best.as_ref().map_or(far, |(most, ..)| *most) && *law != counts[number] {
                        best = Some((reached, number, law.clone()));
                    }
                }
            }
            let Some((reached, number, law)) = best else { return Err(far) };
            (far, counts[number]) = (reached, law);
        }
        self.counts = counts;
        Ok(())
    }
}

/// How many steps a symbol stands for.
fn length(symbol: usize, folded: &Folded, first: usize) -> usize {
    symbol.checked_sub(first).map_or(1, |part| {
        let (body, count) = &folded.parts[part];
        body.iter().map(|symbol| length(*symbol, folded, first)).sum::<usize>()
            * usize::try_from(*count).unwrap_or(usize::MAX)
    })
}

fn lay_out(
    nodes: &[Node],
    counts: &[u32],
    turns: &mut Vec<u32>,
    all: &mut Vec<Turn>,
    spans: &mut Vec<(usize, usize, usize)>,
) -> Option<()> {
    for node in nodes {
        match node {
            Node::Step { number, .. } => {
                if all.len() == STEPS_MAX {
                    return None;
                }
                all.push(Turn { step: *number, turns: turns.clone() });
            }
            Node::Loop { number, body } => {
                let begin = all.len();
                for turn in 0..counts[*number] {
                    turns.push(turn);
                    lay_out(body, counts, turns, all, spans)?;
                    turns.pop();
                }
                spans.push((*number, begin, all.len()));
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn a_loop_over_the_columns_is_told_from_one_of_so_many_steps() {
        // Ten times: three of one kind, then a stage of two for each column but one.
        let line = |q: usize| -> Vec<usize> {
            (0..10).flat_map(|_| [&[0, 0, 0][..], &[1, 2].repeat(q - 1)].concat()).collect()
        };
        let grid = |q: u32| Shape::Square.of(q * q).unwrap();
        let most = line(5);
        let mut skeleton = Skeleton::of(&most);
        assert_eq!(skeleton.steps.len(), 3);
        let less = line(3);
        skeleton.fit(&most, &grid(5), &[(&grid(3), &less)]).unwrap();
        assert_eq!(skeleton.on(&grid(7)).unwrap().len(), line(7).len());
        let mut other = Skeleton::of(&most);
        assert!(other.fit(&most, &grid(5), &[(&grid(3), &[0, 0, 1, 1, 2])]).is_err());
    }
}
