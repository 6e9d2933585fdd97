//! Files of a specification: made, stopped and resumed, verified, removed.
#![allow(clippy::unwrap_used)]

use miette::Diagnostic;
use petrio_live::namespace::{
    Access, Created, Directories, MANIFEST, Manifest, NamespaceError, Removed, Site, Verified,
};
use petrio_users::UserSpecification;
use std::fs;
use std::path::Path;

pub(crate) fn manifest(seed: u64) -> Manifest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users/thesis.toml");
    let mut specification: UserSpecification = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    specification.files.count = 200;
    Manifest::new(specification, 2, seed)
}

pub(crate) fn create(
    manifest: &Manifest,
    directories: &Directories,
    beside: bool,
    progress: impl FnMut(u64) -> bool,
) -> Result<Created, NamespaceError> {
    let mut site = Site::plan(manifest.clone(), directories, "petrio fs create")?;
    petrio_live::namespace::create(&mut site, beside, progress)
}

pub(crate) fn verify(directories: &Directories) -> Result<Verified, NamespaceError> {
    petrio_live::namespace::verify(&Site::of(directories, Access::Look, "petrio fs verify")?)
}

pub(crate) fn remove(directories: &Directories) -> Result<Removed, NamespaceError> {
    petrio_live::namespace::remove(Site::of(directories, Access::Change, "petrio fs remove")?)
}

#[test]
fn files_are_made_verified_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path().join("files"));
    let manifest = manifest(1);
    let namespace = manifest.namespace().unwrap();
    let created = create(&manifest, &directories, false, |_| true).unwrap();
    assert_eq!((created.made, created.found), (namespace.entries.len() as u64, 0));
    assert_eq!(created.bytes, namespace.bytes());
    assert!(verify(&directories).unwrap().is_right());
    // The largest file has its size, and a name from its category.
    let largest = (0..).zip(&namespace.entries).max_by_key(|(_, entry)| entry.size).unwrap().0;
    let path = directories.main.join(namespace.path(largest));
    assert_eq!(fs::metadata(&path).unwrap().len(), namespace.entries[largest as usize].size);
    // Whatever is changed is found.
    fs::write(&path, "short").unwrap();
    fs::write(directories.main.join("home/u001/stranger"), "").unwrap();
    let file =
        namespace.entries.iter().position(|entry| entry.name.to_string().starts_with("user-read")).unwrap()
            as u32;
    let gone = directories.main.join(namespace.path(file));
    fs::remove_file(&gone).unwrap();
    let verified = verify(&directories).unwrap();
    assert_eq!((verified.wrong, verified.missing), (vec![path], vec![gone]));
    assert_eq!(verified.extra, [directories.main.join("home/u001/stranger")]);
    // What isn't petrio's stays, and the directories around it.
    let removed = remove(&directories).unwrap();
    assert_eq!(removed.kept.len(), 2, "{removed:?}");
    assert!(
        directories.main.join("home/u001/stranger").is_file() && directories.main.join(MANIFEST).is_file()
    );
    fs::remove_file(directories.main.join("home/u001/stranger")).unwrap();
    assert!(remove(&directories).unwrap().kept.is_empty());
    assert_eq!(fs::read_dir(&directories.main).unwrap().count(), 0);
    assert!(matches!(remove(&directories), Err(NamespaceError::NoManifest { .. })));
}

#[test]
fn a_creation_that_was_stopped_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    let manifest = manifest(2);
    let stopped = create(&manifest, &directories, false, |made| made < 256);
    assert!(matches!(stopped, Err(NamespaceError::Stopped)), "{stopped:?}");
    assert!(!verify(&directories).unwrap().complete);
    // One was being written.
    let namespace = manifest.namespace().unwrap();
    let large = (0_u32..200).find(|at| {
        namespace.entries[*at as usize].size > 2_000
            && namespace.entries[*at as usize].name.to_string().starts_with("other-read")
    });
    let half = directories.main.join(namespace.path(large.unwrap()));
    fs::OpenOptions::new().write(true).open(&half).unwrap().set_len(700).unwrap();
    let created = create(&manifest, &directories, false, |_| true).unwrap();
    assert_eq!(created.made + created.found, namespace.entries.len() as u64);
    assert!(created.found > 200, "{created:?}");
    assert!(verify(&directories).unwrap().is_right());
    // Files of another seed aren't mixed with them.
    let other = create(&self::manifest(3), &directories, false, |_| true);
    assert!(matches!(other, Err(NamespaceError::Other { .. })), "{other:?}");
}

#[test]
fn nothing_is_put_beside_what_is_there_unless_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine"), "mine").unwrap();
    let directories = Directories::one(folder.path());
    let refused = create(&manifest(1), &directories, false, |_| true);
    assert!(matches!(refused, Err(NamespaceError::NotEmpty { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    create(&manifest(1), &directories, true, |_| true).unwrap();
    assert!(remove(&directories).unwrap().kept.is_empty());
    assert_eq!(fs::read_to_string(folder.path().join("mine")).unwrap(), "mine");
}

#[test]
fn owners_may_lie_on_other_places() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = manifest(4);
    manifest.specification.files.place = [("notes".to_owned(), "server".to_owned())].into_iter().collect();
    let main = folder.path().join("main");
    let others = [("server".to_owned(), folder.path().join("server"))].into_iter().collect();
    let directories = Directories { main: main.clone(), others };
    create(&manifest, &directories, false, |_| true).unwrap();
    assert!(folder.path().join("server/notes").is_dir() && main.join("notes").is_symlink());
    assert!(main.join("home/u002").is_dir());
    assert!(verify(&directories).unwrap().is_right());
    assert_eq!(create(&manifest, &directories, false, |_| true).unwrap().made, 0);
    // Where they lie is said anew each time, and can't be changed by a word.
    let one = Directories::one(&main);
    for refused in
        [verify(&one).map(drop), remove(&one).map(drop), create(&manifest, &one, false, |_| true).map(drop)]
    {
        let error = refused.unwrap_err();
        assert!(error.help().unwrap().to_string().contains("--dir server="), "{error}");
    }
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    let moved = [("server".to_owned(), folder.path().join("elsewhere"))].into_iter().collect();
    let moved = verify(&Directories { main: main.clone(), others: moved });
    assert!(matches!(moved, Err(NamespaceError::Place { .. })), "{moved:?}");
    assert!(remove(&directories).unwrap().kept.is_empty());
    for left in [&main, &folder.path().join("server")] {
        assert_eq!(fs::read_dir(left).unwrap().count(), 0);
    }
    // Left out, a place lies in the main directory like everything else.
    create(&manifest, &one, false, |_| true).unwrap();
    assert!(main.join("notes").is_dir() && !main.join("notes").is_symlink());
    assert!(remove(&one).unwrap().kept.is_empty());
}

#[test]
fn a_file_system_that_is_too_small_is_told_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = manifest(1);
    for category in manifest.specification.category.values_mut() {
        category.size =
            toml::from_str::<std::collections::BTreeMap<String, _>>("size = { constant = \"1 TiB\" }")
                .unwrap()
                .remove("size")
                .unwrap();
    }
    manifest.specification.category.retain(|name, _| name == "notes-read");
    manifest.specification.user.clear();
    let refused = create(&manifest, &Directories::one(folder.path()), false, |_| true);
    assert!(matches!(refused, Err(NamespaceError::NoRoom { .. })), "{refused:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
