//! IOR: ranks that write and read back blocks of a file, or a file each, by transfers of one size.
//!
//! ```text
//!  file of all:   segment 0: │ block of rank 0 │ block of rank 1 │ … │ segment 1: │ …
//!  a block:       transfer, transfer, … each one call, or one collective call of all ranks (-c)
//!  a file a rank (-F):   its blocks of all segments, one after the other
//! ```
//!
//! What is done follows from the command line that IOR would get. Source: IOR 4.0, its documentation "Options" and src/ior.c
//! (TestIoSys, WriteOrRead), src/aiori-POSIX.c, src/aiori-MPIIO.c.
//!
//! Left out: that what was read is compared (`-R`, `-W`), which costs no access, several tests in one command, hints by file
//! (`-U`: they stand in the scenario's `hints`), and what only changes IOR's output.

pub(in crate::parallel) mod accesses;
mod command;
mod directives;
mod options;
mod order;
mod pass;
pub(in crate::parallel) mod program;

pub use options::{IorApi, IorOptions};
pub(in crate::parallel::programs) use program::{IorPlan, IorRank};

use super::command_line::CommandLine;
use crate::program::ProgramError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// IOR: ranks write and read back blocks of a file, or a file each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IorParameters {
    /// The command line, such as "ior -a MPIIO -b 16m -t 1m -s 4 -c" or "mpirun -np 4 ior -t=1m". Options: -a POSIX|MPIIO, -b block, -t transfer, -s
    /// segments, -F a file a rank, -u in a directory of its own, -m another one in each repetition, -c collective, -w only write, -W read it
    /// once more to compare it (alone it only does that), -r only read, -C and -Q other ranks' data are read, -z transfers of a block
    /// in random order, or in one file for all those of all blocks, each by a rank that is drawn, -e fsync after writing, -Y fsync after each write, -i repetitions, -d seconds before writing and reading, -k keep the
    /// file, -E write into the file that is there, -g wait for all before and after accesses, -D seconds after which a rank stops
    /// writing, or reading, -O stoneWallingWearOut=1 all go on then until they have done as much as the first,
    /// -O stoneWallingWearOutIterations=N transfers after which a rank stops, -T minutes after which no further writing or reading
    /// begins, -O useO_DIRECT=1 and other directives by name, with commas between. Sizes take k, m, g, t (powers of 1024). What
    /// changes no access (-G, -R with -r, --dataPacketType, -o, -O summaryFormat=JSON, …) is accepted and does nothing.
    pub command: CommandLine<IorOptions>,
}

impl IorParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        self.command.to_string()
    }

    pub(in crate::parallel) fn plan(&self, hosts: &[u32]) -> Result<IorPlan, ProgramError> {
        let options = self.command.options();
        options.launch.check(hosts)?;
        IorPlan::new(options.clone(), hosts)
    }
}

#[cfg(test)]
mod tests;
