//! The calls that mounts of NFS sent, by procedure.

use crate::figure::{Tables, figures};
use crate::section::Entry;
use petrio_models::cluster::nfs::ProcedureTally;
use petrio_page::numbers::{bytes, counted, grouped, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The calls of one procedure that a mount of NFS sent and its server answered, or all equal mounts together, from the run's beginning on; of
/// several replications the mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallsFigures {
    /// The mount; of equal ones their class.
    pub name: String,
    /// The procedure, as the kernel calls it.
    pub procedure: String,
    /// How many there were.
    pub calls: u64,
    /// Bytes of the calls, with RPC headers and record marks.
    pub sent_bytes: u64,
    /// Bytes of their replies, likewise.
    pub received_bytes: u64,
    /// How often one was sent again, because nobody had answered for long enough, or a server had been started anew.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sent_again: u64,
    /// Those of a soft mount that were given up, which aren't counted above.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub given_up: u64,
    /// How long one waited for a slot, on average, milliseconds.
    pub queued_ms: f64,
    /// How long one took from then on until it was answered, on average, milliseconds.
    pub answered_ms: f64,
}

figures! { CallsFigures:
    calls => "calls" One Down;
    sent_bytes => "sent" Bytes Down;
    received_bytes => "received" Bytes Down;
    sent_again => "sent again" One Down;
    given_up => "given up" One Down;
    queued_ms => "waited for a slot" Milliseconds Down;
    answered_ms => "until answered" Milliseconds Down;
}

impl CallsFigures {
    /// Of a mount's calls of a procedure.
    pub fn of(name: &str, procedure: &str, tally: &ProcedureTally) -> Self {
        let (name, procedure) = (name.to_owned(), procedure.to_owned());
        let mut figures = Self {
            name,
            procedure,
            calls: 0,
            sent_bytes: 0,
            received_bytes: 0,
            sent_again: 0,
            given_up: 0,
            queued_ms: 0.0,
            answered_ms: 0.0,
        };
        figures.add(tally);
        figures
    }

    /// Adds those of another mount of the class.
    pub fn add(&mut self, tally: &ProcedureTally) {
        let before = self.calls as f64;
        let all = (self.calls + tally.calls).max(1) as f64;
        self.queued_ms = (self.queued_ms * before + tally.queued.as_millis()) / all;
        self.answered_ms = (self.answered_ms * before + tally.answered.as_millis()) / all;
        self.calls += tally.calls;
        self.sent_bytes += tally.sent;
        self.received_bytes += tally.received;
        self.sent_again += tally.repeated;
        self.given_up += tally.given_up;
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many of them, if any.
fn told(count: u64, what: &str) -> String {
    if count == 0 { String::new() } else { format!("; {} {what}", grouped(count)) }
}

impl Entry for CallsFigures {
    const PART: &'static str = "calls of NFS";
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
        let calls = counted(self.calls, &self.procedure, &self.procedure);
        let queued = match self.queued_ms > 0.0005 {
            true => format!("{} for a slot and ", time(self.queued_ms)),
            false => String::new(),
        };
        let (sent, received) = (bytes(self.sent_bytes), bytes(self.received_bytes));
        format!(
            "{calls}: {queued}{} each until answered; {sent} sent, {received} received{}{}",
            time(self.answered_ms),
            told(self.sent_again, "sent again"),
            told(self.given_up, "given up")
        )
    }
}
