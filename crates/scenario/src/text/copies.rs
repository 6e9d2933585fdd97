//! Which parts are copies of which: what is said of the first is true of all.

use crate::text::problem::Problem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Which parts are copies of which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// By kind and path (`disk.server2/d`), those of the first copy (`disk.server0/d`).
    first: BTreeMap<String, Arc<str>>,
    /// The name without its number of each owner that is one of several, by path: `rack/server` for `rack/server2`.
    together: BTreeMap<String, Arc<str>>,
    /// Where each part is written that isn't written under its own name: `host.server.disk.d` of `disk.server2/d`.
    written: BTreeMap<String, Arc<str>>,
    /// Whether parts may look alike: they repeat, or are described in files that may be used several times.
    alike: bool,
}

impl Copies {
    /// Of a file in which parts nest.
    pub(crate) fn new() -> Self {
        Self { alike: true, ..Self::default() }
    }

    /// Notes that of two parts that stand under one key one is a copy.
    pub(crate) fn add(&mut self, key: &str, name: &str, first: &str) {
        self.first.insert(format!("{key}.{name}"), format!("{key}.{first}").into());
    }

    /// Notes where a part is written that stands under a key.
    pub(crate) fn write(&mut self, key: &str, name: &str, written: &str) {
        let flat = format!("{key}.{name}");
        if flat != written {
            self.written.insert(flat, written.into());
        }
    }

    /// The key of the file under which a part is written.
    pub(crate) fn written<'p>(&'p self, kind_and_name: &'p str) -> &'p str {
        self.written.get(kind_and_name).map_or(kind_and_name, |written| written)
    }

    /// A path with a star for the number of each owner that is one of several; nothing where none is.
    pub(crate) fn class(&self, path: &str) -> Option<String> {
        let mut is_numbered = false;
        let mut end = 0;
        let pieces: Vec<String> = path
            .split('/')
            .map(|piece| {
                end += piece.len() + usize::from(end > 0);
                let together = self.together(&path[..end]);
                is_numbered |= together.is_some();
                together.map_or_else(|| piece.to_owned(), |name| format!("{name}*"))
            })
            .collect();
        is_numbered.then(|| pieces.join("/"))
    }

    pub(crate) fn number(&mut self, path: &str, together: &Arc<str>) {
        self.together.insert(path.to_owned(), Arc::clone(together));
    }

    /// The last piece of an owner's path without its number, where it is one of several.
    pub(crate) fn together(&self, path: &str) -> Option<&str> {
        self.together.get(path).map(|name| &**name)
    }

    /// The first copy of a part (`disk.server0/d` of `disk.server2/d`), where it isn't itself the first.
    pub(crate) fn first(&self, kind_and_name: &str) -> Option<&str> {
        self.first.get(kind_and_name).map(|first| &**first)
    }

    /// The first copy of every other one.
    pub(crate) fn each(&self) -> impl Iterator<Item = &str> {
        self.first.values().map(|first| &**first)
    }

    /// As [`first`](Self::first), of a path that may go on into the part: `disk.server2/d.model`.
    pub(crate) fn of_first(&self, path: &str) -> Option<String> {
        if self.first.is_empty() {
            return None;
        }
        let end = path.match_indices('.').nth(1).map_or(path.len(), |(at, _)| at);
        self.first(&path[..end]).map(|first| format!("{first}{}", &path[end..]))
    }

    /// The tree with the first copy of each part alone.
    pub(crate) fn only_first<'i>(&self, root: &Spanned<DeTable<'i>>) -> Spanned<DeTable<'i>> {
        let entries = root.get_ref().iter().map(|(key, value)| {
            let value = match value.get_ref() {
                DeValue::Table(parts) => {
                    let is_first = |name: &str| self.first(&format!("{}.{name}", key.get_ref())).is_none();
                    let parts: DeTable<'i> = parts
                        .iter()
                        .filter(|(name, _)| is_first(name.get_ref()))
                        .map(|(name, part)| (name.clone(), part.clone()))
                        .collect();
                    Spanned::new(value.span(), DeValue::Table(parts))
                }
                _ => value.clone(),
            };
            (key.clone(), value)
        });
        Spanned::new(root.span(), entries.collect())
    }

    /// Whether there are copies at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The problems, each place's own told once and not for every part that is described there.
    pub(crate) fn told_once(&self, mut problems: Vec<Problem>) -> Vec<Problem> {
        if self.alike {
            let mut told = BTreeSet::new();
            problems.retain(|problem| {
                problem.location().is_none_or(|at| told.insert((at, without_paths(problem.message()))))
            });
        }
        problems
    }
}

/// A message that is the same for all copies: of what stands in quotes, no folders, and of everything, no numbers.
fn without_paths(message: &str) -> String {
    let mut plain = String::new();
    for (index, text) in message.split('"').enumerate() {
        let text = if index % 2 == 1 { text.rsplit('/').next().unwrap_or(text) } else { text };
        plain.extend(text.chars().filter(|letter| !letter.is_ascii_digit()));
        plain.push('"');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn a_message_about_a_copy_is_that_about_another() {
        let about =
            |host: &str, disk: &str| format!("no disk or array is called \"{host}/{disk}\" on \"{host}\"");
        assert_eq!(without_paths(&about("server0", "d3")), without_paths(&about("server12", "d4")));
        assert_ne!(without_paths(&about("server0", "d3")), without_paths(&about("server0", "log")));
    }
}
