//! What is asked of a System in a run: the programs of one colour, or those of both side by side.

use crate::error::EngineError;
use crate::growth::{Growth, Rates};
use crate::listener::Listener;
use crate::ports::ProgramPorts;
use crate::programs::Programs;
use crate::submittable::{Submittable, ports_of};
use crate::system::System;
use petrio_colours::Request;
use petrio_kernel::{Place, Simulation, Time};
use petrio_persist::Persist;
use petrio_workload::Due;

/// What issues requests into a net and takes back what has completed there, as an engine sees it.
pub trait Load<L> {
    /// When the next request is due, in a run that ends at `limit` at the latest.
    ///
    /// # Errors
    /// A workload that can't go on.
    fn due(&mut self, limit: Time) -> Result<Due, EngineError>;

    /// Issues the request that is due now; whether there was one.
    ///
    /// # Errors
    /// A workload that can't go on, or what the net or the listener can't do.
    fn issue(&mut self, run: &mut Simulation, listener: &mut L) -> Result<bool, EngineError>;

    /// Takes what has completed; how many.
    ///
    /// # Errors
    /// A workload that can't go on, or what the listener can't do.
    fn complete(&mut self, run: &mut Simulation, listener: &mut L) -> Result<u64, EngineError>;

    /// What has been issued and hasn't completed.
    fn in_flight(&self) -> u64;

    /// Of all that has completed, what storage was asked for: messages between processes are no requests of a report.
    fn served(&self) -> u64;
}

/// The programs of one colour and where they meet the net.
#[derive(Persist)]
pub struct Lane<'n, R, P> {
    #[persist(keep)]
    ports: &'n ProgramPorts<R>,
    #[persist(keep)]
    told: &'n [Place<R>],
    programs: P,
    #[persist(keep)]
    counts_failures: bool,
    issued: u64,
    completed: u64,
    /// Of these, what storage is asked for.
    asked: u64,
    served: u64,
    growth: Growth,
    /// When the last request completed.
    last: Time,
    due: Due,
}

impl<'n, R: Submittable, P> Lane<'n, R, P> {
    /// Programs where a System takes what they ask for.
    ///
    /// # Errors
    /// [`EngineError::NoSuchPart`]: nothing there takes such.
    pub fn at(system: &'n System, programs: P) -> Result<Self, EngineError> {
        Ok(Self::new(ports_of(system)?, programs))
    }
}

impl<'n, R, P> Lane<'n, R, P> {
    /// Programs at the ports of their page.
    pub fn new(ports: &'n ProgramPorts<R>, programs: P) -> Self {
        Self {
            ports,
            told: &[],
            programs,
            counts_failures: false,
            issued: 0,
            completed: 0,
            asked: 0,
            served: 0,
            growth: Growth::default(),
            last: Time::ZERO,
            due: Due::AfterCompletion,
        }
    }

    /// With others in the net who hear of each request as it is issued, at the same time.
    #[must_use]
    pub fn told(mut self, places: &'n [Place<R>]) -> Self {
        self.told = places;
        self
    }

    /// Whether a request that can't be done is told to the listener and counted, instead of being the run's end.
    #[must_use]
    pub const fn counting_failures(mut self, counts: bool) -> Self {
        self.counts_failures = counts;
        self
    }

    /// Requests that were issued and haven't completed.
    pub const fn in_flight(&self) -> u64 {
        self.issued - self.completed
    }

    /// When its last request completed, if there will be no more.
    pub fn ended(&self) -> Option<Time> {
        (self.due == Due::Never && self.in_flight() == 0).then_some(self.last)
    }

    /// What comes and what is served, a second, where that is less.
    pub fn overload(&self) -> Option<Rates> {
        self.growth.overload()
    }

    /// The programs.
    pub const fn programs(&self) -> &P {
        &self.programs
    }

    /// What the programs have to say.
    pub fn into_programs(self) -> P {
        self.programs
    }
}

