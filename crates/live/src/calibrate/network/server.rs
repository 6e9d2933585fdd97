//! The end that answers: it listens, measures with one client at a time, and goes on listening whatever comes.
//!
//! Whoever connects and isn't a petrio, or stops half-way, costs a thread for some seconds; there are never more than a
//! few of these.

use super::ends::about;
use super::error::NetworkError;
use super::exchange::{Span, both, pong, receive, send};
use super::load::{Load, go_first};
use super::protocol::{About, BUSY, HELLO, Hello, OTHER_VERSION, Report, Request, VERSION, WELCOME, Way};
use super::wire::{Wire, WireError};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a client may take to say hello.
pub(super) const HELLO_TIME: Duration = Duration::from_secs(5);
/// How long a client may say nothing between two requests.
const REST: Duration = Duration::from_secs(10);
/// How long a client may measure: a full measurement of a slow network takes a few minutes.
const VISIT: Duration = Duration::from_secs(1_800);
/// Connections at a time.
const CONNECTIONS: usize = 16;
/// After a connection that can't be taken: who has used up the process's files may close some.
const PAUSE: Duration = Duration::from_millis(100);

/// What has become of a connection.
#[derive(Debug)]
pub enum Visit {
    /// A client has begun to measure.
    Begun(About),
    /// It is done.
    Done,
    /// It was somebody else, or has broken off.
    Failed(WireError),
    /// It is a petrio of this version of the protocol.
    OtherVersion(u32),
    /// It was sent away, because another one is measuring.
    SentAway,
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
}

/// Given back when this is dropped.
struct ConnectionSlot<'p>(&'p AtomicUsize);

impl Drop for ConnectionSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Given back when this is dropped.
struct Turn<'t>(&'t AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Server {
    /// Listens on `ADDR:PORT`; on port 0, on a free one.
    ///
    /// # Errors
    /// An address that is none, or isn't this machine's, or a port that is taken.
    pub fn listen(address: &str) -> Result<Self, NetworkError> {
        let addresses = super::addresses(address)?;
        let listener = TcpListener::bind(&addresses[..])
            .map_err(|source| NetworkError::Listen { address: address.to_owned(), source })?;
        Ok(Self { listener })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's answer.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves for ever; `tell` hears of every connection.
    pub fn serve(&self, tell: &(dyn Fn(SocketAddr, Visit) + Sync)) -> ! {
        let (connections, is_busy) = (AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            loop {
                let Ok((stream, peer)) = self.listener.accept() else {
                    std::thread::sleep(PAUSE);
                    continue;
                };
                if connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
                    connections.fetch_sub(1, Ordering::SeqCst);
                    continue;
                }
                let (connections, is_busy) = (&connections, &is_busy);
                let attended = std::thread::Builder::new().spawn_scoped(scope, move || {
                    let _place = ConnectionSlot(connections);
                    tell(peer, attend(stream, is_busy, &|visit| tell(peer, visit)));
                });
                if attended.is_err() {
                    connections.fetch_sub(1, Ordering::SeqCst);
                    std::thread::sleep(PAUSE);
                }
            }
        })
    }

    /// Serves one client to its end; who doesn't measure is passed over.
    ///
    /// # Errors
    /// The client has broken off.
    pub fn serve_one(&self) -> Result<(), NetworkError> {
        let is_busy = AtomicBool::new(false);
        loop {
            let Ok((stream, peer)) = self.listener.accept() else {
                std::thread::sleep(PAUSE);
                continue;
            };
            let has_begun = AtomicBool::new(false);
            let visit = attend(stream, &is_busy, &|_| has_begun.store(true, Ordering::SeqCst));
            match visit {
                Visit::Done => return Ok(()),
                Visit::Failed(why) if has_begun.load(Ordering::SeqCst) => {
                    let doing = "it was answered".to_owned();
                    return Err(NetworkError::Lost { peer: peer.to_string(), doing, why });
                }
                _ => {}
            }
        }
    }
}

/// Attends to a connection until it ends.
fn attend(stream: TcpStream, is_busy: &AtomicBool, tell: &dyn Fn(Visit)) -> Visit {
    match try_to_attend(stream, is_busy, tell) {
        Ok(visit) => visit,
        Err(why) => Visit::Failed(why),
    }
}

fn try_to_attend(stream: TcpStream, is_busy: &AtomicBool, tell: &dyn Fn(Visit)) -> Result<Visit, WireError> {
    let wire = Wire::new(stream)?;
    let mut bytes = [0; HELLO];
    wire.read_within(&mut bytes, HELLO_TIME)?;
    let hello = Hello::read(&bytes).ok_or(WireError::Nonsense("doesn't say hello as petrio does"))?;
    let answer = |word| wire.write(&Hello::of(word).to_bytes(), Instant::now() + HELLO_TIME);
    if hello.version != VERSION {
        answer(OTHER_VERSION)?;
        return Ok(Visit::OtherVersion(hello.version));
    }
    if is_busy.swap(true, Ordering::SeqCst) {
        answer(BUSY)?;
        return Ok(Visit::SentAway);
    }
    let _turn = Turn(is_busy);
    answer(WELCOME)?;
    let client: About = wire.hear(HELLO_TIME)?;
    wire.tell(&about(wire.stream()))?;
    tell(Visit::Begun(client));
    go_first();
    let begin = Instant::now();
    loop {
        let request: Request = wire.hear(REST)?;
        if request == Request::Over {
            return Ok(Visit::Done);
        }
        let report = answer_to(&wire, request)?;
        wire.tell(&report)?;
        if begin.elapsed() > VISIT {
            return Err(WireError::Nonsense("never ends measuring"));
        }
    }
}

/// Does what a client asks for.
fn answer_to(wire: &Wire, request: Request) -> Result<Report, WireError> {
    match request {
        Request::PingPong { bytes, clocks } => pong(wire, bytes, clocks),
        Request::Stream { bytes, way, warm_us, run_us } => {
            let micros = |us: u32| Duration::from_micros(us.into());
            let span = Span { warm: micros(warm_us), run: micros(run_us) };
            let load = Load::look();
            let (sent, received) = match way {
                Way::Forth => (None, Some(receive(wire, bytes, span)?)),
                Way::Back => (Some(send(wire, bytes, span)?), None),
                Way::Both => {
                    let (sent, received) = both(wire, bytes, span)?;
                    (Some(sent), Some(received))
                }
            };
            Ok(Report { sent, received, busy: Load::since(load), ..Report::default() })
        }
        Request::Over => Ok(Report::default()),
    }
}
