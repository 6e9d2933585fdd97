//! Queueing places: stations that serve their tokens before these become ready.
//!
//! A [`StationSpec`] names the discipline, the number of servers and the service time. A token put into a station
//! waits, is served, and then lies ready in the place, as in queueing Petri nets (Bause 1993). Links, machines and
//! processors are stations.

mod first_come;
mod flows;
mod infinite;
mod max_min;
mod preemptive;
mod sharing;
mod tracker;

pub use flows::Flows;
pub use max_min::MaxMin;
pub use tracker::StationStatistics;
pub(crate) use tracker::Tracker;

use crate::Time;
use crate::calendar::Calendar;
use crate::level::Level;
use crate::place::{Colour, Key};
use crate::store::ready::Ready;
use petrio_random::Generator;
use std::sync::Arc;

/// Draws the time that a server needs for a token.
pub(crate) type ServiceTime<T> = Arc<dyn Fn(&T, &mut Generator) -> Time + Send + Sync>;

/// What a place may touch while one of its events is handled.
pub(crate) struct Env<'a> {
    pub(crate) now: u64,
    pub(crate) place: u32,
    pub(crate) calendar: &'a mut Calendar,
    pub(crate) random: &'a mut Generator,
    /// The speed factor of the place's page.
    pub(crate) speed: f64,
    /// Calendar entries known to be stale.
    pub(crate) stale: &'a mut usize,
    /// Set when a point in time lies beyond the horizon.
    pub(crate) overflow: &'a mut Option<Time>,
}

impl Env<'_> {
    /// Schedules an event of this place after `span` of its page's time; returns when, or `None` for never.
    fn after(&mut self, span: Time, tag: u32) -> Option<u64> {
        let span = span.divided_by(self.speed);
        if span.is_never() {
            return None;
        }
        match Time::from_picos(self.now).checked_add(span) {
            Some(at) => {
                self.calendar.push(at.as_picos(), self.place, tag);
                Some(at.as_picos())
            }
            None => {
                *self.overflow = Some(span);
                None
            }
        }
    }
}

/// Where a station puts what it has served.
pub(crate) struct Served<'a, T> {
    pub(crate) ready: &'a mut Ready<T>,
    pub(crate) level: &'a mut Level,
}

impl<T> Served<'_, T> {
    /// A served token is ready.
    fn push(&mut self, token: T) {
        self.ready.push(token);
        self.level.ready += 1;
    }
}

/// A station at work in a marking.
pub(crate) trait Station<T: Colour>: Send + Sync {
    fn clone_box(&self) -> Box<dyn Station<T>>;
    fn arrive(&mut self, token: T, env: &mut Env<'_>, served: &mut Served<'_, T>);
    fn event(&mut self, tag: u32, env: &mut Env<'_>, served: &mut Served<'_, T>);
    fn is_live(&self, tag: u32) -> bool;
    /// Tokens waiting or in service.
    fn len(&self) -> usize;
    fn tracker(&self) -> &Tracker;
    fn tracker_mut(&mut self) -> &mut Tracker;
    /// Visits the tokens waiting or in service.
    fn for_each(&self, visit: &mut dyn FnMut(&T));
}

impl<T: Colour> Clone for Box<dyn Station<T>> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// A token that waits, since when.
#[derive(Clone)]
pub(crate) struct Waiting<T> {
    token: T,
    arrived: u64,
}

/// A token in service, since when.
#[derive(Clone)]
pub(crate) struct Serving<T> {
    token: T,
    started: u64,
}

/// How a queueing place serves: discipline, servers, service time.
///
/// ```
/// use petrio_kernel::{StationSpec, Time};
/// // Two servers, first come first served, 5 ms each.
/// let cpu: StationSpec<u32> = StationSpec::first_come(2, |_token, _random| Time::from_millis(5));
/// assert_eq!(cpu.servers(), Some(2));
/// ```
pub struct StationSpec<T: Colour> {
    pub(crate) prototype: Box<dyn Station<T>>,
    pub(crate) name: &'static str,
    servers: Option<u32>,
}

impl<T: Colour> StationSpec<T> {
    /// First come, first served, by `servers` servers (at least one).
    pub fn first_come(
        servers: u32,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
    ) -> Self {
        let servers = servers.max(1);
        let prototype = Box::new(first_come::FirstCome::new(servers, None, Arc::new(service)));
        Self { prototype, name: "first-come", servers: Some(servers) }
    }

    /// Head-of-line priority without preemption: the waiting token of least key is served next, equal keys in order of
    /// arrival.
    pub fn priority(
        servers: u32,
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
    ) -> Self {
        let servers = servers.max(1);
        let prototype = Box::new(first_come::FirstCome::new(servers, Some(Arc::new(key)), Arc::new(service)));
        Self { prototype, name: "priority", servers: Some(servers) }
    }

    /// One server with preemptive-resume priority: a token of lesser key interrupts the one in service, which later
    /// goes on where it stopped.
    pub fn preemptive_priority(
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
    ) -> Self {
        let prototype = Box::new(preemptive::Preemptive::new(Arc::new(key), Arc::new(service)));
        Self { prototype, name: "preemptive-priority", servers: Some(1) }
    }

    /// Egalitarian processor sharing by `servers` processors: n tokens each progress at rate min(1, servers/n).
    pub fn processor_sharing(
        servers: u32,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
    ) -> Self {
        let servers = servers.max(1);
        let prototype = Box::new(sharing::Sharing::new(servers, Arc::new(service)));
        Self { prototype, name: "processor-sharing", servers: Some(servers) }
    }

    /// As many servers as tokens: a random delay.
    pub fn infinite_server(service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static) -> Self {
        let prototype = Box::new(infinite::Infinite::new(Arc::new(service)));
        Self { prototype, name: "infinite-server", servers: None }
    }

    /// All tokens at once, each as fast as `rates` says: asked whenever one arrives or leaves, with all that are under
    /// way, in order of arrival, for how much of its work each gets done in a second of it. So resources are shared by
    /// weight, up to caps, or max-min fair over several of them ([`MaxMin`]). `servers` is what the rates add up to
    /// when the station is fully used.
    ///
    /// ```
    /// use petrio_kernel::{NetBuilder, Simulation, StationSpec, Time};
    /// // A link that its transfers share, each by its own weight.
    /// let spec = StationSpec::flows(1, |_, _| Time::from_millis(3), |flows, rates| {
    ///     let all: f64 = flows.iter().sum();
    ///     rates.extend(flows.iter().map(|weight| weight / all));
    /// });
    /// let mut net = NetBuilder::new("link");
    /// let link = net.top().station("link", spec);
    /// net.top().initial(link, [1.0, 2.0]);
    /// let mut run = Simulation::new(&net.build()?, 1, 0);
    /// run.run_until(Time::from_micros(4_500))?;
    /// assert_eq!(run.drain(link).collect::<Vec<f64>>(), [2.0], "two thirds of the link for 4.5 ms");
    /// run.run_until(Time::from_millis(6))?;
    /// assert_eq!(run.drain(link).collect::<Vec<f64>>(), [1.0], "and then all of it for the other");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flows(
        servers: u32,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
        rates: impl Fn(Flows<'_, T>, &mut Vec<f64>) + Send + Sync + 'static,
    ) -> Self {
        let servers = servers.max(1);
        let prototype = Box::new(flows::FlowStation::new(servers, Arc::new(service), Arc::new(rates)));
        Self { prototype, name: "flows", servers: Some(servers) }
    }

    /// Servers; `None` for infinitely many.
    pub fn servers(&self) -> Option<u32> {
        self.servers
    }
}
