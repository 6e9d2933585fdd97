//! How hosts used their memory.

use crate::figure::figures;
use crate::mean::mean_of;
use crate::section::Entry;
use petrio_models::host::MemoryUse;
use petrio_page::numbers::{bytes, per_cent};
use petrio_units::numbers::whole_part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A host's memory, or that of all equal hosts, over the whole run; of several replications the most of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryFigures {
    /// The host; of equal ones their class.
    pub name: String,
    /// How many hosts there are.
    pub hosts: u64,
    /// What files' pages and processes may have of each, bytes.
    pub usable_bytes: u64,
    /// What they had at the end, of all together; of several replications on average.
    pub in_use_bytes: u64,
    /// What of that was yet to be written, of all together.
    #[serde(default)]
    pub unwritten_bytes: u64,
    /// The most that they had at a time, on the host where that was most.
    pub most_bytes: u64,
    /// That host.
    pub most_on: String,
    /// The most that was yet to be written at a time, on the host where that was most.
    pub most_unwritten_bytes: u64,
    /// What of processes' memory went to swap space, of all together; of several replications on average.
    #[serde(default, skip_serializing_if = "is_none")]
    pub swapped_out_bytes: u64,
    /// What of processes' memory came back from swap space.
    #[serde(default, skip_serializing_if = "is_none")]
    pub swapped_in_bytes: u64,
    /// How long processes waited for what came back, all together, ms.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waited_for_swap_ms: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl MemoryFigures {
    /// Adds a host of the class.
    pub fn add(&mut self, host: &str, found: MemoryUse) {
        self.hosts += 1;
        self.usable_bytes = found.usable;
        self.in_use_bytes += found.in_use;
        self.unwritten_bytes += found.unwritten;
        if self.hosts == 1 || found.most > self.most_bytes {
            self.most_bytes = found.most;
            host.clone_into(&mut self.most_on);
        }
        self.most_unwritten_bytes = self.most_unwritten_bytes.max(found.most_unwritten);
        let [out, back] = found.swapped;
        self.swapped_out_bytes += out;
        self.swapped_in_bytes += back;
        self.waited_for_swap_ms += whole_part(libm::round(found.waited_for_swap.as_millis()));
    }
}

figures! { MemoryFigures:
    usable_bytes => "usable" Bytes Neither;
    most_bytes => "most in use" Bytes Down;
    in_use_bytes => "in use at the end, all" Bytes Neither;
    most_unwritten_bytes => "most to be written" Bytes Down;
    swapped_out_bytes => "to swap space" Bytes Down;
    swapped_in_bytes => "back from swap space" Bytes Down;
    waited_for_swap_ms => "waited for swap space" Milliseconds Down;
}

impl Entry for MemoryFigures {
    const PART: &'static str = "memory";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    /// The most that was used in any replication, and what was in use at the end on average.
    fn mean(all: &[&Self], level: f64) -> Option<Self> {
        // Of equals the first.
        let most = all.iter().rev().max_by_key(|memory| memory.most_bytes)?;
        Some(Self {
            most_bytes: most.most_bytes,
            most_on: most.most_on.clone(),
            most_unwritten_bytes: all.iter().map(|memory| memory.most_unwritten_bytes).max()?,
            ..mean_of(all, level)?
        })
    }

    /// Of one host alone its file systems' rows say what matters where nothing is swapped, and of hosts without files there is nothing.
    fn is_shown(&self, all: &[Self]) -> bool {
        let hosts: u64 = all.iter().map(|memory| memory.hosts).sum();
        self.swapped_out_bytes > 0 || hosts > 1 && self.most_bytes > 0
    }

    fn sentence(&self) -> String {
        let share = |part: u64| per_cent(part as f64 / self.usable_bytes.max(1) as f64);
        let most = format!(
            "{} of {} ({})",
            bytes(self.most_bytes),
            bytes(self.usable_bytes),
            share(self.most_bytes)
        );
        let mut unwritten = format!("up to {} yet to be written", bytes(self.most_unwritten_bytes));
        if self.swapped_out_bytes > 0 {
            let (out, back) = (bytes(self.swapped_out_bytes), bytes(self.swapped_in_bytes));
            let _ = write!(unwritten, "; {out} to swap space and {back} back");
        }
        if self.hosts == 1 {
            return format!("memory: up to {most} in use, {unwritten}");
        }
        let each = bytes(self.in_use_bytes / self.hosts.max(1));
        format!("memory: up to {most} in use on {}, {each} on each at the end; {unwritten}", self.most_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_hosts_are_told_of_by_the_one_that_had_most() {
        let found = |most, unwritten| MemoryUse {
            usable: 1 << 30,
            in_use: most / 2,
            most,
            unwritten: 0,
            write_room: 1 << 28,
            most_unwritten: unwritten,
            ..MemoryUse::default()
        };
        let mut figures = MemoryFigures { name: "server*".to_owned(), ..MemoryFigures::default() };
        figures.add("server0", found(1 << 20, 7 << 10));
        assert!(!figures.sentence().contains(" on each"));
        figures.add("server1", found(512 << 20, 3 << 10));
        let MemoryFigures { hosts, in_use_bytes, most_on, most_unwritten_bytes, .. } = &figures;
        assert_eq!((*hosts, *in_use_bytes, most_on.as_str()), (2, (1 << 19) + (256 << 20), "server1"));
        assert_eq!(*most_unwritten_bytes, 7 << 10);
        assert!(figures.sentence().contains("(50 %) in use on server1, "), "{}", figures.sentence());
    }
}
