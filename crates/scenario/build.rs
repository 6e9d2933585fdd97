//! Compiles the catalogue into the crate: for each of its folders a table of (name, text) of every file in it.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let catalogue = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../catalogue");
    for folder in ["devices", "machines", "kernels", "networks", "arrays", "adapters"] {
        let table = table(&catalogue.join(folder))?;
        fs::write(Path::new(&env::var("OUT_DIR")?).join(format!("{folder}.rs")), table)?;
    }
    Ok(())
}

fn table(folder: &Path) -> Result<String, Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
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
    Ok(table)
}
