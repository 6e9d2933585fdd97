//! What ranks of a role do, with a law for each of its numbers.

use crate::Unfit;
use crate::job::{Job, Key, Step, members};
use crate::law::{Extents, Law, Sample, Scaled};
use crate::ranges::{Accessed, Ranges, form_of};
use crate::shape::{Grid, Members, Relation, Roles, Shape};
use crate::skeleton::{Skeleton, Turn};
use crate::times::Times;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a program does on any number of ranks.
pub(crate) struct Pattern {
    pub(crate) roles: Roles,
    pub(crate) of_role: BTreeMap<u32, Role>,
    /// Whether each message is as long as its receiver has said.
    pub(crate) is_exact: bool,
}

/// By what steps are told apart besides what they do, before loops are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    /// By whom they speak to.
    pub(crate) by_relation: bool,
    /// By how the ranges lie that they read or write.
    pub(crate) by_ranges: bool,
}

/// What ranks of a role do.
pub(crate) struct Role {
    pub(crate) skeleton: Skeleton,
    pub(crate) laws: Vec<Laws>,
}

/// The laws of a step.
pub(crate) struct Laws {
    pub(crate) key: Key,
    pub(crate) relation: Option<Relation>,
    pub(crate) members: Option<Members>,
    pub(crate) numbers: Vec<Law>,
    pub(crate) size: Option<Scaled>,
    pub(crate) ranges: Option<Ranges>,
    pub(crate) compute: Times,
    pub(crate) aside: Times,
    pub(crate) service: Times,
}

/// A step as it was recorded.
#[derive(Clone)]
struct Seen<'j> {
    grid: &'j Grid,
    rank: u32,
    turns: Vec<u32>,
    step: &'j Step,
}

/// A role before it has laws: its loops, and what was seen of each of its steps.
struct Outline<'j> {
    skeleton: Skeleton,
    seen: Vec<Vec<Seen<'j>>>,
}

/// In words, for a message.
pub(crate) fn words(key: &Key) -> String {
    let mut words = key.collective.map_or(key.kind.name(), |kind| kind.name()).to_owned();
    if let Some(tag) = key.tag {
        words.push_str(&format!(" with tag {tag}"));
    }
    words
}

impl Pattern {
    pub(crate) fn of(
        jobs: &[Job],
        (shape, grids): (Shape, &[Grid]),
        roles: Roles,
        apart: Apart,
    ) -> Result<Self, Unfit> {
        let mut of_role: BTreeMap<u32, Vec<(usize, Vec<u32>)>> = BTreeMap::new();
        for (number, grid) in grids.iter().enumerate() {
            let mut here: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            (0..grid.ranks).for_each(|rank| here.entry(roles.of(grid, rank)).or_default().push(rank));
            for (role, ranks) in here {
                are_alike(&jobs[number], &ranks)?;
                of_role.entry(role).or_default().push((number, ranks));
            }
        }
        let relations = Relation::candidates(shape, grids);
        let mut outlines = BTreeMap::new();
        for (role, places) in of_role {
            let ranks = |at: usize| jobs[at].ranks;
            if let [(at, only)] = places.as_slice() {
                return Err(Unfit::Role { rank: only[0], ranks: ranks(*at) });
            }
            outlines.insert(role, Outline::of(jobs, grids, &places, (&relations, apart))?);
        }
        let of_role = with_laws(&outlines, grids, &relations)?;
        Ok(Self { roles, of_role, is_exact: jobs.iter().all(Job::is_exact) })
    }
}

fn are_alike(job: &Job, ranks: &[u32]) -> Result<(), Unfit> {
    let steps = |rank: u32| &job.steps[rank as usize];
    let first = ranks[0];
    for &second in &ranks[1..] {
        let (one, other) = (steps(first), steps(second));
        let same = one.iter().zip(other).take_while(|(one, other)| one.key == other.key).count();
        if same < one.len() || same < other.len() {
            let does =
                one.get(same).map_or("ends".to_owned(), |step| format!("has \"{}\"", words(&step.key)));
            return Err(Unfit::Roles { first, second, ranks: job.ranks, step: same, does });
        }
    }
    Ok(())
}

