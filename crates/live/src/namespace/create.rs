//! Makes the files.

use super::away::{Aside, Taken, aside_name};
use super::error::NamespaceError;
use super::room;
use super::site::{Link, Site};
use super::walk::{State, Walk};
use crate::beneath::There;
use crate::content;
use petrio_files::own::{JOURNAL, is_own};
use petrio_units::numbers::as_number;
use petrio_users::namespace::FileKind;
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Created {
    /// Files and directories that were made.
    pub made: u64,
    /// Those that were there already, from a creation that was stopped.
    pub found: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// So many are begun at once: before them, the journal is made durable.
const BEGUN_AT_ONCE: usize = 4_096;
/// So many are made between two words of progress.
const A_WORD: usize = 256;

/// Makes the files of a site. Goes on with what a creation of the same files has left; `beside` puts them beside other
/// things that are there. Where something has the name of what is to be made and wasn't made by petrio, nothing at all
/// is changed. `progress` is told now and then how many are there, and says whether to go on.
///
/// # Errors
/// A directory that isn't empty or can't be written, names that are taken, too little room, and whatever the file
/// system refuses.
pub fn create(
    site: &mut Site,
    beside: bool,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<Created, NamespaceError> {
    let mut walk = Walk::default();
    let missing = if site.is_begun {
        missing(site, &mut walk)?
    } else {
        look_around(site, beside)?;
        site.begin()?;
        (0..as_number(site.namespace.entries.len())).collect()
    };
    let found = site.namespace.entries.len() - missing.len();
    let mut created = Created { found: found as u64, ..Created::default() };
    for some in missing.chunks(BEGUN_AT_ONCE) {
        begins(site, some)?;
        for (done, number) in some.iter().enumerate() {
            make(site, &mut walk, *number, &mut created)?;
            if done % A_WORD == 0 && !progress(created.found + created.made) {
                return Err(NamespaceError::Stopped);
            }
        }
    }
    let is_any_link_new = link_all(site)?;
    if created.made > 0 || is_any_link_new || !site.manifest.complete {
        if let Some(journal) = &mut site.journal {
            let path = site.roots[0].path().join(JOURNAL);
            journal.ends().map_err(NamespaceError::file("write", path))?;
        }
        site.sync()?;
        site.write_manifest(true)?;
    }
    progress(site.namespace.entries.len() as u64);
    Ok(created)
}

/// Whether files can be put there for the first time.
fn look_around(site: &Site, beside: bool) -> Result<(), NamespaceError> {
    for (_, root) in site.distinct_roots() {
        let names = root.names().map_err(NamespaceError::file("read the directory", root.path()))?;
        // What mke2fs leaves in every file system is nobody's.
        let is_nobodys = |name: &OsStr| name == "lost+found" || is_own(name);
        if !beside && names.iter().any(|name| !is_nobodys(name)) {
            return Err(NamespaceError::NotEmpty { path: root.path().to_owned() });
        }
    }
    // Below a directory that isn't there, nothing is.
    let mut taken = Vec::new();
    let entries = &site.namespace.entries;
    let tops = entries.iter().filter(|entry| entry.parent.is_none());
    let own = tops.map(|entry| (&site.roots[entry.place as usize], entry.name.to_string()));
    let links = site.links().map(|link| (&site.roots[0], entries[link.to as usize].name.to_string()));
    for (root, name) in own.chain(links) {
        let path = root.path().join(&name);
        let there = root.look(name.as_ref()).map_err(NamespaceError::file("look at", &path))?;
        if there.is_some() {
            taken.push(path);
        }
    }
    if !taken.is_empty() {
        return Err(NamespaceError::collision(taken));
    }
    room::check(site, 0..as_number(entries.len()))
}

/// What isn't there of what was begun, or isn't whole; nothing else may have its name.
fn missing(site: &Site, walk: &mut Walk) -> Result<Vec<u32>, NamespaceError> {
    let (mut missing, mut taken) = (Vec::new(), Vec::new());
    // What is there with another size needs no more room than it has, or little more.
    let mut absent = Vec::new();
    for number in 0..as_number(site.namespace.entries.len()) {
        match walk.state(site, number)? {
            State::Right => {}
            State::Resized => missing.push(number),
            State::Missing => {
                missing.push(number);
                absent.push(number);
            }
            State::Another => taken.push(site.shown(number)),
        }
    }
    for link in site.links() {
        if !is_link_free(site, link)? {
            taken.push(site.shown(link.number));
        }
    }
    if !taken.is_empty() {
        return Err(NamespaceError::collision(taken));
    }
    room::check(site, absent)?;
    Ok(missing)
}

/// Whether a link can be made, or is there.
fn is_link_free(site: &Site, link: Link) -> Result<bool, NamespaceError> {
    let name = &site.namespace.entries[link.to as usize].name.to_string();
    let there = site.main().look(name.as_ref());
    let there = there.map_err(|error| NamespaceError::file("look at", site.shown(link.number))(error))?;
    Ok(there.is_none_or(|there| there.is(site.known.made[link.number as usize])))
}

fn begins(site: &mut Site, numbers: &[u32]) -> Result<(), NamespaceError> {
    if let (Some(journal), Some(first), Some(last)) = (&mut site.journal, numbers.first(), numbers.last()) {
        let path = site.roots[0].path().join(JOURNAL);
        journal.begins(*first, *last).map_err(NamespaceError::file("write", path))?;
    }
    Ok(())
}

fn make(site: &mut Site, walk: &mut Walk, number: u32, created: &mut Created) -> Result<(), NamespaceError> {
    let path = site.shown(number);
    let parent = walk.parent(site, number)?;
    let Some(parent) = parent else {
        // It was there when its files were begun.
        let above = path.parent().map_or_else(PathBuf::new, std::path::Path::to_path_buf);
        return Err(NamespaceError::collision(vec![above]));
    };
    let entry = &site.namespace.entries[number as usize];
    let (name, size, is_directory) =
        (std::ffi::OsString::from(entry.name.to_string()), entry.size, entry.kind == FileKind::Directory);
    let taken = |error: io::Error, action| match error.kind() {
        io::ErrorKind::AlreadyExists => NamespaceError::collision(vec![path.clone()]),
        _ => NamespaceError::file(action, &path)(error),
    };
    if is_directory {
        parent.make_directory(&name, 0o777).map_err(|error| taken(error, "make the directory"))?;
        let made =
            parent.directory_below(name.as_ref()).and_then(|made| Ok((made.is_empty()?, made.itself()?)));
        let (is_empty, there) = made.map_err(|error| taken(error, "look at"))?;
        // Somebody has put another one in its place at once.
        if !is_empty || !there.is_marked {
            return Err(NamespaceError::collision(vec![path.clone()]));
        }
        site.note(number, there.identity)?;
        created.made += 1;
        return Ok(());
    }
    let known = site.known.made[number as usize];
    if known.inode != 0 {
        // Stopped in the middle of it, or changed since.
        let mut aside = Aside::of(&site.roots[site.namespace.entries[number as usize].place as usize]);
        let took = aside.take(&parent, &name, &aside_name(number, None), |there| there.is(known));
        if let Taken::Another | Taken::Full = took.map_err(NamespaceError::file("remove", &path))? {
            return Err(NamespaceError::collision(vec![path]));
        }
    }
    let mut file = parent.make_file(&name).map_err(|error| taken(error, "write"))?;
    let there = There::of(file.as_fd()).map_err(NamespaceError::file("look at", &path))?;
    site.note(number, there.identity)?;
    content::fill(&mut file, size).map_err(NamespaceError::file("write", &path))?;
    created.made += 1;
    created.bytes += size;
    Ok(())
}

/// Symbolic links in the main directory to what lies elsewhere; whether any was made.
fn link_all(site: &mut Site) -> Result<bool, NamespaceError> {
    let links: Vec<Link> = site.links().collect();
    let mut is_any_new = false;
    for link in links {
        let path = site.shown(link.number);
        let fail = |action| NamespaceError::file(action, &path);
        let entry = &site.namespace.entries[link.to as usize];
        let (name, root) =
            (std::ffi::OsString::from(entry.name.to_string()), site.roots[entry.place as usize].clone());
        if site.main().look(&name).map_err(fail("look at"))?.is_some() {
            continue;
        }
        let target = root.path().canonicalize().map_err(fail("look at"))?.join(&name);
        begins(site, &[link.number])?;
        site.main().make_link(&target, &name).map_err(fail("link"))?;
        let there = site.main().look(&name).map_err(fail("look at"))?;
        // Somebody may have been quick; what leads elsewhere isn't petrio's.
        let is_own = site.main().link(&name).is_ok_and(|to| to == target);
        if let Some(there) = there.filter(|_| is_own) {
            site.note(link.number, there.identity)?;
        }
        is_any_new = true;
    }
    Ok(is_any_new)
}
