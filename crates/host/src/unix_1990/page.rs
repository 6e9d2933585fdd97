//! The page of a Unix host.
//!
//! ```text
//! operations ─▶(call)─▶ processor ─▶(enter)─┬─▶ for-… ──▶(wake)─▶ ready ─▶(go on)─┐
//!                                           └─▶ completions ◀─────────────────────┤
//! requests ◀────────────────────────────────┴─────────────────────────────────────┘
//! request completions ─▶(complete)─▶ finished        ticks ─▶(sync daemon)─▶ requests
//! ```
//!
//! Each file system has requests, request completions and a transition `complete` of its own.

use super::call::{Job, Next, WAITS};
use super::files::UnixFileSystem;
use super::parameters::{UnixError, UnixParameters};
use super::state::Host;
use petrio_colours::{BlockRequest, FileCause, FileOp, Movement, Operation, Request, Status};
use petrio_kernel::{Firing, Key, PageBuilder, Place, Put, Sum, Time, TransitionBuilder, Update};
use petrio_persist::Persist;
use petrio_stage::function::Function;
use petrio_stage::instants;
use petrio_stage::processor::Processors;
use petrio_stage::{MANY, Stage};
use std::ops::Range;

/// The ports of the page.
#[derive(Clone, Debug)]
pub struct UnixPorts {
    /// Operations come from here.
    pub operations: Place<FileOp>,
    /// They go back here.
    pub completions: Place<FileOp>,
    /// Processes that ask for others, and have nothing open: servers.
    pub servers: Vec<Range<u32>>,
}

/// A file system of the host, and its device. Operations name it by its position among the host's (`FileOp::file_system`).
#[derive(Clone, Copy, Debug)]
pub struct UnixVolume<'a> {
    /// What is on it.
    pub file_system: UnixFileSystem<'a>,
    /// Requests to its device.
    pub requests: Place<BlockRequest>,
    /// They come back here.
    pub request_completions: Place<BlockRequest>,
}

#[derive(Clone, Debug, Persist)]
struct Waiting {
    key: Key,
    job: Job,
    cause: FileCause,
}

/// Where a step's leavings go.
struct Exits {
    host: Update<Host>,
    /// To each file system's device.
    requests: Vec<Put<BlockRequest>>,
    finished: Put<Key>,
    waits: [Put<Waiting>; WAITS.len()],
    completions: Put<FileOp>,
}

#[derive(Clone)]
struct Places {
    host: Place<Host>,
    finished: Place<Key>,
    waits: [Place<Waiting>; WAITS.len()],
    completions: Place<FileOp>,
    /// To each file system's device.
    requests: Vec<Place<BlockRequest>>,
}

impl Exits {
    fn declare(transition: &mut TransitionBuilder<'_>, places: &Places) -> Self {
        Self {
            host: transition.update(places.host),
            requests: places.requests.iter().map(|&place| transition.may_put(place, MANY)).collect(),
            finished: transition.may_put(places.finished, MANY),
            waits: places.waits.map(|place| transition.may_put(place, 1)),
            completions: transition.may_put(places.completions, 1),
        }
    }

    /// Takes a call as far as it goes.
    fn advance(&self, f: &mut Firing<'_>, mut job: Job) {
        let now = f.now();
        match f.update(self.host).advance(&mut job, now) {
            Next::Wait(event) => {
                let cause = match job.op.movement() {
                    Movement::Read => FileCause::Read,
                    _ => FileCause::Write,
                };
                f.put(self.waits[event.wait()], Waiting { key: event.key(), job, cause });
            }
            Next::Return => {
                job.op.status = Status::of_call(job.failure, job.waited);
                job.op.file_system = job.called;
                f.put(self.completions, job.op);
            }
        }
        self.send(f);
    }

    /// Sends off what a step has left.
    fn send(&self, f: &mut Firing<'_>) {
        let host = f.update(self.host);
        let mut outbox = std::mem::take(&mut host.in_flight.outbox);
        let mut events = std::mem::take(&mut host.events);
        for (volume, request) in outbox.drain(..) {
            f.put(self.requests[volume as usize], request);
        }
        for event in events.drain(..) {
            f.put(self.finished, event.key());
        }
        let host = f.update(self.host);
        (host.in_flight.outbox, host.events) = (outbox, events);
    }
}

