//! References from where a part stands, as references from the root.
//!
//! A name is looked for first among the parts that the part owns, then among those beside it, then outward to the root:
//! the first folder in which it stands for anything is meant. One that begins with `/` begins at the root. Of
//! what isn't a part of its own, a volume of a host that has one on each of its disks, the host's `on` says the name.

use super::kind::Kind;
use crate::parts::{Directory, Pool, name_on};
use crate::text::Copies;
use crate::text::tree::Value;
use petrio_units::nearest;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Rewrites every reference of a flat tree, and says which host mounts a file system that doesn't say so.
pub(super) fn resolve(root: &mut DeTable<'_>, copies: &Copies) {
    let pools = Pools::of(root, copies);
    for (key, value) in root.iter_mut() {
        let (Some(kind), DeValue::Table(parts)) = (Kind::of(key.get_ref()), value.get_mut()) else {
            continue;
        };
        for (name, part) in parts.iter_mut() {
            let DeValue::Table(table) = part.get_mut() else { continue };
            let stands = Stands { path: name.get_ref(), kind };
            for (key, pool) in kind.references(table) {
                let Some(value) = value_at(table, key) else { continue };
                let found = rewrite(value.get_mut(), stands, pools.of_pool(pool));
                if pool == Pool::Adapters && !found {
                    name_within(value.get_mut(), stands);
                }
            }
            if kind.has_host()
                && !table.contains_key("host")
                && let Some(host) = stands.host(&pools.hosts)
            {
                fill_in(table, name.span(), host);
            }
        }
    }
}

/// The value at a key, or at the key of a table within.
fn value_at<'t, 'i>(table: &'t mut DeTable<'i>, key: &str) -> Option<&'t mut Value<'i>> {
    match key.split_once('.') {
        None => table.get_mut(key),
        Some((outer, inner)) => match table.get_mut(outer)?.get_mut() {
            DeValue::Table(table) => table.get_mut(inner),
            _ => None,
        },
    }
}

fn fill_in(table: &mut DeTable<'_>, span: Range<usize>, host: String) {
    let host = Spanned::new(span.clone(), DeValue::String(Cow::Owned(host)));
    table.insert(Spanned::new(span, Cow::Borrowed("host")), host);
}

/// What references may stand for.
struct Pools {
    holders: Directory,
    adapters: Directory,
    hosts: Directory,
    volumes: Directory,
    networks: Directory,
    shared: Directory,
}

impl Pools {
    fn of(root: &DeTable<'_>, copies: &Copies) -> Self {
        let names = |pool: Pool| {
            let mut names: Vec<(Cow<'_, str>, &str)> = Vec::new();
            for kind in Kind::all().filter(|kind| kind.is_in(pool)) {
                let parts = root.get(kind.key()).and_then(|parts| parts.get_ref().as_table());
                for (name, part) in parts.into_iter().flatten() {
                    let name = name.get_ref().as_ref();
                    let count = if kind == Kind::Disk { disks(part) } else { 1 };
                    if count == 1 {
                        names.push((Cow::Borrowed(name), name));
                    } else {
                        names.extend((0..count).map(|number| (Cow::Owned(format!("{name}{number}")), name)));
                    }
                }
            }
            names
        };
        let pool = |wanted: Pool| Directory::of(as_str(&names(wanted)), copies);
        let holders = pool(Pool::Holders);
        let mut volumes = names(Pool::Volumes);
        for kind in Kind::all().filter(|kind| kind.is_on_each()) {
            let parts = root.get(kind.key()).and_then(|parts| parts.get_ref().as_table());
            for (name, part) in parts.into_iter().flatten() {
                let of_part = volumes_on_each(Stands { path: name.get_ref(), kind }, part, &holders);
                volumes.extend(of_part.into_iter().map(|(name, part)| (Cow::Owned(name), part)));
            }
        }
        Self {
            adapters: pool(Pool::Adapters),
            hosts: pool(Pool::Hosts),
            volumes: Directory::of(as_str(&volumes), copies),
            holders,
            networks: pool(Pool::Networks),
            shared: pool(Pool::Shared),
        }
    }

    fn of_pool(&self, pool: Pool) -> &Directory {
        match pool {
            Pool::Holders => &self.holders,
            Pool::Adapters => &self.adapters,
            Pool::Hosts => &self.hosts,
            Pool::Volumes => &self.volumes,
            Pool::Networks => &self.networks,
            Pool::Shared => &self.shared,
        }
    }
}

/// Names of parts, each with the name under which the scenario describes it.
fn as_str<'n>(names: &'n [(Cow<'_, str>, &'n str)]) -> impl Iterator<Item = (&'n str, &'n str)> {
    names.iter().map(|(name, described)| (name.as_ref(), *described))
}

