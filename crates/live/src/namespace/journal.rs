//! The journal beside a manifest: what each file and directory that was made is known by. Only what stands here is ever
//! removed.
//!
//! ```text
//! petrio-files-made 1 c1f09a…          which files: a digest of specification, users and seed
//! place 2 1730000000123456789 server   the directory of each place, by what it is known; the first has no name
//! begin 0 4095                         what is made next; durable before the first of it is
//! made 17 131090 1730000000223456789   the file or directory of that number; of several, the last counts
//! end                                  nothing is being made any more
//! ```
//!
//! A line is written right after a file has its name, and before it has bytes. A process that is killed between the two
//! leaves a file without a line; the machine that fails may leave a few thousand. What lies in the range that was begun
//! is then taken for petrio's if nothing of anybody's can be lost with it: a file with petrio's mark (the sticky bit),
//! of petrio's owner, no longer than planned; such a directory with nothing in it. All else is left alone, and told.
//!
//! A line takes some 45 bytes: a million files, 45 MB. Whoever can write to the journal can have files removed; so it
//! is believed only if it is the user's own and nobody else can write to it.

use super::error::NamespaceError;
use super::lock::Access;
use super::manifest::Manifest;
use crate::beneath::{Directory, Identity, Kind, There};
use petrio_files::own::JOURNAL;
use petrio_files::shown;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// How it begins, with the version of its form.
const HEAD: &str = "petrio-files-made 1";
/// Longest line; names of places are no longer than those of files.
const LINE_MAX: u64 = 512;

/// What is known about what was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Journalled {
    /// The directories of the places.
    pub(super) places: Vec<Identity>,
    /// What was made, by its number; links come after entries.
    pub(super) made: Vec<Identity>,
    /// What was being made when nothing more was written.
    pub(super) begun: Range<u32>,
    /// Bytes of it that are whole lines.
    length: u64,
}

/// A journal that is written to.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    /// Who owns files that petrio makes there.
    pub(super) owner: u32,
}

impl Journal {
    /// Begins one, in place of what a creation has left that made nothing.
    pub(super) fn begin(
        main: &Directory,
        manifest: &Manifest,
        places: &[(String, Identity)],
    ) -> Result<Self, NamespaceError> {
        let path = main.path().join(JOURNAL);
        let mut file = make(main).map_err(NamespaceError::file("write", &path))?;
        let there =
            There::of(std::os::fd::AsFd::as_fd(&file)).map_err(NamespaceError::file("look at", &path))?;
        let mut text = format!("{HEAD} {:016x}\n", manifest.digest());
        for (name, place) in places {
            text.push_str(&format!("place {} {} {name}\n", place.inode, place.born_ns));
        }
        file.write_all(text.as_bytes()).map_err(NamespaceError::file("write", &path))?;
        Ok(Self { file, owner: there.owner })
    }

    /// Goes on with one.
    pub(super) fn go_on(main: &Directory, known: &Journalled) -> Result<Self, NamespaceError> {
        let path = main.path().join(JOURNAL);
        let open = || {
            let mut file = main.open_file(JOURNAL, OFlags::RDWR | OFlags::NONBLOCK, Mode::empty())?;
            let owner = trusted(&file).map_err(io::Error::other)?.owner;
            // Half a line goes.
            file.set_len(known.length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(Self { file, owner })
        };
        open().map_err(NamespaceError::file("write", &path))
    }

    /// Says what is made next; it is on the disk before anything is.
    pub(super) fn begins(&mut self, first: u32, last: u32) -> io::Result<()> {
        self.file.write_all(format!("begin {first} {last}\n").as_bytes())?;
        self.file.sync_data()
    }

    /// Says what was made: one write, which is there as a whole or isn't.
    pub(super) fn made(&mut self, number: u32, what: Identity) -> io::Result<()> {
        let line = format!("made {number} {} {}\n", what.inode, what.born_ns);
        self.file.write_all(line.as_bytes())
    }

    /// Says that nothing is being made any more.
    pub(super) fn ends(&mut self) -> io::Result<()> {
        self.file.write_all(b"end\n")?;
        self.file.sync_data()
    }
}

/// A new file; one that is there is this user's own, or nothing is done to it.
fn make(main: &Directory) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
    let new = || main.open_file(JOURNAL, flags, Mode::RUSR | Mode::WUSR);
    match new() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            trusted(&main.open_file(JOURNAL, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())?)
                .map_err(io::Error::other)?;
            main.unlink(JOURNAL.as_ref(), false)?;
            new()
        }
        made => made,
    }
}

/// Whether nobody but this user can have written what stands in it.
fn trusted(file: &File) -> Result<There, String> {
    let there = There::of(std::os::fd::AsFd::as_fd(file)).map_err(|error| error.to_string())?;
    if there.kind != Kind::File || there.names != 1 {
        return Err("it is no file of petrio's own".to_owned());
    }
    if there.owner != rustix::process::geteuid().as_raw() {
        return Err(format!(
            "it belongs to another user (number {}), who alone can say what petrio made for him",
            there.owner
        ));
    }
    if there.mode & 0o022 != 0 {
        return Err("others can write to it, so it says nothing about what petrio made".to_owned());
    }
    Ok(there)
}

