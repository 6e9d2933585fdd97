//! What a message-passing library is made of, as it is written.

use petrio_kernel::Time;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How processes of one host give each other messages: through memory that both have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SharedMemory {
    /// Time of a processor for each message.
    pub each: Duration,
    /// Time of a processor for each KiB that it copies.
    pub kib: Duration,
}

impl Default for SharedMemory {
    fn default() -> Self {
        Self { each: Duration::new(Time::from_nanos(500)), kib: Duration::new(Time::from_nanos(500)) }
    }
}

/// A message-passing library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MpiParameters {
    /// Messages up to here, with their envelopes, are sent at once; for longer ones their receiver is asked first (Open
    /// MPI's `btl_tcp_eager_limit`: 64 KiB).
    pub eager: Bytes,
    /// What stands before a message: who sends it, its tag, its length.
    pub envelope: Bytes,
    /// Time of the sender's processors for each message, beside what the network costs its host.
    pub send: Duration,
    /// Time of the receiver's processors for each message, likewise.
    pub receive: Duration,
    /// Messages between processes of one host.
    pub shared_memory: SharedMemory,
    /// The service level of its messages, by which a network with several virtual lanes tells them apart (0 to 15).
    pub service_level: u8,
}

impl Default for MpiParameters {
    fn default() -> Self {
        Self {
            eager: Bytes(64 << 10),
            envelope: Bytes(64),
            send: Duration::new(Time::from_nanos(1_000)),
            receive: Duration::new(Time::from_nanos(1_000)),
            shared_memory: SharedMemory::default(),
            service_level: 0,
        }
    }
}

/// Why a message-passing library can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MpiError {
    /// Messages without anything that says whose they are.
    #[error("an `envelope` of no bytes tells nobody whose message it is; give one such as 64 B")]
    NoEnvelope,
    /// A service level that there isn't.
    #[error("service levels are 0 to {most}, and this is {wanted}; give another `service_level`")]
    ServiceLevel {
        /// What was asked for.
        wanted: u8,
        /// The highest.
        most: u8,
    },
}

impl MpiParameters {
    /// Checks the parameters.
    ///
    /// # Errors
    /// See [`MpiError`].
    pub fn check(&self) -> Result<(), MpiError> {
        let most = petrio_network::HIGHEST_SERVICE_LEVEL;
        if self.envelope.get() == 0 {
            return Err(MpiError::NoEnvelope);
        }
        if self.service_level > most {
            return Err(MpiError::ServiceLevel { wanted: self.service_level, most });
        }
        Ok(())
    }

    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let lever = Lever::twice("messages", "messages", "messages that cost processors half")
            .halved(path, "send", self.send)
            .halved(path, "receive", self.receive);
        lever.if_any().into_iter().collect()
    }
}
