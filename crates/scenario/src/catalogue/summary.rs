//! The catalogue at a glance, and devices as text.

use crate::catalogue::{ADAPTERS, ARRAYS, DEVICES, Device, KERNELS, MACHINES, NETWORKS, Shelf, read_device};
use crate::network::{bits, read_network};
use crate::schema::{Adapter, read_profile};
use crate::text::deserialise::read;
use crate::text::tree::{Table, parse};
use crate::text::{Problem, Sources};
use petrio_colours::SECTOR_BYTES;
use petrio_models::cost::{Asked, Cost, PowerDraw};
use petrio_models::device::InstanceLimits;
use petrio_models::device::disk::DiskParameters;
use petrio_models::host::copy_cost::CopyCost;
use petrio_models::host::kernel_profile::KernelParameters;
use petrio_models::host::machine::MachineParameters;
use petrio_page::numbers::significant;
use petrio_units::Rate;

/// A line of `petrio catalogue list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// Manufacturer and model.
    pub name: String,
    /// How much it holds.
    pub size: String,
    /// How fast it turns, or which model simulates it.
    pub speed: String,
    /// What one costs: to buy, or of a month as the file has it.
    pub price: String,
    /// What one draws idle and at work.
    pub power: String,
}

/// Every device of the catalogue, with the name by which scenarios refer to it.
///
/// # Errors
/// A file of the catalogue that doesn't read, which is a bug.
pub fn devices() -> Result<Vec<(&'static str, Device)>, Problem> {
    entries(DEVICES, |key, table, sources| Ok((key, read_device(table, sources)?)))
}

/// Every device of the catalogue in a line.
///
/// # Errors
/// As of [`devices`].
pub fn device_summaries() -> Result<Vec<Summary>, Problem> {
    let summary = |(key, device): (&'static str, Device)| {
        let parameters = device.parameters();
        let size = parameters.compile().map_or_else(
            |_| "–".to_owned(),
            |device| format!("{:.1} GB", (device.blocks() * SECTOR_BYTES) as f64 / 1e9),
        );
        let mut asked = parameters.asked();
        if asked.bytes == 0 {
            asked.bytes = parameters.compile().map_or(0, |device| device.blocks() * SECTOR_BYTES);
        }
        let (price, power) = (price(parameters.cost(), &asked), power(parameters.cost()));
        Summary { key, name: parameters.name().to_owned(), size, speed: parameters.speed(), price, power }
    };
    Ok(devices()?.into_iter().map(summary).collect())
}

/// What one costs, in a word: "610 USD", "8 USD a month", nothing where that isn't known.
fn price(cost: &Cost, asked: &Asked) -> String {
    let month = cost.rent.as_ref().and_then(|rent| rent.a_month(asked).ok());
    match (&cost.price, month) {
        (Some(price), _) => price.amount.to_string(),
        (None, Some(month)) => format!("{} {} a month", significant(month.amount()), month.currency()),
        (None, None) => "–".to_owned(),
    }
}

/// What one draws idle and at work: "5 W / 10 W".
fn power(cost: &Cost) -> String {
    let draw = |power: &PowerDraw| format!("{} / {}", power.idle, power.active.unwrap_or(power.idle));
    cost.power.as_ref().map_or_else(|| "–".to_owned(), draw)
}

/// A line of `petrio catalogue list machines`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSummary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// What it is called.
    pub name: String,
    /// Processors.
    pub processors: u32,
    /// Main memory.
    pub memory: String,
    /// The largest call that copies within the second-level cache, where that is known.
    pub knee: String,
    /// What one costs.
    pub price: String,
    /// What one draws idle and at work.
    pub power: String,
}

/// Every machine of the catalogue in a line.
///
/// # Errors
/// As of [`device_summaries`].
pub fn machine_summaries() -> Result<Vec<MachineSummary>, Problem> {
    entries(MACHINES, |key, table, sources| {
        let machine: MachineParameters = read(table, sources)?;
        let knee = CopyCost::knee_of(&machine);
        Ok(MachineSummary {
            key,
            price: price(&machine.cost, &Asked::default()),
            power: power(&machine.cost),
            name: machine.name,
            processors: machine.processors,
            memory: machine.memory.to_string(),
            knee: knee.map_or_else(|| "as measured".to_owned(), |size| size.to_string()),
        })
    })
}

/// A line of `petrio catalogue list kernels`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSummary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// What it is called.
    pub name: String,
    /// The largest window of read-ahead.
    pub read_ahead: String,
    /// Shares of memory that may be dirty: background and limit.
    pub dirty: String,
    /// The I/O scheduler where a scenario names none.
    pub scheduler: String,
}

/// Every kernel of the catalogue in a line.
///
/// # Errors
/// As of [`device_summaries`].
pub fn kernel_summaries() -> Result<Vec<KernelSummary>, Problem> {
    entries(KERNELS, |key, table, sources| {
        let kernel: KernelParameters = read(table, sources)?;
        Ok(KernelSummary {
            key,
            name: kernel.name,
            read_ahead: kernel.read_ahead.max.to_string(),
            dirty: format!("{} / {}", kernel.write_back.background, kernel.write_back.limit),
            scheduler: kernel.block.scheduler,
        })
    })
}

/// A network in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkSummary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// What it is called.
    pub name: String,
    /// Of its links.
    pub rate: String,
    /// Of its links.
    pub latency: String,
    /// The part of its rate that data have, in full frames.
    pub data: String,
}

