//! A scenario of a machine, from what its own commands and files say of it.
//!
//! ```text
//! lsblk, mounts, mdstat, sysctl … ─ read ─▶ Found (what there is) ─ plan ─▶ parts of a scenario, each with what isn't known as a question
//! ```
//!
//! Whoever sends these sends them under any name: a text is known by what stands in it. What can't be known from outside (what the
//! machine is for, above all) is a comment with a question.

mod arrays;
mod block;
mod controller;
mod found;
mod kinds;
mod layers;
mod md;
mod mounts;
mod nearest;
mod pools;
mod write;

pub use kinds::MachineFiles;

use super::{Choices, Made, finished};
use crate::text::{Problem, Problems};
use found::Found;
use petrio_files::inputs::Inputs;

/// A scenario of the machine that these texts are of.
///
/// # Errors
/// Texts that say nothing of drives, or what of them can't be read; a drive, machine or kernel that the catalogue hasn't.
pub fn from_machine(files: &MachineFiles, choices: &Choices) -> Result<Made, Problems> {
    choices.check()?;
    let fail = |problem: Problem| Problems::new(files.name(), vec![problem]);
    let (found, mut remarks) = Found::read(files).map_err(fail)?;
    if found.devices.is_empty() {
        let message = format!("nothing in {} says which drives the machine has", files.name());
        let help = "give it what these print, in files of any names: lsblk -J -b -O; cat /proc/mounts; cat /proc/mdstat; sysctl vm; \
                    lscpu; cat /proc/meminfo; uname -r; nfsstat -m; zpool status; storcli /c0 show all; smartctl -i of each drive";
        return Err(fail(Problem::error(message).help(help)));
    }
    let body = write::scenario(&found, choices, &mut remarks);
    finished(&body, remarks, &Inputs::none()).map_err(|problems| {
        let first = problems.iter().next().map(|problem| problem.message().to_owned()).unwrap_or_default();
        let message = format!("what was sent of drives, arrays and mounts doesn't fit together: {first}");
        fail(Problem::error(message).help("send the files whole, as the commands wrote them"))
    })
}

#[cfg(test)]
mod sent;
#[cfg(test)]
mod tests;
