//! mdtest: ranks that make, look at, read and remove files and directories, in a tree of all or each in a tree of its own.
//!
//! ```text
//!  #test-dir.0-0 / mdtest_tree.R (R: 0, or with -u the rank) / … -z levels of -b branches each … / items
//!
//!  each phase for all items, ranks wait for each other after it:
//!   make the tree ─ directories: create, stat, rename, remove ─ files: create (and write), stat, read, remove ─ remove the tree
//! ```
//!
//! All of it happens once for each repetition (-i), and these once for each number of ranks (-f -l -s).
//!
//! What is done follows from the command line that mdtest would get. Source: mdtest as part of IOR 4.0, its documentation and
//! src/mdtest.c (mdtest_iteration, create_remove_items, mdtest_stat, mdtest_read, rename_dir_test, directory_test, file_test).
//!
//! Left out: the second that it sleeps before it begins, that what was read is compared (`-X`), which costs no access, and what
//! only changes mdtest's output. A node (`-k`) is made as a file is, and closed: a call more than mknod.

mod command;
mod options;
mod plan;
pub(in crate::parallel) mod program;
mod step;
mod tree;

pub use options::MdtestOptions;
pub(in crate::parallel::programs) use options::{Item, Phase};
pub(in crate::parallel::programs) use plan::MdtestPlan;
pub(in crate::parallel::programs) use program::MdtestRank;

use super::command_line::CommandLine;
use crate::program::ProgramError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// mdtest: ranks make, look at, read and remove files and directories.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MdtestParameters {
    /// The command line, such as "mdtest -n 1000 -u -F -w 3901 -e 3901". Options: -n items a rank, -I items a directory of the
    /// tree instead, -z levels, -b branches, -L items in the lowest level only, -u a tree a rank, -F only files, -D only
    /// directories, -C only create, -T only stat, -U only rename directories, -E only read, -r only remove, -w bytes written to
    /// each file, -e bytes read of it, -k nodes instead of files, --verify-write each file read once it is written, -y fsync after
    /// writing, -Y sync after each phase, -N so many hosts further (or ranks, on one host) is whose items are looked at, read and
    /// removed, -B ranks don't wait for each other, -c the first rank makes and removes the items of all, -R items looked at and
    /// read in an order that is drawn, -i repetitions, -p seconds before each, -f -l -s first and last number of ranks on which it
    /// runs and the step between, -W seconds after which no rank makes more files than the one that has most then. With both -n
    /// and -I the items of a rank lie in as many trees as that takes. Sizes take k, m, g, t (powers of 1024). What changes no
    /// access (-G, -x, -X with -E, -P, …) is accepted and does nothing.
    pub command: CommandLine<MdtestOptions>,
}

impl MdtestParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        self.command.to_string()
    }

    pub(in crate::parallel) fn plan(&self, hosts: &[u32]) -> Result<MdtestPlan, ProgramError> {
        let options = self.command.options();
        options.launch.check(hosts)?;
        MdtestPlan::new("#test-dir", options.clone(), options.phases(), hosts)
    }
}

#[cfg(test)]
mod tests;