/// Numbers for things, in the order in which they come.
fn numbered<T: std::hash::Hash + Eq>(known: &mut FxHashMap<T, usize>, one: T) -> usize {
    let next = known.len();
    *known.entry(one).or_insert(next)
}

impl<'j> Outline<'j> {
    fn of(
        jobs: &'j [Job],
        grids: &'j [Grid],
        places: &[(usize, Vec<u32>)],
        (relations, apart): (&[Relation], Apart),
    ) -> Result<Self, Unfit> {
        let mut places: Vec<&(usize, Vec<u32>)> = places.iter().collect();
        places.sort_by_key(|(at, _)| std::cmp::Reverse(grids[*at].ranks));
        let (mut keys, mut full) = (FxHashMap::default(), FxHashMap::default());
        let steps = |at: usize, rank: u32| -> &'j [Step] { &jobs[at].steps[rank as usize] };
        let (most, ranks) = places[0];
        // With whom it speaks tells one step from the other where its kind doesn't.
        let symbols: Vec<usize> = (0..steps(*most, ranks[0]).len())
            .map(|at| {
                let holds = |relation: &Relation| {
                    ranks.iter().all(|rank| {
                        let peer = steps(*most, *rank)[at].peer;
                        peer.is_some() && relation.of(&grids[*most], *rank, &[]) == peer
                    })
                };
                let all = if apart.by_relation { relations } else { &[] };
                let which: Vec<usize> = (0..all.len()).filter(|number| holds(&all[*number])).collect();
                let step = &steps(*most, ranks[0])[at];
                let form = if apart.by_ranges { form_of(&step.ranges) } else { None };
                numbered(&mut full, (&step.key, which, form))
            })
            .collect();
        let mut line = |at: usize, rank: u32| -> Vec<usize> {
            steps(at, rank).iter().map(|step| numbered(&mut keys, &step.key)).collect()
        };
        let lines: Vec<Vec<usize>> = places.iter().map(|(at, ranks)| line(*at, ranks[0])).collect();
        let mut skeleton = Skeleton::of(&symbols);
        let others: Vec<(&Grid, &[usize])> = places[1..]
            .iter()
            .zip(&lines[1..])
            .map(|((at, _), line)| (&grids[*at], line.as_slice()))
            .collect();
        skeleton.fit(&lines[0], &grids[*most], &others).map_err(|step| {
            let (less, ranks) = places[1];
            let does = steps(*less, ranks[0]).get(step).map_or("its end".to_owned(), |step| words(&step.key));
            let (less, more) = (jobs[*less].ranks, jobs[*most].ranks);
            Unfit::Loops { less, more, rank: ranks[0], step, does }
        })?;
        let mut seen = vec![Vec::new(); skeleton.steps.len()];
        for (at, ranks) in places {
            let grid = &grids[*at];
            let turns = skeleton.on(grid).unwrap_or_default();
            for &rank in ranks {
                for (Turn { step, turns }, recorded) in turns.iter().zip(steps(*at, rank)) {
                    seen[*step].push(Seen { grid, rank, turns: turns.clone(), step: recorded });
                }
            }
        }
        Ok(Self { skeleton, seen })
    }

    fn key(&self, step: usize) -> &'j Key {
        &self.seen[step][0].step.key
    }

    fn depth(&self, step: usize) -> usize {
        self.seen[step][0].turns.len()
    }
}

