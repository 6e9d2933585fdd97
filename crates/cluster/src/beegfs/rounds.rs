//! Which requests an operation makes, to whom, one round after the other.
//!
//! After client_module/source/filesystem: `FhgfsOps_atomicOpen`, `FhgfsOps_lookupIntent`, `FhgfsOps_getattr` (FhgfsOpsInode.c),
//! `FhgfsOps_revalidateIntent` (FhgfsOpsDir.c), FhgfsOpsFile.c, and `FhgfsOpsRemoting_writefileVec`, `…_readfileVec`
//! (net/filesystem/FhgfsOpsRemoting.c). What is known of a name is looked at again by whoever uses it, for directories once a second
//! (`tuneDirSubentryCacheValidityMS`), for files each time (`tuneFileSubentryCacheValidityMS`).
//!
//! Left out: a stat by path of a file that the host has open, which looks the name up before (it counts as fstat(2)); opening a directory;
//! that an open for reading doesn't do for one who comes to write.

use super::buffers::Move;
use super::client::{BeegfsClient, Round, Rounds};
use super::message::{Call, Target};
use super::names::Names;
use super::procedure::Procedure;
use super::wire;
use petrio_colours::{AccessFlags, FileId, FileOp, Operation};
use petrio_kernel::Time;

/// Entries that a client asks for first, before it knows whether the server counts bytes (`FhgfsOpsHelper_refreshDirInfoIncremental`).
const FIRST_ENTRIES: u64 = 100;
/// Names that a program's call takes of them, as of other file systems (`Mounted::BEEGFS`).
const GIVEN: u64 = (32 << 10) / 48;

fn one(call: Call) -> Round {
    Round::Calls(vec![call])
}

impl BeegfsClient {
    /// The metadata server that has a directory's entries.
    fn owner(&self, directory: FileId) -> Target {
        Target::Meta(self.asker.table.striping.owner(directory))
    }

    /// Looks at a name and what it stands for, and asks a directory's owner where that is another.
    fn look(&mut self, (file, parent): (FileId, FileId), is_directory: bool, now: Time) -> Rounds {
        let of = (file, parent);
        self.known.insert(file, now);
        let lookup = Call { is_directory, ..Call::of(Procedure::Lookup, self.owner(parent), of) };
        let mut rounds = Rounds::from([one(lookup)]);
        if is_directory && self.owner(file) != self.owner(parent) {
            rounds.push_back(one(Call { is_directory, ..Call::of(Procedure::Stat, self.owner(file), of) }));
        }
        rounds
    }

    fn is_believed(&self, file: FileId, is_directory: bool, now: Time) -> bool {
        let valid = if is_directory { self.mount.directories } else { self.mount.files };
        self.known.get(&file).is_some_and(|since| valid > Time::ZERO && now.saturating_sub(*since) < valid)
    }

    /// The directories on the way to a name that have to be looked at.
    fn way(&mut self, directory: FileId, names: &Names, now: Time) -> Rounds {
        let mut rounds = Rounds::new();
        for at in names.way(directory) {
            if !self.is_believed(at, true, now) {
                rounds.extend(self.look((at, names.parent(at)), true, now));
            }
        }
        rounds
    }

    /// What an operation asks, round by round.
    pub(super) fn rounds(&mut self, op: &FileOp, names: &Names, now: Time) -> Rounds {
        let file = op.file;
        match op.operation {
            Operation::Read | Operation::Write => self.data(op, names),
            Operation::Fsync | Operation::Fdatasync => {
                let mut rounds = self.flush(op);
                if self.mount.remote_fsync && !op.is_word && !names.is_directory(file) {
                    rounds.push_back(Round::Calls(self.syncs(op)));
                }
                rounds
            }
            Operation::Close => self.close(op, names),
            Operation::Truncate => {
                let mut rounds = self.flush(op);
                self.buffers.forget(file);
                let parent = names.parent(file);
                rounds.extend(self.way(parent, names, now));
                let call = Call::of(Procedure::Truncate, self.owner(parent), (file, parent));
                rounds.push_back(one(Call { length: op.length, ..call }));
                rounds
            }
            Operation::Stat => self.stat(op, names, now),
            Operation::Readdir => self.list(op, names, now),
            Operation::Sync => {
                let dirty = self.buffers.dirty();
                let moves = dirty.into_iter().filter_map(|file| Some((file, self.buffers.flush(file)?)));
                let moves: Vec<(FileId, Move)> = moves.collect();
                let of = |(file, own)| self.transfers(&FileOp { file, ..op.clone() }, own);
                moves.into_iter().flat_map(of).collect()
            }
            _ => self.of_names(op, names, now),
        }
    }

