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
    /// The parameter.
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

    /// Everything in a block that nobody asked for.
    pub(super) fn left_over(&mut self, reader: &Reader<'_>) {
        for parameter in reader.left_over() {
            let value = brief(&parameter.value);
            self.add(Ignored::new(reader.block(), &parameter.name, &value, "it is not known"));
        }
    }
}
