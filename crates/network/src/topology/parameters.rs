//! What is written of a wiring: a word (`topology = "star"`), or a table (`topology = { kind = "torus", … }`).

use petrio_persist::Persist;
use petrio_units::{Duration, Rate};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Which switches a network has, and how they and the hosts are connected.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum TopologyParameters {
    /// One half-duplex medium for all.
    Hub,
    /// One switch.
    #[default]
    Star,
    /// Edge switches below one core switch.
    Tree(TreeParameters),
    /// A folded Clos network of equal switches.
    FatTree(FatTreeParameters),
    /// Switches in a grid with ends.
    Mesh(GridParameters),
    /// Switches in a grid whose ends are connected.
    Torus(GridParameters),
    /// Groups of switches, each connected with each.
    Dragonfly(DragonflyParameters),
    /// Links one by one.
    Links(LinksParameters),
}

/// Edge switches below one core switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeParameters {
    /// Hosts at each edge switch.
    pub hosts_per_switch: u32,
    /// Parallel links from each edge switch to the core; connections are spread over them by a hash.
    #[serde(default = "one")]
    pub uplinks: u32,
}

/// How a message finds its way up a fat tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum FatTreeRouting {
    /// The digits of the destination's number choose the ways up (d-mod-k, as subnet managers of InfiniBand set it).
    #[default]
    ByDestination,
    /// A hash of the connection chooses the ways up (equal-cost multipath, ECMP).
    ByFlow,
}

/// A folded Clos network of equal switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTreeParameters {
    /// Ports of each switch, an even number: half of them lead down, except at the top.
    pub ports: u32,
    /// Levels of switches, 2 (room for ports² / 2 hosts) or 3 (ports³ / 4); left out, as few as the hosts need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<u32>,
    /// How a message finds its way up.
    #[serde(default)]
    pub routing: FatTreeRouting,
}

/// Switches in a grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridParameters {
    /// Switches along each dimension, as `[8, 8, 4]`; hosts fill the first dimension first.
    pub dimensions: Vec<u32>,
    /// Hosts at each switch.
    #[serde(default = "one")]
    pub hosts_per_switch: u32,
}

/// How a message crosses a dragonfly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum DragonflyRouting {
    /// Straight to the destination's group.
    #[default]
    Minimal,
    /// Through a third group, which a hash of the flow chooses.
    Valiant,
    /// Whichever of these two has the smaller product of hops and bytes that wait before its first link (UGAL-L).
    Ugal,
    /// As `ugal`, by the bytes that wait before the link that leaves the group (UGAL-G).
    UgalGlobal,
}

/// Which global link of a group leads to which other group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum DragonflyArrangement {
    /// Link n of a group leads to the group n + 1 before it.
    #[default]
    Palmtree,
    /// Link n of a group leads to group n, its own left out.
    Consecutive,
}

/// Groups of switches, each connected with each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragonflyParameters {
    /// Groups (g).
    pub groups: u32,
    /// Switches in each group, each connected with each (a).
    pub switches_per_group: u32,
    /// Hosts at each switch (p).
    #[serde(default = "one")]
    pub hosts_per_switch: u32,
    /// Links from each switch to other groups (h).
    #[serde(default = "one")]
    pub global_links: u32,
    /// How a message crosses it.
    #[serde(default)]
    pub routing: DragonflyRouting,
    /// Which global link leads to which group.
    #[serde(default)]
    pub arrangement: DragonflyArrangement,
}

/// Links one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinksParameters {
    /// The links; what they connect and is no host is a switch.
    pub links: Vec<LinkParameters>,
}

/// A full-duplex link between two hosts or switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkParameters {
    /// Names of the hosts or switches at its ends. In a scenario one of the two may stand for several hosts (`client*`,
    /// or `client` where hosts are counted), and the link is one for each of them.
    pub between: [String; 2],
    /// Rate of each direction; left out, that of other links of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Time that a bit travels; left out, that of other links of its kind. Of ways with equally many links messages
    /// take the one whose own latencies are lowest together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Duration>,
    /// Lanes that work as one link of so many times the rate (InfiniBand's 4X has 4).
    #[serde(default = "one")]
    pub lanes: u32,
}

fn one() -> u32 {
    1
}

/// The wirings that need nothing but their name.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Word {
    /// One half-duplex medium for all.
    Hub,
    /// One switch.
    Star,
}

/// The table that may stand in place of a word.
// A variant without fields would take any key beside `kind`: these have fields, none.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Table {
    /// One half-duplex medium for all.
    Hub {},
    /// One switch.
    Star {},
    /// Edge switches below one core switch.
    Tree(TreeParameters),
    /// A folded Clos network of equal switches.
    FatTree(FatTreeParameters),
    /// Switches in a grid with ends.
    Mesh(GridParameters),
    /// Switches in a grid whose ends are connected.
    Torus(GridParameters),
    /// Groups of switches, each connected with each.
    Dragonfly(DragonflyParameters),
    /// Links one by one.
    Links(LinksParameters),
}

impl From<Word> for TopologyParameters {
    fn from(word: Word) -> Self {
        match word {
            Word::Hub => Self::Hub,
            Word::Star => Self::Star,
        }
    }
}

impl From<Table> for TopologyParameters {
    fn from(table: Table) -> Self {
        match table {
            Table::Hub {} => Self::Hub,
            Table::Star {} => Self::Star,
            Table::Tree(tree) => Self::Tree(tree),
            Table::FatTree(tree) => Self::FatTree(tree),
            Table::Mesh(grid) => Self::Mesh(grid),
            Table::Torus(grid) => Self::Torus(grid),
            Table::Dragonfly(dragonfly) => Self::Dragonfly(dragonfly),
            Table::Links(links) => Self::Links(links),
        }
    }
}

impl Serialize for TopologyParameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = match self.clone() {
            Self::Hub => return Word::Hub.serialize(serializer),
            Self::Star => return Word::Star.serialize(serializer),
            Self::Tree(tree) => Table::Tree(tree),
            Self::FatTree(tree) => Table::FatTree(tree),
            Self::Mesh(grid) => Table::Mesh(grid),
            Self::Torus(grid) => Table::Torus(grid),
            Self::Dragonfly(dragonfly) => Table::Dragonfly(dragonfly),
            Self::Links(links) => Table::Links(links),
        };
        table.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TopologyParameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrTable;

        impl<'de> Visitor<'de> for WordOrTable {
            type Value = TopologyParameters;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`hub` or `star`, or a table with the `kind` of topology and what it needs")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<TopologyParameters, E> {
                Word::deserialize(StrDeserializer::new(word)).map(TopologyParameters::from)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<TopologyParameters, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(table)).map(TopologyParameters::from)
            }
        }

        deserializer.deserialize_any(WordOrTable)
    }
}

impl JsonSchema for TopologyParameters {
    fn schema_name() -> Cow<'static, str> {
        "Topology".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (word, table) = (generator.subschema_for::<Word>(), generator.subschema_for::<Table>());
        schemars::json_schema!({
            "description": "Which switches a network has, and how they and the hosts are connected",
            "anyOf": [word, table],
        })
    }
}