    /// Operations on a name.
    fn of_names(&mut self, op: &FileOp, names: &Names, now: Time) -> Rounds {
        let file = op.file;
        let is_directory = names.is_directory(file);
        let is_new = matches!(op.operation, Operation::Create | Operation::Mkdir);
        let from = if is_new || !names.exists(file) { op.parent } else { names.parent(file) };
        let of = (file, from);
        let mut rounds = self.way(from, names, now);
        let asks = |procedure, target| Call { is_directory, ..Call::of(procedure, target, of) };
        let owner = self.owner(from);
        match op.operation {
            Operation::Create => rounds.push_back(one(asks(Procedure::LookupCreate, owner))),
            Operation::Open => {
                let is_open = self.open.get(&file).is_some_and(|open| open.count > 0);
                match self.known.contains_key(&file) {
                    false => rounds.push_back(one(asks(Procedure::LookupOpen, owner))),
                    true => {
                        if !self.is_believed(file, false, now) {
                            rounds.extend(self.look(of, is_directory, now));
                        }
                        if !is_open {
                            rounds.push_back(one(asks(Procedure::Open, owner)));
                        }
                    }
                }
            }
            Operation::Mkdir => {
                rounds.push_back(one(asks(Procedure::Lookup, owner)));
                rounds.push_back(one(asks(Procedure::MakeDirectory, owner)));
            }
            Operation::Unlink | Operation::Rmdir | Operation::SetAttributes => {
                if !self.is_believed(file, is_directory, now) {
                    rounds.extend(self.look(of, is_directory, now));
                }
                let (procedure, target) = match op.operation {
                    Operation::Unlink => (Procedure::Unlink, owner),
                    Operation::Rmdir => (Procedure::RemoveDirectory, owner),
                    _ if is_directory => (Procedure::SetAttributes, self.owner(file)),
                    _ => (Procedure::SetAttributes, owner),
                };
                rounds.push_back(one(asks(procedure, target)));
            }
            Operation::Rename => {
                rounds.extend(self.way(op.parent, names, now));
                if !self.is_believed(file, is_directory, now) {
                    rounds.extend(self.look(of, is_directory, now));
                }
                // The new name, which may stand for something.
                let of_new = (op.replaced.unwrap_or(file), op.parent);
                rounds.push_back(one(Call::of(Procedure::Lookup, self.owner(op.parent), of_new)));
                let call = asks(Procedure::Rename, owner);
                rounds.push_back(one(Call { into: op.parent, replaced: op.replaced, ..call }));
            }
            _ => return Rounds::new(),
        }
        rounds
    }

    fn stat(&mut self, op: &FileOp, names: &Names, now: Time) -> Rounds {
        let (file, parent) = (op.file, names.parent(op.file));
        let is_directory = names.is_directory(file);
        if self.open.get(&file).is_some_and(|open| open.count > 0) {
            let mut rounds = self.flush(op);
            rounds.push_back(one(Call::of(Procedure::Stat, self.owner(parent), (file, parent))));
            return rounds;
        }
        if file == FileId::ROOT {
            let call = Call::of(Procedure::Stat, self.owner(file), (file, file));
            return Rounds::from([one(Call { is_directory, ..call })]);
        }
        let mut rounds = self.way(parent, names, now);
        if !self.is_believed(file, is_directory, now) {
            rounds.extend(self.look((file, parent), is_directory, now));
        }
        rounds
    }

    /// Names of a directory, as far as they aren't read: a hundred, then as many as an answer holds.
    fn list(&mut self, op: &FileOp, names: &Names, now: Time) -> Rounds {
        let directory = op.file;
        let mut rounds = self.way(directory, names, now);
        let all = names.entries(directory);
        let listing = self.listings.entry((op.process, directory)).or_default();
        listing.given += GIVEN;
        let mut wanted = Vec::new();
        while listing.read < all.min(listing.given) || listing.read == 0 {
            let most =
                if listing.read == 0 { FIRST_ENTRIES } else { wire::entries_in(self.asker.table.names) };
            let length = most.min(all - listing.read);
            wanted.push(length);
            listing.read += length;
            if length == 0 {
                break;
            }
        }
        if listing.given >= all {
            self.listings.remove(&(op.process, directory));
        }
        let parent = names.parent(directory);
        let call = Call::of(Procedure::ListDirectory, self.owner(directory), (directory, parent));
        rounds.extend(wanted.into_iter().map(|length| one(Call { length, is_directory: true, ..call })));
        rounds
    }

