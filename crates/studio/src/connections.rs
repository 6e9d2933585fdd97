//! Connections: how many there are at once, how long each may say nothing, and what happens when the system has no room
//! for another.
//!
//! A browser keeps connections that it may need again, and anybody on this machine can open some and say nothing. So
//! whoever comes when all places are taken gets that of the connection which has been idle for longest; one that is
//! being answered keeps its place.

use axum::Router;
use axum::body::{Body, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::Instant;
use tower::ServiceExt;

/// Most connections.
const MOST: u64 = 128;
/// Files that something else needs: loaded values, traces, runs, the runtime.
const OTHER_FILES: u64 = 64;
/// How long a connection may take to say what it wants.
const SILENCE: Duration = Duration::from_secs(20);
/// How long whoever doesn't acknowledge what is sent to him is believed to be there.
const UNACKNOWLEDGED_MS: u32 = 30_000;
/// Until the system is asked again for what it didn't have.
const AGAIN: Duration = Duration::from_millis(20);

/// What is known of a connection.
struct Connection {
    /// Requests that are being answered, and since when there is none.
    state: Mutex<(usize, Instant)>,
    close: Notify,
}

impl Connection {
    fn state(&self) -> MutexGuard<'_, (usize, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that is being answered.
struct Busy(Arc<Connection>);

impl Busy {
    fn new(connection: &Arc<Connection>) -> Self {
        connection.state().0 += 1;
        Self(Arc::clone(connection))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.state();
        *state = (state.0 - 1, Instant::now());
    }
}

/// All that there are.
#[derive(Default)]
struct Connections {
    all: Mutex<BTreeMap<u64, Arc<Connection>>>,
    left: Notify,
}

impl Connections {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Connection>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the one that has been idle for longest; whether there was one.
    fn close_an_idle_one(&self) -> bool {
        let mut all = self.all();
        let idle = all.iter().filter_map(|(number, one)| {
            let (requests, since) = *one.state();
            (requests == 0).then_some((since, *number))
        });
        let Some((_, longest)) = idle.min() else { return false };
        // Out of the list at once, so that the next one closed is another.
        if let Some(one) = all.remove(&longest) {
            one.close.notify_one();
        }
        true
    }
}

/// How many there may be: the system may allow this process few files.
fn most() -> u64 {
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    allowed.saturating_sub(OTHER_FILES).clamp(4, MOST)
}

/// Answers whoever comes, for ever.
pub(crate) async fn answer(listener: TcpListener, router: Router) {
    let (connections, most) = (Arc::new(Connections::default()), most());
    for number in 0.. {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                // Either it has left again, or the system has no room; then somebody who is idle makes it.
                Err(_) => {
                    connections.close_an_idle_one();
                    tokio::time::sleep(AGAIN).await;
                }
            }
        };
        while connections.all().len() as u64 >= most {
            if !connections.close_an_idle_one() {
                // All are being answered: whoever comes waits until one is done.
                let _ = tokio::time::timeout(AGAIN, connections.left.notified()).await;
            }
        }
        let state = Mutex::new((0, Instant::now()));
        let connection = Arc::new(Connection { state, close: Notify::new() });
        connections.all().insert(number, Arc::clone(&connection));
        let (connections, router) = (Arc::clone(&connections), router.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = serve(stream, &connection, router) => {}
                () = connection.close.notified() => {}
            }
            connections.all().remove(&number);
            connections.left.notify_one();
        });
    }
}

async fn serve(stream: TcpStream, connection: &Arc<Connection>, router: Router) {
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, UNACKNOWLEDGED_MS);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (busy, router) = (Busy::new(connection), router.clone());
        async move {
            let answer = router.oneshot(request.map(Body::new)).await?;
            Ok::<_, Infallible>(answer.map(|body| Answer { body, _busy: busy }))
        }
    });
    let mut server = http1::Builder::new();
    // Of a connection that is kept, also until its next request.
    server.timer(TokioTimer::new()).header_read_timeout(SILENCE);
    // Whoever sends what is no HTTP, or leaves, ends his connection alone.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

/// An answer that is on its way: as long as it is, its connection isn't idle.
struct Answer {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Answer {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
