//! How a station is declared.

use super::first_come::FirstCome;
use super::flows::{FlowStation, Flows};
use super::infinite::Infinite;
use super::preemptive::Preemptive;
use super::service::Station;
use super::sharing::Sharing;
use crate::Time;
use crate::place::{Colour, Key};
use petrio_random::Generator;
use std::sync::Arc;

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
        let prototype = Box::new(FirstCome::new(servers, None, Arc::new(service)));
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
        let prototype = Box::new(FirstCome::new(servers, Some(Arc::new(key)), Arc::new(service)));
        Self { prototype, name: "priority", servers: Some(servers) }
    }

    /// One server with preemptive-resume priority: a token of lesser key interrupts the one in service, which later
    /// goes on where it stopped.
    pub fn preemptive_priority(
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
    ) -> Self {
        let prototype = Box::new(Preemptive::new(Arc::new(key), Arc::new(service)));
        Self { prototype, name: "preemptive-priority", servers: Some(1) }
    }

    /// Egalitarian processor sharing by `servers` processors: n tokens each progress at rate min(1, servers/n).
    pub fn processor_sharing(
        servers: u32,
        service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static,
    ) -> Self {
        let servers = servers.max(1);
        let prototype = Box::new(Sharing::new(servers, Arc::new(service)));
        Self { prototype, name: "processor-sharing", servers: Some(servers) }
    }

    /// As many servers as tokens: a random delay.
    pub fn infinite_server(service: impl Fn(&T, &mut Generator) -> Time + Send + Sync + 'static) -> Self {
        let prototype = Box::new(Infinite::new(Arc::new(service)));
        Self { prototype, name: "infinite-server", servers: None }
    }

    /// All tokens at once, each as fast as `rates` says: asked whenever one arrives or leaves, with all that are under
    /// way, in order of arrival, for how much of its work each gets done in a second of it. So resources are shared by
    /// weight, up to caps, or max-min fair over several of them ([`MaxMin`](crate::MaxMin)). `servers` is what the rates
    /// add up to when the station is fully used.
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
        let prototype = Box::new(FlowStation::new(servers, Arc::new(service), Arc::new(rates)));
        Self { prototype, name: "flows", servers: Some(servers) }
    }

    /// Servers; `None` for infinitely many.
    pub fn servers(&self) -> Option<u32> {
        self.servers
    }
}
