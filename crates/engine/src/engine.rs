//! An engine: a System and where it is, which whoever has it drives on.

use crate::error::{EngineError, StillWaiting};
use crate::limits::{Limits, STEP};
use crate::listener::Onlooker;
use crate::patience::{Awaited, Patience};
use crate::submission::{Completion, Ticket};
use crate::submittable::{Submittable, arrivals_of};
use crate::system::System;
use petrio_bounds::Headroom;
use petrio_colours::{BlockRequest, FileId, FileOp};
use petrio_kernel::{Pause, Simulation, Time, Watch};
use std::sync::Arc;

/// A System at an instant of model time. Clones go on each for itself, and both as the one would have.
///
/// ```
/// use petrio_colours::{BlockRequest, Direction};
/// use petrio_engine::{Engine, System, programs_page};
/// use petrio_kernel::{NetBuilder, Time};
/// use std::sync::Arc;
///
/// // A System is a net and its ports. Models make large ones, scenarios those of their text; this one has a drum, whose requests
/// // take the longer the farther in they are.
/// let mut net = NetBuilder::new("a drum");
/// let mut page = net.top();
/// let (down, up) = (page.fifo::<BlockRequest>("requests"), page.fifo::<BlockRequest>("completions"));
/// let mut serve = page.transition("serve");
/// let (request, done) = (serve.take(down), serve.put(up));
/// serve.action(move |f| {
///     let request = f.take(request);
///     let time = Time::from_millis(4) + Time::from_micros(request.address);
///     f.put_after(done, request, time);
/// });
/// let ports = programs_page(&mut page, (&[down], "drum"), |_| 0, up);
/// let system = Arc::new(System::new(net.build()?, ports, vec![(down, up)]));
///
/// // A loop of one's own: a program that decides by what comes back where it reads next.
/// let mut engine = Engine::new(&system, 1, 0);
/// let program = engine.program(0)?;
/// let read = |address| BlockRequest { direction: Direction::Read, address, blocks: 8, ..BlockRequest::default() };
/// engine.submit(program, read(0), Time::ZERO)?;
/// let mut addresses = vec![0];
/// while let Some(done) = engine.advance(Time::NEVER)?.pop() {
///     // On as long as reads are fast, then back to the beginning; after a millisecond of thought.
///     let is_fast = done.took() < Some(Time::from_millis(6));
///     let next = if is_fast { addresses[addresses.len() - 1] + 1_000 } else { 0 };
///     addresses.push(next);
///     if addresses.len() == 6 {
///         break;
///     }
///     engine.submit(program, read(next), done.at + Time::from_millis(1))?;
/// }
/// assert_eq!(addresses, [0, 1_000, 2_000, 0, 1_000, 2_000]);
/// assert_eq!(engine.now(), Time::from_millis(4 + 5 + 6 + 4 + 5 + 4));
///
/// // What if? Two that go on from here, each for itself.
/// let mut other = engine.fork();
/// other.submit(program, read(9_000), other.now())?;
/// assert_eq!(other.advance(Time::NEVER)?.len(), 1);
/// assert_eq!(engine.now() + Time::from_millis(13), other.now());
///
/// // Put aside, for another process that builds the same System.
/// let bytes = engine.save()?;
/// let mut resumed = Engine::resume(&system, &bytes)?;
/// resumed.submit(program, read(9_000), resumed.now())?;
/// resumed.advance(Time::NEVER)?;
/// assert_eq!(resumed.now(), other.now());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    pub(crate) system: Arc<System>,
    pub(crate) run: Simulation,
    pub(crate) limits: Limits,
    pub(crate) watch: Watch,
    pub(crate) headroom: Headroom,
    /// What was submitted by hand, and of that what has come back.
    pub(crate) submitted: u64,
    pub(crate) answered: u64,
    /// The next numbers that are free.
    pub(crate) next_file: u32,
    pub(crate) next_process: u32,
}

/// Where an engine was, complete.
#[derive(Clone)]
pub struct Saved(Engine);

/// A process that asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Program(pub u32);

