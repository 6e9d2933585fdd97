//! A solid-state drive by its data sheet.
//!
//! What a buyer finds on a sheet is what the model takes: the latency of one access at a time, so many random accesses a second at a
//! depth, rates in order, a mixed load, what protects the cache and what a flush costs, and the rate behind an SLC cache. Between these
//! points a closed queueing network gives the curve over depth and size (`figures.rs`), which meets the sheet's figures and never passes
//! them.
//!
//! ```text
//!  controller ─▶ back end (1 / IOPS, bytes / rate) ─▶ units of flash, each by itself ─▶ link ─▶ host      reads
//!  controller ─▶ link ─▶ memory (reported) ─▶ back end, in pieces ─▶ SLC cache, or behind it              writes
//! ```
//!
//! A write that doesn't go on where one of the last 32 ended is random, however long it is: on a full drive each page of it costs
//! what the sheet's random writes do, since what must be moved to free a block depends on what is written over, not on how many pages
//! come in one command. A part of a page of 4 KiB costs the page and its reading.
//!
//! A drive is as full as the sheet's steady rates mean: all of it has been written. What it is told of by discards, and isn't written
//! since, is spare, so that random writes go faster (`amplification.rs`). A SATA drive is sent a discard alone, all others beside other
//! commands.
//!
//! Leaves out: translation, erasure and garbage collection one by one (the sheet's steady rates hold what they cost), a read that waits
//! for a program or an erasure in its own die, several ranges in one discard, reading ahead, what temperature does, and how a drive that
//! was written little is faster than the sheet's steady state.

mod amplification;
mod figures;
mod interface;
mod page;
mod parameters;
mod state;
#[cfg(test)]
mod tests;

use super::commands::as_they_come;
use super::one_at_a_time::has_blocks;
use super::{
    BlockDevice, BuiltDevice, Channel, Counted, Device, DeviceFeatures, DeviceParameters, DevicePorts,
    Discards, HeldWrites, Queueing,
};
use figures::Figures;
pub use interface::{Interface, UnknownInterface};
use page::ssd_page;
pub use parameters::{
    Accesses, Class, Latencies, Mixed, SlcCache, SsdParameters, SsdWriteCache, Stream, Trim,
};
use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Simulation, Time};
use petrio_stage::Lever;
use petrio_stage::cost::Cost;
use petrio_stage::lever::{TWICE, halved};
use petrio_stage::reliability::Reliability;
use petrio_units::numbers::whole_part;
use petrio_units::{Duration, Rate};
use state::State;
use std::sync::Arc;

/// A drive, compiled from its sheet.
#[derive(Clone, Debug)]
struct Drive {
    blocks: u64,
    depth: u32,
    interface: Interface,
    figures: Figures,
    /// Whether it reports writes from memory, and whether that survives a power cut.
    cached: bool,
    protected: bool,
    /// Bytes of memory for writes.
    room: u64,
    slc: Option<(u64, f64)>,
    /// The discards that it takes, and whether it is sent one only while it has no other command.
    discards: Option<Discards>,
    discards_alone: bool,
    /// What a channel carries that it shares.
    channel: Option<Rate>,
}

impl Drive {
    /// How long data have a bus that the drive shares: as they pass it, which may be faster than the drive's own link.
    fn on_bus(&self, bytes: u64) -> Time {
        self.channel.map_or_else(|| self.figures.on_link(bytes), |rate| rate.time_for(bytes))
    }

    fn initial_state(&self) -> State {
        State::new(self.figures.units, self.room, self.slc, self.blocks)
    }

    /// Whether a write is complete once memory has it.
    fn reports_from_memory(&self, request: &BlockRequest) -> bool {
        self.cached && (self.protected || !request.force_unit_access)
    }
}

impl SsdParameters {
    /// What is wrong with the sheet, if anything is.
    fn check(&self) -> Result<(), String> {
        has_blocks(self.blocks)?;
        let accesses = [("random_read", &self.random_read), ("random_write", &self.random_write)];
        for (name, accesses) in accesses {
            if !(accesses.iops.is_finite() && accesses.iops > 0.0) {
                return Err(format!("{name}.iops is a number above 0, not {}", accesses.iops));
            }
            if accesses.depth == Some(0) || accesses.size.get() == 0 {
                return Err(format!("{name} is of at least one access at a time, and of at least a byte"));
            }
        }
        if self.units == Some(0) || self.queue_depth == Some(0) {
            return Err("units and queue_depth are at least 1".to_owned());
        }
        if let Some(mixed) = self.mixed
            && !(mixed.iops.is_finite() && mixed.iops > 0.0)
        {
            return Err(format!("mixed.iops is a number above 0, not {}", mixed.iops));
        }
        // A channel may be narrower than the drive.
        let link = if self.link.is_some() { f64::INFINITY } else { self.interface.bytes_per_second() };
        let streams =
            [("sequential_read", self.sequential_read), ("sequential_write", self.sequential_write)];
        for (name, stream) in streams {
            if stream.rate.bytes_per_second() > link {
                return Err(format!(
                    "{name}.rate is {}, but {} carries {:.0} MB/s; give the drive its interface, or `link`",
                    stream.rate,
                    self.interface,
                    link / 1e6,
                ));
            }
        }
        if let Some(slc) = self.slc
            && slc.behind_iops.is_some_and(|iops| !(iops.is_finite() && iops > 0.0))
        {
            return Err("slc.behind_iops is a number above 0".to_owned());
        }
        if self.spare.is_some_and(|spare| spare.get() <= 0.0) {
            return Err(
                "spare is more than 0: without flash to spare nothing could be written over".to_owned()
            );
        }
        if self.trim.is_some_and(|trim| trim.queued && !self.interface.is_sata()) {
            return Err(format!("trim.queued is of SATA drives; {} queues all commands", self.interface));
        }
        if self.write_cache.and_then(|cache| cache.size).is_some_and(|size| size.get() < figures::PAGE) {
            return Err(format!("write_cache.size is at least {} B", figures::PAGE));
        }
        Ok(())
    }
}

