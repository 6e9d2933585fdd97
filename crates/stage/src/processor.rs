//! Processors that all who run on a host share: its processes, the kernel's threads, parity, protocols.
//!
//! ```text
//! a client's page ─▶ running (egalitarian processor sharing) ─▶ ran ─▶ back to the client's places
//! ```
//!
//! Whoever needs a processor's time is a [`Client`]: it puts [`Work`] into [`Processors::place`], with an errand, a
//! token of its own that comes back when the time has been spent. What follows then the client says with
//! [`Processors::returns`].
//!
//! ```
//! use petrio_kernel::{NetBuilder, Simulation, Time};
//! use petrio_stage::processor::Processors;
//!
//! let mut net = NetBuilder::new("host");
//! let mut page = net.top();
//! let mut processors = Processors::new(&mut page, 1);
//! let done = page.fifo::<String>("done");
//! let checksums = processors.client::<String>();
//! processors.returns(checksums, move |ran| {
//!     let out = ran.may_put(done, 1);
//!     move |f, _, errand| f.put(out, *errand)
//! });
//! let work = |ms, errand: &str| checksums.work(Time::from_millis(ms), Box::new(errand.to_owned()));
//! page.initial(processors.place(), [work(2, "small"), work(3, "large")]);
//! processors.finish(&mut page);
//!
//! let mut run = Simulation::new(&net.build()?, 1, 0);
//! run.run_until(Time::from_millis(4))?;
//! assert_eq!(run.drain(done).collect::<Vec<_>>(), ["small"], "each has half of the processor");
//! run.run_until(Time::from_millis(5))?;
//! assert_eq!(run.drain(done).collect::<Vec<_>>(), ["large"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Leaves out priorities of the processor's scheduler, migration, and interrupts, whose time is in the costs of
//! completions.

use crate::function::{Function, Profile};
use crate::{MANY, Stage};
use petrio_colours::Parcel;
use petrio_kernel::{Colour, Firing, PageBuilder, Place, Put, StationSpec, Time, TransitionBuilder};
use petrio_persist::{Kinds, Persist};
use std::fmt;
use std::marker::PhantomData;

/// The name of the page.
const PAGE: &str = "processor";

/// Processor time that a client needs, as a token.
#[derive(Clone, Persist)]
pub struct Work {
    span: Time,
    client: u32,
    /// What comes back to the client when its work is done.
    errand: Parcel,
}

impl Work {
    /// The errand, if it is of this type, whoever's it is.
    pub fn errand<E: Colour>(&self) -> Option<&E> {
        self.errand.get()
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} for client {}", self.span, self.client)
    }
}

/// Somebody who uses a host's processors, with errands of type `E`.
pub struct Client<E> {
    number: u32,
    errands: PhantomData<fn(E) -> E>,
}

impl<E> Clone for Client<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Client<E> {}

impl<E> fmt::Debug for Client<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "client {}", self.number)
    }
}

impl<E: Colour> Client<E> {
    /// Work of so much processor time.
    pub fn work(self, span: Time, errand: Box<E>) -> Work {
        Work { span, client: self.number, errand: Parcel::new(errand) }
    }

    /// The errand of work, if it is this client's.
    pub fn errand(self, work: &Work) -> Option<&E> {
        if work.client == self.number { work.errand.get() } else { None }
    }
}

/// A client whose errands go to a place once their work is done, and at once where they need none.
#[derive(Debug)]
pub struct Worker<E> {
    client: Client<E>,
    running: Place<Work>,
    to: Place<Box<E>>,
}

impl<E: Colour> Worker<E> {
    /// It itself, whose work is put without arcs to where its errands go.
    pub const fn client(&self) -> Client<E> {
        self.client
    }

    /// The arcs of a transition that gives it work.
    pub fn arcs(&self, transition: &mut TransitionBuilder<'_>) -> Works<E> {
        let (run, at_once) = (transition.may_put(self.running, MANY), transition.may_put(self.to, MANY));
        Works { client: self.client, run, at_once }
    }
}

/// The arcs of a transition that gives a [`Worker`] work.
pub struct Works<E> {
    client: Client<E>,
    run: Put<Work>,
    at_once: Put<Box<E>>,
}

impl<E> fmt::Debug for Works<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "work for {:?}", self.client)
    }
}

impl<E: Colour> Works<E> {
    /// Work of so much processor time.
    pub fn put(&self, f: &mut Firing<'_>, span: Time, errand: Box<E>) {
        if span == Time::ZERO {
            f.put(self.at_once, errand);
        } else {
            f.put(self.run, self.client.work(span, errand));
        }
    }
}

