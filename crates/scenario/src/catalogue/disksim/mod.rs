//! Drives from DiskSim parameter files (`.parv`, `.diskspecs`, with their `.model` and `.seek` files).
//!
//! The meaning of the parameters is that of the DiskSim 4.0 reference manual (Bucy et al., CMU-PDL-08-101, 2008). A drive
//! comes out as the catalogue has it. Parameters that a drive here has no use for are listed, not dropped silently:
//! [`Imported::ignored`].

mod drive;
mod error;
mod lexer;
mod model;
mod reader;
mod seek_file;
mod syntax;
mod topology;

pub use error::{ImportError, Problem};

use self::reader::{Reader, brief};
use self::syntax::Block;
use petrio_models::device::disk::Drive;
use petrio_models::device::disk::parameters::DiskParameters;
use std::fmt;
use std::path::Path;

/// Blocks and files may be nested so deep.
const MOST_DEPTH: usize = 32;
/// A parameter file may have so many bytes.
const MOST_BYTES: usize = 64 << 20;

/// The drives of a parameter file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Every drive that the file and those that it includes describe, in their order.
    pub drives: Vec<DiskParameters>,
    /// Parameters of these drives that have no effect here, or another one than in DiskSim.
    pub ignored: Vec<Ignored>,
}

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
    fn new(block: &Block, parameter: &str, value: &str, why: &str) -> Self {
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
struct Notes(Vec<Ignored>);

impl Notes {
    fn add(&mut self, ignored: Ignored) {
        self.0.push(ignored);
    }

    /// Everything in a block that nobody asked for.
    fn left_over(&mut self, reader: &Reader<'_>) {
        for parameter in reader.left_over() {
            let value = brief(&parameter.value);
            self.add(Ignored::new(reader.block(), &parameter.name, &value, "it is not known"));
        }
    }
}

/// Where files come from: a folder, or a table in a test.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Why it cannot be read, in a few words.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

/// Files of the file system.
struct Disk;

impl Files for Disk {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        petrio_files::input::read(Path::new(name), MOST_BYTES as u64).map_err(|error| error.to_string())
    }
}

/// Reads a parameter file and those that it names, from the file system.
///
/// # Errors
/// An [`ImportError`] with file and line.
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    import_from(&Disk, &path.to_string_lossy())
}

/// Reads a parameter file and those that it names, wherever they come from.
///
/// # Errors
/// An [`ImportError`] with file and line.
pub fn import_from(files: &dyn Files, name: &str) -> Result<Imported, ImportError> {
    let document = syntax::read(files, name)?;
    let mut notes = Notes::default();
    let mut drives = Vec::new();
    for block in document.blocks.iter().filter(|block| block.kind == "disksim_disk") {
        let path = topology::path_to(&document, block)?;
        let drive = drive::read(&Reader::new(block), path, files, &mut notes)?;
        // A drive that cannot work is refused here, where file and line are known.
        Drive::new(&drive).map_err(|error| ImportError::new(&block.file, block.line, error.into()))?;
        drives.push(drive);
    }
    if drives.is_empty() {
        return Err(ImportError::new(name, 0, Problem::NoDrive));
    }
    Ok(Imported { drives, ignored: notes.0 })
}

fn load(files: &dyn Files, name: &str) -> Result<String, ImportError> {
    let bytes = files.read(name).map_err(|why| ImportError::new(name, 0, Problem::Unreadable(why)))?;
    if bytes.len() > MOST_BYTES {
        return Err(ImportError::new(name, 0, Problem::TooLarge(bytes.len(), MOST_BYTES)));
    }
    String::from_utf8(bytes)
        .map_err(|error| ImportError::new(name, 0, Problem::NotText(error.utf8_error().valid_up_to())))
}

#[cfg(test)]
mod tests;
