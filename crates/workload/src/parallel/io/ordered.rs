//! Shared file pointers in order: all ranks write, or read, where the rank before has ended
//! (MPI_File_write_ordered, MPI_File_read_ordered).
//!
//! Each rank reads the pointer (`pointer.rs`) and overwrites it with where its own will end. Ranks take it one after the other,
//! each told by the one before (ROMIO, mpi-io/write_ord.c and read_ord.c, as of MPICH 3); then each accesses the file, at the
//! same time as the others.
//!
//! Left out: the lock on the pointer's file, for which nobody waits here (`unordered.rs`).

use super::pointer::Pointer;
use crate::parallel::act::{Act, Call, Direction, Sequence};
use crate::parallel::member::Member;
use petrio_colours::{Exchange, FileId};

/// An access to `length` bytes, whose turn in the ranks' order is at `offset`; the rank's first opens the pointer.
pub(in crate::parallel) fn access_in_order(
    member: &Member,
    (pointer, is_first): (Pointer, bool),
    (direction, file): (Direction, FileId),
    (offset, length): (u64, u64),
) -> Act {
    let mut acts = Vec::with_capacity(8);
    if let Some(before) = member.rank.checked_sub(1) {
        acts.push(Act::Exchange(Exchange { receives: vec![before], ..Exchange::default() }));
    }
    if is_first {
        acts.extend(pointer.open_and_read(member.rank == 0));
    } else {
        acts.push(pointer.read());
    }
    acts.push(pointer.write());
    if member.rank + 1 < member.ranks() {
        acts.push(Act::Exchange(Exchange { sends: vec![(member.rank + 1, 0)], ..Exchange::default() }));
    }
    acts.push(Act::Call(Call::access(direction, file, offset, length)));
    Sequence::act(acts)
}
