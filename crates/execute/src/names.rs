//! Calls by name: what they ask of the simulated storage.

use crate::decide::GO_ON;
use crate::files::{Found, Leads, descriptor, follows, is_directory, is_file, size_of};
use crate::stats::To;
use crate::supervisor::{Supervisor, Verdict};
use crate::table::Call;
use crate::times::Set;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_intercept::{Answer, memory};
use std::path::{Path, PathBuf};

/// Flags of open(2), as this machine has them.
fn has(flags: u64, flag: i32) -> bool {
    flags & u64::from(flag.unsigned_abs()) == u64::from(flag.unsigned_abs())
}

/// Which directory, which name, and whether a link at its end is followed.
struct Name {
    directory: i32,
    at: u64,
    follow: bool,
}

impl Supervisor {
    /// What becomes of a call by name.
    pub(crate) fn of_name(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        use Call::*;
        const HERE: i32 = libc::AT_FDCWD;
        let at = |number: usize| descriptor(a[number]);
        let name = |directory, at, follow| Name { directory, at, follow };
        match call {
            Open => self.opens(id, &name(HERE, a[0], true), a[1]),
            Creat => {
                let flags = libc::O_CREAT | libc::O_TRUNC | libc::O_WRONLY;
                self.opens(id, &name(HERE, a[0], true), u64::from(flags.unsigned_abs()))
            }
            Openat => self.opens(id, &name(at(0), a[1], true), a[2]),
            Openat2 => {
                let flags = memory::words::<1>(id, a[2]).map_or(0, |[flags]| flags);
                self.opens(id, &name(at(0), a[1], true), flags)
            }
            Truncate => self.changes(id, &name(HERE, a[0], true), Operation::Truncate, a[1]),
            Attributes => self.changes(id, &name(HERE, a[0], true), Operation::SetAttributes, 0),
            AttributesAt => self.changes(id, &name(at(0), a[1], true), Operation::SetAttributes, 0),
            Setxattr => self.changes(id, &name(HERE, a[0], true), Operation::SetXattr, a[3]),
            Utime | Utimes | UtimesAt | Utimens => self.sets_times(id, call, a),
            Stat => self.looks(id, &name(HERE, a[0], true), Some(To::Stat(a[1]))),
            Lstat => self.looks(id, &name(HERE, a[0], false), Some(To::Stat(a[1]))),
            Statat if has(a[3], libc::AT_EMPTY_PATH) && self.is_empty(id, a[1]) => {
                self.looks_at_open(id, at(0), To::Stat(a[2]))
            }
            Statat => self.looks(id, &name(at(0), a[1], follows(a[3])), Some(To::Stat(a[2]))),
            Statx if has(a[2], libc::AT_EMPTY_PATH) && self.is_empty(id, a[1]) => {
                self.looks_at_open(id, at(0), To::Statx(a[4], a[3]))
            }
            Statx => self.looks(id, &name(at(0), a[1], follows(a[2])), Some(To::Statx(a[4], a[3]))),
            Access => self.looks(id, &name(HERE, a[0], true), None),
            Accessat => self.looks(id, &name(at(0), a[1], follows(a[3])), None),
            Readlink => self.looks(id, &name(HERE, a[0], false), None),
            Readlinkat => self.looks(id, &name(at(0), a[1], false), None),
            Mkdir => self.makes_directory(id, &name(HERE, a[0], false)),
            Mkdirat => self.makes_directory(id, &name(at(0), a[1], false)),
            Unlink => self.removes(id, &name(HERE, a[0], false), false),
            Rmdir => self.removes(id, &name(HERE, a[0], false), true),
            Unlinkat => self.removes(id, &name(at(0), a[1], false), has(a[2], libc::AT_REMOVEDIR)),
            Rename => self.renames(id, &name(HERE, a[0], false), &name(HERE, a[1], false)),
            Renameat => self.renames(id, &name(at(0), a[1], false), &name(at(2), a[3], false)),
            Link => {
                let from = self.leads(id, &name(HERE, a[0], false));
                self.links(id, from, &name(HERE, a[1], false))
            }
            Linkat => {
                let from = if has(a[4], libc::AT_EMPTY_PATH) && self.is_empty(id, a[1]) {
                    self.files.behind(id, at(0))
                } else {
                    self.leads(id, &name(at(0), a[1], has(a[4], libc::AT_SYMLINK_FOLLOW)))
                };
                self.links(id, from, &name(at(2), a[3], false))
            }
            Symlink => self.links_by_name(id, a[0], &name(HERE, a[1], false)),
            Symlinkat => self.links_by_name(id, a[0], &name(at(1), a[2], false)),
            _ => GO_ON,
        }
    }

