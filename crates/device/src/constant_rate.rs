//! A device of constant rate: a fixed latency for each request and a fixed rate for its data, one request at a time.
//!
//! The simplest storage there is: a RAM disk, a network volume with a guaranteed rate, or DiskSim's simple disk (its
//! `Access time`). It may say that it has a write cache, so that those above it send flushes, and how long a flush
//! takes. Leaves out everything that depends on where data lie, and what a write cache does to the time of a write.

use super::disk::parameters::QueueDiscipline;
use super::one_at_a_time::{MOST_STEPS, ServicePhase, has_blocks, one_at_a_time};
use super::{BlockDevice, BuiltDevice, Device, DeviceFeatures, DeviceParameters, DevicePorts, Queueing};
use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_stage::cost::Cost;
use petrio_stage::lever::doubled;
use petrio_stage::reliability::Reliability;
use petrio_stage::{Lever, Stage};
use petrio_units::{Blocks, Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A device of constant rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantRateParameters {
    /// What the device is called.
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
    /// Time that each request takes, however long it is.
    pub latency: Duration,
    /// Data rate; left out, data take no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Bytes that it takes at once, where it takes no request whole however long it is: a longer one is served in parts,
    /// each of which takes the latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Bytes>,
    /// Whether writes are reported before they are durable, so that file systems must send flushes.
    #[serde(default)]
    pub write_cache: bool,
    /// Time that a flush takes; left out, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Duration>,
}

impl ConstantRateParameters {
    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let mut lever = Lever::twice("service", "the device", "the device twice as fast")
            .halved(path, "latency", self.latency)
            .set_some(path, "rate", self.rate.and_then(doubled))
            .covering(&["the device"]);
        if let Some(flush) = self.flush {
            lever = lever.halved(path, "flush", flush);
        }
        lever.if_any().into_iter().collect()
    }

    /// How long a request is in service.
    pub fn service(&self, bytes: u64) -> Time {
        let parts = self.part.map_or(1, |part| bytes.div_ceil(part.get().max(1)).max(1));
        let latency = Time::from_picos(self.latency.time().as_picos().saturating_mul(parts));
        latency + self.rate.map_or(Time::ZERO, |rate| rate.time_for(bytes))
    }

    /// How long a flush is in service.
    pub fn flush(&self) -> Time {
        self.flush.map_or(Time::ZERO, Duration::time)
    }
}

impl DeviceParameters for ConstantRateParameters {
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
        format!("{} a request", self.latency)
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        ConstantRateParameters::levers(self, path)
    }

    fn with_write_cache(&self, on: bool) -> Option<Device> {
        Some(Device::ConstantRate(Box::new(Self { write_cache: on, ..self.clone() })))
    }

    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String> {
        has_blocks(self.blocks)?;
        Ok(Arc::new(self.clone()))
    }
}

impl BlockDevice for ConstantRateParameters {
    fn blocks(&self) -> u64 {
        self.blocks.get()
    }

    fn features(&self) -> DeviceFeatures {
        DeviceFeatures::of_write_cache(self.write_cache)
    }

    fn depth(&self) -> u32 {
        1
    }

    fn is_rotational(&self) -> bool {
        false
    }

    fn accepts(&self, queueing: &Queueing) -> Result<(), String> {
        if queueing.scheduler == QueueDiscipline::FirstCome && queueing.depth.is_none_or(|depth| depth == 1) {
            return Ok(());
        }
        Err("it serves one request after the other, first come, first served; leave out scheduler and queue_depth".to_owned())
    }

    fn build(
        self: Arc<Self>,
        parent: &mut PageBuilder<'_>,
        name: &str,
        _: &Queueing,
        ports: DevicePorts,
    ) -> BuiltDevice {
        BuiltDevice {
            stages: constant_rate_page(parent, name, &self, ports.requests, ports.completions),
            ..BuiltDevice::default()
        }
    }
}

const STEPS: &[ServicePhase] = &[ServicePhase { name: "service", cause: Cause::Service, word: "the device" }];

/// Builds the device's page.
pub fn constant_rate_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &ConstantRateParameters,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
) -> Vec<Stage> {
    let device = parameters.clone();
    let plan = move |(): &mut (), request: &BlockRequest, _: f64| {
        let mut plan = [Time::ZERO; MOST_STEPS];
        plan[0] = match request.direction {
            Direction::Flush | Direction::Discard => device.flush(),
            Direction::Read | Direction::Write => device.service(request.bytes()),
        };
        plan
    };
    one_at_a_time(parent, name, parameters.blocks.get(), STEPS, ((), plan), (requests, completions))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::{Net, NetBuilder, Simulation};

    fn device() -> ConstantRateParameters {
        ConstantRateParameters {
            name: "test".to_owned(),
            source: "made up".to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            blocks: Blocks(1_000),
            latency: "2 ms".parse().unwrap(),
            part: None,
            rate: Some("1 MB/s".parse().unwrap()),
            write_cache: true,
            flush: Some("7 ms".parse().unwrap()),
        }
    }

    /// The device as a net, with the places of its requests and completions.
    fn alone() -> (Arc<Net>, Place<BlockRequest>, Place<BlockRequest>) {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
        constant_rate_page(&mut page, "device", &device(), requests, completions);
        (net.build().unwrap(), requests, completions)
    }

    #[test]
    fn requests_are_served_one_after_the_other_and_their_time_is_accounted_for() {
        let (net, requests, completions) = alone();
        let mut run = Simulation::new(&net, 1, 0);
        for _ in 0..2 {
            let request = BlockRequest { blocks: 125, ..BlockRequest::default() };
            run.inject(requests, request, Time::ZERO).unwrap();
        }
        // 2 ms and 64,000 bytes at 1 MB/s: 66 ms each.
        run.run_until(Time::from_millis(131)).unwrap();
        assert_eq!(run.drain(completions).count(), 1);
        run.run_until(Time::from_millis(132)).unwrap();
        let second = run.drain(completions).next().unwrap();
        assert_eq!(second.ledger.of(Cause::Queue), Time::from_millis(66));
        assert_eq!(second.ledger.of(Cause::Service), Time::from_millis(66));
    }

    #[test]
    fn a_flush_takes_its_own_time() {
        let (net, requests, completions) = alone();
        let mut run = Simulation::new(&net, 1, 0);
        let flush = BlockRequest { direction: Direction::Flush, ..BlockRequest::default() };
        run.inject(requests, flush, Time::ZERO).unwrap();
        run.run_until(Time::from_millis(7)).unwrap();
        assert_eq!(run.drain(completions).next().unwrap().ledger.total(), Time::from_millis(7));
    }

    #[test]
    fn a_request_beyond_the_end_comes_back_at_once_and_takes_nobody_time() {
        let (net, requests, completions) = alone();
        let mut run = Simulation::new(&net, 1, 0);
        let request = BlockRequest { address: 999, blocks: 2, ..BlockRequest::default() };
        run.inject(requests, request, Time::ZERO).unwrap();
        run.run_until(Time::from_millis(1)).unwrap();
        let refused = run.drain(completions).next().unwrap();
        assert_eq!(refused.status.failure(), Some(petrio_colours::Failure::BeyondEnd));
        assert_eq!(refused.ledger.total(), Time::ZERO);
    }

    #[test]
    fn what_is_longer_than_a_part_takes_the_latency_of_each() {
        let device = ConstantRateParameters { part: Some(Bytes::from_kib(1024)), rate: None, ..device() };
        let took = [1, 1024, 1025, 2560].map(|kib| device.service(kib << 10).as_millis());
        assert_eq!(took, [2.0, 2.0, 4.0, 6.0]);
    }
}
