//! What a parallel program does on another number of ranks, from recordings of it on two numbers or more.
//!
//! ```text
//!  events ─ files: which are followed ─ job: what each rank does ─┐
//!                                                                 ▼
//!  shape: how ranks lie, who is whose neighbour ─▶ skeleton: loops in loops ─▶ role: a law for each number ─▶ run ─▶ events
//!                                                       law, blocks, ranges, times: the laws
//! ```
//!
//! Ranks that do the same but for whom they speak to, how much they move and where in files make a *role*: all of them, or the first one
//! and the others, and so on. What a role does is folded into loops; the counts of loops, the other rank of a message, its bytes, the
//! names of files and the ranges in them have to follow laws of the number of ranks, the rank's place in a line or a grid, and the
//! loops' turns. **A law has to give all that was recorded exactly**, of every rank of every recording; the simplest that does is taken.
//! Times are means, of a part that is the same on any number of ranks and one that they share.
//!
//! One recording says what so many ranks do, not what changes with their number: it is refused. Left out: the order in which messages
//! from anybody come; what libraries do with files of their own; children and threads of ranks that read or write.
//!
//! After ScalaExtrap (X. Wu and F. Mueller, *ScalaExtrap: trace-based communication extrapolation for SPMD programs*, PPoPP 2011), with
//! exact laws in place of fitted ones, and files.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod blocks;
mod files;
mod job;
mod law;
mod path;
mod ranges;
mod role;
mod run;
mod shape;
mod skeleton;
mod times;
mod unfit;

pub use unfit::Unfit;

use files::Files;
use job::Job;
use petrio_trace::event::Event;
use role::{Apart, Pattern};
use shape::{Grid, Roles, Shape};

/// The most ranks that are foretold.
const RANKS_MAX: u32 = 1 << 16;

/// What the program does on so many ranks; only files below `below` are followed, or all where none is named.
///
/// # Errors
/// Recordings that are too few or of other programs, and what of them follows no law.
pub fn extrapolate(recordings: &[&[Event]], ranks: u32, below: &[String]) -> Result<Vec<Event>, Unfit> {
    let counts: Vec<u32> = recordings
        .iter()
        .map(|events| job::threads(events).map(|ranks| u32::try_from(ranks.len()).unwrap_or(u32::MAX)))
        .collect::<Result<_, _>>()?;
    let mut different = counts.clone();
    different.sort_unstable();
    different.dedup();
    if different.len() < 2 {
        return Err(Unfit::One { ranks: counts.first().copied().unwrap_or(0) });
    }
    if different.len() < counts.len() {
        return Err(Unfit::Twice);
    }
    if ranks > RANKS_MAX {
        return Err(Unfit::TooMany { most: RANKS_MAX });
    }
    let files = Files::of(recordings, &counts, below)?;
    let jobs: Vec<Job> = recordings.iter().map(|events| Job::of(events, &files)).collect::<Result<_, _>>()?;
    let mut worst: Option<Unfit> = None;
    for shape in Shape::ALL {
        let grids: Option<Vec<Grid>> = counts.iter().map(|ranks| shape.of(*ranks)).collect();
        let Some(grids) = grids else { continue };
        // Squares say nothing of how rows differ from columns.
        if shape == Shape::Rectangle && grids.iter().all(|grid| grid.sides[0] == grid.sides[1]) {
            continue;
        }
        for roles in Roles::ALL {
            match foretold(&jobs, (shape, &grids), roles, ranks, &files) {
                Ok(events) => return Ok(events),
                Err(unfit) if worst.as_ref().is_none_or(|worst| worst.progress() <= unfit.progress()) => {
                    worst = Some(unfit);
                }
                Err(_) => {}
            }
        }
    }
    Err(worst.unwrap_or(Unfit::Twice))
}

/// By one shape and one division into roles.
fn foretold(
    jobs: &[Job],
    (shape, grids): (Shape, &[Grid]),
    roles: Roles,
    ranks: u32,
    files: &Files,
) -> Result<Vec<Event>, Unfit> {
    let mut failed: Option<Unfit> = None;
    for (by_relation, by_ranges) in [(true, false), (false, false), (true, true), (false, true)] {
        match Pattern::of(jobs, (shape, grids), roles, Apart { by_relation, by_ranges }) {
            Ok(pattern) => {
                let Some(grid) = shape.of(ranks) else {
                    return Err(Unfit::Shape { shape: shape.words(), ranks });
                };
                return run::run(&pattern, &grid, files);
            }
            Err(unfit) if failed.as_ref().is_none_or(|failed| failed.progress() <= unfit.progress()) => {
                failed = Some(unfit);
            }
            Err(_) => {}
        }
    }
    Err(failed.unwrap_or(Unfit::Twice))
}
