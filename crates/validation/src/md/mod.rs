//! Arrays of Linux md beside measured ones: what each member was asked to read and write.
//!
//! ```text
//!   DIR/*.csv ─ cell ─▶ cells ─ predict (the array, members of the pace of the cell, and its workload) ─▶ judge ─▶ rows
//! ```
//!
//! A cell is a fixed workload on a freshly made array of a stock kernel 6.1 whose members are held to a pace. Bytes and requests of direct
//! input and output follow from offsets and md's rules; buffered writes with a stripe cache smaller than what is in flight depend on how
//! write-back, md's thread and the members interleave, so that of them amplifications are compared.

mod cell;
mod error;
mod judge;
mod predict;
#[cfg(test)]
mod tests;

pub use cell::{Cell, Measured, State, read_cells};
pub use error::MdError;
pub use judge::{MdRow, judge, judge_counts};
pub use predict::{Members, Predicted, predict};

use crate::side_by_side::{Progress, side_by_side};

/// Predicts each cell.
///
/// # Errors
/// [`MdError`]: an array that can't be made, a net that fails.
pub fn rows(cells: &[Cell], progress: &mut Progress<'_>) -> Result<Vec<MdRow>, MdError> {
    side_by_side(cells, progress, |cell| Ok(MdRow::of(cell.clone(), predict(cell)?)))
}
