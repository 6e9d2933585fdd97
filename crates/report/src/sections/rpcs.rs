//! The RPCs that mounts of a Lustre or a BeeGFS sent, and servers of that to each other, by procedure.

use crate::figure::{Tables, figures};
use crate::section::Entry;
use petrio_models::cluster::RpcTally;
use petrio_page::numbers::{bytes, counted, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The RPCs of one procedure that a mount of a Lustre or a BeeGFS sent and its servers answered, or all equal mounts together, from the run's beginning
/// on; of several replications the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RpcFigures {
    /// The mount, or of BeeGFS the file system of the server that sent them; of equal ones their class.
    pub name: String,
    /// The procedure.
    pub procedure: String,
    /// How many there were.
    pub rpcs: u64,
    /// Bytes of them, with their data, and of Lustre LNet's headers.
    pub sent_bytes: u64,
    /// Bytes of what came back, likewise.
    pub received_bytes: u64,
    /// How long one waited until it was sent, because of RPCs in flight before it, of BeeGFS for a connection, on average, milliseconds.
    pub queued_ms: f64,
    /// How long one took from then on until it was answered, on average, milliseconds: of a lock until it was granted.
    pub answered_ms: f64,
}

figures! { RpcFigures:
    rpcs => "RPCs" One Down;
    sent_bytes => "sent" Bytes Down;
    received_bytes => "received" Bytes Down;
    queued_ms => "waited to be sent" Milliseconds Down;
    answered_ms => "until answered" Milliseconds Down;
}

impl RpcFigures {
    /// Of a mount's RPCs of a procedure.
    pub fn of(name: &str, procedure: &str, tally: &RpcTally) -> Self {
        let (rpcs, sent_bytes, received_bytes) = (0, 0, 0);
        let (name, procedure) = (name.to_owned(), procedure.to_owned());
        let mut figures =
            Self { name, procedure, rpcs, sent_bytes, received_bytes, queued_ms: 0.0, answered_ms: 0.0 };
        figures.add(tally);
        figures
    }

    /// Adds those of another mount of the class.
    pub fn add(&mut self, tally: &RpcTally) {
        let before = self.rpcs as f64;
        let all = (self.rpcs + tally.calls).max(1) as f64;
        self.queued_ms = (self.queued_ms * before + tally.queued.as_millis()) / all;
        self.answered_ms = (self.answered_ms * before + tally.answered.as_millis()) / all;
        self.rpcs += tally.calls;
        self.sent_bytes += tally.sent;
        self.received_bytes += tally.received;
    }
}

impl Entry for RpcFigures {
    const PART: &'static str = "RPCs of Lustre and BeeGFS";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.procedure) == (&other.name, &other.procedure)
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |entry: &'e Self| vec![(entry.name(), entry.procedure.clone(), entry)]);
    }

    fn sentence(&self) -> String {
        let rpcs = counted(self.rpcs, &self.procedure, &self.procedure);
        let queued = match self.queued_ms > 0.0005 {
            true => format!("{} until sent and ", time(self.queued_ms)),
            false => String::new(),
        };
        let (sent, received) = (bytes(self.sent_bytes), bytes(self.received_bytes));
        format!(
            "{rpcs}: {queued}{} each until answered; {sent} sent, {received} received",
            time(self.answered_ms)
        )
    }
}
