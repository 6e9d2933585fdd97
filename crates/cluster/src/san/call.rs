//! A call on a node: what it needs tokens of, where it is, what it waits for.

use super::cache::Key;
use super::parameters::Granularity;
use super::ranges::{Mode, Range};
use super::tokens::Object;
use super::volume::Volume;
use petrio_colours::{Failure, FileCause, FileOp, Operation, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use smallvec::{SmallVec, smallvec};

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Wait {
    /// A token.
    Token,
    /// Blocks that are being read.
    Read,
    /// Blocks that are being written.
    Write,
    /// Room in the cache.
    Room,
}

impl Wait {
    pub(super) const ALL: [Self; 4] = [Self::Token, Self::Read, Self::Write, Self::Room];

    /// The name of the place in which calls wait for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Token => "for a token",
            Self::Read => "for reads",
            Self::Write => "for writes",
            Self::Room => "for room",
        }
    }
}

/// A token that a call works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Need {
    pub(super) object: Object,
    pub(super) mode: Mode,
    pub(super) range: Range,
}

/// What a call does next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) enum Step {
    /// It takes its tokens, one after the other.
    #[default]
    Tokens,
    /// It looks what there is to do.
    Begin,
    /// It takes the next blocks of a read or a write.
    Chunk,
    /// It looks which of them are there.
    Look,
    /// It makes room for the others, and reads those that it needs.
    Room,
    /// They come.
    Come,
    /// It has been copied.
    Copied,
    /// Metadata that it needs come.
    Metadata,
    /// What it has changed, or another before, is written.
    Flush,
}

/// A call.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Call {
    pub(super) op: FileOp,
    pub(super) step: Step,
    pub(super) needs: SmallVec<[Need; 4]>,
    /// How many of these it has.
    pub(super) has: usize,
    /// Of a read or a write, the next byte and the one after the last.
    pub(super) at: u64,
    pub(super) end: u64,
    /// Blocks that it works with: from one, up to another.
    pub(super) chunk: (u64, u64),
    /// Blocks of these that are to be read, and those for which it keeps room.
    pub(super) missing: Vec<Key>,
    pub(super) reserved: usize,
    /// Blocks that it works with.
    pub(super) pinned: Vec<Key>,
    /// Blocks of metadata that it needs.
    pub(super) metadata: SmallVec<[Key; 2]>,
    /// How often it has written what is to be written, and whether the disks' own caches have followed.
    pub(super) passes: u8,
    pub(super) settled: bool,
    /// What it waits for since when, how many requests, and how long the last of them was on its way to a disk and back;
    /// none, if a metanode had it.
    pub(super) wait: Option<Wait>,
    pub(super) since: Time,
    pub(super) left: u32,
    pub(super) on_the_way: Option<Time>,
    /// Processor time of what it does: in the cache, and copying.
    pub(super) work: (Time, Time),
    pub(super) waited: bool,
    pub(super) failure: Option<Failure>,
}

impl Call {
    pub(super) fn new(op: FileOp, needs: SmallVec<[Need; 4]>) -> Self {
        Self { op, needs, on_the_way: Some(Time::ZERO), ..Self::default() }
    }

    /// A wait is over: what it was for has the time.
    pub(super) fn charge(&mut self, now: Time) {
        let span = now - self.since;
        let on_the_way = self.on_the_way.map(|way| way.min(span));
        let ledger = &mut self.op.ledger;
        match self.wait.take() {
            Some(Wait::Token) => ledger.charge(FileCause::Server, span),
            Some(Wait::Room) => ledger.charge(FileCause::Throttle, span),
            Some(Wait::Read | Wait::Write) if on_the_way.is_none() => ledger.charge(FileCause::Server, span),
            Some(wait) => {
                let on_the_way = on_the_way.unwrap_or_default();
                let cause = if wait == Wait::Read { FileCause::Read } else { FileCause::Write };
                ledger.charge(FileCause::Network, on_the_way);
                ledger.charge(cause, span - on_the_way);
            }
            None => {
                let (cache, copy) = self.work;
                ledger.charge(FileCause::Cache, cache.min(span));
                ledger.charge(FileCause::Copy, copy.min(span.saturating_sub(cache)));
                ledger.charge(FileCause::Processor, span.saturating_sub(cache + copy));
            }
        }
        self.on_the_way = Some(Time::ZERO);
    }