/// Which steps of one role are which of another one, by the longest that both have in common.
fn aligned(one: &Outline<'_>, other: &Outline<'_>) -> Vec<Option<usize>> {
    let (rows, columns) = (one.seen.len(), other.seen.len());
    let is_same = |row: usize, column: usize| {
        one.key(row) == other.key(column) && one.depth(row) == other.depth(column)
    };
    let mut longest = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[row][column] = if is_same(row, column) {
                1 + longest[row + 1][column + 1]
            } else {
                longest[row + 1][column].max(longest[row][column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut all = vec![None; rows];
    while row < rows && column < columns {
        if is_same(row, column) && longest[row][column] == 1 + longest[row + 1][column + 1] {
            all[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if longest[row + 1][column] >= longest[row][column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    all
}

/// Roles with laws: by what all of them do together, where that follows one, or each by itself.
fn with_laws(
    outlines: &BTreeMap<u32, Outline<'_>>,
    grids: &[Grid],
    relations: &[Relation],
) -> Result<BTreeMap<u32, Role>, Unfit> {
    let count = |outline: &&Outline<'_>| outline.seen.iter().map(Vec::len).sum::<usize>();
    let Some(main) = outlines.values().max_by_key(count) else { return Ok(BTreeMap::new()) };
    let maps: Vec<Vec<Option<usize>>> = outlines.values().map(|outline| aligned(outline, main)).collect();
    let mut together: Vec<Vec<Seen<'_>>> = vec![Vec::new(); main.seen.len()];
    for (outline, map) in outlines.values().zip(&maps) {
        for (step, of_main) in map.iter().enumerate() {
            if let Some(of_main) = of_main {
                together[*of_main].extend(outline.seen[step].iter().cloned());
            }
        }
    }
    let mut finder = Finder { grids, relations, extents: Extents::default(), ranged: FxHashMap::default() };
    // All relations first: they are what tells one shape from another.
    let mut found: Vec<Vec<Option<Relation>>> = Vec::new();
    for (outline, map) in outlines.values().zip(&maps) {
        let mut of_role = Vec::new();
        for (step, own) in outline.seen.iter().enumerate() {
            let all = map[step].map_or(own, |of_main| &together[of_main]);
            of_role.push(finder.relation(all).or_else(|_| finder.relation(own))?);
        }
        found.push(of_role);
    }
    let mut roles = BTreeMap::new();
    for ((number, outline), (map, relations)) in outlines.iter().zip(maps.iter().zip(found)) {
        let mut laws = Vec::new();
        for ((step, own), relation) in outline.seen.iter().enumerate().zip(relations) {
            let all = map[step].map_or(own, |of_main| &together[of_main]);
            laws.push(finder.laws(own, (all, map[step]), relation)?);
        }
        roles.insert(*number, Role { skeleton: outline.skeleton.clone(), laws });
    }
    Ok(roles)
}

struct Finder<'p> {
    grids: &'p [Grid],
    relations: &'p [Relation],
    extents: Extents,
    /// Laws of ranges of the main role's steps.
    ranged: FxHashMap<usize, Option<Ranges>>,
}

impl Finder<'_> {
    fn relation(&self, seen: &[Seen<'_>]) -> Result<Option<Relation>, Unfit> {
        if seen.iter().all(|one| one.step.peer.is_none()) {
            return Ok(None);
        }
        let holds = |relation: &&Relation| {
            seen.iter().all(|one| relation.of(one.grid, one.rank, &one.turns) == one.step.peer)
        };
        self.relations.iter().find(holds).cloned().map(Some).ok_or_else(|| {
            let peer =
                |one: &Seen<'_>| one.step.peer.map_or_else(|| "nobody".to_owned(), |peer| peer.to_string());
            unfit("the other rank", seen, peer)
        })
    }

    fn laws(
        &mut self,
        own: &[Seen<'_>],
        (all, of_main): (&[Seen<'_>], Option<usize>),
        relation: Option<Relation>,
    ) -> Result<Laws, Unfit> {
        let key = own[0].step.key.clone();
        let mut numbers = Vec::new();
        for at in 0..own[0].step.numbers.len() {
            let law = self.number(all, at).or_else(|| self.number(own, at));
            let number = |one: &Seen<'_>| one.step.numbers.get(at).map_or_else(String::new, u64::to_string);
            numbers.push(law.ok_or_else(|| unfit(what_of(at, &key), own, number))?);
        }
        let ranges = if own[0].step.ranges.is_empty() {
            None
        } else {
            let main = of_main.map(|step| (step, self.ranges_of(step, all)));
            let law = main.and_then(|(_, law)| law).or_else(|| self.ranges(own));
            let range = |one: &Seen<'_>| format!("{:?} …", one.step.ranges.first().unwrap_or(&(0, 0)));
            Some(law.ok_or_else(|| unfit("the ranges", own, range))?)
        };
        let members = match own[0].step.members {
            None => None,
            Some(_) => {
                let words = |one: &Seen<'_>| one.step.members.as_deref().unwrap_or_default().to_owned();
                Some(self.members(own).ok_or_else(|| unfit("the ranks", own, words))?)
            }
        };
        let sizes: Vec<(&Grid, i128)> =
            own.iter().filter_map(|one| Some((one.grid, one.step.size?.into()))).collect();
        Ok(Laws {
            key,
            relation,
            members,
            numbers,
            size: Scaled::first(&sizes),
            ranges,
            compute: times(own, |step| step.compute),
            aside: times(own, |step| step.aside),
            service: times(own, |step| step.service),
        })
    }

    fn number(&mut self, seen: &[Seen<'_>], at: usize) -> Option<Law> {
        let samples: Option<Vec<Sample<'_>>> = seen
            .iter()
            .map(|one| {
                let value = i128::from(*one.step.numbers.get(at)?);
                Some(Sample { grid: one.grid, rank: one.rank, turns: one.turns.clone(), value })
            })
            .collect();
        Law::of(&samples?, &mut self.extents)
    }

    fn ranges_of(&mut self, step: usize, all: &[Seen<'_>]) -> Option<Ranges> {
        if !self.ranged.contains_key(&step) {
            let law = self.ranges(all);
            self.ranged.insert(step, law);
        }
        self.ranged[&step].clone()
    }

    fn ranges(&mut self, seen: &[Seen<'_>]) -> Option<Ranges> {
        let samples: Vec<Accessed<'_>> = seen
            .iter()
            .map(|one| Accessed {
                grid: one.grid,
                rank: one.rank,
                turns: one.turns.clone(),
                ranges: &one.step.ranges,
            })
            .collect();
        Ranges::of(&samples, &mut self.extents)
    }

    fn members(&self, seen: &[Seen<'_>]) -> Option<Members> {
        let holds = |candidate: &Members| {
            seen.iter().all(|one| members(one.step) == Some(candidate.of(one.grid, one.rank)))
        };
        Members::candidates(self.grids).into_iter().find(holds)
    }
}

/// What one of a step's numbers is.
pub(crate) const fn what_of(at: usize, key: &Key) -> &'static str {
    match at {
        0 => "the bytes",
        _ if key.file.is_some() => "a number in the file's name",
        _ => "a number",
    }
}

fn unfit(what: &'static str, seen: &[Seen<'_>], value: impl Fn(&Seen<'_>) -> String) -> Unfit {
    let told = seen
        .iter()
        .take(3)
        .map(|one| format!("{} on the rank {} of {}", value(one), one.rank, one.grid.ranks));
    let example = told.collect::<Vec<_>>().join(", ");
    Unfit::Law { what, does: words(&seen[0].step.key), example }
}

/// Means by number of ranks, of each access where a step has several.
fn times(seen: &[Seen<'_>], time: impl Fn(&Step) -> u64) -> Times {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for one in seen {
        let (sum, count) = sums.entry(one.grid.ranks).or_default();
        *sum += time(one.step) as f64;
        *count += one.step.ranges.len().max(1) as f64;
    }
    let means: Vec<(u32, f64)> = sums.into_iter().map(|(ranks, (sum, count))| (ranks, sum / count)).collect();
    Times::of(&means)
}