/// What a firing does with an errand that has had its time.
type Return = Box<dyn Fn(&mut Firing<'_>, Time, Parcel) + Send + Sync>;
/// Declares the arcs for that.
type Declare = Box<dyn FnOnce(&mut TransitionBuilder<'_>) -> Return>;

/// The processors of a host while its net is built.
pub struct Processors {
    running: Place<Work>,
    clients: Vec<Option<Declare>>,
    /// What each is recorded for, who doesn't record it himself.
    functions: Vec<Option<Function>>,
    profile: Profile,
    speed: f64,
    /// What the errands are.
    errands: Kinds,
}

impl fmt::Debug for Processors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "processors with {} clients", self.clients.len())
    }
}

impl Processors {
    /// Begins the page `processor` of a host with so many of them (at least one).
    pub fn new(host: &mut PageBuilder<'_>, processors: u32) -> Self {
        Self::at_speed(host, processors, 1.0)
    }

    /// As [`Processors::new`], of processors that do all work so many times as fast as it says.
    pub fn at_speed(host: &mut PageBuilder<'_>, processors: u32, speed: f64) -> Self {
        let spec = StationSpec::processor_sharing(processors, move |work: &Work, _: &mut _| {
            work.span.divided_by(speed)
        });
        let mut page = host.page(PAGE);
        let running = page.station("running", spec);
        let profile = Profile::new(&mut page);
        Self {
            running,
            clients: Vec::new(),
            functions: Vec::new(),
            profile,
            speed,
            errands: Kinds::default(),
        }
    }

    /// How many times as fast as it says work is done.
    pub const fn speed(&self) -> f64 {
        self.speed
    }

    /// Where work is put.
    pub const fn place(&self) -> Place<Work> {
        self.running
    }

    /// Where they record what they are used for.
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// One more who uses them, whose time is all recorded for one function. He has to say what [`returns`](Self::returns) to him before
    /// the page is finished.
    pub fn client_for<E: Colour>(&mut self, function: Function) -> Client<E> {
        let client = self.client();
        self.functions[client.number as usize] = Some(function);
        client
    }

