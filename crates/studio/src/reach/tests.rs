//! Which files are had, by which names, and what happens while these are changed.

#![allow(clippy::unwrap_used)]
use super::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

/// A folder with `here`, in which the studio is started, and `there` beside it, with a specification. Each file holds
/// its own path.
fn folders() -> (tempfile::TempDir, Reach) {
    let all = tempfile::tempdir().unwrap();
    for name in ["here/deep", "there/deep"] {
        fs::create_dir_all(all.path().join(name)).unwrap();
    }
    for name in ["here/a.csv", "here/deep/b.csv", "there/users.toml", "there/deep/c.csv", "d.csv"] {
        fs::write(all.path().join(name), name).unwrap();
    }
    let reach = Reach::within(&all.path().join("here"), Some(Path::new("../there/users.toml"))).unwrap();
    (all, reach)
}

/// What is read there.
fn read(reach: &Reach, path: impl AsRef<Path>) -> Result<String, Unreached> {
    let mut opened = reach.open(path.as_ref())?;
    let mut text = String::new();
    opened.file.read_to_string(&mut text).unwrap();
    assert_eq!(fs::read_to_string(&opened.path).unwrap(), text, "the same by its other path");
    Ok(text)
}

#[test]
fn what_lies_below_the_folder_or_beside_the_specification_is_within_reach() {
    let (all, reach) = folders();
    for (path, file) in [
        ("a.csv", "here/a.csv"),
        ("deep/b.csv", "here/deep/b.csv"),
        ("deep/../a.csv", "here/a.csv"),
        ("../here/a.csv", "here/a.csv"),
        ("../there/users.toml", "there/users.toml"),
    ] {
        assert_eq!(read(&reach, path).unwrap(), file, "{path}");
        assert_eq!(read(&reach, all.path().join("here").join(path)).unwrap(), file, "{path}");
    }
    for path in ["a.csv", "deep/new.toml", "../there/users.toml", "../there/new.toml"] {
        reach.write(Path::new(path), path).unwrap();
        assert_eq!(fs::read_to_string(all.path().join("here").join(path)).unwrap(), path);
        assert_eq!(read(&reach, path).unwrap(), path);
    }
    assert!(reach.write(Path::new("none/new.toml"), "").unwrap_err().is_missing());
    assert!(reach.open(Path::new("none.toml")).unwrap_err().is_missing());
    assert!(matches!(reach.open(Path::new("deep")).unwrap_err(), Unreached::NoFile(_)));
    let outside = all.path().join("d.csv");
    assert_eq!(read(&Reach::Everything, &outside).unwrap(), "d.csv");
    Reach::Everything.write(&outside, "new").unwrap();
    assert_eq!(read(&Reach::Everything, &outside).unwrap(), "new");
}

#[test]
fn a_specification_that_is_a_link_is_within_reach_and_what_lies_beside_its_goal_is_not() {
    let (all, _) = folders();
    let here = all.path().join("here");
    symlink(all.path().join("there/users.toml"), here.join("link.toml")).unwrap();
    let reach = Reach::within(&here, Some(Path::new("link.toml"))).unwrap();
    assert_eq!(read(&reach, "link.toml").unwrap(), "there/users.toml");
    reach.write(Path::new("link.toml"), "new").unwrap();
    assert_eq!(fs::read_to_string(all.path().join("there/users.toml")).unwrap(), "new");
    assert!(here.join("link.toml").symlink_metadata().unwrap().is_symlink());
    assert!(matches!(reach.write(Path::new("../there/new.toml"), "").unwrap_err(), Unreached::Outside(_)));
}

