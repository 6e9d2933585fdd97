//! A shared file pointer: an offset in a file beside the data.
//!
//! Each rank opens that file with its first access, which makes it if none was there, and closes it with the data, once all
//! have done with it; then it goes (ROMIO, adio/common/ad_get_sh_fp.c: created, and deleted on close; mpi-io/close.c).
//!
//! Left out: the first read, which finds nothing. In ROMIO each rank removes the file behind its own close, and all but the
//! first find it gone, or go on in one that is; here the first does when all have closed it.

use crate::parallel::act::{Act, Call, Direction};
use crate::parallel::member::Member;
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;

/// A shared file pointer: the file that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(in crate::parallel) struct Pointer(pub(in crate::parallel) FileId);

/// An MPI_Offset.
const POINTER_BYTES: u64 = 8;

impl Pointer {
    /// A rank's first access opens it, and reads it if there is anything. ROMIO opens what it may make twice.
    pub(super) fn open_and_read(self, makes_it: bool) -> impl Iterator<Item = Act> {
        let first = if makes_it { Operation::Create } else { Operation::Open };
        let opening = [first, Operation::Close, Operation::Open];
        let opening = opening.map(|operation| Act::Call(Call::of(operation, self.0)));
        opening.into_iter().chain((!makes_it).then(|| self.read()))
    }

    pub(super) fn read(self) -> Act {
        Act::Call(Call::access(Direction::Read, self.0, 0, POINTER_BYTES))
    }

    pub(super) fn write(self) -> Act {
        Act::Call(Call::access(Direction::Write, self.0, 0, POINTER_BYTES))
    }

    /// A rank has done with it.
    pub(in crate::parallel) fn close(self, member: &Member) -> impl Iterator<Item = Act> + use<> {
        let close = Act::Call(Call::of(Operation::Close, self.0));
        let remove = (member.rank == 0).then(|| Act::Call(Call::of(Operation::Unlink, self.0)));
        [member.barrier(), close, member.barrier()].into_iter().chain(remove)
    }
}
