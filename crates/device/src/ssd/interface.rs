//! The interface of a solid-state drive, as its data sheet names it: "SATA 6 Gbit/s", "PCIe 4.0 x4".
//!
//! What a link carries beside data is counted in: the code of its bits, and what frames and packets add.

use super::figures::PAGE;
use crate::Discards;
use petrio_colours::SECTOR_BYTES;
use petrio_units::numbers::{as_number, whole_part};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// What carries data between a drive and its host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interface {
    family: Family,
    /// Of PCIe, SD and UFS their generation, of others the bits a second of a link, in thousands of millions.
    generation: f64,
    lanes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Sata,
    Sas,
    Pcie,
    Ufs,
    Sd,
    Emmc,
}

/// A text that names no interface.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no interface that is known; write it as \"SATA 6 Gbit/s\", \"SAS 12 Gbit/s\" (\"SAS 12 Gbit/s x2\" over two ports), \
     \"PCIe 4.0 x4\", \"UFS 3.1\", \"SD UHS-I\" or \"eMMC 5.1\""
)]
pub struct UnknownInterface(String);

/// Payload among the bytes of a SATA link: frames of 8 KiB with their headers, checks and primitives (Serial ATA 3.0, §10; the
/// fastest drives' data sheets say 550 to 560 of 600 MB/s).
const SATA_PAYLOAD: f64 = 0.935;
/// The same of SAS: frames of 1 KiB with 24 B of header, checks, and connections (SPL-3, §6; data sheets say 1,100 of 1,200 MB/s).
const SAS_PAYLOAD: f64 = 0.92;
/// The same of PCIe: packets of 256 or 512 B with 20 to 24 B about them (PCI Express Base 3.0, §2.2; the fastest drives' data sheets
/// say 7,450 of 7,877 MB/s).
const PCIE_PAYLOAD: f64 = 0.95;

impl Interface {
    /// Bytes of data that it carries a second, in one direction.
    pub fn bytes_per_second(self) -> f64 {
        let megabytes = match self.family {
            // Eight bits in ten.
            Family::Sata => self.generation * 100.0 * SATA_PAYLOAD,
            // 22.5 Gbit/s with 128 bits in 150 (SAS-4), which is called 24.
            Family::Sas if self.generation > 20.0 => 2_400.0 * SAS_PAYLOAD,
            Family::Sas => self.generation * 100.0 * SAS_PAYLOAD,
            Family::Pcie => {
                // 2.5 and 5 GT/s with eight bits in ten, then 8, 16 and 32 with 128 in 130.
                let lane = match whole_part(self.generation) {
                    1 => 250.0,
                    2 => 500.0,
                    generation => 8_000.0 / 8.0 * 128.0 / 130.0 * f64::from(1_u32 << (generation - 3).min(4)),
                };
                lane * PCIE_PAYLOAD
            }
            // M-PHY's gears at series B: 2.9, 5.8, 11.7 and 23.3 Gbit/s a lane, eight bits in ten.
            Family::Ufs => {
                let lane = match self.generation {
                    generation if generation < 3.0 => 583.0,
                    generation if generation < 4.0 => 1_166.0,
                    _ => 2_333.0,
                };
                lane * SAS_PAYLOAD
            }
            // UHS-I at 104 MB/s and UHS-II at 312 (SD Physical Layer 6.0, §3.9.1).
            Family::Sd if self.generation < 2.0 => 104.0,
            Family::Sd => 312.0,
            // HS400 (JEDEC JESD84-B51).
            Family::Emmc => 400.0,
        };
        megabytes * f64::from(self.lanes) * 1e6
    }

    /// Commands that its standard lets a drive hold: SATA's native command queueing, a SCSI task set of 254 tags, a queue pair of
    /// NVMe as Linux makes them (1,024 entries of which one stays empty), UFS 2 and eMMC 5.1 with 32, and SD with one.
    pub fn depth(self) -> u32 {
        match self.family {
            Family::Sata | Family::Ufs | Family::Emmc => 32,
            Family::Sas => 254,
            Family::Pcie => 1_023,
            Family::Sd => 1,
        }
    }

    /// Whether each processor of the host has a queue of its own to the drive (NVMe).
    pub fn has_many_queues(self) -> bool {
        self.family == Family::Pcie
    }

    /// Whether data go both ways at once: SATA, SD and eMMC have one direction at a time (Serial ATA 3.0, §9.4: while data pass one way
    /// only primitives pass the other).
    pub fn is_duplex(self) -> bool {
        matches!(self.family, Family::Pcie | Family::Sas | Family::Ufs)
    }

    /// Whether single writes can be forced to the medium: NVMe and SCSI can, and Linux does not ask SATA drives (`libata.fua`).
    pub fn can_force_unit_access(self) -> bool {
        matches!(self.family, Family::Pcie | Family::Sas | Family::Ufs)
    }

    /// Whether a drive whose cache is protected reports a write cache all the same, so that it is sent flushes: SATA drives do (word
    /// 85 of IDENTIFY DEVICE says that it is on), NVMe (VWC) and SAS drives report none.
    pub fn reports_protected_caches(self) -> bool {
        self.family == Family::Sata
    }

    /// Whether it is SATA.
    pub(super) fn is_sata(self) -> bool {
        self.family == Family::Sata
    }

    /// The discards that Linux sends over it. SATA: 64 ranges of 65,535 sectors in a command (`ata_scsiop_inq_b0`,
    /// drivers/ata/libata-scsi.c); others: as many sectors as a request may have (`bio_discard_limit`, block/blk-lib.c).
    pub(super) fn discards(self) -> Discards {
        let longest = if self.is_sata() { 64 * 65_535 } else { u32::MAX >> 9 };
        // A drive gives up whole pages of its translation.
        Discards { longest, granularity: as_number(PAGE / SECTOR_BYTES) }
    }

