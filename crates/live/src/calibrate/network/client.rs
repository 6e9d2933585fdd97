//! The end that measures: it connects, asks for each figure in turns, and collects what both ends have seen.

use super::super::spread::Quartiles;
use super::super::step::CalibrationProgress;
use super::effort::Effort;
use super::ends::{about, framing};
use super::error::NetworkError;
use super::exchange::{Pings, Span, both, ping, receive, send};
use super::load::Load;
use super::measurements::{Connection, Measurements, RoundTrips, Streams};
use super::protocol::{BUSY, CLOCKED_MAX, HELLO, Hello, Passed, Report, Request, VERSION, WELCOME, Way};
use super::server::HELLO_TIME;
use super::wire::{Wire, WireError};
use petrio_units::numbers::{as_index, as_number, whole_part};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a server may take to report, beyond what it was asked to do: what is under way is still to come.
const REPORT: Duration = Duration::from_secs(70);

/// A connection to a server that is ready to measure.
pub(super) struct Client {
    wire: Wire,
    peer: String,
    ends: Connection,
}

impl Client {
    /// Connects to `ADDR:PORT`.
    pub(super) fn connect(to: &str) -> Result<Self, NetworkError> {
        let stream = connected(to)?;
        let address = |address: std::io::Result<std::net::SocketAddr>| {
            address.map_or_else(|_| to.to_owned(), |address| address.to_string())
        };
        let (from, peer) = (address(stream.local_addr()), address(stream.peer_addr()));
        let not_petrio = |why| NetworkError::NotPetrio { peer: peer.clone(), why };
        let wire = Wire::new(stream).map_err(not_petrio)?;
        let by = Instant::now() + HELLO_TIME;
        wire.write(&Hello::of(0).to_bytes(), by).map_err(not_petrio)?;
        let mut bytes = [0; HELLO];
        wire.read_within(&mut bytes, HELLO_TIME).map_err(not_petrio)?;
        let Some(hello) = Hello::read(&bytes) else {
            return Err(not_petrio(WireError::Nonsense("answers something else")));
        };
        if hello.version != VERSION {
            return Err(NetworkError::OtherVersion { peer, theirs: hello.version, ours: VERSION });
        }
        if hello.word == BUSY {
            return Err(NetworkError::Busy { peer });
        }
        if hello.word != WELCOME {
            return Err(not_petrio(WireError::Nonsense("neither welcomes this one nor says why not")));
        }
        let client = about(wire.stream());
        let server = wire.tell(&client).and_then(|()| wire.hear(HELLO_TIME)).map_err(not_petrio)?;
        let ends = Connection { client, server, from, to: peer.clone(), between: None };
        Ok(Self { wire, peer, ends })
    }

    /// Measures everything in turns, so that what disturbs the network for a while disturbs one turn of each figure.
    pub(super) fn measure(
        self,
        effort: &Effort,
        progress: &mut dyn FnMut(CalibrationProgress),
    ) -> Result<(Measurements, Connection), NetworkError> {
        let has_wire = !self.ends.are_one_machine();
        let time_stamps = self.ends.client.time_stamps && self.ends.server.time_stamps;
        let of_sizes = |sizes: &[u32]| {
            sizes
                .iter()
                .map(|&bytes| Streams { bytes: bytes.into(), ..Streams::default() })
                .collect::<Vec<_>>()
        };
        let mut measured = Measurements {
            framing: framing(self.wire.stream(), time_stamps, has_wire),
            round_trips: effort
                .messages
                .iter()
                .map(|&bytes| RoundTrips { bytes: bytes.into(), ..RoundTrips::default() })
                .collect(),
            small: Streams { bytes: effort.small.into(), ..Streams::default() },
            forth: of_sizes(&effort.streams),
            back: of_sizes(&effort.streams),
            both: Streams { bytes: effort.both().into(), ..Streams::default() },
            ..Measurements::default()
        };
        let each = effort.messages.len() + 2 * effort.streams.len() + 3;
        let total = (effort.turns * each) as u64;
        let mut done = 0;
        let mut step = |what| {
            progress(CalibrationProgress { what, done, total });
            done += 1;
        };
        for _ in 0..effort.turns {
            for trips in &mut measured.round_trips {
                step("round trips");
                self.round_trips(effort, trips)?;
            }
            for way in [Way::Forth, Way::Back] {
                step("small messages");
                self.stream(effort, way, &mut measured.small)?;
                let streams = if way == Way::Forth { &mut measured.forth } else { &mut measured.back };
                for streams in streams {
                    step("streams");
                    self.stream(effort, way, streams)?;
                }
            }
            step("both ways at once");
            self.stream(effort, Way::Both, &mut measured.both)?;
        }
        // A server that isn't told waits for a while, and that is all.
        let _ = self.wire.tell(&Request::Over);
        Ok((measured, self.ends))
    }

