//! A specification whose files resemble those of a tree.
//!
//! A category for each extension that many files have, with the sizes and depths that were seen; one for the directories at each depth, with their
//! numbers of entries. Sizes, depths and names are taken to be independent of each other. The planner puts a file into any directory at its depth
//! that has room, so that depths and fan-outs come out as they were.
//!
//! Source for the approach: N. Agrawal, A. C. Arpaci-Dusseau and R. H. Arpaci-Dusseau, *Generating realistic Impressions for file-system
//! benchmarking*, FAST 2009.

use super::census::{Census, CensusFile};
use crate::distribution::Observed;
use crate::users::{
    Category, EACH_USER, FileKind, Files, Order, Purpose, Readings, Spread, UserSpecification,
};
use indexmap::IndexMap;
use petrio_units::{Duration, Fraction};
use std::collections::BTreeMap;

/// Categories of files by extension; the rest is one more.
const EXTENSIONS_MAX: usize = 11;
/// Categories of directories by depth; those that lie deeper are of the last.
const LEVELS_MAX: u32 = 9;
/// The owner of files that aren't users' own.
const SHARED: &str = "files";

/// Describes a tree; `users` trees if it is what as many users own each a part of.
pub fn describe(title: &str, source: &str, census: &Census, users: Option<u32>) -> UserSpecification {
    let readings = Readings { fill_directories: false, spread: Spread::Even, ..Readings::default() };
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
        sizes.add(f64::from(entries) * readings.entry.get() as f64);
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
    UserSpecification {
        title: title.to_owned(),
        source: source.to_owned(),
        files: Files { count: all as u32, users, place: IndexMap::new() },
        category,
        user: IndexMap::new(),
        population: IndexMap::new(),
        begins: Duration::default(),
        readings,
    }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::namespace::sample_distance;

    /// A tree with a heavy tail of sizes, three levels, and few large directories.
    fn tree() -> Census {
        let mut census = Census::default();
        for directory in 0..40_u32 {
            let above = match directory % 4 {
                0 => String::new(),
                1 => format!("d{}/", directory - 1),
                _ => format!("d{}/d{}/", directory - directory % 4, directory - directory % 4 + 1),
            };
            let path = format!("{above}d{directory}");
            census.directory(&path);
            for file in 0..(directory * directory / 12 + 1) {
                let extension = if file % 3 == 0 { "c" } else { "h" };
                let size = u64::from(1_000_000 / (1 + file * 7 + directory));
                census.file(&format!("{path}/f{file}.{extension}"), size, false);
            }
        }
        census
    }

    #[test]
    fn a_described_tree_is_like_the_one_that_it_describes() {
        let census = tree();
        let specification = describe("T", "", &census, None);
        specification.check().unwrap();
        assert_eq!(
            specification.category.keys().collect::<Vec<_>>(),
            ["directory-at-0", "directory-at-1", "directory-at-2", "of-h", "of-c"]
        );
        let text = toml::to_string(&specification).unwrap();
        assert_eq!(toml::from_str::<UserSpecification>(&text).unwrap(), specification);
        let made = Census::of(&specification.namespace(1, 1).unwrap());
        assert_eq!(made.files.len(), census.files.len());
        assert_eq!(made.directories().len(), census.directories().len());
        let bytes = made.bytes() as f64 / census.bytes() as f64;
        assert!((bytes - 1.0).abs() < 0.01, "{bytes}");
        for (what, one, other, most) in [
            ("sizes", made.sizes(), census.sizes(), 0.03),
            ("depths", made.depths(), census.depths(), 0.01),
            ("entries", made.entries(), census.entries(), 0.15),
        ] {
            let apart = sample_distance(&one, &other);
            assert!(apart < most, "{what}: {apart}");
        }
        let c = made.files.iter().filter(|file| file.extension == "c").count();
        assert_eq!(c, census.files.iter().filter(|file| file.extension == "c").count());
    }

    #[test]
    fn files_of_users_are_each_users_own_and_paths_may_be_unknown() {
        let mut census = Census::default();
        for user in 0..4 {
            census.directory(&format!("u{user}"));
            census.file(&format!("notes-{user}"), 100, true);
            census.file_somewhere(50, true);
        }
        let specification = describe("T", "", &census, Some(4));
        assert_eq!(specification.files.users, Some(4));
        assert_eq!(specification.category["plain"].purpose, Purpose::ReadWrite);
        assert_eq!(specification.namespace(4, 1).unwrap().homes.len(), 4);
    }

    #[test]
    fn two_samples_are_as_far_apart_as_counted_by_hand() {
        assert_eq!(sample_distance(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 0.0);
        assert!((sample_distance(&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0]) - 0.5).abs() < 1e-12);
        assert_eq!((sample_distance(&[], &[1.0]), sample_distance(&[], &[])), (1.0, 0.0));
    }
}
