//! Drives from DiskSim parameter files (`.parv`, `.diskspecs`, with their `.model` and `.seek` files).
//!
//! The meaning of the parameters is that of the DiskSim 4.0 reference manual (Bucy et al., CMU-PDL-08-101, 2008). A
//! drive comes out as the catalogue has it. Parameters that a drive here has no use for are listed, not dropped
//! silently: [`Imported::ignored`].

mod drive;
mod error;
mod files;
mod layout_g4;
mod lexer;
mod model;
mod notes;
mod reader;
mod seek_file;
mod syntax;
mod system;
mod topology;

pub use error::{ImportError, Problem};
pub use files::Files;
pub use notes::Ignored;
use petrio_files::inputs::Inputs;
pub use system::{ArrayOfDrives, SyntheticLoad, System, called, import_system, part_name};

use self::notes::Notes;
use self::reader::Reader;
use petrio_models::device::disk::Drive;
use petrio_models::device::disk::parameters::DiskParameters;
use std::path::Path;

/// The drives of a parameter file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Every drive that the file and those that it includes describe, in their order.
    pub drives: Vec<DiskParameters>,
    /// Parameters of these drives that have no effect here, or another one than in DiskSim.
    pub ignored: Vec<Ignored>,
}

/// Reads a parameter file and those that it names.
///
/// # Errors
/// An [`ImportError`] with file and line.
pub fn import(inputs: &Inputs, path: &Path) -> Result<Imported, ImportError> {
    import_from(inputs, &path.to_string_lossy())
}

/// Reads a parameter file and those that it names, wherever they come from.
///
/// # Errors
/// An [`ImportError`] with file and line.
pub fn import_from(files: &dyn Files, name: &str) -> Result<Imported, ImportError> {
    let document = syntax::read(files, name)?;
    let mut notes = Notes::default();
    let drives = imported(&document, files, name, &mut notes)?;
    document.blocks.iter().for_each(|block| notes.beside(block));
    Ok(Imported { drives, ignored: notes.0 })
}

/// The drives of a document.
fn imported(
    document: &syntax::Document,
    files: &dyn Files,
    name: &str,
    notes: &mut Notes,
) -> Result<Vec<DiskParameters>, ImportError> {
    let mut drives = Vec::new();
    for block in document.blocks.iter().filter(|block| block.kind == "disksim_disk") {
        let path = topology::path_to(document, block)?;
        let drive = drive::read(&Reader::new(block), path, files, notes)?;
        // A drive that cannot work is refused here, where file and line are known.
        Drive::new(&drive).map_err(|error| ImportError::new(&block.file, block.line, error.into()))?;
        drives.push(drive);
    }
    if drives.is_empty() {
        return Err(ImportError::new(name, 0, Problem::NoDrive));
    }
    Ok(drives)
}

#[cfg(test)]
mod tests;