/// Every network of the catalogue in a line.
///
/// # Errors
/// As of [`device_summaries`].
pub fn network_summaries() -> Result<Vec<NetworkSummary>, Problem> {
    entries(NETWORKS, |key, table, sources| {
        let network = read_network(table, sources)?;
        let link = &network.parameters.link;
        Ok(NetworkSummary {
            key,
            name: network.place.name.unwrap_or_default(),
            rate: bits(link.rate),
            latency: link.latency.to_string(),
            data: petrio_page::numbers::per_cent(network.parameters.framing().efficiency()),
        })
    })
}

/// An array in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArraySummary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// What it is called.
    pub name: String,
    /// Its stripe unit.
    pub stripe_unit: String,
    /// Its controller's cache, and whether a battery keeps it.
    pub cache: String,
}

/// Every array of the catalogue in a line.
///
/// # Errors
/// As of [`device_summaries`].
pub fn array_summaries() -> Result<Vec<ArraySummary>, Problem> {
    entries(ARRAYS, |key, table, sources| {
        let (named, parameters) = read_profile(table, sources)?;
        let cache = parameters.controller.and_then(|controller| controller.cache);
        Ok(ArraySummary {
            key,
            name: named.name.unwrap_or_default(),
            stripe_unit: parameters.stripe_unit.to_string(),
            cache: cache.map_or("–".to_owned(), |cache| {
                format!("{}{}", cache.size, if cache.battery { " with battery" } else { "" })
            }),
        })
    })
}

/// A host adapter in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterSummary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// What it is called.
    pub name: String,
    /// Its channels, and how many disks may be on each.
    pub channels: String,
    /// What each carries.
    pub rate: String,
    /// How disks use their channel.
    pub commands: &'static str,
    /// What one costs.
    pub price: String,
}

/// Every host adapter of the catalogue in a line.
///
/// # Errors
/// As of [`device_summaries`].
pub fn adapter_summaries() -> Result<Vec<AdapterSummary>, Problem> {
    entries(ADAPTERS, |key, table, sources| {
        let adapter: Adapter = read(table, sources)?;
        Ok(AdapterSummary {
            price: price(&adapter.cost, &Asked::default()),
            key,
            channels: match adapter.disks {
                Some(disks) => format!("{} of {disks} disks", adapter.channels),
                None => adapter.channels.to_string(),
            },
            name: adapter.name.unwrap_or_default(),
            rate: match adapter.limits {
                Some(limits) => limits_in_words(&limits),
                None => adapter.rate.map_or("–".to_owned(), |rate| rate.to_string()),
            },
            commands: if adapter.keeps_channel { "one after the other" } else { "side by side" },
        })
    })
}

/// What an instance may ask: "3600 IOPS, 81.3 MB/s; for 30 min 18750 IOPS, 594 MB/s".
fn limits_in_words(limits: &InstanceLimits) -> String {
    let told = |iops: Option<f64>, throughput: Option<Rate>| {
        let iops = iops.map(|iops| format!("{iops} IOPS"));
        let throughput =
            throughput.map(|rate| format!("{} MB/s", significant(rate.bytes_per_second() / 1e6)));
        iops.into_iter().chain(throughput).collect::<Vec<_>>().join(", ")
    };
    let lasting = told(limits.iops, limits.throughput);
    match limits.burst {
        Some(span) => {
            let minutes = significant(span.time().as_seconds() / 60.0);
            format!("{lasting}; for {minutes} min {}", told(limits.burst_iops, limits.burst_throughput))
        }
        None => lasting,
    }
}

/// Reads every entry of a shelf.
fn entries<T>(
    shelf: Shelf,
    summary: impl Fn(&'static str, &Table<'_>, &Sources) -> Result<T, Vec<Problem>>,
) -> Result<Vec<T>, Problem> {
    let entry = |key: &'static str| {
        let text = shelf.text(key).unwrap_or_default();
        let mut sources = Sources::default();
        let base = sources.add(key, text);
        let (table, mistakes) = parse(text, base);
        match mistakes.into_iter().next() {
            Some(mistake) => Err(sources.error(mistake.span, mistake.message)),
            None => summary(key, &table, &sources).map_err(first),
        }
    };
    shelf.names().map(entry).collect()
}

fn first(mut problems: Vec<Problem>) -> Problem {
    problems.swap_remove(0)
}

/// The JSON schema of a device's file.
pub fn device_schema() -> schemars::Schema {
    schemars::schema_for!(Device)
}

/// The JSON schema of a machine's file.
pub fn machine_schema() -> schemars::Schema {
    schemars::schema_for!(MachineParameters)
}

/// The JSON schema of a kernel's file.
pub fn kernel_schema() -> schemars::Schema {
    schemars::schema_for!(KernelParameters)
}

/// A device of any kind as a catalogue file.
///
/// # Errors
/// What TOML can't express, which is a bug.
pub fn device_toml(device: &Device) -> Result<String, toml::ser::Error> {
    toml::to_string_pretty(device)
}

/// A drive as a catalogue file.
///
/// # Errors
/// What TOML can't express, which is a bug.
pub fn drive_toml(drive: &DiskParameters) -> Result<String, toml::ser::Error> {
    toml::to_string_pretty(drive)
}
