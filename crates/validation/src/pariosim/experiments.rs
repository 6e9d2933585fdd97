//! The experiments of the study: two programs on three architectures, with the drives of its machine and with drives behind
//! Fibre Channel.

use super::das;
use super::error::ParIoSimError;
use super::outcome::{Outcome, Phases};
use super::plan::experiments;
use super::what_if::WhatIf;
use crate::asked::{Asked, Place, Written, file_name};
use crate::side_by_side::{NotSimulated, Progress, Set, quoted};
use petrio_colours::FileOp;
use petrio_files::inputs::Inputs;
use petrio_scenario::build::System;
use petrio_scenario::placement::{Accesses, Service, with_profile};
use petrio_scenario::report::{Report, RequestSink, Sinks};
use petrio_scenario::run::simulate;
use petrio_scenario::{Loaded, Override};
use serde::Serialize;
use std::sync::Arc;

const NAS: &str = include_str!("nas.toml");
const SAN_DIRECT: &str = include_str!("san-direct.toml");
const SAN_ALL: &str = include_str!("san-all.toml");

/// Ranks of BT-IO: squares (figures 5 to 7, 9 and 11).
pub const BT_RANKS: [u32; 4] = [4, 9, 16, 25];
/// Ranks of seis (figures 8, 10 and 12).
pub const SEIS_RANKS: [u32; 6] = [1, 2, 4, 8, 16, MOST_SEIS];
/// The most of them.
pub(super) const MOST_SEIS: u32 = 24;

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// BT-IO of NPB 2.4, class B (1.58 GiB), with collective MPI-IO (§3.1.1).
    Bt,
    /// The first two phases of seis (§4.1).
    Seis,
}

/// How storage is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// One array behind one node.
    Nas,
    /// A disk in each node, which serves it to the others.
    SanDirect,
    /// A disk for each node, which every node reaches by itself.
    SanAllToAll,
}

/// Which drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drives {
    /// Those of the machine (table 2): IDE in the nodes, SCSI of 7200 rpm in the array.
    OfTheMachine,
    /// Cheetahs X15 on Fibre Channel (table 3).
    FibreChannel,
}

/// A run of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Experiment {
    /// Which program.
    pub program: Program,
    /// How storage is reached.
    pub architecture: Architecture,
    /// Which drives.
    pub drives: Drives,
    /// Ranks, each on a node of its own.
    pub ranks: u32,
    /// Whether the program computes between its accesses, as for figures 5, 6, 11 and 12; else its throughput is what the
    /// storage gives (figures 7 to 10).
    pub computes: bool,
    /// What is changed of the study's hardware, to see from what a published number would follow.
    pub what_if: WhatIf,
}

impl Experiment {
    pub(super) const fn of(program: Program, architecture: Architecture, drives: Drives, ranks: u32) -> Self {
        Self { program, architecture, drives, ranks, computes: false, what_if: WhatIf::Nothing }
    }

    /// The same with what the program computes.
    #[must_use]
    pub(super) const fn computing(self) -> Self {
        Self { computes: true, ..self }
    }

    /// The same on other hardware.
    #[must_use]
    pub(super) const fn what_if(self, what_if: WhatIf) -> Self {
        Self { what_if, ..self }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let program = match self.program {
            Program::Bt => "BT-IO",
            Program::Seis => "seis",
        };
        let drives = match self.drives {
            Drives::OfTheMachine => "",
            Drives::FibreChannel => " with Fibre Channel's drives",
        };
        let what_if = match self.what_if {
            WhatIf::Nothing => String::new(),
            what_if => format!(" (what if: {})", what_if.words()),
        };
        format!("{program} on {} ranks, {}{drives}{what_if}", self.ranks, self.architecture.words())
    }

    fn scenario(&self) -> (&'static str, &'static str) {
        match self.architecture {
            Architecture::Nas => ("the study's NAS", NAS),
            Architecture::SanDirect => ("the study's SAN-direct", SAN_DIRECT),
            Architecture::SanAllToAll => ("the study's SAN-all-to-all", SAN_ALL),
        }
    }

