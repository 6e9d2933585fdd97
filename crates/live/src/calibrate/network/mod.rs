//! A network, measured between two ends: its latency, its rate, what messages cost the hosts, as a `[network.NAME]`.
//!
//! ```text
//!  client ── hello, requests ──▶ server          one TCP connection, whose small messages go at once
//!    │ ping, pong, streams forth, back, both
//!    ▼ in turns
//!  Measurements ─ fit ─▶ Fitted (NetworkParameters, LogGP, residuals) ─ write ─▶ TOML, table
//! ```
//!
//! The ends are two machines, or two network namespaces of this one that a veth pair joins. Between them is taken to be
//! what the model's smallest network has: a link, a switch, a link.
//!
//! Left out: what several connections do to one another, losses, what the kernel does for a connection in interrupts
//! that hit other threads, and other transports than TCP.

mod client;
mod effort;
mod ends;
mod error;
mod exchange;
mod fit;
mod load;
mod measurements;
mod model;
mod namespaces;
mod protocol;
mod robust;
mod server;
mod show;
mod wire;
mod write;

#[cfg(test)]
mod tests;

pub use effort::Effort;
pub use error::NetworkError;
pub use fit::{Fitted, Limit, LogGp, Residual, fit};
pub use measurements::{Connection, Measurements, RoundTrips, Streams};
pub use namespaces::possible;
pub use protocol::About;
pub use robust::Line;
pub use server::{Server, Visit};
pub use wire::WireError;

use super::step::CalibrationProgress;
use client::Client;
use namespaces::Namespaces;
use petrio_units::{Bytes, Rate};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::SystemTime;

/// A network that was measured.
#[derive(Clone, Debug)]
pub struct NetworkCalibration {
    /// What was measured.
    pub measured: Measurements,
    /// What was made of it.
    pub fitted: Fitted,
    /// Between whom.
    pub ends: Connection,
    /// Which sizes, how often.
    pub effort: Effort,
    /// When.
    pub when: SystemTime,
}

/// Measures the network to a server that listens at `ADDR:PORT`. Takes half a minute with full effort.
///
/// # Errors
/// Nobody or somebody else there, another version, a server that is lost on the way.
pub fn calibrate_network(
    to: &str,
    effort: &Effort,
    progress: &mut (dyn FnMut(CalibrationProgress) + Send),
) -> Result<NetworkCalibration, NetworkError> {
    let client = Client::connect(to)?;
    // In a thread of its own, whose priority isn't the caller's.
    let work = || measured(client, effort, None, progress);
    std::thread::scope(|scope| scope.spawn(work).join()).unwrap_or_else(namespaces::broken)
}

/// Measures between two network namespaces, which it makes (as root) and which are gone afterwards; at both of their
/// ends, where a rate is given, a token bucket of it.
///
/// # Errors
/// No right to make them, or programs that are missing or fail.
pub fn calibrate_namespaces(
    rate: Option<Rate>,
    effort: &Effort,
    progress: &mut (dyn FnMut(CalibrationProgress) + Send),
) -> Result<NetworkCalibration, NetworkError> {
    let namespaces = Namespaces::check(rate)?;
    namespaces.between(|server| {
        let between = Between { words: namespaces.in_words(), bucket: namespaces.bucket() };
        measured(Client::connect(server)?, effort, Some(between), progress)
    })
}

/// What petrio has put between the ends.
struct Between {
    words: String,
    bucket: Option<Bytes>,
}

fn measured(
    client: Client,
    effort: &Effort,
    between: Option<Between>,
    progress: &mut dyn FnMut(CalibrationProgress),
) -> Result<NetworkCalibration, NetworkError> {
    let when = SystemTime::now();
    load::go_first();
    let (mut measured, mut ends) = client.measure(effort, progress)?;
    if let Some(Between { words, bucket }) = between {
        measured.bucket = bucket;
        ends.between = Some(words);
    }
    let fitted = fit(&measured).ok_or_else(|| NetworkError::TooLittle { peer: ends.to.clone() })?;
    Ok(NetworkCalibration { measured, fitted, ends, effort: effort.clone(), when })
}

/// The addresses that `HOST:PORT` stands for.
fn addresses(text: &str) -> Result<Vec<SocketAddr>, NetworkError> {
    let no_address = |why: String| NetworkError::Address { text: text.to_owned(), why };
    let has_port = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if !has_port {
        return Err(no_address("it ends with no port from 0 to 65535".to_owned()));
    }
    let found = text.to_socket_addrs().map_err(|error| no_address(error.to_string()))?;
    let found: Vec<SocketAddr> = found.collect();
    if found.is_empty() { Err(no_address("it has no address".to_owned())) } else { Ok(found) }
}