    /// What a read takes that has been read ahead, µs: Intel's sheets of SATA drives say 36 to 40 µs ("sequential latency") and of NVMe
    /// drives 10 to 20; tests of drives for desktops find 20 to 30.
    pub(super) fn usual_latency_in_order_us(self) -> f64 {
        if self.family == Family::Pcie { 25.0 } else { 40.0 }
    }

    /// What a read and a write of 4 KiB at queue depth 1 take on drives of this interface whose sheets say nothing, µs.
    pub(super) fn usual_latencies_us(self) -> (f64, f64) {
        match self.family {
            Family::Sata => (100.0, 40.0),
            Family::Sas => (110.0, 40.0),
            Family::Pcie => (85.0, 25.0),
            Family::Ufs => (110.0, 60.0),
            Family::Sd => (250.0, 500.0),
            Family::Emmc => (180.0, 200.0),
        }
    }
}

impl FromStr for Interface {
    type Err = UnknownInterface;

    fn from_str(text: &str) -> Result<Self, UnknownInterface> {
        let unknown = || UnknownInterface(text.chars().take(60).collect());
        let plain = text.trim().to_ascii_lowercase();
        let (family, rest) = plain.split_once(' ').ok_or_else(unknown)?;
        let mut words = rest.split_whitespace();
        let generation = words.next().ok_or_else(unknown)?;
        let number = |among: &[f64]| {
            let number = generation.parse::<f64>().ok()?;
            among.contains(&number).then_some(number)
        };
        let (family, generation) = match family {
            "sata" => (Family::Sata, number(&[1.5, 3.0, 6.0])),
            "sas" => (Family::Sas, number(&[3.0, 6.0, 12.0, 22.5, 24.0])),
            "pcie" => (Family::Pcie, number(&[1.0, 1.1, 2.0, 3.0, 4.0, 5.0, 6.0])),
            "ufs" => (Family::Ufs, number(&[2.0, 2.1, 2.2, 3.0, 3.1, 4.0])),
            "sd" => (
                Family::Sd,
                ["uhs-i", "uhs-ii"]
                    .iter()
                    .zip([1.0, 2.0])
                    .find(|(name, _)| **name == generation)
                    .map(|(_, n)| n),
            ),
            "emmc" => (Family::Emmc, number(&[5.0, 5.1])),
            _ => return Err(unknown()),
        };
        let generation = generation.ok_or_else(unknown)?;
        let mut lanes = if family == Family::Ufs { 2 } else { 1 };
        for word in words {
            match word.strip_prefix('x').map(str::parse::<u32>) {
                Some(Ok(count)) if matches!(count, 1 | 2 | 4 | 8 | 16) => lanes = count,
                None if word == "gbit/s" => {}
                _ => return Err(unknown()),
            }
        }
        Ok(Self { family, generation, lanes })
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.lanes;
        match self.family {
            Family::Sata => write!(f, "SATA {} Gbit/s", self.generation)?,
            Family::Sas => write!(f, "SAS {} Gbit/s", self.generation)?,
            Family::Pcie => return write!(f, "PCIe {:.1} x{lanes}", self.generation),
            Family::Ufs if lanes == 2 => return write!(f, "UFS {:.1}", self.generation),
            Family::Ufs => return write!(f, "UFS {:.1} x{lanes}", self.generation),
            Family::Sd => write!(f, "SD UHS-{}", if self.generation < 2.0 { "I" } else { "II" })?,
            Family::Emmc => write!(f, "eMMC {:.1}", self.generation)?,
        }
        if lanes > 1 { write!(f, " x{lanes}") } else { Ok(()) }
    }
}

impl Serialize for Interface {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Interface {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Interface {
    fn schema_name() -> Cow<'static, str> {
        "Interface".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "An interface with its generation and lanes: \"SATA 6 Gbit/s\", \"SAS 12 Gbit/s x2\", \"PCIe 4.0 x4\", \
                            \"UFS 3.1\", \"SD UHS-I\", \"eMMC 5.1\""
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// What data sheets of the fastest drives say passes, and nothing else does.
    #[test]
    fn links_carry_what_the_fastest_drives_are_sold_with() {
        let rates = [
            ("SATA 3 Gbit/s", 270.0, 300.0),
            ("SATA 6 Gbit/s", 560.0, 600.0),
            ("SAS 12 Gbit/s", 1_100.0, 1_200.0),
            ("SAS 12 Gbit/s x2", 2_200.0, 2_400.0),
            ("SAS 24 Gbit/s", 2_150.0, 2_400.0),
            ("PCIe 2.0 x4", 1_850.0, 2_000.0),
            ("PCIe 3.0 x4", 3_600.0, 3_939.0),
            ("PCIe 4.0 x4", 7_450.0, 7_877.0),
            ("PCIe 5.0 x4", 14_800.0, 15_754.0),
            ("UFS 3.1", 2_100.0, 2_333.0),
            ("SD UHS-I", 104.0, 104.1),
        ];
        for (text, least, most) in rates {
            let interface: Interface = text.parse().unwrap();
            let rate = interface.bytes_per_second() / 1e6;
            assert!((least..most).contains(&rate), "{text}: {rate} MB/s");
            assert_eq!(interface.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_interface_is_refused_with_what_to_write() {
        for text in [
            "",
            "SATA",
            "SATA 7 Gbit/s",
            "PCIe 3.0 x3",
            "USB 3.0",
            "PCIe x4",
            "SD UHS-IX",
            "SATA 6 Gbit/s fast",
        ] {
            let error = text.parse::<Interface>().unwrap_err().to_string();
            assert!(error.contains("\"PCIe 4.0 x4\""), "{error}");
        }
    }
}
