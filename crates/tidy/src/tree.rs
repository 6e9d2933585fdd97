//! The files that git tracks, with their text.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One tracked file.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// Path relative to the root of the repository, with forward slashes.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The text, or `None` where the file isn't UTF-8.
    pub text: Option<String>,
}

impl Tracked {
    /// A file that exists only in a test.
    pub fn imagined(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), bytes: text.len() as u64, text: Some(text.to_owned()) }
    }

    /// The lines with their numbers from 1; none for a file that isn't text.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.as_deref().unwrap_or("").lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The part of the name after its last dot, or nothing.
    pub fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(|extension| extension.to_str()).unwrap_or("")
    }
}

/// All tracked files, in the order of their paths.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The files.
    pub files: Vec<Tracked>,
}

impl Tree {
    /// Reads the tree of the repository that this crate is part of.
    ///
    /// # Errors
    /// When `git` can't be run there, or a tracked file can't be read. A file that is tracked
    /// but deleted in the working copy is passed over.
    pub fn of_this_repository() -> io::Result<Self> {
        let root = repository_root();
        let listing = Command::new("git").arg("-C").arg(&root).args(["ls-files", "-z"]).output()?;
        if !listing.status.success() {
            let cause = String::from_utf8_lossy(&listing.stderr).into_owned();
            return Err(io::Error::other(format!("git ls-files: {cause}")));
        }
        let mut files = Vec::new();
        for path in listing.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty()) {
            let path = String::from_utf8_lossy(path).into_owned();
            let content = match std::fs::read(root.join(&path)) {
                Ok(content) => content,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(io::Error::new(error.kind(), format!("{path}: {error}"))),
            };
            files.push(Tracked { path, bytes: content.len() as u64, text: String::from_utf8(content).ok() });
        }
        Ok(Self { files })
    }

    /// A tree that exists only in a test.
    pub fn imagined(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| Tracked::imagined(path, text)).collect() }
    }

    /// The file of this path, if it is tracked.
    pub fn file(&self, path: &str) -> Option<&Tracked> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &Tracked> {
        self.files.iter().filter(|file| file.extension() == "rs")
    }

    /// The Rust files of the product itself: `crates/*/src`, or that of one crate.
    pub fn rust_sources<'a>(&'a self, crates: &'a [&'a str]) -> impl Iterator<Item = &'a Tracked> {
        self.rust().filter(move |file| {
            let mut parts = file.path.split('/');
            parts.next() == Some("crates")
                && parts.next().is_some_and(|name| crates.is_empty() || crates.contains(&name))
                && parts.next() == Some("src")
        })
    }
}

fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
