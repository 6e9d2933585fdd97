//! Whether a run still comes to something: how much may happen without anything being done.
//!
//! Idle time is nothing to worry about: model time that passes costs nothing. What costs is firings, and a host's
//! timers tick for ever, so that a net with one never dies. So firings are counted, not time: those since something was
//! last done, which is a completion or a request that came to a device.

use crate::error::EngineError;
use crate::listener::Onlooker;
use crate::visits::DevicePlaces;
use petrio_kernel::{RunError, Simulation, Time};
use std::collections::BTreeSet;

/// So much happens without anything being done in no sound run. A host's tick is about three firings, so that this is
/// more than a hundred days of a host that ticks every five seconds.
const FIRINGS_IDLE: u64 = 8 << 20;
/// What is to come after more firings than these never comes: at ten million a second, these are three hours.
const FIRINGS_AHEAD: f64 = 1e11;

/// No device, link or processor is busy with one thing for so long: who waits longer while no device has anything to do waits for ever.
const SERVED_WITHIN: Time = Time::from_whole_seconds(3_600);

/// Counts what happens while nothing is done.
pub(crate) struct Patience {
    /// When something was last done, and how many firings there had been by then.
    since: Time,
    firings: u64,
    /// When something completed last.
    completed: Time,
    /// What the devices had seen by then.
    arrived: u64,
    /// Firings of each transition by then; empty as long as nobody has to know.
    by_transition: Vec<u64>,
}

/// What a run waits for.
#[derive(Clone, Copy)]
pub(crate) struct Awaited {
    /// When the next request is due; never where only a completion can help.
    pub(crate) next: Time,
    pub(crate) in_flight: u64,
}

impl Patience {
    /// From where a run is.
    pub(crate) fn of(run: &Simulation) -> Self {
        let (since, firings) = (run.now(), run.marking().firings_total());
        Self { since, firings, completed: since, arrived: 0, by_transition: Vec::new() }
    }

    /// Something has completed.
    pub(crate) fn complete(&mut self, run: &Simulation) {
        self.completed = run.now();
        self.renew(run);
    }

    /// The net can't go on: what that is, where it only is that timers have gone on until the clock's range was over.
    pub(crate) fn judged(
        &self,
        error: RunError,
        run: &Simulation,
        devices: &[DevicePlaces],
        (awaited, onlooker): (Awaited, &impl Onlooker),
    ) -> EngineError {
        let is_over = matches!(error, RunError::Overflow { .. });
        let nobody = || self.nobody_serves(run, devices, (awaited, onlooker));
        is_over.then(nobody).flatten().unwrap_or_else(|| error.into())
    }

    /// Whether requests wait, and have for long, and no device has anything to do.
    fn nobody_serves(
        &self,
        run: &Simulation,
        devices: &[DevicePlaces],
        (Awaited { next, in_flight }, onlooker): (Awaited, &impl Onlooker),
    ) -> Option<EngineError> {
        let (now, passed) = (run.now(), run.now() - self.completed);
        let waits = in_flight > 0 && next.is_never() && passed > SERVED_WITHIN;
        (waits && at_devices(run, devices) == 0).then(|| EngineError::NobodyServes {
            now,
            waiting: onlooker.waiting(run, in_flight),
            passed,
        })
    }

    /// Something has been done.
    fn renew(&mut self, run: &Simulation) {
        self.since = run.now();
        self.firings = run.marking().firings_total();
        self.by_transition.clear();
    }

    /// To be asked now and then while nothing completes.
    pub(crate) fn check(
        &mut self,
        run: &Simulation,
        devices: &[DevicePlaces],
        (awaited, onlooker): (Awaited, &impl Onlooker),
    ) -> Result<(), EngineError> {
        let marking = run.marking();
        let arrived = devices.iter().map(|&(port, _)| marking.statistics(port).arrivals).sum();
        if arrived != self.arrived {
            self.renew(run);
            self.arrived = arrived;
        }
        let transitions = run.net().transition_paths().count();
        let fired = (0..transitions).map(|transition| marking.firings(transition));
        if self.by_transition.is_empty() {
            self.by_transition = fired.collect();
            return Ok(());
        }
        let firings = marking.firings_total() - self.firings;
        if firings < FIRINGS_IDLE {
            return Ok(());
        }
        if let Some(failure) = self.nobody_serves(run, devices, (awaited, onlooker)) {
            return Err(failure);
        }
        let passed = run.now() - self.since;
        let busiest = fired
            .zip(&self.by_transition)
            // Statistics may have begun anew since.
            .map(|(now, before)| now.saturating_sub(*before))
            .zip(run.net().transition_paths())
            .max_by_key(|(fired, _)| *fired);
        let transition = busiest.map(|(_, path)| path.to_owned()).unwrap_or_default();
        let Awaited { next, in_flight } = awaited;
        if next.is_never() {
            return Err(EngineError::NothingDone { now: run.now(), in_flight, firings, passed, transition });
        }
        let pace = passed.as_seconds() / firings as f64;
        let ahead = (next - run.now()).as_seconds() / pace;
        if ahead > FIRINGS_AHEAD {
            return Err(EngineError::TimeCrawls { now: run.now(), firings, passed, transition, next });
        }
        Ok(())
    }
}

