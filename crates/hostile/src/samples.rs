//! Good files of every sort, from this repository.

use std::path::{Path, PathBuf};

/// The repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of some folders of the repository whose names end so, in order; empty where the repository isn't there.
pub fn files(folders: &[&str], ending: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let list = std::fs::read_dir(repository().join(folder)).into_iter().flatten().flatten();
        paths.extend(list.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(ending)));
    }
    paths.sort();
    // Long ones are shortened: what is wrong with a file is wrong with a page of it.
    paths.iter().filter_map(|path| std::fs::read(path).ok()).filter(|bytes| bytes.len() < 1 << 17).collect()
}

/// The sample of one format of traces.
pub fn seed(name: &str) -> Vec<u8> {
    std::fs::read(repository().join("fuzz/seeds").join(name)).unwrap_or_default()
}
