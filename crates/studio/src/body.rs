//! What a page sends: JSON, taken in only where there is room for it, in a bounded time, and no longer than it may be.
//!
//! All bodies together are bounded, not each alone: whoever finds no room waits for it. A body's room is kept until
//! what it asked for is done, for what is made of it takes memory too.

use crate::refusal::Refusal;
use axum::body::Body;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use petrio_units::numbers::as_number;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// What can be asked for.
pub(crate) trait Wanted: DeserializeOwned + Send + 'static {
    /// Bytes of its JSON at most: a few megabytes are a long specification.
    const BYTES_MAX: usize = 4 << 20;
    /// How many times as much memory is taken by what is made of it: the tables of a TOML document take some sixty
    /// times its text.
    const TAKES: usize = 64;
}

/// Room for large bodies together, in bytes times what they take.
const ROOM: usize = 256 << 20;
/// Bodies below this are small.
const SMALL: usize = 64 << 10;
/// Small ones at once.
const SMALL_AT_ONCE: usize = 64;
/// The room's smallest part.
const PART: usize = 1 << 10;

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Until there is room.
    pub(crate) room: Duration,
    /// Until more of a body comes.
    pub(crate) more: Duration,
    /// Until all of it is there.
    pub(crate) whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let [room, more, whole] = [300, 10, 300].map(Duration::from_secs);
        Self { room, more, whole }
    }
}

/// The room for bodies.
#[derive(Clone)]
pub(crate) struct Rooms {
    large: Arc<Semaphore>,
    small: Arc<Semaphore>,
    patience: Patience,
}

impl Rooms {
    pub(crate) fn new(patience: Patience) -> Self {
        let large = Arc::new(Semaphore::new(ROOM / PART));
        Self { large, small: Arc::new(Semaphore::new(SMALL_AT_ONCE)), patience }
    }

    /// Room for so many bytes, of which so much is made.
    pub(crate) async fn take(&self, bytes: usize, takes: usize) -> Result<Room, Refusal> {
        let taken = if bytes <= SMALL {
            timeout(self.patience.room, self.small.clone().acquire_owned()).await
        } else {
            let parts = bytes.saturating_mul(takes).min(ROOM).div_ceil(PART);
            timeout(self.patience.room, self.large.clone().acquire_many_owned(as_number(parts))).await
        };
        match taken {
            Ok(Ok(permit)) => Ok(Room(permit)),
            _ => Err(Refusal::new("the studio is busy with other large requests")
                .help(Some("try again when they are done".to_owned()))
                .with_status(StatusCode::SERVICE_UNAVAILABLE)),
        }
    }
}

/// Room that is taken as long as this lives.
pub(crate) struct Room(#[expect(dead_code, reason = "held, not looked at")] OwnedSemaphorePermit);

/// What a page asked for, and the room that it takes.
pub(crate) struct Admitted<T>(pub(crate) T, pub(crate) Room);

/// Wherever there are rooms.
impl<T: Wanted, S: Send + Sync> FromRequest<S> for Admitted<T>
where
    Rooms: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        asked(request, &Rooms::from_ref(state)).await.map_err(IntoResponse::into_response)
    }
}

/// How long a body is, by what its head says.
fn length_of<T: Wanted>(headers: &HeaderMap) -> Result<usize, Refusal> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_json = header(header::CONTENT_TYPE).is_some_and(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    });
    if !is_json {
        return Err(Refusal::new("JSON is expected here").with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    // Whoever doesn't say how much it is may send the most.
    let length = header(header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    match length.unwrap_or(T::BYTES_MAX) {
        length if length > T::BYTES_MAX => Err(too_large(T::BYTES_MAX)),
        length => Ok(length),
    }
}

async fn asked<T: Wanted>(request: Request, rooms: &Rooms) -> Result<Admitted<T>, Refusal> {
    let length = length_of::<T>(request.headers())?;
    let room = rooms.take(length, T::TAKES).await?;
    let blocks = blocks(request.into_body(), T::BYTES_MAX.min(length.max(SMALL)), rooms.patience).await?;
    let wanted = if blocks.bytes <= SMALL {
        blocks.json()
    } else {
        let parsed = tokio::task::spawn_blocking(move || blocks.json()).await;
        parsed.map_err(|failed| Refusal::new(format!("the studio failed at this: {failed}")))?
    };
    Ok(Admitted(wanted.map_err(|error| not_understood(&error))?, room))
}

fn too_large(most: usize) -> Refusal {
    Refusal::new(format!("more than {} MiB are more than any such request needs", most >> 20))
        .help(Some("name a file of this machine by its path instead".to_owned()))
        .with_status(StatusCode::PAYLOAD_TOO_LARGE)
}

fn not_understood(error: &serde_json::Error) -> Refusal {
    let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
    Refusal::new(format!("the request isn't understood: {error}")).with_status(status)
}

/// A body in pieces, which are let go as they are read.
#[derive(Default)]
struct Blocks {
    pieces: VecDeque<Vec<u8>>,
    read: usize,
    bytes: usize,
}

/// Bytes of a piece: many small parts of a body take no more memory than their bytes.
const PIECE: usize = 256 << 10;

impl Blocks {
    fn push(&mut self, mut part: &[u8]) {
        self.bytes += part.len();
        while !part.is_empty() {
            let piece = match self.pieces.back_mut() {
                Some(last) if last.len() < PIECE => last,
                _ => {
                    self.pieces.push_back(Vec::with_capacity(part.len().min(PIECE)));
                    continue;
                }
            };
            let (here, rest) = part.split_at(part.len().min(PIECE - piece.len()));
            piece.extend_from_slice(here);
            part = rest;
        }
    }

    fn json<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        match self.pieces.front() {
            Some(only) if self.pieces.len() == 1 => serde_json::from_slice(only),
            _ => serde_json::from_reader(io::BufReader::with_capacity(PIECE, self)),
        }
    }
}

impl Read for Blocks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(first) = self.pieces.front() else { return Ok(0) };
        let rest = &first[self.read..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        if self.read == first.len() {
            self.pieces.pop_front();
            self.read = 0;
        }
        Ok(count)
    }
}

