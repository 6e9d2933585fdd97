//! A file view: what of a file a rank sees, and as which bytes it counts them (MPI_File_set_view).

use super::datatype::{Datatype, Pieces};
use std::sync::Arc;

/// From a displacement on, a datatype over and over again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    displacement: u64,
    datatype: Arc<Datatype>,
}

impl View {
    /// What is seen of a file from byte `displacement` on.
    pub const fn new(displacement: u64, datatype: Arc<Datatype>) -> Self {
        Self { displacement, datatype }
    }

    /// What is seen, before it is repeated.
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// Bytes that are seen before `offset`.
    pub(super) fn before(&self, offset: u64) -> u64 {
        let Some(within) = offset.checked_sub(self.displacement) else { return 0 };
        let extent = self.datatype.extent();
        within / extent * self.datatype.size() + self.datatype.before(within % extent)
    }

    /// Pieces that begin before `offset`, and that end there or before.
    pub(super) fn pieces_at(&self, offset: u64) -> Pieces {
        let Some(within) = offset.checked_sub(self.displacement) else { return Pieces::default() };
        let extent = self.datatype.extent();
        self.datatype.pieces_at(within % extent).after(within / extent * self.datatype.pieces())
    }

    /// Where the byte number `index` of those that are seen lies, and how many follow it in its piece, itself included.
    ///
    /// ```
    /// use petrio_workload::parallel::io::{Datatype, View};
    /// use std::sync::Arc;
    /// // The second row of three of a matrix of 10 columns of doubles, then of the next matrix.
    /// let double = Arc::new(Datatype::bytes(8)?);
    /// let row = Datatype::subarray(&[10, 3], &[10, 1], &[0, 1], &double)?;
    /// let view = View::new(100, Arc::new(row));
    /// assert_eq!(view.run(0), (180, 80));
    /// assert_eq!(view.run(84), (100 + 240 + 80 + 4, 76));
    /// # Ok::<(), petrio_workload::program::ProgramError>(())
    /// ```
    pub fn run(&self, index: u64) -> (u64, u64) {
        let size = self.datatype.size();
        let (at, left) = self.datatype.run(index % size);
        (self.displacement + index / size * self.datatype.extent() + at, left)
    }
}
