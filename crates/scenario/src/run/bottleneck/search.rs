//! The changes that bring most: all are looked at for a short while, then the best for as long as the run itself takes, until one is
//! found to do what it seemed to.

use super::candidates::Candidate;
use super::experiment::{Before, Judged, confirmed, screened};
use crate::levers::is_open;
use crate::loaded::Loaded;
use crate::report::{Brought, Measured, Subject, Tried, WhatIf};
use crate::run::figures::Figures;
use crate::run::{Replicator, RunFailure};

/// A change below this is none.
pub(super) const NOTICEABLE: f64 = 0.02;
/// Programs are paced by themselves where a change brings less than this part of what it brings to the latency, as a power,
/// to the throughput.
const PACED: f64 = 0.25;
/// The best changes of the first, short look that are looked at again.
const CONFIRMED: usize = 3;

/// A change with what it brings.
pub(super) type Found<'c> = Option<(&'c Candidate, WhatIf)>;

/// What was found.
#[derive(Default)]
pub(super) struct Answer<'c> {
    /// What gives up nothing, and what brings more at a price.
    pub(super) found: Found<'c>,
    pub(super) or: Found<'c>,
}

/// A change that seemed to help, what that is judged by, and how much better everything is with it.
type Gain<'c> = (&'c Candidate, Judged, f64);

/// All changes, and what each brought in a short run.
pub(super) struct Search<'a, 'c> {
    pub(super) loaded: &'a Loaded,
    pub(super) base: &'a Replicator<'a>,
    pub(super) candidates: &'c [Candidate],
    /// Whether parallel programs only compute and exchange messages.
    asks_nothing: bool,
    pub(super) replications: u32,
    pub(super) before: Figures,
    pub(super) figures: Vec<Option<Figures>>,
    pub(super) known: Before,
}

impl<'a, 'c> Search<'a, 'c> {
    /// Looks at all changes for a short while; nothing where nothing completes without any.
    pub(super) fn begin(
        loaded: &'a Loaded,
        base: &'a Replicator<'a>,
        candidates: &'c [Candidate],
        (asks_nothing, replications): (bool, u32),
    ) -> Result<Option<Self>, RunFailure> {
        if candidates.is_empty() {
            return Ok(None);
        }
        let changes: Vec<_> = candidates.iter().map(|candidate| &candidate.change).collect();
        let (before, figures) = screened(loaded, base, &changes)?;
        let known = Before::default();
        Ok(before.map(|before| Self {
            loaded,
            base,
            candidates,
            asks_nothing,
            replications,
            before,
            figures,
            known,
        }))
    }

    pub(super) fn gain(&self, after: Option<&Figures>, judged: Judged) -> f64 {
        after.map_or(1.0, |after| after.gain_over(&self.before, judged))
    }

    /// What comes by itself comes as fast as before, however fast it is served. What waits for completions comes faster,
    /// unless it is busy with its own thoughts: where the change that brings most throughput brings far more to the latency, it is
    /// these that say how much is done.
    fn is_paced(&self, subject: Subject) -> bool {
        let [by_throughput, by_latency] =
            [Measured::Throughput, Measured::Latency].map(|of| Judged { subject, of });
        let both = self.figures.iter().map(Option::as_ref);
        let most = both
            .map(|after| (self.gain(after, by_throughput), self.gain(after, by_latency)))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        most.is_some_and(|(throughput, latency)| {
            libm::log(throughput.max(1.0)) < PACED * libm::log(latency.max(1.0))
        })
    }