    fn close(&mut self, op: &FileOp, names: &Names) -> Rounds {
        let (file, parent) = (op.file, names.parent(op.file));
        let mut rounds = self.flush(op);
        self.buffers.closed(op.process, file);
        let Some(open) = self.open.get_mut(&file) else { return rounds };
        open.count = open.count.saturating_sub(1);
        if open.count == 0 {
            let used = open.used;
            self.open.remove(&file);
            let call = Call::of(Procedure::Close, self.owner(parent), (file, parent));
            rounds.push_back(one(Call { used, ..call }));
        }
        rounds
    }

    /// What of a file's buffer no server has.
    fn flush(&mut self, op: &FileOp) -> Rounds {
        let own = self.buffers.flush(op.file);
        own.map_or_else(Rounds::new, |own| self.transfers(op, own))
    }

    /// Each target that was touched puts what it has of a file on its disk.
    fn syncs(&self, op: &FileOp) -> Vec<Call> {
        let used = self.open.get(&op.file).map_or(0, |open| open.used);
        let of = |position| {
            let group = self.asker.table.striping.group(op.file, position);
            Call::of(Procedure::Sync, Target::Storage(group.primary), (op.file, FileId::ROOT))
        };
        (0..used).map(of).collect()
    }

    /// A read or a write.
    fn data(&mut self, op: &FileOp, names: &Names) -> Rounds {
        let (file, writes) = (op.file, op.operation == Operation::Write);
        if writes {
            self.open.entry(file).or_default().writes = true;
        }
        if writes && op.flags.append {
            return self.append(op, names);
        }
        // Who opens a file so has no buffer (`FsFileInfo_getAllowCaching`).
        let is_direct = op.flags.direct || op.flags.sync || op.flags.data_sync;
        let moves = match writes {
            _ if is_direct => {
                let own = Move { writes, offset: op.offset, length: op.length };
                self.buffers.flush(file).into_iter().chain([own]).collect()
            }
            true => self.buffers.write((op.process, file), op.offset, op.length),
            false => {
                let (shared, end) = (self.is_shared(file), names.ends.end_of(file, 0));
                self.buffers.read((op.process, file), (op.offset, op.length), end, shared)
            }
        };
        moves.into_iter().flat_map(|own| self.transfers(op, own)).collect()
    }

    /// The end of a file is held at its metadata server by who appends (`FhgfsOpsHelper_appendfileVecOffset`).
    fn append(&mut self, op: &FileOp, names: &Names) -> Rounds {
        let parent = names.parent(op.file);
        let call = |procedure| Call::of(procedure, self.owner(parent), (op.file, parent));
        let lock = |length| one(Call { length, ..call(Procedure::AppendLock) });
        let ask = [lock(1), one(call(Procedure::Stat)), Round::Append, lock(0)];
        let mut rounds = self.flush(op);
        rounds.extend(ask);
        rounds
    }

    /// A range, by as many chunks at a time as the file has targets.
    pub(super) fn transfers(&mut self, op: &FileOp, own: Move) -> Rounds {
        let striping = std::sync::Arc::clone(&self.asker.table.striping);
        let open = self.open.entry(op.file).or_default();
        open.used = open.used.max(striping.used(own.offset, own.length));
        let (mut rounds, mut round) = (Rounds::new(), Vec::new());
        let procedure = if own.writes { Procedure::Write } else { Procedure::Read };
        let AccessFlags { direct, sync, data_sync, .. } = op.flags;
        for part in striping.parts(own.offset, own.length) {
            let group = striping.group(op.file, part.position);
            // Of a file with an odd number the other one of a group is read (`useBuddyMirrorSecond`).
            let other = group.secondary.filter(|_| !own.writes && op.file.0 % 2 == 1);
            let target = Target::Storage(other.unwrap_or(group.primary));
            round.push(Call {
                offset: part.offset,
                length: part.length,
                is_secondary: other.is_some(),
                flags: AccessFlags { direct, sync, data_sync, ..AccessFlags::default() },
                class: op.class,
                priority: op.priority,
                ..Call::of(procedure, target, (op.file, FileId::ROOT))
            });
            if round.len() == striping.per_file as usize {
                rounds.push_back(Round::Calls(std::mem::take(&mut round)));
            }
        }
        rounds.push_back(Round::Calls(round));
        rounds
    }
}
