//! Two network namespaces of this machine, joined by a veth pair, and what is measured between them.
//!
//! A namespace has no name here: it belongs to a thread, and the kernel takes it away with the thread, together with
//! the pair and its queues (network_namespaces(7)). So nothing is left to be cleared, whatever becomes of the process;
//! the programs that set it up end with it, too.
//!
//! ```text
//!  client's thread ─ [198.18.0.1] ═ tbf ═ veth ═ tbf ═ [198.18.0.2] ─ server's thread
//! ```

use super::error::NetworkError;
use super::server::Server;
use crate::rig::Availability;
use crate::rig::program::{is_installed, run_to_death};
use nix::sched::{CloneFlags, unshare};
use petrio_units::numbers::whole_part;
use petrio_units::{Bytes, Rate};
use std::ops::RangeInclusive;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The addresses: of the block that is kept for measuring networks (RFC 2544, RFC 6815).
const CLIENT: &str = "198.18.0.1";
const SERVER: &str = "198.18.0.2";
/// Both ends of the pair are called so, each in its namespace.
const DEVICE: &str = "petrio-0";

/// The bucket is filled in this time, but holds this much at least: at 100 Mbit/s the 2000 bytes of the test bed on
/// which OrangeFS was measured. The kernel's timers are late by some ten microseconds, which a smaller one would lose.
const BURST_SECONDS: f64 = 160e-6;
const BURST_MIN: u64 = 2_000;
/// Bytes that wait before a bucket, as on that test bed: a thousand frames.
const LIMIT: u64 = 1_514_000;
/// Bytes a second of a bucket: what waits before a slower one takes seconds to pass, and no processor fills a faster
/// one.
const RATES: RangeInclusive<f64> = 1.25e6..=12.5e9;
/// A bucket's rate is found by one that fills its queue; BBR, which paces, leaves some of it.
const CONGESTION: &str = "reno";

/// Two namespaces that can be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Namespaces {
    rate: Option<Rate>,
}

/// Whether namespaces can be made here, with token buckets or without.
pub fn possible(with_rate: bool) -> Availability {
    let missing = |why: &str| Availability::Missing(why.to_owned());
    if !rustix::process::geteuid().is_root() {
        return missing("it needs root");
    }
    if !is_installed("ip") {
        return missing("the program ip isn't installed");
    }
    if with_rate && !is_installed("tc") {
        return missing("the program tc isn't installed");
    }
    Availability::There
}

impl Namespaces {
    /// # Errors
    /// This user or this machine can't, or nobody could measure that rate.
    pub(super) fn check(rate: Option<Rate>) -> Result<Self, NetworkError> {
        if let Some(rate) = rate.filter(|rate| !RATES.contains(&rate.bytes_per_second())) {
            return Err(NetworkError::Rate { rate });
        }
        match possible(rate.is_some()).reason() {
            None => Ok(Self { rate }),
            Some(why) => Err(NetworkError::Namespaces {
                why: why.to_owned(),
                what: "namespaces need root, and the programs ip and tc of iproute2",
            }),
        }
    }

    /// The token bucket before each end.
    pub(super) fn bucket(&self) -> Option<Bytes> {
        let filled = |rate: Rate| Bytes(whole_part(rate.bytes_per_second() * BURST_SECONDS).max(BURST_MIN));
        self.rate.map(filled)
    }

    /// What is between the ends, for whoever reads it later.
    pub(super) fn in_words(&self) -> String {
        let pair = "two network namespaces of one machine, joined by a veth pair";
        match self.rate.zip(self.bucket()) {
            None => pair.to_owned(),
            Some((rate, burst)) => {
                format!("{pair}, at both ends tbf rate {rate} burst {} limit {LIMIT}", burst.get())
            }
        }
    }

