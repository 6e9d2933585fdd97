//! What of a scenario is drawn at random beside its workloads: how its disks turn, and when members of arrays fail.

use crate::loaded::Loaded;
use crate::placed::PlacedDisk;
use crate::schema::Spindle;
use crate::text::Problem;
use crate::workload::Workload;
use petrio_models::device::BlockDevice;
use std::sync::Arc;

/// The device of a disk. The first of a System turns as its model does; how each of the others turns beside it is drawn for each
/// replication.
pub(crate) fn device(loaded: &Loaded, number: usize) -> Arc<dyn BlockDevice> {
    let PlacedDisk { compiled, spindle, .. } = &loaded.disks[number];
    let own = (number > 0 && *spindle == Spindle::Free).then(|| compiled.turning_freely()).flatten();
    own.unwrap_or_else(|| Arc::clone(compiled))
}

/// Whether disks turn otherwise in one replication than in another.
fn spindles_differ(loaded: &Loaded) -> bool {
    let mut free = loaded.disks.iter().skip(1).filter(|disk| disk.spindle == Spindle::Free);
    free.any(|disk| disk.compiled.has_spindle())
}

/// What to say where several replications are asked for that will all be the same.
pub(crate) fn pointless_replications(loaded: &Loaded) -> Option<Problem> {
    let scenario = &loaded.scenario;
    let is_random = scenario.workload.values().any(|workload| !matches!(workload, Workload::Trace(_)))
        || spindles_differ(loaded)
        || scenario.holders.iter().any(|(_, _, part)| part.is_random());
    if scenario.measure.replications < 2 || is_random || scenario.workload.is_empty() {
        return None;
    }
    let message = "all replications will be the same: a replayed trace has nothing random";
    Some(loaded.warning_at("measure.replications", message).help("leave the replications out"))
}
