//! Files that petrio hasn't made, in its way by whatever accident or malice: they stay as they are, and are told.
#![allow(clippy::unwrap_used)]

use crate::namespace::{create, manifest, remove, verify};
use miette::Diagnostic;
use petrio_live::namespace::{Access, Directories, MANIFEST, NamespaceError, Site, Why};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const JOURNAL: &str = ".petrio-files.made";

/// Everything below a directory, with what is in it; who has worked there last may change.
#[derive(PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Option<Vec<u8>>>);

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes = self.0.iter().map(|(path, content)| (path, content.as_ref().map(Vec::len)));
        formatter.debug_map().entries(sizes).finish()
    }
}

pub(crate) fn snapshot(directory: &Path) -> Snapshot {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            all.extend(snapshot(&path).0);
            all.insert(path, None);
        } else if entry.file_type().unwrap().is_symlink() {
            all.insert(
                path.clone(),
                Some(fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()),
            );
        } else if entry.file_name() != ".petrio-files.lock" {
            all.insert(path.clone(), Some(fs::read(path).unwrap()));
        }
    }
    Snapshot(all)
}

/// A directory of files, and another one with files of the same names that are the user's own.
fn files_and_victim(folder: &Path) -> (Directories, PathBuf) {
    let directories = Directories::one(folder.join("files"));
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let victim = folder.join("victim");
    fs::create_dir(&victim).unwrap();
    for (path, content) in snapshot(&directories.main.join("home/u001")).0 {
        let own = victim.join(path.strip_prefix(directories.main.join("home/u001")).unwrap());
        match content {
            None => fs::create_dir_all(&own).unwrap(),
            Some(_) => {
                fs::create_dir_all(own.parent().unwrap()).unwrap();
                fs::write(own, "precious").unwrap();
            }
        }
    }
    (directories, victim)
}

#[test]
fn a_file_of_the_users_own_survives_create_by_force_and_remove() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    let namespace = manifest(1).namespace().unwrap();
    let is_a_users = |at: &u32| {
        namespace.path(*at).starts_with("home/u001/") && namespace.path(*at).contains("user-read-")
    };
    let file = (0..).find(is_a_users).unwrap();
    let own = folder.path().join(namespace.path(file));
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "precious").unwrap();
    let before = snapshot(folder.path());
    for _ in 0..2 {
        let refused = create(&manifest(1), &directories, true, |_| true);
        assert!(matches!(refused, Err(NamespaceError::Taken { .. })), "{refused:?}");
        assert_eq!(snapshot(folder.path()), before);
        assert!(matches!(remove(&directories), Err(NamespaceError::NoManifest { .. })));
        assert_eq!(snapshot(folder.path()), before);
    }
}

#[test]
fn a_place_that_a_manifest_names_is_not_reached() {
    let folder = tempfile::tempdir().unwrap();
    let mut manifest = manifest(1);
    manifest.specification.files.place = [("user".to_owned(), "p".to_owned())].into_iter().collect();
    let directories = Directories::one(folder.path().join("files"));
    create(&manifest, &directories, false, |_| true).unwrap();
    let victim = folder.path().join("victim");
    assert!(Command::new("cp").arg("-a").args([&directories.main, &victim]).status().unwrap().success());
    let before = snapshot(&victim);
    let path = directories.main.join(MANIFEST);
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    json["places"] = serde_json::json!({ "p": victim });
    fs::write(&path, json.to_string()).unwrap();
    let _ = remove(&directories);
    let _ = create(&manifest, &directories, false, |_| true);
    // Even given on the command line, it isn't the directory in which they were made.
    let others = [("p".to_owned(), victim.clone())].into_iter().collect();
    let given = Directories { main: directories.main.clone(), others };
    for refused in [remove(&given).map(drop), create(&manifest, &given, false, |_| true).map(drop)] {
        assert!(refused.is_err());
    }
    assert_eq!(snapshot(&victim), before);
}

#[test]
fn a_link_in_place_of_a_directory_leads_nobody_away() {
    let folder = tempfile::tempdir().unwrap();
    let (directories, victim) = files_and_victim(folder.path());
    let before = snapshot(&victim);
    let home = directories.main.join("home/u001");
    fs::rename(&home, folder.path().join("moved")).unwrap();
    symlink(&victim, &home).unwrap();
    // One that isn't whole is gone on with.
    fs::remove_file(directories.main.join("home/u002/user-read-write-1")).unwrap_or_default();
    let resumed = create(&manifest(1), &directories, true, |_| true);
    assert!(matches!(resumed, Err(NamespaceError::Taken { .. })), "{resumed:?}");
    let verified = verify(&directories).unwrap();
    assert_eq!(verified.wrong, std::slice::from_ref(&home));
    let removed = remove(&directories).unwrap();
    assert!(removed.kept.iter().any(|kept| kept.path == home && kept.why == Why::Another), "{removed:?}");
    assert!(home.is_symlink());
    assert_eq!(snapshot(&victim), before);
    // So for a directory that is one, and for what was moved away.
    fs::remove_file(&home).unwrap();
    fs::rename(&victim, &home).unwrap();
    let before = snapshot(&home);
    assert!(!remove(&directories).unwrap().kept.is_empty());
    assert!(create(&manifest(1), &directories, true, |_| true).is_err());
    assert_eq!(snapshot(&home), before);
    // In its place again, what petrio made is removed.
    fs::rename(&home, &victim).unwrap();
    fs::rename(folder.path().join("moved"), &home).unwrap();
    assert!(remove(&directories).unwrap().kept.is_empty());
    assert_eq!(fs::read_dir(&directories.main).unwrap().count(), 0);
}

