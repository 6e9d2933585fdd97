//! Who waits for what of others, and goes on when.

use super::RankName;
use super::mail::Pattern;
use crate::supervisor::{Supervisor, Verdict};
use crate::thread::{On, State, Wait};
use petrio_intercept::Answer;
use petrio_time::Time;

/// What is waited for.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Since when.
    pub(super) since: Time,
    pub(super) name: RankName,
    pub(super) gives: Gives,
}

/// What it is that is waited for, and so what is told of it.
#[derive(Clone, Debug)]
pub(super) enum Gives {
    /// That others have come.
    Nothing,
    /// All of these requests.
    All(Vec<u64>),
    /// One of these: its place among them.
    One(Vec<u64>),
    /// A message: who has sent it, and its tag.
    Message(u64),
    /// That there is one: likewise.
    Found(Pattern),
}

/// A message's sender and tag in one word.
fn word(from: u32, tag: u32) -> i64 {
    // Ranks and tags are no greater than 2³¹.
    ((u64::from(from) << 32) | u64::from(tag)).cast_signed()
}

impl Supervisor {
    /// A rank waits, or has what it would wait for.
    pub(super) fn pends(&mut self, id: u32, pending: Pending) -> Verdict {
        let over = self.over(&pending);
        let Some(inside) = self.ranks.inside.get_mut(&id) else { return Verdict::Now(Answer::Value(0)) };
        inside.pending = Some(pending);
        if let Some((at, told)) = over {
            inside.result = Some((at, told));
        }
        match self.result(id) {
            Some(told) => Verdict::Now(Answer::Value(told)),
            None => Verdict::Wait(waits()),
        }
    }

    /// What a thread has got that has waited; its clock is when it got it.
    pub(super) fn result(&mut self, id: u32) -> Option<i64> {
        let inside = self.ranks.inside.get_mut(&id)?;
        let (at, told) = inside.result.take()?;
        let pending = inside.pending.take();
        inside.is_exact = true;
        let thread = self.threads.get_mut(&id)?;
        thread.clock = thread.clock.max(at);
        let clock = thread.clock;
        if let Some(Pending { since, name, .. }) = pending {
            self.tell(|told| {
                let told = told.ranks.entry(name).or_default();
                told.messages = told.messages.saturating_add(clock.saturating_sub(since));
            });
        }
        Some(told)
    }

    /// Something has come for a rank: whether one of its threads goes on.
    pub(super) fn looks_at_mail(&mut self, name: RankName) {
        let waiting: Vec<(u32, Pending)> = (self.ranks.inside.iter())
            .filter_map(|(&id, inside)| Some((id, inside.pending.clone()?)))
            .filter(|(_, pending)| pending.name == name)
            .collect();
        for (id, pending) in waiting {
            if self.ranks.inside.get(&id).is_some_and(|inside| inside.result.is_some()) {
                continue;
            }
            if let Some((at, told)) = self.over(&pending) {
                self.satisfied(id, at, told);
            }
        }
    }

    /// When what is waited for is there, if that is known, and what is told of it.
    fn over(&mut self, pending: &Pending) -> Option<(Time, i64)> {
        let rank = pending.name.1;
        let mail = self.ranks.job(pending.name)?.mail.entry(rank).or_default();
        match &pending.gives {
            Gives::Nothing => None,
            Gives::All(requests) => {
                let at = requests.iter().map(|&request| mail.over(request)).collect::<Option<Vec<Time>>>()?;
                for &request in requests {
                    mail.take(request);
                }
                Some((at.into_iter().max().unwrap_or(Time::ZERO), 0))
            }
            Gives::One(requests) => {
                let known = (0i64..).zip(requests).filter(|(_, request)| **request != 0);
                let there = known.filter_map(|(place, &request)| Some((mail.over(request)?, place, request)));
                let (at, place, request) = there.min()?;
                mail.take(request);
                Some((at, place))
            }
            Gives::Message(request) => {
                mail.over(*request)?;
                let letter = mail.take(*request)?;
                Some((letter.comes?, word(letter.from, letter.tag)))
            }
            Gives::Found(pattern) => {
                let letter = mail.probe(*pattern)?;
                Some((letter.seen()?, word(letter.from, letter.tag)))
            }
        }
    }

    /// What a thread waits for will be there at this time.
    pub(super) fn satisfied(&mut self, id: u32, at: Time, told: i64) {
        let Some(inside) = self.ranks.inside.get_mut(&id) else { return };
        inside.result = Some((at, told));
        let (is_away, is_held) = match self.threads.get(&id).map(|thread| &thread.state) {
            Some(State::Waits(held, Wait { on: On::Others, .. })) => (false, Some(*held)),
            _ => (inside.is_away, None),
        };
        if let Some(held) = is_held {
            let Some(told) = self.result(id) else { return };
            self.has_left(id);
            // One that is gone needs no answer.
            let _ = self.answer(id, held, Answer::Value(told));
            self.leaves_program(id);
        } else if is_away && let Some(thread) = self.threads.get_mut(&id) {
            thread.clock = thread.clock.max(at);
            thread.state = State::Running;
        }
    }

    /// Nobody can go on any more, as far as is known: those who wait let the library decide. Whether there were any.
    pub(crate) fn releases(&mut self) -> bool {
        let waits = |state: &State| matches!(state, State::Waits(_, Wait { on: On::Others, .. }));
        let of_ranks = self.threads.iter().filter(|(_, thread)| {
            self.ranks.name(thread.process).is_some() && !matches!(thread.state, State::Outside)
        });
        let mut held = Vec::new();
        for (&id, thread) in of_ranks {
            if !waits(&thread.state) {
                return false;
            }
            held.push(id);
        }
        for &id in &held {
            let at = self.global;
            if let Some(inside) = self.ranks.inside.get_mut(&id) {
                inside.pending = None;
            }
            self.satisfied(id, at, -1);
        }
        let count = u64::try_from(held.len()).unwrap_or(0);
        self.tell(|told| told.uncertain += count);
        !held.is_empty()
    }
}

pub(super) fn waits() -> Wait {
    Wait { until: None, on: On::Others, late: Answer::Value(0), blocks: None }
}