impl DeviceParameters for SsdParameters {
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

    fn assumed(&self) -> Vec<String> {
        self.assumed.iter().cloned().chain(self.silences()).collect()
    }

    fn speed(&self) -> String {
        self.interface.to_string()
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        let iops = |name: &str| format!("{name}.iops");
        let rate = |name: &str| format!("{name}.rate");
        let (reads, writes) = (self.random_read.iops * 2.0, self.random_write.iops * 2.0);
        // A stream can't pass what carries it.
        let link = if self.link.is_some() { f64::INFINITY } else { self.interface.bytes_per_second() };
        let faster = |stream: Rate| {
            // In whole MB/s, as sheets have them.
            let rate = libm::floor((stream.bytes_per_second() * TWICE).min(link) / 1e6) * 1e6;
            Rate::new(rate).filter(|_| rate > stream.bytes_per_second())
        };
        let (read_us, _) = self.latencies_us();
        let half = Duration::new(Time::from_picos(whole_part(read_us * 0.5e6)));
        let levers = [
            Lever::twice("back-end", "reads of the back end", "reads at the sheet's depths twice as fast")
                .set(path, &iops("random_read"), reads)
                .set_some(path, &rate("sequential_read"), faster(self.sequential_read.rate))
                .covering(&["the back end"]),
            Lever::twice("back-end", "writes of the back end", "lasting writes twice as fast")
                .set(path, &iops("random_write"), writes)
                .set_some(path, &rate("sequential_write"), faster(self.sequential_write.rate))
                .covering(&["the back end"]),
            Lever::twice("flash", "flash", "reads of flash twice as fast at queue depth 1").set(
                path,
                "latency.read",
                half,
            ),
            Lever::twice("link", "the link", "a link twice as fast")
                .set_some(path, "link", Rate::new(self.link_bytes_per_second() * 2.0))
                .covering(&["the link"]),
            Lever::twice("programming", "flushes", "flushes half as long").set_some(
                path,
                "write_cache.flush",
                halved(Duration::new(Time::from_picos(whole_part(self.flush_us() * 1e6)))),
            ),
            Lever::instead("programming", "flushes", "a cache that is protected from power cuts").set_some(
                path,
                "write_cache.protected",
                (!self.is_protected()).then_some(true),
            ),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    fn on_channel(&self, channel: &Channel) -> Option<Device> {
        let own = self.link_bytes_per_second();
        let link = Rate::new(channel.rate?.bytes_per_second().min(own))?;
        Some(Device::Ssd(Box::new(Self { link: Some(link), channel: channel.rate, ..self.clone() })))
    }

    fn with_write_cache(&self, on: bool) -> Option<Device> {
        let protected = self.is_protected();
        let usual = SsdWriteCache { enabled: on, protected, size: None, flush: None };
        let write_cache = self.write_cache.map_or(usual, |cache| SsdWriteCache { enabled: on, ..cache });
        Some(Device::Ssd(Box::new(Self { write_cache: Some(write_cache), ..self.clone() })))
    }

    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String> {
        self.check()?;
        let trim = self.trim.unwrap_or_default();
        let fold = |slc: &SlcCache| slc.fold.unwrap_or(slc.behind).bytes_per_second();
        Ok(Arc::new(Drive {
            blocks: self.blocks.get(),
            depth: self.depth(),
            interface: self.interface,
            figures: Figures::of(self),
            cached: self.has_cache(),
            protected: self.is_protected(),
            room: self.write_cache_bytes(),
            slc: self.slc.as_ref().map(|slc| (slc.size.get(), fold(slc))),
            discards: trim.enabled.then(|| self.interface.discards()),
            discards_alone: self.interface.is_sata() && !trim.queued,
            channel: self.channel,
        }))
    }
}

impl BlockDevice for Drive {
    fn blocks(&self) -> u64 {
        self.blocks
    }

    /// A cache that survives power cuts is reported by SATA drives, too, and by no others.
    fn features(&self) -> DeviceFeatures {
        let reported = self.cached && (!self.protected || self.interface.reports_protected_caches());
        DeviceFeatures {
            write_cache: reported,
            force_unit_access: reported && self.interface.can_force_unit_access(),
            discards: self.discards,
        }
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn is_rotational(&self) -> bool {
        false
    }

    fn has_many_queues(&self) -> bool {
        self.interface.has_many_queues()
    }

    fn physical_sector(&self) -> u64 {
        figures::PAGE / petrio_colours::SECTOR_BYTES
    }

    fn shares_bus(&self) -> bool {
        true
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
        let (stages, state) = ssd_page(parent, name, (&self, depth), ports);
        let memory = move |run: &Simulation| {
            let mut found = (0, 0);
            run.for_each_token(state, |state: &State| found = state.held());
            found
        };
        let mut caches = vec![HeldWrites::new("the write cache", memory)];
        if self.slc.is_some() {
            let slc = move |run: &Simulation| {
                let mut found = (0, 0);
                run.for_each_token(state, |state: &State| found = state.slc());
                found
            };
            caches.push(HeldWrites::new("the SLC cache", slc));
        }
        let read_first = move |run: &Simulation| {
            let mut pages = 0;
            run.for_each_token(state, |state: &State| pages = state.read_first());
            pages
        };
        let counted = vec![Counted::new("pages read first, for writes of parts of them", read_first)];
        BuiltDevice { stages, caches, counted, ..BuiltDevice::default() }
    }
}