    /// What is set for it in the scenario.
    fn set(&self) -> Vec<Set> {
        let mut set = vec![
            ("host.node.count", self.ranks.to_string()),
            ("workload.program.ranks", self.ranks.to_string()),
            ("workload.program.program", self.program_table()),
        ];
        if self.drives == Drives::FibreChannel {
            set.extend(match self.architecture {
                Architecture::Nas => cheetahs(NAS_DRIVE),
                Architecture::SanDirect => cheetahs(NODE_DRIVE),
                Architecture::SanAllToAll => cheetahs(SAN_DRIVE),
            });
        }
        if self.architecture == Architecture::SanAllToAll {
            set.push(("disk.d.count", self.ranks.to_string()));
        }
        set.extend(self.what_if.set(self));
        set
    }

    fn program_table(&self) -> String {
        let (subtype, share) = (self.what_if.subtype(), self.what_if.share());
        match (self.program, self.computes) {
            (Program::Bt, computes) => {
                let of = if computes { format!("rate = {BT_MOPS}") } else { "messages = false".to_owned() };
                format!("{{ kind = \"bt-io\", class = \"B\", subtype = \"{subtype}\", {of} }}")
            }
            (Program::Seis, true) => format!(
                "{{ kind = \"seis\", share = \"{share}\", write_compute = \"{SEIS_WRITE_US} us\", read_compute = \"{SEIS_READ_US} us\" }}"
            ),
            (Program::Seis, false) => format!("{{ kind = \"seis\", share = \"{share}\" }}"),
        }
    }

    /// The figures that show it: a what-if of a program belongs to all of that.
    pub(super) fn places(&self) -> Vec<Place> {
        let of: &[u32] = match (self.program, self.drives, self.computes, self.what_if) {
            (Program::Bt, .., WhatIf::Nothing) if self.computes => match self.drives {
                Drives::OfTheMachine => &[5, 6],
                Drives::FibreChannel => &[11],
            },
            (Program::Bt, Drives::OfTheMachine, _, WhatIf::Nothing) => &[7],
            (Program::Bt, Drives::FibreChannel, _, WhatIf::Nothing) => &[9],
            (Program::Bt, ..) => &BT_FIGURES,
            (Program::Seis, _, true, WhatIf::Nothing) => &[12],
            (Program::Seis, _, false, WhatIf::Nothing) => &[8, 10],
            (Program::Seis, ..) => &SEIS_FIGURES,
        };
        of.iter().map(|&number| Place::Figure(number)).collect()
    }

    fn overrides(&self) -> Vec<Override> {
        self.set().iter().map(|(path, value)| Override::new(path, value)).collect()
    }

    fn failed(&self) -> impl Fn(NotSimulated) -> ParIoSimError + '_ {
        |cause| ParIoSimError::Simulated { experiment: self.words(), cause: Box::new(cause) }
    }

    /// Whether its partitions lie where a run shows that they are used.
    fn is_placed(&self) -> bool {
        self.architecture == Architecture::SanDirect && self.what_if != WhatIf::PartitionsInTurn
    }

    /// Runs it.
    ///
    /// # Errors
    /// What can't be run: a bug.
    pub(super) fn run(&self, asked: &Asked) -> Result<Outcome, ParIoSimError> {
        let failed = self.failed();
        let mut loaded = asked.load(self.scenario(), &Inputs::none(), &self.overrides()).map_err(&failed)?;
        if self.is_placed() {
            let (share, table) = profile(&loaded).map_err(&failed)?;
            loaded = with_profile(&loaded, &share, &table).map_err(|cause| failed(cause.into()))?;
        }
        let phases = Phases::default();
        let report = simulated_once(&loaded, phases.clone()).map_err(&failed)?;
        Outcome::of(*self, &report, &phases)
    }

    /// As a scenario; where its partitions are placed by a run, that is made.
    ///
    /// # Errors
    /// As of [`run`](Self::run).
    fn written(&self, asked: &Asked) -> Result<Written, ParIoSimError> {
        let failed = self.failed();
        let (_, text) = self.scenario();
        let (words, name) = (self.words(), file_name(&self.words()));
        let name = if self.computes { format!("{name}-computing") } else { name };
        let computes = if self.computes { ", with what the program computes" } else { "" };
        let about = format!("The study of ParIOSim: {words}{computes}.");
        let mut set = self.overrides();
        set.extend(asked.set.iter().cloned());
        let mut beside = Vec::new();
        if self.is_placed() {
            let loaded = asked.load(self.scenario(), &Inputs::none(), &self.overrides()).map_err(&failed)?;
            let (share, table) = profile(&loaded).map_err(&failed)?;
            let file = format!("{name}.csv");
            set.push(Override::new(
                &format!("share.{share}.placement"),
                &format!("{{ profile = {} }}", quoted(&file)),
            ));
            beside.push((file, table));
        }
        Ok(Written { name, about, text: text.to_owned(), set, beside })
    }
}