/// How many requests devices have.
fn at_devices(run: &Simulation, devices: &[DevicePlaces]) -> u64 {
    let marking = run.marking();
    // Several devices may give back at one place.
    let backs: BTreeSet<usize> = devices.iter().map(|(_, back)| back.id().index()).collect();
    let statistics = devices.iter().map(|(port, _)| marking.statistics(*port));
    // Statistics may have begun anew since they came.
    let came: i128 = statistics.map(|place| i128::from(place.arrivals)).sum();
    let went: i128 = backs.iter().map(|&back| i128::from(marking.statistics_at(back).arrivals)).sum();
    u64::try_from(came - went).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::NetBuilder;

    /// A clock that ticks, and nothing else.
    fn clock(every: Time) -> Simulation {
        let mut net = NetBuilder::new("clock");
        let mut page = net.top();
        let ticks = page.fifo::<()>("ticks");
        page.initial(ticks, [()]);
        let mut tick = page.transition("tick");
        let (taken, put) = (tick.take(ticks), tick.put(ticks));
        tick.action(move |firing| {
            let _: () = firing.take(taken);
            firing.put_after(put, (), every);
        });
        Simulation::new(&net.build().unwrap(), 1, 0)
    }

    struct Nobody;

    impl Onlooker for Nobody {}

    fn waited(every: Time, awaited: Awaited) -> Result<(), EngineError> {
        let mut run = clock(every);
        let mut patience = Patience::of(&run);
        for _ in 0..12 {
            run.run_firings(1 << 20)
                .map_err(|error| patience.judged(error, &run, &[], (awaited, &Nobody)))?;
            patience.check(&run, &[], (awaited, &Nobody))?;
        }
        Ok(())
    }

    #[test]
    fn a_timer_of_a_picosecond_is_named_and_one_of_five_seconds_waits_for_days() {
        let due = Awaited { next: Time::from_whole_seconds(180 * 86_400), in_flight: 0 };
        let error = waited(Time::from_picos(1), due).unwrap_err();
        assert!(
            matches!(&error, EngineError::TimeCrawls { transition, .. } if transition.ends_with("tick")),
            "{error}"
        );
        waited(Time::from_millis(1), due).unwrap();
    }

    #[test]
    fn ticks_alone_complete_nothing() {
        let nothing = Awaited { next: Time::NEVER, in_flight: 3 };
        let error = waited(Time::from_micros(10), nothing).unwrap_err();
        assert!(matches!(&error, EngineError::NothingDone { in_flight: 3, .. }), "{error}");
    }

    /// A clock that ticks every second has ticked eight million times within the clock's range, one that ticks every ten seconds hasn't.
    #[test]
    fn who_waits_for_ever_while_timers_go_on_waits_for_nobody_and_needs_no_shorter_run() {
        let nothing = Awaited { next: Time::NEVER, in_flight: 3 };
        for every in [1, 10] {
            let error = waited(Time::from_whole_seconds(every), nothing).unwrap_err();
            let EngineError::NobodyServes { waiting, passed, .. } = &error else { panic!("{error}") };
            assert!(waiting.in_flight == 3 && passed.as_seconds() > 8e6, "{error}");
            let words = error.to_string();
            assert!(
                words.contains("3 requests are in flight") && words.contains("nobody serves them"),
                "{words}"
            );
        }
        // Nobody waits: the run is too long.
        let error = waited(Time::from_whole_seconds(10), Awaited { in_flight: 0, ..nothing }).unwrap_err();
        assert!(matches!(error, EngineError::ClockOver(_)), "{error}");
    }
}
