//! A specification whose files resemble those of a tree; nobody uses them yet.

use super::readings::Readings;
use super::specification::UserSpecification;
use crate::namespace::{Census, Spread, describe};
use indexmap::IndexMap;
use petrio_units::Duration;

impl UserSpecification {
    /// Files like those of a tree; `users` trees if it is what as many users own each a part of.
    pub fn like(title: &str, source: &str, census: &Census, users: Option<u32>) -> Self {
        let readings = Readings { fill_directories: false, spread: Spread::Even, ..Readings::default() };
        let (files, category) = describe(census, users, readings.entry);
        Self {
            title: title.to_owned(),
            source: source.to_owned(),
            files,
            category,
            user: IndexMap::new(),
            population: IndexMap::new(),
            begins: Duration::default(),
            readings,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::namespace::{Purpose, sample_distance};

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
        let specification = UserSpecification::like("T", "", &census, None);
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
        let specification = UserSpecification::like("T", "", &census, Some(4));
        assert_eq!(specification.files.users, Some(4));
        assert_eq!(specification.category["plain"].purpose, Purpose::ReadWrite);
        assert_eq!(specification.namespace(4, 1).unwrap().homes.len(), 4);
    }
}
