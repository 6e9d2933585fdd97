//! Categories whose files resemble those of a tree.
//!
//! A category for each extension that many files have, with the sizes and depths that were seen; one for the
//! directories at each depth, with their numbers of entries. Sizes, depths and names are taken to be independent of
//! each other. The planner puts a file into any directory at its depth that has room, so that depths and fan-outs come
//! out as they were.
//!
//! Source for the approach: N. Agrawal, A. C. Arpaci-Dusseau and R. H. Arpaci-Dusseau, *Generating realistic
//! Impressions for file-system benchmarking*, FAST 2009.

use super::census::{Census, CensusFile};
use super::specification::{Category, EACH_USER, FileKind, Files, Order, Purpose};
use indexmap::IndexMap;
use petrio_distribution::Observed;
use petrio_units::numbers::{as_number, whole_part};
use petrio_units::{Bytes, Fraction};
use std::collections::BTreeMap;

/// Categories of files by extension; the rest is one more.
const EXTENSIONS_MAX: usize = 11;
/// Categories of directories by depth; those that lie deeper are of the last.
const LEVELS_MAX: u32 = 9;
/// The owner of files that aren't users' own.
const SHARED: &str = "files";

/// Describes a tree whose directories have so many bytes an entry; `users` trees if it is what as many users own each a
/// part of.
pub(crate) fn describe(
    census: &Census,
    users: Option<u32>,
    entry: Bytes,
) -> (Files, IndexMap<String, Category>) {
    let owner = if users.is_some() { EACH_USER } else { SHARED };
    let all = (census.files.len() + census.directories().len()) as f64;
    let mut by_extension: BTreeMap<&str, Vec<&CensusFile>> = BTreeMap::new();
    for file in &census.files {
        by_extension.entry(&file.extension).or_default().push(file);
    }
    let mut groups: Vec<(&str, Vec<&CensusFile>)> = by_extension.into_iter().collect();
    groups.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    let rest: Vec<&CensusFile> =
        groups.split_off(groups.len().min(EXTENSIONS_MAX)).into_iter().flat_map(|(_, files)| files).collect();
    let mut category = IndexMap::new();
    // How many entries a directory has depends on how deep it lies.
    let mut levels: BTreeMap<u32, (Observed, Observed)> = BTreeMap::new();
    for (depth, entries) in census.directories() {
        let (sizes, depths) = levels.entry(depth.min(LEVELS_MAX)).or_default();
        sizes.add(f64::from(entries) * entry.get() as f64);
        depths.add(depth.into());
    }
    for (level, (sizes, depths)) in &levels {
        let directories = Category {
            kind: FileKind::Directory,
            owner: owner.to_owned(),
            purpose: Purpose::ReadOnly,
            share: part(sizes.len() as f64 / all),
            size: sizes.values(),
            depth: Some(depths.counts()),
            name: None,
            order: Order::Sequential,
        };
        category.insert(format!("directory-at-{level}"), directories);
    }
    for (extension, files) in
        groups.iter().map(|(extension, files)| (Some(*extension), files)).chain([(None, &rest)])
    {
        if files.is_empty() {
            continue;
        }
        let (name, pattern) = match extension {
            None => ("other".to_owned(), None),
            Some("") => ("plain".to_owned(), None),
            Some(extension) => (format!("of-{extension}"), Some(format!("file-{{number}}.{extension}"))),
        };
        category.insert(name, of_files(owner, files, pattern, files.len() as f64 / all));
    }
    (Files { count: as_number(whole_part(all)), users, place: IndexMap::new() }, category)
}

fn of_files(owner: &str, files: &[&CensusFile], name: Option<String>, share: f64) -> Category {
    let (mut sizes, mut depths) = (Observed::default(), Observed::default());
    for file in files {
        sizes.add(file.size as f64);
        if let Some(depth) = file.depth {
            depths.add(depth.into());
        }
    }
    let written = files.iter().filter(|file| file.is_written).count();
    Category {
        kind: FileKind::File,
        owner: owner.to_owned(),
        purpose: if 2 * written > files.len() { Purpose::ReadWrite } else { Purpose::ReadOnly },
        share: part(share),
        size: sizes.values(),
        depth: (!depths.is_empty()).then(|| depths.counts()),
        name,
        order: Order::Sequential,
    }
}

fn part(part: f64) -> Fraction {
    format!("{:.8}", part.clamp(0.0, 1.0)).parse().unwrap_or(Fraction::ZERO)
}
