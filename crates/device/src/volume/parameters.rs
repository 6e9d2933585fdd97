//! What a cloud sells as a volume: the figures of its kind, each by size or provisioned, and the volume that somebody has of it.

use petrio_stage::cost::Cost;
use petrio_stage::reliability::Reliability;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// A volume of a cloud, or of another store over a network that limits what is asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeParameters {
    /// What its kind is called.
    pub name: String,
    /// Where the figures come from.
    #[serde(default)]
    pub source: String,
    /// Figures, by their paths, that are in no source and were assumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What one costs, and what it draws.
    #[serde(default, skip_serializing_if = "Cost::is_empty")]
    pub cost: Cost,
    /// How long one lives, and how often what it holds can't be read.
    #[serde(default, skip_serializing_if = "Reliability::is_empty")]
    pub reliability: Reliability,
    /// How large the volume is.
    pub size: Bytes,
    /// I/Os a second that are provisioned, of kinds of which they can be; left out, those that come with the volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<NonZeroU32>,
    /// Bytes a second that are provisioned, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Rate>,
    /// All limits so many times as high as the provider has them: to ask what they cost. From a thousandth to a million.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub limits_times: f64,
    /// How full its bursts' buckets are when a run begins; a new volume's are full.
    #[serde(default = "full", skip_serializing_if = "is_full")]
    pub credits: Fraction,
    /// How long one access takes at queue depth 1, of its 4 KiB.
    pub latency: Latency,
    /// How fast the data of one access cross the network; left out, they take no time beside the latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Rate>,
    /// Which sizes there are.
    pub sizes: Sizes,
    /// How accesses are counted.
    pub counted: Counted,
    /// What of I/Os and bytes passes in a second.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Sizes that have figures of their own: a volume has those of the first that is as large as itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
    /// Commands that it accepts at a time.
    #[serde(default = "queue_depth")]
    pub queue_depth: NonZeroU32,
    /// Whether disks are behind it, so that small random accesses cost what `counted.whole` says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rotational: bool,
}

const fn once() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if gives a reference")]
fn is_once(times: &f64) -> bool {
    (*times - once()).abs() < f64::EPSILON
}

const fn full() -> Fraction {
    Fraction::ONE
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if gives a reference")]
fn is_full(credits: &Fraction) -> bool {
    *credits == Fraction::ONE
}

/// Linux's driver for Amazon's and Google's volumes (nvme) and the virtual adapters of others have queues of 1,024 commands or about.
fn queue_depth() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(1_023)
}

/// How long one access takes that waits for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// A read.
    pub read: Duration,
    /// A write.
    pub write: Duration,
}

/// Sizes from and to which a volume is sold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// The least.
    pub least: Bytes,
    /// The most.
    pub most: Bytes,
}

/// How accesses are counted for the limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// An access of up to so many bytes is one I/O, and a longer one as many as it has pieces of that.
    pub piece: Bytes,
    /// Whether accesses that are in order fill up a piece together, and count as one.
    #[serde(default)]
    pub merged: bool,
    /// Whether each I/O takes a whole piece of what is allowed of bytes, as on volumes of disks.
    #[serde(default)]
    pub whole: bool,
}

/// What passes in a second; what is left out isn't limited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// I/Os, reads and writes together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<Limit<f64, f64>>,
    /// Bytes, reads and writes together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Limit<Rate, Bytes>>,
    /// Reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_iops: Option<Limit<f64, f64>>,
    /// Writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_iops: Option<Limit<f64, f64>>,
    /// Bytes read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_throughput: Option<Limit<Rate, Bytes>>,
    /// Bytes written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_throughput: Option<Limit<Rate, Bytes>>,
    /// Bytes, by how many I/Os are provisioned: between the points on a line, beyond the last as there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub throughput_by_iops: Vec<ByIops>,
}

impl Limits {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A limit: what comes with the volume, or is provisioned, and bursts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limit<Q, A> {
    /// What there is whatever the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Q>,
    /// What each GiB adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_gib: Option<Q>,
    /// No less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Q>,
    /// No more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Q>,
    /// How it may be provisioned, in place of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioned: Option<Provisioned<Q>>,
    /// What may pass for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<Burst<Q, A>>,
}

/// What may be provisioned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provisioned<Q> {
    /// The least, which comes with the volume.
    pub least: Q,
    /// The most.
    pub most: Q,
    /// No more than so many for each GiB, where that is more than the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_gib: Option<Q>,
    /// No more than so many for each I/O a second that is provisioned, where that is more than the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_iops: Option<Q>,
    /// No less than so many for each I/O a second that is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_per_iops: Option<Q>,
}

/// What may pass for a while. A volume whose lasting limit is as high has none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Burst<Q, A> {
    /// What passes meanwhile, whatever the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Q>,
    /// What each GiB adds to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_gib: Option<Q>,
    /// No more than this passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Q>,
    /// What the bucket holds: I/Os or bytes, which come back at the lasting rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<A>,
    /// What each GiB adds to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket_per_gib: Option<A>,
}

/// What passes of bytes with so many I/Os a second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ByIops {
    /// I/Os a second that are provisioned.
    pub iops: NonZeroU32,
    /// Bytes a second.
    pub throughput: Rate,
}

/// A size with figures of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// What it is called: "P10".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Volumes up to this size are of it.
    pub size: Bytes,
    /// I/Os a second, for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes a second, for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Rate>,
    /// I/Os a second in a burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_iops: Option<f64>,
    /// Bytes a second in a burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_throughput: Option<Rate>,
    /// How long a full bucket bears these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Duration>,
}
