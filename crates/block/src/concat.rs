//! A concatenation: several members as one, each after the other ends (Linux md's `linear`, the logical volumes of
//! device-mapper's `dm-linear`).
//!
//! ```text
//! requests ─▶ split ─▶ member 0 … n ─▶ join ─▶ completions
//! ```
//!
//! A request goes to the members that hold its blocks; it is complete with its last part. A flush goes to all of them, and a
//! write with a flush before it waits until all have flushed. Members may have different sizes, and none is left in part.

use petrio_colours::{BlockRequest, Cause, Direction, Failure, RequestId, Status};
use petrio_kernel::{Firing, PageBuilder, Place, Put, Sum, TransitionBuilder, Update};
use petrio_persist::Persist;
use petrio_stage::Stage;
use petrio_stage::slab::Slab;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

/// What a concatenation lies between.
#[derive(Clone, Debug)]
pub struct ConcatPorts {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// For each member its size in blocks, a place for requests to it, and one for its completions.
    pub members: Vec<(u64, Place<BlockRequest>, Place<BlockRequest>)>,
}

/// A request on its way.
#[derive(Clone, Debug, Persist)]
struct Whole {
    request: BlockRequest,
    left: usize,
    status: Status,
    /// Its flushes are under way, and its data come after.
    data_to_come: bool,
}

/// What changes.
#[derive(Clone, Debug, Persist)]
struct Concat {
    /// Where each member begins, and the last ends.
    borders: Vec<u64>,
    wholes: Slab<Whole>,
    sent: u64,
    back: u64,
}

/// Requests to members, by number, and what is complete.
#[derive(Default)]
struct Outcome {
    sends: SmallVec<[(usize, BlockRequest); 4]>,
    complete: Option<BlockRequest>,
}

impl Concat {
    fn new(sizes: impl Iterator<Item = u64>) -> Self {
        let mut borders = vec![0];
        borders.extend(sizes.scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        Self { borders, wholes: Slab::new(), sent: 0, back: 0 }
    }

    fn arrive(&mut self, request: BlockRequest) -> Outcome {
        let is_flush = request.direction == Direction::Flush;
        let end = self.borders.last().copied().unwrap_or(0);
        if !is_flush && (request.blocks == 0 || request.end() > end) {
            let failure = if request.blocks == 0 { Failure::Empty } else { Failure::BeyondEnd };
            let complete = Some(BlockRequest { status: Status::Failed(failure), ..request });
            return Outcome { complete, ..Outcome::default() };
        }
        let data_to_come = request.flush_before && !is_flush;
        let whole = Whole { request, left: 0, status: Status::DoneFromCache, data_to_come };
        let slot = self.wholes.insert(whole);
        self.begin(slot)
    }

    /// Sends a request's flushes, or its data.
    fn begin(&mut self, slot: u32) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(whole) = self.wholes.get_mut(slot) else { return outcome };
        let request = &whole.request;
        let flushes = whole.data_to_come || request.direction == Direction::Flush;
        for (member, border) in self.borders.windows(2).enumerate() {
            let &[begin, end] = border else { continue };
            let (from, to) =
                if flushes { (begin, begin) } else { (request.address.max(begin), request.end().min(end)) };
            if to < from || to == from && !flushes {
                continue;
            }
            let part = BlockRequest {
                id: RequestId(self.sent),
                direction: if flushes { Direction::Flush } else { request.direction },
                address: from - begin,
                blocks: as_number(to - from),
                tag: slot.into(),
                flush_before: false,
                force_unit_access: request.force_unit_access && !flushes,
                ..request.clone()
            };
            self.sent += 1;
            whole.left += 1;
            outcome.sends.push((member, part));
        }
        outcome
    }

    /// A part is complete; `None` where none was sent.
    fn part(&mut self, part: &BlockRequest) -> Option<Outcome> {
        let slot = u32::try_from(part.tag).ok()?;
        let whole = self.wholes.get_mut(slot)?;
        self.back += 1;
        whole.left -= 1;
        whole.status = whole.status.and(part.status);
        if whole.left > 0 {
            return Some(Outcome::default());
        }
        // The last part was on its way all the time: its time is the whole's.
        whole.request.ledger = part.ledger;
        if std::mem::take(&mut whole.data_to_come) && whole.status.failure().is_none() {
            return Some(self.begin(slot));
        }
        let Whole { request, status, .. } = self.wholes.remove(slot)?;
        Some(Outcome { complete: Some(BlockRequest { status, ..request }), ..Outcome::default() })
    }

    /// Parts that came back.
    fn back(&self) -> i64 {
        self.back as i64
    }
}

/// Where what an event brings about goes.
struct Outs {
    concat: Update<Concat>,
    members: Vec<Put<BlockRequest>>,
    completions: Put<BlockRequest>,
}