impl Journalled {
    /// Reads what was made for a manifest, of so many files, directories and links; whoever only looks may look at
    /// another's.
    pub(super) fn read(
        main: &Directory,
        access: Access,
        manifest: &Manifest,
        places: &[String],
        count: usize,
    ) -> Result<Self, NamespaceError> {
        let path = main.path().join(JOURNAL);
        let fail = |why: String| NamespaceError::Manifest { path: path.clone(), why };
        let file = match main.open_file(JOURNAL, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(fail("it is missing, so nobody knows which files petrio made".to_owned()));
            }
            Err(error) => return Err(NamespaceError::file("read", path)(error)),
        };
        match (trusted(&file), access) {
            (Err(why), Access::Change) => return Err(fail(why)),
            (_, Access::Change | Access::Look) => {}
        }
        Self::of(&mut BufReader::new(file), manifest, places, count).map_err(fail)
    }

    fn of(
        text: &mut impl BufRead,
        manifest: &Manifest,
        places: &[String],
        count: usize,
    ) -> Result<Self, String> {
        let mut known = Self { made: vec![Identity::NONE; count], ..Self::default() };
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let length = text.by_ref().take(LINE_MAX).read_until(b'\n', &mut line);
            let length = length.map_err(|error| error.to_string())? as u64;
            if !line.ends_with(b"\n") {
                if length == LINE_MAX {
                    return Err(format!("line {number} is too long: it is damaged"));
                }
                break;
            }
            let damaged = |line: &str| format!("line {number} is damaged: {}", shown::text(line));
            let line = std::str::from_utf8(&line).map_err(|_| damaged("no text"))?.trim_end_matches('\n');
            if number == 1 {
                let digest = line.strip_prefix(HEAD).map(str::trim).ok_or_else(|| damaged(line))?;
                if digest != format!("{:016x}", manifest.digest()) {
                    let why = "it is of other files than those of the manifest beside it, which was changed";
                    return Err(why.to_owned());
                }
            } else {
                known.take_in(line, places).ok_or_else(|| damaged(line))?;
            }
            known.length += length;
        }
        if known.places.len() != places.len() {
            return Err("it is damaged: its beginning is missing".to_owned());
        }
        Ok(known)
    }

    fn take_in(&mut self, line: &str, places: &[String]) -> Option<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let two = |text: &str| {
            let (one, other) = text.split_once(' ')?;
            Some((one.parse::<u64>().ok()?, other.parse::<i64>().ok()?))
        };
        match word {
            "place" => {
                let (identity, name) = rest.rsplit_once(' ')?;
                let (inode, born_ns) = two(identity)?;
                if places.get(self.places.len())? != name {
                    return None;
                }
                self.places.push(Identity { inode, born_ns });
            }
            "begin" => {
                let (first, last) = two(rest)?;
                let (first, last) = (u32::try_from(first).ok()?, u32::try_from(last).ok()?);
                self.begun = first..last.checked_add(1).filter(|end| *end as usize <= self.made.len())?;
            }
            "made" => {
                let (number, identity) = rest.split_once(' ')?;
                let (inode, born_ns) = two(identity)?;
                *self.made.get_mut(number.parse::<usize>().ok()?)? = Identity { inode, born_ns };
            }
            "end" if rest.is_empty() => self.begun = 0..0,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_users::UserSpecification;

    fn manifest() -> Manifest {
        let text = "title = \"t\"\n[files]\ncount = 3\n[category.a]\nowner = \"o\"\nuse = \"read-only\"\nshare = 1\nsize = \"1 B\"\n";
        Manifest::new(toml::from_str::<UserSpecification>(text).unwrap(), 1, 7)
    }

    fn read(text: &str) -> Result<Journalled, String> {
        Journalled::of(&mut text.as_bytes(), &manifest(), &[String::new(), "server".to_owned()], 10)
    }

    #[test]
    fn the_last_word_counts_and_half_a_line_does_not() {
        let head = format!("{HEAD} {:016x}\nplace 2 -5 \nplace 3 0 server\nbegin 0 9\n", manifest().digest());
        let whole = format!("{head}made 4 100 5\nmade 4 101 6\n");
        let known = read(&format!("{whole}made 5 10")).unwrap();
        assert_eq!(known.made[4], Identity { inode: 101, born_ns: 6 });
        assert_eq!(known.made[5], Identity::NONE);
        assert_eq!((known.begun.clone(), known.length), (0..10, whole.len() as u64));
        assert_eq!(known.places, [Identity { inode: 2, born_ns: -5 }, Identity { inode: 3, born_ns: 0 }]);
        assert!(read(&format!("{whole}end\n")).unwrap().begun.is_empty());
        for bad in ["made 10 1 1", "begin 0 10", "made 1", "rm 1 2 3", "place 1 1 more", "end now"] {
            assert!(read(&format!("{whole}{bad}\n")).unwrap_err().contains("damaged"), "{bad}");
        }
        assert!(read(&format!("{head}{}", "x".repeat(1_000))).unwrap_err().contains("too long"));
        assert!(read(&format!("{HEAD} 0123456789abcdef\n")).unwrap_err().contains("was changed"));
        assert!(read("").unwrap_err().contains("beginning is missing"));
    }
}
