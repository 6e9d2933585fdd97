//! A followed thread as it is about to make a call: what its arguments stand for.

use super::calls::{About, Name};
use super::files::{Files, Known, Named, identity};
use super::thread::Thread;
use crate::raw::{Kind, Record};
use libc::{O_CREAT, O_TRUNC};
use petrio_intercept::memory;
use petrio_time::numbers::low_half;
use std::fs::Metadata;
use std::path::PathBuf;

/// What is known of a call before it is carried out.
pub(super) enum Before {
    /// Of an open file.
    File(Known),
    /// What a name stood for; its whole path.
    Name(Option<Metadata>, Vec<u8>),
    /// Files between which bytes are carried.
    Both(Option<Known>, Option<Known>),
    Nothing,
}

/// A thread, and what its process' descriptors stand for.
pub(super) struct Look<'a> {
    pub(super) thread: &'a mut Thread,
    pub(super) files: &'a mut Files,
    pub(super) number: u32,
}

/// A name as it was given, in its folder.
type Given = (i32, PathBuf);

impl Look<'_> {
    /// What a descriptor stands for; what isn't known yet is named.
    fn file(&mut self, descriptor: i32) -> Option<Known> {
        let (known, named) = self.files.look(descriptor, None);
        self.name(named);
        known
    }

    /// The same, where it is a file.
    fn stored(&mut self, descriptor: i32) -> Option<Known> {
        self.file(descriptor).filter(|known| !known.is_folder())
    }

    pub(super) fn name(&mut self, named: Option<Named>) {
        let Some(Named { known, path, about }) = named else { return };
        let (offset, length, extra) = identity(&about);
        let (file, flags) = (known.number, known.flags);
        let begin = crate::raw::write::now();
        let record =
            Record { file, flags, offset, length, extra, text: path, ..Record::new(Kind::Name, begin) };
        self.thread.write(&record);
    }

    /// A name's whole path, and the name as it was given.
    fn path(&self, name: Name) -> (Vec<u8>, Given) {
        let given = memory::name(self.number, name.at).unwrap_or_default();
        (self.files.path(name.folder, &given), (name.folder, given))
    }

    fn behind(&self, (folder, name): &Given, follow: bool) -> Option<Metadata> {
        self.files.behind(*folder, name, follow)
    }

    /// A call with what it has in memory.
    pub(super) fn whole(&self, about: About) -> About {
        match about {
            About::OpenHow { name, how } => {
                let [flags] = memory::words::<1>(self.number, how).unwrap_or_default();
                About::Open { name, flags: low_half(flags).cast_signed() }
            }
            // A status of what a descriptor stands for (AT_EMPTY_PATH).
            About::Named { kind: Kind::Stat, name, .. }
                if memory::name(self.number, name.at).is_ok_and(|name| name.as_os_str().is_empty()) =>
            {
                About::File { kind: Kind::Stat, file: name.folder, offset: 0, length: 0, extra: 0 }
            }
            about => about,
        }
    }

    /// What is to be known before a call is carried out; none of what is no event, or is one already.
    pub(super) fn before(&mut self, about: About) -> Option<Before> {
        match about {
            About::Access { file, .. } => self.stored(file).map(Before::File),
            About::File { file, kind: Kind::Map, .. } => self.stored(file).map(Before::File),
            About::File { file, .. } => self.file(file).map(Before::File),
            About::Close(file) => {
                let known = self.file(file);
                self.files.forget(file);
                known.map(Before::File)
            }
            About::Open { name, flags } => {
                let (path, name) = self.path(name);
                let there = (flags & (O_CREAT | O_TRUNC) != 0).then(|| self.behind(&name, true)).flatten();
                Some(Before::Name(there, path))
            }
            About::Named { kind, name, follow, .. } => {
                let (path, name) = self.path(name);
                let there = if kind == Kind::Mkdir { None } else { self.behind(&name, follow) };
                Some(Before::Name(there, path))
            }
            About::Rename { old, new } => {
                let (mut paths, name) = self.path(old);
                let there = self.behind(&name, false);
                paths.push(0);
                paths.extend(self.path(new).0);
                Some(Before::Name(there, paths))
            }
            About::Copy { from, to, .. } => {
                let (from, to) = (self.stored(from), self.stored(to));
                (from.is_some() || to.is_some()).then_some(Before::Both(from, to))
            }
            About::Forget(from, to) => {
                self.files.forget_range(from, to);
                None
            }
            About::Exit => {
                self.thread.say(Kind::Exit, 0, 0, b"");
                None
            }
            About::Execute(name) => {
                let path = self.path(name).0;
                self.thread.say(Kind::Exec, 0, 0, &path);
                None
            }
            About::Unseen(what) => {
                self.thread.say(Kind::Unseen, 0, 0, what.as_bytes());
                None
            }
            About::Plain(_) | About::Join(_) | About::Duplicate(_) | About::OpenHow { .. } => {
                Some(Before::Nothing)
            }
        }
    }
}
