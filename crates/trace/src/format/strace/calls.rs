//! What each call means: the events that it makes, and what it tells of files and descriptors.

use super::files::{Description, Files, resolved};
use super::finished::FinishedCall;
use super::line::{Call, annotated, integer, unquoted};
use crate::event::{Access, Event, EventKind, FileKey};
use crate::format::RawEvent;
use petrio_time::Time;
use std::sync::Arc;

/// The calls so far.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) files: Files,
}

impl Calls {
    /// A process shows up: one that was never heard of was started by the one that is in the middle of starting
    /// another.
    pub(super) fn seen<'a>(&mut self, process: u32, unfinished: impl Iterator<Item = (u32, &'a [u8])>) {
        if self.files.knows(process) {
            return;
        }
        let starts = |name: &[u8]| matches!(name, b"fork" | b"vfork" | b"clone" | b"clone3");
        let mut unfinished = unfinished;
        if let Some((parent, _)) = unfinished.find(|&(parent, name)| parent != process && starts(name)) {
            self.files.fork(parent, process, false);
        }
    }

    /// What runs as a process, as strace shows it beside the number.
    pub(super) fn shows(&mut self, process: u32, command: &[u8]) {
        self.files.commands.note(process, command);
    }

    /// Which command a process runs, or ran.
    pub(super) fn command(&self, process: u32) -> Option<String> {
        self.files.commands.of(process)
    }

    /// A process ends.
    pub(super) fn exit(&mut self, process: u32, clock: u128, at: u64) -> Vec<RawEvent> {
        closed(process, clock, at, self.files.exit(process))
    }

    /// A call is over: what it makes; nothing for calls that make no event.
    pub(super) fn over(&mut self, process: u32, clock: u128, at: u64, call: &Call<'_>) -> Vec<RawEvent> {
        let made = FinishedCall { process, clock, at, call };
        match call.name {
            b"execve" => self.exec(&made, self.path(&made, None, 0)),
            b"execveat" => self.exec(&made, self.path(&made, Some(0), 1)),
            b"open" => self.open(&made, self.path(&made, None, 0), 1),
            b"openat" | b"openat2" => self.open(&made, self.path(&made, Some(0), 1), 2),
            b"creat" => self.open(&made, self.path(&made, None, 0), usize::MAX),
            b"read" | b"readv" | b"getdents" | b"getdents64" => self.transfer(&made, EventKind::Read, None),
            b"pread64" | b"pread" => self.transfer(&made, EventKind::Read, Some(3)),
            b"preadv" | b"preadv2" => self.transfer(&made, EventKind::Read, Some(3)),
            b"write" | b"writev" => self.transfer(&made, EventKind::Write, None),
            b"pwrite64" | b"pwrite" | b"pwritev" | b"pwritev2" => {
                self.transfer(&made, EventKind::Write, Some(3))
            }
            b"copy_file_range" => self.copy(&made, (0, 1), (2, 3), 4),
            b"sendfile" | b"sendfile64" => self.copy(&made, (1, 2), (0, usize::MAX), 3),
            b"lseek" | b"_llseek" => self.seek(&made),
            b"close" => self.close(&made),
            b"dup" => self.duplicate(&made, false),
            b"dup2" => self.duplicate(&made, false),
            b"dup3" => self.duplicate(&made, call.has_flag(2, b"O_CLOEXEC")),
            b"fcntl" | b"fcntl64" => match call.argument(1) {
                b"F_DUPFD" => self.duplicate(&made, false),
                b"F_DUPFD_CLOEXEC" => self.duplicate(&made, true),
                _ => Vec::new(),
            },
            b"fork" | b"vfork" | b"clone" | b"clone3" => self.fork(&made),
            b"chdir" => self.change_folder(&made, self.path(&made, None, 0)),
            b"fchdir" => self.change_folder(&made, self.descriptor_path(&made, 0)),
            b"unlink" | b"rmdir" => self.unlink(&made, self.path(&made, None, 0)),
            b"unlinkat" => self.unlink(&made, self.path(&made, Some(0), 1)),
            b"rename" => self.rename(&made, self.path(&made, None, 0), self.path(&made, None, 1)),
            b"renameat" | b"renameat2" => {
                self.rename(&made, self.path(&made, Some(0), 1), self.path(&made, Some(2), 3))
            }
            b"mkdir" => self.of_path(&made, EventKind::Mkdir, self.path(&made, None, 0)),
            b"mkdirat" => self.of_path(&made, EventKind::Mkdir, self.path(&made, Some(0), 1)),
            b"truncate" | b"truncate64" => self.truncate(&made, self.path(&made, None, 0)),
            b"ftruncate" | b"ftruncate64" => self.truncate(&made, self.descriptor_path(&made, 0)),
            b"fsync" | b"fdatasync" => self.of_descriptor(&made, EventKind::Fsync),
            b"fstat" | b"fstat64" => self.stat(&made, self.descriptor_path(&made, 0)),
            b"stat" | b"lstat" | b"stat64" | b"lstat64" | b"access" | b"readlink" => {
                self.stat(&made, self.path(&made, None, 0))
            }
            b"newfstatat" | b"fstatat64" | b"statx" | b"faccessat" | b"faccessat2" | b"readlinkat" => {
                self.stat(&made, self.path(&made, Some(0), 1))
            }
            _ => Vec::new(),
        }
    }

    /// The path that an argument names, from the folder that another one stands for; an empty path is that folder
    /// itself (`AT_EMPTY_PATH`).
    fn path(&self, made: &FinishedCall<'_>, folder: Option<usize>, argument: usize) -> Option<String> {
        let path = unquoted(made.call.argument(argument))?;
        let shown = folder.and_then(|folder| self.shown(made, folder));
        let working = || self.files.folder(made.process).map(|folder| folder.to_string());
        let descriptor = folder.and_then(|folder| made.descriptor(folder));
        match (descriptor, shown) {
            (Some(_), None) if !path.starts_with('/') => None,
            (_, Some(folder)) => Some(resolved(Some(&folder), &path)),
            (_, None) => {
                let resolved = resolved(working().as_deref(), &path);
                (!resolved.is_empty()).then_some(resolved)
            }
        }
    }

    /// The path beside a descriptor, or else what the table says.
    fn shown(&self, made: &FinishedCall<'_>, argument: usize) -> Option<String> {
        let (number, annotation) = annotated(made.call.argument(argument));
        match annotation {
            Some(annotation) => file_path(annotation),
            None => self.files.path_of(made.process, integer(number)?).map(|path| path.to_string()),
        }
    }

    fn descriptor_path(&self, made: &FinishedCall<'_>, argument: usize) -> Option<String> {
        self.shown(made, argument)
    }

    fn exec(&mut self, made: &FinishedCall<'_>, path: Option<String>) -> Vec<RawEvent> {
        if let (true, Some(path)) = (made.succeeded(), &path) {
            self.files.commands.executes(made.process, path);
        }
        let mut events = self.of_path(made, EventKind::Exec, path);
        if made.succeeded() {
            let end = made.clock + u128::from(made.call.service.unwrap_or_default().as_picos());
            events.extend(closed(made.process, end, made.at, self.files.exec(made.process)));
        }
        events
    }

    fn open(&mut self, made: &FinishedCall<'_>, path: Option<String>, flags: usize) -> Vec<RawEvent> {
        let call = made.call;
        let flag = |flag: &[u8]| flags != usize::MAX && has_open_flag(call.argument(flags), flag);
        let shown = call.result_path.and_then(file_path);
        let Some(path) = shown.or(path) else { return Vec::new() };
        let creat = flags == usize::MAX;
        let (creates, truncates) = (creat || flag(b"O_CREAT"), creat || flag(b"O_TRUNC"));
        let (file, path) = self.files.named(&path);
        let makes = creates && (flag(b"O_EXCL") || !self.files.exists(&path));
        let access = if creat || flag(b"O_WRONLY") {
            Access::Write
        } else if flag(b"O_RDWR") {
            Access::ReadWrite
        } else {
            Access::Read
        };
        let mut raw = made.event(if makes && made.succeeded() { EventKind::Create } else { EventKind::Open });
        raw.record.file = file;
        raw.record.path = Some(path.clone());
        raw.record.access = Some(access);
        if !made.succeeded() {
            return vec![raw];
        }
        let emptied = makes || truncates;
        self.files.note(&path, emptied.then_some(0));
        raw.record.size = self.files.size(&path);
        raw.record.synchronous = flag(b"O_SYNC") || flag(b"O_DSYNC");
        let description = Description {
            position: Some(0),
            access: Some(access),
            append: flag(b"O_APPEND"),
            synchronous: raw.record.synchronous,
            ..Description::new(file, path)
        };
        let descriptor = call.result.unwrap_or_default();
        let before = self.files.open(made.process, descriptor, flag(b"O_CLOEXEC"), description);
        let mut events = closed(made.process, made.clock, made.at, before);
        events.push(raw);
        events
    }

    /// The description of a descriptor; one that was opened before the trace is known only from `-y`.
    pub(super) fn description(
        &mut self,
        made: &FinishedCall<'_>,
        argument: usize,
    ) -> Option<&mut Description> {
        let (_, annotation) = annotated(made.call.argument(argument));
        let descriptor = made.descriptor(argument)?;
        let shown = match annotation {
            Some(annotation) => Some(file_path(annotation)?),
            None => None,
        };
        let known = self.files.path_of(made.process, descriptor);
        let other = match (&known, &shown) {
            (Some(known), Some(shown)) => **known != **shown,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        if other && let Some(shown) = shown {
            let (file, path) = self.files.named(&shown);
            self.files.note(&path, None);
            // What stood there was closed by a call that the trace doesn't show.
            self.files.open(made.process, descriptor, false, Description::new(file, path));
        }
        self.files.description(made.process, descriptor)
    }

    fn transfer(&mut self, made: &FinishedCall<'_>, kind: EventKind, at: Option<usize>) -> Vec<RawEvent> {
        let mut offset = at.and_then(|argument| made.number(argument));
        // preadv2 with -1 goes by the position, as readv does.
        let by_position = offset.is_none();
        self.moved(made, 0, kind, &mut offset, by_position, made.number(2)).into_iter().collect()
    }

    fn copy(
        &mut self,
        made: &FinishedCall<'_>,
        (from, from_offset): (usize, usize),
        (to, to_offset): (usize, usize),
        length: usize,
    ) -> Vec<RawEvent> {
        let asked = made.number(length);
        let mut events = Vec::new();
        for (descriptor, offset, kind) in
            [(from, from_offset, EventKind::Read), (to, to_offset, EventKind::Write)]
        {
            let place = made.call.argument(offset);
            // `[4096] => [8192]`: where it began, and where it ended.
            let mut begin = place.strip_prefix(b"[").and_then(|rest| {
                let end = rest.iter().position(|&byte| byte == b']')?;
                u64::try_from(integer(&rest[..end])?).ok()
            });
            let by_position = place.is_empty() || place == b"NULL";
            events.extend(self.moved(made, descriptor, kind, &mut begin, by_position, asked));
        }
        events
    }

    /// Bytes moved through a descriptor; `None` where that is no file.
    fn moved(
        &mut self,
        made: &FinishedCall<'_>,
        descriptor: usize,
        kind: EventKind,
        offset: &mut Option<u64>,
        by_position: bool,
        asked: Option<u64>,
    ) -> Option<RawEvent> {
        let (succeeded, moved) = (made.succeeded(), made.result());
        let path = self.description(made, descriptor)?.path.clone();
        let size = self.files.size(&path);
        let description = self.description(made, descriptor)?;
        let lists = made.call.name.starts_with(b"getdents");
        if by_position {
            let appends = description.append && kind == EventKind::Write;
            *offset = if appends { size } else { description.position };
            // A folder's position is no number of bytes.
            *offset = offset.filter(|_| !lists);
            if succeeded {
                description.position = offset.and_then(|offset| offset.checked_add(moved));
            }
        }
        if succeeded {
            description.counts(kind, moved);
        }
        let mut raw = made.event(kind);
        raw.record.file = description.file;
        raw.record.path = Some(path.clone());
        raw.record.offset = *offset;
        raw.record.length = if succeeded { moved } else { asked.unwrap_or_default() };
        raw.record.synchronous = kind == EventKind::Write && description.synchronous;
        if let (EventKind::Write, true, Some(offset)) = (kind, succeeded, *offset) {
            self.files.reaches(&path, offset.saturating_add(moved));
        }
        Some(raw)
    }

    fn seek(&mut self, made: &FinishedCall<'_>) -> Vec<RawEvent> {
        let place = (made.call.name == b"lseek" && made.succeeded()).then(|| made.result());
        if let Some(description) = self.description(made, 0)
            && (place.is_some() || made.call.name != b"lseek")
        {
            description.position = place;
        }
        Vec::new()
    }

    fn close(&mut self, made: &FinishedCall<'_>) -> Vec<RawEvent> {
        // A descriptor is gone even where its close failed (close(2), "NOTES").
        if self.description(made, 0).is_none() {
            return Vec::new();
        }
        let Some(description) = made.descriptor(0).and_then(|number| self.files.close(made.process, number))
        else {
            return Vec::new();
        };
        let mut raw = made.event(EventKind::Close);
        of_description(&mut raw.record, &description);
        vec![raw]
    }

    fn duplicate(&mut self, made: &FinishedCall<'_>, close_on_exec: bool) -> Vec<RawEvent> {
        let (Some(from), true) = (made.descriptor(0), made.succeeded()) else { return Vec::new() };
        let _ = self.description(made, 0);
        let to = made.call.result.unwrap_or_default();
        let before = self.files.duplicate(made.process, from, to, close_on_exec);
        closed(made.process, made.clock, made.at, before)
    }

    fn fork(&mut self, made: &FinishedCall<'_>) -> Vec<RawEvent> {
        let shares =
            made.call.arguments.iter().any(|argument| {
                argument.windows(b"CLONE_FILES".len()).any(|window| window == b"CLONE_FILES")
            });
        if let (true, Ok(child)) = (made.succeeded(), u32::try_from(made.result())) {
            self.files.fork(made.process, child, shares);
        }
        Vec::new()
    }

    fn change_folder(&mut self, made: &FinishedCall<'_>, path: Option<String>) -> Vec<RawEvent> {
        if let (true, Some(path)) = (made.succeeded(), path) {
            self.files.set_folder(made.process, path.into());
        }
        Vec::new()
    }

    /// An event of a file by its path.
    fn of_path(&mut self, made: &FinishedCall<'_>, kind: EventKind, path: Option<String>) -> Vec<RawEvent> {
        let Some(path) = path else { return Vec::new() };
        let (file, path) = self.files.named(&path);
        if made.succeeded() {
            self.files.note(&path, None);
        }
        let mut raw = made.event(kind);
        raw.record.file = file;
        raw.record.path = Some(path);
        vec![raw]
    }

    fn of_descriptor(&mut self, made: &FinishedCall<'_>, kind: EventKind) -> Vec<RawEvent> {
        let Some(description) = self.description(made, 0) else { return Vec::new() };
        let mut raw = made.event(kind);
        raw.record.file = description.file;
        raw.record.path = Some(description.path.clone());
        vec![raw]
    }

    /// Whether a call moved bytes of a descriptor that nobody was seen to open, and that strace doesn't name: perhaps a file's.
    pub(super) fn is_of_unknown_file(&self, process: u32, call: &Call<'_>) -> bool {
        let moves = matches!(
            call.name,
            b"read"
                | b"readv"
                | b"pread64"
                | b"preadv"
                | b"write"
                | b"writev"
                | b"pwrite64"
                | b"pwritev"
                | b"fsync"
                | b"fdatasync"
        );
        let (number, annotation) = annotated(call.argument(0));
        // Those that every program begins with are a terminal's or a pipe's.
        let number = integer(number).filter(|number| *number > 2);
        let moved = call.result.is_some_and(|result| result > 0) || call.name.ends_with(b"sync");
        moves
            && moved
            && annotation.is_none()
            && number.is_some_and(|number| self.files.path_of(process, number).is_none())
    }

    fn stat(&mut self, made: &FinishedCall<'_>, path: Option<String>) -> Vec<RawEvent> {
        let size = made.call.arguments.iter().find_map(|argument| size_in(argument));
        let mut events = self.of_path(made, EventKind::Stat, path);
        for raw in &mut events {
            if let (true, Some(path)) = (made.succeeded(), &raw.record.path) {
                self.files.note(path, size);
                raw.record.size = size;
            }
        }
        events
    }

    fn unlink(&mut self, made: &FinishedCall<'_>, path: Option<String>) -> Vec<RawEvent> {
        let mut events = self.of_path(made, EventKind::Unlink, path);
        for raw in &mut events {
            if let (true, Some(path)) = (made.succeeded(), &raw.record.path) {
                raw.record.size = self.files.size(path);
                self.files.forget(path);
            }
        }
        events
    }

    fn rename(&mut self, made: &FinishedCall<'_>, old: Option<String>, new: Option<String>) -> Vec<RawEvent> {
        let Some(new) = new else { return Vec::new() };
        let new: Arc<str> = new.into();
        let mut events = self.of_path(made, EventKind::Rename, old);
        for raw in &mut events {
            if let (true, Some(old)) = (made.succeeded(), &raw.record.path) {
                self.files.rename(old, &new);
            }
            raw.record.new_path = Some(new.clone());
        }
        events
    }

    fn truncate(&mut self, made: &FinishedCall<'_>, path: Option<String>) -> Vec<RawEvent> {
        let size = made.number(1);
        let mut events = self.of_path(made, EventKind::Truncate, path);
        for raw in &mut events {
            raw.record.size = size;
            if let (true, Some(path)) = (made.succeeded(), &raw.record.path) {
                self.files.note(path, size);
            }
        }
        events
    }
}

