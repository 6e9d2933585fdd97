//! What limits a run, and what would change it: the same run with one thing made twice as good, for each thing that a
//! person could change.
//!
//! The answer is causal, not a guess from shares of time: a part that others overlap may take most of the time and
//! change nothing. And it is what somebody finds who makes the change: the scenario is read again with the parameters
//! set that are printed. Only where no parameter says how fast a part is, its page is run as if it were faster.

mod candidates;
mod experiment;

use crate::classes::Classes;
use crate::levers::is_open;
use crate::loaded::Loaded;
use crate::report::{Bottleneck, Brought, Measured, Report, Stage as Row, Subject, Tried, WhatIf};
use crate::run::figures::Figures;
use crate::run::{Replicator, RunFailure};
use candidates::{Candidate, Change, candidates};
use experiment::{Before, Judged, confirmed, screened};

/// A change below this is none.
const NOTICEABLE: f64 = 0.02;
/// Programs are paced by themselves where a change brings less than this part of what it brings to the latency, as a power,
/// to the throughput.
const PACED: f64 = 0.25;
/// The busiest of several stages is named where it is so many times busier than they are on average.
const UNEVEN: f64 = 1.5;
/// The best changes of the first, short look that are looked at again.
const CONFIRMED: usize = 3;

/// Adds the bottleneck to a report of a scenario's own run.
pub(super) fn explain(
    loaded: &Loaded,
    base: &Replicator<'_>,
    report: &mut Report,
    tell: impl FnOnce(usize),
) -> Result<(), RunFailure> {
    let asks_nothing = report.each().all(|served| served.requests.completed == 0);
    if asks_nothing && report.jobs.is_empty() {
        return Ok(());
    }
    let classes = Classes::of(loaded);
    let rows: Vec<(String, &Row)> = report.stages.iter().map(|row| (classes.name(&row.name), row)).collect();
    let busiest = rows
        .iter()
        .filter(|(_, row)| row.utilisation.is_some())
        .max_by(|a, b| a.1.most().unwrap_or(0.0).total_cmp(&b.1.most().unwrap_or(0.0)));
    let taken_ms = report
        .each()
        .filter_map(|served| Some(served.latency.as_ref()?.mean_ms.value * served.requests.completed as f64));
    let candidates = candidates(loaded, &classes, &base.system().stages, &rows, taken_ms.sum());
    tell(candidates.len());
    let Answer { found, or, in_vain, not_tried } =
        best(loaded, base, &candidates, (asks_nothing, report.replications))?;
    let stage = match (found.as_ref().or(or.as_ref()), busiest) {
        (Some((candidate, _)), _) => candidate.stage.clone(),
        (None, Some((class, _))) => class.clone(),
        (None, None) => return Ok(()),
    };
    let row = rows.iter().find(|(class, _)| *class == stage).map(|(_, row)| row);
    let utilisation = row.and_then(|row| row.utilisation);
    let mean_wait_ms = row.filter(|_| utilisation.is_none()).and_then(|row| row.mean_wait_ms);
    let part = found.as_ref().or(or.as_ref()).map(|(candidate, _)| candidate.part.to_owned());
    let [what_if, or] = [found, or].map(|found| found.map(|(_, what_if)| what_if));
    let tried = (candidates.len() - not_tried.len()) as u64;
    let (busiest, most) = row
        .and_then(|row| row.members.as_ref())
        .filter(|members| utilisation.is_some_and(|mean| members.most > UNEVEN * mean))
        .map(|members| (members.busiest.clone(), members.most))
        .unzip();
    let bottleneck = Bottleneck {
        claims: Vec::new(),
        stage,
        part,
        utilisation,
        busiest,
        most,
        mean_wait_ms,
        tried,
        in_vain,
        not_tried,
        what_if,
        or,
    };
    report.bottleneck = Some(bottleneck.named());
    Ok(())
}

/// A change with what it brings.
type Found<'c> = Option<(&'c Candidate, WhatIf)>;

/// What was found.
#[derive(Default)]
struct Answer<'c> {
    /// What gives up nothing, and what brings more at a price.
    found: Found<'c>,
    or: Found<'c>,
    /// Where neither was found, what all that was tried brought.
    in_vain: Vec<Tried>,
    /// And what couldn't be tried, as the scenario isn't one with it or doesn't run.
    not_tried: Vec<String>,
}

