//! How a drive without an arm takes commands: so many at a time, as they come, each charged for what served it.

use super::Queueing;
use super::disk::parameters::QueueDiscipline;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_kernel::{PageBuilder, Place, Time};

/// Whether requests can wait for such a drive like this.
///
/// # Errors
/// What to leave out.
pub(super) fn as_they_come(queueing: &Queueing) -> Result<(), String> {
    if queueing.scheduler == QueueDiscipline::FirstCome {
        return Ok(());
    }
    Err("it has no arm whose way could be shortened; leave out scheduler".to_owned())
}

/// Builds the transition `dispatch`: what waits in `queue` becomes a command where there is a slot for one.
pub(super) fn dispatch(
    page: &mut PageBuilder<'_>,
    slots: Place<()>,
    queue: Place<BlockRequest>,
    commands: Place<BlockRequest>,
) {
    let mut dispatch = page.transition("dispatch");
    dispatch.consume(slots);
    let request = dispatch.take(queue);
    let command = dispatch.put(commands);
    dispatch.action(move |f| {
        let request = f.take(request);
        f.put(command, request);
    });
}

/// Builds the transition `finish`: a command is complete, and its slot is free.
pub(super) fn finish(
    page: &mut PageBuilder<'_>,
    finishing: Place<BlockRequest>,
    slots: Place<()>,
    completions: Place<BlockRequest>,
) {
    let mut finish = page.transition("finish");
    let request = finish.take(finishing);
    let (slot, done) = (finish.put(slots), finish.put(completions));
    finish.action(move |f| {
        let mut request = f.take(request);
        request.status = Status::Done;
        f.put(slot, ());
        f.put(done, request);
    });
}

/// Charges a request's time since it was last charged: what it was served by each of these, in order, and the rest to waiting.
pub(super) fn charge(request: &mut BlockRequest, now: Time, served: &[(Cause, Time)]) {
    let mut open = now - request.issued - request.ledger.total();
    for &(cause, span) in served {
        let span = span.min(open);
        request.ledger.charge(cause, span);
        open = open - span;
    }
    request.ledger.charge(Cause::Queue, open);
}
