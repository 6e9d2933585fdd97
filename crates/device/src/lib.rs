//! Devices: what serves block requests at the end of a storage path.
//!
//! A kind of device is a file or a folder of its own. It holds the parameters, each with unit and source, which say
//! about themselves what catalogue and checks ask ([`DeviceParameters`]); what they are compiled to, once for all
//! devices of a part, which says what schedulers and file systems ask and builds the page ([`BlockDevice`]); its
//! citation; and its tests. It is entered in the list below; nothing else knows it.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod analytic_disk;
pub mod constant_rate;
pub mod disk;
pub mod simple_ssd;
pub mod ssd;
pub mod throttle;
pub mod volume;

mod channel;
mod commands;
mod counted;
mod entrance;
mod features;
mod held_writes;
mod instance;
mod one_at_a_time;
mod shared_bus;

use crate::throttle::Credits;
use analytic_disk::{AnalyticDiskParameters, Arm};
pub use channel::Channel;
use constant_rate::ConstantRateParameters;
pub use counted::Counted;
use disk::DiskParameters;
use disk::parameters::QueueDiscipline;
pub use features::{DeviceFeatures, Discards};
pub use held_writes::HeldWrites;
pub use instance::{Instance, InstanceAccounts, InstanceLimits};
use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Place};
use petrio_stage::cost::{Asked, Cost};
use petrio_stage::reliability::Reliability;
use petrio_stage::{Lever, Stage};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
pub use shared_bus::{FreeBus, SharedBus};
use simple_ssd::SimpleSsdParameters;
use ssd::SsdParameters;
use std::fmt::Debug;
use std::sync::Arc;
use volume::VolumeParameters;

/// What a file of the catalogue says of a device of one kind.
pub trait DeviceParameters: Debug + Send + Sync {
    /// What it is called: manufacturer and model.
    fn name(&self) -> &str;

    /// Where its figures come from.
    fn source(&self) -> &str;

    /// What one costs, and what it draws.
    fn cost(&self) -> &Cost;

    /// How long one lives, and how often what it holds can't be read.
    fn reliability(&self) -> &Reliability;

    /// What somebody has of it that is paid for, where it is rented by that; bytes are none where all that it holds are.
    fn asked(&self) -> Asked {
        Asked::default()
    }

    /// Those of its figures, by their paths, that are in no source and were assumed.
    fn assumed(&self) -> Vec<String> {
        Vec::new()
    }

    /// What its speed hangs on, in a word or two: "10000 rpm".
    fn speed(&self) -> String;

    /// What a person could change about it to make it better; its parameters stand at `path`.
    fn levers(&self, path: &str) -> Vec<Lever>;

    /// The same behind a channel of a host adapter; `None` where it hangs on none.
    fn on_channel(&self, _: &Channel) -> Option<Device> {
        None
    }

    /// The same with its write cache on or off; `None` where it has none to be switched.
    fn with_write_cache(&self, _on: bool) -> Option<Device> {
        None
    }

    /// The device, ready to be built any number of times.
    ///
    /// # Errors
    /// What keeps these parameters from being a device: zones that don't follow each other, a seek curve without
    /// points.
    fn compile(&self) -> Result<Arc<dyn BlockDevice>, String>;
}

/// A device of a kind, compiled once from its parameters.
pub trait BlockDevice: Debug + Send + Sync {
    /// Blocks of 512 bytes that it offers.
    fn blocks(&self) -> u64;

    /// What it can do about durability.
    fn features(&self) -> DeviceFeatures;

    /// Commands that it accepts at a time, unless told otherwise.
    fn depth(&self) -> u32;

    /// Whether where data lie decides how long they take, as `queue/rotational` says.
    fn is_rotational(&self) -> bool;

    /// Whether each processor of a host has a queue of its own to it, so that kernels choose no scheduler for it (NVMe).
    fn has_many_queues(&self) -> bool {
        false
    }

    /// Blocks of a sector as it lies on the medium, where that is larger than what is addressed (`queue/physical_block_size`).
    fn physical_sector(&self) -> u64 {
        1
    }

    /// The same device as one of several, each of which turns for itself, otherwise in each run; `None` where turning has no phase.
    fn turning_freely(&self) -> Option<Arc<dyn BlockDevice>> {
        None
    }

