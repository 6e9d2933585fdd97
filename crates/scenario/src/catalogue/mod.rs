//! The catalogue: devices as TOML, each figure with unit and source, compiled into the program.

mod device;
pub mod disksim;
mod summary;

pub use device::Device;
pub(crate) use device::read_device;
pub use summary::{Summary, device_schema, device_summaries, drive_toml};

use petrio_units::nearest;

/// Every file of `catalogue/devices`: its name without the ending, and its text, by name.
const DEVICES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/devices.rs"));

/// The names of all devices, ascending.
pub fn device_names() -> impl Iterator<Item = &'static str> {
    DEVICES.iter().map(|&(name, _)| name)
}

/// The TOML of a device.
pub fn device_text(name: &str) -> Option<&'static str> {
    DEVICES.iter().find(|&&(known, _)| known == name).map(|&(_, text)| text)
}

/// The name that was most likely meant: near in spelling, or the only one that contains the word.
pub fn nearest_device(word: &str) -> Option<&'static str> {
    nearest(word, device_names()).or_else(|| {
        let word = word.to_lowercase();
        let mut containing = device_names().filter(|name| word.len() > 2 && name.contains(&word));
        containing.next().filter(|_| containing.next().is_none())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::text::Sources;

    #[test]
    fn every_device_of_the_catalogue_reads_and_says_where_its_figures_come_from() {
        for &(name, text) in DEVICES {
            let mut sources = Sources::default();
            let base = sources.add(name, text);
            let (table, mistakes) = crate::text::tree::parse(text, base);
            assert!(mistakes.is_empty(), "{name}: {}", mistakes[0].message);
            let device =
                read_device(&table, &sources).unwrap_or_else(|problems| panic!("{name}: {}", problems[0]));
            assert_eq!(device.check(), Ok(()), "{name}");
            assert!(!device.source().is_empty(), "{name} has no source");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{name}");
        }
    }

    #[test]
    fn a_misspelt_device_is_found() {
        for name in device_names() {
            assert_eq!(nearest_device(&name.to_uppercase()), Some(name));
        }
    }
}
