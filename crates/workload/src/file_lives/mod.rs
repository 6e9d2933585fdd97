//! File lives: a made-up file-level trace of people at work, where the real one can't be had.
//!
//! Work comes in bursts: at a burst's times somebody reads a file from its beginning to its end, or writes one. Files
//! are there from the beginning or are made, are written again, and are deleted. Each file lies in one piece, in the
//! part of the disk where files of its sort lie. Only reads that miss the cache are in the trace (as in Ivy's, §3.2).
//!
//! What the parameters mean is on [`FileLives`]; [`FileLives::events`] gives the trace. Its size, lifetime and count
//! figures are to be taken from a characterisation (Ivy's §5), the rest tuned to what one copy of every file does
//! (`petrio validate ivy`).
//!
//! Source for the behaviour: S.-L. Lo, "Ivy: a study on replicating data for performance improvement", HPL-CSP-90-48,
//! 1990, §2.2, §4.5, §5.

mod events;
mod parameters;

pub use events::FileLifeEvents;
pub use parameters::{FileLives, FileLivesError, Location, Reading, Sizes, Writing};

#[cfg(test)]
mod tests;
