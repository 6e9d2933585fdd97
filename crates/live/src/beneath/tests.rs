//! Nothing leads out of a directory that is held open.

#![allow(clippy::unwrap_used)]
use super::*;
use std::fs;
use std::os::unix::fs::symlink;

/// A way to look names up.
type Lookup = fn(BorrowedFd<'_>, &Path, OFlags, Mode) -> Result<OwnedFd, Errno>;

/// With the kernel's own call and without.
const WAYS: [Lookup; 2] = [open_beneath, walk];

#[test]
fn neither_links_nor_dots_lead_away_with_the_kernels_lookup_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let [inside, outside] = ["inside", "outside"].map(|name| folder.path().join(name));
    fs::create_dir_all(inside.join("a/b")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("victim"), "precious").unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    symlink("../outside", inside.join("a/up")).unwrap();
    symlink(outside.join("victim"), inside.join("a/file")).unwrap();
    fs::write(inside.join("a/b/own"), "own").unwrap();
    let directory = Directory::open(&inside).unwrap();
    for way in WAYS {
        let open = |below: &str| {
            way(directory.as_fd(), Path::new(below), OFlags::RDONLY | FOLLOW_NOTHING, Mode::empty())
        };
        assert!(open("a/b/own").is_ok());
        for below in ["link/victim", "a/up/victim", "a/file", "../outside/victim", "link", "/"] {
            assert!(open(below).is_err(), "{below}");
        }
        assert!(way(directory.as_fd(), &outside, OFlags::RDONLY, Mode::empty()).is_err());
    }
}

#[test]
fn a_directory_that_is_swapped_for_a_link_all_the_time_never_leads_away() {
    let folder = tempfile::tempdir().unwrap();
    let [inside, outside] = ["inside", "outside"].map(|name| folder.path().join(name));
    fs::create_dir_all(inside.join("d")).unwrap();
    fs::create_dir(&outside).unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    let directory = Directory::open(&inside).unwrap();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let swap = |one: &str, other: &str| {
                    let (one, other) = (inside.join(one), inside.join(other));
                    rustix::fs::renameat_with(
                        rustix::fs::CWD,
                        &one,
                        rustix::fs::CWD,
                        &other,
                        RenameFlags::EXCHANGE,
                    )
                };
                swap("d", "link").unwrap();
            }
        });
        for number in 0..4_000 {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FOLLOW_NOTHING;
            let below = format!("d/{number}");
            let _ = WAYS[number % 2](directory.as_fd(), Path::new(&below), flags, Mode::from_raw_mode(0o600));
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_file_is_known_again_and_another_of_its_name_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::open(folder.path()).unwrap();
    let name = OsStr::new("file");
    drop(directory.make_file(name).unwrap());
    let there = directory.look(name).unwrap().unwrap();
    assert!(there.is_marked && there.is(there.identity));
    fs::write(folder.path().join("file"), "changed").unwrap();
    assert!(directory.look(name).unwrap().unwrap().is(there.identity));
    // Where births aren't recorded, the number and the mark.
    let unborn = There { identity: Identity { born_ns: 0, ..there.identity }, ..there };
    assert!(unborn.is(unborn.identity));
    assert!(!There { is_marked: false, ..unborn }.is(unborn.identity));
    fs::remove_file(folder.path().join("file")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(folder.path().join("file"), "changed").unwrap();
    let other = directory.look(name).unwrap().unwrap();
    assert!(!other.is_marked && !other.is(there.identity) && !other.is(Identity::NONE));
}