/// The events of descriptions that nothing points to any more.
fn closed(
    process: u32,
    clock: u128,
    at: u64,
    descriptions: impl IntoIterator<Item = Description>,
) -> Vec<RawEvent> {
    let close = |description: Description| {
        let mut event = Event { process, ..Event::new(Time::ZERO, EventKind::Close) };
        of_description(&mut event, &description);
        RawEvent { clock, at, record: event }
    };
    descriptions.into_iter().map(close).collect()
}

fn of_description(event: &mut Event, description: &Description) {
    event.file = description.file;
    event.path = Some(description.path.clone());
    event.access = description.access;
    event.totals = Some(description.totals);
    debug_assert_ne!(event.file, FileKey::UNKNOWN);
}

/// A flag of open, also where openat2 has it in a structure: `{flags=O_RDONLY|O_CREAT, …}`.
fn has_open_flag(argument: &[u8], flag: &[u8]) -> bool {
    argument.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').any(|word| word == flag)
}

/// What `-y` shows beside a descriptor, where that is a file.
fn file_path(annotation: &[u8]) -> Option<String> {
    let path = annotation.strip_suffix(b" (deleted)").unwrap_or(annotation);
    // `</dev/null<char 1:3>>`: -yy adds what a device is.
    let path = path.split(|&byte| byte == b'<').next().unwrap_or(path);
    if !path.starts_with(b"/") {
        return None;
    }
    let quoted = [b"\"", path, b"\""].concat();
    unquoted(&quoted).map(|path| resolved(None, &path))
}

/// `st_size=…` or `stx_size=…` in a structure.
fn size_in(argument: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"_size=";
    let start = argument.windows(NAME.len()).position(|window| window == NAME)? + NAME.len();
    let rest = &argument[start..];
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    std::str::from_utf8(&rest[..end]).ok()?.parse().ok()
}
