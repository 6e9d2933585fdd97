//! Compiles the catalogue into the crate: a table of (name, text) of every file in `catalogue/devices`.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let devices = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../catalogue/devices");
    println!("cargo:rerun-if-changed={}", devices.display());
    let mut files = Vec::new();
    for file in fs::read_dir(&devices)? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let name = path
                .file_stem()
                .and_then(|name| name.to_str())
                .ok_or("a catalogue file's name is not text")?;
            files.push((name.to_owned(), fs::canonicalize(&path)?));
        }
    }
    files.sort();
    let mut table = String::from("&[\n");
    for (name, path) in files {
        println!("cargo:rerun-if-changed={}", path.display());
        writeln!(table, "    ({name:?}, include_str!({:?})),", path.display().to_string())?;
    }
    table.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("devices.rs"), table)?;
    Ok(())
}
