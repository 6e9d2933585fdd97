//! What a rank of mdtest does with one item, or one directory of a tree.

use super::options::{Item, Phase};
use super::program::MdtestRank;
use crate::parallel::act::{Act, Call, Direction, Sequence};
use crate::permutation::Permutation;
use petrio_colours::Operation;
use petrio_random::finish;
use petrio_units::numbers::{as_index, as_number};

impl MdtestRank {
    /// The next act of the phase, which may be none; `None` when the phase is over.
    pub(super) fn step(&self, phase: Phase) -> Option<Option<Act>> {
        let plan = &self.plan;
        // Whose item, which of them, and in which directory it is to be found.
        let item = |item| {
            let (rank, number) = self.next_item(phase)?;
            Some((plan.item(item, rank, plan.named(item, number)), plan.directory_of(rank, number)))
        };
        Some(match phase {
            Phase::MakeTree => Some(self.tree(Operation::Mkdir)?),
            Phase::RemoveTree => Some(self.tree(Operation::Rmdir)?),
            Phase::Create(Item::Directory) => {
                let (rank, number) = self.next_item(phase)?;
                let directory = plan.item(Item::Directory, rank, number);
                Some(self.call(Operation::Mkdir, directory, plan.directory_of(rank, number)))
            }
            Phase::Create(Item::File) if plan.options.collective => Some(self.create_for_all()?),
            Phase::Create(Item::File) => {
                let (number, parent) = item(Item::File)?;
                Some(self.file_item(Operation::Create, Direction::Write, number, parent))
            }
            Phase::Read => {
                let (number, parent) = item(Item::File)?;
                Some(self.file_item(Operation::Open, Direction::Read, number, parent))
            }
            Phase::Stat(kind) => {
                let (rank, number) = self.next_item(phase)?;
                Some(Act::Call(Call::of(Operation::Stat, self.file(plan.item(kind, rank, number)))))
            }
            Phase::Rename => Some(self.rename()?),
            Phase::Remove(kind) => {
                let (number, parent) = item(kind)?;
                let how = if kind == Item::File { Operation::Unlink } else { Operation::Rmdir };
                Some(self.call(how, number, parent))
            }
            Phase::Find => self.find(self.done)?,
        })
    }

    /// Whose item it is that a rank looks at, reads or removes: with each phase so many ranks further.
    fn whose(&self, phase: Phase, rank: u32) -> u32 {
        let times = match phase {
            Phase::Stat(_) | Phase::Rename => 1,
            Phase::Read => 2,
            Phase::Remove(_) => 3,
            _ => 0,
        };
        let further = u64::from(self.plan.stride) * times;
        as_number((u64::from(rank) + further) % u64::from(self.member.ranks()))
    }

    /// Whose item comes next, and its number: the rank's own, or of each rank in turn where the first does what all do.
    fn next_item(&self, phase: Phase) -> Option<(u32, u64)> {
        let items = self.items(phase);
        let options = &self.plan.options;
        let by_first = matches!(phase, Phase::Create(_) | Phase::Remove(_)) && options.collective;
        if !by_first {
            let is_drawn = matches!(phase, Phase::Stat(_) | Phase::Read) && options.random;
            let number = |done| match is_drawn {
                true => Permutation::new(items, finish(self.key)).at(done),
                false => done,
            };
            return (self.done < items).then(|| (self.whose(phase, self.member.rank), number(self.done)));
        }
        let rank = self.done / items;
        let is_left = self.member.rank == 0 && rank < u64::from(self.member.ranks());
        is_left.then(|| (self.whose(phase, as_number(rank)), self.done % items))
    }

    fn call(&self, operation: Operation, number: u32, parent: u32) -> Act {
        let call = Call { parent: self.file(parent), ..Call::of(operation, self.file(number)) };
        Act::Call(call)
    }

    /// The next directory of this rank's trees, made or removed.
    fn tree(&self, operation: Operation) -> Option<Act> {
        let (plan, each) = (&self.plan, self.plan.tree.directories);
        let of = self.trees().nth(as_index(self.done / each))?;
        let directory = match operation {
            Operation::Mkdir => self.done % each,
            _ => each - 1 - self.done % each,
        };
        let above = plan.tree.parent(directory).map_or(0, |parent| plan.directory(of, parent));
        Some(self.call(operation, plan.directory(of, directory), above))
    }