impl<R: Request, P: Programs<R>, L: Listener<R>> Load<L> for Lane<'_, R, P> {
    #[inline]
    fn due(&mut self, limit: Time) -> Result<Due, EngineError> {
        self.due = match self.programs.due() {
            // A run that ends before needs none of it.
            Err(EngineError::Workload(error)) if error.is_beyond_horizon() && !limit.is_never() => {
                Due::At(Time::NEVER)
            }
            due => due?,
        };
        Ok(self.due)
    }

    #[inline]
    fn issue(&mut self, run: &mut Simulation, listener: &mut L) -> Result<bool, EngineError> {
        let Some(item) = self.programs.issue(run.now())? else { return Ok(false) };
        self.issued += 1;
        if item.request.is_of_storage() {
            let now = run.now();
            let workload = self.programs.workload_of(item.request.id());
            listener.issued(workload, &item, run)?;
            self.asked += 1;
            self.growth.note(self.asked, self.asked - self.served, now);
            for port in self.told {
                run.inject(*port, item.request.clone(), run.now())?;
            }
        }
        run.inject(self.ports.arrivals, item.request, run.now())?;
        Ok(true)
    }

    #[inline]
    fn complete(&mut self, run: &mut Simulation, listener: &mut L) -> Result<u64, EngineError> {
        let (before, now) = (self.completed, run.now());
        loop {
            let Some(done) = run.drain(self.ports.done).next() else { break };
            if done.is_word() {
                self.programs.submitted(done.id(), now)?;
                continue;
            }
            self.completed += 1;
            self.last = now;
            let workload = self.programs.workload_of(done.id());
            match done.status().failure() {
                None => self.programs.complete(done.id(), now)?,
                Some(failure) => self.programs.failed(done.id(), failure, now)?,
            }
            if let Some(exits) = self.ports.exits {
                while let Some(process) = self.programs.ended_process() {
                    run.inject(exits, process, now)?;
                }
            }
            self.served += u64::from(done.is_of_storage());
            match done.status().failure() {
                None if !done.is_of_storage() => listener.beside(&done, now),
                None => listener.completed(workload, &done, run)?,
                Some(failure) if self.counts_failures => listener.failed(&done, failure, run)?,
                Some(failure) => return Err(EngineError::refused(&done, failure, now)),
            }
        }
        Ok(self.completed - before)
    }

    fn in_flight(&self) -> u64 {
        self.issued - self.completed
    }

    fn served(&self) -> u64 {
        self.served
    }
}

/// Two loads side by side. Of what is due at the same time, the first one's comes first.
#[derive(Persist)]
pub struct SideBySide<A, B> {
    first: A,
    second: B,
    due: (Due, Due),
}

impl<A, B> SideBySide<A, B> {
    /// Both from the beginning.
    pub const fn new(first: A, second: B) -> Self {
        Self { first, second, due: (Due::AfterCompletion, Due::AfterCompletion) }
    }

    /// Each for itself again.
    pub fn into_parts(self) -> (A, B) {
        (self.first, self.second)
    }
}

impl<L, A: Load<L>, B: Load<L>> Load<L> for SideBySide<A, B> {
    fn due(&mut self, limit: Time) -> Result<Due, EngineError> {
        self.due = (self.first.due(limit)?, self.second.due(limit)?);
        Ok(match self.due {
            (Due::At(a), Due::At(b)) => Due::At(a.min(b)),
            (Due::At(time), _) | (_, Due::At(time)) => Due::At(time),
            (Due::Never, Due::Never) => Due::Never,
            _ => Due::AfterCompletion,
        })
    }

    fn issue(&mut self, run: &mut Simulation, listener: &mut L) -> Result<bool, EngineError> {
        let now = run.now();
        match self.due {
            // What was due for a look only has nothing to issue; the other may have.
            (Due::At(time), _) if time <= now && self.first.issue(run, listener)? => Ok(true),
            _ => self.second.issue(run, listener),
        }
    }

    fn complete(&mut self, run: &mut Simulation, listener: &mut L) -> Result<u64, EngineError> {
        Ok(self.first.complete(run, listener)? + self.second.complete(run, listener)?)
    }

    fn in_flight(&self) -> u64 {
        self.first.in_flight() + self.second.in_flight()
    }

    fn served(&self) -> u64 {
        self.first.served() + self.second.served()
    }
}
