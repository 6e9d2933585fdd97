//! A small solid-state drive: pages of flash on channels that work side by side.
//!
//! ```text
//! page p ─▶ channel p mod channels; a channel reads or programs one page at a time, in the order in which it was asked
//! ```
//!
//! A command is decoded, one at a time; its pages are read or programmed on their channels, and cross the host's link one at
//! a time, each as it comes: a page that has been read while others are being read, and what has crossed is programmed while
//! the rest is crossing. A part of a page takes as long as the page, as flash has no smaller unit. Parallelism
//! and the two times are what decides most of a drive's speed at rest (N. Agrawal et al., "Design tradeoffs for SSD
//! performance", USENIX ATC 2008, §3: a page's read or program time, and how many packages work at once).
//!
//! Leaves out: address translation, erasure and garbage collection, planes and dies that share a channel's bus, and
//! what a buffer for writes does to their time: a write completes when its pages are programmed.

mod channels;
mod page;
#[cfg(test)]
mod tests;

use super::commands::as_they_come;
use super::one_at_a_time::has_blocks;
use super::{BlockDevice, BuiltDevice, DeviceFeatures, DeviceParameters, DevicePorts, Queueing};
use page::simple_ssd_page;
use petrio_colours::{BlockRequest, SECTOR_BYTES};
use petrio_kernel::{PageBuilder, Time};
use petrio_stage::Lever;
use petrio_stage::cost::Cost;
use petrio_stage::lever::{doubled, halved};
use petrio_stage::reliability::Reliability;
use petrio_units::{Blocks, Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// More channels than any controller has.
const CHANNELS_MAX: u32 = 1 << 10;

/// A small solid-state drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimpleSsdParameters {
    /// What the drive is called.
    pub name: String,
    /// Where the figures come from.
    #[serde(default)]
    pub source: String,
    /// What one costs, and what it draws.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// How long one lives, and how often what it holds can't be read.
    #[serde(default, skip_serializing_if = "Reliability::is_empty")]
    pub reliability: Reliability,
    /// Size in blocks of 512 bytes.
    pub blocks: Blocks,
    /// Pages that are read or programmed at a time, each on a channel of its own.
    pub channels: u32,
    /// A page of flash: a multiple of 512 bytes.
    pub page: Bytes,
    /// Time that a page takes to be read, with its way to the controller.
    pub read: Duration,
    /// Time that a page takes to be programmed, with its way from the controller.
    pub program: Duration,
    /// Time that the controller takes for each command; left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Duration>,
    /// Rate of the link to the host; left out, data take no time on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Rate>,
    /// Commands that the drive accepts at a time.
    #[serde(default = "usual_depth")]
    pub queue_depth: u32,
}

/// SATA's native command queueing (Serial ATA revision 3.0, §13.6).
fn usual_depth() -> u32 {
    32
}

impl SimpleSsdParameters {
    /// The page of flash in which a block lies.
    fn page_of(&self, block: u64) -> u64 {
        block / (self.page.get() / SECTOR_BYTES).max(1)
    }

    /// Pages that a request touches: the first, and how many.
    fn pages(&self, request: &BlockRequest) -> (u64, u64) {
        let first = self.page_of(request.address);
        (first, self.page_of(request.end().saturating_sub(1)) + 1 - first)
    }

    /// Bytes of a request that lie in a page.
    fn bytes_in(&self, request: &BlockRequest, page: u64) -> u64 {
        let blocks = (self.page.get() / SECTOR_BYTES).max(1);
        let (first, end) = (page * blocks, (page + 1) * blocks);
        request.end().min(end).saturating_sub(request.address.max(first)) * SECTOR_BYTES
    }

    /// What a page takes on its channel.
    fn a_page(&self, is_write: bool) -> Time {
        if is_write { self.program.time() } else { self.read.time() }
    }

    /// How long the link is taken by so many bytes.
    fn on_link(&self, bytes: u64) -> Time {
        self.link.map_or(Time::ZERO, |rate| rate.time_for(bytes))
    }
}

impl DeviceParameters for SimpleSsdParameters {
    fn name(&self) -> &str {
        &self.name
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn cost(&self) -> &Cost {
        &self.cost
    }

    fn reliability(&self) -> &Reliability {
        &self.reliability
    }

    fn speed(&self) -> String {
        format!("{} channels, {} a page", self.channels, self.read)
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        let levers = [
            Lever::twice("flash", "channels", "twice as many channels").set(
                path,
                "channels",
                self.channels.saturating_mul(2),
            ),
            Lever::twice("flash", "flash", "flash twice as fast")
                .halved(path, "read", self.read)
                .halved(path, "program", self.program)
                .covering(&["flash"]),
            Lever::twice("controller", "controller overheads", "controller overheads half as long")
                .set_some(path, "command", self.command.and_then(halved))
                .covering(&["controller overheads"]),
            Lever::twice("link", "the link", "a link twice as fast")
                .set_some(path, "link", self.link.and_then(doubled))
                .covering(&["the link"]),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String> {
        has_blocks(self.blocks)?;
        if self.channels == 0 || self.channels > CHANNELS_MAX {
            return Err(format!("a drive has 1 to {CHANNELS_MAX} channels, not {}", self.channels));
        }
        if self.page.get() == 0 || !self.page.get().is_multiple_of(SECTOR_BYTES) {
            return Err(format!("a page is a multiple of {SECTOR_BYTES} B, and not {}", self.page));
        }
        if self.queue_depth == 0 {
            return Err("with a queue_depth of 0 it accepts no command".to_owned());
        }
        Ok(Arc::new(self.clone()))
    }
}

impl BlockDevice for SimpleSsdParameters {
    fn blocks(&self) -> u64 {
        self.blocks.get()
    }

    /// A write is in flash when it completes.
    fn features(&self) -> DeviceFeatures {
        DeviceFeatures::of_write_cache(false)
    }

    fn depth(&self) -> u32 {
        self.queue_depth
    }

    fn is_rotational(&self) -> bool {
        false
    }

    fn accepts(&self, queueing: &Queueing) -> Result<(), String> {
        as_they_come(queueing)
    }

    fn build(
        self: Arc<Self>,
        parent: &mut PageBuilder<'_>,
        name: &str,
        queueing: &Queueing,
        ports: DevicePorts,
    ) -> BuiltDevice {
        let depth = queueing.depth.unwrap_or(self.queue_depth);
        BuiltDevice { stages: simple_ssd_page(parent, name, (&self, depth), ports), ..BuiltDevice::default() }
    }
}
