//! An operation played as it was measured: its repetitions, and the calls of each.

use super::operations::{Action, Held, Operation, Prepared};
use super::programs;
use petrio_kernel::Time;
use petrio_models::host::nfs::{
    Call, Client, Export, Kind, MountOptions, NfsError, Node, OpenFlags, Procedure, Process,
};

/// What a client's host was called there.
const HOST_NAME: u64 = 5;

/// Bytes of a call where an operation doesn't say: of a read, and of a write.
const READ_CALL: u64 = 128 << 10;
const WRITE_CALL: u64 = 64 << 10;

/// A client, a server, and where both stand.
pub(super) struct Player {
    pub(super) client: Client,
    pub(super) export: Export,
    operation: Operation,
    directory: Vec<String>,
    repetition: u32,
    held: Vec<u32>,
}

/// The calls of each repetition of an operation.
pub(super) fn play(
    operation: Operation,
    name: &str,
    options: &MountOptions,
    delegations: bool,
    repetitions: u32,
) -> Vec<Vec<Call>> {
    let directory = match operation.prepared {
        Prepared::Lists => vec!["lists".to_owned(), operation.count.to_string()],
        _ => vec!["w".to_owned(), format!("cell-{name}")],
    };
    let mut player = Player {
        client: Client::new(options.clone(), HOST_NAME),
        export: Export::new(delegations),
        operation,
        directory,
        repetition: 0,
        held: Vec::new(),
    };
    player.process().mount(1);
    for repetition in 0..repetitions {
        player.repetition = repetition;
        player.prepare();
    }
    let is_mount = name.contains("mount");
    if !is_mount {
        player.warm_directory();
    }
    player.client.take_calls();
    player.repeat(repetitions)
}

