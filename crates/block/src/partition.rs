//! A partition: a run of another part's blocks as a part of its own. Partitions of one disk share its arm and its queue.
//!
//! ```text
//! requests ─▶ enter ─▶ what it lies on ⋯ its completions ─▶ leave ─▶ completions
//! ```
//!
//! No time passes here: a request goes on with another address, and comes back with its own. Whoever else lies on the same
//! part has its completions in the same place; each takes those that bear its number. A flush passes as it is: it is one of
//! the whole disk, as the kernel's is (Linux: `blk_partition_remap` moves requests that have sectors, and no others).

use petrio_colours::{BlockRequest, Failure, RequestId, Status};
use petrio_kernel::{PageBuilder, Place};
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::low_half;

/// What a partition lies between, and where.
#[derive(Clone, Copy, Debug)]
pub struct PartitionPorts {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// Where what it lies on is asked …
    pub down: Place<BlockRequest>,
    /// … and answers, to all who lie on it.
    pub up: Place<BlockRequest>,
    /// Its number among all who may lie there.
    pub number: u32,
    /// Its first block there.
    pub first: u64,
    /// Blocks that it offers.
    pub blocks: u64,
}

/// What a request was before it went on.
#[derive(Clone, Copy, Debug, Persist)]
struct Was {
    id: RequestId,
    tag: u64,
    address: u64,
}

/// What changes.
#[derive(Clone, Debug, Persist)]
struct Partition {
    number: u32,
    first: u64,
    blocks: u64,
    on_their_way: Slab<Was>,
    sent: u64,
}

/// A request's number below has the partition's above these bits: what it lies on tells requests apart by them.
const NUMBER_BITS: u32 = 40;

impl Partition {
    /// Makes a request one of what lies below; or says why it can't be, and that it doesn't go on.
    fn enter(&mut self, request: &mut BlockRequest) -> bool {
        let has_blocks = request.direction.has_range();
        let is_beyond = request.address.saturating_add(request.blocks.into()) > self.blocks;
        if has_blocks && (request.blocks == 0 || is_beyond) {
            let failure = if request.blocks == 0 { Failure::Empty } else { Failure::BeyondEnd };
            request.status = Status::Failed(failure);
            return false;
        }
        let slot =
            self.on_their_way.insert(Was { id: request.id, tag: request.tag, address: request.address });
        request.id = RequestId(u64::from(self.number) << NUMBER_BITS | self.sent);
        request.tag = u64::from(self.number) << u32::BITS | u64::from(slot);
        request.address = if has_blocks { request.address + self.first } else { 0 };
        self.sent += 1;
        true
    }

    /// The request as it came; `None` where none was sent.
    fn leave(&mut self, mut request: BlockRequest) -> Option<BlockRequest> {
        let Was { id, tag, address } = self.on_their_way.remove(low_half(request.tag))?;
        (request.id, request.tag, request.address) = (id, tag, address);
        Some(request)
    }
}

