//! Equal parts: those that a count makes, and those that are written alike under names that differ by a number. What is
//! said of one is said of all, and what is changed is changed in all.

use crate::loaded::Loaded;
use crate::site::queue_before;
use petrio_models::Stage;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The classes of a scenario's parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// By the names of parts' pages at the top, which may be paths.
    top: BTreeMap<String, String>,
    /// By the names of the file systems' pages, which stand below their hosts'.
    mounts: BTreeMap<String, String>,
    /// The names of parts on whose pages many hosts have pages of their own: networks, and what lies on them.
    around: BTreeSet<String>,
}

impl Classes {
    pub(crate) fn of(loaded: &Loaded) -> Self {
        let scenario = &loaded.scenario;
        let of_hosts = scenario.hosts.written();
        let mut names: BTreeSet<&str> = loaded.storage.iter().map(|part| part.name.as_str()).collect();
        names.extend(of_hosts.iter().flat_map(|(_, parts)| parts.keys()).map(String::as_str));
        let mut top = BTreeMap::new();
        for disk in &loaded.disks {
            if scenario.disk.get(&disk.part).is_some_and(|part| part.count > 1) {
                top.insert(disk.name.clone(), format!("{}*", disk.part));
            }
        }
        let alone = scenario.disk.iter().filter(|(_, disk)| disk.count == 1);
        top.extend(alike(alone, &names));
        for parts in scenario.holders.written() {
            top.extend(alike(&parts, &names));
        }
        let (mounted, hosts): (Vec<_>, Vec<_>) = of_hosts.iter().partition(|(kind, _)| kind.is_mounted);
        for (_, parts) in &hosts {
            top.extend(alike(parts, &names));
        }
        let copies = loaded.copies();
        let parts = loaded.storage.iter().map(|part| part.name.as_str());
        for name in parts.chain(hosts.iter().flat_map(|(_, parts)| parts.keys()).map(String::as_str)) {
            if let Some(class) = copies.class(top.get(name).map_or(name, String::as_str)) {
                top.insert(name.to_owned(), class);
            }
        }
        let parts = loaded.storage.iter().filter_map(|part| Some((&part.name, top.get(&part.name)?)));
        let queues: Vec<_> = parts.map(|(name, class)| (queue_before(name), queue_before(class))).collect();
        top.extend(queues);
        let mut mounts = BTreeMap::new();
        for (_, parts) in &mounted {
            for name in parts.keys() {
                if let Some(class) = copies.class(name) {
                    top.insert(format!("{name}-queue"), format!("{class}-queue"));
                    top.insert(name.clone(), class);
                }
            }
            mounts.extend(alike(parts, &names));
        }
        top.extend(mounts.iter().map(|(name, class)| (format!("{name}-queue"), format!("{class}-queue"))));
        let shared = of_hosts.iter().filter(|(kind, _)| kind.is_around);
        let around = shared.flat_map(|(_, parts)| parts.keys().cloned()).collect();
        Self { top, mounts, around }
    }

    /// The class of a stage or of a page, by its path.
    pub(crate) fn name(&self, path: &str) -> String {
        if let Some((around, rest)) = self.within(path) {
            return format!("{around}/{}", self.name_within(rest));
        }
        // The part with the longest path that this lies within.
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let part = ends.rev().find_map(|end| Some((end, self.top.get(&path[..end])?)));
        let (class, rest) = match part {
            Some((end, class)) => (class.clone(), &path[end..]),
            None => {
                let end = path.find('/').unwrap_or(path.len());
                (path[..end].to_owned(), &path[end..])
            }
        };
        let words = rest.split('/').skip(1);
        let words = words.map(|word| self.mounts.get(word).map_or(word, String::as_str));
        std::iter::once(class.as_str()).chain(words).collect::<Vec<&str>>().join("/")
    }

