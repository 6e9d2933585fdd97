//! How requests come to a device: what it can't serve goes back at once.

use petrio_colours::{BlockRequest, Direction, Failure, Status};
use petrio_kernel::{PageBuilder, Place};

/// Why a device of so many blocks, which takes discards or not, can't serve a request, if it can't.
pub(super) fn refusal(request: &BlockRequest, (blocks, discards): (u64, bool)) -> Option<Failure> {
    if request.direction == Direction::Discard && !discards {
        return Some(Failure::NotSupported);
    }
    if request.blocks == 0 && request.direction.has_range() {
        return Some(Failure::Empty);
    }
    (request.address.saturating_add(u64::from(request.blocks)) > blocks).then_some(Failure::BeyondEnd)
}

/// A request as it goes back that can't be served.
pub(super) fn refuse(mut request: BlockRequest, failure: Failure) -> BlockRequest {
    request.status = Status::Failed(failure);
    request
}

/// Builds the transition `accept`: requests go on to `queue`, and those that a device of so many blocks, which takes discards or not,
/// can't serve back.
pub(super) fn accept(
    page: &mut PageBuilder<'_>,
    can: (u64, bool),
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    queue: Place<BlockRequest>,
) {
    let mut accept = page.transition("accept");
    let request = accept.take(requests);
    let (waiting, back) = (accept.may_put(queue, 1), accept.may_put(completions, 1));
    accept.action(move |f| {
        let request = f.take(request);
        match refusal(&request, can) {
            None => f.put(waiting, request),
            Some(failure) => f.put(back, refuse(request, failure)),
        }
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::{NetBuilder, Simulation};

    #[test]
    fn what_a_device_cannot_serve_comes_back_and_the_rest_goes_on() {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (requests, back, queue) = (page.fifo("requests"), page.fifo("back"), page.fifo("queue"));
        accept(&mut page, (100, false), (requests, back), queue);
        let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
        let asks = [(0, 100), (1, 100), (u64::MAX, 2), (100, 1), (5, 0), (99, 1)];
        for (address, blocks) in asks {
            let request = BlockRequest { address, blocks, ..BlockRequest::default() };
            run.inject(requests, request, run.now()).unwrap();
        }
        run.run_until(petrio_kernel::Time::from_millis(1)).unwrap();
        let refused: Vec<_> = run.drain(back).map(|r| (r.address, r.status.failure().unwrap())).collect();
        let beyond = |address| (address, Failure::BeyondEnd);
        assert_eq!(refused, [beyond(1), beyond(u64::MAX), beyond(100), (5, Failure::Empty)]);
        let discard = BlockRequest { direction: Direction::Discard, blocks: 8, ..BlockRequest::default() };
        assert_eq!(refusal(&discard, (100, false)), Some(Failure::NotSupported));
        assert_eq!(refusal(&discard, (100, true)), None);
        let taken: Vec<u64> = run.drain(queue).map(|request| request.address).collect();
        assert_eq!(taken, [0, 99]);
    }
}
