//! One run: programs issue requests, the net serves them, completions go back to their programs, until the end.
//!
//! It knows no scenario: whoever has a net, a [`Load`] and something to measure runs them here.

use crate::run::RunFailure;
use crate::run::listener::Onlooker;
use crate::run::load::Load;
use crate::run::patience::{Awaited, Patience};
use crate::run::visits::{DevicePlaces, Visits};
use petrio_bounds::Headroom;
use petrio_kernel::{Net, Pause, Simulation, Time, Watch};
use petrio_workload::Due;
use std::sync::Arc;

/// Firings between two signs of progress where nothing completes.
const STEP: u64 = 1 << 20;
/// Firings between two looks at whether a run is still wanted, where somebody can stop it: some hundredths of a second.
const WATCHED_STEP: u64 = 1 << 13;
/// Requests between two signs of progress.
const SIGN: u64 = 4_096;
/// Requests in flight, for each disk, beyond which the System is said not to keep up: a hundred times what a host
/// queues at most, and few enough that a discipline that looks at all of them still gets there within seconds.
const IN_FLIGHT_LIMIT: u64 = 100_000;

/// When a run ends, if its workload doesn't end first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After so many completed requests of storage.
    pub requests: Option<u64>,
    /// At this model time.
    pub time: Option<Time>,
    /// Where it is now, once it is stopped; otherwise what is stopped gives nothing.
    pub so_far: bool,
}

/// A net and how it is run.
pub struct Engine<'n> {
    /// The System.
    pub net: &'n Arc<Net>,
    /// Where requests reach its devices and come back: as long as something reaches one of them, something is done.
    pub devices: &'n [DevicePlaces],
    /// Where random numbers begin.
    pub seed: u64,
    /// The number of the run among those of the same seed.
    pub replication: u64,
    /// Speed factors by page path.
    pub speeds: &'n [(&'n str, f64)],
    /// When it ends at the latest.
    pub limits: Limits,
    /// Whether it is still wanted, and who hears how far it has come.
    pub watch: &'n Watch,
}

/// A run that has ended.
pub struct Ended {
    /// What it left.
    pub run: Simulation,
}

impl Engine<'_> {
    /// Runs it under a load to its end.
    ///
    /// # Errors
    /// What the programs, the net or the listener can't do; a System that doesn't keep up, or does nothing any more; a
    /// run that was stopped.
    pub fn run<L: Onlooker>(&self, load: &mut impl Load<L>, listener: &mut L) -> Result<Ended, RunFailure> {
        let mut run = Simulation::new(self.net, self.seed, self.replication);
        for (path, factor) in self.speeds {
            if let Some(page) = self.net.find_page(path) {
                run.set_speed(page, *factor);
            }
        }
        listener.begins(&mut run);
        let mut visits = listener.hears_devices().then(|| Visits::watch(&mut run, self.devices));
        let time_limit = self.limits.time.unwrap_or(Time::NEVER);
        let request_limit = self.limits.requests.unwrap_or(u64::MAX);
        let in_flight_limit = IN_FLIGHT_LIMIT * self.devices.len().max(1) as u64;
        let (mut issued, mut completed, mut told) = (0u64, 0u64, 0u64);
        let mut patience = Patience::new();
        let mut headroom = Headroom::default();
        let step = if self.watch.is_kept() { WATCHED_STEP } else { STEP };

        while load.served() < request_limit {
            if self.watch.is_stopped() {
                self.stop()?;
                break;
            }
            headroom.record().map_err(|cause| RunFailure::TooMuchMemory {
                now: run.now(),
                completed,
                in_flight: issued - completed,
                cause,
            })?;
            let due = load.due(time_limit)?;
            if due == Due::Never && issued == completed {
                // The end is the last completion: what a drive reads ahead or writes back after it is nobody's time,
                // and a limit still to come isn't waited for.
                break;
            }
            let next = match due {
                Due::At(time) => time,
                Due::AfterCompletion | Due::Never => Time::NEVER,
            };
            if next <= run.now() {
                if load.issue(&mut run, listener)? {
                    issued += 1;
                    if issued - completed > in_flight_limit {
                        return Err(RunFailure::Overload { now: run.now(), in_flight: issued - completed });
                    }
                } else if load.due(time_limit).is_ok_and(|next| next == due) {
                    return Err(stalled(&run, issued - completed, listener));
                }
                continue;
            }
            let until = next.min(time_limit).min(listener.looks_at());
            let pause = run.run(until, step);
            let awaited = Awaited { next, in_flight: issued - completed };
            let pause =
                pause.map_err(|error| patience.judged(error, &run, self.devices, (awaited, &*listener)))?;
            if let Some(visits) = &mut visits {
                tell_visits(visits, listener)?;
            }
            if pause == Pause::Stopped {
                let now = run.now();
                completed += load.complete(&mut run, listener)?;
                patience.complete(&run);
                if completed - told >= SIGN {
                    self.tell(&mut told, completed, now)?;
                }
                continue;
            }
            self.tell(&mut told, completed, run.now())?;
            if pause == Pause::Firings {
                patience.check(&run, self.devices, (awaited, &*listener))?;
                continue;
            }
            if run.now() >= listener.looks_at() {
                listener.look(&mut run);
            }
            if run.now() >= time_limit {
                break;
            }
            if next.is_never() && pause == Pause::Dead {
                return Err(stalled(&run, issued - completed, listener));
            }
        }
        self.tell(&mut told, completed, run.now())?;
        if let Some(visits) = visits {
            visits.rest().try_for_each(|visit| listener.visited(&visit))?;
        }
        run.check_conservation()?;
        Ok(Ended { run })
    }

    /// Tells what has been done since it was last told.
    fn tell(&self, told: &mut u64, completed: u64, now: Time) -> Result<(), RunFailure> {
        let more = completed - std::mem::replace(told, completed);
        if self.watch.tell(more, now).is_break() { self.stop() } else { Ok(()) }
    }

    /// It is no longer wanted: whether that is its end, or a failure.
    fn stop(&self) -> Result<(), RunFailure> {
        if self.limits.so_far { Ok(()) } else { Err(RunFailure::Stopped) }
    }
}

fn stalled(run: &Simulation, in_flight: u64, listener: &impl Onlooker) -> RunFailure {
    RunFailure::Stalled { now: run.now(), waiting: listener.waiting(run, in_flight) }
}

/// Tells of the requests that are over, in order of arrival.
fn tell_visits(visits: &mut Visits, listener: &mut impl Onlooker) -> Result<(), RunFailure> {
    visits.look(listener.counts_devices());
    while let Some(visit) = visits.next() {
        listener.visited(&visit)?;
    }
    Ok(())
}
