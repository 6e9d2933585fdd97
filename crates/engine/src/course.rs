//! A load driven to its end: programs issue requests, the net serves them, completions go back to their programs.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::limits::STEP;
use crate::listener::Onlooker;
use crate::load::Load;
use crate::patience::{Awaited, Patience};
use crate::visits::Visits;
use petrio_kernel::{Pause, Time};
use petrio_workload::Due;
use std::sync::Arc;

/// Firings between two looks at whether a run is still wanted, where somebody can stop it: some hundredths of a second.
const WATCHED_STEP: u64 = 1 << 13;
/// Requests between two signs of progress.
const SIGN: u64 = 4_096;
/// Requests in flight, for each disk, beyond which the System is said not to keep up: a hundred times what a host
/// queues at most, and few enough that a discipline that looks at all of them still gets there within seconds.
const IN_FLIGHT_LIMIT: u64 = 100_000;

impl Engine {
    /// Drives it under a load to the load's end, or to the engine's [limits](Self::set_limits).
    ///
    /// # Errors
    /// What the programs, the net or the listener can't do; a System that doesn't keep up, or does nothing any more; a
    /// run that was stopped.
    #[expect(
        clippy::too_many_lines,
        reason = "one loop: the order in which it asks makes arrivals, completions and limits exact"
    )]
    pub fn run<L: Onlooker>(&mut self, load: &mut impl Load<L>, listener: &mut L) -> Result<(), EngineError> {
        let system = Arc::clone(&self.system);
        let devices = &*system.devices;
        listener.begins(&mut self.run);
        let mut visits = listener.hears_devices().then(|| Visits::watch(&mut self.run, devices));
        let time_limit = self.limits.time.unwrap_or(Time::NEVER);
        let request_limit = self.limits.requests.unwrap_or(u64::MAX);
        let in_flight_limit = IN_FLIGHT_LIMIT * devices.len().max(1) as u64;
        // What is in flight already, where it goes on.
        let (mut issued, mut completed, mut told) = (load.in_flight(), 0u64, 0u64);
        let mut patience = Patience::of(&self.run);
        let step = if self.watch.is_kept() { WATCHED_STEP } else { STEP };

        while load.served() < request_limit {
            if self.watch.is_stopped() {
                self.stop()?;
                break;
            }
            self.check_memory(completed, issued - completed)?;
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
            if next <= self.run.now() {
                if load.issue(&mut self.run, listener)? {
                    issued += 1;
                    if issued - completed > in_flight_limit {
                        return Err(EngineError::Overload {
                            now: self.run.now(),
                            in_flight: issued - completed,
                        });
                    }
                } else if load.due(time_limit).is_ok_and(|next| next == due) {
                    return Err(EngineError::stalled(
                        self.run.now(),
                        listener.waiting(&self.run, issued - completed),
                    ));
                }
                continue;
            }
            let until = next.min(time_limit).min(listener.looks_at());
            let pause = self.run.run(until, step);
            let awaited = Awaited { next, in_flight: issued - completed };
            let pause =
                pause.map_err(|error| patience.judged(error, &self.run, devices, (awaited, &*listener)))?;
            if let Some(visits) = &mut visits {
                tell_visits(visits, listener)?;
            }
            if pause == Pause::Stopped {
                let now = self.run.now();
                completed += load.complete(&mut self.run, listener)?;
                patience.complete(&self.run);
                if completed - told >= SIGN {
                    self.tell(&mut told, completed, now)?;
                }
                continue;
            }
            self.tell(&mut told, completed, self.run.now())?;
            if pause == Pause::Firings {
                patience.check(&self.run, devices, (awaited, &*listener))?;
                continue;
            }
            if self.run.now() >= listener.looks_at() {
                listener.look(&mut self.run);
            }
            if self.run.now() >= time_limit {
                break;
            }
            if next.is_never() && pause == Pause::Dead {
                return Err(EngineError::stalled(
                    self.run.now(),
                    listener.waiting(&self.run, issued - completed),
                ));
            }
        }
        self.tell(&mut told, completed, self.run.now())?;
        if let Some(visits) = visits {
            visits.rest().try_for_each(|visit| listener.visited(&visit))?;
        }
        self.run.check_conservation()?;
        Ok(())
    }

    /// Tells what has been done since it was last told.
    fn tell(&self, told: &mut u64, completed: u64, now: Time) -> Result<(), EngineError> {
        let more = completed - std::mem::replace(told, completed);
        if self.watch.tell(more, now).is_break() { self.stop() } else { Ok(()) }
    }

    /// It is no longer wanted: whether that is its end, or a failure.
    fn stop(&self) -> Result<(), EngineError> {
        if self.limits.so_far { Ok(()) } else { Err(EngineError::Stopped) }
    }
}

/// Tells of the requests that are over, in order of arrival.
fn tell_visits(visits: &mut Visits, listener: &mut impl Onlooker) -> Result<(), EngineError> {
    visits.look(listener.counts_devices());
    while let Some(visit) = visits.next() {
        listener.visited(&visit)?;
    }
    Ok(())
}
