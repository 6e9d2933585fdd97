//! Changes of the study's hardware, to see from what a published number would follow.

use super::experiments::{Architecture, Experiment};
use crate::side_by_side::{Set, quoted};
use serde::Serialize;

/// A change of the study's hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhatIf {
    /// None.
    #[default]
    Nothing,
    /// Nodes compute ten times as fast.
    FasterNodes,
    /// What a program computes takes ten times as long.
    LongerComputing,
    /// The network is Gigabit Ethernet.
    FasterNetwork,
    /// A hub stands instead of the switch: all share one half-duplex medium.
    SharedMedium,
    /// The array's controller has no cache: a write is complete when it is on the disks.
    ArrayWithoutCache,
    /// Partitions lie on all nodes in turn, and not where they are used.
    PartitionsInTurn,
    /// Every rank makes calls of its own (BT-IO's `simple`), which get shorter with more ranks, instead of collective ones.
    OwnCalls,
    /// Every rank writes and reads a file of its own (BT-IO's `epio`), so that ranks exchange nothing for their accesses.
    NothingExchanged,
    /// Drives give and take everything at the rate of their interface.
    DrivesWithoutArms,
    /// Each rank of seis reads its part of each file in one piece, so that a file has one reader at a time, instead of chunks in
    /// turn with all others.
    OneReader,
    /// Neither that ranks exchange anything nor that drives have arms.
    NeitherExchangeNorArms,
}

/// The interface of table 3 without the drive behind it, of the drive's size.
const WITHOUT_ARM: &str = "model = \"constant-rate\", drive = { latency = \"0 s\", rate = \"106 MB/s\", blocks = \"71687371 blocks\" }";

impl WhatIf {
    /// In words, none where nothing is changed.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::FasterNodes => "nodes ten times as fast",
            Self::LongerComputing => "ten times as much to compute",
            Self::FasterNetwork => "Gigabit Ethernet",
            Self::SharedMedium => "a hub",
            Self::ArrayWithoutCache => "an array without a cache",
            Self::PartitionsInTurn => "partitions in turn",
            Self::OwnCalls => "each rank's own calls",
            Self::NothingExchanged => "nothing exchanged",
            Self::DrivesWithoutArms => "drives without arms",
            Self::OneReader => "one reader a file at a time",
            Self::NeitherExchangeNorArms => "nothing exchanged, drives without arms",
        }
    }

    /// How BT-IO accesses its file.
    pub(super) const fn subtype(self) -> &'static str {
        match self {
            Self::NothingExchanged | Self::NeitherExchangeNorArms => "epio",
            Self::OwnCalls => "simple",
            _ => "full",
        }
    }

    /// Which chunks a rank of seis reads.
    pub(super) const fn share(self) -> &'static str {
        match self {
            Self::OneReader => "parts",
            _ => "dealt",
        }
    }

    /// What is set for it in an experiment's scenario.
    pub(super) fn set(self, of: &Experiment) -> Option<Set> {
        Some(match self {
            Self::FasterNodes => ("workload.program.compute_scale", "0.1".to_owned()),
            Self::LongerComputing => ("workload.program.compute_scale", "10".to_owned()),
            Self::FasterNetwork => ("network.lan.use", quoted("gigabit-ethernet")),
            Self::SharedMedium => ("network.lan.topology", quoted("hub")),
            Self::ArrayWithoutCache => {
                ("host.server.raid.r.controller", "{ overhead = \"20 us\" }".to_owned())
            }
            Self::DrivesWithoutArms | Self::NeitherExchangeNorArms => match of.architecture {
                Architecture::SanAllToAll => ("disk.d", format!("{{ count = {}, {WITHOUT_ARM} }}", of.ranks)),
                Architecture::Nas | Architecture::SanDirect => {
                    ("host.node.disk.d", format!("{{ {WITHOUT_ARM} }}"))
                }
            },
            // The program's own table, or where partitions lie, says it.
            Self::Nothing
            | Self::PartitionsInTurn
            | Self::OwnCalls
            | Self::NothingExchanged
            | Self::OneReader => return None,
        })
    }
}