    /// The call as it returns.
    pub(super) fn over(mut self, now: Time) -> FileOp {
        let moved = self.at.saturating_sub(self.op.offset);
        if self.op.operation == Operation::Read && self.failure.is_none() && moved < self.op.length {
            (self.op.length, self.op.cut_short) = (moved, true);
        }
        let rest = (now - self.op.issued).saturating_sub(self.op.ledger.total());
        self.op.ledger.charge(FileCause::Processor, rest);
        self.op.status = Status::of_call(self.failure, self.waited);
        self.op
    }
}

/// The tokens that a call works with, in the order in which it takes them; `blocks` of the file, or all of it. Where tokens
/// are of whole files, one is of an inode and of the data.
pub(super) fn needs(
    op: &FileOp,
    volume: &Volume,
    blocks: Range,
    granularity: Granularity,
) -> SmallVec<[Need; 4]> {
    use Mode::{Exclusive, Growing, Present, Shared};
    let need = |object, mode| Need { object, mode, range: Range::WHOLE };
    let (names, attributes, data) = (Object::Names, Object::Attributes, Object::Data);
    let mut needs: SmallVec<[Need; 4]> = match op.operation {
        // Who reads beyond the end has to know exactly where it is.
        Operation::Read => {
            let own = Need { object: data(op.file), mode: Shared, range: blocks };
            let is_beyond = volume.size(op.file).is_some_and(|size| op.end() > size);
            is_beyond.then(|| need(attributes(op.file), Shared)).into_iter().chain([own]).collect()
        }
        // Where it writes follows from where the file ends, which nobody else is to change.
        Operation::Write => {
            let range = if op.flags.append { Range::WHOLE } else { blocks };
            let own = Need { object: data(op.file), mode: Exclusive, range };
            smallvec![need(attributes(op.file), Growing), own]
        }
        Operation::Open => smallvec![need(attributes(op.file), Present)],
        Operation::Stat => smallvec![need(attributes(op.file), Shared)],
        Operation::Readdir => smallvec![need(names(op.file), Shared)],
        Operation::Create => {
            smallvec![need(names(op.parent), Exclusive), need(attributes(op.file), Exclusive)]
        }
        Operation::Mkdir => smallvec![need(names(op.parent), Exclusive)],
        Operation::Rmdir => {
            let parent = volume.parent(op.file).unwrap_or(op.parent);
            smallvec![need(names(parent), Exclusive), need(names(op.file), Exclusive)]
        }
        Operation::Truncate => {
            smallvec![need(attributes(op.file), Exclusive), need(data(op.file), Exclusive)]
        }
        Operation::SetAttributes => smallvec![need(attributes(op.file), Exclusive)],
        Operation::Unlink => {
            let parent = volume.parent(op.file).unwrap_or(op.parent);
            smallvec![
                need(names(parent), Exclusive),
                need(attributes(op.file), Exclusive),
                need(data(op.file), Exclusive)
            ]
        }
        Operation::Rename => {
            let mut needs: SmallVec<[Need; 4]> = smallvec![need(names(op.parent), Exclusive)];
            needs.extend(volume.parent(op.file).map(|parent| need(names(parent), Exclusive)));
            if let Some(replaced) = op.replaced {
                needs.push(need(attributes(replaced), Exclusive));
                needs.push(need(data(replaced), Exclusive));
            }
            needs
        }
        _ => SmallVec::new(),
    };
    if granularity == Granularity::File {
        for need in &mut needs {
            if let Object::Attributes(file) = need.object {
                let mode = if need.mode == Present { Shared } else { need.mode };
                *need = Need { object: Object::Data(file), mode, ..*need };
            }
        }
    }
    // One order for all: so none waits for another who waits for it.
    needs.sort_by_key(|need| need.object);
    needs.dedup_by(|next, need| {
        let is_same = next.object == need.object && next.range == need.range;
        need.mode = if is_same { need.mode.with(next.mode) } else { need.mode };
        is_same
    });
    needs
}
