//! `[partition.NAME]`: a run of a disk's blocks (or those of another part) as a part of its own.

use super::{Built, Holder, HolderPorts, Objection, Over, Stands};
use crate::text::deserialise::read as read_table;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::PageBuilder;
use petrio_models::block::partition::{PartitionPorts, partition_page};
use petrio_models::cluster::replication::FileLayout;
use petrio_units::numbers::whole_part;
use petrio_units::{Bytes, Fraction};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Shares of a disk are rounded down to so many blocks: file systems want whole pages.
const PAGE_BLOCKS: u64 = 8;

/// A run of a disk's blocks (or those of another part) as a part of its own. Several partitions of one disk share its arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// The disk, array or other part that it is a piece of.
    pub on: String,
    /// Where it begins there: `"20 GiB"`, or a share of the whole such as `"25 %"`. Left out: at the first block, which lies
    /// on a disk's outermost and fastest tracks.
    #[serde(default, skip_serializing_if = "Extent::is_nothing")]
    pub from: Extent,
    /// How much it holds: `"20 GiB"`, or a share of the whole such as `"25 %"`. Left out: up to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Extent>,
}

/// So much of a part that holds blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// So many bytes.
    Bytes(Bytes),
    /// Such a share of it.
    Share(Fraction),
}

impl Default for Extent {
    fn default() -> Self {
        Self::Bytes(Bytes(0))
    }
}

impl Extent {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// As blocks of 512 bytes, of a part that has so many; none where these bytes make no blocks.
    fn blocks(self, of: u64) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => {
                bytes.get().is_multiple_of(SECTOR_BYTES).then(|| bytes.get() / SECTOR_BYTES)
            }
            Self::Share(share) => {
                let blocks = whole_part(share.get() * of as f64);
                Some(if share == Fraction::ONE { of } else { blocks / PAGE_BLOCKS * PAGE_BLOCKS })
            }
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Share(share) => write!(f, "{} %", share.get() * 100.0),
        }
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let read = if text.trim_end().ends_with('%') {
            text.parse().map(Self::Share)
        } else {
            text.parse().map(Self::Bytes)
        };
        read.map_err(|error| D::Error::custom(error.to_string()))
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Extent {
    fn schema_name() -> Cow<'static, str> {
        "Extent".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A size such as \"20 GiB\", or a share of what it is a piece of, such as \"25 %\"",
            "type": "string",
        })
    }
}

/// Reads a partition.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Partition, Vec<Problem>> {
    read_table(table, sources)
}

impl Partition {
    /// Its first block and how many it has, on a part of so many.
    fn find(&self, of: u64) -> Result<(u64, u64), Objection> {
        let whole = |blocks: u64| Bytes(blocks.saturating_mul(SECTOR_BYTES));
        let objection =
            |key, message: String, help: &str| Objection { key, message, help: Some(help.to_owned()) };
        let uneven = |key, extent: Extent| {
            objection(
                key,
                format!("{extent} is no multiple of {SECTOR_BYTES} B"),
                "1 MiB is a usual step: partitions begin at blocks",
            )
        };
        let first = self.from.blocks(of).ok_or_else(|| uneven("from", self.from))?;
        if first >= of {
            let message =
                format!("the partition begins at {}, and \"{}\" ends at {}", self.from, self.on, whole(of));
            return Err(objection("from", message, "let it begin earlier, or name a larger disk"));
        }
        let blocks = match self.size {
            None => of - first,
            Some(size) => size.blocks(of).ok_or_else(|| uneven("size", size))?,
        };
        if blocks == 0 {
            let message = "a partition of nothing holds nothing".to_owned();
            return Err(objection("size", message, "give it a size, or leave the partition out"));
        }
        if blocks > of - first {
            let message = format!(
                "the partition ends beyond the end of \"{}\", which has {} from there on",
                self.on,
                whole(of - first)
            );
            return Err(objection(
                "size",
                message,
                "make it smaller, or leave size out: it then goes up to the end",
            ));
        }
        Ok((first, blocks))
    }
}

impl Holder for Partition {
    fn over(&self) -> Over<'_> {
        Over::One(&self.on)
    }

    fn shares(&self) -> bool {
        true
    }

    fn check(&self, _: usize) -> Vec<Objection> {
        Vec::new()
    }

    fn check_sizes(&self, members: &[u64]) -> Vec<Objection> {
        members.first().and_then(|&of| self.find(of).err()).into_iter().collect()
    }

    fn takes(&self, of: u64) -> (u64, u64) {
        self.find(of).unwrap_or((0, 0))
    }

    fn stands(&self) -> Stands {
        Stands::AsBelow
    }

    fn passes_discards(&self) -> bool {
        true
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        members.first().map_or(0, |&of| self.takes(of).1)
    }

    fn words(&self, _: usize) -> Option<String> {
        let size = self.size.map_or("the rest".to_owned(), |size| size.to_string());
        let from = if self.from.is_nothing() { String::new() } else { format!(" from {} on", self.from) };
        Some(format!("a partition of {size} of {}{from}", self.on))
    }

    /// Several lie on one part, which is built once: below, no file is known.
    fn files_on(&self, _: &FileLayout, _: usize, _: usize) -> FileLayout {
        FileLayout::default()
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let below = ports.members.first().ok_or("it lies on nothing")?;
        let (first, blocks) = self.takes(below.blocks);
        let of = PartitionPorts {
            requests: ports.requests,
            completions: ports.completions,
            down: below.requests,
            up: below.completions,
            number: ports.number,
            first,
            blocks,
        };
        partition_page(page, name, of);
        Ok(Built::default())
    }
}
