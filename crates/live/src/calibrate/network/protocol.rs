//! What the two ends of a measurement say to each other: a hello of a fixed size with a version, then messages of JSON
//! behind their length, each bounded.
//!
//! ```text
//!  client ─ hello ─▶ server            16 bytes each way: magic, version, word
//!  client ◀─ hello ─ server            its word: welcome, busy, another version
//!  client ─ About ─▶ ◀─ About ─        who they are
//!  client ─ Request ─▶ … data … ◀─ Report ─       as often as the client wants, then Request::Over
//! ```
//!
//! The hello stays as it is in every version, so that two versions can tell each other apart. Whatever comes from the
//! other end is checked before it is believed: lengths, sizes, times and numbers.

use petrio_units::numbers::as_number;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a hello begins.
const MAGIC: [u8; 8] = *b"petrio\0N";
/// The version of all that follows the hello.
pub(super) const VERSION: u32 = 1;
/// Bytes of a hello.
pub(super) const HELLO: usize = 16;

/// Bytes of a message of JSON, at most.
pub(super) const TEXT_MAX: usize = 4 << 10;
/// Bytes of a message that is timed, at most.
const MESSAGE_MAX: u32 = 4 << 20;
/// How long something may be timed at most.
const RUN_MAX: Duration = Duration::from_secs(10);
/// No time that is told is longer: 11 days in nanoseconds.
const NS_MAX: f64 = 1e15;

/// A hello of either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hello {
    pub(super) version: u32,
    pub(super) word: u32,
}

/// The words of a server's hello.
pub(super) const WELCOME: u32 = 0;
pub(super) const BUSY: u32 = 1;
pub(super) const OTHER_VERSION: u32 = 2;

impl Hello {
    pub(super) const fn of(word: u32) -> Self {
        Self { version: VERSION, word }
    }

    pub(super) fn to_bytes(self) -> [u8; HELLO] {
        let mut bytes = [0; HELLO];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.version.to_be_bytes());
        bytes[12..].copy_from_slice(&self.word.to_be_bytes());
        bytes
    }

    /// None where it isn't petrio that says it.
    pub(super) fn read(bytes: &[u8; HELLO]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let (version, word) = rest.split_first_chunk::<4>()?;
        let word = word.first_chunk::<4>()?;
        (*magic == MAGIC)
            .then(|| Self { version: u32::from_be_bytes(*version), word: u32::from_be_bytes(*word) })
    }
}

/// Who an end is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The host's name.
    pub host: String,
    /// The kernel's release.
    pub kernel: String,
    /// Its processors' model.
    pub processor: String,
    /// Processors that it may run on.
    pub processors: u32,
    /// Whether its TCP uses time stamps (RFC 7323).
    pub time_stamps: bool,
    /// How its TCP controls congestion.
    pub congestion: String,
    /// Which start of which machine it is: two ends with the same share their processors.
    pub boot: String,
}

/// Characters of a name that is told, at most.
const NAME_MAX: usize = 100;

impl About {
    /// As it may be shown and written: without control characters, and not too long.
    fn tamed(mut self) -> Self {
        for name in
            [&mut self.host, &mut self.kernel, &mut self.processor, &mut self.congestion, &mut self.boot]
        {
            *name = name.chars().filter(|letter| !letter.is_control()).take(NAME_MAX).collect();
        }
        self
    }
}

/// Who sends a stream, or both ends at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Way {
    Forth,
    Back,
    Both,
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Request {
    /// Messages go to and fro until one begins with [`LAST`].
    PingPong { bytes: u32, clocks: bool },
    /// Messages one after the other for a while, of which the first part isn't counted.
    Stream { bytes: u32, way: Way, warm_us: u32, run_us: u32 },
    /// Nothing more.
    Over,
}

/// Bytes of the longest message that is taken once all of it is there, and whose processor time is taken: longer ones
/// may not fit into a receive buffer.
pub(super) const CLOCKED_MAX: u32 = 30_000;

/// The first byte of a timed message after which others follow.
pub(super) const MORE: u8 = 1;
/// And of the last.
pub(super) const LAST: u8 = 0;

impl Request {
    /// Why it isn't served; nothing where it is.
    fn refused(self) -> Option<&'static str> {
        let (bytes, warm_us, run_us) = match self {
            Self::Over => return None,
            Self::PingPong { bytes, .. } => (bytes, 0, 0),
            Self::Stream { bytes, warm_us, run_us, .. } => (bytes, warm_us, run_us),
        };
        if bytes == 0 || bytes > MESSAGE_MAX {
            return Some("asks for messages of a size that isn't served");
        }
        let run = Duration::from_micros(u64::from(run_us));
        (run > RUN_MAX || warm_us > run_us).then_some("asks for a time that isn't served")
    }
}

