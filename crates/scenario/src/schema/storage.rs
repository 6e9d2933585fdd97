//! `[raid.NAME]`, `[fabric.NAME]`, `[throttle.NAME]`: what may lie between a file system and its disks.

use crate::schema::apart::read_apart;
use crate::schema::names::Names;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_models::block::fabric::FabricParameters;
use petrio_models::block::throttle::ThrottleParameters;
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

/// A network of storage between a host and what it uses there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fabric {
    /// The disk or array at its far end.
    pub on: String,
    /// Its links.
    #[serde(flatten)]
    pub parameters: FabricParameters,
}

/// A limit on what a host may ask of a device, as blk-throttle keeps it: requests are charged before they are merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Throttle {
    /// The disk, array or fabric that it protects.
    pub on: String,
    /// The limits.
    #[serde(flatten)]
    pub parameters: ThrottleParameters,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct On {
    on: String,
}

/// Reads a fabric.
pub(crate) fn read_fabric(table: &Table<'_>, sources: &Sources) -> Result<Fabric, Vec<Problem>> {
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Fabric { on, parameters })
}

/// Reads a throttle.
pub(crate) fn read_throttle(table: &Table<'_>, sources: &Sources) -> Result<Throttle, Vec<Problem>> {
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(Throttle { on, parameters })
}