#[test]
fn neither_dots_nor_links_lead_out() {
    let (all, reach) = folders();
    let here = all.path().join("here");
    symlink(all.path().join("d.csv"), here.join("file-link.csv")).unwrap();
    symlink(all.path(), here.join("folder-link")).unwrap();
    symlink(all.path().join("to-be-made.csv"), here.join("dangling.csv")).unwrap();
    symlink(here.join("deep"), here.join("inner-link")).unwrap();
    symlink("deep/b.csv", here.join("near-link.csv")).unwrap();
    symlink("../../../../../../../../../../etc/hostname", here.join("far-link")).unwrap();
    for path in [
        "../d.csv",
        "deep/../../d.csv",
        "none/../../d.csv",
        "../there/deep/c.csv",
        "file-link.csv",
        "folder-link/d.csv",
        "folder-link/new.csv",
        "dangling.csv",
        "far-link",
        "inner-link/../../d.csv",
        "..",
        "/etc/hostname",
        "/no/such/file",
    ] {
        let path = Path::new(path);
        for refused in [reach.open(path).map(drop), reach.write(path, "changed")] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{} lies outside of ", path.display())), "{refused}");
        }
    }
    assert_eq!(fs::read_to_string(all.path().join("d.csv")).unwrap(), "d.csv");
    assert!(!all.path().join("to-be-made.csv").exists());
    // Links that lead to what lies below.
    assert_eq!(read(&reach, "inner-link/b.csv").unwrap(), "here/deep/b.csv");
    for link in ["near-link.csv", "inner-link/b.csv"] {
        reach.write(Path::new(link), link).unwrap();
        assert_eq!(fs::read_to_string(here.join("deep/b.csv")).unwrap(), link);
    }
    assert!(here.join("near-link.csv").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere_else() {
    let (all, reach) = folders();
    let [here, there] = ["here", "there"].map(|name| all.path().join(name));
    fs::write(there.join("deep/b.csv"), "secret").unwrap();
    symlink(there.join("deep"), here.join("other")).unwrap();
    let enough = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !enough.load(Ordering::Relaxed) {
                let _ = renameat_with(CWD, here.join("deep"), CWD, here.join("other"), RenameFlags::EXCHANGE);
            }
        });
        for turn in 0..3_000 {
            match reach.open(Path::new("deep/b.csv")) {
                Ok(mut opened) => {
                    let mut text = String::new();
                    opened.file.read_to_string(&mut text).unwrap();
                    assert_ne!(text, "secret", "after {turn} reads");
                    assert_ne!(fs::read_to_string(&opened.path).unwrap(), "secret", "after {turn} reads");
                    inside += 1;
                }
                Err(_) => refused += 1,
            }
            let _ = reach.write(Path::new("deep/b.csv"), "written");
        }
        enough.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(there.join("deep/b.csv")).unwrap(), "secret");
    assert!(inside > 0 && refused > 0, "{inside} reads, {refused} refusals: nothing was raced");
}

#[test]
fn a_scenario_finds_its_files_and_none_elsewhere() {
    let (all, reach) = folders();
    let here = all.path().join("here");
    let room = tempfile::tempdir().unwrap();
    let long = "long ".repeat(99);
    let inside = format!(
        "title = \"{long}\"\n[disk.d]\nfile = \"b.csv\"\n[[fs]]\non = {{ all = [\"d\", \"../a.csv\", \"none.csv\"] }}"
    );
    let (folder, held) = reach.folder_of(Path::new("deep/s.toml"), &inside, room.path()).unwrap();
    assert_eq!(held.len(), 2);
    assert_eq!(fs::read_to_string(folder.join("b.csv")).unwrap(), "here/deep/b.csv");
    assert_eq!(fs::read_to_string(folder.join("../a.csv")).unwrap(), "here/a.csv");
    // What comes to lie there later isn't looked at.
    fs::rename(here.join("a.csv"), here.join("gone.csv")).unwrap();
    symlink(all.path().join("d.csv"), here.join("a.csv")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("../a.csv")).unwrap(), "here/a.csv");
    for outside in ["a = \"/etc/passwd\"", "[[a]]\nb = { c = [\"../d.csv\"] }", "a = \"a.csv\""] {
        let room = tempfile::tempdir().unwrap();
        assert!(reach.folder_of(Path::new("s.toml"), outside, room.path()).is_err(), "{outside}");
        let everything = Reach::Everything.folder_of(Path::new("some/s.toml"), outside, room.path());
        assert_eq!(everything.unwrap().0, Path::new("some"));
    }
}
