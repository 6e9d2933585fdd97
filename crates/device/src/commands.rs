//! How a drive without an arm takes commands: so many at a time, as they come, each charged for what served it.

use super::Queueing;
use super::disk::parameters::QueueDiscipline;
use petrio_colours::{BlockRequest, Cause, Direction, Status};
use petrio_kernel::{PageBuilder, Place, Take, Time, TransitionBuilder};

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

fn is_discard(request: &BlockRequest) -> bool {
    request.direction == Direction::Discard
}

/// Builds the transition `dispatch`: what waits in `queue` becomes a command where there is a slot for one. A drive that is given discards
/// `alone` has so many slots, all of which one takes; whatever came behind it waits (`ata_std_qc_defer`, drivers/ata/libata-core.c).
pub(super) fn dispatch(
    page: &mut PageBuilder<'_>,
    alone: Option<u32>,
    (slots, queue): (Place<()>, Place<BlockRequest>),
    commands: Place<BlockRequest>,
) {
    let mut usual = page.transition("dispatch");
    usual.consume(slots);
    let request = usual.take(queue);
    if alone.is_some() {
        usual.guard(move |binding| !is_discard(binding.get(request)));
    }
    pass(usual, request, commands);
    if let Some(all) = alone {
        let mut discard = page.transition("dispatch discard");
        discard.consume_many(slots, all);
        let request = discard.take(queue);
        discard.guard(move |binding| is_discard(binding.get(request)));
        pass(discard, request, commands);
    }
}

fn pass(mut transition: TransitionBuilder<'_>, request: Take<BlockRequest>, to: Place<BlockRequest>) {
    let put = transition.put(to);
    transition.action(move |f| {
        let request = f.take(request);
        f.put(put, request);
    });
}

/// Builds the transition `finish`: a command is complete, and its slot is free; all slots, where it is a discard that had them `alone`.
pub(super) fn finish(
    page: &mut PageBuilder<'_>,
    alone: Option<u32>,
    finishing: Place<BlockRequest>,
    slots: Place<()>,
    completions: Place<BlockRequest>,
) {
    let mut finish = page.transition("finish");
    let request = finish.take(finishing);
    let slot = match alone {
        None => finish.put(slots),
        Some(all) => finish.may_put(slots, all),
    };
    let done = finish.put(completions);
    finish.action(move |f| {
        let mut request = f.take(request);
        request.status = Status::Done;
        let freed = alone.filter(|_| is_discard(&request)).unwrap_or(1);
        (0..freed).for_each(|_| f.put(slot, ()));
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