    /// A file created or opened, written or read, and closed.
    fn file_item(&self, first: Operation, direction: Direction, file: u32, parent: u32) -> Act {
        let options = &self.plan.options;
        let id = self.file(file);
        let bytes = match direction {
            Direction::Write => options.write_bytes,
            Direction::Read => options.read_bytes,
        };
        let mut acts = vec![self.call(first, file, parent)];
        if bytes > 0 {
            acts.push(Act::Call(Call::access(direction, id, 0, bytes)));
        }
        if bytes > 0 && direction == Direction::Write {
            let fsync = options.fsync.then(|| Act::Call(Call::of(Operation::Fsync, id)));
            let read = || Act::Call(Call::access(Direction::Read, id, 0, bytes));
            acts.extend(fsync.into_iter().chain(options.verify_write.then(read)));
        }
        acts.push(Act::Call(Call::of(Operation::Close, id)));
        Sequence::act(acts)
    }

    /// Files made by the first rank for all, which then open their own (src/mdtest.c, file_test_create).
    fn create_for_all(&self) -> Option<Act> {
        let (plan, rank) = (&self.plan, self.member.rank);
        if let Some((whose, number)) = self.next_item(Phase::Create(Item::File)) {
            let file = plan.item(Item::File, whose, number);
            let create = self.call(Operation::Create, file, plan.directory_of(whose, number));
            return Some(Sequence::act([create, Act::Call(Call::of(Operation::Close, self.file(file)))]));
        }
        let before = if rank == 0 { plan.items * u64::from(self.member.ranks()) } else { 0 };
        match self.done - before {
            0 => Some(self.member.barrier()),
            after if after <= plan.items => {
                let (file, parent) =
                    (plan.item(Item::File, rank, after - 1), plan.directory_of(rank, after - 1));
                Some(self.file_item(Operation::Open, Direction::Write, file, parent))
            }
            _ => None,
        }
    }

    /// The next directory of a rank moved to the name of the one before it: the first one out of their way, and as the last to
    /// the name that is left ([`named`](super::plan::MdtestPlan::named)).
    fn rename(&self) -> Option<Act> {
        let (rank, number) = self.next_item(Phase::Rename)?;
        let plan = &self.plan;
        let directory = if number + 1 == plan.items { 0 } else { number };
        let to = plan.directory_of(rank, number.saturating_sub(1));
        Some(self.call(Operation::Rename, plan.item(Item::Directory, rank, directory), to))
    }

    /// What this rank lists and looks at as its part of a search through everything: the directories of a tree that is its own
    /// or all ranks', a page of entries after the other; then those of the files that may be what is looked for. Without types in
    /// its listing, who lists a directory looks at every entry at once (IO500's pfind, src/pfind.c: find_do_readdir); with
    /// them, what has the right name is looked at by all ranks (there by work that is stolen, here by who made it).
    fn find(&self, number: u64) -> Option<Option<Act>> {
        let plan = &self.plan;
        let directories = self.directories();
        if number < directories {
            return Some(Some(self.list(number)));
        }
        let (item, items) = (number - directories, self.items(Phase::Find));
        let look = |rank: u32, item: u64| {
            Act::Call(Call::of(Operation::Stat, self.file(plan.item(Item::File, rank, item))))
        };
        let rank = self.member.rank;
        if self.member.world.mounted.tells_types {
            let found = || format!("file.mdtest.{rank}.{item}").contains("01");
            return (item < items).then(|| found().then(|| look(rank, item)));
        }
        if plan.options.unique {
            return (item < items).then(|| Some(look(rank, item)));
        }
        let all = items * u64::from(self.member.ranks());
        (rank == 0 && item < all).then(|| Some(look(as_number(item / items), item % items)))
    }

    /// A directory opened, listed, and closed; where its directories look like files, each of them looked at.
    fn list(&self, number: u64) -> Act {
        let (plan, tree, mounted) = (&self.plan, &self.plan.tree, self.member.world.mounted);
        let file = self.file(plan.directory(self.member.rank, number));
        let first_below = number * tree.branches + 1;
        let below = first_below..(first_below + tree.branches).min(tree.directories);
        let sharing = if plan.options.unique { 1 } else { u64::from(self.member.ranks()) };
        let files = if number < tree.first {
            0
        } else {
            let before = (number - tree.first) * tree.per_directory;
            self.items(Phase::Find).saturating_sub(before).min(tree.per_directory) * sharing
        };
        let entries = files + below.end.saturating_sub(below.start);
        let pages = entries.div_ceil(mounted.entries).max(1);
        let call = |operation| Act::Call(Call::of(operation, file));
        let listing = std::iter::repeat_with(|| call(Operation::Readdir)).take(as_index(pages));
        let unknown = below.filter(|_| !mounted.tells_types).map(|directory| {
            Act::Call(Call::of(Operation::Stat, self.file(plan.directory(self.member.rank, directory))))
        });
        Sequence::act(
            [call(Operation::Open)].into_iter().chain(listing).chain(unknown).chain([call(Operation::Close)]),
        )
    }
}
