//! What of the steps one rank does: the steps in which it has no part are gone.

use super::super::Start;
use super::super::states::States;
use super::StepsPlan;
use super::parameters::{Accesses, StepFile, StepParameters, StepRate};
use crate::parallel::act::Direction;
use crate::parallel::collective::{Collective, Group};
use crate::program::{Counts, PhaseName, Timing};
use petrio_colours::Exchange;
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a rank does.
#[derive(Clone, Debug, Persist)]
pub(super) enum Part {
    Compute(Time),
    Exchange(Exchange),
    Together(Collective),
    File(FilePart),
    Repeat(Repeat),
}

/// An access to a file.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct FilePart {
    pub(super) direction: Direction,
    pub(super) states: States,
    /// Which of the plan's files, and its number among the program's, of this rank.
    pub(super) file: usize,
    pub(super) number: u32,
    pub(super) fsync: bool,
}

/// Parts that are done so often.
#[derive(Clone, Debug, Persist)]
pub(super) struct Repeat {
    pub(super) times: u64,
    pub(super) measure: Option<Measure>,
    /// None where the rank has no part in them.
    pub(super) parts: Arc<[Part]>,
}

/// How parts are measured.
#[derive(Clone, Debug, Persist)]
pub(super) struct Measure {
    pub(super) phase: PhaseName,
    /// Which of all names that are measured it is.
    pub(super) name: usize,
    /// Bytes that the rank sends, writes and reads in all times together.
    pub(super) bytes: u64,
}

/// The parts of a rank, and how many names are measured.
pub(super) fn of_rank(plan: &StepsPlan, start: &Start) -> (Arc<[Part]>, usize) {
    let group = Group { rank: start.member.rank, ranks: plan.ranks };
    let mut rank = OfRank { plan, start, group, names: BTreeMap::new() };
    let (parts, _) = rank.parts(&plan.parameters.steps);
    (parts, rank.names.len())
}

struct OfRank<'p> {
    plan: &'p StepsPlan,
    start: &'p Start,
    group: Group,
    names: BTreeMap<String, usize>,
}

impl OfRank<'_> {
    /// Parts that follow each other, and the bytes of all of them.
    fn parts(&mut self, steps: &[StepParameters]) -> (Arc<[Part]>, u64) {
        let mut bytes = 0u64;
        let parts = steps.iter().filter_map(|step| self.part(step)).map(|(part, of_part)| {
            bytes = bytes.saturating_add(of_part);
            part
        });
        (parts.collect(), bytes)
    }

    fn part(&mut self, step: &StepParameters) -> Option<(Part, u64)> {
        if let Some(collective) = step.collective() {
            let sent: u64 = collective.rounds(self.group).map(|exchange| sent(&exchange)).sum();
            return (self.group.ranks > 1).then_some((Part::Together(collective), sent));
        }
        match step {
            StepParameters::Compute(time) => {
                let time = self.start.computing(time.time());
                (time > Time::ZERO).then_some((Part::Compute(time), 0))
            }
            StepParameters::Write(file) => self.file(file, Direction::Write),
            StepParameters::Read(file) => self.file(file, Direction::Read),
            StepParameters::Repeat { times, measure, rate, steps } => {
                let (parts, bytes) = self.parts(steps);
                let bytes = bytes.saturating_mul(*times);
                let measure = measure.as_ref().map(|name| {
                    let next = self.names.len();
                    let number = *self.names.entry(name.clone()).or_insert(next);
                    Measure { phase: phase(name, *rate), name: number, bytes }
                });
                let has_part = measure.is_some() || !parts.is_empty();
                has_part.then_some((Part::Repeat(Repeat { times: *times, measure, parts }), bytes))
            }
            other => {
                let exchange = exchange(other, self.group);
                let Exchange { sends, receives, remote, .. } = &exchange;
                let has_part = !sends.is_empty() || !receives.is_empty() || !remote.is_empty();
                let bytes = sent(&exchange);
                has_part.then_some((Part::Exchange(exchange), bytes))
            }
        }
    }

    fn file(&self, step: &StepFile, direction: Direction) -> Option<(Part, u64)> {
        let file = self.plan.files.iter().position(|file| file.name == step.file)?;
        let states = step.states(self.plan.ranks);
        let own = if states.is_shared() { 0 } else { self.group.rank };
        let number = as_number(self.plan.files[file].first) + own;
        Some((Part::File(FilePart { direction, states, file, number, fsync: step.fsync }), states.state))
    }
}

fn phase(name: &str, rate: StepRate) -> PhaseName {
    let counts = match rate {
        StepRate::Times => Counts::Operations(Cow::Borrowed("time")),
        StepRate::Bytes => Counts::Bytes,
    };
    PhaseName {
        name: Cow::Owned(name.to_owned()),
        repetition: 0,
        counts,
        timing: Timing::Span,
        scored: false,
    }
}

/// Bytes that a rank sends, or accesses in others' memory.
fn sent(exchange: &Exchange) -> u64 {
    let sent = exchange.sends.iter().map(|(_, bytes)| *bytes);
    let accessed = exchange.remote.iter().map(|(_, remote)| remote.bytes());
    sent.chain(accessed).fold(0u64, u64::saturating_add)
}

/// What a rank sends and receives in a step that is none of the collective operations.
fn exchange(step: &StepParameters, group: Group) -> Exchange {
    let mut exchange = Exchange::default();
    let rank = group.rank;
    if let Some(Accesses { to, by, remote, times }) = step.accesses() {
        let whose = to.unwrap_or_else(|| group.after(by.unwrap_or(0)));
        exchange.remote.extend(std::iter::repeat_n((whose, remote), times as usize));
    }
    match step {
        StepParameters::Send(messages) => {
            for message in messages {
                let each = message.messages as usize;
                if message.from == rank {
                    exchange.sends.extend(std::iter::repeat_n((message.to, message.bytes.get()), each));
                }
                if message.to == rank {
                    exchange.receives.extend(std::iter::repeat_n(message.from, each));
                }
            }
        }
        StepParameters::Shift { by, bytes } if group.ranks > 1 => {
            exchange.sends.push((group.after(*by), bytes.get()));
            exchange.receives.push(group.before(*by));
        }
        StepParameters::Pairs { distance, bytes } => {
            let partner = rank ^ distance;
            if partner < group.ranks {
                exchange.sends.push((partner, bytes.get()));
                exchange.receives.push(partner);
            }
        }
        StepParameters::Halo { ranks, bytes, periodic } => {
            let mut stride = 1;
            for (&along, bytes) in ranks.iter().zip(bytes) {
                let place = u64::from(rank) / stride % along;
                // Where both neighbours are the same rank, it gets two messages.
                let last = (place + 1 < along).then_some(u64::from(rank) + stride);
                let first = place.checked_sub(1).map(|_| u64::from(rank) - stride);
                let round = (*periodic && along > 1).then_some(stride * (along - 1));
                let after = last.or_else(|| Some(u64::from(rank) - round?));
                let before = first.or_else(|| Some(u64::from(rank) + round?));
                let neighbours = || [after, before].into_iter().flatten().map(as_number);
                exchange.sends.extend(neighbours().map(|to| (to, bytes.get())));
                exchange.receives.extend(neighbours());
                stride *= along;
            }
        }
        _ => {}
    }
    exchange
}