    /// One more who uses them, and records himself what for, if that is told. He has to say what
    /// [`returns`](Self::returns) to him before the page is finished.
    pub fn client<E: Colour>(&mut self) -> Client<E> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "as many as a net has pages that use a processor"
        )]
        let number = self.clients.len() as u32;
        self.clients.push(None);
        self.functions.push(None);
        self.errands.add::<E>();
        Client { number, errands: PhantomData }
    }

    /// What follows when a client's work is done: `declare` adds arcs to the transition that sends everybody on, and
    /// gives what that does with the time that the work took of a processor, and the errand.
    pub fn returns<E: Colour, F>(
        &mut self,
        client: Client<E>,
        declare: impl FnOnce(&mut TransitionBuilder<'_>) -> F + 'static,
    ) where
        F: Fn(&mut Firing<'_>, Time, Box<E>) + Send + Sync + 'static,
    {
        self.clients[client.number as usize] = Some(Box::new(move |transition| {
            let send_on = declare(transition);
            Box::new(move |f, span, errand| match errand.open::<E>() {
                Some(errand) => send_on(f, span, errand),
                None => f.fail("an errand came back to somebody else: a mistake in the processors' model"),
            })
        }));
    }

    /// One more who uses them, for one function, and whose errands go to a place once their work is done.
    pub fn worker<E: Colour>(&mut self, function: Function, to: Place<Box<E>>) -> Worker<E> {
        let client = self.client_for::<E>(function);
        self.returns(client, move |ran| {
            let to = ran.may_put(to, 1);
            move |f, _, errand| f.put(to, errand)
        });
        Worker { client, running: self.running, to }
    }

    /// What comes to a place uses a processor each for as long as `takes` says; where it is then.
    pub fn spent_on<E: Colour>(
        &mut self,
        page: &mut PageBuilder<'_>,
        (name, from, to): (&str, Place<Box<E>>, &str),
        function: Function,
        takes: impl Fn(&E) -> Time + Send + Sync + 'static,
    ) -> Place<Box<E>> {
        let to = page.fifo(to);
        let worker = self.worker(function, to);
        let mut work = page.transition(name);
        let errand = work.take(from);
        let run = worker.arcs(&mut work);
        work.action(move |f| {
            let errand = f.take(errand);
            run.put(f, takes(&errand), errand);
        });
        to
    }

    /// What comes to a place uses a processor for the same time each, and goes to another one; `charge` is told with each what it
    /// took of the processor, and what time it is.
    pub fn each_of<E: Colour>(
        &mut self,
        page: &mut PageBuilder<'_>,
        (name, from, to): (&str, Place<E>, Place<E>),
        function: Function,
        each: Time,
        charge: fn(&mut E, Time, Time),
    ) {
        page.shared("processor", self.running);
        let client = self.client_for::<E>(function);
        self.returns(client, move |ran| {
            let to = ran.may_put(to, 1);
            move |f, span, mut errand| {
                charge(&mut errand, span, f.now());
                f.put(to, *errand);
            }
        });
        let mut work = page.transition(name);
        let (errand, run) = (work.take(from), work.put(self.running));
        work.action(move |f| {
            let errand = Box::new(f.take(errand));
            f.put(run, client.work(each, errand));
        });
    }

    /// Builds the rest of the page, and gives its stage.
    pub fn finish(self, host: &mut PageBuilder<'_>) -> Stage {
        let mut page = host.reopen(PAGE);
        page.carries_all(&self.errands);
        let mut ran = page.transition("ran");
        let (speed, profile, functions) = (self.speed, self.profile, self.functions);
        let work = ran.take(self.running);
        let clients: Vec<Option<Return>> =
            self.clients.into_iter().map(|declare| Some(declare?(&mut ran))).collect();
        ran.action(move |f| {
            let Work { span, client, errand } = f.take(work);
            match &clients[client as usize] {
                Some(send_on) => {
                    let span = span.divided_by(speed);
                    if let Some(function) = functions[client as usize] {
                        profile.spend(f, function, span);
                    }
                    send_on(f, span, errand);
                }
                None => {
                    f.fail("somebody uses a processor and doesn't say what follows: a mistake in his model");
                }
            }
        });
        let path = page.path();
        Stage::station(path.to_owned(), self.running.id())
            .with_parts(vec![("the processors", path.to_owned())])
            .with_profile(profile)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::{NetBuilder, Simulation};

    #[test]
    fn clients_of_any_sort_share_and_each_gets_its_own_back() {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let mut processors = Processors::new(&mut page, 2);
        let (numbers, words) = (page.fifo::<u32>("numbers"), page.fifo::<String>("words"));
        let (first, second) = (processors.client::<u32>(), processors.client::<String>());
        processors.returns(first, move |ran| {
            let out = ran.may_put(numbers, 1);
            move |f, _, errand| f.put(out, *errand)
        });
        processors.returns(second, move |ran| {
            let out = ran.may_put(words, 1);
            move |f, span, errand| f.put(out, format!("{errand} after {span}"))
        });
        let ms = Time::from_millis;
        let work = [
            first.work(ms(2), Box::new(7)),
            second.work(ms(2), Box::new("parity".to_owned())),
            first.work(ms(4), Box::new(8)),
        ];
        page.initial(processors.place(), work);
        let stage = processors.finish(&mut page);
        assert_eq!(stage.name, "processor");
        let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
        // Three share two processors: each has two thirds of one.
        run.run_until(ms(3) - Time::from_picos(10)).unwrap();
        assert_eq!((run.drain(numbers).count(), run.drain(words).count()), (0, 0));
        run.run_until(ms(3)).unwrap();
        assert_eq!(run.drain(numbers).collect::<Vec<_>>(), [7]);
        assert_eq!(run.drain(words).collect::<Vec<_>>(), ["parity after 2.000 ms"]);
        run.run_until(ms(5)).unwrap();
        assert_eq!(run.drain(numbers).collect::<Vec<_>>(), [8], "and then it has one for itself");
    }

    #[test]
    fn processors_that_are_twice_as_fast_take_half_as_long_and_say_so() {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let mut processors = Processors::at_speed(&mut page, 1, 2.0);
        let spans = page.fifo::<Time>("spans");
        let client = processors.client::<()>();
        processors.returns(client, move |ran| {
            let out = ran.may_put(spans, 1);
            move |f, span, _| f.put(out, span)
        });
        page.initial(processors.place(), [client.work(Time::from_millis(6), Box::new(()))]);
        processors.finish(&mut page);
        let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
        run.run_until(Time::from_millis(3)).unwrap();
        assert_eq!(run.drain(spans).collect::<Vec<_>>(), [Time::from_millis(3)]);
    }

    #[test]
    fn a_client_that_says_nothing_of_its_return_is_told_so() {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let mut processors = Processors::new(&mut page, 1);
        let client = processors.client::<u32>();
        page.initial(processors.place(), [client.work(Time::ZERO, Box::new(1))]);
        processors.finish(&mut page);
        let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
        let error = run.run_until(Time::from_millis(1)).unwrap_err();
        assert!(error.to_string().contains("doesn't say what follows"), "{error}");
    }
}