#[test]
fn a_forged_manifest_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    fs::write(folder.path().join("home/u001/thesis-0.tex"), "precious").unwrap();
    let before = snapshot(&folder.path().join("home"));
    let path = folder.path().join(MANIFEST);
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"share\":", "\"name\":\"thesis-{number}.tex\",\"share\":"),
        ("\"users\":2", "\"users\":3"),
        ("\"seed\":1", "\"seed\":2"),
    ] {
        assert!(text.contains(from));
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let refused = remove(&directories);
        assert!(matches!(refused, Err(NamespaceError::Manifest { .. })), "{refused:?}");
        assert_eq!(snapshot(&folder.path().join("home")), before);
    }
    // With the journal changed to match, a name is still not enough.
    fs::write(&path, &text).unwrap();
    let journal = folder.path().join(JOURNAL);
    let made = fs::read_to_string(&journal).unwrap();
    let forged = made.lines().map(|line| match line.strip_prefix("made ") {
        Some(rest) => format!("made {} 1 1\n", rest.split(' ').next().unwrap()),
        None => format!("{line}\n"),
    });
    fs::write(&journal, forged.collect::<String>()).unwrap();
    let removed = remove(&directories).unwrap();
    assert_eq!(removed.removed, 0);
    assert!(!removed.kept.is_empty());
    assert_eq!(snapshot(&folder.path().join("home")), before);
}

#[test]
fn a_manifest_of_another_directory_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path().join("files"));
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let copy = Directories::one(folder.path().join("copy"));
    assert!(Command::new("cp").arg("-a").args([&directories.main, &copy.main]).status().unwrap().success());
    let before = snapshot(&copy.main);
    for refused in [remove(&copy).map(drop), create(&manifest(1), &copy, true, |_| true).map(drop)] {
        assert!(matches!(refused, Err(NamespaceError::Foreign { .. })), "{refused:?}");
    }
    assert_eq!(snapshot(&copy.main), before);
    // Under another name it is still the same.
    let renamed = Directories::one(folder.path().join("renamed"));
    fs::rename(&directories.main, &renamed.main).unwrap();
    assert!(verify(&renamed).unwrap().is_right());
    assert!(remove(&renamed).unwrap().kept.is_empty());
}

#[test]
fn what_was_put_in_place_of_petrios_file_is_kept_and_what_was_written_into_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let files: Vec<PathBuf> = snapshot(&folder.path().join("home"))
        .0
        .into_iter()
        .filter_map(|(path, content)| content.filter(|bytes| bytes.len() > 10).map(|_| path))
        .take(4)
        .collect();
    let [replaced, written, renamed, linked] = &files[..] else { panic!("{files:?}") };
    // Removed and made anew: the file system may well give it the same number.
    fs::remove_file(replaced).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(replaced, "precious").unwrap();
    fs::write(written, "of no interest").unwrap();
    // As editors save.
    fs::write(folder.path().join("new"), "precious").unwrap();
    fs::rename(folder.path().join("new"), renamed).unwrap();
    // A second name of a file of the user's own.
    fs::write(folder.path().join("own"), "precious").unwrap();
    fs::remove_file(linked).unwrap();
    fs::hard_link(folder.path().join("own"), linked).unwrap();
    let created = create(&manifest(1), &directories, true, |_| true);
    assert!(matches!(created, Err(NamespaceError::Taken { more: 2, .. })), "{created:?}");
    assert_eq!(verify(&directories).unwrap().wrong.len(), 4);
    let removed = remove(&directories).unwrap();
    let another: Vec<&PathBuf> =
        removed.kept.iter().filter(|kept| kept.why == Why::Another).map(|kept| &kept.path).collect();
    assert_eq!(another.len(), 3, "{removed:?}");
    for kept in [replaced, renamed, linked] {
        assert_eq!(fs::read_to_string(kept).unwrap(), "precious");
        assert!(another.contains(&kept));
        fs::remove_file(kept).unwrap();
    }
    assert!(!written.exists());
    assert!(remove(&directories).unwrap().kept.is_empty());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_journal_that_others_could_have_written_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let journal = folder.path().join(JOURNAL);
    let before = snapshot(folder.path());
    let refused = |words: &str| {
        let error = remove(&directories).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.help().is_some());
    };
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o666)).unwrap();
    refused("others can write to it");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(snapshot(folder.path()), before);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&journal, Some(65_534), None).unwrap();
        refused("belongs to another user");
        std::os::unix::fs::chown(&journal, Some(0), None).unwrap();
    } else {
        #[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
        {
            println!(
                "skipped: a_journal_that_others_could_have_written_is_not_believed: half of it needs root"
            );
        }
    }
    let aside = folder.path().join("journal");
    fs::rename(&journal, &aside).unwrap();
    refused("is missing");
    symlink(&aside, &journal).unwrap();
    assert!(remove(&directories).is_err());
    fs::remove_file(&journal).unwrap();
    fs::rename(&aside, &journal).unwrap();
    assert!(remove(&directories).unwrap().kept.is_empty());
}

