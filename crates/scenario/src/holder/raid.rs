//! `[raid.NAME]`: several disks (or other parts that hold blocks) as one.

use super::{Built, Holder, HolderPorts, Objection, Over};
use crate::schema::Names;
use crate::text::tree::Table;
use crate::text::{Problem, Sources, deserialise};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::PageBuilder;
use petrio_models::block::raid::{StripeParameters, stripe_page};
use petrio_models::cluster::replication::FileLayout;
use petrio_units::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;

/// Several disks (or other parts that hold blocks) as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Raid {
    /// How data are spread over the members.
    pub level: RaidLevel,
    /// The members, in order.
    pub on: Names,
    /// Consecutive data on one member before the next one's turn.
    #[serde(default = "usual_unit")]
    pub stripe_unit: Bytes,
}

fn usual_unit() -> Bytes {
    Bytes::from_kib(64)
}

/// A level of RAID, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaidLevel {
    /// 0: striped, without redundancy.
    Striped,
}

impl<'de> Deserialize<'de> for RaidLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            0 => Ok(Self::Striped),
            level => Err(D::Error::custom(format!("RAID level {level} is not known here; there is level 0"))),
        }
    }
}

impl Serialize for RaidLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Striped => serializer.serialize_u32(0),
        }
    }
}

impl JsonSchema for RaidLevel {
    fn schema_name() -> Cow<'static, str> {
        "RaidLevel".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "The RAID level by its number: 0 is striped without redundancy",
            "enum": [0],
        })
    }
}

/// Reads an array.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Raid, Vec<Problem>> {
    deserialise::read(table, sources)
}

impl Raid {
    fn parameters(&self) -> StripeParameters {
        StripeParameters { stripe_unit: self.stripe_unit }
    }
}

impl Holder for Raid {
    fn over(&self) -> Over<'_> {
        Over::Several(&self.on)
    }

    fn check(&self, members: usize) -> Vec<Objection> {
        let mut objections = Vec::new();
        if members == 1 {
            objections.push(Objection {
                key: "on",
                message: "an array of one disk is that disk".to_owned(),
                help: Some("name two or more, or leave the array out".to_owned()),
            });
        }
        let unit = self.stripe_unit.get();
        if unit == 0 || !unit.is_multiple_of(SECTOR_BYTES) {
            objections.push(Objection {
                key: "stripe_unit",
                message: format!(
                    "a stripe unit is a multiple of {SECTOR_BYTES} B, and not {}",
                    self.stripe_unit
                ),
                help: Some("64 KiB is usual".to_owned()),
            });
        }
        objections
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        let smallest = members.iter().copied().min().unwrap_or(0);
        self.parameters().layout(members.len()).map_or(0, |layout| layout.blocks(smallest))
    }

    fn files_on(&self, files: &FileLayout, member: usize, members: usize) -> FileLayout {
        let Ok(layout) = self.parameters().layout(members) else { return FileLayout::default() };
        files.moved(|first, end| layout.part(first, end, member).map(|(at, blocks)| (at, blocks.into())))
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let members: Vec<_> =
            ports.members.iter().map(|member| (member.requests, member.completions)).collect();
        let stages =
            stripe_page(page, name, &self.parameters(), (ports.requests, ports.completions), &members);
        Ok(Built { stages: stages.map_err(|error| error.to_string())?, replication: None })
    }
}