    /// Whether a name is none at all: then the descriptor itself is meant.
    fn is_empty(&self, id: u32, at: u64) -> bool {
        at == 0 || memory::name(id, at).is_ok_and(|name| name.as_os_str().is_empty())
    }

    fn leads(&mut self, id: u32, name: &Name) -> Leads {
        match memory::name(id, name.at) {
            Ok(path) if !path.as_os_str().is_empty() => {
                self.files.look_up(id, name.directory, &path, name.follow)
            }
            _ => Leads::Unknown,
        }
    }

    /// A file's number, and what has to be done first where nobody knew of it.
    fn known(&mut self, found: &Found) -> Option<(FileId, Vec<FileOp>)> {
        match found.file {
            Some(file) => Some((file, Vec::new())),
            None if self.files.is_below_storage(&found.path) => {
                Some(self.files.made_up(&found.stat, &found.path))
            }
            None => None,
        }
    }

    /// What is to be looked up when the call is over.
    fn settles(&mut self, id: u32, path: PathBuf, file: FileId) {
        self.files.name(path.clone(), file);
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.settle.push((path, file));
        }
    }

    fn opens(&mut self, id: u32, name: &Name, flags: u64) -> Verdict {
        if has(flags, libc::O_PATH) {
            return GO_ON;
        }
        let must_be_new = has(flags, libc::O_CREAT) && has(flags, libc::O_EXCL);
        let follow = !has(flags, libc::O_NOFOLLOW) && !must_be_new;
        let writes = flags & u64::from(libc::O_ACCMODE.unsigned_abs()) != 0;
        let truncates = writes && has(flags, libc::O_TRUNC);
        match self.leads(id, &Name { follow, ..*name }) {
            Leads::To(found) if has(flags, libc::O_TMPFILE) => self.opens_nameless(id, found),
            Leads::To(found) => {
                if has(flags, libc::O_CREAT) && has(flags, libc::O_EXCL) {
                    return GO_ON;
                }
                let size = size_of(&found.stat);
                let mut ops = match self.known(&found) {
                    Some((file, mut ops)) => {
                        ops.push(FileOp { operation: Operation::Open, file, ..FileOp::default() });
                        ops
                    }
                    // The host's, of which the program is about to write its own.
                    None if writes && is_file(&found.stat) => self.files.made_up(&found.stat, &found.path).1,
                    None => return GO_ON,
                };
                let file = ops.last().map_or(FileId::ROOT, |op| op.file);
                if truncates && is_file(&found.stat) {
                    self.files.was_written(file, self.clock(id));
                }
                if truncates && is_file(&found.stat) && size > 0 {
                    self.grown = self.grown.saturating_sub(size);
                    ops.push(FileOp { operation: Operation::Truncate, file, length: 0, ..FileOp::default() });
                }
                if writes && is_file(&found.stat) {
                    // What is written to may get another number (overlayfs copies it).
                    self.settles(id, found.path, file);
                }
                Verdict::Ask(ops, Answer::GoOn)
            }
            Leads::Nowhere { path, parent } if has(flags, libc::O_CREAT) => {
                let parent = parent.unwrap_or(FileId::ROOT);
                if !self.is_real(&path) {
                    return GO_ON;
                }
                let file = self.files.new_file(parent, false);
                self.files.was_made(file, parent, self.clock(id));
                self.settles(id, path, file);
                Verdict::Ask(
                    vec![FileOp { operation: Operation::Create, file, parent, ..FileOp::default() }],
                    Answer::GoOn,
                )
            }
            Leads::Nowhere { parent, .. } => Self::in_vain(parent),
            Leads::Unknown => GO_ON,
        }
    }

    /// A file without a name is made in a directory.
    fn opens_nameless(&mut self, id: u32, directory: Found) -> Verdict {
        if !is_directory(&directory.stat) || !self.is_real(&directory.path) {
            return GO_ON;
        }
        let parent = directory.file.unwrap_or(FileId::ROOT);
        let file = self.files.new_file(parent, false);
        self.files.was_made(file, parent, self.clock(id));
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.nameless = Some((directory.path, file));
        }
        let op = FileOp { operation: Operation::Tmpfile, file, parent, ..FileOp::default() };
        Verdict::Ask(vec![op], Answer::GoOn)
    }

    /// Whether a name is one of a file system that keeps files, and not of the kernel's own.
    fn is_real(&self, path: &Path) -> bool {
        !["/proc", "/sys", "/dev"].iter().any(|kernels| path.starts_with(kernels))
    }

    /// A look for what isn't there goes through its directory.
    fn in_vain(parent: Option<FileId>) -> Verdict {
        match parent {
            Some(file) => Verdict::Ask(
                vec![FileOp { operation: Operation::Stat, file, ..FileOp::default() }],
                Answer::GoOn,
            ),
            None => GO_ON,
        }
    }

    /// A look by name, whose answer goes somewhere, where it isn't only whether there is such a file.
    fn looks(&mut self, id: u32, name: &Name, to: Option<To>) -> Verdict {
        match self.leads(id, name) {
            Leads::To(found) => match self.known(&found) {
                Some((file, mut ops)) => {
                    ops.push(FileOp { operation: Operation::Stat, file, ..FileOp::default() });
                    let answer = to.map_or(Answer::GoOn, |to| self.look_of(id, (file, &found.opened), to));
                    Verdict::Ask(ops, answer)
                }
                None => GO_ON,
            },
            Leads::Nowhere { parent, .. } => Self::in_vain(parent),
            Leads::Unknown => GO_ON,
        }
    }

    /// The times when a file was read and written are set.
    fn sets_times(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        let (name, times) = match call {
            Call::Utime | Call::Utimes => (Name { directory: libc::AT_FDCWD, at: a[0], follow: true }, a[1]),
            _ => {
                let follow = call != Call::Utimens || follows(a[3]);
                (Name { directory: descriptor(a[0]), at: a[1], follow }, a[2])
            }
        };
        let set = match times {
            0 => (Set::Now, Set::Now),
            at if call == Call::Utimens => match memory::words::<4>(id, at) {
                Ok([_, read, _, written]) => (set_to(read), set_to(written)),
                Err(_) => return GO_ON,
            },
            _ => (Set::To, Set::To),
        };
        let verdict = if name.at == 0 || (call == Call::Utimens && self.is_empty(id, name.at)) {
            self.of_descriptor(id, Call::AttributesOf, a)
        } else {
            self.changes(id, &name, Operation::SetAttributes, 0)
        };
        if let Verdict::Ask(ops, _) = &verdict
            && let Some(op) = ops.last()
        {
            self.files.was_set(op.file, set, self.clock(id));
        }
        verdict
    }

    fn changes(&mut self, id: u32, name: &Name, operation: Operation, length: u64) -> Verdict {
        let Leads::To(found) = self.leads(id, name) else { return GO_ON };
        if operation == Operation::Truncate && !is_file(&found.stat) {
            return GO_ON;
        }
        let (file, mut ops) = match self.known(&found) {
            Some(known) => known,
            None if self.is_real(&found.path) && (is_file(&found.stat) || is_directory(&found.stat)) => {
                self.files.made_up(&found.stat, &found.path)
            }
            None => return GO_ON,
        };
        ops.push(FileOp { operation, file, length, ..FileOp::default() });
        match operation {
            Operation::Truncate => self.files.was_written(file, self.clock(id)),
            _ => self.files.was_changed(file, self.clock(id)),
        }
        self.settles(id, found.path, file);
        Verdict::Ask(ops, Answer::GoOn)
    }

    fn makes_directory(&mut self, id: u32, name: &Name) -> Verdict {
        match self.leads(id, name) {
            Leads::Nowhere { path, parent } if self.is_real(&path) => {
                let parent = parent.unwrap_or(FileId::ROOT);
                let file = self.files.new_file(parent, true);
                self.files.was_made(file, parent, self.clock(id));
                self.settles(id, path, file);
                Verdict::Ask(
                    vec![FileOp { operation: Operation::Mkdir, file, parent, ..FileOp::default() }],
                    Answer::GoOn,
                )
            }
            _ => GO_ON,
        }
    }

    fn removes(&mut self, id: u32, name: &Name, directory: bool) -> Verdict {
        let Leads::To(found) = self.leads(id, name) else { return GO_ON };
        if is_directory(&found.stat) != directory {
            return GO_ON;
        }
        let Some(file) = found.file else { return GO_ON };
        if directory && has_entries(id, &found.path) {
            return GO_ON;
        }
        let parent = self.parent_of(id, &found.path).unwrap_or_else(|| self.files.parent(file));
        if is_file(&found.stat) && found.stat.st_nlink == 1 {
            self.grown = self.grown.saturating_sub(size_of(&found.stat));
        }
        self.files.forget(&found.path);
        self.files.was_written(parent, self.clock(id));
        self.files.was_changed(file, self.clock(id));
        let operation = if directory { Operation::Rmdir } else { Operation::Unlink };
        Verdict::Ask(vec![FileOp { operation, file, parent, ..FileOp::default() }], Answer::GoOn)
    }

    /// The number of the directory that a name lies in.
    fn parent_of(&mut self, id: u32, path: &Path) -> Option<FileId> {
        match self.files.look_up(id, libc::AT_FDCWD, path.parent()?, true) {
            Leads::To(found) => found.file,
            _ => None,
        }
    }

    fn renames(&mut self, id: u32, from: &Name, to: &Name) -> Verdict {
        let Leads::To(found) = self.leads(id, from) else { return GO_ON };
        let Some((file, mut ops)) = self.known(&found) else { return GO_ON };
        let (path, parent, replaced) = match self.leads(id, to) {
            Leads::Nowhere { path, parent } => (path, parent, None),
            Leads::To(there) => {
                let parent = self.parent_of(id, &there.path);
                if there.file == Some(file) || is_directory(&there.stat) != is_directory(&found.stat) {
                    return GO_ON;
                }
                if is_file(&there.stat) && there.stat.st_nlink == 1 {
                    self.grown = self.grown.saturating_sub(size_of(&there.stat));
                }
                (there.path, parent, there.file)
            }
            Leads::Unknown => return GO_ON,
        };
        let parent = parent.unwrap_or(FileId::ROOT);
        let from = self.files.parent(file);
        self.files.rename(&found.path, &path, file, parent);
        let at = self.clock(id);
        [from, parent].into_iter().for_each(|directory| self.files.was_written(directory, at));
        self.files.was_changed(file, at);
        self.settles(id, path, file);
        ops.push(FileOp { operation: Operation::Rename, file, parent, replaced, ..FileOp::default() });
        Verdict::Ask(ops, Answer::GoOn)
    }

    fn links(&mut self, id: u32, from: Leads, to: &Name) -> Verdict {
        let (Leads::To(found), Leads::Nowhere { path, parent }) = (from, self.leads(id, to)) else {
            return GO_ON;
        };
        let Some((file, mut ops)) = self.known(&found) else { return GO_ON };
        let parent = parent.unwrap_or(FileId::ROOT);
        self.files.was_written(parent, self.clock(id));
        self.files.was_changed(file, self.clock(id));
        self.settles(id, path, file);
        ops.push(FileOp { operation: Operation::Link, file, parent, ..FileOp::default() });
        Verdict::Ask(ops, Answer::GoOn)
    }

    fn links_by_name(&mut self, id: u32, target: u64, name: &Name) -> Verdict {
        let Leads::Nowhere { path, parent } = self.leads(id, name) else { return GO_ON };
        if !self.is_real(&path) {
            return GO_ON;
        }
        let length = memory::name(id, target).map_or(0, |target| target.as_os_str().len() as u64);
        let parent = parent.unwrap_or(FileId::ROOT);
        let file = self.files.new_file(parent, false);
        self.files.was_made(file, parent, self.clock(id));
        self.settles(id, path, file);
        let op = FileOp { operation: Operation::Symlink, file, parent, length, ..FileOp::default() };
        Verdict::Ask(vec![op], Answer::GoOn)
    }
}

/// What a time is set to, by its nanoseconds.
fn set_to(nanos: u64) -> Set {
    match nanos.cast_signed() {
        libc::UTIME_NOW => Set::Now,
        libc::UTIME_OMIT => Set::Left,
        _ => Set::To,
    }
}

/// Whether a directory of the program's holds anything.
fn has_entries(id: u32, path: &Path) -> bool {
    let inside = format!("/proc/{id}/root{}", path.display());
    std::fs::read_dir(inside).is_ok_and(|mut entries| entries.next().is_some())
}