impl Player {
    pub(super) fn process(&mut self) -> Process<'_> {
        self.client.on(&mut self.export)
    }

    fn letter(&self) -> char {
        if self.operation.prepared == Prepared::Lists { 'r' } else { 'f' }
    }

    /// The repetition's file, and with a further ending another.
    fn path(&self, ending: &str) -> Vec<String> {
        let mut path = self.directory.clone();
        path.push(format!("{}{}{ending}", self.letter(), self.repetition));
        path
    }

    fn within(&self, name: &str) -> Vec<String> {
        let mut path = self.directory.clone();
        path.push(name.to_owned());
        path
    }

    /// What the server makes itself.
    fn prepare(&mut self) {
        let Operation { prepared, size, count, .. } = self.operation;
        let mut at = Node::ROOT;
        for name in self.directory.clone() {
            at = self.on_server(at, &name, Kind::Directory(Default::default()));
        }
        let name = format!("{}{}", self.letter(), self.repetition);
        match prepared {
            Prepared::Nothing => {}
            Prepared::File => {
                self.on_server(at, &name, Kind::File(size));
            }
            Prepared::TwoFiles => {
                self.on_server(at, &name, Kind::File(size));
                self.on_server(at, &format!("{name}-b"), Kind::File(10));
            }
            Prepared::Directory | Prepared::Lists => {
                let directory = self.on_server(at, &name, Kind::Directory(Default::default()));
                for number in 0..count {
                    self.on_server(directory, &format!("x{number:04}"), Kind::File(size));
                }
            }
            Prepared::SymbolicLink => {
                self.on_server(at, &name, Kind::Link(6));
            }
            Prepared::Subdirectories => {
                let from = self.on_server(at, "a", Kind::Directory(Default::default()));
                self.on_server(at, "b", Kind::Directory(Default::default()));
                self.on_server(from, &name, Kind::File(size));
            }
        }
    }

    fn on_server(&mut self, directory: Node, name: &str, kind: Kind) -> Node {
        match self.export.find(directory, name) {
            Some(node) => node,
            None => self.export.make(directory, name, kind).unwrap_or(directory),
        }
    }

    /// The directory's attributes, permissions and names are known: stat(2) of the mount and of it, an open of what isn't in it.
    fn warm_directory(&mut self) {
        let directory = self.directory.clone();
        self.warm(&directory);
    }

    fn warm(&mut self, directory: &[String]) {
        let path: Vec<&str> = directory.iter().map(String::as_str).collect();
        let mut missing = path.clone();
        missing.push("zz-none");
        let mut process = self.process();
        let looked = process.stat(Node::ROOT, &[]).and_then(|_| process.stat(Node::ROOT, &path));
        let flags = OpenFlags { read: true, ..OpenFlags::default() };
        if looked.is_ok()
            && let Ok(number) = process.open(Node::ROOT, &missing, flags)
        {
            process.close(number);
        }
    }

    fn wait(&mut self, seconds: u64, milliseconds: u64) {
        self.process().advance(Time::from_whole_seconds(seconds) + Time::from_millis(milliseconds));
    }

    fn repeat(&mut self, repetitions: u32) -> Vec<Vec<Call>> {
        let Operation { before, action, after, wait, held_meanwhile, other_changes, .. } = self.operation;
        let all = 0..repetitions;
        if held_meanwhile {
            for repetition in all.clone() {
                self.repetition = repetition;
                self.act(Action::HoldOpen(self.operation.flags, Held::All));
            }
            self.wait(wait, 200);
            self.warm_directory();
            let held = self.held.clone();
            return held
                .into_iter()
                .map(|number| {
                    self.held = vec![number];
                    let calls = self.counted(Action::RereadHeld);
                    self.act(Action::CloseHeld);
                    calls
                })
                .collect();
        }
        if wait == 0 {
            return all
                .map(|repetition| {
                    self.repetition = repetition;
                    self.wait(0, 30);
                    self.act(before);
                    if other_changes {
                        self.wait(0, 30);
                        self.act(Action::ServerWrites);
                    }
                    self.wait(0, 30);
                    let calls = self.counted(action);
                    self.act(after);
                    calls
                })
                .collect();
        }
        for repetition in all.clone() {
            self.repetition = repetition;
            self.wait(0, 30);
            self.act(before);
        }
        for repetition in all.clone().filter(|_| other_changes) {
            self.repetition = repetition;
            self.act(Action::ServerWrites);
        }
        self.wait(wait, 200);
        if wait < 60 {
            self.warm_directory();
        } else if let Some((first, _)) = self.directory.clone().split_first() {
            // Only what lies above the operation's own directory.
            let _ = self.process().stat(Node::ROOT, &[first]);
        }
        all.map(|repetition| {
            self.repetition = repetition;
            self.counted(action)
        })
        .collect()
    }

    fn counted(&mut self, action: Action) -> Vec<Call> {
        self.client.take_calls();
        self.act(action);
        self.client.take_calls()
    }

    /// Does something; what it can't do (a name that isn't there, what a version lacks) is told to the program there, too, which
    /// goes on.
    fn act(&mut self, action: Action) {
        let _: Result<(), NfsError> = self.acted(action);
    }

    #[expect(clippy::too_many_lines, reason = "one list: what each action is")]
    fn acted(&mut self, action: Action) -> Result<(), NfsError> {
        let path = self.path("");
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let Operation { size, length, count, flags, .. } = self.operation;
        let mut process = self.client.on(&mut self.export);
        let root = Node::ROOT;
        match action {
            Action::Nothing => {}
            Action::Mount => process.mount(1),
            Action::Unmount => process.unmount(),
            Action::Remount => {
                process.unmount();
                process.mount(1);
            }
            Action::StatRoot => drop(process.stat(root, &[])?),
            Action::Stat => drop(process.stat(root, &path)?),
            Action::Access => drop(process.access(root, &path)?),
            Action::List => programs::list(&mut process, &path)?,
            Action::ListLong => programs::list_long(&mut process, &path)?,
            Action::ListStat => programs::list_stat(&mut process, &path)?,
            Action::StatEach => programs::stat_each(&mut process, &path, count),
            Action::OpenEach => programs::open_each(&mut process, &path, count),
            Action::ReadEachOnce if self.repetition > 0 => {}
            Action::ReadEachOnce => programs::open_each(&mut process, &path, count),
            Action::Untar => programs::untar(&mut process, &path)?,
            Action::RemoveAll => programs::remove_all(&mut process, &path)?,
            Action::MakeDirectory => drop(process.make_directory(root, &path)?),
            Action::RemoveDirectory => process.remove_directory(root, &path)?,
            Action::Unlink => process.unlink(root, &path)?,
            Action::SymbolicLink => drop(process.symbolic_link(root, &path, 6)?),
            Action::ReadLink => process.read_link(root, &path)?,
            Action::Change(change) => process.change(root, &path, change)?,
            Action::Truncate => process.truncate(root, &path, length)?,
            Action::ServerWrites => process.changed_by_other(&path, size)?,
            Action::SetXattr => process.set_xattr(root, &path, 1, 5)?,
            Action::GetXattr => process.get_xattr(root, &path, 1)?,
            Action::GetAcl => process.get_acl(root, &path)?,
            Action::SmallDirtyLimits => self.client.background = Some(1 << 20),
            Action::LargeDirtyLimits => self.client.background = None,
            Action::Idle => process.advance(Time::from_whole_seconds(length)),
            Action::Rename | Action::Link | Action::CopyWithin | Action::CopyRange => {
                self.with_another(action, &path)?;
            }
            Action::WarmSubdirectories | Action::RenameAcross | Action::Status => {
                self.with_directories(action)?;
            }
            Action::CopyInto => programs::copy_into(&mut process, &path, length)?,
            Action::HoldOpen(flags, held) => self.hold_open(&path, flags, held)?,
            Action::CloseHeld
            | Action::RereadHeld
            | Action::PwriteHeld
            | Action::FsyncHeld
            | Action::FstatHeld
            | Action::TruncateHeld
            | Action::LockHeld
            | Action::UnlinkHeld => self.on_held(action, &path)?,
            Action::Make => self.write(
                &path,
                OpenFlags { create: true, write: true, truncate: true, ..OpenFlags::default() },
                size,
                WRITE_CALL,
            )?,
            Action::WriteCloseReopenRead => {
                let flags = OpenFlags { create: true, write: true, truncate: true, ..OpenFlags::default() };
                self.write(&path, flags, length, length)?;
                self.read(&path, OpenFlags { read: true, ..OpenFlags::default() }, READ_CALL)?;
            }
            Action::Read => {
                let as_measured = self.operation.action == Action::Read;
                let flags =
                    if as_measured { flags } else { OpenFlags { read: true, ..OpenFlags::default() } };
                let call =
                    if self.operation.call > 0 && as_measured { self.operation.call } else { READ_CALL };
                self.read(&path, flags, call)?;
            }
            Action::Write => {
                let call = if self.operation.call > 0 { self.operation.call } else { WRITE_CALL };
                self.write(&path, flags, length, call.min(length.max(1)))?;
            }
            Action::Open
            | Action::MapRead
            | Action::MapWrite
            | Action::LockReadWrite
            | Action::RandomRead
            | Action::RandomWrite
            | Action::On(_) => self.opened(action, &path)?,
        }
        Ok(())
    }

    fn read(&mut self, path: &[&str], flags: OpenFlags, call: u64) -> Result<(), NfsError> {
        let mut process = self.process();
        let number = process.open(Node::ROOT, path, flags)?;
        while process.read(number, call) > 0 {}
        process.close(number);
        Ok(())
    }

    fn write(&mut self, path: &[&str], flags: OpenFlags, length: u64, call: u64) -> Result<(), NfsError> {
        let Operation { offset, fsync, .. } = self.operation;
        let mut process = self.process();
        let number = process.open(Node::ROOT, path, flags)?;
        let mut at = 0;
        while at < length {
            let bytes = call.min(length - at);
            match offset {
                Some(offset) => process.write_at(number, offset + at, bytes),
                None => process.write(number, bytes),
            }
            at += bytes;
        }
        if fsync {
            process.fsync(number);
        }
        process.close(number);
        Ok(())
    }

    fn hold_open(&mut self, path: &[&str], flags: OpenFlags, held: Held) -> Result<(), NfsError> {
        let mut process = self.process();
        let number = process.open(Node::ROOT, path, flags)?;
        match held {
            Held::Nothing => {}
            Held::First => drop(process.read(number, 4096)),
            Held::All => while process.read(number, READ_CALL) > 0 {},
            Held::Dirty => process.write_at(number, 0, 4096),
        }
        self.held.push(number);
        Ok(())
    }

    fn on_held(&mut self, action: Action, path: &[&str]) -> Result<(), NfsError> {
        let length = self.operation.length;
        let Some(number) = self.held.last().copied() else { return Ok(()) };
        let mut process = self.client.on(&mut self.export);
        match action {
            Action::RereadHeld => {
                process.seek(number, 0);
                while process.read(number, READ_CALL) > 0 {}
            }
            Action::PwriteHeld => process.write_at(number, 0, 4096),
            Action::FsyncHeld => process.fsync(number),
            Action::FstatHeld => process.fstat(number),
            Action::TruncateHeld => process.truncate_open(number, length),
            Action::LockHeld => {
                process.lock(number);
                process.unlock(number);
            }
            action => {
                if action == Action::UnlinkHeld {
                    process.unlink(Node::ROOT, path)?;
                }
                process.close(number);
                self.held.pop();
            }
        }
        Ok(())
    }

    /// What works between open(2) and close(2).
    fn opened(&mut self, action: Action, path: &[&str]) -> Result<(), NfsError> {
        let Operation { size, length, count, flags, fsync, .. } = self.operation;
        let both = OpenFlags { read: true, write: true, ..OpenFlags::default() };
        let writes = !matches!(
            action,
            Action::Open | Action::MapRead | Action::RandomRead | Action::On(Procedure::Seek)
        );
        let mut draws = programs::Draws::new(self.repetition);
        let mut process = self.client.on(&mut self.export);
        let number = process.open(Node::ROOT, path, if writes { both } else { flags })?;
        match action {
            Action::MapRead => {
                process.map(number);
                process.load(number, length);
            }
            Action::MapWrite => {
                process.map(number);
                process.store(number, length);
            }
            Action::LockReadWrite => {
                process.lock(number);
                process.read(number, 4096);
                process.write_at(number, 0, 4096);
                process.unlock(number);
            }
            Action::RandomRead => (0..count).for_each(|_| {
                process.read_at(number, draws.below(size / 8192) * 8192, 8192);
            }),
            Action::RandomWrite => (0..count).for_each(|_| {
                process.write_at(number, draws.below(size / 8192) * 8192, 8192);
                if fsync {
                    process.fsync(number);
                }
            }),
            // Refused before 4.2, of which the program takes no notice.
            Action::On(procedure) => drop(process.on_open(number, procedure, length)),
            _ => {}
        }
        if fsync {
            process.fsync(number);
        }
        process.close(number);
        Ok(())
    }

    fn with_another(&mut self, action: Action, path: &[&str]) -> Result<(), NfsError> {
        let other = self.path("-b");
        let other: Vec<&str> = other.iter().map(String::as_str).collect();
        let bytes = self.operation.length;
        let mut process = self.client.on(&mut self.export);
        match action {
            Action::Rename => process.rename(Node::ROOT, path, &other),
            Action::Link => process.link(Node::ROOT, path, &other),
            Action::CopyWithin => programs::copy_within(&mut process, path, &other, bytes),
            _ => {
                let read = OpenFlags { read: true, ..OpenFlags::default() };
                let make = OpenFlags { create: true, write: true, ..OpenFlags::default() };
                let from = process.open(Node::ROOT, path, read)?;
                let to = process.open(Node::ROOT, &other, make)?;
                process.copy_range(from, to, bytes, false);
                process.close(from);
                process.close(to);
                Ok(())
            }
        }
    }

    fn with_directories(&mut self, action: Action) -> Result<(), NfsError> {
        let (a, b) = (self.within("a"), self.within("b"));
        match action {
            Action::WarmSubdirectories => {
                self.warm(&a);
                self.warm(&b);
            }
            Action::Status => {
                let directory = self.directory.clone();
                let path: Vec<&str> = directory.iter().map(String::as_str).collect();
                self.process().file_system_status(Node::ROOT, &path)?;
            }
            _ => {
                let name = format!("{}{}", self.letter(), self.repetition);
                let from: Vec<&str> = a.iter().map(String::as_str).chain([name.as_str()]).collect();
                let to: Vec<&str> = b.iter().map(String::as_str).chain([name.as_str()]).collect();
                self.process().rename(Node::ROOT, &from, &to)?;
            }
        }
        Ok(())
    }
}
