//! The power of the devices: when it is cut, what is left then, and when it comes back.

use super::Pacer;
use crate::faults::PowerCut;
use crate::store::CutCounts;
use petrio_engine::Engine;
use petrio_time::Time;
use std::sync::PoisonError;

/// Whether there is power, and what was cut.
pub(crate) struct Power {
    cut: PowerCut,
    is_on: bool,
    answered: u64,
    /// When the next turn is planned.
    planned: Option<Time>,
    /// When it was cut, and what became of what was held.
    pub(crate) cuts: Vec<(Time, CutCounts)>,
}

/// What happens to the power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Off,
    On,
}

impl Power {
    pub(super) fn of(cut: Option<PowerCut>) -> Self {
        let cut = cut.unwrap_or_default();
        let planned = if cut.is_planned() { cut.at.map(petrio_units::Duration::time) } else { None };
        Self { cut, is_on: true, answered: 0, planned, cuts: Vec::new() }
    }

    pub(super) const fn is_on(&self) -> bool {
        self.is_on
    }

    pub(super) const fn next(&self) -> Option<Time> {
        self.planned
    }

    /// A request was answered.
    pub(super) const fn counts(&mut self) {
        self.answered += 1;
    }

    /// What is to happen by now.
    pub(super) fn passes(&mut self, now: Time) -> Option<Turn> {
        let by_count = self.is_on && self.cut.after_requests.is_some_and(|after| self.answered >= after);
        if by_count {
            // It happens once.
            self.cut.after_requests = None;
            return Some(Turn::Off);
        }
        if self.planned.is_some_and(|at| at <= now) {
            self.planned = None;
            return Some(if self.is_on { Turn::Off } else { Turn::On });
        }
        None
    }
}

impl Pacer {
    /// The power is cut: nothing that is under way comes back, and what was held is gone, or what the profile leaves of it.
    pub(super) fn cut(&mut self) {
        if !self.power.is_on {
            return;
        }
        let now = self.shared.clock.now();
        self.power.is_on = false;
        self.power.planned = self.power.cut.back_after.map(|after| now.saturating_add(after.time()));
        let mut under_way: Vec<Vec<_>> = self.shared.devices.iter().map(|_| Vec::new()).collect();
        let mut all: Vec<_> = std::mem::take(&mut self.in_model).into_values().collect();
        all.extend(std::mem::take(&mut self.due).into_vec().into_iter().map(|due| due.pending));
        all.extend(self.gates.iter_mut().flat_map(super::gate::Gate::clear));
        all.sort_by_key(|pending| pending.arrival.arrived);
        for mut pending in all {
            if let Some(content) = pending.arrival.content.take() {
                under_way[pending.arrival.device].push(content);
            }
            self.refuse(pending.arrival);
        }
        let mut sum = CutCounts::default();
        let shared = std::sync::Arc::clone(&self.shared);
        for (device, under_way) in shared.devices.iter().zip(under_way) {
            let mut store = device.store.lock().unwrap_or_else(PoisonError::into_inner);
            // What can't be written of what might have been left is lost.
            let counts = store.cut(&self.power.cut, &mut self.random, under_way).unwrap_or_default();
            sum.lost += counts.lost;
            sum.kept += counts.kept;
            sum.torn += counts.torn;
        }
        self.power.cuts.push((now, sum));
    }

    /// The power comes back: the devices begin anew, with what is on their media.
    pub(super) fn bring_back(&mut self) {
        if self.power.is_on || self.failed.is_some() {
            return;
        }
        self.power.is_on = true;
        self.power.planned = None;
        self.began = self.shared.clock.now();
        self.speed = 1.0;
        // The platters are elsewhere after each.
        self.engine = Engine::new(&self.system, self.profile.seed, self.power.cuts.len() as u64);
        match self.engine.program(0) {
            Ok(program) => self.program = program,
            Err(error) => self.fail(error),
        }
    }
}