/// Builds the page `name`.
pub fn partition_page(parent: &mut PageBuilder<'_>, name: &str, ports: PartitionPorts) {
    let PartitionPorts { requests, completions, down, up, number, first, blocks } = ports;
    let mut page = parent.page(name);
    for (port, place) in [("requests", requests), ("up", up)] {
        page.port_in(port, place);
    }
    for (port, place) in [("completions", completions), ("down", down)] {
        page.port_out(port, place);
    }
    let on_their_way = Slab::new();
    let partition = page.state("partition", Partition { number, first, blocks, on_their_way, sent: 0 });

    let mut enter = page.transition("enter");
    let request = enter.take(requests);
    let state = enter.update(partition);
    let (on, back) = (enter.may_put(down, 1), enter.may_put(completions, 1));
    enter.action(move |f| {
        let mut request = f.take(request);
        let goes_on = f.update(state).enter(&mut request);
        f.put(if goes_on { on } else { back }, request);
    });

    let mut leave = page.transition("leave");
    let request = leave.take(up);
    let state = leave.update(partition);
    let out = leave.may_put(completions, 1);
    leave.guard(move |binding| binding.get(request).tag >> u32::BITS == u64::from(number));
    leave.action(move |f| {
        let request = f.take(request);
        let tag = request.tag;
        match f.update(state).leave(request) {
            Some(request) => f.put(out, request),
            None => f.fail(format!("a request with the tag {tag} is complete, which was never sent")),
        }
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::Direction;
    use petrio_kernel::{NetBuilder, Simulation, Time};
    use proptest::prelude::*;

    fn request(id: u64, direction: Direction, address: u64, blocks: u32) -> BlockRequest {
        BlockRequest {
            id: RequestId(id),
            tag: id + 70,
            direction,
            address,
            blocks,
            ..BlockRequest::default()
        }
    }

    /// Where requests of a partition go in, and where they come out.
    type Ends = (Place<BlockRequest>, Place<BlockRequest>);

    /// A part with partitions one after the other, of these sizes; it answers each request when it was asked.
    fn divided(sizes: &[u64]) -> (Simulation, Vec<Ends>, Place<BlockRequest>) {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (down, up) = (page.fifo("down"), page.fifo("up"));
        let mut first = 0;
        let mut ports = Vec::new();
        for (number, &blocks) in (3..).zip(sizes) {
            let (requests, completions) =
                (page.fifo(&format!("requests{number}")), page.fifo(&format!("completions{number}")));
            let of = PartitionPorts { requests, completions, down, up, number, first, blocks };
            partition_page(&mut page, &format!("p{number}"), of);
            first += blocks;
            ports.push((requests, completions));
        }
        let mut serve = page.transition("serve");
        let (asked, done) = (serve.take(down), serve.put(up));
        serve.action(move |f| {
            let request = f.take(asked);
            f.put(done, request);
        });
        let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
        run.observe(down, Vec::new(), |seen: &mut Vec<BlockRequest>, _, request: &BlockRequest| {
            seen.push(request.clone());
        });
        (run, ports, down)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whoever asks which partition: each hears of his own requests, as he asked them, and nobody's blocks are others'.
        #[test]
        fn every_request_comes_back_to_its_partition_and_stays_within_it(
            sizes in prop::collection::vec(1u64..60, 1..5),
            asked in prop::collection::vec((0usize..5, 0u64..60, 0u32..60, 0usize..3), 1..40),
        ) {
            let (mut run, ports, down) = divided(&sizes);
            let mut expected: Vec<Vec<BlockRequest>> = vec![Vec::new(); sizes.len()];
            for (id, &(partition, address, blocks, direction)) in (0..).zip(&asked) {
                let partition = partition % sizes.len();
                let direction = [Direction::Read, Direction::Write, Direction::Flush][direction];
                let blocks = if direction == Direction::Flush { 0 } else { blocks };
                // Of two hosts that count from zero, both have this number.
                let request = request(id / 2, direction, address, blocks);
                run.inject(ports[partition].0, request.clone(), run.now()).unwrap();
                run.run_until(run.now() + Time::from_millis(1)).unwrap();
                expected[partition].push(request);
            }
            for (partition, &(_, completions)) in ports.iter().enumerate() {
                let back: Vec<BlockRequest> = run.drain(completions).collect();
                prop_assert_eq!(back.len(), expected[partition].len());
                for (back, asked) in back.iter().zip(&expected[partition]) {
                    let fits = asked.direction == Direction::Flush
                        || asked.blocks > 0 && asked.end() <= sizes[partition];
                    prop_assert_eq!(back.status.failure().is_none(), fits, "{:?}", asked);
                    let status = back.status;
                    prop_assert_eq!(back, &BlockRequest { status, ..asked.clone() });
                }
            }
            // Below, no two have the same number, and each lies in its partition.
            let seen = run.observed::<BlockRequest, Vec<BlockRequest>>(down).unwrap();
            let mut ids: Vec<u64> = seen.iter().map(|request| request.id.0).collect();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), seen.len());
            for request in seen.iter().filter(|request| request.direction != Direction::Flush) {
                let partition = (request.tag >> u32::BITS) as usize - 3;
                let first: u64 = sizes[..partition].iter().sum();
                prop_assert!(request.address >= first && request.end() <= first + sizes[partition]);
            }
        }
    }
}
