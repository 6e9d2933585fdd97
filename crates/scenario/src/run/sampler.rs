//! Looks at the stages of equal parts from time to time: what each did in which interval.
//!
//! When the run outgrows the intervals, pairs of them are joined and the interval doubles, so that neither memory nor time
//! grows with the run. Looking changes nothing.

use crate::report::{Activity, Measure};
use crate::run::stages::{busy_seconds, bytes_moved, serves};
use petrio_kernel::{Marking, Time};
use petrio_models::Stage;
use std::collections::BTreeMap;

/// Parts of a class that are looked at; of more every so many-th.
const MEMBERS_MAX: usize = 64;
/// Intervals at most; a run has at least half as many.
const INTERVALS_MAX: usize = 96;
/// The first interval. A run that is shorter than a few of these has little to show over time.
const FIRST_INTERVAL: Time = Time::from_micros(20);

/// What the stages of equal parts do over time.
pub(super) struct Sampler<'s> {
    stages: &'s [Stage],
    classes: Vec<Class<'s>>,
    begin: Time,
    interval: Time,
    /// When the interval under way began.
    since: Time,
    intervals: usize,
}

struct Class<'s> {
    name: &'s str,
    count: usize,
    measure: Measure,
    members: Vec<Member>,
}

struct Member {
    stage: usize,
    /// The sum so far.
    sum: f64,
    /// What was added to it in each interval.
    amounts: Vec<f64>,
}

impl<'s> Sampler<'s> {
    /// Of all classes of several stages that are busy or idle, or move bytes.
    pub(super) fn of(stages: &'s [Stage], now: Time) -> Self {
        let mut classes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, stage) in stages.iter().enumerate() {
            if measure_of(stage).is_some() {
                classes.entry(&stage.class).or_default().push(number);
            }
        }
        let several = classes.into_iter().filter(|(_, numbers)| numbers.len() > 1);
        let classes = several.filter_map(|(name, numbers)| {
            let every = numbers.len().div_ceil(MEMBERS_MAX);
            let member = |&stage: &usize| Member { stage, sum: 0.0, amounts: Vec::new() };
            Some(Class {
                name,
                count: numbers.len(),
                measure: measure_of(stages.get(*numbers.first()?)?)?,
                members: numbers.iter().step_by(every).map(member).collect(),
            })
        });
        let classes = classes.collect();
        Self { stages, classes, begin: now, interval: FIRST_INTERVAL, since: now, intervals: 0 }
    }

    /// When it has to look next.
    pub(super) fn next(&self) -> Time {
        if self.classes.is_empty() { Time::NEVER } else { self.since.saturating_add(self.interval) }
    }

    /// An interval is over.
    pub(super) fn look(&mut self, marking: &Marking, now: Time) {
        if now < self.next() {
            return;
        }
        self.take(marking);
        self.since = now;
        if self.intervals >= INTERVALS_MAX {
            self.join();
        }
    }

    fn take(&mut self, marking: &Marking) {
        for class in &mut self.classes {
            for member in &mut class.members {
                let sum = sum_of(&self.stages[member.stage], class.measure, marking);
                member.amounts.push((sum - member.sum).max(0.0));
                member.sum = sum;
            }
        }
        self.intervals += 1;
    }

    fn join(&mut self) {
        for member in self.classes.iter_mut().flat_map(|class| &mut class.members) {
            member.amounts = member.amounts.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        self.intervals = self.intervals.div_ceil(2);
        self.interval = self.interval.saturating_add(self.interval);
    }

    /// What was seen, the run having ended at `end`; nothing of parts that did nothing.
    pub(super) fn finish(mut self, marking: &Marking, end: Time) -> Vec<Activity> {
        let last = end.saturating_sub(self.since);
        if last > Time::ZERO {
            self.take(marking);
        }
        if self.intervals == 0 {
            return Vec::new();
        }
        let whole = self.interval.as_seconds();
        let last_interval_s = if last > Time::ZERO { last.as_seconds() } else { whole };
        let (intervals, begin_s) = (self.intervals, self.begin.as_seconds());
        let all = self.classes.into_iter().map(|class| {
            let spans =
                (0..intervals).map(|number| if number + 1 == intervals { last_interval_s } else { whole });
            let values = |member: &Member| {
                // What was begun in an interval, and recorded then, may end in the next.
                let mut left_over = 0.0;
                let value = |(amount, span): (&f64, f64)| match class.measure {
                    Measure::Utilisation => {
                        let busy = (amount + left_over).min(span);
                        left_over += amount - busy;
                        // Three digits tell apart what a colour shows.
                        (busy / span * 1e3).round() / 1e3
                    }
                    Measure::BytesPerS => (amount / span).round(),
                };
                member.amounts.iter().zip(spans.clone()).map(value).collect()
            };
            Activity {
                class: class.name.to_owned(),
                count: class.count as u64,
                measure: class.measure,
                begin_s,
                interval_s: whole,
                last_interval_s,
                members: (class.members.iter())
                    .map(|member| self.stages[member.stage].name.clone())
                    .collect(),
                values: class.members.iter().map(values).collect(),
            }
        });
        all.filter(|activity| activity.most() > 0.0).collect()
    }
}

/// What is told of a stage over time.
fn measure_of(stage: &Stage) -> Option<Measure> {
    if stage.moved.is_some() {
        return Some(Measure::BytesPerS);
    }
    serves(stage).then_some(Measure::Utilisation)
}

/// The sum that grows with what is told.
fn sum_of(stage: &Stage, measure: Measure, marking: &Marking) -> f64 {
    match measure {
        Measure::Utilisation => busy_seconds(stage, marking),
        Measure::BytesPerS => bytes_moved(stage, marking),
    }
}
