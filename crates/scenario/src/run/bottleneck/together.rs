//! Parts that are as busy as each other: what makes one of them faster leaves everything to the other, and only both together
//! change something.

use super::candidates::Candidate;
use super::experiment::{Judged, confirmed, screened};
use super::search::{Search, helps};
use crate::report::{Measured, StageFigures, Tie, Together};
use crate::run::RunFailure;
use crate::run::figures::Figures;

/// A change that brings as much alone needs no other.
const ALONE: f64 = 1.15;
/// Several together have to bring so many times what the best of them brings alone.
const MORE: f64 = 1.1;
/// And what stands later so many times what stands before.
const BETTER: f64 = 1.02;
/// A part that is busy for a smaller part of the time than this, or than this part of what the busiest is, leaves nothing behind
/// it waiting.
const BUSY: f64 = 0.5;
const NEARLY: f64 = 0.8;
/// Of so many stages, so many changes each.
const STAGES: usize = 3;
const CHANGES: usize = 3;

/// A stage that is busy, how busy, and the changes of it that are tried with those of others, each with what it brings alone.
struct Busy<'c> {
    stage: String,
    utilisation: f64,
    changes: Vec<(&'c Candidate, f64)>,
}

/// Changes of several parts.
type Several<'b, 'c> = Vec<(&'b Busy<'c>, &'c Candidate, f64)>;

/// Changes that help together, where none brings much alone (`alone` times at most); `rows` are those of the report, each with its
/// stage's class.
pub(super) fn together(
    search: &mut Search<'_, '_>,
    rows: &[(String, &StageFigures)],
    alone: f64,
) -> Result<Option<Together>, RunFailure> {
    let is_of_rates = |judged: &Judged| matches!(judged.of, Measured::Throughput | Measured::Elapsed);
    let round: Vec<Judged> = search.rounds().into_iter().flatten().filter(is_of_rates).collect();
    if alone >= ALONE || round.is_empty() {
        return Ok(None);
    }
    let busy = busy(search, rows, &round);
    // All of three are tried where no two of them help.
    for several in [pairs(&busy), triples(&busy)] {
        let found = best(search, several, &round, alone)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Of several changes at a time those that bring most, if it is known that they help.
fn best(
    search: &mut Search<'_, '_>,
    several: Vec<Several<'_, '_>>,
    round: &[Judged],
    alone: f64,
) -> Result<Option<Together>, RunFailure> {
    let made: Vec<(Candidate, Several<'_, '_>)> =
        several.into_iter().filter_map(|parts| Some((of_all(&parts)?, parts))).collect();
    if made.is_empty() {
        return Ok(None);
    }
    let changes: Vec<_> = made.iter().map(|(candidate, _)| &candidate.change).collect();
    let (_, figures) = screened(search.loaded, search.base, &changes)?;
    let gains = made.iter().zip(&figures).filter_map(|((candidate, parts), after)| {
        let (judged, most, _) = search.weighed(after.as_ref(), round)?;
        let least = parts.iter().map(|(.., gain)| *gain).fold(alone.max(1.0), f64::max) * MORE;
        (most > least).then_some((candidate, parts, judged, most))
    });
    // Of equals the first.
    let best = gains.reduce(|best, next| if next.3 > best.3 * BETTER { next } else { best });
    let Some((candidate, parts, judged, _)) = best else { return Ok(None) };
    let judged = (judged, search.replications);
    let answer = confirmed(search.loaded, search.base, candidate, judged, &mut search.known)?;
    Ok(answer.filter(helps).map(|what_if| {
        let tie = |(busy, candidate, gain): &(&Busy<'_>, &Candidate, f64)| Tie {
            stage: busy.stage.clone(),
            utilisation: busy.utilisation,
            part: candidate.part.to_owned(),
            gain: *gain,
        };
        Together { parts: parts.iter().map(tie).collect(), what_if }
    }))
}

/// The busiest stages that are hardly less busy than the busiest one, with their changes.
fn busy<'c>(search: &Search<'_, 'c>, rows: &[(String, &StageFigures)], round: &[Judged]) -> Vec<Busy<'c>> {
    let mut found: Vec<Busy<'c>> = Vec::new();
    let gain = |after: &Option<Figures>| Some(search.weighed(after.as_ref(), round)?.1);
    for (candidate, after) in search.candidates.iter().zip(&search.figures) {
        let free = candidate.price.is_none() && after.is_some();
        let most = rows.iter().filter(|(class, _)| *class == candidate.stage);
        let most = most.filter_map(|(_, row)| row.utilisation.and(row.most())).reduce(f64::max);
        let (true, Some(utilisation), Some(gain)) = (free, most, gain(after)) else { continue };
        match found.iter_mut().find(|busy| busy.stage == candidate.stage) {
            Some(busy) => busy.changes.push((candidate, gain)),
            None => found.push(Busy {
                stage: candidate.stage.clone(),
                utilisation,
                changes: vec![(candidate, gain)],
            }),
        }
    }
    let most = found.iter().map(|busy| busy.utilisation).fold(0.0, f64::max);
    found.retain(|busy| busy.utilisation >= (NEARLY * most).max(BUSY));
    found.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
    found.truncate(STAGES);
    for busy in &mut found {
        busy.changes.sort_by(|a, b| b.1.total_cmp(&a.1));
        busy.changes.truncate(CHANGES);
    }
    found
}

/// A change of each of two stages, in all ways.
fn pairs<'b, 'c>(busy: &'b [Busy<'c>]) -> Vec<Several<'b, 'c>> {
    let of_two = |(number, a): (usize, &'b Busy<'c>)| {
        let rest = busy[number + 1..].iter();
        rest.flat_map(move |b| combined(&[a, b])).collect::<Vec<_>>()
    };
    busy.iter().enumerate().flat_map(of_two).collect()
}

/// A change of each of three stages, in all ways.
fn triples<'b, 'c>(busy: &'b [Busy<'c>]) -> Vec<Several<'b, 'c>> {
    match busy {
        [a, b, c] => combined(&[a, b, c]),
        _ => Vec::new(),
    }
}

/// A change of each of these stages, in all ways.
fn combined<'b, 'c>(stages: &[&'b Busy<'c>]) -> Vec<Several<'b, 'c>> {
    stages.iter().fold(vec![Vec::new()], |all, &stage| {
        let with = |parts: Several<'b, 'c>| {
            let more = stage.changes.iter().map(move |&(change, alone)| (stage, change, alone));
            more.map(|one| parts.iter().copied().chain([one]).collect()).collect::<Vec<Several<'b, 'c>>>()
        };
        all.into_iter().flat_map(with).collect()
    })
}

/// Several changes as one; nothing where they set the same.
fn of_all(parts: &Several<'_, '_>) -> Option<Candidate> {
    let (_, first, _) = parts.first()?;
    let change =
        parts[1..].iter().try_fold(first.change.clone(), |all, (_, next, _)| all.with(&next.change))?;
    let words = |(busy, candidate, _): &(&Busy<'_>, &Candidate, f64)| {
        format!("{} at {}", candidate.words, busy.stage)
    };
    let words = parts.iter().map(words).collect::<Vec<String>>().join(" and ");
    Some(Candidate { words, change, ..(*first).clone() })
}
