//! The locks that mounts of a Lustre held, and what its writers and messages waited for.

use crate::figure::{Tables, figures};
use crate::section::Entry;
use petrio_kernel::Time;
use petrio_models::cluster::lustre::LustreTally;
use petrio_page::numbers::{counted, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the locks of a mount of a Lustre came to, or of all equal mounts together, from the run's beginning on; of several replications the
/// mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocksFigures {
    /// The mount; of equal ones their class.
    pub name: String,
    /// Locks on extents of objects that were granted.
    pub granted: u64,
    /// Those that were called back.
    pub called_back: u64,
    /// Locks on names, attributes and layouts that were called back.
    pub inodes_called_back: u64,
    /// How often a client was asked how long a file is that it writes.
    pub glimpsed: u64,
    /// Writers that waited for room under `max_dirty_mb`, or for grant.
    pub held_back: u64,
    /// How long, all together, milliseconds.
    pub held_back_ms: f64,
    /// Messages that waited for a credit of LNet at clients.
    pub without_credit: u64,
    /// How long, all together, milliseconds.
    pub without_credit_ms: f64,
}

figures! { LocksFigures:
    granted => "locks granted" One Down;
    called_back => "called back" One Down;
    inodes_called_back => "inodes called back" One Down;
    glimpsed => "sizes asked for" One Down;
    held_back => "writers held back" One Down;
    held_back_ms => "held back for" Milliseconds Down;
    without_credit => "messages without credit" One Down;
    without_credit_ms => "without credit for" Milliseconds Down;
}

impl LocksFigures {
    /// Adds those of another mount of the class.
    pub fn add(&mut self, tally: &LustreTally, (waits, waited): (u64, Time)) {
        self.granted += tally.granted;
        self.called_back += tally.called_back;
        self.inodes_called_back += tally.inodes_called_back;
        self.glimpsed += tally.glimpsed;
        self.held_back += tally.held_back;
        self.held_back_ms += tally.held_back_for.as_millis();
        self.without_credit += waits;
        self.without_credit_ms += waited.as_millis();
    }
}

impl Entry for LocksFigures {
    const PART: &'static str = "locks of Lustre";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |entry: &'e Self| vec![(entry.name(), String::new(), entry)]);
    }

    fn sentence(&self) -> String {
        let granted = counted(self.granted, "lock on an extent granted", "locks on extents granted");
        let held = counted(self.held_back, "writer", "writers");
        let messages = counted(self.without_credit, "message", "messages");
        format!(
            "{granted}, {} called back; {} of inodes called back; {held} held back for {}; {messages} without a credit for {}",
            self.called_back,
            self.inodes_called_back,
            time(self.held_back_ms),
            time(self.without_credit_ms)
        )
    }
}
