//! Shared file pointers in order: all ranks write, or read, where the rank before has ended
//! (MPI_File_write_ordered, MPI_File_read_ordered).
//!
//! The pointer lies in a file beside the data, as ROMIO keeps it (adio/common/ad_get_sh_fp.c): 8 bytes, which each rank reads
//! and overwrites with where its own will end. Ranks take it one after the other, each told by the one before
//! (mpi-io/write_ord.c and read_ord.c, as of MPICH 3); then each accesses the file, at the same time as the others.
//!
//! Left out: the lock on the pointer's file, for which nobody waits here (`unordered.rs`).

use crate::parallel::act::{Act, Call, Direction, Sequence};
use crate::parallel::member::Member;
use petrio_colours::{Exchange, FileId};

/// A shared file pointer: the file that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::parallel) struct Pointer(pub(in crate::parallel) FileId);

/// An MPI_Offset.
pub(super) const POINTER_BYTES: u64 = 8;

/// An access to `length` bytes, whose turn in the ranks' order is at `offset`.
pub(in crate::parallel) fn access_in_order(
    member: &Member,
    Pointer(pointer): Pointer,
    (direction, file): (Direction, FileId),
    (offset, length): (u64, u64),
) -> Act {
    let mut acts = Vec::with_capacity(5);
    if let Some(before) = member.rank.checked_sub(1) {
        acts.push(Act::Exchange(Exchange { sends: Vec::new(), receives: vec![before] }));
    }
    acts.push(Act::Call(Call::access(Direction::Read, pointer, 0, POINTER_BYTES)));
    acts.push(Act::Call(Call::access(Direction::Write, pointer, 0, POINTER_BYTES)));
    if member.rank + 1 < member.ranks() {
        acts.push(Act::Exchange(Exchange { sends: vec![(member.rank + 1, 0)], receives: Vec::new() }));
    }
    acts.push(Act::Call(Call::access(direction, file, offset, length)));
    Sequence::act(acts)
}
