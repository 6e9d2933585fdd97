//! Somebody changes names all the time while petrio makes and removes files: what is outside stays byte for byte.
#![allow(clippy::unwrap_used)]

use crate::namespace::{create, manifest, remove};
use crate::namespace_foreign::snapshot;
use petrio_live::namespace::Directories;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Calls something all the time while something else is done; how often.
fn meanwhile(again: impl Fn() + Sync, work: impl FnOnce()) -> u64 {
    let (ended, times) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                again();
                times.fetch_add(1, Ordering::Relaxed);
            }
        });
        // It ends even if the work fails.
        struct Ended<'a>(&'a AtomicBool);
        impl Drop for Ended<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _ended = Ended(&ended);
        work();
    });
    times.into_inner()
}

/// In memory where that can be: more happens at once there.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

fn swap(one: &Path, other: &Path) {
    let _ = renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
}

#[test]
fn directories_swapped_for_links_while_files_are_made_and_removed_lead_nobody_away() {
    let folder = folder();
    let directories = Directories::one(folder.path().join("files"));
    let victim = folder.path().join("victim");
    // What is outside has the same names.
    create(&manifest(1), &Directories::one(&victim), false, |_| true).unwrap();
    let before = snapshot(&victim);
    let links = ["home", "notes", "home/u001"].map(|name| {
        let link = folder.path().join(format!("link-{}", name.replace('/', "-")));
        symlink(victim.join(name), &link).unwrap();
        (directories.main.join(name), link)
    });
    let swapping = || {
        for (directory, link) in &links {
            swap(directory, link);
            std::thread::yield_now();
            swap(directory, link);
        }
    };
    // What was made is found again, wherever it was.
    let all_removed = || {
        for (directory, link) in &links {
            if directory.is_symlink() {
                swap(directory, link);
            }
        }
        if directories.main.join(petrio_live::namespace::MANIFEST).exists() {
            let removed = remove(&directories).unwrap();
            assert!(removed.kept.is_empty(), "{removed:?}");
        }
    };
    let mut times = 0;
    for _ in 0..10 {
        times += meanwhile(swapping, || drop(create(&manifest(1), &directories, true, |_| true)));
        all_removed();
        create(&manifest(1), &directories, true, |_| true).unwrap();
        times += meanwhile(swapping, || drop(remove(&directories)));
        all_removed();
    }
    assert!(times > 20, "{times}");
    assert_eq!(snapshot(&victim), before);
}

#[test]
fn a_file_of_the_users_own_that_takes_a_name_in_the_last_moment_is_not_removed() {
    let folder = folder();
    let directories = Directories::one(folder.path().join("files"));
    let namespace = manifest(1).namespace().unwrap();
    let file = (0..).find(|at| namespace.path(*at).starts_with("notes/notes-read")).unwrap();
    let (name, own) = (directories.main.join(namespace.path(file)), folder.path().join("own"));
    let mut times = 0;
    for _ in 0..12 {
        create(&manifest(1), &directories, false, |_| true).unwrap();
        fs::write(&own, "precious").unwrap();
        let removed = std::cell::Cell::new(None);
        times += meanwhile(|| swap(&name, &own), || removed.set(Some(remove(&directories))));
        // Wherever it is now, it is there.
        let both = [&name, &own];
        let precious = both.iter().filter(|path| fs::read(path).is_ok_and(|text| text == b"precious"));
        assert_eq!(precious.count(), 1, "{:?}", removed.take());
        let _ = fs::remove_file(&name);
        let _ = fs::remove_file(&own);
        if directories.main.join(petrio_live::namespace::MANIFEST).exists() {
            remove(&directories).unwrap();
        }
        let _ = fs::remove_dir_all(&directories.main);
    }
    assert!(times > 100, "{times}");
}
