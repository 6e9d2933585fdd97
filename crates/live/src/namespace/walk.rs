//! The directories of a namespace, each opened below its place and known again before it is used.

use super::error::NamespaceError;
use super::site::Site;
use crate::beneath::Directory;
use petrio_users::namespace::FileKind;
use rustc_hash::FxHashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Directories that are held open at once: few, for a process may be allowed few.
const OPEN_MAX: usize = 16;

/// Directories that were opened.
#[derive(Debug, Default)]
pub(super) struct Walk {
    open: FxHashMap<u32, Arc<Directory>>,
}

/// How something is that should be there.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// It is petrio's, and as it should be.
    Right,
    /// It is petrio's, with another size.
    Resized,
    /// Nothing has its name, or its directory isn't there.
    Missing,
    /// Something that petrio hasn't made has its name.
    Another,
}

impl Walk {
    /// A directory of the namespace; `None` where it isn't there or isn't the one that petrio has made.
    pub(super) fn directory(
        &mut self,
        site: &Site,
        number: u32,
    ) -> Result<Option<Arc<Directory>>, NamespaceError> {
        if let Some(open) = self.open.get(&number) {
            return Ok(Some(open.clone()));
        }
        let Some(entry) = site.namespace.entries.get(number as usize) else { return Ok(None) };
        let known = site.known.made[number as usize];
        if entry.kind != FileKind::Directory {
            return Ok(None);
        }
        let root = &site.roots[entry.place as usize];
        let open = || -> io::Result<Option<Directory>> {
            let directory = root.directory_below(Path::new(&site.namespace.path(number)))?;
            Ok(directory.itself()?.is(known).then_some(directory))
        };
        let opened = match open() {
            Ok(opened) => opened,
            // Nothing, no directory, or a link.
            Err(error) if is_elsewhere(&error) => None,
            Err(error) => return Err(NamespaceError::file("open", site.shown(number))(error)),
        };
        let Some(opened) = opened.map(Arc::new) else { return Ok(None) };
        if self.open.len() >= OPEN_MAX {
            self.open.clear();
        }
        self.open.insert(number, opened.clone());
        Ok(Some(opened))
    }

    /// The directory in which an entry lies.
    pub(super) fn parent(
        &mut self,
        site: &Site,
        number: u32,
    ) -> Result<Option<Arc<Directory>>, NamespaceError> {
        let entry = &site.namespace.entries[number as usize];
        match entry.parent {
            Some(parent) => self.directory(site, parent),
            None => Ok(Some(site.roots[entry.place as usize].clone())),
        }
    }

    /// How an entry is.
    pub(super) fn state(&mut self, site: &Site, number: u32) -> Result<State, NamespaceError> {
        let entry = &site.namespace.entries[number as usize];
        let Some(parent) = self.parent(site, number)? else { return Ok(State::Missing) };
        let there = parent.look(entry.name.to_string().as_ref());
        let there = there.map_err(|error| NamespaceError::file("look at", site.shown(number))(error))?;
        Ok(match there {
            None => State::Missing,
            Some(there) if !there.is(site.known.made[number as usize]) => State::Another,
            Some(there) if entry.kind == FileKind::File && there.size != entry.size => State::Resized,
            Some(_) => State::Right,
        })
    }
}

/// Whether it says that something isn't where it should be, or is something else.
fn is_elsewhere(error: &io::Error) -> bool {
    let is_loop = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    is_loop || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
