//! The programs of a scenario, of either colour.

use crate::build::programs::Programs;
use crate::build::turns::Turns;
use crate::build::{operations, requests};
use crate::failure::RunFailure;
use crate::loaded::Loaded;
use crate::report::{Heard, Reported};
use petrio_colours::{BlockRequest, FileOp};
use std::sync::Arc;

/// A colour whose programs a scenario can have.
pub(crate) trait Driven: Heard {
    /// The programs of a scenario for one replication, which take turns with those of the other colour.
    fn programs_of(
        loaded: &Loaded,
        replication: u64,
        turns: &Arc<Turns>,
    ) -> Result<Programs<Self>, RunFailure>;
}

impl Driven for BlockRequest {
    fn programs_of(
        loaded: &Loaded,
        replication: u64,
        turns: &Arc<Turns>,
    ) -> Result<Programs<Self>, RunFailure> {
        let (programs, workloads) = requests::programs_of(loaded, replication, turns)?;
        Ok(programs.told_apart(&workloads, &names::<Self>(loaded), loaded))
    }
}

impl Driven for FileOp {
    fn programs_of(
        loaded: &Loaded,
        replication: u64,
        turns: &Arc<Turns>,
    ) -> Result<Programs<Self>, RunFailure> {
        let (programs, workloads) = operations::programs_of(loaded, replication, turns)?;
        let deadlines: Vec<_> = (loaded.workloads_of(Self::SUBJECT))
            .map(|(_, workload)| workload.deadline().map(petrio_units::Duration::time))
            .collect();
        let programs = programs.told_apart(&workloads, &names::<Self>(loaded), loaded);
        let transactions: Vec<_> = (loaded.workloads_of(Self::SUBJECT))
            .map(|(_, workload)| workload.transaction().map(|operation| operation as usize))
            .collect();
        Ok(programs.with_each(&workloads, &deadlines, &transactions))
    }
}

/// The workloads of a colour.
fn names<R: Reported>(loaded: &Loaded) -> Vec<&str> {
    loaded.workloads_of(R::SUBJECT).map(|(name, _)| name).collect()
}
