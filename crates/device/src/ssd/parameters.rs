//! What a data sheet says of a solid-state drive.

use super::interface::Interface;
use petrio_stage::cost::Cost;
use petrio_stage::reliability::Reliability;
use petrio_units::{Blocks, Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A solid-state drive as its data sheet describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SsdParameters {
    /// What the drive is called.
    pub name: String,
    /// What it is sold for, which says what is assumed where the sheet is silent.
    #[serde(default)]
    pub class: Class,
    /// Where the figures come from.
    #[serde(default)]
    pub source: String,
    /// Those of the figures below, by their paths, that are in no source and were assumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What one costs, and what it draws.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// How long one lives, and how often what it holds can't be read.
    #[serde(default, skip_serializing_if = "Reliability::is_empty")]
    pub reliability: Reliability,
    /// Size in blocks of 512 bytes.
    pub blocks: Blocks,
    /// How it is connected: "SATA 6 Gbit/s", "SAS 12 Gbit/s", "PCIe 4.0 x4", "UFS 3.1", "SD UHS-I".
    pub interface: Interface,
    /// Rate of data on the link; left out, the interface's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Rate>,
    /// What a channel carries on which it hangs with others.
    #[serde(skip)]
    pub channel: Option<Rate>,
    /// Commands that the drive accepts at a time; left out, the interface's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Times of single accesses of 4 KiB at queue depth 1.
    #[serde(default)]
    pub latency: Latencies,
    /// Random reads.
    pub random_read: Accesses,
    /// Random writes all over the drive, for as long as one likes where the sheet says so (`steady`).
    pub random_write: Accesses,
    /// Reads in order.
    pub sequential_read: Stream,
    /// Writes in order.
    pub sequential_write: Stream,
    /// Random reads and writes at once; left out, each takes the drive as long as it does alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed: Option<Mixed>,
    /// The memory that takes writes in before flash has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_cache: Option<SsdWriteCache>,
    /// Flash that is written with one bit a cell at first; left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc: Option<SlcCache>,
    /// What it does with discards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<Trim>,
    /// Flash beyond what it offers, as a share of that: what collecting garbage has to work with, beside what discards give up. Left out,
    /// 7 %: a GiB of flash for each GB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spare: Option<Fraction>,
    /// Reads that flash does side by side; left out, as many as the random reads at their depth need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<u32>,
}

/// What a drive is sold for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Desktops, notebooks, telephones, cameras: nothing protects what its cache holds, unless `write_cache` says so.
    #[default]
    Consumer,
    /// Servers that read most, up to about one drive write a day.
    ReadIntensive,
    /// Servers that write, too, about three drive writes a day.
    MixedUse,
    /// Servers that write most, ten drive writes a day and more.
    WriteIntensive,
}

/// Times of single accesses of 4 KiB at queue depth 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latencies {
    /// Of a random read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Duration>,
    /// Of a read that goes on where another ended, which the drive has read ahead; left out, 25 us with NVMe and 40 us with others, or
    /// `read` where that is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_in_order: Option<Duration>,
    /// Of a write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Duration>,
}

/// Random accesses as a sheet says them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accesses {
    /// So many a second.
    pub iops: f64,
    /// With so many at a time: queue depth times processes; left out, as many as the interface holds, 256 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// So many bytes each.
    #[serde(default = "usual_access")]
    pub size: Bytes,
    /// So many a second of 8 KiB each, where the sheet says that, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops_8k: Option<f64>,
    /// Whether it stays so for as long as the load does, as the sheets of drives for servers say it.
    #[serde(default)]
    pub steady: bool,
}

fn usual_access() -> Bytes {
    Bytes::from_kib(4)
}

/// Accesses in order as a sheet says them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Data a second.
    pub rate: Rate,
    /// With so many requests at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// So many bytes each.
    #[serde(default = "usual_piece")]
    pub size: Bytes,
}

fn usual_piece() -> Bytes {
    Bytes::from_kib(128)
}

/// Random reads and writes at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mixed {
    /// Reads among them.
    pub reads: Fraction,
    /// So many a second, of 4 KiB.
    pub iops: f64,
    /// With so many at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// The memory that takes writes in before flash has them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SsdWriteCache {
    /// Whether it is used: without, a write is complete when flash has it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub enabled: bool,
    /// Whether what it holds survives a power cut (power-loss protection, PLP).
    #[serde(default)]
    pub protected: bool,
    /// Bytes that it holds; left out, what is written in order in ten milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// What a flush takes once flash has what the cache held; left out, 1 ms where it isn't protected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Duration>,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if gives a reference")]
fn is_true(value: &bool) -> bool {
    *value
}

/// Flash that is written with one bit a cell at first, and folded into cells of several bits later.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlcCache {
    /// Bytes that it holds, of a drive that is as full as here.
    pub size: Bytes,
    /// Rate of writes in order once it is full.
    pub behind: Rate,
    /// Random writes a second of 4 KiB once it is full; left out, fewer as the rate is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind_iops: Option<f64>,
    /// How fast it is emptied while nobody asks; left out, as fast as the drive writes behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold: Option<Rate>,
}

/// What a drive does with blocks that nobody wants any longer (ATA TRIM, NVMe Deallocate, SCSI UNMAP).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trim {
    /// Whether it takes such commands at all.
    pub enabled: bool,
    /// What one takes beside what its range does; left out, as long as a write until it is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Duration>,
    /// For how long each GiB of its range keeps the controller from all else; left out, not at all. Some drives stall (PC Perspective's
    /// reviews measure it from 2017 on, "TRIM speed").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each_gib: Option<Duration>,
    /// Whether a SATA drive takes them among other commands (SEND FPDMA QUEUED); otherwise one waits until all before it are done, and
    /// keeps those behind it waiting. Others always do.
    pub queued: bool,
}

impl Default for Trim {
    fn default() -> Self {
        Self { enabled: true, time: None, each_gib: None, queued: false }
    }
}