    /// The part around a page of a host, and what is below it there.
    fn within<'p>(&self, path: &'p str) -> Option<(&'p str, &'p str)> {
        let ends = path.match_indices('/').map(|(at, _)| at);
        ends.map(|end| (&path[..end], &path[end + 1..])).find(|(name, _)| self.around.contains(*name))
    }

    /// The class of a page there: its host's, or that of all switches.
    fn name_within(&self, path: &str) -> String {
        let is_host = path.match_indices('/').any(|(end, _)| self.top.contains_key(&path[..end]));
        if is_host || !path.starts_with("switch") {
            return self.name(path);
        }
        let mut class = String::new();
        for character in path.chars() {
            match character {
                '0'..='9' if class.ends_with('*') => {}
                '0'..='9' => class.push('*'),
                other => class.push(other),
            }
        }
        class
    }

    /// Gives stages their classes.
    pub(crate) fn assign(&self, stages: &mut [Stage]) {
        for stage in stages {
            stage.class = self.name(&stage.name);
        }
    }
}

/// The classes of parts that are alike but for the numbers in their names, where there are several of one.
fn alike<'a, T: Serialize + 'a>(
    parts: impl IntoIterator<Item = (&'a String, &'a T)>,
    names: &BTreeSet<&str>,
) -> BTreeMap<String, String> {
    let mut found: BTreeMap<(String, String), Vec<&String>> = BTreeMap::new();
    for (name, part) in parts {
        let (Some(class), Ok(mut value)) = (numbered(name), serde_json::to_value(part)) else { continue };
        generalise(&mut value, names);
        found.entry((class, value.to_string())).or_default().push(name);
    }
    let several = found.into_iter().filter(|(_, members)| members.len() > 1);
    several
        .flat_map(|((class, _), members)| members.into_iter().map(move |name| (name.clone(), class.clone())))
        .collect()
}

/// `d*` for `d17`; nothing for a name without number.
fn numbered(name: &str) -> Option<String> {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    (stem.len() < name.len()).then(|| format!("{stem}*"))
}

/// Puts classes in place of the names of parts.
fn generalise(value: &mut Value, names: &BTreeSet<&str>) {
    match value {
        Value::String(text) if names.contains(text.as_str()) => {
            if let Some(class) = numbered(text) {
                *text = class;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| generalise(item, names)),
        Value::Object(entries) => entries.values_mut().for_each(|entry| generalise(entry, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TWO_SERVERS: &str = r#"
        [disk.d1]
        model = "hp-97560"
        [disk.d2]
        model = "hp-97560"
        [disk.old]
        model = "hp-97560"
        count = 3
        [host.server1]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [host.server2]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [fs.data1]
        type = "ext3"
        host = "server1"
        on = "d1"
        [fs.data2]
        type = "ext3"
        host = "server2"
        on = "d2"
        [raid.rest]
        level = 0
        on = "old*"
        [fs.rest]
        type = "ext3"
        host = "server1"
        on = "rest"
        [workload.w]
        kind = "files"
        on = ["data1", "data2", "rest"]
        operation = "read"
        record = "4 KiB"
        file_size = "64 KiB"
    "#;

    #[test]
    fn parts_that_are_written_alike_or_counted_have_one_class() {
        let loaded = crate::load_text("test.toml", TWO_SERVERS, None, &[]).unwrap();
        let classes = Classes::of(&loaded);
        for (path, class) in [
            ("d1/mechanics", "d*/mechanics"),
            ("old2/bus", "old*/bus"),
            ("server2/data2/for-page", "server*/data*/for-page"),
            ("server1/rest/for-page", "server*/rest/for-page"),
            ("data1-queue/scheduler", "data*-queue/scheduler"),
            ("rest-queue/scheduler", "rest-queue/scheduler"),
        ] {
            assert_eq!(classes.name(path), class);
        }
    }

    #[test]
    fn parts_that_differ_have_none() {
        let text = TWO_SERVERS.replacen("[fs.data2]", "[fs.data2]\njournal_size = \"8 MiB\"", 1);
        let text = text.replacen("[disk.d2]", "[disk.d2]\nscheduler = \"sstf\"", 1);
        let classes = Classes::of(&crate::load_text("test.toml", &text, None, &[]).unwrap());
        for path in ["d1/mechanics", "data1-queue/scheduler"] {
            assert_eq!(classes.name(path), path);
        }
    }
}
