//! Records of living and of dead processes.

#![allow(clippy::unwrap_used)]
use super::record::Record;
use super::sweep::sweep_in;
use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A private folder for records, and things that are under way.
fn scene() -> (tempfile::TempDir, PathBuf, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let [state, part, tree] = ["state", ".part", "tree"].map(|name| folder.path().join(name));
    fs::write(&part, "half").unwrap();
    fs::create_dir_all(tree.join("deep/deeper")).unwrap();
    (folder, state, part, tree)
}

#[test]
fn what_a_living_process_does_is_left_alone_and_what_a_dead_one_left_is_cleared() {
    let (_folder, state, part, tree) = scene();
    let mut record = Record::create(&state).unwrap();
    record.write_down(PART_FILE, &part);
    record.write_down(TREE, &tree);
    assert!(sweep_in(&state, &[]).is_empty());
    assert!(part.exists() && tree.exists());
    // Its lock goes with it.
    drop(record);
    let swept = sweep_in(&state, &[]);
    assert_eq!(swept.iter().map(|swept| swept.kind.as_str()).collect::<Vec<_>>(), [TREE, PART_FILE]);
    assert!(!part.exists() && !tree.exists());
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
    assert!(sweep_in(&state, &[]).is_empty());
}

#[test]
fn a_kind_that_nobody_knows_stays_recorded_until_somebody_does() {
    let (_folder, state, part, _) = scene();
    Record::create(&state).unwrap().write_down("mount", &part);
    assert!(sweep_in(&state, &[]).is_empty());
    let clear: Clear = |path| Ok(path.ends_with(".part"));
    assert_eq!(sweep_in(&state, &[("mount", clear)]).len(), 1);
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0);
    assert!(part.exists());
}

#[test]
fn a_failure_is_told_and_tried_again() {
    let (_folder, state, part, tree) = scene();
    Record::create(&state).unwrap().write_down(PART_FILE, &tree);
    assert!(sweep_in(&state, &[])[0].failure.is_some());
    assert!(tree.exists() && part.exists());
    assert!(sweep_in(&state, &[])[0].failure.is_some());
}

#[test]
fn half_a_line_other_machines_and_foreign_files_clear_nothing() {
    let (_folder, state, part, _) = scene();
    Record::create(&state).unwrap().write_down(PART_FILE, &part);
    let name = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&name).unwrap();
    let (head, line) = text.split_once('\n').unwrap();
    let other = head.rsplit_once(' ').unwrap().0.to_owned() + " elsewhere:boot";
    for forged in
        [format!("{head}\n{}", line.trim_end()), format!("{other}\n{line}"), format!("anything\n{line}")]
    {
        fs::write(&name, &forged).unwrap();
        assert!(sweep_in(&state, &[]).is_empty(), "{forged}");
        assert!(part.exists(), "{forged}");
        // What is no record of this machine stays; a record in which nothing is left goes.
        fs::write(&name, &text).unwrap();
    }
    assert_eq!(sweep_in(&state, &[]).len(), 1);
}

#[test]
fn a_folder_that_others_can_write_to_is_not_believed() {
    let (_folder, state, part, _) = scene();
    Record::create(&state).unwrap().write_down(PART_FILE, &part);
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(sweep_in(&state, &[]).is_empty());
    assert!(Record::create(&state).is_none());
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    let link = state.with_file_name("link");
    std::os::unix::fs::symlink(&state, &link).unwrap();
    assert!(sweep_in(&link, &[]).is_empty());
    assert!(part.exists());
    assert_eq!(sweep_in(&state, &[]).len(), 1);
}

#[test]
fn what_ended_is_not_swept() {
    // In this process's own record, wherever that lies.
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    fs::write(&kept, "").unwrap();
    drop(begin(PART_FILE, &kept));
    let _ = sweep(&[]);
    assert!(Path::new(&kept).exists());
}
