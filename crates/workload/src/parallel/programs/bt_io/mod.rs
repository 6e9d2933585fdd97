//! BT-IO of the NAS Parallel Benchmarks: a solver on a cube of cells that dumps its solution every few steps and reads all dumps
//! back at the end.
//!
//! ```text
//!  barrier ─ open ─▶ steps: faces to six neighbours, three sweeps of q stages each ─▶ every fifth: a dump ─▶ close
//!                                                                                             │
//!             open ─▶ each dump: read back, errors summed over all ranks ─▶ close ─ errors ◀──┘
//! ```
//!
//! P = q² ranks hold q cells of the grid each, on a diagonal ([`grid`]). A value is five doubles, 40 B. How a dump is written:
//!
//! | subtype | by |
//! | --- | --- |
//! | full | a collective write of all ranks through a view of their cells |
//! | simple | each row of each cell by a call of its own, N²/q a rank, of 40·N/q B |
//! | fortran | the same with Fortran's direct access, records of 40 B, through the Fortran library's buffer |
//! | epio | a file a rank; each cell a record of Fortran's sequential access |
//!
//! Source: NPB 3.3 and 3.4, BT/full_mpiio, simple_mpiio, fortran_io, epio, btio_common, make_set and define; Wong and Van der
//! Wijngaart, "NAS Parallel Benchmarks I/O Version 2.4", NAS-03-002, 2003. Reading back, `full` opens the file without hints.
//! Its calls were compared with recorded runs of NPB 3.4.
//!
//! Left out: the untimed first step, removing a file that an earlier run has left, the small messages at the beginning, and that
//! Fortran writes the length before a sequential record a second time when it is known. How long a step computes is said by
//! whoever writes the scenario.

pub(in crate::parallel) mod fortran;
pub(in crate::parallel) mod grid;
mod parameters;
pub(in crate::parallel) mod program;
pub(in crate::parallel) mod solver;

pub use parameters::{BtClass, BtIoParameters, BtSubtype};

/// Bytes of a cell: five doubles.
const CELL_BYTES: u64 = 40;

#[cfg(test)]
mod tests;
