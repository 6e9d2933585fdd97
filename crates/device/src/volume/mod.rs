//! A volume of a cloud: a store over a network, and what its provider lets pass.
//!
//! ```text
//! requests ─▶ limits of the volume ─▶ limits of the instance (its adapter's) ─▶ the network and the store ─▶ completions
//! ```
//!
//! What decides is not the store, but accounts: I/Os and bytes a second by size or as provisioned (`rules.rs`), counted in pieces
//! (`block/throttle/leaky.rs`), with credits for bursts (`block/throttle/bucket.rs`). Each access takes the latency of queue depth 1
//! beside others, and its data cross the network at a rate of their own: a provider has as many drives behind as it takes. Volumes of an
//! instance share its limits where they hang on its adapter (`bus`).
//!
//! Sources are the providers' own documents, which each file of the catalogue names. What passes at once, within 10 ms, is assumed.
//!
//! Leaves out: how latencies scatter, hours in which a volume gets less than it is sold for (Amazon promises 90 to 99.9 % of the
//! time), what a first read of a volume made of a snapshot costs, caches of hosts (Azure's), and volumes on several instances.

mod page;
mod parameters;
mod rules;
#[cfg(test)]
mod tests;

use super::commands::as_they_come;
use super::{BlockDevice, BuiltDevice, DeviceFeatures, DeviceParameters, DevicePorts, Queueing};
use crate::throttle::{Counting, Credits, Leaky};
use page::volume_page;
pub use parameters::{
    Burst, ByIops, Counted, Latency, Limit, Limits, Provisioned, Sizes, Tier, VolumeParameters,
};
use petrio_colours::{BlockRequest, Direction, SECTOR_BYTES};
use petrio_kernel::{PageBuilder, Time};
use petrio_stage::Lever;
use petrio_stage::cost::{Asked, Cost};
use petrio_stage::lever::TWICE;
use petrio_stage::reliability::Reliability;
use petrio_units::numbers::whole_part;
use petrio_units::{Bytes, Fraction, Rate};
use std::num::NonZeroU32;
use std::sync::Arc;

/// What `latency` is of, bytes.
const PAGE: u64 = 4096;

/// A volume, compiled.
#[derive(Clone, Debug)]
struct Volume {
    blocks: u64,
    depth: u32,
    rotational: bool,
    accounts: Leaky,
    /// The same with empty buckets, where it has any.
    drained: Option<Leaky>,
    read: Time,
    write: Time,
    path: Option<Rate>,
}

impl Volume {
    /// How long an access takes that passes.
    fn serves(&self, request: &BlockRequest) -> (Time, Time) {
        let latency = match request.direction {
            Direction::Read => self.read,
            Direction::Write | Direction::Flush | Direction::Discard => self.write,
        };
        let beyond = request.bytes().saturating_sub(PAGE);
        (latency, self.path.map_or(Time::ZERO, |rate| rate.time_for(beyond)))
    }
}

impl VolumeParameters {
    /// The accounts of its limits, with so much of its bursts.
    fn accounts(&self, credits: Fraction) -> Result<Leaky, String> {
        let limits = self
            .allowances()
            .map_err(|rule| format!("{rule} (the rules of {}: {})", self.name, self.source))?;
        let counting = Counting::Pieces {
            bytes: self.counted.piece.get(),
            merged: self.counted.merged,
            whole: self.counted.whole,
        };
        Ok(Leaky::new(&limits, counting, 1.0 - credits.get()))
    }

    /// The same with something else, where the provider sells that.
    fn sold(self) -> Option<Self> {
        self.allowed().is_ok().then_some(self)
    }
}

impl DeviceParameters for VolumeParameters {
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

    /// Of sizes that are sold by name (Azure's P10) the whole size is paid for, and of what can be provisioned what is, or comes with the volume.
    fn asked(&self) -> Asked {
        let iops = self.limits.iops.and_then(|limit| limit.provisioned).map(|rules| rules.least);
        let rate = self.limits.throughput.and_then(|limit| limit.provisioned).map(|rules| rules.least);
        Asked {
            bytes: self.tier().filter(|tier| tier.name.is_some()).map_or(self.size, |tier| tier.size).get(),
            iops: self.iops.map(|iops| f64::from(iops.get())).or(iops).unwrap_or(0.0),
            bytes_per_s: self.throughput.or(rate).map_or(0.0, Rate::bytes_per_second),
        }
    }

