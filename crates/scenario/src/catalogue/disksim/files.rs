//! Where the files are from that a parameter file is made of.

use super::error::{ImportError, Problem};
use petrio_files::inputs::Inputs;
use std::path::Path;

/// A parameter file may have so many bytes.
const MOST_BYTES: usize = 64 << 20;

/// Where files come from: a folder, or a table in a test.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Why it cannot be read, in a few words.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

impl Files for Inputs {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        self.read(Path::new(name), MOST_BYTES as u64).map_err(|error| error.to_string())
    }
}

/// A file as text.
pub(super) fn load(files: &dyn Files, name: &str) -> Result<String, ImportError> {
    let bytes = files.read(name).map_err(|why| ImportError::new(name, 0, Problem::Unreadable(why)))?;
    if bytes.len() > MOST_BYTES {
        return Err(ImportError::new(name, 0, Problem::TooLarge(bytes.len(), MOST_BYTES)));
    }
    String::from_utf8(bytes)
        .map_err(|error| ImportError::new(name, 0, Problem::NotText(error.utf8_error().valid_up_to())))
}
