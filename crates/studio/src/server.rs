//! The server: on which address, until when.

use crate::api::{self, Begins, Desk};
use crate::assets::asset;
use crate::connections::answer;
use crate::entrance::Entrance;
use crate::guard::{Guard, guarded};
use crate::reach::Reach;
use crate::token::Token;
use axum::Router;
use axum::routing::get;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;
use tokio::sync::watch;

/// Where the studio is, and what it begins with.
#[derive(Clone, Debug)]
pub struct StudioOptions {
    /// The address to listen on; this machine's own unless something else is asked for.
    pub address: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// A user specification to begin with.
    pub specification: Option<PathBuf>,
    /// A scenario to begin with.
    pub scenario: Option<PathBuf>,
    /// How long a run goes on after its page was closed.
    pub grace: Duration,
}

impl Default for StudioOptions {
    fn default() -> Self {
        let grace = Duration::from_secs(15);
        Self { address: Ipv4Addr::LOCALHOST.into(), port: 0, specification: None, scenario: None, grace }
    }
}

/// Why there is no studio.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudioError {
    /// The address can't be had.
    #[error("the studio can't listen on {address}: {cause}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        cause: io::Error,
    },
    /// The folder that files are to lie below can't be told or held.
    #[error("the studio can't hold the folder in which it was started: {0}")]
    Folder(io::Error),
    /// The system has no randomness for the token.
    #[error("no token can be made: {0}")]
    Token(getrandom::Error),
    /// The server failed.
    #[error("the studio failed: {0}")]
    Serve(io::Error),
}

/// A studio that listens, and answers as soon as it is served.
pub struct Studio {
    listener: TcpListener,
    guard: Guard,
    begins: Begins,
    reach: Reach,
    grace: Duration,
    stopped: watch::Receiver<bool>,
}

/// How to end the studio that is open.
static STOP: Mutex<Option<watch::Sender<bool>>> = Mutex::new(None);

/// Asks the studio that is open to end. Says whether there was one that hadn't been asked before.
pub fn interrupt() -> bool {
    let stop = STOP.lock().unwrap_or_else(PoisonError::into_inner).take();
    stop.is_some_and(|stop| stop.send(true).is_ok())
}

/// How long runs, and then answers, that are under way may take to end after the end was asked for.
const PATIENCE: Duration = Duration::from_millis(900);
const PATIENCE_OF_ANSWERS: Duration = Duration::from_millis(100);
/// Threads for what takes its time. More would do nothing faster, and each may take memory.
const ASIDE: usize = 16;

impl Studio {
    /// Takes the address.
    ///
    /// # Errors
    /// An address that can't be had; for others than this machine's own, a working directory that can't be told.
    pub fn bind(options: &StudioOptions) -> Result<Self, StudioError> {
        let address = SocketAddr::new(options.address, options.port);
        let failed = |cause| StudioError::Listen { address, cause };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let token = Token::random().map_err(StudioError::Token)?;
        let begins =
            Begins { specification: options.specification.clone(), scenario: options.scenario.clone() };
        let reach = if address.ip().is_loopback() {
            Reach::Everything
        } else {
            let below = |folder: PathBuf| Reach::within(&folder, begins.file());
            std::env::current_dir().and_then(below).map_err(StudioError::Folder)?
        };
        let guard = Guard { token, address, entrance: Entrance::default() };
        // From here on, so that who is told the address can end it.
        let (stop, stopped) = watch::channel(false);
        *STOP.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
        Ok(Self { listener, guard, begins, reach, grace: options.grace, stopped })
    }

    /// The address for the browser, with the token; it ends in a slash.
    pub fn url(&self) -> String {
        format!("{}/{}/", self.origin(), self.guard.token.as_str())
    }

    fn origin(&self) -> String {
        let mut address = self.guard.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}")
    }

    /// A file, of this user alone, that leads a browser to that address once: an argument of a program can be read by
    /// everybody. It is removed when it has served, or with the studio.
    ///
    /// # Errors
    /// What the system says.
    pub fn entrance(&self) -> io::Result<PathBuf> {
        self.guard.entrance.make(&self.origin())
    }

    /// Whether others than this machine reach it.
    pub fn is_reachable(&self) -> bool {
        !self.guard.address.ip().is_loopback()
    }

    /// Answers until [`interrupt`] is called.
    ///
    /// # Errors
    /// What the system says.
    pub fn serve(self) -> Result<(), StudioError> {
        let mut stopped = self.stopped;
        let desk = Arc::new(Desk::new(self.begins, self.reach, self.grace));
        let entrance = self.guard.entrance.clone();
        let router = router(self.guard, Arc::clone(&desk));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(ASIDE)
            .enable_all()
            .build()
            .map_err(StudioError::Serve)?;
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            tokio::select! {
                () = answer(listener, router) => Ok(()),
                _ = stopped.wait_for(|stopped| *stopped) => Ok(()),
            }
        });
        desk.end(PATIENCE);
        entrance.close();
        runtime.shutdown_timeout(PATIENCE_OF_ANSWERS);
        served.map_err(StudioError::Serve)
    }
}

/// Everything that can be asked for, behind the guard.
pub(crate) fn router(guard: Guard, desk: Arc<Desk>) -> Router {
    Router::new()
        .nest("/{token}/api", api::routes())
        .route("/{token}/", get(asset))
        .route("/{token}/{*file}", get(asset))
        .with_state(desk)
        .fallback(asset)
        .layer(axum::middleware::from_fn_with_state(guard, guarded))
}