    fn assumed(&self) -> Vec<String> {
        self.assumed.clone()
    }

    fn speed(&self) -> String {
        match self.tier().and_then(|tier| tier.name.as_ref()) {
            Some(tier) => format!("volume, {tier}"),
            None => "volume".to_owned(),
        }
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        let twice = |iops: NonZeroU32| iops.saturating_add(iops.get());
        let provisioned = |given: Option<f64>, least: Option<f64>| given.or(least);
        let iops = self.limits.iops.and_then(|limit| limit.provisioned).map(|rules| rules.least);
        let iops = provisioned(self.iops.map(|iops| f64::from(iops.get())), iops);
        let iops = iops
            .and_then(|iops| NonZeroU32::new(u32::try_from(whole_part(iops)).unwrap_or(u32::MAX)))
            .map(twice);
        let more = iops.and_then(|iops| Self { iops: Some(iops), ..self.clone() }.sold()).and(iops);
        let rate = self.limits.throughput.and_then(|limit| limit.provisioned).map(|rules| rules.least);
        let rate = rate.map(|least| self.throughput.unwrap_or(least));
        let rate = rate.and_then(|rate| Rate::new(rate.bytes_per_second() * TWICE));
        let faster = rate.and_then(|rate| Self { throughput: Some(rate), ..self.clone() }.sold()).and(rate);
        let larger = Bytes(self.size.get().saturating_mul(2));
        let larger = Self { size: larger, ..self.clone() }.sold().map(|larger| larger.size);
        let latency = |name: &str, span| {
            petrio_stage::lever::halved(span).map(|half| (format!("latency.{name}"), half))
        };
        let mut near = Lever::twice("path", "the network and the store", "latencies half as long");
        for (name, half) in
            [latency("read", self.latency.read), latency("write", self.latency.write)].into_iter().flatten()
        {
            near = near.set(path, &name, half);
        }
        let levers = [
            Lever::twice("limits/throttle", "IOPS", "twice as many provisioned IOPS")
                .set_some(path, "iops", more),
            Lever::twice("limits/throttle", "throughput", "twice the provisioned throughput").set_some(
                path,
                "throughput",
                faster,
            ),
            Lever::twice("limits/throttle", "size", "a volume twice as large").set_some(path, "size", larger),
            Lever::twice("limits/throttle", "limits", "its limits twice as high").set_some(
                path,
                "limits_times",
                // Where the provider sells more, that is asked instead.
                (more.is_none() && faster.is_none()).then_some(self.limits_times * TWICE),
            ),
            near,
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String> {
        let accounts = self.accounts(self.credits)?;
        let drained = if accounts.bursts().is_empty() { None } else { Some(self.accounts(Fraction::ZERO)?) };
        Ok(Arc::new(Volume {
            blocks: self.size.get() / SECTOR_BYTES,
            depth: self.queue_depth.get(),
            rotational: self.rotational,
            accounts,
            drained,
            read: self.latency.read.time(),
            write: self.latency.write.time(),
            path: self.path,
        }))
    }
}

impl BlockDevice for Volume {
    fn blocks(&self) -> u64 {
        self.blocks
    }

    /// What is reported is stored: Linux sees no cache of Amazon's, Google's and Azure's volumes ("write through").
    fn features(&self) -> DeviceFeatures {
        DeviceFeatures::of_write_cache(false)
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    /// Linux doesn't know what is behind.
    fn is_rotational(&self) -> bool {
        self.rotational
    }

    fn has_many_queues(&self) -> bool {
        true
    }

    fn physical_sector(&self) -> u64 {
        PAGE / SECTOR_BYTES
    }

    fn shares_bus(&self) -> bool {
        true
    }

    fn is_volume(&self) -> bool {
        true
    }

    fn drained(&self) -> Option<Arc<dyn BlockDevice>> {
        let accounts = self.drained.clone()?;
        Some(Arc::new(Self { accounts, drained: None, ..self.clone() }))
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
        let depth = queueing.depth.unwrap_or(self.depth);
        let accounts = self.accounts.clone();
        let (stages, place) = volume_page(parent, name, (&self, depth), ports);
        let credits = Credits::of(&accounts, place);
        BuiltDevice { stages, credits, ..BuiltDevice::default() }
    }
}
