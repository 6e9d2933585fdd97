//! Mounts of others that somebody would serve again: what a share lies on are file systems that hosts have by themselves.

use super::check::mount_name;
use super::{CheckSite, MountKind};
use crate::parts::Directory;
use crate::schema::Names;

/// What hosts mount by names of their own, as it is written.
pub(super) struct Mounted<'w> {
    what: &'static str,
    name: &'w str,
    clients: &'w Names,
    /// What it lies on.
    servers: Option<&'w Names>,
}

impl<'w> Mounted<'w> {
    pub(super) fn of<K: MountKind>(name: &'w str, part: &'w K) -> Option<Self> {
        let (clients, servers) = part.between()?;
        Some(Self { what: K::WHAT, name, clients, servers })
    }
}

impl CheckSite<'_, '_, '_> {
    /// Tells of names at a path that aren't file systems of hosts but mounts of what others serve; whether there are any.
    pub(super) fn are_mounts_of_others(&mut self, path: &str, names: &Names) -> bool {
        let strange: Vec<(usize, &str)> =
            names.iter().enumerate().filter(|(_, name)| self.file_systems.find(name).is_empty()).collect();
        if strange.is_empty() {
            return false;
        }
        let all = self.linux.mounted();
        let is_list = names.iter().count() > 1;
        let mut told = false;
        for (index, name) in strange {
            let Some(first) = self.mount_called(&all, name) else { continue };
            // Where it comes back to a part that was there before, it's a circle, and whoever looks on goes round for ever.
            let mut way = vec![first];
            let mut words = format!("\"{name}\" is a mount of the {} \"{}\"", first.what, first.name);
            let mut end = "and what lies on other hosts isn't served again";
            while let Some((on, next)) = self.below(&all, way[way.len() - 1]) {
                words.push_str(&format!(
                    ", which lies on \"{on}\", a mount of the {} \"{}\"",
                    next.what, next.name
                ));
                if way.iter().any(|before| std::ptr::eq(*before, next)) {
                    end = "in a circle: no file would lie anywhere";
                    break;
                }
                way.push(next);
            }
            let path = if is_list { format!("{path}.{index}") } else { path.to_owned() };
            let help = "name file systems that lie on devices of the servers themselves, such as server/data";
            self.checker.error(&path, format!("{words}, {end}"), help);
            told = true;
        }
        told
    }

    /// What else a part lies on that is a mount, by the name that it has for it.
    fn below<'m, 'w>(
        &self,
        all: &'m [Mounted<'w>],
        part: &Mounted<'w>,
    ) -> Option<(&'w str, &'m Mounted<'w>)> {
        let mut names = part.servers.into_iter().flat_map(Names::iter);
        names.find_map(|name| {
            let is_own = !self.file_systems.find(name).is_empty();
            Some((name, self.mount_called(all, name).filter(|_| !is_own)?))
        })
    }

    /// What is mounted under a name or a pattern.
    fn mount_called<'m, 'w>(&self, all: &'m [Mounted<'w>], name: &str) -> Option<&'m Mounted<'w>> {
        all.iter().find(|part| {
            let hosts = part.clients.iter().flat_map(|client| self.hosts.find(client));
            let mounts: Vec<String> =
                hosts.map(|host| mount_name(&self.host(host as usize), part.name)).collect();
            let mounts = mounts.iter().map(|mount| (mount.as_str(), mount.as_str()));
            !Directory::of(mounts, self.checker.places.copies()).find(name).is_empty()
        })
    }
}