/// Takes a body in.
async fn blocks(mut body: Body, most: usize, patience: Patience) -> Result<Blocks, Refusal> {
    let late = || {
        Refusal::new("the request didn't come to its end in time").with_status(StatusCode::REQUEST_TIMEOUT)
    };
    let end = Instant::now() + patience.whole;
    let mut blocks = Blocks::default();
    loop {
        let next = (Instant::now() + patience.more).min(end);
        let Some(frame) = timeout_at(next, body.frame()).await.map_err(|_| late())? else {
            return Ok(blocks);
        };
        let frame = frame.map_err(|error| {
            Refusal::new(format!("the request broke off: {error}")).with_status(StatusCode::BAD_REQUEST)
        })?;
        let Ok(part) = frame.into_data() else { continue };
        if blocks.bytes + part.len() > most {
            return Err(too_large(most));
        }
        blocks.push(&part);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use axum::body::Bytes;
    use futures_util::{StreamExt, stream};
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Text {
        text: String,
    }

    impl Wanted for Text {
        const BYTES_MAX: usize = 1 << 20;
        const TAKES: usize = 1;
    }

    fn rooms() -> Rooms {
        let [room, more, whole] = [50, 100, 300].map(Duration::from_millis);
        Rooms::new(Patience { room, more, whole })
    }

    fn request(body: Body, length: Option<usize>) -> Request {
        let mut request = Request::post("/").header(header::CONTENT_TYPE, "application/json; charset=utf-8");
        if let Some(length) = length {
            request = request.header(header::CONTENT_LENGTH, length);
        }
        request.body(body).unwrap()
    }

    async fn status(request: Request, rooms: &Rooms) -> StatusCode {
        asked::<Text>(request, rooms).await.map(drop).unwrap_err().status()
    }

    #[tokio::test]
    async fn a_body_in_many_parts_is_what_it_is_in_one() {
        for length in [10, PIECE, 3 * PIECE + 7] {
            let wanted = Text { text: "x".repeat(length) };
            let whole = format!("{{\"text\":\"{}\"}}", wanted.text);
            for part in [1_000, PIECE - 1, usize::MAX] {
                let parts: Vec<_> = whole.as_bytes().chunks(part).map(Bytes::copy_from_slice).collect();
                let body = Body::from_stream(stream::iter(parts.into_iter().map(Ok::<_, io::Error>)));
                let Admitted(found, _room) = asked::<Text>(request(body, None), &rooms()).await.unwrap();
                assert_eq!(found, wanted);
            }
        }
    }

    #[tokio::test]
    async fn a_body_that_stops_or_trickles_is_given_up() {
        let start = || stream::iter([Ok::<_, io::Error>(Bytes::from_static(b"{"))]);
        let stopped = Body::from_stream(start().chain(stream::pending()));
        assert_eq!(status(request(stopped, Some(100)), &rooms()).await, StatusCode::REQUEST_TIMEOUT);
        // Each part comes in time, and all of them never do.
        let trickle = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            Some((Ok::<_, io::Error>(Bytes::from_static(b" ")), ()))
        });
        let trickling = Body::from_stream(trickle);
        assert_eq!(status(request(trickling, Some(1_000)), &rooms()).await, StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn bodies_are_bounded_each_and_together() {
        let rooms = rooms();
        let said = request(Body::empty(), Some(Text::BYTES_MAX + 1));
        assert_eq!(status(said, &rooms).await, StatusCode::PAYLOAD_TOO_LARGE);
        let unsaid = request(Body::from(vec![b' '; Text::BYTES_MAX + 1]), None);
        assert_eq!(status(unsaid, &rooms).await, StatusCode::PAYLOAD_TOO_LARGE);
        let large = rooms.take(ROOM, 1).await.unwrap();
        let whole = || Body::from(format!("{{\"text\":\"{}\"}}", "x".repeat(2 * SMALL)));
        assert_eq!(status(request(whole(), Some(3 * SMALL)), &rooms).await, StatusCode::SERVICE_UNAVAILABLE);
        // What is small goes on.
        let small = request(Body::from("{\"text\":\"\"}"), Some(11));
        assert!(asked::<Text>(small, &rooms).await.is_ok());
        drop(large);
        assert!(asked::<Text>(request(whole(), Some(3 * SMALL)), &rooms).await.is_ok());
    }

    #[tokio::test]
    async fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1]", "{\"text\":1}", "{\"text\":\"\"} x"] {
            assert!(status(request(Body::from(text), None), &rooms()).await.is_client_error(), "{text}");
        }
        let foreign =
            Request::post("/").header(header::CONTENT_TYPE, "text/plain").body(Body::from("{}")).unwrap();
        assert_eq!(status(foreign, &rooms()).await, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
}
