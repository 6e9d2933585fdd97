//! Devices served to clients of the Network Block Device protocol, on a Unix socket.
//!
//! ```text
//!  client ─ greeting, options ─▶ one device ─ requests ─▶ Device::submit ─ … ─▶ replies, in any order
//! ```
//!
//! Fixed newstyle negotiation with simple replies; the options EXPORT_NAME, ABORT, LIST, INFO and GO; reads, writes, flushes, trims,
//! zeros and the end. Several connections see one device (CAN_MULTI_CONN): a flush of one is of the writes of all. Structured replies,
//! TLS and metadata contexts are refused as the protocol has it, and clients go on without them. A client that sends nonsense, sends nothing
//! or reads nothing holds up itself alone.
//!
//! Source: <https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md>.

mod connection;
mod greeting;
mod replies;
mod wire;

#[cfg(test)]
mod tests;

use crate::device::Device;
use crate::urgent;
use connection::serve;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// So many connections at once: a client of several takes one for each of its processors.
const CONNECTIONS_MAX: usize = 64;

/// A server of devices; gone, with its socket, when this is dropped.
pub struct NbdServer {
    path: PathBuf,
    /// Which file the socket is: somebody else's of that name stays.
    made: Option<(u64, u64)>,
    ends: Arc<AtomicBool>,
    open: Arc<Open>,
    thread: Option<JoinHandle<()>>,
}

/// Connections that are open.
#[derive(Default)]
struct Open {
    streams: Mutex<Vec<(usize, UnixStream)>>,
    count: AtomicUsize,
    next: AtomicUsize,
}

impl NbdServer {
    /// Serves devices by their names; the first of them to whoever names none.
    ///
    /// # Errors
    /// A socket that can't be made there, or that another server answers at.
    pub fn start(path: &Path, devices: Vec<Device>) -> io::Result<Self> {
        let listener = listen(path)?;
        let made = fs::symlink_metadata(path).ok().map(|there| (there.dev(), there.ino()));
        let ends = Arc::new(AtomicBool::new(false));
        let open = Arc::new(Open::default());
        let (known, told) = (Arc::clone(&open), Arc::clone(&ends));
        let devices: Arc<[Device]> = devices.into();
        let accept = move || accept(&listener, &devices, (&known, &told));
        let thread = Builder::new().name("petrio-nbd".to_owned()).spawn(accept)?;
        Ok(Self { path: path.to_owned(), made, ends, open, thread: Some(thread) })
    }

    /// How many clients are connected now.
    pub fn connections(&self) -> usize {
        self.open.count.load(Ordering::SeqCst)
    }
}

impl Drop for NbdServer {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        let there = fs::symlink_metadata(&self.path).ok().map(|there| (there.dev(), there.ino()));
        // It waits for the next client, which is this.
        let woken = there == self.made && UnixStream::connect(&self.path).is_ok();
        if there.is_some() && there == self.made {
            let _ = fs::remove_file(&self.path);
        }
        for (_, stream) in self.open.streams.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        if let Some(thread) = self.thread.take()
            && woken
        {
            let _ = thread.join();
        }
    }
}

/// A socket at a path; one at which nobody answers any more gives way.
fn listen(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let is_socket = fs::symlink_metadata(path).is_ok_and(|there| there.file_type().is_socket());
            let is_dead = UnixStream::connect(path)
                .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
            if !is_socket {
                return Err(io::Error::other("there is a file of that name that is no socket"));
            }
            if !is_dead {
                return Err(io::Error::other("another server answers there"));
            }
            fs::remove_file(path)?;
            UnixListener::bind(path)
        }
        other => other,
    }
}

fn accept(listener: &UnixListener, devices: &Arc<[Device]>, (open, ends): (&Arc<Open>, &AtomicBool)) {
    for stream in listener.incoming() {
        if ends.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else {
            // Too many files are open: that may pass.
            std::thread::sleep(std::time::Duration::from_millis(10));
            continue;
        };
        let Ok(known) = stream.try_clone() else { continue };
        if open.count.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS_MAX {
            open.count.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let number = open.next.fetch_add(1, Ordering::SeqCst);
        open.streams.lock().unwrap_or_else(PoisonError::into_inner).push((number, known));
        let (devices, open) = (Arc::clone(devices), Arc::clone(open));
        let serve = move || {
            urgent::before_others();
            // Whatever ends a connection, the client knows best.
            let _ = serve(&stream, &devices);
            let _ = stream.shutdown(std::net::Shutdown::Both);
            let mut streams = open.streams.lock().unwrap_or_else(PoisonError::into_inner);
            streams.retain(|(known, _)| *known != number);
            open.count.fetch_sub(1, Ordering::SeqCst);
        };
        // Without a thread the connection is closed, which tells the client.
        let _ = Builder::new().name("petrio-nbd-client".to_owned()).spawn(serve);
    }
}

/// Reads a client's part of a conversation and gives back the server's, as of one that says all of it at once: for whoever tries the
/// reader with damaged conversations. Nothing is stored.
pub fn converse(said: &[u8], blocks: u64) -> Vec<u8> {
    greeting::converse(said, blocks)
}
