//! The thread that keeps the time: it hands requests to the engine when they arrive, and answers them when their time has come.

mod ahead;
mod gate;
mod power;
mod wait;

use crate::answer::{Answer, Refusal};
use crate::clock::Clock;
use crate::device::{DeviceSpec, Kind};
use crate::emulator::EmulateError;
use crate::faults::{Decision, FaultProfile, Faults, Stalls};
use crate::record::{Fact, Facts};
use crate::store::{Content, Store};
use ahead::Ahead;
use gate::Gate;
use petrio_colours::BlockRequest;
use petrio_engine::{Answer as Returned, Engine, EngineError, Program, System, Ticket};
use petrio_random::Generator;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use power::Power;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// A device's part that threads share.
pub(crate) struct DeviceState {
    pub(crate) spec: DeviceSpec,
    pub(crate) store: Mutex<Store>,
}

/// What is handed to the pacer.
pub(crate) enum Message {
    Request(Box<Arrival>),
    /// The power is cut.
    Cut,
    /// And comes back.
    Back,
    End,
}

/// A request that has arrived.
pub(crate) struct Arrival {
    pub(crate) device: usize,
    pub(crate) arrived: Time,
    pub(crate) kind: Kind,
    pub(crate) blocks: (u64, u64),
    pub(crate) through: bool,
    pub(crate) content: Option<(u64, Content)>,
    /// What was read, where it is a read.
    pub(crate) read: Answer,
    pub(crate) done: Box<dyn FnOnce(Answer) + Send>,
}

/// What all threads of an emulation share.
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) devices: Vec<DeviceState>,
    queue: Mutex<Vec<Message>>,
    arrived: Condvar,
    /// Whether the queue has something in it, for who spins.
    is_there: AtomicBool,
    lateness: wait::Lateness,
}

/// A request on its way.
struct Pending {
    arrival: Arrival,
    decision: Decision,
    /// When the model was given it, and what a flush is of.
    given: Time,
    mark: u64,
}

/// An answer whose time is known.
struct Due {
    at: Time,
    order: u64,
    pending: Pending,
    refusal: Option<Refusal>,
}

