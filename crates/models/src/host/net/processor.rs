//! The host's processors: shared by its processes and the kernel's own threads (egalitarian processor sharing).
//!
//! Leaves out priorities of the processor's scheduler, migration, and interrupts, whose time is in the costs of completions.

use super::exits::Places;
use super::job::{Burst, Job, Then, Who};
use crate::Stage;
use petrio_kernel::{PageBuilder, Place, Put, StationSpec};

/// The place in which processor time is spent.
pub(super) fn processor_place(page: &mut PageBuilder<'_>, processors: u32) -> Place<Burst> {
    page.station("running", StationSpec::processor_sharing(processors, |burst: &Burst, _: &mut _| burst.work))
}

/// Builds the transition that sends everybody on who has had a processor's time.
pub(super) fn processor_page(
    page: &mut PageBuilder<'_>,
    running: Place<Burst>,
    mounts: &[(Places, Place<()>)],
) -> Stage {
    let mut ran = page.transition("ran");
    let burst = ran.take(running);
    let mut exits = Vec::new();
    for (places, flusher) in mounts {
        let ready: Vec<Put<Box<Job>>> = places.ready.iter().map(|&place| ran.may_put(place, 1)).collect();
        exits.push((ready, ran.may_put(*flusher, 1), ran.may_put(places.completions, 1)));
    }
    ran.action(move |f| {
        let Burst { work, who } = f.take(burst);
        match who {
            Who::Job { mut job, cause, cache, then } => {
                let (ready, _, completions) = &exits[job.op.file_system as usize];
                job.charge_work(cause, cache, work, f.now());
                match then {
                    Then::Return => f.put(*completions, super::call::leave(*job)),
                    then => f.put(ready[then as usize], job),
                }
            }
            Who::Flusher(mount) => f.put(exits[mount as usize].1, ()),
        }
    });
    let path = page.path();
    Stage::station(path.to_owned(), running.id()).with_parts(vec![("the processors", path.to_owned())])
}
