//! Timed, hierarchical coloured Petri nets at native speed.
//!
//! The kernel knows nothing of what is modelled. It compiles a net of typed places and transitions, keeps its marking,
//! and runs it: tens of millions of firings a second on one core, without allocation.
//!
//! ```text
//!           ┌──────────┐        ╭───────╮        ┌───────┐        ╭──────╮        ┌────────┐
//!   (●)────▶│  arrive  │───────▶│ queue │───────▶│ start │───────▶│ busy │───────▶│ finish │
//!    ▲      └────┬─────┘        ╰───────╯        └───▲───┘   @+s  ╰──────╯        └───┬────┘
//!    └───────────┘ @+a                               └────────(idle)◀────────────────┘
//! ```
//!
//! The same in code: one server before a queue, with arrivals every 10 ms and service of 4 ms.
//!
//! ```
//! use petrio_kernel::{NetBuilder, Simulation, Time};
//!
//! let mut net = NetBuilder::new("one server");
//! let mut page = net.top();
//! let source = page.state("source", 0u64);
//! let tick = page.fifo::<()>("tick");
//! let queue = page.fifo::<u64>("queue");
//! let idle = page.fifo::<()>("idle");
//! let busy = page.fifo::<u64>("busy");
//! let done = page.fifo::<u64>("done");
//! page.initial(tick, [()]);
//! page.initial(idle, [()]);
//!
//! let mut arrive = page.transition("arrive");
//! arrive.consume(tick);
//! let number = arrive.update(source);
//! let (again, job) = (arrive.put(tick), arrive.put(queue));
//! arrive.action(move |f| {
//!     let next = f.update(number);
//!     *next += 1;
//!     let next = *next;
//!     f.put(job, next);
//!     f.put_after(again, (), Time::from_millis(10));
//! });
//!
//! let mut start = page.transition("start");
//! let job = start.take(queue);
//! start.consume(idle);
//! let serving = start.put(busy);
//! start.action(move |f| {
//!     let job = f.take(job);
//!     f.put_after(serving, job, Time::from_millis(4));
//! });
//!
//! let mut finish = page.transition("finish");
//! let job = finish.take(busy);
//! let (server, out) = (finish.put(idle), finish.put(done));
//! finish.action(move |f| {
//!     let job = f.take(job);
//!     f.put(server, ());
//!     f.put(out, job);
//! });
//!
//! let net = net.build()?;
//! let mut run = Simulation::new(&net, 1, 0);
//! run.run_until(Time::from_millis(95))?;
//! assert_eq!(run.drain(done).count(), 10);
//! assert_eq!(run.marking().statistics(busy).mean, 40.0 / 95.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The parts
//!
//! - [`NetBuilder`], [`PageBuilder`] and [`TransitionBuilder`] declare a net; [`Net`] is the compiled, immutable result.
//! - [`Marking`] is all that changes; clone it to fork a run. [`Simulation`] is a net and a marking: it runs, steps,
//!   takes tokens in ([`Simulation::inject`]) and gives them out ([`Simulation::drain`]).
//! - [`StationSpec`] makes a place a queueing place; in one of [flows](StationSpec::flows) you say how fast each token goes on.
//! - [`Stream`] is a page's own random numbers (see [`petrio_random`]), [`statistics`] makes intervals of what runs
//!   give, [`draw`] shows a net.
//!
//! # Semantics
//!
//! A transition is enabled when its input arcs can be bound, its guard holds, no inhibitor forbids it, and its outputs
//! have room. All enabled transitions fire before time moves; among them the lowest priority number goes first, then
//! the one that became enabled first. A firing takes no time; delays lie on output arcs. Tokens that mature at the same
//! time do so in the order in which they were put, and before anything fires at that time.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod adjacency;
mod agenda;
mod arc;
mod binding;
mod builder;
mod calendar;
pub mod draw;
mod encode;
mod error;
mod firing;
mod level;
mod marking;
mod monitor;
mod names;
mod net;
mod place;
mod simulation;
mod station;
pub mod statistics;
mod store;
mod structure;
mod sum;
mod tokens;
mod watch;

pub use arc::{ArcKind, Bound, Cancel, Put, Read, Reset, Take, Timer, Update};
pub use binding::Binding;
pub use builder::{NetBuilder, PageBuilder, PlaceId, TransitionBuilder};
pub use error::{NetError, RunError};
pub use firing::Firing;
pub use level::PlaceStatistics;
pub use marking::Marking;
pub use monitor::{Probe, ProbeState};
pub use net::Net;
pub use petrio_time::Time;
pub use place::{Colour, Discipline, Key, Place};
pub use simulation::{Pause, Simulation};
pub use station::{Flows, MaxMin, StationSpec, StationStatistics};
pub use store::{Slot, View};
pub use structure::{PageId, PortDirection, Stream};
pub use sum::Sum;
pub use watch::{Progress, Watch};