/// Builds the page of a host with these file systems, one or several; of one that others use the processors of, its page has been begun with
/// these.
///
/// # Errors
/// See [`UnixError`].
pub fn unix_1990_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &UnixParameters,
    volumes: &[UnixVolume<'_>],
    (ports, processors): (UnixPorts, Option<Processors>),
) -> Result<Vec<Stage>, UnixError> {
    let file_systems: Vec<UnixFileSystem<'_>> = volumes.iter().map(|volume| volume.file_system).collect();
    let mut host = Host::new(parameters, &file_systems)?;
    ports.servers.into_iter().for_each(|processes| host.serves(processes));
    let mut page = if processors.is_some() { parent.reopen(name) } else { parent.page(name) };
    page.port_in("operations", ports.operations);
    page.port_out("completions", ports.completions);
    let places = Places {
        host: page.state("host", host),
        finished: page.fifo("finished"),
        waits: WAITS.map(|name| page.keyed::<Waiting>(name, |waiting| waiting.key)),
        completions: ports.completions,
        requests: volumes.iter().map(|volume| volume.requests).collect(),
    };
    let (call, copy) = (parameters.call.time(), parameters.copy);
    let work = move |op: &FileOp| {
        if op.operation == Operation::Compute {
            return Time::from_picos(op.length);
        }
        let moved = matches!(op.operation, Operation::Read | Operation::Write).then_some(op.length);
        call + copy.zip(moved).map_or(Time::ZERO, |(rate, bytes)| rate.time_for(bytes))
    };
    let mut processors = processors.unwrap_or_else(|| Processors::new(&mut page, parameters.processors));
    let (running, jobs) = (processors.place(), processors.client::<Job>());
    let ready = page.fifo::<Job>("ready");

    let mut enter = page.transition("call");
    let op = enter.take(ports.operations);
    let put = enter.put(running);
    enter.action(move |f| {
        let (op, now) = (f.take(op), f.now());
        f.put(put, jobs.work(work(&op), Box::new(Job::new(op, now))));
    });

    let ran_places = places.clone();
    let profile = processors.profile();
    processors.returns(jobs, move |ran| {
        let exits = Exits::declare(ran, &ran_places);
        move |f, span, mut job: Box<Job>| {
            // What a call costs and what its copy takes are one figure here.
            let function = match job.op.operation {
                Operation::Compute => Function::Computing,
                Operation::Read | Operation::Write if copy.is_some() => {
                    let copied = copy.map_or(Time::ZERO, |rate| rate.time_for(job.op.length)).min(span);
                    let reads = job.op.operation == Operation::Read;
                    let copies = if reads { Function::CopyToUser } else { Function::CopyFromUser };
                    profile.spend(f, copies, copied);
                    profile.spend(f, Function::SystemCalls, span - copied);
                    Function::SystemCalls
                }
                _ => Function::SystemCalls,
            };
            if function == Function::Computing || copy.is_none() {
                profile.spend(f, function, span);
            }
            charge(&mut job, FileCause::Call, f.now());
            exits.advance(f, *job);
        }
    });

    waits_page(&mut page, &places, ready);
    for (number, volume) in (0..).zip(volumes) {
        let name = (volumes.len() > 1).then_some(volume.file_system.name);
        device_side(&mut page, name, &places, (number, volume));
    }

    sync_daemon_page(&mut page.page("sync-daemon"), &places, parameters.sync_interval.time());

    let processor = processors.finish(&mut page);
    let path = page.path().to_owned();
    let waits = WAITS.into_iter().zip(places.waits);
    let waits = waits.map(|(name, place)| Stage::queue(format!("{path}/{name}"), &[place.id()]));
    Ok(std::iter::once(processor).chain(waits).collect())
}

/// Requests to the device of the host's file system of this number, and what comes back; named after it where it is one of
/// several.
fn device_side(
    page: &mut PageBuilder<'_>,
    name: Option<&str>,
    places: &Places,
    (number, volume): (u32, &UnixVolume<'_>),
) {
    let called = |what: &str| name.map_or_else(|| what.to_owned(), |name| format!("{what} {name}"));
    page.port_out(&called("requests"), volume.requests);
    page.port_in(&called("request completions"), volume.request_completions);
    let sent = Sum::new().of(places.host, move |host| host.in_flight.sent_and_back(number));
    page.conserve_sum(&called("requests sent"), sent.taken(volume.request_completions, -1));

    let mut complete = page.transition(&called("complete"));
    let request = complete.take(volume.request_completions);
    let exits = Exits::declare(&mut complete, places);
    complete.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        if !f.update(exits.host).complete(number, &request, now) {
            f.fail(format!(
                "a request with the tag {} comes back that the host never sent there",
                request.tag
            ));
        }
        exits.send(f);
    });
}

/// Those who wait wake up when what they wait for is over, and go on.
fn waits_page(page: &mut PageBuilder<'_>, places: &Places, ready: Place<Job>) {
    for (name, place) in WAITS.into_iter().zip(places.waits) {
        let mut wake = page.transition(&format!("wake {name}"));
        let finished = wake.read(places.finished);
        let waiting = wake.take_key(place, move |binding| *binding.get(finished));
        let host = wake.peek(places.host);
        let put = wake.put(ready);
        wake.action(move |f| {
            let Waiting { mut job, cause, key } = f.take(waiting);
            charge(&mut job, cause, f.now());
            job.failure = f.get(host).failure_of(key);
            f.put(put, job);
        });
    }

    let mut forget = page.transition("forget");
    forget.priority(instants::FORGETS);
    forget.consume(places.finished);
    forget.action(|_| {});

    let mut go_on = page.transition("go on");
    go_on.priority(instants::GOES_ON);
    let job = go_on.take(ready);
    let exits = Exits::declare(&mut go_on, places);
    go_on.action(move |f| {
        let job = f.take(job);
        exits.advance(f, job);
    });
}

/// Writes what is dirty, every so often (`update`, which calls sync(2)).
fn sync_daemon_page(daemon: &mut PageBuilder<'_>, places: &Places, interval: Time) {
    let ticks = daemon.fifo::<()>("ticks");
    daemon.initial_after(ticks, (), interval);
    let mut tick = daemon.transition("sync");
    tick.consume(ticks);
    let again = tick.put(ticks);
    let exits = Exits::declare(&mut tick, places);
    tick.action(move |f| {
        let now = f.now();
        f.update(exits.host).sync_daemon(now);
        exits.send(f);
        f.put_at_pace(again, (), interval);
    });
}

fn charge(job: &mut Job, cause: FileCause, now: Time) {
    job.op.ledger.charge(cause, now - job.charged);
    job.charged = now;
}