    /// Whether turning has a phase.
    fn has_spindle(&self) -> bool {
        self.turning_freely().is_some()
    }

    /// Whether it can share a bus with others, and waits for it where it does.
    fn shares_bus(&self) -> bool {
        false
    }

    /// Whether what it is asked passes the limits of an instance, on whose adapter it hangs.
    fn is_volume(&self) -> bool {
        false
    }

    /// The same with nothing left of its bursts; `None` where it has none.
    fn drained(&self) -> Option<Arc<dyn BlockDevice>> {
        None
    }

    /// Whether requests can wait for it like this.
    ///
    /// # Errors
    /// What it can't do, and what to write instead.
    fn accepts(&self, queueing: &Queueing) -> Result<(), String>;

    /// Builds its page. A request beyond its end stops the run with an error.
    fn build(
        self: Arc<Self>,
        parent: &mut PageBuilder<'_>,
        name: &str,
        queueing: &Queueing,
        ports: DevicePorts,
    ) -> BuiltDevice;
}

/// How requests wait for a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Queueing {
    /// The order in which the queue before the device sends them.
    pub scheduler: QueueDiscipline,
    /// Commands that it accepts at a time; `None`: as its parameters say.
    pub depth: Option<u32>,
}

/// The places by which a device is connected.
#[derive(Clone, Copy, Debug)]
pub struct DevicePorts {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// The bus that it shares with others; none where it has its own.
    pub bus: Option<SharedBus>,
}

/// A device in a net.
#[derive(Debug, Default)]
pub struct BuiltDevice {
    /// The rows that the report shows.
    pub stages: Vec<Stage>,
    /// Its arm, where it tells what a further request would meet.
    pub arm: Option<Place<Arm>>,
    /// Its caches that hold what has been reported as written.
    pub caches: Vec<HeldWrites>,
    /// What may pass it for a while only.
    pub credits: Vec<Credits>,
    /// What it counts of itself, for the report.
    pub counted: Vec<Counted>,
}

/// Reads parameters of whichever kind, wherever they are written.
pub trait DeviceReader {
    /// What may be wrong with them.
    type Error;

    /// Reads those of a kind.
    ///
    /// # Errors
    /// What is wrong with them.
    fn read<P: DeviceParameters + DeserializeOwned>(self) -> Result<P, Self::Error>;
}

/// Makes the list of kinds: the parameters' enumeration, the words, and how each is read.
macro_rules! devices {
    ($($variant:ident($parameters:ty) = $kind:literal, $text:literal;)*) => {
        /// The parameters of a device. In its file, `kind` says which model simulates it; left out, it is `disk`.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Device {
            $(#[doc = $text]
            #[serde(rename = $kind)]
            $variant(Box<$parameters>),)*
        }

        impl Device {
            /// All kinds, as a file writes them.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            /// The kind of a file that names none.
            pub const USUAL_KIND: &'static str = "disk";

            /// Reads the parameters of a kind; `None` where there is no such kind.
            pub fn read<R: DeviceReader>(kind: &str, reader: R) -> Option<Result<Self, R::Error>> {
                match kind {
                    $($kind => Some(reader.read::<$parameters>().map(|read| Self::$variant(Box::new(read)))),)*
                    _ => None,
                }
            }

            /// What they say about themselves.
            pub fn parameters(&self) -> &dyn DeviceParameters {
                match self {
                    $(Self::$variant(parameters) => &**parameters,)*
                }
            }
        }
    };
}

// The list: one line a kind, and one `mod` and one `use` above.
devices! {
    Disk(DiskParameters) = "disk", "A mechanical disk with geometry, arm, platters, cache and command queue.";
    AnalyticDisk(AnalyticDiskParameters) = "analytic-disk", "A disk whose access time is a formula: seek by distance, rotation by chance, transfer at a fixed rate.";
    ConstantRate(ConstantRateParameters) = "constant-rate", "A fixed latency for each request and a fixed rate for its data.";
    SimpleSsd(SimpleSsdParameters) = "simple-ssd", "A solid-state drive: pages on channels that work side by side.";
    Ssd(SsdParameters) = "ssd", "A solid-state drive by its data sheet: latencies at queue depth 1, rates at the sheet's depths, caches and interface.";
    Volume(VolumeParameters) = "volume", "A volume of a cloud: what its provider lets pass of I/Os and bytes, by size or as provisioned, with bursts.";
}
