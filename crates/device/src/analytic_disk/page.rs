//! The analytic disk as a page.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(begin)─▶ begun ─▶ controller ─▶ seek ─▶ rotation ─▶ media ─▶(finish)─▶ completions
//!                └──▶ arm ◀────────┘                                                              │
//!                                   ▲──────────────────────────── idle ◀──────────────────────────┘
//! ```
//!
//! The requests themselves wait in the arm's state, which chooses among them; `queue` has a token for each.

use super::{AnalyticDiskParameters, Arm, STEPS};
use crate::disk::parameters::QueueDiscipline;
use crate::entrance::{refusal, refuse};
use crate::one_at_a_time::{Job, steps_page};
use petrio_colours::{BlockRequest, Cause};
use petrio_kernel::{PageBuilder, Place};
use petrio_random::fnv1a;
use petrio_random::uniform_below;
use petrio_stage::Stage;
use petrio_stage::instants;

/// An analytic disk in a net.
#[derive(Debug)]
pub struct AnalyticDisk {
    /// Its arm, for whoever wants to know what a request would meet.
    pub arm: Place<Arm>,
    /// The rows that the report shows.
    pub stages: Vec<Stage>,
}

/// Builds the drive's page. Disciplines that need to know where the platter stands serve in order of arrival.
pub fn analytic_disk_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, discipline): (&AnalyticDiskParameters, QueueDiscipline),
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
) -> AnalyticDisk {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    let queue = page.fifo::<()>("queue");
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);
    // Any number that differs from disk to disk.
    let salt = fnv1a(page.path().bytes());
    let arm = page.state("arm", Arm::new(parameters, discipline, salt));
    let draws = page.stream("service");
    let blocks = parameters.blocks.get();

    let mut accept = page.transition("accept");
    let request = accept.take(requests);
    let update = accept.update(arm);
    let waiting = accept.may_put(queue, 1);
    let refused = accept.may_put(completions, 1);
    accept.action(move |f| {
        let request = f.take(request);
        if let Some(failure) = refusal(&request, (blocks, false)) {
            return f.put(refused, refuse(request, failure));
        }
        let (draw, now) = (uniform_below(f.random(draws), u64::MAX), f.now());
        f.update(update).accept(request, now, draw);
        f.put(waiting, ());
    });

    let begun = page.fifo::<Job>("begun");
    let mut begin = page.transition("begin");
    begin.consume(idle);
    begin.consume(queue);
    let update = begin.update(arm);
    let put = begin.may_put(begun, 1);
    begin.action(move |f| {
        let now = f.now();
        // As many wait in the arm as there are tokens in the queue.
        let Some((mut request, plan)) = f.update(update).begin(now) else { return };
        request.ledger.charge(Cause::Queue, now - request.issued - request.ledger.total());
        f.put(put, Job::new(request, plan, now));
    });

    let finished = page.fifo::<BlockRequest>("finished");
    let stages = steps_page(&mut page, STEPS, (begun, queue.id()), (idle, finished));
    let mut finish = page.transition("release");
    // Before the next request begins, or a message asks what it would meet.
    finish.priority(instants::ENDS);
    let request = finish.take(finished);
    let update = finish.update(arm);
    let done = finish.put(completions);
    finish.action(move |f| {
        let request = f.take(request);
        f.update(update).finish();
        f.put(done, request);
    });
    AnalyticDisk { arm, stages }
}