impl Due {
    const fn key(&self) -> Reverse<(Time, u64)> {
        Reverse((self.at, self.order))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The thread's own.
pub(crate) struct Pacer {
    shared: Arc<Shared>,
    system: Arc<System>,
    engine: Engine,
    program: Program,
    /// When model time began.
    began: Time,
    in_model: FxHashMap<Ticket, Pending>,
    due: BinaryHeap<Due>,
    order: u64,
    profile: FaultProfile,
    faults: Vec<Faults>,
    stalls: Vec<Stalls>,
    gates: Vec<Gate>,
    ahead: Ahead,
    /// What is left of each device's rate.
    speed: f64,
    power: Power,
    random: Generator,
    facts: Facts,
    failed: Option<EngineError>,
}

impl Pacer {
    pub(crate) fn new(
        (shared, system): (Arc<Shared>, &Arc<System>),
        profile: &FaultProfile,
        seed: u64,
        facts: Facts,
    ) -> Result<Self, EmulateError> {
        let mut engine = Engine::new(system, seed, 0);
        let program = engine.program(0)?;
        let names = || shared.devices.iter().map(|device| device.spec.name.as_str());
        Ok(Self {
            faults: names().map(|name| Faults::new(profile, name)).collect(),
            stalls: names().map(|name| Stalls::new(profile, name)).collect(),
            gates: shared.devices.iter().map(|device| Gate::of(device.spec.durability.rotational)).collect(),
            ahead: Ahead::of(shared.devices.len()),
            power: Power::of(profile.cut.clone()),
            random: petrio_random::generator(profile.seed, 0, "power", "cut"),
            system: Arc::clone(system),
            shared,
            engine,
            program,
            began: Time::ZERO,
            in_model: FxHashMap::default(),
            due: BinaryHeap::new(),
            order: 0,
            profile: profile.clone(),
            speed: 1.0,
            facts,
            failed: None,
        })
    }

    /// Keeps the time until it is told to end; why the model failed, if it did.
    pub(crate) fn run(mut self) -> (Facts, Power, Option<EngineError>) {
        loop {
            let next = match self.next() {
                Ok(next) => next,
                Err(error) => {
                    self.fail(error);
                    continue;
                }
            };
            let mut ends = false;
            for message in self.shared.wait(next) {
                match message {
                    Message::Request(arrival) => self.take(*arrival),
                    Message::Cut => self.cut(),
                    Message::Back => self.bring_back(),
                    Message::End => ends = true,
                }
            }
            self.go_on();
            if ends {
                self.refuse_all();
                return (self.facts, self.power, self.failed);
            }
        }
    }

    /// When there is something to do next.
    fn next(&mut self) -> Result<Option<Time>, EngineError> {
        let model = match self.is_alive() {
            true => self.engine.next_time()?.map(|at| self.began.saturating_add(at)),
            false => None,
        };
        let due = self.due.peek().map(|due| due.at);
        // Both are looked at before, so that answers are ready at their time.
        let look = self.ahead.look();
        let [model, due] = [model, due].map(|at| at.map(|at| at.saturating_sub(look)));
        let gates = self.gates.iter().filter_map(Gate::opens).min();
        Ok([model, due, gates, self.power.next()].into_iter().flatten().min())
    }

    fn is_alive(&self) -> bool {
        self.failed.is_none() && self.power.is_on()
    }

    /// Does all whose time has come.
    fn go_on(&mut self) {
        let now = self.shared.clock.now();
        let ahead = now.saturating_add(self.ahead.look());
        if self.is_alive()
            && let Err(error) = self.advance(ahead)
        {
            self.fail(error);
        }
        let mut began = now;
        while self.due.peek().is_some_and(|due| due.at <= ahead) {
            if let Some(due) = self.due.pop() {
                self.answer(due, began);
                began = self.shared.clock.now();
            }
        }
        let now = self.shared.clock.now();
        for device in 0..self.gates.len() {
            for pending in self.gates[device].open(now) {
                self.give(pending, now);
            }
        }
        match self.power.passes(now) {
            Some(power::Turn::Off) => self.cut(),
            Some(power::Turn::On) => self.bring_back(),
            None => {}
        }
    }

    /// The model up to an instant.
    fn advance(&mut self, to: Time) -> Result<(), EngineError> {
        let to = to.saturating_sub(self.began);
        while let Some(at) = self.engine.next_time()?.filter(|at| *at <= to) {
            for done in self.engine.advance(at)? {
                let Some(pending) = self.in_model.remove(&done.ticket) else { continue };
                let status = match done.answer {
                    Returned::Request(request) => request.status,
                    Returned::Operation(operation) => operation.status,
                    Returned::Submitted => continue,
                };
                self.is_due(pending, self.began.saturating_add(done.at), Refusal::of(status));
            }
        }
        Ok(())
    }

    /// A request arrives.
    fn take(&mut self, arrival: Arrival) {
        let device = arrival.device;
        if !self.is_alive() {
            return self.refuse(arrival);
        }
        let now = arrival.arrived;
        let decision = self.faults[device].decide(arrival.kind, arrival.blocks, now);
        self.slow_down(now);
        let mark = self.store(device, |store| store.mark());
        let pending = Pending { arrival, decision, given: now, mark };
        if let Some(takes) = decision.pretended {
            return self.comes_back(pending, now.saturating_add(takes), None);
        }
        if let Some(pending) = self.gates[device].arrives(pending, now) {
            self.give(pending, now);
        }
    }

    /// The model gets a request.
    fn give(&mut self, mut pending: Pending, now: Time) {
        if !self.is_alive() {
            return self.refuse(pending.arrival);
        }
        pending.given = now.max(self.began.saturating_add(self.engine.now()));
        let request = self.request(&pending.arrival);
        match self.engine.submit(self.program, request, pending.given.saturating_sub(self.began)) {
            Ok(ticket) => {
                self.gates[pending.arrival.device].is_given();
                self.in_model.insert(ticket, pending);
            }
            Err(error) => {
                self.refuse(pending.arrival);
                self.fail(error);
            }
        }
    }

    /// As the model has it.
    fn request(&self, arrival: &Arrival) -> BlockRequest {
        let (address, blocks) = arrival.blocks;
        BlockRequest {
            device: self.shared.devices[arrival.device].spec.target,
            direction: arrival.kind.direction(),
            address,
            blocks: as_number(blocks),
            force_unit_access: arrival.through,
            synchronous: true,
            ..BlockRequest::default()
        }
    }

    /// The rate is what is left of it by now.
    fn slow_down(&mut self, now: Time) {
        let Some(decay) = &self.profile.decay else { return };
        let halves = now.as_seconds() / decay.halves.as_seconds();
        let left = libm::exp2(-halves).max(decay.least.get());
        // Each change is one of all delays to come; a hundredth is as fine as anybody sees.
        if (left / self.speed - 1.0).abs() > 0.01 || (left == decay.least.get() && left != self.speed) {
            self.speed = left;
            let shared = Arc::clone(&self.shared);
            for page in shared.devices.iter().flat_map(|device| &device.spec.pages) {
                self.engine.set_speed(page, left);
            }
        }
    }

    /// The model has done it at `at`: what the faults add, during which a device with an arm does nothing else.
    fn is_due(&mut self, pending: Pending, at: Time, refusal: Option<Refusal>) {
        let decision = pending.decision;
        let (device, given) = (pending.arrival.device, pending.given);
        let stalls = &mut self.stalls[device];
        let longer = |end: Time| stalls.through(end.saturating_add(decision.later));
        let at = self.gates[device].is_done((given, at), decision.times, longer);
        let refusal = refusal.or(decision.fails.then_some(Refusal::Io));
        self.comes_back(pending, at, refusal);
    }

    fn comes_back(&mut self, pending: Pending, at: Time, refusal: Option<Refusal>) {
        self.order += 1;
        self.due.push(Due { at, order: self.order, pending, refusal });
    }

    /// Its time has nearly come: it is made ready, which was begun at `began`, and then sent so that it is there at its time.
    fn answer(&mut self, due: Due, began: Time) {
        let Due { at, pending: Pending { mut arrival, decision, mark, .. }, refusal, .. } = due;
        let device = arrival.device;
        let content = arrival.content.take();
        let stored = match (refusal, arrival.kind, content) {
            (Some(refusal), ..) => Err(refusal),
            (None, Kind::Flush, _) if decision.pretended.is_none() => {
                self.store(device, |store| store.flushed(mark)).map_err(|_| Refusal::Io)
            }
            (None, _, Some((offset, content))) => {
                let through = arrival.through;
                self.store(device, |store| store.write(offset, content, through)).map_err(|_| Refusal::Io)
            }
            _ => Ok(()),
        };
        let read = std::mem::replace(&mut arrival.read, Ok(Vec::new()));
        let answer = stored.and(read);
        let bytes = answer.as_ref().map_or(0, Vec::len);
        let begin = at.saturating_sub(self.ahead.answer(device, bytes));
        let ready = self.shared.clock.now();
        self.ahead.note_ready(ready.saturating_sub(began));
        let mut sent = ready;
        while sent < begin {
            std::hint::spin_loop();
            sent = self.shared.clock.now();
        }
        let actual = self.tell(arrival, answer, Some(at));
        self.ahead.note_answer(device, bytes, actual.saturating_sub(sent));
        self.power.counts();
    }

    /// Answers, and notes when that was over: data are with the client then, or he is woken, and no later.
    fn tell(&mut self, arrival: Arrival, answer: Answer, target: Option<Time>) -> Time {
        let Arrival { device, arrived, kind, blocks, through, done, .. } = arrival;
        let error = answer.as_ref().err().map_or(0, |refusal| refusal.errno());
        done(answer);
        let actual = self.shared.clock.now();
        self.facts.tell(Fact { device, arrived, target, actual, kind, blocks, through, error });
        actual
    }

    /// There is no power, or no model any more.
    fn refuse(&mut self, arrival: Arrival) {
        self.tell(arrival, Err(Refusal::Io), None);
    }

    /// Everything that is under way fails.
    fn refuse_all(&mut self) {
        let in_model = std::mem::take(&mut self.in_model).into_values();
        let due = std::mem::take(&mut self.due).into_vec().into_iter().map(|due| due.pending);
        let waiting = self.gates.iter_mut().flat_map(Gate::clear);
        let mut all: Vec<Pending> = in_model.chain(due).chain(waiting).collect();
        all.sort_by_key(|pending| pending.arrival.arrived);
        for pending in all {
            self.refuse(pending.arrival);
        }
    }

    fn fail(&mut self, error: EngineError) {
        self.failed.get_or_insert(error);
        self.refuse_all();
    }

    fn store<T>(&self, device: usize, act: impl FnOnce(&mut Store) -> T) -> T {
        let store = &self.shared.devices[device].store;
        act(&mut store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