/// How much went by one end in one direction, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Passed {
    pub(super) bytes: u64,
    pub(super) wall_ns: f64,
    pub(super) cpu_ns: f64,
}

/// What a server has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Report {
    /// Processor time for a message: median, to send and to receive.
    pub(super) send_ns: Option<f64>,
    pub(super) receive_ns: Option<f64>,
    pub(super) sent: Option<Passed>,
    pub(super) received: Option<Passed>,
    /// The share of the time in which the machine's processors were at work of the kernel.
    pub(super) busy: Option<f64>,
}

/// What may come from the other end, and whether it makes sense.
pub(super) trait Received: Serialize + DeserializeOwned {
    /// As it may be used.
    ///
    /// # Errors
    /// What is wrong with it, in words that follow "it".
    fn believed(self) -> Result<Self, &'static str>;
}

impl Received for About {
    fn believed(self) -> Result<Self, &'static str> {
        Ok(self.tamed())
    }
}

impl Received for Request {
    fn believed(self) -> Result<Self, &'static str> {
        self.refused().map_or(Ok(self), Err)
    }
}

impl Received for Report {
    fn believed(self) -> Result<Self, &'static str> {
        let passed = self.sent.iter().chain(&self.received);
        let of_passed = passed.flat_map(|passed| [passed.wall_ns, passed.cpu_ns]);
        let mut times = self.send_ns.into_iter().chain(self.receive_ns).chain(of_passed);
        let is_share = self.busy.is_none_or(|busy| (0.0..=1.0).contains(&busy));
        let sane = is_share && times.all(|time| (0.0..=NS_MAX).contains(&time));
        if sane { Ok(self) } else { Err("tells figures that can't be") }
    }
}

/// A message as its length and its text.
pub(super) fn encoded(told: &impl Received) -> Vec<u8> {
    // Plain structs of numbers and names have a text.
    let text = serde_json::to_vec(told).unwrap_or_default();
    let mut bytes = as_number(text.len()).to_be_bytes().to_vec();
    bytes.extend(text);
    bytes
}

/// The length of a message that begins so; none where it is longer than any.
pub(super) fn length(head: [u8; 4]) -> Option<usize> {
    let length = u32::from_be_bytes(head) as usize;
    (length <= TEXT_MAX).then_some(length)
}

/// Reads a message's text.
///
/// # Errors
/// What is wrong with it, in words that follow "it".
pub(super) fn decoded<T: Received>(text: &[u8]) -> Result<T, &'static str> {
    serde_json::from_slice::<T>(text).map_err(|_| "says what this petrio doesn't understand")?.believed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hello_survives_and_another_protocol_is_none() {
        let hello = Hello { version: 7, word: BUSY };
        assert_eq!(Hello::read(&hello.to_bytes()), Some(hello));
        assert_eq!(Hello::read(b"GET / HTTP/1.1\r\n"), None);
        assert_eq!(Hello::read(b"SSH-2.0-OpenSSH_"), None);
    }

    #[test]
    fn what_is_not_served_is_refused() {
        let stream =
            |bytes, warm_us, run_us| Request::Stream { bytes, way: Way::Both, warm_us, run_us }.believed();
        assert!(stream(1, 5, 10).is_ok());
        for (bytes, warm, run) in [(0, 5, 10), (u32::MAX, 5, 10), (1, 11, 10), (1, 0, u32::MAX)] {
            assert!(stream(bytes, warm, run).is_err(), "{bytes} {warm} {run}");
        }
        assert!(Request::PingPong { bytes: 5 << 20, clocks: false }.believed().is_err());
        let passed = Passed { bytes: 1, wall_ns: -1.0, cpu_ns: 0.0 };
        assert!(Report { sent: Some(passed), ..Report::default() }.believed().is_err());
        assert!(Report { send_ns: Some(1e300), ..Report::default() }.believed().is_err());
    }

    #[test]
    fn a_name_from_elsewhere_has_neither_lines_nor_escapes_and_an_end() {
        let about = About { host: format!("a\n[disk.d]\x1b[2J{}", "x".repeat(3_000)), ..About::default() };
        let text = encoded(&about);
        assert_eq!(length(*text.first_chunk().unwrap()), Some(text.len() - 4));
        let About { host, .. } = decoded(&text[4..]).unwrap();
        assert!(host.starts_with("a[disk.d][2Jx") && host.len() == NAME_MAX, "{host}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decoded::<About>(&bytes);
            let _ = decoded::<Request>(&bytes);
            let _ = decoded::<Report>(&bytes);
            if let Some(head) = bytes.first_chunk::<4>() {
                prop_assert!(length(*head).is_none_or(|length| length <= TEXT_MAX));
            }
        }
    }
}
