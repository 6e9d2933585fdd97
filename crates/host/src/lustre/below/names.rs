//! Operations on names and attributes: which calls they cost, given what may be believed.

use super::{Lustre, asking, daemon};
use crate::below::{Kernel, Stop};
use crate::copy_cost::PAGE_BYTES;
use crate::lustre::carried::{Call, Told};
use crate::lustre::layout::Target;
use crate::lustre::procedure::{Bits, Procedure};
use crate::state::{Event, Touch};
use petrio_colours::{Direction, Failure, FileCause, FileId, FileOp, Operation};
use std::collections::VecDeque;

/// Bytes of an entry of a directory as it is read: `lu_dirent` (32) and a name of up to eight letters, in whole words.
const ENTRY: u64 = 40;
/// Pages of a directory that one RPC reads (`MD_MAX_BRW_PAGES`, 1 MiB).
const READ_PAGES: u64 = 256;
/// How many attributes of a directory, asked for one after the other, make it worth while to ask for the following
/// (`is_first_dirent`, `sai_hit`; lustre/llite/statahead.c).
const IN_A_ROW: u32 = 2;

impl Lustre {
    /// The metadata target that holds a file's inode.
    pub(super) fn home(&self, file: FileId) -> Target {
        let of = if self.names.is_directory(file) { file } else { self.parent(file) };
        Target::Mdt(self.is.striping.mdt_of(of))
    }

    fn bits(&self, file: FileId) -> Bits {
        self.known.get(&file).map_or(Bits::NONE, |known| known.bits)
    }

    /// Calls for the directories on the way to a name that aren't known.
    fn way(&self, parent: FileId) -> VecDeque<Vec<Call>> {
        let (mut rounds, mut at) = (VecDeque::new(), parent);
        while at != FileId::ROOT {
            if !self.bits(at).has(Bits::LOOKUP) {
                let (about, home) = ((at, self.parent(at)), Target::Mdt(self.is.striping.mdt_of(at)));
                rounds.push_front(vec![Call::of(Procedure::GetAttributes, about, home)]);
            }
            at = self.parent(at);
        }
        rounds
    }

    /// Calls for attributes and, of a file, its size.
    fn attributes(&mut self, file: FileId, parent: FileId) -> Vec<Vec<Call>> {
        let mut rounds = Vec::new();
        if !self.bits(file).has(Bits::LOOKUP.and(Bits::UPDATE)) {
            let is_known = self.names.exists(file);
            let home = if is_known { self.home(file) } else { Target::Mdt(self.is.striping.mdt_of(parent)) };
            rounds.push(vec![Call::of(Procedure::GetAttributes, (file, parent), home)]);
        }
        if !self.names.is_directory(file) && !self.sized.remove(&file) {
            let is_ost = |call: &Call| matches!(call.target, Target::Ost(_));
            rounds.push(self.glimpses(file).into_iter().filter(is_ost).collect());
        }
        rounds
    }