/// The change that brings most and gives up nothing, and one that brings more at a price, each with what it brings: first all are
/// looked at for a short while, then the best for as long as the run itself takes, until one is found to do what it seemed to.
fn best<'c>(
    loaded: &Loaded,
    base: &Replicator<'_>,
    candidates: &'c [Candidate],
    (asks_nothing, replications): (bool, u32),
) -> Result<Answer<'c>, RunFailure> {
    if candidates.is_empty() {
        return Ok(Answer::default());
    }
    let (before, figures) = screened(loaded, base, candidates)?;
    let Some(before) = before else { return Ok(Answer::default()) };
    let gain = |after: &Option<Figures>, judged: Judged| {
        after.as_ref().map_or(0.0, |after| after.gain_over(&before, judged))
    };
    let gains = |judged: Judged, at_a_price: bool| -> Vec<(&Candidate, f64)> {
        let all = figures.iter().map(|after| gain(after, judged));
        let mut gains: Vec<(&Candidate, f64)> = candidates.iter().zip(all).collect();
        gains.retain(|(candidate, gain)| *gain > 1.0 + NOTICEABLE && candidate.price.is_some() == at_a_price);
        // What somebody can set comes before what is nearly as good and nobody can; of equals, the one that stands first.
        let weighed = |(candidate, gain): &(&Candidate, f64)| match candidate.change {
            Change::Settings(_) => *gain,
            Change::Speeds(_) => *gain * (1.0 - NOTICEABLE),
        };
        gains.sort_by(|a, b| weighed(b).total_cmp(&weighed(a)));
        gains.truncate(CONFIRMED);
        gains
    };
    // What comes by itself comes as fast as before, however fast it is served. What waits for completions comes faster,
    // unless it is busy with its own thoughts: where the change that brings most throughput brings far more to the latency, it is
    // these that say how much is done.
    let is_paced = |subject: Subject| {
        let [by_throughput, by_latency] =
            [Measured::Throughput, Measured::Latency].map(|of| Judged { subject, of });
        let most = figures
            .iter()
            .map(|after| (gain(after, by_throughput), gain(after, by_latency)))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        most.is_some_and(|(throughput, latency)| {
            libm::log(throughput.max(1.0)) < PACED * libm::log(latency.max(1.0))
        })
    };
    let measures = loaded.subjects().into_iter().flat_map(|subject| {
        let measures: &[Measured] = match is_open(loaded, subject) {
            _ if asks_nothing => &[Measured::Elapsed],
            true => &[Measured::Latency],
            false if is_paced(subject) => &[Measured::Latency, Measured::Throughput],
            false => &[Measured::Throughput, Measured::Latency],
        };
        measures.iter().map(move |&of| Judged { subject, of })
    });
    let mut known = Before::default();
    for judged in measures {
        // What others pay for has a price, too, though nothing is given up with it.
        let mut harmful: Vec<(&'c Candidate, WhatIf)> = Vec::new();
        let mut first = |gains: Vec<(&'c Candidate, f64)>, free: bool| -> Result<Found<'c>, RunFailure> {
            for (candidate, _) in gains {
                let answer = confirmed(loaded, base, candidate, (judged, replications), &mut known)?;
                let Some(what_if) = answer else { continue };
                let [low, high] = what_if.interval;
                if what_if.gain > 1.0 + NOTICEABLE && low > 1.0 && high.is_finite() {
                    if free && what_if.price.is_some() {
                        harmful.push((candidate, what_if));
                        continue;
                    }
                    return Ok(Some((candidate, what_if)));
                }
            }
            Ok(None)
        };
        let found = first(gains(judged, false), true)?;
        let least = found.as_ref().map_or(1.0, |(_, what_if)| what_if.gain) * (1.0 + NOTICEABLE);
        // What brings no more is worth no price.
        let dearer = gains(judged, true).into_iter().filter(|(_, gain)| *gain > least);
        let dear = first(dearer.collect(), false)?;
        let or = dear.into_iter().chain(harmful).filter(|(_, what_if)| what_if.gain > least);
        let or = or.max_by(|a, b| a.1.gain.total_cmp(&b.1.gain));
        if found.is_some() || or.is_some() {
            return Ok(Answer { found, or, ..Answer::default() });
        }
    }
    let failed = candidates.iter().zip(&figures).filter(|(_, after)| after.is_none());
    let not_tried = failed.map(|(candidate, _)| candidate.words.clone()).collect();
    let in_vain = candidates.iter().zip(&figures);
    let in_vain = in_vain.filter_map(|(candidate, after)| {
        Some(in_vain_of(loaded, candidate, (after.as_ref()?, &before), asks_nothing))
    });
    Ok(Answer { in_vain: in_vain.collect(), not_tried, ..Answer::default() })
}

/// What a change brought that isn't known to help.
fn in_vain_of(
    loaded: &Loaded,
    candidate: &Candidate,
    (after, before): (&Figures, &Figures),
    asks_nothing: bool,
) -> Tried {
    let subjects = loaded.subjects();
    let measures: &[Measured] =
        if asks_nothing { &[Measured::Elapsed] } else { &[Measured::Throughput, Measured::Latency] };
    let of_all = subjects.iter().flat_map(|&subject| measures.iter().map(move |&of| Judged { subject, of }));
    let brought = of_all.map(|judged| Brought {
        subject: (subjects.len() > 1).then_some(judged.subject),
        of: judged.of,
        gain: after.gain_over(before, judged),
    });
    Tried {
        change: candidate.words.clone(),
        set: candidate.set(),
        price: candidate.price.map(str::to_owned),
        brought: brought.collect(),
    }
}

impl Candidate {
    /// What a command line sets for it.
    fn set(&self) -> Vec<String> {
        match &self.change {
            Change::Settings(settings) => {
                settings.iter().map(|(path, value)| format!("{path}={value}")).collect()
            }
            Change::Speeds(_) => Vec::new(),
        }
    }

    /// The answer that it gives, with its figures still to come.
    fn asked(&self, judged: Judged, is_one_of_two: bool) -> WhatIf {
        WhatIf {
            change: self.words.clone(),
            set: self.set(),
            factor: self.factor,
            price: self.price.map(str::to_owned),
            subject: is_one_of_two.then_some(judged.subject),
            of: judged.of,
            gain: 1.0,
            interval: [1.0, 1.0],
            confidence: 0.0,
            replications: 0,
            before: 0.0,
            after: 0.0,
        }
    }
}
