//! What a tree of files is like: sizes, depths, entries of directories; of a scanned one, of a trace's, of a planned
//! one.

use super::{FileKind, HOME, Namespace};
use std::collections::BTreeMap;

/// A regular file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CensusFile {
    /// Bytes.
    pub size: u64,
    /// Directories between the top and it; `None` where its path isn't known.
    pub depth: Option<u32>,
    /// What stands behind the last dot of its name, in small letters; empty where nothing does.
    pub extension: String,
    /// Whether it is written to.
    pub is_written: bool,
}

/// The files of one tree, or of several alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Its regular files.
    pub files: Vec<CensusFile>,
    /// Its directories by path, with their depths and how many entries each has; without the top.
    directories: BTreeMap<String, (u32, u32)>,
}

/// The longest that is taken for an extension; longer ones are parts of names.
const EXTENSION_MAX: usize = 8;

impl Census {
    /// Adds a file by its path below the top, with `/` between the names.
    pub fn file(&mut self, path: &str, size: u64, is_written: bool) {
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension =
            name.rsplit_once('.').filter(|(before, _)| !before.is_empty()).map(|(_, after)| after);
        let is_fine = |text: &&str| {
            !text.is_empty()
                && text.len() <= EXTENSION_MAX
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let extension = extension.filter(is_fine).unwrap_or_default().to_ascii_lowercase();
        let depth = Some(self.entry(path));
        self.files.push(CensusFile { size, depth, extension, is_written });
    }

    /// Adds a file whose path isn't known.
    pub fn file_somewhere(&mut self, size: u64, is_written: bool) {
        self.files.push(CensusFile { size, depth: None, extension: String::new(), is_written });
    }

    /// Adds a directory by its path below the top.
    pub fn directory(&mut self, path: &str) {
        if !self.directories.contains_key(path) {
            let depth = self.entry(path);
            self.directories.insert(path.to_owned(), (depth, 0));
        }
    }

    /// Counts an entry in the directory above it, and the directories above that one; its depth.
    fn entry(&mut self, path: &str) -> u32 {
        let Some((above, _)) = path.rsplit_once('/') else { return 0 };
        self.directory(above);
        let Some((depth, entries)) = self.directories.get_mut(above) else { return 0 };
        *entries += 1;
        *depth + 1
    }

    /// A planned one, each owner's directory a top.
    pub fn of(namespace: &Namespace) -> Self {
        let mut census = Self::default();
        for (position, entry) in (0..).zip(&namespace.entries) {
            let path = namespace.path(position);
            let (owner, below) = path.split_once('/').unwrap_or((&path, ""));
            let inside =
                if owner == HOME { below.split_once('/').map_or("", |(_, inside)| inside) } else { below };
            // Different owners' directories of the same name are different ones.
            let top = path.len() - inside.len();
            match (inside.is_empty(), entry.kind) {
                (true, _) => {}
                (_, FileKind::Directory) => census.directory_below(&path, top),
                (_, FileKind::File) => census.file_below(&path, top, entry.size),
            }
        }
        census
    }

    fn directory_below(&mut self, path: &str, top: usize) {
        self.directory(&format!("{}{}", path[..top].replace('/', ":"), &path[top..]));
    }

    fn file_below(&mut self, path: &str, top: usize, size: u64) {
        self.file(&format!("{}{}", path[..top].replace('/', ":"), &path[top..]), size, false);
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// The directories' depths and numbers of entries.
    pub fn directories(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.directories.values().copied()
    }

    /// Sizes of files, in order.
    pub fn sizes(&self) -> Vec<f64> {
        sorted(self.files.iter().map(|file| file.size as f64))
    }

    /// Depths of files, as far as they are known, in order.
    pub fn depths(&self) -> Vec<f64> {
        sorted(self.files.iter().filter_map(|file| file.depth).map(f64::from))
    }

    /// Entries of directories, in order.
    pub fn entries(&self) -> Vec<f64> {
        sorted(self.directories().map(|(_, entries)| f64::from(entries)))
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The greatest distance between the distributions of two sorted samples (Kolmogorov and Smirnov); 1 where one is empty
/// alone.
pub fn sample_distance(one: &[f64], other: &[f64]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return f64::from(u8::from(one.len() != other.len()));
    }
    let part = |sample: &[f64], value: f64| {
        sample.partition_point(|&there| there <= value) as f64 / sample.len() as f64
    };
    let apart = |value: &f64| (part(one, *value) - part(other, *value)).abs();
    one.iter().chain(other).map(apart).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::sample_distance;

    #[test]
    fn two_samples_are_as_far_apart_as_counted_by_hand() {
        assert_eq!(sample_distance(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), 0.0);
        assert!((sample_distance(&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0]) - 0.5).abs() < 1e-12);
        assert_eq!((sample_distance(&[], &[1.0]), sample_distance(&[], &[])), (1.0, 0.0));
    }
}
