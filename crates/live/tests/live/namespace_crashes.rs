//! A creation or a removal that ended at any moment goes on.
#![allow(clippy::unwrap_used)]

use crate::namespace::{create, manifest, remove, verify};
use petrio_live::namespace::{Directories, MANIFEST, NamespaceError};
use std::fs;
use std::path::Path;

const JOURNAL: &str = ".petrio-files.made";
const ASIDE: &str = ".petrio-files.removing";

/// As a process leaves it that was killed before it wrote down so many of the last files that it made.
fn forget_the_last(directory: &Path, lines: usize) -> u32 {
    let journal = directory.join(JOURNAL);
    let text = fs::read_to_string(&journal).unwrap();
    let mut all: Vec<&str> = text.lines().filter(|line| *line != "end").collect();
    let forgotten = all.split_off(all.len() - lines);
    // Half of a line is there.
    let half = forgotten.first().map_or("", |line| &line[..line.len() / 2]);
    fs::write(&journal, all.join("\n") + "\n" + half).unwrap();
    let manifest = directory.join(MANIFEST);
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"complete\":true", "\"complete\":false")).unwrap();
    forgotten.first().map_or(0, |line| line.split(' ').nth(1).unwrap().parse().unwrap())
}

#[test]
fn a_file_that_was_made_and_not_written_down_is_known_by_its_mark() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    let entries = manifest(1).namespace().unwrap().entries.len();
    for lines in [1, 2, 20, entries] {
        for is_removed in [false, true] {
            create(&manifest(1), &directories, false, |_| true).unwrap();
            if lines < entries {
                forget_the_last(folder.path(), lines);
                if is_removed {
                    assert!(remove(&directories).unwrap().kept.is_empty(), "{lines}");
                } else {
                    let created = create(&manifest(1), &directories, false, |_| true).unwrap();
                    assert_eq!(created.made + created.found, entries as u64);
                    assert!(verify(&directories).unwrap().is_right(), "{lines}");
                }
            }
            remove(&directories).map_or_else(
                |error| assert!(matches!(error, NamespaceError::NoManifest { .. })),
                |removed| assert!(removed.kept.is_empty()),
            );
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn a_file_of_the_users_own_is_not_taken_for_one_that_was_not_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let namespace = manifest(1).namespace().unwrap();
    let number = forget_the_last(folder.path(), 1);
    let own = folder.path().join(namespace.path(number));
    fs::remove_file(&own).unwrap();
    fs::write(&own, "").unwrap();
    let resumed = create(&manifest(1), &directories, false, |_| true);
    assert!(matches!(&resumed, Err(NamespaceError::Taken { path, .. }) if *path == own), "{resumed:?}");
    let removed = remove(&directories).unwrap();
    assert!(removed.kept.iter().any(|kept| kept.path == own), "{removed:?}");
    assert!(own.is_file());
}

#[test]
fn what_a_removal_had_in_its_hands_is_removed_or_gets_its_name_back() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let namespace = manifest(1).namespace().unwrap();
    let files: Vec<u32> = (0_u32..)
        .zip(&namespace.entries)
        .filter(|(_, entry)| entry.name.to_string().starts_with("user-read"))
        .map(|(number, _)| number)
        .take(2)
        .collect();
    let [ours, own] = [files[0], files[1]].map(|number| folder.path().join(namespace.path(number)));
    let aside = folder.path().join(ASIDE);
    fs::create_dir(&aside).unwrap();
    fs::rename(&ours, aside.join(files[0].to_string())).unwrap();
    // The user's own file was quick to take the name.
    fs::write(aside.join(files[1].to_string()), "precious").unwrap();
    fs::remove_file(&own).unwrap();
    let removed = remove(&directories).unwrap();
    assert_eq!(fs::read_to_string(&own).unwrap(), "precious");
    assert!(removed.kept.iter().any(|kept| kept.path == own), "{removed:?}");
    assert!(!ours.exists() && !aside.exists());
    fs::remove_file(&own).unwrap();
    assert!(remove(&directories).unwrap().kept.is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_creation_that_fails_at_once_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path().join("a/b"));
    let mut manifest = manifest(1);
    manifest.specification.category.retain(|name, _| name == "notes-read");
    manifest.specification.user.clear();
    manifest.specification.category[0].size =
        toml::from_str::<std::collections::BTreeMap<String, _>>("size = { constant = \"1 TiB\" }")
            .unwrap()
            .remove("size")
            .unwrap();
    assert!(matches!(create(&manifest, &directories, false, |_| true), Err(NamespaceError::NoRoom { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
