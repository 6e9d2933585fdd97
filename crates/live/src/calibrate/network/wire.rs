//! One end of a connection: whole buffers and messages, each by a deadline.
//!
//! Small messages are sent at once (TCP_NODELAY), as parallel file systems do.

use super::protocol::{Received, decoded, encoded, length};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long an end may say nothing in the midst of something.
const SILENCE: Duration = Duration::from_secs(10);

/// Of what doesn't come within this time nothing is to come before something is taken.
const NO_MORE: Duration = Duration::from_millis(50);
/// Between two looks at what has come.
const LOOK: Duration = Duration::from_micros(100);

/// Why the other end can't be talked to any more; words that follow its name.
#[derive(Debug, Error)]
pub enum WireError {
    /// It has closed the connection.
    #[error("has closed the connection")]
    Closed,
    /// Nothing comes from it, or nothing more goes to it.
    #[error("has fallen silent")]
    Silent,
    /// What it says makes no sense.
    #[error("{0}")]
    Nonsense(&'static str),
    /// The system's answer.
    #[error("can't be reached any more: {0}")]
    System(io::Error),
}

impl WireError {
    fn of(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Silent,
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::System(error),
        }
    }
}

/// A connection.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    /// What was read too far: it is read next.
    ahead: Mutex<Vec<u8>>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Result<Self, WireError> {
        let prepared = stream.set_nodelay(true).and_then(|()| stream.set_write_timeout(Some(SILENCE)));
        prepared.and_then(|()| stream.set_read_timeout(Some(SILENCE))).map_err(WireError::of)?;
        Ok(Self { stream, ahead: Mutex::default() })
    }

    pub(super) const fn stream(&self) -> &TcpStream {
        &self.stream
    }

    fn ahead(&self) -> MutexGuard<'_, Vec<u8>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives back what belongs to whatever is read next.
    pub(super) fn put_back(&self, bytes: &[u8]) {
        self.ahead().splice(..0, bytes.iter().copied());
    }

    /// As much as there is, at least a byte.
    pub(super) fn read_some(&self, into: &mut [u8]) -> Result<usize, WireError> {
        let mut ahead = self.ahead();
        if !ahead.is_empty() {
            let taken = ahead.len().min(into.len());
            into[..taken].copy_from_slice(&ahead[..taken]);
            ahead.drain(..taken);
            return Ok(taken);
        }
        drop(ahead);
        loop {
            match (&self.stream).read(into) {
                Ok(0) => return Err(WireError::Closed),
                Ok(read) => return Ok(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WireError::of(error)),
            }
        }
    }

    /// Waits until something is there.
    pub(super) fn await_some(&self) -> Result<(), WireError> {
        match self.stream.peek(&mut [0]) {
            Ok(0) => Err(WireError::Closed),
            Ok(_) => Ok(()),
            Err(error) => Err(WireError::of(error)),
        }
    }

    /// Waits until so many bytes are there, or for a while no more come.
    pub(super) fn await_all(&self, bytes: usize) -> Result<(), WireError> {
        let (mut most, mut since) = (0, Instant::now());
        loop {
            let there = rustix::io::ioctl_fionread(&self.stream);
            let there = there.map_err(|error| WireError::of(error.into()))?;
            if there >= bytes as u64 || since.elapsed() > NO_MORE {
                return Ok(());
            }
            if there > most {
                (most, since) = (there, Instant::now());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// All of it, by then; who sends a byte at a time is late, too.
    pub(super) fn read(&self, into: &mut [u8], by: Instant) -> Result<(), WireError> {
        let mut rest = into;
        while !rest.is_empty() {
            let read = self.read_some(rest)?;
            rest = &mut rest[read..];
            if !rest.is_empty() && Instant::now() > by {
                return Err(WireError::Silent);
            }
        }
        Ok(())
    }

    /// All of it, by then.
    pub(super) fn write(&self, from: &[u8], by: Instant) -> Result<(), WireError> {
        let mut rest = from;
        while !rest.is_empty() {
            match (&self.stream).write(rest) {
                Ok(0) => return Err(WireError::Closed),
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WireError::of(error)),
            }
            if !rest.is_empty() && Instant::now() > by {
                return Err(WireError::Silent);
            }
        }
        Ok(())
    }

    /// A short buffer within so long, whoever is at the other end.
    pub(super) fn read_within(&self, into: &mut [u8], within: Duration) -> Result<(), WireError> {
        let by = Instant::now() + within;
        let patience = |span| self.stream.set_read_timeout(Some(span)).map_err(WireError::of);
        patience(within.min(SILENCE))?;
        let read = self.read(into, by);
        patience(SILENCE)?;
        read
    }

    pub(super) fn tell(&self, told: &impl Received) -> Result<(), WireError> {
        self.write(&encoded(told), Instant::now() + SILENCE)
    }

    /// What the other end tells within so long.
    pub(super) fn hear<T: Received>(&self, within: Duration) -> Result<T, WireError> {
        let mut head = [0; 4];
        self.read_within(&mut head, within)?;
        let length = length(head).ok_or(WireError::Nonsense("sends a longer message than there are"))?;
        let mut text = vec![0; length];
        self.read_within(&mut text, SILENCE)?;
        decoded(&text).map_err(WireError::Nonsense)
    }
}