/// The volumes of a part that has one on each of the holders that it is on, where these are several; each with the name
/// under which the scenario describes it.
fn volumes_on_each<'p>(stands: Stands<'p>, part: &Value<'_>, holders: &Directory) -> Vec<(String, &'p str)> {
    let on = part.get_ref().as_table().and_then(|part| part.get("on")).map(Spanned::get_ref);
    let names: Vec<&str> = match on {
        Some(DeValue::String(name)) => vec![name],
        Some(DeValue::Array(names)) => names.iter().filter_map(|name| name.get_ref().as_str()).collect(),
        _ => Vec::new(),
    };
    let found = |name: &str| {
        let from_root = stands.as_from_root(name, holders);
        holders.find(from_root.as_deref().unwrap_or(name))
    };
    let found: BTreeSet<u32> = names.into_iter().flat_map(found).collect();
    let several = found.iter().filter(|_| found.len() > 1);
    several.map(|&on| (name_on(stands.path, holders.name(on)), stands.path)).collect()
}

/// How many disks a part is; a count that can't be is complained about where it is read.
fn disks(part: &Value<'_>) -> u64 {
    let count = part.get_ref().as_table().and_then(|part| part.get("count"));
    let count = count.and_then(|count| count.get_ref().as_integer());
    count
        .and_then(|count| u64::from_str_radix(count.as_str(), count.radix()).ok())
        .unwrap_or(1)
        .clamp(1, 1_000_000)
}

/// Rewrites a name, or each of several; whether it was one that stands for another from where it stands.
fn rewrite(value: &mut DeValue<'_>, stands: Stands<'_>, pool: &Directory) -> bool {
    match value {
        DeValue::String(name) => {
            let from_root = stands.as_from_root(name, pool);
            let found = from_root.is_some() || !pool.find(name).is_empty();
            if let Some(from_root) = from_root {
                *name = Cow::Owned(from_root);
            }
            return found;
        }
        DeValue::Array(names) => names.iter_mut().for_each(|name| {
            if name.get_ref().is_str() {
                rewrite(name.get_mut(), stands, pool);
            }
        }),
        DeValue::Table(names) => names.iter_mut().for_each(|(_, name)| {
            if name.get_ref().is_str() {
                rewrite(name.get_mut(), stands, pool);
            }
        }),
        _ => {}
    }
    false
}

/// A bus that no part describes is one of the part around it: each copy of that has its own.
fn name_within(value: &mut DeValue<'_>, stands: Stands<'_>) {
    if let (DeValue::String(name), Some(folder)) = (value, folders_of(stands.path).next()) {
        *name = Cow::Owned(format!("{folder}/{name}"));
    }
}

/// Where a reference stands: in a part.
#[derive(Clone, Copy)]
struct Stands<'a> {
    path: &'a str,
    kind: Kind,
}

impl<'a> Stands<'a> {
    /// The folders in which its names are looked for, but for the root.
    fn folders(self) -> impl Iterator<Item = &'a str> {
        let own = if self.kind.owns() { Some(self.path) } else { None };
        own.into_iter().chain(folders_of(self.path))
    }

    /// A reference as it is written from the root, where that differs.
    fn as_from_root(self, name: &str, pool: &Directory) -> Option<String> {
        if let Some(from_root) = name.strip_prefix('/') {
            return Some(from_root.to_owned());
        }
        let stands_for =
            |path: &str| pool.find(path).into_iter().any(|number| pool.name(number) != self.path);
        let mut near = None;
        for folder in self.folders() {
            let path = format!("{folder}/{name}");
            if stands_for(&path) {
                return Some(path);
            }
            if near.is_none() && nearest(name, pool.names_in(folder)).is_some() {
                near = Some(path);
            }
        }
        // What stands for nothing is complained about where it is used, beside a name like it.
        if stands_for(name) { None } else { near }
    }

    /// The host of a file system that names none: the one around it, or the only one in the nearest folder that has
    /// any.
    fn host(self, hosts: &Directory) -> Option<String> {
        for folder in folders_of(self.path) {
            if let [host] = hosts.find(folder)[..]
                && hosts.name(host) == folder
            {
                return Some(folder.to_owned());
            }
            match hosts.find(&format!("{folder}/*"))[..] {
                [] => {}
                [host] => return Some(hosts.name(host).to_owned()),
                _ => return None,
            }
        }
        match hosts.find("*")[..] {
            // As in a flat file, which says so itself where there is more than one.
            [host] if hosts.len() > 1 => Some(hosts.name(host).to_owned()),
            _ => None,
        }
    }
}

/// The folders around a path, the innermost first, without the root.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/').map(|(folder, _)| folder), |path| {
        path.rsplit_once('/').map(|(folder, _)| folder)
    })
}
