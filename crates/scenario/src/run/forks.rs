//! All that changes in a run is in its marking: one that is cloned at any instant, or written down and read again into a System that was
//! built anew, goes on as the whole did, whatever has become of the other meanwhile. Held for every example.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up has failed")]

use crate::build::{Driven, System, Turns};
use crate::run::RunFailure;
use crate::run::single::limits;
use crate::{Loaded, load};
use petrio_colours::{BlockRequest, Failure, FileOp, Request, RequestId};
use petrio_engine::{
    Engine, EngineError, Lane, Limits, Listener, Load, Onlooker, Ports, Programs, SideBySide,
};
use petrio_kernel::{Pause, Simulation, Time};
use petrio_random::{generator, uniform};
use petrio_workload::{Due, SourceItem};
use std::cell::RefCell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Requests of each example that are recorded at most.
const REQUESTS: u64 = 250;
/// Instants at which each is forked.
const FORKS: u32 = 3;

/// What was put into a net from outside.
#[derive(Clone)]
enum Put {
    Operation(FileOp),
    Request(BlockRequest),
    Exit(u32),
    /// Nothing more.
    End,
}

/// When: after how many firings, at which time.
type Entry = (u64, Time, Put);
type Log = Rc<RefCell<Vec<Entry>>>;

/// Programs whose requests are written down as they come.
struct Recorded<P> {
    programs: P,
    asked: Log,
}

trait Recordable: Request {
    fn put(self) -> Put;
}

impl Recordable for FileOp {
    fn put(self) -> Put {
        Put::Operation(self)
    }
}

impl Recordable for BlockRequest {
    fn put(self) -> Put {
        Put::Request(self)
    }
}

impl<R: Recordable, P: Programs<R>> Programs<R> for Recorded<P> {
    fn due(&mut self) -> Result<Due, EngineError> {
        self.programs.due()
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, EngineError> {
        let item = self.programs.issue(now)?;
        if let Some(item) = &item {
            self.asked.borrow_mut().push((u64::MAX, now, item.request.clone().put()));
        }
        Ok(item)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), EngineError> {
        self.programs.complete(id, now)
    }

    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), EngineError> {
        self.programs.failed(id, failure, now)
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), EngineError> {
        self.programs.submitted(id, now)
    }

    fn ended_process(&mut self) -> Option<u32> {
        let process = self.programs.ended_process()?;
        self.asked.borrow_mut().push((u64::MAX, Time::NEVER, Put::Exit(process)));
        Some(process)
    }
}

/// A load of which it is written down after how many firings it put something into the net.
struct Timed<L> {
    load: L,
    asked: Log,
}

impl<L> Timed<L> {
    fn note(&self, run: &Simulation) {
        let mut asked = self.asked.borrow_mut();
        for entry in asked.iter_mut().rev().take_while(|(firings, ..)| *firings == u64::MAX) {
            (entry.0, entry.1) = (run.marking().firings_total(), run.now());
        }
    }
}

impl<L: Load<Nobody>> Load<Nobody> for Timed<L> {
    fn due(&mut self, limit: Time) -> Result<Due, EngineError> {
        self.load.due(limit)
    }

    fn issue(&mut self, run: &mut Simulation, nobody: &mut Nobody) -> Result<bool, EngineError> {
        let issued = self.load.issue(run, nobody);
        self.note(run);
        issued
    }

    fn complete(&mut self, run: &mut Simulation, nobody: &mut Nobody) -> Result<u64, EngineError> {
        let completed = self.load.complete(run, nobody);
        self.note(run);
        completed
    }

    fn in_flight(&self) -> u64 {
        self.load.in_flight()
    }

    fn served(&self) -> u64 {
        self.load.served()
    }
}

struct Nobody;

impl Onlooker for Nobody {}

impl<R> Listener<R> for Nobody {
    fn completed(&mut self, _: usize, _: &R, _: &mut Simulation) -> Result<(), EngineError> {
        Ok(())
    }
}

/// Runs an example and writes down what its programs asked for; what it came to.
fn record(loaded: &Loaded, system: &System) -> Result<(Vec<Entry>, String), RunFailure> {
    let (log, turns) = (Log::default(), Arc::<Turns>::default());
    let mut engine = Engine::new(&system.driven, loaded.scenario.seed, 0);
    let own = limits(&loaded.scenario.measure);
    engine.set_limits(Limits { requests: Some(own.requests.unwrap_or(REQUESTS).min(REQUESTS)), ..own });
    fn lane<'s, R: Driven + Recordable>(
        (loaded, log, turns): (&Loaded, &Log, &Arc<Turns>),
        ports: &'s petrio_engine::ProgramPorts<R>,
    ) -> Result<Lane<'s, R, Recorded<crate::build::Programs<R>>>, RunFailure> {
        let programs = R::programs_of(loaded, 0, turns)?;
        Ok(Lane::new(ports, Recorded { programs, asked: Rc::clone(log) }).counting_failures(true))
    }
    let with = (loaded, &log, &turns);
    let Ports { operations, requests } = &system.driven.ports;
    let asked = Rc::clone(&log);
    match (operations, requests) {
        (Some(operations), Some(requests)) => {
            let load = SideBySide::new(lane(with, operations)?, lane(with, requests)?);
            engine.run(&mut Timed { load, asked }, &mut Nobody)?;
        }
        (Some(operations), None) => {
            engine.run(&mut Timed { load: lane(with, operations)?, asked }, &mut Nobody)?;
        }
        (None, Some(requests)) => {
            engine.run(&mut Timed { load: lane(with, requests)?, asked }, &mut Nobody)?;
        }
        (None, None) => return Err(RunFailure::NoWorkload),
    }
    let run = engine.simulation();
    log.borrow_mut().push((run.marking().firings_total(), run.now(), Put::End));
    let asked = log.borrow().clone();
    Ok((asked, state(run)))
}

