//! The sections of a report, each in a file or folder of its own, which nothing else knows but the list below.

mod activity;
mod arrays;
mod calls;
mod ceph;
mod copies;
mod costs;
mod counted;
mod credits;
mod executed;
mod jobs;
mod locks;
mod memory;
mod model_error;
mod paths;
mod profile;
mod rates;
mod retries;
mod rpcs;
mod sustained;
mod traffic;

pub use activity::{Activity, Measure};
pub use arrays::{ArrayFigures, CacheFigures, FailureFigures, InReplications, MovedFigures};
pub use calls::CallsFigures;
pub use ceph::CephFigures;
pub use copies::{CopiesFigures, CopyMovesFigures, MeanAndDeviation};
pub use costs::{ALL as ALL_COSTS, CostFigures};
pub use counted::CountedFigures;
pub use credits::{BehindCredits, CreditFigures, CreditUnit};
pub use executed::{CallFigures, ExecutedFigures, ExecutedRank};
pub use jobs::{JobFigures, PhaseFigures, RankFigures, ScoreFigures};
pub use locks::LocksFigures;
pub use memory::MemoryFigures;
pub use model_error::{ClassFigures, ModelErrorFigures, Narrows, RangeFigures, RangeOf};
pub use paths::{PathFailureFigures, PathFigures, PathsFigures};
pub use profile::{FunctionFigures, LINE_BYTES, ProfileFigures};
pub use rates::{MemberRate, Rates};
pub use retries::RetriesFigures;
pub use rpcs::RpcFigures;
pub use sustained::{Held, Sustained, is_safe};
pub use traffic::{PurposeFigures, Traffic, TrafficFigures};

use crate::Report;
use crate::section::Forms;

/// The sections on a terminal, below the stages.
pub(crate) fn on_terminal(report: &Report) -> [&dyn Forms; 16] {
    [
        &report.executed,
        &report.traffic,
        &report.rates,
        &report.jobs,
        &report.copies,
        &report.arrays,
        &report.paths,
        &report.ceph,
        &report.calls,
        &report.rpcs,
        &report.locks,
        &report.retries,
        &report.profiles,
        &report.memory,
        &report.counted,
        &report.costs,
    ]
}

/// Those on the page above the stages.
pub(crate) fn above_stages(report: &Report) -> [&dyn Forms; 3] {
    [&report.model_error, &report.executed, &report.jobs]
}

/// Those on the page below the stages.
pub(crate) fn below_stages(report: &Report) -> [&dyn Forms; 15] {
    [
        &report.calls,
        &report.rpcs,
        &report.locks,
        &report.retries,
        &report.profiles,
        &report.memory,
        &report.copies,
        &report.arrays,
        &report.paths,
        &report.ceph,
        &report.traffic,
        &report.rates,
        &report.activity,
        &report.counted,
        &report.costs,
    ]
}

/// Those that only tables have: what they say stands among the warnings, in words.
#[cfg(test)]
fn in_tables_alone(report: &Report) -> [&dyn Forms; 3] {
    [&report.sustained, &report.credits, &report.behind_credits]
}

/// Hands the list of sections to a macro: each a field of [`Report`](crate::Report), in the order of the JSON, with its comment and its type,
/// a list of entries or one that may be absent.
macro_rules! sections {
    ($then:ident) => {
        $then! {
            /// What each of several clients got, and what each of several servers moved.
            rates: Vec<Rates>;
            /// What equal parts did when; of the first replication.
            activity: Vec<Activity>;
            /// Copies of files, where there are some.
            copies: Vec<CopiesFigures>;
            /// Arrays with redundancy, where there are some.
            arrays: Vec<ArrayFigures>;
            /// Several paths to devices, where there are some.
            paths: Vec<PathsFigures>;
            /// Pools of Ceph, where there are some.
            ceph: Vec<CephFigures>;
            /// The calls that mounts of NFS sent.
            calls: Vec<CallsFigures>;
            /// The RPCs that mounts of a Lustre or a BeeGFS sent.
            rpcs: Vec<RpcFigures>;
            /// The locks that they held, and what they waited for.
            locks: Vec<LocksFigures>;
            /// What failing servers of PVFS cost.
            retries: Vec<RetriesFigures>;
            /// What reached the devices, by what it was for, where that can be more than data.
            traffic: Vec<TrafficFigures>;
            /// What drives have counted of themselves, where there was any.
            counted: Vec<CountedFigures>;
            /// How hosts used their memory.
            memory: Vec<MemoryFigures>;
            /// What hosts' processors were used for, by function.
            profiles: Vec<ProfileFigures>;
            /// Parallel programs, where there are some.
            jobs: Vec<JobFigures>;
            /// What the load gets once a cache is full that had room until the end of the run, where that is less.
            sustained: Option<Sustained>;
            /// What is left of bursts: of volumes, instances and throttles that let more pass for a while than they do for good.
            credits: Vec<CreditFigures>;
            /// What the load gets once a burst is over, where it is one that uses it up and gets less.
            behind_credits: Option<BehindCredits>;
            /// The program that was executed, where one was.
            executed: Option<ExecutedFigures>;
            /// How far the main figures may be off, by what validations missed by.
            model_error: Vec<ModelErrorFigures>;
            /// What the System costs, draws and holds, where a price or a power of a part is known.
            costs: Vec<CostFigures>;
        }
    };
}
pub(crate) use sections;

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::addr_eq;

    #[test]
    fn every_section_has_one_place_on_the_page_or_stands_in_tables_alone() {
        let report = Report::default();
        let [above, below, tables] =
            [&above_stages(&report)[..], &below_stages(&report), &in_tables_alone(&report)];
        for section in report.sections() {
            let is_here = |other: &&&dyn Forms| addr_eq(**other, section);
            let places = [above, below, tables].concat().iter().filter(is_here).count();
            assert_eq!(places, 1, "a section of sections/mod.rs");
        }
    }
}