    fn round_trips(&self, effort: &Effort, into: &mut RoundTrips) -> Result<(), NetworkError> {
        let bytes = as_number(into.bytes);
        let lost = self.lost("messages went to and fro", into.bytes);
        let timed = |clocks: bool, count: u32| {
            self.wire.tell(&Request::PingPong { bytes, clocks })?;
            let pings = ping(&self.wire, bytes, count, effort.ping_time, clocks)?;
            Ok((pings, self.wire.hear::<Report>(REPORT)?))
        };
        // Clocks of processors are calls of their own, so messages that are timed go without.
        let (Pings { round_trips_ns, .. }, _) = timed(false, effort.pings).map_err(&lost)?;
        into.count += round_trips_ns.len() as u64;
        into.p99_ns.push(percentile(&round_trips_ns, 0.99));
        into.median_ns.extend(Quartiles::of(round_trips_ns).map(|quartiles| quartiles.median));
        if bytes > CLOCKED_MAX {
            return Ok(());
        }
        let (pings, report) = timed(true, effort.pings.div_ceil(2)).map_err(&lost)?;
        into.send_ns.extend(pings.send_ns.into_iter().chain(report.send_ns));
        into.receive_ns.extend(pings.receive_ns.into_iter().chain(report.receive_ns));
        Ok(())
    }

    fn stream(&self, effort: &Effort, way: Way, into: &mut Streams) -> Result<(), NetworkError> {
        let bytes = as_number(into.bytes);
        let span = Span { warm: effort.stream_time / 3, run: effort.stream_time };
        let micros = |span: Duration| u32::try_from(span.as_micros()).unwrap_or(u32::MAX);
        let (warm_us, run_us) = (micros(span.warm), micros(span.run));
        let seen = || {
            let load = Load::look();
            self.wire.tell(&Request::Stream { bytes, way, warm_us, run_us })?;
            let (sent, received) = match way {
                Way::Forth => (Some(send(&self.wire, bytes, span)?), None),
                Way::Back => (None, Some(receive(&self.wire, bytes, span)?)),
                Way::Both => {
                    let (sent, received) = both(&self.wire, bytes, span)?;
                    (Some(sent), Some(received))
                }
            };
            let own = Report { sent, received, busy: Load::since(load), ..Report::default() };
            Ok([own, self.wire.hear(REPORT)?])
        };
        let seen = seen().map_err(self.lost("messages streamed", into.bytes))?;
        note(&seen, into);
        Ok(())
    }

    /// What an end that is lost meanwhile is.
    fn lost(&self, doing: &'static str, bytes: u64) -> impl Fn(WireError) -> NetworkError {
        let peer = self.peer.clone();
        move |why| NetworkError::Lost { peer: peer.clone(), doing: format!("{doing} ({bytes} B each)"), why }
    }
}

/// Adds a turn of a stream, as far as anything has passed in it.
fn note(seen: &[Report; 2], into: &mut Streams) {
    let passed = |of: fn(&Report) -> Option<Passed>| {
        seen.iter().filter_map(of).filter(|passed| passed.bytes > 0 && passed.wall_ns > 0.0)
    };
    let (sent, received) = (|| passed(|report| report.sent), || passed(|report| report.received));
    let goodput: f64 = received().map(|passed| passed.bytes as f64 / passed.wall_ns * 1e9).sum();
    if goodput > 0.0 {
        into.goodput.push(goodput);
        let of_threads = sent().chain(received()).map(|passed| passed.cpu_ns / passed.wall_ns);
        let of_machines = seen.iter().filter_map(|report| report.busy);
        into.busy.push(of_threads.chain(of_machines).fold(0.0, f64::max));
    }
    let byte = |passed: Passed| passed.cpu_ns / passed.bytes as f64;
    into.send_byte_ns.extend(sent().map(byte));
    into.receive_byte_ns.extend(received().map(byte));
}

fn connected(to: &str) -> Result<TcpStream, NetworkError> {
    let mut why = std::io::Error::other("it has no address");
    for address in super::addresses(to)? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => why = error,
        }
    }
    Err(NetworkError::Nobody { address: to.to_owned(), source: why })
}

/// What this share of them is not above.
fn percentile(figures: &[f64], share: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = as_index(whole_part((share * sorted.len() as f64).ceil()));
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_hundred_the_99th_is_not_above_99_of_100() {
        let figures: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&figures, 0.99), 99.0);
        assert_eq!(percentile(&[5.0], 0.99), 5.0);
        assert_eq!(percentile(&[], 0.99), 0.0);
    }
}
