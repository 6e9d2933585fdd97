//! Programs that were run on the mount: their system calls, in their order (coreutils 9.1, tar 1.34).

use petrio_models::host::nfs::{Change, NfsError, Node, OpenFlags, Process};

/// The pseudo-random numbers of the measuring program: a congruential generator with the repetition as its seed.
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(repetition: u32) -> Self {
        Self(u64::from(repetition) + 1)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

fn joined<'a>(path: &[&'a str], name: &'a str) -> Vec<&'a str> {
    path.iter().copied().chain([name]).collect()
}

fn is_dots(name: &str) -> bool {
    name == "." || name == ".."
}

/// ls: stat(2), then all names.
pub(super) fn list(process: &mut Process<'_>, path: &[&str]) -> Result<(), NfsError> {
    process.stat_but_access_time(Node::ROOT, path)?;
    let number = process.open_directory(Node::ROOT, path)?;
    while !process.entries(number).is_empty() {}
    process.close(number);
    Ok(())
}

/// ls -l: of the directory and of each name in it attributes and access lists, of the directory its default one, too. What a file system
/// lacks (a security label, access lists of version 4) is asked of it once.
pub(super) fn list_long(process: &mut Process<'_>, path: &[&str]) -> Result<(), NfsError> {
    process.stat_but_access_time(Node::ROOT, path)?;
    let label = process.get_label(Node::ROOT, path);
    debug_assert!(label.is_err(), "no mount here has labels");
    let lists = process.get_acl(Node::ROOT, path).is_ok();
    if lists {
        process.get_acl(Node::ROOT, path)?;
    }
    let number = process.open_directory(Node::ROOT, path)?;
    loop {
        let names = process.entries(number);
        for name in names.iter().filter(|name| !is_dots(name)) {
            let file = joined(path, name);
            process.stat_but_access_time(Node::ROOT, &file)?;
            if lists {
                process.get_acl(Node::ROOT, &file)?;
            }
        }
        if names.is_empty() {
            break;
        }
    }
    process.close(number);
    Ok(())
}

/// readdir(3) and lstat(2) of each name, the first two among them.
pub(super) fn list_stat(process: &mut Process<'_>, path: &[&str]) -> Result<(), NfsError> {
    let number = process.open_directory(Node::ROOT, path)?;
    loop {
        let names = process.entries(number);
        for name in &names {
            process.stat(Node::ROOT, &joined(path, name))?;
        }
        if names.is_empty() {
            break;
        }
    }
    process.close(number);
    Ok(())
}

/// stat(2) of files by their names.
pub(super) fn stat_each(process: &mut Process<'_>, path: &[&str], count: u64) {
    for number in 0..count {
        // One that isn't there is passed over, as the program did.
        let _ = process.stat(Node::ROOT, &joined(path, &format!("x{number:04}")));
    }
}

/// open(2), a read of 4 KiB and close(2) of each.
pub(super) fn open_each(process: &mut Process<'_>, path: &[&str], count: u64) {
    let flags = OpenFlags { read: true, ..OpenFlags::default() };
    for number in 0..count {
        if let Ok(open) = process.open(Node::ROOT, &joined(path, &format!("x{number:04}")), flags) {
            process.read(open, 4096);
            process.close(open);
        }
    }
}

/// tar -x of a directory with 100 files of 4 KiB: each is made, written, and given its times, owner and mode.
pub(super) fn untar(process: &mut Process<'_>, path: &[&str]) -> Result<(), NfsError> {
    let flags = OpenFlags { create: true, exclusive: true, write: true, ..OpenFlags::default() };
    let base = process.enter(Node::ROOT, path)?;
    process.make_directory(base, &["t"])?;
    for number in 0..100 {
        let name = format!("s{number:03}");
        let open = process.open(base, &["t", name.as_str()], flags)?;
        process.write(open, 4096);
        process.change_open(open, Change::Times);
        process.change_open(open, Change::Owner);
        process.change_open(open, Change::Mode);
        process.close(open);
    }
    process.change(base, &["t"], Change::Times)?;
    process.change(base, &["t"], Change::Owner)?;
    process.change(base, &["t"], Change::Mode)
}

/// rm -rf: looks whether the directory is empty, then reads it, asks what file system it is on, and removes what is in it, and it.
pub(super) fn remove_all(process: &mut Process<'_>, path: &[&str]) -> Result<(), NfsError> {
    process.stat(Node::ROOT, path)?;
    let number = process.open_directory(Node::ROOT, path)?;
    process.entries(number);
    process.close(number);
    let number = process.open_directory(Node::ROOT, path)?;
    process.file_system_status_open(number);
    let mut names = Vec::new();
    loop {
        let more = process.entries(number);
        if more.is_empty() {
            break;
        }
        names.extend(more.into_iter().filter(|name| !is_dots(name)));
    }
    let base = process.node(number);
    for name in &names {
        process.unlink(base, &[name.as_str()])?;
    }
    process.close(number);
    process.remove_directory(Node::ROOT, path)
}

/// cp of a file that lies elsewhere.
pub(super) fn copy_into(process: &mut Process<'_>, path: &[&str], bytes: u64) -> Result<(), NfsError> {
    let flags = OpenFlags { create: true, exclusive: true, write: true, ..OpenFlags::default() };
    let known = process.stat(Node::ROOT, path);
    debug_assert!(known.is_err(), "it is copied to a new name");
    let number = process.open(Node::ROOT, path, flags)?;
    process.fstat(number);
    let call = 128 << 10;
    (0..bytes / call).for_each(|_| process.write(number, call));
    process.close(number);
    Ok(())
}

/// cp of a file on the mount.
pub(super) fn copy_within(
    process: &mut Process<'_>,
    path: &[&str],
    other: &[&str],
    bytes: u64,
) -> Result<(), NfsError> {
    let read = OpenFlags { read: true, ..OpenFlags::default() };
    let make = OpenFlags { create: true, exclusive: true, write: true, ..OpenFlags::default() };
    let known = process.stat(Node::ROOT, other);
    debug_assert!(known.is_err(), "it is copied to a new name");
    process.stat(Node::ROOT, path)?;
    let from = process.open(Node::ROOT, path, read)?;
    process.fstat(from);
    let to = process.open(Node::ROOT, other, make)?;
    process.fstat(to);
    process.advise_sequential(from);
    process.copy_range(from, to, bytes, true);
    process.close(from);
    process.close(to);
    Ok(())
}
