//! How a drive is attached: the buses and controllers above it, of which the slowest sets the pace.

use super::error::ImportError;
use super::reader::Reader;
use super::syntax::{Block, Component, Document};
use petrio_units::Duration;

/// What the way to a drive costs per block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Path {
    pub(super) read_block: Duration,
    pub(super) write_block: Duration,
}

impl Path {
    fn slower(self, read_block: Duration, write_block: Duration) -> Self {
        Self { read_block: self.read_block.max(read_block), write_block: self.write_block.max(write_block) }
    }
}

/// The way to each instance of a drive's block that a topology attaches: with different ways, the first.
pub(super) fn path_to(document: &Document, drive: &Block) -> Result<Path, ImportError> {
    for component in &document.topologies {
        if let Some(path) = search(document, component, drive, Path::default())? {
            return Ok(path);
        }
    }
    Ok(Path::default())
}

/// The block that a component is an instance of.
fn block_of<'a>(document: &'a Document, component: &Component) -> Option<&'a Block> {
    let of = document.instances.iter().find(|(name, _)| *name == component.name).map(|(_, of)| of.as_str());
    let name = of.unwrap_or(&component.name);
    document.blocks.iter().find(|block| block.name == name)
}

fn search(
    document: &Document,
    component: &Component,
    drive: &Block,
    above: Path,
) -> Result<Option<Path>, ImportError> {
    let block = block_of(document, component);
    if block.is_some_and(|block| std::ptr::eq(block, drive)) {
        return Ok(Some(above));
    }
    let mut path = above;
    if let Some(block) = block {
        let reader = Reader::new(block);
        match component.kind.as_str() {
            "disksim_bus" => {
                let read = reader.milliseconds("Read block transfer time")?;
                path = path.slower(read, reader.milliseconds("Write block transfer time")?);
            }
            "disksim_ctlr" => {
                let bulk = reader.milliseconds("Bulk sector transfer time")?;
                path = path.slower(bulk, bulk);
            }
            _ => {}
        }
    }
    for below in &component.below {
        if let Some(found) = search(document, below, drive, path)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
