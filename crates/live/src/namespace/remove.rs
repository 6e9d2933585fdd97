//! Removes what was made, and nothing else.

use super::away::{Aside, Taken, aside_name};
use super::error::NamespaceError;
use super::site::Site;
use super::walk::{State, Walk};
use petrio_units::numbers::as_number;
use std::fmt;
use std::path::PathBuf;

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files and directories.
    pub removed: u64,
    /// What stays, and why.
    pub kept: Vec<Kept>,
}

/// Something that has the name of what petrio made, and stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Where it is.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// Why something stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// A directory in which something else lies.
    HoldsOther,
    /// It isn't what petrio made under that name.
    Another,
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::HoldsOther => "something else is in it",
            Self::Another => "it isn't what petrio made under that name",
        })
    }
}

/// Removes the files of a site, whatever has been written into them since, and files that users at work have made
/// there. What has the name of one of them and isn't what petrio made stays, and the directories around it.
///
/// # Errors
/// What the file system refuses.
pub fn remove(mut site: Site) -> Result<Removed, NamespaceError> {
    // From now on it isn't whole, whatever happens.
    site.write_manifest(false)?;
    let mut removed = Removed { removed: site.homes().clear()?.removed, kept: Vec::new() };
    let mut walk = Walk::default();
    let mut asides: Vec<Aside> = site.roots.iter().map(Aside::of).collect();
    for number in (0..as_number(site.namespace.entries.len())).rev() {
        take(&site, &mut walk, &mut asides, number, &mut removed)?;
    }
    for link in site.links() {
        let name = &site.namespace.entries[link.to as usize].name.to_string();
        let known = site.known.made[link.number as usize];
        let taken = asides[0]
            .take(site.main(), name.as_ref(), &aside_name(link.number, None), |there| there.is(known));
        let path = site.shown(link.number);
        if taken.map_err(NamespaceError::file("remove", &path))? == Taken::Another {
            removed.kept.push(Kept { path, why: Why::Another });
        }
    }
    drop(asides);
    if removed.kept.is_empty() {
        site.forget()?;
    }
    Ok(removed)
}

fn take(
    site: &Site,
    walk: &mut Walk,
    asides: &mut [Aside],
    number: u32,
    removed: &mut Removed,
) -> Result<(), NamespaceError> {
    let path = || site.shown(number);
    let why = match walk.state(site, number)? {
        State::Missing => return Ok(()),
        State::Another => Why::Another,
        State::Right | State::Resized => {
            let Some(parent) = walk.parent(site, number)? else { return Ok(()) };
            let entry = &site.namespace.entries[number as usize];
            let known = site.known.made[number as usize];
            let aside = &mut asides[entry.place as usize];
            let taken =
                aside.take(&parent, entry.name.to_string().as_ref(), &aside_name(number, None), |there| {
                    there.is(known)
                });
            match taken.map_err(|error| NamespaceError::file("remove", path())(error))? {
                Taken::Removed => {
                    removed.removed += 1;
                    return Ok(());
                }
                Taken::Absent => return Ok(()),
                Taken::Another => Why::Another,
                Taken::Full => Why::HoldsOther,
            }
        }
    };
    removed.kept.push(Kept { path: path(), why });
    Ok(())
}