impl Engine {
    /// At the beginning of a run: its random streams are those of this seed and replication.
    pub fn new(system: &Arc<System>, seed: u64, replication: u64) -> Self {
        Self {
            run: Simulation::new(&system.net, seed, replication),
            limits: Limits::default(),
            watch: Watch::default(),
            headroom: Headroom::default(),
            submitted: 0,
            answered: 0,
            next_file: system.first_free_file,
            next_process: system.first_free_process,
            system: Arc::clone(system),
        }
    }

    /// The System.
    pub const fn system(&self) -> &Arc<System> {
        &self.system
    }

    /// The net where it is, to look at.
    pub const fn simulation(&self) -> &Simulation {
        &self.run
    }

    /// The net where it is, to observe and to take samples from.
    pub const fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.run
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.run.now()
    }

    /// When a [`run`](Self::run) ends at the latest.
    pub const fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Who can stop it, and hears how far it has come.
    pub fn set_watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    /// Sets a page's speed, by its path: see [`Simulation::set_speed`]. A page that isn't there has none.
    pub fn set_speed(&mut self, path: &str, factor: f64) {
        if let Some(page) = self.run.net().find_page(path) {
            self.run.set_speed(page, factor);
        }
    }

    /// Other random numbers from here on, those of this seed and replication: so that several runs share one warmed state.
    pub fn reseed(&mut self, seed: u64, replication: u64) {
        self.run.reseed(seed, replication);
    }

    /// A process that nobody has planned, on a host (0 where programs ask devices).
    ///
    /// # Errors
    /// [`EngineError::NoSuchPart`]: a host that isn't there.
    pub fn program(&mut self, host: usize) -> Result<Program, EngineError> {
        let hosts = self.system.ports.operations.as_ref().map_or(1, |ports| ports.hosts.max(1));
        if host >= hosts {
            let there = if hosts == 1 { "one".to_owned() } else { format!("{hosts}, numbered from 0") };
            return Err(EngineError::NoSuchPart { part: format!("host {host}"), there });
        }
        let process = self.next_process;
        if let Some(begins) = self.system.ports.operations.as_ref().and_then(|ports| ports.begins) {
            self.run.inject(begins, (process, u32::try_from(host).unwrap_or(u32::MAX)), self.run.now())?;
        }
        self.next_process += 1;
        Ok(Program(process))
    }

    /// The number of a file (or directory) that nobody has planned and that a program is going to make
    /// ([`Operation::Create`](petrio_colours::Operation::Create), [`Operation::Mkdir`](petrio_colours::Operation::Mkdir)).
    pub const fn new_file(&mut self) -> FileId {
        let file = FileId(self.next_file);
        self.next_file += 1;
        file
    }

    /// A program asks for something at a time, now or later. Its number, its process and its time are set here; of a request whose
    /// parts are none of this System's the answer is its failure, or an error of [`advance`](Self::advance).
    ///
    /// # Errors
    /// [`EngineError::Past`], [`EngineError::NoSuchPart`] where nothing takes such, [`EngineError::TooMuchMemory`].
    pub fn submit<R: Submittable>(
        &mut self,
        program: Program,
        asked: R,
        at: Time,
    ) -> Result<Ticket, EngineError> {
        let arrivals = arrivals_of(&self.system, &asked)?;
        if at < self.now() {
            return Err(EngineError::Past { at, now: self.now() });
        }
        self.check_memory(self.answered, self.under_way())?;
        let ticket = Ticket::number(self.submitted);
        let mut request = asked.by(program.0, at);
        request.set_id(ticket.id());
        self.run.inject(arrivals, request, at)?;
        self.submitted += 1;
        Ok(ticket)
    }

    /// A program has ended: who waits for it (a scheduler that keeps its queue) is told.
    ///
    /// # Errors
    /// What the net refuses.
    pub fn end(&mut self, program: Program) -> Result<(), EngineError> {
        if let Some(exits) = self.system.ports.operations.as_ref().and_then(|ports| ports.exits) {
            self.run.inject(exits, program.0, self.run.now())?;
        }
        Ok(())
    }

    /// How many submissions haven't come back.
    pub const fn under_way(&self) -> u64 {
        self.submitted - self.answered
    }

    /// Goes on to the first instant at which something submitted comes back, and says what did; where nothing does until then, to
    /// `until`, with nothing to say. Where nothing is under way and `until` is [`Time::NEVER`], it stays.
    ///
    /// # Errors
    /// What the net can't do; a System in which what is under way never comes back; one that needs too much memory; one that was
    /// stopped.
    pub fn advance(&mut self, until: Time) -> Result<Vec<Completion>, EngineError> {
        let mut done = Vec::new();
        self.collect(&mut done);
        if until.is_never() && self.under_way() == 0 {
            return Ok(done);
        }
        let system = Arc::clone(&self.system);
        let mut patience = Patience::of(&self.run);
        while done.is_empty() {
            if self.watch.is_stopped() {
                return Err(EngineError::Stopped);
            }
            self.check_memory(self.answered, self.under_way())?;
            let awaited = Awaited { next: until, in_flight: self.under_way() };
            let pause = self
                .run
                .run(until, STEP)
                .map_err(|error| patience.judged(error, &self.run, &system.devices, (awaited, &Nobody)))?;
            match pause {
                Pause::Stopped => self.collect(&mut done),
                Pause::Firings => patience.check(&self.run, &system.devices, (awaited, &Nobody))?,
                Pause::Dead if until.is_never() => {
                    let waiting = StillWaiting { in_flight: self.under_way(), ..StillWaiting::default() };
                    return Err(EngineError::stalled(self.now(), waiting));
                }
                Pause::Time | Pause::Dead => break,
            }
        }
        Ok(done)
    }

    /// When something can happen next, whether it lets something come back or not; `None` where nothing will without a submission.
    ///
    /// # Errors
    /// What the net can't do at this instant.
    pub fn next_time(&mut self) -> Result<Option<Time>, EngineError> {
        let next = self.run.next_time()?;
        let waits = |engine: &Self| {
            let (operations, requests) = (&engine.system.ports.operations, &engine.system.ports.requests);
            let marking = engine.run.marking();
            operations.as_ref().is_some_and(|ports| !marking.is_empty(ports.done))
                || requests.as_ref().is_some_and(|ports| !marking.is_empty(ports.done))
        };
        Ok(if waits(self) { Some(self.now()) } else { next })
    }

    /// Where it is.
    pub fn checkpoint(&self) -> Saved {
        Saved(self.clone())
    }

    /// Back, or on, to where an engine of the same System was.
    ///
    /// # Errors
    /// [`EngineError::OtherSystem`].
    pub fn restore(&mut self, saved: &Saved) -> Result<(), EngineError> {
        if !Arc::ptr_eq(&self.system, &saved.0.system) {
            return Err(EngineError::OtherSystem);
        }
        *self = saved.0.clone();
        Ok(())
    }

    /// Another that goes on from here.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// Sees that all that is declared constant is.
    ///
    /// # Errors
    /// [`EngineError::Contradiction`].
    pub fn check(&self) -> Result<(), EngineError> {
        Ok(self.run.check_conservation()?)
    }

    /// Takes what has come back.
    fn collect(&mut self, done: &mut Vec<Completion>) {
        let system = Arc::clone(&self.system);
        if let Some(ports) = &system.ports.operations {
            self.take::<FileOp>(ports.done, done);
        }
        if let Some(ports) = &system.ports.requests {
            self.take::<BlockRequest>(ports.done, done);
        }
    }

    fn take<R: Submittable>(&mut self, place: petrio_kernel::Place<R>, done: &mut Vec<Completion>) {
        let at = self.run.now();
        for request in self.run.drain(place) {
            let Some(ticket) = Ticket::of(request.id()) else { continue };
            self.answered += u64::from(!request.is_word());
            done.push(Completion { ticket, at, answer: request.answer() });
        }
    }

    pub(crate) fn check_memory(&mut self, completed: u64, in_flight: u64) -> Result<(), EngineError> {
        let now = self.run.now();
        self.headroom.record().map_err(|cause| EngineError::TooMuchMemory {
            now,
            completed,
            in_flight,
            cause,
        })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { submitted, answered, .. } = self;
        write!(f, "Engine at {} ({submitted} submitted, {answered} answered)", self.now())
    }
}

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Saved: {:?}", self.0)
    }
}

/// Nobody looks on.
struct Nobody;

impl Onlooker for Nobody {}