#[test]
fn accounts_that_lead_elsewhere_are_neither_read_nor_written() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path().join("files"));
    fs::create_dir(&directories.main).unwrap();
    let victim = folder.path().join("victim");
    for name in [MANIFEST, ".petrio-files.json.new", ".petrio-files.made", ".petrio-files.lock"] {
        for is_hard in [false, true] {
            fs::write(&victim, "precious").unwrap();
            let link = directories.main.join(name);
            if is_hard { fs::hard_link(&victim, &link) } else { symlink(&victim, &link) }.unwrap();
            let _ = create(&manifest(1), &directories, false, |_| true);
            let _ = remove(&directories);
            assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{name} {is_hard}");
            fs::remove_dir_all(&directories.main).unwrap();
            fs::create_dir(&directories.main).unwrap();
        }
    }
}

#[test]
fn two_do_not_work_in_one_directory_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let removing = Site::of(&directories, Access::Change, "petrio fs remove").unwrap();
    for refused in [
        create(&manifest(1), &directories, true, |_| true).map(drop),
        verify(&directories).map(drop),
        remove(&directories).map(drop),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, NamespaceError::AtWork { .. }), "{error}");
        assert!(error.to_string().contains("petrio fs remove, process "), "{error}");
    }
    drop(removing);
    let looking = Site::of(&directories, Access::Look, "petrio fs verify").unwrap();
    assert!(verify(&directories).unwrap().is_right());
    assert!(matches!(remove(&directories), Err(NamespaceError::AtWork { .. })));
    drop(looking);
    assert!(remove(&directories).unwrap().kept.is_empty());
}

#[test]
fn what_users_at_work_have_left_goes_and_what_only_has_such_a_name_stays() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let [left, own] =
        ["user-new-made-0-1", "user-new-made-0-2"].map(|name| folder.path().join("home/u001").join(name));
    fs::write(&left, "").unwrap();
    fs::set_permissions(&left, fs::Permissions::from_mode(0o1644)).unwrap();
    fs::write(&own, "precious").unwrap();
    let site = Site::of(&directories, Access::Change, "petrio users run").unwrap();
    let refused = site.cleared_homes().unwrap_err();
    assert!(matches!(&refused, NamespaceError::Taken { path, more: 0 } if *path == own), "{refused}");
    assert!(!left.exists());
    drop(site);
    let removed = remove(&directories).unwrap();
    assert!(
        removed.kept.iter().all(|kept| kept.why == Why::HoldsOther) && removed.kept.len() == 2,
        "{removed:?}"
    );
    assert_eq!(fs::read_to_string(&own).unwrap(), "precious");
}

#[test]
fn more_files_than_there_may_be_are_refused_before_they_are_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let path = folder.path().join(MANIFEST);
    let text = fs::read_to_string(&path).unwrap().replacen("\"users\":2", "\"users\":2147483647", 1);
    fs::write(&path, text).unwrap();
    let error = verify(&directories).unwrap_err().to_string();
    assert!(error.starts_with("users: 2147483647 users"), "{error}");
}

#[test]
fn files_of_an_earlier_petrio_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::one(folder.path());
    create(&manifest(1), &directories, false, |_| true).unwrap();
    let path = folder.path().join(MANIFEST);
    let text = fs::read_to_string(&path).unwrap().replacen("\"version\":2", "\"version\":1", 1);
    fs::write(&path, text).unwrap();
    let before = snapshot(folder.path());
    let error = remove(&directories).unwrap_err();
    assert!(error.to_string().contains("an earlier petrio"), "{error}");
    assert!(error.help().unwrap().to_string().contains("yourself"));
    assert_eq!(snapshot(folder.path()), before);
}
