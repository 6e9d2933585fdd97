//! Replies to a client, in the order in which they are ready: sent at once by whoever has one where the client's socket takes it,
//! and otherwise by a thread of the connection, so that nobody who keeps the time waits for a client.

use super::wire::REPLY;
use crate::answer::Answer;
use rustix::net::{SendFlags, send};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// So many requests of a client are under way at once, and so many bytes of them.
const REQUESTS_MAX: usize = 256;
const BYTES_MAX: u64 = 128 << 20;

/// What a connection has to send.
pub(super) struct Replies {
    stream: UnixStream,
    state: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is something to write for the thread, or the connection is over.
    to_write: Condvar,
    /// Requests have left, or the connection is over. Who keeps the time wakes nobody but the client, unless somebody waits for this.
    left: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Vec<u8>, u64)>,
    /// The thread is at one of them.
    is_writing: bool,
    under_way: usize,
    bytes: u64,
    /// Who reads requests waits for room, or for the end of all.
    waits: bool,
    is_over: bool,
}

/// The head of a simple reply.
pub(super) fn head(errno: u32, handle: u64) -> Vec<u8> {
    let mut head = REPLY.to_be_bytes().to_vec();
    head.extend(errno.to_be_bytes());
    head.extend(handle.to_be_bytes());
    head
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_leaving<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.waits = true;
        let mut state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waits = false;
        state
    }

    fn leave(&self, state: &mut State, bytes: u64) {
        state.under_way -= 1;
        state.bytes -= bytes;
        if state.waits {
            self.left.notify_all();
        }
    }
}

impl Replies {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        let (state, own) = (Arc::<Shared>::default(), stream.try_clone()?);
        // A client that takes nothing for ever is ended with the server, by its socket.
        own.set_write_timeout(None)?;
        let shared = Arc::clone(&state);
        Builder::new().name("petrio-nbd-replies".to_owned()).spawn(move || write_out(own, &shared))?;
        Ok(Self { stream, state })
    }

    /// Waits until a request of so many bytes may be under way beside the others.
    pub(super) fn make_room(&self, bytes: u64) {
        let mut state = self.state.lock();
        while !state.is_over
            && state.under_way > 0
            && (state.under_way >= REQUESTS_MAX || state.bytes + bytes > BYTES_MAX)
        {
            state = self.state.wait_for_leaving(state);
        }
        state.under_way += 1;
        state.bytes += bytes;
    }

    /// Sends the reply to a request for which room was made; waits for nobody.
    pub(super) fn send(&self, handle: u64, answer: Answer, bytes: u64) {
        let mut message = match &answer {
            Ok(_) => head(0, handle),
            Err(refusal) => head(u32::from(refusal.errno()), handle),
        };
        message.extend(answer.unwrap_or_default());
        let mut state = self.state.lock();
        if state.is_over {
            return;
        }
        let mut sent = 0;
        if state.waiting.is_empty() && !state.is_writing {
            sent = send(&self.stream, &message, SendFlags::DONTWAIT | SendFlags::NOSIGNAL).unwrap_or(0);
        }
        if sent == message.len() {
            self.state.leave(&mut state, bytes);
        } else {
            message.drain(..sent);
            state.waiting.push_back((message, bytes));
            self.state.to_write.notify_one();
        }
    }

    /// Waits until all are sent.
    pub(super) fn drain(&self) {
        let mut state = self.state.lock();
        while state.under_way > 0 && !state.is_over {
            state = self.state.wait_for_leaving(state);
        }
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        self.state.lock().is_over = true;
        self.state.to_write.notify_all();
        self.state.left.notify_all();
    }
}

/// Sends what couldn't be sent at once, until the connection is over.
fn write_out(mut stream: UnixStream, shared: &Shared) {
    let mut state = shared.lock();
    while !state.is_over {
        let Some((message, bytes)) = state.waiting.pop_front() else {
            state = shared.to_write.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.is_writing = true;
        drop(state);
        let written = stream.write_all(&message);
        state = shared.lock();
        state.is_writing = false;
        state.is_over |= written.is_err();
        shared.leave(&mut state, bytes);
    }
}
