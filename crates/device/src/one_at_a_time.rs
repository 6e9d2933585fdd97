//! A device that serves one request after the other, each in the same steps.
//!
//! ```text
//! requests ─▶(accept)─▶ queue ─▶(begin)─▶ next ─▶(start)─▶ busy ─▶ … ─▶ busy ─▶(finish)─▶ completions
//!                                  ▲              └── a page for each step ──┘        │
//!                                  └──────────────────── idle ◀───────────────────────┘
//! ```
//!
//! How long each step of a request takes is planned when the request begins; each step is a page, so that each can be
//! made faster alone.

use crate::entrance::accept;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_kernel::{Colour, PageBuilder, Place, PlaceId, Time};
use petrio_persist::Persist;
use petrio_random::{Generator, uniform};
use petrio_stage::Stage;
use petrio_units::Blocks;

/// A step of the service.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServicePhase {
    /// The name of its page.
    pub(super) name: &'static str,
    /// What its time is charged to.
    pub(super) cause: Cause,
    /// What is made faster when its page is: "seeks".
    pub(super) word: &'static str,
}

/// Most steps that a service has.
pub(super) const MOST_STEPS: usize = 4;

/// How long each step of a request takes.
pub(super) type Plan = [Time; MOST_STEPS];

/// A request in service.
#[derive(Clone, Debug, Persist)]
pub(super) struct Job {
    request: BlockRequest,
    plan: Plan,
    charged: Time,
}

impl Job {
    /// A request that begins.
    pub(super) fn new(request: BlockRequest, plan: Plan, now: Time) -> Self {
        Self { request, plan, charged: now }
    }
}

/// Whether a device holds anything at all.
pub(super) fn has_blocks(blocks: Blocks) -> Result<(), String> {
    if blocks.get() == 0 {
        return Err("it has no blocks; give `blocks` as a size such as \"1000000 blocks\"".to_owned());
    }
    Ok(())
}

/// Builds the page `name` of a device with `blocks` blocks. `plan` gets the state that it keeps, the request, and a
/// draw from 0 to 1.
pub(super) fn one_at_a_time<S: Colour>(
    parent: &mut PageBuilder<'_>,
    name: &str,
    blocks: u64,
    steps: &'static [ServicePhase],
    (state, plan): (S, impl Fn(&mut S, &BlockRequest, f64) -> Plan + Send + Sync + 'static),
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    let queue = page.fifo::<BlockRequest>("queue");
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);
    let state = page.state("state", state);
    let draws = page.stream("service");

    accept(&mut page, (blocks, false), (requests, completions), queue);

    let jobs = page.fifo::<Job>("begun");
    let mut begin = page.transition("begin");
    begin.consume(idle);
    let request = begin.take(queue);
    let state = begin.update(state);
    let begun = begin.put(jobs);
    begin.action(move |f| {
        let mut request = f.take(request);
        let now = f.now();
        let draw = drawn(f.random(draws));
        let plan = plan(f.update(state), &request, draw);
        request.ledger.charge(Cause::Queue, now - request.issued - request.ledger.total());
        f.put(begun, Job::new(request, plan, now));
    });
    steps_page(&mut page, steps, (jobs, queue.id()), (idle, completions))
}

/// Builds the steps of a service on the page of its device: a request that has `begun` passes them all, makes the
/// device idle again and goes to `completions`. `queue` is where requests wait to begin.
pub(super) fn steps_page(
    page: &mut PageBuilder<'_>,
    steps: &'static [ServicePhase],
    (begun, queue): (Place<Job>, PlaceId),
    (idle, completions): (Place<()>, Place<BlockRequest>),
) -> Vec<Stage> {
    let mut next = begun;
    let mut serving = Vec::new();
    for (index, step) in steps.iter().enumerate().take(MOST_STEPS) {
        let mut page = page.page(step.name);
        let busy = page.fifo::<Job>("busy");
        let mut start = page.transition("start");
        let job = start.take(next);
        let put = start.put(busy);
        start.action(move |f| {
            let mut job = f.take(job);
            charge(&mut job, index.checked_sub(1).map(|before| steps[before].cause), f.now());
            let span = job.plan[index];
            f.put_after(put, job, span);
        });
        serving.push(busy.id());
        next = busy;
    }

    let mut finish = page.transition("finish");
    let job = finish.take(next);
    let (free, done) = (finish.put(idle), finish.put(completions));
    finish.action(move |f| {
        let mut job = f.take(job);
        charge(&mut job, steps.last().map(|step| step.cause), f.now());
        job.request.status = Status::Done;
        f.put(free, ());
        f.put(done, job.request);
    });

    // Idle, or with one request.
    let server = [idle.id(), begun.id()].into_iter().chain(serving.iter().copied());
    page.conserve("server", &server.map(|place| (place, 1)).collect::<Vec<_>>());
    let path = page.path().to_owned();
    let parts = steps.iter().map(|step| (step.word, format!("{path}/{}", step.name))).collect();
    vec![
        Stage::queue(format!("{path}/queue"), &[queue]),
        // Every job passes the places of all steps; the first sees each of them.
        Stage::server(format!("{path}/service"), 1, &serving).with_parts(parts),
    ]
}

fn drawn(generator: &mut Generator) -> f64 {
    uniform(generator)
}

fn charge(job: &mut Job, cause: Option<Cause>, now: Time) {
    if let Some(cause) = cause {
        job.request.ledger.charge(cause, now - job.charged);
        job.charged = now;
    }
}