    /// By what the programs of a sort are judged, the more telling first.
    fn measures(&self, subject: Subject) -> &'static [Measured] {
        match is_open(self.loaded, subject) {
            _ if self.asks_nothing => &[Measured::Elapsed],
            // What ends an overload comes before what serves more under one.
            _ if self.before.overloaded(subject) => &[Measured::Latency, Measured::Throughput],
            true => &[Measured::Latency],
            false if self.is_paced(subject) => &[Measured::Latency, Measured::Throughput],
            false => &[Measured::Throughput, Measured::Latency],
        }
    }

    /// The ways to judge, one after the other: the programs of all sorts together, each by what tells most of it.
    pub(super) fn rounds(&self) -> Vec<Vec<Judged>> {
        let subjects = self.loaded.subjects();
        let of = |round: usize| -> Vec<Judged> {
            let own = |&subject: &Subject| {
                Some(Judged { subject, of: self.measures(subject).get(round).copied()? })
            };
            subjects.iter().filter_map(own).collect()
        };
        (0..2).map(of).filter(|round| !round.is_empty()).collect()
    }

    /// How much better everything is: of whose gain is largest, and of all together.
    pub(super) fn weighed(&self, after: Option<&Figures>, round: &[Judged]) -> Option<(Judged, f64, f64)> {
        let gains = round.iter().map(|&judged| (judged, self.gain(after, judged)));
        let all: f64 = gains.clone().map(|(_, gain)| gain).product();
        let (judged, most) = gains.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((judged, most, all))
    }

    /// The changes that seem to help most, with a price or without any.
    fn gains(&self, round: &[Judged], at_a_price: bool) -> Vec<Gain<'c>> {
        let mut gains: Vec<(Gain<'c>, f64)> = (self.candidates.iter().zip(&self.figures))
            .filter(|(candidate, _)| candidate.price.is_some() == at_a_price)
            .filter_map(|(candidate, after)| {
                let (judged, most, all) = self.weighed(after.as_ref(), round)?;
                (most > 1.0 + NOTICEABLE).then_some(((candidate, judged, most), all))
            })
            .collect();
        // What somebody can set comes before what is nearly as good and nobody can; of equals, the one that stands first.
        let rank = |((candidate, ..), all): &(Gain<'c>, f64)| match candidate.change.can_be_set() {
            true => *all,
            false => *all * (1.0 - NOTICEABLE),
        };
        gains.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        gains.into_iter().map(|(gain, _)| gain).take(CONFIRMED).collect()
    }

    /// The first of these changes that is found to help by whole runs. What others pay for, though nothing is given up with it, goes to
    /// `harmful`, if there is such a list.
    fn first(
        &mut self,
        gains: Vec<Gain<'c>>,
        mut harmful: Option<&mut Vec<(&'c Candidate, WhatIf)>>,
    ) -> Result<Found<'c>, RunFailure> {
        for (candidate, judged, _) in gains {
            let judged = (judged, self.replications);
            let answer = confirmed(self.loaded, self.base, candidate, judged, &mut self.known)?;
            let Some(what_if) = answer.filter(helps) else { continue };
            match &mut harmful {
                Some(harmful) if what_if.price.is_some() => harmful.push((candidate, what_if)),
                _ => return Ok(Some((candidate, what_if))),
            }
        }
        Ok(None)
    }

    /// The change that brings most and gives up nothing, and one that brings more at a price.
    pub(super) fn best(&mut self) -> Result<Answer<'c>, RunFailure> {
        let mut answer = Answer::default();
        for round in self.rounds() {
            let mut harmful: Vec<(&'c Candidate, WhatIf)> = Vec::new();
            let found = self.first(self.gains(&round, false), Some(&mut harmful))?;
            if answer.or.is_some() {
                // At a price an overload ends: what serves more without one is told beside it.
                answer.found = found;
                return Ok(answer);
            }
            let least = found.as_ref().map_or(1.0, |(_, what_if)| what_if.gain) * (1.0 + NOTICEABLE);
            // What brings no more is worth no price.
            let mut dearer = self.gains(&round, true);
            dearer.retain(|(_, _, gain)| *gain > least);
            let dear = self.first(dearer, None)?;
            let or = dear.into_iter().chain(harmful).filter(|(_, what_if)| what_if.gain > least);
            let or = or.max_by(|a, b| a.1.gain.total_cmp(&b.1.gain));
            let ends = or.as_ref().is_some_and(|(_, what_if)| what_if.overload.is_some());
            answer = Answer { found, or };
            if answer.found.is_some() || answer.or.is_some() && !ends {
                return Ok(answer);
            }
        }
        Ok(answer)
    }

    /// What brings most to the programs of the other sort, where what was found is nothing to them.
    pub(super) fn also(&mut self, found: &Found<'c>) -> Result<Found<'c>, RunFailure> {
        let Some((candidate, WhatIf { subject: Some(helped), .. })) = found else { return Ok(None) };
        let at = self.candidates.iter().position(|other| other == *candidate);
        let after = at.and_then(|at| self.figures[at].clone());
        for subject in self.loaded.subjects().into_iter().filter(|subject| subject != helped) {
            let of_it = self.measures(subject).iter().map(|&of| Judged { subject, of });
            let is_helped = |judged: Judged| self.gain(after.as_ref(), judged) > 1.0 + NOTICEABLE;
            if of_it.clone().any(is_helped) {
                continue;
            }
            for judged in of_it {
                let found = self.first(self.gains(&[judged], false), Some(&mut Vec::new()))?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// What each change brought, where none is known to help, and what couldn't be tried.
    pub(super) fn in_vain(&self) -> (Vec<Tried>, Vec<String>) {
        let all = || self.candidates.iter().zip(&self.figures);
        let failed = all().filter(|(_, after)| after.is_none());
        let not_tried = failed.map(|(candidate, _)| candidate.words.clone()).collect();
        let in_vain =
            all().filter_map(|(candidate, after)| Some(self.in_vain_of(candidate, after.as_ref()?)));
        (in_vain.collect(), not_tried)
    }

    fn in_vain_of(&self, candidate: &Candidate, after: &Figures) -> Tried {
        let subjects = self.loaded.subjects();
        let measures: &[Measured] =
            if self.asks_nothing { &[Measured::Elapsed] } else { &[Measured::Throughput, Measured::Latency] };
        let of_all =
            subjects.iter().flat_map(|&subject| measures.iter().map(move |&of| Judged { subject, of }));
        // Latencies of what grows say nothing.
        let grows = |judged: &Judged| {
            judged.of == Measured::Latency
                && self.before.overloaded(judged.subject)
                && after.overloaded(judged.subject)
        };
        let brought = of_all.filter(|judged| !grows(judged)).map(|judged| Brought {
            subject: (subjects.len() > 1).then_some(judged.subject),
            of: judged.of,
            gain: after.gain_over(&self.before, judged),
        });
        Tried {
            change: candidate.words.clone(),
            set: candidate.change.set(),
            price: candidate.price.map(str::to_owned),
            brought: brought.collect(),
        }
    }
}

/// Whether it is known that a change helps.
pub(super) fn helps(what_if: &WhatIf) -> bool {
    let [low, high] = what_if.interval;
    what_if.gain > 1.0 + NOTICEABLE && low > 1.0 && high.is_finite()
}