/// What figures show of BT-IO, and of seis.
const BT_FIGURES: [u32; 5] = [5, 6, 7, 9, 11];
const SEIS_FIGURES: [u32; 3] = [8, 10, 12];

/// The figures that can be repeated alone.
pub fn places() -> Vec<Place> {
    (4..=12).map(Place::Figure).collect()
}

/// A share, and the table that places its partitions where a run shows that they are used, as the study's profiles do it (§3.1.2).
fn profile(loaded: &Loaded) -> Result<(String, String), NotSimulated> {
    let service = Arc::new(Service::of(loaded, None)?);
    let accesses = Accesses::of(&service);
    simulated_once(loaded, accesses.clone())?;
    let table = service.guided(&accesses).table(&service.servers);
    Ok((service.name.clone(), table))
}

fn simulated_once(loaded: &Loaded, sink: impl RequestSink<FileOp> + 'static) -> Result<Report, NotSimulated> {
    let mut sinks = Sinks::default();
    sinks.push(sink);
    Ok(simulate(loaded, &System::build(loaded)?, sinks)?)
}

/// Where a drive is written in each scenario: its model, and what a block takes on its bus, read and written.
const NAS_DRIVE: [&str; 3] = [
    "host.server.disk.d.model",
    "host.server.disk.d.drive.bus.read_block",
    "host.server.disk.d.drive.bus.write_block",
];
const NODE_DRIVE: [&str; 3] = [
    "host.node.disk.d.model",
    "host.node.disk.d.drive.bus.read_block",
    "host.node.disk.d.drive.bus.write_block",
];
const SAN_DRIVE: [&str; 3] = ["disk.d.model", "disk.d.drive.bus.read_block", "disk.d.drive.bus.write_block"];

/// The drives of table 3, whose interface moves 848 Mbit/s: 512 bytes in 4.83 us.
fn cheetahs([model, read, write]: [&'static str; 3]) -> [Set; 3] {
    let block = quoted("4.83 us");
    [(model, quoted("seagate-st336752fc")), (read, block.clone()), (write, block)]
}

/// Mop/s of BT on a Pentium II of 350 MHz: assumed, between the 30 to 40 that NPB's reports name for 200 to 266 MHz and the 60 to
/// 70 of 450 MHz.
const BT_MOPS: u32 = 50;
/// What seis computes for a chunk that it writes and for one that it reads, µs: assumed, so that less than half of its time is I/O, as the
/// study says (§4.1).
const SEIS_WRITE_US: u32 = 50_000;
const SEIS_READ_US: u32 = 1_000;

impl Architecture {
    /// What it is called.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Nas => "NAS",
            Self::SanDirect => "SAN-direct",
            Self::SanAllToAll => "SAN-all-to-all",
        }
    }
}

/// Those of which something is asked.
fn wanted(asked: &Asked) -> Vec<Experiment> {
    experiments().into_iter().filter(|one| asked.wants(&one.places())).collect()
}

/// Runs all that are asked for, and tells those that are done before it is broken off. `progress` is told how many are.
///
/// # Errors
/// An experiment that can't be run: a bug, or what is set in it makes no sense.
pub fn study(asked: &Asked, progress: &mut Progress<'_>) -> Result<Vec<Outcome>, ParIoSimError> {
    asked.side_by_side(&wanted(asked), progress, |one| one.run(asked))
}

/// All that are asked for as scenarios, figure 4 among them.
///
/// # Errors
/// As of [`study`].
pub fn scenarios(asked: &Asked, progress: &mut Progress<'_>) -> Result<Vec<Written>, ParIoSimError> {
    let das = if asked.wants(&[das::PLACE]) { das::das_scenarios(asked) } else { Vec::new() };
    let programs = asked.side_by_side(&wanted(asked), progress, |one| one.written(asked))?;
    Ok(das.into_iter().chain(programs).collect())
}