    /// What an operation asks of servers, round by round.
    fn rounds(&mut self, op: &FileOp) -> VecDeque<Vec<Call>> {
        let (file, parent) = (op.file, op.parent);
        let is_named = op.operation.changes_names() || !self.names.exists(file);
        let parent = if is_named { parent } else { self.parent(file) };
        let mut rounds = self.way(parent);
        let striping = std::sync::Arc::clone(&self.is);
        let of_parent = Target::Mdt(striping.striping.mdt_of(parent));
        let of_file = if self.names.exists(file) { self.home(file) } else { of_parent };
        let one = |procedure, target| vec![Call::of(procedure, (file, parent), target)];
        match op.operation {
            Operation::Open => rounds.push_back(one(Procedure::Open, of_file)),
            Operation::Create | Operation::Tmpfile => rounds.push_back(one(Procedure::Create, of_parent)),
            Operation::Close => rounds = [one(Procedure::Close, of_file)].into(),
            Operation::Stat => rounds.extend(self.attributes(file, parent)),
            Operation::SetAttributes | Operation::SetXattr => {
                rounds.push_back(one(Procedure::SetAttributes, of_file));
            }
            Operation::Truncate => {
                rounds.push_back(one(Procedure::SetAttributes, of_file));
                let components = self.known.get(&file).map_or(1, |known| known.components as usize);
                let left = op.length.div_ceil(PAGE_BYTES);
                let cut = striping.striping.objects(components).map(|object| {
                    let about = Call::of(Procedure::Punch, (file, file), self.target(file, object));
                    Call { object, numbers: (striping.striping.pages_in(object, left), left), ..about }
                });
                rounds.push_back(cut.filter(|call| matches!(call.target, Target::Ost(_))).collect());
            }
            Operation::Unlink => {
                let components = self.known.get(&file).map_or(1, |known| u64::from(known.components));
                let call = Call::of(Procedure::Unlink, (file, parent), of_file);
                rounds.push_back(vec![Call { numbers: (0, components), ..call }]);
            }
            Operation::Mkdir => {
                let own = Target::Mdt(striping.striping.mdt_of(file));
                rounds.push_back(one(Procedure::MakeDirectory, own));
            }
            Operation::Rmdir => rounds.push_back(one(Procedure::RemoveDirectory, of_file)),
            Operation::Symlink => rounds.push_back(one(Procedure::SymbolicLink, of_parent)),
            Operation::Rename => {
                let other = op.replaced.map_or(0, |other| u64::from(other.0));
                let call = Call::of(Procedure::Rename, (file, op.parent), of_file);
                rounds.push_back(vec![Call { numbers: (0, other), ..call }]);
            }
            Operation::Readdir => {
                if !self.bits(file).has(Bits::UPDATE) {
                    rounds.push_back(one(Procedure::LockDirectory, of_file));
                }
                if !self.known.get(&file).is_some_and(|known| known.is_read) {
                    let entries = self.entries.get(&file).map_or(0, |entries| entries.len() as u64) + 2;
                    let pages = (entries * ENTRY).div_ceil(PAGE_BYTES);
                    let call = Call::of(Procedure::ReadPage, (file, parent), of_file);
                    let reads = (0..pages.div_ceil(READ_PAGES)).map(|read| {
                        let own = READ_PAGES.min(pages - read * READ_PAGES);
                        vec![Call { numbers: (0, own), ..call }]
                    });
                    rounds.extend(reads);
                }
            }
            _ => {}
        }
        rounds.retain(|round| !round.is_empty());
        for call in rounds.iter().flatten().copied().collect::<Vec<_>>() {
            let (of_file, of_parent) = call.procedure.revokes();
            self.believes_no_longer(call.file, of_file);
            self.believes_no_longer(call.parent, of_parent);
        }
        rounds
    }

    /// Carries out an operation on names: what a lock doesn't let it believe is asked first.
    pub(super) fn change(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        if !self.asked.contains_key(&asking(op)) {
            let is_refused = op.operation.is_local() && op.operation != Operation::Symlink;
            if is_refused || op.operation == Operation::Link {
                return Err(Stop::Fail(Failure::NotImplemented));
            }
            self.may_rename(op)?;
            if op.operation == Operation::Truncate {
                self.all_written(kernel, op)?;
                self.lock_to_end(kernel, op)?;
            }
            if op.operation == Operation::Stat {
                self.looks_ahead(kernel, op)?;
            }
            let rounds = self.rounds(op);
            self.asked.insert(asking(op), rounds);
        }
        self.ask(kernel, op)?;
        self.release_held(kernel, op);
        let is_new = self.names.operate(op)?;
        self.changed(kernel, op, is_new);
        Ok(())
    }

    /// A name may not leave its metadata target: servers before 2.8 answered EXDEV (the manual, 14.5), as all do for what isn't migrated.
    fn may_rename(&self, op: &FileOp) -> Result<(), Stop> {
        let leaves = op.operation == Operation::Rename
            && !self.names.is_directory(op.file)
            && self.home(op.file) != Target::Mdt(self.is.striping.mdt_of(op.parent));
        if leaves { Err(Stop::Fail(Failure::NotSupported)) } else { Ok(()) }
    }

    /// All that is dirty of a file is at its servers.
    fn all_written(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let key = kernel.fs.key(op.file);
        if kernel.memory.cache.counts(key).dirty > 0 {
            let group = kernel.fs.transfers.group();
            let touch = Touch::of(op, Direction::Write, true);
            if kernel.write_pages(self, key, (0, u64::MAX), u64::MAX, touch, group).1 > 0 {
                return Err(Stop::Wait(Event::Group(group), FileCause::Write));
            }
        }
        let sent = kernel.fs.transfers.sent();
        match kernel.fs.transfers.await_write(key, (0, u64::MAX), sent) {
            Some(write) => Err(Stop::Wait(Event::Written(write), FileCause::Write)),
            None => Ok(()),
        }
    }

