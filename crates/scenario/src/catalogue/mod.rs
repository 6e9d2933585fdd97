//! The catalogue: devices, machines, kernels, networks, arrays and adapters as TOML, each figure with unit and source, compiled into the
//! program.

mod device;
pub mod disksim;
mod shelf;
mod summary;

pub(crate) use device::read_device;
pub use petrio_models::device::Device;
pub use shelf::{ADAPTERS, ARRAYS, DEVICES, KERNELS, MACHINES, NETWORKS, SHELVES, Shelf};
pub use summary::{
    AdapterSummary, ArraySummary, KernelSummary, MachineSummary, NetworkSummary, Summary, adapter_summaries,
    array_summaries, device_schema, device_summaries, device_toml, devices, drive_toml, kernel_schema,
    kernel_summaries, machine_schema, machine_summaries, network_summaries,
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::network::read_network;
    use crate::text::Sources;
    use crate::text::deserialise::read;
    use crate::text::tree::{Table, parse};
    use petrio_models::block::scheduler::SchedulerParameters;
    use petrio_models::host::kernel_profile::KernelParameters;
    use petrio_models::host::machine::MachineParameters;

    /// Every entry of a shelf that can be read, with its source.
    fn each(shelf: Shelf, mut check: impl FnMut(&str, &Table<'_>, &Sources)) {
        for name in shelf.names() {
            let text = shelf.text(name).unwrap();
            let mut sources = Sources::default();
            let base = sources.add(name, text);
            let (table, mistakes) = parse(text, base);
            assert!(mistakes.is_empty(), "{name}: {}", mistakes[0].message);
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c)),
                "{name}"
            );
            check(name, &table, &sources);
        }
    }

    #[test]
    fn every_device_of_the_catalogue_reads_and_says_where_its_figures_come_from() {
        each(DEVICES, |name, table, sources| {
            let device =
                read_device(table, sources).unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            device.parameters().compile().unwrap_or_else(|message| panic!("{name}: {message}"));
            assert!(!device.parameters().source().is_empty(), "{name} has no source");
        });
    }

    #[test]
    fn every_array_of_the_catalogue_reads_and_says_where_its_figures_come_from() {
        each(ARRAYS, |name, table, sources| {
            let (named, parameters) = crate::schema::read_profile(table, sources)
                .unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            assert!(named.name.is_some() && named.source.is_some(), "{name} has no name or no source");
            parameters.layout(6).unwrap_or_else(|error| panic!("{name}: {error}"));
        });
    }

    #[test]
    fn every_adapter_of_the_catalogue_reads_and_says_where_its_figures_come_from() {
        each(ADAPTERS, |name, table, sources| {
            let adapter: crate::schema::Adapter =
                read(table, sources).unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            // A channel's rate, or what an instance may ask.
            let says = adapter.rate.is_some() || adapter.limits.is_some();
            assert!(adapter.name.is_some() && adapter.source.is_some() && says, "{name}");
            assert_eq!(adapter.limits.and_then(|limits| limits.objection()), None, "{name}");
        });
    }

    #[test]
    fn every_machine_and_kernel_reads_and_says_where_its_figures_come_from() {
        each(MACHINES, |name, table, sources| {
            let machine: MachineParameters =
                read(table, sources).unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            assert!(!machine.source.is_empty() && machine.processors > 0, "{name}");
        });
        each(KERNELS, |name, table, sources| {
            let kernel: KernelParameters =
                read(table, sources).unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            assert!(!kernel.source.is_empty(), "{name}");
            assert!(SchedulerParameters::named(&kernel.block.scheduler).is_some(), "{name}");
        });
    }

    #[test]
    fn every_network_reads_says_where_its_figures_come_from_and_can_be_made() {
        each(NETWORKS, |name, table, sources| {
            let network =
                read_network(table, sources).unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            assert!(network.place.source.is_some() && network.place.name.is_some(), "{name}");
            network.parameters.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        });
    }

    #[test]
    fn a_misspelt_entry_is_found() {
        for shelf in SHELVES {
            for name in shelf.names() {
                assert_eq!(shelf.nearest(&name.to_uppercase()), Some(name));
            }
        }
    }
}
