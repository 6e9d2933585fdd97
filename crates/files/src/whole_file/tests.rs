//! Files that are whole or absent, and what is written through.

#![allow(clippy::unwrap_used)]
use super::*;
use std::fs;
use std::io::Read;

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = WholeFile::create(path, &Inputs::none())?;
    file.write_all(text.as_bytes())?;
    file.finish()
}

#[test]
fn a_file_that_is_not_finished_leaves_the_old_one_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    fs::write(&path, "old").unwrap();
    let mut file = WholeFile::create(&path, &Inputs::none()).unwrap();
    file.write_all(b"half of the ne").unwrap();
    drop(file);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    write(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_missing_folder_is_named() {
    let error = WholeFile::create(Path::new("/no-such-folder/report.json"), &Inputs::none()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert_eq!(error.to_string(), "the folder /no-such-folder doesn't exist");
}

#[test]
fn what_is_no_regular_file_is_written_through() {
    write(Path::new("/dev/null"), "text").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(write(Path::new("/dev/full"), "text").is_err());
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
    // Checking doesn't open: who reads the pipe sees one writer.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    WholeFile::check(&pipe, &Inputs::none()).unwrap();
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let mut text = String::new();
            File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            text
        })
    };
    write(&pipe, "through the pipe").unwrap();
    assert_eq!(reader.join().unwrap(), "through the pipe");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link, loops] = ["file", "link", "loops"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink("file", &link).unwrap();
    std::os::unix::fs::symlink("loops", &loops).unwrap();
    // A link that leads to nothing yet.
    write(&link, "one").unwrap();
    write(&link, "two").unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("file"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    assert!(write(&loops, "").is_err());
}

#[test]
fn what_was_read_is_not_replaced_by_whatever_name() {
    let folder = tempfile::tempdir().unwrap();
    let [trace, link, hard] = ["trace", "link", "hard"].map(|name| folder.path().join(name));
    fs::write(&trace, "precious").unwrap();
    std::os::unix::fs::symlink(&trace, &link).unwrap();
    fs::hard_link(&trace, &hard).unwrap();
    // Begun before it was read: seen at the end.
    let inputs = Inputs::here();
    let early = WholeFile::create(&hard, &inputs).unwrap();
    inputs.read(&trace, 100).unwrap();
    assert!(early.finish().is_err());
    for path in [&trace, &link, &hard] {
        let error = WholeFile::check(path, &inputs).unwrap_err();
        assert!(error.to_string().contains("read by this command"), "{error}");
        // Other work has its own inputs.
        WholeFile::check(path, &Inputs::here()).unwrap();
    }
    let replaced = WholeFile::replace(&trace).unwrap();
    replaced.finish().unwrap();
    assert_eq!(fs::read_to_string(&trace).unwrap(), "");
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("private");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    write(&path, "new").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_private_file_is_its_owners_alone_whatever_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
    fs::write(&old, "everybody's").unwrap();
    fs::set_permissions(&old, Permissions::from_mode(0o666)).unwrap();
    for path in [&new, &old] {
        let inputs = Inputs::here();
        WholeFile::private(path, &inputs).unwrap().finish().unwrap();
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o777, 0o600);
        inputs.read(path, 10).unwrap();
        assert!(WholeFile::private(path, &inputs).is_err());
        WholeFile::replace_privately(path).unwrap().finish().unwrap();
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn another_users_link_in_a_shared_folder_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [victim, link] = ["victim", "link"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink(&victim, &link).unwrap();
    if std::os::unix::fs::lchown(&link, Some(12_345), None).is_err() {
        println!("skipped: another_users_link_in_a_shared_folder_is_not_followed: it takes the superuser");
        return;
    }
    // In a folder of one's own nobody else lays links.
    write(&link, "mine").unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
    let error = write(&link, "his").unwrap_err();
    assert!(error.to_string().contains("another user's link"), "{error}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}
