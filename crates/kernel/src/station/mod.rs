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
mod service;
mod sharing;
mod spec;
mod tracker;

pub use flows::Flows;
pub use max_min::MaxMin;
pub(crate) use service::{Env, Served, Station};
pub use spec::StationSpec;
pub use tracker::StationStatistics;