impl Outs {
    fn declare(transition: &mut TransitionBuilder<'_>, ports: &ConcatPorts, concat: Place<Concat>) -> Self {
        Self {
            concat: transition.update(concat),
            members: ports.members.iter().map(|(_, down, _)| transition.may_put(*down, 1)).collect(),
            completions: transition.may_put(ports.completions, 1),
        }
    }

    fn follow(&self, f: &mut Firing<'_>, outcome: Outcome) {
        for (member, part) in outcome.sends {
            f.put(self.members[member], part);
        }
        if let Some(request) = outcome.complete {
            f.put(self.completions, request);
        }
    }
}

/// Builds the page `name`. No time passes on it, so that no stage is its own.
pub fn concat_page(parent: &mut PageBuilder<'_>, name: &str, ports: &ConcatPorts) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.port_in("requests", ports.requests);
    page.port_out("completions", ports.completions);
    for (member, (_, down, up)) in ports.members.iter().enumerate() {
        page.port_out(&format!("down{member}"), *down);
        page.port_in(&format!("up{member}"), *up);
    }
    let concat = page.state("members", Concat::new(ports.members.iter().map(|(blocks, ..)| *blocks)));

    let mut split = page.transition("split");
    let request = split.take(ports.requests);
    let outs = Outs::declare(&mut split, ports, concat);
    split.action(move |f| {
        let mut request = f.take(request);
        // What has passed before it came is accounted for.
        let waited = f.now().saturating_sub(request.issued + request.ledger.total());
        request.ledger.charge(Cause::Queue, waited);
        let outcome = f.update(outs.concat).arrive(request);
        outs.follow(f, outcome);
    });

    for (member, (_, _, up)) in ports.members.iter().enumerate() {
        let mut join = page.transition(&format!("join{member}"));
        let part = join.take(*up);
        let outs = Outs::declare(&mut join, ports, concat);
        join.action(move |f| {
            let part = f.take(part);
            match f.update(outs.concat).part(&part) {
                Some(outcome) => outs.follow(f, outcome),
                None => f.fail(format!(
                    "member {member} completes a request with the tag {}, which was never sent",
                    part.tag
                )),
            }
        });
    }
    let sum = Sum::new().of(concat, Concat::back);
    page.conserve_sum("parts", ports.members.iter().fold(sum, |sum, (_, _, up)| sum.taken(*up, -1)));
    Vec::new()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn request(direction: Direction, address: u64, blocks: u32) -> BlockRequest {
        BlockRequest { id: RequestId(7), tag: 9, direction, address, blocks, ..BlockRequest::default() }
    }

    #[test]
    fn a_flush_goes_to_all_and_data_follow_it() {
        let mut concat = Concat::new([10, 20, 30].into_iter());
        let write = BlockRequest { flush_before: true, ..request(Direction::Write, 25, 10) };
        let flushes = concat.arrive(write).sends;
        assert_eq!(flushes.iter().filter(|(_, part)| part.direction == Direction::Flush).count(), 3);
        let mut data = Outcome::default();
        for (_, part) in flushes {
            data = concat.part(&part).unwrap();
        }
        // Blocks 10 to 30 lie on the second, those from 30 on the third.
        let written = data.sends.iter().map(|(member, part)| (*member, part.address, part.blocks));
        assert_eq!(written.collect::<Vec<_>>(), [(1, 15, 5), (2, 0, 5)]);
        let ends: Vec<_> = data.sends.iter().map(|(_, part)| concat.part(part).unwrap().complete).collect();
        assert!(ends[0].is_none());
        assert_eq!(ends[1].as_ref().map(|request| (request.id, request.tag)), Some((RequestId(7), 9)));
        assert!(concat.part(&data.sends[0].1).is_none(), "nothing was sent that this could answer");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_block_goes_to_the_member_that_holds_it(
            sizes in prop::collection::vec(1u64..50, 1..6),
            address in 0u64..200,
            blocks in 1u32..200,
        ) {
            let end: u64 = sizes.iter().sum();
            let mut concat = Concat::new(sizes.iter().copied());
            let outcome = concat.arrive(request(Direction::Read, address, blocks));
            if address + u64::from(blocks) > end {
                let failed = outcome.complete.unwrap().status.failure();
                prop_assert_eq!(failed, Some(Failure::BeyondEnd));
                return Ok(());
            }
            // Counted block by block.
            let place = |block: u64| {
                let mut before = 0;
                let member = sizes.iter().position(|size| {
                    before += size;
                    block < before
                });
                let member = member.unwrap();
                (member, block - sizes[..member].iter().sum::<u64>())
            };
            let expected: Vec<_> = (address..address + u64::from(blocks)).map(place).collect();
            let told = outcome.sends.iter().flat_map(|(member, part)| {
                (part.address..part.end()).map(|block| (*member, block))
            });
            prop_assert_eq!(told.collect::<Vec<_>>(), expected);
        }
    }
}