    /// Makes them, with a server in one, and works in the other; `work` gets the server's address.
    ///
    /// # Errors
    /// Programs that fail, the server's, and those of `work`.
    pub(super) fn between<T: Send>(
        &self,
        work: impl FnOnce(&str) -> Result<T, NetworkError> + Send,
    ) -> Result<T, NetworkError> {
        let (tell_namespace, namespace) = channel::<String>();
        let (tell_linked, linked) = channel::<()>();
        let (tell_address, address) = channel::<String>();
        thread::scope(|scope| {
            let server = scope.spawn(move || self.serve(&tell_namespace, &linked, &tell_address));
            let client = scope.spawn(move || self.work(&namespace, &tell_linked, &address, work));
            // Who is left alone hears that his other end is gone; what has gone wrong first is said.
            let worked = client.join().unwrap_or_else(|panic| Some(broken(panic)));
            let served = server.join().unwrap_or_else(broken);
            match (worked, served) {
                (Some(worked), _) => worked,
                (None, Err(error)) => Err(error),
                (None, Ok(())) => Err(NetworkError::Thread("the other end is gone".to_owned())),
            }
        })
    }

    /// The server's thread: its namespace, its end of the pair once that is there, one client.
    fn serve(
        &self,
        tell_namespace: &Sender<String>,
        linked: &Receiver<()>,
        tell_address: &Sender<String>,
    ) -> Result<(), NetworkError> {
        apart()?;
        let thread = rustix::thread::gettid().as_raw_nonzero();
        let _ = tell_namespace.send(format!("/proc/{}/task/{thread}/ns/net", std::process::id()));
        if linked.recv().is_err() {
            return Ok(());
        }
        self.set_up(SERVER)?;
        let server = Server::listen(&format!("{SERVER}:0"))?;
        let address = server.address().map_err(|error| NetworkError::Thread(error.to_string()))?;
        let _ = tell_address.send(address.to_string());
        server.serve_one()
    }

    /// The client's thread; none if the server has gone before.
    fn work<T>(
        &self,
        namespace: &Receiver<String>,
        tell_linked: &Sender<()>,
        address: &Receiver<String>,
        work: impl FnOnce(&str) -> Result<T, NetworkError>,
    ) -> Option<Result<T, NetworkError>> {
        let made = || {
            apart()?;
            let Ok(namespace) = namespace.recv() else { return Ok(false) };
            let pair = ["link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns", &namespace];
            run_to_death("ip", &pair)?;
            self.set_up(CLIENT)?;
            Ok(tell_linked.send(()).is_ok())
        };
        match made() {
            Err(error) => return Some(Err(error)),
            Ok(false) => return None,
            Ok(true) => {}
        }
        let address = address.recv().ok()?;
        Some(work(&address))
    }

    /// Sets up this thread's end of the pair.
    fn set_up(&self, address: &str) -> Result<(), NetworkError> {
        run_to_death("ip", &["address", "add", &format!("{address}/30"), "dev", DEVICE])?;
        run_to_death("ip", &["link", "set", DEVICE, "up"])?;
        if let Some((rate, burst)) = self.rate.zip(self.bucket()) {
            // tc takes whole bits a second.
            let rate = format!("{:.0}bit", rate.bytes_per_second() * 8.0);
            let (burst, limit) = (format!("{}b", burst.get()), LIMIT.to_string());
            let bucket = ["tbf", "rate", &rate, "burst", &burst, "limit", &limit];
            run_to_death("tc", &[&["qdisc", "add", "dev", DEVICE, "root"][..], &bucket].concat())?;
            // As on that test bed. Of the namespace alone; where it can't be had, the usual one is in the table.
            let _ = std::fs::write("/proc/sys/net/ipv4/tcp_congestion_control", CONGESTION);
        }
        Ok(())
    }
}

/// Gives this thread, and those that it starts, a network namespace of its own.
fn apart() -> Result<(), NetworkError> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| NetworkError::Namespaces {
        why: format!("the kernel says: {}", error.desc()),
        what: "namespaces need CAP_SYS_ADMIN, which a container may lack",
    })
}

/// A thread that has panicked is an error like others.
pub(super) fn broken<T>(_: Box<dyn std::any::Any + Send>) -> Result<T, NetworkError> {
    Err(NetworkError::Thread("it has panicked".to_owned()))
}