/// Puts in what was recorded, each where it was; what came back is added up.
fn play(run: &mut Simulation, ports: &Ports, asked: &[Entry], back: &mut DefaultHasher) {
    for (firings, at, put) in asked {
        until(run, ports, (*firings, *at), back);
        match put.clone() {
            Put::Operation(operation) => {
                run.inject(ports.operations.as_ref().unwrap().arrivals, operation, *at).unwrap();
            }
            Put::Request(request) => {
                run.inject(ports.requests.as_ref().unwrap().arrivals, request, *at).unwrap();
            }
            Put::End => {}
            Put::Exit(process) => {
                run.inject(ports.operations.as_ref().unwrap().exits.unwrap(), process, *at).unwrap();
            }
        }
    }
}

/// On to where there had been so many firings, and to this time.
fn until(run: &mut Simulation, ports: &Ports, (firings, at): (u64, Time), back: &mut DefaultHasher) {
    loop {
        let left = firings - run.marking().firings_total();
        let pause = match left {
            0 if run.now() == at => break,
            0 => run.run(at, u64::MAX).unwrap(),
            left => run.run(at, left).unwrap(),
        };
        let now = run.now();
        if let Some(ports) = &ports.operations {
            run.drain(ports.done).for_each(|operation| format!("{now} {operation:?}").hash(back));
        }
        if let Some(ports) = &ports.requests {
            run.drain(ports.done).for_each(|request| format!("{now} {request:?}").hash(back));
        }
        assert!(pause != Pause::Dead || left == 0, "the net died {left} firings early");
        assert!(run.marking().firings_total() <= firings && now <= at);
    }
}

/// The clock, the firings of each transition, and the statistics and contents of each place as numbers.
fn state(run: &Simulation) -> String {
    let (net, marking) = (run.net(), run.marking());
    let firings: Vec<_> = (0..net.transition_paths().count()).map(|number| marking.firings(number)).collect();
    let places: Vec<_> = (0..net.place_paths().count()).map(|number| marking.statistics_at(number)).collect();
    format!("{} {firings:?} {places:?}", run.now())
}

/// The example recorded, played again as a whole, and forked at an instant that is drawn: both go on alone, one after the other.
fn is_forked(path: &Path) {
    let name = path.file_stem().unwrap().to_string_lossy();
    let loaded = load(path, &[]).unwrap();
    let system = System::build(&loaded).unwrap();
    let (asked, end) = record(&loaded, &system).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert!(asked.len() > 1, "{name}");
    let mut random = generator(1, 0, &name, "fork");
    let ports = &system.driven.ports;
    let begin = || Engine::new(&system.driven, loaded.scenario.seed, 0);

    let mut whole = begin();
    let mut back = DefaultHasher::new();
    play(whole.simulation_mut(), ports, &asked, &mut back);
    let came = back.finish();
    assert!(state(whole.simulation()) == end, "{name}: played again it is another run");

    // The System of another process.
    let again = System::build(&load(path, &[]).unwrap()).unwrap();
    for _ in 0..FORKS {
        let at = (uniform(&mut random) * asked.len() as f64) as usize;
        let mut first = begin();
        let mut back = DefaultHasher::new();
        play(first.simulation_mut(), ports, &asked[..at], &mut back);
        let (mut second, mut back_too) = (first.fork(), back.clone());
        let saved = first.save().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (resumed, mut back_again) = (Engine::resume(&again.driven, &saved), back.clone());
        let mut resumed = resumed.unwrap_or_else(|error| panic!("{name}: saved at {at}: {error}"));
        let halves = [(&mut first, &mut back), (&mut second, &mut back_too), (&mut resumed, &mut back_again)];
        for (half, back) in halves {
            play(half.simulation_mut(), ports, &asked[at..], back);
            assert!(state(half.simulation()) == end, "{name}: forked at {at} it goes on otherwise");
            assert_eq!(back.finish(), came, "{name}: forked at {at} something else comes back");
            half.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn a_marking_forked_at_any_instant_of_every_example_goes_on_as_the_whole() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for folder in [examples.clone(), examples.join("architectures")] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        paths.iter().for_each(|path| is_forked(path));
    }
}
