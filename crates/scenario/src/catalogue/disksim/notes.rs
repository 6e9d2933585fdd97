//! What of a drive has no effect here, as it is found.

use super::reader::{Reader, brief};
use super::syntax::Block;
use std::fmt;

/// A parameter without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The file that has it.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The block, by type and name.
    pub block: String,
    /// The parameter; empty where all of the block is left out.
    pub parameter: String,
    /// Its value.
    pub value: String,
    /// What holds instead.
    pub why: String,
}

impl Ignored {
    pub(super) fn new(block: &Block, parameter: &str, value: &str, why: &str) -> Self {
        let line =
            block.parameters.iter().find(|known| known.name == parameter).map_or(block.line, |it| it.line);
        Self {
            file: block.file.clone(),
            line,
            block: format!("{} {}", block.kind, block.name).trim().to_owned(),
            parameter: parameter.to_owned(),
            value: value.to_owned(),
            why: why.to_owned(),
        }
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, block, parameter, value, why } = self;
        if parameter.is_empty() {
            return write!(f, "{file}:{line}: {block} is left out: {why}");
        }
        write!(f, "{file}:{line}: \"{parameter}\" = {value} in {block} has no effect: {why}")
    }
}

/// Collects what has no effect.
#[derive(Default)]
pub(super) struct Notes(pub(super) Vec<Ignored>);

impl Notes {
    pub(super) fn add(&mut self, ignored: Ignored) {
        self.0.push(ignored);
    }

    /// A block beside the drives, which DiskSim simulates and a drive of the catalogue has no use for.
    pub(super) fn beside(&mut self, block: &Block) {
        const KINDS: [(&str, &str); 8] = [
            (
                "disksim_logorg",
                "an array of drives is [raid.NAME] in a scenario, with level, stripe_unit and on",
            ),
            (
                "disksim_synthio",
                "a load is a workload in a scenario, kind = \"synthetic\", with its generators",
            ),
            (
                "disksim_iosim",
                "how traces map onto drives is a scenario's matter: kind = \"trace\" with its files",
            ),
            ("disksim_iodriver", "the operating system's queue is the block layer of a scenario's host"),
            ("disksim_cachemem", "a controller's cache is a part of [raid.NAME] in a scenario"),
            ("disksim_cachedev", "a drive that caches for another one isn't modelled"),
            ("disksim_simpledisk", "a drive of one access time is model = \"constant-rate\" in a scenario"),
            ("disksim_pf", "processes are programs of a workload in a scenario"),
        ];
        // disksim_ctlr and disksim_bus set the pace on the way to a drive; disksim_global and disksim_stats only say what is printed.
        if let Some((_, why)) = KINDS.iter().find(|(kind, _)| *kind == block.kind) {
            self.add(Ignored::new(block, "", "", why));
        }
    }

    /// Everything in a block that nobody asked for.
    pub(super) fn left_over(&mut self, reader: &Reader<'_>) {
        for parameter in reader.left_over() {
            let value = brief(&parameter.value);
            self.add(Ignored::new(reader.block(), &parameter.name, &value, "it is not known"));
        }
    }
}