    /// What names say is done.
    fn changed(&mut self, kernel: &mut Kernel<'_>, op: &FileOp, is_new: bool) {
        if is_new {
            *kernel.fs.inodes.get_mut(op.file) = Default::default();
            let bits = self.bits(op.file);
            self.know(op.file, op.parent, 0);
            self.known.get_mut(&op.file).into_iter().for_each(|known| known.bits = bits);
        }
        match op.operation {
            Operation::Rename => {
                let old = self.parent(op.file);
                self.entries.entry(old).or_default().remove(&op.file);
                self.entries.entry(op.parent).or_default().insert(op.file);
                self.known.get_mut(&op.file).into_iter().for_each(|known| known.parent = op.parent);
            }
            Operation::Readdir => {
                self.known.get_mut(&op.file).into_iter().for_each(|known| known.is_read = true);
            }
            _ => {}
        }
    }

    /// A file is gone, with its locks and what was dirty under them: its servers forget them, too.
    pub(super) fn forget(&mut self, file: FileId) {
        let locks: Vec<u32> = self.locks.of_file(file).map(|(number, _)| number).collect();
        for number in locks {
            let pages = self.locks.dropped(number);
            if let Some(lock) = self.locks.remove(number) {
                let code = self.target(file, lock.object).code();
                let written = self.written_to(code);
                written.dirty = written.dirty.saturating_sub(pages);
            }
        }
        let parent = self.parent(file);
        if let Some(entries) = self.entries.get_mut(&parent) {
            entries.remove(&file);
        }
        self.known.remove(&file);
        self.sized.remove(&file);
    }

    /// A metadata target answers.
    pub(super) fn hears_of(
        &mut self,
        kernel: &mut Kernel<'_>,
        (procedure, file): (Procedure, FileId),
        told: Told,
    ) {
        self.ahead.remove(&file);
        let parent = if self.names.is_directory(told.parent) { told.parent } else { FileId::ROOT };
        let is_being_made =
            matches!(procedure, Procedure::Create | Procedure::MakeDirectory | Procedure::SymbolicLink);
        if told.exists && !is_being_made && !self.names.exists(file) {
            // Somebody else has made it.
            if self.names.add(file, parent, told.is_directory).is_ok() {
                self.know(file, parent, told.size);
            }
        }
        if self.names.exists(file) {
            Self::hears_size(kernel, file, told.size);
        }
        let bits = told.bits;
        match self.known.get_mut(&file) {
            Some(known) => known.bits = known.bits.and(bits),
            None if is_being_made => {
                self.known.insert(file, super::Known { parent, bits, components: 1, is_read: false });
            }
            None => {}
        }
    }

    /// Attributes that are asked for in the order of a directory are asked for ahead (lustre/llite/statahead.c), with the sizes
    /// (asynchronous
    /// glimpses); who comes to one that is on its way waits for it.
    fn looks_ahead(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        if let Some(&group) = self.ahead.get(&op.file)
            && kernel.fs.transfers.is_pending(group)
        {
            return Err(Stop::Wait(Event::Group(group), FileCause::Network));
        }
        let parent = self.parent(op.file);
        let follows = |after: FileId| {
            let entries = self.entries.get(&parent)?;
            entries.range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded)).next().copied()
        };
        let row = match self.looked.get(&op.process) {
            Some(&(last, row)) if follows(last) == Some(op.file) => row + 1,
            Some(&(last, row)) if last == op.file => row,
            _ => 0,
        };
        self.looked.insert(op.process, (op.file, row));
        let most = self.is.stat_ahead as usize;
        if row < IN_A_ROW || most == 0 || self.ahead.len() >= most {
            return Ok(());
        }
        let unknown = |file: &FileId| {
            !self.ahead.contains_key(file)
                && !self.bits(*file).has(Bits::LOOKUP.and(Bits::UPDATE))
                && !self.names.is_directory(*file)
        };
        let after = (std::ops::Bound::Excluded(op.file), std::ops::Bound::Unbounded);
        let entries = self.entries.get(&parent).into_iter().flat_map(|entries| entries.range(after)).copied();
        let next: Vec<FileId> = entries.filter(unknown).take(most - self.ahead.len()).collect();
        for file in next {
            let group = kernel.fs.transfers.group();
            let touch = daemon(kernel);
            for call in self.attributes(file, parent).into_iter().flatten() {
                self.put(kernel, (touch, group), &call);
            }
            self.sized.insert(file);
            self.ahead.insert(file, group);
        }
        Ok(())
    }
}
