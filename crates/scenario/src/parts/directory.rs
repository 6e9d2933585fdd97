//! Parts by their paths, and what a path or a pattern finds among them.
//!
//! Each piece of a path has its name and, where a count numbers it, the name without the number, which stands for all:
//! `server/d` is what `d` is on every server. In a pattern `*` stands for any characters of one piece, and the piece
//! `**` for any number of pieces.

use crate::schema::fits;
use crate::text::Copies;
use petrio_units::numbers::as_number;
use std::collections::{BTreeMap, BTreeSet};

/// Parts by their paths.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// The first is the root.
    folders: Vec<Folder>,
    /// Names in the order in which they were added, each without its number.
    names: Vec<Named>,
}

#[derive(Debug, Default)]
struct Folder {
    below: BTreeMap<String, usize>,
    /// By the name without its number.
    together: BTreeMap<String, Vec<usize>>,
    parts: Vec<u32>,
}

#[derive(Debug)]
struct Named {
    name: String,
    together: String,
}

impl Directory {
    /// Of pairs of names: a part's own, and the one under which the scenario describes it.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = (&'a str, &'a str)>, copies: &Copies) -> Self {
        let mut directory = Self { folders: vec![Folder::default()], names: Vec::new() };
        for (name, described) in parts {
            directory.add(name, described, copies);
        }
        directory
    }

    fn add(&mut self, name: &str, described: &str, copies: &Copies) {
        let last = described.rsplit('/').next().unwrap_or(described);
        let mut at = 0;
        let mut end = 0;
        for piece in name.split('/') {
            end += piece.len();
            let is_last = end == name.len();
            at = match self.folders[at].below.get(piece) {
                Some(&below) => below,
                None => {
                    let below = self.folders.len();
                    self.folders.push(Folder::default());
                    self.folders[at].below.insert(piece.to_owned(), below);
                    let together = if is_last { Some(last) } else { copies.together(&name[..end]) };
                    if let Some(together) = together.filter(|together| *together != piece) {
                        self.folders[at].together.entry(together.to_owned()).or_default().push(below);
                    }
                    below
                }
            };
            end += 1;
        }
        self.folders[at].parts.push(as_number(self.names.len()));
        self.names.push(Named { name: name.to_owned(), together: described.to_owned() });
    }

    /// Numbers of the parts that a path or a pattern from the root finds, ascending.
    pub(crate) fn find(&self, pattern: &str) -> Vec<u32> {
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
        let mut at = BTreeSet::from([0]);
        for piece in pattern.split('/') {
            at = at.into_iter().flat_map(|folder| self.entries_below(folder, piece)).collect();
            if at.is_empty() {
                return Vec::new();
            }
        }
        let mut found: Vec<u32> =
            at.into_iter().flat_map(|folder| self.folders[folder].parts.iter().copied()).collect();
        found.sort_unstable();
        found
    }

    fn entries_below(&self, folder: usize, piece: &str) -> Vec<usize> {
        let Folder { below, together, .. } = &self.folders[folder];
        if piece == "**" {
            let mut all = vec![folder];
            let mut next = 0;
            while let Some(&folder) = all.get(next) {
                all.extend(self.folders[folder].below.values());
                next += 1;
            }
            return all;
        }
        if !piece.contains('*') {
            let together = together.get(piece).into_iter().flatten();
            return below.get(piece).into_iter().chain(together).copied().collect();
        }
        let one = below.iter().filter(|(name, _)| fits(piece, name)).map(|(_, &folder)| folder);
        let many =
            together.iter().filter(|(name, _)| fits(piece, name)).flat_map(|(_, all)| all.iter().copied());
        one.chain(many).collect()
    }

    /// The name of a part.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |named| &named.name)
    }

    /// The names that a message may list: those under which parts are described, each once, and then numbered ones.
    pub(crate) fn listed(&self, numbered: usize) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for Named { together, .. } in &self.names {
            if names.last() != Some(&together.as_str()) {
                names.push(together);
            }
        }
        let differ = self.names.iter().filter(|named| named.name != named.together);
        names.extend(differ.map(|named| named.name.as_str()).take(numbered));
        names
    }

    /// The names of what lies directly in a folder, with and without numbers.
    pub(crate) fn names_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        let mut at = Some(0);
        for piece in folder.split('/').filter(|piece| !piece.is_empty()) {
            at = at.and_then(|at| self.folders[at].below.get(piece).copied());
        }
        let here = at.map(|at| &self.folders[at]);
        here.into_iter()
            .flat_map(|folder| folder.below.keys().chain(folder.together.keys()))
            .map(String::as_str)
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}
