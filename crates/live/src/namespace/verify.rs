//! Whether what should be there is there, and nothing else.

use super::error::NamespaceError;
use super::site::Site;
use super::walk::{State, Walk};
use petrio_units::numbers::as_number;
use petrio_users::namespace::FileKind;
use std::path::PathBuf;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Files and directories that are as they should be.
    pub right: u64,
    /// What isn't there.
    pub missing: Vec<PathBuf>,
    /// What is there with another size, or isn't what petrio made.
    pub wrong: Vec<PathBuf>,
    /// What is there and shouldn't be.
    pub extra: Vec<PathBuf>,
    /// Whether the creation was finished.
    pub complete: bool,
}

impl Verified {
    /// Whether all is as it should be.
    pub fn is_right(&self) -> bool {
        self.missing.is_empty() && self.wrong.is_empty() && self.extra.is_empty() && self.complete
    }
}

/// Compares a site with its manifest: every name, kind and size, and that each is what petrio made.
///
/// # Errors
/// What can't be looked at.
pub fn verify(site: &Site) -> Result<Verified, NamespaceError> {
    let mut verified = Verified { complete: site.manifest.complete, ..Verified::default() };
    let mut walk = Walk::default();
    let numbers = 0..as_number(site.namespace.entries.len());
    for number in numbers.clone() {
        match walk.state(site, number)? {
            State::Right => verified.right += 1,
            State::Missing => verified.missing.push(site.shown(number)),
            State::Resized | State::Another => verified.wrong.push(site.shown(number)),
        }
    }
    for link in site.links() {
        let there = site.main().look(site.namespace.entries[link.to as usize].name.to_string().as_ref());
        let path = site.shown(link.number);
        match there.map_err(NamespaceError::file("look at", &path))? {
            None => verified.missing.push(path),
            Some(there) if !there.is(site.known.made[link.number as usize]) => verified.wrong.push(path),
            Some(_) => {}
        }
    }
    // By directory and name: what else lies in a directory that petrio made shouldn't be there.
    let entries = &site.namespace.entries;
    let mut by_name: Vec<(Option<u32>, String)> =
        entries.iter().map(|entry| (entry.parent, entry.name.to_string())).collect();
    by_name.sort_unstable();
    for number in numbers.filter(|number| entries[*number as usize].kind == FileKind::Directory) {
        let Some(directory) = walk.directory(site, number)? else { continue };
        let names = directory.names();
        for name in
            names.map_err(|error| NamespaceError::file("read the directory", site.shown(number))(error))?
        {
            let is_known = name.to_str().is_some_and(|name| {
                by_name
                    .binary_search_by(|(above, there)| (*above, there.as_str()).cmp(&(Some(number), name)))
                    .is_ok()
            });
            if !is_known {
                verified.extra.push(directory.path().join(name));
            }
        }
    }
    Ok(verified)
}
